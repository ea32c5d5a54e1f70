#include "run/registers.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/count.h"
#include "base/folder.h"
#include "base/memory.h"
#include "base/sha256.h"
#include "base/subprocess.h"
#include "binary/compiled.h"
#include "run/cache.h"
#include "run/program.h"

enum { limit_ms = 20000, words_most = 16, kept_most_bytes = 1 << 24 };

/* One talk with ptxas. */
struct inquiry {
    char *ptxas;
    char *ptxas_facts; /* what tells it from another version; NULL: its answers are not kept */
    char *targets; /* what `ptxas --help` lists: 'sm_90', 'sm_90a', ...; NULL: it was not asked */
    const char *folder;
    uint32_t capability;
    int64_t deadline_ms;
    struct wl_compiled compiled;
};

static int64_t now_ms(void)
{
    return (int64_t)(wl_clock_monotonic_ns() / 1000000);
}

static char *find_ptxas(void)
{
    char *path = NULL;
    if (getenv("WARPLENS_NO_NVCC"))
        return NULL;
    if (wl_program_find("ptxas", &path, NULL) == WL_OK)
        return path;
    free(path);
    if (wl_program_find("/usr/local/cuda/bin/ptxas", &path, NULL) == WL_OK)
        return path;
    free(path);
    return NULL;
}

/* ---- for which GPU to compile ---- */

static bool takes_target(const struct inquiry *inquiry, uint32_t architecture, const char *suffix)
{
    if (!inquiry->targets)
        return false;
    char *word = wl_string_format("'sm_%" PRIu32 "%s'", architecture, suffix);
    bool is_there = strstr(inquiry->targets, word) != NULL;
    free(word);
    return is_there;
}

static uint32_t distance(uint32_t a, uint32_t b)
{
    return a > b ? a - b : b - a;
}

/* The model's architecture, or the lowest that the PTX may be compiled for. */
static uint32_t wanted_target(const struct inquiry *inquiry, const struct wl_image *ptx)
{
    bool is_own = ptx->architecture_specific || ptx->architecture > inquiry->capability;
    return is_own ? ptx->architecture : inquiry->capability;
}

/* The nearest to it that this ptxas lists; 0 if there is none. */
static uint32_t listed_target(const struct inquiry *inquiry, const struct wl_image *ptx)
{
    uint32_t best = 0;
    if (ptx->architecture_specific)
        return takes_target(inquiry, ptx->architecture, "a") ? ptx->architecture : 0;
    for (uint32_t target = ptx->architecture; target < 1000; target++)
        if (takes_target(inquiry, target, "") &&
            (!best || distance(target, inquiry->capability) < distance(best, inquiry->capability)))
            best = target;
    return best;
}

/* ---- compiling ---- */

struct words {
    WL_VECTOR_FIELDS(char *);
};

/* The options recorded with the PTX that decide on registers; the others, hostile ones too, are
 * not passed on. */
static const char *const passed_options[] = {
    "-maxrregcount=", "--maxrregcount=", "-O0", "-O1", "-O2", "-O3", "-dlcm="};

static bool is_passed(const char *word)
{
    for (size_t i = 0; i < WL_COUNT(passed_options); i++)
        if (strncmp(word, passed_options[i], strlen(passed_options[i])) == 0)
            return true;
    return false;
}

static void add_recorded_options(const char *options, struct words *arguments)
{
    while (options && *(options += strspn(options, " "))) {
        size_t length = strcspn(options, " ");
        char *word = wl_string_copy_length(options, length);
        if (is_passed(word))
            WL_PUSH(arguments, word);
        else
            free(word);
        options += length;
    }
}

/* What a note says of a failure: ptxas's first complaint. */
static void add_failure_note(struct inquiry *inquiry, const struct wl_image *ptx,
                             const char *output, bool is_late)
{
    const char *line = strstr(output, "fatal");
    const char *error = strstr(output, "error");
    if (error && (!line || error < line))
        line = error;
    line = is_late ? "it takes too long" : line ? line : output;
    wl_text_addf(&inquiry->compiled.notes,
                 "registers of the kernels of %s are estimated: ptxas cannot compile their PTX: "
                 "%.*s\n",
                 ptx->source_name ? ptx->source_name : "the program",
                 *line ? (int)strcspn(line, "\r\n") : 17, *line ? line : "it says no reason");
}

/* Where what ptxas says of this PTX with these options is kept; free() it. NULL: nowhere. */
static char *kept_path(const struct inquiry *inquiry, const struct wl_image *ptx,
                       const struct words *options)
{
    struct wl_sha256 hash;
    char hex[WL_SHA256_HEX_LENGTH + 1];
    char *folder = inquiry->ptxas_facts ? wl_cache_folder() : NULL;
    if (!folder)
        return NULL;
    wl_sha256_begin(&hash);
    wl_sha256_add(&hash, inquiry->ptxas_facts, strlen(inquiry->ptxas_facts) + 1);
    for (size_t i = 0; i < options->count; i++)
        wl_sha256_add(&hash, options->items[i], strlen(options->items[i]) + 1);
    wl_sha256_add(&hash, ptx->bytes, ptx->size_bytes);
    wl_sha256_end(&hash, hex);
    char *path = wl_string_format("%s/ptxas-%s", folder, hex);
    free(folder);
    return path;
}

static enum wl_code start_ptxas(const struct inquiry *inquiry, const struct words *options,
                                const struct wl_image *ptx, struct wl_text *output,
                                struct wl_ending *ending)
{
    struct words arguments = {0};
    char *ptx_path = wl_string_format("%s/compiled.ptx", inquiry->folder);
    char *object_path = wl_string_format("%s/compiled.cubin", inquiry->folder);
    char *const last[] = {ptx_path, (char[]){"-o"}, object_path, NULL};
    WL_PUSH(&arguments, inquiry->ptxas);
    for (size_t i = 0; i < options->count; i++)
        WL_PUSH(&arguments, options->items[i]);
    for (size_t i = 0; i < WL_COUNT(last); i++)
        WL_PUSH(&arguments, last[i]);
    enum wl_code code = wl_file_write(ptx_path, (const char *)ptx->bytes, ptx->size_bytes, NULL);
    if (!code)
        code = wl_subprocess_run_limited(
            arguments.items, (uint32_t)(inquiry->deadline_ms - now_ms()), output, ending, NULL);
    unlink(object_path);
    unlink(ptx_path);
    free(arguments.items);
    free(object_path);
    free(ptx_path);
    return code;
}

/* Gives what it said the last time of the same text, where it compiled that. */
static enum wl_code run_ptxas(const struct inquiry *inquiry, const struct wl_image *ptx,
                              uint32_t target, struct wl_text *output, struct wl_ending *ending)
{
    struct words options = {0};
    enum wl_code code = WL_OK;
    WL_PUSH(&options, wl_string_copy("-v"));
    WL_PUSH(&options, wl_string_format("-arch=sm_%" PRIu32 "%s", target,
                                       ptx->architecture_specific ? "a" : ""));
    add_recorded_options(ptx->options, &options);
    char *kept = kept_path(inquiry, ptx, &options);
    if (kept && wl_file_read_regular(kept, kept_most_bytes, output, NULL) == WL_OK) {
        *ending = (struct wl_ending){0};
    } else {
        code = start_ptxas(inquiry, &options, ptx, output, ending);
        if (kept && code == WL_OK && ending->exit_code == 0 && now_ms() < inquiry->deadline_ms)
            wl_cache_keep(kept, output, NULL);
    }
    free(kept);
    for (size_t i = 0; i < options.count; i++)
        free(options.items[i]);
    free(options.items);
    return code;
}

static void ask_for_targets(struct inquiry *inquiry)
{
    struct wl_text output = {0};
    struct wl_ending ending = {0};
    char *const arguments[] = {inquiry->ptxas, (char[]){"--help"}, NULL};
    int64_t left_ms = inquiry->deadline_ms - now_ms();
    if (inquiry->targets || left_ms <= 0)
        return;
    wl_subprocess_run_limited(arguments, (uint32_t)left_ms, &output, &ending, NULL);
    inquiry->targets = wl_text_take(&output);
}

/* For the wanted target; where this ptxas does not know it, for the nearest that it lists. It is
 * not asked for its list before, as its help takes longer than a small file of PTX: it writes it
 * byte by byte. Gives the target, 0 where there is none. */
static uint32_t compile_nearest(struct inquiry *inquiry, const struct wl_image *ptx,
                                struct wl_text *output, struct wl_ending *ending,
                                enum wl_code *code)
{
    uint32_t target = wanted_target(inquiry, ptx);
    *code = run_ptxas(inquiry, ptx, target, output, ending);
    if (*code || ending->exit_code == 0 || !output->data ||
        !strstr(output->data, "is not defined for option 'gpu-name'"))
        return target;
    ask_for_targets(inquiry);
    target = listed_target(inquiry, ptx);
    wl_text_free(output);
    if (target && now_ms() < inquiry->deadline_ms)
        *code = run_ptxas(inquiry, ptx, target, output, ending);
    return target;
}

static void compile(struct inquiry *inquiry, const struct wl_image *ptx)
{
    char hash[WL_SHA256_HEX_LENGTH + 1];
    struct wl_text output = {0};
    struct wl_ending ending = {0};
    uint32_t target = wanted_target(inquiry, ptx);
    bool is_late = now_ms() >= inquiry->deadline_ms;
    enum wl_code code = WL_OK;
    if (!is_late)
        target = compile_nearest(inquiry, ptx, &output, &ending, &code);
    wl_sha256_of(ptx->bytes, ptx->size_bytes, hash);
    is_late = is_late || now_ms() >= inquiry->deadline_ms;
    if (target && !is_late && code == WL_OK && ending.exit_code == 0)
        wl_compiled_read_output(output.data ? output.data : "", hash, target, &inquiry->compiled);
    else if (target)
        add_failure_note(inquiry, ptx, output.data ? output.data : "", is_late);
    wl_text_free(&output);
}

/* ---- the program's images ---- */

static void compile_chosen(struct inquiry *inquiry, const struct wl_fatbin *fatbin,
                           bool accepts_newer)
{
    for (size_t first = 0, last; first < fatbin->count; first = last) {
        enum wl_image_fitness fitness;
        const struct wl_image *images = &fatbin->items[first];
        for (last = first;
             last < fatbin->count && fatbin->items[last].container == images->container;)
            last++;
        const struct wl_image *ptx =
            wl_image_choose_ptx(images, last - first, inquiry->capability, accepts_newer, &fitness);
        if (ptx && !wl_image_choose_cubin(images, last - first, inquiry->capability))
            compile(inquiry, ptx);
    }
}

static char *write_answers(const struct inquiry *inquiry)
{
    struct wl_text text = {0};
    wl_compiled_print(&inquiry->compiled, &text);
    char *path = wl_string_format("%s/compiled", inquiry->folder);
    if (text.length == 0 || wl_file_write(path, text.data, text.length, NULL)) {
        free(path);
        path = wl_string_copy("");
    }
    wl_text_free(&text);
    return path;
}

/* The words of a command that may be programs with kernels: "env ./app", "sh -c 'cd x; ./app 3'",
 * "mpirun -n 4 ./app". A word that is none costs a look at its first bytes. */
static void read_programs(const char *program_path, const struct wl_arguments *words,
                          struct wl_fatbin *fatbin)
{
    static const char spaces[] = " \t\n;&|()'\"";
    size_t looked_at = 0;
    wl_fatbin_read_program(program_path, fatbin, NULL);
    for (size_t i = 1; i < words->count; i++) {
        char *copy = wl_string_copy(words->items[i]), *rest = NULL;
        for (char *word = strtok_r(copy, spaces, &rest); word && looked_at < words_most;
             word = strtok_r(NULL, spaces, &rest)) {
            struct stat status;
            if (!strchr(word, '/') || stat(word, &status) != 0 || !S_ISREG(status.st_mode) ||
                access(word, X_OK) != 0)
                continue;
            looked_at++;
            wl_fatbin_read_program(word, fatbin, NULL);
        }
        free(copy);
    }
}

char *wl_registers_query(const char *program_path, const struct wl_arguments *words,
                         const struct wl_settings *settings, uint32_t capability,
                         const char *folder)
{
    struct wl_fatbin fatbin = {0};
    struct inquiry inquiry = {.folder = folder, .capability = capability};
    char *path = NULL;
    read_programs(program_path, words, &fatbin);
    if (fatbin.count)
        inquiry.ptxas = find_ptxas();
    inquiry.deadline_ms = now_ms() + limit_ms;
    if (inquiry.ptxas) {
        inquiry.ptxas_facts = wl_cache_describe_program(inquiry.ptxas);
        compile_chosen(&inquiry, &fatbin, !settings->strict_arch);
        path = write_answers(&inquiry);
    }
    wl_fatbin_free(&fatbin);
    wl_compiled_free(&inquiry.compiled);
    free(inquiry.ptxas);
    free(inquiry.ptxas_facts);
    free(inquiry.targets);
    return path ? path : wl_string_copy("");
}
