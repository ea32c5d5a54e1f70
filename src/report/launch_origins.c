#include "report/launch_origins.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "timeline/record.h"

/* A range that is open where the reading is. */
struct open_range {
    int64_t end_ns, operator_name, backward_name, module_name, stack_name, sequence;
    bool is_backward;
};

/* The last operator of a forward pass with a sequence number. */
struct forward {
    int64_t process, sequence, start_ns, module_name, stack_name;
};

struct launch {
    struct wl_launch_origin origin;
    int64_t sequence; /* of the backward pass's node and one; 0: none */
};

struct wl_launch_origins {
    WL_VECTOR(struct launch) launches;
    WL_VECTOR(struct forward) forwards;
    WL_VECTOR(struct open_range) open;
};

/* Columns of select_sql. */
enum { PROCESS, THREAD, START, END, CATEGORY, CORRELATION, NAME, FLAGS, SEQUENCE, STACK, KIND };
enum { NAMES_NOTHING, NAMES_MODULE, NAMES_BACKWARD };

/* Longer ranges first where several begin together, and calls behind them. */
static const char select_sql[] =
    "SELECT process_id, thread, start_ns, end_ns, category, correlation, name_id, flags, word_2, "
    "word_5, CASE WHEN category <> 8 THEN 0 WHEN names.name GLOB '" WL_MODULE_PREFIX
    "*' THEN 1 WHEN names.name GLOB 'autograd::engine::evaluate_function: *' THEN 2 ELSE 0 END "
    "FROM trace_events LEFT JOIN names ON names.id = name_id WHERE category = 8 OR (category IN "
    "(1, 2) AND correlation) ORDER BY process_id, thread, start_ns, category DESC, end_ns DESC";

_Static_assert(WL_TIMELINE_CUDA_RUNTIME == 1 && WL_TIMELINE_CUDA_DRIVER == 2 &&
                   WL_TIMELINE_NVTX_PUSHPOP == 8,
               "the categories of the events");

static void open_range(struct wl_launch_origins *origins, sqlite3_stmt *row)
{
    static const struct open_range none = {0};
    size_t depth = origins->open.count;
    const struct open_range *outer = depth ? &origins->open.items[depth - 1] : &none;
    struct open_range range = *outer;
    int64_t name = sqlite3_column_int64(row, NAME);
    int kind = sqlite3_column_int(row, KIND);
    range.end_ns = sqlite3_column_int64(row, END);
    range.is_backward = outer->is_backward || kind == NAMES_BACKWARD;
    if (kind == NAMES_MODULE)
        range.module_name = name;
    if (sqlite3_column_int64(row, FLAGS) & WL_TIMELINE_OPERATOR && kind == NAMES_NOTHING) {
        int64_t sequence = sqlite3_column_int64(row, SEQUENCE);
        int64_t stack = sqlite3_column_int64(row, STACK);
        range.operator_name = name;
        range.stack_name = stack ? stack : outer->stack_name;
        if (range.is_backward && !outer->backward_name) {
            range.backward_name = name;
            range.sequence = sequence;
        } else if (!range.is_backward && sequence) {
            struct forward forward = {sqlite3_column_int64(row, PROCESS), sequence,
                                      sqlite3_column_int64(row, START), range.module_name,
                                      range.stack_name};
            WL_PUSH(&origins->forwards, forward);
        }
    }
    WL_PUSH(&origins->open, range);
}

static void take_call(struct wl_launch_origins *origins, sqlite3_stmt *row)
{
    if (!origins->open.count)
        return;
    const struct open_range *range = &origins->open.items[origins->open.count - 1];
    struct launch launch = {
        .origin = {.process = sqlite3_column_int64(row, PROCESS),
                   .correlation = sqlite3_column_int64(row, CORRELATION),
                   .operator_name = range->operator_name,
                   .backward_name = range->backward_name,
                   .module_name = range->module_name,
                   .stack_name = range->stack_name},
        .sequence = range->is_backward ? range->sequence : 0,
    };
    WL_PUSH(&origins->launches, launch);
}

static void take(struct wl_launch_origins *origins, sqlite3_stmt *row)
{
    int64_t start_ns = sqlite3_column_int64(row, START);
    while (origins->open.count && origins->open.items[origins->open.count - 1].end_ns <= start_ns)
        origins->open.count--;
    if (sqlite3_column_int(row, CATEGORY) == WL_TIMELINE_NVTX_PUSHPOP)
        open_range(origins, row);
    else
        take_call(origins, row);
}

static int order(int64_t left, int64_t right)
{
    return (left > right) - (left < right);
}

static int compare_forwards(const void *left, const void *right)
{
    const struct forward *a = left, *b = right;
    int by_process = order(a->process, b->process), by_sequence = order(a->sequence, b->sequence);
    return by_process ? by_process : by_sequence ? by_sequence : order(a->start_ns, b->start_ns);
}

static int compare_launches(const void *left, const void *right)
{
    const struct wl_launch_origin *a = &((const struct launch *)left)->origin,
                                  *b = &((const struct launch *)right)->origin;
    int by_process = order(a->process, b->process);
    return by_process ? by_process : order(a->correlation, b->correlation);
}

/* The last with that number: an operator that makes a node counts on, so others that have the same
 * come before it. */
static const struct forward *find_forward(const struct wl_launch_origins *origins, int64_t process,
                                          int64_t sequence)
{
    const struct forward key = {.process = process, .sequence = sequence, .start_ns = INT64_MAX};
    size_t low = 0, high = origins->forwards.count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_forwards(&origins->forwards.items[middle], &key) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    const struct forward *found = low ? &origins->forwards.items[low - 1] : NULL;
    return found && found->process == process && found->sequence == sequence ? found : NULL;
}

static void link_backward(struct wl_launch_origins *origins)
{
    if (origins->forwards.count)
        qsort(origins->forwards.items, origins->forwards.count, sizeof *origins->forwards.items,
              compare_forwards);
    for (size_t i = 0; i < origins->launches.count; i++) {
        struct launch *launch = &origins->launches.items[i];
        const struct forward *forward =
            launch->sequence ? find_forward(origins, launch->origin.process, launch->sequence)
                             : NULL;
        if (!forward)
            continue;
        launch->origin.module_name = forward->module_name;
        launch->origin.stack_name = forward->stack_name;
    }
    if (origins->launches.count)
        qsort(origins->launches.items, origins->launches.count, sizeof *origins->launches.items,
              compare_launches);
}

struct wl_launch_origins *wl_launch_origins_read(sqlite3 *database)
{
    struct wl_launch_origins *origins = wl_alloc_zero(1, sizeof *origins);
    sqlite3_stmt *statement = NULL;
    int64_t process = 0, thread = 0;
    int status = sqlite3_prepare_v2(database, select_sql, -1, &statement, NULL);
    while (status == SQLITE_OK || status == SQLITE_ROW) {
        status = sqlite3_step(statement);
        if (status != SQLITE_ROW)
            break;
        if (process != sqlite3_column_int64(statement, PROCESS) ||
            thread != sqlite3_column_int64(statement, THREAD))
            origins->open.count = 0;
        process = sqlite3_column_int64(statement, PROCESS);
        thread = sqlite3_column_int64(statement, THREAD);
        take(origins, statement);
    }
    sqlite3_finalize(statement);
    if (status != SQLITE_DONE) {
        wl_launch_origins_free(origins);
        return NULL;
    }
    link_backward(origins);
    return origins;
}

const struct wl_launch_origin *wl_launch_origins_find(const struct wl_launch_origins *origins,
                                                      int64_t process, int64_t correlation)
{
    const struct launch key = {.origin = {.process = process, .correlation = correlation}};
    const struct launch *found =
        origins->launches.count ? bsearch(&key, origins->launches.items, origins->launches.count,
                                          sizeof *origins->launches.items, compare_launches)
                                : NULL;
    return found ? &found->origin : NULL;
}

void wl_launch_origins_free(struct wl_launch_origins *origins)
{
    if (!origins)
        return;
    free(origins->launches.items);
    free(origins->forwards.items);
    free(origins->open.items);
    free(origins);
}
