#!/usr/bin/env python3
"""Times of NVIDIA's libraries on a GPU, through PyTorch, for the model in src/timing/library.

    readings.py [SEED] > readings.csv

Sizes are drawn with the seed (default 7). A row: call, type of elements, numbers that say what is computed (see the columns of each call
below), microseconds of its kernels (the median of eight), number of kernels, first kernel.
product: m, n, k, batch, transposed operands (0 none, 1 the first, 2 the second, 3 both)
convolution: way (0 forward, 1 data, 2 filter), images, channels, height, filters, kernel, stride, groups, channels last
norm: way (0 forward, 1 backward), images, channels, height
lstm: inputs, hidden, steps, images;  transform: length, count, real (1) or complex (0)
factor: 0 Cholesky 1 LU 2 QR 3 eigenvalues 4 singular values, n;  triangle: n, right-hand sides
vector: rows, columns;  dot: length;  sparse: rows, nonzeros a row, columns of the dense matrix"""
import random
import re
import statistics
import sys

import torch
from torch.profiler import ProfilerActivity, profile

busy = torch.ones(2048, 2048, device="cuda")
DTYPES = {"f32": torch.float32, "tf32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16, "f64": torch.float64}


def randn(*shape, dtype=torch.float32):
    return torch.randn(*shape, device="cuda").to(dtype)


def measure(run):
    for _ in range(2):
        run()
    busy @ busy  # for the clock
    torch.cuda.synchronize()
    with profile(activities=[ProfilerActivity.CUDA], acc_events=True) as profiler:
        for _ in range(8):
            run()
        torch.cuda.synchronize()
    kernels = [event for event in profiler.events() if event.device_type == torch.autograd.DeviceType.CUDA]
    each = len(kernels) // 8
    parts = [kernels[turn * each:(turn + 1) * each] for turn in range(8)]
    took = statistics.median(sum(event.time_range.elapsed_us() for event in part) for part in parts)
    longest = max(parts[0], key=lambda event: event.time_range.elapsed_us())
    return took, each, re.sub(r"[^A-Za-z0-9_:]", "_", longest.name)[:70]


def tell(call, kind, numbers, prepare):
    torch.backends.cuda.matmul.allow_tf32 = kind == "tf32"
    torch.backends.cudnn.allow_tf32 = kind == "tf32"
    try:
        took, count, name = measure(prepare())
        print(",".join(map(str, [call, kind, " ".join(map(str, numbers)), f"{took:.2f}", count, name])), flush=True)
    except Exception as error:
        print(f"{call} {kind} {numbers}: {error}"[:200], file=sys.stderr)


def product(kind, m, n, k, batch, turned):
    lead = (batch,) if batch > 1 else ()
    a = randn(*lead, k, m, dtype=DTYPES[kind]).mT if turned & 1 else randn(*lead, m, k, dtype=DTYPES[kind])
    b = randn(*lead, n, k, dtype=DTYPES[kind]).mT if turned & 2 else randn(*lead, k, n, dtype=DTYPES[kind])
    return lambda: torch.matmul(a, b)


def convolution(kind, way, images, channels, size, filters, kernel, stride, groups, last):
    layout = torch.channels_last if last else torch.contiguous_format
    x = randn(images, channels, size, size, dtype=DTYPES[kind]).to(memory_format=layout)
    w = randn(filters, channels // groups, kernel, kernel, dtype=DTYPES[kind]).to(memory_format=layout)
    pad = kernel // 2
    call = [None, [stride] * 2, [pad] * 2, [1, 1], False, [0, 0], groups]
    if way == 0:
        return lambda: torch.ops.aten.cudnn_convolution(x, w, [pad] * 2, [stride] * 2, [1, 1], groups, False, False,
                                                        kind == "tf32")
    y = torch.ops.aten.convolution(x, w, *call)
    return lambda: torch.ops.aten.convolution_backward(y, x, w, *call, [way == 1, way == 2, False])


def norm(kind, way, images, channels, size):
    x = randn(images, channels, size, size, dtype=DTYPES[kind])
    w, b, mean, var = randn(channels), randn(channels), torch.zeros(channels, device="cuda"), torch.ones(channels, device="cuda")
    forward = torch.ops.aten.cudnn_batch_norm
    if way == 0:
        return lambda: forward(x, w, b, mean, var, True, 0.1, 1e-5)
    y, saved_mean, saved_var, reserve = forward(x, w, b, mean, var, True, 0.1, 1e-5)
    return lambda: torch.ops.aten.cudnn_batch_norm_backward(x, y, w, mean, var, saved_mean, saved_var, 1e-5, reserve)


def lstm(kind, inputs, hidden, steps, images):
    net, x = torch.nn.LSTM(inputs, hidden).cuda().to(DTYPES[kind]), randn(steps, images, inputs, dtype=DTYPES[kind])
    net.flatten_parameters()

    def run():
        with torch.no_grad():
            return net(x)
    return run


def transform(kind, length, count, real):
    x = randn(count, length, dtype=DTYPES[kind])
    x = x if real else torch.complex(x, x)
    return lambda: torch.fft.rfft(x) if real else torch.fft.fft(x)


def factor(kind, which, n):
    a = randn(n, n, dtype=DTYPES[kind])
    a = a @ a.T + n * torch.eye(n, device="cuda", dtype=DTYPES[kind])
    return lambda: (torch.linalg.cholesky_ex, torch.linalg.lu_factor_ex, torch.geqrf, torch.linalg.eigh,
                    torch.linalg.svd)[which](a)


def triangle(kind, n, sides):
    a, b = randn(n, n, dtype=DTYPES[kind]).triu() + n * torch.eye(n, device="cuda", dtype=DTYPES[kind]), randn(n, sides, dtype=DTYPES[kind])
    return lambda: torch.linalg.solve_triangular(a, b, upper=True)


def vector(kind, rows, columns):
    a, x = randn(rows, columns, dtype=DTYPES[kind]), randn(columns, dtype=DTYPES[kind])
    return lambda: a @ x


def dot(kind, length):
    x, y = randn(length, dtype=DTYPES[kind]), randn(length, dtype=DTYPES[kind])
    return lambda: torch.dot(x, y)


def sparse(kind, rows, each, columns):
    column = torch.randint(0, rows, (rows * each,), device="cuda").view(rows, each).sort(1)[0].flatten()
    a = torch.sparse_csr_tensor(torch.arange(0, rows * each + 1, each, device="cuda"), column,
                                randn(rows * each, dtype=DTYPES[kind]), (rows, rows))
    b = randn(rows, columns, dtype=DTYPES[kind])
    return lambda: a @ b


def size(least, most):
    value = int(2 ** random.uniform(least, most))
    return value if random.random() < 0.2 else max(1, value // 8 * 8)


def main():
    random.seed(int(sys.argv[1]) if len(sys.argv) > 1 else 7)
    torch.manual_seed(7)
    print("call,type,numbers,us,kernels,longest")
    for kind in ("f32", "tf32", "f16", "bf16", "f64"):
        for _ in range(20 if kind == "bf16" else 110):
            m, n, k = size(3, 13), size(3, 13), size(3, 13)
            if m * n * k <= 2 ** 36:
                numbers = m, n, k, 1, random.choice((0, 1, 2, 2, 3))
                tell("product", kind, numbers, lambda: product(kind, *numbers))
        for _ in range(10 if kind == "bf16" else 40):
            m, n, k, batch = size(3, 9), size(3, 9), size(3, 9), int(2 ** random.uniform(1, 9))
            numbers = m, n, k, batch, random.choice((0, 1, 2))
            tell("product", kind, numbers, lambda: product(kind, *numbers))
    for kind in ("f32", "f16", "f64"):
        for rows, columns in ((64, 64), (512, 512), (2048, 2048), (8192, 1024), (256, 16384)):
            tell("vector", kind, (rows, columns), lambda: vector(kind, rows, columns))
    for length in (1000, 100000, 10000000):
        tell("dot", "f32", (length,), lambda: dot("f32", length))
    for kind, last in (("f32", 0), ("tf32", 0), ("f16", 0), ("f16", 1)):
        for _ in range(40):
            images, height = int(2 ** random.uniform(0, 6)), random.choice((7, 14, 28, 32, 56, 112))
            channels = random.choice((3, 16, 32, 64, 96, 128, 256, 512))
            filters = random.choice((16, 32, 64, 128, 256, 512))
            kernel, stride = random.choice((1, 3, 3, 5, 7)), random.choice((1, 1, 2))
            if images * height * height * channels * filters * kernel * kernel > 2 ** 36:
                continue
            for way in (0, 1, 2):
                numbers = way, images, channels, height, filters, kernel, stride, 1, last
                tell("convolution", kind, numbers, lambda: convolution(kind, *numbers))
    for kind in ("f32", "f16"):
        for images, channels, height in ((64, 16, 28), (8, 256, 14), (32, 64, 56), (128, 512, 7), (4, 32, 112), (2, 128, 28)):
            for way in (0, 1):
                tell("norm", kind, (way, images, channels, height), lambda: norm(kind, way, images, channels, height))
    for numbers in ((128, 256, 16, 16), (64, 128, 32, 8), (512, 512, 8, 64), (256, 1024, 16, 32)):
        for kind in ("f32", "f16"):
            tell("lstm", kind, numbers, lambda: lstm(kind, *numbers))
    for kind in ("f32", "f64"):
        for length, count in ((64, 1024), (1024, 64), (1024, 4096), (4096, 256), (65536, 16), (1 << 20, 1), (1 << 22, 4), (1000, 512), (1021, 64)):
            for real in (0, 1):
                tell("transform", kind, (length, count, real), lambda: transform(kind, length, count, real))
    for kind in ("f32", "f64"):
        for which in range(5):
            for n in (32, 128, 512, 1024, 2048) if which < 3 else (32, 128, 512):
                tell("factor", kind, (which, n), lambda: factor(kind, which, n))
        for n, sides in ((64, 64), (512, 1), (512, 512), (2048, 16), (2048, 2048)):
            tell("triangle", kind, (n, sides), lambda: triangle(kind, n, sides))
        for rows, each, columns in ((4096, 16, 1), (4096, 16, 64), (65536, 8, 1), (65536, 32, 32), (1 << 18, 16, 1), (1 << 18, 16, 8)):
            tell("sparse", kind, (rows, each, columns), lambda: sparse(kind, rows, each, columns))


if __name__ == "__main__":
    sys.exit(main())
