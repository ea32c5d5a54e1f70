#include "api/cufft/passes.h"

#include <string.h>

#include "api/cufft/lines.h"

/* Of a block, as pass.cu has them. */
enum { ELEMENTS_MOST_F32 = 2048, ELEMENTS_MOST_F64 = 1024, LINES_MOST = 256 };

static int elements_most(bool is_double)
{
    return is_double ? ELEMENTS_MOST_F64 : ELEMENTS_MOST_F32;
}

/* The first factor of a length that is cut in two, as near to its root as they come; 0: there is
 * none. */
static int cut(int n, int most)
{
    int found = 0;
    for (int factor = 2; (int64_t)factor * factor <= n; factor++)
        if (n % factor == 0 && n / factor <= most)
            found = factor;
    return found;
}

int wl_cufft_passes_count(int n, bool is_double)
{
    const int most = elements_most(is_double);
    return n <= most ? 1 : (int64_t)n <= (int64_t)most * most && cut(n, most) ? 2 : 0;
}

static int radix_of(int n)
{
    return n % 8 == 0 ? 8 : wl_cufft_radix(n);
}

/* Levels whose lines are neighbours in memory come first, those of one line last. */
static void sort_levels(struct wl_cufft_dimension *of, struct wl_cufft_place *between)
{
    struct wl_cufft_place *sides[] = {&of->in, between, &of->out};
    for (int i = 1; i < WL_CUFFT_LEVELS; i++)
        for (int k = i; k > 0; k--) {
            const bool is_later = of->count[k - 1] > 1 && of->in.step[k - 1] <= of->in.step[k];
            if (of->count[k] == 1 || is_later)
                break;
            const long long count = of->count[k];
            of->count[k] = of->count[k - 1];
            of->count[k - 1] = count;
            for (int side = 0; side < 3; side++) {
                long long *step = sides[side]->step, own = step[k];
                step[k] = step[k - 1];
                step[k - 1] = own;
            }
        }
}

static void place(struct wl_cufft_side *side, const struct wl_cufft_place *from, int turn, int each)
{
    *side = (struct wl_cufft_side){
        .form = (int)from->form, .turn = turn, .each = each, .stride = from->stride};
    memcpy(side->step, from->step, sizeof side->step);
}

/* Steps from a line to its neighbour, and between the elements of one. */
static bool is_by_line(const struct wl_cufft_pass *of, const struct wl_cufft_side *side)
{
    const long long line = of->is_turn_first ? side->turn * side->stride : side->step[0];
    return of->log_lines > 0 && line < side->each * side->stride;
}

/* What follows from the lines. */
static void finish(const struct wl_cufft_dimension *of, struct wl_cufft_pass *pass)
{
    const int most = elements_most(of->is_double);
    const bool is_one = of->count[0] == 1;
    pass->whole = of->n;
    pass->lines = pass->turns * of->count[0] * of->count[1] * of->count[2];
    pass->count[0] = (int)of->count[0];
    pass->count[1] = (int)of->count[1];
    pass->is_inverse = of->is_inverse;
    pass->is_half = of->is_half;
    pass->root_step = of->n / pass->n;
    pass->is_turn_first =
        pass->turns > 1 && (is_one || pass->in.turn * pass->in.stride < pass->in.step[0] ||
                            pass->out.turn * pass->out.stride < pass->out.step[0]);
    while (pass->n << (pass->log_lines + 1) <= most && 2 << pass->log_lines <= LINES_MOST &&
           1 << pass->log_lines < pass->lines)
        pass->log_lines++;
    pass->in.is_by_line = is_by_line(pass, &pass->in);
    pass->out.is_by_line = is_by_line(pass, &pass->out);
    for (int rest = pass->n; rest > 1; rest /= pass->radix[pass->stages++])
        pass->radix[pass->stages] = (unsigned char)radix_of(rest);
}

int wl_cufft_passes_plan(const struct wl_cufft_dimension *given, const struct wl_cufft_place *amid,
                         struct wl_cufft_pass made[2])
{
    struct wl_cufft_dimension of = *given;
    struct wl_cufft_place between = *amid;
    const int passes = wl_cufft_passes_count(of.n, of.is_double);
    const int first = passes == 2 ? cut(of.n, elements_most(of.is_double)) : 1,
              second = of.n / first;
    sort_levels(&of, &between);
    if (passes == 1) {
        made[0] = (struct wl_cufft_pass){.n = of.n, .turns = 1, .kept = of.kept};
        place(&made[0].in, &of.in, 0, 1);
        place(&made[0].out, &of.out, 0, 1);
        finish(&of, &made[0]);
    }
    if (passes == 2) {
        made[0] = (struct wl_cufft_pass){.n = second, .turns = first, .kept = of.n, .is_turned = 1};
        place(&made[0].in, &of.in, 1, first);
        place(&made[0].out, &between, 1, first);
        finish(&of, &made[0]);
        made[1] = (struct wl_cufft_pass){.n = first, .turns = second, .kept = of.kept};
        place(&made[1].in, &between, first, 1);
        place(&made[1].out, &of.out, 1, second);
        of.is_half = false;
        finish(&of, &made[1]);
    }
    return passes;
}
