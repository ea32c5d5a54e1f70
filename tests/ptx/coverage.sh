#!/bin/sh
# coverage.sh: fails and lists the rows of src/ptx/lower/instructions.def that no test kernel runs. Kernels that
# must fail do not count. A row X("name") is covered by that instruction, written with or without .rn and
# .uni; a row F("word") by an instruction of that first word that no X row describes.
set -eu
cd "$(dirname "$0")/../.."
for file in $(find tests/ptx -name "*.ptx"); do
    grep -q '^//% fails' "$file" || cat "$file"
done | awk '
    FNR == NR { # the rows
        if (match($0, /^[XF]\("[^"]+"/)) {
            name = substr($0, 4, RLENGTH - 4)
            if (substr($0, 1, 1) == "X") exact[name] = 1
            else family[name] = 1
            order[++count] = substr($0, 1, 1) " " name
        }
        next
    }
    {
        sub(/\/\/.*/, "")
        statements = split($0, statement, /[;{}]/)
        for (i = 1; i <= statements; i++) {
            text = statement[i]
            gsub(/^[ \t]+/, "", text)
            sub(/^[A-Za-z_$][A-Za-z0-9_$]*:[ \t]*/, "", text)
            sub(/^@!?%[A-Za-z0-9_]+[ \t]+/, "", text)
            if (!match(text, /^[a-z][A-Za-z0-9_]*(\.[A-Za-z0-9_:]+)*/)) continue
            words = split(substr(text, 1, RLENGTH), word, ".")
            name = word[1]
            for (k = 2; k <= words; k++)
                if (word[k] != "rn" && word[k] != "uni") name = name "." word[k]
            if (name in exact) seen["X " name] = 1
            else seen["F " word[1]] = 1
        }
    }
    END {
        for (i = 1; i <= count; i++)
            if (!(order[i] in seen)) {
                print "no test kernel runs " substr(order[i], 3) (substr(order[i], 1, 1) == "F" ? " as a family" : "")
                missing++
            }
        print count - missing " of " count " rows are run by test kernels"
        exit missing > 0
    }' src/ptx/lower/instructions.def -
