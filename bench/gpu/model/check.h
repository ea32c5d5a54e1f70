// Ends the program where a call of CUDA fails.
#ifndef WL_BENCH_CHECK_H
#define WL_BENCH_CHECK_H

#include <cstdio>
#include <cstdlib>

#include <cuda_runtime.h>

#define CHECK(call)                                                        \
    do {                                                                   \
        cudaError_t error = (call);                                        \
        if (error != cudaSuccess) {                                        \
            fprintf(stderr, "%s: %s\n", #call, cudaGetErrorString(error)); \
            exit(1);                                                       \
        }                                                                  \
    } while (0)

#endif
