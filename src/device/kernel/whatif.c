#include "device/kernel/whatif.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "device/kernel/predict.h"
#include "device/kernel/state.h"

enum { CAUSES_MOST = 24, TOP = 3 };
/* Of a trace: words where what-if was asked for, and where it was not. */
enum { WORDS_ASKED = 1 << 20, WORDS_LIGHT = 128 << 10 };
#define REPLAY_S 80e-9 /* as in predict.c */
#define LIGHT_S 1.5    /* for all kernels of a program, beside a quarter of what counting takes */
#define SAME_DURATION 0.2

struct wl_device_whatif_row {
    uint32_t grid[3], block[3];
    double duration_ns;
    double part[CAUSES_MOST]; /* of the duration, without the cause; 0: not known */
    struct wl_device_whatif_row *next;
};

void wl_device_whatif_forget(struct wl_device_whatif_row *rows)
{
    while (rows) {
        struct wl_device_whatif_row *next = rows->next;
        free(rows);
        rows = next;
    }
}

/* ---- the piece that is replayed ---- */

static size_t words_of(const struct wl_trace_block_record *block)
{
    size_t words = 0;
    for (uint32_t w = 0; w < block->warp_count; w++)
        words += block->warps[w].count;
    return words;
}

/* The first blocks of the trace: as many as fill an SM three times, or so many words if that is
 * more; all where not all of it fits them. Returns its words. */
static size_t cut(const struct wl_timing_input *input, size_t words_most, struct wl_trace *piece)
{
    size_t words = 0, blocks = 0, resident = input->occupancy.blocks_per_sm;
    *piece = *input->trace;
    while (blocks < piece->block_count && !piece->is_cut) {
        size_t more = words_of(piece->blocks[blocks]);
        bool is_full = blocks >= 3 * resident || words + more > 4 * words_most;
        if (is_full && words + more > words_most && blocks > 0)
            break;
        words += more;
        blocks++;
    }
    if (piece->is_cut)
        return piece->words;
    piece->block_count = blocks;
    return words;
}

static double replay(const struct wl_timing_input *input, uint32_t changes)
{
    struct wl_timing_input without = *input;
    struct wl_timing timing;
    struct wl_error error = {0};
    without.changes = changes;
    if (wl_timing_predict(&without, &timing, &error))
        return 0;
    double duration_ns = timing.duration_ns;
    wl_timing_free(&timing);
    return duration_ns;
}

/* Part of the duration that is left; nothing takes longer because less is to be done, even if
 * warps that come in another order make it look so. */
static double part_of(double without_ns, double with_ns)
{
    return without_ns > 0 && without_ns < with_ns ? without_ns / with_ns : 1;
}

/* Whether the launch has anything of what the cause is about: where not, nothing need be replayed.
 */
static bool is_there(const struct wl_timing_input *input, const struct wl_sim_counts *counts,
                     uint32_t changes)
{
    const struct wl_occupancy *occupancy = &input->occupancy;
    uint32_t resident = occupancy->blocks_per_sm;
    switch (changes) {
    case WL_TIMING_NO_BARRIERS:
        return counts->totals[WL_COUNTER_BARRIERS] > 0;
    case WL_TIMING_SPREAD_ATOMICS:
        return input->traffic.atomic_sectors > 0;
    case WL_TIMING_ANY_REGISTERS:
        return occupancy->limit_registers <= resident;
    case WL_TIMING_ANY_SHARED:
        return occupancy->limit_shared <= resident;
    default:
        return true;
    }
}

/* ---- the rows ---- */

static void add_rows(const double *part, double duration_ns, struct wl_sim_counts *counts)
{
    for (size_t i = 0; wl_timing_causes[i].id; i++)
        if (part[i] > 0)
            wl_device_add_value(counts, part[i] * duration_ns, "whatif__%s__duration.ns",
                                wl_timing_causes[i].id);
}

static void find_parts(const struct wl_timing_input *input, const struct wl_sim_counts *counts,
                       double with_ns, double *part)
{
    for (size_t i = 0; wl_timing_causes[i].id && i < CAUSES_MOST; i++) {
        uint32_t changes = wl_timing_causes[i].changes;
        part[i] = is_there(input, counts, changes) ? part_of(replay(input, changes), with_ns) : 1;
    }
}

/* The launch without pairs of the causes that cost most. */
static void add_pairs(const struct wl_timing_input *input, double with_ns, double duration_ns,
                      const double *part, struct wl_sim_counts *counts)
{
    size_t top[TOP], count = 0;
    for (size_t i = 0; wl_timing_causes[i].id && i < CAUSES_MOST; i++) {
        bool is_bound = wl_timing_causes[i].changes & (WL_TIMING_MATH_ONLY | WL_TIMING_MEMORY_ONLY);
        size_t place = count;
        if (is_bound || part[i] >= 1 || part[i] <= 0)
            continue;
        while (place > 0 && part[i] < part[top[place - 1]])
            place--;
        count += count < TOP;
        for (size_t k = count - 1; k > place; k--)
            top[k] = top[k - 1];
        if (place < TOP)
            top[place] = i;
    }
    for (size_t a = 0; a < count; a++)
        for (size_t b = a + 1; b < count; b++) {
            const struct wl_timing_cause *one = &wl_timing_causes[top[a]],
                                         *other = &wl_timing_causes[top[b]];
            double both = part_of(replay(input, one->changes | other->changes), with_ns);
            both = fmin(both, fmin(part[top[a]], part[top[b]]));
            wl_device_add_value(counts, both * duration_ns, "whatif__%s+%s__duration.ns", one->id,
                                other->id);
        }
}

static struct wl_device_whatif_row *find_row(const struct wl_device_kernel *kernel,
                                             const struct wl_sim_launch *launch, double duration_ns)
{
    struct wl_device_whatif_row *row = kernel->whatif;
    for (; row; row = row->next)
        if (memcmp(row->grid, launch->grid, sizeof row->grid) == 0 &&
            memcmp(row->block, launch->block, sizeof row->block) == 0 &&
            fabs(row->duration_ns / duration_ns - 1) < SAME_DURATION)
            break;
    return row;
}

double wl_device_whatif(struct wl_device_kernel *kernel, const struct wl_sim_launch *launch,
                        const struct wl_timing_input *input, double duration_ns,
                        struct wl_sim_counts *counts)
{
    bool is_asked = wl_device.options.whatif;
    struct wl_device_whatif_row *row = is_asked ? NULL : find_row(kernel, launch, duration_ns);
    struct wl_trace piece;
    struct wl_timing_input of_piece = *input;
    if (row) {
        add_rows(row->part, duration_ns, counts);
        return 0;
    }
    size_t words = cut(input, is_asked ? WORDS_ASKED : WORDS_LIGHT, &piece);
    double cost_s = (double)words * REPLAY_S * CAUSES_MOST / 2;
    if (!is_asked &&
        wl_device_kernels.whatif_s + cost_s > LIGHT_S + wl_device_kernels.counting_s / 4)
        return 0;
    of_piece.trace = &piece;
    double with_ns = replay(&of_piece, 0);
    if (with_ns <= 0)
        return 0;
    row = wl_alloc_zero(1, sizeof *row);
    memcpy(row->grid, launch->grid, sizeof row->grid);
    memcpy(row->block, launch->block, sizeof row->block);
    row->duration_ns = duration_ns;
    find_parts(&of_piece, counts, with_ns, row->part);
    row->next = kernel->whatif;
    kernel->whatif = row;
    add_rows(row->part, duration_ns, counts);
    if (is_asked)
        add_pairs(&of_piece, with_ns, duration_ns, row->part, counts);
    return cost_s;
}
