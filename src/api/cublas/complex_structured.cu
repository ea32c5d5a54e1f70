/* Kernels behind cuBLAS's calls on complex matrices that are symmetric, Hermitian, triangular or diagonal. Plain ones:
 * what they count is what such a call does at least, not how cuBLAS does it.
 *
 * complex_structured.ptx is made from this file (see the command in its first line) and embedded in the library.
 */
#include "complex.cuh"

/* A symmetric or Hermitian matrix of which one half is stored; the diagonal of a Hermitian one counts as real. */
template <typename T> struct half_stored {
    const complex<T> *at;
    i64 leading;
    int is_upper, is_hermitian, is_conjugate;
    DEVICE complex<T> get(int row, int column) const
    {
        const bool is_stored = is_upper ? row <= column : row >= column;
        complex<T> value = is_stored ? at[row + column * leading] : at[column + row * leading];
        if (is_hermitian && row == column)
            value.imaginary = 0;
        return conjugate(value, (is_hermitian && !is_stored) != is_conjugate);
    }
};

/* c = alpha a b + beta c. */
template <typename T>
DEVICE void multiply_half(int order, int columns, complex<T> alpha, half_stored<T> a, matrices<T> b, complex<T> beta,
                          matrices<T> c)
{
    for (i64 i = first(); i < (i64)order * columns; i += step()) {
        const int row = (int)(i % order), column = (int)(i / order);
        complex<T> sum = {0, 0}, *to = &c.base[c.place(row, column)];
        for (int k = 0; k < order; k++)
            sum = sum + a.get(row, k) * b.get(b.base, k, column);
        *to = is_zero(beta) ? alpha * sum : alpha * sum + beta * *to;
    }
}

/* c = alpha a b, with a triangular; c may be b. A thread for each column: a row is written when no other needs what was
 * there. */
template <typename T>
DEVICE void multiply_triangular(int is_upper, int is_unit, int order, int columns, complex<T> alpha, matrices<T> a,
                                matrices<T> b, matrices<T> c)
{
    for (i64 column = first(); column < columns; column += step())
        for (int i = 0; i < order; i++) {
            const int row = is_upper ? i : order - 1 - i;
            complex<T> sum = b.get(b.base, row, column);
            if (!is_unit)
                sum = a.get(a.base, row, row) * sum;
            for (int k = is_upper ? row + 1 : 0; k < (is_upper ? order : row); k++)
                sum = sum + a.get(a.base, row, k) * b.get(b.base, k, column);
            c.base[c.place(row, column)] = alpha * sum;
        }
}

/* One half of c = alpha a b' + alpha' b a' + beta c, the second product only if is_both. What is turned is conjugated,
 * as alpha is, where c is Hermitian, and its diagonal becomes real. */
template <typename T>
DEVICE void add_rank(int is_upper, int is_hermitian, int is_both, int n, int k, complex<T> alpha, matrices<T> a,
                     matrices<T> b, complex<T> beta, complex<T> *c, int ldc)
{
    for (i64 i = first(); i < (i64)n * n; i += step()) {
        const int row = (int)(i % n), column = (int)(i / n);
        if (is_upper ? row > column : row < column)
            continue;
        complex<T> sum = {0, 0}, other = {0, 0}, *to = &c[row + (i64)column * ldc];
        for (int at = 0; at < k; at++) {
            sum = sum + a.get(a.base, row, at) * conjugate(b.get(b.base, column, at), is_hermitian);
            if (is_both)
                other = other + b.get(b.base, row, at) * conjugate(a.get(a.base, column, at), is_hermitian);
        }
        sum = alpha * sum + conjugate(alpha, is_hermitian) * other;
        if (!is_zero(beta))
            sum = sum + beta * *to;
        *to = {sum.real, is_hermitian && row == column ? (T)0 : sum.imaginary};
    }
}

/* c = diag(x) a, or a diag(x). */
template <typename T>
DEVICE void scale(int by_column, int m, int n, const complex<T> *a, int lda, matrices<T> x, complex<T> *c, int ldc)
{
    for (i64 i = first(); i < (i64)m * n; i += step()) {
        const i64 row = i % m, column = i / m;
        c[row + column * ldc] = a[row + column * lda] * x.get(x.base, by_column ? column : row, 0);
    }
}

#define KERNELS(letter, T)                                                                                             \
    GLOBAL void warplens_##letter##multiply_half(int order, int columns, complex<T> alpha, half_stored<T> a,           \
                                                 matrices<T> b, complex<T> beta, matrices<T> c)                        \
    {                                                                                                                  \
        multiply_half(order, columns, alpha, a, b, beta, c);                                                           \
    }                                                                                                                  \
    GLOBAL void warplens_##letter##multiply_triangular(int is_upper, int is_unit, int order, int columns,              \
                                                       complex<T> alpha, matrices<T> a, matrices<T> b, matrices<T> c)  \
    {                                                                                                                  \
        multiply_triangular(is_upper, is_unit, order, columns, alpha, a, b, c);                                        \
    }                                                                                                                  \
    GLOBAL void warplens_##letter##add_rank(int is_upper, int is_hermitian, int is_both, int n, int k,                 \
                                            complex<T> alpha, matrices<T> a, matrices<T> b, complex<T> beta,           \
                                            complex<T> *c, int ldc)                                                    \
    {                                                                                                                  \
        add_rank(is_upper, is_hermitian, is_both, n, k, alpha, a, b, beta, c, ldc);                                    \
    }                                                                                                                  \
    GLOBAL void warplens_##letter##scale(int by_column, int m, int n, const complex<T> *a, int lda, matrices<T> x,     \
                                         complex<T> *c, int ldc)                                                       \
    {                                                                                                                  \
        scale(by_column, m, n, a, lda, x, c, ldc);                                                                     \
    }

KERNELS(c, float)
KERNELS(z, double)
