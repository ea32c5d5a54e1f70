#include "cmd/cc_clang.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/memory.h"
#include "base/sha256.h"
#include "base/subprocess.h"
#include "run/cache.h"
#include "run/program.h"

static const char *const names[] = {"clang",    "clang-20", "clang-19", "clang-18",
                                    "clang-17", "clang-16", "clang-15", "clang-14"};

/* What each version of clang knows of GPUs. */
static const struct {
    uint32_t version, architecture, ptx;
} abilities[] = {
    {14, 86, 75}, {15, 86, 75}, {16, 90, 78},  {17, 90, 80},
    {18, 90, 83}, {19, 90, 85}, {20, 120, 87},
};
enum { ability_count = WL_COUNT(abilities), most_said_bytes = 4096 };

static uint32_t find_version(const struct wl_text *said)
{
    const char *at = said->data ? strstr(said->data, "clang version ") : NULL;
    return at ? (uint32_t)strtoul(at + strlen("clang version "), NULL, 10) : 0;
}

/* Where what this clang says of its version is kept, which takes it a tenth of a second to say;
 * free() it. NULL: nowhere. */
static char *kept_path(const char *path)
{
    char hex[WL_SHA256_HEX_LENGTH + 1];
    char *folder = wl_cache_folder(), *facts = wl_cache_describe_program(path), *kept = NULL;
    if (folder && facts) {
        wl_sha256_of(facts, strlen(facts), hex);
        kept = wl_string_format("%s/clang-%s", folder, hex);
    }
    free(folder);
    free(facts);
    return kept;
}

static uint32_t read_version(char *path)
{
    char *words[] = {path, "--version", NULL};
    char *kept = kept_path(path);
    struct wl_text said = {0};
    struct wl_ending ending = {0};
    uint32_t version = 0;
    if (kept && wl_file_read_regular(kept, most_said_bytes, &said, NULL) == WL_OK)
        version = find_version(&said);
    if (!version) {
        said.length = 0;
        if (wl_subprocess_run(words, &said, &ending, NULL) == WL_OK && ending.exit_code == 0)
            version = find_version(&said);
        if (kept && version)
            wl_cache_keep(kept, &said, NULL);
    }
    wl_text_free(&said);
    free(kept);
    return version;
}

/* False if it is no clang or too old a one. */
static bool examine(struct wl_cc_clang *clang)
{
    clang->version = read_version(clang->path);
    for (size_t i = 0; i < ability_count && abilities[i].version <= clang->version; i++) {
        clang->architecture = abilities[i].architecture;
        clang->ptx = abilities[i].ptx;
    }
    return clang->ptx != 0;
}

enum wl_code wl_cc_clang_find(const char *asked, struct wl_cc_clang *clang, struct wl_error *error)
{
    size_t count = asked ? 1 : WL_COUNT(names);
    *clang = (struct wl_cc_clang){0};
    for (size_t i = 0; i < count; i++) {
        enum wl_code code = wl_program_find(asked ? asked : names[i], &clang->path, NULL);
        if (code == WL_OK && examine(clang))
            return WL_OK;
        wl_cc_clang_free(clang);
    }
    if (asked)
        wl_error_set(error, WL_ERR_INPUT, "%s is not clang 14 or newer", asked);
    else
        wl_error_set(error, WL_ERR_INPUT, "there is no clang 14 or newer in PATH");
    return wl_error_set_hint(error, "apt-get install clang g++");
}

void wl_cc_clang_free(struct wl_cc_clang *clang)
{
    free(clang->path);
    *clang = (struct wl_cc_clang){0};
}

static void show_command(char *const *words)
{
    for (size_t i = 0; words[i]; i++) {
        bool is_plain = *words[i] && !strpbrk(words[i], " \t\n\"'\\$*?();<>&|");
        fprintf(stderr, is_plain ? "%s%s" : "%s'%s'", i ? " " : "$ ", words[i]);
    }
    fputc('\n', stderr);
}

enum wl_code wl_cc_clang_run(const struct wl_cc_clang *clang, const struct wl_cc_words *words,
                             bool is_verbose, struct wl_error *error)
{
    char **arguments = wl_alloc((words->count + 2) * sizeof *arguments);
    struct wl_environment environment;
    struct wl_subprocess process;
    struct wl_ending ending = {0};
    arguments[0] = clang->path;
    for (size_t i = 0; i < words->count; i++)
        arguments[i + 1] = (char *)words->items[i]; /* posix_spawn changes none of them */
    arguments[words->count + 1] = NULL;
    if (is_verbose)
        show_command(arguments);
    wl_environment_copy(&environment);
    enum wl_code code = wl_subprocess_start(&process, clang->path, arguments, &environment, error);
    if (!code) {
        wl_subprocess_wait(&process, NULL, &ending);
        if (ending.signal)
            code = wl_error_set(error, WL_ERR_INPUT, "%s was ended by signal %d (%s)", clang->path,
                                ending.signal, strsignal(ending.signal));
        else if (ending.exit_code)
            code = wl_error_set(error, WL_ERR_INPUT, "clang found errors, see above");
    }
    wl_environment_free(&environment);
    free(arguments);
    return code;
}

bool wl_cc_clang_has_header(const struct wl_cc_clang *clang, const struct wl_cc_words *options,
                            const char *header)
{
    static const char *const before[] = {"--driver-mode=g++", "-w", "-E", "-x", "c++"};
    struct wl_cc_words words = {0};
    struct wl_ending ending = {0};
    WL_PUSH(&words, clang->path);
    for (size_t i = 0; i < WL_COUNT(before); i++)
        WL_PUSH(&words, before[i]);
    for (size_t i = 0; i < options->count; i++)
        WL_PUSH(&words, options->items[i]);
    WL_PUSH(&words, "-include");
    WL_PUSH(&words, header);
    WL_PUSH(&words, "/dev/null");
    WL_PUSH(&words, NULL);
    struct wl_text output = {0};
    enum wl_code code = wl_subprocess_run((char *const *)words.items, &output, &ending, NULL);
    wl_text_free(&output);
    free(words.items);
    return code == WL_OK && ending.exit_code == 0;
}
