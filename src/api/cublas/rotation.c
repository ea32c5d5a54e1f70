/* Rotations in planes: of vectors by kernels; what makes a rotation is computed here, from scalars
 * that the host can read and write wherever they are. */
#include <math.h>
#include <string.h>

#include "api/cublas/complex.h"
#include "api/cublas/stand_in.h"

static const char file[] = "rotation.ptx";

struct vector {
    const void *x;
    int increment;
};

/* by: the kernel's last parameters, one or two. */
static int rotate(struct wl_cublas_handle *handle, const char *name, int n, struct vector x,
                  struct vector y, size_t bytes, void *by, void *more)
{
    long long incx = x.increment, incy = y.increment;
    if (n <= 0)
        return WL_CUBLAS_OK;
    x.x = wl_complex_begin_of(x.x, n, x.increment, bytes);
    y.x = wl_complex_begin_of(y.x, n, y.increment, bytes);
    return wl_cublas_launch_over(handle, file, name, n, 1,
                                 (void *[]){&n, &x.x, &incx, &y.x, &incy, by, more});
}

/* Whether scalars may be where they are. */
static int check(void *pointer, const void *const *scalars, size_t count)
{
    const struct wl_cublas_handle *handle = wl_cublas_check(pointer);
    if (!handle)
        return WL_CUBLAS_NOT_INITIALIZED;
    for (size_t i = 0; i < count; i++)
        if (!wl_cublas_can_point(handle, scalars[i]))
            return WL_CUBLAS_INVALID_VALUE;
    return wl_cublas_refuses_late(handle) ? WL_CUBLAS_NOT_SUPPORTED : WL_CUBLAS_OK;
}

#define CHECK(handle, ...)                            \
    check(handle, (const void *const[]){__VA_ARGS__}, \
          sizeof((const void *const[]){__VA_ARGS__}) / sizeof(void *))

/* The rotation that takes (a, b) to (r, 0), by BLAS's rules: a becomes r, b what tells c and s. */
static void make_rotation(double *a, double *b, double *c, double *s)
{
    const bool is_a_larger = fabs(*a) > fabs(*b);
    const double length = copysign(hypot(*a, *b), is_a_larger ? *a : *b);
    if (length == 0) {
        *c = 1, *s = 0, *a = 0, *b = 0;
        return;
    }
    *c = *a / length;
    *s = *b / length;
    *a = length;
    *b = is_a_larger ? *s : *c != 0 ? 1 / *c : 1;
}

/* As above, of complex numbers; c is real, and b stays. */
static void make_complex_rotation(struct wl_complex_twice *a, struct wl_complex_twice b, double *c,
                                  struct wl_complex_twice *s)
{
    const double size = hypot(a->real, a->imaginary),
                 length = hypot(size, hypot(b.real, b.imaginary));
    if (size == 0) {
        *c = 0, *s = (struct wl_complex_twice){1, 0}, *a = b;
        return;
    }
    const struct wl_complex_twice way = {a->real / size, a->imaginary / size},
                                  part = {b.real / length, b.imaginary / length};
    *c = size / length;
    s->real = way.real * part.real + way.imaginary * part.imaginary;
    s->imaginary = way.imaginary * part.real - way.real * part.imaginary;
    *a = (struct wl_complex_twice){way.real * length, way.imaginary * length};
}

/* A matrix by columns that takes (sqrt(d1) x1, sqrt(d2) y1) to one without a second element, by
 * BLAS's rules: flag -1: all of it counts, 0: its diagonal is 1, 1: xy is 1 and yx is -1, -2: it is
 * the identity. */
struct plane {
    double flag, xx, yx, xy, yy;
};

/* Factors so far from 1 that they would overflow go into the matrix; all of it counts then. */
static void scale_factor(double *factor, bool is_second, double *x, struct plane *by)
{
    const double most = 4096.0 * 4096.0;
    while (*factor != 0 && isfinite(*factor) &&
           (fabs(*factor) <= 1 / most || fabs(*factor) >= most)) {
        const bool is_small = fabs(*factor) <= 1 / most;
        const double root = is_small ? 1 / 4096.0 : 4096.0;
        if (by->flag == 0)
            by->xx = by->yy = 1;
        else if (by->flag > 0)
            by->yx = -1, by->xy = 1;
        by->flag = -1;
        *factor *= is_small ? most : 1 / most;
        if (x)
            *x *= root;
        if (is_second)
            by->yx *= root, by->yy *= root;
        else
            by->xx *= root, by->xy *= root;
    }
}

static void clear(double *d1, double *d2, double *x1, struct plane *by)
{
    *by = (struct plane){-1, 0, 0, 0, 0};
    *d1 = *d2 = *x1 = 0;
}

static void make_plane(double *d1, double *d2, double *x1, double y1, struct plane *by)
{
    const double p1 = *d1 * *x1, p2 = *d2 * y1, q1 = p1 * *x1, q2 = p2 * y1;
    *by = (struct plane){.flag = -2};
    if (*d1 < 0) {
        clear(d1, d2, x1, by);
        return;
    }
    if (p2 == 0)
        return;
    if (fabs(q1) > fabs(q2)) {
        by->yx = -y1 / *x1, by->xy = p2 / p1;
        const double u = 1 - by->xy * by->yx;
        if (u <= 0) {
            clear(d1, d2, x1, by);
            return;
        }
        by->flag = 0;
        *d1 /= u, *d2 /= u, *x1 *= u;
    } else {
        if (q2 < 0) {
            clear(d1, d2, x1, by);
            return;
        }
        by->flag = 1;
        by->xx = p1 / p2, by->yy = *x1 / y1;
        const double u = 1 + by->xx * by->yy, kept = *d2 / u;
        *d2 = *d1 / u, *d1 = kept, *x1 = y1 * u;
    }
    scale_factor(d1, false, x1, by);
    scale_factor(d2, true, NULL, by);
}

#define ROTATE(Letter, letter, kind, T, C, S)                                                      \
    int cublas##Letter##kind##_v2(void *handle, int n, T *x, int incx, T *y, int incy, const C *c, \
                                  const S *s)                                                      \
    {                                                                                              \
        T factor = {0};                                                                            \
        const int status = CHECK(handle, c, s);                                                    \
        if (status)                                                                                \
            return status;                                                                         \
        memcpy(&factor, s, sizeof *s);                                                             \
        return rotate(handle, "warplens_" #letter "rotate", n, (struct vector){x, incx},           \
                      (struct vector){y, incy}, sizeof(T), wl_complex_scalar(c), &factor);         \
    }

#define REAL_CALLS(Letter, letter, T)                                                      \
    int cublas##Letter##rotg_v2(void *handle, T *a, T *b, T *c, T *s)                      \
    {                                                                                      \
        const int status = CHECK(handle, a, b, c, s);                                      \
        double wide[4];                                                                    \
        if (status)                                                                        \
            return status;                                                                 \
        wide[0] = *a, wide[1] = *b;                                                        \
        make_rotation(&wide[0], &wide[1], &wide[2], &wide[3]);                             \
        *a = (T)wide[0], *b = (T)wide[1], *c = (T)wide[2], *s = (T)wide[3];                \
        return WL_CUBLAS_OK;                                                               \
    }                                                                                      \
    int cublas##Letter##rotm_v2(void *handle, int n, T *x, int incx, T *y, int incy,       \
                                const T *plane)                                            \
    {                                                                                      \
        const int status = CHECK(handle, plane);                                           \
        T by[4] = {1, -1, 1, 1};                                                           \
        if (status || *plane == -2)                                                        \
            return status;                                                                 \
        if (*plane != 0)                                                                   \
            by[0] = plane[1], by[3] = plane[4];                                            \
        if (*plane != 1)                                                                   \
            by[1] = plane[2], by[2] = plane[3];                                            \
        return rotate(handle, "warplens_" #letter "turn", n, (struct vector){x, incx},     \
                      (struct vector){y, incy}, sizeof(T), by, NULL);                      \
    }                                                                                      \
    int cublas##Letter##rotmg_v2(void *handle, T *d1, T *d2, T *x1, const T *y1, T *plane) \
    {                                                                                      \
        const int status = CHECK(handle, d1, d2, x1, y1, plane);                           \
        struct plane by;                                                                   \
        if (status)                                                                        \
            return status;                                                                 \
        double wide[3] = {*d1, *d2, *x1};                                                  \
        make_plane(&wide[0], &wide[1], &wide[2], *y1, &by);                                \
        *d1 = (T)wide[0], *d2 = (T)wide[1], *x1 = (T)wide[2];                              \
        plane[0] = (T)by.flag;                                                             \
        if (by.flag == -1 || by.flag == 1)                                                 \
            plane[1] = (T)by.xx, plane[4] = (T)by.yy;                                      \
        if (by.flag == -1 || by.flag == 0)                                                 \
            plane[2] = (T)by.yx, plane[3] = (T)by.xy;                                      \
        return WL_CUBLAS_OK;                                                               \
    }

#define COMPLEX_CALLS(Letter, T, C)                                                             \
    int cublas##Letter##rotg_v2(void *handle, T *a, const T *b, C *c, T *s)                     \
    {                                                                                           \
        const int status = CHECK(handle, a, b, c, s);                                           \
        double cosine;                                                                          \
        struct wl_complex_twice wide, sine;                                                     \
        if (status)                                                                             \
            return status;                                                                      \
        wide = (struct wl_complex_twice){(double)a->real, (double)a->imaginary};                \
        make_complex_rotation(&wide,                                                            \
                              (struct wl_complex_twice){(double)b->real, (double)b->imaginary}, \
                              &cosine, &sine);                                                  \
        *a = (T){(C)wide.real, (C)wide.imaginary};                                              \
        *s = (T){(C)sine.real, (C)sine.imaginary};                                              \
        *c = (C)cosine;                                                                         \
        return WL_CUBLAS_OK;                                                                    \
    }

ROTATE(S, s, rot, float, float, float)
ROTATE(D, d, rot, double, double, double)
ROTATE(C, c, rot, struct wl_complex_single, float, struct wl_complex_single)
ROTATE(Z, z, rot, struct wl_complex_twice, double, struct wl_complex_twice)
ROTATE(C, c, srot, struct wl_complex_single, float, float)
ROTATE(Z, z, drot, struct wl_complex_twice, double, double)
REAL_CALLS(S, s, float)
REAL_CALLS(D, d, double)
COMPLEX_CALLS(C, struct wl_complex_single, float)
COMPLEX_CALLS(Z, struct wl_complex_twice, double)
