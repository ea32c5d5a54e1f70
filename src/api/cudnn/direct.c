/* Each of the three sums is of outer products: of 4 numbers and of 16 that lie side by side, again
 * and again, added to 4 rows of 16 sums. What is multiplied is brought together first, as
 * single-precision numbers; an element's products come in the order in which its thread of the
 * kernel has them. */
#include "api/cudnn/direct.h"

#include <stddef.h>
#include <string.h>

#include "api/cudnn/cudnn.h"
#include "base/count.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>

#define VECTORS __attribute__((target("avx2,fma,f16c")))
#define INLINED static inline __attribute__((always_inline, target("avx2,fma,f16c")))

enum { ROWS = 4, LANES = 16 };
/* What is brought together for one piece of work is not larger. */
static const long long NUMBERS_MAX = 1LL << 26;

/* What the kernels take: beta, or what the fused one has in its place. */
struct parameters {
    struct wl_dnn_convolution c;
    char *x, *w, *y;
    float alpha, beta;
    struct wl_dnn_epilogue after;
};

struct direct {
    struct wl_device_direct is;
    enum wl_cudnn_way way;
    int type;
    bool is_fused;
};

/* ---- numbers ---- */

INLINED float read_number(int type, const char *from)
{
    uint32_t bits = 0;
    float value;
    if (type == WL_CUDNN_FLOAT) {
        memcpy(&value, from, sizeof value);
        return value;
    }
    memcpy(&bits, from, 2);
    if (type == WL_CUDNN_HALF)
        return _cvtsh_ss((uint16_t)bits);
    bits <<= 16;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* What is no number is the one that arithmetic of the GPU gives. */
INLINED void write_number(int type, char *to, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (value != value)
        bits = type == WL_CUDNN_FLOAT ? 0x7fffffff : 0x7fff;
    else if (type == WL_CUDNN_HALF)
        bits = _cvtss_sh(value, _MM_FROUND_TO_NEAREST_INT);
    else if (type == WL_CUDNN_BFLOAT16)
        bits = (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
    memcpy(to, &bits, type == WL_CUDNN_FLOAT ? 4 : 2);
}

/* count numbers, each step elements after the other, side by side. */
VECTORS static void read_line(int type, const char *from, long long step, int count, float *to)
{
    const long long bytes = step * (type == WL_CUDNN_FLOAT ? 4 : 2);
    if (type == WL_CUDNN_FLOAT && step == 1)
        memcpy(to, from, (size_t)count * sizeof *to);
    else
        for (int i = 0; i < count; i++)
            to[i] = read_number(type, from + i * bytes);
}

/* As the kernels blend. */
VECTORS static void write_line(const struct direct *self, const struct parameters *p, char *to,
                               long long step, int count, const float *sums)
{
    const long long bytes = step * (self->type == WL_CUDNN_FLOAT ? 4 : 2);
    for (int i = 0; i < count; i++) {
        float value = sums[i] * p->alpha;
        if (p->beta != 0)
            value = __builtin_fmaf(p->beta, read_number(self->type, to + i * bytes), value);
        write_number(self->type, to + i * bytes, value);
    }
}

static char *element(const struct direct *self, char *base, long long offset)
{
    return base + offset * (self->type == WL_CUDNN_FLOAT ? 4 : 2);
}

/* As the fused kernel ends: a row of one n and filter. z: where its addends begin. */
VECTORS static void write_fused(const struct direct *self, const struct parameters *p, char *to,
                                const char *z, int filter, const float *sums)
{
    const struct wl_dnn_epilogue *after = &p->after;
    const long long bytes = self->type == WL_CUDNN_FLOAT ? 4 : 2;
    const float factor = (float)after->factor,
                bias = read_number(self->type,
                                   (const char *)after->bias + filter * after->bias_step * bytes);
    for (int i = 0; i < p->c.out[2]; i++) {
        float value = sums[i] * p->alpha;
        if (factor != 0)
            value = __builtin_fmaf(factor, read_number(self->type, z + i * after->steps[4] * bytes),
                                   value);
        value += bias;
        if (after->activation.mode == WL_DNN_RELU && !(value > 0) &&
            !(after->activation.propagates_nan && value != value))
            value = 0;
        write_number(self->type, to + i * p->c.y[4] * bytes, value);
    }
}

/* ---- sums ---- */

/* rows[r][lane] += a[r][i * a_step] * b[i * b_step + lane], for all i in turn. Beyond the lanes b
 * is read, rows are neither read nor written but for what is put back. */
VECTORS static void add_products(float *const rows[ROWS], const float *const a[ROWS],
                                 long long a_step, const float *b, long long b_step, int depth,
                                 int lanes)
{
    __m256 low[ROWS], high[ROWS];
    for (int r = 0; r < ROWS; r++) {
        low[r] = _mm256_loadu_ps(rows[r]);
        high[r] = _mm256_loadu_ps(rows[r] + LANES / 2);
    }
    for (int i = 0; i < depth; i++, b += b_step) {
        const __m256 first = _mm256_loadu_ps(b), second = _mm256_loadu_ps(b + LANES / 2);
        for (int r = 0; r < ROWS; r++) {
            const __m256 factor = _mm256_broadcast_ss(a[r] + i * a_step);
            low[r] = _mm256_fmadd_ps(factor, first, low[r]);
            high[r] = _mm256_fmadd_ps(factor, second, high[r]);
        }
    }
    for (int r = 0; r < ROWS; r++) {
        float sums[LANES];
        _mm256_storeu_ps(sums, low[r]);
        _mm256_storeu_ps(sums + LANES / 2, high[r]);
        memcpy(rows[r], sums, (size_t)lanes * sizeof *sums);
    }
}

/* Of 16 rows `width` apart, from begin on and before end; a: 16 numbers for each i. */
VECTORS static void add_lines(float *rows, int width, int row_count, const float *a, const float *b,
                              long long b_step, int depth, int begin, int end)
{
    for (int from = begin; from < end; from += LANES)
        for (int r = 0; r < row_count; r += ROWS) {
            float *to[ROWS];
            const float *factors[ROWS];
            for (int i = 0; i < ROWS; i++) {
                to[i] = rows + (r + i) * width + from;
                factors[i] = a + r + i;
            }
            add_products(to, factors, LANES, b + (from - begin), b_step, depth,
                         end - from < LANES ? end - from : LANES);
        }
}

/* ---- where things are ---- */

static int least(int a, int b)
{
    return a < b ? a : b;
}

static int product(const int *sizes)
{
    return sizes[0] * sizes[1] * sizes[2];
}

static int floor_divide(int a, int b)
{
    return a / b - (a % b < 0);
}

/* As meet of convolve.cu. */
static bool meet(const struct wl_dnn_convolution *c, int d, int out, int tap, int *in)
{
    *in = out * c->strides[d] - c->pads[d] + tap * c->dilations[d];
    return *in >= 0 && *in < c->in[d];
}

/* As meet_back there. */
static bool meet_back(const struct wl_dnn_convolution *c, int d, int in, int tap, int *out)
{
    const int at = in + c->pads[d] - tap * c->dilations[d];
    *out = at / c->strides[d];
    return at >= 0 && *out * c->strides[d] == at && *out < c->out[d];
}

/* Outputs along the width that meet an input with a tap. */
static void meeting(const struct wl_dnn_convolution *c, int tap, int *begin, int *end)
{
    const int shift = c->pads[2] - tap * c->dilations[2], last = c->in[2] - 1 + shift;
    *begin = shift > 0 ? (shift + c->strides[2] - 1) / c->strides[2] : 0;
    *end = last < 0 ? 0 : least(last / c->strides[2] + 1, c->out[2]);
}

static long long spatial_offset(const long long *steps, int a, int b, int e)
{
    return a * steps[2] + b * steps[3] + e * steps[4];
}

/* Taps of 16 filters (or channels) side by side: of each tap, all of `depth` in turn. What there is
 * not of them is 0. w: the first one; step: between those, depth_step: of the others. */
VECTORS static void read_taps(const struct direct *self, const struct wl_dnn_convolution *c,
                              char *w, long long step, int count, long long depth_step, int depth,
                              float *to)
{
    for (int a = 0; a < c->taps[0]; a++)
        for (int b = 0; b < c->taps[1]; b++)
            for (int e = 0; e < c->taps[2]; e++)
                for (int i = 0; i < depth; i++, to += LANES) {
                    memset(to, 0, LANES * sizeof *to);
                    read_line(self->type,
                              element(self, w, spatial_offset(c->w, a, b, e) + i * depth_step),
                              step, count, to);
                }
}

/* ---- the output ---- */

/* Along the width inputs come by their remainder of the stride, each as often as any. */
static int width_of_phase(const struct wl_dnn_convolution *c)
{
    return (c->in[2] + c->strides[2] - 1) / c->strides[2];
}

VECTORS static void read_inputs(const struct direct *self, const struct parameters *p, char *x,
                                float *to)
{
    const struct wl_dnn_convolution *c = &p->c;
    const int stride = c->strides[2], width = width_of_phase(c);
    for (int channel = 0; channel < c->channels; channel++)
        for (int a = 0; a < c->in[0]; a++)
            for (int b = 0; b < c->in[1]; b++)
                for (int phase = 0; phase < stride; phase++, to += width)
                    if (phase < c->in[2])
                        read_line(
                            self->type,
                            element(self, x, channel * c->x[1] + spatial_offset(c->x, a, b, phase)),
                            c->x[4] * stride, (c->in[2] - phase + stride - 1) / stride, to);
}

/* The sums of a row of outputs, of 16 filters. */
VECTORS static void add_outputs(const struct wl_dnn_convolution *c, int depth_at, int height_at,
                                int filters, const float *inputs, const float *taps, float *sums,
                                int width)
{
    const int stride = c->strides[2], phase_width = width_of_phase(c), line = stride * phase_width;
    const long long plane = (long long)c->in[0] * c->in[1] * line;
    for (int a = 0; a < c->taps[0]; a++)
        for (int b = 0; b < c->taps[1]; b++)
            for (int e = 0; e < c->taps[2]; e++, taps += (long long)c->channels * LANES) {
                int in[2], begin, end;
                if (!meet(c, 0, depth_at, a, &in[0]) || !meet(c, 1, height_at, b, &in[1]))
                    continue;
                const int at = e * c->dilations[2] - c->pads[2], shift = floor_divide(at, stride),
                          phase = at - shift * stride;
                meeting(c, e, &begin, &end);
                add_lines(sums, width, filters, taps,
                          inputs + ((long long)in[0] * c->in[1] + in[1]) * line +
                              phase * phase_width + begin + shift,
                          plane, c->channels, begin, end);
            }
}

/* Where z's row is; NULL: it has no part. */
static const char *addends(const struct direct *self, const struct parameters *p, int n, int filter,
                           int a, int b)
{
    const struct wl_dnn_epilogue *after = &p->after;
    const long long bytes = self->type == WL_CUDNN_FLOAT ? 4 : 2;
    return after->factor == 0
               ? NULL
               : (const char *)after->z + (n * after->steps[0] + filter * after->steps[1] +
                                           spatial_offset(after->steps, a, b, 0)) *
                                              bytes;
}

/* Of one n and at most 16 filters of a group. */
VECTORS static void compute_outputs(const struct direct *self, const struct parameters *p,
                                    uint32_t piece)
{
    const struct wl_dnn_convolution *c = &p->c;
    const uint32_t blocks = ((uint32_t)c->filters + LANES - 1) / LANES;
    const int first = (int)(piece % blocks) * LANES, count = least(LANES, c->filters - first),
              group = (int)(piece / blocks) % c->groups, n = (int)(piece / blocks) / c->groups,
              filter = group * c->filters + first, width = c->out[2] + LANES;
    const size_t inputs = (size_t)c->channels * (size_t)(c->in[0] * c->in[1]) *
                          (size_t)(c->strides[2] * width_of_phase(c));
    float *x = wl_alloc_zero(inputs + LANES, sizeof *x),
          *w = wl_alloc((size_t)product(c->taps) * (size_t)c->channels * LANES * sizeof *w),
          *sums = wl_alloc((size_t)width * LANES * sizeof *sums);
    read_inputs(self, p,
                element(self, p->x, n * c->x[0] + (long long)group * c->channels * c->x[1]), x);
    read_taps(self, c, element(self, p->w, filter * c->w[0]), c->w[0], count, c->w[1], c->channels,
              w);
    for (int a = 0; a < c->out[0]; a++)
        for (int b = 0; b < c->out[1]; b++) {
            memset(sums, 0, (size_t)width * LANES * sizeof *sums);
            add_outputs(c, a, b, count, x, w, sums, width);
            for (int i = 0; i < count; i++) {
                const long long at = spatial_offset(c->y, a, b, 0);
                char *to = element(self, p->y, n * c->y[0] + (filter + i) * c->y[1] + at);
                if (self->is_fused)
                    write_fused(self, p, to, addends(self, p, n, filter + i, a, b), filter + i,
                                sums + i * width);
                else
                    write_line(self, p, to, c->y[4], c->out[2], sums + i * width);
            }
        }
    free(x);
    free(w);
    free(sums);
}

/* ---- the input's gradient ---- */

/* Of the inputs of a row whose remainder of the stride is `phase`. */
VECTORS static void add_inputs(const struct wl_dnn_convolution *c, int depth_at, int height_at,
                               int phase, int channels, const float *outputs, const float *taps,
                               float *sums, int width)
{
    const int stride = c->strides[2], count = (c->in[2] - phase + stride - 1) / stride;
    const long long plane = product(c->out);
    for (int a = 0; a < c->taps[0]; a++)
        for (int b = 0; b < c->taps[1]; b++)
            for (int e = 0; e < c->taps[2]; e++, taps += (long long)c->filters * LANES) {
                int out[2];
                const int at = phase + c->pads[2] - e * c->dilations[2],
                          shift = floor_divide(at, stride);
                if (!meet_back(c, 0, depth_at, a, &out[0]) ||
                    !meet_back(c, 1, height_at, b, &out[1]) || shift * stride != at)
                    continue;
                const int begin = shift < 0 ? -shift : 0, end = least(count, c->out[2] - shift);
                add_lines(sums, width, channels, taps,
                          outputs + ((long long)out[0] * c->out[1] + out[1]) * c->out[2] + begin +
                              shift,
                          plane, c->filters, begin, end);
            }
}

/* Of one n and at most 16 channels of a group. */
VECTORS static void compute_inputs(const struct direct *self, const struct parameters *p,
                                   uint32_t piece)
{
    const struct wl_dnn_convolution *c = &p->c;
    const uint32_t blocks = ((uint32_t)c->channels + LANES - 1) / LANES;
    const int first = (int)(piece % blocks) * LANES, count = least(LANES, c->channels - first),
              group = (int)(piece / blocks) % c->groups, n = (int)(piece / blocks) / c->groups,
              channel = group * c->channels + first, stride = c->strides[2],
              width = width_of_phase(c) + LANES;
    float *y = wl_alloc_zero((size_t)c->filters * (size_t)product(c->out) + LANES, sizeof *y),
          *w = wl_alloc((size_t)product(c->taps) * (size_t)c->filters * LANES * sizeof *w),
          *sums = wl_alloc((size_t)width * LANES * sizeof *sums), *to = y;
    for (int filter = 0; filter < c->filters; filter++)
        for (int a = 0; a < c->out[0]; a++)
            for (int b = 0; b < c->out[1]; b++, to += c->out[2])
                read_line(self->type,
                          element(self, p->y,
                                  n * c->y[0] + (group * c->filters + filter) * c->y[1] +
                                      spatial_offset(c->y, a, b, 0)),
                          c->y[4], c->out[2], to);
    read_taps(self, c,
              element(self, p->w, (long long)group * c->filters * c->w[0] + first * c->w[1]),
              c->w[1], count, c->w[0], c->filters, w);
    for (int a = 0; a < c->in[0]; a++)
        for (int b = 0; b < c->in[1]; b++)
            for (int phase = 0; phase < stride && phase < c->in[2]; phase++) {
                memset(sums, 0, (size_t)width * LANES * sizeof *sums);
                add_inputs(c, a, b, phase, count, y, w, sums, width);
                for (int i = 0; i < count; i++)
                    write_line(self, p,
                               element(self, p->x,
                                       n * c->x[0] + (channel + i) * c->x[1] +
                                           spatial_offset(c->x, a, b, phase)),
                               c->x[4] * stride, (c->in[2] - phase + stride - 1) / stride,
                               sums + i * width);
            }
    free(y);
    free(w);
    free(sums);
}

/* ---- the filter's gradient ---- */

/* Outputs of 16 filters side by side. */
VECTORS static void read_outputs(const struct direct *self, const struct parameters *p, char *y,
                                 int count, float *to)
{
    const struct wl_dnn_convolution *c = &p->c;
    for (int a = 0; a < c->out[0]; a++)
        for (int b = 0; b < c->out[1]; b++)
            for (int e = 0; e < c->out[2]; e++, to += LANES)
                read_line(self->type, element(self, y, spatial_offset(c->y, a, b, e)), c->y[1],
                          count, to);
}

/* What one n adds: sums are of each channel, each tap and 16 filters. x: of the channels, as they
 * lie in the input. */
VECTORS static void add_taps(const struct wl_dnn_convolution *c, int channels, const float *x,
                             const float *outputs, float *sums)
{
    const int taps = product(c->taps), plane = product(c->in);
    for (int i = 0; i < c->out[0] * c->out[1]; i++)
        for (int tap = 0; tap < taps; tap++) {
            const int e = tap % c->taps[2], b = tap / c->taps[2] % c->taps[1],
                      a = tap / c->taps[2] / c->taps[1];
            int in[2], begin, end;
            meeting(c, e, &begin, &end);
            if (!meet(c, 0, i / c->out[1], a, &in[0]) || !meet(c, 1, i % c->out[1], b, &in[1]) ||
                begin >= end)
                continue;
            const float *from = x + ((long long)in[0] * c->in[1] + in[1]) * c->in[2] +
                                begin * c->strides[2] - c->pads[2] + e * c->dilations[2];
            for (int channel = 0; channel < channels; channel += ROWS) {
                float spare[LANES] = {0}, *rows[ROWS];
                const float *factors[ROWS];
                for (int r = 0; r < ROWS; r++) {
                    const bool is_there = channel + r < channels;
                    rows[r] = is_there ? sums + ((channel + r) * taps + tap) * LANES : spare;
                    factors[r] = from + (long long)(is_there ? channel + r : channel) * plane;
                }
                add_products(rows, factors, c->strides[2],
                             outputs + ((long long)i * c->out[2] + begin) * LANES, LANES,
                             end - begin, LANES);
            }
        }
}

/* Of at most 16 channels and 16 filters of a group. */
VECTORS static void compute_filters(const struct direct *self, const struct parameters *p,
                                    uint32_t piece)
{
    const struct wl_dnn_convolution *c = &p->c;
    const uint32_t blocks = ((uint32_t)c->filters + LANES - 1) / LANES,
                   channel_blocks = ((uint32_t)c->channels + LANES - 1) / LANES;
    const int first = (int)(piece % blocks) * LANES, count = least(LANES, c->filters - first),
              begin = (int)(piece / blocks % channel_blocks) * LANES,
              channels = least(LANES, c->channels - begin),
              group = (int)(piece / blocks / channel_blocks), filter = group * c->filters + first,
              taps = product(c->taps);
    const size_t plane = (size_t)product(c->in);
    float *x = wl_alloc((size_t)channels * plane * sizeof *x),
          *y = wl_alloc_zero((size_t)product(c->out) * LANES, sizeof *y),
          *sums = wl_alloc_zero((size_t)channels * (size_t)taps * LANES, sizeof *sums);
    for (int n = 0; n < c->batch; n++) {
        float *to = x;
        for (int i = 0; i < channels; i++)
            for (int a = 0; a < c->in[0]; a++)
                for (int b = 0; b < c->in[1]; b++, to += c->in[2])
                    read_line(self->type,
                              element(self, p->x,
                                      n * c->x[0] + (group * c->channels + begin + i) * c->x[1] +
                                          spatial_offset(c->x, a, b, 0)),
                              c->x[4], c->in[2], to);
        read_outputs(self, p, element(self, p->y, n * c->y[0] + filter * c->y[1]), count, y);
        add_taps(c, channels, x, y, sums);
    }
    for (int i = 0; i < channels; i++)
        for (int tap = 0; tap < taps; tap++)
            write_line(self, p,
                       element(self, p->w,
                               filter * c->w[0] + (begin + i) * c->w[1] +
                                   spatial_offset(c->w, tap / c->taps[2] / c->taps[1],
                                                  tap / c->taps[2] % c->taps[1], tap % c->taps[2])),
                       c->w[0], count, sums + (i * taps + tap) * LANES);
    free(x);
    free(y);
    free(sums);
}

/* ---- plans ---- */

/* A kernel's list of parameters. */
static struct parameters read_parameters(const struct direct *self, const void *list)
{
    struct parameters p;
    memset(&p, 0, sizeof p);
    memcpy(&p, list, offsetof(struct parameters, after));
    if (!self->is_fused)
        return p;
    p.beta = 0;
    memcpy(&p.after, (const char *)list + offsetof(struct parameters, after), sizeof p.after);
    return p;
}

static void compute(const struct wl_device_direct *self, const void *parameters,
                    const uint32_t grid[3], uint32_t piece)
{
    static void (*const ways[])(const struct direct *, const struct parameters *, uint32_t) = {
        [WL_CUDNN_FORWARD] = compute_outputs,
        [WL_CUDNN_DATA] = compute_inputs,
        [WL_CUDNN_FILTER] = compute_filters,
    };
    const struct direct *direct = (const struct direct *)(const void *)self;
    const struct parameters p = read_parameters(direct, parameters);
    (void)grid;
    ways[direct->way](direct, &p, piece);
}

/* The bytes of a tensor's elements; steps may go back. */
static struct wl_device_direct_span span_of(int type, const char *data, const long long *steps,
                                            int n, int c, const int *spatial)
{
    const int dims[] = {n, c, spatial[0], spatial[1], spatial[2]};
    const long long bytes = type == WL_CUDNN_FLOAT ? 4 : 2;
    long long first = 0, last = 0;
    for (int d = 0; d < WL_DNN_RANK; d++) {
        const long long reach = (dims[d] - 1) * steps[d];
        first += reach < 0 ? reach : 0;
        last += reach > 0 ? reach : 0;
    }
    return (struct wl_device_direct_span){(uint64_t)((intptr_t)data + first * bytes),
                                          (uint64_t)((last - first + 1) * bytes)};
}

static bool are_apart(struct wl_device_direct_span a, struct wl_device_direct_span b)
{
    return a.start + a.size_bytes <= b.start || b.start + b.size_bytes <= a.start;
}

static bool ask(void)
{
    unsigned a, b, c = 0, d;
    return __get_cpuid(1, &a, &b, &c, &d) && c & bit_F16C && __builtin_cpu_supports("avx2") &&
           __builtin_cpu_supports("fma");
}

static bool is_host_able(void)
{
    enum { UNKNOWN, NO, YES };
    static int known; /* a virtual machine answers cpuid slowly */
    int answer = __atomic_load_n(&known, __ATOMIC_RELAXED);
    if (answer == UNKNOWN) {
        answer = ask() ? YES : NO;
        __atomic_store_n(&known, answer, __ATOMIC_RELAXED);
    }
    return answer == YES;
}

/* Whether what a piece of work brings together is small enough. */
static bool is_small(const struct wl_dnn_convolution *c)
{
    const long long channels = c->channels + LANES, filters = c->filters + LANES,
                    taps = product(c->taps);
    return channels * product(c->in) <= NUMBERS_MAX / c->strides[2] &&
           filters * product(c->out) <= NUMBERS_MAX && channels * taps <= NUMBERS_MAX / LANES &&
           filters * taps <= NUMBERS_MAX / LANES;
}

/* What the fused kernel reads beside. An element of z may stand where that of y does, but not where
 * another does. */
static bool plan_epilogue(const struct direct *self, const struct parameters *p,
                          struct wl_device_direct_span written, struct wl_device_direct_plan *made)
{
    const struct wl_dnn_convolution *c = &p->c;
    const struct wl_dnn_epilogue *after = &p->after;
    const int outputs = c->groups * c->filters, one[WL_DNN_SPATIAL] = {1, 1, 1};
    const long long bias_steps[WL_DNN_RANK] = {0, after->bias_step};
    const struct wl_device_direct_span bias =
        span_of(self->type, after->bias, bias_steps, 1, outputs, one);
    const uint64_t mask = self->type == WL_CUDNN_FLOAT ? 3 : 1;
    made->spans[made->span_count++] = bias;
    if (bias.start & mask || !are_apart(bias, written) ||
        (after->activation.mode != WL_DNN_RELU && after->activation.mode != WL_DNN_IDENTITY))
        return false;
    if ((float)after->factor == 0)
        return true;
    const struct wl_device_direct_span z =
        span_of(self->type, after->z, after->steps, c->batch, outputs, c->out);
    made->spans[made->span_count++] = z;
    return !(z.start & mask) &&
           (are_apart(z, written) ||
            (after->z == p->y && !memcmp(after->steps, c->y, sizeof after->steps)));
}

static bool plan(const struct wl_device_direct *self, const void *parameters,
                 const uint32_t grid[3], struct wl_device_direct_plan *made)
{
    const struct direct *direct = (const struct direct *)(const void *)self;
    const struct parameters p = read_parameters(direct, parameters);
    const struct wl_dnn_convolution *c = &p.c;
    const int inputs = c->groups * c->channels, outputs = c->groups * c->filters,
              made_number = direct->way == WL_CUDNN_FORWARD ? 2
                            : direct->way == WL_CUDNN_DATA  ? 0
                                                            : 1;
    const struct wl_device_direct_span spans[] = {
        span_of(direct->type, p.x, c->x, c->batch, inputs, c->in),
        span_of(direct->type, p.w, c->w, outputs, c->channels, c->taps),
        span_of(direct->type, p.y, c->y, c->batch, outputs, c->out),
    };
    const uint32_t filter_blocks = ((uint32_t)c->filters + LANES - 1) / LANES,
                   channel_blocks = ((uint32_t)c->channels + LANES - 1) / LANES;
    (void)grid;
    if (!is_host_able() || !is_small(c))
        return false;
    for (int i = 0; i < 3; i++) {
        if (spans[i].start % (direct->type == WL_CUDNN_FLOAT ? 4 : 2) ||
            (i != made_number && !are_apart(spans[i], spans[made_number])))
            return false;
        made->spans[made->span_count++] = spans[i];
    }
    if (direct->is_fused && !plan_epilogue(direct, &p, spans[made_number], made))
        return false;
    made->piece_count =
        (uint32_t)c->groups * (direct->way == WL_CUDNN_FORWARD ? (uint32_t)c->batch * filter_blocks
                               : direct->way == WL_CUDNN_DATA  ? (uint32_t)c->batch * channel_blocks
                                                               : filter_blocks * channel_blocks);
    return true;
}

#define DIRECT(way, type, is_fused)                             \
    {                                                           \
        {.plan = plan, .compute = compute}, way, type, is_fused \
    }
#define WAY(way, is_fused)                                                       \
    DIRECT(way, WL_CUDNN_FLOAT, is_fused), DIRECT(way, WL_CUDNN_HALF, is_fused), \
        DIRECT(way, WL_CUDNN_BFLOAT16, is_fused)
static const struct direct directs[] = {
    WAY(WL_CUDNN_FORWARD, false),
    WAY(WL_CUDNN_DATA, false),
    WAY(WL_CUDNN_FILTER, false),
    WAY(WL_CUDNN_FORWARD, true),
};

const struct wl_device_direct *wl_cudnn_direct(enum wl_cudnn_way way, int type, bool is_fused)
{
    for (size_t i = 0; i < WL_COUNT(directs); i++)
        if (directs[i].way == way && directs[i].type == type && directs[i].is_fused == is_fused)
            return &directs[i].is;
    return NULL;
}

#else

const struct wl_device_direct *wl_cudnn_direct(enum wl_cudnn_way way, int type, bool is_fused)
{
    (void)way;
    (void)type;
    (void)is_fused;
    return NULL;
}

#endif
