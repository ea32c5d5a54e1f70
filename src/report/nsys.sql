-- The report is attached as input; main is the new database. Names of tables and columns are those of
-- `nsys export --type sqlite`; times are nanoseconds since the session's start.
BEGIN;
CREATE TABLE META_DATA_EXPORT(name TEXT, value TEXT);
INSERT INTO META_DATA_EXPORT VALUES('EXPORT_PRODUCT', 'warplens'), ('EXPORT_SCHEMA_VERSION', '3.11.0');

INSERT INTO META_DATA_EXPORT SELECT 'WARPLENS_PREDICTED', 'yes'
  WHERE EXISTS (SELECT * FROM input.trace_events WHERE flags & 1);

CREATE TEMP TABLE origin AS SELECT min(start_ns) AS ns FROM input.trace_events;
CREATE TABLE TARGET_INFO_SESSION_START_TIME(utcEpochNs INTEGER NOT NULL, utcTime TEXT, localTime TEXT);
INSERT INTO TARGET_INFO_SESSION_START_TIME
  SELECT ns, strftime('%Y-%m-%dT%H:%M:%S', ns / 1000000000, 'unixepoch') || 'Z', NULL FROM origin;
CREATE TABLE ANALYSIS_DETAILS(globalVid INTEGER NOT NULL, duration INTEGER NOT NULL,
  startTime INTEGER NOT NULL, stopTime INTEGER NOT NULL);
INSERT INTO ANALYSIS_DETAILS SELECT 0, max(end_ns) - min(start_ns), 0, max(end_ns) - min(start_ns)
  FROM input.trace_events;

CREATE TABLE StringIds(id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
INSERT INTO StringIds SELECT id, name FROM input.names;

CREATE TABLE ENUM_CUDA_MEMCPY_OPER(id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT);
INSERT INTO ENUM_CUDA_MEMCPY_OPER VALUES
  (0, 'CUDA_MEMCPY_KIND_UNKNOWN', 'Unknown'), (1, 'CUDA_MEMCPY_KIND_HTOD', 'Host-to-Device'),
  (2, 'CUDA_MEMCPY_KIND_DTOH', 'Device-to-Host'), (3, 'CUDA_MEMCPY_KIND_HTOA', 'Host-to-Array'),
  (4, 'CUDA_MEMCPY_KIND_ATOH', 'Array-to-Host'), (5, 'CUDA_MEMCPY_KIND_ATOA', 'Array-to-Array'),
  (6, 'CUDA_MEMCPY_KIND_ATOD', 'Array-to-Device'), (7, 'CUDA_MEMCPY_KIND_DTOA', 'Device-to-Array'),
  (8, 'CUDA_MEMCPY_KIND_DTOD', 'Device-to-Device'), (9, 'CUDA_MEMCPY_KIND_HTOH', 'Host-to-Host'),
  (10, 'CUDA_MEMCPY_KIND_PTOP', 'Peer-to-Peer');
CREATE TABLE ENUM_CUDA_MEM_KIND(id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT);
INSERT INTO ENUM_CUDA_MEM_KIND VALUES
  (0, 'CUDA_MEMOPR_MEMORY_KIND_PAGEABLE', 'Pageable'), (1, 'CUDA_MEMOPR_MEMORY_KIND_PINNED', 'Pinned'),
  (2, 'CUDA_MEMOPR_MEMORY_KIND_DEVICE', 'Device'), (3, 'CUDA_MEMOPR_MEMORY_KIND_ARRAY', 'Array'),
  (4, 'CUDA_MEMOPR_MEMORY_KIND_MANAGED', 'Managed'), (7, 'CUDA_MEMOPR_MEMORY_KIND_UNKNOWN', 'Unknown');
CREATE TABLE ENUM_NSYS_EVENT_TYPE(id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT);
INSERT INTO ENUM_NSYS_EVENT_TYPE VALUES (34, 'NvtxMark', 'NvtxMark'),
  (59, 'NvtxPushPopRange', 'NvtxPushPopRange'), (60, 'NvtxStartEndRange', 'NvtxStartEndRange');

-- a global number is 8 bits for the machine, 8 for a virtual machine, 24 for the process, 24 for the thread: processes of
-- two hosts may have one number
CREATE TEMP TABLE machines AS SELECT host, row_number() OVER (ORDER BY min(id)) - 1 AS machine
  FROM input.processes GROUP BY host;
CREATE TEMP TABLE pids AS SELECT id AS process_id, ((machine & 255) << 56) | ((pid & 16777215) << 24) AS globalPid,
    pid, machine, rank, executable
  FROM input.processes JOIN machines USING (host);
CREATE TABLE PROCESSES(globalPid INTEGER, pid INTEGER, name TEXT);
INSERT INTO PROCESSES SELECT globalPid, pid, executable FROM pids;
CREATE TABLE ThreadNames(nameId INTEGER NOT NULL, priority INTEGER, globalTid INTEGER);
CREATE TABLE TARGET_INFO_SYSTEM_ENV(globalVid INTEGER, devStateName TEXT, name TEXT, nameEnum INTEGER,
  value TEXT);
INSERT INTO TARGET_INFO_SYSTEM_ENV SELECT (machine & 255) << 56, 'CpuInfo', 'Hostname', NULL, host
  FROM machines;

CREATE TEMP TABLE facts AS SELECT devices.id AS device_row, names.name AS fact, number
  FROM input.devices JOIN input.attributes ON set_id = attribute_set_id
    JOIN input.names ON names.id = name_id;
CREATE TABLE TARGET_INFO_GPU(vmId INTEGER NOT NULL, id INTEGER NOT NULL, name TEXT, busLocation TEXT,
  isDiscrete INTEGER, l2CacheSize INTEGER, totalMemory INTEGER, memoryBandwidth INTEGER,
  clockRate INTEGER, smCount INTEGER, pwGpuId INTEGER, uuid TEXT, luid INTEGER, chipName TEXT,
  cuDevice INTEGER, ctxswDevicePath TEXT, ctrlDevicePath TEXT, numMultiprocessors INTEGER,
  maxWarpsPerSm INTEGER, maxBlocksPerSm INTEGER, threadsPerWarp INTEGER,
  computeMajor INTEGER, computeMinor INTEGER);
INSERT INTO TARGET_INFO_GPU(vmId, id, name, busLocation, chipName, cuDevice, computeMajor, computeMinor,
    l2CacheSize, totalMemory, memoryBandwidth, clockRate, smCount, maxWarpsPerSm, maxBlocksPerSm,
    threadsPerWarp)
  SELECT DISTINCT machine, device_id, name, '', model, device_id, capability_major, capability_minor,
    (SELECT number FROM facts WHERE device_row = devices.id AND fact = 'device__attribute_l2_cache_size'),
    (SELECT number FROM facts WHERE device_row = devices.id AND fact = 'device__attribute_total_memory'),
    (SELECT number FROM facts WHERE device_row = devices.id AND fact = 'device__model_memory_bandwidth_bytes_per_s'),
    (SELECT number FROM facts WHERE device_row = devices.id AND fact = 'device__model_sm_clock_hz'),
    (SELECT number FROM facts WHERE device_row = devices.id AND fact = 'device__attribute_multiprocessor_count'),
    (SELECT number FROM facts WHERE device_row = devices.id AND fact = 'device__attribute_max_warps_per_multiprocessor'),
    (SELECT number FROM facts WHERE device_row = devices.id AND fact = 'device__attribute_max_blocks_per_multiprocessor'),
    (SELECT number FROM facts WHERE device_row = devices.id AND fact = 'device__attribute_warp_size')
  FROM input.devices JOIN pids USING (process_id);
CREATE TABLE TARGET_INFO_CUDA_DEVICE(gpuId INTEGER NOT NULL, cudaId INTEGER NOT NULL, pid INTEGER NOT NULL,
  uuid TEXT, numMultiprocessors INTEGER);
INSERT INTO TARGET_INFO_CUDA_DEVICE
  SELECT device_id, device_id, pid, NULL,
    (SELECT number FROM facts WHERE device_row = devices.id AND fact = 'device__attribute_multiprocessor_count')
  FROM input.devices JOIN pids USING (process_id);

CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INTEGER NOT NULL, end INTEGER NOT NULL,
  eventClass INTEGER NOT NULL, globalTid INTEGER, correlationId INTEGER, nameId INTEGER NOT NULL,
  returnValue INTEGER NOT NULL, callchainId INTEGER);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME
  SELECT start_ns - ns, end_ns - ns, CASE category WHEN 1 THEN 0 ELSE 1 END, globalPid + thread,
    correlation, name_id, word_0, word_1
  FROM input.trace_events JOIN origin JOIN pids USING (process_id)
  WHERE category IN (1, 2) ORDER BY start_ns, id;

CREATE TABLE CUBLAS_EVENTS(start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER NOT NULL,
  globalTid INTEGER, nameId INTEGER NOT NULL);
INSERT INTO CUBLAS_EVENTS
  SELECT start_ns - ns, end_ns - ns, 5, globalPid + thread, name_id
  FROM input.trace_events JOIN origin JOIN pids USING (process_id)
  WHERE category = 3 ORDER BY start_ns, id;

-- a stack is one name, 'main;solve;step': its frames from the outermost on, then numbered from within
CREATE TEMP TABLE frames AS WITH RECURSIVE
  split(id, position, symbol, rest) AS (
    SELECT id, 0, NULL, name || ';' FROM input.names WHERE id IN (SELECT word_1 FROM
      input.trace_events WHERE category IN (1, 2, 3))
    UNION ALL SELECT id, position + 1, substr(rest, 1, instr(rest, ';') - 1),
      substr(rest, instr(rest, ';') + 1) FROM split WHERE rest != '')
  SELECT id, position, symbol FROM split WHERE position > 0;
INSERT INTO StringIds(value) SELECT DISTINCT symbol FROM frames
  WHERE symbol NOT IN (SELECT value FROM StringIds);
INSERT INTO StringIds(value) SELECT '[Unknown]' WHERE EXISTS (SELECT * FROM frames)
  AND '[Unknown]' NOT IN (SELECT value FROM StringIds);
CREATE TABLE CUDA_CALLCHAINS(id INTEGER NOT NULL, symbol INTEGER NOT NULL, module INTEGER NOT NULL,
  unresolved INTEGER, originalIP INTEGER, stackDepth INTEGER NOT NULL, PRIMARY KEY (id, stackDepth));
INSERT INTO CUDA_CALLCHAINS
  SELECT frames.id, (SELECT min(id) FROM StringIds WHERE value = symbol),
    (SELECT min(id) FROM StringIds WHERE value = '[Unknown]'), NULL, NULL,
    (SELECT max(position) FROM frames AS all_frames WHERE all_frames.id = frames.id) - position
  FROM frames ORDER BY frames.id, position DESC;

CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL(start INTEGER NOT NULL, end INTEGER NOT NULL,
  deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, greenContextId INTEGER,
  streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER,
  demangledName INTEGER NOT NULL, shortName INTEGER NOT NULL, mangledName INTEGER,
  launchType INTEGER, cacheConfig INTEGER, registersPerThread INTEGER NOT NULL,
  gridX INTEGER NOT NULL, gridY INTEGER NOT NULL, gridZ INTEGER NOT NULL, blockX INTEGER NOT NULL,
  blockY INTEGER NOT NULL, blockZ INTEGER NOT NULL, staticSharedMemory INTEGER NOT NULL,
  dynamicSharedMemory INTEGER NOT NULL, localMemoryPerThread INTEGER NOT NULL,
  localMemoryTotal INTEGER NOT NULL, gridId INTEGER NOT NULL, sharedMemoryExecuted INTEGER,
  graphNodeId INTEGER, sharedMemoryLimitConfig INTEGER);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL
  SELECT start_ns - ns, end_ns - ns, word_0 >> 48 & 65535, word_0 >> 32 & 65535, NULL,
    word_0 & 4294967295, correlation, globalPid, name_id, name_id, NULL, NULL, NULL, word_2 & 65535,
    word_1 >> 32, word_1 >> 16 & 65535, word_1 & 65535, word_2 >> 48 & 65535, word_2 >> 32 & 65535,
    word_2 >> 16 & 65535, word_3 >> 32, word_3 & 4294967295, 0, 0, id, NULL, nullif(word_4, 0), NULL
  FROM input.trace_events JOIN origin JOIN pids USING (process_id)
  WHERE category = 4 ORDER BY start_ns, id;

-- kinds of memory are one less than ours and CUPTI's
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY(start INTEGER NOT NULL, end INTEGER NOT NULL,
  deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, greenContextId INTEGER,
  streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, bytes INTEGER NOT NULL,
  copyKind INTEGER NOT NULL, deprecatedSrcId INTEGER, srcKind INTEGER, dstKind INTEGER,
  srcDeviceId INTEGER, srcContextId INTEGER, dstDeviceId INTEGER, dstContextId INTEGER,
  migrationCause INTEGER, graphNodeId INTEGER, virtualAddress INTEGER, copyCount INTEGER);
INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY
  SELECT start_ns - ns, end_ns - ns, word_0 >> 48 & 65535, word_0 >> 32 & 65535, NULL,
    word_0 & 4294967295, correlation, globalPid, word_1, word_2, NULL,
    CASE word_3 WHEN 0 THEN 7 ELSE word_3 - 1 END, CASE word_4 WHEN 0 THEN 7 ELSE word_4 - 1 END,
    NULL, NULL, NULL, NULL, NULL, nullif(word_5, 0), NULL, 1
  FROM input.trace_events JOIN origin JOIN pids USING (process_id)
  WHERE category = 5 ORDER BY start_ns, id;

CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET(start INTEGER NOT NULL, end INTEGER NOT NULL,
  deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, greenContextId INTEGER,
  streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, value INTEGER NOT NULL,
  bytes INTEGER NOT NULL, graphNodeId INTEGER, memKind INTEGER);
INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET
  SELECT start_ns - ns, end_ns - ns, word_0 >> 48 & 65535, word_0 >> 32 & 65535, NULL,
    word_0 & 4294967295, correlation, globalPid, word_2, word_1, nullif(word_5, 0),
    CASE word_3 WHEN 0 THEN 7 ELSE word_3 - 1 END
  FROM input.trace_events JOIN origin JOIN pids USING (process_id)
  WHERE category = 6 ORDER BY start_ns, id;

CREATE TABLE ENUM_CUPTI_SYNC_TYPE(id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT);
INSERT INTO ENUM_CUPTI_SYNC_TYPE VALUES
  (0, 'CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_UNKNOWN', 'Unknown'),
  (1, 'CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE', 'Event sync'),
  (2, 'CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT', 'Stream wait event sync'),
  (3, 'CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE', 'Stream sync'),
  (4, 'CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE', 'Context sync');
CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION(start INTEGER NOT NULL, end INTEGER NOT NULL,
  deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, greenContextId INTEGER,
  streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, syncType INTEGER NOT NULL,
  eventId INTEGER NOT NULL);
INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION
  SELECT start_ns - ns, end_ns - ns, word_0 >> 48 & 65535, word_0 >> 32 & 65535, NULL,
    word_0 & 4294967295, correlation, globalPid, word_1, 0
  FROM input.trace_events JOIN origin JOIN pids USING (process_id)
  WHERE category = 7 ORDER BY start_ns, id;

CREATE TABLE ENUM_CUDA_DEV_MEM_EVENT_OPER(id INTEGER NOT NULL PRIMARY KEY, name TEXT, label TEXT);
INSERT INTO ENUM_CUDA_DEV_MEM_EVENT_OPER VALUES
  (0, 'CUDA_DEV_MEM_EVENT_OPR_ALLOCATION', 'Allocation'),
  (1, 'CUDA_DEV_MEM_EVENT_OPR_DEALLOCATION', 'Deallocation');
CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS(start INTEGER NOT NULL, globalPid INTEGER NOT NULL,
  deviceId INTEGER NOT NULL, contextId INTEGER NOT NULL, address INTEGER NOT NULL,
  pc INTEGER NOT NULL, bytes INTEGER NOT NULL, memKind INTEGER NOT NULL,
  memoryOperationType INTEGER NOT NULL, name TEXT, correlationId INTEGER);
INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS
  SELECT start_ns - ns, globalPid, word_0 >> 48 & 65535, word_0 >> 32 & 65535, word_1, 0, word_2,
    CASE word_3 WHEN 0 THEN 7 ELSE word_3 - 1 END, word_4, NULL, correlation
  FROM input.trace_events JOIN origin JOIN pids USING (process_id)
  WHERE category = 11 ORDER BY start_ns, id;

CREATE TABLE NVTX_EVENTS(start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL,
  rangeId INTEGER, category INTEGER, color INTEGER, text TEXT, globalTid INTEGER,
  endGlobalTid INTEGER, textId INTEGER, domainId INTEGER, uint64Value INTEGER, int64Value INTEGER,
  doubleValue REAL, uint32Value INTEGER, int32Value INTEGER, floatValue REAL,
  jsonTextId INTEGER, jsonText TEXT, binaryData TEXT);
INSERT INTO NVTX_EVENTS(start, end, eventType, category, color, text, globalTid, endGlobalTid, textId,
    domainId, uint64Value)
  SELECT start_ns - ns, CASE category WHEN 10 THEN NULL ELSE end_ns - ns END,
    CASE category WHEN 8 THEN 59 WHEN 9 THEN 60 ELSE 34 END, word_3, word_1, names.name,
    globalPid + thread, CASE category WHEN 9 THEN globalPid + word_4 END, name_id,
    coalesce(word_0, 0), nullif(word_2, 0)
  FROM input.trace_events JOIN origin JOIN pids USING (process_id)
    LEFT JOIN input.names ON names.id = name_id
  WHERE category IN (8, 9, 10) ORDER BY start_ns, trace_events.id;
-- NvtxDomainCreate: what the numbers of domains are called in a process
INSERT INTO NVTX_EVENTS(start, eventType, text, globalTid, textId, domainId)
  SELECT min(start_ns - ns), 75, names.name, globalPid, word_0, word_0
  FROM input.trace_events JOIN origin JOIN pids USING (process_id)
    JOIN input.names ON names.id = word_0
  WHERE category IN (8, 9, 10) GROUP BY globalPid, word_0;

CREATE TABLE OSRT_API(start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER NOT NULL,
  globalTid INTEGER, correlationId INTEGER, nameId INTEGER NOT NULL, returnValue INTEGER NOT NULL,
  nestingLevel INTEGER, callchainId INTEGER NOT NULL);
INSERT INTO OSRT_API
  SELECT start_ns - ns, end_ns - ns, 27, globalPid + thread, NULL, name_id, word_0, NULL, 0
  FROM input.trace_events JOIN origin JOIN pids USING (process_id)
  WHERE category = 16 ORDER BY start_ns, id;

-- which table a call of MPI stands in hangs on what it has: a peer, all ranks, requests, or nothing of these
CREATE TEMP TABLE mpi_calls AS
  SELECT trace_events.id, start_ns - ns AS start, end_ns - ns AS end, globalPid + thread AS globalTid, name_id,
    nullif(word_4, 0) AS communicator, nullif(word_3, -1) AS tag, nullif(word_2, -1) AS peer,
    word_0 AS sent, word_1 AS received,
    CASE WHEN name GLOB 'MPI_Wait*' OR name GLOB 'MPI_Test*' OR name GLOB 'MPI_Start*' THEN 'wait'
      WHEN lower(name) GLOB 'mpi_*send*' OR lower(name) GLOB 'mpi_*recv*' OR lower(name) GLOB 'mpi_*probe*'
        THEN 'peer'
      WHEN lower(name) GLOB 'mpi_*barrier' OR lower(name) GLOB 'mpi_*bcast' OR lower(name) GLOB 'mpi_*gather*' OR
        lower(name) GLOB 'mpi_*scatter*' OR lower(name) GLOB 'mpi_*all*to*all*' OR
        lower(name) GLOB 'mpi_*reduce*' OR lower(name) GLOB 'mpi_*scan' THEN 'all' ELSE 'other' END AS kind
  FROM input.trace_events JOIN origin JOIN pids USING (process_id) JOIN input.names ON names.id = name_id
  WHERE category = 15 ORDER BY start_ns, trace_events.id;
CREATE TABLE MPI_RANKS(globalTid INTEGER NOT NULL, rank INTEGER NOT NULL);
INSERT INTO MPI_RANKS
  SELECT DISTINCT globalPid + thread, rank FROM input.trace_events JOIN pids USING (process_id)
  WHERE rank >= 0 AND thread > 0;
CREATE TABLE MPI_P2P_EVENTS(start INTEGER NOT NULL, end INTEGER, globalTid INTEGER, textId INTEGER,
  commHandle INTEGER, tag INTEGER, remoteRank INTEGER, size INTEGER, requestHandle INTEGER);
INSERT INTO MPI_P2P_EVENTS SELECT start, end, globalTid, name_id, communicator, tag, peer,
  CASE sent WHEN 0 THEN received ELSE sent END, NULL FROM mpi_calls WHERE kind = 'peer' ORDER BY start, id;
CREATE TABLE MPI_COLLECTIVES_EVENTS(start INTEGER NOT NULL, end INTEGER, globalTid INTEGER, textId INTEGER,
  commHandle INTEGER, rootRank INTEGER, size INTEGER, recvSize INTEGER, requestHandle INTEGER);
INSERT INTO MPI_COLLECTIVES_EVENTS SELECT start, end, globalTid, name_id, communicator, peer, sent, received,
  NULL FROM mpi_calls WHERE kind = 'all' ORDER BY start, id;
CREATE TABLE MPI_START_WAIT_EVENTS(start INTEGER NOT NULL, end INTEGER, globalTid INTEGER, textId INTEGER,
  requestHandle INTEGER);
INSERT INTO MPI_START_WAIT_EVENTS SELECT start, end, globalTid, name_id, NULL FROM mpi_calls
  WHERE kind = 'wait' ORDER BY start, id;
CREATE TABLE MPI_OTHER_EVENTS(start INTEGER NOT NULL, end INTEGER, globalTid INTEGER, textId INTEGER);
INSERT INTO MPI_OTHER_EVENTS SELECT start, end, globalTid, name_id FROM mpi_calls
  WHERE kind = 'other' ORDER BY start, id;

-- kinds of events and constructs are CUPTI's numbers, ours those of OpenACC's interface for tools
CREATE TEMP TABLE acc_kinds(own INTEGER PRIMARY KEY, cupti INTEGER, place TEXT);
INSERT INTO acc_kinds VALUES (1, 1, 'other'), (3, 2, 'other'), (5, 3, 'other'), (6, 13, 'data'), (7, 14, 'data'),
  (8, 15, 'data'), (9, 16, 'data'), (10, 11, 'other'), (12, 12, 'other'), (14, 10, 'other'), (16, 9, 'other'),
  (18, 4, 'launch'), (20, 5, 'data'), (22, 6, 'data'), (24, 7, 'other');
CREATE TEMP TABLE acc_events AS
  SELECT trace_events.id, start_ns - ns AS start, end_ns - ns AS end, name_id,
    CASE WHEN own = 24 AND word_0 >> 16 & 1 THEN 8 ELSE cupti END AS event_kind, (word_0 >> 8 & 255) + 1 AS construct,
    word_0 >> 16 & 1 AS is_implicit, word_0 >> 24 & 255 AS device_type, word_2 AS line, word_0 >> 32 & 65535 AS device, nullif(word_1, 0) AS file,
    nullif(word_3, 0) AS function, word_5 AS bytes, globalPid + thread AS globalTid, place
  FROM input.trace_events JOIN origin JOIN pids USING (process_id) JOIN acc_kinds ON own = word_0 & 255
  WHERE category = 13;
CREATE TABLE CUPTI_ACTIVITY_KIND_OPENACC_DATA(start INTEGER NOT NULL, end INTEGER NOT NULL, nameId INTEGER NOT NULL,
  eventKind INTEGER NOT NULL, parentConstruct INTEGER, implicit INTEGER, deviceType INTEGER NOT NULL, lineNo INTEGER NOT NULL,
  cuDeviceId INTEGER NOT NULL, cuContextId INTEGER NOT NULL, cuStreamId INTEGER NOT NULL, srcFile INTEGER,
  funcName INTEGER, bytes INTEGER NOT NULL, varName INTEGER, globalTid INTEGER);
INSERT INTO CUPTI_ACTIVITY_KIND_OPENACC_DATA SELECT start, end, name_id, event_kind, construct, is_implicit, device_type, line,
  device, 0, 0, file, function, bytes, NULL, globalTid FROM acc_events WHERE place = 'data' ORDER BY start, id;
CREATE TABLE CUPTI_ACTIVITY_KIND_OPENACC_LAUNCH(start INTEGER NOT NULL, end INTEGER NOT NULL, nameId INTEGER NOT NULL,
  eventKind INTEGER NOT NULL, parentConstruct INTEGER, implicit INTEGER, deviceType INTEGER NOT NULL, lineNo INTEGER NOT NULL,
  cuDeviceId INTEGER NOT NULL, cuContextId INTEGER NOT NULL, cuStreamId INTEGER NOT NULL, srcFile INTEGER,
  funcName INTEGER, numGangs INTEGER, numWorkers INTEGER, vectorLength INTEGER, kernelName INTEGER,
  globalTid INTEGER);
INSERT INTO CUPTI_ACTIVITY_KIND_OPENACC_LAUNCH SELECT start, end, name_id, event_kind, construct, is_implicit, device_type, line,
  device, 0, 0, file, function, NULL, NULL, NULL, NULL, globalTid FROM acc_events WHERE place = 'launch'
  ORDER BY start, id;
CREATE TABLE CUPTI_ACTIVITY_KIND_OPENACC_OTHER(start INTEGER NOT NULL, end INTEGER NOT NULL, nameId INTEGER NOT NULL,
  eventKind INTEGER NOT NULL, parentConstruct INTEGER, implicit INTEGER, deviceType INTEGER NOT NULL, lineNo INTEGER NOT NULL,
  cuDeviceId INTEGER NOT NULL, cuContextId INTEGER NOT NULL, cuStreamId INTEGER NOT NULL, srcFile INTEGER,
  funcName INTEGER, globalTid INTEGER);
INSERT INTO CUPTI_ACTIVITY_KIND_OPENACC_OTHER SELECT start, end, name_id, event_kind, construct, is_implicit, device_type, line,
  device, 0, 0, file, function, globalTid FROM acc_events WHERE place = 'other' ORDER BY start, id;
COMMIT;
DETACH input;
