#include "device/kernel/whatif.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "device/kernel/predict.h"
#include "device/kernel/state.h"
#include "warp/op.h"

/* Causes that are taken away together, too: those that cost most, where what-if was asked for and
 * where it was not. */
enum { CAUSES_MOST = 24, TOP_ASKED = 4, TOP_LIGHT = 3, SETS_MOST = 1 << TOP_ASKED };
enum { REPLAYS_MOST = CAUSES_MOST + SETS_MOST + WL_TIMING_SETS_MOST };
#define NO_REPLAY UINT32_MAX /* of a cause that the launch has nothing of */
/* Of a trace: words where what-if was asked for, and where it was not. */
enum { WORDS_ASKED = 1 << 20, WORDS_LIGHT = 128 << 10 };
#define LEAST_SAVED 0.02 /* part of the duration; what saves less is in no set */
#define REPLAY_S 80e-9   /* as in predict.c */
#define LIGHT_S 1.5      /* for all kernels of a program, beside a quarter of what counting takes */
#define SAME_DURATION 0.2

struct wl_device_whatif_row {
    uint32_t grid[3], block[3];
    double duration_ns;
    double part[CAUSES_MOST]; /* of the duration, without the cause; 0: not known */
    size_t top[TOP_ASKED];    /* causes that cost most, the first of them first */
    size_t top_count;
    double of_set[SETS_MOST];             /* part without those whose bits are set, places in top */
    double of_asked[WL_TIMING_SETS_MOST]; /* without the sets of the options */
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

/* Replays of a piece that wait to be run: the changes of each, then how long it took. */
struct replays {
    const struct wl_timing_input *input;
    uint32_t changes[REPLAYS_MOST];
    double duration_ns[REPLAYS_MOST];
    uint32_t count;
};

/* Returns its place. */
static uint32_t add_replay(struct replays *replays, uint32_t changes)
{
    replays->changes[replays->count] = changes;
    return replays->count++;
}

static void replay_one(void *self, uint32_t index, uint32_t worker)
{
    struct replays *replays = self;
    (void)worker;
    replays->duration_ns[index] = replay(replays->input, replays->changes[index]);
}

/* Each has an engine of its own; what is kept of the replay without changes is only read. */
static void replay_all(struct replays *replays)
{
    wl_sim_share(wl_device_kernels.sim, wl_device.options.threads, replays->count, replay_one,
                 replays);
}

/* Part of the duration that is left; nothing takes longer because less is to be done, even if
 * warps that come in another order make it look so. */
static double part_of(double without_ns, double with_ns)
{
    return without_ns > 0 && without_ns < with_ns ? without_ns / with_ns : 1;
}

/* Whether there are loads of constants whose address a register holds. */
static bool reads_constants(const struct wl_program *program)
{
    for (uint32_t i = 0; i < program->op_count; i++)
        if (program->ops[i].code == WL_OP_LOAD_CONST &&
            !(program->ops[i].flags & WL_OPF_NO_ADDRESS))
            return true;
    return false;
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
    case WL_TIMING_ONE_CONSTANT:
        return reads_constants(input->program);
    case WL_TIMING_LOCAL_REGISTERS:
        return input->program->local_bytes > 0;
    case WL_TIMING_ANY_REGISTERS:
        return occupancy->limit_registers <= resident;
    case WL_TIMING_ANY_SHARED:
        return occupancy->limit_shared <= resident;
    default:
        return true;
    }
}

/* ---- the rows ---- */

static void add_set(const struct wl_device_whatif_row *row, size_t set, double duration_ns,
                    struct wl_sim_counts *counts)
{
    struct wl_text name = {0};
    for (size_t i = 0; i < row->top_count; i++)
        if (set >> i & 1)
            wl_text_addf(&name, "%s%s", name.length ? "+" : "", wl_timing_causes[row->top[i]].id);
    wl_device_add_value(counts, row->of_set[set] * duration_ns, "whatif__%s__duration.ns",
                        name.data);
    wl_text_free(&name);
}

/* Sets of the options; they were looked at before the program began. */
static size_t asked_sets(struct wl_timing_set *sets)
{
    const char *text = wl_device.options.whatif_together;
    struct wl_error error = {0};
    size_t count = 0;
    return text && wl_timing_sets_read(text, sets, &count, &error) == WL_OK ? count : 0;
}

static bool has_value(const struct wl_sim_counts *counts, const char *name)
{
    for (size_t i = 0; i < counts->value_count; i++)
        if (strcmp(counts->values[i].name, name) == 0)
            return true;
    return false;
}

static bool is_single(size_t set)
{
    return (set & (set - 1)) == 0;
}

static void add_rows(const struct wl_device_whatif_row *row, double duration_ns,
                     struct wl_sim_counts *counts)
{
    for (size_t i = 0; wl_timing_causes[i].id; i++)
        if (row->part[i] > 0)
            wl_device_add_value(counts, row->part[i] * duration_ns, "whatif__%s__duration.ns",
                                wl_timing_causes[i].id);
    for (size_t set = 1; set < (size_t)1 << row->top_count; set++)
        if (!is_single(set))
            add_set(row, set, duration_ns, counts);
    struct wl_timing_set asked[WL_TIMING_SETS_MOST];
    size_t count = asked_sets(asked);
    for (size_t i = 0; i < count; i++) {
        char *name =
            wl_string_format("whatif__%.*s__duration.ns", (int)asked[i].length, asked[i].name);
        if (!has_value(counts, name))
            wl_device_add_value(counts, row->of_asked[i] * duration_ns, "%s", name);
        free(name);
    }
}

static void find_parts(const struct wl_timing_input *input, const struct wl_sim_counts *counts,
                       double with_ns, double *part)
{
    struct replays replays = {.input = input};
    uint32_t places[CAUSES_MOST];
    size_t count = 0;
    for (; wl_timing_causes[count].id && count < CAUSES_MOST; count++) {
        uint32_t changes = wl_timing_causes[count].changes;
        places[count] =
            is_there(input, counts, changes) ? add_replay(&replays, changes) : NO_REPLAY;
    }
    replay_all(&replays);
    for (size_t i = 0; i < count; i++)
        part[i] = places[i] == NO_REPLAY ? 1 : part_of(replays.duration_ns[places[i]], with_ns);
}

/* The causes that cost most, at most so many. */
static void find_top(struct wl_device_whatif_row *row, size_t most)
{
    size_t count = 0;
    for (size_t i = 0; wl_timing_causes[i].id && i < CAUSES_MOST; i++) {
        bool is_bound = wl_timing_causes[i].changes & (WL_TIMING_MATH_ONLY | WL_TIMING_MEMORY_ONLY);
        size_t place = count;
        if (is_bound || row->part[i] > 1 - LEAST_SAVED || row->part[i] <= 0)
            continue;
        while (place > 0 && row->part[i] < row->part[row->top[place - 1]])
            place--;
        count += count < most;
        for (size_t k = count - 1; k > place; k--)
            row->top[k] = row->top[k - 1];
        if (place < most)
            row->top[place] = i;
    }
    row->top_count = count;
}

static uint32_t changes_of(const struct wl_device_whatif_row *row, size_t set)
{
    uint32_t changes = 0;
    for (size_t i = 0; i < row->top_count; i++)
        if (set >> i & 1)
            changes |= wl_timing_causes[row->top[i]].changes;
    return changes;
}

/* What the parts of a set leave, each without one of its causes. */
static double least_of(const struct wl_device_whatif_row *row, size_t set)
{
    double least = 1;
    for (size_t i = 0; i < row->top_count; i++) {
        size_t rest = set & ~((size_t)1 << i);
        if (set >> i & 1)
            least = fmin(least, rest ? row->of_set[rest] : row->part[row->top[i]]);
    }
    return least;
}

/* The launch without every set of its top causes; a set costs no more than any part of it. */
static void find_sets(const struct wl_timing_input *input, double with_ns,
                      struct wl_device_whatif_row *row)
{
    struct replays replays = {.input = input};
    uint32_t places[SETS_MOST];
    for (size_t set = 1; set < (size_t)1 << row->top_count; set++)
        places[set] = is_single(set) ? NO_REPLAY : add_replay(&replays, changes_of(row, set));
    replay_all(&replays);
    for (size_t set = 1; set < (size_t)1 << row->top_count; set++) {
        double least = least_of(row, set);
        row->of_set[set] = is_single(set)
                               ? least
                               : fmin(least, part_of(replays.duration_ns[places[set]], with_ns));
    }
}

static void find_asked(const struct wl_timing_input *input, double with_ns,
                       struct wl_device_whatif_row *row)
{
    struct wl_timing_set asked[WL_TIMING_SETS_MOST];
    size_t count = asked_sets(asked);
    struct replays replays = {.input = input};
    for (size_t i = 0; i < count; i++)
        add_replay(&replays, asked[i].changes);
    replay_all(&replays);
    for (size_t i = 0; i < count; i++) {
        double least = 1;
        for (size_t k = 0; wl_timing_causes[k].id && k < CAUSES_MOST; k++)
            if ((wl_timing_causes[k].changes & ~asked[i].changes) == 0)
                least = fmin(least, row->part[k]);
        row->of_asked[i] = fmin(least, part_of(replays.duration_ns[i], with_ns));
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

/* Of a piece that takes with_ns as it is. The kernel owns the row. */
static struct wl_device_whatif_row *make_row(struct wl_device_kernel *kernel,
                                             const struct wl_sim_launch *launch,
                                             const struct wl_timing_input *of_piece,
                                             const struct wl_sim_counts *counts, size_t most,
                                             double duration_ns, double with_ns)
{
    struct wl_device_whatif_row *row = wl_alloc_zero(1, sizeof *row);
    memcpy(row->grid, launch->grid, sizeof row->grid);
    memcpy(row->block, launch->block, sizeof row->block);
    row->duration_ns = duration_ns;
    find_parts(of_piece, counts, with_ns, row->part);
    find_top(row, most);
    find_sets(of_piece, with_ns, row);
    find_asked(of_piece, with_ns, row);
    row->next = kernel->whatif;
    kernel->whatif = row;
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
        add_rows(row, duration_ns, counts);
        return 0;
    }
    size_t words = cut(input, is_asked ? WORDS_ASKED : WORDS_LIGHT, &piece);
    size_t most = is_asked ? TOP_ASKED : TOP_LIGHT;
    double cost_s = (double)words * REPLAY_S * (CAUSES_MOST + (1 << most)) / 2;
    if (!is_asked &&
        wl_device_kernels.whatif_s + cost_s > LIGHT_S + wl_device_kernels.counting_s / 4)
        return 0;
    of_piece.trace = &piece;
    bool is_part = piece.block_count < input->trace->block_count;
    of_piece.kept = is_part ? wl_timing_kept_make() : input->kept;
    double with_ns = replay(&of_piece, 0);
    if (with_ns > 0)
        row = make_row(kernel, launch, &of_piece, counts, most, duration_ns, with_ns);
    if (is_part)
        wl_timing_kept_free(of_piece.kept);
    if (!row)
        return 0;
    add_rows(row, duration_ns, counts);
    return cost_s;
}
