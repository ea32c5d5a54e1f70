/* Eigenvalues and vectors of general matrices (Xgeev): to Hessenberg form, then to a triangle by
 * implicit QR steps, of one shift or, of real matrices, two. The host computes, as it does in part
 * of such a call anyway. */
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "api/cusolver/sparse.h"

/* t, which becomes a triangle, and z, by whose columns it is turned, and scaled: columns one behind
 * another. */
struct schur {
    int n;
    bool is_real;
    wl_number *t, *z;
};

static wl_number *at(const struct schur *of, wl_number *matrix, int row, int column)
{
    return matrix + row + (int64_t)column * of->n;
}

/* Makes of a vector that of a reflection that takes it to beta times the first unit vector, with 1
 * as its first element; its factor. */
static wl_number make_reflection(wl_number *v, int count)
{
    const wl_number head = v[0];
    double squares = 0;
    for (int i = 1; i < count; i++)
        squares += creal(v[i] * conj(v[i]));
    if (squares == 0 && cimag(head) == 0)
        return 0;
    const double length = sqrt(squares + creal(head * conj(head))),
                 beta = creal(head) < 0 ? length : -length;
    for (int i = 1; i < count; i++)
        v[i] /= head - beta;
    v[0] = 1;
    return (beta - head) / beta;
}

/* Rows and columns from `first` on of t, and columns of z. */
static void reflect(const struct schur *of, const wl_number *v, int first, int count,
                    wl_number factor)
{
    wl_number *const matrices[] = {of->t, of->z};
    if (factor == 0)
        return;
    for (int j = 0; j < of->n; j++) {
        wl_number sum = 0;
        for (int i = 0; i < count; i++)
            sum += conj(v[i]) * *at(of, of->t, first + i, j);
        sum *= conj(factor);
        for (int i = 0; i < count; i++)
            *at(of, of->t, first + i, j) -= sum * v[i];
    }
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < of->n; i++) {
            wl_number sum = 0;
            for (int j = 0; j < count; j++)
                sum += *at(of, matrices[k], i, first + j) * v[j];
            sum *= factor;
            for (int j = 0; j < count; j++)
                *at(of, matrices[k], i, first + j) -= sum * conj(v[j]);
        }
}

/* So that below its diagonal a column has nothing behind `count` rows from there. */
static void clear_below(const struct schur *of, int column, int count)
{
    for (int i = 1; i < count; i++)
        *at(of, of->t, column + 1 + i, column) = 0;
}

/* By which power of 2 column k is to be multiplied, and row k divided, so that they are about as
 * long; 1 where that is of little use. */
static double find_scale(const struct schur *of, int k)
{
    double column = 0, row = 0, scale = 1;
    for (int i = 0; i < of->n; i++)
        if (i != k) {
            column += cabs(*at(of, of->t, i, k));
            row += cabs(*at(of, of->t, k, i));
        }
    const double before = column + row;
    if (!(column > 0 && row > 0) || !isfinite(before))
        return 1;
    for (; column < row / 2; column *= 4)
        scale *= 2;
    for (; column >= row * 2; column /= 4)
        scale /= 2;
    return (column + row) / scale < 0.95 * before ? scale : 1;
}

/* Values stay as they are, and are found to within rounding of a smaller matrix (B. N. Parlett, C.
 * Reinsch, "Balancing a matrix for calculation of eigenvalues and eigenvectors", Numerische
 * Mathematik 13, 1969). */
static void balance(const struct schur *of)
{
    for (bool is_changed = true; is_changed;) {
        is_changed = false;
        for (int k = 0; k < of->n; k++) {
            const double scale = find_scale(of, k);
            is_changed |= scale != 1;
            for (int i = 0; scale != 1 && i < of->n; i++) {
                *at(of, of->t, i, k) *= scale;
                *at(of, of->z, i, k) *= scale;
                *at(of, of->t, k, i) /= scale;
            }
        }
    }
}

static void make_hessenberg(const struct schur *of)
{
    wl_number *v = wl_alloc_zero((size_t)of->n + 1, sizeof *v);
    balance(of);
    for (int k = 0; k + 2 < of->n; k++) {
        const int count = of->n - 1 - k;
        for (int i = 0; i < count; i++)
            v[i] = *at(of, of->t, k + 1 + i, k);
        const wl_number factor = make_reflection(v, count);
        reflect(of, v, k + 1, count, factor);
        clear_below(of, k, count);
    }
    free(v);
}

/* The eigenvalues of two rows and columns from k on. */
static void split(const struct schur *of, int k, wl_number *one, wl_number *two)
{
    const wl_number a = *at(of, of->t, k, k), b = *at(of, of->t, k, k + 1),
                    c = *at(of, of->t, k + 1, k), d = *at(of, of->t, k + 1, k + 1),
                    half = (a - d) / 2, square = half * half + b * c;
    wl_number root = csqrt(square);
    if (of->is_real && creal(square) < 0) {
        const double imaginary = sqrt(-creal(square));
        *one = creal(d + half) + imaginary * _Complex_I;
        *two = conj(*one);
        return;
    }
    if (creal(root * conj(half)) < 0)
        root = -root;
    *one = d + half + root;
    *two = half + root == 0 ? d : d - b * c / (half + root);
}

/* The first column of (t - one)(t - two), or of t - one, for a step of rows from..to. */
static int begin_step(const struct schur *of, int from, int to, int round, wl_number *v)
{
    wl_number one, two;
    const wl_number a = *at(of, of->t, from, from), below = *at(of, of->t, from + 1, from);
    split(of, to - 1, &one, &two);
    if (round % 10 == 9) { /* out of a circle */
        const double away = cabs(*at(of, of->t, to, to - 1));
        one = *at(of, of->t, to, to) + 0.75 * away;
        two = of->is_real ? one : two + away;
    }
    if (!of->is_real) {
        const wl_number last = *at(of, of->t, to, to);
        v[0] = a - (cabs(two - last) < cabs(one - last) ? two : one);
        v[1] = below;
        return 2;
    }
    v[0] = a * a + *at(of, of->t, from, from + 1) * below - creal(one + two) * a + creal(one * two);
    v[1] = below * (a + *at(of, of->t, from + 1, from + 1) - creal(one + two));
    v[2] = below * *at(of, of->t, from + 2, from + 1);
    return 3;
}

static void step(const struct schur *of, int from, int to, int round)
{
    wl_number v[3];
    const int most = begin_step(of, from, to, round, v);
    for (int k = from; k < to; k++) {
        const int count = to - k + 1 < most ? to - k + 1 : most;
        for (int i = 0; k > from && i < count; i++)
            v[i] = *at(of, of->t, k + i, k - 1);
        const wl_number factor = make_reflection(v, count);
        reflect(of, v, k, count, factor);
        if (k > from)
            clear_below(of, k - 1, count);
    }
}

/* Where the block that ends with row `to` begins, whose elements below the diagonal are not 0. */
static int find_block(const struct schur *of, int to)
{
    int from = to;
    for (; from > 0; from--) {
        wl_number *below = at(of, of->t, from, from - 1);
        const double beside =
            cabs(*at(of, of->t, from, from)) + cabs(*at(of, of->t, from - 1, from - 1));
        if (cabs(*below) <= DBL_EPSILON * (beside > 0 ? beside : 1)) {
            *below = 0;
            break;
        }
    }
    return from;
}

/* Two rows that are left together: the first gets an eigenvalue of theirs. */
static void make_triangle(const struct schur *of, int k)
{
    wl_number one, two;
    split(of, k, &one, &two);
    const wl_number a = *at(of, of->t, k, k), d = *at(of, of->t, k + 1, k + 1);
    wl_number v[] = {*at(of, of->t, k, k + 1), one - a},
              other[] = {one - d, *at(of, of->t, k + 1, k)};
    const bool is_other = cabs(other[0]) + cabs(other[1]) > cabs(v[0]) + cabs(v[1]);
    const wl_number factor = make_reflection(is_other ? other : v, 2);
    reflect(of, is_other ? other : v, k, 2, factor);
    *at(of, of->t, k, k) = one;
    *at(of, of->t, k + 1, k + 1) = two;
    *at(of, of->t, k + 1, k) = 0;
}

/* 0, or how many eigenvalues are not found. */
static int find_triangle(const struct schur *of)
{
    char *is_pair = wl_alloc_zero((size_t)of->n + 1, 1);
    int to = of->n - 1;
    for (int round = 0; to > 0 && round < 60;) {
        const int from = find_block(of, to);
        if (from < to - 1 || (from == to - 1 && !of->is_real)) {
            step(of, from, to, round++);
            continue;
        }
        is_pair[from] = from < to;
        to = from - 1;
        round = 0;
    }
    for (int k = 0; to <= 0 && k < of->n - 1; k++)
        if (is_pair[k])
            make_triangle(of, k);
    free(is_pair);
    return to > 0 ? to + 1 : 0;
}

/* ---- vectors ---- */

/* That of the k-th eigenvalue, of length 1, its largest element real. */
static void find_vector(const struct schur *of, int k, double least, wl_number *x, wl_number *v)
{
    double length = 0, most = 0;
    wl_number phase = 1;
    x[k] = 1;
    for (int i = k - 1; i >= 0; i--) {
        wl_number sum = 0, away = *at(of, of->t, i, i) - *at(of, of->t, k, k);
        for (int j = i + 1; j <= k; j++)
            sum -= *at(of, of->t, i, j) * x[j];
        if (cabs(away) < least)
            away = least;
        x[i] = sum / away;
        const bool is_large = cabs(x[i]) > 1e100;
        for (int j = i; is_large && j <= k; j++)
            x[j] *= 1e-100;
    }
    for (int i = 0; i < of->n; i++) {
        v[i] = 0;
        for (int j = 0; j <= k; j++)
            v[i] += *at(of, of->z, i, j) * x[j];
        length = hypot(length, cabs(v[i]));
        if (cabs(v[i]) > most) {
            most = cabs(v[i]);
            phase = conj(v[i]) / most;
        }
    }
    for (int i = 0; i < of->n; i++)
        v[i] *= phase / length;
}

/* Of a real matrix's real value, of which the real part is a vector too. */
static void make_real(wl_number *v, int n)
{
    double length = 0;
    for (int i = 0; i < n; i++)
        length = hypot(length, creal(v[i]));
    for (int i = 0; i < n; i++)
        v[i] = creal(v[i]) / length;
}

/* What a program gets, and of what type; vectors of a real type, of two values that are each
 * other's conjugate, are the real and the imaginary part of the first one's. */
struct eigen {
    char letter, letter_values, letter_vectors;
    int n, lda, ld;
    const void *a;
    void *values, *vectors; /* NULL: no vectors */
};

static void give_values(const struct schur *of, const struct eigen *to)
{
    for (int k = 0; k < of->n; k++) {
        const wl_number value = *at(of, of->t, k, k);
        wl_number_put(to->letter_values, to->values, k, value);
        if (!wl_solver_is_complex(to->letter_values)) /* imaginary parts are behind real ones */
            wl_number_put(to->letter_values, to->values, k + of->n, cimag(value));
    }
}

static void give_vectors(const struct schur *of, const struct eigen *to)
{
    wl_number *x = wl_alloc_zero((size_t)of->n + 1, sizeof *x),
              *v = wl_alloc_zero((size_t)of->n + 1, sizeof *v);
    double size = 0;
    for (int64_t i = 0; i < (int64_t)of->n * of->n; i++)
        size = fmax(size, cabs(of->t[i]));
    const double least = size > 0 ? size * DBL_EPSILON : DBL_MIN;
    for (int k = 0; k < of->n; k++) {
        const bool is_pair = of->is_real && cimag(*at(of, of->t, k, k)) != 0;
        find_vector(of, k, least, x, v);
        if (of->is_real && !is_pair)
            make_real(v, of->n);
        for (int i = 0; i < of->n; i++) {
            const int64_t place = i + (int64_t)k * to->ld;
            wl_number_put(to->letter_vectors, to->vectors, place, v[i]);
            if (is_pair)
                wl_number_put(to->letter_vectors, to->vectors, place + to->ld,
                              wl_solver_is_complex(to->letter_vectors) ? conj(v[i]) : cimag(v[i]));
        }
        k += is_pair;
    }
    free(x);
    free(v);
}

/* A matrix of n rows, all 0, turned by the identity. */
static struct schur make_schur(int n, bool is_real)
{
    const size_t elements = (size_t)n * (size_t)n;
    const struct schur made = {n, is_real, wl_alloc_zero(elements + 1, sizeof(wl_number)),
                               wl_alloc_zero(elements + 1, sizeof(wl_number))};
    for (int i = 0; i < n; i++)
        *at(&made, made.z, i, i) = 1;
    return made;
}

static void free_schur(struct schur *of)
{
    free(of->t);
    free(of->z);
}

static int find(void *handle, const struct eigen *of, int *info)
{
    struct wl_solver_work work = wl_solver_begin(handle, of->letter, true, info);
    wl_solver_wait(&work);
    if (work.status || !of->n)
        return work.status;
    struct schur schur = make_schur(of->n, !wl_solver_is_complex(of->letter));
    for (int64_t i = 0; i < (int64_t)of->n * of->n; i++)
        schur.t[i] = wl_number_get(of->letter, of->a, i % of->n + i / of->n * of->lda);
    make_hessenberg(&schur);
    *info = find_triangle(&schur); /* which the host can write here */
    if (!*info) {
        give_values(&schur, of);
        if (of->vectors)
            give_vectors(&schur, of);
    }
    free_schur(&schur);
    return WL_SOLVER_OK;
}

int wl_solver_count_within(const struct wl_csr *a, wl_number lowest, wl_number highest)
{
    struct schur schur = make_schur(a->rows, !wl_solver_is_complex(a->letter));
    int count = 0;
    for (int i = 0; i < a->rows; i++)
        for (int k = wl_csr_start(a, i); k < wl_csr_start(a, i + 1); k++)
            *at(&schur, schur.t, i, a->indices[k] - a->base) +=
                wl_number_get(a->letter, a->values, k);
    make_hessenberg(&schur);
    if (find_triangle(&schur))
        count = -1;
    for (int k = 0; count >= 0 && k < a->rows; k++) {
        const wl_number value = *at(&schur, schur.t, k, k);
        count += creal(value) >= creal(lowest) && creal(value) <= creal(highest) &&
                 cimag(value) >= cimag(lowest) && cimag(value) <= cimag(highest);
    }
    free_schur(&schur);
    return count;
}

/* ---- the call ---- */

/* Types of what a call gives, beside that of its matrix. */
struct types {
    int values, left, right, compute;
};

static char letter_of_type(int type)
{
    return type == WL_SOLVER_FLOATS    ? 's'
           : type == WL_SOLVER_DOUBLES ? 'd'
           : type == WL_SOLVER_SINGLES ? 'c'
           : type == WL_SOLVER_TWICES  ? 'z'
                                       : 0;
}

static bool is_like(char letter, char other)
{
    return other && wl_solver_real_bytes_of(letter) == wl_solver_real_bytes_of(other) &&
           (!wl_solver_is_complex(letter) || wl_solver_is_complex(other));
}

/* 0, of types that do not belong together: those of vectors are the matrix's, values may be complex
 * where that is real. */
static char check_types(int type, const struct types *of)
{
    const char letter = letter_of_type(type);
    return letter && is_like(letter, letter_of_type(of->values)) && of->left == type &&
                   of->right == type && of->compute == type
               ? letter
               : 0;
}

struct wanted {
    int left, right;
    int64_t n, lda, ld_left, ld_right;
};

static bool is_valid(const struct wanted *of)
{
    const int64_t least = of->n > 1 ? of->n : 1;
    return (unsigned)of->left <= 1 && (unsigned)of->right <= 1 && wl_solver_narrow(of->n) >= 0 &&
           wl_solver_narrow(of->lda) >= least &&
           wl_solver_narrow(of->ld_right) >= (of->right ? least : 1) &&
           wl_solver_narrow(of->ld_left) >= (of->left ? least : 1);
}

/* Left vectors are not to be had: cuSOLVER has an internal error then. */
static int check_wanted(void *handle, char letter, const struct wanted *of)
{
    if (!wl_solver_check(handle))
        return WL_SOLVER_NOT_INITIALIZED;
    if (!is_valid(of) || !letter)
        return WL_SOLVER_INVALID_VALUE;
    return of->left ? WL_SOLVER_INTERNAL_ERROR : WL_SOLVER_OK;
}

int cusolverDnXgeev_bufferSize(void *handle, void *params, int left, int right, int64_t n, int type,
                               const void *a, int64_t lda, int type_values, const void *values,
                               int type_left, const void *left_vectors, int64_t ld_left,
                               int type_right, const void *vectors, int64_t ld, int compute,
                               size_t *device, size_t *host)
{
    const char letter =
        check_types(type, &(struct types){type_values, type_left, type_right, compute});
    const int status =
        check_wanted(handle, letter, &(struct wanted){left, right, n, lda, ld_left, ld});
    (void)params, (void)a, (void)values, (void)left_vectors, (void)vectors;
    return status ? status : wl_solver_give_sizes(handle, letter, true, n, device, host);
}

int cusolverDnXgeev(void *handle, void *params, int left, int right, int64_t n, int type, void *a,
                    int64_t lda, int type_values, void *values, int type_left, void *left_vectors,
                    int64_t ld_left, int type_right, void *vectors, int64_t ld, int compute,
                    void *space, size_t bytes, void *host_space, size_t host_bytes, int *info)
{
    const char letter =
        check_types(type, &(struct types){type_values, type_left, type_right, compute});
    const int status =
        check_wanted(handle, letter, &(struct wanted){left, right, n, lda, ld_left, ld});
    (void)params, (void)left_vectors, (void)space, (void)bytes, (void)host_space, (void)host_bytes;
    if (status)
        return status;
    const struct eigen of = {letter,
                             letter_of_type(type_values),
                             letter_of_type(type_right),
                             (int)n,
                             (int)lda,
                             (int)ld,
                             a,
                             values,
                             right ? vectors : NULL};
    return find(handle, &of, info);
}
