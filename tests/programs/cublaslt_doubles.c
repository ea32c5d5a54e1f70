/* Bias and ReLU of cublasLtMatmul in double precision, as PyTorch's linear layers ask for them, and
 * products that may be emulated. */
#include <stdbool.h>

#include "runtime.h"

int cublasLtCreate(void **handle);
int cublasLtDestroy(void *handle);
int cublasLtMatmulDescCreate(void **description, int compute, int scale);
int cublasLtMatmulDescSetAttribute(void *description, int number, const void *value, size_t bytes);
int cublasLtMatrixLayoutCreate(void **layout, int type, uint64_t rows, uint64_t columns,
                               int64_t leading);
int cublasLtMatrixLayoutSetAttribute(void *layout, int number, const void *value, size_t bytes);
int cublasLtEmulationDescCreate(void **description);
int cublasLtEmulationDescInit_internal(void *description, size_t bytes);
int cublasLtEmulationDescDestroy(void *description);
int cublasLtEmulationDescSetAttribute(void *description, int number, const void *value,
                                      size_t bytes);
int cublasLtEmulationDescGetAttribute(void *description, int number, void *value, size_t bytes,
                                      size_t *written);
int cublasLtMatmul(void *handle, void *description, const void *alpha, const void *a,
                   void *a_layout, const void *b, void *b_layout, const void *beta, const void *c,
                   void *c_layout, void *d, void *d_layout, const void *algorithm, void *workspace,
                   size_t workspace_bytes, void *stream);

enum { COMPUTE_F64 = 70, COMPUTE_F64_EMULATED = 79, EMULATION = 38 };
enum { STRATEGY, SPECIAL_VALUES, BITS_KEPT = 5, INVALID_VALUE = 7 };
enum { F64 = 1, NOT_SUPPORTED = 15, RELU = 2, BIAS = 4, GELU = 32 };
enum { EPILOGUE = 7, BIAS_POINTER = 8, ORDER = 1, BATCH = 5, STRIDE = 6 };
enum { ROWS = 5, COLUMNS = 7, DEPTH = 3, BATCHES = 2 };

static void *handle, *operation;
static double *a, *b, *d, *bias;

/* is_by_rows: D alone. */
static void *layout(int rows, int columns, bool is_by_rows)
{
    void *made = NULL;
    const int order = is_by_rows, count = BATCHES;
    const int64_t stride = rows * columns;
    EXPECT(cublasLtMatrixLayoutCreate(&made, F64, (uint64_t)rows, (uint64_t)columns,
                                      is_by_rows ? columns : rows),
           0);
    EXPECT(cublasLtMatrixLayoutSetAttribute(made, ORDER, &order, sizeof order), 0);
    EXPECT(cublasLtMatrixLayoutSetAttribute(made, BATCH, &count, sizeof count), 0);
    EXPECT(cublasLtMatrixLayoutSetAttribute(made, STRIDE, &stride, sizeof stride), 0);
    return made;
}

static int multiply(int epilogue, bool is_by_rows)
{
    const double factors[] = {1.5, 0};
    void *a_is = layout(ROWS, DEPTH, is_by_rows), *b_is = layout(DEPTH, COLUMNS, is_by_rows),
         *d_is = layout(ROWS, COLUMNS, is_by_rows);
    EXPECT(cublasLtMatmulDescSetAttribute(operation, EPILOGUE, &epilogue, sizeof epilogue), 0);
    const int status = cublasLtMatmul(handle, operation, factors, a, a_is, b, b_is, factors + 1, d,
                                      d_is, d, d_is, NULL, NULL, 0, NULL);
    EXPECT(cudaDeviceSynchronize(), 0);
    return status;
}

static size_t place(int batch, int row, int column, int rows, int columns, bool is_by_rows)
{
    const int at = is_by_rows ? row * columns + column : column * rows + row;
    return (size_t)(batch * rows * columns + at);
}

static void check(int epilogue, bool is_by_rows)
{
    int wrong = 0;
    EXPECT(multiply(epilogue, is_by_rows), 0);
    for (int i = 0; i < BATCHES * ROWS * COLUMNS; i++) {
        const int batch = i / (ROWS * COLUMNS), row = i / COLUMNS % ROWS, column = i % COLUMNS;
        double wanted = 0;
        for (int k = 0; k < DEPTH; k++)
            wanted += a[place(batch, row, k, ROWS, DEPTH, is_by_rows)] *
                      b[place(batch, k, column, DEPTH, COLUMNS, is_by_rows)];
        wanted = 1.5 * wanted + (epilogue & BIAS ? bias[row] : 0);
        wanted = epilogue & RELU && wanted < 0 ? 0 : wanted;
        wrong += d[place(batch, row, column, ROWS, COLUMNS, is_by_rows)] != wanted;
    }
    EXPECT(wrong, 0);
}

/* As a GPU does that has no fast emulation: in double precision. */
static void emulate(void)
{
    uint64_t own[8] = {0};
    int32_t number = 2;
    int32_t *kept = &number;
    void *made = NULL;
    EXPECT(cublasLtEmulationDescCreate(NULL), INVALID_VALUE);
    EXPECT(cublasLtEmulationDescInit_internal(own, sizeof own), 0);
    EXPECT(cublasLtEmulationDescGetAttribute(own, SPECIAL_VALUES, &number, 4, NULL), 0);
    EXPECT(number, 0xFFFF);
    EXPECT(cublasLtEmulationDescCreate(&made), 0);
    number = 2;
    EXPECT(cublasLtEmulationDescSetAttribute(made, STRATEGY, &number, 4), 0);
    EXPECT(cublasLtEmulationDescSetAttribute(made, STRATEGY, &number, 8), INVALID_VALUE);
    capture_stderr();
    EXPECT(cublasLtEmulationDescSetAttribute(made, BITS_KEPT, &kept, sizeof kept), NOT_SUPPORTED);
    EXPECT(strstr(captured_stderr(), "cublasLtEmulationDescSetAttribute") != NULL, 1);
    kept = NULL;
    EXPECT(cublasLtEmulationDescSetAttribute(made, BITS_KEPT, &kept, sizeof kept), 0);
    EXPECT(cublasLtMatmulDescCreate(&operation, COMPUTE_F64_EMULATED, F64), 0);
    EXPECT(cublasLtMatmulDescSetAttribute(operation, EMULATION, &made, sizeof made), 0);
    check(1, false);
    EXPECT(cublasLtEmulationDescDestroy(made), 0);
}

int main(void)
{
    EXPECT(cublasLtCreate(&handle), 0);
    EXPECT(cublasLtMatmulDescCreate(&operation, COMPUTE_F64, F64), 0);
    EXPECT(cudaMalloc((void **)&a, BATCHES * ROWS * DEPTH * sizeof *a), 0);
    EXPECT(cudaMalloc((void **)&b, BATCHES * DEPTH * COLUMNS * sizeof *b), 0);
    EXPECT(cudaMalloc((void **)&d, BATCHES * ROWS * COLUMNS * sizeof *d), 0);
    EXPECT(cudaMalloc((void **)&bias, ROWS * sizeof *bias), 0);
    for (int i = 0; i < BATCHES * ROWS * DEPTH; i++)
        a[i] = i % 5 - 2 + 0x1p-30; /* more than single precision has */
    for (int i = 0; i < BATCHES * DEPTH * COLUMNS; i++)
        b[i] = i % 7 - 3;
    for (int i = 0; i < ROWS; i++)
        bias[i] = i - 2.5 - 0x1p-31;
    EXPECT(cublasLtMatmulDescSetAttribute(operation, BIAS_POINTER, &bias, sizeof bias), 0);
    for (int is_by_rows = 0; is_by_rows < 2; is_by_rows++) {
        check(BIAS, is_by_rows);
        check(RELU, is_by_rows);
        check(BIAS | RELU, is_by_rows);
    }
    capture_stderr();
    EXPECT(multiply(GELU, false), NOT_SUPPORTED);
    EXPECT(strstr(captured_stderr(), "cublasLtMatmul") != NULL, 1);
    emulate();
    EXPECT(cublasLtDestroy(handle), 0);
    return failures != 0;
}
