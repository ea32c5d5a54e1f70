"""Prints every row of a database as nsys's JSON has it: one object a line, with its table, without what is NULL."""

import json
import sqlite3
import sys

database = sqlite3.connect(sys.argv[1])
database.row_factory = sqlite3.Row
for (table,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"):
    for row in database.execute(f'SELECT * FROM "{table}"'):
        values = {name: row[name] for name in row.keys() if row[name] is not None}
        print(json.dumps({"table": table, **values}))
