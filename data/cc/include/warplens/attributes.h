/* The keywords of CUDA C++ as attributes of clang. In a file that is not compiled as CUDA they mean
 * nothing, so that it can call the runtime. Part of the headers of `warplens cc`, which are written
 * from the public documentation of CUDA. */
#ifndef WARPLENS_ATTRIBUTES_H
#define WARPLENS_ATTRIBUTES_H

#define CUDART_VERSION 13000
#define CUDA_VERSION 13000

#ifdef __CUDA__
#ifndef __CUDACC__
#define __CUDACC__ 1
#endif
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define __CUDACC_VER_BUILD__ 0
#define __WARPLENS_CC__ 1
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#else
#define __host__
#define __device__
#define __global__
#define __shared__
#define __constant__
#define __launch_bounds__(...)
#endif

#define __grid_constant__
#define __forceinline__ __inline__ __attribute__((always_inline))
#define __align__(bytes) __attribute__((aligned(bytes)))
#define __builtin_align__(bytes) __attribute__((aligned(bytes)))
#if !defined(__CUDA__) || __clang_major__ < 15 /* later ones know it as a keyword */
#define __noinline__ __attribute__((noinline))
#endif
#define CUDARTAPI
#define CUDART_CB

/* Functions of these headers: their instructions count as those of the line that calls them. */
#define __WL_DEVICE __device__ inline __attribute__((always_inline, nodebug))
#define __WL_BOTH __host__ __device__ inline __attribute__((always_inline, nodebug))

#endif
