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

CREATE TABLE TARGET_INFO_GPU(vmId INTEGER NOT NULL, id INTEGER NOT NULL, name TEXT,
  smCount INTEGER, computeMajor INTEGER, computeMinor INTEGER);
INSERT INTO TARGET_INFO_GPU SELECT DISTINCT 0, device_id, name, NULL, capability_major,
  capability_minor FROM input.devices;
CREATE TABLE PROCESSES(globalPid INTEGER, pid INTEGER, name TEXT);
INSERT INTO PROCESSES SELECT pid << 24, pid, executable FROM input.processes;
CREATE TABLE ThreadNames(nameId INTEGER NOT NULL, priority INTEGER, globalTid INTEGER);

-- processes have 24 bits for their number, threads as many
CREATE TEMP TABLE pids AS SELECT id AS process_id, pid << 24 AS globalPid FROM input.processes;

CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME(start INTEGER NOT NULL, end INTEGER NOT NULL,
  eventClass INTEGER NOT NULL, globalTid INTEGER, correlationId INTEGER, nameId INTEGER NOT NULL,
  returnValue INTEGER NOT NULL, callchainId INTEGER);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME
  SELECT start_ns - ns, end_ns - ns, CASE category WHEN 1 THEN 0 ELSE 1 END, globalPid + thread,
    correlation, name_id, word_0, word_1
  FROM input.trace_events JOIN origin JOIN pids USING (process_id)
  WHERE category IN (1, 2) ORDER BY start_ns, id;

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
COMMIT;
DETACH input;
