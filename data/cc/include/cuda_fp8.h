/* Floating point in eight bits: the types alone, which CUB names. Nothing converts them. */
#ifndef WARPLENS_CUDA_FP8_H
#define WARPLENS_CUDA_FP8_H

struct __nv_fp8_e4m3 {
    unsigned char __x;
};
struct __nv_fp8_e5m2 {
    unsigned char __x;
};

#endif
