#include "timing/library_steps.h"

#include <math.h>

/* The fit's GPU, an H200 at its boost clock: what steps wait for follows the clock, and what all
 * SMs share follows their number and what they multiply in a cycle. */
enum { FIT_SMS = 132, FIT_RATE = 128 };

/* Rows by bench/gpu/library/fit_calls.py; cycles. */
struct costs {
    double first;     /* once */
    double line;      /* for each line of the matrix, in turn; of solutions: for few sides */
    double line_wide; /* of solutions with many sides */
    double square;    /* for each thousand of its elements */
    double products;  /* for each million multiply-adds, of all SMs */
};

/* Of single and of double precision. */
static const struct costs rows[WL_LIBRARY_RNN][2] = {
    [WL_LIBRARY_POTRF] = {{7477, 645.6, 0, 0, 19.13}, {11160, 631, 0, 112.5, 0}},
    [WL_LIBRARY_GETRF] = {{3647, 2871, 0, 633.1, 0}, {0, 3222, 0, 775.7, 0}},
    [WL_LIBRARY_GEQRF] = {{0, 3773, 0, 2081, 0}, {0, 4508, 0, 2123, 0}},
    [WL_LIBRARY_ORGQR] = {{21720, 736.1, 0, 264.6, 39.87}, {27140, 604.6, 0, 173.3, 65.3}},
    [WL_LIBRARY_SYEVD] = {{0, 12630, 0, 6953, 0}, {0, 12490, 0, 8483, 0}},
    [WL_LIBRARY_GESVD] = {{0, 20550, 0, 133400, 0}, {0, 23530, 0, 183900, 0}},
    [WL_LIBRARY_SYEVJ] = {{46510, 11450, 0, 82420, 0}, {111800, 13700, 0, 152100, 0}},
    [WL_LIBRARY_GESVDJ] = {{0, 22950, 0, 101100, 0}, {10610, 27080, 0, 194600, 0}},
    [WL_LIBRARY_POTRS] = {{21790, 200.9, 799.4, 0, 90.71}, {23840, 241, 1472, 0, 0}},
    [WL_LIBRARY_GETRS] = {{17470, 408, 849.8, 0, 86.39}, {18410, 455.6, 1076, 0, 236.6}},
    [WL_LIBRARY_TRSM] = {{5680, 122.8, 385.9, 0, 70.64}, {4857, 147.1, 545.2, 0, 66.48}},
    [WL_LIBRARY_POTRF_BATCHED] = {{346.3, 1386, 0, 1546, 103.5}, {2624, 1016, 0, 0, 373.8}},
    [WL_LIBRARY_GETRF_BATCHED] = {{0, 1642, 0, 8992, 440.2}, {0, 1975, 0, 5655, 872.6}},
};

/* Recurrent networks: a kernel that stays has small ones' weights in registers. */
enum { HIDDEN_SMALL = 192 };
struct network {
    double first;            /* once */
    double step, step_large; /* for each step; more of a large one */
    double states;           /* for each thousand of a step's gates of all images */
    double weights_large;    /* for each thousand of weights of a step */
    double weights_small;
    double products, inputs; /* for each million multiply-adds with them, and with inputs */
};

/* Of single precision and of halves; forward and backward. */
static const struct network networks[2][2] = {
    {{25840, 0, 6167, 25.95, 1.696, 78.7, 286.3, 119.3},
     {68960, 0, 2091, 483.6, 8.02, 41.74, 1.557, 487.9}},
    {{7781, 1272, 3461, 20.15, 1.525, 40.04, 0, 57.5},
     {37530, 2295, 3706, 21.38, 2.791, 34.69, 0, 290.6}},
};

/* How many right-hand sides are few, and how many matrices an SM has at once. */
enum { SIDES_FEW = 8, MATRICES_OF_SM = 4 };

/* Cycles of work that all SMs share, by those of the fit's GPU. */
static double shared(const struct wl_gpu *gpu, const struct wl_library_work *work, double cycles)
{
    const enum wl_library_element element =
        work->element == WL_LIBRARY_F64 ? WL_LIBRARY_F64 : WL_LIBRARY_F32;
    return cycles * FIT_SMS / gpu->sm_count * FIT_RATE / wl_library_rate(gpu, element);
}

static double network_cycles(const struct wl_gpu *gpu, const struct wl_library_work *work)
{
    const bool is_half = work->element == WL_LIBRARY_F16;
    const struct network *row = &networks[is_half][work->steps == WL_LIBRARY_RNN_GRADIENTS];
    const bool is_large = work->depth > HIDDEN_SMALL;
    const double steps = work->count, gates = work->rows * work->columns,
                 weights = work->columns * work->depth;
    const double step = row->step + (is_large ? row->step_large : 0) + row->states * gates / 1e3 +
                        (is_large ? row->weights_large : row->weights_small) * weights / 1e3;
    const double products =
        row->products * gates * work->depth / 1e6 + row->inputs * gates * work->inputs / 1e6;
    return row->first + steps * (step + shared(gpu, work, products));
}

/* Multiply-adds of what takes its matrix apart; what spectra take is more, and is not bounded. */
static double least_products(const struct wl_library_work *work)
{
    const double least = fmin(work->rows, work->columns), most = fmax(work->rows, work->columns);
    switch (work->steps) {
    case WL_LIBRARY_POTRF:
        return least * least * least / 6;
    case WL_LIBRARY_GETRF:
        return least * least * (most - least / 3) / 2;
    case WL_LIBRARY_GEQRF:
    case WL_LIBRARY_ORGQR:
        return least * least * (most - least / 3);
    default:
        return 0;
    }
}

static double matrix_cycles(const struct wl_gpu *gpu, const struct wl_library_work *work)
{
    const struct costs *row = &rows[work->steps][work->element == WL_LIBRARY_F64];
    const bool is_solution = work->steps == WL_LIBRARY_POTRS || work->steps == WL_LIBRARY_GETRS ||
                             work->steps == WL_LIBRARY_TRSM;
    const bool is_batch =
        work->steps == WL_LIBRARY_POTRF_BATCHED || work->steps == WL_LIBRARY_GETRF_BATCHED;
    const double lines = fmin(work->rows, work->columns), elements = work->rows * work->columns;
    const double parts = work->is_complex ? 4 : 1; /* real products of one */
    /* of a batch for which there is nothing else SMs take a matrix each */
    const double rounds =
        is_solution ? 1 : ceil(work->count / gpu->sm_count / (is_batch ? MATRICES_OF_SM : 1));
    const double line = is_solution && work->count > SIDES_FEW ? row->line_wide : row->line;
    const double products =
        row->products * parts / 1e6 * elements * work->count * (is_solution ? 1 : lines);
    const double waits = row->first + line * lines;
    const double cycles = waits * (is_batch ? 1 : rounds) + row->square * elements * rounds / 1e3 +
                          shared(gpu, work, products);
    const double rate = wl_library_rate(gpu, work->element) * gpu->sm_count;
    return fmax(cycles, parts * least_products(work) / rate);
}

double wl_library_steps_ns(const struct wl_gpu *gpu, const struct wl_library_work *work)
{
    const double cycles =
        work->steps < WL_LIBRARY_RNN ? matrix_cycles(gpu, work) : network_cycles(gpu, work);
    return fmax(cycles / gpu->sm_clock_hz * 1e9, 1);
}
