#include "record/settings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum kind { KIND_TEXT, KIND_BOOL, KIND_U32, KIND_U64, KIND_CHOICE };

/* A key of the file. choices: the words of an enum in its order, NULL-ended. */
struct row {
    const char *key;
    enum kind kind;
    size_t offset;
    const char *initial; /* as written in the file */
    const char *const *choices;
};

static const char *const cache_controls[] = {"all", "none", NULL};
static const char *const l1_overrides[] = {"compiled", "on", "off", NULL};
static const char *const sources[] = {"sim", "hw", NULL};
static const char *const replays[] = {"auto",        "kernel", "none",      "spread",
                                      "application", "range",  "app-range", NULL};
static const char *const capture_ranges[] = {"none", "cudaProfilerApi", "nvtx", NULL};
static const char *const stacks[] = {"none", "all", "kernel", "memory", "sync", NULL};
static const char *const name_bases[] = {"function", "demangled", "mangled", NULL};

#define ROW(kind, field, initial)                                        \
    {                                                                    \
#field, kind, offsetof(struct wl_settings, field), initial, NULL \
    }
#define CHOICE(field, initial, words)                                            \
    {                                                                            \
#field, KIND_CHOICE, offsetof(struct wl_settings, field), initial, words \
    }

static const struct row rows[] = {
    CHOICE(collector, "sim", sources),
    ROW(KIND_TEXT, gpu, "h200"),
    ROW(KIND_TEXT, gpu_folder, ""),
    ROW(KIND_TEXT, stream_folder, ""),
    ROW(KIND_TEXT, compiled_file, ""),
    CHOICE(cache_control, "all", cache_controls),
    CHOICE(l1_global, "compiled", l1_overrides),
    ROW(KIND_BOOL, strict_arch, "no"),
    ROW(KIND_BOOL, predict_time, "yes"),
    ROW(KIND_BOOL, whatif, "no"),
    ROW(KIND_U32, threads, "0"),
    ROW(KIND_TEXT, kernel_name, ""),
    CHOICE(kernel_name_base, "function", name_bases),
    ROW(KIND_TEXT, kernel_id, ""),
    ROW(KIND_U64, launch_skip, "0"),
    ROW(KIND_U64, launch_count, "0"),
    ROW(KIND_U64, launch_skip_before_match, "0"),
    ROW(KIND_BOOL, profile_from_start, "yes"),
    ROW(KIND_BOOL, interactive, "no"),
    ROW(KIND_TEXT, nvtx_include, ""),
    ROW(KIND_TEXT, nvtx_exclude, ""),
    ROW(KIND_TEXT, ranks, ""),
    ROW(KIND_BOOL, check_memory, "no"),
    ROW(KIND_BOOL, check_race, "no"),
    ROW(KIND_BOOL, check_init, "no"),
    ROW(KIND_BOOL, check_sync, "no"),
    ROW(KIND_BOOL, check_leaks, "no"),
    ROW(KIND_BOOL, stop_at_error, "no"),
    ROW(KIND_U64, budget, "0"),
    ROW(KIND_TEXT, cupti_library, ""),
    ROW(KIND_TEXT, counters, ""),
    ROW(KIND_TEXT, ceilings, ""),
    CHOICE(replay, "auto", replays),
    ROW(KIND_U32, replay_pass, "0"),
    ROW(KIND_TEXT, image_folder, ""),
    ROW(KIND_BOOL, pc_samples, "no"),
    ROW(KIND_U32, pc_period, "0"),
    ROW(KIND_BOOL, instruction_counts, "no"),
    ROW(KIND_TEXT, trace, ""),
    ROW(KIND_BOOL, trace_driver, "no"),
    ROW(KIND_BOOL, trace_faults, "no"),
    ROW(KIND_U64, trace_delay_ms, "0"),
    ROW(KIND_U64, trace_duration_ms, "0"),
    ROW(KIND_U64, trace_kernels, "0"),
    ROW(KIND_U64, trace_launch_ns, "0"),
    CHOICE(trace_stacks, "none", stacks),
    CHOICE(trace_range, "none", capture_ranges),
    ROW(KIND_TEXT, trace_range_name, ""),
    ROW(KIND_BOOL, progress, "no"),
};
enum { ROW_COUNT = sizeof rows / sizeof *rows };

static void *field_of(const struct row *row, struct wl_settings *settings)
{
    return (char *)settings + row->offset;
}

/* A value is one line: newlines and backslashes in texts are written as \n and \\. */
static void print_text(const char *text, struct wl_text *out)
{
    for (; *text; text++) {
        if (*text == '\n')
            wl_text_add(out, "\\n");
        else if (*text == '\\')
            wl_text_add(out, "\\\\");
        else
            wl_text_add_char(out, *text);
    }
}

static char *parse_text(const char *value)
{
    struct wl_text text = {0};
    for (; *value; value++) {
        if (*value == '\\' && value[1] == 'n') {
            wl_text_add_char(&text, '\n');
            value++;
        } else if (*value == '\\' && value[1] == '\\') {
            wl_text_add_char(&text, '\\');
            value++;
        } else {
            wl_text_add_char(&text, *value);
        }
    }
    return wl_text_take(&text);
}

static bool parse_number(const char *value, uint64_t limit, uint64_t *number)
{
    if (*value < '0' || *value > '9')
        return false;
    char *end;
    int saved_errno = errno;
    errno = 0;
    unsigned long long parsed = strtoull(value, &end, 10);
    bool is_good = errno == 0 && *end == '\0' && parsed <= limit;
    errno = saved_errno;
    *number = parsed;
    return is_good;
}

static bool parse_choice(const char *value, const char *const *choices, int *choice)
{
    for (int i = 0; choices[i]; i++) {
        if (strcmp(value, choices[i]) == 0) {
            *choice = i;
            return true;
        }
    }
    return false;
}

/* False if value does not fit the row; the field is then as it was. */
static bool parse_value(const struct row *row, const char *value, struct wl_settings *settings)
{
    static const char *const booleans[] = {"no", "yes", NULL};
    void *field = field_of(row, settings);
    uint64_t number;
    int choice;
    switch (row->kind) {
    case KIND_TEXT:
        free(*(char **)field);
        *(char **)field = parse_text(value);
        return true;
    case KIND_BOOL:
        if (!parse_choice(value, booleans, &choice))
            return false;
        *(bool *)field = choice == 1;
        return true;
    case KIND_U32:
        if (!parse_number(value, UINT32_MAX, &number))
            return false;
        *(uint32_t *)field = (uint32_t)number;
        return true;
    case KIND_U64:
        return parse_number(value, UINT64_MAX, field);
    case KIND_CHOICE:
        if (!parse_choice(value, row->choices, &choice))
            return false;
        memcpy(field, &choice, sizeof choice); /* all enums here are ints */
        return true;
    }
    return false;
}

void wl_settings_init(struct wl_settings *settings)
{
    memset(settings, 0, sizeof *settings);
    for (size_t i = 0; i < ROW_COUNT; i++)
        parse_value(&rows[i], rows[i].initial, settings);
}

void wl_settings_free(struct wl_settings *settings)
{
    for (size_t i = 0; i < ROW_COUNT; i++)
        if (rows[i].kind == KIND_TEXT)
            free(*(char **)field_of(&rows[i], settings));
    memset(settings, 0, sizeof *settings);
}

static void print_value(const struct row *row, const void *field, struct wl_text *out)
{
    int choice;
    switch (row->kind) {
    case KIND_TEXT:
        print_text(*(char *const *)field, out);
        break;
    case KIND_BOOL:
        wl_text_add(out, *(const bool *)field ? "yes" : "no");
        break;
    case KIND_U32:
        wl_text_addf(out, "%lu", (unsigned long)*(const uint32_t *)field);
        break;
    case KIND_U64:
        wl_text_addf(out, "%llu", (unsigned long long)*(const uint64_t *)field);
        break;
    case KIND_CHOICE:
        memcpy(&choice, field, sizeof choice);
        wl_text_add(out, row->choices[choice]);
        break;
    }
}

void wl_settings_print(const struct wl_settings *settings, struct wl_text *out)
{
    for (size_t i = 0; i < ROW_COUNT; i++) {
        wl_text_addf(out, "%s=", rows[i].key);
        print_value(&rows[i], (const char *)settings + rows[i].offset, out);
        wl_text_add_char(out, '\n');
    }
}

static enum wl_code parse_line(const char *line, unsigned number, struct wl_settings *settings,
                               struct wl_error *error)
{
    const char *equals = strchr(line, '=');
    if (!equals) {
        wl_error_set(error, WL_ERR_CORRUPT, "no '=' in '%s'", line);
        wl_error_set_where(error, "settings:%u", number);
        return WL_ERR_CORRUPT;
    }
    size_t key_length = (size_t)(equals - line);
    for (size_t i = 0; i < ROW_COUNT; i++) {
        if (strlen(rows[i].key) != key_length || strncmp(rows[i].key, line, key_length) != 0)
            continue;
        if (parse_value(&rows[i], equals + 1, settings))
            return WL_OK;
        wl_error_set(error, WL_ERR_CORRUPT, "bad value '%s' for '%s'", equals + 1, rows[i].key);
        wl_error_set_where(error, "settings:%u", number);
        return WL_ERR_CORRUPT;
    }
    wl_error_set(error, WL_ERR_CORRUPT, "unknown key '%.*s'", (int)key_length, line);
    wl_error_set_where(error, "settings:%u", number);
    wl_error_set_hint(error, "the warplens program and its libraries are of different versions");
    return WL_ERR_CORRUPT;
}

enum wl_code wl_settings_parse(const char *text, struct wl_settings *settings,
                               struct wl_error *error)
{
    unsigned number = 1;
    for (; *text; number++) {
        size_t length = strcspn(text, "\n");
        enum wl_code code = WL_OK;
        if (length > 0) {
            char *line = wl_string_copy_length(text, length);
            code = parse_line(line, number, settings, error);
            free(line);
        }
        if (code != WL_OK)
            return code;
        text += length + (text[length] == '\n');
    }
    return WL_OK;
}
