/* Why a kernel got faster or slower: warps spend their cycles in states; those of which there are
 * clearly more or fewer explain it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/memory.h"
#include "show/format/format.h"
#include "show/page/diff_parts.h"

static const char *const states[] = {
    "selected",
    "not_selected",
    "wait",
    "long_scoreboard",
    "short_scoreboard",
    "math_pipe_throttle",
    "lg_throttle",
    "mio_throttle",
    "tex_throttle",
    "barrier",
    "membar",
    "branch_resolving",
    "no_instruction",
    "imc_miss",
    "drain",
    "dispatch_stall",
    "sleeping",
    "misc",
    "gmma",
};
enum { state_count = WL_COUNT(states), most_states = 4 };

static const double least_share = 0.05, least_change = 0.02;

/* What a side has of one kernel, as means over its launches. */
struct mean {
    bool is_known;
    double duration_ns, instructions, active_warps;
    double cycles[state_count]; /* of warps in each state, for the whole launch */
    double all_cycles;
};

static bool read_number(struct wl_metric_set *set, const char *name, double *number)
{
    const struct wl_metric_value *value = wl_metric_get(set, name);
    if (!value->is_present || value->text)
        return false;
    *number = value->number;
    return true;
}

static void read_states(struct wl_metric_set *set, double instructions, struct mean *mean)
{
    for (size_t i = 0; i < state_count; i++) {
        double each = 0;
        char *name = wl_string_format("smsp__average_warps_issue_stalled_%s_per_issue_active.ratio",
                                      states[i]);
        if (read_number(set, name, &each)) {
            mean->cycles[i] += each * instructions;
            mean->all_cycles += each * instructions;
        }
        free(name);
    }
}

static struct mean read_mean(struct wl_metric_catalog *catalog,
                             const struct wl_diff_launches *launches)
{
    struct mean mean = {.is_known = launches->count > 0};
    for (size_t i = 0; i < launches->count; i++) {
        struct wl_metric_set *set = wl_metric_set_create(catalog, launches->items[i]);
        double duration = 0, instructions = 0, active_warps = 0;
        mean.is_known = mean.is_known && read_number(set, "gpu__time_duration.sum", &duration);
        if (!read_number(set, "smsp__inst_executed.sum", &instructions))
            read_number(set, "ptx__inst_executed.sum", &instructions);
        mean.duration_ns += duration;
        read_number(set, "sm__warps_active.avg.per_cycle_active", &active_warps);
        mean.instructions += instructions;
        mean.active_warps += active_warps;
        read_states(set, instructions, &mean);
        wl_metric_set_free(set);
    }
    double count = launches->count ? (double)launches->count : 1;
    mean.duration_ns /= count;
    mean.instructions /= count;
    mean.active_warps /= count;
    mean.all_cycles /= count;
    for (size_t i = 0; i < state_count; i++)
        mean.cycles[i] /= count;
    return mean;
}

static void add_time(double time_ns, struct wl_text *out)
{
    struct wl_metric_value time = {.is_present = true, .unit = "ns", .number = time_ns};
    struct wl_text number = {0}, unit = {0};
    wl_format_metric(&time, WL_UNITS_AUTO, &number, &unit);
    wl_text_addf(out, "%s %s", number.data, unit.data);
    wl_text_free(&number);
    wl_text_free(&unit);
}

static void say_time(const struct mean *base, const struct mean *other, struct wl_page_sink *sink)
{
    double change = base->duration_ns > 0 ? other->duration_ns / base->duration_ns - 1 : 0;
    const char *word = change < -least_change  ? "faster"
                       : change > least_change ? "slower"
                                               : "as fast";
    struct wl_text times = {0};
    add_time(base->duration_ns, &times);
    wl_text_add(&times, " -> ");
    add_time(other->duration_ns, &times);
    if (base->duration_ns > 0 && other->duration_ns > 0)
        wl_text_addf(&times, " (%.2fx)", base->duration_ns / other->duration_ns);
    wl_print(sink, "    %s: %s\n", word, times.data);
    wl_text_free(&times);
}

/* The state of which most warp cycles went (sign -1) or came (1) and that is not told yet. */
static size_t find_state(const struct mean *base, const struct mean *other, int sign,
                         const bool *is_reported)
{
    size_t best = state_count;
    double most = least_share * (base->all_cycles > 0 ? base->all_cycles : other->all_cycles);
    for (size_t i = 0; i < state_count; i++) {
        double more = sign * (other->cycles[i] - base->cycles[i]);
        if (!is_reported[i] && more > most) {
            most = more;
            best = i;
        }
    }
    return best;
}

/* One reason; its numbers have names of their own. */
struct reason {
    const char *text, *state;
    bool is_less;
    const char *base_key, *other_key;
    double base, other;
};

static void put_reason(const struct reason *reason, const double *of_base_pct,
                       struct wl_page_sink *sink)
{
    static const struct wl_column text = {.json = "text"}, state = {.json = "state"},
                                  change = {.json = "change"},
                                  share = {.json = "of_base_pct", .flags = WL_COLUMN_REAL};
    const struct wl_column base = {.json = reason->base_key, .flags = WL_COLUMN_REAL};
    const struct wl_column other = {.json = reason->other_key, .flags = WL_COLUMN_REAL};
    wl_print(sink, "      %s\n", reason->text);
    wl_begin(sink, WL_LEVEL_OBJECT, NULL, 0);
    wl_put(sink, &text, wl_cell_text(reason->text));
    wl_put(sink, &state, wl_cell_word(reason->state));
    wl_put(sink, &change, wl_cell_word(reason->is_less ? "went" : "came"));
    wl_put(sink, &base, wl_cell_number(reason->base));
    wl_put(sink, &other, wl_cell_number(reason->other));
    if (of_base_pct)
        wl_put(sink, &share, wl_cell_number(*of_base_pct));
    wl_end(sink);
}

static void put_state(const struct mean *base, const struct mean *other, size_t state, int sign,
                      struct wl_page_sink *sink)
{
    double share = base->all_cycles > 0
                       ? 100 * (other->cycles[state] - base->cycles[state]) / base->all_cycles
                       : 0;
    bool is_issue = strcmp(states[state], "selected") == 0;
    struct wl_text text = {0};
    wl_text_addf(&text, "%s %s",
                 sign < 0 ? "went:" : "came:", is_issue ? "instructions issued" : "waiting, ");
    if (!is_issue)
        for (const char *at = states[state]; *at; at++)
            wl_text_add_char(&text, *at == '_' ? ' ' : *at);
    wl_text_addf(&text, ", %+.0f%% of the warp cycles that there were", share);
    const struct reason reason = {
        .text = text.data,
        .state = states[state],
        .is_less = sign < 0,
        .base_key = "base_warp_cycles",
        .other_key = "new_warp_cycles",
        .base = base->cycles[state],
        .other = other->cycles[state],
    };
    put_reason(&reason, &share, sink);
    wl_text_free(&text);
}

/* More warps at a time hide what each of them waits for. */
static void put_warps(const struct mean *base, const struct mean *other, struct wl_page_sink *sink)
{
    double most = fmax(base->active_warps, other->active_warps);
    if (most <= 0 || fabs(other->active_warps - base->active_warps) < 0.15 * most)
        return;
    bool is_less = other->active_warps <= base->active_warps;
    char *text =
        wl_string_format("%s: warps active on an SM, %.1f -> %.1f", is_less ? "went" : "came",
                         base->active_warps, other->active_warps);
    const struct reason reason = {
        .text = text,
        .state = "active_warps",
        .is_less = is_less,
        .base_key = "base",
        .other_key = "new",
        .base = base->active_warps,
        .other = other->active_warps,
    };
    put_reason(&reason, NULL, sink);
    free(text);
}

static void put_reasons(const struct mean *a, const struct mean *b, struct wl_page_sink *sink)
{
    for (int sign = -1; sign <= 1 && a->all_cycles > 0; sign += 2) {
        bool is_reported[state_count] = {false};
        for (size_t i = 0; i < most_states; i++) {
            size_t state = find_state(a, b, sign, is_reported);
            if (state == state_count)
                break;
            is_reported[state] = true;
            put_state(a, b, state, sign, sink);
        }
    }
    put_warps(a, b, sink);
}

void wl_diff_why(struct wl_metric_catalog *catalog, const struct wl_diff_launches *base,
                 const struct wl_diff_launches *other, struct wl_page_sink *sink)
{
    struct mean a = read_mean(catalog, base), b = read_mean(catalog, other);
    bool is_known = a.is_known && b.is_known;
    if (is_known)
        say_time(&a, &b, sink);
    wl_begin(sink, WL_LEVEL_LIST, "why", 0);
    if (is_known)
        put_reasons(&a, &b, sink);
    wl_end(sink);
}
