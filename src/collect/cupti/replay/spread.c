/* Counting without replay: each of like launches collects one pass of the counters,
 * and what they counted is put together for all of them, with how far it lies apart. A pass is
 * carried by one or more launches in a row, and the n-th launch of each pass is of the same group:
 * CUPTI puts the passes of the n-th together. Changing to the next pass costs tens of milliseconds,
 * a launch one: so a pass goes on until every group that is to be counted has had its share, and
 * takes those in between with it that have all they need. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/memory.h"
#include "base/text.h"
#include "collect/cupti/replay/replay.h"

/* How many launches of a group a pass has in its first cycle through the passes, and the next: the
 * first is soon done, for kernels that are launched a few dozen times. Where there are many groups
 * the first is all: their launches are counted a hundred in a row, so that most have several. */
static const uint32_t shares[] = {1, 16};
enum { share_count = WL_COUNT(shares) };

/* patience: so many launches are let pass in wait for the one that a pass is to begin with.
 * attempts_max: for each part of the plan; a program may never make the same launches in a row. */
enum { patience = 256, attempts_max = 12 };

/* Where there are many groups, a pass is longer: it costs room, and saves passes. */
enum { long_pass = 4 * WL_COLLECT_LAUNCHES_MAX, groups_many = 8 };

/* What was counted of a metric, of all passes of a group put together. */
struct spread_value {
    char *name;
    char *spread_name; /* of how far the values lie apart */
    uint32_t count;
    double sum, least, most;
};

/* What a group's launches have counted, and the first of them that carried a pass: it is the
 * group's, from the end of its call until it is sent with the values of all. */
struct wl_spread {
    WL_VECTOR(struct spread_value) values;
    bool is_wanted, is_done;
    uint32_t cycles, attempts; /* through all passes; those and others */
    uint64_t last;             /* its last launch, among those that could collect a pass */
    uint64_t launches;         /* that carried a pass */
    struct wl_collect_launch *first;
};

/* The launches of a pass, which those of the other passes must be like, one by one. */
struct wl_spread_cycle {
    struct wl_collect_group *slots[long_pass];
    uint32_t slot_count, next; /* next: in this pass */
    uint32_t length;           /* of a pass, at most */
    uint32_t rounds;           /* through all passes, for each group */
    uint32_t wanted, useful;   /* of the first pass: launches of groups that are not done */
    uint64_t launches, waits;  /* that could collect a pass: ever; since the last pass */
};

static struct wl_spread *spread_of(struct wl_collect_group *group)
{
    if (!group->spread)
        group->spread = wl_alloc_zero(1, sizeof *group->spread);
    return group->spread;
}

static struct wl_spread_cycle *cycle_of(struct wl_collect_context *context)
{
    if (!context->cycle)
        context->cycle = wl_alloc_zero(1, sizeof *context->cycle);
    return context->cycle;
}

/* ---- values ---- */

static struct spread_value *find_value(struct wl_spread *spread, const char *name)
{
    for (size_t i = 0; i < spread->values.count; i++)
        if (strcmp(spread->values.items[i].name, name) == 0)
            return &spread->values.items[i];
    struct spread_value value = {.name = wl_string_copy(name),
                                 .spread_name = wl_string_format("%s.spread_pct", name)};
    WL_PUSH(&spread->values, value);
    return &spread->values.items[spread->values.count - 1];
}

static void add_value(struct wl_spread *spread, const char *name, double number)
{
    struct spread_value *value = find_value(spread, name);
    value->least = value->count && value->least < number ? value->least : number;
    value->most = value->count && value->most > number ? value->most : number;
    value->sum += number;
    value->count++;
}

/* ---- groups ---- */

static bool is_waited_for(const struct wl_collect_group *group,
                          const struct wl_collect_context *context)
{
    const struct wl_spread *spread = group->spread;
    return spread && context->cycle && group->key.context_id == context->id && spread->is_wanted &&
           !spread->is_done && spread->last + patience >= context->cycle->launches;
}

static bool is_waiting(const struct wl_replayer *replay, const struct wl_collect_context *context)
{
    const struct wl_collect_group *group, *next;
    HASH_ITER(hh, replay->groups.items, group, next)
    {
        if (is_waited_for(group, context))
            return true;
    }
    return false;
}

/* A group is done when each part of the plan has had all shares. */
static void end_attempt(struct wl_collect_context *context, struct wl_collect_group *group,
                        bool is_covered)
{
    struct wl_spread *spread = group->spread;
    size_t parts = context->counting.plan.parts.count;
    spread->attempts++;
    if (is_covered && context->part == spread->cycles % parts)
        spread->cycles++;
    spread->is_done = spread->cycles >= context->cycle->rounds * parts ||
                      spread->attempts >= attempts_max * parts;
}

/* ---- cycles ---- */

/* False: not all passes have covered it. */
static bool add_range(struct wl_collect_context *context, size_t range, double *values,
                      struct wl_spread *spread, struct wl_error *error)
{
    const struct wl_cupti_part *part = context->counting.part;
    bool is_covered = true;
    if (wl_cupti_counting_read(&context->counting, range, values, error) != WL_OK)
        return false;
    for (size_t i = 0; i < part->metric_count; i++) {
        is_covered = is_covered && !isnan(values[i]);
        if (isfinite(values[i]) && !spread->is_done)
            add_value(spread, part->metrics[i], values[i]);
    }
    return is_covered;
}

/* Another number of ranges than ours: nobody can tell which is which. */
static void note_loss(struct wl_replayer *replay, struct wl_collect_context *context,
                      size_t counted, size_t made)
{
    char *text = wl_string_format("CUPTI counted %zu launches where %zu were made: passes are left "
                                  "out of what is put together",
                                  counted, made);
    if (!context->is_loss_noted)
        wl_collect_note(&replay->core, WL_NOTE_WARNING, "counters-lost", text, "");
    context->is_loss_noted = true;
    free(text);
}

static enum wl_code take_cycle(struct wl_replayer *replay, struct wl_collect_context *context,
                               struct wl_error *error)
{
    struct wl_cupti_counted counted;
    struct wl_spread_cycle *cycle = cycle_of(context);
    size_t each = wl_collect_context_ranges_each(context);
    enum wl_code code = wl_cupti_counting_decode(&context->counting, &counted, error);
    if (code)
        return code;
    bool is_known = counted.range_count == cycle->slot_count * each;
    double *values = wl_alloc_zero(context->counting.part->metric_count + 1, sizeof *values);
    for (size_t i = 0; i < cycle->slot_count; i++) {
        struct wl_collect_group *group = cycle->slots[i];
        bool is_first = true, is_covered = is_known;
        if (is_known)
            is_covered = add_range(context, (i + 1) * each - 1, values, group->spread, error);
        for (size_t before = 0; before < i; before++)
            is_first = is_first && cycle->slots[before] != group;
        if (is_first)
            end_attempt(context, group, is_covered);
    }
    free(values);
    if (!is_known)
        note_loss(replay, context, counted.range_count / each, cycle->slot_count);
    cycle->slot_count = cycle->next = 0;
    return error->code;
}

/* Stops counting; the next pass, if there is one, waits for a launch like its first. */
static enum wl_code end_pass(struct wl_replayer *replay, struct wl_collect_context *context,
                             struct wl_error *error)
{
    enum wl_code code = wl_cupti_counting_stop(&context->counting, error);
    context->cycle->next = 0;
    context->cycle->waits = 0;
    if (!code && !context->counting.is_under_way)
        code = take_cycle(replay, context, error);
    return code;
}

static enum wl_code end_cycle(struct wl_replayer *replay, struct wl_collect_context *context,
                              bool is_last, struct wl_error *error)
{
    enum wl_code code = WL_OK;
    if (!context->counting.is_started && !context->counting.is_under_way)
        return WL_OK;
    if (!is_last)
        code = wl_cupti_counting_end_passes(&context->counting, error);
    else if (context->counting.is_started)
        code = wl_cupti_counting_stop(&context->counting, error);
    return code ? code : take_cycle(replay, context, error);
}

/* ---- launches ---- */

/* Groups take turns at beginning a cycle, as only a cycle's first launch is sure to be met again.
 */
static bool is_turn(const struct wl_replayer *replay, struct wl_collect_context *context,
                    const struct wl_collect_group *group)
{
    const struct wl_collect_group *other, *next;
    HASH_ITER(hh, replay->groups.items, other, next)
    {
        if (is_waited_for(other, context) && other->spread->attempts < group->spread->attempts)
            return false;
    }
    return true;
}

static enum wl_code begin_cycle(const struct wl_replayer *replay,
                                struct wl_collect_context *context,
                                const struct wl_collect_group *group, struct wl_error *error)
{
    enum wl_code code = WL_OK;
    const struct wl_collect_group *other, *next;
    size_t parts = context->counting.plan.parts.count;
    uint32_t groups = 0, all = 0, round = group->spread->cycles / (uint32_t)parts;
    HASH_ITER(hh, replay->groups.items, other, next)
    {
        groups += is_waited_for(other, context);
        all += other->spread && other->spread->is_wanted && other->key.context_id == context->id;
    }
    context->cycle->rounds = all >= groups_many ? 1 : share_count;
    uint32_t wanted = shares[round < share_count ? round : share_count - 1] * groups;
    context->part = group->spread->cycles % parts;
    context->cycle->slot_count = context->cycle->next = context->cycle->useful = 0;
    if (groups >= groups_many)
        code = wl_cupti_counting_make_room(
            &context->counting, long_pass * wl_collect_context_ranges_each(context), error);
    context->cycle->length = context->counting.ranges_max / wl_collect_context_ranges_each(context);
    if (context->cycle->length > long_pass)
        context->cycle->length = long_pass;
    context->cycle->wanted = wanted < context->cycle->length ? wanted : context->cycle->length;
    return code;
}

static enum wl_code begin_pass(struct wl_replayer *replay, struct wl_collect_context *context,
                               const struct wl_collect_group *group, bool *is_begun,
                               struct wl_error *error)
{
    struct wl_spread_cycle *cycle = cycle_of(context);
    enum wl_code code = WL_OK;
    *is_begun = false;
    cycle->waits++;
    if (context->counting.is_under_way && cycle->slots[0] != group && cycle->waits < patience)
        return WL_OK;
    if (context->counting.is_under_way && cycle->slots[0] != group)
        code = end_cycle(replay, context, false, error);
    if (code || group->spread->is_done)
        return code;
    if (!context->counting.is_under_way && !is_turn(replay, context, group))
        return WL_OK;
    if (!context->counting.is_under_way)
        code = begin_cycle(replay, context, group, error);
    if (code)
        return code;
    context->range_count = cycle->next = 0;
    code = wl_cupti_counting_start(&context->counting, context->part, WL_CUPTI_USER_REPLAY, error);
    *is_begun = code == WL_OK;
    return code;
}

static bool is_first_pass(const struct wl_collect_context *context)
{
    return context->counting.pass == 0;
}

/* False: it is not the launch that this pass must have next. */
static bool take_slot(struct wl_collect_context *context, struct wl_collect_group *group)
{
    struct wl_spread_cycle *cycle = cycle_of(context);
    if (is_first_pass(context)) {
        cycle->slots[cycle->slot_count++] = group;
        cycle->useful += !group->spread->is_done;
    } else if (cycle->next >= cycle->slot_count || cycle->slots[cycle->next] != group)
        return false;
    cycle->next++;
    return true;
}

static bool begin_launch(struct wl_replayer *replay, struct wl_collect_context *context,
                         struct wl_collect_launch *launch, struct wl_error *error)
{
    struct wl_spread *spread = spread_of(launch->group);
    bool is_open = context->counting.is_started;
    spread->last = ++cycle_of(context)->launches;
    if (spread->is_done && !is_open)
        return false;
    spread->is_wanted = true;
    if (!is_open && begin_pass(replay, context, launch->group, &is_open, error) != WL_OK)
        return false;
    if (!is_open)
        return false;
    if (!take_slot(context, launch->group)) {
        end_pass(replay, context, error);
        return false;
    }
    wl_collect_context_begin_range(context, launch);
    launch->mode = &wl_replay_spread;
    launch->has_carried = true;
    launch->group->carried++;
    spread->launches += !spread->is_done;
    return true;
}

static bool begin(struct wl_replayer *replay, struct wl_collect_context *context,
                  struct wl_collect_launch *launch, const struct wl_collect_call *call)
{
    struct wl_error error = {0};
    (void)call;
    if (!wl_collect_counters_have_for(&replay->counters, context, launch))
        return false;
    wl_replay_flush(replay, context);
    if (context->counters != WL_COLLECT_ON || !context->is_own)
        return false;
    bool is_counted = begin_launch(replay, context, launch, &error);
    if (error.code)
        wl_collect_counters_stop(&replay->counters, context, &error);
    return is_counted && context->counters == WL_COLLECT_ON;
}

/* Ends the pass before its time. */
static void interrupt_pass(struct wl_replayer *replay, struct wl_collect_context *context,
                           bool is_refused)
{
    struct wl_spread_cycle *cycle = cycle_of(context);
    struct wl_error error = {0};
    if (!context->is_own || context->is_saved || !context->counting.is_started)
        return;
    if (is_refused && is_first_pass(context) && cycle->slot_count)
        cycle->useful -= !cycle->slots[--cycle->slot_count]->spread->is_done;
    if (end_pass(replay, context, &error) != WL_OK)
        wl_collect_counters_stop(&replay->counters, context, &error);
}

static void interrupt(struct wl_replayer *replay, struct wl_collect_context *context)
{
    if (context->cycle)
        interrupt_pass(replay, context, false);
}

static void refuse(struct wl_replayer *replay, struct wl_collect_context *context,
                   struct wl_collect_launch *launch)
{
    (void)launch;
    interrupt_pass(replay, context, true);
}

/* Ends the pass if it was the last launch of it. The first launch that carried one is kept. */
static void end(struct wl_replayer *replay, struct wl_collect_context *context,
                struct wl_collect_launch *launch, const struct wl_collect_call *call)
{
    const struct wl_spread_cycle *cycle = cycle_of(context);
    struct wl_spread *spread = spread_of(launch->group);
    struct wl_error error = {0};
    bool is_full = is_first_pass(context)
                       ? cycle->useful >= cycle->wanted || cycle->slot_count >= cycle->length
                       : cycle->next >= cycle->slot_count;
    (void)call;
    if (context->counting.is_started && is_full && end_pass(replay, context, &error) != WL_OK)
        wl_collect_counters_stop(&replay->counters, context, &error);
    if (!spread->first && !spread->is_done) {
        spread->first = launch;
        wl_collect_times_ignore(&replay->times, launch);
    } else {
        wl_collect_instructions_take(&replay->instructions, context, launch);
    }
}

/* ---- the values of a group ---- */

static void add_values(const struct wl_spread *spread, struct wl_collect_launch *launch)
{
    launch->replay = wl_replay_spread.name;
    launch->uncounted = NULL;
    for (size_t i = 0; i < spread->values.count; i++) {
        const struct spread_value *value = &spread->values.items[i];
        double mean = value->sum / value->count;
        double above = value->most - mean, below = mean - value->least;
        wl_collect_launch_add_value(launch, value->name, mean);
        if (value->count > 1 && mean != 0)
            wl_collect_launch_add_value(launch, value->spread_name,
                                        100 * (above > below ? above : below) / fabs(mean));
    }
    wl_collect_launch_add_value(launch, "launch__spread_launches", (double)spread->launches);
}

/* Sends the group's first launch with the values of all. Their names live on with the group. */
static void send_group(struct wl_replayer *replay, struct wl_collect_group *group)
{
    struct wl_spread *spread = group->spread;
    if (!spread || !spread->first)
        return;
    struct wl_collect_launch *first = spread->first;
    spread->first = NULL;
    if (spread->values.count)
        add_values(spread, first);
    wl_collect_times_wait(&replay->times, first);
}

static void after(struct wl_replayer *replay, struct wl_collect_group *group)
{
    if (group->spread && group->spread->is_done)
        send_group(replay, group);
}

static void finish(struct wl_replayer *replay)
{
    struct wl_collect_group *group, *next;
    HASH_ITER(hh, replay->groups.items, group, next)
    {
        send_group(replay, group);
    }
}

static void close(struct wl_collect_context *context)
{
    free(context->cycle);
    context->cycle = NULL;
}

bool wl_replay_spread_is_open(const struct wl_collect_context *context)
{
    return context->cycle && context->is_own && !context->is_saved && context->counting.is_started;
}

bool wl_replay_spread_is_done(const struct wl_collect_group *group)
{
    return group->spread && group->spread->is_done;
}

const struct wl_replay_mode *wl_replay_spread_or_none(const struct wl_collect_context *context,
                                                      const struct wl_collect_group *group)
{
    return wl_replay_spread_is_done(group) && !wl_replay_spread_is_open(context)
               ? &wl_replay_none
               : &wl_replay_spread;
}

static const struct wl_replay_mode *choose(const struct wl_replayer *replay,
                                           const struct wl_collect_context *context,
                                           const struct wl_collect_group *group, uint64_t before)
{
    (void)replay, (void)before;
    return wl_replay_spread_or_none(context, group);
}

const struct wl_replay_mode wl_replay_spread = {
    .name = "spread",
    .choose = choose,
    .is_some = true,
    .begin = begin,
    .end = end,
    .refuse = refuse,
    .interrupt = interrupt,
    .after = after,
    .is_waiting = is_waiting,
    .rest = end_cycle,
    .finish = finish,
    .close = close,
};
