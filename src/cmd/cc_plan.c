#include "cmd/cc_plan.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

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
    REFUSE, /* text says why */
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

struct option {
    const char *name;
    enum form form;
    enum action action;
    const char *text; /* REFUSE: the reason; else name of the value, for the help */
    const char *help; /* NULL: not described */
    size_t offset;    /* SET_FLAG: a bool, SET_TEXT: a const char * of the plan */
};

static const char no_assembler[] = "it needs NVIDIA's assembler";
static const char no_separate[] = "device code cannot be linked across files";

#define AT(field) offsetof(struct wl_cc_plan, field)

static const struct option options[] = {
    {"-o", VALUE, SET_TEXT, "FILE", "write the program, or with -c the object, here", AT(output)},
    {"--output-file", VALUE, SET_TEXT, NULL, NULL, AT(output)},
    {"-c", FLAG, SET_FLAG, NULL, "compile only: an object for each source file", AT(compile_only)},
    {"--compile", FLAG, SET_FLAG, NULL, NULL, AT(compile_only)},
    {"-ptx", FLAG, SET_FLAG, NULL, "device code only: its PTX for each .cu file", AT(ptx_only)},
    {"--ptx", FLAG, SET_FLAG, NULL, NULL, AT(ptx_only)},
    {"-arch", VALUE, ARCHITECTURE, "sm_NN",
     "GPU to compile for, at most the newest clang knows; default: sm_80", 0},
    {"--gpu-architecture", VALUE, ARCHITECTURE, NULL, NULL, 0},
    {"-code", VALUE, ARCHITECTURE, NULL, NULL, 0},
    {"--gpu-code", VALUE, ARCHITECTURE, NULL, NULL, 0},
    {"-gencode", VALUE, ARCHITECTURE, NULL, NULL, 0},
    {"--generate-code", VALUE, ARCHITECTURE, NULL, NULL, 0},
    {"-std", VALUE, SET_TEXT, "c++NN", "C++ standard; default: c++17", AT(standard)},
    {"--std", VALUE, SET_TEXT, NULL, NULL, AT(standard)},
    {"-O", PREFIX, LEVEL, NULL, "-O0 to -O3: optimisation of host and device code; default: -O3",
     0},
    {"--optimize", VALUE, LEVEL, NULL, NULL, 0},
    {"-use_fast_math", FLAG, FAST_MATH, NULL, "fast, inexact functions; numbers near 0 become 0",
     0},
    {"--use_fast_math", FLAG, FAST_MATH, NULL, NULL, 0},
    {"-x", VALUE, LANGUAGE, "cu", "all source files are CUDA, whatever their names", 0},
    {"-Xptxas", VALUE, ASSEMBLER, "OPTION",
     "recorded in the program: -dlcm=ca has L1 cache global loads", 0},
    {"--ptxas-options", VALUE, ASSEMBLER, NULL, NULL, 0},
    {"-maxrregcount", VALUE, ASSEMBLER_WORD, NULL, NULL, 0},
    {"--maxrregcount", VALUE, ASSEMBLER_WORD, NULL, NULL, 0},
    {"-Xcompiler", VALUE, TO_HOST, "OPTIONS", "to clang for host code only; ',' between", 0},
    {"--compiler-options", VALUE, TO_HOST, NULL, NULL, 0},
    {"-Xlinker", VALUE, TO_LINKER, "OPTIONS", "to the linker; ',' between", 0},
    {"--linker-options", VALUE, TO_LINKER, NULL, NULL, 0},
    {"--clang", VALUE, SET_TEXT, "PROGRAM", "the clang to use; default: the one in PATH",
     AT(clang)},
    {"-v", FLAG, SET_FLAG, NULL, "show what is run", AT(is_verbose)},
    {"--verbose", FLAG, SET_FLAG, NULL, NULL, AT(is_verbose)},
    {"-h", FLAG, SET_FLAG, NULL, NULL, AT(wants_help)},
    {"--help", FLAG, SET_FLAG, NULL, NULL, AT(wants_help)},
    /* passed on */
    {"-I", JOINED, COMPILE, NULL, NULL, 0},
    {"-isystem", JOINED, COMPILE, NULL, NULL, 0},
    {"-include", VALUE, COMPILE, NULL, NULL, 0},
    {"-D", JOINED, COMPILE, NULL, NULL, 0},
    {"-U", JOINED, COMPILE, NULL, NULL, 0},
    {"-MF", JOINED, COMPILE_HOST, NULL, NULL, 0},
    {"-MT", JOINED, COMPILE_HOST, NULL, NULL, 0},
    {"-MQ", JOINED, COMPILE_HOST, NULL, NULL, 0},
    {"-MD", FLAG, COMPILE_HOST, NULL, NULL, 0},
    {"-MMD", FLAG, COMPILE_HOST, NULL, NULL, 0},
    {"-MP", FLAG, COMPILE_HOST, NULL, NULL, 0},
    {"-g", FLAG, COMPILE_HOST, NULL, NULL, 0},
    {"--debug", FLAG, IGNORE, NULL, NULL, 0},
    {"-pthread", FLAG, BOTH, NULL, NULL, 0},
    {"-l", JOINED, LINK, NULL, NULL, 0},
    {"-L", JOINED, LINK, NULL, NULL, 0},
    {"-Wl,", PREFIX, LINK, NULL, NULL, 0},
    {"-shared", FLAG, LINK, NULL, NULL, 0},
    {"--shared", FLAG, LINK, NULL, NULL, 0},
    {"-rdynamic", FLAG, LINK, NULL, NULL, 0},
    {"-s", FLAG, LINK, NULL, NULL, 0},
    /* already the case, or without effect */
    {"-lineinfo", FLAG, IGNORE, NULL, NULL, 0},
    {"--generate-line-info", FLAG, IGNORE, NULL, NULL, 0},
    {"-G", FLAG, IGNORE, NULL, NULL, 0},
    {"--device-debug", FLAG, IGNORE, NULL, NULL, 0},
    {"-m64", FLAG, IGNORE, NULL, NULL, 0},
    {"-cudart", VALUE, IGNORE, NULL, NULL, 0},
    {"--cudart", VALUE, IGNORE, NULL, NULL, 0},
    {"-ccbin", VALUE, IGNORE, NULL, NULL, 0},
    {"--compiler-bindir", VALUE, IGNORE, NULL, NULL, 0},
    {"-Xcudafe", VALUE, IGNORE, NULL, NULL, 0},
    {"-Xnvlink", VALUE, IGNORE, NULL, NULL, 0},
    {"-diag-suppress", VALUE, IGNORE, NULL, NULL, 0},
    {"--diag-suppress", VALUE, IGNORE, NULL, NULL, 0},
    {"-t", JOINED, IGNORE, NULL, NULL, 0},
    {"--threads", VALUE, IGNORE, NULL, NULL, 0},
    {"-lcudart_static", FLAG, IGNORE, NULL, NULL, 0},
    {"-Wno-deprecated-gpu-targets", FLAG, IGNORE, NULL, NULL, 0},
    {"-expt-relaxed-constexpr", FLAG, IGNORE, NULL, NULL, 0},
    {"--expt-relaxed-constexpr", FLAG, IGNORE, NULL, NULL, 0},
    {"-expt-extended-lambda", FLAG, IGNORE, NULL, NULL, 0},
    {"--expt-extended-lambda", FLAG, IGNORE, NULL, NULL, 0},
    {"-extended-lambda", FLAG, IGNORE, NULL, NULL, 0},
    {"--extended-lambda", FLAG, IGNORE, NULL, NULL, 0},
    /* what cannot be done */
    {"-rdc", VALUE, RELOCATABLE, no_separate, NULL, 0},
    {"--relocatable-device-code", VALUE, RELOCATABLE, no_separate, NULL, 0},
    {"-dc", FLAG, REFUSE, no_separate, NULL, 0},
    {"--device-c", FLAG, REFUSE, no_separate, NULL, 0},
    {"-dlink", FLAG, REFUSE, no_separate, NULL, 0},
    {"--device-link", FLAG, REFUSE, no_separate, NULL, 0},
    {"-dlto", FLAG, REFUSE, no_separate, NULL, 0},
    {"-cubin", FLAG, REFUSE, no_assembler, NULL, 0},
    {"--cubin", FLAG, REFUSE, no_assembler, NULL, 0},
    {"-fatbin", FLAG, REFUSE, no_assembler, NULL, 0},
    {"--fatbin", FLAG, REFUSE, no_assembler, NULL, 0},
    {"-E", FLAG, REFUSE, "a file is compiled for the device and for the host", NULL, 0},
    {"-M", FLAG, REFUSE, "use -MD, which lists the files while it compiles", NULL, 0},
    {"-MM", FLAG, REFUSE, "use -MMD, which lists the files while it compiles", NULL, 0},
};

struct reader {
    struct wl_cc_plan *plan;
    struct wl_error *error;
    char **words;
    size_t count, at;
};

/* ---- finding the row of a word ---- */

static bool fits(const struct option *option, const char *word)
{
    size_t length = strlen(option->name);
    if (strncmp(word, option->name, length) != 0)
        return false;
    switch (option->form) {
    case FLAG:
        return !word[length];
    case VALUE:
        return !word[length] || word[length] == '=';
    case JOINED:
    case PREFIX:
        return true;
    }
    return false;
}

/* The longest name that fits: -lineinfo is no -l. */
static const struct option *find_option(const char *word)
{
    const struct option *found = NULL;
    for (size_t i = 0; i < sizeof options / sizeof *options; i++)
        if (fits(&options[i], word) && (!found || strlen(options[i].name) > strlen(found->name)))
            found = &options[i];
    return found;
}

/* The value of the option in the current word, which may stand in the next one. */
static enum wl_code take_value(struct reader *reader, const struct option *option,
                               const char **value)
{
    const char *rest = reader->words[reader->at] + strlen(option->name);
    if (option->form == VALUE && *rest == '=')
        rest++;
    else if (!*rest && reader->at + 1 == reader->count)
        return wl_error_set(reader->error, WL_ERR_USAGE, "option %s needs a value", option->name);
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
    for (size_t i = 0; i < sizeof beginnings / sizeof *beginnings; i++)
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

static enum wl_code refuse(struct reader *reader, const struct option *option)
{
    return wl_error_set(reader->error, WL_ERR_UNSUPPORTED, "%s cannot be done: %s", option->name,
                        option->text);
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

static enum wl_code act(struct reader *reader, const struct option *option, const char *value,
                        size_t first)
{
    struct wl_cc_plan *plan = reader->plan;
    char *field = (char *)plan + option->offset;
    switch (option->action) {
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
    for (size_t i = 0; ending && !is_known && i < sizeof endings / sizeof *endings; i++)
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
    const struct option *option = find_option(word);
    size_t first = reader->at;
    if (!option) {
        add_word(&reader->plan->compile, word); /* clang says so if it does not know it either */
        return WL_OK;
    }
    if (option->form == VALUE || option->form == JOINED) {
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

void wl_cc_plan_describe(struct wl_text *out)
{
    for (size_t i = 0; i < sizeof options / sizeof *options; i++) {
        const struct option *option = &options[i];
        if (!option->help)
            continue;
        const char *between = !option->text ? "" : option->name[1] == '-' ? "=" : " ";
        char *left =
            wl_string_format("%s%s%s", option->name, between, option->text ? option->text : "");
        wl_text_addf(out, "  %-18s %s\n", left, option->help);
        free(left);
    }
    wl_text_add(out,
                "\nOptions of nvcc that change nothing here are taken; all others are passed on to "
                "clang.\n");
}
