#include <stdio.h>
#include <string.h>

#include "api/common/stand_in.h"
#include "api/cufft/library.h"
#include "api/cufft/passes.h"
#include "api/cufft/plan.h"

extern const struct wl_embedded_file wl_embedded_cufft[];
static struct wl_stand_in kernels = {.file = &wl_embedded_cufft[0]};
static struct wl_stand_in pass_kernels = {.file = &wl_embedded_cufft[1]};

bool wl_cufft_is_double(enum wl_cufft_type type)
{
    return type >= Z2Z;
}

enum wl_cufft_kind wl_cufft_form_in(enum wl_cufft_type type)
{
    return type == C2C || type == Z2Z ? WHOLE : type == R2C || type == D2Z ? REAL : HALF;
}

enum wl_cufft_kind wl_cufft_form_out(enum wl_cufft_type type)
{
    return wl_cufft_form_in(type) == WHOLE ? WHOLE : wl_cufft_form_in(type) == REAL ? HALF : REAL;
}

long long wl_cufft_elements(const struct wl_cufft_plan *plan)
{
    return (long long)plan->size[0] * plan->size[1] * plan->size[2];
}

/* Elements of a row as it lies there. */
static int row_of(int nx, enum wl_cufft_kind form)
{
    return form == HALF ? nx / 2 + 1 : nx;
}

struct wl_cufft_layout wl_cufft_dense(const struct wl_cufft_plan *plan, enum wl_cufft_kind form)
{
    long long row = row_of(plan->size[0], form), plane = plan->size[1];
    return (struct wl_cufft_layout){1, row * plane * plan->size[2], row, plane};
}

/* Dimensions that something is to be done in, in their order; gives how many. */
static int dimensions_of(const struct wl_cufft_plan *plan, int made[RANK_MAX])
{
    const bool is_backwards =
        wl_cufft_form_in(plan->type) == HALF; /* what is whole lines in the end */
    int count = 0;
    for (int i = 0; i < plan->rank; i++) {
        const int dimension = is_backwards ? plan->rank - 1 - i : i;
        if (plan->size[dimension] > 1)
            made[count++] = dimension;
    }
    if (count == 0)
        made[count++] = 0;
    return count;
}

bool wl_cufft_is_direct(const struct wl_cufft_plan *plan)
{
    bool is = true;
    for (int i = 0; i < RANK_MAX; i++)
        is = is && !wl_cufft_padded(plan->size[i]) &&
             wl_cufft_passes_count(plan->size[i], wl_cufft_is_double(plan->type));
    return is;
}

/* One pass in all needs no memory of the plan's own. */
bool wl_cufft_needs_parts(const struct wl_cufft_plan *plan)
{
    int dimensions[RANK_MAX];
    return !plan->is_direct || dimensions_of(plan, dimensions) > 1 ||
           wl_cufft_passes_count(plan->size[dimensions[0]], wl_cufft_is_double(plan->type)) > 1;
}

/* numbers: as the kernel is named. */
static int run(const struct wl_cufft_plan *plan, const char *numbers, const char *what,
               long long threads, void **parameters)
{
    struct wl_stand_in *from = strcmp(what, "pass") == 0 ? &pass_kernels : &kernels;
    char name[64];
    snprintf(name, sizeof name, "warplens_fft_%s_%s", numbers, what);
    struct wl_device_kernel *kernel = wl_stand_in_kernel(from, name);
    if (kernel)
        wl_cufft_set_library(kernel, numbers, what);
    return wl_stand_in_run(from, name, (uint64_t)threads, plan->stream, parameters) ? EXEC_FAILED
                                                                                    : OK;
}

/* is_part: of a longer way, whose last kernel takes the time. */
static int run_pass(const struct wl_cufft_plan *plan, const char *numbers,
                    const struct wl_cufft_pass *pass, void *in, void *out, void *roots,
                    bool is_part)
{
    struct wl_cufft_pass given = *pass;
    const long long blocks = ((given.lines - 1) >> given.log_lines) + 1;
    given.is_part = is_part;
    return run(plan, numbers, "pass", blocks * WL_STAND_IN_THREADS,
               (void *[]){&given, &in, &out, &roots});
}

/* Between two passes elements are in parts[1]. */
static int run_passes(const struct wl_cufft_plan *plan, const char *numbers,
                      const struct wl_cufft_dimension *of, const struct wl_cufft_place *between,
                      void *in, void *out, void *roots, bool is_part)
{
    struct wl_cufft_pass passes[2];
    const int count = wl_cufft_passes_plan(of, between, passes);
    int status =
        run_pass(plan, numbers, &passes[0], in, count == 2 ? plan->parts[1] : out, roots, is_part);
    if (!status && count == 2)
        status = run_pass(plan, numbers, &passes[1], plan->parts[1], out, roots, is_part);
    return status;
}

static int move(struct wl_cufft_plan *plan, const char *what, enum wl_cufft_kind form, void *from,
                void *to, struct wl_cufft_layout layout)
{
    int number = form;
    void *parameters[] = {&number,        &from,          &to,    &plan->count, &plan->size[0],
                          &plan->size[1], &plan->size[2], &layout};
    return run(plan, plan->stored, what, wl_cufft_elements(plan) * plan->count, parameters);
}

static void exchange_parts(struct wl_cufft_plan *plan)
{
    void *first = plan->parts[0];
    plan->parts[0] = plan->parts[1];
    plan->parts[1] = first;
}

static const char *computed_as(const struct wl_cufft_plan *plan)
{
    return wl_cufft_is_double(plan->type) ? "f64" : "f32";
}

static int compute(const struct wl_cufft_plan *plan, const char *what, long long threads,
                   void **parameters)
{
    return run(plan, computed_as(plan), what, threads, parameters);
}

/* Lines of n elements, `stride` apart, whose roots these are; from parts[0] to it. */
static int transform_lines(struct wl_cufft_plan *plan, void *roots, long long lines, int n,
                           int stride, int is_inverse)
{
    const struct wl_cufft_place amid = {WL_CUFFT_INNER, stride, {1, (long long)n * stride, 0}};
    const struct wl_cufft_dimension of = {
        .n = n,
        .kept = n,
        .is_double = wl_cufft_is_double(plan->type),
        .is_inverse = is_inverse,
        .count = {stride, lines / stride, 1},
        .in = amid,
        .out = amid,
    };
    if (wl_cufft_passes_count(n, of.is_double))
        return run_passes(plan, computed_as(plan), &of, &amid, plan->parts[0], plan->parts[0],
                          roots, true);
    int status = OK;
    for (int done = 1; done < n && !status;) {
        int radix = wl_cufft_radix(n / done);
        void *parameters[] = {&plan->parts[0], &plan->parts[1], &roots, &lines,     &n,
                              &stride,         &done,           &radix, &is_inverse};
        status = compute(plan, "stage", lines * n, parameters);
        exchange_parts(plan);
        done *= radix;
    }
    return status;
}

/* The same by a convolution of longer lines, one behind another. */
static int convolve_lines(struct wl_cufft_plan *plan, const struct wl_cufft_lines *of,
                          long long lines, int stride, int is_inverse)
{
    struct wl_cufft_lines given = *of;
    void *parameters[] = {&plan->parts[0], &plan->parts[1], &given.chirp,  &lines,
                          &given.n,        &stride,         &given.padded, &is_inverse};
    int status = compute(plan, "spread", lines * given.padded, parameters);
    exchange_parts(plan);
    if (!status)
        status = transform_lines(plan, given.roots, lines, given.padded, 1, 0);
    if (!status)
        status = compute(plan, "filter", lines * given.padded,
                         (void *[]){&plan->parts[0], &given.filter, &lines, &given.padded});
    if (!status)
        status = transform_lines(plan, given.roots, lines, given.padded, 1, 1);
    if (!status)
        status = compute(plan, "gather", lines * given.n, parameters);
    exchange_parts(plan);
    return status;
}

/* All lines along one dimension; the result ends in parts[0]. */
static int transform(struct wl_cufft_plan *plan, int dimension, int is_inverse)
{
    const struct wl_cufft_lines *of = &plan->lines[dimension];
    const int n = plan->size[dimension];
    const long long lines = wl_cufft_elements(plan) / n * plan->count;
    int stride = 1;
    for (int i = 0; i < dimension; i++)
        stride *= plan->size[i];
    return of->padded ? convolve_lines(plan, of, lines, stride, is_inverse)
                      : transform_lines(plan, of->roots, lines, n, stride, is_inverse);
}

/* Steps of the lines of one dimension: those of the others, then those of transforms. */
static struct wl_cufft_place place_of(const struct wl_cufft_layout *layout, enum wl_cufft_form form,
                                      int dimension)
{
    const long long row = layout->row * layout->stride,
                    steps[RANK_MAX] = {layout->stride, row, layout->plane * row};
    return (struct wl_cufft_place){
        .form = form,
        .stride = steps[dimension],
        .step = {steps[dimension == 0], steps[dimension == 2 ? 1 : 2], layout->distance},
    };
}

static enum wl_cufft_form stored_as(enum wl_cufft_kind form)
{
    return form == REAL ? WL_CUFFT_SINGLE : WL_CUFFT_PAIRS;
}

/* Dimension after dimension; between them half a spectrum is kept, where there is one. */
static int execute_directly(struct wl_cufft_plan *plan, void *in, struct wl_cufft_layout from,
                            void *out, struct wl_cufft_layout to, int is_inverse)
{
    const enum wl_cufft_kind form = wl_cufft_form_in(plan->type) == WHOLE ? WHOLE : HALF;
    const struct wl_cufft_layout inner = wl_cufft_dense(plan, form),
                                 whole = wl_cufft_dense(plan, WHOLE);
    const int sizes[RANK_MAX] = {row_of(plan->size[0], form), plan->size[1], plan->size[2]};
    int dimensions[RANK_MAX], status = OK;
    const int count = dimensions_of(plan, dimensions);
    for (int i = 0; i < count && !status; i++) {
        const int at = dimensions[i];
        const bool is_first = i == 0, is_last = i == count - 1;
        const struct wl_cufft_place amid = place_of(&whole, WL_CUFFT_INNER, at);
        const struct wl_cufft_dimension of = {
            .n = plan->size[at],
            .kept = at == 0 && wl_cufft_form_out(plan->type) == HALF ? sizes[0] : plan->size[at],
            .is_half = at == 0 && wl_cufft_form_in(plan->type) == HALF,
            .is_double = wl_cufft_is_double(plan->type),
            .is_inverse = is_inverse,
            .count = {sizes[at == 0], sizes[at == 2 ? 1 : 2], plan->count},
            .in = is_first ? place_of(&from, stored_as(wl_cufft_form_in(plan->type)), at)
                           : place_of(&inner, WL_CUFFT_INNER, at),
            .out = is_last ? place_of(&to, stored_as(wl_cufft_form_out(plan->type)), at)
                           : place_of(&inner, WL_CUFFT_INNER, at),
        };
        status = run_passes(plan, plan->stored, &of, &amid, is_first ? in : plan->parts[0],
                            is_last ? out : plan->parts[0], plan->lines[at].roots, false);
    }
    return status;
}

int wl_cufft_execute(struct wl_cufft_plan *plan, void *in, void *out, int is_inverse)
{
    if (!in || !out)
        return INVALID_VALUE;
    const enum wl_cufft_type type = plan->type;
    struct wl_cufft_layout from = plan->in, to = plan->out;
    if (in == out && !plan->has_layout && wl_cufft_form_in(type) != WHOLE) {
        /* rows of real numbers have room for the others */
        struct wl_cufft_layout *real = wl_cufft_form_in(type) == REAL ? &from : &to;
        real->row = 2 * (plan->size[0] / 2 + 1);
        real->distance = real->row * plan->size[1] * plan->size[2];
    }
    if (plan->is_direct)
        return execute_directly(plan, in, from, out, to, is_inverse);
    int status = move(plan, "take", wl_cufft_form_in(type), in, plan->parts[0], from);
    for (int dimension = 0; dimension < plan->rank && !status; dimension++)
        status = transform(plan, dimension, is_inverse);
    return status ? status : move(plan, "give", wl_cufft_form_out(type), plan->parts[0], out, to);
}
