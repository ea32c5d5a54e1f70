/* Reductions over a tile. */
#ifndef WARPLENS_COOPERATIVE_GROUPS_REDUCE_H
#define WARPLENS_COOPERATIVE_GROUPS_REDUCE_H

#include "../cooperative_groups.h"

#ifdef __CUDA__
namespace cooperative_groups
{

#define __WL_OPERATION(name, expression)                                                  \
    template <typename T> struct name {                                                   \
        __WL_BOTH T operator()(T a, T b) const { return expression; }                     \
    };
__WL_OPERATION(plus, a + b)
__WL_OPERATION(less, b < a ? b : a)
__WL_OPERATION(greater, a < b ? b : a)
__WL_OPERATION(bit_and, a &b)
__WL_OPERATION(bit_or, a | b)
__WL_OPERATION(bit_xor, a ^ b)
#undef __WL_OPERATION

template <unsigned SIZE, typename Parent, typename T, typename Operation>
__WL_DEVICE T reduce(const thread_block_tile<SIZE, Parent> &tile, T value, Operation operation)
{
    for (unsigned lanes = SIZE / 2; lanes > 0; lanes /= 2)
        value = operation(value, tile.shfl_xor(value, (int)lanes));
    return value;
}

} // namespace cooperative_groups
#endif

#endif
