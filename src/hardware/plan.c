#include "hardware/plan.h"

#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/memory.h"

/* ---- sets ---- */

enum set { T, B, D, F };

static const struct {
    const char *name;
    enum set set;
} set_names[] = {{"", T}, {"triage", T}, {"basic", B}, {"detailed", D}, {"full", F}};

static const struct {
    const char *name;
    enum set set;
} set_metrics[] = {
#define METRIC(name, set) {name, set},
#include "hardware/sets.def"
#undef METRIC
};

bool wl_cupti_set_metrics(const char *set, struct wl_text *metrics)
{
    for (size_t i = 0; i < WL_COUNT(set_names); i++) {
        if (strcmp(set, set_names[i].name) != 0)
            continue;
        for (size_t row = 0; row < WL_COUNT(set_metrics); row++)
            if (set_metrics[row].set <= set_names[i].set)
                wl_text_addf(metrics, "%s\n", set_metrics[row].name);
        return true;
    }
    return false;
}

/* ---- the host side ---- */

struct planner {
    const struct wl_cupti *cupti;
    const char *chip;
    const uint8_t *availability;
    struct wl_cupti_plan *plan;
};

static int open_host(const struct planner *planner, struct wl_cupti_host **host)
{
    struct wl_cupti_host_initialize call = {
        WL_CUPTI_INIT(wl_cupti_host_initialize),
        .profiler_type = WL_CUPTI_RANGE_PROFILER,
        .chip = planner->chip,
        .availability = planner->availability,
    };
    int result = planner->cupti->cuptiProfilerHostInitialize(&call);
    *host = result == WL_CUPTI_SUCCESS ? call.host : NULL;
    return result;
}

static void close_host(const struct wl_cupti *cupti, struct wl_cupti_host *host)
{
    struct wl_cupti_host_deinitialize call = {WL_CUPTI_INIT(wl_cupti_host_deinitialize),
                                              .host = host};
    if (host)
        cupti->cuptiProfilerHostDeinitialize(&call);
}

static int add_metrics(const struct planner *planner, struct wl_cupti_host *host,
                       const char **metrics, size_t count)
{
    struct wl_cupti_host_add_metrics call = {
        WL_CUPTI_INIT(wl_cupti_host_add_metrics),
        .host = host,
        .metrics = metrics,
        .metric_count = count,
    };
    return planner->cupti->cuptiProfilerHostConfigAddMetrics(&call);
}

/* The configuration of a host object that has its metrics. */
static int make_config(const struct planner *planner, struct wl_cupti_part *part)
{
    struct wl_cupti_host_config_size size = {WL_CUPTI_INIT(wl_cupti_host_config_size),
                                             .host = part->host};
    int result = planner->cupti->cuptiProfilerHostGetConfigImageSize(&size);
    if (result != WL_CUPTI_SUCCESS)
        return result;
    part->config_bytes = size.config_bytes;
    part->config = wl_alloc_zero(1, size.config_bytes + 1);
    struct wl_cupti_host_config config = {
        WL_CUPTI_INIT(wl_cupti_host_config),
        .host = part->host,
        .config_bytes = part->config_bytes,
        .config = part->config,
    };
    result = planner->cupti->cuptiProfilerHostGetConfigImage(&config);
    if (result != WL_CUPTI_SUCCESS)
        return result;
    struct wl_cupti_host_passes passes = {
        WL_CUPTI_INIT(wl_cupti_host_passes),
        .config_bytes = part->config_bytes,
        .config = part->config,
    };
    result = planner->cupti->cuptiProfilerHostGetNumOfPasses(&passes);
    part->passes = passes.passes;
    return result;
}

static void free_part(const struct wl_cupti *cupti, struct wl_cupti_part *part)
{
    close_host(cupti, part->host);
    free(part->config);
    free(part->metrics);
    *part = (struct wl_cupti_part){0};
}

/* One part of all these metrics, or why not. */
static int make_part(const struct planner *planner, const char **metrics, size_t count,
                     struct wl_cupti_part *part)
{
    *part = (struct wl_cupti_part){.metric_count = count};
    int result = open_host(planner, &part->host);
    if (result == WL_CUPTI_SUCCESS)
        result = add_metrics(planner, part->host, metrics, count);
    if (result == WL_CUPTI_SUCCESS)
        result = make_config(planner, part);
    if (result == WL_CUPTI_SUCCESS) {
        part->metrics = wl_alloc(count * sizeof *metrics);
        memcpy(part->metrics, metrics, count * sizeof *metrics);
    } else {
        free_part(planner->cupti, part);
    }
    return result;
}

/* Parts of these metrics; halves where they do not go together. A single one that does not go is
 * refused. */
static int make_parts(const struct planner *planner, const char **metrics, size_t count)
{
    struct wl_cupti_part part;
    int result = make_part(planner, metrics, count, &part);
    if (result == WL_CUPTI_SUCCESS) {
        planner->plan->passes += part.passes;
        WL_PUSH(&planner->plan->parts, part);
        return result;
    }
    if (result == WL_CUPTI_ERROR_INVALID_CHIP_NAME || result == WL_CUPTI_ERROR_OUT_OF_MEMORY)
        return result;
    if (count == 1) {
        WL_PUSH(&planner->plan->refused, metrics[0]);
        return WL_CUPTI_SUCCESS;
    }
    result = make_parts(planner, metrics, count / 2);
    if (result == WL_CUPTI_SUCCESS)
        result = make_parts(planner, metrics + count / 2, count - count / 2);
    return result;
}

/* Takes out the metrics that the chip does not have. A host object that has refused one takes no
 * more: each is asked for of its own. */
static int refuse_unknown(const struct planner *planner, const char **metrics, size_t *count)
{
    size_t kept = 0;
    for (size_t i = 0; i < *count; i++) {
        struct wl_cupti_host *host = NULL;
        int result = open_host(planner, &host);
        if (result != WL_CUPTI_SUCCESS)
            return result;
        if (add_metrics(planner, host, &metrics[i], 1) == WL_CUPTI_SUCCESS)
            metrics[kept++] = metrics[i];
        else
            WL_PUSH(&planner->plan->refused, metrics[i]);
        close_host(planner->cupti, host);
    }
    *count = kept;
    return WL_CUPTI_SUCCESS;
}

/* Pointers to the lines of plan->names, which loses its newlines; each name once. */
static size_t split_names(struct wl_cupti_plan *plan, const char ***metrics)
{
    size_t count = 0, lines = 0;
    for (const char *at = plan->names; *at; at++)
        lines += *at == '\n';
    *metrics = wl_alloc((lines + 1) * sizeof **metrics);
    for (char *line = plan->names, *next; *line; line = next) {
        next = line + strcspn(line, "\n");
        if (*next)
            *next++ = '\0';
        bool is_new = *line != '\0';
        for (size_t i = 0; is_new && i < count; i++)
            is_new = strcmp((*metrics)[i], line) != 0;
        if (is_new)
            (*metrics)[count++] = line;
    }
    return count;
}

enum wl_code wl_cupti_plan_make(const struct wl_cupti *cupti, const char *chip,
                                const uint8_t *availability, const char *metrics,
                                struct wl_cupti_plan *plan, struct wl_error *error)
{
    const char **wanted = NULL;
    struct planner planner = {cupti, chip, availability, plan};
    *plan = (struct wl_cupti_plan){.cupti = cupti, .names = wl_string_copy(metrics)};
    size_t count = split_names(plan, &wanted);
    struct wl_cupti_part part;
    int result = WL_CUPTI_SUCCESS;
    if (count)
        result = make_part(&planner, wanted, count, &part);
    if (count && result == WL_CUPTI_SUCCESS) {
        plan->passes = part.passes;
        WL_PUSH(&plan->parts, part);
    } else if (count) {
        result = refuse_unknown(&planner, wanted, &count);
        if (result == WL_CUPTI_SUCCESS && count)
            result = make_parts(&planner, wanted, count);
    }
    free(wanted);
    if (result == WL_CUPTI_SUCCESS)
        return WL_OK;
    wl_cupti_fail(error, "planning the counters", result);
    return wl_error_set_where(error, "%s", chip);
}

void wl_cupti_plan_free(struct wl_cupti_plan *plan)
{
    for (size_t i = 0; i < plan->parts.count; i++)
        free_part(plan->cupti, &plan->parts.items[i]);
    free(plan->parts.items);
    free(plan->refused.items);
    free(plan->names);
    *plan = (struct wl_cupti_plan){0};
}

enum wl_code wl_cupti_part_evaluate(const struct wl_cupti *cupti, const struct wl_cupti_part *part,
                                    const uint8_t *image, size_t image_bytes, size_t range,
                                    double *values, struct wl_error *error)
{
    struct wl_cupti_host_evaluate call = {
        WL_CUPTI_INIT(wl_cupti_host_evaluate),
        .host = part->host,
        .image = image,
        .image_bytes = image_bytes,
        .range = range,
        .metrics = part->metrics,
        .metric_count = part->metric_count,
        .values = values,
    };
    int result = cupti->cuptiProfilerHostEvaluateToGpuValues(&call);
    return result == WL_CUPTI_SUCCESS ? WL_OK
                                      : wl_cupti_fail(error, "evaluating the counters", result);
}

/* ---- what a chip has ---- */

static const struct {
    uint32_t capability;
    const char *chip;
} chips[] = {
    {75, "TU102"}, {80, "GA100"},  {86, "GA102"},  {87, "GA10B"},  {89, "AD102"},
    {90, "GH100"}, {100, "GB100"}, {103, "GB110"}, {120, "GB202"},
};

const char *wl_cupti_chip_of(uint32_t capability)
{
    for (size_t i = 0; i < WL_COUNT(chips); i++)
        if (chips[i].capability == capability)
            return chips[i].chip;
    return NULL;
}

static int list_type(const struct planner *planner, struct wl_cupti_host *host, int type,
                     struct wl_text *names)
{
    struct wl_cupti_host_base_metrics base = {WL_CUPTI_INIT(wl_cupti_host_base_metrics),
                                              .host = host, .metric_type = type};
    int result = planner->cupti->cuptiProfilerHostGetBaseMetrics(&base);
    for (size_t i = 0; result == WL_CUPTI_SUCCESS && i < base.count; i++) {
        struct wl_cupti_host_sub_metrics sub = {
            WL_CUPTI_INIT(wl_cupti_host_sub_metrics),
            .host = host,
            .metric_type = type,
            .metric = base.names[i],
        };
        result = planner->cupti->cuptiProfilerHostGetSubMetrics(&sub);
        for (size_t at = 0; result == WL_CUPTI_SUCCESS && at < sub.count; at++)
            wl_text_addf(names, "%s%s%s\n", base.names[i], sub.names[at][0] == '.' ? "" : ".",
                         sub.names[at]);
    }
    return result;
}

enum wl_code wl_cupti_chip_metrics(const struct wl_cupti *cupti, const char *chip,
                                   struct wl_text *names, struct wl_error *error)
{
    struct planner planner = {.cupti = cupti, .chip = chip};
    struct wl_cupti_host *host = NULL;
    int result = open_host(&planner, &host);
    for (int type = 0; result == WL_CUPTI_SUCCESS && type < WL_CUPTI_METRIC_TYPE_COUNT; type++)
        result = list_type(&planner, host, type, names);
    close_host(cupti, host);
    if (result == WL_CUPTI_SUCCESS)
        return WL_OK;
    wl_cupti_fail(error, "listing the metrics", result);
    return wl_error_set_where(error, "%s", chip);
}

/* ---- patterns ---- */

static const char pattern_word[] = "regex:";

/* Whether a line is a whole name of the chip; both lists end lines with newlines. */
static bool has_name(const struct wl_text *names, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = names->data; at && (at = strstr(at, name)); at += length)
        if ((at == names->data || at[-1] == '\n') && at[length] == '\n')
            return true;
    return false;
}

static enum wl_code add_matching(const struct wl_text *names, const char *expression,
                                 struct wl_text *expanded, struct wl_error *error)
{
    regex_t compiled;
    if (regcomp(&compiled, expression, REG_EXTENDED | REG_NOSUB) != 0)
        return wl_error_set(error, WL_ERR_USAGE, "bad expression '%s'", expression);
    for (const char *line = names->data; line && *line;) {
        size_t length = strcspn(line, "\n");
        char *name = wl_string_copy_length(line, length);
        if (regexec(&compiled, name, 0, NULL, 0) == 0)
            wl_text_addf(expanded, "%s\n", name);
        free(name);
        line += length + (line[length] == '\n');
    }
    regfree(&compiled);
    return WL_OK;
}

static void add_with_suffixes(const struct wl_text *names, const char *base,
                              struct wl_text *expanded)
{
    static const char *const suffixes[] = {".avg", ".max",   ".min",     ".sum",
                                           ".pct", ".ratio", ".max_rate"};
    bool is_found = false;
    for (size_t i = 0; i < WL_COUNT(suffixes); i++) {
        char *name = wl_string_format("%s%s", base, suffixes[i]);
        if (has_name(names, name)) {
            wl_text_addf(expanded, "%s\n", name);
            is_found = true;
        }
        free(name);
    }
    if (!is_found) /* to be refused by its name */
        wl_text_addf(expanded, "%s\n", base);
}

static bool is_plain(const char *metric)
{
    return strncmp(metric, pattern_word, sizeof pattern_word - 1) != 0 && strchr(metric, '.');
}

enum wl_code wl_cupti_expand_metrics(const struct wl_cupti *cupti, const char *chip,
                                     const char *metrics, struct wl_text *expanded,
                                     struct wl_error *error)
{
    struct wl_text names = {0};
    enum wl_code code = WL_OK;
    while (*metrics && !code) {
        size_t length = strcspn(metrics, "\n");
        char *metric = wl_string_copy_length(metrics, length);
        bool is_pattern = strncmp(metric, pattern_word, sizeof pattern_word - 1) == 0;
        if (!is_plain(metric) && !names.length) /* asked for once, where it is needed */
            code = wl_cupti_chip_metrics(cupti, chip, &names, error);
        if (!code && is_pattern)
            code = add_matching(&names, metric + sizeof pattern_word - 1, expanded, error);
        else if (!code && !strchr(metric, '.'))
            add_with_suffixes(&names, metric, expanded);
        else if (!code)
            wl_text_addf(expanded, "%s\n", metric);
        free(metric);
        metrics += length + (metrics[length] == '\n');
    }
    wl_text_free(&names);
    return code;
}
