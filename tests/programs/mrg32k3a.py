#!/usr/bin/env python3
"""The words of cuRAND's MRG32k3a generator for a seed, and their FNV-1a hash by words.

From what is published alone: L'Ecuyer's MRG32k3a (1999), sequences 2^76 steps apart by powers of its two matrices, element n
from place (n mod 81920) 2^76 + n / 81920, stretched to 32 bits. How a seed multiplies the numbers 12345 that all begin with is
that of curand_init. random_calls.c expects the hash of seed 1234.
usage: mrg32k3a.py [SEED] [WORDS]
"""
import sys

SEQUENCES = 81920
MODULI = 4294967087, 4294944443
STEPS = [[0, 1, 0], [0, 0, 1], [-810728, 1403580, 0]], [[0, 1, 0], [0, 0, 1], [-1370589, 0, 527612]]


def multiply(left, right, modulus):
    columns = list(zip(*right))
    return [[sum(a * b for a, b in zip(row, column)) % modulus for column in columns] for row in left]


def apply(matrix, vector, modulus):
    return [sum(a * b for a, b in zip(row, vector)) % modulus for row in matrix]


def seeded(seed):
    factors = ((seed & 0xFFFFFFFF) ^ 0x55555555, (seed >> 32) ^ 0xAAAAAAAA) if seed else (1, 1)
    return [[12345 * factors[(i + r) % 2] % MODULI[r] for i in range(3)] for r in range(2)]


def main():
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else 1234
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 2 * SEQUENCES
    jumps = list(STEPS)
    for _ in range(76):
        jumps = [multiply(jump, jump, modulus) for jump, modulus in zip(jumps, MODULI)]
    states = [seeded(seed)]
    for _ in range(1, min(count, SEQUENCES)):
        states.append([apply(jump, v, m) for jump, v, m in zip(jumps, states[-1], MODULI)])
    digest = 2166136261
    for i in range(count):
        state = states[i % SEQUENCES] = [apply(s, v, m) for s, v, m in zip(STEPS, states[i % SEQUENCES], MODULI)]
        word = int(((state[0][2] - state[1][2]) % MODULI[0] or MODULI[0]) * 1.000000048662)
        print(word)
        digest = ((digest ^ word) * 16777619) & 0xFFFFFFFF
    print("hash", digest, file=sys.stderr)


main()
