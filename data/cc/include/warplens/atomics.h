/* Atomic functions. The plain ones are atomic in the device, _block ones in the block, _system ones
 * in all of the machine. */
#ifndef WARPLENS_ATOMICS_H
#define WARPLENS_ATOMICS_H

#include "attributes.h"

#define __WL_ATOMIC(name, operation, type, letters, word)                             \
    __WL_DEVICE type name(type *address, type value)                                  \
    {                                                                                 \
        return (type)__nvvm_atom_##operation##_gen_##letters((word *)address, (word)value); \
    }                                                                                 \
    __WL_ATOMIC_SCOPE(name##_block, cta_##operation, type, letters, word)             \
    __WL_ATOMIC_SCOPE(name##_system, sys_##operation, type, letters, word)
#define __WL_ATOMIC_SCOPE(name, operation, type, letters, word)                       \
    __WL_DEVICE type name(type *address, type value)                                  \
    {                                                                                 \
        return (type)__nvvm_atom_##operation##_gen_##letters((word *)address, (word)value); \
    }

__WL_ATOMIC(atomicAdd, add, int, i, int)
__WL_ATOMIC(atomicAdd, add, unsigned, i, int)
__WL_ATOMIC(atomicAdd, add, unsigned long long, ll, long long)
__WL_ATOMIC(atomicAdd, add, float, f, float)
__WL_ATOMIC(atomicAdd, add, double, d, double)
__WL_ATOMIC(atomicExch, xchg, int, i, int)
__WL_ATOMIC(atomicExch, xchg, unsigned, i, int)
__WL_ATOMIC(atomicExch, xchg, unsigned long long, ll, long long)
__WL_ATOMIC(atomicMin, min, int, i, int)
__WL_ATOMIC(atomicMin, min, unsigned, ui, unsigned)
__WL_ATOMIC(atomicMin, min, long long, ll, long long)
__WL_ATOMIC(atomicMin, min, unsigned long long, ull, unsigned long long)
__WL_ATOMIC(atomicMax, max, int, i, int)
__WL_ATOMIC(atomicMax, max, unsigned, ui, unsigned)
__WL_ATOMIC(atomicMax, max, long long, ll, long long)
__WL_ATOMIC(atomicMax, max, unsigned long long, ull, unsigned long long)
__WL_ATOMIC(atomicAnd, and, int, i, int)
__WL_ATOMIC(atomicAnd, and, unsigned, i, int)
__WL_ATOMIC(atomicAnd, and, unsigned long long, ll, long long)
__WL_ATOMIC(atomicOr, or, int, i, int)
__WL_ATOMIC(atomicOr, or, unsigned, i, int)
__WL_ATOMIC(atomicOr, or, unsigned long long, ll, long long)
__WL_ATOMIC(atomicXor, xor, int, i, int)
__WL_ATOMIC(atomicXor, xor, unsigned, i, int)
__WL_ATOMIC(atomicXor, xor, unsigned long long, ll, long long)
__WL_ATOMIC(atomicInc, inc, unsigned, ui, unsigned)
__WL_ATOMIC(atomicDec, dec, unsigned, ui, unsigned)
#undef __WL_ATOMIC
#undef __WL_ATOMIC_SCOPE

__WL_DEVICE float atomicExch(float *address, float value)
{
    return __builtin_bit_cast(float, atomicExch((int *)address, __builtin_bit_cast(int, value)));
}
__WL_DEVICE int atomicSub(int *address, int value) { return atomicAdd(address, -value); }
__WL_DEVICE unsigned atomicSub(unsigned *address, unsigned value)
{
    return atomicAdd(address, 0u - value);
}

#define __WL_SWAP(name, operation, type, letters, word)                               \
    __WL_DEVICE type name(type *address, type compare, type value)                    \
    {                                                                                 \
        return (type)__nvvm_atom_##operation##_gen_##letters((word *)address,         \
                                                             (word)compare, (word)value); \
    }
__WL_SWAP(atomicCAS, cas, int, i, int)
__WL_SWAP(atomicCAS, cas, unsigned, i, int)
__WL_SWAP(atomicCAS, cas, unsigned long long, ll, long long)
__WL_SWAP(atomicCAS_block, cta_cas, int, i, int)
__WL_SWAP(atomicCAS_block, cta_cas, unsigned, i, int)
__WL_SWAP(atomicCAS_block, cta_cas, unsigned long long, ll, long long)
__WL_SWAP(atomicCAS_system, sys_cas, int, i, int)
__WL_SWAP(atomicCAS_system, sys_cas, unsigned, i, int)
__WL_SWAP(atomicCAS_system, sys_cas, unsigned long long, ll, long long)
#undef __WL_SWAP

#endif
