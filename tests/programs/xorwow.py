#!/usr/bin/env python3
"""The words of cuRAND's default XORWOW generator for a seed, and their FNV-1a hash by words.

From what is published alone: Marsaglia's xorwow (2003), sequences 2^67 steps apart by powers of its step as a
matrix over GF(2), element n from place (n mod 4096) 2^67 + n / 4096 as the cuRAND guide orders them. How a seed
is spread over the state is that of curand_init. libraries.c expects the hash of seed 1234.
usage: xorwow.py [SEED] [WORDS], WORDS a multiple of 4096
"""
import sys

MASK = 0xFFFFFFFF
SEQUENCES = 4096


def step(v):
    t = v[0] ^ (v[0] >> 2)
    return v[1:] + [(v[4] ^ (v[4] << 4) ^ t ^ (t << 1)) & MASK]


def pack(v):
    return sum(word << (32 * i) for i, word in enumerate(v))


def unpack(bits):
    return [(bits >> (32 * i)) & MASK for i in range(5)]


def apply(columns, bits):
    result = 0
    for column in columns:
        if bits & 1:
            result ^= column
        bits >>= 1
    return result


def seeded(seed):
    t0 = 1099087573 * ((seed & MASK) ^ 0xAAD26B49) & MASK
    t1 = 2591861531 * ((seed >> 32) ^ 0xF7DCEFDD) & MASK
    words = [123456789 + t0, 362436069 ^ t0, 521288629 + t1, 88675123 ^ t1, 5783321 + t0]
    return [word & MASK for word in words], (6615241 + t1 + t0) & MASK


def main():
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else 1234
    rounds = (int(sys.argv[2]) if len(sys.argv) > 2 else 8192) // SEQUENCES
    jump = [pack(step(unpack(1 << i))) for i in range(160)]
    for _ in range(67):
        jump = [apply(jump, column) for column in jump]
    v, first = seeded(seed)
    rows = [[] for _ in range(rounds)]
    for _ in range(SEQUENCES):
        words, d = v, first
        for row in rows:
            words, d = step(words), (d + 362437) & MASK
            row.append((words[4] + d) & MASK)
        v = unpack(apply(jump, pack(v)))
    digest = 2166136261
    for word in sum(rows, []):
        print(word)
        digest = ((digest ^ word) * 16777619) & MASK
    print("hash", digest, file=sys.stderr)


main()
