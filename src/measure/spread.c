/* Counting without running anything again: each of like launches carries one pass of the counters,
 * and what they counted is put together for all of them, with how far it lies apart. Passes take
 * turns in blocks: changing to the next costs tens of milliseconds, a launch less than one. Ranges
 * are put together by name, so that the order of launches does not matter. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "measure/state.h"

/* How many ranges a group has in its first cycle through the passes, its second, and so on: the
 * first is soon done, for kernels that are launched a few dozen times. */
static const uint32_t shares[] = {1, 4, WL_MEASURE_SLOTS_MAX};
enum { share_count = sizeof shares / sizeof *shares };

/* patience: a pass waits for groups that are launched rarely while the others are launched so many
 * times as often. idle_blocks: nobody waits for groups that were not launched in so many passes. */
enum { patience = 16, idle_blocks = 2, attempts_max = 12 };

/* ---- values ---- */

static struct wl_measure_spread_value *find_value(struct wl_measure_spread *spread,
                                                  const char *name)
{
    for (size_t i = 0; i < spread->values.count; i++)
        if (strcmp(spread->values.items[i].name, name) == 0)
            return &spread->values.items[i];
    struct wl_measure_spread_value value = {.name = wl_string_copy(name),
                                            .spread_name = wl_string_format("%s.spread_pct", name)};
    WL_PUSH(&spread->values, value);
    return &spread->values.items[spread->values.count - 1];
}

static void add_value(struct wl_measure_spread *spread, const char *name, double number)
{
    struct wl_measure_spread_value *value = find_value(spread, name);
    value->least = value->count && value->least < number ? value->least : number;
    value->most = value->count && value->most > number ? value->most : number;
    value->sum += number;
    value->count++;
}

static void add_range(struct wl_measure_context *context, size_t range, double *values,
                      struct wl_error *error)
{
    const struct wl_cupti_part *part = context->counting.part;
    const struct wl_measure_cycle *cycle = &context->cycle;
    char *end = NULL;
    const char *name = wl_cupti_counting_range_name(&context->counting, range);
    unsigned long slot = strtoul(name, &end, 10);
    if (!*name || *end || slot >= cycle->slot_count)
        return;
    if (wl_cupti_counting_read(&context->counting, range, values, error) != WL_OK)
        return;
    for (size_t i = 0; i < part->metric_count; i++)
        if (isfinite(values[i]))
            add_value(&cycle->slots[slot]->spread, part->metrics[i], values[i]);
}

/* ---- groups ---- */

static bool is_of(const struct wl_measure_group *group, const struct wl_measure_context *context)
{
    return group->key.context_id == context->id;
}

static bool is_waited_for(const struct wl_measure_group *group,
                          const struct wl_measure_context *context)
{
    return is_of(group, context) && group->spread.is_wanted && !group->spread.is_done &&
           group->spread.block + idle_blocks >= context->cycle.block;
}

bool wl_measure_spread_goes_on(const struct wl_measure *measure,
                               const struct wl_measure_context *context)
{
    const struct wl_measure_group *group, *next;
    HASH_ITER(hh, measure->groups, group, next)
    {
        if (is_waited_for(group, context))
            return true;
    }
    return false;
}

/* A group is done when each part of the plan has had all shares. */
static void end_group_cycle(struct wl_measure_context *context, struct wl_measure_group *group)
{
    struct wl_measure_spread *spread = &group->spread;
    const struct wl_cupti_plan *plan = &context->counting.plan;
    spread->attempts++;
    if (spread->passes_covered >= context->counting.part->passes)
        spread->cycles++;
    spread->passes_covered = spread->slot_count = spread->pushed = 0;
    spread->is_done = spread->cycles >= share_count * plan->parts.count ||
                      spread->attempts >= attempts_max * plan->parts.count;
}

/* ---- cycles ---- */

static enum wl_code take_cycle(struct wl_measure *measure, struct wl_measure_context *context,
                               struct wl_error *error)
{
    struct wl_cupti_counted counted;
    struct wl_measure_group *group, *next;
    enum wl_code code = wl_cupti_counting_decode(&context->counting, &counted, error);
    if (code)
        return code;
    double *values = wl_alloc_zero(context->counting.part->metric_count + 1, sizeof *values);
    for (size_t range = 0; range < counted.range_count; range++)
        add_range(context, range, values, error);
    free(values);
    HASH_ITER(hh, measure->groups, group, next)
    {
        if (is_of(group, context) && group->spread.slot_count)
            end_group_cycle(context, group);
    }
    context->cycle.slot_count = 0;
    context->part = (context->part + 1) % context->counting.plan.parts.count;
    return error->code;
}

enum wl_code wl_measure_spread_end_cycle(struct wl_measure *measure,
                                         struct wl_measure_context *context, bool is_last,
                                         struct wl_error *error)
{
    enum wl_code code = WL_OK;
    if (!context->counting.is_started && !context->counting.is_under_way)
        return WL_OK;
    if (!is_last)
        code = wl_cupti_counting_end_passes(&context->counting, error);
    else if (context->counting.is_started)
        code = wl_cupti_counting_stop(&context->counting, error);
    return code ? code : take_cycle(measure, context, error);
}

/* The launches that each group may make a range of in the next pass. */
static void begin_block(struct wl_measure *measure, struct wl_measure_context *context)
{
    struct wl_measure_cycle *cycle = &context->cycle;
    struct wl_measure_group *group, *next;
    size_t parts = context->counting.plan.parts.count;
    uint32_t groups = 0;
    cycle->block++;
    cycle->launches = cycle->unfilled = cycle->wanted = 0;
    HASH_ITER(hh, measure->groups, group, next)
    {
        groups += is_waited_for(group, context);
    }
    uint32_t most =
        groups < WL_MEASURE_RANGES_MAX ? WL_MEASURE_RANGES_MAX / (groups ? groups : 1) : 1;
    HASH_ITER(hh, measure->groups, group, next)
    {
        struct wl_measure_spread *spread = &group->spread;
        if (!is_of(group, context) || !spread->is_wanted || spread->is_done)
            continue;
        size_t round = spread->cycles / parts;
        spread->pushed = 0;
        /* the same number in all passes of a cycle, or the first and the last do not meet */
        if (spread->slot_count == 0) {
            uint32_t share = shares[round < share_count ? round : share_count - 1];
            spread->share = share < most ? share : most;
        }
        if (!is_waited_for(group, context))
            continue;
        cycle->unfilled++;
        cycle->wanted += spread->share;
    }
}

static enum wl_code next_pass(struct wl_measure *measure, struct wl_measure_context *context,
                              struct wl_error *error)
{
    enum wl_code code = WL_OK;
    if (context->counting.is_started) {
        code = wl_cupti_counting_stop(&context->counting, error);
        if (!code && !context->counting.is_under_way)
            code = take_cycle(measure, context, error);
    }
    begin_block(measure, context);
    if (!code)
        code =
            wl_cupti_counting_start(&context->counting, context->part, WL_CUPTI_USER_REPLAY, error);
    return code;
}

/* ---- launches ---- */

static bool is_block_over(const struct wl_measure_cycle *cycle)
{
    return cycle->unfilled == 0 || cycle->launches >= (uint64_t)patience * cycle->wanted;
}

/* The range of the group's next launch in this pass. False: there is no room. */
static bool choose_slot(struct wl_measure_context *context, struct wl_measure_group *group,
                        uint32_t *slot)
{
    struct wl_measure_cycle *cycle = &context->cycle;
    struct wl_measure_spread *spread = &group->spread;
    if (spread->pushed < spread->slot_count) {
        *slot = spread->slots[spread->pushed];
        return true;
    }
    if (cycle->slot_count >= WL_MEASURE_RANGES_MAX || spread->slot_count >= WL_MEASURE_SLOTS_MAX)
        return false;
    *slot = cycle->slot_count++;
    cycle->slots[*slot] = group;
    spread->slots[spread->slot_count++] = *slot;
    return true;
}

static void count_push(struct wl_measure_cycle *cycle, struct wl_measure_spread *spread)
{
    spread->launches++;
    if (++spread->pushed < spread->share)
        return;
    spread->passes_covered++;
    if (cycle->unfilled)
        cycle->unfilled--;
}

bool wl_measure_spread_begin(struct wl_measure *measure, struct wl_measure_context *context,
                             struct wl_measure_launch *launch, struct wl_error *error)
{
    struct wl_measure_group *group = launch->group;
    struct wl_measure_spread *spread = &group->spread;
    struct wl_measure_cycle *cycle = &context->cycle;
    if (spread->is_done)
        return false;
    bool is_new = !spread->is_wanted || !is_waited_for(group, context);
    spread->is_wanted = true;
    spread->block = cycle->block;
    cycle->launches++;
    bool is_full = spread->pushed >= spread->share;
    if (!context->counting.is_started || (is_full && !is_new && is_block_over(cycle))) {
        if (next_pass(measure, context, error) != WL_OK)
            return false;
        spread->block = cycle->block;
    } else if (is_full) {
        return false;
    }
    if (spread->is_done || !choose_slot(context, group, &launch->slot))
        return false;
    if (wl_measure_begin_range(context, launch, error) != WL_OK)
        return false;
    launch->carries_pass = true;
    count_push(cycle, spread);
    return true;
}

/* ---- the launch that bears the values ---- */

struct wl_measure_launch *wl_measure_spread_take(struct wl_measure_group *group)
{
    struct wl_measure_spread *spread = &group->spread;
    struct wl_measure_launch *bearer = spread->bearer;
    spread->bearer = NULL;
    if (!bearer || spread->values.count == 0)
        return bearer;
    bearer->replay = "spread";
    bearer->uncounted = NULL;
    for (size_t i = 0; i < spread->values.count; i++) {
        const struct wl_measure_spread_value *value = &spread->values.items[i];
        double mean = value->sum / value->count;
        double above = value->most - mean, below = mean - value->least;
        struct wl_record_value number = {value->name, mean, WL_MARK_EXACT};
        struct wl_record_value apart = {
            value->spread_name, 100 * (above > below ? above : below) / fabs(mean), WL_MARK_EXACT};
        WL_PUSH(&bearer->values, number);
        if (value->count > 1 && mean != 0)
            WL_PUSH(&bearer->values, apart);
    }
    struct wl_record_value launches = {"launch__spread_launches", (double)spread->launches,
                                       WL_MARK_EXACT};
    WL_PUSH(&bearer->values, launches);
    return bearer;
}

void wl_measure_spread_free(struct wl_measure_group *group)
{
    for (size_t i = 0; i < group->spread.values.count; i++) {
        free((char *)group->spread.values.items[i].name);
        free(group->spread.values.items[i].spread_name);
    }
    free(group->spread.values.items);
    group->spread.values.items = NULL;
    group->spread.values.count = 0;
}
