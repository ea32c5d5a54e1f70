#!/bin/sh
# Writes docs/evidence/suites.md from what run.sh left: table.sh WORK >docs/evidence/suites.md
set -eu

work=$1
cat <<'END'
# Public suites on the simulated GPU

Programs of three public suites, built with `nvcc -cudart shared` and run on the simulated GPU (model h200)
by `tests/suites/run.sh`. A program passes if its own check does: the text that the table beside the script
names, or, where it prints none, an exit code of 0 with no message of Warplens. Arguments are made small;
times, where they were taken, are seconds of processor time. What had not been done before, on two cores shared with many other
programs, was run again on 27 November 2026: on two cores of its own for each program (`taskset`; 15 side by side on the 32 of an Intel
Xeon with AVX-512), for 120 s by the clock (BlackScholes_nvrtc on two shared ones). "Not done within 120 s" is said of that run. The programs of
llm.c ran the same day in the same way, 13 side by side, for 700 s of processor time at most. The page is written by `tests/suites/table.sh`;
rows that were not run again keep their former results. What was not done was run twice more later that day, in the same way with the program as it
was then. After launches that repeat were spared ([simulated-runtime.md](../using/simulated-runtime.md#launches-that-repeat)) `scan` was done in 22 s by the
clock, `blockScan` in 25, `graphExecution` in 36, `base64e` in 22, `atomicReduction` in 73, `degrid` in 76, `bitpacking` in 93 and `streamOrderedAllocation` in 103; of tensor
cores `bf16`, `dmma` and `tf32TensorCoreGemm`, three side by side, in 51, 74 and 91 s; and `UnifiedMemoryPerf`, whose kernels wait for the host, in 113 s once they could;
of accesses by some lanes that are compiled `langford` in 99 s; and `blas-fp8gemm` in 39 s, as the host computes cublasLt's products of 8 bits where nobody counts them.
`attentionMultiHeadKVCache` and `linearprobing` spend that time in code of their own for the host; `simpleAttributes`, `addBiasResidualLayerNorm`,
`jacobi`, `laplace` and `perlin` are not done by speed: none of them within 420 s, either.
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
