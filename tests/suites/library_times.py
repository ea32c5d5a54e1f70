#!/usr/bin/env python3
"""Times of NVIDIA's libraries, called by PyTorch: a GPU's beside what is predicted for the stand-ins.

    library_times.py --gpu                 on a machine with a GPU: a line for each operation
    WARPLENS_GPU=h200 warplens profile -o REPORT python3 library_times.py
    warplens show REPORT --print-summary per-nvtx --metrics gpu__time_duration.sum --csv > PREDICTED
    library_times.py --table GPU_LINES PREDICTED   prints the table of docs/evidence/library-times.md

A line of --gpu: operation|microseconds of its kernels, the median of ten|names of the kernels."""
import argparse
import csv
import re
import statistics
import sys


def operations(torch):
    """Names, and functions that make the operands and give the function to time."""
    half, single = torch.float16, torch.float32
    functional = torch.nn.functional

    def randn(*shape, dtype=single):
        return torch.randn(*shape, device="cuda").to(dtype)

    def product(m, n, k, dtype):
        a, b = randn(m, k, dtype=dtype), randn(n, k, dtype=dtype)
        return lambda: a @ b.t()

    def linear(m, n, k, dtype):
        x, w, bias = randn(m, k, dtype=dtype), randn(n, k, dtype=dtype), randn(n, dtype=dtype)
        return lambda: functional.linear(x, w, bias)

    def batch(count, m, n, k, dtype):
        a, b = randn(count, m, k, dtype=dtype), randn(count, k, n, dtype=dtype)
        return lambda: torch.bmm(a, b)

    def vector(m, k):
        a, x = randn(m, k), randn(k)
        return lambda: a @ x

    def convolution(way, images, channels, size, filters, kernel, dtype=single, stride=1, last=False):
        layout = torch.channels_last if last else torch.contiguous_format
        x = randn(images, channels, size, size, dtype=dtype).to(memory_format=layout)
        w = randn(filters, channels, kernel, kernel, dtype=dtype).to(memory_format=layout)
        pad = kernel // 2
        if way == "forward":
            return lambda: functional.conv2d(x, w, stride=stride, padding=pad)
        y = functional.conv2d(x, w, stride=stride, padding=pad)
        mask = [way == "data", way == "filter", False]
        return lambda: torch.ops.aten.convolution_backward(y, x, w, None, [stride] * 2, [pad] * 2, [1, 1], False,
                                                           [0, 0], 1, mask)

    def norm(way, images, channels, size, dtype=single):
        x = randn(images, channels, size, size, dtype=dtype)
        w, b = (randn(channels) for _ in range(2))
        mean, var = torch.zeros(channels, device="cuda"), torch.ones(channels, device="cuda")
        if way == "forward":
            return lambda: torch.ops.aten.cudnn_batch_norm(x, w, b, mean, var, True, 0.1, 1e-5)
        y, saved_mean, saved_var, reserve = torch.ops.aten.cudnn_batch_norm(x, w, b, mean, var, True, 0.1, 1e-5)
        return lambda: torch.ops.aten.cudnn_batch_norm_backward(x, y, w, mean, var, saved_mean, saved_var, 1e-5, reserve)

    def lstm(inputs, hidden, steps, images):
        net = torch.nn.LSTM(inputs, hidden).cuda()
        x = randn(steps, images, inputs)

        def run():
            with torch.no_grad():
                return net(x)
        return run

    def transform(count, length):
        x = randn(count, length).to(torch.complex64)
        return lambda: torch.fft.fft(x)

    def positive(n):
        a = randn(n, n)
        a = a @ a.t() + n * torch.eye(n, device="cuda")
        return lambda: torch.linalg.cholesky_ex(a)

    def step_of(net, x, target):
        optimizer = torch.optim.SGD(net.parameters(), 0.01)

        def run():
            optimizer.zero_grad(set_to_none=True)
            with torch.autograd.set_multithreading_enabled(False):  # ranges are of the thread that opens them
                functional.cross_entropy(net(x).flatten(0, -2), target).backward()
            optimizer.step()
        run()
        return run

    def small_network():
        layers = torch.nn
        net = layers.Sequential(layers.Conv2d(1, 16, 3, padding=1), layers.BatchNorm2d(16), layers.ReLU(), layers.MaxPool2d(2),
                                layers.Conv2d(16, 32, 3, padding=1), layers.ReLU(), layers.AdaptiveAvgPool2d(4),
                                layers.Flatten(), layers.Linear(512, 10)).cuda()
        return step_of(net, randn(64, 1, 28, 28), torch.randint(0, 10, (64,), device="cuda"))

    def transformer():
        layers = torch.nn
        block = layers.TransformerEncoderLayer(256, 4, 1024, dropout=0.0, batch_first=True, norm_first=True)
        net = layers.Sequential(layers.Embedding(512, 256), block, layers.LayerNorm(256), layers.Linear(256, 512)).cuda()
        return step_of(net, torch.randint(0, 512, (4, 128), device="cuda"), torch.randint(0, 512, (512,), device="cuda"))

    rows = []
    for m, n, k in ((512, 512, 512), (1024, 1024, 512), (64, 10, 512), (64, 512, 10), (10, 512, 64), (4096, 64, 64),
                    (128, 128, 4096)):
        rows.append((f"product {m} x {n} x {k}, float32", lambda m=m, n=n, k=k: product(m, n, k, single)))
    for m, n, k in ((512, 512, 512), (1024, 768, 768), (128, 2304, 768), (64, 10, 512), (128, 128, 4096)):
        rows.append((f"product {m} x {n} x {k}, float16", lambda m=m, n=n, k=k: product(m, n, k, half)))
    rows += [("linear with bias 256 x 1024 x 768, float32", lambda: linear(256, 1024, 768, single)),
             ("linear with bias 256 x 1024 x 768, float16", lambda: linear(256, 1024, 768, half)),
             ("48 products 128 x 128 x 64, float16", lambda: batch(48, 128, 128, 64, half)),
             ("48 products 128 x 64 x 128, float32", lambda: batch(48, 128, 64, 128, single)),
             ("matrix by vector 2048 x 2048, float32", lambda: vector(2048, 2048))]
    for name, shape in (("64 x 1 x 28, 16 of 3", (64, 1, 28, 16, 3)), ("64 x 16 x 14, 32 of 3", (64, 16, 14, 32, 3)),
                        ("4 x 64 x 56, 64 of 3", (4, 64, 56, 64, 3)), ("8 x 128 x 14, 128 of 3", (8, 128, 14, 128, 3)),
                        ("8 x 256 x 14, 512 of 1", (8, 256, 14, 512, 1)), ("2 x 3 x 112, 64 of 7", (2, 3, 112, 64, 7))):
        for way in ("forward", "data", "filter"):
            rows.append((f"convolution {way} {name}, float32", lambda way=way, shape=shape: convolution(way, *shape)))
    for way in ("forward", "data", "filter"):
        rows.append((f"convolution {way} 4 x 64 x 56, 64 of 3, float16, channels last",
                     lambda way=way: convolution(way, 4, 64, 56, 64, 3, half, last=True)))
    for way in ("forward", "backward"):
        rows.append((f"batch norm {way} 64 x 16 x 28", lambda way=way: norm(way, 64, 16, 28)))
        rows.append((f"batch norm {way} 8 x 256 x 14", lambda way=way: norm(way, 8, 256, 14)))
    rows += [("LSTM 128 to 256, 16 steps of 16", lambda: lstm(128, 256, 16, 16)),
             ("64 transforms of 1024", lambda: transform(64, 1024)),
             ("Cholesky 256", lambda: positive(256)),
             ("training step: two convolutions, norm, pools, 64 pictures", small_network),
             ("training step: a transformer's block of 256, 4 texts of 128", transformer)]
    return rows


def measure(torch, prepare):
    """Median microseconds of its kernels, and their names."""
    from torch.profiler import ProfilerActivity, profile

    run = prepare()
    for _ in range(3):
        run()
    torch.cuda.synchronize()
    totals, names = [], []
    with profile(activities=[ProfilerActivity.CUDA]) as profiler:
        for _ in range(10):
            run()
        torch.cuda.synchronize()
    kernels = [event for event in profiler.events() if event.device_type == torch.autograd.DeviceType.CUDA]
    each = len(kernels) // 10
    for turn in range(10):
        part = kernels[turn * each:(turn + 1) * each]
        totals.append(sum(event.time_range.elapsed_us() for event in part))
        names = [re.sub(r"[<(].*", "", event.name) for event in part]
    return statistics.median(totals), names


def run_all(on_gpu):
    import torch

    torch.manual_seed(0)
    for name, prepare in operations(torch):
        if on_gpu:
            try:
                took_us, names = measure(torch, prepare)
                print(f"{name}|{took_us:.2f}|{','.join(names)}", flush=True)
            except Exception as error:
                print(f"{name}||{error}", flush=True)
            continue
        run = prepare()
        torch.cuda.synchronize()
        torch.cuda.nvtx.range_push(name)
        run()
        torch.cuda.synchronize()
        torch.cuda.nvtx.range_pop()
    return 0


def print_table(gpu_file, predicted_file):
    predicted = {}
    with open(predicted_file, newline="") as lines:
        for row in csv.DictReader(lines):
            if row["Group"].startswith("Range ") and row["Invocations"]:
                name = re.match(r"Range (.*), Device \d+, CC .*", row["Group"]).group(1)
                predicted[name] = int(row["Invocations"]), float(row["Average"]) * int(row["Invocations"]) / 1e3
    print("| operation | GPU, us | kernels | predicted, us | kernels | predicted to GPU |\n|---|---|---|---|---|---|")
    factors = []
    for line in open(gpu_file):
        name, took_us, kernels = line.rstrip("\n").split("|", 2)
        if not took_us or name not in predicted:
            continue
        count, us = predicted[name]
        factors.append(us / float(took_us))
        print(f"| {name} | {float(took_us):.1f} | {kernels.count(',') + 1} | {us:.1f} | {count} | {factors[-1]:.2f} |")
    apart = [max(factor, 1 / factor) for factor in factors]
    print(f"\nApart by a factor of {statistics.median(apart):.2f} (median), {max(apart):.1f} at most; "
          f"{sum(factor < 2 for factor in apart)} of {len(apart)} within 2.")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gpu", action="store_true")
    parser.add_argument("--table", nargs=2, metavar=("GPU_LINES", "PREDICTED"))
    arguments = parser.parse_args()
    if arguments.table:
        return print_table(*arguments.table)
    return run_all(arguments.gpu)


if __name__ == "__main__":
    sys.exit(main())
