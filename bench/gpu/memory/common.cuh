// Shared by the micro-benchmarks: error checks and launch labels. Every launch prints one label
// line in launch order, which bench/gpu/memory/table.py joins with the profiler's rows.
#pragma once
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#define CHECK(call)                                                                         \
    do {                                                                                    \
        cudaError_t status = (call);                                                        \
        if (status != cudaSuccess) {                                                        \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(status)); \
            exit(1);                                                                        \
        }                                                                                   \
    } while (0)

static void label(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vprintf(format, arguments);
    va_end(arguments);
    printf("\n");
    fflush(stdout);
}

static inline void finish(void)
{
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
}
