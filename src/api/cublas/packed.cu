/* Kernels behind cuBLAS's calls on banded and packed matrices. Plain ones: what they count is what such a call does at
 * least, not how cuBLAS does it.
 *
 * packed.ptx is made from this file (see the command in its first line) and embedded in the library.
 */
#include "complex.cuh"

template <typename T> DEVICE bool is_zero(T a)
{
    return a == 0;
}

template <typename T> DEVICE T conjugate(T a, int)
{
    return a;
}

template <typename T> DEVICE T real_part(T a)
{
    return a;
}

template <typename T> DEVICE complex<T> real_part(complex<T> a)
{
    return {a.real, 0};
}

/* op(A) of a matrix that lies packed (leading is 0: columns of a triangle, one after the other) or by its diagonals:
 * element (row, column) in row above + row - column of what is stored. Row i has elements that are not 0 from column i -
 * before to i + after. */
template <typename T> struct stored {
    T *at;
    i64 leading;
    int rows, columns;         /* of op(A) */
    int above, before, after;
    int is_half, is_hermitian; /* the other half is the stored one turned, and conjugated */
    int is_upper, is_turned, is_conjugate, is_unit;
    DEVICE i64 place(i64 row, i64 column) const
    {
        if (leading)
            return above + row - column + column * leading;
        return is_upper ? row + column * (column + 1) / 2 : row + column * (2 * (i64)rows - column - 1) / 2;
    }
    DEVICE bool is_stored(int row, int column) const
    {
        return is_upper ? row <= column : row >= column;
    }
    DEVICE T get(int row, int column) const
    {
        const bool is_other = is_half ? !is_stored(row, column) : is_turned;
        const T value = at[is_other ? place(column, row) : place(row, column)];
        if (is_hermitian && row == column)
            return real_part(value);
        return conjugate(value, is_half ? is_hermitian && is_other : is_conjugate);
    }
    DEVICE int first_column(int row) const
    {
        return row > before ? row - before : 0;
    }
    DEVICE int end_column(int row) const
    {
        return after < columns - row ? row + after + 1 < columns ? row + after + 1 : columns : columns;
    }
};

/* The product of a row and x, whose elements are step apart. */
template <typename T> DEVICE T row_product(const stored<T> &a, int row, const T *x, i64 step)
{
    T sum = {};
    for (int k = a.first_column(row); k < a.end_column(row); k++)
        sum += (a.is_unit && k == row ? x[k * step] : a.get(row, k) * x[k * step]);
    return sum;
}

/* y = alpha a x + beta y, a thread for each row; a and x count where alpha is 0, too. */
template <typename T> DEVICE void multiply(T alpha, const stored<T> &a, const T *x, i64 incx, T beta, T *y, i64 incy)
{
    for (i64 row = first(); row < a.rows; row += step()) {
        const T sum = alpha * row_product(a, (int)row, x, incx);
        y[row * incy] = is_zero(beta) ? sum : sum + beta * y[row * incy];
    }
}

/* x = a x of a triangle, by a block: rows in the order in which they need none that is written before. */
template <typename T> DEVICE void multiply_in_place(const stored<T> &a, T *x, i64 incx)
{
    const int thread = __nvvm_read_ptx_sreg_tid_x(), is_forward = a.before == 0;
    for (int from = 0; from < a.rows; from += THREADS) {
        const int row = is_forward ? from + thread : a.rows - 1 - from - thread;
        const bool is_row = row >= 0 && row < a.rows;
        const T product = is_row ? row_product(a, row, x, incx) : T{};
        __syncthreads();
        if (is_row)
            x[row * incx] = product;
        __syncthreads();
    }
}

/* a x = x of a triangle, by a block: what is known of x leaves the others' sums. */
template <typename T> DEVICE void solve(const stored<T> &a, T *x, i64 incx)
{
    const int thread = __nvvm_read_ptx_sreg_tid_x(), is_backward = a.before == 0;
    const int reach = is_backward ? a.after : a.before;
    for (int i = 0; i < a.rows; i++) {
        const int k = is_backward ? a.rows - 1 - i : i, left = is_backward ? k : a.rows - 1 - k;
        if (!thread && !a.is_unit)
            x[k * incx] = quotient(x[k * incx], a.get(k, k));
        __syncthreads();
        for (int away = 1 + thread; away <= reach && away <= left; away += THREADS) {
            const int row = is_backward ? k - away : k + away;
            x[row * incx] -= a.get(row, k) * x[k * incx];
        }
        __syncthreads();
    }
}

/* The half that is stored of a = a + alpha x y', and, if is_both, + alpha' y x'. What is turned is conjugated, as alpha
 * is, where a is Hermitian, and its diagonal becomes real. */
template <typename T>
DEVICE void add_rank(T alpha, const T *x, i64 incx, const T *y, i64 incy, int is_both, const stored<T> &a)
{
    for (i64 i = first(); i < (i64)a.rows * a.rows; i += step()) {
        const int row = (int)(i % a.rows), column = (int)(i / a.rows), other = a.is_hermitian;
        if (!a.is_stored(row, column))
            continue;
        T *to = &a.at[a.place(row, column)];
        T sum = alpha * x[row * incx] * conjugate(y[column * incy], other);
        if (is_both)
            sum += conjugate(alpha, other) * y[row * incy] * conjugate(x[column * incx], other);
        sum += *to;
        *to = other && row == column ? real_part(sum) : sum;
    }
}

/* A packed triangle, and the same in a whole matrix. */
template <typename T> DEVICE void unpack(const stored<T> &a, T *to, i64 leading, int is_back)
{
    for (i64 i = first(); i < (i64)a.rows * a.rows; i += step()) {
        const int row = (int)(i % a.rows), column = (int)(i / a.rows);
        if (!a.is_stored(row, column))
            continue;
        T &packed = a.at[a.place(row, column)], &whole = to[row + column * leading];
        is_back ? packed = whole : whole = packed;
    }
}

#define KERNELS(letter, T)                                                                                             \
    GLOBAL void warplens_##letter##multiply_stored(T alpha, stored<T> a, const T *x, i64 incx, T beta, T *y, i64 incy) \
    {                                                                                                                  \
        multiply(alpha, a, x, incx, beta, y, incy);                                                                    \
    }                                                                                                                  \
    GLOBAL void warplens_##letter##multiply_in_place(stored<T> a, T *x, i64 incx)                                      \
    {                                                                                                                  \
        multiply_in_place(a, x, incx);                                                                                 \
    }                                                                                                                  \
    GLOBAL void warplens_##letter##solve_stored(stored<T> a, T *x, i64 incx)                                           \
    {                                                                                                                  \
        solve(a, x, incx);                                                                                             \
    }                                                                                                                  \
    GLOBAL void warplens_##letter##add_rank_stored(T alpha, const T *x, i64 incx, const T *y, i64 incy, int is_both,   \
                                                   stored<T> a)                                                        \
    {                                                                                                                  \
        add_rank(alpha, x, incx, y, incy, is_both, a);                                                                 \
    }                                                                                                                  \
    GLOBAL void warplens_##letter##unpack(stored<T> a, T *to, i64 leading, int is_back)                                \
    {                                                                                                                  \
        unpack(a, to, leading, is_back);                                                                               \
    }

KERNELS(s, float)
KERNELS(d, double)
KERNELS(c, complex<float>)
KERNELS(z, complex<double>)
