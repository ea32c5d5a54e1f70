#include "record/settings.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/memory.h"
#include "base/rank.h"
#include "record/traced.h"

enum kind { KIND_TEXT, KIND_BOOL, KIND_U32, KIND_U64, KIND_CHOICE };
enum reported { NEVER, AS_TEXT, AS_NUMBER };

#define WL_CHOICE(name, words, ...) const char wl_##name##_words[] = words;
#include "record/settings.def"

static const struct wl_replay_facts replay_facts[] = {
#define WL_REPLAY_FACTS(word, ...) [WL_REPLAY_##word] = {__VA_ARGS__},
#include "record/settings.def"
};

const struct wl_replay_facts *wl_replay_facts(enum wl_replay replay)
{
    return &replay_facts[replay < WL_COUNT(replay_facts) ? replay : WL_REPLAY_AUTO];
}

const struct wl_replay_facts *wl_replay_facts_named(const char *name)
{
    int found = name ? wl_option_find_word(wl_replay_words, name) : -1;
    return wl_replay_facts(found < 0 ? WL_REPLAY_AUTO : (enum wl_replay)found);
}

static const char wl_override_words[] = "compiled|on|off";

/* A row of settings.def, as a key of the file. */
struct row {
    const char *key;
    enum kind kind;
    size_t offset;
    const char *initial; /* as written in the file */
    const char *off;     /* NULL: none */
    enum reported reported;
    const char *choices; /* "all|none" */
};

#define WL_SETTING(type, field, initial, off, reported, option) \
    {#field, KIND_##type, offsetof(struct wl_settings, field), initial, off, reported, NULL},
#define WL_SETTING_CHOICE(choice, field, initial, off, reported, option)              \
    {#field,   KIND_CHOICE,        offsetof(struct wl_settings, field), initial, off, \
     reported, wl_##choice##_words},
static const struct row rows[] = {
#include "record/settings.def"
};
enum { ROW_COUNT = WL_COUNT(rows) };

/* The same rows, as options. */
enum {
    COLLECTOR = WL_SETTINGS_COLLECTOR,
    GPU = WL_SETTINGS_GPU,
    LAUNCHES = WL_SETTINGS_LAUNCHES,
    FILTERS = WL_SETTINGS_FILTERS,
    CHECKS = WL_SETTINGS_CHECKS,
    TRACE = WL_SETTINGS_TRACE,
};
#define NONE .name = ""
#define OPTION(in, how, spelled, short, value, ...)                                \
    .groups = (in), .kind = WL_OPTION_##how, .name = (spelled), .letter = (short), \
    .argument = (value), .help = __VA_ARGS__
#define WL_SETTING(type, field, initial, off, reported, option) \
    {.offset = offsetof(struct wl_settings, field), option},
#define WL_SETTING_CHOICE(choice, field, initial, off, reported, option) \
    {.offset = offsetof(struct wl_settings, field), option},
#define WL_SETTING_ALIAS(field, option) {.offset = offsetof(struct wl_settings, field), option},
#define WL_SETTING_HEADING(in, text) {.groups = (in), .kind = WL_OPTION_HEADING, .name = (text)},
const struct wl_option wl_settings_options[] = {
#include "record/settings.def"
    {.name = NULL},
};

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

/* False if value does not fit the row; the field is then as it was. */
static bool parse_value(const struct row *row, const char *value, struct wl_settings *settings)
{
    void *field = field_of(row, settings);
    uint64_t number;
    int choice;
    switch (row->kind) {
    case KIND_TEXT:
        free(*(char **)field);
        *(char **)field = parse_text(value);
        return true;
    case KIND_BOOL:
        choice = wl_option_find_word("no|yes", value);
        *(bool *)field = choice < 0 ? *(bool *)field : choice == 1;
        return choice >= 0;
    case KIND_U32:
        if (!parse_number(value, UINT32_MAX, &number))
            return false;
        *(uint32_t *)field = (uint32_t)number;
        return true;
    case KIND_U64:
        return parse_number(value, UINT64_MAX, field);
    case KIND_CHOICE:
        choice = wl_option_find_word(row->choices, value);
        if (choice < 0)
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

void wl_settings_init_unchosen(struct wl_settings *settings)
{
    wl_settings_init(settings);
    settings->collector = WL_COLLECTOR_AUTO;
    wl_settings_set_text(&settings->gpu, "");
}

void wl_settings_free(struct wl_settings *settings)
{
    for (size_t i = 0; i < ROW_COUNT; i++)
        if (rows[i].kind == KIND_TEXT)
            free(*(char **)field_of(&rows[i], settings));
    memset(settings, 0, sizeof *settings);
}

void wl_settings_copy(struct wl_settings *to, const struct wl_settings *from)
{
    *to = *from;
    for (size_t i = 0; i < ROW_COUNT; i++) {
        char **text = field_of(&rows[i], to);
        if (rows[i].kind == KIND_TEXT)
            *text = wl_string_copy(*text);
    }
}

void wl_settings_set_text(char **field, const char *text)
{
    char *copy = wl_string_copy(text ? text : "");
    free(*field);
    *field = copy;
}

/* The word at this place of "all|none". */
static void add_word(const char *choices, int index, struct wl_text *out)
{
    for (; index > 0; index--)
        choices += strcspn(choices, "|") + 1;
    wl_text_add_bytes(out, choices, strcspn(choices, "|"));
}

static void print_value(const struct row *row, const struct wl_settings *settings,
                        struct wl_text *out)
{
    const void *field = (const char *)settings + row->offset;
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
        add_word(row->choices, choice, out);
        break;
    }
}

void wl_settings_print(const struct wl_settings *settings, struct wl_text *out)
{
    for (size_t i = 0; i < ROW_COUNT; i++) {
        wl_text_addf(out, "%s=", rows[i].key);
        print_value(&rows[i], settings, out);
        wl_text_add_char(out, '\n');
    }
}

void wl_settings_report(const struct wl_settings *settings,
                        void (*take)(void *self, const char *key, const char *value,
                                     bool is_number),
                        void *self)
{
    for (size_t i = 0; i < ROW_COUNT; i++) {
        struct wl_text value = {0};
        print_value(&rows[i], settings, &value);
        bool is_off = !value.length || (rows[i].off && strcmp(value.data, rows[i].off) == 0);
        if (!is_off && rows[i].reported != NEVER)
            take(self, rows[i].key, value.data, rows[i].reported == AS_NUMBER);
        wl_text_free(&value);
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
