/* Older calls of cuSPARSE on diagonals and on rows: systems, sums, pruning, sorting, colours;
 * against what is computed here. */
#include "sparse_values.h"

#define FOUR(name, ...)                                                                           \
    int cusparseS##name(__VA_ARGS__);                                                             \
    int cusparseD##name(__VA_ARGS__);                                                             \
    int cusparseC##name(__VA_ARGS__);                                                             \
    int cusparseZ##name(__VA_ARGS__);                                                             \
    static int (*const name[])(__VA_ARGS__) = {cusparseS##name, cusparseD##name, cusparseC##name, \
                                               cusparseZ##name};

int cusparseCreate(void **handle);
int cusparseDestroy(void *handle);
int cusparseCreateMatDescr(void **made);
int cusparseSetMatIndexBase(void *description, int base);
FOUR(gtsv2_bufferSizeExt, void *h, int m, int n, void *dl, void *d, void *du, void *b, int ldb,
     size_t *size)
FOUR(gtsv2, void *h, int m, int n, void *dl, void *d, void *du, void *b, int ldb, void *space)
FOUR(gtsv2_nopivot_bufferSizeExt, void *h, int m, int n, void *dl, void *d, void *du, void *b,
     int ldb, size_t *size)
FOUR(gtsv2_nopivot, void *h, int m, int n, void *dl, void *d, void *du, void *b, int ldb,
     void *space)
FOUR(gtsv2StridedBatch_bufferSizeExt, void *h, int m, void *dl, void *d, void *du, void *b,
     int count, int stride, size_t *size)
FOUR(gtsv2StridedBatch, void *h, int m, void *dl, void *d, void *du, void *b, int count, int stride,
     void *space)
FOUR(gtsvInterleavedBatch_bufferSizeExt, void *h, int how, int m, void *dl, void *d, void *du,
     void *b, int count, size_t *size)
FOUR(gtsvInterleavedBatch, void *h, int how, int m, void *dl, void *d, void *du, void *b, int count,
     void *space)
FOUR(gpsvInterleavedBatch_bufferSizeExt, void *h, int how, int m, void *ds, void *dl, void *d,
     void *du, void *dw, void *b, int count, size_t *size)
FOUR(gpsvInterleavedBatch, void *h, int how, int m, void *ds, void *dl, void *d, void *du, void *dw,
     void *b, int count, void *space)
FOUR(gemvi_bufferSize, void *h, int op, int m, int n, int count, int *size)
FOUR(gemvi, void *h, int op, int m, int n, const void *alpha, void *a, int lda, int count, void *v,
     int *c, const void *beta, void *y, int base, void *space)
FOUR(csrgeam2_bufferSizeExt, void *h, int m, int n, const void *alpha, void *a, int na, void *va,
     int *oa, int *ca, const void *beta, void *b, int nb, void *vb, int *ob, int *cb, void *c,
     void *vc, int *oc, int *cc, size_t *size)
FOUR(csrgeam2, void *h, int m, int n, const void *alpha, void *a, int na, void *va, int *oa,
     int *ca, const void *beta, void *b, int nb, void *vb, int *ob, int *cb, void *c, void *vc,
     int *oc, int *cc, void *space)
int cusparseXcsrgeam2Nnz(void *h, int m, int n, void *a, int na, int *oa, int *ca, void *b, int nb,
                         int *ob, int *cb, void *c, int *oc, int *total, void *space);
FOUR(nnz, void *h, int direction, int m, int n, void *d, void *a, int lda, int *counts, int *total)
struct pair {
    float real, imaginary;
};
struct double_pair {
    double real, imaginary;
};
#define COMPRESS(Letter, T)                                                                   \
    int cusparse##Letter##nnz_compress(void *h, int m, void *d, void *v, int *o, int *counts, \
                                       int *total, T tolerance);                              \
    int cusparse##Letter##csr2csr_compress(void *h, int m, int n, void *d, void *v, int *c,   \
                                           int *o, int count, int *counts, void *vc, int *cc, \
                                           int *oc, T tolerance);
COMPRESS(S, float)
COMPRESS(D, double)
COMPRESS(C, struct pair)
COMPRESS(Z, struct double_pair)
#define PRUNE(Letter)                                                                              \
    int cusparse##Letter##pruneDense2csr_bufferSizeExt(void *h, int m, int n, void *a, int lda,    \
                                                       void *threshold, void *d, void *v, int *o,  \
                                                       int *c, size_t *size);                      \
    int cusparse##Letter##pruneDense2csrNnz(void *h, int m, int n, void *a, int lda,               \
                                            void *threshold, void *d, int *o, int *total,          \
                                            void *space);                                          \
    int cusparse##Letter##pruneDense2csr(void *h, int m, int n, void *a, int lda, void *threshold, \
                                         void *d, void *v, int *o, int *c, void *space);           \
    int cusparse##Letter##pruneDense2csrByPercentage_bufferSizeExt(                                \
        void *h, int m, int n, void *a, int lda, float part, void *d, void *v, int *o, int *c,     \
        void *info, size_t *size);                                                                 \
    int cusparse##Letter##pruneDense2csrNnzByPercentage(void *h, int m, int n, void *a, int lda,   \
                                                        float part, void *d, int *o, int *total,   \
                                                        void *info, void *space);                  \
    int cusparse##Letter##pruneDense2csrByPercentage(void *h, int m, int n, void *a, int lda,      \
                                                     float part, void *d, void *v, int *o, int *c, \
                                                     void *info, void *space);                     \
    int cusparse##Letter##pruneCsr2csr_bufferSizeExt(                                              \
        void *h, int m, int n, int count, void *from, void *va, int *oa, int *ca, void *threshold, \
        void *d, void *v, int *o, int *c, size_t *size);                                           \
    int cusparse##Letter##pruneCsr2csrNnz(void *h, int m, int n, int count, void *from, void *va,  \
                                          int *oa, int *ca, void *threshold, void *d, int *o,      \
                                          int *total, void *space);                                \
    int cusparse##Letter##pruneCsr2csr(void *h, int m, int n, int count, void *from, void *va,     \
                                       int *oa, int *ca, void *threshold, void *d, void *v,        \
                                       int *o, int *c, void *space);                               \
    int cusparse##Letter##pruneCsr2csrNnzByPercentage(                                             \
        void *h, int m, int n, int count, void *from, void *va, int *oa, int *ca, float part,      \
        void *d, int *o, int *total, void *info, void *space);                                     \
    int cusparse##Letter##pruneCsr2csrByPercentage(                                                \
        void *h, int m, int n, int count, void *from, void *va, int *oa, int *ca, float part,      \
        void *d, void *v, int *o, int *c, void *info, void *space);
PRUNE(S)
PRUNE(D)
PRUNE(H)
int cusparseCreatePruneInfo(void **made);
int cusparseDestroyPruneInfo(void *info);
int cusparseXcoosort_bufferSizeExt(void *h, int m, int n, int count, int *rows, int *columns,
                                   size_t *size);
int cusparseXcoosortByRow(void *h, int m, int n, int count, int *rows, int *columns, int *places,
                          void *space);
int cusparseXcoosortByColumn(void *h, int m, int n, int count, int *rows, int *columns, int *places,
                             void *space);
int cusparseXcscsort_bufferSizeExt(void *h, int m, int n, int count, int *o, int *c, size_t *size);
int cusparseXcscsort(void *h, int m, int n, int count, void *d, int *o, int *c, int *places,
                     void *space);
int cusparseCreateCsru2csrInfo(void **made);
int cusparseDestroyCsru2csrInfo(void *info);
FOUR(csru2csr_bufferSizeExt, void *h, int m, int n, int count, void *v, int *o, int *c, void *info,
     size_t *size)
FOUR(csru2csr, void *h, int m, int n, int count, void *d, void *v, int *o, int *c, void *info,
     void *space)
FOUR(csr2csru, void *h, int m, int n, int count, void *d, void *v, int *o, int *c, void *info,
     void *space)
int cusparseCreateColorInfo(void **made);
int cusparseDestroyColorInfo(void *info);
FOUR(csrcolor, void *h, int m, int count, void *d, void *v, int *o, int *c, const void *fraction,
     int *colours, int *coloring, int *order, void *info)

static const int types[] = {FLOAT, DOUBLE, COMPLEX, DOUBLE_COMPLEX};
static void *handle, *space, *zero_based, *one_based;

static bool is_near(number got, number wanted, int type)
{
    return cabs(got - wanted) <= (type == FLOAT || type == COMPLEX ? 1e-3 : 1e-10);
}

/* ---- systems of few diagonals ---- */

enum { ROWS = 17, SYSTEMS = 3, STRIDE = 20 };

/* Numbers of all diagonals and right sides: [diagonal][element]. hard: the main diagonal has zeros.
 */
struct band {
    void *diagonals[5], *x;
    number is[5][SYSTEMS * STRIDE], right[SYSTEMS * STRIDE];
};

static struct band any_band(int type, bool is_hard)
{
    struct band made = {.x = managed(SYSTEMS * STRIDE * 16)};
    for (int i = 0; i < SYSTEMS * STRIDE; i++)
        put(made.x, type, i, made.right[i] = any_value(type));
    for (int d = 0; d < 5; d++) {
        made.diagonals[d] = managed(SYSTEMS * STRIDE * 16);
        for (int i = 0; i < SYSTEMS * STRIDE; i++) {
            made.is[d][i] =
                d == 2 ? (is_hard && i % 5 == 0 ? 0 : 9 + random_below(3)) : any_value(type);
            made.is[d][i] = made.is[d][i] == 0 && d != 2 ? 1 : made.is[d][i];
            put(made.diagonals[d], type, i, made.is[d][i]);
        }
    }
    return made;
}

/* Element i of system s is at i * step + s * stride of the diagonals, and of x with its own. */
static void check_band(struct band *band, int type, int width, int rows, int systems, int step,
                       int stride, int x_step, int x_stride, const char *call)
{
    int wrong = 0;
    for (int s = 0; s < systems; s++)
        for (int i = 0; i < rows; i++) {
            number sum = 0;
            for (int d = 2 - width; d <= 2 + width; d++)
                if (i + d - 2 >= 0 && i + d - 2 < rows)
                    sum += band->is[d][i * step + s * stride] *
                           get(band->x, type, (i + d - 2) * x_step + s * x_stride);
            wrong += !is_near(sum, band->right[i * x_step + s * x_stride], type);
        }
    EXPECT_NUMBERS(wrong, "%s of type %d, %d rows", call, type, rows);
    for (int d = 0; d < 5; d++)
        cudaFree(band->diagonals[d]);
    cudaFree(band->x);
}

static void check_systems(int t)
{
    const int type = types[t];
    size_t size = 0;
    struct band is = any_band(type, true);
    EXPECT(gtsv2_bufferSizeExt[t](handle, ROWS, SYSTEMS, is.diagonals[1], is.diagonals[2],
                                  is.diagonals[3], is.x, STRIDE, &size),
           OK);
    EXPECT(size <= 1 << 16, 1);
    EXPECT(gtsv2[t](handle, ROWS, SYSTEMS, is.diagonals[1], is.diagonals[2], is.diagonals[3], is.x,
                    STRIDE, space),
           OK);
    check_band(&is, type, 1, ROWS, SYSTEMS, 1, 0, 1, STRIDE, "gtsv2");
    is = any_band(type, false);
    EXPECT(gtsv2_nopivot_bufferSizeExt[t](handle, ROWS, SYSTEMS, is.diagonals[1], is.diagonals[2],
                                          is.diagonals[3], is.x, STRIDE, &size),
           OK);
    EXPECT(gtsv2_nopivot[t](handle, ROWS, SYSTEMS, is.diagonals[1], is.diagonals[2],
                            is.diagonals[3], is.x, STRIDE, space),
           OK);
    check_band(&is, type, 1, ROWS, SYSTEMS, 1, 0, 1, STRIDE, "gtsv2_nopivot");
    is = any_band(type, false);
    EXPECT(gtsv2StridedBatch_bufferSizeExt[t](handle, ROWS, is.diagonals[1], is.diagonals[2],
                                              is.diagonals[3], is.x, SYSTEMS, STRIDE, &size),
           OK);
    EXPECT(gtsv2StridedBatch[t](handle, ROWS, is.diagonals[1], is.diagonals[2], is.diagonals[3],
                                is.x, SYSTEMS, STRIDE, space),
           OK);
    check_band(&is, type, 1, ROWS, SYSTEMS, 1, STRIDE, 1, STRIDE, "gtsv2StridedBatch");
    for (int rows = 1; rows <= ROWS; rows += 4)
        for (int how = 0; how < 3; how++) {
            is = any_band(type, how == 1 && rows > 1);
            EXPECT(gtsvInterleavedBatch_bufferSizeExt[t](handle, how, rows, is.diagonals[1],
                                                         is.diagonals[2], is.diagonals[3], is.x,
                                                         SYSTEMS, &size),
                   OK);
            EXPECT(gtsvInterleavedBatch[t](handle, how, rows, is.diagonals[1], is.diagonals[2],
                                           is.diagonals[3], is.x, SYSTEMS, space),
                   OK);
            check_band(&is, type, 1, rows, SYSTEMS, SYSTEMS, 1, SYSTEMS, 1, "gtsvInterleavedBatch");
            is = any_band(type, false);
            EXPECT(gpsvInterleavedBatch_bufferSizeExt[t](
                       handle, 0, rows, is.diagonals[0], is.diagonals[1], is.diagonals[2],
                       is.diagonals[3], is.diagonals[4], is.x, SYSTEMS, &size),
                   OK);
            EXPECT(gpsvInterleavedBatch[t](handle, 0, rows, is.diagonals[0], is.diagonals[1],
                                           is.diagonals[2], is.diagonals[3], is.diagonals[4], is.x,
                                           SYSTEMS, space),
                   OK);
            check_band(&is, type, 2, rows, SYSTEMS, SYSTEMS, 1, SYSTEMS, 1, "gpsvInterleavedBatch");
        }
    void *a = space;
    EXPECT(gtsv2[t](NULL, 5, 1, a, a, a, a, 5, space), NOT_INITIALIZED);
    EXPECT(gtsv2[t](handle, 2, 1, a, a, a, a, 5, space), INVALID);
    EXPECT(gtsv2[t](handle, 5, -1, a, a, a, a, 5, space), INVALID);
    EXPECT(gtsv2[t](handle, 5, 0, a, a, a, a, 5, space), OK);
    EXPECT(gtsv2[t](handle, 5, 1, a, a, a, a, 4, space), INVALID);
    EXPECT(gtsv2StridedBatch[t](handle, 5, a, a, a, a, 1, 4, space), INVALID);
    EXPECT(gtsvInterleavedBatch[t](handle, 3, 5, a, a, a, a, 1, space), INVALID);
    EXPECT(gpsvInterleavedBatch[t](handle, 0, -1, a, a, a, a, a, a, 1, space), INVALID);
}

/* ---- rows ---- */

enum { M = 9, N = 7 };

struct rows {
    int *offsets, *indices, count, base;
    void *values;
    number is[M][N];
};

static struct rows any_rows(int type, int base, int one_in)
{
    struct rows made = {managed(200), managed(400), 0, base, managed(M * N * 16), {{0}}};
    for (int i = 0; i < M; i++) {
        made.offsets[i] = made.count + base;
        for (int k = 0; k < N; k++) {
            if (random_below(one_in) || (made.is[i][k] = any_value(type)) == 0)
                continue;
            made.indices[made.count] = k + base;
            put(made.values, type, made.count++, made.is[i][k]);
        }
    }
    made.offsets[M] = made.count + base;
    return made;
}

static struct rows empty_rows(int base)
{
    return (struct rows){managed(200), managed(400), 0, base, managed(M * N * 16), {{0}}};
}

static void release(struct rows *self)
{
    cudaFree(self->offsets);
    cudaFree(self->indices);
    cudaFree(self->values);
}

/* Exactly the elements that are not 0 of what is wanted. */
static void expect_rows(const struct rows *got, number wanted[M][N], int type, const char *call)
{
    int e = 0, wrong = 0;
    for (int i = 0; i < M; i++) {
        wrong += got->offsets[i] != e + got->base;
        for (int k = 0; k < N; k++) {
            if (wanted[i][k] == 0)
                continue;
            wrong += got->indices[e] != k + got->base || get(got->values, type, e) != wanted[i][k];
            e++;
        }
    }
    wrong += got->offsets[M] != e + got->base;
    EXPECT_NUMBERS(wrong, "%s of type %d", call, type);
}

static void check_sums(int t)
{
    const int type = types[t];
    struct rows a = any_rows(type, 0, 2), b = any_rows(type, 1, 3), c = empty_rows(1);
    number alpha[1] = {0}, beta[1] = {0};
    int total = -1, e = 0, wrong = 0, size = 0;
    size_t bytes = 0;
    put(alpha, type, 0, 2);
    put(beta, type, 0, 3);
    EXPECT(csrgeam2_bufferSizeExt[t](handle, M, N, alpha, zero_based, a.count, a.values, a.offsets,
                                     a.indices, beta, one_based, b.count, b.values, b.offsets,
                                     b.indices, one_based, c.values, c.offsets, c.indices, &bytes),
           OK);
    EXPECT(cusparseXcsrgeam2Nnz(handle, M, N, zero_based, a.count, a.offsets, a.indices, one_based,
                                b.count, b.offsets, b.indices, one_based, c.offsets, &total, space),
           OK);
    EXPECT(csrgeam2[t](handle, M, N, alpha, zero_based, a.count, a.values, a.offsets, a.indices,
                       beta, one_based, b.count, b.values, b.offsets, b.indices, one_based,
                       c.values, c.offsets, c.indices, space),
           OK);
    for (int i = 0; i < M * N; i++) { /* sums of 0 are elements, too */
        const number left = a.is[i / N][i % N], right = b.is[i / N][i % N];
        if (left == 0 && right == 0)
            continue;
        wrong += c.indices[e] != i % N + 1 || get(c.values, type, e) != 2 * left + 3 * right;
        e++;
    }
    EXPECT(total, e);
    EXPECT(c.offsets[M], e + 1);
    EXPECT_NUMBERS(wrong, "csrgeam2 of type %d", type);
    EXPECT(cusparseXcsrgeam2Nnz(handle, -M, N, zero_based, a.count, a.offsets, a.indices, one_based,
                                b.count, b.offsets, b.indices, one_based, c.offsets, &total, space),
           INVALID);
    EXPECT(cusparseXcsrgeam2Nnz(handle, M, N, NULL, a.count, a.offsets, a.indices, one_based,
                                b.count, b.offsets, b.indices, one_based, c.offsets, &total, space),
           INVALID);
    void *dense = managed(M * N * 16), *y = managed(M * 16);
    int *places = managed(16);
    for (int op = 0; op < (is_complex(type) ? 3 : 2); op++) {
        number before[M];
        int lines = op ? N : M;
        for (int i = 0; i < M * N; i++)
            put(dense, type, i % M + i / M * M, a.is[i % M][i / M]);
        for (int i = 0; i < M; i++)
            put(y, type, i, before[i] = any_value(type));
        for (int i = 0; i < 3; i++)
            put(b.values, type, i, 1 + i), places[i] = 2 * i + 1;
        EXPECT(gemvi_bufferSize[t](handle, op, M, N, 3, &size), OK);
        EXPECT(gemvi[t](handle, op, M, N, alpha, dense, M, 3, b.values, places, beta, y, 1, space),
               OK);
        for (int i = 0; i < lines; i++) {
            number sum = 0;
            for (int k = 0; k < 3; k++)
                sum += (op ? turned(a.is[2 * k][i], op) : a.is[i][2 * k]) * (1 + k);
            wrong += get(y, type, i) != 2 * sum + 3 * before[i];
        }
        EXPECT_NUMBERS(wrong, "gemvi of type %d, op %d", type, op);
    }
    EXPECT(gemvi[t](handle, PLAIN, -1, N, alpha, dense, M, 3, b.values, places, beta, y, 1, space),
           INVALID);
    cudaFree(dense);
    cudaFree(y);
    cudaFree(places);
    release(&a);
    release(&b);
    release(&c);
}

static int compress(int t, struct rows *a, int *counts, int *total, struct rows *c, double limit)
{
    const float narrow = (float)limit;
    const struct pair pair = {narrow, 0};
    const struct double_pair wide = {limit, 0};
    void *d = a->base ? one_based : zero_based;
    switch (t * 2 + (c != NULL)) {
    case 0:
        return cusparseSnnz_compress(handle, M, d, a->values, a->offsets, counts, total, narrow);
    case 1:
        return cusparseScsr2csr_compress(handle, M, N, d, a->values, a->indices, a->offsets,
                                         a->count, counts, c->values, c->indices, c->offsets,
                                         narrow);
    case 2:
        return cusparseDnnz_compress(handle, M, d, a->values, a->offsets, counts, total, limit);
    case 3:
        return cusparseDcsr2csr_compress(handle, M, N, d, a->values, a->indices, a->offsets,
                                         a->count, counts, c->values, c->indices, c->offsets,
                                         limit);
    case 4:
        return cusparseCnnz_compress(handle, M, d, a->values, a->offsets, counts, total, pair);
    case 5:
        return cusparseCcsr2csr_compress(handle, M, N, d, a->values, a->indices, a->offsets,
                                         a->count, counts, c->values, c->indices, c->offsets, pair);
    case 6:
        return cusparseZnnz_compress(handle, M, d, a->values, a->offsets, counts, total, wide);
    default:
        return cusparseZcsr2csr_compress(handle, M, N, d, a->values, a->indices, a->offsets,
                                         a->count, counts, c->values, c->indices, c->offsets, wide);
    }
}

static void check_compressed(int t)
{
    const int type = types[t], base = t & 1;
    struct rows a = any_rows(type, base, 2), c = empty_rows(base);
    int *counts = managed(M * 8), total = -1, kept = 0, other = -1;
    number wanted[M][N];
    void *dense = managed(M * N * 16);
    for (int i = 0; i < M * N; i++) {
        wanted[i / N][i % N] = cabs(a.is[i / N][i % N]) > 1.5 ? a.is[i / N][i % N] : 0;
        kept += wanted[i / N][i % N] != 0;
        put(dense, type, i / N + i % N * M, a.is[i / N][i % N]);
    }
    EXPECT(compress(t, &a, counts, &total, NULL, 1.5), OK);
    EXPECT(total, kept);
    EXPECT(compress(t, &a, counts, &total, &c, 1.5), OK);
    expect_rows(&c, wanted, type, "csr2csr_compress");
    EXPECT(compress(t, &a, counts, &total, NULL, -1), INVALID);
    EXPECT(nnz[t](handle, 0, M, N, zero_based, dense, M, counts, &total), OK);
    EXPECT(total, a.count);
    for (int i = 0; i < M; i++)
        EXPECT(counts[i], a.offsets[i + 1] - a.offsets[i]);
    EXPECT(nnz[t](handle, 1, M, N, zero_based, dense, M, counts, &other), OK);
    EXPECT(other, a.count);
    EXPECT(nnz[t](handle, 4, M, N, zero_based, dense, M, counts, &other), INVALID);
    EXPECT(nnz[t](handle, 0, M, N, zero_based, dense, M - 1, counts, &other), INVALID);
    cudaFree(dense);
    cudaFree(counts);
    release(&a);
    release(&c);
}

/* ---- pruning ---- */

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* The size that a part of the values does not exceed. */
static double threshold_of(double *sizes, int count, double part)
{
    int at = (int)ceil(count * part / 100) - 1;
    qsort(sizes, (size_t)count, sizeof *sizes, by_size);
    return sizes[at < 0 ? 0 : at];
}

static void keep(number to[M][N], const struct rows *a, double threshold)
{
    for (int i = 0; i < M * N; i++)
        to[i / N][i % N] = cabs(a->is[i / N][i % N]) > threshold ? a->is[i / N][i % N] : 0;
}

#define CHECK_PRUNED(Letter, type)                                                                \
    static void check_pruned_##Letter(void)                                                       \
    {                                                                                             \
        struct rows a = any_rows(type, 1, 2), c = empty_rows(0);                                  \
        number threshold[1] = {0}, wanted[M][N];                                                  \
        double sizes[M * N], stored[M * N];                                                       \
        void *dense = managed(M * N * 16), *info = NULL;                                          \
        int total = -1;                                                                           \
        size_t size = 0;                                                                          \
        put(threshold, type, 0, 1.5);                                                             \
        for (int i = 0; i < M * N; i++) {                                                         \
            put(dense, type, i / N + i % N * M, a.is[i / N][i % N]);                              \
            sizes[i] = cabs(a.is[i / N][i % N]);                                                  \
        }                                                                                         \
        for (int i = 0; i < a.count; i++)                                                         \
            stored[i] = cabs(get(a.values, type, i));                                             \
        EXPECT(cusparseCreatePruneInfo(&info), OK);                                               \
        keep(wanted, &a, 1.5);                                                                    \
        EXPECT(cusparse##Letter##pruneDense2csr_bufferSizeExt(handle, M, N, dense, M, threshold,  \
                                                              zero_based, c.values, c.offsets,    \
                                                              c.indices, &size),                  \
               OK);                                                                               \
        EXPECT(cusparse##Letter##pruneDense2csrNnz(handle, M, N, dense, M, threshold, zero_based, \
                                                   c.offsets, &total, space),                     \
               OK);                                                                               \
        EXPECT(total, c.offsets[M]);                                                              \
        EXPECT(cusparse##Letter##pruneDense2csr(handle, M, N, dense, M, threshold, zero_based,    \
                                                c.values, c.offsets, c.indices, space),           \
               OK);                                                                               \
        expect_rows(&c, wanted, type, "pruneDense2csr");                                          \
        EXPECT(cusparse##Letter##pruneCsr2csr_bufferSizeExt(                                      \
                   handle, M, N, a.count, one_based, a.values, a.offsets, a.indices, threshold,   \
                   zero_based, c.values, c.offsets, c.indices, &size),                            \
               OK);                                                                               \
        EXPECT(cusparse##Letter##pruneCsr2csrNnz(handle, M, N, a.count, one_based, a.values,      \
                                                 a.offsets, a.indices, threshold, zero_based,     \
                                                 c.offsets, &total, space),                       \
               OK);                                                                               \
        EXPECT(cusparse##Letter##pruneCsr2csr(handle, M, N, a.count, one_based, a.values,         \
                                              a.offsets, a.indices, threshold, zero_based,        \
                                              c.values, c.offsets, c.indices, space),             \
               OK);                                                                               \
        expect_rows(&c, wanted, type, "pruneCsr2csr");                                            \
        for (float part = 0; part <= 100; part += 12.5f) {                                        \
            keep(wanted, &a, threshold_of(sizes, M *N, part));                                    \
            EXPECT(cusparse##Letter##pruneDense2csrByPercentage_bufferSizeExt(                    \
                       handle, M, N, dense, M, part, zero_based, c.values, c.offsets, c.indices,  \
                       info, &size),                                                              \
                   OK);                                                                           \
            EXPECT(cusparse##Letter##pruneDense2csrNnzByPercentage(                               \
                       handle, M, N, dense, M, part, zero_based, c.offsets, &total, info, space), \
                   OK);                                                                           \
            EXPECT(cusparse##Letter##pruneDense2csrByPercentage(handle, M, N, dense, M, part,     \
                                                                zero_based, c.values, c.offsets,  \
                                                                c.indices, info, space),          \
                   OK);                                                                           \
            expect_rows(&c, wanted, type, "pruneDense2csrByPercentage");                          \
            keep(wanted, &a, threshold_of(stored, a.count, part));                                \
            EXPECT(cusparse##Letter##pruneCsr2csrNnzByPercentage(                                 \
                       handle, M, N, a.count, one_based, a.values, a.offsets, a.indices, part,    \
                       zero_based, c.offsets, &total, info, space),                               \
                   OK);                                                                           \
            EXPECT(cusparse##Letter##pruneCsr2csrByPercentage(                                    \
                       handle, M, N, a.count, one_based, a.values, a.offsets, a.indices, part,    \
                       zero_based, c.values, c.offsets, c.indices, info, space),                  \
                   OK);                                                                           \
            expect_rows(&c, wanted, type, "pruneCsr2csrByPercentage");                            \
        }                                                                                         \
        EXPECT(cusparse##Letter##pruneDense2csrNnzByPercentage(                                   \
                   handle, M, N, dense, M, 101, zero_based, c.offsets, &total, info, space),      \
               INVALID);                                                                          \
        EXPECT(cusparse##Letter##pruneDense2csrNnz(handle, M, N, dense, M - 1, threshold,         \
                                                   zero_based, c.offsets, &total, space),         \
               INVALID);                                                                          \
        EXPECT(cusparse##Letter##pruneDense2csrNnz(handle, M, N, dense, M, NULL, zero_based,      \
                                                   c.offsets, &total, space),                     \
               INVALID);                                                                          \
        EXPECT(cusparse##Letter##pruneDense2csrNnz(NULL, M, N, dense, M, threshold, zero_based,   \
                                                   c.offsets, &total, space),                     \
               NOT_INITIALIZED);                                                                  \
        EXPECT(cusparseDestroyPruneInfo(info), OK);                                               \
        cudaFree(dense);                                                                          \
        release(&a);                                                                              \
        release(&c);                                                                              \
    }
CHECK_PRUNED(S, FLOAT)
CHECK_PRUNED(D, DOUBLE)
CHECK_PRUNED(H, HALF)

/* ---- sorting ---- */

static void test_sorts(void)
{
    enum { COUNT = 700 };
    int *rows = managed(COUNT * 4), *columns = managed(COUNT * 4), *places = managed(COUNT * 4),
        given[2][COUNT];
    size_t size = 0;
    for (int by_column = 0; by_column < 2; by_column++) {
        int wrong = 0, *keys = by_column ? columns : rows, *others = by_column ? rows : columns;
        for (int i = 0; i < COUNT; i++) {
            rows[i] = given[0][i] = random_below(40);
            columns[i] = given[1][i] = random_below(40);
            places[i] = i;
        }
        EXPECT(cusparseXcoosort_bufferSizeExt(handle, 40, 40, COUNT, rows, columns, &size), OK);
        EXPECT(size <= 1 << 16, 1);
        EXPECT((by_column ? cusparseXcoosortByColumn : cusparseXcoosortByRow)(
                   handle, 40, 40, COUNT, rows, columns, places, space),
               OK);
        for (int i = 0; i < COUNT; i++) {
            wrong += rows[i] != given[0][places[i]] || columns[i] != given[1][places[i]];
            if (i)
                wrong += keys[i] < keys[i - 1] ||
                         (keys[i] == keys[i - 1] &&
                          (others[i] < others[i - 1] ||
                           (others[i] == others[i - 1] && places[i] < places[i - 1])));
        }
        EXPECT_NUMBERS(wrong, "coosort, %d", by_column);
    }
    EXPECT(cusparseXcoosortByRow(handle, 40, 40, COUNT, rows, columns, NULL, space), 7);
    EXPECT(cusparseXcoosortByRow(handle, -1, 40, COUNT, rows, columns, places, space), INVALID);
    EXPECT(cusparseXcoosortByRow(NULL, 40, 40, COUNT, rows, columns, places, space),
           NOT_INITIALIZED);
    int *offsets = managed(64), *lines = managed(64);
    static const int begins[] = {1, 3, 4, 6}, unsorted[] = {3, 1, 2, 3, 1},
                     sorted[] = {1, 3, 2, 1, 3}, from[] = {1, 0, 2, 4, 3};
    memcpy(offsets, begins, sizeof begins);
    memcpy(lines, unsorted, sizeof unsorted);
    for (int i = 0; i < 5; i++)
        places[i] = i;
    EXPECT(cusparseXcscsort_bufferSizeExt(handle, 3, 3, 5, offsets, lines, &size), OK);
    EXPECT(cusparseXcscsort(handle, 3, 3, 5, one_based, offsets, lines, places, space), OK);
    EXPECT(memcmp(lines, sorted, sizeof sorted), 0);
    EXPECT(memcmp(places, from, sizeof from), 0);
    cudaFree(rows);
    cudaFree(columns);
    cudaFree(places);
    cudaFree(offsets);
    cudaFree(lines);
}

static void check_unsorted(int t)
{
    const int type = types[t];
    struct rows a = any_rows(type, 0, 2);
    void *info = NULL, *values = managed(M * N * 16);
    int indices[M * N];
    size_t size = 0;
    for (int i = 0; i < M; i++) /* turn each row around */
        for (int e = a.offsets[i], f = a.offsets[i + 1] - 1; e < f; e++, f--) {
            number value = get(a.values, type, e);
            int other = a.indices[e];
            put(a.values, type, e, get(a.values, type, f));
            put(a.values, type, f, value);
            a.indices[e] = a.indices[f];
            a.indices[f] = other;
        }
    memcpy(values, a.values, M * N * 16);
    memcpy(indices, a.indices, sizeof indices);
    EXPECT(cusparseCreateCsru2csrInfo(&info), OK);
    EXPECT(csru2csr_bufferSizeExt[t](handle, M, N, a.count, a.values, a.offsets, a.indices, info,
                                     &size),
           OK);
    EXPECT(
        csru2csr[t](handle, M, N, a.count, zero_based, a.values, a.offsets, a.indices, info, space),
        OK);
    expect_rows(&a, a.is, type, "csru2csr");
    EXPECT(
        csr2csru[t](handle, M, N, a.count, zero_based, a.values, a.offsets, a.indices, info, space),
        OK);
    EXPECT(memcmp(a.indices, indices, (size_t)a.count * sizeof *indices), 0);
    EXPECT(memcmp(a.values, values, (size_t)a.count * bytes_of(type)), 0);
    EXPECT(
        csru2csr[t](handle, M, N, a.count, zero_based, a.values, a.offsets, a.indices, NULL, space),
        INVALID);
    EXPECT(
        csru2csr[t](NULL, M, N, a.count, zero_based, a.values, a.offsets, a.indices, info, space),
        NOT_INITIALIZED);
    EXPECT(cusparseDestroyCsru2csrInfo(info), OK);
    cudaFree(values);
    release(&a);
}

/* ---- colours ---- */

static void check_colours(int t, double fraction)
{
    enum { VERTICES = 40 };
    static bool has[VERTICES][VERTICES];
    int *offsets = managed(400), *indices = managed(VERTICES * VERTICES * 4),
        *colours = managed(400), *order = managed(400);
    int count = 0, colour_count = -1, wrong = 0, seen[VERTICES] = {0};
    const float narrow = (float)fraction;
    void *info = NULL;
    for (int i = 0; i < VERTICES * VERTICES; i++)
        if (i / VERTICES <= i % VERTICES)
            has[i / VERTICES][i % VERTICES] = has[i % VERTICES][i / VERTICES] =
                i / VERTICES == i % VERTICES || !random_below(8);
    for (int i = 0; i < VERTICES; i++) {
        offsets[i] = count;
        for (int k = 0; k < VERTICES; k++)
            if (has[i][k])
                indices[count++] = k;
    }
    offsets[VERTICES] = count;
    EXPECT(cusparseCreateColorInfo(&info), OK);
    EXPECT(csrcolor[t](handle, VERTICES, count, zero_based, space, offsets, indices,
                       t % 2 ? (const void *)&fraction : &narrow, &colour_count, colours, order,
                       info),
           OK);
    for (int i = 0; i < VERTICES; i++) {
        wrong += colours[i] < 0 || colours[i] >= colour_count || order[i] < 0 ||
                 order[i] >= VERTICES || seen[order[i]]++;
        wrong += i && colours[order[i]] < colours[order[i - 1]];
        for (int k = 0; k < VERTICES; k++)
            wrong += i != k && has[i][k] && colours[i] == colours[k];
    }
    EXPECT_NUMBERS(wrong, "csrcolor, fraction %g", fraction);
    EXPECT(csrcolor[t](handle, -1, count, zero_based, space, offsets, indices, &fraction,
                       &colour_count, colours, order, info),
           INVALID);
    EXPECT(csrcolor[t](handle, VERTICES, count, zero_based, space, offsets, indices, NULL,
                       &colour_count, colours, order, info),
           INVALID);
    EXPECT(csrcolor[t](NULL, VERTICES, count, zero_based, space, offsets, indices, &fraction,
                       &colour_count, colours, order, info),
           NOT_INITIALIZED);
    EXPECT(cusparseDestroyColorInfo(info), OK);
    cudaFree(offsets);
    cudaFree(indices);
    cudaFree(colours);
    cudaFree(order);
}

int main(void)
{
    EXPECT(cusparseCreate(&handle), OK);
    space = managed(1 << 16);
    EXPECT(cusparseCreateMatDescr(&zero_based), OK);
    EXPECT(cusparseCreateMatDescr(&one_based), OK);
    EXPECT(cusparseSetMatIndexBase(one_based, 1), OK);
    for (int t = 0; t < 4; t++) {
        check_systems(t);
        check_sums(t);
        check_compressed(t);
        check_unsorted(t);
        check_colours(t, 1);
        check_colours(t, 0.5);
    }
    check_pruned_S();
    check_pruned_D();
    check_pruned_H();
    test_sorts();
    EXPECT(cusparseDestroy(handle), OK);
    return failures != 0;
}
