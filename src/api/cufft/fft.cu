/* Kernels behind cuFFT for the lengths that pass.cu does not transform: Stockham's form of the fast Fourier transform
 * with radices of any size, a stage a launch, and what is around it. fft.ptx is made from this file (see the command
 * in its first line) and embedded in the library.
 */
#include "numbers.cuh"

/* One stage of lines of n elements `stride` apart: those `done` long become `radix` times as long. Line i
 * begins at i / stride * n * stride + i % stride. roots: n of them. */
template <typename T>
DEVICE void stage(const complex<T> *in, complex<T> *out, const complex<T> *roots, i64 lines, int n, int stride,
                  int done, int radix, int is_inverse)
{
    int longer = done * radix, parts = n / longer;
    for (i64 at = first(); at < lines * n; at += step()) {
        i64 line = at / stride / n * stride + at % stride;
        int element = (int)(at / stride % n), f = element % longer, k = element / longer;
        i64 base = line / stride * n * stride + line % stride;
        T x = 0, y = 0;
        for (int q = 0; q < radix; q++) {
            complex<T> a = in[base + (i64)(f % done + done * (k + q * parts)) * stride];
            complex<T> root = roots[(i64)q * f * parts % n];
            T sine = is_inverse ? -root.imaginary : root.imaginary;
            x += a.real * root.real - a.imaginary * sine;
            y += a.real * sine + a.imaginary * root.real;
        }
        out[base + (i64)element * stride] = complex<T>{x, y};
    }
}

/* Lines as above become lines of `padded` elements, one behind another: elements times the chirp's, then 0. Inverse
 * transforms are those of conjugated elements, conjugated. */
template <typename T>
DEVICE void spread(const complex<T> *in, complex<T> *out, const complex<T> *chirp, i64 lines, int n, int stride,
                   int padded, int is_inverse)
{
    for (i64 at = first(); at < lines * padded; at += step()) {
        i64 line = at / padded;
        int k = (int)(at % padded);
        complex<T> value = {0, 0};
        if (k < n) {
            complex<T> a = in[line / stride * n * stride + line % stride + (i64)k * stride], c = chirp[k];
            T y = is_inverse ? -a.imaginary : a.imaginary;
            value = complex<T>{a.real * c.real - y * c.imaginary, a.real * c.imaginary + y * c.real};
        }
        out[at] = value;
    }
}

template <typename T> DEVICE void filter(complex<T> *lines_of, const complex<T> *by, i64 lines, int padded)
{
    for (i64 at = first(); at < lines * padded; at += step()) {
        complex<T> a = lines_of[at], b = by[at % padded];
        lines_of[at] = complex<T>{a.real * b.real - a.imaginary * b.imaginary, a.real * b.imaginary + a.imaginary * b.real};
    }
}

/* The way back. */
template <typename T>
DEVICE void gather(const complex<T> *in, complex<T> *out, const complex<T> *chirp, i64 lines, int n, int stride,
                   int padded, int is_inverse)
{
    for (i64 at = first(); at < lines * n; at += step()) {
        i64 line = at / n;
        int k = (int)(at % n);
        complex<T> a = in[line * padded + k], c = chirp[k];
        T y = a.real * c.imaginary + a.imaginary * c.real;
        out[line / stride * n * stride + line % stride + (i64)k * stride] =
            complex<T>{a.real * c.real - a.imaginary * c.imaginary, is_inverse ? -y : y};
    }
}

/* How they lie: steps of elements, transforms; elements of a row, rows of a plane. */
struct layout {
    i64 stride, distance, row, plane;
    DEVICE i64 place_of(i64 batch, int x, int y, int z) const
    {
        return batch * distance + ((z * plane + y) * row + x) * stride;
    }
};

/* From the program's memory: real numbers get an imaginary part, the half of a symmetric spectrum its other one. */
template <typename T, typename S>
DEVICE void take(int form, const S *from, complex<T> *to, i64 count, int nx, int ny, int nz, layout there)
{
    i64 size = (i64)nx * ny * nz;
    for (i64 at = first(); at < count * size; at += step()) {
        i64 batch = at / size, place = at % size;
        int x = (int)(place % nx), y = (int)(place / nx % ny), z = (int)(place / nx / ny);
        bool is_mirrored = form == HALF && x > nx / 2;
        if (is_mirrored) {
            x = nx - x;
            y = y ? ny - y : 0;
            z = z ? nz - z : 0;
        }
        i64 index = there.place_of(batch, x, y, z);
        complex<T> value;
        value.real = widen(form == REAL ? from[index] : from[2 * index]);
        value.imaginary = form == REAL ? 0 : widen(from[2 * index + 1]);
        if (is_mirrored)
            value.imaginary = -value.imaginary;
        to[at] = value;
    }
}

template <typename T, typename S>
DEVICE void give(int form, const complex<T> *from, S *to, i64 count, int nx, int ny, int nz, layout there)
{
    i64 size = (i64)nx * ny * nz;
    for (i64 at = first(); at < count * size; at += step()) {
        i64 batch = at / size, place = at % size;
        int x = (int)(place % nx), y = (int)(place / nx % ny), z = (int)(place / nx / ny);
        if (form == HALF && x > nx / 2)
            continue;
        i64 index = there.place_of(batch, x, y, z);
        if (form == REAL) {
            store(to + index, from[at].real);
        } else {
            store(to + 2 * index, from[at].real);
            store(to + 2 * index + 1, from[at].imaginary);
        }
    }
}

#define LINES(T, name)                                                                                                 \
    GLOBAL void warplens_fft_##name##_stage(const complex<T> *in, complex<T> *out, const complex<T> *roots, i64 lines, \
                                            int n, int stride, int done, int radix, int is_inverse)                    \
    {                                                                                                                  \
        stage(in, out, roots, lines, n, stride, done, radix, is_inverse);                                              \
    }                                                                                                                  \
    GLOBAL void warplens_fft_##name##_spread(const complex<T> *in, complex<T> *out, const complex<T> *chirp,           \
                                             i64 lines, int n, int stride, int padded, int is_inverse)                 \
    {                                                                                                                  \
        spread(in, out, chirp, lines, n, stride, padded, is_inverse);                                                  \
    }                                                                                                                  \
    GLOBAL void warplens_fft_##name##_filter(complex<T> *lines_of, const complex<T> *by, i64 lines, int padded)        \
    {                                                                                                                  \
        filter(lines_of, by, lines, padded);                                                                           \
    }                                                                                                                  \
    GLOBAL void warplens_fft_##name##_gather(const complex<T> *in, complex<T> *out, const complex<T> *chirp,           \
                                             i64 lines, int n, int stride, int padded, int is_inverse)                 \
    {                                                                                                                  \
        gather(in, out, chirp, lines, n, stride, padded, is_inverse);                                                  \
    }

#define MOVES(T, S, name)                                                                                              \
    GLOBAL void warplens_fft_##name##_take(int form, const S *from, complex<T> *to, i64 count, int nx, int ny, int nz, \
                                           layout there)                                                               \
    {                                                                                                                  \
        take(form, from, to, count, nx, ny, nz, there);                                                                \
    }                                                                                                                  \
    GLOBAL void warplens_fft_##name##_give(int form, const complex<T> *from, S *to, i64 count, int nx, int ny, int nz, \
                                           layout there)                                                               \
    {                                                                                                                  \
        give(form, from, to, count, nx, ny, nz, there);                                                                \
    }

LINES(float, f32)
LINES(double, f64)
MOVES(float, float, f32)
MOVES(double, double, f64)
MOVES(float, half, f16)
MOVES(float, bfloat, bf16)
