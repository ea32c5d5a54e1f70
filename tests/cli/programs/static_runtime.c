/* A program that looks as one linked with the static CUDA runtime: fat binary, no libcudart. */
#include <stdio.h>

extern const char fatbin_container[];

int cudaMalloc(void **pointer, size_t size);
int __cudaRegisterFatBinary(const void *wrapper);

int cudaMalloc(void **pointer, size_t size)
{
    *pointer = NULL;
    return size != 0;
}

int __cudaRegisterFatBinary(const void *wrapper)
{
    return wrapper == fatbin_container;
}

int main(void)
{
    void *pointer;
    puts("this must not run");
    return cudaMalloc(&pointer, 4) + __cudaRegisterFatBinary(fatbin_container);
}
