"""What CuPy does: elementwise work, a fused kernel, a raw one, a reduction, a product of matrices."""
import cupy

import steps

saxpy = cupy.RawKernel(r"""
extern "C" __global__ void saxpy(const float *x, float *y, float a, int count)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
        y[i] = a * x[i] + y[i];
}""", "saxpy")


@cupy.fuse
def smooth(x, y):
    return cupy.exp(-x * x) * y


def main():
    asked = steps.arguments(50)
    cupy.random.seed(0)
    x = cupy.arange(1 << 20, dtype=cupy.float32) / (1 << 20)
    a = cupy.arange(1024 * 1024, dtype=cupy.float32).reshape(1024, 1024) % 7
    state = {"y": cupy.ones_like(x)}

    def step():
        y = state["y"]
        saxpy((4096,), (256,), (x, y, cupy.float32(0.5), y.size))
        state["y"] = smooth(x, y) + 1
        state["product"] = a @ a
        state["sum"] = state["y"].sum()

    steps.run(step, cupy.cuda.Device().synchronize, asked.steps)
    steps.result("sums", state["sum"], state["product"].sum())


main()
