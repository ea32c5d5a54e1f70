/* Matrices of each type for tests of cuSOLVER: numbers are put and read as complex ones of double
 * precision, whatever they are kept as. */
#ifndef SOLVER_NUMBERS_H
#define SOLVER_NUMBERS_H

#include <complex.h>
#include <math.h>
#include <stdbool.h>

#include "runtime.h"

typedef double complex number;

enum { LOWER = 0, UPPER = 1, LEFT = 0, RIGHT = 1, PLAIN = 0, TRANSPOSED = 1, ADJOINT = 2 };
enum { NO_HANDLE = 1, INVALID = 3, NOT_SUPPORTED = 9 };

int cusolverDnCreate(void **handle);
int cusolverDnDestroy(void *handle);

static const char letters[] = "SDCZ";

static inline bool is_complex(char letter)
{
    return letter == 'C' || letter == 'Z';
}

static inline bool is_single(char letter)
{
    return letter == 'S' || letter == 'C';
}

/* CUDA_R_32F and so on. */
static inline int type_of(char letter)
{
    return letter == 'S' ? 0 : letter == 'D' ? 1 : letter == 'C' ? 4 : 5;
}

static inline int real_type_of(char letter)
{
    return is_single(letter) ? 0 : 1;
}

static inline char real_of(char letter)
{
    return is_single(letter) ? 'S' : 'D';
}

/* What rounding may leave of a matrix of some dozens of rows. */
static inline double tolerance_of(char letter)
{
    return is_single(letter) ? 2e-4 : 1e-11;
}

static inline size_t bytes_of(char letter)
{
    return letter == 'S' ? 4 : letter == 'Z' ? 16 : 8;
}

static inline void *managed(size_t bytes)
{
    void *made = NULL;
    EXPECT(cudaMallocManaged(&made, bytes, 1), 0);
    return made;
}

static inline number get(char letter, const void *values, int i)
{
    return letter == 'S'   ? ((const float *)values)[i]
           : letter == 'D' ? ((const double *)values)[i]
           : letter == 'C' ? ((const float complex *)values)[i]
                           : ((const number *)values)[i];
}

static inline void put(char letter, void *values, int i, number value)
{
    if (letter == 'S')
        ((float *)values)[i] = (float)creal(value);
    else if (letter == 'D')
        ((double *)values)[i] = creal(value);
    else if (letter == 'C')
        ((float complex *)values)[i] = (float complex)value;
    else
        ((number *)values)[i] = value;
}

static inline void put_all(char letter, void *to, const number *from, int count)
{
    for (int i = 0; i < count; i++)
        put(letter, to, i, from[i]);
}

static inline void get_all(char letter, number *to, const void *from, int count)
{
    for (int i = 0; i < count; i++)
        to[i] = get(letter, from, i);
}

/* Without order, from -1 to 1, as the type can hold them. */
static inline number random_number(char letter, unsigned *seed)
{
    double part[2];
    for (int i = 0; i < 2; i++) {
        *seed = *seed * 1664525u + 1013904223u;
        part[i] = (float)((double)(*seed >> 8) / (1 << 23) - 1);
    }
    return part[0] + (is_complex(letter) ? part[1] * I : 0);
}

/* m by n, ld apart. */
static inline void make_random(char letter, number *a, int m, int n, int ld, unsigned seed)
{
    for (int i = 0; i < ld * n; i++) {
        const number value = random_number(letter, &seed);
        a[i] = i % ld < m ? value : 77;
    }
}

/* Equal to its conjugate transposed (is_hermitian) or transposed; shift: added to the diagonal. */
static inline void make_symmetric(char letter, number *a, int n, int ld, bool is_hermitian,
                                  double shift, unsigned seed)
{
    make_random(letter, a, n, n, ld, seed);
    for (int i = 0; i < n; i++)
        for (int j = 0; j <= i; j++)
            a[j + i * ld] = is_hermitian ? conj(a[i + j * ld]) : a[i + j * ld];
    for (int i = 0; i < n; i++)
        a[i + i * ld] = (is_hermitian ? creal(a[i + i * ld]) : a[i + i * ld]) + shift;
}

/* The triangle that is not given is no number that may be read. */
static inline void hide_other(number *a, int n, int ld, int fill)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < i; j++)
            a[fill == LOWER ? j + i * ld : i + j * ld] = 1e6;
}

/* to = op(a) op(b), m by n, of k between them. */
static inline void multiply(number *to, int ld_to, const number *a, int lda, int op_a,
                            const number *b, int ldb, int op_b, int m, int n, int k)
{
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++) {
            number sum = 0;
            for (int l = 0; l < k; l++) {
                const number x = op_a == PLAIN ? a[i + l * lda] : a[l + i * lda],
                             y = op_b == PLAIN ? b[l + j * ldb] : b[j + l * ldb];
                sum += (op_a == ADJOINT ? conj(x) : x) * (op_b == ADJOINT ? conj(y) : y);
            }
            to[i + j * ld_to] = sum;
        }
}

/* The largest difference. */
static inline double distance(const number *a, int lda, const number *b, int ldb, int m, int n)
{
    double most = 0;
    for (int i = 0; i < m; i++)
        for (int j = 0; j < n; j++)
            most = fmax(most, cabs(a[i + j * lda] - b[i + j * ldb]));
    return most;
}

/* How far columns are from being orthogonal and of length 1. */
static inline double unorthogonal(const number *x, int ld, int rows, int columns)
{
    double most = 0;
    for (int i = 0; i < columns; i++)
        for (int j = 0; j <= i; j++) {
            number sum = -(i == j);
            for (int k = 0; k < rows; k++)
                sum += conj(x[k + i * ld]) * x[k + j * ld];
            most = fmax(most, cabs(sum));
        }
    return most;
}

#endif
