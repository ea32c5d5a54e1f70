"""Kernels in Triton: a sum of two vectors, and a softmax of rows."""
import torch
import triton
import triton.language as tl

import steps


@triton.jit
def add(x, y, out, count, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = at < count
    tl.store(out + at, tl.load(x + at, mask=mask) + tl.load(y + at, mask=mask), mask=mask)


@triton.jit
def softmax(x, out, width, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    at = tl.arange(0, BLOCK)
    mask = at < width
    values = tl.load(x + row * width + at, mask=mask, other=-float("inf"))
    powers = tl.exp(values - tl.max(values, axis=0))
    tl.store(out + row * width + at, powers / tl.sum(powers, axis=0), mask=mask)


def main():
    asked = steps.arguments(50)
    torch.manual_seed(0)
    x, y = torch.randn(2, 4096, 1000, device="cuda")
    out, shares = torch.empty_like(x), torch.empty_like(x)

    def step():
        add[(triton.cdiv(x.numel(), 1024),)](x, y, out, x.numel(), BLOCK=1024)
        softmax[(x.shape[0],)](out, shares, x.shape[1], BLOCK=1024)

    steps.run(step, torch.cuda.synchronize, asked.steps)
    steps.result("sums", out.double().sum(), shares.double().sum(), shares.double().square().sum())


main()
