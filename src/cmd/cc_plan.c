#include "cmd/cc_plan.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/memory.h"
#include "cmd/groups.h"

enum form {
    FLAG,   /* the word and nothing else */
    VALUE,  /* -name=value, -name value */
    JOINED, /* -namevalue, -name value */
    PREFIX, /* -nameanything */
};

enum action {
    /* passed on as it is */
    COMPILE,      /* to all compilations */
    COMPILE_HOST, /* to those for the host */
    LINK,
    BOTH,
    IGNORE, /* nothing follows from it */
    REFUSE, /* help says why */
    /* kept in a field of the plan */
    SET_FLAG,
    SET_TEXT,
    /* the others have a function */
    ARCHITECTURE,
    ASSEMBLER,      /* recorded in the program */
    ASSEMBLER_WORD, /* the same with its own name */
    TO_HOST,        /* values, ',' between */
    TO_LINKER,
    LEVEL,
    FAST_MATH,
    LANGUAGE,
    RELOCATABLE,
};

#define AT(field) offsetof(struct wl_cc_plan, field)

/* Of what kind a row is for help, completions and man. */
#define KIND(form, action)                                             \
    ((action) == REFUSE || (action) == RELOCATABLE ? WL_OPTION_REFUSED \
     : (form) == FLAG || (form) == PREFIX          ? WL_OPTION_FLAG    \
                                                   : WL_OPTION_TEXT)

static const struct wl_option options[] = {
#define WL_CC_OPTION(before, spelled, form, action, at, value, text) \
    {.dashes = (before),                                             \
     .name = (spelled),                                              \
     .kind = KIND(form, action),                                     \
     .offset = (at),                                                 \
     .argument = (value),                                            \
     .help = (text)},
#include "cmd/cc_options.def"
    WL_ROWS_END,
};
enum { option_count = WL_COUNT(options) - 1 };

/* What reads them, row by row. */
static const struct behaviour {
    enum form form;
    enum action action;
} behaviours[option_count] = {
#define WL_CC_OPTION(before, spelled, form, action, at, value, text) {(form), (action)},
#include "cmd/cc_options.def"
};

static const struct wl_option heading[] = {WL_ROWS_HEADING("COMPILATION"), WL_ROWS_END};

const struct wl_option_table wl_cc_tables[] = {{heading, 0, 0}, {options, 0, 0}, WL_TABLES_END};

struct reader {
    struct wl_cc_plan *plan;
    struct wl_error *error;
    char **words;
    size_t count, at;
};

/* ---- finding the row of a word ---- */

/* Length of its name in the word, dashes included; 0: the word is another option. */
static size_t match(size_t option, const char *word)
{
    size_t dash_count = strlen(options[option].dashes), length = strlen(options[option].name);
    if (strspn(word, "-") < dash_count || strncmp(word + dash_count, options[option].name, length))
        return 0;
    length += dash_count;
    switch (behaviours[option].form) {
    case FLAG:
        return word[length] ? 0 : length;
    case VALUE:
        return !word[length] || word[length] == '=' ? length : 0;
    case JOINED:
    case PREFIX:
        return length;
    }
    return 0;
}

/* The longest name that fits: -lineinfo is no -l. option_count: none does. */
static size_t find_option(const char *word)
{
    size_t found = option_count, longest = 0;
    for (size_t i = 0; i < option_count; i++) {
        size_t length = match(i, word);
        if (length > longest) {
            found = i;
            longest = length;
        }
    }
    return found;
}

/* The value of the option in the current word, which may stand in the next one. */
static enum wl_code take_value(struct reader *reader, size_t option, const char **value)
{
    const char *word = reader->words[reader->at];
    const char *rest = word + match(option, word);
    if (behaviours[option].form == VALUE && *rest == '=')
        rest++;
    else if (!*rest && reader->at + 1 == reader->count)
        return wl_error_set(reader->error, WL_ERR_USAGE, "option %s needs a value", word);
    else if (!*rest)
        rest = reader->words[++reader->at];
    *value = rest;
    return WL_OK;
}

/* ---- what follows from it ---- */

static void add_word(struct wl_cc_words *words, const char *word)
{
    WL_PUSH(words, word);
}

static void add_part(struct wl_cc_plan *plan, enum wl_cc_kind kind, const char *word)
{
    struct wl_cc_item item = {kind, word};
    WL_PUSH(&plan->parts, item);
}

/* Values between commas, each as its own word. */
static void add_list(struct reader *reader, struct wl_cc_words *words, const char *list)
{
    while (*list) {
        size_t length = strcspn(list, ",");
        if (length)
            add_word(words, wl_arena_string(&reader->plan->arena, list, length));
        list += length + (list[length] == ',');
    }
}

/* All numbers behind "sm_" or "compute_": the highest counts. */
static enum wl_code read_architecture(struct reader *reader, const char *value)
{
    static const char *const beginnings[] = {"sm_", "compute_"};
    uint32_t highest = 0;
    for (size_t i = 0; i < WL_COUNT(beginnings); i++)
        for (const char *at = strstr(value, beginnings[i]); at; at = strstr(at, beginnings[i])) {
            at += strlen(beginnings[i]);
            uint32_t number = (uint32_t)strtoul(at, NULL, 10);
            highest = number > highest ? number : highest;
        }
    bool is_word = strcmp(value, "native") == 0 || strncmp(value, "all", 3) == 0;
    if (!highest && !is_word) {
        wl_error_set(reader->error, WL_ERR_USAGE, "'%s' names no GPU architecture", value);
        return wl_error_set_hint(reader->error, "such as -arch=sm_80");
    }
    if (highest > reader->plan->architecture)
        reader->plan->architecture = highest;
    return WL_OK;
}

static enum wl_code read_language(struct reader *reader, const char *value)
{
    if (strcmp(value, "cu") != 0 && strcmp(value, "cuda") != 0)
        return wl_error_set(reader->error, WL_ERR_USAGE, "option -x takes cu, not '%s'", value);
    reader->plan->all_is_cuda = true;
    return WL_OK;
}

static enum wl_code refuse(struct reader *reader, const struct wl_option *option)
{
    return wl_error_set(reader->error, WL_ERR_UNSUPPORTED, "%s%s cannot be done: %s",
                        option->dashes, option->name, option->help);
}

/* The option as it stood, in one word or two. */
static void pass_on(struct reader *reader, struct wl_cc_words *words, size_t first)
{
    for (size_t i = first; i <= reader->at; i++)
        add_word(words, reader->words[i]);
}

static void pass_to_linker(struct reader *reader, size_t first)
{
    for (size_t i = first; i <= reader->at; i++)
        add_part(reader->plan, WL_CC_LINK, reader->words[i]);
}

/* Words of the list in value, as options of the linker. */
static void pass_list_to_linker(struct reader *reader, const char *value)
{
    struct wl_cc_words list = {0};
    add_list(reader, &list, value);
    for (size_t i = 0; i < list.count; i++) {
        add_part(reader->plan, WL_CC_LINK, "-Xlinker");
        add_part(reader->plan, WL_CC_LINK, list.items[i]);
    }
    free(list.items);
}

/* --optimize N is -ON. */
static void set_level(struct reader *reader, const char *value, size_t first)
{
    struct wl_cc_plan *plan = reader->plan;
    plan->has_level = true;
    if (!value) {
        pass_on(reader, &plan->compile, first);
        return;
    }
    char level[] = {'-', 'O', *value, '\0'};
    add_word(&plan->compile, wl_arena_string(&plan->arena, level, strlen(level)));
}

static void set_fast_math(struct wl_cc_plan *plan)
{
    add_word(&plan->device, "-ffast-math");
    add_word(&plan->device, "-fcuda-flush-denormals-to-zero");
    add_word(&plan->device, "-fcuda-approx-transcendentals");
}

static enum wl_code act(struct reader *reader, size_t number, const char *value, size_t first)
{
    const struct wl_option *option = &options[number];
    struct wl_cc_plan *plan = reader->plan;
    char *field = (char *)plan + option->offset;
    switch (behaviours[number].action) {
    case BOTH:
        pass_to_linker(reader, first);
        pass_on(reader, &plan->compile, first);
        return WL_OK;
    case COMPILE:
        pass_on(reader, &plan->compile, first);
        return WL_OK;
    case COMPILE_HOST:
        pass_on(reader, &plan->host, first);
        return WL_OK;
    case LINK:
        pass_to_linker(reader, first);
        return WL_OK;
    case IGNORE:
        return WL_OK;
    case REFUSE:
        return refuse(reader, option);
    case RELOCATABLE:
        return strcmp(value, "true") == 0 ? refuse(reader, option) : WL_OK;
    case SET_FLAG:
        *(bool *)field = true;
        return WL_OK;
    case SET_TEXT:
        memcpy(field, &value, sizeof value);
        return WL_OK;
    case ARCHITECTURE:
        return read_architecture(reader, value);
    case LANGUAGE:
        return read_language(reader, value);
    case ASSEMBLER:
        wl_text_addf(&plan->ptxas, " %s", value);
        return WL_OK;
    case ASSEMBLER_WORD:
        wl_text_addf(&plan->ptxas, " -maxrregcount=%s", value);
        return WL_OK;
    case TO_HOST:
        add_list(reader, &plan->host, value);
        return WL_OK;
    case TO_LINKER:
        pass_list_to_linker(reader, value);
        return WL_OK;
    case LEVEL:
        set_level(reader, value, first);
        return WL_OK;
    case FAST_MATH:
        set_fast_math(plan);
        return WL_OK;
    }
    return WL_OK;
}

/* ---- files ---- */

static const struct {
    const char *ending;
    enum wl_cc_kind kind;
} endings[] = {
    {".cu", WL_CC_CUDA},       {".cpp", WL_CC_CPLUSPLUS}, {".cc", WL_CC_CPLUSPLUS},
    {".cxx", WL_CC_CPLUSPLUS}, {".C", WL_CC_CPLUSPLUS},   {".c++", WL_CC_CPLUSPLUS},
    {".c", WL_CC_C},           {".o", WL_CC_LINK},        {".obj", WL_CC_LINK},
    {".a", WL_CC_LINK},        {".so", WL_CC_LINK},
};

static enum wl_code add_file(struct reader *reader, const char *path)
{
    struct wl_cc_plan *plan = reader->plan;
    const char *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    const char *ending = strrchr(name, '.');
    enum wl_cc_kind kind = WL_CC_LINK;
    bool is_known = strstr(name, ".so."); /* libm.so.6 */
    for (size_t i = 0; ending && !is_known && i < WL_COUNT(endings); i++)
        if (strcmp(ending, endings[i].ending) == 0) {
            kind = endings[i].kind;
            is_known = true;
        }
    if (!is_known && !plan->all_is_cuda) {
        wl_error_set(reader->error, WL_ERR_USAGE, "what kind of file is %s?", path);
        return wl_error_set_hint(reader->error, "known are .cu .cpp .cc .cxx .c .o .a .so; -x cu "
                                                "before it says that it is CUDA");
    }
    if (plan->all_is_cuda && kind != WL_CC_LINK)
        kind = WL_CC_CUDA;
    add_part(plan, is_known ? kind : WL_CC_CUDA, path);
    if (is_known && kind == WL_CC_LINK)
        plan->object_count++;
    else
        plan->source_count++;
    return WL_OK;
}

/* ---- all of it ---- */

static enum wl_code read_word(struct reader *reader)
{
    const char *word = reader->words[reader->at], *value = NULL;
    if (word[0] != '-' || !word[1])
        return add_file(reader, word);
    size_t option = find_option(word), first = reader->at;
    if (option == option_count) {
        add_word(&reader->plan->compile, word); /* clang says so if it does not know it either */
        return WL_OK;
    }
    if (behaviours[option].form == VALUE || behaviours[option].form == JOINED) {
        enum wl_code code = take_value(reader, option, &value);
        if (code)
            return code;
    }
    return act(reader, option, value, first);
}

static enum wl_code check(const struct wl_cc_plan *plan, struct wl_error *error)
{
    bool is_partial = plan->compile_only || plan->ptx_only;
    if (plan->source_count == 0 && (is_partial || plan->object_count == 0)) {
        wl_error_set(error, WL_ERR_USAGE, "which file?");
        return wl_error_set_hint(error, "warplens cc app.cu -o app");
    }
    if (is_partial && plan->output && plan->source_count > 1)
        return wl_error_set(error, WL_ERR_USAGE, "-o names one file, but there would be %zu",
                            plan->source_count);
    for (size_t i = 0; plan->ptx_only && i < plan->parts.count; i++) {
        enum wl_cc_kind kind = plan->parts.items[i].kind;
        if (kind == WL_CC_C || kind == WL_CC_CPLUSPLUS)
            return wl_error_set(error, WL_ERR_USAGE, "-ptx is for .cu files, not for %s",
                                plan->parts.items[i].word);
    }
    return WL_OK;
}

enum wl_code wl_cc_plan_read(char **words, size_t word_count, struct wl_cc_plan *plan,
                             struct wl_error *error)
{
    struct reader reader = {.plan = plan, .error = error, .words = words, .count = word_count};
    for (; reader.at < word_count; reader.at++) {
        enum wl_code code = read_word(&reader);
        if (code)
            return code;
    }
    return plan->wants_help ? WL_OK : check(plan, error);
}

void wl_cc_plan_free(struct wl_cc_plan *plan)
{
    free(plan->parts.items);
    free(plan->compile.items);
    free(plan->host.items);
    free(plan->device.items);
    wl_text_free(&plan->ptxas);
    wl_arena_free(&plan->arena);
    *plan = (struct wl_cc_plan){0};
}
