/* cuBLAS's rotations in planes against what is computed here. */
#include <complex.h>
#include <math.h>

#include "runtime.h"

typedef double complex number;
typedef float complex narrow;

int cublasCreate_v2(void **handle);
int cublasDestroy_v2(void *handle);
int cublasSetPointerMode_v2(void *handle, int mode);
int cublasDrot_v2(void *handle, int n, double *x, int incx, double *y, int incy, const double *c,
                  const double *s);
int cublasDrot_v2_64(void *handle, int64_t n, double *x, int64_t incx, double *y, int64_t incy,
                     const double *c, const double *s);
int cublasZrot_v2(void *handle, int n, number *x, int incx, number *y, int incy, const double *c,
                  const number *s);
int cublasZdrot_v2(void *handle, int n, number *x, int incx, number *y, int incy, const double *c,
                   const double *s);
int cublasCsrot_v2(void *handle, int n, narrow *x, int incx, narrow *y, int incy, const float *c,
                   const float *s);
int cublasDrotg_v2(void *handle, double *a, double *b, double *c, double *s);
int cublasSrotg_v2(void *handle, float *a, float *b, float *c, float *s);
int cublasZrotg_v2(void *handle, number *a, const number *b, double *c, number *s);
int cublasDrotm_v2(void *handle, int n, double *x, int incx, double *y, int incy,
                   const double *plane);
int cublasDrotmg_v2(void *handle, double *d1, double *d2, double *x1, const double *y1,
                    double *plane);

enum { N = 300, INVALID = 7 };
static void *handle;

static int is_near(number a, number b)
{
    return cabs(a - b) <= 1e-12 * (1 + cabs(b));
}

static void *managed(size_t bytes)
{
    void *made = NULL;
    EXPECT(cudaMallocManaged(&made, bytes, 1), 0);
    return made;
}

static double value(int i)
{
    return (i * 7 % 23 - 11) / 4.0;
}

static void rotate(void)
{
    double *x = managed(2 * N * sizeof *x), *y = managed(N * sizeof *y), c = 0.6, s = 0.8;
    int wrong = 0;
    for (int i = 0; i < 2 * N; i++)
        x[i] = value(i), y[i / 2] = value(5 * (i / 2));
    EXPECT(cublasDrot_v2(handle, N, x, 2, y, -1, &c, &s), 0);
    for (int i = 0; i < N; i++) {
        const double a = value(2 * i), b = value(5 * (N - 1 - i));
        wrong += !is_near(x[2 * i], c * a + s * b) || !is_near(y[N - 1 - i], c * b - s * a) ||
                 x[2 * i + 1] != value(2 * i + 1);
    }
    s = -s; /* back */
    EXPECT(cublasDrot_v2_64(handle, N, x, 2, y, -1, &c, &s), 0);
    for (int i = 0; i < N; i++)
        wrong += !is_near(x[2 * i], value(2 * i)) || !is_near(y[i], value(5 * i));
    EXPECT(wrong, 0);
    EXPECT(cublasDrot_v2(handle, N, x, 2, y, -1, NULL, &s), INVALID);
    EXPECT(cublasDrot_v2(NULL, N, x, 2, y, -1, &c, &s), 1);
    EXPECT(cublasDrot_v2(handle, 0, x, 2, y, -1, &c, &s), 0);
}

static void rotate_complex(void)
{
    number *x = managed(N * sizeof *x), *y = managed(N * sizeof *y);
    narrow *f = managed(N * sizeof *f), *g = managed(N * sizeof *g);
    const number s = 0.48 + 0.64 * I;
    const double c = 0.6, real_s = 0.8;
    const float narrow_c = 0.6F, narrow_s = 0.8F;
    int wrong = 0;
    for (int call = 0; call < 2; call++) {
        const number sine = call ? real_s : s;
        for (int i = 0; i < N; i++)
            x[i] = value(i) + value(3 * i) * I, y[i] = value(5 * i) + value(9 * i) * I;
        EXPECT(call ? cublasZdrot_v2(handle, N, x, 1, y, 1, &c, &real_s)
                    : cublasZrot_v2(handle, N, x, 1, y, 1, &c, &s),
               0);
        for (int i = 0; i < N; i++) {
            const number a = value(i) + value(3 * i) * I, b = value(5 * i) + value(9 * i) * I;
            wrong += !is_near(x[i], c * a + sine * b) || !is_near(y[i], c * b - conj(sine) * a);
        }
    }
    for (int i = 0; i < N; i++)
        f[i] = (float)value(i), g[i] = (float)value(3 * i) * I;
    EXPECT(cublasCsrot_v2(handle, N, f, 1, g, 1, &narrow_c, &narrow_s), 0);
    for (int i = 0; i < N; i++)
        wrong += cabs(f[i] - (0.6 * value(i) + 0.8 * value(3 * i) * I)) > 1e-5 ||
                 cabs(g[i] - (0.6 * value(3 * i) * I - 0.8 * value(i))) > 1e-5;
    EXPECT(wrong, 0);
}

/* What is made takes (a, b) to (r, 0). */
static void make_rotations(void)
{
    static const double pairs[][2] = {{3, 4}, {-4, 3}, {5, -1}, {0, 2}, {-2, 0}, {0, 0}};
    for (int i = 0; i < 6; i++) {
        double a = pairs[i][0], b = pairs[i][1], c = 9, s = 9;
        EXPECT(cublasDrotg_v2(handle, &a, &b, &c, &s), 0);
        EXPECT(is_near(c * pairs[i][0] + s * pairs[i][1], a), 1);
        EXPECT(is_near(c * pairs[i][1] - s * pairs[i][0], 0), 1);
        EXPECT(is_near(c * c + s * s, 1), 1);
        /* b tells both */
        EXPECT(is_near(fabs(b) < 1    ? s
                       : fabs(b) == 1 ? pairs[i][0] == 0
                                      : c,
                       fabs(b) < 1    ? b
                       : fabs(b) == 1 ? 1
                                      : 1 / b),
               1);
    }
    number a = 3 - 4 * I, b = 1 + 2 * I, s = 0;
    double c = 0;
    EXPECT(cublasZrotg_v2(handle, &a, &b, &c, &s), 0);
    EXPECT(is_near(c * (3 - 4 * I) + s * b, a) && is_near(c * b - conj(s) * (3 - 4 * I), 0), 1);
    EXPECT(is_near(c * c + s * conj(s), 1), 1);
    a = 0;
    EXPECT(cublasZrotg_v2(handle, &a, &b, &c, &s), 0);
    EXPECT(a == b && c == 0 && s == 1, 1);
    float *scalars = managed(4 * sizeof *scalars), host = 4;
    scalars[0] = 3, scalars[1] = 4;
    EXPECT(cublasSetPointerMode_v2(handle, 1), 0);
    EXPECT(cublasSrotg_v2(handle, scalars, scalars + 1, scalars + 2, scalars + 3), 0);
    EXPECT(cublasSrotg_v2(handle, scalars, &host, scalars + 2, scalars + 3), INVALID);
    EXPECT(cublasSetPointerMode_v2(handle, 0), 0);
    EXPECT(scalars[0] == 5 && scalars[2] == 0.6F && scalars[3] == 0.8F, 1);
}

/* d1, d2 and x1 of a scaled rotation, and y1: what is made leaves no second element, and keeps what
 * both squares weigh together. */
static void make_planes(void)
{
    static const double cases[][4] = {{2, 1, 3, 1},      {1, 3, 1, 4},      {1e-9, 1, 3, 1e-6},
                                      {1e9, 1e-8, 1, 1}, {1e-9, 1e9, 1, 1}, {2, -1, 3, 1}};
    double *x = managed(sizeof *x), *y = managed(sizeof *y), plane[5];
    for (int i = 0; i < 6; i++) {
        double d1 = cases[i][0], d2 = cases[i][1], x1 = cases[i][2];
        const double y1 = cases[i][3];
        *x = x1, *y = y1;
        EXPECT(cublasDrotmg_v2(handle, &d1, &d2, &x1, &y1, plane), 0);
        EXPECT(cublasDrotm_v2(handle, 1, x, 1, y, 1, plane), 0);
        EXPECT(is_near(*x, x1) && fabs(*y) < 1e-12 * (1 + fabs(y1)), 1);
        EXPECT(is_near(d1 * x1 * x1 /
                           (cases[i][0] * cases[i][2] * cases[i][2] + cases[i][1] * y1 * y1),
                       1),
               1);
        EXPECT(d1 < 4096.0 * 4096 && d1 > 1 / (4096.0 * 4096), 1);
        EXPECT(fabs(d2) < 4096.0 * 4096 && fabs(d2) > 1 / (4096.0 * 4096), 1);
    }
    double d1 = -1, d2 = 1, x1 = 1, y1 = 1;
    EXPECT(cublasDrotmg_v2(handle, &d1, &d2, &x1, &y1, plane), 0);
    EXPECT(plane[0] == -1 && d1 == 0 && d2 == 0 && x1 == 0 && plane[1] == 0, 1);
    d1 = 2, d2 = 1, x1 = 3, y1 = 0;
    EXPECT(cublasDrotmg_v2(handle, &d1, &d2, &x1, &y1, plane), 0);
    EXPECT(plane[0] == -2 && d1 == 2 && x1 == 3, 1);
    *x = 7, *y = 8;
    EXPECT(cublasDrotm_v2(handle, 1, x, 1, y, 1, plane), 0);
    EXPECT(*x == 7 && *y == 8, 1);
}

/* Each form of what rotmg makes. */
static void turn(void)
{
    double *x = managed(N * sizeof *x), *y = managed(N * sizeof *y);
    int wrong = 0;
    for (int flag = -1; flag < 2; flag++) {
        const double plane[] = {flag, 2, 3, 5, 7}, xx = flag ? 2 : 1, yx = flag == 1 ? -1 : 3,
                     xy = flag == 1 ? 1 : 5, yy = flag ? 7 : 1;
        for (int i = 0; i < N; i++)
            x[i] = value(i), y[i] = value(3 * i);
        EXPECT(cublasDrotm_v2(handle, N, x, 1, y, -1, plane), 0);
        for (int i = 0; i < N; i++)
            wrong += x[i] != xx * value(i) + xy * value(3 * (N - 1 - i)) ||
                     y[N - 1 - i] != yx * value(i) + yy * value(3 * (N - 1 - i));
    }
    EXPECT(wrong, 0);
    EXPECT(cublasDrotm_v2(handle, N, x, 1, y, 1, NULL), INVALID);
}

int main(void)
{
    EXPECT(cublasCreate_v2(&handle), 0);
    rotate();
    rotate_complex();
    make_rotations();
    make_planes();
    turn();
    EXPECT(cublasDestroy_v2(handle), 0);
    return failures != 0;
}
