/* The calls of cublas.h, older than handles, against what is computed here. */
#include <complex.h>
#include <math.h>

#include "runtime.h"

typedef float complex single;
typedef double complex twice;

int cublasInit(void);
int cublasShutdown(void);
int cublasGetError(void);
int cublasGetVersion(int *version);
int cublasSetKernelStream(void *stream);
int cublasAlloc(int count, int element_bytes, void **made);
int cublasFree(void *memory);

enum { M = 7, N = 5, K = 6, LD = 9, SIZE = LD * LD, INVALID = 7 };

static double limit; /* of a relative difference, as the type under test allows */

static twice value(int i)
{
    return (i * 7 % 23 - 11) / 8.0 + (i * 5 % 19 - 9) / 8.0 * I;
}

static int differs(twice is, twice should)
{
    return !(cabs(is - should) <= limit * (1 + cabs(should)));
}

static void *managed(size_t bytes)
{
    void *made = NULL;
    EXPECT(cudaMallocManaged(&made, bytes, 1), 0);
    return made;
}

/* Element (row, column) of op(a), of a matrix a that is what the function says of it. */
static twice turned(twice (*of)(const twice *, int, int), const twice *a, char op, int row,
                    int column)
{
    const twice found = op == 'n' ? of(a, row, column) : of(a, column, row);
    return op == 'c' ? conj(found) : found;
}

static twice whole(const twice *a, int row, int column)
{
    return a[row + column * LD];
}

static twice upper(const twice *a, int row, int column)
{
    return row <= column ? whole(a, row, column) : 0;
}

static twice lower_unit(const twice *a, int row, int column)
{
    return row == column ? 1 : row > column ? whole(a, row, column) : 0;
}

static twice symmetric(const twice *a, int row, int column)
{
    return row <= column ? whole(a, row, column) : whole(a, column, row);
}

static twice hermitian(const twice *a, int row, int column)
{
    return row < column   ? whole(a, row, column)
           : row > column ? conj(whole(a, column, row))
                          : creal(whole(a, row, row));
}

/* What a call made of c, of rows by columns (only the upper half if is_half), beside
 * alpha a b + beta before. */
struct product {
    twice alpha, beta;
    const twice *a, *b;
    twice (*a_of)(const twice *, int, int), (*b_of)(const twice *, int, int);
    char op_a, op_b;
    int rows, columns, depth, is_half;
};

static int count_wrong(const struct product *of, const twice *before, const twice *after)
{
    int wrong = 0;
    for (int i = 0; i < SIZE; i++) {
        const int row = i % LD, column = i / LD;
        twice sum = 0;
        if (row >= of->rows || column >= of->columns || (of->is_half && row > column)) {
            wrong += after[i] != before[i];
            continue;
        }
        for (int k = 0; k < of->depth; k++)
            sum += turned(of->a_of, of->a, of->op_a, row, k) *
                   turned(of->b_of, of->b, of->op_b, k, column);
        wrong += differs(after[i], of->alpha * sum + of->beta * before[i]);
    }
    return wrong;
}

/* Memory of the type under test, and its values as they were before the call. */
#define ARRAYS(T)                                                                   \
    static T *a, *b, *c;                                                            \
    if (!a)                                                                         \
        a = managed(SIZE * sizeof *a), b = managed(SIZE * sizeof *b),               \
        c = managed(SIZE * sizeof *c);                                              \
    static twice as[SIZE], bs[SIZE], cs[SIZE], after[SIZE];                         \
    for (int i = 0; i < SIZE; i++) {                                                \
        a[i] = (T)(value(i + 1) + (i % (LD + 1) ? 0 : 6)), b[i] = (T)value(i + 40); \
        c[i] = (T)value(i + 17);                                                    \
        as[i] = a[i], bs[i] = b[i], cs[i] = c[i];                                   \
    }                                                                               \
    (void)after, (void)as, (void)bs, (void)cs

#define MADE(from)                      \
    EXPECT(cudaDeviceSynchronize(), 0); \
    for (int at = 0; at < SIZE; at++)   \
    after[at] = from[at]

#define GEMM_TEST(Letter, T)                                                                     \
    void cublas##Letter##gemm(char op_a, char op_b, int m, int n, int k, T alpha, const T *a,    \
                              int lda, const T *b, int ldb, T beta, T *c, int ldc);              \
    static void gemm_##Letter(char op_a, char op_b)                                              \
    {                                                                                            \
        ARRAYS(T);                                                                               \
        const T alpha = (T)value(3), beta = (T)value(8);                                         \
        cublas##Letter##gemm(op_a, op_b, M, N, K, alpha, a, LD, b, LD, beta, c, LD);             \
        EXPECT(cublasGetError(), 0);                                                             \
        MADE(c);                                                                                 \
        EXPECT(count_wrong(                                                                      \
                   &(struct product){alpha, beta, as, bs, whole, whole, op_a, op_b, M, N, K, 0}, \
                   cs, after),                                                                   \
               0);                                                                               \
    }

/* name: symm or hemm; of: what the matrix is. */
#define HALF_TEST(Letter, T, name, of)                                                           \
    void cublas##Letter##name(char side, char fill, int m, int n, T alpha, const T *a, int lda,  \
                              const T *b, int ldb, T beta, T *c, int ldc);                       \
    static void name##_##Letter(void)                                                            \
    {                                                                                            \
        ARRAYS(T);                                                                               \
        const T alpha = (T)value(3), beta = (T)value(8);                                         \
        cublas##Letter##name('L', 'U', M, N, alpha, a, LD, b, LD, beta, c, LD);                  \
        EXPECT(cublasGetError(), 0);                                                             \
        MADE(c);                                                                                 \
        EXPECT(                                                                                  \
            count_wrong(&(struct product){alpha, beta, as, bs, of, whole, 'n', 'n', M, N, M, 0}, \
                        cs, after),                                                              \
            0);                                                                                  \
    }

/* A: the factors' type; op: of the second factor. her: the diagonal of c is real before. */
#define RANK_TEST(Letter, T, A, name, op)                                                          \
    void cublas##Letter##name(char fill, char op_a, int n, int k, A alpha, const T *a, int lda,    \
                              A beta, T *c, int ldc);                                              \
    static void name##_##Letter(void)                                                              \
    {                                                                                              \
        ARRAYS(T);                                                                                 \
        const A alpha = (A)value(3), beta = (A)value(8);                                           \
        for (int i = 0; i < LD; i++)                                                               \
            cs[i * (LD + 1)] = c[i * (LD + 1)] = (T)creal(c[i * (LD + 1)]);                        \
        cublas##Letter##name('u', 'N', N, K, alpha, a, LD, beta, c, LD);                           \
        EXPECT(cublasGetError(), 0);                                                               \
        MADE(c);                                                                                   \
        EXPECT(                                                                                    \
            count_wrong(&(struct product){alpha, beta, as, as, whole, whole, 'n', op, N, N, K, 1}, \
                        cs, after),                                                                \
            0);                                                                                    \
    }

/* Twice the half of a sum: c = alpha a b' + (alpha b a' + beta c), in two steps of count_wrong. */
#define RANKS_TEST(Letter, T, B, name, op)                                                         \
    void cublas##Letter##name(char fill, char op_a, int n, int k, T alpha, const T *a, int lda,    \
                              const T *b, int ldb, B beta, T *c, int ldc);                         \
    static void name##_##Letter(void)                                                              \
    {                                                                                              \
        ARRAYS(T);                                                                                 \
        const T alpha = (T)value(3);                                                               \
        const B beta = (B)value(8);                                                                \
        const twice other = op == 'c' ? conj(alpha) : alpha;                                       \
        for (int i = 0; i < LD; i++)                                                               \
            cs[i * (LD + 1)] = c[i * (LD + 1)] = (T)creal(c[i * (LD + 1)]);                        \
        cublas##Letter##name('u', 'N', N, K, alpha, a, LD, b, LD, beta, c, LD);                    \
        EXPECT(cublasGetError(), 0);                                                               \
        MADE(c);                                                                                   \
        for (int row = 0; row < N; row++)                                                          \
            for (int column = row; column < N; column++) {                                         \
                twice sum = 0, *to = cs + row + column * LD;                                       \
                for (int k = 0; k < K; k++)                                                        \
                    sum += whole(bs, row, k) * turned(whole, as, op, k, column);                   \
                *to = beta * *to + other * sum;                                                    \
            }                                                                                      \
        EXPECT(count_wrong(&(struct product){alpha, 1, as, bs, whole, whole, 'n', op, N, N, K, 1}, \
                           cs, after),                                                             \
               0);                                                                                 \
    }

/* A product in its factor's place, and the solution that takes it back. */
#define TRIANGLE_TEST(Letter, T)                                                                   \
    void cublas##Letter##trmm(char side, char fill, char op, char diagonal, int m, int n, T alpha, \
                              const T *a, int lda, T *b, int ldb);                                 \
    void cublas##Letter##trsm(char side, char fill, char op, char diagonal, int m, int n, T alpha, \
                              const T *a, int lda, T *b, int ldb);                                 \
    void cublas##Letter##trmv(char fill, char op, char diagonal, int n, const T *a, int lda, T *x, \
                              int incx);                                                           \
    void cublas##Letter##trsv(char fill, char op, char diagonal, int n, const T *a, int lda, T *x, \
                              int incx);                                                           \
    static void triangle_##Letter(char op, int is_right)                                           \
    {                                                                                              \
        ARRAYS(T);                                                                                 \
        const T alpha = (T)value(3), one = 1;                                                      \
        const int rows = is_right ? N : M, columns = is_right ? M : N;                             \
        struct product of = {alpha, 0, as, bs, upper, whole, op, 'n', M, N, M, 0};                 \
        if (is_right)                                                                              \
            of = (struct product){alpha, 0, bs, as, whole, upper, 'n', op, N, M, M, 0};            \
        cublas##Letter##trmm(is_right ? 'R' : 'l', 'U', op, 'N', rows, columns, alpha, a, LD, b,   \
                             LD);                                                                  \
        EXPECT(cublasGetError(), 0);                                                               \
        MADE(b);                                                                                   \
        EXPECT(count_wrong(&of, bs, after), 0);                                                    \
        cublas##Letter##trsm(is_right ? 'r' : 'L', 'u', op, 'n', rows, columns, one / alpha, a,    \
                             LD, b, LD);                                                           \
        EXPECT(cublasGetError(), 0);                                                               \
        int wrong = cudaDeviceSynchronize();                                                       \
        for (int i = 0; i < SIZE; i++)                                                             \
            wrong += differs(b[i], bs[i]);                                                         \
        EXPECT(wrong, 0);                                                                          \
        cublas##Letter##trmv('L', op, 'U', M, a, LD, c, 1);                                        \
        EXPECT(cublasGetError(), 0);                                                               \
        MADE(c);                                                                                   \
        EXPECT(                                                                                    \
            count_wrong(&(struct product){1, 0, as, cs, lower_unit, whole, op, 'n', M, 1, M, 0},   \
                        cs, after),                                                                \
            0);                                                                                    \
        cublas##Letter##trsv('l', op, 'u', M, a, LD, c, 1);                                        \
        EXPECT(cublasGetError(), 0);                                                               \
        wrong = cudaDeviceSynchronize();                                                           \
        for (int i = 0; i < SIZE; i++)                                                             \
            wrong += differs(c[i], cs[i]);                                                         \
        EXPECT(wrong, 0);                                                                          \
    }

/* half: symv or hemv, whose matrix is what of says. */
#define TIMES_TEST(Letter, T, half, of)                                                        \
    void cublas##Letter##gemv(char op, int m, int n, T alpha, const T *a, int lda, const T *x, \
                              int incx, T beta, T *y, int incy);                               \
    void cublas##Letter##half(char fill, int n, T alpha, const T *a, int lda, const T *x,      \
                              int incx, T beta, T *y, int incy);                               \
    static void half##_##Letter(void)                                                          \
    {                                                                                          \
        ARRAYS(T);                                                                             \
        const T alpha = (T)value(3), beta = (T)value(8);                                       \
        struct product what = {alpha, beta, as, bs, whole, whole, 'c', 'n', N, 1, M, 0};       \
        cublas##Letter##gemv('C', M, N, alpha, a, LD, b, 1, beta, c, 1);                       \
        EXPECT(cublasGetError(), 0);                                                           \
        MADE(c);                                                                               \
        EXPECT(count_wrong(&what, cs, after), 0);                                              \
        memcpy(cs, after, sizeof cs);                                                          \
        what = (struct product){alpha, beta, as, bs, of, whole, 'n', 'n', M, 1, M, 0};         \
        cublas##Letter##half('U', M, alpha, a, LD, b, 1, beta, c, 1);                          \
        EXPECT(cublasGetError(), 0);                                                           \
        MADE(c);                                                                               \
        EXPECT(count_wrong(&what, cs, after), 0);                                              \
    }

/* ger: how the outer product is called, whose second vector is turned by op; A: alpha's type. */
#define OUTER_TEST(Letter, T, A, ger, op, syr, syr2)                                               \
    void cublas##Letter##ger(int m, int n, T alpha, const T *x, int incx, const T *y, int incy,    \
                             T *a, int lda);                                                       \
    void cublas##Letter##syr(char fill, int n, A alpha, const T *x, int incx, T *a, int lda);      \
    void cublas##Letter##syr2(char fill, int n, T alpha, const T *x, int incx, const T *y,         \
                              int incy, T *a, int lda);                                            \
    static void ger##_##Letter(void)                                                               \
    {                                                                                              \
        ARRAYS(T);                                                                                 \
        const T alpha = (T)value(3);                                                               \
        cublas##Letter##ger(M, N, alpha, a, 1, b, 1, c, LD);                                       \
        EXPECT(cublasGetError(), 0);                                                               \
        MADE(c);                                                                                   \
        EXPECT(count_wrong(&(struct product){alpha, 1, as, bs, whole, whole, 'n', op, M, N, 1, 0}, \
                           cs, after),                                                             \
               0);                                                                                 \
        for (int i = 0; i < SIZE; i++)                                                             \
            cs[i] = c[i] = (T)(i % (LD + 1) ? c[i] : (T)creal(c[i]));                              \
        cublas##Letter##syr('U', N, (A)alpha, a, 1, c, LD);                                        \
        EXPECT(cublasGetError(), 0);                                                               \
        MADE(c);                                                                                   \
        EXPECT(                                                                                    \
            count_wrong(&(struct product){(A)alpha, 1, as, as, whole, whole, 'n', op, N, N, 1, 1}, \
                        cs, after),                                                                \
            0);                                                                                    \
        memcpy(cs, after, sizeof cs);                                                              \
        cublas##Letter##syr2('U', N, alpha, a, 1, b, 1, c, LD);                                    \
        EXPECT(cublasGetError(), 0);                                                               \
        MADE(c);                                                                                   \
        for (int i = 0; i < SIZE; i++)                                                             \
            if (i % LD <= i / LD && i / LD < N)                                                    \
                cs[i] += (op == 'c' ? conj(alpha) : alpha) * bs[i % LD] *                          \
                         (op == 'c' ? conj(as[i / LD]) : as[i / LD]);                              \
        EXPECT(count_wrong(&(struct product){alpha, 1, as, bs, whole, whole, 'n', op, N, N, 1, 1}, \
                           cs, after),                                                             \
               0);                                                                                 \
    }

/* Sums and moves: SUM is the prefix of asum and nrm2 and R their type. dot, and op of its first
 * factor. */
#define VECTOR_TEST(Letter, T, SUM, R, index, dot, op)                                         \
    void cublas##Letter##axpy(int n, T alpha, const T *x, int incx, T *y, int incy);           \
    void cublas##Letter##scal(int n, T alpha, T *x, int incx);                                 \
    void cublas##Letter##copy(int n, const T *x, int incx, T *y, int incy);                    \
    void cublas##Letter##swap(int n, T *x, int incx, T *y, int incy);                          \
    R cublas##SUM##asum(int n, const T *x, int incx);                                          \
    R cublas##SUM##nrm2(int n, const T *x, int incx);                                          \
    int cublasI##index##amax(int n, const T *x, int incx);                                     \
    int cublasI##index##amin(int n, const T *x, int incx);                                     \
    T cublas##Letter##dot(int n, const T *x, int incx, const T *y, int incy);                  \
    static void dot##_##Letter(void)                                                           \
    {                                                                                          \
        ARRAYS(T);                                                                             \
        const T alpha = (T)value(3);                                                           \
        double sum = 0, squares = 0, most = -1, least = 1e9;                                   \
        twice products = 0;                                                                    \
        int at_most = 0, at_least = 0, wrong = 0;                                              \
        for (int i = 0; i < K; i++) {                                                          \
            const twice x = as[2 * i], y = bs[i];                                              \
            const double size = fabs(creal(x)) + fabs(cimag(x));                               \
            sum += size, squares += creal(x * conj(x));                                        \
            products += (op == 'c' ? conj(x) : x) * y;                                         \
            if (size > most)                                                                   \
                most = size, at_most = i + 1;                                                  \
            if (size < least)                                                                  \
                least = size, at_least = i + 1;                                                \
        }                                                                                      \
        EXPECT(differs(cublas##SUM##asum(K, a, 2), sum), 0);                                   \
        EXPECT(differs(cublas##SUM##nrm2(K, a, 2), sqrt(squares)), 0);                         \
        EXPECT(differs(cublas##Letter##dot(K, a, 2, b, 1), products), 0);                      \
        EXPECT(cublasI##index##amax(K, a, 2), at_most);                                        \
        EXPECT(cublasI##index##amin(K, a, 2), at_least);                                       \
        EXPECT(cublasI##index##amax(0, a, 2), 0);                                              \
        EXPECT(cublasGetError(), 0);                                                           \
        cublas##Letter##axpy(K, alpha, a, 2, b, -1);                                           \
        cublas##Letter##copy(K, b, 1, c, 1);                                                   \
        cublas##Letter##scal(K, alpha, c, 1);                                                  \
        cublas##Letter##swap(K, a, 1, c, 1);                                                   \
        EXPECT(cublasGetError() + cudaDeviceSynchronize(), 0);                                 \
        for (int i = 0; i < K; i++) {                                                          \
            const twice made = bs[i] + alpha * as[2 * (K - 1 - i)];                            \
            wrong += differs(b[i], made) + differs(a[i], alpha * made) + differs(c[i], as[i]); \
        }                                                                                      \
        EXPECT(wrong, 0);                                                                      \
    }

/* What a rotation makes of vectors; its C and S are of these types. */
#define ROTATE_TEST(Letter, name, T, C, S)                                      \
    void cublas##Letter##name(int n, T *x, int incx, T *y, int incy, C c, S s); \
    static void name##_##Letter(void)                                           \
    {                                                                           \
        ARRAYS(T);                                                              \
        const C cosine = (C)0.25;                                               \
        const S sine = (S)value(3);                                             \
        int wrong = 0;                                                          \
        cublas##Letter##name(K, a, 1, b, 1, cosine, sine);                      \
        EXPECT(cublasGetError() + cudaDeviceSynchronize(), 0);                  \
        for (int i = 0; i < K; i++)                                             \
            wrong += differs(a[i], cosine * as[i] + sine * bs[i]) +             \
                     differs(b[i], cosine * bs[i] - conj((twice)sine) * as[i]); \
        EXPECT(wrong, 0);                                                       \
    }

#define REAL_ROTATION_TEST(Letter, T)                                                             \
    void cublas##Letter##rotg(T *a, T *b, T *c, T *s);                                            \
    void cublas##Letter##rotm(int n, T *x, int incx, T *y, int incy, const T *plane);             \
    void cublas##Letter##rotmg(T *d1, T *d2, T *x1, const T *y1, T *plane);                       \
    static void rotg_##Letter(void)                                                               \
    {                                                                                             \
        ARRAYS(T);                                                                                \
        T x = 3, y = 4, cosine = 0, sine = 0, plane[5] = {-1, 2, 3, 4, 5};                        \
        int wrong = 0;                                                                            \
        cublas##Letter##rotg(&x, &y, &cosine, &sine);                                             \
        EXPECT(differs(x, 5) + differs(cosine, 0.6) + differs(sine, 0.8), 0);                     \
        cublas##Letter##rotm(K, a, 1, b, 1, plane);                                               \
        EXPECT(cublasGetError() + cudaDeviceSynchronize(), 0);                                    \
        for (int i = 0; i < K; i++)                                                               \
            wrong += differs(a[i], 2 * as[i] + 4 * bs[i]) + differs(b[i], 3 * as[i] + 5 * bs[i]); \
        EXPECT(wrong, 0);                                                                         \
        T d1 = 1, d2 = 3, x1 = 2;                                                                 \
        const T y1 = 1;                                                                           \
        cublas##Letter##rotmg(&d1, &d2, &x1, &y1, plane); /* h: 1, -1/2; 3/2, 1 */                \
        EXPECT(differs(plane[0], 0) + differs(plane[2], -0.5) + differs(plane[3], 1.5), 0);       \
        EXPECT(differs(d1, 1 / 1.75) + differs(d2, 3 / 1.75) + differs(x1, 3.5), 0);              \
        EXPECT(cublasGetError(), 0);                                                              \
    }

#define COMPLEX_VECTOR_TEST(Letter, T, R, scal)                                                  \
    T cublas##Letter##dotu(int n, const T *x, int incx, const T *y, int incy);                   \
    void cublas##Letter##scal(int n, R alpha, T *x, int incx);                                   \
    void cublas##Letter##rotg(T *a, T b, R *c, T *s);                                            \
    void cublas##Letter##geru(int m, int n, T alpha, const T *x, int incx, const T *y, int incy, \
                              T *a, int lda);                                                    \
    static void scal##_##Letter(void)                                                            \
    {                                                                                            \
        ARRAYS(T);                                                                               \
        const T alpha = (T)value(3);                                                             \
        twice products = 0;                                                                      \
        int wrong = 0;                                                                           \
        T x = 3, y = 4 * I, sine = 0;                                                            \
        R cosine = 0;                                                                            \
        for (int i = 0; i < K; i++)                                                              \
            products += as[i] * bs[i];                                                           \
        EXPECT(differs(cublas##Letter##dotu(K, a, 1, b, 1), products), 0);                       \
        cublas##Letter##scal(K, (R)0.5, a, 1);                                                   \
        EXPECT(cublasGetError() + cudaDeviceSynchronize(), 0);                                   \
        for (int i = 0; i < SIZE; i++)                                                           \
            wrong += differs(a[i], as[i] / (i < K ? 2 : 1)), as[i] = a[i];                       \
        EXPECT(wrong, 0);                                                                        \
        cublas##Letter##rotg(&x, y, &cosine, &sine);                                             \
        EXPECT(differs(x, 5) + differs(cosine, 0.6) + differs(sine, -0.8 * I), 0);               \
        cublas##Letter##geru(M, N, alpha, a, 1, b, 1, c, LD);                                    \
        EXPECT(cublasGetError(), 0);                                                             \
        MADE(c);                                                                                 \
        EXPECT(                                                                                  \
            count_wrong(&(struct product){alpha, 1, as, bs, whole, whole, 'n', 't', M, N, 1, 0}, \
                        cs, after),                                                              \
            0);                                                                                  \
    }

/* Packs the upper half of a, and its part of a band of K_BAND above the diagonal, row K_BAND. */
enum { K_BAND = 2 };

static twice banded(const twice *a, int row, int column)
{
    return column - row <= K_BAND && row - column <= 1 ? whole(a, row, column) : 0;
}

static twice half_banded(const twice *a, int row, int column)
{
    return abs(column - row) <= K_BAND ? symmetric(a, row, column) : 0;
}

static twice half_banded_hermitian(const twice *a, int row, int column)
{
    return abs(column - row) <= K_BAND ? hermitian(a, row, column) : 0;
}

static twice upper_banded(const twice *a, int row, int column)
{
    return abs(column - row) <= K_BAND ? upper(a, row, column) : 0;
}

/* p: the prefix of calls on half matrices, s or h; A: of a factor of rank 1. */
#define PACKED_TEST(Letter, T, A, p, of, band_of, op)                                              \
    void cublas##Letter##gbmv(char op_a, int m, int n, int below, int above, T alpha, const T *a,  \
                              int lda, const T *x, int incx, T beta, T *y, int incy);              \
    void cublas##Letter##p##bmv(char fill, int n, int k, T alpha, const T *a, int lda, const T *x, \
                                int incx, T beta, T *y, int incy);                                 \
    void cublas##Letter##p##pmv(char fill, int n, T alpha, const T *a, const T *x, int incx,       \
                                T beta, T *y, int incy);                                           \
    void cublas##Letter##p##pr(char fill, int n, A alpha, const T *x, int incx, T *a);             \
    void cublas##Letter##p##pr2(char fill, int n, T alpha, const T *x, int incx, const T *y,       \
                                int incy, T *a);                                                   \
    void cublas##Letter##tbmv(char fill, char op_a, char diagonal, int n, int k, const T *a,       \
                              int lda, T *x, int incx);                                            \
    void cublas##Letter##tbsv(char fill, char op_a, char diagonal, int n, int k, const T *a,       \
                              int lda, T *x, int incx);                                            \
    void cublas##Letter##tpmv(char fill, char op_a, char diagonal, int n, const T *a, T *x,        \
                              int incx);                                                           \
    void cublas##Letter##tpsv(char fill, char op_a, char diagonal, int n, const T *a, T *x,        \
                              int incx);                                                           \
    static void packed_##Letter(void)                                                              \
    {                                                                                              \
        static T *packed, *band;                                                                   \
        ARRAYS(T);                                                                                 \
        const T alpha = (T)value(3), beta = (T)value(8);                                           \
        if (!packed)                                                                               \
            packed = managed(SIZE * sizeof *packed), band = managed(SIZE * sizeof *band);          \
        for (int i = 0; i < SIZE; i++) {                                                           \
            const int row = i % LD, column = i / LD, down = row - column + K_BAND;                 \
            if (row <= column)                                                                     \
                packed[row + column * (column + 1) / 2] = a[i];                                    \
            if (down >= 0 && down <= K_BAND + 1)                                                   \
                band[down + column * LD] = a[i];                                                   \
        }                                                                                          \
        struct product what = {alpha, beta, as, bs, banded, whole, 'c', 'n', N, 1, M, 0};          \
        cublas##Letter##gbmv('C', M, N, 1, K_BAND, alpha, band, LD, b, 1, beta, c, 1);             \
        EXPECT(cublasGetError(), 0);                                                               \
        MADE(c);                                                                                   \
        EXPECT(count_wrong(&what, cs, after), 0);                                                  \
        memcpy(cs, after, sizeof cs);                                                              \
        what = (struct product){alpha, beta, as, bs, band_of, whole, 'n', 'n', M, 1, M, 0};        \
        cublas##Letter##p##bmv('U', M, K_BAND, alpha, band, LD, b, 1, beta, c, 1);                 \
        EXPECT(cublasGetError(), 0);                                                               \
        MADE(c);                                                                                   \
        EXPECT(count_wrong(&what, cs, after), 0);                                                  \
        memcpy(cs, after, sizeof cs);                                                              \
        what.a_of = of;                                                                            \
        cublas##Letter##p##pmv('U', M, alpha, packed, b, 1, beta, c, 1);                           \
        EXPECT(cublasGetError(), 0);                                                               \
        MADE(c);                                                                                   \
        EXPECT(count_wrong(&what, cs, after), 0);                                                  \
        memcpy(cs, after, sizeof cs);                                                              \
        what = (struct product){1, 0, as, cs, upper_banded, whole, 't', 'n', M, 1, M, 0};          \
        cublas##Letter##tbmv('U', 'T', 'N', M, K_BAND, band, LD, c, 1);                            \
        MADE(c);                                                                                   \
        EXPECT(count_wrong(&what, cs, after), 0);                                                  \
        cublas##Letter##tbsv('u', 't', 'n', M, K_BAND, band, LD, c, 1);                            \
        EXPECT(cublasGetError() + cudaDeviceSynchronize(), 0);                                     \
        int wrong = 0;                                                                             \
        for (int i = 0; i < SIZE; i++)                                                             \
            wrong += differs(c[i], cs[i]), cs[i] = c[i];                                           \
        EXPECT(wrong, 0);                                                                          \
        what.a_of = upper, what.op_a = 'n';                                                        \
        cublas##Letter##tpmv('U', 'N', 'N', M, packed, c, 1);                                      \
        MADE(c);                                                                                   \
        EXPECT(count_wrong(&what, cs, after), 0);                                                  \
        cublas##Letter##tpsv('u', 'n', 'n', M, packed, c, 1);                                      \
        EXPECT(cublasGetError() + cudaDeviceSynchronize(), 0);                                     \
        for (int i = 0; i < SIZE; i++)                                                             \
            wrong += differs(c[i], cs[i]);                                                         \
        EXPECT(wrong, 0);                                                                          \
        cublas##Letter##p##pr('U', M, (A)alpha, a, 1, packed);                                     \
        cublas##Letter##p##pr2('U', M, alpha, a, 1, b, 1, packed);                                 \
        EXPECT(cublasGetError() + cudaDeviceSynchronize(), 0);                                     \
        for (int i = 0; i < SIZE; i++) {                                                           \
            const int row = i % LD, column = i / LD;                                               \
            if (row > column || column >= M)                                                       \
                continue;                                                                          \
            const twice x = op == 'c' ? conj(as[column]) : as[column],                             \
                        y = op == 'c' ? conj(bs[column]) : bs[column],                             \
                        other = op == 'c' ? conj(alpha) : alpha;                                   \
            const twice sum = (A)alpha * as[row] * x + alpha * as[row] * y + other * bs[row] * x;  \
            wrong += differs(packed[row + column * (column + 1) / 2], of(as, row, column) + sum);  \
        }                                                                                          \
        EXPECT(wrong, 0);                                                                          \
    }

#define ALL_TESTS(Letter, T, SUM, R, index, dot, dot_op, half_times, of, ger, op, syr, syr2) \
    GEMM_TEST(Letter, T)                                                                     \
    HALF_TEST(Letter, T, symm, symmetric)                                                    \
    RANK_TEST(Letter, T, T, syrk, 't')                                                       \
    RANKS_TEST(Letter, T, T, syr2k, 't')                                                     \
    TRIANGLE_TEST(Letter, T)                                                                 \
    TIMES_TEST(Letter, T, half_times, of)                                                    \
    OUTER_TEST(Letter, T, R, ger, op, syr, syr2)                                             \
    VECTOR_TEST(Letter, T, SUM, R, index, dot, dot_op)                                       \
    ROTATE_TEST(Letter, rot, T, R, T)                                                        \
    static void all_##Letter(void)                                                           \
    {                                                                                        \
        for (int i = 0; i < 9; i++)                                                          \
            gemm_##Letter("ntc"[i / 3], "ntc"[i % 3]);                                       \
        symm_##Letter(), syrk_##Letter(), syr2k_##Letter();                                  \
        for (int i = 0; i < 6; i++)                                                          \
            triangle_##Letter("ntc"[i / 2], i % 2);                                          \
        half_times##_##Letter(), ger##_##Letter(), dot##_##Letter(), rot_##Letter();         \
    }
#define REAL_TESTS(Letter, T, index)                                                       \
    ALL_TESTS(Letter, T, Letter, T, index, dot, 'n', symv, symmetric, ger, 't', syr, syr2) \
    PACKED_TEST(Letter, T, T, s, symmetric, half_banded, 't')                              \
    REAL_ROTATION_TEST(Letter, T)
#define COMPLEX_TESTS(Letter, T, SUM, R, index, scal, turn)                               \
    ALL_TESTS(Letter, T, SUM, R, index, dotc, 'c', hemv, hermitian, gerc, 'c', her, her2) \
    HALF_TEST(Letter, T, hemm, hermitian)                                                 \
    RANK_TEST(Letter, T, R, herk, 'c')                                                    \
    RANKS_TEST(Letter, T, R, her2k, 'c')                                                  \
    ROTATE_TEST(Letter, turn, T, R, R)                                                    \
    PACKED_TEST(Letter, T, R, h, hermitian, half_banded_hermitian, 'c')                   \
    COMPLEX_VECTOR_TEST(Letter, T, R, scal)
REAL_TESTS(S, float, s)
REAL_TESTS(D, double, d)
COMPLEX_TESTS(C, single, Sc, float, c, sscal, srot)
COMPLEX_TESTS(Z, twice, Dz, double, z, dscal, drot)

static void of_all_types(void)
{
    limit = 2e-4;
    all_S(), packed_S(), rotg_S(), all_C(), packed_C(), hemm_C(), herk_C(), her2k_C(), srot_C(),
        sscal_C();
    limit = 1e-11;
    all_D(), packed_D(), rotg_D(), all_Z(), packed_Z(), hemm_Z(), herk_Z(), her2k_Z(), drot_Z(),
        dscal_Z();
}

/* The status is of the last call that computes, and is told once. */
static void errors(void)
{
    ARRAYS(double);
    cublasDgemm('x', 'n', 2, 2, 2, 1, a, LD, b, LD, 0, c, LD);
    EXPECT(cublasGetError(), INVALID);
    EXPECT(cublasGetError(), 0);
    cublasDgemm('n', 'n', 2, 2, -1, 1, a, LD, b, LD, 0, c, LD);
    EXPECT(cublasGetError(), INVALID);
    cublasDgemm('n', 'n', 2, 2, 2, 1, a, 1, b, LD, 0, c, LD);
    EXPECT(cublasGetError(), INVALID);
    cublasDtrmm('q', 'u', 'n', 'n', 2, 2, 1, a, LD, b, LD);
    EXPECT(cublasGetError(), INVALID);
    cublasDtrmm('l', 'q', 'n', 'n', 2, 2, 1, a, LD, b, LD);
    EXPECT(cublasGetError(), INVALID);
    cublasDtrmm('l', 'u', 'n', 'q', 2, 2, 1, a, LD, b, LD);
    EXPECT(cublasGetError(), INVALID);
    cublasDsyrk('f', 'n', 2, 2, 1, a, LD, 0, c, LD);
    cublasDaxpy(1, 1, a, 1, b, 1);
    EXPECT(cublasGetError(), 0);
    for (int i = 0; i < SIZE; i++)
        EXPECT(c[i] == creal(cs[i]), 1);
}

static void memory(void)
{
    void *made = NULL, *stream = NULL;
    int version = 0;
    EXPECT(cublasInit(), 0);
    EXPECT(cublasInit(), 0);
    EXPECT(cublasGetVersion(&version), 0);
    EXPECT(version >= 120000, 1);
    EXPECT(cublasGetVersion(NULL), INVALID);
    EXPECT(cublasAlloc(0, 4, &made), INVALID);
    EXPECT(cublasAlloc(4, 0, &made), INVALID);
    EXPECT(cublasAlloc(4, 4, NULL), INVALID);
    EXPECT(cublasAlloc(4, 4, &made), 0);
    EXPECT(cudaMemset(made, 0, 16), 0);
    EXPECT(cublasFree(made), 0);
    EXPECT(cublasFree(NULL), 0);
    EXPECT(cublasFree((void *)16), 14);
    EXPECT(cudaStreamCreate(&stream), 0);
    EXPECT(cublasSetKernelStream((void *)&version), INVALID);
    EXPECT(cublasSetKernelStream(stream), 0);
    dot_D();
    EXPECT(cublasShutdown(), 0);
    EXPECT(cublasShutdown(), 0);
    EXPECT(cudaStreamDestroy(stream), 0);
}

int main(void)
{
    of_all_types(); /* without a cublasInit */
    errors();
    memory();
    of_all_types();
    return failures != 0;
}
