__global__ void math(float *x)
{
    x[0] = sinf(x[1]) / x[2];
}
