/* cuBLAS's calls on banded and packed matrices in all types against what is computed here of the
 * same matrices, whole. */
#include <complex.h>
#include <math.h>
#include <string.h>

#include "runtime.h"

typedef double complex number;

int cublasCreate_v2(void **handle);
int cublasDestroy_v2(void *handle);
int cublasSetPointerMode_v2(void *handle, int mode);

typedef int band_call(void *handle, int op, int m, int n, int below, int above, const void *alpha,
                      const void *a, int lda, const void *x, int incx, const void *beta, void *y,
                      int incy);
typedef int half_band_call(void *handle, int fill, int n, int k, const void *alpha, const void *a,
                           int lda, const void *x, int incx, const void *beta, void *y, int incy);
typedef int packed_call(void *handle, int fill, int n, const void *alpha, const void *a,
                        const void *x, int incx, const void *beta, void *y, int incy);
typedef int rank_1_call(void *handle, int fill, int n, const void *alpha, const void *x, int incx,
                        void *a);
typedef int rank_2_call(void *handle, int fill, int n, const void *alpha, const void *x, int incx,
                        const void *y, int incy, void *a);
typedef int triangle_band_call(void *handle, int fill, int op, int diagonal, int n, int k,
                               const void *a, int lda, void *x, int incx);
typedef int triangle_call(void *handle, int fill, int op, int diagonal, int n, const void *a,
                          void *x, int incx);
typedef int wide_triangle_call(void *handle, int fill, int op, int diagonal, int64_t n,
                               const void *a, void *x, int64_t incx);
typedef int unpack_call(void *handle, int fill, int n, const void *packed, void *a, int lda);
typedef int pack_call(void *handle, int fill, int n, const void *a, int lda, void *packed);

#define DECLARE(L, kind)                                             \
    band_call cublas##L##gbmv_v2;                                    \
    half_band_call cublas##L##kind##bmv_v2;                          \
    packed_call cublas##L##kind##pmv_v2;                             \
    rank_1_call cublas##L##kind##pr_v2;                              \
    rank_2_call cublas##L##kind##pr2_v2;                             \
    triangle_band_call cublas##L##tbmv_v2, cublas##L##tbsv_v2;       \
    triangle_call cublas##L##tpmv_v2, cublas##L##tpsv_v2;            \
    wide_triangle_call cublas##L##tpmv_v2_64, cublas##L##tpsv_v2_64; \
    unpack_call cublas##L##tpttr;                                    \
    pack_call cublas##L##trttp;
DECLARE(S, s)
DECLARE(D, s)
DECLARE(C, h)
DECLARE(Z, h)

static const struct type {
    int is_double, is_complex;
    band_call *gbmv;
    half_band_call *half_bmv;
    packed_call *half_pmv;
    rank_1_call *rank_1;
    rank_2_call *rank_2;
    triangle_band_call *tbmv, *tbsv;
    triangle_call *tpmv, *tpsv;
    wide_triangle_call *wide_tpmv;
    unpack_call *unpack;
    pack_call *pack;
} types[] = {
#define TYPE(L, kind, is_double, is_complex)                                                \
    {                                                                                       \
        is_double, is_complex, cublas##L##gbmv_v2, cublas##L##kind##bmv_v2,                 \
            cublas##L##kind##pmv_v2, cublas##L##kind##pr_v2, cublas##L##kind##pr2_v2,       \
            cublas##L##tbmv_v2, cublas##L##tbsv_v2, cublas##L##tpmv_v2, cublas##L##tpsv_v2, \
            cublas##L##tpmv_v2_64, cublas##L##tpttr, cublas##L##trttp                       \
    }
    TYPE(S, s, 0, 0), TYPE(D, s, 1, 0), TYPE(C, h, 0, 1), TYPE(Z, h, 1, 1)};

enum { N = 300, SMALL = 40, K = 3, LDA = 6, SIZE = N * N, INVALID = 7, UPPER = 1 };
static void *handle;
static const struct type *type;
static void *a, *x, *y;
static number whole[SIZE], was_x[2 * N], was_y[2 * N]; /* whole: by columns of n */

/* ---- numbers of the type in memory ---- */

static number get(const void *from, int i)
{
    const int at = type->is_complex ? 2 * i : i;
    const double *wide = from;
    const float *narrow = from;
    const double real = type->is_double ? wide[at] : (double)narrow[at];
    if (!type->is_complex)
        return real;
    return real + (type->is_double ? wide[at + 1] : (double)narrow[at + 1]) * I;
}

static void put(void *to, int i, number value)
{
    double *wide = to;
    float *narrow = to;
    const int parts = 1 + type->is_complex;
    for (int part = 0; part < parts; part++) {
        const double as = part ? cimag(value) : creal(value);
        if (type->is_double)
            wide[parts * i + part] = as;
        else
            narrow[parts * i + part] = (float)as;
    }
}

/* Exact in single precision, at most 1/8. */
static number value(int i)
{
    return (i * 7 % 23 - 11) / 128.0 + (i * 5 % 19 - 9) / 128.0 * (type->is_complex ? I : 0);
}

static void fill(void)
{
    for (int i = 0; i < SIZE; i++)
        put(a, i, value(i * 3 + i / 23));
    for (int i = 0; i < 2 * N; i++) {
        put(x, i, was_x[i] = value(5 * i + 2));
        put(y, i, was_y[i] = value(11 * i + 7));
    }
}

/* Where element i of a vector of n with that step is. */
static int place(int n, int i, int increment)
{
    return increment > 0 ? i * increment : (i - n + 1) * increment;
}

static int is_near(number got, number right, double size)
{
    return cabs(got - right) <= (type->is_double ? 1e-13 : 1e-5) * (size + cabs(right));
}

static number mirror(number of)
{
    return type->is_complex ? conj(of) : of;
}

/* op(whole) of m by n as it lies. */
static number element(int op, int m, int row, int column)
{
    const number of = op ? whole[column + row * m] : whole[row + column * m];
    return op == 2 ? mirror(of) : of;
}

/* ---- matrices as they are stored, to whole ones ---- */

static void read_band(int m, int n, int below, int above)
{
    memset(whole, 0, sizeof whole);
    for (int column = 0; column < n; column++)
        for (int row = 0; row < m; row++)
            if (row - column <= below && column - row <= above)
                whole[row + column * m] = get(a, above + row - column + column * LDA);
}

/* One half, of bands if k is not negative. */
static void read_half(int upper, int n, int k)
{
    int next = 0;
    memset(whole, 0, sizeof whole);
    for (int column = 0; column < n; column++)
        for (int row = upper ? 0 : column; row < (upper ? column + 1 : n); row++, next++)
            if (k < 0)
                whole[row + column * n] = get(a, next);
            else if (abs(row - column) <= k)
                whole[row + column * n] = get(a, (upper ? k : 0) + row - column + column * LDA);
}

static void complete_half(int upper, int n)
{
    for (int column = 0; column < n; column++) {
        whole[column * (n + 1)] = creal(whole[column * (n + 1)]);
        for (int row = 0; row < column; row++) {
            number *above = &whole[row + column * n], *below = &whole[column + row * n];
            *(upper ? below : above) = mirror(*(upper ? above : below));
        }
    }
}

/* Diagonals that can be divided by. */
static void raise_diagonal(int upper, int n, int k)
{
    for (int column = 0, next = 0; column < n; next += upper ? ++column + 1 : n - column++)
        put(a, k < 0 ? next : (upper ? k : 0) + column * LDA, 2 + value(column));
}

/* ---- calls ---- */

enum { INCX = 2, INCY = -1 };
static number alpha, beta;
static double alpha_bytes[2], beta_bytes[2];

static int count_wrong_products(int op, int m, int n)
{
    const int rows = op ? n : m, columns = op ? m : n;
    int wrong = 0;
    for (int row = 0; row < rows; row++) {
        number sum = 0;
        for (int k = 0; k < columns; k++)
            sum += element(op, m, row, k) * was_x[place(columns, k, INCX)];
        const int at = place(rows, row, INCY);
        wrong += !is_near(get(y, at), alpha * sum + beta * was_y[at], 1);
    }
    return wrong;
}

static void multiply(void)
{
    for (int op = 0; op < 3; op++) {
        fill();
        EXPECT(type->gbmv(handle, op, N, N - 40, 2, K, alpha_bytes, a, LDA, x, INCX, beta_bytes, y,
                          INCY),
               0);
        read_band(N, N - 40, 2, K);
        EXPECT(count_wrong_products(op, N, N - 40), 0);
    }
    fill();
    EXPECT(type->gbmv(handle, 0, 30, N, 1, 2, alpha_bytes, a, LDA, x, INCX, beta_bytes, y, INCY),
           0);
    read_band(30, N, 1, 2);
    EXPECT(count_wrong_products(0, 30, N), 0);
    for (int upper = 0; upper < 2; upper++) {
        fill();
        EXPECT(
            type->half_bmv(handle, upper, N, K, alpha_bytes, a, LDA, x, INCX, beta_bytes, y, INCY),
            0);
        read_half(upper, N, K);
        complete_half(upper, N);
        EXPECT(count_wrong_products(0, N, N), 0);
        fill();
        EXPECT(type->half_pmv(handle, upper, N, alpha_bytes, a, x, INCX, beta_bytes, y, INCY), 0);
        read_half(upper, N, -1);
        complete_half(upper, N);
        EXPECT(count_wrong_products(0, N, N), 0);
    }
}

/* Whether op of the triangle takes one vector to the other. */
static int count_wrong_triangles(int op, int is_unit, int n, const number *from, const number *to)
{
    int wrong = 0;
    for (int row = 0; row < n; row++) {
        number sum = 0;
        double size = 0;
        for (int k = 0; k < n; k++) {
            const number factor = is_unit && k == row ? 1 : element(op, n, row, k);
            sum += factor * from[k];
            size += cabs(factor * from[k]);
        }
        wrong += !is_near(to[row], sum, size);
    }
    return wrong;
}

/* k: negative of packed ones. */
static void use_triangle(int upper, int op, int is_unit, int n, int k, int solves)
{
    number before[N], after[N];
    fill();
    raise_diagonal(upper, n, k);
    read_half(upper, n, k);
    if (k < 0)
        EXPECT((solves ? type->tpsv : type->tpmv)(handle, upper, op, is_unit, n, a, x, -INCX), 0);
    else
        EXPECT(
            (solves ? type->tbsv : type->tbmv)(handle, upper, op, is_unit, n, k, a, LDA, x, -INCX),
            0);
    for (int i = 0; i < n; i++) {
        before[i] = was_x[place(n, i, -INCX)];
        after[i] = get(x, place(n, i, -INCX));
    }
    EXPECT(count_wrong_triangles(op, is_unit, n, solves ? after : before, solves ? before : after),
           0);
    EXPECT(get(x, 1) == was_x[1], 1);
}

static void use_triangles(void)
{
    for (int i = 0; i < 24; i++) {
        const int upper = i & 1, is_unit = i >> 1 & 1, solves = i >> 2 & 1, op = i / 8;
        use_triangle(upper, op, is_unit, N, K, solves);
        use_triangle(upper, op, is_unit, solves ? SMALL : N, -1, solves);
    }
    fill();
    read_half(UPPER, N, -1);
    EXPECT(type->wide_tpmv(handle, UPPER, 0, 0, N, a, x, 1), 0);
    EXPECT(is_near(get(x, N - 1), whole[SIZE - 1] * was_x[N - 1], 1), 1);
}

static void add_rank(int upper, int is_both)
{
    static number before[SIZE];
    int wrong = 0;
    const number factor = is_both ? alpha : creal(alpha);
    fill();
    read_half(upper, N, -1);
    memcpy(before, whole, sizeof whole);
    if (is_both)
        EXPECT(type->rank_2(handle, upper, N, alpha_bytes, x, INCX, y, INCY, a), 0);
    else
        EXPECT(type->rank_1(handle, upper, N, alpha_bytes, x, INCX, a), 0);
    read_half(upper, N, -1);
    for (int i = 0; i < SIZE; i++) {
        const int row = i % N, column = i / N;
        const number left = was_x[place(N, row, INCX)], right = is_both
                                                                    ? was_y[place(N, column, INCY)]
                                                                    : was_x[place(N, column, INCX)];
        number sum = before[i] + factor * left * mirror(right);
        if (is_both)
            sum +=
                mirror(factor) * was_y[place(N, row, INCY)] * mirror(was_x[place(N, column, INCX)]);
        if (row == column)
            sum = creal(sum);
        if (upper ? row <= column : row >= column)
            wrong += !is_near(whole[i], sum, 1);
    }
    EXPECT(wrong, 0);
}

static void unpack(int upper)
{
    void *made = NULL, *again = NULL;
    int wrong = 0;
    EXPECT(cudaMallocManaged(&made, SIZE * sizeof(number), 1), 0);
    EXPECT(cudaMallocManaged(&again, SIZE * sizeof(number), 1), 0);
    memset(made, 0, SIZE * sizeof(number));
    fill();
    read_half(upper, SMALL, -1);
    EXPECT(type->unpack(handle, upper, SMALL, a, made, SMALL + 2), 0);
    for (int i = 0; i < SMALL * SMALL; i++)
        wrong += get(made, i % SMALL + i / SMALL * (SMALL + 2)) != whole[i];
    EXPECT(type->pack(handle, upper, SMALL, made, SMALL + 2, again), 0);
    for (int i = 0; i < SMALL * (SMALL + 1) / 2; i++)
        wrong += get(again, i) != get(a, i);
    EXPECT(wrong, 0);
    EXPECT(type->unpack(handle, upper, SMALL, a, made, SMALL - 1), INVALID);
    EXPECT(type->unpack(handle, 2, SMALL, a, made, SMALL), INVALID);
    EXPECT(type->pack(handle, upper, -1, made, SMALL, again), INVALID);
    EXPECT(type->pack(NULL, upper, SMALL, made, SMALL, again), 1);
    EXPECT(type->pack(handle, upper, 0, NULL, 1, NULL), 0);
    cudaFree(made);
    cudaFree(again);
}

static void refuse(void)
{
    const void *const s = alpha_bytes, *const t = beta_bytes;
    EXPECT(type->gbmv(handle, 3, 9, 9, 1, 1, s, a, LDA, x, 1, t, y, 1), INVALID);
    EXPECT(type->gbmv(handle, 0, -1, 9, 1, 1, s, a, LDA, x, 1, t, y, 1), INVALID);
    EXPECT(type->gbmv(handle, 0, 9, 9, -1, 1, s, a, LDA, x, 1, t, y, 1), INVALID);
    EXPECT(type->gbmv(handle, 0, 9, 9, 3, 3, s, a, LDA, x, 1, t, y, 1), INVALID);
    EXPECT(type->gbmv(handle, 0, 9, 9, 1, 1, s, a, LDA, x, 0, t, y, 1), INVALID);
    EXPECT(type->gbmv(handle, 0, 9, 9, 1, 1, NULL, a, LDA, x, 1, t, y, 1), INVALID);
    EXPECT(type->gbmv(NULL, 0, 9, 9, 1, 1, s, a, LDA, x, 1, t, y, 1), 1);
    EXPECT(type->gbmv(handle, 0, 0, 9, 1, 1, s, NULL, LDA, NULL, 1, t, NULL, 1), 0);
    EXPECT(type->half_bmv(handle, 2, 9, 1, s, a, LDA, x, 1, t, y, 1), INVALID);
    EXPECT(type->half_bmv(handle, 0, 9, LDA, s, a, LDA, x, 1, t, y, 1), INVALID);
    EXPECT(type->half_bmv(handle, 0, 9, 0, s, a, 0, x, 1, t, y, 1), INVALID);
    EXPECT(type->half_pmv(handle, 0, 9, s, a, x, 1, NULL, y, 1), INVALID);
    EXPECT(type->half_pmv(handle, 0, 9, s, a, x, 1, t, y, 0), INVALID);
    EXPECT(type->rank_1(handle, 0, -9, s, x, 1, a), INVALID);
    EXPECT(type->rank_2(handle, 0, 9, s, x, 1, y, 0, a), INVALID);
    EXPECT(type->tbmv(handle, 0, 3, 0, 9, 1, a, LDA, x, 1), INVALID);
    EXPECT(type->tbsv(handle, 0, 0, 2, 9, 1, a, LDA, x, 1), INVALID);
    EXPECT(type->tbsv(handle, 0, 0, 0, 9, 1, a, 1, x, 1), INVALID);
    EXPECT(type->tpsv(handle, 0, 0, 0, 9, a, x, 0), INVALID);
    EXPECT(type->tpsv(NULL, 0, 0, 0, 9, a, x, 1), 1);
    EXPECT(cublasSetPointerMode_v2(handle, 1), 0);
    EXPECT(type->half_pmv(handle, 0, 9, s, a, x, 1, t, y, 1), INVALID); /* the host's */
    EXPECT(cublasSetPointerMode_v2(handle, 0), 0);
}

/* y is not read where beta is 0, x is where alpha is. */
static void ignore(void)
{
    const double zero[2] = {0, 0};
    fill();
    put(y, 2, NAN);
    EXPECT(type->half_pmv(handle, 0, 9, alpha_bytes, a, x, 1, zero, y, 1), 0);
    EXPECT(isnan(creal(get(y, 2))) != 0, 0);
    put(x, 2, NAN);
    EXPECT(type->half_pmv(handle, 0, 9, zero, a, x, 1, zero, y, 1), 0);
    EXPECT(isnan(creal(get(y, 2))) != 0, 1);
    EXPECT(type->rank_1(handle, 0, 9, zero, x, 1, a), 0);
    EXPECT(get(a, 0) == value(0), 1);
}

int main(void)
{
    EXPECT(cublasCreate_v2(&handle), 0);
    EXPECT(cudaMallocManaged(&a, SIZE * sizeof(number), 1), 0);
    EXPECT(cudaMallocManaged(&x, 2 * N * sizeof(number), 1), 0);
    EXPECT(cudaMallocManaged(&y, 2 * N * sizeof(number), 1), 0);
    for (type = types; type < types + sizeof types / sizeof *types; type++) {
        alpha = type->is_complex ? 2 - 1 * I : 2;
        beta = type->is_complex ? 0.5 + 0.25 * I : 0.5;
        put(alpha_bytes, 0, alpha);
        put(beta_bytes, 0, beta);
        multiply();
        use_triangles();
        for (int upper = 0; upper < 2; upper++) {
            add_rank(upper, 0);
            add_rank(upper, 1);
            unpack(upper);
        }
        refuse();
        ignore();
    }
    EXPECT(cublasDestroy_v2(handle), 0);
    return failures != 0;
}
