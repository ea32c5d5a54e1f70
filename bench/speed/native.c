/* The same loops in plain C, compiled with -O3 -march=native. */
void native_sgemm(const float *a, const float *b, float *c, int n);
void native_stencil(const float *in, float *out, const float *weights, int width, int height);

void native_sgemm(const float *restrict a, const float *restrict b, float *restrict c, int n)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++)
            c[i * n + j] = 0;
        for (int k = 0; k < n; k++)
            for (int j = 0; j < n; j++)
                c[i * n + j] += a[i * n + k] * b[k * n + j];
    }
}

void native_stencil(const float *restrict in, float *restrict out, const float *restrict weights,
                    int width, int height)
{
    for (int y = 2; y < height - 2; y++) {
        for (int x = 2; x < width - 2; x++) {
            float sum = 0;
            for (int j = -2; j <= 2; j++)
                for (int i = -2; i <= 2; i++)
                    sum += weights[(j + 2) * 5 + i + 2] * in[(y + j) * width + x + i];
            out[y * width + x] = sum;
        }
    }
}
