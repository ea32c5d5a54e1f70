#!/bin/sh
# Writes docs/evidence/suites.md from what run.sh left: table.sh WORK >docs/evidence/suites.md
set -eu

work=$1
cat <<'END'
# Public suites on the simulated GPU

Programs of three public suites, built with `nvcc -cudart shared` and run on the simulated GPU (model h200)
by `tests/suites/run.sh`. A program passes if its own check does: the text that the table beside the script
names, or, where it prints none, an exit code of 0 with no message of Warplens. Arguments are made small;
times are seconds of processor time. All programs were built and run again in the afternoon of 28 November 2026: each on one core (`taskset`), 16 side by
side on the 16 of an Intel Xeon with AVX-512, with `-l 240`. What asks for less than 240 s of processor time is done within
120 s by the clock on two free cores if it uses both. The page is written by `tests/suites/table.sh`.
`attentionMultiHeadKVCache` and `addBiasResidualLayerNorm` spend their time in code of their own for the host; `laplace`, which compares with such code, is not
done within 40 s on a machine with an H200, either. `simpleAttributes` takes that H200 5.6 s; `jacobi` makes some 6,000 steps over 4 million points of 80 instructions,
`perlin` draws 2,100 million points six times: not done by speed.
END
for suite in cuda-samples hecbench llm.c; do
    results=$work/$suite.results
    [ -s "$results" ] || continue
    case $suite in
    cuda-samples) title="NVIDIA's cuda-samples (github.com/NVIDIA/cuda-samples)" ;;
    hecbench) title="HeCBench (github.com/zjin-lcf/HeCBench)" ;;
    llm.c) title="llm.c's dev/cuda (github.com/karpathy/llm.c)" ;;
    esac
    count() { grep -c "^[^|]*|$1|" "$results" || true; }
    printf '\n## %s\n\n' "$title"
    # shellcheck disable=SC2016
    printf '`tests/suites/run.sh %s FOLDER`, %s: %s passed, %s failed, %s left out.\n\n' \
        "$suite" "$(date -u -r "$results" +%Y-%m-%d)" "$(count passed)" "$(count failed)" \
        "$(count 'left out')"
    echo '| program | result | seconds | arguments | reason |'
    echo '|---|---|---|---|---|'
    awk -F'|' '{
        arguments = $4 == "" ? "" : "`" $4 "`"
        gsub(/[<>*_\[\]]/, "\\\\&", $5)
        printf "| %s | %s | %s | %s | %s |\n", $1, $2, $3, arguments, $5
    }' "$results"
done

# Operators of ggml, several in a line.
results=$work/ggml.results
[ -s "$results" ] || exit 0
printf '\n## ggml (github.com/ggml-org/ggml)\n\n'
# shellcheck disable=SC2016
awk -F'|' -v date="$(date -u -r "$results" +%Y-%m-%d)" '
    { same += $2; different += $3; undone += $5 != "" }
    END { printf "`tests/suites/ggml.sh -j 16 FOLDER`, %s, on the 16 cores of an Intel Xeon with AVX-512: of %d operators %d cases are equal to the host'"'"'s and %d different; %d operators were not done.\n\n",
          date, NR, same, different, undone }' "$results"
echo '| operator | same | different | seconds by the clock | reason |'
echo '|---|---|---|---|---|'
awk -F'|' '{ printf "| %s | %s | %s | %s | %s |\n", $1, $2, $3, $4, $5 }' "$results"
