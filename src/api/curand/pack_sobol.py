#!/usr/bin/env python3
"""Packs S. Joe's and F. Y. Kuo's table new-joe-kuo-6.21201 into sobol.bin: pack_sobol.py TABLE > sobol.bin

For each of the dimensions 2 to 20,000, as bits, the lowest of a byte first: by how much the coefficients of its
polynomial are more than those of the dimension before it (8; more than none where the degree is another), and of
each direction number m_2 to m_s all but its last bit, which is 1 (m_i: i - 1 bits). m_1 is 1 always, and the degree s
is that of the first dimension of each, which sequences.c lists.
"""
import sys

DIMENSIONS = 20000


def main():
    with open(sys.argv[1], encoding="ascii") as table:
        rows = [[int(word) for word in line.split()] for line in list(table)[1:DIMENSIONS]]
    stream, length, before = 0, 0, (0, 0)
    packed = bytearray()
    for dimension, degree, coefficients, *numbers in rows:
        assert len(numbers) == degree and numbers[0] == 1, dimension
        fields = [(coefficients - (before[1] if degree == before[0] else 0), 8)]
        fields += [(number >> 1, i) for i, number in enumerate(numbers) if i]
        before = (degree, coefficients)
        for value, width in fields:
            assert 0 <= value < 1 << width, dimension
            stream |= value << length
            length += width
        packed += (stream & (1 << length // 8 * 8) - 1).to_bytes(length // 8, "little")
        stream >>= length // 8 * 8
        length %= 8
    packed += stream.to_bytes(1, "little")
    sys.stdout.buffer.write(packed)


main()
