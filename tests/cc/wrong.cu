#include <cstdio>
__global__ void kernel(int *out)
{
    outt[0] = 1;
}
int main()
{
    kernel<<<1, 1>>>(nullptr);
}
