#include "cmd/completions.h"

#include <string.h>

#include "cmd/verbs.h"

/* ---- what options take ---- */

/* Whether the values of an option are the words of its argument, '|' between. */
static bool has_words(const struct wl_option *option)
{
    return option->kind == WL_OPTION_CHOICE || option->kind == WL_OPTION_SECOND ||
           option->kind == WL_OPTION_SWITCH;
}

static bool takes_files(const struct wl_option *option)
{
    const char *argument = option->argument ? option->argument : "";
    return strncmp(argument, "FILE", 4) == 0 || strncmp(argument, "FOLDER", 6) == 0 ||
           strcmp(argument, "REPORT") == 0;
}

/* "a|b" as "a b". */
static void add_words(const char *words, struct wl_text *out)
{
    for (; *words; words++)
        wl_text_add_char(out, *words == '|' ? ' ' : *words);
}

/* Text within single quotes: each character of special has a '\' before it, ' is as quote has it.
 */
static void add_quoted(const char *text, const char *special, const char *quote,
                       struct wl_text *out)
{
    for (; *text; text++) {
        if (*text == '\'') {
            wl_text_add(out, quote);
            continue;
        }
        if (strchr(special, *text))
            wl_text_add_char(out, '\\');
        wl_text_add_char(out, *text);
    }
}

static void add_verb_names(const char *separator, struct wl_text *out)
{
    for (size_t i = 0; wl_verbs[i]; i++)
        wl_text_addf(out, "%s%s", i ? separator : "", wl_verbs[i]->name);
}

/* ---- bash ---- */

static void print_bash_values(const struct wl_verb *verb, struct wl_text *out)
{
    for (struct wl_option_cursor at = wl_options_first(verb->tables); at.row;
         wl_options_next(&at)) {
        if (!wl_option_is_shown(at.row) || !wl_option_takes_value(at.row->kind))
            continue;
        wl_text_addf(out, "    '%s %s%s'", verb->name, wl_option_dashes(at.row), at.row->name);
        if (at.row->letter)
            wl_text_addf(out, " | '%s -%c'", verb->name, at.row->letter);
        wl_text_add(out, ")");
        if (has_words(at.row)) {
            wl_text_add(out, " words='");
            add_words(wl_option_value_name(at.row), out);
            wl_text_add(out, "' ;;\n");
        } else {
            wl_text_addf(out, " %s ;;\n", takes_files(at.row) ? "files=1" : "return");
        }
    }
}

static void print_bash_options(const struct wl_verb *verb, struct wl_text *out)
{
    wl_text_addf(out, "        '%s') words='", verb->name);
    for (struct wl_option_cursor at = wl_options_first(verb->tables); at.row; wl_options_next(&at))
        if (wl_option_is_shown(at.row))
            wl_text_addf(out, "%s%s ", wl_option_dashes(at.row), at.row->name);
    wl_text_add(out, "' ;;\n");
}

static void print_bash(struct wl_text *out)
{
    wl_text_add(out,
                "_warplens()\n{\n"
                "    local current=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]}\n"
                "    local verb=${COMP_WORDS[1]} words= files=\n"
                "    COMPREPLY=()\n"
                "    if [ \"$current\" = = ]; then\n"
                "        current=\n"
                "    elif [ \"$before\" = = ]; then\n"
                "        before=${COMP_WORDS[COMP_CWORD-2]}\n"
                "    fi\n"
                "    case \"$COMP_CWORD $verb\" in\n"
                "    '1 '* | '2 help') words='");
    add_verb_names(" ", out);
    wl_text_add(out, "' ;;\n    esac\n    case \"$verb $before\" in\n");
    for (size_t i = 0; wl_verbs[i]; i++)
        if (wl_verbs[i]->tables)
            print_bash_values(wl_verbs[i], out);
    wl_text_add(out, "    esac\n    if [ -z \"$words$files\" ] && [ \"${current#-}\" != "
                     "\"$current\" ]; then\n        case \"$verb\" in\n");
    for (size_t i = 0; wl_verbs[i]; i++)
        if (wl_verbs[i]->tables)
            print_bash_options(wl_verbs[i], out);
    wl_text_add(out, "        esac\n    fi\n"
                     "    if [ -n \"$words\" ]; then\n"
                     "        COMPREPLY=($(compgen -W \"$words\" -- \"$current\"))\n"
                     "    else\n"
                     "        COMPREPLY=($(compgen -f -- \"$current\"))\n"
                     "    fi\n}\n"
                     "complete -o filenames -F _warplens warplens\n");
}

/* ---- zsh ---- */

/* '(-o --export)'{-o,--export}'[what it is]:FILE:_files' */
static void print_zsh_option(const struct wl_option *option, struct wl_text *out)
{
    wl_text_add(out, " \\\n            ");
    if (option->letter)
        wl_text_addf(out, "'(-%c --%s)'{-%c,--%s}'", option->letter, option->name, option->letter,
                     option->name);
    else
        wl_text_addf(out, "'%s%s", wl_option_dashes(option), option->name);
    wl_text_add_char(out, '[');
    add_quoted(option->help, "[]\\", "'\\''", out);
    wl_text_add_char(out, ']');
    if (wl_option_takes_value(option->kind)) {
        wl_text_add_char(out, ':');
        add_quoted(has_words(option) ? option->name : wl_option_value_name(option), ":[]\\",
                   "'\\''", out);
        wl_text_add_char(out, ':');
        if (has_words(option)) {
            wl_text_add_char(out, '(');
            add_words(wl_option_value_name(option), out);
            wl_text_add_char(out, ')');
        } else {
            wl_text_add(out, takes_files(option) ? "_files" : " ");
        }
    }
    wl_text_add_char(out, '\'');
}

static void print_zsh_verb(const struct wl_verb *verb, struct wl_text *out)
{
    wl_text_addf(out, "    %s)\n        _arguments -s", verb->name);
    for (struct wl_option_cursor at = wl_options_first(verb->tables); at.row; wl_options_next(&at))
        if (wl_option_is_shown(at.row))
            print_zsh_option(at.row, out);
    if (verb->words == WL_WORDS_PROGRAM)
        wl_text_add(out, " \\\n            '*::program: _normal'");
    else if (verb->words == WL_WORDS_MIXED)
        wl_text_add(out, " \\\n            '*:file:_files'");
    wl_text_add(out, "\n        ;;\n");
}

static void print_zsh(struct wl_text *out)
{
    wl_text_add(out, "#compdef warplens\n_warplens()\n{\n    local -a verbs\n    verbs=(\n");
    for (size_t i = 0; wl_verbs[i]; i++) {
        wl_text_addf(out, "        '%s:", wl_verbs[i]->name);
        add_quoted(wl_verbs[i]->summary, ":\\", "'\\''", out);
        wl_text_add(out, "'\n");
    }
    wl_text_add(out, "    )\n    if (( CURRENT == 2 )) || [[ $CURRENT$words[2] == 3help ]]; then\n"
                     "        _describe verb verbs\n        return\n    fi\n"
                     "    local verb=$words[2]\n    shift words\n    (( CURRENT-- ))\n"
                     "    case $verb in\n");
    for (size_t i = 0; wl_verbs[i]; i++)
        if (wl_verbs[i]->tables)
            print_zsh_verb(wl_verbs[i], out);
    wl_text_add(out, "    *) _files ;;\n    esac\n}\n_warplens \"$@\"\n");
}

/* ---- fish ---- */

static void print_fish_option(const struct wl_verb *verb, const struct wl_option *option,
                              struct wl_text *out)
{
    const char *dashes = wl_option_dashes(option);
    const char *how = dashes[1] ? "-l" : option->name[1] ? "-o" : "-s"; /* --name, -name, -n */
    wl_text_addf(out, "complete -c warplens -n '__fish_seen_subcommand_from %s' %s %s", verb->name,
                 how, option->name);
    if (option->letter)
        wl_text_addf(out, " -s %c", option->letter);
    if (has_words(option)) {
        wl_text_add(out, " -x -a '");
        add_words(wl_option_value_name(option), out);
        wl_text_add_char(out, '\'');
    } else if (wl_option_takes_value(option->kind)) {
        wl_text_add(out, takes_files(option) ? " -r -F" : " -x");
    }
    wl_text_add(out, " -d '");
    add_quoted(option->help, "\\", "\\'", out);
    wl_text_add(out, "'\n");
}

static void print_fish(struct wl_text *out)
{
    for (size_t i = 0; wl_verbs[i]; i++) {
        wl_text_addf(out, "complete -c warplens -n __fish_use_subcommand -f -a %s -d '",
                     wl_verbs[i]->name);
        add_quoted(wl_verbs[i]->summary, "\\", "\\'", out);
        wl_text_add(out, "'\n");
    }
    wl_text_add(out, "complete -c warplens -n '__fish_seen_subcommand_from help' -f -a '");
    add_verb_names(" ", out);
    wl_text_add(out, "'\n");
    for (size_t i = 0; wl_verbs[i]; i++) {
        if (!wl_verbs[i]->tables)
            continue;
        for (struct wl_option_cursor at = wl_options_first(wl_verbs[i]->tables); at.row;
             wl_options_next(&at))
            if (wl_option_is_shown(at.row))
                print_fish_option(wl_verbs[i], at.row, out);
    }
}

void wl_completions_print(enum wl_shell shell, struct wl_text *out)
{
    static void (*const printers[])(struct wl_text * out) = {
        [WL_SHELL_BASH] = print_bash,
        [WL_SHELL_ZSH] = print_zsh,
        [WL_SHELL_FISH] = print_fish,
    };
    printers[shell](out);
}
