#include "cmd/manual.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

#include "base/count.h"
#include "warplens/version.h"

/* Variables that users may set. Those between warplens and its libraries are the last ones. */
static const struct {
    const char *name, *meaning;
} variables[] = {
    {"WARPLENS_COLLECTOR", "auto, sim or hw: the default of --collector"},
    {"WARPLENS_CUPTI", "path of the CUPTI library to measure with"},
    {"WARPLENS_ACC_TIME", "1: `warplens trace` prints the times of OpenACC regions by line"},
    {"NVCOMPILER_ACC_TIME", "the same, as programs of NVIDIA's compiler read it"},
    {"PGI_ACC_TIME", "the same, as programs of PGI's compiler read it"},
    {"NVCOMPILER_ACC_NOTIFY",
     "bits: `warplens trace` prints what OpenACC did, a line each (acc-time --notify)"},
    {"PGI_ACC_NOTIFY", "the same, as programs of PGI's compiler read it"},
    {"WARPLENS_NO_NVCC", "set: do not run ptxas for the registers of kernels"},
    {"WARPLENS_GPU",
     "model to simulate where --gpu is not given, also when a program runs with our libraries but "
     "without warplens"},
    {"WARPLENS_GPU_FOLDER", "in the last case: the folder searched first for NAME.gpu"},
    {"WARPLENS_DEVICES",
     "in the last case: number of simulated devices, before CUDA_VISIBLE_DEVICES applies"},
    {"WARPLENS_SETTINGS", "set by warplens: the settings file, for its libraries in the program"},
    {"WARPLENS_PYTORCH", "set by warplens: what --pytorch names, for Python in the program"},
    {"WARPLENS_TRACE_ENGINE", "set by warplens: the library that records events"},
};
enum { variable_count = WL_COUNT(variables) };

void wl_manual_print_environment(struct wl_text *out)
{
    for (size_t i = 0; i < variable_count; i++)
        wl_text_addf(out, "%-22s %s\n", variables[i].name, variables[i].meaning);
}

/* A character of UTF-8 by its number, which every device of roff knows. Gives its length in bytes.
 */
static size_t add_character(const char *text, struct wl_text *out)
{
    size_t length = 1;
    uint32_t first = (unsigned char)*text;
    uint32_t point = first >= 0xf0 ? first & 0x07 : first >= 0xe0 ? first & 0x0f : first & 0x1f;
    for (; ((unsigned char)text[length] & 0xc0) == 0x80; length++)
        point = point << 6 | ((unsigned char)text[length] & 0x3f);
    wl_text_addf(out, "\\[u%04X]", (unsigned)point);
    return length;
}

/* Text as roff takes it: nothing of it is a command. */
static void add_text(const char *text, struct wl_text *out)
{
    if (*text == '.' || *text == '\'')
        wl_text_add(out, "\\&");
    for (; *text; text++) {
        if ((unsigned char)*text >= 0x80)
            text += add_character(text, out) - 1;
        else if (*text == '\\')
            wl_text_add(out, "\\e");
        else if (*text == '-')
            wl_text_add(out, "\\-");
        else if (*text == '\'')
            wl_text_add(out, "\\(aq");
        else if (*text == '`')
            wl_text_add(out, "\\(ga");
        else
            wl_text_add_char(out, *text);
    }
}

static void add_line(const char *command, const char *text, struct wl_text *out)
{
    wl_text_addf(out, "%s", command);
    add_text(text, out);
    wl_text_add_char(out, '\n');
}

static void add_title(const char *verb, struct wl_text *out)
{
    wl_text_add(out, ".TH WARPLENS");
    if (verb)
        wl_text_add(out, "\\-");
    for (; verb && *verb; verb++) {
        char letter[] = {(char)toupper((unsigned char)*verb), '\0'};
        add_text(letter, out);
    }
    wl_text_addf(out, " 1 \"\" \"warplens %s\" \"Warplens\"\n", WL_VERSION_STRING);
}

static void add_option(const struct wl_option *option, struct wl_text *out)
{
    wl_text_add(out, ".TP\n");
    if (option->letter)
        wl_text_addf(out, "\\fB\\-%c\\fR, ", option->letter);
    wl_text_add(out, "\\fB");
    add_text(wl_option_dashes(option), out);
    add_text(option->name, out);
    wl_text_add(out, "\\fR");
    if (wl_option_takes_value(option->kind)) {
        wl_text_add(out, " \\fI");
        add_text(wl_option_value_name(option), out);
        wl_text_add(out, "\\fR");
    }
    wl_text_add_char(out, '\n');
    add_line("", option->help, out);
}

static void add_options(const struct wl_option_table *tables, struct wl_text *out)
{
    wl_text_add(out, ".SH OPTIONS\n");
    for (struct wl_option_cursor at = wl_options_first(tables); at.row; wl_options_next(&at)) {
        if (at.row->kind == WL_OPTION_HEADING)
            add_line(".SS ", at.row->name, out);
        if (wl_option_is_shown(at.row))
            add_option(at.row, out);
    }
}

static void print_verb(const struct wl_verb *verb, struct wl_text *out)
{
    add_title(verb->name, out);
    wl_text_add(out, ".SH NAME\nwarplens\\-");
    add_text(verb->name, out);
    add_line(" \\- ", verb->summary, out);
    wl_text_add(out, ".SH SYNOPSIS\n");
    add_line(".B warplens ", verb->usage, out);
    if (verb->tables)
        add_options(verb->tables, out);
    else
        wl_text_addf(out, ".SH OPTIONS\n\\fBwarplens help %s\\fR lists them.\n", verb->name);
    if (verb->more)
        add_line(".PP\n", verb->more, out);
    wl_text_add(out, ".SH SEE ALSO\n.BR warplens (1)\n");
}

static void print_overview(struct wl_text *out)
{
    add_title(NULL, out);
    wl_text_add(out, ".SH NAME\nwarplens \\- profile CUDA programs, with or without a GPU\n.SH "
                     "SYNOPSIS\n.B warplens\n.I VERB\n[options] ...\n.SH VERBS\n");
    for (size_t i = 0; wl_verbs[i]; i++) {
        add_line(".TP\n.B ", wl_verbs[i]->usage, out);
        add_line("", wl_verbs[i]->summary, out);
    }
    wl_text_add(out, ".SH ENVIRONMENT\n");
    for (size_t i = 0; i < variable_count; i++) {
        add_line(".TP\n.B ", variables[i].name, out);
        add_line("", variables[i].meaning, out);
    }
    wl_text_add(out, ".SH SEE ALSO\n");
    for (size_t i = 0; wl_verbs[i]; i++) {
        add_line(".BR warplens\\-", wl_verbs[i]->name, out);
        out->length--; /* the line goes on */
        wl_text_addf(out, " (1)%s\n", wl_verbs[i + 1] ? "," : "");
    }
}

void wl_manual_print(const struct wl_verb *verb, struct wl_text *out)
{
    if (verb)
        print_verb(verb, out);
    else
        print_overview(out);
}
