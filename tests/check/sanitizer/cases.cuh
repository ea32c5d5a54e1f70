// Cases of one file: each a function in a table, run by its name. `wrong: NAME` marks the line at fault.
#pragma once
#include <cuda_runtime.h>
#include <cstdio>
#include <cstring>

struct Case {
    const char *name;
    const char *tool; // of compute-sanitizer, which is to find it
    void (*run)();
};

template <typename T> static T *device(size_t count, int byte = 0)
{
    T *memory = nullptr;
    cudaMalloc((void **)&memory, count * sizeof(T));
    if (byte >= 0)
        cudaMemset(memory, byte, count * sizeof(T));
    return memory;
}
enum { UNWRITTEN = -1 };

static int run_cases(const Case *cases, size_t count, int words, char **arguments)
{
    const char *wanted = words > 1 ? arguments[1] : "--list";
    for (size_t i = 0; i < count; i++) {
        if (!strcmp(wanted, "--list")) {
            printf("%s %s\n", cases[i].name, cases[i].tool);
        } else if (!strcmp(wanted, cases[i].name)) {
            cases[i].run();
            cudaError_t error = cudaDeviceSynchronize();
            fprintf(stderr, "%s: %s\n", cases[i].name, cudaGetErrorName(error));
            return 0;
        }
    }
    return strcmp(wanted, "--list") ? 2 : 0;
}
