#!/usr/bin/env python3
"""Times of cuSOLVER, of triangles of cuBLAS, of cuSPARSE and of cuDNN's recurrent networks on a GPU, for the model in
src/timing/library. The libraries are those of PyTorch, called as a program in C would.

    calls.py [SEED] > calls.csv

A row: call, type of elements, its numbers, microseconds of its kernels (the median of three), number of kernels, the
longest kernel. potrf, getrf, geqrf, orgqr, syevd, syevj, gesvd, gesvdj: n. potrs, getrs, trsm: n, right-hand sides.
potrf_batched, getrf_batched: n, matrices. spmv: rows, nonzeros a row; spmm: and columns.
rnn: cell (0 tanh, 1 LSTM, 2 GRU), inputs, hidden, steps, images, way (0 inference, 1 training, 2 its gradients)."""
import ctypes
import random
import re
import statistics
import sys

import torch
from torch.profiler import ProfilerActivity, profile

TYPES = {"f32": (torch.float32, "S", 0), "f64": (torch.float64, "D", 1)}
REPEATS = 3


def library(name):
    torch.linalg.eigh(torch.eye(8, device="cuda"))
    (torch.eye(8, device="cuda").to_sparse_csr() @ torch.ones(8, 1, device="cuda"))
    for line in open("/proc/self/maps"):
        if re.search(rf"/{name}\.so[.0-9]*$", line.strip()):
            return ctypes.CDLL(line.split()[-1])
    raise OSError(name)


def pointer(tensor):
    return ctypes.c_void_p(tensor.data_ptr())


def check(code, name):
    if code:
        raise RuntimeError(f"{name}: {code}")


def measure(run, before=lambda: None):
    before()
    run()
    torch.cuda.synchronize()
    took, count, longest = [], 0, None
    for _ in range(REPEATS):
        before()
        torch.cuda.synchronize()
        with profile(activities=[ProfilerActivity.CUDA], acc_events=True) as profiler:
            run()
            torch.cuda.synchronize()
        kernels = [event for event in profiler.events() if event.device_type == torch.autograd.DeviceType.CUDA and
                   not event.name.startswith(("Memcpy", "Memset"))]
        took.append(sum(event.time_range.elapsed_us() for event in kernels))
        count = len(kernels)
        longest = max(kernels, key=lambda event: event.time_range.elapsed_us())
    return statistics.median(took), count, re.sub(r"[^A-Za-z0-9_:]", "_", longest.name)[:70]


def tell(call, kind, numbers, prepare):
    try:
        took, count, name = measure(*prepare())
        print(",".join(map(str, [call, kind, " ".join(map(str, numbers)), f"{took:.2f}", count, name])), flush=True)
    except Exception as error:
        print(f"{call} {kind} {numbers}: {error}"[:300], file=sys.stderr)


class Solver:
    def __init__(self):
        self.lib, self.handle = library("libcusolver"), ctypes.c_void_p()
        check(self.lib.cusolverDnCreate(ctypes.byref(self.handle)), "create")
        self.info = torch.zeros(1 << 16, dtype=torch.int32, device="cuda")

    def matrix(self, kind, n):
        dtype = TYPES[kind][0]
        a = torch.randn(n, n, device="cuda", dtype=dtype)
        return a @ a.T + n * torch.eye(n, device="cuda", dtype=dtype)

    def call(self, name, *arguments):
        check(getattr(self.lib, "cusolverDn" + name)(self.handle, *arguments), name)

    def work(self, kind, name, *arguments):
        size = ctypes.c_int()
        self.call(TYPES[kind][1] + name + "_bufferSize", *arguments, ctypes.byref(size))
        return torch.empty(max(size.value, 1), dtype=TYPES[kind][0], device="cuda"), size.value

    def factor(self, kind, name, n):
        letter, source = TYPES[kind][1], self.matrix(kind, n)
        a = source.clone()
        p = pointer(a)
        tau, pivots = torch.empty(n, dtype=TYPES[kind][0], device="cuda"), torch.empty(n, dtype=torch.int32, device="cuda")
        info = pointer(self.info)
        if name == "potrf":
            work, size = self.work(kind, name, 0, n, p, n)
            run = lambda: self.call(letter + name, 0, n, p, n, pointer(work), size, info)
        elif name == "getrf":
            work, _ = self.work(kind, name, n, n, p, n)
            run = lambda: self.call(letter + name, n, n, p, n, pointer(work), pointer(pivots), info)
        elif name == "geqrf":
            work, size = self.work(kind, name, n, n, p, n)
            run = lambda: self.call(letter + name, n, n, p, n, pointer(tau), pointer(work), size, info)
        else:
            work, size = self.work(kind, "geqrf", n, n, p, n)
            self.call(letter + "geqrf", n, n, p, n, pointer(tau), pointer(work), size, info)
            source.copy_(a)
            work, size = self.work(kind, "orgqr", n, n, n, p, n, pointer(tau))
            run = lambda: self.call(letter + "orgqr", n, n, n, p, n, pointer(tau), pointer(work), size, info)
        return run, lambda: a.copy_(source)

    def solve(self, kind, name, n, sides):
        letter, a = TYPES[kind][1], self.matrix(kind, n)
        source = torch.randn(sides, n, device="cuda", dtype=TYPES[kind][0])
        b, pivots, info = source.clone(), torch.empty(n, dtype=torch.int32, device="cuda"), pointer(self.info)
        if name == "potrs":
            work, size = self.work(kind, "potrf", 0, n, pointer(a), n)
            self.call(letter + "potrf", 0, n, pointer(a), n, pointer(work), size, info)
            return (lambda: self.call(letter + name, 0, n, sides, pointer(a), n, pointer(b), n, info)), lambda: b.copy_(source)
        work, _ = self.work(kind, "getrf", n, n, pointer(a), n)
        self.call(letter + "getrf", n, n, pointer(a), n, pointer(work), pointer(pivots), info)
        return (lambda: self.call(letter + name, 0, n, sides, pointer(a), n, pointer(pivots), pointer(b), n, info)), lambda: b.copy_(source)

    def spectrum(self, kind, name, n):
        letter, dtype, source, info = TYPES[kind][1], TYPES[kind][0], self.matrix(kind, n), pointer(self.info)
        a, values = source.clone(), torch.empty(n, dtype=dtype, device="cuda")
        u, v = torch.empty(n, n, dtype=dtype, device="cuda"), torch.empty(n, n, dtype=dtype, device="cuda")
        p, size, parameters = pointer(a), ctypes.c_int(), ctypes.c_void_p()
        if name == "syevd":
            work, size = self.work(kind, name, 1, 0, n, p, n, pointer(values))
            run = lambda: self.call(letter + name, 1, 0, n, p, n, pointer(values), pointer(work), size, info)
        elif name == "gesvd":
            work, size = self.work(kind, name, n, n)
            all_ = ctypes.c_byte(ord("A"))
            run = lambda: self.call(letter + name, all_, all_, n, n, p, n, pointer(values), pointer(u), n, pointer(v), n,
                                    pointer(work), size, None, info)
        elif name == "syevj":
            check(self.lib.cusolverDnCreateSyevjInfo(ctypes.byref(parameters)), name)
            self.call(letter + name + "_bufferSize", 1, 0, n, p, n, pointer(values), ctypes.byref(size), parameters)
            work = torch.empty(max(size.value, 1), dtype=dtype, device="cuda")
            run = lambda: self.call(letter + name, 1, 0, n, p, n, pointer(values), pointer(work), size.value, info, parameters)
        else:
            check(self.lib.cusolverDnCreateGesvdjInfo(ctypes.byref(parameters)), name)
            self.call(letter + name + "_bufferSize", 1, 0, n, n, p, n, pointer(values), pointer(u), n, pointer(v), n,
                      ctypes.byref(size), parameters)
            work = torch.empty(max(size.value, 1), dtype=dtype, device="cuda")
            run = lambda: self.call(letter + name, 1, 0, n, n, p, n, pointer(values), pointer(u), n, pointer(v), n,
                                    pointer(work), size.value, info, parameters)
        return run, lambda: a.copy_(source)

    def potrf_batched(self, kind, n, count):
        source = self.matrix(kind, n).repeat(count, 1, 1).contiguous()
        a = source.clone()
        places = torch.tensor([a[i].data_ptr() for i in range(count)], device="cuda")
        return (lambda: self.call(TYPES[kind][1] + "potrfBatched", 0, n, pointer(places), n, pointer(self.info), count)), \
            lambda: a.copy_(source)


class Blas:
    def __init__(self):
        self.lib, self.handle = library("libcublas"), ctypes.c_void_p()
        check(self.lib.cublasCreate_v2(ctypes.byref(self.handle)), "create")

    def trsm(self, kind, n, sides):
        dtype = TYPES[kind][0]
        a = torch.randn(n, n, device="cuda", dtype=dtype).triu() / n + 2 * torch.eye(n, device="cuda", dtype=dtype)
        source = torch.randn(sides, n, device="cuda", dtype=dtype)
        b, one = source.clone(), (ctypes.c_float if kind == "f32" else ctypes.c_double)(1)
        call = getattr(self.lib, f"cublas{TYPES[kind][1]}trsm_v2")
        return (lambda: check(call(self.handle, 0, 0, 0, 0, n, sides, ctypes.byref(one), pointer(a), n, pointer(b), n), "trsm")), \
            lambda: b.copy_(source)

    def getrf_batched(self, kind, n, count):
        source = torch.randn(count, n, n, device="cuda", dtype=TYPES[kind][0]) + n * torch.eye(n, device="cuda", dtype=TYPES[kind][0])
        a, pivots = source.clone(), torch.empty(count * n, dtype=torch.int32, device="cuda")
        info = torch.empty(count, dtype=torch.int32, device="cuda")
        places = torch.tensor([a[i].data_ptr() for i in range(count)], device="cuda")
        call = getattr(self.lib, f"cublas{TYPES[kind][1]}getrfBatched")
        return (lambda: check(call(self.handle, n, pointer(places), n, pointer(pivots), pointer(info), count), "getrf")), \
            lambda: a.copy_(source)


class Sparse:
    def __init__(self):
        self.lib, self.handle = library("libcusparse"), ctypes.c_void_p()
        check(self.lib.cusparseCreate(ctypes.byref(self.handle)), "create")

    def multiply(self, kind, rows, each, columns):
        dtype, number = TYPES[kind][0], TYPES[kind][2]
        lib, handle, count = self.lib, self.handle, rows * each
        starts = torch.arange(0, count + 1, each, device="cuda", dtype=torch.int32)
        column = torch.randint(0, rows, (count,), device="cuda", dtype=torch.int32).view(rows, each).sort(1)[0].flatten().contiguous()
        values, x = torch.randn(count, device="cuda", dtype=dtype), torch.randn(columns, rows, device="cuda", dtype=dtype)
        y, scalar = torch.zeros(columns, rows, device="cuda", dtype=dtype), ctypes.c_float if kind == "f32" else ctypes.c_double
        one, zero, size = scalar(1), scalar(0), ctypes.c_size_t()
        a, b, c = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
        long = ctypes.c_int64
        check(lib.cusparseCreateCsr(ctypes.byref(a), long(rows), long(rows), long(count), pointer(starts), pointer(column),
                                    pointer(values), 2, 2, 0, number), "csr")
        one, zero = ctypes.byref(one), ctypes.byref(zero)
        if columns == 1:
            check(lib.cusparseCreateDnVec(ctypes.byref(b), long(rows), pointer(x), number), "vector")
            check(lib.cusparseCreateDnVec(ctypes.byref(c), long(rows), pointer(y), number), "vector")
            check(lib.cusparseSpMV_bufferSize(handle, 0, one, a, b, zero, c, number, 0, ctypes.byref(size)), "size")
            work = torch.empty(max(size.value, 8), dtype=torch.int8, device="cuda")
            keep = (starts, column, values, x, y, work)
            return (lambda: (keep, check(lib.cusparseSpMV(handle, 0, one, a, b, zero, c, number, 0, pointer(work)), "spmv"))),
        check(lib.cusparseCreateDnMat(ctypes.byref(b), long(rows), long(columns), long(rows), pointer(x), number, 1), "matrix")
        check(lib.cusparseCreateDnMat(ctypes.byref(c), long(rows), long(columns), long(rows), pointer(y), number, 1), "matrix")
        check(lib.cusparseSpMM_bufferSize(handle, 0, 0, one, a, b, zero, c, number, 0, ctypes.byref(size)), "size")
        work = torch.empty(max(size.value, 8), dtype=torch.int8, device="cuda")
        keep = (starts, column, values, x, y, work)
        return (lambda: (keep, check(lib.cusparseSpMM(handle, 0, 0, one, a, b, zero, c, number, 0, pointer(work)), "spmm"))),


def rnn(kind, cell, inputs, hidden, steps, images, way):
    dtype = torch.float16 if kind == "f16" else torch.float32
    net = (torch.nn.RNN, torch.nn.LSTM, torch.nn.GRU)[cell](inputs, hidden).cuda().to(dtype)
    net.flatten_parameters()
    x = torch.randn(steps, images, inputs, device="cuda").to(dtype).requires_grad_(way > 0)
    kept = []

    def forward():
        kept[:] = [net(x)[0]]

    def gradients():
        kept[0].backward(kept[0].detach(), inputs=[x] + list(net.parameters()))

    def plain():
        with torch.no_grad():
            net(x)
    net.train(way > 0)
    return (gradients, forward) if way == 2 else (forward if way else plain,)


def near(value):
    """Some size near it."""
    return max(4, int(value * random.uniform(0.75, 1.3)))


def main():
    random.seed(int(sys.argv[1]) if len(sys.argv) > 1 else 7)
    torch.manual_seed(7)
    torch.backends.cudnn.allow_tf32 = torch.backends.cuda.matmul.allow_tf32 = False
    print("call,type,numbers,us,kernels,longest")
    for kind in ("f32", "f16"):
        for cell in (0, 1, 2):
            for hidden in (32, 64, 128, 256, 512, 1024):
                for _ in range(2 if cell == 1 else 1):
                    numbers = (cell, random.choice((32, 64, 128, 256, 512)), hidden, random.choice((4, 8, 16, 32)),
                               random.choice((1, 4, 8, 16, 32, 64, 128)))
                    for way in (0, 1, 2):
                        tell("rnn", kind, numbers + (way,), lambda: rnn(kind, *numbers, way))
    solver, blas, sparse = Solver(), Blas(), Sparse()
    for kind in TYPES:
        for name in ("potrf", "getrf", "geqrf", "orgqr"):
            for n in (16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 6000):
                n = near(n)
                tell(name, kind, (n,), lambda: solver.factor(kind, name, n))
        for name in ("potrs", "getrs"):
            for n, sides in ((32, 1), (128, 1), (512, 1), (1024, 64), (2048, 1), (2048, 512)):
                n = near(n)
                tell(name, kind, (n, sides), lambda: solver.solve(kind, name, n, sides))
        for name in ("syevd", "gesvd", "syevj", "gesvdj"):
            for n in (16, 32, 64, 128, 256, 512) + ((1024,) if name[-1] == "d" else ()):
                n = near(n)
                tell(name, kind, (n,), lambda: solver.spectrum(kind, name, n))
        for n in (8, 16, 32, 64, 128):
            n, count = near(n), random.choice((50, 200, 1000))
            tell("potrf_batched", kind, (n, count), lambda: solver.potrf_batched(kind, n, count))
            tell("getrf_batched", kind, (n, count), lambda: blas.getrf_batched(kind, n, count))
        for n in (32, 64, 128, 256, 512, 1024, 2048, 4096):
            n = near(n)
            for sides in (1, random.choice((4, 16, 64)), random.choice((128, 256, 512)), n):
                tell("trsm", kind, (n, sides), lambda: blas.trsm(kind, n, sides))
        for rows in (500, 4000, 30000, 250000, 2000000):
            for each in (4, 16, 64):
                rows_ = near(rows)
                tell("spmv", kind, (rows_, each), lambda: sparse.multiply(kind, rows_, each, 1))
                if rows < 1000000:
                    columns = random.choice((4, 16, 64))
                    tell("spmm", kind, (rows_, each, columns), lambda: sparse.multiply(kind, rows_, each, columns))


if __name__ == "__main__":
    sys.exit(main())
