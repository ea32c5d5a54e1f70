/* Launches without their values, where there are very many: a list for each field. What launches of
 * a kernel, shape and place share stands once. */
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/memory.h"
#include "report/keys.h"
#include "show/export/html.h"
#include "show/format/json.h"
#include "show/page/advice_text.h"
#include "show/page/fields.h"
#include "show/page/kinds.h"

enum { most_whole = 1000 };
static const char time_name[] = "gpu__time_duration.sum";

bool wl_html_is_bare(const struct wl_html *html)
{
    return !html->only && html->contexts[0].launch_count > most_whole;
}

static bool is_named(const char *ids, int64_t key)
{
    for (const char *at = ids; *at;) {
        char *end = NULL;
        long long id = strtoll(at, &end, 10);
        if (end == at)
            return false;
        if (id == key)
            return true;
        at = *end == ',' ? end + 1 : end;
    }
    return false;
}

bool wl_html_is_wanted(const struct wl_html *html, size_t number,
                       const struct wl_report_launch *launch)
{
    if (html->only)
        return is_named(html->only, launch->key);
    return !html->whole || html->whole[number][launch->key];
}

/* ---- which launches the page has whole ---- */

static bool is_counted(const struct wl_report_launch *launch)
{
    return wl_report_attribute(launch, "launch__uncounted") == NULL;
}

static size_t take(bool *whole, size_t room, const struct wl_report_launch *launch)
{
    if (room == 0 || !launch || whole[launch->key])
        return room;
    whole[launch->key] = true;
    return room - 1;
}

bool *wl_html_choose_whole(const struct wl_view_context *context)
{
    size_t count = 0, room = most_whole;
    struct wl_kinds kinds;
    wl_report_launches(context->report, &count);
    bool *whole = wl_alloc_zero(count + 1, sizeof *whole);
    for (size_t i = 0; context->advice && i < context->advice->finding_count; i++)
        room = take(whole, room, context->advice->findings[i].launch);
    wl_kinds_make(context, time_name, &kinds);
    for (size_t i = 0; i < kinds.count; i++) {
        room = take(whole, room, kinds.items[i].launch);
        room = take(whole, room, kinds.items[i].heaviest);
    }
    wl_kinds_free(&kinds);
    for (size_t i = 0; i < context->launch_count && room; i++) {
        const struct wl_report_launch *launch = context->launches[i];
        if (launch->record.status == WL_LAUNCH_FAILED || is_counted(launch))
            room = take(whole, room, launch);
    }
    return whole;
}

/* ---- all launches ---- */

const char *wl_html_function(const struct wl_report_launch *launch)
{
    const struct wl_report_kernel *kernel = launch->kernel;
    if (kernel && kernel->family && kernel->short_name && kernel->short_name[0])
        return kernel->short_name;
    return kernel && kernel->record.function && kernel->record.function[0]
               ? kernel->record.function
               : wl_fields_kernel(launch);
}

struct bare {
    struct wl_keys kernels, kinds, ranges, places;
    struct wl_html_table wheres;
    json_t *of_kernels;                      /* objects */
    json_t *kernel, *where, *grids, *blocks; /* of each kind */
    json_t *ids, *starts;                    /* of each launch, as steps from the one before, and */
    json_t *of_kind, *times;
    json_t *failed;                  /* positions of some */
    WL_VECTOR(json_int_t) of_places; /* the position in wheres of each place */
};

void wl_html_add_kernel(const struct wl_report_launch *launch, json_t *object)
{
    const char *function = wl_html_function(launch),
               *name = launch->kernel ? launch->kernel->short_name : NULL;
    json_object_set_new(object, "function", wl_json_text(function));
    if (name && name[0] && strcmp(name, function) != 0)
        json_object_set_new(object, "short_name", wl_json_text(name));
    json_object_set_new(object, "is_stand_in",
                        json_boolean(launch->kernel && launch->kernel->module.is_stand_in));
}

static json_t *kernel_json(const struct wl_report_launch *launch)
{
    json_t *object = json_object();
    json_object_set_new(object, "kernel_name", wl_json_text(wl_fields_kernel(launch)));
    wl_html_add_kernel(launch, object);
    return object;
}

/* What a launch shows of itself besides its kernel, shape, number and values. */
static json_t *where_json(const struct wl_report_launch *launch)
{
    static const char *const others[] = {"id",         "kernel_name", "grid_size",
                                         "block_size", "status",      "message"};
    json_t *where = wl_fields_json(launch);
    const struct wl_record_attribute *uncounted = wl_report_attribute(launch, "launch__uncounted");
    for (size_t i = 0; i < WL_COUNT(others); i++)
        json_object_del(where, others[i]);
    if (uncounted && uncounted->text)
        json_object_set_new(where, "uncounted", wl_json_text(uncounted->text));
    return where;
}

static void add_triple(json_t *list, const uint32_t *triple)
{
    for (int i = 0; i < 3; i++)
        json_array_append_new(list, json_integer(triple[i]));
}

/* What all launches of a place share but for kernel and shape. */
struct place {
    const void *device, *process, *attributes;
    int64_t range;
    uint32_t context_id, stream_id;
}; /* has no padding */

/* The position in wheres of a launch's place; it is added if it is new. */
static json_int_t find_where(struct bare *bare, const struct place *place,
                             const struct wl_report_launch *launch)
{
    int64_t number;
    if (!wl_keys_intern(&bare->places, place, sizeof *place, &number))
        WL_PUSH(&bare->of_places, wl_html_intern(&bare->wheres, where_json(launch)));
    return bare->of_places.items[number - 1];
}

/* The position of a launch's kind among all; it is added if it is new. */
static json_int_t find_kind(struct bare *bare, const struct wl_report_launch *launch)
{
    const struct wl_record_launch *record = &launch->record;
    struct {
        struct place place;
        const void *kernel;
        uint32_t grid[3], block[3];
    } key; /* has no padding */
    int64_t kind, kernel;
    key.place.device = launch->device;
    key.place.process = launch->process;
    key.place.attributes = record->attributes;
    key.place.context_id = record->context_id;
    key.place.stream_id = record->stream_id;
    wl_keys_intern(&bare->ranges, record->range, strlen(record->range), &key.place.range);
    key.kernel = launch->kernel;
    memcpy(key.grid, record->grid, sizeof key.grid);
    memcpy(key.block, record->block, sizeof key.block);
    if (wl_keys_intern(&bare->kinds, &key, sizeof key, &kind))
        return kind - 1;
    if (!wl_keys_intern(&bare->kernels, &key.kernel, sizeof key.kernel, &kernel))
        json_array_append_new(bare->of_kernels, kernel_json(launch));
    json_array_append_new(bare->kernel, json_integer(kernel - 1));
    json_array_append_new(bare->where, json_integer(find_where(bare, &key.place, launch)));
    add_triple(bare->grids, record->grid);
    add_triple(bare->blocks, record->block);
    return kind - 1;
}

static enum wl_mark add_launches(struct bare *bare, const struct wl_view_context *context)
{
    enum wl_mark mark = WL_MARK_EXACT, own;
    uint64_t before_ns = context->launch_count ? context->launches[0]->record.start_ns : 0;
    int64_t id = 0;
    for (size_t i = 0; i < context->launch_count; i++) {
        const struct wl_report_launch *launch = context->launches[i];
        double duration_ns;
        json_array_append_new(bare->ids, json_integer(launch->key - id));
        id = launch->key;
        json_array_append_new(bare->of_kind, json_integer(find_kind(bare, launch)));
        json_array_append_new(bare->starts,
                              json_integer((json_int_t)(launch->record.start_ns - before_ns)));
        before_ns = launch->record.start_ns;
        if (launch->record.status == WL_LAUNCH_FAILED)
            json_array_append_new(bare->failed, json_integer((json_int_t)i));
        bool is_timed = wl_report_value(launch, time_name, &duration_ns, &own);
        json_array_append_new(bare->times, is_timed ? wl_json_number(duration_ns) : json_null());
        mark = is_timed && own > mark ? own : mark;
    }
    return mark;
}

/* Times by kernel and shape, as all pages have them: the launch that stands for each kind, how many
 * there are, what they take together (null: not known), and the least and most of one. */
static json_t *groups_json(const struct wl_view_context *context)
{
    struct wl_kinds kinds;
    json_t *launch = json_array(), *count = json_array(), *ns = json_array(), *least = json_array(),
           *most = json_array();
    wl_kinds_make(context, time_name, &kinds);
    for (size_t i = 0; i < kinds.count; i++) {
        const struct wl_kind *kind = &kinds.items[i];
        json_array_append_new(launch, json_integer(kind->launch->key));
        json_array_append_new(count, json_integer((json_int_t)kind->launches));
        json_array_append_new(ns, kind->timed ? wl_json_number(kind->total_ns) : json_null());
        json_array_append_new(least, wl_json_number(kind->least_ns));
        json_array_append_new(most, wl_json_number(kind->most_ns));
    }
    json_t *groups =
        json_pack("{s:o, s:o, s:o, s:o, s:o, s:I}", "launch", launch, "count", count, "ns", ns,
                  "least", least, "most", most, "untimed", (json_int_t)kinds.untimed);
    wl_kinds_free(&kinds);
    return groups;
}

json_t *wl_html_bare_launches(const struct wl_view_context *context)
{
    struct bare bare = {0};
    json_t **const lists[] = {&bare.of_kernels, &bare.kernel, &bare.where,   &bare.grids,
                              &bare.blocks,     &bare.ids,    &bare.of_kind, &bare.starts,
                              &bare.times,      &bare.failed};
    for (size_t i = 0; i < WL_COUNT(lists); i++)
        *lists[i] = json_array();
    enum wl_mark mark = add_launches(&bare, context);
    wl_keys_free(&bare.kernels);
    wl_keys_free(&bare.kinds);
    wl_keys_free(&bare.ranges);
    wl_keys_free(&bare.places);
    free(bare.of_places.items);
    json_t *kinds = json_pack("{s:o, s:o, s:o, s:o}", "kernel", bare.kernel, "where", bare.where,
                              "grids", bare.grids, "blocks", bare.blocks);
    return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:i}", "kernels",
                     bare.of_kernels, "wheres", wl_html_table_take(&bare.wheres), "kinds", kinds,
                     "groups", groups_json(context), "id_steps", bare.ids, "of_kind", bare.of_kind,
                     "start_steps_ns", bare.starts, "duration_ns", bare.times, "failed",
                     bare.failed, "mark", (int)mark);
}
