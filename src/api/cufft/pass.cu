/* The kernel behind cuFFT's transforms: a block transforms whole lines in shared memory, by Stockham's form of the fast
 * Fourier transform, so that elements are read and written once. A dimension that is too long for that is cut in two
 * (D. H. Bailey, "FFTs in external or hierarchical memory", J. Supercomputing 4, 1990): element j = j1 + n1 j2 of n1 n2
 * goes into k = k2 + n2 k1, by lines of n2 for each j1, whose results are turned by j1 k2 / n, then lines of n1 for each
 * k2. pass.ptx is made from this file (see the command in its first line) and embedded in the library.
 */
#include "numbers.cuh"

enum { LINES_MOST = 256, STAGES_MOST = 12 };

/* Elements: two numbers of the program's memory, one, or two of the plan's own memory. */
enum { PAIRS, SINGLE, INNER };

/* Lines of one pass, as passes.h has it. */
struct side {
    int form;
    int turn, each; /* element i of a line is element turn * its turn + each * i of the dimension */
    int is_by_line; /* neighbours in memory are of neighbouring lines */
    i64 stride;     /* of elements of the dimension */
    i64 step[3];    /* from one line to the next, of each level */
};

struct pass {
    i64 lines;
    int count[2];             /* of lines, in the first two levels */
    int turns, is_turn_first; /* lines of a dimension that is cut; whether they are neighbours */
    int n, whole;             /* elements of a line, of the dimension */
    int kept;                 /* results of the dimension that are written */
    int is_half;              /* elements beyond the middle mirror the others, and are nowhere */
    int is_turned, is_inverse;
    int is_part; /* for who asks what the library would take */
    int root_step; /* a root of n lies so far from the next one among those of the dimension */
    int log_lines; /* lines of a block, as a power of two */
    int stages;
    unsigned char radix[STAGES_MOST];
    side in, out;
};

/* Times -i. */
template <typename T> DEVICE complex<T> quarter(complex<T> a)
{
    return {a.imaginary, -a.real};
}

/* Cosine and sine of 2 pi k / R, k from 1 to the middle, of 3, 5 and 7. */
DEVICE double cosine(int R, int k)
{
    return R == 3   ? -0.5
           : R == 5 ? k == 1 ? 0.30901699437494742410 : -0.80901699437494742410
           : k == 1 ? 0.62348980185873353053
           : k == 2 ? -0.22252093395631440429
                    : -0.90096886790241912624;
}

DEVICE double sine(int R, int k)
{
    return R == 3   ? 0.86602540378443864676
           : R == 5 ? k == 1 ? 0.95105651629515357212 : 0.58778525229247312917
           : k == 1 ? 0.78183148246802980871
           : k == 2 ? 0.97492791218182360702
                    : 0.43388373911755812048;
}

/* The transform of an odd number of elements, in place: pairs from both ends share their products. */
template <int R, typename T> DEVICE void transform_odd(complex<T> *v)
{
    complex<T> result[R];
    result[0] = v[0];
#pragma unroll
    for (int p = 1; p <= R / 2; p++) {
        complex<T> even = v[0], odd = {0, 0};
#pragma unroll
        for (int q = 1; q <= R / 2; q++) {
            const int turns = p * q % R, k = turns <= R / 2 ? turns : R - turns;
            const T c = (T)cosine(R, k), s = (T)(turns <= R / 2 ? sine(R, k) : -sine(R, k));
            const complex<T> sum = v[q] + v[R - q], difference = v[q] - v[R - q];
            even = even + complex<T>{c * sum.real, c * sum.imaginary};
            odd = odd + complex<T>{s * difference.real, s * difference.imaginary};
        }
        result[p] = even + quarter(odd);
        result[R - p] = even - quarter(odd);
        result[0] = result[0] + (v[p] + v[R - p]);
    }
#pragma unroll
    for (int p = 0; p < R; p++)
        v[p] = result[p];
}

template <typename T> DEVICE void transform_2(complex<T> *a, complex<T> *b)
{
    const complex<T> first = *a;
    *a = first + *b;
    *b = first - *b;
}

template <typename T> DEVICE void transform_4(complex<T> *a, complex<T> *b, complex<T> *c, complex<T> *d)
{
    const complex<T> even = *a + *c, even_apart = *a - *c, odd = *b + *d, odd_apart = quarter(*b - *d);
    *a = even + odd;
    *b = even_apart + odd_apart;
    *c = even - odd;
    *d = even_apart - odd_apart;
}

template <typename T> DEVICE void transform_8(complex<T> *v)
{
    const T root = (T)0.70710678118654752440;
    transform_4(&v[0], &v[2], &v[4], &v[6]);
    transform_4(&v[1], &v[3], &v[5], &v[7]);
    const complex<T> odd[] = {v[1],
                              {root * (v[3].real + v[3].imaginary), root * (v[3].imaginary - v[3].real)},
                              quarter(v[5]),
                              {root * (v[7].imaginary - v[7].real), -root * (v[7].real + v[7].imaginary)}};
    const complex<T> even[] = {v[0], v[2], v[4], v[6]};
#pragma unroll
    for (int p = 0; p < 4; p++) {
        v[p] = even[p] + odd[p];
        v[p + 4] = even[p] - odd[p];
    }
}

template <int R, typename T> DEVICE void transform(complex<T> *v)
{
    if (R == 2)
        transform_2(&v[0], &v[1]);
    else if (R == 4)
        transform_4(&v[0], &v[1], &v[2], &v[3]);
    else if (R == 8)
        transform_8(v);
    else
        transform_odd<R>(v);
}

/* One stage of all lines of the block: parts of `done` elements become R times as long. */
template <int R, typename T>
DEVICE void stage(const pass &of, int lines, const complex<T> *from, complex<T> *to, const complex<T> *roots, int done)
{
    const int parts = of.n / R, longer = done * R, step = of.n / longer * of.root_step;
    for (int i = __nvvm_read_ptx_sreg_tid_x(); i < parts * lines; i += THREADS) {
        const int line = i / parts, at = i - line * parts, part = at / done, f = at - part * done;
        const complex<T> *in = from + line * of.n + at;
        complex<T> *out = to + line * of.n + part * longer + f, v[R];
#pragma unroll
        for (int q = 0; q < R; q++)
            v[q] = in[q * parts];
        if (done > 1)
#pragma unroll
            for (int q = 1; q < R; q++)
                v[q] = v[q] * roots[q * f * step];
        transform<R>(v);
#pragma unroll
        for (int p = 0; p < R; p++)
            out[p * done] = v[p];
    }
}

/* The same of any radix: each result is a sum. */
template <typename T>
DEVICE void stage_of_sums(const pass &of, int lines, const complex<T> *from, complex<T> *to, const complex<T> *roots,
                          int done, int radix)
{
    const int longer = done * radix, parts = of.n / longer;
    for (int i = __nvvm_read_ptx_sreg_tid_x(); i < of.n * lines; i += THREADS) {
        const int line = i / of.n, at = i - line * of.n, part = at / longer, f = at - part * longer;
        const complex<T> *in = from + line * of.n + f % done + done * part;
        complex<T> sum = {0, 0};
        for (int q = 0, turns = 0; q < radix; q++) {
            sum = sum + in[q * done * parts] * roots[turns * of.root_step];
            turns += f * parts;
            turns = turns >= of.n ? turns - of.n : turns;
        }
        to[i] = sum;
    }
}

template <typename T>
DEVICE void stage_of(int radix, const pass &of, int lines, const complex<T> *from, complex<T> *to,
                     const complex<T> *roots, int done)
{
    switch (radix) {
    case 2:
        return stage<2>(of, lines, from, to, roots, done);
    case 3:
        return stage<3>(of, lines, from, to, roots, done);
    case 4:
        return stage<4>(of, lines, from, to, roots, done);
    case 5:
        return stage<5>(of, lines, from, to, roots, done);
    case 7:
        return stage<7>(of, lines, from, to, roots, done);
    case 8:
        return stage<8>(of, lines, from, to, roots, done);
    default:
        return stage_of_sums(of, lines, from, to, roots, done, radix);
    }
}

/* Where a line's first element lies, but for its turn. */
DEVICE i64 place_of(const pass &of, const side &side, i64 line)
{
    const i64 first = line % of.count[0], rest = line / of.count[0];
    return first * side.step[0] + rest % of.count[1] * side.step[1] + rest / of.count[1] * side.step[2];
}

/* Element i of the block: of which line, and which of that. */
DEVICE void split(const pass &of, const side &side, int i, int *line, int *k)
{
    *line = side.is_by_line ? i & ((1 << of.log_lines) - 1) : i / of.n;
    *k = side.is_by_line ? i >> of.log_lines : i - *line * of.n;
}

/* Element j of a dimension that begins at `first`. */
template <typename T, typename S>
DEVICE complex<T> load(const pass &of, const void *from, i64 first, int j)
{
    const bool is_mirrored = of.is_half && j > of.whole / 2;
    const i64 index = first + (is_mirrored ? of.whole - j : j) * of.in.stride;
    complex<T> value;
    if (of.in.form == INNER) {
        value = ((const complex<T> *)from)[index];
    } else if (of.in.form == SINGLE) {
        value = {widen(((const S *)from)[index]), 0};
    } else {
        const complex<S> stored = ((const complex<S> *)from)[index];
        value = {widen(stored.real), widen(stored.imaginary)};
    }
    return {value.real, is_mirrored != (of.is_inverse != 0) ? -value.imaginary : value.imaginary};
}

template <typename T, typename S> DEVICE void save(const pass &of, void *to, i64 index, complex<T> value)
{
    const T y = of.is_inverse ? -value.imaginary : value.imaginary;
    if (of.out.form == INNER) {
        ((complex<T> *)to)[index] = {value.real, y};
    } else if (of.out.form == SINGLE) {
        store((S *)to + index, value.real);
    } else {
        complex<S> stored;
        store(&stored.real, value.real);
        store(&stored.imaginary, y);
        ((complex<S> *)to)[index] = stored;
    }
}

/* What a block holds at a time. */
template <typename T, int MOST> struct room {
    complex<T> space[2 * MOST];
    i64 in_first[LINES_MOST], out_first[LINES_MOST];
    int turn[LINES_MOST];
};

/* Lines from `first` on, of as many as a block takes. */
template <typename T, typename S, int MOST>
DEVICE void run(const pass &of, i64 first, int lines, const void *from, void *to, const complex<T> *roots,
                room<T, MOST> *room)
{
    const int thread = __nvvm_read_ptx_sreg_tid_x(), all = of.n << of.log_lines;
    const i64 of_turn = of.lines / of.turns;
    complex<T> *now = room->space, *next = room->space + MOST;
    if (thread < lines) {
        const i64 line = first + thread, own = of.is_turn_first ? line % of.turns : line / of_turn;
        const i64 rest = of.is_turn_first ? line / of.turns : line % of_turn;
        room->turn[thread] = (int)own;
        room->in_first[thread] = place_of(of, of.in, rest);
        room->out_first[thread] = place_of(of, of.out, rest);
    }
    __syncthreads();
    for (int i = thread, line, k; i < all; i += THREADS) {
        split(of, of.in, i, &line, &k);
        if (line < lines)
            now[line * of.n + k] =
                load<T, S>(of, from, room->in_first[line], room->turn[line] * of.in.turn + k * of.in.each);
    }
    for (int i = 0, done = 1; i < of.stages; i++) {
        __syncthreads();
        stage_of(of.radix[i], of, lines, now, next, roots, done);
        done *= of.radix[i];
        complex<T> *other = now;
        now = next;
        next = other;
    }
    __syncthreads();
    for (int i = thread, line, k; i < all; i += THREADS) {
        split(of, of.out, i, &line, &k);
        const int j = line < lines ? room->turn[line] * of.out.turn + k * of.out.each : of.kept;
        if (j >= of.kept)
            continue;
        complex<T> value = now[line * of.n + k];
        if (of.is_turned)
            value = value * roots[(i64)room->turn[line] * k];
        save<T, S>(of, to, room->out_first[line] + j * of.out.stride, value);
    }
    __syncthreads();
}

template <typename T, typename S, int MOST>
DEVICE void run_all(const pass &of, const void *from, void *to, const complex<T> *roots, room<T, MOST> *room)
{
    const int most = 1 << of.log_lines;
    i64 first = (i64)__nvvm_read_ptx_sreg_ctaid_x() * most;
    for (; first < of.lines; first += (i64)__nvvm_read_ptx_sreg_nctaid_x() * most)
        run<T, S>(of, first, of.lines - first < most ? (int)(of.lines - first) : most, from, to, roots, room);
}

#define PASS(T, S, name, MOST)                                                                           \
    GLOBAL void warplens_fft_##name##_pass(pass of, const void *from, void *to, const complex<T> *roots) \
    {                                                                                                    \
        SHARED static room<T, MOST> room;                                                                \
        run_all<T, S>(of, from, to, roots, &room);                                                       \
    }

PASS(float, float, f32, 2048)
PASS(double, double, f64, 1024)
PASS(float, half, f16, 2048)
PASS(float, bfloat, bf16, 2048)
