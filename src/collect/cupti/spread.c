/* Counting without running anything again: each of like launches carries one pass of the counters,
 * and what they counted is put together for all of them, with how far it lies apart. A pass is
 * carried by one or more launches in a row, and the n-th launch of each pass is of the same group:
 * CUPTI puts the passes of the n-th together. Changing to the next pass costs tens of milliseconds,
 * a launch one. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "collect/cupti/state.h"

/* How many launches of a group a pass has in its first cycle through the passes, and the next: the
 * first is soon done, for kernels that are launched a few dozen times. */
static const uint32_t shares[] = {1, 16};
enum { share_count = sizeof shares / sizeof *shares };

/* patience: so many launches are let pass in wait for the one that a pass is to begin with.
 * attempts_max: for each part of the plan; a program may never make the same launches in a row. */
enum { patience = 256, attempts_max = 12 };

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

/* ---- groups ---- */

static bool is_waited_for(const struct wl_measure_group *group,
                          const struct wl_measure_context *context)
{
    return group->key.context_id == context->id && group->spread.is_wanted &&
           !group->spread.is_done && group->spread.last + patience >= context->cycle.launches;
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
static void end_attempt(struct wl_measure_context *context, struct wl_measure_group *group,
                        bool is_covered)
{
    struct wl_measure_spread *spread = &group->spread;
    size_t parts = context->counting.plan.parts.count;
    spread->attempts++;
    if (is_covered && context->part == spread->cycles % parts)
        spread->cycles++;
    spread->is_done =
        spread->cycles >= share_count * parts || spread->attempts >= attempts_max * parts;
}

/* ---- cycles ---- */

/* False: not all passes have covered it. */
static bool add_range(struct wl_measure_context *context, size_t range, double *values,
                      struct wl_measure_spread *spread, struct wl_error *error)
{
    const struct wl_cupti_part *part = context->counting.part;
    bool is_covered = true;
    if (wl_cupti_counting_read(&context->counting, range, values, error) != WL_OK)
        return false;
    for (size_t i = 0; i < part->metric_count; i++) {
        is_covered = is_covered && !isnan(values[i]);
        if (isfinite(values[i]))
            add_value(spread, part->metrics[i], values[i]);
    }
    return is_covered;
}

/* Another number of ranges than ours: nobody can tell which is which. */
static void note_loss(struct wl_measure *measure, struct wl_measure_context *context,
                      size_t counted, size_t made)
{
    char *text = wl_string_format("CUPTI counted %zu launches where %zu were made: passes are left "
                                  "out of what is put together",
                                  counted, made);
    if (!context->is_loss_noted)
        wl_measure_note(measure, WL_NOTE_WARNING, "counters-lost", text, "");
    context->is_loss_noted = true;
    free(text);
}

static enum wl_code take_cycle(struct wl_measure *measure, struct wl_measure_context *context,
                               struct wl_error *error)
{
    struct wl_cupti_counted counted;
    struct wl_measure_cycle *cycle = &context->cycle;
    size_t each = wl_measure_ranges_per_launch(context);
    enum wl_code code = wl_cupti_counting_decode(&context->counting, &counted, error);
    if (code)
        return code;
    bool is_known = counted.range_count == cycle->slot_count * each;
    double *values = wl_alloc_zero(context->counting.part->metric_count + 1, sizeof *values);
    for (size_t i = 0; i < cycle->slot_count; i++) {
        struct wl_measure_group *group = cycle->slots[i];
        bool is_first = true, is_covered = is_known;
        if (is_known)
            is_covered = add_range(context, (i + 1) * each - 1, values, &group->spread, error);
        for (size_t before = 0; before < i; before++)
            is_first = is_first && cycle->slots[before] != group;
        if (is_first)
            end_attempt(context, group, is_covered);
    }
    free(values);
    if (!is_known)
        note_loss(measure, context, counted.range_count / each, cycle->slot_count);
    cycle->slot_count = cycle->next = 0;
    return error->code;
}

/* Stops counting; the next pass, if there is one, waits for a launch like its first. */
static enum wl_code end_pass(struct wl_measure *measure, struct wl_measure_context *context,
                             struct wl_error *error)
{
    enum wl_code code = wl_cupti_counting_stop(&context->counting, error);
    context->cycle.next = 0;
    context->cycle.waits = 0;
    if (!code && !context->counting.is_under_way)
        code = take_cycle(measure, context, error);
    return code;
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

/* ---- launches ---- */

/* Groups take turns at beginning a cycle, as only a cycle's first launch is sure to be met again.
 */
static bool is_turn(const struct wl_measure *measure, struct wl_measure_context *context,
                    const struct wl_measure_group *group)
{
    const struct wl_measure_group *other, *next;
    HASH_ITER(hh, measure->groups, other, next)
    {
        if (is_waited_for(other, context) && other->spread.attempts < group->spread.attempts)
            return false;
    }
    return true;
}

static void begin_cycle(const struct wl_measure *measure, struct wl_measure_context *context,
                        const struct wl_measure_group *group)
{
    const struct wl_measure_group *other, *next;
    size_t parts = context->counting.plan.parts.count;
    uint32_t groups = 0, round = group->spread.cycles / (uint32_t)parts;
    HASH_ITER(hh, measure->groups, other, next)
    {
        groups += is_waited_for(other, context);
    }
    uint32_t wanted = shares[round < share_count ? round : share_count - 1] * groups;
    context->part = group->spread.cycles % parts;
    context->cycle.slot_count = context->cycle.next = 0;
    context->cycle.wanted = wanted < WL_MEASURE_LAUNCHES_MAX ? wanted : WL_MEASURE_LAUNCHES_MAX;
}

static enum wl_code begin_pass(struct wl_measure *measure, struct wl_measure_context *context,
                               const struct wl_measure_group *group, bool *is_begun,
                               struct wl_error *error)
{
    struct wl_measure_cycle *cycle = &context->cycle;
    enum wl_code code = WL_OK;
    *is_begun = false;
    cycle->waits++;
    if (context->counting.is_under_way && cycle->slots[0] != group && cycle->waits < patience)
        return WL_OK;
    if (context->counting.is_under_way && cycle->slots[0] != group)
        code = wl_measure_spread_end_cycle(measure, context, false, error);
    if (code || group->spread.is_done)
        return code;
    if (!context->counting.is_under_way && !is_turn(measure, context, group))
        return WL_OK;
    if (!context->counting.is_under_way)
        begin_cycle(measure, context, group);
    context->range_count = cycle->next = 0;
    code = wl_cupti_counting_start(&context->counting, context->part, WL_CUPTI_USER_REPLAY, error);
    *is_begun = code == WL_OK;
    return code;
}

static bool is_first_pass(const struct wl_measure_context *context)
{
    return context->counting.pass == 0;
}

/* False: it is not the launch that this pass must have next. */
static bool take_slot(struct wl_measure_context *context, struct wl_measure_group *group)
{
    struct wl_measure_cycle *cycle = &context->cycle;
    if (is_first_pass(context))
        cycle->slots[cycle->slot_count++] = group;
    else if (cycle->next >= cycle->slot_count || cycle->slots[cycle->next] != group)
        return false;
    cycle->next++;
    return true;
}

bool wl_measure_spread_begin(struct wl_measure *measure, struct wl_measure_context *context,
                             struct wl_measure_launch *launch, struct wl_error *error)
{
    struct wl_measure_spread *spread = &launch->group->spread;
    bool is_open = context->counting.is_started;
    spread->last = ++context->cycle.launches;
    if (spread->is_done)
        return false;
    spread->is_wanted = true;
    if (!is_open && begin_pass(measure, context, launch->group, &is_open, error) != WL_OK)
        return false;
    if (!is_open)
        return false;
    if (!take_slot(context, launch->group)) {
        end_pass(measure, context, error);
        return false;
    }
    wl_measure_begin_range(context, launch);
    launch->carries_pass = true;
    spread->launches++;
    return true;
}

enum wl_code wl_measure_spread_end_launch(struct wl_measure *measure,
                                          struct wl_measure_context *context,
                                          struct wl_error *error)
{
    const struct wl_measure_cycle *cycle = &context->cycle;
    uint32_t length = is_first_pass(context) ? cycle->wanted : cycle->slot_count;
    if (!context->counting.is_started || cycle->next < length)
        return WL_OK;
    return end_pass(measure, context, error);
}

enum wl_code wl_measure_spread_interrupt(struct wl_measure *measure,
                                         struct wl_measure_context *context, bool is_refused,
                                         struct wl_error *error)
{
    struct wl_measure_cycle *cycle = &context->cycle;
    if (!context->is_own || context->is_saved || !context->counting.is_started)
        return WL_OK;
    if (is_refused && is_first_pass(context) && cycle->slot_count)
        cycle->slot_count--;
    return end_pass(measure, context, error);
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
