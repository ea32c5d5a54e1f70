/* Why a kernel got faster or slower: warps spend their cycles in states; those of which there are
 * clearly more or fewer explain it. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

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
enum { state_count = sizeof states / sizeof *states, most_states = 4 };

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

static void say_time(const struct mean *base, const struct mean *other, struct wl_text *out)
{
    double change = base->duration_ns > 0 ? other->duration_ns / base->duration_ns - 1 : 0;
    const char *word = change < -least_change  ? "faster"
                       : change > least_change ? "slower"
                                               : "as fast";
    wl_text_addf(out, "    %s: ", word);
    add_time(base->duration_ns, out);
    wl_text_add(out, " -> ");
    add_time(other->duration_ns, out);
    if (base->duration_ns > 0 && other->duration_ns > 0)
        wl_text_addf(out, " (%.2fx)", base->duration_ns / other->duration_ns);
    wl_text_add_char(out, '\n');
}

/* The state of which most warp cycles went (sign -1) or came (1) and that is not told yet. */
static size_t find_state(const struct mean *base, const struct mean *other, int sign,
                         const bool *is_told)
{
    size_t best = state_count;
    double most = least_share * (base->all_cycles > 0 ? base->all_cycles : other->all_cycles);
    for (size_t i = 0; i < state_count; i++) {
        double more = sign * (other->cycles[i] - base->cycles[i]);
        if (!is_told[i] && more > most) {
            most = more;
            best = i;
        }
    }
    return best;
}

static void add_state(const struct mean *base, const struct mean *other, size_t state, int sign,
                      struct wl_text *out, json_t *why)
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
    wl_text_addf(&text, ", %+.0f%% of all warp cycles", share);
    wl_text_addf(out, "      %s\n", text.data);
    json_array_append_new(why,
                          json_pack("{s:s, s:s, s:s, s:f, s:f, s:f}", "text", text.data, "state",
                                    states[state], "change", sign < 0 ? "went" : "came",
                                    "base_warp_cycles", base->cycles[state], "new_warp_cycles",
                                    other->cycles[state], "of_base_pct", share));
    wl_text_free(&text);
}

/* More warps at a time hide what each of them waits for. */
static void say_warps(const struct mean *base, const struct mean *other, struct wl_text *out,
                      json_t *why)
{
    double most = fmax(base->active_warps, other->active_warps);
    if (most <= 0 || fabs(other->active_warps - base->active_warps) < 0.15 * most)
        return;
    const char *change = other->active_warps > base->active_warps ? "came" : "went";
    char *text = wl_string_format("%s: warps active on an SM, %.1f -> %.1f", change,
                                  base->active_warps, other->active_warps);
    wl_text_addf(out, "      %s\n", text);
    json_array_append_new(why, json_pack("{s:s, s:s, s:s, s:f, s:f}", "text", text, "state",
                                         "active_warps", "change", change, "base",
                                         base->active_warps, "new", other->active_warps));
    free(text);
}

void wl_diff_why(struct wl_metric_catalog *catalog, const struct wl_diff_launches *base,
                 const struct wl_diff_launches *other, struct wl_text *out, json_t *kernel)
{
    struct mean a = read_mean(catalog, base), b = read_mean(catalog, other);
    json_t *why = json_array();
    if (a.is_known && b.is_known)
        say_time(&a, &b, out);
    for (int sign = -1; sign <= 1 && a.is_known && b.is_known && a.all_cycles > 0; sign += 2) {
        bool is_told[state_count] = {false};
        for (size_t i = 0; i < most_states; i++) {
            size_t state = find_state(&a, &b, sign, is_told);
            if (state == state_count)
                break;
            is_told[state] = true;
            add_state(&a, &b, state, sign, out, why);
        }
    }
    if (a.is_known && b.is_known)
        say_warps(&a, &b, out, why);
    json_object_set_new(kernel, "why", why);
}
