#include "base/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/memory.h"
#include "base/near.h"

/* What is being read: the words not yet taken. */
struct reader {
    const struct wl_option *const *tables;
    void *target;
    char **words;
    size_t word_count, next;
};

static bool kind_takes_value(enum wl_option_kind kind)
{
    return kind != WL_OPTION_FLAG && kind != WL_OPTION_REFUSED;
}

static const char *value_name(const struct wl_option *option)
{
    return option->argument ? option->argument : "on|off";
}

static bool is_same_option(const struct wl_option *left, const struct wl_option *right)
{
    return left->kind == right->kind && left->offset == right->offset &&
           left->kind != WL_OPTION_REFUSED && left->kind != WL_OPTION_ONLY;
}

static void collect_near_options(const struct reader *reader, struct wl_near *near)
{
    for (const struct wl_option *const *table = reader->tables; *table; table++)
        for (const struct wl_option *row = *table; row->name; row++)
            if (row->kind != WL_OPTION_HEADING && row->kind != WL_OPTION_REFUSED)
                wl_near_offer(near, row->name);
}

static enum wl_code set_unknown(const struct reader *reader, const char *dashes, const char *name,
                                struct wl_error *error)
{
    struct wl_near near = {.word = name};
    struct wl_text hint = {0};
    collect_near_options(reader, &near);
    wl_near_print(&near, "--", &hint);
    wl_error_set(error, WL_ERR_USAGE, "there is no option %s%s", dashes, name);
    if (hint.length)
        wl_error_set_hint(error, "did you mean %s?", hint.data);
    wl_text_free(&hint);
    return WL_ERR_USAGE;
}

static enum wl_code set_ambiguous(const struct reader *reader, const char *name, size_t length,
                                  struct wl_error *error)
{
    struct wl_text names = {0};
    for (const struct wl_option *const *table = reader->tables; *table; table++)
        for (const struct wl_option *row = *table; row->name; row++)
            if (row->kind != WL_OPTION_HEADING && strncmp(row->name, name, length) == 0)
                wl_text_addf(&names, "%s--%s", names.length ? ", " : "", row->name);
    wl_error_set(error, WL_ERR_USAGE, "option --%.*s is ambiguous", (int)length, name);
    wl_error_set_hint(error, "it can mean %s", names.data);
    wl_text_free(&names);
    return WL_ERR_USAGE;
}

/* Exact name, else the only one (or aliases of only one) that begins so. */
static enum wl_code find_long(const struct reader *reader, const char *name, size_t length,
                              const struct wl_option **found, struct wl_error *error)
{
    *found = NULL;
    bool is_ambiguous = false;
    for (const struct wl_option *const *table = reader->tables; *table; table++) {
        for (const struct wl_option *row = *table; row->name; row++) {
            if (row->kind == WL_OPTION_HEADING || strncmp(row->name, name, length) != 0)
                continue;
            if (row->name[length] == '\0') {
                *found = row;
                return WL_OK;
            }
            if (*found && !is_same_option(*found, row))
                is_ambiguous = true;
            *found = row;
        }
    }
    if (is_ambiguous && length > 0)
        return set_ambiguous(reader, name, length, error);
    if (*found && length > 0)
        return WL_OK;
    char *copy = wl_string_copy_length(name, length);
    enum wl_code code = set_unknown(reader, "--", copy, error);
    free(copy);
    return code;
}

static enum wl_code set_switch(const struct wl_option *option, const char *value, bool *target,
                               struct wl_error *error)
{
    static const char *const words[] = {"off", "on", "no", "yes", "false", "true", "0", "1"};
    for (size_t i = 0; i < WL_COUNT(words); i++) {
        if (strcmp(value, words[i]) == 0) {
            *target = i % 2 == 1;
            return WL_OK;
        }
    }
    return wl_error_set(error, WL_ERR_USAGE, "option --%s takes on or off, not '%s'", option->name,
                        value);
}

static enum wl_code set_number(const struct wl_option *option, const char *value, uint64_t *target,
                               struct wl_error *error)
{
    char *end = NULL;
    errno = 0;
    unsigned long long number = strtoull(value, &end, 10);
    if (*value < '0' || *value > '9' || *end || errno)
        return wl_error_set(error, WL_ERR_USAGE, "option --%s takes a number from 0, not '%s'",
                            option->name, value);
    *target = number;
    return WL_OK;
}

/* Position of value in "a|b|c", or -1. */
static int find_choice(const char *choices, const char *value)
{
    size_t length = strlen(value);
    int index = 0;
    for (const char *choice = choices; choice; index++) {
        const char *bar = strchr(choice, '|');
        size_t choice_length = bar ? (size_t)(bar - choice) : strlen(choice);
        if (choice_length == length && memcmp(choice, value, length) == 0)
            return index;
        choice = bar ? bar + 1 : NULL;
    }
    return -1;
}

static enum wl_code set_choice(const struct wl_option *option, const char *value, int *target,
                               struct wl_error *error)
{
    int index = find_choice(option->argument, value);
    if (index < 0) {
        wl_error_set(error, WL_ERR_USAGE, "option --%s does not know '%s'", option->name, value);
        return wl_error_set_hint(error, "it takes %s", option->argument);
    }
    *target = index;
    return WL_OK;
}

static void add_to_list(struct wl_text *list, char separator, const char *value)
{
    if (list->length)
        wl_text_add_char(list, separator);
    wl_text_add(list, value);
}

static enum wl_code apply(const struct reader *reader, const struct wl_option *option,
                          const char *value, struct wl_error *error)
{
    void *field = (char *)reader->target + option->offset;
    switch (option->kind) {
    case WL_OPTION_FLAG:
        *(bool *)field = true;
        return WL_OK;
    case WL_OPTION_SWITCH:
        return set_switch(option, value, field, error);
    case WL_OPTION_TEXT:
        *(const char **)field = value;
        return WL_OK;
    case WL_OPTION_COMMAS:
        add_to_list(field, ',', value);
        return WL_OK;
    case WL_OPTION_COLONS:
        add_to_list(field, ':', value);
        return WL_OK;
    case WL_OPTION_LINES:
        add_to_list(field, '\n', value);
        return WL_OK;
    case WL_OPTION_NUMBER:
        return set_number(option, value, field, error);
    case WL_OPTION_CHOICE:
        return set_choice(option, value, field, error);
    case WL_OPTION_ONLY:
        if (find_choice(option->argument, value) >= 0)
            return WL_OK;
        return wl_error_set(error, WL_ERR_USAGE, "option --%s %s of ncu is not supported: %s",
                            option->name, value, option->help);
    case WL_OPTION_REFUSED:
        return wl_error_set(error, WL_ERR_USAGE, "option --%s of ncu is not supported: %s",
                            option->name, option->help);
    case WL_OPTION_HEADING:
        break;
    }
    return wl_error_set(error, WL_ERR_INTERNAL, "option --%s has no kind", option->name);
}

/* The value behind an option: attached to it, or the next word. */
static enum wl_code take_value(struct reader *reader, const struct wl_option *option,
                               const char *attached, const char **value, struct wl_error *error)
{
    if (attached) {
        *value = attached;
        return WL_OK;
    }
    if (reader->next >= reader->word_count)
        return wl_error_set(error, WL_ERR_USAGE, "option --%s needs a value: --%s %s", option->name,
                            option->name, value_name(option));
    *value = reader->words[reader->next++];
    return WL_OK;
}

static enum wl_code read_long(struct reader *reader, const char *word, struct wl_error *error)
{
    const char *equals = strchr(word, '=');
    size_t length = equals ? (size_t)(equals - word) : strlen(word);
    const struct wl_option *option = NULL;
    const char *value = NULL;
    enum wl_code code = find_long(reader, word, length, &option, error);
    if (code)
        return code;
    if (kind_takes_value(option->kind)) {
        code = take_value(reader, option, equals ? equals + 1 : NULL, &value, error);
        if (code)
            return code;
    } else if (equals && option->kind != WL_OPTION_REFUSED) {
        return wl_error_set(error, WL_ERR_USAGE, "option --%s takes no value", option->name);
    }
    return apply(reader, option, value, error);
}

static const struct wl_option *find_letter(const struct reader *reader, char letter)
{
    for (const struct wl_option *const *table = reader->tables; *table; table++)
        for (const struct wl_option *row = *table; row->name; row++)
            if (row->letter == letter)
                return row;
    return NULL;
}

/* "-f", "-k name", "-kname", "-fo name" */
static enum wl_code read_letters(struct reader *reader, const char *letters, struct wl_error *error)
{
    for (; *letters; letters++) {
        const struct wl_option *option = find_letter(reader, *letters);
        if (!option)
            return wl_error_set(error, WL_ERR_USAGE, "there is no option -%c", *letters);
        const char *value = NULL;
        bool takes_value = kind_takes_value(option->kind);
        if (takes_value) {
            enum wl_code code =
                take_value(reader, option, letters[1] ? letters + 1 : NULL, &value, error);
            if (code)
                return code;
        }
        enum wl_code code = apply(reader, option, value, error);
        if (code || takes_value)
            return code;
    }
    return WL_OK;
}

enum wl_code wl_options_parse(const struct wl_option *const *tables, void *target, char **words,
                              size_t word_count, bool stop_at_argument,
                              struct wl_arguments *arguments, struct wl_error *error)
{
    struct reader reader = {
        .tables = tables, .target = target, .words = words, .word_count = word_count};
    size_t kept = 0;
    while (reader.next < word_count) {
        char *word = words[reader.next];
        enum wl_code code = WL_OK;
        if (strcmp(word, "--") == 0) {
            reader.next++;
            break;
        }
        if (word[0] != '-' || word[1] == '\0') {
            if (stop_at_argument)
                break;
            words[kept++] = word;
            reader.next++;
            continue;
        }
        reader.next++;
        code = word[1] == '-' ? read_long(&reader, word + 2, error)
                              : read_letters(&reader, word + 1, error);
        if (code)
            return code;
    }
    size_t rest = word_count - reader.next;
    memmove(words + kept, words + reader.next, rest * sizeof *words);
    if (kept + rest < word_count)
        words[kept + rest] = NULL;
    *arguments = (struct wl_arguments){words, kept + rest};
    return WL_OK;
}

enum { help_column = 34, help_width = 100 };

/* Adds text from column on, broken at spaces. */
static void add_wrapped(struct wl_text *out, const char *text)
{
    size_t room = help_width - help_column;
    while (strlen(text) > room) {
        size_t cut = room;
        while (cut > 0 && text[cut] != ' ')
            cut--;
        if (cut == 0)
            cut = room;
        wl_text_add_bytes(out, text, cut);
        wl_text_addf(out, "\n%*s", help_column, "");
        text += cut + (text[cut] == ' ');
    }
    wl_text_addf(out, "%s\n", text);
}

void wl_options_describe(const struct wl_option *const *tables, struct wl_text *out)
{
    for (const struct wl_option *const *table = tables; *table; table++) {
        for (const struct wl_option *row = *table; row->name; row++) {
            if (row->kind == WL_OPTION_HEADING) {
                wl_text_addf(out, "\n%s\n", row->name);
                continue;
            }
            if (!row->help || row->kind == WL_OPTION_REFUSED || row->kind == WL_OPTION_ONLY)
                continue;
            size_t start = out->length;
            if (row->letter)
                wl_text_addf(out, "  -%c, --%s", row->letter, row->name);
            else
                wl_text_addf(out, "      --%s", row->name);
            if (kind_takes_value(row->kind))
                wl_text_addf(out, " %s", value_name(row));
            size_t used = out->length - start;
            if (used + 2 > help_column)
                wl_text_addf(out, "\n%*s", help_column, "");
            else
                wl_text_addf(out, "%*s", (int)(help_column - used), "");
            add_wrapped(out, row->help);
        }
    }
}
