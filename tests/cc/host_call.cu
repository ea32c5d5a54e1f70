int host_only(int x);

__global__ void kernel(int *out)
{
    if (out)
        *out = host_only(1);
}
