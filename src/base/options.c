#include "base/options.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/memory.h"
#include "base/near.h"

/* What is being read: the words not yet taken. */
struct reader {
    const struct wl_option_table *tables;
    void *target;
    char **words;
    size_t word_count, next;
    struct wl_option_cursor last; /* the option read last; row NULL: none, or a value followed it */
    WL_VECTOR(const struct wl_option *)
    copies; /* options with a prefix or without one that were given */
};

static const char *const switch_words[] = {"off", "on", "no", "yes", "false", "true", "0", "1"};
enum { switch_word_count = WL_COUNT(switch_words) };

void (*wl_options_explain)(const struct wl_option_table *tables, const char *name, bool may_guess,
                           struct wl_text *hint);

/* ---- tables ---- */

static void skip_rows(struct wl_option_cursor *cursor)
{
    while (cursor->row) {
        unsigned groups = cursor->table->groups;
        if (!cursor->row->name) {
            cursor->table++;
            cursor->row = cursor->table->rows;
        } else if (groups && !(cursor->row->groups & groups)) {
            cursor->row++;
        } else {
            return;
        }
    }
}

struct wl_option_cursor wl_options_first(const struct wl_option_table *tables)
{
    struct wl_option_cursor cursor = {tables, tables->rows};
    skip_rows(&cursor);
    return cursor;
}

void wl_options_next(struct wl_option_cursor *cursor)
{
    cursor->row++;
    skip_rows(cursor);
}

bool wl_option_takes_value(enum wl_option_kind kind)
{
    switch (kind) {
    case WL_OPTION_FLAG:
    case WL_OPTION_CLEAR:
    case WL_OPTION_CONFIRM:
    case WL_OPTION_ALWAYS:
    case WL_OPTION_REFUSED:
    case WL_OPTION_RENAMED:
        return false;
    default:
        return true;
    }
}

bool wl_option_is_shown(const struct wl_option *option)
{
    return option->help && option->kind != WL_OPTION_HEADING && option->kind != WL_OPTION_REFUSED &&
           option->kind != WL_OPTION_ONLY && option->kind != WL_OPTION_ACCEPTED &&
           option->kind != WL_OPTION_RENAMED;
}

const char *wl_option_dashes(const struct wl_option *option)
{
    return option->dashes ? option->dashes : "--";
}

const char *wl_option_value_name(const struct wl_option *option)
{
    return option->argument ? option->argument : "on|off";
}

static void *field_of(const struct reader *reader, struct wl_option_cursor at)
{
    return (char *)reader->target + at.table->offset + at.row->offset;
}

static bool is_same_option(struct wl_option_cursor left, struct wl_option_cursor right)
{
    return left.row->kind == right.row->kind && left.row->prefix == right.row->prefix &&
           left.table->offset + left.row->offset == right.table->offset + right.row->offset &&
           left.row->kind != WL_OPTION_REFUSED && left.row->kind != WL_OPTION_ONLY &&
           left.row->kind != WL_OPTION_ALWAYS && left.row->kind != WL_OPTION_ACCEPTED &&
           left.row->kind != WL_OPTION_RENAMED;
}

static void collect_near_options(const struct reader *reader, struct wl_near *near)
{
    for (struct wl_option_cursor at = wl_options_first(reader->tables); at.row;
         wl_options_next(&at))
        if (at.row->kind != WL_OPTION_HEADING && at.row->kind != WL_OPTION_REFUSED &&
            at.row->kind != WL_OPTION_RENAMED)
            wl_near_offer(near, at.row->name);
}

static enum wl_code set_unknown(const struct reader *reader, const char *dashes, const char *name,
                                struct wl_error *error)
{
    struct wl_near near = {.word = name};
    struct wl_text hint = {0};
    wl_error_set(error, WL_ERR_USAGE, "there is no option %s%s", dashes, name);
    if (wl_options_explain)
        wl_options_explain(reader->tables, name, false, &hint);
    if (!hint.length) {
        struct wl_text names = {0};
        collect_near_options(reader, &near);
        wl_near_print(&near, "--", &names);
        if (names.length)
            wl_text_addf(&hint, "did you mean %s?", names.data);
        wl_text_free(&names);
    }
    if (!hint.length && wl_options_explain)
        wl_options_explain(reader->tables, name, true, &hint);
    if (hint.length)
        wl_error_set_hint(error, "%s", hint.data);
    wl_text_free(&hint);
    return WL_ERR_USAGE;
}

static enum wl_code set_ambiguous(const struct reader *reader, const char *name, size_t length,
                                  struct wl_error *error)
{
    struct wl_text names = {0};
    for (struct wl_option_cursor at = wl_options_first(reader->tables); at.row;
         wl_options_next(&at))
        if (at.row->kind != WL_OPTION_HEADING && strncmp(at.row->name, name, length) == 0)
            wl_text_addf(&names, "%s--%s", names.length ? ", " : "", at.row->name);
    wl_error_set(error, WL_ERR_USAGE, "option --%.*s is ambiguous", (int)length, name);
    wl_error_set_hint(error, "it can mean %s", names.data);
    wl_text_free(&names);
    return WL_ERR_USAGE;
}

/* Exact name, else the only one (or aliases of only one) that begins so. */
static enum wl_code find_long(const struct reader *reader, const char *name, size_t length,
                              struct wl_option_cursor *found, struct wl_error *error)
{
    *found = (struct wl_option_cursor){0};
    bool is_ambiguous = false;
    for (struct wl_option_cursor at = wl_options_first(reader->tables); at.row;
         wl_options_next(&at)) {
        if (at.row->kind == WL_OPTION_HEADING || strncmp(at.row->name, name, length) != 0)
            continue;
        if (at.row->name[length] == '\0') {
            *found = at;
            return WL_OK;
        }
        if (found->row && !is_same_option(*found, at))
            is_ambiguous = true;
        *found = at;
    }
    if (is_ambiguous && length > 0)
        return set_ambiguous(reader, name, length, error);
    if (found->row && length > 0)
        return WL_OK;
    char *copy = wl_string_copy_length(name, length);
    enum wl_code code = set_unknown(reader, "--", copy, error);
    free(copy);
    return code;
}

/* ---- values ---- */

static bool is_switch_word(const char *word)
{
    for (size_t i = 0; i < switch_word_count; i++)
        if (strcmp(word, switch_words[i]) == 0)
            return true;
    return false;
}

static enum wl_code set_switch(const struct wl_option *option, const char *value, bool *target,
                               struct wl_error *error)
{
    for (size_t i = 0; i < switch_word_count; i++) {
        if (strcmp(value, switch_words[i]) == 0) {
            *target = i % 2 == 1;
            return WL_OK;
        }
    }
    return wl_error_set(error, WL_ERR_USAGE, "option --%s takes on or off, not '%s'", option->name,
                        value);
}

static enum wl_code set_number(const struct wl_option *option, const char *value, uint64_t limit,
                               uint64_t *target, struct wl_error *error)
{
    char *end = NULL;
    errno = 0;
    unsigned long long number = strtoull(value, &end, 10);
    uint64_t most = option->most ? option->most : limit;
    bool is_number = *value >= '0' && *value <= '9' && !*end && !errno;
    if (is_number && number <= most) {
        *target = number;
        return WL_OK;
    }
    if (is_number || option->most)
        return wl_error_set(error, WL_ERR_USAGE, "option --%s takes 0 to %llu, not '%s'",
                            option->name, (unsigned long long)most, value);
    return wl_error_set(error, WL_ERR_USAGE, "option --%s takes a number from 0, not '%s'",
                        option->name, value);
}

static enum wl_code set_seconds(const struct wl_option *option, const char *value, uint64_t *ms,
                                struct wl_error *error)
{
    char *end = NULL;
    double seconds = strtod(value, &end);
    if (*value < '0' || *value > '9' || *end || seconds > 1e9)
        return wl_error_set(error, WL_ERR_USAGE, "option --%s takes seconds, not '%s'",
                            option->name, value);
    *ms = (uint64_t)(seconds * 1000 + 0.5);
    return WL_OK;
}

int wl_option_find_word(const char *choices, const char *word)
{
    size_t length = strlen(word);
    int index = 0;
    for (const char *choice = choices; choice; index++) {
        const char *bar = strchr(choice, '|');
        size_t choice_length = bar ? (size_t)(bar - choice) : strlen(choice);
        if (choice_length == length && memcmp(choice, word, length) == 0)
            return index;
        choice = bar ? bar + 1 : NULL;
    }
    return -1;
}

static enum wl_code find_choice(const struct wl_option *option, const char *value, int *index,
                                struct wl_error *error)
{
    *index = wl_option_find_word(option->argument, value);
    if (*index >= 0)
        return WL_OK;
    wl_error_set(error, WL_ERR_USAGE, "option --%s does not know '%s'", option->name, value);
    return wl_error_set_hint(error, "it takes %s", option->argument);
}

static void add_to_list(struct wl_text *list, char separator, const char *value)
{
    if (list->length)
        wl_text_add_char(list, separator);
    wl_text_add(list, value);
}

static void set_copy(char **field, char *text)
{
    free(*field);
    *field = text;
}

/* "a" and "b" become "a,b". */
static void add_to_copy(char **field, char separator, const char *value)
{
    bool is_first = !*field || !**field;
    set_copy(field, is_first ? wl_string_copy(value)
                             : wl_string_format("%s%c%s", *field, separator, value));
}

/* "a, b" is "a,b": blanks around what commas separate are no part of it. */
static char *without_blanks(const char *value)
{
    char *plain = wl_string_copy(value), *to = plain;
    for (const char *from = value; *from; from++) {
        const char *next = from + strspn(from, " ");
        if (*from == ' ' && (to == plain || to[-1] == ',' || *next == ',' || !*next))
            continue;
        *to++ = *from;
    }
    *to = '\0';
    return plain;
}

/* The same field may be given in one way only: --kernel-name or --kernel-regex. */
static enum wl_code exclude_other_prefix(struct reader *reader, const struct wl_option *option,
                                         struct wl_error *error)
{
    for (size_t i = 0; i < reader->copies.count; i++) {
        const struct wl_option *other = reader->copies.items[i];
        if (other->offset == option->offset && other->prefix != option->prefix)
            return wl_error_set(error, WL_ERR_USAGE, "--%s and --%s exclude each other",
                                other->name, option->name);
    }
    WL_PUSH(&reader->copies, option);
    return WL_OK;
}

static enum wl_code apply_text(struct reader *reader, struct wl_option_cursor at, const char *value,
                               struct wl_error *error)
{
    void *field = field_of(reader, at);
    char *plain = NULL;
    enum wl_code code = at.row->check ? at.row->check(value, error) : WL_OK;
    if (code)
        return code;
    switch (at.row->kind) {
    case WL_OPTION_COPY:
        set_copy(field, wl_string_format("%s%s", at.row->prefix ? at.row->prefix : "", value));
        return exclude_other_prefix(reader, at.row, error);
    case WL_OPTION_COMMAS:
        plain = without_blanks(value);
        add_to_list(field, ',', plain);
        break;
    case WL_OPTION_COLONS:
        add_to_list(field, ':', value);
        break;
    case WL_OPTION_LINES:
        add_to_list(field, '\n', value);
        break;
    case WL_OPTION_COPY_COMMAS:
        plain = without_blanks(value);
        add_to_copy(field, ',', plain);
        break;
    case WL_OPTION_COPY_LINES:
        add_to_copy(field, '\n', value);
        break;
    default:
        *(const char **)field = value;
        break;
    }
    free(plain);
    return WL_OK;
}

/* Options that are refused, or accepted because they name the only behaviour. */
static enum wl_code apply_nothing(const struct wl_option *option, const char *value,
                                  struct wl_error *error)
{
    const char *tool = option->tool ? option->tool : "ncu";
    if (option->kind == WL_OPTION_ALWAYS || option->kind == WL_OPTION_ACCEPTED)
        return WL_OK;
    if (option->kind == WL_OPTION_ONLY && wl_option_find_word(option->argument, value) >= 0)
        return WL_OK;
    if (option->kind == WL_OPTION_ONLY)
        return wl_error_set(error, WL_ERR_USAGE, "option --%s %s of %s is not supported: %s",
                            option->name, value, tool, option->help);
    if (option->kind == WL_OPTION_RENAMED) {
        wl_error_set(error, WL_ERR_USAGE, "option --%s is --%s now", option->name,
                     option->argument);
        return wl_error_set_hint(error, "%s", option->help);
    }
    return wl_error_set(error, WL_ERR_USAGE, "option --%s of %s is not supported: %s", option->name,
                        tool, option->help);
}

static enum wl_code apply(struct reader *reader, struct wl_option_cursor at, const char *value,
                          struct wl_error *error)
{
    void *field = field_of(reader, at);
    uint64_t number = 0;
    int index = 0;
    enum wl_code code = WL_OK;
    switch (at.row->kind) {
    case WL_OPTION_FLAG:
    case WL_OPTION_CLEAR:
        *(bool *)field = at.row->kind == WL_OPTION_FLAG;
        return WL_OK;
    case WL_OPTION_CONFIRM:
    case WL_OPTION_SWITCH:
        return set_switch(at.row, value ? value : "true", field, error);
    case WL_OPTION_SECOND:
        code = find_choice(at.row, value, &index, error);
        if (!code)
            *(bool *)field = index == 1;
        return code;
    case WL_OPTION_NUMBER:
        return set_number(at.row, value, UINT64_MAX, field, error);
    case WL_OPTION_NUMBER32:
        code = set_number(at.row, value, UINT32_MAX, &number, error);
        if (!code)
            *(uint32_t *)field = (uint32_t)number;
        return code;
    case WL_OPTION_SECONDS:
        return set_seconds(at.row, value, field, error);
    case WL_OPTION_CHOICE:
        code = find_choice(at.row, value, &index, error);
        if (!code)
            memcpy(field, &index, sizeof index); /* all enums here are ints */
        return code;
    case WL_OPTION_ALWAYS:
    case WL_OPTION_ONLY:
    case WL_OPTION_ACCEPTED:
    case WL_OPTION_REFUSED:
    case WL_OPTION_RENAMED:
        return apply_nothing(at.row, value, error);
    default:
        return apply_text(reader, at, value, error);
    }
}

/* ---- words ---- */

static struct wl_option_cursor find_letter(const struct reader *reader, char letter)
{
    struct wl_option_cursor at = wl_options_first(reader->tables);
    while (at.row && at.row->letter != letter)
        wl_options_next(&at);
    return at;
}

/* `--html -f report.wlr` would write a file called -f: the file's name was forgotten. */
static enum wl_code refuse_dash(const struct reader *reader, const struct wl_option *option,
                                const char *word, struct wl_error *error)
{
    const char *name = wl_option_value_name(option);
    bool is_path = strstr(name, "FILE") || strstr(name, "FOLDER");
    if (!is_path || word[0] != '-' || !word[1])
        return WL_OK;
    bool is_known = word[1] == '-' || find_letter(reader, word[1]).row;
    if (!is_known)
        return WL_OK;
    wl_error_set(error, WL_ERR_USAGE, "option --%s needs a value, and '%s' is an option",
                 option->name, word);
    return wl_error_set_hint(error, "--%s %s; a file of that name is ./%s", option->name, name,
                             word);
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
                            option->name, wl_option_value_name(option));
    *value = reader->words[reader->next++];
    return refuse_dash(reader, option, *value, error);
}

/* The word behind an option that can do without one, if it is a value of it. */
static const char *take_switch_word(struct reader *reader)
{
    const char *next = reader->next < reader->word_count ? reader->words[reader->next] : "";
    if (!is_switch_word(next) || (*next >= '0' && *next <= '9'))
        return NULL;
    reader->next++;
    return next;
}

static enum wl_code read_long(struct reader *reader, const char *word, struct wl_error *error)
{
    const char *equals = strchr(word, '=');
    size_t length = equals ? (size_t)(equals - word) : strlen(word);
    struct wl_option_cursor at;
    const char *value = equals ? equals + 1 : NULL;
    enum wl_code code = find_long(reader, word, length, &at, error);
    if (code)
        return code;
    reader->last = at;
    if (wl_option_takes_value(at.row->kind))
        code = take_value(reader, at.row, value, &value, error);
    else if (at.row->kind == WL_OPTION_CONFIRM && !equals)
        value = take_switch_word(reader);
    else if (equals && at.row->kind != WL_OPTION_REFUSED && at.row->kind != WL_OPTION_RENAMED &&
             at.row->kind != WL_OPTION_CONFIRM)
        code = wl_error_set(error, WL_ERR_USAGE, "option --%s takes no value", at.row->name);
    return code ? code : apply(reader, at, value, error);
}

/* "-section-folder=x": not -s with a value, one dash is missing. */
static enum wl_code check_dashes(const struct reader *reader, const char *letters,
                                 struct wl_error *error)
{
    size_t length = strcspn(letters, "=");
    if (length < 3)
        return WL_OK;
    for (struct wl_option_cursor at = wl_options_first(reader->tables); at.row;
         wl_options_next(&at))
        if (at.row->kind != WL_OPTION_HEADING && strlen(at.row->name) == length &&
            strncmp(at.row->name, letters, length) == 0) {
            wl_error_set(error, WL_ERR_USAGE, "there is no option -%s", at.row->name);
            return wl_error_set_hint(error, "it has two dashes: --%s", letters);
        }
    return WL_OK;
}

/* "-f", "-k name", "-kname", "-fo name" */
static enum wl_code read_letters(struct reader *reader, const char *letters, struct wl_error *error)
{
    if (check_dashes(reader, letters, error))
        return WL_ERR_USAGE;
    for (; *letters; letters++) {
        struct wl_option_cursor at = find_letter(reader, *letters);
        if (!at.row)
            return set_unknown(reader, "-", (char[]){*letters, '\0'}, error);
        const char *value = NULL, *rest = letters + 1 + (letters[1] == '='); /* -t=cuda, -tcuda */
        bool takes_value = wl_option_takes_value(at.row->kind);
        reader->last = at;
        if (takes_value) {
            enum wl_code code = take_value(reader, at.row, letters[1] ? rest : NULL, &value, error);
            if (code)
                return code;
        } else if (at.row->kind == WL_OPTION_CONFIRM) {
            takes_value = letters[1] == '=' || is_switch_word(rest); /* -ftrue */
            value = letters[1] ? takes_value ? rest : NULL : take_switch_word(reader);
        }
        enum wl_code code = apply(reader, at, value, error);
        if (code || takes_value)
            return code;
    }
    return WL_OK;
}

/* `--csv true ./app` would run the program `true`. */
static enum wl_code refuse_switch_word(const struct reader *reader, const char *word,
                                       struct wl_error *error)
{
    const struct wl_option *last = reader->last.row;
    if (!last || wl_option_takes_value(last->kind) || last->kind == WL_OPTION_CONFIRM ||
        !is_switch_word(word) || (*word >= '0' && *word <= '9'))
        return WL_OK;
    wl_error_set(error, WL_ERR_USAGE, "option --%s takes no value, and '%s' would be the program",
                 last->name, word);
    return wl_error_set_hint(error,
                             "leave '%s' out; a program of that name is run by `-- %s` or `./%s`",
                             word, word, word);
}

/* Slides and word processors make a longer dash of "--", which would be taken for the program's
 * name. */
static enum wl_code refuse_long_dash(const char *word, struct wl_error *error)
{
    static const char *const dashes[] = {"\xe2\x80\x90", "\xe2\x80\x91", "\xe2\x80\x92",
                                         "\xe2\x80\x93", "\xe2\x80\x94", "\xe2\x80\x95",
                                         "\xe2\x88\x92"};
    for (size_t i = 0; i < WL_COUNT(dashes); i++)
        if (strncmp(word, dashes[i], 3) == 0) {
            const char *name = word + 3;
            while (*name == '-')
                name++;
            wl_error_set(error, WL_ERR_USAGE, "'%s' begins with a typographic dash", word);
            return wl_error_set_hint(error, "type it anew: %s%s",
                                     name[0] && name[1] && name[1] != '=' ? "--" : "-", name);
        }
    return WL_OK;
}

static enum wl_code read_words(struct reader *reader, bool stop_at_argument, size_t *kept,
                               struct wl_error *error)
{
    enum wl_code code = WL_OK;
    while (!code && reader->next < reader->word_count) {
        char *word = reader->words[reader->next];
        if (strcmp(word, "--") == 0) {
            reader->next++;
            return WL_OK;
        }
        bool is_option = word[0] == '-' && word[1] != '\0';
        if ((code = refuse_long_dash(word, error)))
            break;
        if (!is_option && stop_at_argument)
            return refuse_switch_word(reader, word, error);
        reader->next++;
        if (!is_option)
            reader->words[(*kept)++] = word;
        else
            code = word[1] == '-' ? read_long(reader, word + 2, error)
                                  : read_letters(reader, word + 1, error);
    }
    return code;
}

enum wl_code wl_options_parse(const struct wl_option_table *tables, void *target, char **words,
                              size_t word_count, bool stop_at_argument,
                              struct wl_arguments *arguments, struct wl_error *error)
{
    struct reader reader = {
        .tables = tables, .target = target, .words = words, .word_count = word_count};
    size_t kept = 0;
    enum wl_code code = read_words(&reader, stop_at_argument, &kept, error);
    free(reader.copies.items);
    if (code)
        return code;
    size_t rest = word_count - reader.next;
    memmove(words + kept, words + reader.next, rest * sizeof *words);
    if (kept + rest < word_count)
        words[kept + rest] = NULL;
    *arguments = (struct wl_arguments){words, kept + rest};
    return WL_OK;
}

void wl_options_free(const struct wl_option_table *tables, void *target)
{
    const struct reader reader = {.tables = tables, .target = target};
    for (struct wl_option_cursor at = wl_options_first(tables); at.row; wl_options_next(&at)) {
        void *field = field_of(&reader, at);
        switch (at.row->kind) {
        case WL_OPTION_COMMAS:
        case WL_OPTION_COLONS:
        case WL_OPTION_LINES:
            wl_text_free(field);
            break;
        case WL_OPTION_COPY:
        case WL_OPTION_COPY_COMMAS:
        case WL_OPTION_COPY_LINES:
            set_copy(field, NULL);
            break;
        default:
            break;
        }
    }
}

enum { help_column = 34, help_width = 100, least_help_width = 60 };

/* Adds text from column on, broken at spaces. */
static void add_wrapped(struct wl_text *out, size_t width, const char *text)
{
    size_t room = width - help_column;
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

void wl_options_describe(const struct wl_option_table *tables, size_t width, struct wl_text *out)
{
    if (width == 0 || width > help_width)
        width = help_width;
    if (width < least_help_width)
        width = least_help_width;
    for (struct wl_option_cursor at = wl_options_first(tables); at.row; wl_options_next(&at)) {
        const struct wl_option *row = at.row;
        if (row->kind == WL_OPTION_HEADING)
            wl_text_addf(out, "\n%s\n", row->name);
        if (!wl_option_is_shown(row))
            continue;
        size_t start = out->length;
        if (row->letter)
            wl_text_addf(out, "  -%c, --%s", row->letter, row->name);
        else
            wl_text_addf(out, "      %s%s", wl_option_dashes(row), row->name);
        if (wl_option_takes_value(row->kind))
            wl_text_addf(out, " %s", wl_option_value_name(row));
        size_t used = out->length - start;
        if (used + 2 > help_column)
            wl_text_addf(out, "\n%*s", help_column, "");
        else
            wl_text_addf(out, "%*s", (int)(help_column - used), "");
        add_wrapped(out, width, row->help);
    }
}
