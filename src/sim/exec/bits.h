/* Scalar meaning of the operations on fields of bits and on bytes of words. */
#ifndef WL_SIM_EXEC_BITS_H
#define WL_SIM_EXEC_BITS_H

#include <stdint.h>

#include "warp/op.h"

/* So many ones from bit 0 on. */
static inline uint32_t ones_b32(uint32_t length)
{
    return length > 31 ? ~0u : (1u << (length & 31)) - 1;
}

/* bfe: position and length are the low 8 bits; bits beyond the top are the sign (PTX ISA, bfe). */
static inline uint32_t bfe_u32(uint32_t value, uint32_t position, uint32_t length)
{
    const uint32_t from = position & 0xff, field = from > 31 ? 0 : value >> (from & 31);
    return field & ones_b32(length & 0xff);
}

static inline uint32_t bfe_s32(uint32_t value, uint32_t position, uint32_t length)
{
    const uint32_t from = position & 0xff, bits = length & 0xff;
    const uint32_t field = (uint32_t)((int32_t)value >> (from > 31 ? 31 : from));
    const uint32_t above = bits > 31 ? 0 : (32 - bits) & 31;
    return bits == 0 ? 0 : (uint32_t)((int32_t)(field << above) >> above);
}

static inline uint64_t bfe_u64(uint64_t value, uint32_t position, uint32_t length)
{
    const uint32_t from = position & 0xff, bits = length & 0xff;
    const uint64_t field = value >> (from > 63 ? 63 : from);
    const uint32_t above = bits > 63 ? 0 : (64 - bits) & 63;
    return bits == 0 || from > 63 ? 0 : field << above >> above;
}

static inline uint64_t bfe_s64(uint64_t value, uint32_t position, uint32_t length)
{
    const uint32_t from = position & 0xff, bits = length & 0xff;
    const uint64_t field = (uint64_t)((int64_t)value >> (from > 63 ? 63 : from));
    const uint32_t above = bits > 63 ? 0 : (64 - bits) & 63;
    return bits == 0 ? 0 : (uint64_t)((int64_t)(field << above) >> above);
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

static inline uint32_t bfi_b32(uint32_t insert, uint32_t into, uint32_t position, uint32_t length)
{
    const uint32_t at = position & 0xff, shift = at & 31;
    const uint32_t mask = at > 31 ? 0 : ones_b32(length & 0xff) << shift;
    return (into & ~mask) | (insert << shift & mask);
}

/* prmt, default mode: each selector nibble picks a byte of b:a, its top bit replicates the sign. */
static inline uint32_t permute_b32(uint32_t a, uint32_t b, uint32_t selector)
{
    uint32_t result = 0;
    for (int i = 0; i < 4; i++) {
        const uint32_t nibble = selector >> (4 * i), word = nibble & 4 ? b : a;
        const uint32_t at_top = word << (24 - 8 * (nibble & 3));
        const uint32_t byte = nibble & 8 ? (uint32_t)((int32_t)at_top >> 31) : at_top >> 24;
        result |= (byte & 0xff) << (8 * i);
    }
    return result;
}

/* prmt, the other modes: selectors of the default mode. f4e, b4e, rc8, ecl, ecr, rc16. */
static const uint16_t prmt_modes[6][4] = {
    {0x3210, 0x4321, 0x5432, 0x6543}, {0x5670, 0x6701, 0x7012, 0x0123},
    {0x0000, 0x1111, 0x2222, 0x3333}, {0x3210, 0x3211, 0x3222, 0x3333},
    {0x0000, 0x1110, 0x2210, 0x3210}, {0x1010, 0x3232, 0x1010, 0x3232}};

static inline uint32_t prmt_selector(int mode, uint32_t c)
{
    const uint16_t *row = prmt_modes[mode];
    const uint32_t low = c & 1 ? row[1] : row[0], high = c & 1 ? row[3] : row[2];
    return c & 2 ? high : low;
}

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
