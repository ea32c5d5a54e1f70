#include "record/filter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "record/nvtx_expression.h"
#include "record/pattern.h"
#include "record/steps.h"

#define uthash_malloc(size_bytes) wl_alloc(size_bytes) /* its own answer to no memory is exit() */
#include <uthash.h>

/* How often a kernel of this name was launched, for the last field of --kernel-id; or what
 * --filter-mode counts apart. */
struct invocation {
    char *name;
    uint64_t count, matches, profiled;
    UT_hash_handle hh;
};

struct expressions {
    WL_VECTOR_FIELDS(struct wl_nvtx_expression *);
};

struct wl_filter {
    enum wl_kernel_name_base base;
    struct wl_pattern name;
    /* --kernel-id; fields that were left empty are not set */
    bool has_id;
    struct wl_pattern id_context, id_stream, id_name, id_invocation;
    struct invocation *invocations;
    struct expressions include, exclude;
    uint64_t skip, count, skip_before_match;
    enum wl_filter_mode mode;
    struct invocation whole;  /* of --filter-mode global */
    struct invocation *parts; /* else, by what is counted apart */
    uint64_t launches;
    bool is_active;
    char *asks_in; /* the stream folder, where the user is asked about each launch; NULL: not */
};

/* ---- --kernel-id context:stream:[regex:]name:invocation ---- */

static bool is_number(const char *text)
{
    return *text != '\0' && strspn(text, "0123456789") == strlen(text);
}

/* A context or stream: empty or a number. Names that a program gave it are not known here. */
static enum wl_code parse_id_number(const char *what, const char *field, struct wl_pattern *pattern,
                                    struct wl_error *error)
{
    if (*field == '\0')
        return WL_OK;
    if (!is_number(field)) {
        wl_error_set(error, WL_ERR_USAGE, "--kernel-id: the %s '%s' is not a number", what, field);
        wl_error_set_hint(error, "names of contexts and streams (NVTX) are not supported");
        return WL_ERR_USAGE;
    }
    char canonical[24];
    snprintf(canonical, sizeof canonical, "%llu", strtoull(field, NULL, 10));
    return wl_pattern_create("--kernel-id", canonical, false, pattern, error);
}

static enum wl_code parse_id_invocation(const char *field, struct wl_pattern *pattern,
                                        struct wl_error *error)
{
    if (*field == '\0')
        return WL_OK;
    return wl_pattern_create("--kernel-id", field, !is_number(field), pattern, error);
}

/* The name may hold colons ("a::b"): two fields are split off its left, one off its right. */
static enum wl_code parse_id(struct wl_filter *filter, const char *text, struct wl_error *error)
{
    enum wl_code code = WL_OK;
    char *copy = wl_string_copy(text);
    char *stream = strchr(copy, ':');
    char *name = stream ? strchr(stream + 1, ':') : NULL;
    char *invocation = name ? strrchr(name + 1, ':') : NULL;
    if (!invocation) {
        code = wl_error_set(error, WL_ERR_USAGE, "--kernel-id '%s': four fields are needed", text);
        wl_error_set_hint(error, "context:stream:[regex:]name:invocation; each may be empty, as in "
                                 "::name:2");
        goto out;
    }
    *stream++ = *name++ = *invocation++ = '\0';
    if ((code = parse_id_number("context", copy, &filter->id_context, error)) != WL_OK ||
        (code = parse_id_number("stream", stream, &filter->id_stream, error)) != WL_OK)
        goto out;
    if (*name && (code = wl_pattern_parse("--kernel-id", name, &filter->id_name, error)) != WL_OK)
        goto out;
    code = parse_id_invocation(invocation, &filter->id_invocation, error);
    filter->has_id = true;
out:
    free(copy);
    return code;
}

/* ---- making it ---- */

static enum wl_code parse_expressions(const char *option, const char *lines,
                                      struct expressions *expressions, struct wl_error *error)
{
    for (const char *line = lines; *line;) {
        size_t length = strcspn(line, "\n");
        if (length > 0) {
            char *text = wl_string_copy_length(line, length);
            struct wl_nvtx_expression *expression;
            enum wl_code code = wl_nvtx_expression_create(option, text, &expression, error);
            free(text);
            if (code != WL_OK)
                return code;
            WL_PUSH(expressions, expression);
        }
        line += length + (line[length] == '\n');
    }
    return WL_OK;
}

enum wl_code wl_filter_create(const struct wl_settings *settings, struct wl_filter **filter,
                              struct wl_error *error)
{
    struct wl_filter *made = wl_alloc_zero(1, sizeof *made);
    enum wl_code code = WL_OK;
    made->base = settings->kernel_name_base;
    made->mode = settings->filter_mode;
    made->skip = settings->launch_skip;
    made->count = settings->launch_count;
    made->skip_before_match = settings->launch_skip_before_match;
    made->is_active = settings->profile_from_start;
    if (settings->interactive && settings->stream_folder[0])
        made->asks_in = wl_string_copy(settings->stream_folder);
    *filter = NULL;
    if (settings->kernel_name[0])
        code = wl_pattern_parse("--kernel-name", settings->kernel_name, &made->name, error);
    if (code == WL_OK && settings->kernel_id[0])
        code = parse_id(made, settings->kernel_id, error);
    if (code == WL_OK)
        code = parse_expressions("--nvtx-include", settings->nvtx_include, &made->include, error);
    if (code == WL_OK)
        code = parse_expressions("--nvtx-exclude", settings->nvtx_exclude, &made->exclude, error);
    if (code == WL_OK)
        *filter = made;
    else
        wl_filter_free(made);
    return code;
}

static void free_expressions(struct expressions *expressions)
{
    for (size_t i = 0; i < expressions->count; i++)
        wl_nvtx_expression_free(expressions->items[i]);
    free(expressions->items);
}

static void free_invocations(struct invocation **list)
{
    struct invocation *invocation, *next;
    HASH_ITER(hh, *list, invocation, next)
    {
        HASH_DEL(*list, invocation);
        free(invocation->name);
        free(invocation);
    }
}

void wl_filter_free(struct wl_filter *filter)
{
    if (!filter)
        return;
    wl_pattern_free(&filter->name);
    wl_pattern_free(&filter->id_context);
    wl_pattern_free(&filter->id_stream);
    wl_pattern_free(&filter->id_name);
    wl_pattern_free(&filter->id_invocation);
    free_invocations(&filter->invocations);
    free_invocations(&filter->parts);
    free_expressions(&filter->include);
    free_expressions(&filter->exclude);
    free(filter->asks_in);
    free(filter);
}

/* ---- asking it ---- */

static const char *name_of(const struct wl_filter *filter, const struct wl_filter_launch *launch)
{
    switch (filter->base) {
    case WL_NAME_FUNCTION:
        return launch->function;
    case WL_NAME_DEMANGLED:
        return launch->demangled;
    case WL_NAME_MANGLED:
        return launch->mangled;
    }
    return launch->mangled;
}

static struct invocation *find_invocation(struct invocation **list, const char *name)
{
    struct invocation *invocation = NULL;
    HASH_FIND_STR(*list, name, invocation);
    if (!invocation) {
        invocation = wl_alloc_zero(1, sizeof *invocation);
        invocation->name = wl_string_copy(name);
        HASH_ADD_KEYPTR(hh, *list, invocation->name, strlen(name), invocation);
    }
    return invocation;
}

static bool matches_name(const struct wl_pattern *pattern, const struct wl_filter *filter,
                         const struct wl_filter_launch *launch)
{
    return wl_pattern_matches(pattern, name_of(filter, launch)) ||
           (launch->alias && filter->base == WL_NAME_FUNCTION &&
            wl_pattern_matches(pattern, launch->alias));
}

/* The number of this invocation of a kernel of that name, from 1. */
static uint64_t count_invocation(struct wl_filter *filter, const char *name)
{
    return ++find_invocation(&filter->invocations, name)->count;
}

/* What --launch-skip and --launch-count count this launch with. */
static struct invocation *part_of(struct wl_filter *filter, const struct wl_filter_launch *launch)
{
    static const uint32_t none[3];
    const uint32_t *grid = launch->grid ? launch->grid : none;
    const uint32_t *block = launch->block ? launch->block : none;
    if (filter->mode == WL_FILTER_GLOBAL)
        return &filter->whole;
    char *name = filter->mode == WL_FILTER_PER_GPU
                     ? wl_string_format("%u", launch->context_id)
                     : wl_string_format("%u,%u,%u %u,%u,%u %s", grid[0], grid[1], grid[2], block[0],
                                        block[1], block[2], launch->mangled);
    struct invocation *part = find_invocation(&filter->parts, name);
    free(name);
    return part;
}

static bool matches_number(const struct wl_pattern *pattern, uint64_t number)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%llu", (unsigned long long)number);
    return wl_pattern_matches_all(pattern, digits);
}

static bool matches_id(struct wl_filter *filter, const struct wl_filter_launch *launch)
{
    const char *name = name_of(filter, launch);
    uint64_t invocation = count_invocation(filter, name);
    return matches_number(&filter->id_context, launch->context_id) &&
           matches_number(&filter->id_stream, launch->stream_id) &&
           matches_name(&filter->id_name, filter, launch) &&
           matches_number(&filter->id_invocation, invocation);
}

static bool matches_any(const struct expressions *expressions,
                        const struct wl_filter_launch *launch)
{
    for (size_t i = 0; i < expressions->count; i++)
        if (wl_nvtx_expression_matches(expressions->items[i], launch->ranges, launch->range_count))
            return true;
    return false;
}

static bool ask(const struct wl_filter *filter, const struct wl_filter_launch *launch)
{
    struct wl_steps_question question = {.process = getpid()};
    if (launch->grid)
        memcpy(question.grid, launch->grid, sizeof question.grid);
    if (launch->block)
        memcpy(question.block, launch->block, sizeof question.block);
    snprintf(question.kernel, sizeof question.kernel, "%s", launch->function);
    return wl_steps_ask(filter->asks_in, &question);
}

bool wl_filter_accept(struct wl_filter *filter, const struct wl_filter_launch *launch)
{
    bool is_id = !filter->has_id || matches_id(filter, launch); /* counts invocations: always */
    if (!filter->is_active)
        return false;
    if (filter->launches++ < filter->skip_before_match)
        return false;
    if (!is_id || !matches_name(&filter->name, filter, launch))
        return false;
    if (filter->include.count > 0 && !matches_any(&filter->include, launch))
        return false;
    if (matches_any(&filter->exclude, launch))
        return false;
    struct invocation *part = part_of(filter, launch);
    if (part->matches++ < filter->skip)
        return false;
    if (filter->count > 0 && part->profiled >= filter->count)
        return false;
    if (filter->asks_in && !ask(filter, launch))
        return false;
    part->profiled++;
    return true;
}

bool wl_filter_has_ranges(const struct wl_filter *filter, const char *const *ranges, size_t count)
{
    const struct wl_filter_launch asked = {.ranges = ranges, .range_count = count};
    return matches_any(&filter->include, &asked) && !matches_any(&filter->exclude, &asked);
}

void wl_filter_set_active(struct wl_filter *filter, bool active)
{
    filter->is_active = active;
}

bool wl_filter_is_finished(const struct wl_filter *filter)
{
    return filter->mode == WL_FILTER_GLOBAL && filter->count > 0 &&
           filter->whole.profiled >= filter->count;
}
