/* Spatial transformers: grids of places in pictures, and pictures sampled there. Places go from -1, the middle of the first
 * element, to 1, that of the last; outside there is 0.
 *
 * transform.ptx is made from this file (see the command in its first line) and embedded in the library.
 */
#include "dnn.cuh"

/* The i-th of count places; of one it is the first. */
template <typename Sum> DEVICE Sum place_at(int i, int count)
{
    return count > 1 ? Sum(2 * i + 1 - count) / Sum(count - 1) : Sum(-1);
}

/* grid = theta * (x, y, 1): theta is batch, 2, 3. */
template <typename T, typename Sum> DEVICE void make_grid(int batch, int h, int w, const T *theta, T *grid)
{
    for (i64 i = first(); i < (i64)batch * h * w; i += step()) {
        const T *of = theta + i / w / h * 6;
        const Sum x = place_at<Sum>((int)(i % w), w), y = place_at<Sum>((int)(i / w % h), h);
        for (int row = 0; row < 2; row++)
            assign(grid[2 * i + row], number(of[3 * row]) * x + number(of[3 * row + 1]) * y + number(of[3 * row + 2]));
    }
}

/* The gradient of theta from that of the grid. */
template <typename T, typename Sum> DEVICE void make_grid_back(int batch, int h, int w, int group, const T *dgrid, T *dtheta)
{
    for (share s = share_of(group, (i64)batch * 6); has_more(s); s.result += s.stride) {
        const int row = (int)(s.result / 3 % 2), column = (int)(s.result % 3);
        Sum sum = 0;
        for (int i = s.lane; s.is_there() && i < h * w; i += s.group) {
            const Sum with = column == 0 ? place_at<Sum>(i % w, w) : column == 1 ? place_at<Sum>(i / w, h) : Sum(1);
            sum += with * number(dgrid[(s.result / 6 * h * w + i) * 2 + row]);
        }
        sum = total(s, sum);
        if (s.is_there() && !s.lane)
            assign(dtheta[s.result], sum);
    }
}

/* Where a place lies between four elements, and how near it is to the second ones. */
template <typename Sum> struct corner {
    int x, y;
    Sum right, lower;
};

template <typename Sum> DEVICE int floor_of(Sum x)
{
    const int cut = (int)x;
    return cut - (x < cut);
}

template <typename Sum> DEVICE corner<Sum> corner_of(const wl_dnn_sampling &s, Sum place_x, Sum place_y)
{
    Sum x = (place_x + 1) / 2 * (s.in_w - 1), y = (place_y + 1) / 2 * (s.in_h - 1);
    if (!(x > -2 && x < s.in_w + 1))
        x = -2; /* far outside is as good as near */
    if (!(y > -2 && y < s.in_h + 1))
        y = -2;
    corner<Sum> c = {floor_of(x), floor_of(y), 0, 0};
    c.right = x - c.x;
    c.lower = y - c.y;
    return c;
}

DEVICE bool is_inside(const wl_dnn_sampling &s, int x, int y)
{
    return (unsigned)x < (unsigned)s.in_w && (unsigned)y < (unsigned)s.in_h;
}

template <typename Sum> DEVICE Sum weight(const corner<Sum> &c, int right, int lower)
{
    return (right ? c.right : 1 - c.right) * (lower ? c.lower : 1 - c.lower);
}

template <typename T, typename Sum>
DEVICE void sample(const wl_dnn_sampling &s, const T *x, const T *grid, T *y, Sum alpha, Sum beta)
{
    const i64 plane = (i64)s.out_h * s.out_w, count = s.batch * s.channels * plane;
    for (i64 i = first(); i < count; i += step()) {
        const int w = (int)(i % s.out_w), h = (int)(i / s.out_w % s.out_h), c = (int)(i / plane % s.channels);
        const i64 n = i / plane / s.channels;
        const T *place = grid + 2 * (n * plane + h * s.out_w + w), *from = x + n * s.x[0] + c * s.x[1];
        const corner<Sum> at = corner_of(s, number(place[0]), number(place[1]));
        Sum sum = 0;
        UNROLL for (int k = 0; k < 4; k++)
            if (is_inside(s, at.x + k % 2, at.y + k / 2))
                sum += weight(at, k % 2, k / 2) * number(from[(at.y + k / 2) * s.x[2] + (at.x + k % 2) * s.x[3]]);
        blend(y + n * s.y[0] + c * s.y[1] + h * s.y[2] + w * s.y[3], alpha, sum, beta);
    }
}

DEVICE void add(float *to, float value)
{
    __nvvm_atom_add_gen_f(to, value);
}

DEVICE void add(double *to, double value)
{
    __nvvm_atom_add_gen_d(to, value);
}

/* There are no atomic sums of others. */
template <typename T, typename Sum> DEVICE void add(T *, Sum)
{
}

/* dx += alpha * what comes from dy (s.y has its steps), where there are atomics of T; dgrid of each place. */
template <typename T, typename Sum>
DEVICE void sample_back(const wl_dnn_sampling &s, const T *x, T *dx, const T *dy, const T *grid, T *dgrid, Sum alpha,
                        Sum grid_alpha, Sum grid_beta)
{
    const i64 plane = (i64)s.out_h * s.out_w;
    for (i64 i = first(); i < s.batch * plane; i += step()) {
        const int w = (int)(i % s.out_w), h = (int)(i / s.out_w % s.out_h);
        const i64 n = i / plane;
        const corner<Sum> at = corner_of(s, number(grid[2 * i]), number(grid[2 * i + 1]));
        Sum slope_x = 0, slope_y = 0;
        for (int c = 0; c < s.channels; c++) {
            const Sum gradient = number(dy[n * s.y[0] + c * s.y[1] + h * s.y[2] + w * s.y[3]]);
            UNROLL for (int k = 0; k < 4; k++) {
                const int right = k % 2, lower = k / 2;
                if (!is_inside(s, at.x + right, at.y + lower))
                    continue;
                const Sum value = number(x[n * s.x[0] + c * s.x[1] + (at.y + lower) * s.x[2] + (at.x + right) * s.x[3]]);
                slope_x += gradient * value * (right ? 1 : -1) * (lower ? at.lower : 1 - at.lower);
                slope_y += gradient * value * (lower ? 1 : -1) * (right ? at.right : 1 - at.right);
                add(dx + n * s.dx[0] + c * s.dx[1] + (at.y + lower) * s.dx[2] + (at.x + right) * s.dx[3],
                    alpha * gradient * weight(at, right, lower));
            }
        }
        blend(dgrid + 2 * i, grid_alpha, slope_x * (s.in_w - 1) / 2, grid_beta);
        blend(dgrid + 2 * i + 1, grid_alpha, slope_y * (s.in_h - 1) / 2, grid_beta);
    }
}

/* dx = alpha * what comes from dy + beta * dx without atomics: each element looks at all places. */
template <typename T, typename Sum>
DEVICE void sample_gather(const wl_dnn_sampling &s, T *dx, const T *dy, const T *grid, Sum alpha, Sum beta)
{
    const i64 from = (i64)s.in_h * s.in_w, count = s.batch * s.channels * from;
    const int places = s.out_h * s.out_w;
    for (i64 i = first(); i < count; i += step()) {
        const int w = (int)(i % s.in_w), h = (int)(i / s.in_w % s.in_h), c = (int)(i / from % s.channels);
        const i64 n = i / from / s.channels;
        const T *place = grid + 2 * n * places, *gradient = dy + n * s.y[0] + c * s.y[1];
        Sum sum = 0;
        for (int k = 0; k < places; k++) {
            const corner<Sum> at = corner_of(s, number(place[2 * k]), number(place[2 * k + 1]));
            const int right = w - at.x, lower = h - at.y;
            if ((unsigned)right < 2 && (unsigned)lower < 2)
                sum += weight(at, right, lower) * number(gradient[k / s.out_w * s.y[2] + k % s.out_w * s.y[3]]);
        }
        blend(dx + n * s.dx[0] + c * s.dx[1] + h * s.dx[2] + w * s.dx[3], alpha, sum, beta);
    }
}

#define TRANSFORMERS(suffix, T, Sum)                                                                                      \
    GLOBAL void warplens_dnn_grid_##suffix(int batch, int h, int w, T *theta, T *grid)                                    \
    {                                                                                                                     \
        make_grid<T, Sum>(batch, h, w, theta, grid);                                                                      \
    }                                                                                                                     \
    GLOBAL void warplens_dnn_grid_back_##suffix(int batch, int h, int w, int group, T *dgrid, T *dtheta)                  \
    {                                                                                                                     \
        make_grid_back<T, Sum>(batch, h, w, group, dgrid, dtheta);                                                        \
    }                                                                                                                     \
    GLOBAL void warplens_dnn_sample_##suffix(wl_dnn_sampling s, T *x, T *grid, T *y, Sum alpha, Sum beta)                 \
    {                                                                                                                     \
        sample(s, x, grid, y, alpha, beta);                                                                               \
    }                                                                                                                     \
    GLOBAL void warplens_dnn_sample_back_##suffix(wl_dnn_sampling s, T *x, T *dx, T *dy, T *grid, T *dgrid, Sum alpha,    \
                                                  Sum grid_alpha, Sum grid_beta)                                          \
    {                                                                                                                     \
        sample_back(s, x, dx, dy, grid, dgrid, alpha, grid_alpha, grid_beta);                                             \
    }                                                                                                                     \
    GLOBAL void warplens_dnn_sample_gather_##suffix(wl_dnn_sampling s, T *dx, T *dy, T *grid, Sum alpha, Sum beta)        \
    {                                                                                                                     \
        sample_gather(s, dx, dy, grid, alpha, beta);                                                                      \
    }
KINDS(TRANSFORMERS)
