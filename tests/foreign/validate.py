#!/usr/bin/env python3
"""validate.py SCHEMA PAGE.json...: checks pages against a JSON schema; what is wrong is printed, and the exit status 1."""
import json
import sys

import jsonschema

schema = json.load(open(sys.argv[1], encoding="utf-8"))
jsonschema.Draft7Validator.check_schema(schema)
validator = jsonschema.Draft7Validator(schema)
bad = 0
for path in sys.argv[2:]:
    for error in list(validator.iter_errors(json.load(open(path, encoding="utf-8"))))[:4]:
        print(f"{path}: {'/'.join(map(str, error.absolute_path))}: {error.message[:300]}")
        for cause in sorted(error.context, key=lambda e: len(e.path))[:3]:
            print(f"    {cause.message[:200]}")
        bad = 1
sys.exit(bad)
