/* What the kernels of the stand-in for cuSPARSE share: kinds of values, and where the elements of a matrix are. */
#ifndef WL_API_CUSPARSE_SPARSE_CUH
#define WL_API_CUSPARSE_SPARSE_CUH

#include "../common/complex.cuh"
#include "../common/half.cuh"
#include "sparse.h"

/* ---- values as numbers ---- */

DEVICE float number(half x)
{
    return widen(x);
}

DEVICE float number(bfloat x)
{
    return widen(x);
}

DEVICE float number(float x)
{
    return x;
}

DEVICE double number(double x)
{
    return x;
}

DEVICE int number(signed char x)
{
    return x;
}

DEVICE int number(int x)
{
    return x;
}

template <typename T> DEVICE auto number(complex<T> x)
{
    return complex<decltype(number(x.real))>{number(x.real), number(x.imaginary)};
}

template <typename From> DEVICE void assign(float &to, From from)
{
    to = (float)from;
}

template <typename From> DEVICE void assign(double &to, From from)
{
    to = (double)from;
}

template <typename From> DEVICE void assign(int &to, From from)
{
    to = (int)from;
}

/* To the nearest, ties to even. */
DEVICE void assign(half &to, float x)
{
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(to.bits) : "f"(x));
}

DEVICE void assign(bfloat &to, float x)
{
    unsigned bits = __builtin_bit_cast(unsigned, x);
    bool is_nan = (bits & 0x7fffffffu) > 0x7f800000u;
    to.bits = is_nan ? 0x7fff : (unsigned short)((bits + 0x7fffu + (bits >> 16 & 1)) >> 16);
}

template <typename To, typename From> DEVICE void assign(complex<To> &to, complex<From> from)
{
    assign(to.real, from.real);
    assign(to.imaginary, from.imaginary);
}

template <typename To, typename From> DEVICE void assign(complex<To> &to, From from)
{
    to = {To(from), To(0)};
}

/* A value as one of the kind that sums are made of. */
template <typename Sum, typename T> DEVICE Sum as(T x)
{
    Sum made;
    assign(made, number(x));
    return made;
}

template <typename T> DEVICE T conjugate(T x, int)
{
    return x;
}

DEVICE bool is_zero(float x)
{
    return x == 0;
}

DEVICE bool is_zero(double x)
{
    return x == 0;
}

DEVICE bool is_zero(int x)
{
    return x == 0;
}

DEVICE void add(int *to, int value)
{
    __nvvm_atom_add_gen_i(to, value);
}

DEVICE void add(float *to, float value)
{
    __nvvm_atom_add_gen_f(to, value);
}

DEVICE void add(double *to, double value)
{
    __nvvm_atom_add_gen_d(to, value);
}

template <typename T> DEVICE void add(complex<T> *to, complex<T> value)
{
    add(&to->real, value.real);
    add(&to->imaginary, value.imaginary);
}

/* factor * value. Where the factor is 0 the value may never have been written, and is not read. */
template <typename Sum, typename T> DEVICE Sum part(Sum factor, const T &value)
{
    if (is_zero(factor))
        return Sum{};
    asm volatile("" ::: "memory"); /* or the value is loaded before the factor is looked at */
    return factor * as<Sum>(value);
}

/* ---- where elements are ---- */

DEVICE i64 load(const void *from, int is_wide, i64 at)
{
    return is_wide ? ((const i64 *)from)[at] : ((const int *)from)[at];
}

DEVICE void store(void *to, int is_wide, i64 at, i64 value)
{
    if (is_wide)
        ((i64 *)to)[at] = value;
    else
        ((int *)to)[at] = (int)value;
}

DEVICE i64 offset(const wl_sparse &a, i64 at)
{
    return load(a.offsets, a.has_wide_offsets, at) - a.base;
}

/* The number of the first element of a row: elements of a row have numbers one after the other, however they are
 * stored. Of single elements, whose rows must rise then. */
DEVICE i64 row_begin(const wl_sparse &a, i64 row)
{
    if (a.by_element) {
        i64 low = 0, high = a.element_count;
        while (low < high) {
            i64 middle = (low + high) / 2;
            if (offset(a, middle) < row)
                low = middle + 1;
            else
                high = middle;
        }
        return low;
    }
    if (a.form == WL_SPARSE_ROWS)
        return offset(a, row);
    if (a.form == WL_SPARSE_ELLPACK)
        return row * a.width;
    i64 outer = row / a.block_rows, inner = row % a.block_rows, begin = offset(a, outer);
    i64 count = inner ? offset(a, outer + 1) - begin : 0;
    if (a.form == WL_SPARSE_SLICES)
        return begin + inner * (count / a.block_rows);
    return (begin * a.block_rows + inner * count) * a.block_columns;
}

/* The column that is stored there. */
DEVICE i64 column_of(const wl_sparse &a, i64 at)
{
    return load(a.columns, a.has_wide_columns, at) - a.base;
}

/* The column of an element, -1 if it is none, and where its value is. */
struct entry {
    i64 column, at;
};

/* Element e of a row whose first is begin. */
DEVICE entry entry_of(const wl_sparse &a, i64 row, i64 begin, i64 e)
{
    if (a.form == WL_SPARSE_ROWS)
        return {column_of(a, e), e};
    i64 inner = row % a.block_rows, at = e - begin;
    if (a.form == WL_SPARSE_SLICES) {
        at = offset(a, row / a.block_rows) + at * a.block_rows + inner;
        i64 stored = load(a.columns, a.has_wide_columns, at);
        return {stored < 0 ? -1 : stored - a.base, at};
    }
    if (a.form == WL_SPARSE_ELLPACK) {
        i64 stored = load(a.columns, a.has_wide_columns, row / a.block_rows * (a.width / a.block_columns) + at / a.block_columns);
        return {stored - a.base < 0 ? -1 : (stored - a.base) * a.block_columns + at % a.block_columns, e};
    }
    i64 block = offset(a, row / a.block_rows) + at / a.block_columns, other = at % a.block_columns;
    return {column_of(a, block) * a.block_columns + other,
            block * a.block_rows * a.block_columns +
                (a.is_block_by_column ? inner + other * a.block_rows : inner * a.block_columns + other)};
}

template <typename T> DEVICE T &at(const wl_dense &m, i64 row, i64 column)
{
    return ((T *)m.values)[row * m.row_step + column * m.column_step];
}

#endif
