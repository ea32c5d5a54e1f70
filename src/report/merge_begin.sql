-- What a merge remembers between reports: the new ids of things by what they are.
PRAGMA temp_store = FILE;
PRAGMA cell_size_check = ON;
CREATE TEMP TABLE name_ids(name TEXT PRIMARY KEY, id) WITHOUT ROWID;
CREATE TEMP TABLE set_ids(content TEXT PRIMARY KEY, id) WITHOUT ROWID;
CREATE TEMP TABLE kernel_ids(module_id, mangled, set_id, id, PRIMARY KEY(module_id, mangled, set_id))
    WITHOUT ROWID;

-- Of the report at hand: what its ids are moved by, and ids there (old) and here (new).
CREATE TEMP TABLE base(processes, devices, launches, notes, names, sets, modules, kernels, value_sets,
                       instruction_sets, events);
CREATE TEMP TABLE names(old INTEGER PRIMARY KEY, new);
CREATE TEMP TABLE set_texts(old INTEGER PRIMARY KEY, content);
CREATE TEMP TABLE sets(old INTEGER PRIMARY KEY, new);
CREATE TEMP TABLE modules(old INTEGER PRIMARY KEY, new);
CREATE TEMP TABLE kernels(old INTEGER PRIMARY KEY, new);
