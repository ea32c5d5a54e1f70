/* Processor time of cuBLAS's products as a program sees them, uncounted: on the simulated GPU, or
 * with LD_LIBRARY_PATH on whatever it names. products [NAME M N K]: all rows, or one. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

int cudaMallocManaged(void **made, size_t bytes, unsigned flags);
int cudaFree(void *memory);
int cudaDeviceSynchronize(void);
int cublasCreate_v2(void **handle);
int cublasDestroy_v2(void *handle);
int cublasGemmEx(void *handle, int op_a, int op_b, int m, int n, int k, const void *alpha,
                 const void *a, int type_a, int lda, const void *b, int type_b, int ldb,
                 const void *beta, void *c, int type_c, int ldc, int compute, int algorithm);
int cublasDgemm_v2(void *handle, int op_a, int op_b, int m, int n, int k, const double *alpha,
                   const double *a, int lda, const double *b, int ldb, const double *beta,
                   double *c, int ldc);

enum { CALLS = 3, COMPUTE_F32 = 68, SINGLE = 0, DOUBLE = 1, HALF = 2, BYTE = 3, BFLOAT = 14 };

struct kind {
    const char *name;
    int factor, result, factor_bytes, result_bytes;
};
static const struct kind kinds[] = {
    {"sgemm", SINGLE, SINGLE, 4, 4}, {"f16", HALF, HALF, 2, 2},
    {"bf16", BFLOAT, BFLOAT, 2, 2},  {"s8", BYTE, SINGLE, 1, 4},
    {"dgemm", DOUBLE, DOUBLE, 8, 8},
};

static double busy_now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Numbers of magnitude below 1, or bytes. */
static void *draw(const struct kind *kind, size_t count)
{
    static uint32_t state = 1;
    void *made = NULL;
    if (cudaMallocManaged(&made, count * (size_t)kind->factor_bytes, 1))
        return NULL;
    for (size_t i = 0; i < count; i++) {
        state = state * 1664525U + 1013904223U;
        const float value = (float)(state >> 8) / 0x1p24F;
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        switch (kind->factor) {
        case SINGLE:
            ((float *)made)[i] = value;
            break;
        case DOUBLE:
            ((double *)made)[i] = (double)value;
            break;
        case HALF:
            ((uint16_t *)made)[i] = (uint16_t)(state >> 16 & 0xbbff);
            break;
        case BFLOAT:
            ((uint16_t *)made)[i] = (uint16_t)(bits >> 16);
            break;
        default:
            ((uint8_t *)made)[i] = (uint8_t)(state >> 20);
        }
    }
    return made;
}

/* A is transposed. Alpha differs in each call: one that repeats the call before is not executed. */
static int multiply(void *handle, const struct kind *kind, const int size[3], const void *a,
                    const void *b, void *c, int call)
{
    const int m = size[0], n = size[1], k = size[2];
    const double alpha_of_doubles = call + 1, beta_of_doubles = 0.5;
    const float alpha = (float)call + 1, beta = 0.5F;
    if (kind->factor == DOUBLE)
        return cublasDgemm_v2(handle, 1, 0, m, n, k, &alpha_of_doubles, a, k, b, k,
                              &beta_of_doubles, c, m);
    return cublasGemmEx(handle, 1, 0, m, n, k, &alpha, a, kind->factor, k, b, kind->factor, k,
                        &beta, c, kind->result, m, COMPUTE_F32, 0);
}

static int measure(void *handle, const struct kind *kind, const int size[3])
{
    const size_t m = (size_t)size[0], n = (size_t)size[1], k = (size_t)size[2];
    void *a = draw(kind, m * k), *b = draw(kind, k * n), *c = NULL;
    double least_s = 1e9;
    int status = !a || !b || cudaMallocManaged(&c, m * n * (size_t)kind->result_bytes, 1);
    if (!status)
        memset(c, 0, m * n * (size_t)kind->result_bytes);
    for (int call = 0; call < CALLS && !status; call++) {
        const double start_s = busy_now_s();
        status = multiply(handle, kind, size, a, b, c, call) || cudaDeviceSynchronize();
        const double took_s = busy_now_s() - start_s;
        least_s = took_s < least_s ? took_s : least_s;
    }
    if (status)
        fprintf(stderr, "products: %s failed\n", kind->name);
    else
        printf("| %s, %d x %d x %d | %.1f | %.2f |\n", kind->name, size[0], size[1], size[2],
               least_s * 1e3, (double)(m * n * k) / least_s * 1e-9);
    cudaFree(a);
    cudaFree(b);
    cudaFree(c);
    return status;
}

int main(int count, char **words)
{
    const int sizes[][3] = {{512, 512, 512}, {4096, 8, 4096}};
    const int asked[3] = {count == 5 ? atoi(words[2]) : 0, count == 5 ? atoi(words[3]) : 0,
                          count == 5 ? atoi(words[4]) : 0};
    void *handle = NULL;
    int status = 0, is_known = count == 1;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds && count == 5; i++)
        is_known |= strcmp(words[1], kinds[i].name) == 0;
    if (!is_known || (count != 1 && count != 5) ||
        (count == 5 && (asked[0] < 1 || asked[1] < 1 || asked[2] < 1))) {
        fprintf(stderr, "usage: products [NAME M N K]\n");
        return 2;
    }
    if (cublasCreate_v2(&handle))
        return 1;
    printf(
        "| product, A transposed, m x n x k | ms | G multiply-adds a second of processor time |\n"
        "|---|---|---|\n");
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (count == 5 && strcmp(words[1], kinds[i].name) == 0)
            status |= measure(handle, &kinds[i], asked);
        for (size_t s = 0; count == 1 && s < sizeof sizes / sizeof *sizes; s++)
            status |= measure(handle, &kinds[i], sizes[s]);
    }
    cublasDestroy_v2(handle);
    return status;
}
