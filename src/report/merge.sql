-- Adds the report attached as `input` to main, with the tables of merge_begin.sql.

DELETE FROM temp.base;
INSERT INTO temp.base
SELECT (SELECT coalesce(max(id), 0) FROM main.processes),
       (SELECT coalesce(max(id), 0) FROM main.devices),
       (SELECT coalesce(max(id) + 1, 0) FROM main.launches),
       (SELECT coalesce(max(id), 0) FROM main.notes),
       (SELECT coalesce(max(id), 0) FROM main.names),
       (SELECT coalesce(max(set_id), 0) FROM main.attributes),
       (SELECT coalesce(max(id), 0) FROM main.modules),
       (SELECT coalesce(max(id), 0) FROM main.kernels),
       (SELECT coalesce(max(set_id), 0) FROM main.metric_values),
       (SELECT coalesce(max(set_id), 0) FROM main.instruction_values),
       (SELECT coalesce(max(id), 0) FROM main.trace_events);

INSERT INTO main.session
SELECT * FROM input.session WHERE NOT EXISTS (SELECT 1 FROM main.session) ORDER BY position;

-- names
INSERT INTO temp.name_ids
SELECT name, base.names + row_number() OVER (ORDER BY id) FROM input.names, temp.base
WHERE name NOT IN (SELECT name FROM temp.name_ids);
INSERT INTO main.names SELECT id, name FROM temp.name_ids, temp.base WHERE id > base.names ORDER BY id;
DELETE FROM temp.names;
INSERT INTO temp.names SELECT i.id, n.id FROM input.names AS i JOIN temp.name_ids AS n USING (name);

-- sets of attributes: a set is what its rows say
DELETE FROM temp.set_texts;
INSERT INTO temp.set_texts
SELECT set_id, group_concat(row, char(10)) FROM
    (SELECT set_id, names.new || ' ' || quote(text) || ' ' || quote(number) AS row
     FROM input.attributes JOIN temp.names ON old = name_id ORDER BY set_id, position)
GROUP BY set_id ORDER BY set_id;
INSERT INTO temp.set_ids
SELECT content, base.sets + row_number() OVER (ORDER BY min(old)) FROM temp.set_texts, temp.base
WHERE content NOT IN (SELECT content FROM temp.set_ids) GROUP BY content;
DELETE FROM temp.sets;
INSERT INTO temp.sets SELECT old, id FROM temp.set_texts JOIN temp.set_ids USING (content);
INSERT INTO main.attributes
SELECT new_set, position, names.new, text, number FROM
    (SELECT new AS new_set, min(old) AS old_set FROM temp.sets, temp.base WHERE new > base.sets
     GROUP BY new)
    JOIN input.attributes ON set_id = old_set JOIN temp.names ON old = name_id
ORDER BY new_set, position;

-- modules and kernels
INSERT INTO main.modules
SELECT base.modules + row_number() OVER (ORDER BY i.id), name, options, architecture, is_stand_in, text
FROM input.modules AS i, temp.base
WHERE NOT EXISTS (SELECT 1 FROM main.modules AS m
                  WHERE (m.name, m.options, m.architecture, m.is_stand_in, m.text) =
                        (i.name, i.options, i.architecture, i.is_stand_in, i.text));
DELETE FROM temp.modules;
INSERT INTO temp.modules
SELECT i.id, min(m.id) FROM input.modules AS i JOIN main.modules AS m
    ON (m.name, m.options, m.architecture, m.is_stand_in, m.text) =
       (i.name, i.options, i.architecture, i.is_stand_in, i.text)
GROUP BY i.id;
INSERT OR IGNORE INTO temp.kernel_ids
SELECT modules.new, mangled, coalesce(sets.new, 0), base.kernels + row_number() OVER (ORDER BY id)
FROM temp.base, input.kernels JOIN temp.modules ON modules.old = module_id
    LEFT JOIN temp.sets ON sets.old = attribute_set_id
WHERE (modules.new, mangled, coalesce(sets.new, 0)) NOT IN
      (SELECT module_id, mangled, set_id FROM temp.kernel_ids);
DELETE FROM temp.kernels;
INSERT INTO temp.kernels
SELECT i.id, k.id FROM input.kernels AS i JOIN temp.modules ON modules.old = i.module_id
    LEFT JOIN temp.sets ON sets.old = i.attribute_set_id
    JOIN temp.kernel_ids AS k ON (k.module_id, k.mangled, k.set_id) =
                                 (modules.new, i.mangled, coalesce(sets.new, 0));
INSERT INTO main.kernels
SELECT new_kernel, modules.new, mangled, demangled, function, sets.new FROM
    (SELECT new AS new_kernel, min(old) AS old_kernel FROM temp.kernels, temp.base
     WHERE new > base.kernels GROUP BY new)
    JOIN input.kernels ON id = old_kernel JOIN temp.modules ON modules.old = module_id
    LEFT JOIN temp.sets ON sets.old = attribute_set_id
ORDER BY new_kernel;
INSERT INTO main.instructions
SELECT new_kernel, position, text_line, text, opcode, pipe, names.new, line, column_number, inlined_at,
       function FROM
    (SELECT new AS new_kernel, min(old) AS old_kernel FROM temp.kernels, temp.base
     WHERE new > base.kernels GROUP BY new)
    JOIN input.instructions ON kernel_id = old_kernel LEFT JOIN temp.names ON old = file_id
ORDER BY new_kernel, position;

-- what ran
INSERT INTO main.processes
SELECT base.processes + id, stream, pid, parent_pid, host, executable, executable_hash, command_line,
       start_ns, end_ns, version, collector, exit_code, is_torn, dropped, rank, rank_count
FROM input.processes, temp.base ORDER BY id;
INSERT INTO main.devices
SELECT base.devices + id, base.processes + process_id, device_id, model, name, capability_major,
       capability_minor, sets.new
FROM temp.base, input.devices LEFT JOIN temp.sets ON old = attribute_set_id ORDER BY id;
INSERT INTO main.launches
SELECT base.launches + id, base.processes + process_id, number, kernels.new, base.devices + device_id,
       context_id, stream_id, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared_dynamic_bytes,
       start_ns, simulated_for_ns, status, message, range, sets.new, base.value_sets + value_set_id,
       base.instruction_sets + instruction_value_set_id
FROM temp.base, input.launches JOIN temp.kernels ON kernels.old = kernel_id
    LEFT JOIN temp.sets ON sets.old = attribute_set_id
ORDER BY id;
INSERT INTO main.metric_values
SELECT base.value_sets + set_id, names.new, value, mark
FROM temp.base, input.metric_values JOIN temp.names ON old = name_id;
INSERT INTO main.instruction_values
SELECT base.instruction_sets + set_id, names.new, position, value, mark
FROM temp.base, input.instruction_values JOIN temp.names ON old = name_id;
INSERT INTO main.notes
SELECT base.notes + id, base.processes + process_id, base.launches + launch_id, launch_number, severity,
       code, text, hint
FROM temp.base, input.notes ORDER BY id;
INSERT OR IGNORE INTO main.sources
SELECT names.new, found_at, text, sha256, reason FROM input.sources JOIN temp.names ON old = file_id;

-- events: their words may be ids of names
INSERT OR IGNORE INTO main.trace_categories SELECT * FROM input.trace_categories ORDER BY id;
INSERT INTO main.trace_events
SELECT base.events + e.id, base.processes + process_id, category, names.new, start_ns, end_ns, thread,
       correlation, flags,
       iif(substr(c.word_0, -5) = '_name', (SELECT new FROM temp.names WHERE old = e.word_0), e.word_0),
       iif(substr(c.word_1, -5) = '_name', (SELECT new FROM temp.names WHERE old = e.word_1), e.word_1),
       iif(substr(c.word_2, -5) = '_name', (SELECT new FROM temp.names WHERE old = e.word_2), e.word_2),
       iif(substr(c.word_3, -5) = '_name', (SELECT new FROM temp.names WHERE old = e.word_3), e.word_3),
       iif(substr(c.word_4, -5) = '_name', (SELECT new FROM temp.names WHERE old = e.word_4), e.word_4),
       iif(substr(c.word_5, -5) = '_name', (SELECT new FROM temp.names WHERE old = e.word_5), e.word_5)
FROM temp.base, input.trace_events AS e JOIN input.trace_categories AS c ON c.id = category
    LEFT JOIN temp.names ON old = name_id
ORDER BY e.id;
INSERT INTO main.trace_recordings
SELECT base.processes + process_id, records, dropped, waited_ns, ring_bytes, record_ns, clock_jump_ns,
       is_simulated
FROM temp.base, input.trace_recordings ORDER BY process_id;
