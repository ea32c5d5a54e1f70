#include "timing/library.h"

#include <math.h>

#include "base/count.h"
#include "timing/library_steps.h"

/* The fit's GPU: an H200 at its boost clock. Cycles stand for latencies, which follow the clock. */

struct tiles {
    double start_cycles;    /* of a kernel, besides its launch and its work */
    double depth_cycles;    /* that a tile on its own takes for each step of the depth */
    double efficiency;      /* of the units that multiply, with tiles of 128 x 128 and larger */
    double smaller;         /* a tile of 1/n of that reaches 1 / n^smaller of it */
    double bandwidth_share; /* of the device's memory, for operands and results */
    double join_cycles;     /* of the kernel that adds the parts of a split depth */
};

static const struct tiles product_rows[] = {
    [WL_LIBRARY_F32] = {1424, 33.3, 0.740, 0.278, 0.364, 4821},
    [WL_LIBRARY_TF32] = {2397, 15.8, 0.402, 0.608, 0.680, 1042},
    [WL_LIBRARY_F16] = {1096, 0.6, 0.601, 0.586, 0.524, 1926},
    [WL_LIBRARY_F64] = {1065, 6.2, 0.920, 0.201, 0.478, 1820},
    [WL_LIBRARY_BYTES] = {1096, 0.6, 0.601, 0.586, 0.524, 1926}, /* not read: as halves */
};

/* What remains of the efficiency, and how much longer a step takes, where lines are not aligned. */
static const struct {
    double efficiency, depth;
} unaligned_rows[] = {
    [WL_LIBRARY_F32] = {1, 1.06},       [WL_LIBRARY_TF32] = {0.454, 1.60},
    [WL_LIBRARY_F16] = {0.200, 0.76},   [WL_LIBRARY_F64] = {0.730, 3.59},
    [WL_LIBRARY_BYTES] = {0.200, 0.76},
};

/* By element, order of the tensors and way. pre_cycles: of kernels that change that order before
 * and after; their launches are in it. */
static const struct convolution {
    enum wl_library_element element;
    bool is_channels_last;
    enum wl_library_way way;
    struct tiles tiles;
    double pre_cycles;
} convolution_rows[] = {
    {WL_LIBRARY_F32, false, WL_LIBRARY_FORWARD, {2910, 44.0, 0.345, 0.070, 0.607, 20889}, 0},
    {WL_LIBRARY_F32, false, WL_LIBRARY_DATA, {4604, 93.2, 0.493, 0.050, 0.184, 0}, 0},
    {WL_LIBRARY_F32, false, WL_LIBRARY_FILTER, {3134, 52.9, 0.401, 0.050, 0.127, 20889}, 0},
    {WL_LIBRARY_TF32, false, WL_LIBRARY_FORWARD, {1393, 11.1, 0.477, 0.811, 0.599, 20889}, 2875},
    {WL_LIBRARY_TF32, false, WL_LIBRARY_DATA, {1662, 46.4, 0.535, 0.050, 0.393, 3829}, 4916},
    {WL_LIBRARY_TF32, false, WL_LIBRARY_FILTER, {2943, 94.4, 0.425, 1.000, 0.303, 8250}, 925},
    {WL_LIBRARY_F16, false, WL_LIBRARY_FORWARD, {4074, 5.7, 0.632, 0.755, 0.437, 20889}, 9207},
    {WL_LIBRARY_F16, false, WL_LIBRARY_DATA, {10218, 0.1, 0.600, 0.577, 0.827, 20889}, 8809},
    {WL_LIBRARY_F16, false, WL_LIBRARY_FILTER, {894, 25.9, 0.578, 1.000, 0.361, 7334}, 10367},
    {WL_LIBRARY_F16, true, WL_LIBRARY_FORWARD, {891, 78.2, 0.837, 0.066, 0.365, 0}, 0},
    {WL_LIBRARY_F16, true, WL_LIBRARY_DATA, {891, 78.8, 0.416, 0.241, 0.555, 5647}, 0},
    {WL_LIBRARY_F16, true, WL_LIBRARY_FILTER, {2795, 6.1, 0.537, 0.845, 0.369, 20889}, 0},
};

/* Multiply-adds of 16-bit numbers, added in single precision, of an SM's tensor cores in a cycle,
 * from this compute capability on (data sheets: peak rate by clock and SMs). */
static const struct {
    uint32_t capability;
    double rate;
} tensor_rows[] = {
    {70, 512}, {75, 512},  {80, 1024},  {86, 256},   {87, 512},
    {89, 256}, {90, 2048}, {100, 4096}, {110, 1024}, {120, 256},
};

static double greatest(double a, double b)
{
    return a > b ? a : b;
}

static uint32_t capability_of(const struct wl_gpu *gpu)
{
    return gpu->capability_major * 10 + gpu->capability_minor;
}

static double tensor_rate(const struct wl_gpu *gpu)
{
    double rate = 0;
    for (size_t i = 0; i < WL_COUNT(tensor_rows); i++)
        if (capability_of(gpu) >= tensor_rows[i].capability)
            rate = tensor_rows[i].rate;
    return rate;
}

/* Tensor cores round single precision from 8.0 on. */
static enum wl_library_element element_of(const struct wl_gpu *gpu, enum wl_library_element asked)
{
    return asked == WL_LIBRARY_TF32 && capability_of(gpu) < 80 ? WL_LIBRARY_F32 : asked;
}

double wl_library_rate(const struct wl_gpu *gpu, enum wl_library_element element)
{
    const double tensor = tensor_rate(gpu);
    const uint32_t capability = capability_of(gpu);
    switch (element) {
    case WL_LIBRARY_TF32:
        return tensor / 2;
    case WL_LIBRARY_F16:
        return greatest(tensor, gpu->fp32_per_cycle);
    case WL_LIBRARY_BYTES:
        return greatest(2 * tensor, gpu->fp32_per_cycle);
    case WL_LIBRARY_F64: /* tensor cores of 8.0 and 9.0 double it */
        return gpu->fp64_per_cycle * (capability == 80 || capability == 90 ? 2 : 1);
    default:
        return gpu->fp32_per_cycle;
    }
}

static double ns_of(const struct wl_gpu *gpu, double cycles)
{
    return cycles / gpu->sm_clock_hz * 1e9;
}

static double bytes_ns(const struct wl_gpu *gpu, double bytes, double share)
{
    return bytes / (gpu->memory_bandwidth_bytes_per_s * share) * 1e9;
}

/* ---- products in tiles ---- */

#define FULL_TILE (128.0 * 128.0)

struct product {
    double rows, columns, depth, count, bytes;
    double rate;   /* multiply-adds of an SM in a cycle */
    double splits; /* of the depth, at most */
    double part;   /* of a split depth, at least */
};

/* With tiles of that size and the depth in that many parts. */
static double tiled_ns(const struct wl_gpu *gpu, const struct tiles *row, const struct product *of,
                       double tile_rows, double tile_columns, double splits)
{
    const double area = tile_rows * tile_columns, depth = ceil(of->depth / splits);
    const double tiles = ceil(of->rows / tile_rows) * ceil(of->columns / tile_columns) * of->count;
    const double rounds = ceil(tiles * splits / gpu->sm_count);
    const double efficiency =
        row->efficiency * (area < FULL_TILE ? pow(area / FULL_TILE, row->smaller) : 1);
    const double busy = rounds * area * depth / (of->rate * efficiency);
    /* an SM has some tiles at once */
    const double waits = ceil(rounds / 4) * depth * row->depth_cycles;
    const double work_ns =
        greatest(ns_of(gpu, greatest(busy, waits)), bytes_ns(gpu, of->bytes, row->bandwidth_share));
    double ns = gpu->launch_overhead_ns + ns_of(gpu, row->start_cycles) + work_ns;
    if (splits > 1)
        ns += gpu->launch_overhead_ns + ns_of(gpu, row->join_cycles) +
              bytes_ns(gpu, of->rows * of->columns * of->count * 4 * (splits + 1), 1);
    return ns;
}

static double least_tiled_ns(const struct wl_gpu *gpu, const struct tiles *row,
                             const struct product *of)
{
    static const double sizes[][2] = {{32, 32},  {32, 64},   {64, 32},   {64, 64},  {64, 128},
                                      {128, 64}, {128, 128}, {128, 256}, {256, 128}};
    double least = INFINITY;
    for (size_t i = 0; i < WL_COUNT(sizes); i++)
        for (double splits = 1;
             splits <= of->splits && (splits <= 1 || of->depth / splits >= of->part); splits *= 2)
            least = fmin(least, tiled_ns(gpu, row, of, sizes[i][0], sizes[i][1], splits));
    return least;
}

static struct product product_of(const struct wl_gpu *gpu, const struct wl_library_work *work)
{
    return (struct product){
        .rows = greatest(work->rows, 1),
        .columns = greatest(work->columns, 1),
        .depth = greatest(work->depth, 1),
        .count = greatest(work->count, 1),
        .bytes = work->bytes,
        .rate = wl_library_rate(gpu, element_of(gpu, work->element)),
        .splits = 32,
        .part = 64,
    };
}

static double product_ns(const struct wl_gpu *gpu, const struct wl_library_work *work)
{
    const enum wl_library_element element = element_of(gpu, work->element);
    struct tiles row = product_rows[element];
    const struct product of = product_of(gpu, work);
    if (work->is_unaligned) {
        row.efficiency *= unaligned_rows[element].efficiency;
        row.depth_cycles *= unaligned_rows[element].depth;
    }
    return least_tiled_ns(gpu, &row, &of);
}

/* Doubles and bytes as what was read that is nearest to them. */
static const struct convolution *find_convolution(const struct wl_gpu *gpu,
                                                  const struct wl_library_work *work)
{
    enum wl_library_element element = element_of(gpu, work->element);
    if (element == WL_LIBRARY_F64)
        element = WL_LIBRARY_F32;
    if (element == WL_LIBRARY_BYTES)
        element = WL_LIBRARY_F16;
    const struct convolution *found = NULL;
    for (size_t i = 0; i < WL_COUNT(convolution_rows); i++) {
        const struct convolution *row = &convolution_rows[i];
        if (row->element == element && row->way == work->way &&
            (!found || row->is_channels_last == work->is_channels_last))
            found = row;
    }
    return found;
}

static double convolution_ns(const struct wl_gpu *gpu, const struct wl_library_work *work)
{
    const struct convolution *row = find_convolution(gpu, work);
    struct product of = product_of(gpu, work);
    of.splits = 128;
    double ns = least_tiled_ns(gpu, &row->tiles, &of);
    if (row->pre_cycles > 0 && work->has_taps)
        ns += ns_of(gpu, row->pre_cycles) +
              bytes_ns(gpu, 2 * work->bytes, row->tiles.bandwidth_share);
    return ns;
}

/* ---- what goes by bytes ---- */

/* A block for each mean goes over its elements again and again, at what one SM can load; read: 0.43
 * ns an element of four bytes forward, 0.65 backward. */
static double norm_ns(const struct wl_gpu *gpu, const struct wl_library_work *work)
{
    const double element_cycles = work->way == WL_LIBRARY_FORWARD ? 0.85 : 1.29,
                 start_cycles = 1680;
    const double narrow = work->element == WL_LIBRARY_F16 ? 0.75 : 1;
    const double rounds = greatest(work->count / gpu->sm_count, 1);
    const double work_ns = greatest(ns_of(gpu, rounds * work->rows * element_cycles * narrow),
                                    bytes_ns(gpu, work->bytes, 0.8));
    return gpu->launch_overhead_ns + ns_of(gpu, start_cycles) + work_ns;
}

static double stream_ns(const struct wl_gpu *gpu, const struct wl_library_work *work)
{
    const double start_cycles = 1200;
    return gpu->launch_overhead_ns + ns_of(gpu, start_cycles) + bytes_ns(gpu, work->bytes, 0.85);
}

/* Of few registers: they start sooner than others. */
static double passes_ns(const struct wl_gpu *gpu, const struct wl_library_work *work)
{
    const double start_cycles = 500;
    return greatest(work->count, 1) * (gpu->launch_overhead_ns + ns_of(gpu, start_cycles)) +
           bytes_ns(gpu, work->bytes, 0.8);
}

double wl_library_time_ns(const struct wl_gpu *given, const struct wl_library_work *work)
{
    struct wl_gpu gpu;
    wl_gpu_assume(given, &gpu);
    switch (work->call) {
    case WL_LIBRARY_PRODUCT:
        return product_ns(&gpu, work);
    case WL_LIBRARY_CONVOLUTION:
        return convolution_ns(&gpu, work);
    case WL_LIBRARY_NORM:
        return norm_ns(&gpu, work);
    case WL_LIBRARY_STREAM:
        return stream_ns(&gpu, work);
    case WL_LIBRARY_PASSES:
        return passes_ns(&gpu, work);
    case WL_LIBRARY_STEPS:
        return wl_library_steps_ns(&gpu, work);
    case WL_LIBRARY_FUSED:
        break;
    }
    return 1;
}
