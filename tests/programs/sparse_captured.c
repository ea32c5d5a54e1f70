/* cuSPARSE in captured streams: factors in memory of the device are those that are there when the
 * graph runs, and what the host would wait for is refused. Old descriptions take no other values
 * than there are; values that a triangle is given anew are as many as the matrix has by then. */
#include <complex.h>

#include "runtime.h"

int cudaStreamBeginCapture(void *stream, int mode);
int cudaStreamEndCapture(void *stream, void **graph);
int cudaGraphInstantiateWithFlags(void **executable, void *graph, unsigned long long flags);
int cudaGraphLaunch(void *executable, void *stream);

int cusparseCreate(void **handle);
int cusparseDestroy(void *handle);
int cusparseSetStream(void *handle, void *stream);
int cusparseSetPointerMode(void *handle, int mode);
int cusparseCreateMatDescr(void **description);
int cusparseDestroyMatDescr(void *description);
int cusparseSetMatType(void *description, int value);
int cusparseSetMatFillMode(void *description, int value);
int cusparseSetMatDiagType(void *description, int value);
int cusparseSetMatIndexBase(void *description, int value);
int cusparseGetMatIndexBase(void *description);
int cusparseCreateCsr(void **made, int64_t rows, int64_t columns, int64_t count, void *offsets,
                      void *columns_of, void *values, int offset_type, int column_type, int base,
                      int type);
int cusparseCsrSetPointers(void *matrix, void *offsets, void *columns, void *values);
int cusparseDestroySpMat(void *matrix);
int cusparseCreateSpVec(void **made, int64_t size, int64_t count, void *indices, void *values,
                        int index_type, int base, int type);
int cusparseDestroySpVec(void *vector);
int cusparseCreateDnVec(void **made, int64_t size, void *values, int type);
int cusparseDestroyDnVec(void *vector);
int cusparseCreateDnMat(void **made, int64_t rows, int64_t columns, int64_t leading, void *values,
                        int type, int order);
int cusparseDestroyDnMat(void *matrix);
int cusparseSpMV(void *handle, int op, const void *alpha, void *a, void *x, const void *beta,
                 void *y, int type, int algorithm, void *space);
int cusparseAxpby(void *handle, const void *alpha, void *x, const void *beta, void *y);
int cusparseSpVV(void *handle, int op, void *x, void *y, void *result, int type, void *space);
int cusparseSpMM(void *handle, int op_a, int op_b, const void *alpha, void *a, void *b,
                 const void *beta, void *c, int type, int algorithm, void *space);
int cusparseSDDMM(void *handle, int op_a, int op_b, const void *alpha, void *a, void *b,
                  const void *beta, void *c, int type, int algorithm, void *space);
int cusparseSparseToDense(void *handle, void *a, void *b, int algorithm, void *space);
int cusparseDnMatSetStridedBatch(void *matrix, int count, int64_t stride);
int cusparseSpSM_createDescr(void **work);
int cusparseSpSM_destroyDescr(void *work);
int cusparseSpSM_analysis(void *handle, int op_a, int op_b, const void *alpha, void *a, void *b,
                          void *c, int type, int algorithm, void *work, void *space);
int cusparseDenseToSparse_analysis(void *handle, void *a, void *b, int algorithm, void *space);
int cusparseDenseToSparse_convert(void *handle, void *a, void *b, int algorithm, void *space);
int cusparseCgtsv2(void *handle, int m, int n, const float complex *below,
                   const float complex *diagonal, const float complex *above, float complex *b,
                   int ldb, void *space);
int cusparseSpSV_createDescr(void **work);
int cusparseSpSV_destroyDescr(void *work);
int cusparseSpSV_analysis(void *handle, int op, const void *alpha, void *a, void *x, void *y,
                          int type, int algorithm, void *work, void *space);
int cusparseSpSV_solve(void *handle, int op, const void *alpha, void *a, void *x, void *y, int type,
                       int algorithm, void *work);
int cusparseSpSV_updateMatrix(void *handle, void *work, void *values, int what);
int cusparseCreateBsrsv2Info(void **info);
int cusparseDestroyBsrsv2Info(void *info);
int cusparseSbsrsv2_analysis(void *handle, int direction, int op, int mb, int count,
                             const void *description, float *values, const int *offsets,
                             const int *indices, int block, void *info, int policy, void *space);
int cusparseSbsrsv2_solve(void *handle, int direction, int op, int mb, int count,
                          const float *alpha, const void *description, float *values,
                          const int *offsets, const int *indices, int block, void *info,
                          const float *x, float *y, int policy, void *space);
int cusparseXbsrsv2_zeroPivot(void *handle, void *info, int *position);
int cusparseSnnz(void *handle, int direction, int m, int n, const void *description, const float *a,
                 int lda, int *counts, int *total);

enum { N = 2, F32 = 0, INDEX_32 = 2, ON_DEVICE = 1, BY_COLUMN = 1, INVALID_VALUE = 3, FAILED = 6 };
enum { ZERO_PIVOT = 9, LOST = 901 };

static void *handle, *stream, *description;

/* [[2, 0], [1, 4]] */
struct memory {
    float alpha, beta, values[3], x[N], y[N], z[N], w[N], dense[N * N], blocks[N * N];
    int offsets[N + 1], indices[3], where[1], block_offsets[N], block_indices[1], counts[N];
    char space[512];
};
static struct memory *memory;

static void begin(void)
{
    EXPECT(cudaStreamBeginCapture(stream, 0), 0);
}

static void fill(void)
{
    static const struct memory values = {.alpha = 1,
                                         .values = {2, 1, 4},
                                         .x = {1, 10},
                                         .y = {100, 200},
                                         .z = {1, 1},
                                         .dense = {2, 1, 0, 4},
                                         .blocks = {2, 1, 0, 4},
                                         .offsets = {0, 1, 3},
                                         .indices = {0, 0, 1},
                                         .where = {1},
                                         .block_offsets = {0, 1}};
    *memory = values;
}

static void use_factors(void)
{
    void *a, *x, *y, *z, *sparse, *info, *graph, *executable;
    int position = 7;
    fill();
    EXPECT(cusparseCreateCsr(&a, N, N, 3, memory->offsets, memory->indices, memory->values,
                             INDEX_32, INDEX_32, 0, F32),
           0);
    EXPECT(cusparseCreateDnVec(&x, N, memory->x, F32), 0);
    EXPECT(cusparseCreateDnVec(&y, N, memory->y, F32), 0);
    EXPECT(cusparseCreateDnVec(&z, N, memory->z, F32), 0);
    EXPECT(cusparseCreateSpVec(&sparse, N, 1, memory->where, memory->x, INDEX_32, 0, F32), 0);
    EXPECT(cusparseCreateBsrsv2Info(&info), 0);
    EXPECT(cusparseSetPointerMode(handle, ON_DEVICE), 0);
    EXPECT(cusparseSbsrsv2_analysis(handle, 1, 0, 1, 1, description, memory->blocks,
                                    memory->block_offsets, memory->block_indices, N, info, 0,
                                    memory->space),
           0);
    begin();
    EXPECT(cusparseSpMV(handle, 0, &memory->alpha, a, x, &memory->beta, y, F32, 0, memory->space),
           0);
    EXPECT(cusparseAxpby(handle, &memory->alpha, sparse, &memory->beta, z), 0);
    EXPECT(cusparseSbsrsv2_solve(handle, 1, 0, 1, 1, &memory->alpha, description, memory->blocks,
                                 memory->block_offsets, memory->block_indices, N, info, memory->x,
                                 memory->w, 0, memory->space),
           0);
    EXPECT(cudaStreamEndCapture(stream, &graph), 0);
    EXPECT(cudaGraphInstantiateWithFlags(&executable, graph, 0), 0);
    memory->alpha = 3, memory->beta = 2;
    EXPECT(cudaGraphLaunch(executable, stream), 0);
    EXPECT(cusparseXbsrsv2_zeroPivot(handle, info, &position), 0);
    EXPECT(position, -1);
    EXPECT(memory->y[0], 3 * 2 + 2 * 100);
    EXPECT(memory->y[1], 3 * 41 + 2 * 200);
    EXPECT(memory->z[0], 2);
    EXPECT(memory->z[1], 2 + 3);
    EXPECT(memory->w[0] * 8, 3 * 4);
    EXPECT(memory->w[1] * 8, 3 * 19);
    memory->blocks[3] = 0;
    EXPECT(cudaGraphLaunch(executable, stream), 0);
    EXPECT(cusparseXbsrsv2_zeroPivot(handle, info, &position), ZERO_PIVOT);
    EXPECT(position, 0);
    EXPECT(cusparseDestroyBsrsv2Info(info), 0);
    EXPECT(cusparseDestroySpVec(sparse), 0);
    EXPECT(cusparseDestroyDnVec(z), 0);
    EXPECT(cusparseDestroyDnVec(y), 0);
    EXPECT(cusparseDestroyDnVec(x), 0);
    EXPECT(cusparseDestroySpMat(a), 0);
    EXPECT(cusparseSetPointerMode(handle, 0), 0);
}

/* Results in the host's memory: one that the graph copies there, one that the host would have to
 * wait for. */
static void use_results(void)
{
    void *sparse, *y, *graph, *executable;
    float result = -1;
    int total = -1;
    fill();
    EXPECT(cusparseCreateSpVec(&sparse, N, 1, memory->where, memory->x, INDEX_32, 0, F32), 0);
    EXPECT(cusparseCreateDnVec(&y, N, memory->y, F32), 0);
    begin();
    EXPECT(cusparseSpVV(handle, 0, sparse, y, &result, F32, memory->space), 0);
    EXPECT(cudaStreamEndCapture(stream, &graph), 0);
    EXPECT(cudaGraphInstantiateWithFlags(&executable, graph, 0), 0);
    EXPECT(result, -1);
    memory->y[1] = 300;
    EXPECT(cudaGraphLaunch(executable, stream), 0);
    EXPECT(result, 300);
    memory->y[1] = 200;
    begin();
    EXPECT(cusparseSnnz(handle, 0, N, N, description, memory->dense, N, memory->counts, &total),
           FAILED);
    EXPECT(cudaStreamEndCapture(stream, &graph), LOST);
    EXPECT(total, -1);
    EXPECT(cusparseSpVV(handle, 0, sparse, y, &result, F32, memory->space), 0);
    EXPECT(result, 200);
    EXPECT(cusparseSnnz(handle, 0, N, N, description, memory->dense, N, memory->counts, &total), 0);
    EXPECT(total, 3);
    EXPECT(cusparseDestroyDnVec(y), 0);
    EXPECT(cusparseDestroySpVec(sparse), 0);
}

static void use_descriptions(void)
{
    void *own;
    EXPECT(cusparseCreateMatDescr(&own), 0);
    EXPECT(cusparseSetMatType(own, 3), 0);
    EXPECT(cusparseSetMatType(own, 4), INVALID_VALUE);
    EXPECT(cusparseSetMatFillMode(own, 2), INVALID_VALUE);
    EXPECT(cusparseSetMatDiagType(own, -1), INVALID_VALUE);
    EXPECT(cusparseSetMatIndexBase(own, 1), 0);
    EXPECT(cusparseSetMatIndexBase(own, 2), INVALID_VALUE);
    EXPECT(cusparseGetMatIndexBase(own), 1);
    EXPECT(cusparseDestroyMatDescr(own), 0);
}

/* A matrix that had no elements when it was described. */
static void use_new_values(void)
{
    void *a, *dense, *x, *y, *work;
    float one = 1, doubled[3] = {4, 2, 8}, *values = memory->values;
    fill();
    EXPECT(cusparseCreateCsr(&a, N, N, 0, memory->offsets, NULL, NULL, INDEX_32, INDEX_32, 0, F32),
           0);
    EXPECT(cusparseCreateDnMat(&dense, N, N, N, memory->dense, F32, BY_COLUMN), 0);
    EXPECT(cusparseDenseToSparse_analysis(handle, dense, a, 0, memory->space), 0);
    EXPECT(cusparseCsrSetPointers(a, memory->offsets, memory->indices, values), 0);
    EXPECT(cusparseDenseToSparse_convert(handle, dense, a, 0, memory->space), 0);
    EXPECT(cusparseCreateDnVec(&x, N, memory->x, F32), 0);
    EXPECT(cusparseCreateDnVec(&y, N, memory->y, F32), 0);
    EXPECT(cusparseSpSV_createDescr(&work), 0);
    EXPECT(cusparseSpSV_analysis(handle, 0, &one, a, x, y, F32, 0, work, memory->space), 0);
    EXPECT(cusparseSpSV_updateMatrix(handle, work, doubled, 0), 0);
    EXPECT(cusparseSpSV_solve(handle, 0, &one, a, x, y, F32, 0, work), 0);
    EXPECT(cudaStreamSynchronize(stream), 0);
    EXPECT(memory->y[0] * 16, 4);
    EXPECT(memory->y[1] * 16, 19);
    EXPECT(cusparseSpSV_destroyDescr(work), 0);
    EXPECT(cusparseDestroyDnVec(y), 0);
    EXPECT(cusparseDestroyDnVec(x), 0);
    EXPECT(cusparseDestroyDnMat(dense), 0);
    EXPECT(cusparseDestroySpMat(a), 0);
}

/* Spaces that are not there, other algorithms and conjugated real numbers, as an H200 answers. */
static void use_refused(void)
{
    enum { NOT_SUPPORTED = 10, CONJUGATE = 2 };
    void *a, *dense, *other, *x, *y, *sparse, *work;
    const float one = 1;
    float result;
    fill();
    EXPECT(cusparseCreateCsr(&a, N, N, 3, memory->offsets, memory->indices, memory->values,
                             INDEX_32, INDEX_32, 0, F32),
           0);
    EXPECT(cusparseCreateDnMat(&dense, N, N, N, memory->dense, F32, BY_COLUMN), 0);
    EXPECT(cusparseCreateDnMat(&other, N, N, N, memory->blocks, F32, BY_COLUMN), 0);
    EXPECT(cusparseCreateDnVec(&x, N, memory->x, F32), 0);
    EXPECT(cusparseCreateDnVec(&y, N, memory->y, F32), 0);
    EXPECT(cusparseCreateSpVec(&sparse, N, 1, memory->where, memory->x, INDEX_32, 0, F32), 0);
    EXPECT(cusparseSpSV_createDescr(&work), 0);
    EXPECT(cusparseSpMV(handle, 0, &one, a, x, &one, y, F32, 0, NULL), INVALID_VALUE);
    EXPECT(cusparseSpMV(handle, CONJUGATE, &one, a, x, &one, y, F32, 0, memory->space),
           INVALID_VALUE);
    EXPECT(cusparseSpMM(handle, CONJUGATE, 0, &one, a, dense, &one, other, F32, 0, memory->space),
           INVALID_VALUE);
    EXPECT(cusparseSpMM(handle, 0, CONJUGATE, &one, a, dense, &one, other, F32, 0, memory->space),
           INVALID_VALUE);
    EXPECT(cusparseSDDMM(handle, 0, 0, &one, dense, other, &one, a, F32, 0, NULL), INVALID_VALUE);
    EXPECT(cusparseSDDMM(handle, 0, 0, &one, dense, other, &one, a, F32, 4, memory->space),
           INVALID_VALUE);
    EXPECT(cusparseDnMatSetStridedBatch(dense, 2, 0), 0);
    EXPECT(cusparseSDDMM(handle, 0, 0, &one, dense, other, &one, a, F32, 0, memory->space),
           INVALID_VALUE);
    EXPECT(cusparseDnMatSetStridedBatch(dense, 1, 0), 0);
    EXPECT(cusparseSpVV(handle, 0, sparse, y, &result, F32, NULL), INVALID_VALUE);
    EXPECT(cusparseSpVV(handle, CONJUGATE, sparse, y, &result, F32, memory->space), INVALID_VALUE);
    EXPECT(cusparseSparseToDense(handle, a, other, 0, NULL), INVALID_VALUE);
    EXPECT(cusparseSparseToDense(handle, a, other, 4, memory->space), INVALID_VALUE);
    EXPECT(cusparseDenseToSparse_analysis(handle, dense, a, 0, NULL), INVALID_VALUE);
    EXPECT(cusparseSpSV_analysis(handle, CONJUGATE, &one, a, x, y, F32, 0, work, memory->space),
           INVALID_VALUE);
    EXPECT(cusparseSpSV_analysis(handle, 0, &one, a, x, y, F32, 5, work, memory->space),
           INVALID_VALUE);
    EXPECT(cusparseSpSV_analysis(handle, 0, &one, a, x, y, F32, 0, work, NULL), 0);
    EXPECT(cusparseSpSV_destroyDescr(work), 0);
    EXPECT(cusparseSpSM_createDescr(&work), 0);
    EXPECT(cusparseSpSM_analysis(handle, 0, CONJUGATE, &one, a, dense, other, F32, 0, work,
                                 memory->space),
           NOT_SUPPORTED);
    EXPECT(cusparseSpSM_analysis(handle, 0, 0, &one, a, dense, other, F32, 3, work, memory->space),
           INVALID_VALUE);
    EXPECT(cusparseDnMatSetStridedBatch(other, 2, 0), 0);
    capture_stderr();
    EXPECT(cusparseSpSM_analysis(handle, 0, 0, &one, a, dense, other, F32, 0, work, memory->space),
           NOT_SUPPORTED);
    EXPECT(strstr(captured_stderr(), "batches") != NULL, 1);
    EXPECT(cusparseSpSM_destroyDescr(work), 0);
    EXPECT(memory->y[0], 100);
    EXPECT(cusparseDestroySpVec(sparse), 0);
    EXPECT(cusparseDestroyDnVec(y), 0);
    EXPECT(cusparseDestroyDnVec(x), 0);
    EXPECT(cusparseDestroyDnMat(other), 0);
    EXPECT(cusparseDestroyDnMat(dense), 0);
    EXPECT(cusparseDestroySpMat(a), 0);
}

/* Quotients of complex numbers whose squares overflow or vanish: 2 s / (s + s i) is 1 - i. */
static void use_quotients(void)
{
    enum { C32 = 4, ROWS = 3 };
    struct line {
        float complex diagonal[ROWS], none[ROWS], x[ROWS], y[ROWS], space[64];
        int offsets[ROWS + 1], indices[ROWS];
    } * of;
    const float complex one = 1;
    void *a, *x, *y, *work;
    EXPECT(cudaMallocManaged((void **)&of, sizeof *of, 1), 0);
    for (int large = 0; large < 2; large++) {
        const float scale = large ? 0x1p100f : 0x1p-100f;
        for (int i = 0; i < ROWS; i++) {
            of->diagonal[i] = scale + scale * I, of->x[i] = 2 * scale, of->none[i] = 0;
            of->offsets[i] = of->indices[i] = i;
        }
        of->offsets[ROWS] = ROWS;
        EXPECT(cusparseCreateCsr(&a, ROWS, ROWS, ROWS, of->offsets, of->indices, of->diagonal,
                                 INDEX_32, INDEX_32, 0, C32),
               0);
        EXPECT(cusparseCreateDnVec(&x, ROWS, of->x, C32), 0);
        EXPECT(cusparseCreateDnVec(&y, ROWS, of->y, C32), 0);
        EXPECT(cusparseSpSV_createDescr(&work), 0);
        EXPECT(cusparseSpSV_analysis(handle, 0, &one, a, x, y, C32, 0, work, of->space), 0);
        EXPECT(cusparseSpSV_solve(handle, 0, &one, a, x, y, C32, 0, work), 0);
        EXPECT(cusparseCgtsv2(handle, ROWS, 1, of->none, of->diagonal, of->none, of->x, ROWS,
                              of->space),
               0);
        EXPECT(cudaStreamSynchronize(stream), 0);
        for (int i = 0; i < ROWS; i++) {
            EXPECT(of->y[i] == 1 - I, 1);
            EXPECT(of->x[i] == 1 - I, 1);
        }
        EXPECT(cusparseSpSV_destroyDescr(work), 0);
        EXPECT(cusparseDestroyDnVec(y), 0);
        EXPECT(cusparseDestroyDnVec(x), 0);
        EXPECT(cusparseDestroySpMat(a), 0);
    }
    EXPECT(cudaFree(of), 0);
}

int main(void)
{
    EXPECT(cusparseCreate(&handle), 0);
    EXPECT(cudaStreamCreate(&stream), 0);
    EXPECT(cusparseSetStream(handle, stream), 0);
    EXPECT(cusparseCreateMatDescr(&description), 0);
    EXPECT(cudaMallocManaged((void **)&memory, sizeof *memory, 1), 0);
    use_factors();
    use_results();
    use_descriptions();
    use_new_values();
    use_refused();
    use_quotients();
    EXPECT(cudaFree(memory), 0);
    EXPECT(cusparseDestroyMatDescr(description), 0);
    EXPECT(cusparseDestroy(handle), 0);
    EXPECT(cudaStreamDestroy(stream), 0);
    return failures != 0;
}
