"""Writes machine code that has nothing but a `__managed__` variable, as nvcc marks it (st_other 4)."""
import struct
import sys

names = b"\0variable\0"
symbols = bytes(24) + struct.pack("<IBBHQQ", 1, 1, 4, 1, 0, 4)
body = names + bytes(-len(names) % 8) + symbols
sections = bytes(64)
sections += struct.pack("<IIQQQQIIQQ", 0, 3, 0, 0, 64, len(names), 0, 0, 1, 0)
sections += struct.pack("<IIQQQQIIQQ", 0, 2, 0, 0, 64 + len(body) - len(symbols), len(symbols), 1, 1, 8, 24)
header = b"\x7fELF\2\1\1" + bytes(9) + struct.pack(
    "<HHIQQQIHHHHHH", 2, 190, 1, 0, 0, 64 + len(body), 0, 64, 0, 0, 64, 3, 1)
sys.stdout.buffer.write(header + body + sections)
