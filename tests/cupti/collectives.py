"""Kernels of NCCL's names from ranks, by the driver API; words: how many other kernels stand before each collective."""
import ctypes, sys
PTX = (b".version 7.0\n.target sm_75\n.address_size 64\n"
       b".visible .entry ncclDevKernel_AllReduce_Sum_f32_RING_LL(.param .u64 p)\n{\nret;\n}\n"
       b".visible .entry _Z3addPfS_(.param .u64 p)\n{\nret;\n}\n\0")
cuda = ctypes.CDLL("libcuda.so.1")
cuda.cuInit(0)
context, module = ctypes.c_void_p(), ctypes.c_void_p()
cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0)
cuda.cuCtxSetCurrent(context)
cuda.cuModuleLoadData(ctypes.byref(module), PTX)
kernels = [ctypes.c_void_p(), ctypes.c_void_p()]
for kernel, name in zip(kernels, (b"ncclDevKernel_AllReduce_Sum_f32_RING_LL", b"_Z3addPfS_")):
    if cuda.cuModuleGetFunction(ctypes.byref(kernel), module, name): print("no kernel", name)
VALUE = ctypes.c_uint64(0)
ARGUMENTS = (ctypes.c_void_p * 1)(ctypes.addressof(VALUE))


def launch(kernel):
    cuda.cuLaunchKernel(kernel, 1, 1, 1, 64, 1, 1, 0, None, ARGUMENTS, None)


for count in sys.argv[1:]:
    for _ in range(int(count)):
        launch(kernels[1])
    launch(kernels[0])
