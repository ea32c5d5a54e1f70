/* Scalar meaning of the operations on fields of bits and on bytes of words. */
#ifndef WL_SIM_EXEC_BITS_H
#define WL_SIM_EXEC_BITS_H

#include <stdint.h>

#include "warp/op.h"

/* bfe: position and length are the low 8 bits; bits beyond the top are the sign (PTX ISA, bfe). */
static inline uint64_t bfe_any(uint64_t value, uint32_t position, uint32_t length, int width,
                               int is_signed)
{
    position &= 0xff;
    length &= 0xff;
    uint32_t top = (uint32_t)width - 1;
    uint32_t sign_at = position + length - 1 < top ? position + length - 1 : top;
    uint64_t sign = is_signed && length ? value >> sign_at & 1 : 0;
    uint64_t field = position > top ? 0 : value >> position;
    if (position <= top && is_signed == 0 && width == 32)
        field &= 0xffffffffu;
    if (length == 0)
        return 0;
    uint32_t have = position > top ? 0 : top + 1 - position;
    uint32_t take = length < have ? length : have;
    uint64_t mask = take >= 64 ? ~0ull : (1ull << take) - 1;
    return (field & mask) | (sign ? ~mask : 0);
}

static inline uint32_t bfe_u32(uint32_t value, uint32_t position, uint32_t length)
{
    return (uint32_t)bfe_any(value, position, length, 32, 0);
}

static inline uint32_t bfe_s32(uint32_t value, uint32_t position, uint32_t length)
{
    return (uint32_t)bfe_any(value, position, length, 32, 1);
}

static inline uint64_t bfe_u64(uint64_t value, uint32_t position, uint32_t length)
{
    return bfe_any(value, position, length, 64, 0);
}

static inline uint64_t bfe_s64(uint64_t value, uint32_t position, uint32_t length)
{
    return bfe_any(value, position, length, 64, 1);
}

static inline uint64_t bfi_any(uint64_t insert, uint64_t into, uint32_t position, uint32_t length,
                               uint32_t width)
{
    position &= 0xff;
    length &= 0xff;
    if (position >= width || length == 0)
        return into;
    uint64_t ones = length >= 64 ? ~0ull : (1ull << length) - 1;
    uint64_t mask = ones << position;
    return (into & ~mask) | (insert << position & mask);
}

/* prmt, default mode: each selector nibble picks a byte of b:a, its top bit replicates the sign. */
static inline uint32_t permute_b32(uint32_t a, uint32_t b, uint32_t selector)
{
    uint64_t bytes = (uint64_t)b << 32 | a;
    uint32_t result = 0;
    for (int i = 0; i < 4; i++) {
        uint32_t nibble = selector >> (4 * i) & 0xf;
        uint32_t byte = (uint32_t)(bytes >> (8 * (nibble & 7))) & 0xff;
        if (nibble & 8)
            byte = byte & 0x80 ? 0xff : 0;
        result |= byte << (8 * i);
    }
    return result;
}

/* prmt, the other modes: selectors of the default mode. f4e, b4e, rc8, ecl, ecr, rc16. */
static const uint16_t prmt_modes[6][4] = {
    {0x3210, 0x4321, 0x5432, 0x6543}, {0x5670, 0x6701, 0x7012, 0x0123},
    {0x0000, 0x1111, 0x2222, 0x3333}, {0x3210, 0x3211, 0x3222, 0x3333},
    {0x0000, 0x1110, 0x2210, 0x3210}, {0x1010, 0x3232, 0x1010, 0x3232}};

/* length ones from bit position (below 32) on; what does not fit is lost. */
static inline uint32_t mask_b32(uint32_t position, uint32_t length)
{
    return (uint32_t)(((1ull << length) - 1) << position);
}

/* The low `length` bits, at most 32, with their sign. */
static inline uint32_t extend_b32(uint32_t value, uint32_t length)
{
    uint32_t shift = 32 - length;
    return length == 0 ? 0 : (uint32_t)((int32_t)(value << shift) >> shift);
}

/* The shared::cluster address that `address`, of any block, has in the block of that rank. */
static inline uint32_t map_rank(uint32_t address, uint32_t rank)
{
    const uint32_t peer = rank < WL_PEER_MOST ? rank + 1 : WL_PEER_MOST;
    return (address & WL_PEER_OFFSET_MASK) | peer << WL_PEER_SHIFT;
}

static inline uint32_t rank_of(uint32_t address, uint32_t own)
{
    return address >> WL_PEER_SHIFT ? (address >> WL_PEER_SHIFT) - 1 : own;
}

static inline uint32_t find_nth_set(uint32_t mask, uint32_t base, int32_t offset)
{
    uint32_t count = offset < 0 ? 0u - (uint32_t)offset : (uint32_t)offset;
    if (base > 31)
        return 0xffffffffu;
    if (count == 0)
        return mask >> base & 1 ? base : 0xffffffffu;
    uint32_t left = offset > 0 ? mask >> base << base : mask << (31 - base) >> (31 - base);
    while (left) {
        uint32_t next =
            offset > 0 ? (uint32_t)__builtin_ctz(left) : 31u - (uint32_t)__builtin_clz(left);
        if (--count == 0)
            return next;
        left &= ~(1u << next);
    }
    return 0xffffffffu;
}

#endif
