/* Matrices of complex numbers of kernels. */
#ifndef WL_API_CUBLAS_COMPLEX_CUH
#define WL_API_CUBLAS_COMPLEX_CUH

#include "../common/complex.cuh"

/* Matrices of a batch: list[i], or stride elements apart. Element (row, column) lies at row * row_step + column *
 * column_step. */
template <typename T> struct matrices {
    complex<T> *const *list;
    complex<T> *base;
    i64 stride, row_step, column_step;
    int is_conjugate;
    DEVICE complex<T> *of(int number) const
    {
        return list ? list[number] : base + number * stride;
    }
    DEVICE i64 place(i64 row, i64 column) const
    {
        return row * row_step + column * column_step;
    }
    DEVICE complex<T> get(const complex<T> *from, i64 row, i64 column) const
    {
        return conjugate(from[place(row, column)], is_conjugate);
    }
};

/* Element (row, column) of a matrix, of its transposed if op is 1, of its conjugate transposed if op is 2. */
template <typename T> DEVICE complex<T> element(const complex<T> *a, int lda, int op, int row, int column)
{
    return conjugate(op ? a[column + (i64)row * lda] : a[row + (i64)column * lda], op == 2);
}

#endif
