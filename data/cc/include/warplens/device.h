/* What a kernel finds by itself: its place in the grid, barriers, shuffles, votes, clocks. */
#ifndef WARPLENS_DEVICE_H
#define WARPLENS_DEVICE_H

#include <time.h>

#include "vectors.h"

#define __WL_FIELD(field, reader)                                                     \
    __declspec(property(get = __wl_get_##field)) unsigned field;                      \
    __device__ static inline __attribute__((always_inline, nodebug)) unsigned         \
    __wl_get_##field()                                                                \
    {                                                                                 \
        return reader();                                                              \
    }
#define __WL_PLACE(variable, register)                                                \
    struct __wl_##variable##_t {                                                      \
        __WL_FIELD(x, __nvvm_read_ptx_sreg_##register##_x)                            \
        __WL_FIELD(y, __nvvm_read_ptx_sreg_##register##_y)                            \
        __WL_FIELD(z, __nvvm_read_ptx_sreg_##register##_z)                            \
        __device__ inline __attribute__((always_inline, nodebug)) operator uint3() const \
        {                                                                             \
            return uint3{x, y, z};                                                    \
        }                                                                             \
        __device__ inline __attribute__((always_inline, nodebug)) operator dim3() const \
        {                                                                             \
            return dim3(x, y, z);                                                     \
        }                                                                             \
    };                                                                                \
    extern const __device__ __attribute__((weak)) __wl_##variable##_t variable;

__WL_PLACE(threadIdx, tid)
__WL_PLACE(blockIdx, ctaid)
__WL_PLACE(blockDim, ntid)
__WL_PLACE(gridDim, nctaid)
#undef __WL_PLACE
#undef __WL_FIELD
static const int warpSize = 32;

/* ---- barriers and fences ---- */

/* Without this, LLVM takes variables of a block for its own across the intrinsic functions. */
#define __WL_ORDER asm volatile("" ::: "memory")
#define __WL_BARRIER(name, builtin)                                                   \
    __WL_DEVICE int name(int predicate)                                               \
    {                                                                                 \
        __WL_ORDER;                                                                   \
        int result = builtin(predicate);                                              \
        __WL_ORDER;                                                                   \
        return result;                                                                \
    }
__WL_BARRIER(__syncthreads_count, __nvvm_bar0_popc)
__WL_BARRIER(__syncthreads_and, __nvvm_bar0_and)
__WL_BARRIER(__syncthreads_or, __nvvm_bar0_or)
#undef __WL_BARRIER
__WL_DEVICE void __wl_syncthreads() { asm volatile("bar.sync 0;" ::: "memory"); }
#define __syncthreads() __wl_syncthreads()
__WL_DEVICE void __syncwarp(unsigned mask = 0xffffffff)
{
    __WL_ORDER;
    __nvvm_bar_warp_sync(mask);
    __WL_ORDER;
}
__WL_DEVICE void __threadfence_block() { asm volatile("membar.cta;" ::: "memory"); }
__WL_DEVICE void __threadfence() { asm volatile("membar.gl;" ::: "memory"); }
__WL_DEVICE void __threadfence_system() { asm volatile("membar.sys;" ::: "memory"); }
#undef __WL_ORDER

/* ---- shuffles: of 4 and 8 bytes ---- */

template <unsigned bytes> struct __wl_words;
template <> struct __wl_words<4> { int word[1]; };
template <> struct __wl_words<8> { int word[2]; };

#define __WL_SHUFFLE(name, builtin, type, last)                                       \
    template <typename T>                                                             \
    __WL_DEVICE T name(unsigned mask, T value, type from, int width = warpSize)       \
    {                                                                                 \
        auto words = __builtin_bit_cast(__wl_words<sizeof(T)>, value);                \
        for (int &word : words.word)                                                  \
            word = builtin(mask, word, from, (warpSize - width) << 8 | last);         \
        return __builtin_bit_cast(T, words);                                          \
    }
__WL_SHUFFLE(__shfl_sync, __nvvm_shfl_sync_idx_i32, int, 31)
__WL_SHUFFLE(__shfl_up_sync, __nvvm_shfl_sync_up_i32, unsigned, 0)
__WL_SHUFFLE(__shfl_down_sync, __nvvm_shfl_sync_down_i32, unsigned, 31)
__WL_SHUFFLE(__shfl_xor_sync, __nvvm_shfl_sync_bfly_i32, int, 31)
#undef __WL_SHUFFLE

/* ---- votes ---- */

__WL_DEVICE int __all_sync(unsigned mask, int predicate)
{
    return __nvvm_vote_all_sync(mask, predicate);
}
__WL_DEVICE int __any_sync(unsigned mask, int predicate)
{
    return __nvvm_vote_any_sync(mask, predicate);
}
__WL_DEVICE int __uni_sync(unsigned mask, int predicate)
{
    return __nvvm_vote_uni_sync(mask, predicate);
}
__WL_DEVICE unsigned __ballot_sync(unsigned mask, int predicate)
{
    return __nvvm_vote_ballot_sync(mask, predicate);
}
__WL_DEVICE unsigned __activemask()
{
    unsigned mask;
    asm volatile("activemask.b32 %0;" : "=r"(mask));
    return mask;
}
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 700
template <typename T> __WL_DEVICE unsigned __match_any_sync(unsigned mask, T value)
{
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "of 4 or 8 bytes");
    unsigned same;
    if constexpr (sizeof(T) == 4)
        asm volatile("match.any.sync.b32 %0, %1, %2;"
                     : "=r"(same)
                     : "r"(__builtin_bit_cast(unsigned, value)), "r"(mask));
    else
        asm volatile("match.any.sync.b64 %0, %1, %2;"
                     : "=r"(same)
                     : "l"(__builtin_bit_cast(unsigned long, value)), "r"(mask));
    return same;
}
#endif
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
#define __WL_REDUCE(name, operation, type)                                            \
    __WL_DEVICE type name(unsigned mask, type value)                                  \
    {                                                                                 \
        type result;                                                                  \
        asm volatile("redux.sync." operation " %0, %1, %2;"                           \
                     : "=r"(result)                                                   \
                     : "r"(value), "r"(mask));                                        \
        return result;                                                                \
    }
__WL_REDUCE(__reduce_add_sync, "add.u32", unsigned)
__WL_REDUCE(__reduce_add_sync, "add.s32", int)
__WL_REDUCE(__reduce_min_sync, "min.u32", unsigned)
__WL_REDUCE(__reduce_min_sync, "min.s32", int)
__WL_REDUCE(__reduce_max_sync, "max.u32", unsigned)
__WL_REDUCE(__reduce_max_sync, "max.s32", int)
__WL_REDUCE(__reduce_and_sync, "and.b32", unsigned)
__WL_REDUCE(__reduce_or_sync, "or.b32", unsigned)
__WL_REDUCE(__reduce_xor_sync, "xor.b32", unsigned)
#undef __WL_REDUCE
#endif

#include "loads.h"

/* ---- clocks, ends, messages ---- */

__WL_DEVICE long long clock64() { return __nvvm_read_ptx_sreg_clock64(); }
__WL_DEVICE clock_t clock() { return (clock_t)__nvvm_read_ptx_sreg_clock(); }
__WL_DEVICE void __nanosleep(unsigned ns) { asm volatile("nanosleep.u32 %0;" ::"r"(ns)); }
__WL_DEVICE void __trap() { asm volatile("trap;"); }
__WL_DEVICE unsigned long long __cvta_generic_to_global(const void *address)
{
    return (unsigned long long)(__attribute__((address_space(1))) const char *)address;
}
__WL_DEVICE unsigned long long __cvta_generic_to_shared(const void *address)
{
    return (unsigned long long)(__attribute__((address_space(3))) const char *)address;
}

extern "C" {
__device__ int printf(const char *format, ...);
__device__ void *malloc(size_t bytes);
__device__ void free(void *address);
__device__ void *memcpy(void *to, const void *from, size_t bytes);
__device__ void *memset(void *to, int value, size_t bytes);
__device__ __attribute__((noreturn)) void __assertfail(const char *message, const char *file,
                                                       unsigned line, const char *function,
                                                       size_t character_bytes);
/* what assert() of the C library calls */
__device__ inline __attribute__((noreturn, nodebug)) void
__assert_fail(const char *message, const char *file, unsigned line, const char *function)
{
    __assertfail(message, file, line, function, 1);
}
}

#endif
