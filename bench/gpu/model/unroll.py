#!/usr/bin/env python3
"""How many turns of a loop ptxas makes at once: compiles loops of its own and reads how often their operation stands in
the machine code's loops. Needs ptxas 12 or later, no GPU.
usage: bench/gpu/model/unroll.py [ptxas] >bench/gpu/model/ptxas-unroll.csv"""
import re
import struct
import subprocess
import sys
import tempfile

PTXAS = sys.argv[1] if len(sys.argv) > 1 else "ptxas"
FFMA, LOAD, BRANCH = 0x023, 0x181, 0x147  # the lower nine bits of an instruction
MULTIPLY = "fma.rn.f32 %f1,%f1,%f2,%f2;\n"
UP = "add.s32 %r6,%r6,1; setp.lt.s32 %p1,%r6,%r0;\n"
CONTROLS = {
    "up_lt": UP,
    "down_ne": "add.s32 %r0,%r0,-1; setp.ne.s32 %p1,%r0,0;\n",
    "down_gt": "add.s32 %r0,%r0,-1; setp.gt.s32 %p1,%r0,0;\n",
    "sum_ne": "add.s32 %r6,%r6,1; add.s32 %r8,%r0,%r6; setp.ne.s32 %p1,%r8,0;\n",
    "step_of_a_register": "add.s32 %r6,%r6,%r1; setp.lt.s32 %p1,%r6,%r0;\n",
    "halved": "shr.s32 %r0,%r0,1; setp.gt.s32 %p1,%r0,0;\n",
}
WITH = {
    "alone": "",
    "global_load": "ld.global.f32 %f3,[%rd1]; add.s64 %rd1,%rd1,4;\n",
    "shared_load": "ld.shared.f32 %f3,[%r5]; add.s32 %r5,%r5,4;\n",
    "4_shared_loads": "".join(f"ld.shared.f32 %f{i + 3},[%r5+{4 * i}];\n" for i in range(4)) + "add.s32 %r5,%r5,16;\n",
    "store": "st.global.f32 [%rd1],%f1; add.s64 %rd1,%rd1,4;\n",
    "shuffle": "shfl.sync.bfly.b32 %r5,%r5,1,31,-1;\n",
    "barrier": "bar.sync 0;\n",
    "atomic": "red.global.add.u32 [%rd1],%r5;\n",
    "fence": "membar.gl;\n",
    "short_branch": "setp.gt.f32 %p3,%f1,%f2; @%p3 bra SKIP;\nadd.f32 %f1,%f1,%f2;\nSKIP:\n",
}
USED = "".join(f"add.f32 %f1,%f1,%f{i};" for i in range(2, 8))


def entry(name, body, control, turns=None):
    text = f""".visible .entry {name}(.param .u64 p, .param .u32 n)
{{
.reg .pred %p<9>; .reg .b32 %r<99>; .reg .f32 %f<99>; .reg .b64 %rd<99>;
ld.param.u64 %rd1,[p]; ld.param.u32 %r0,[n]; mov.u32 %r1,%tid.x; mov.u32 %r5,%r1; mov.u32 %r6,0;
cvt.rn.f32.u32 %f2,%r1; mov.f32 %f1,0f3f800000; mov.f32 %f3,%f1; mov.f32 %f4,%f1; mov.f32 %f5,%f1; mov.f32 %f6,%f1;
mov.f32 %f7,%f1; {f"mov.u32 %r0,{turns};" if turns else ""}
LOOP:
{body}{control}@%p1 bra LOOP;
{USED} st.global.f32 [%rd1],%f1; st.global.u32 [%rd1+4],%r5;
ret;
}}
"""
    return re.sub(r"\b(LOOP|SKIP)\b", rf"\1_{name}", text)


def sections(image):
    start, count, names = struct.unpack_from("<Q", image, 0x28)[0], *struct.unpack_from("<HH", image, 0x3C)
    rows = [struct.unpack_from("<IIQQQQ", image, start + 64 * i) for i in range(count)]
    for name, kind, _, _, offset, size in rows:
        begin = rows[names][4] + name
        yield image[begin : image.index(b"\0", begin)].decode(), image[offset : offset + size] if kind == 1 else b""


def multiplications(code):
    """of the longest loop, and of the whole"""
    words = [struct.unpack_from("<QQ", code, i) for i in range(0, len(code), 16)]
    kinds = [low & 0x1FF for low, _ in words]
    longest = 0
    for i, (low, high) in enumerate(words):
        if kinds[i] != BRANCH:
            continue
        offset = ((low >> 34 | high << 30) & (1 << 40) - 1) << 8 | low >> 16 & 255
        offset -= 1 << 48 if offset >> 47 else 0
        target = i + 1 + offset // 4
        if target < i:
            longest = max(longest, kinds[target:i].count(FFMA))
    return longest, kinds.count(FFMA)


def compile_all(entries):
    with tempfile.TemporaryDirectory() as folder:
        with open(folder + "/loops.ptx", "w", encoding="ascii") as file:
            file.write(".version 8.0\n.target sm_90\n.address_size 64\n.shared .align 16 .b8 s[4096];\n" + "".join(entries))
        subprocess.run([PTXAS, "-arch=sm_90", "-O3", "-o", folder + "/loops.cubin", folder + "/loops.ptx"], check=True)
        with open(folder + "/loops.cubin", "rb") as file:
            image = file.read()
    return {name[6:]: multiplications(code) for name, code in sections(image) if name.startswith(".text.")}


def turns_at_once(counted, body):
    in_loop, whole = counted
    return "all" if in_loop == 0 and whole > body else max(in_loop // body, 1)


def main():
    entries, rows = [], []

    def add(family, detail, body, control, turns=None, before=""):
        rows.append((family, detail, body, f"k{len(rows)}"))
        entries.append(entry(rows[-1][3], before + MULTIPLY * body, control, turns))

    for name, control in CONTROLS.items():
        add("control", name, 4, control)
    for name, before in WITH.items():
        for body in range(1, 60):
            add("most", name, body, UP, before=before)
    for turns in (5, 16, 25, 64, 100, 128, 1000):
        for body in (1, 4, 8, 12, 16, 20, 24, 32, 48, 64, 72, 76, 100):
            add("known", turns, body, UP, turns)
    counted = compile_all(entries)
    print("question,loop,multiplications,turns_at_once")
    largest = {}
    for family, detail, body, name in rows:
        at_once = turns_at_once(counted[name], body)
        if family != "most":
            print(f"{family},{detail},{body},{at_once}")
        elif at_once == 4:
            largest[detail] = body
    for detail in WITH:
        print(f"most,{detail},{largest.get(detail, 0)},4")


main()
