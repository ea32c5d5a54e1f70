/* Cooperative groups: the grid, blocks, tiles of a warp, the threads that are active together. */
#ifndef WARPLENS_COOPERATIVE_GROUPS_H
#define WARPLENS_COOPERATIVE_GROUPS_H

#include "cuda_runtime.h"

#ifdef __CUDA__
#define __WL_MEMBER __device__ inline __attribute__((always_inline, nodebug))

namespace cooperative_groups
{

class thread_block
{
  public:
    __WL_MEMBER static void sync() { __syncthreads(); }
    __WL_MEMBER static unsigned thread_rank()
    {
        return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    }
    __WL_MEMBER static unsigned num_threads() { return blockDim.x * blockDim.y * blockDim.z; }
    __WL_MEMBER static unsigned size() { return num_threads(); }
    __WL_MEMBER static dim3 group_index() { return blockIdx; }
    __WL_MEMBER static dim3 thread_index() { return threadIdx; }
    __WL_MEMBER static dim3 group_dim() { return blockDim; }
    __WL_MEMBER static dim3 dim_threads() { return blockDim; }
};
__WL_MEMBER thread_block this_thread_block()
{
    return thread_block();
}

/* Blocks that have come to sync(); its highest bit turns when all have. */
inline __device__ unsigned __wl_grid_arrivals;

/* sync() needs cudaLaunchCooperativeKernel, so that all blocks run at a time. */
class grid_group
{
  public:
    __WL_MEMBER static void sync()
    {
        thread_block::sync();
        if (thread_block::thread_rank() == 0) {
            unsigned step = block_rank() ? 1 : 0x80000000 - (unsigned)(num_blocks() - 1);
            __threadfence();
            unsigned before = atomicAdd(&__wl_grid_arrivals, step);
            volatile unsigned *now = &__wl_grid_arrivals;
            while (((*now ^ before) & 0x80000000) == 0)
                ;
            __threadfence();
        }
        thread_block::sync();
    }
    __WL_MEMBER static unsigned long long block_rank()
    {
        return ((unsigned long long)blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    }
    __WL_MEMBER static unsigned long long num_blocks()
    {
        return (unsigned long long)gridDim.x * gridDim.y * gridDim.z;
    }
    __WL_MEMBER static unsigned long long thread_rank()
    {
        return block_rank() * thread_block::num_threads() + thread_block::thread_rank();
    }
    __WL_MEMBER static unsigned long long num_threads()
    {
        return num_blocks() * thread_block::num_threads();
    }
    __WL_MEMBER static unsigned long long size() { return num_threads(); }
    __WL_MEMBER static bool is_valid() { return true; }
};
__WL_MEMBER grid_group this_grid()
{
    return grid_group();
}

/* SIZE neighbours of a warp: a power of two up to 32. */
template <unsigned SIZE, typename Parent = thread_block> class thread_block_tile
{
    static_assert(SIZE > 0 && SIZE <= 32 && (SIZE & (SIZE - 1)) == 0,
                  "a tile has 1, 2, 4, 8, 16 or 32 threads");
    __WL_MEMBER static unsigned mask()
    {
        unsigned lane = thread_block::thread_rank() % 32;
        return SIZE == 32 ? 0xffffffff : ((1u << SIZE % 32) - 1) << (lane & ~(SIZE - 1));
    }

  public:
    __WL_MEMBER static void sync() { __syncwarp(mask()); }
    __WL_MEMBER static unsigned thread_rank() { return thread_block::thread_rank() % SIZE; }
    __WL_MEMBER static constexpr unsigned num_threads() { return SIZE; }
    __WL_MEMBER static constexpr unsigned size() { return SIZE; }
    __WL_MEMBER static unsigned meta_group_rank() { return thread_block::thread_rank() / SIZE; }
    __WL_MEMBER static unsigned meta_group_size()
    {
        return (thread_block::num_threads() + SIZE - 1) / SIZE;
    }
    template <typename T> __WL_MEMBER static T shfl(T value, int from)
    {
        return __shfl_sync(mask(), value, from, SIZE);
    }
    template <typename T> __WL_MEMBER static T shfl_up(T value, unsigned by)
    {
        return __shfl_up_sync(mask(), value, by, SIZE);
    }
    template <typename T> __WL_MEMBER static T shfl_down(T value, unsigned by)
    {
        return __shfl_down_sync(mask(), value, by, SIZE);
    }
    template <typename T> __WL_MEMBER static T shfl_xor(T value, int lanes)
    {
        return __shfl_xor_sync(mask(), value, lanes, SIZE);
    }
    __WL_MEMBER static int any(int predicate) { return __any_sync(mask(), predicate); }
    __WL_MEMBER static int all(int predicate) { return __all_sync(mask(), predicate); }
    __WL_MEMBER static unsigned ballot(int predicate)
    {
        unsigned lane = thread_block::thread_rank() % 32;
        unsigned votes = __ballot_sync(mask(), predicate);
        return SIZE == 32 ? votes : (votes & mask()) >> (lane & ~(SIZE - 1));
    }
};
template <unsigned SIZE, typename Parent>
__WL_MEMBER thread_block_tile<SIZE, Parent> tiled_partition(const Parent &)
{
    return thread_block_tile<SIZE, Parent>();
}

/* The threads of a warp that came here together. */
class coalesced_group
{
    unsigned mask;

  public:
    __WL_MEMBER explicit coalesced_group(unsigned mask) : mask(mask) {}
    __WL_MEMBER void sync() const { __syncwarp(mask); }
    __WL_MEMBER unsigned num_threads() const { return (unsigned)__popc(mask); }
    __WL_MEMBER unsigned size() const { return num_threads(); }
    __WL_MEMBER unsigned thread_rank() const
    {
        unsigned lane = thread_block::thread_rank() % 32;
        return (unsigned)__popc(mask & ((1u << lane) - 1));
    }
    __WL_MEMBER int any(int predicate) const { return __any_sync(mask, predicate); }
    __WL_MEMBER int all(int predicate) const { return __all_sync(mask, predicate); }
    template <typename T> __WL_MEMBER T shfl(T value, unsigned from) const
    {
        unsigned left = mask;
        for (unsigned i = 0; i < from; i++)
            left &= left - 1;
        return __shfl_sync(mask, value, __ffs((int)left) - 1);
    }
};
__WL_MEMBER coalesced_group coalesced_threads()
{
    return coalesced_group(__activemask());
}

template <typename Group> __WL_MEMBER void sync(const Group &group)
{
    group.sync();
}

} // namespace cooperative_groups

#undef __WL_MEMBER
#endif
#endif
