#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/count.h"
#include "base/folder.h"
#include "base/memory.h"
#include "binary/binary.h"
#include "cmd/cc_clang.h"
#include "cmd/cc_plan.h"
#include "cmd/console.h"
#include "cmd/help.h"
#include "cmd/verbs.h"
#include "run/injection.h"

enum { default_architecture = 80 };

/* One run of the verb. */
struct build {
    struct wl_cc_plan plan;
    struct wl_cc_clang clang;
    struct wl_console console;
    char *library_folder, *header_folder;
    char *temporary_folder;
    uint32_t architecture;
};

/* ---- words for clang ---- */

static void add(struct wl_cc_words *words, const char *word)
{
    WL_PUSH(words, word);
}

static void add_all(struct wl_cc_words *words, const struct wl_cc_words *others)
{
    for (size_t i = 0; i < others->count; i++)
        add(words, others->items[i]);
}

/* A word that lives as long as the plan. */
static const char *keep(struct build *build, char *word)
{
    const char *kept = wl_arena_string(&build->plan.arena, word, strlen(word));
    free(word);
    return kept;
}

static void add_common(struct build *build, struct wl_cc_words *words, enum wl_cc_kind kind)
{
    static const char *const standards[] = {
        [WL_CC_CUDA] = "c++17", [WL_CC_CPLUSPLUS] = "c++17", [WL_CC_C] = "gnu17"};
    const struct wl_cc_plan *plan = &build->plan;
    add(words, kind == WL_CC_C ? "--driver-mode=gcc" : "--driver-mode=g++");
    if (kind == WL_CC_C && plan->standard && strstr(plan->standard, "++"))
        add(words, "-std=gnu17"); /* meant for the other files */
    else
        add(words, keep(build, wl_string_format("-std=%s", plan->standard ? plan->standard
                                                                          : standards[kind])));
    if (!plan->has_level)
        add(words, "-O3");
    if (isatty(STDERR_FILENO))
        add(words, "-fcolor-diagnostics");
    add_all(words, &plan->compile);
    add(words, "-isystem");
    add(words, build->header_folder);
}

/* What makes clang compile CUDA with our headers and no toolkit. */
static void add_cuda(struct build *build, struct wl_cc_words *words)
{
    static const char *const always[] = {
        "-x",
        "cuda",
        "--cuda-path=/nonexistent",
        "-nocudainc",
        "-nocudalib",
        "-Xclang",
        "-target-sdk-version=11.0",
        "-Xclang",
        "-fcuda-allow-variadic-functions", /* libcu++ declares some */
        "-include",
        "cuda_runtime.h",
        "-Wno-unknown-cuda-version",
        "-Wno-unused-command-line-argument"};
    add_common(build, words, WL_CC_CUDA);
    for (size_t i = 0; i < WL_COUNT(always); i++)
        add(words, always[i]);
    add(words, keep(build, wl_string_format("--cuda-gpu-arch=sm_%u", build->architecture)));
}

/* Headers that a program may want and the system may lack: what the source says, one of them, what
 * has them. */
static const struct {
    const char *word, *header, *hint;
} libraries[] = {
    {NULL, "cmath", "the C++ library is missing: apt-get install g++"},
    {"<thrust/", "thrust/version.h",
     "Thrust is missing: apt-get install libthrust-dev libcub-dev, or name its folder with -I"},
    {"<cub/", "cub/version.cuh",
     "CUB is missing: apt-get install libcub-dev, or name its folder with -I"},
};

/* Adds to an error of clang which headers are not there. */
static enum wl_code hint_at_headers(struct build *build, const char *source, struct wl_error *error)
{
    struct wl_text text = {0};
    if (source)
        wl_file_read(source, &text, NULL);
    for (size_t i = 0; i < WL_COUNT(libraries); i++) {
        const char *word = libraries[i].word;
        if (word && (!text.data || !strstr(text.data, word)))
            continue;
        if (!wl_cc_clang_has_header(&build->clang, &build->plan.compile, libraries[i].header)) {
            wl_error_set_hint(error, "%s", libraries[i].hint);
            break;
        }
    }
    wl_text_free(&text);
    return error->code;
}

static enum wl_code run_clang(struct build *build, struct wl_cc_words *words, const char *source,
                              struct wl_error *error)
{
    enum wl_code code = wl_cc_clang_run(&build->clang, words, build->plan.is_verbose, error);
    free(words->items);
    if (!code)
        return code;
    if (source)
        wl_error_set_where(error, "%s", source);
    return hint_at_headers(build, source, error);
}

/* ---- a CUDA source file ---- */

static enum wl_code compile_device(struct build *build, const char *source, const char *ptx_path,
                                   struct wl_error *error)
{
    static const char *const always[] = {
        "--cuda-device-only", "-S", "-gline-tables-only", "-Xclang", "-target-feature", "-Xclang"};
    struct wl_cc_words words = {0};
    add_cuda(build, &words);
    for (size_t i = 0; i < WL_COUNT(always); i++)
        add(&words, always[i]);
    add(&words, keep(build, wl_string_format("+ptx%u", build->clang.ptx)));
    if (!build->plan.ptx_only)
        add(&words, "-w"); /* the compilation for the host gives the same warnings */
    add_all(&words, &build->plan.device);
    add(&words, source);
    add(&words, "-o");
    add(&words, ptx_path);
    return run_clang(build, &words, source, error);
}

/* Number behind a directive at the beginning of a line of PTX, 0 if there is none. */
static double read_directive(const char *ptx, const char *directive)
{
    const char *at = strstr(ptx, directive);
    return at ? strtod(at + strlen(directive), NULL) : 0;
}

static enum wl_code pack(struct build *build, const char *source, const char *ptx_path,
                         const char *fatbin_path, struct wl_error *error)
{
    struct wl_text ptx = {0}, container = {0};
    enum wl_code code = wl_file_read(ptx_path, &ptx, error);
    if (code)
        return code;
    uint32_t version =
        (uint32_t)(read_directive(ptx.data ? ptx.data : "", "\n.version ") * 10 + 0.5);
    const char *name = strrchr(source, '/');
    const char *options = build->plan.ptxas.data;
    struct wl_image image = {
        .kind = WL_IMAGE_PTX,
        .architecture = build->architecture,
        .version_major = version / 10,
        .version_minor = version % 10,
        .bytes = (uint8_t *)ptx.data,
        .size_bytes = ptx.length,
        .options = wl_string_format("--generate-line-info%s", options ? options : ""),
        .source_name = wl_string_copy(name ? name + 1 : source),
    };
    wl_fatbin_write_ptx(&image, &container);
    code = wl_file_write(fatbin_path, container.data, container.length, error);
    free(image.options);
    free(image.source_name);
    wl_text_free(&container);
    wl_text_free(&ptx);
    return code;
}

static enum wl_code compile_host(struct build *build, const char *source, const char *fatbin_path,
                                 const char *object_path, struct wl_error *error)
{
    struct wl_cc_words words = {0};
    add_cuda(build, &words);
    add(&words, "--cuda-host-only");
    add(&words, "-c");
    add(&words, "-Xclang");
    add(&words, "-fcuda-include-gpubinary");
    add(&words, "-Xclang");
    add(&words, fatbin_path);
    add_all(&words, &build->plan.host);
    add(&words, source);
    add(&words, "-o");
    add(&words, object_path);
    return run_clang(build, &words, source, error);
}

/* Device code, its container, host code with the container in it. */
static enum wl_code compile_cuda(struct build *build, const char *source, size_t number,
                                 const char *object_path, struct wl_error *error)
{
    const char *ptx_path =
        keep(build, wl_string_format("%s/%zu.ptx", build->temporary_folder, number));
    const char *fatbin_path =
        keep(build, wl_string_format("%s/%zu.fatbin", build->temporary_folder, number));
    enum wl_code code = compile_device(build, source, ptx_path, error);
    if (!code)
        code = pack(build, source, ptx_path, fatbin_path, error);
    if (!code)
        code = compile_host(build, source, fatbin_path, object_path, error);
    return code;
}

/* ---- any source file ---- */

static enum wl_code compile_plain(struct build *build, const struct wl_cc_item *item,
                                  const char *object_path, struct wl_error *error)
{
    struct wl_cc_words words = {0};
    add_common(build, &words, item->kind);
    add_all(&words, &build->plan.host);
    add(&words, "-c");
    add(&words, item->word);
    add(&words, "-o");
    add(&words, object_path);
    return run_clang(build, &words, item->word, error);
}

/* "a/b.cu" becomes "b.o" in this folder, as with every compiler. */
static const char *name_result(struct build *build, const char *source, const char *ending)
{
    const char *slash = strrchr(source, '/');
    const char *name = slash ? slash + 1 : source;
    const char *dot = strrchr(name, '.');
    int length = dot ? (int)(dot - name) : (int)strlen(name);
    return keep(build, wl_string_format("%.*s%s", length, name, ending));
}

/* Compiles part number; *object_path is what to link. */
static enum wl_code compile(struct build *build, size_t number, const char **object_path,
                            struct wl_error *error)
{
    const struct wl_cc_plan *plan = &build->plan;
    const struct wl_cc_item *item = &plan->parts.items[number];
    if (access(item->word, R_OK) != 0) {
        wl_error_set(error, WL_ERR_INPUT, "cannot read the source file");
        return wl_error_set_where(error, "%s", item->word);
    }
    if (plan->ptx_only)
        return compile_device(build, item->word,
                              plan->output ? plan->output : name_result(build, item->word, ".ptx"),
                              error);
    if (!plan->compile_only)
        *object_path = keep(build, wl_string_format("%s/%zu.o", build->temporary_folder, number));
    else
        *object_path = plan->output ? plan->output : name_result(build, item->word, ".o");
    if (item->kind == WL_CC_CUDA)
        return compile_cuda(build, item->word, number, *object_path, error);
    return compile_plain(build, item, *object_path, error);
}

/* ---- the program ---- */

static void add_rpath(struct wl_cc_words *words, const char *folder)
{
    static const char *const before[] = {"-Xlinker", "-rpath", "-Xlinker"};
    for (size_t i = 0; i < WL_COUNT(before); i++)
        add(words, before[i]);
    add(words, folder);
}

/* The program also runs by itself: it finds our libraries where they are now; by the way from where
 * it is, which holds where both move together; and where they are installed as a rule. */
static void add_rpaths(struct build *build, struct wl_cc_words *words, const char *output)
{
    static const char *const usual[] = {"/usr/local/lib/warplens", "/usr/lib/warplens"};
    add_rpath(words, build->library_folder);
    char *folder = wl_path_folder(output);
    char *from = realpath(folder, NULL), *to = realpath(build->library_folder, NULL);
    if (from && to) {
        char *way = wl_path_relative(from, to);
        add_rpath(words, keep(build, wl_string_format("$ORIGIN/%s", way)));
        free(way);
    }
    free(to);
    free(from);
    free(folder);
    for (size_t i = 0; i < WL_COUNT(usual); i++)
        add_rpath(words, usual[i]);
}

static enum wl_code link_program(struct build *build, const struct wl_cc_words *parts,
                                 struct wl_error *error)
{
    const char *output = build->plan.output ? build->plan.output : "a.out";
    struct wl_cc_words words = {0};
    add(&words, "--driver-mode=g++");
    add_all(&words, parts);
    add(&words, "-L");
    add(&words, build->library_folder);
    add(&words, "-lcudart");
    add_rpaths(build, &words, output);
    add(&words, "-o");
    add(&words, output);
    return run_clang(build, &words, NULL, error);
}

static enum wl_code build_all(struct build *build, struct wl_error *error)
{
    struct wl_cc_words parts = {0};
    enum wl_code code = WL_OK;
    for (size_t i = 0; !code && i < build->plan.parts.count; i++) {
        const char *part = build->plan.parts.items[i].word;
        if (build->plan.parts.items[i].kind != WL_CC_LINK)
            code = compile(build, i, &part, error);
        add(&parts, part);
    }
    if (!code && !build->plan.compile_only && !build->plan.ptx_only)
        code = link_program(build, &parts, error);
    free(parts.items);
    return code;
}

static void choose_architecture(struct build *build)
{
    uint32_t asked = build->plan.architecture, newest = build->clang.architecture;
    build->architecture = asked ? asked : default_architecture;
    if (asked > newest) {
        build->architecture = newest;
        wl_console_warn(&build->console, NULL,
                        "clang %u knows GPUs up to sm_%u: compiled for that, not for sm_%u",
                        build->clang.version, newest, asked);
    }
}

static enum wl_code prepare(struct build *build, struct wl_error *error)
{
    enum wl_code code = wl_cc_clang_find(build->plan.clang, &build->clang, error);
    if (!code)
        code = wl_injection_find(&build->library_folder, error);
    if (code)
        return code;
    build->header_folder = wl_string_format("%s/include", build->library_folder);
    char *header = wl_string_format("%s/cuda_runtime.h", build->header_folder);
    if (access(header, R_OK) != 0) {
        wl_error_set(error, WL_ERR_INPUT, "cannot find the headers of warplens cc");
        wl_error_set_where(error, "%s", header);
        code = wl_error_set_hint(error, "build or install warplens again");
    }
    free(header);
    if (!code)
        code = wl_folder_create_temporary("warplens-cc", &build->temporary_folder, error);
    if (!code)
        choose_architecture(build);
    return code;
}

static void free_build(struct build *build)
{
    if (build->temporary_folder)
        wl_folder_remove(build->temporary_folder, NULL);
    free(build->temporary_folder);
    free(build->header_folder);
    free(build->library_folder);
    wl_cc_clang_free(&build->clang);
    wl_cc_plan_free(&build->plan);
}

static int run(size_t word_count, char **words)
{
    struct build build = {0};
    struct wl_error error = {0};
    wl_console_init(&build.console);
    enum wl_code code = wl_cc_plan_read(words, word_count, &build.plan, &error);
    if (code)
        goto out;
    if (build.plan.wants_help) {
        wl_help_verb(&wl_verb_cc, wl_cc_tables);
        goto out;
    }
    code = prepare(&build, &error);
    if (!code)
        code = build_all(&build, &error);
out:
    if (code)
        wl_console_fail(&build.console, &error);
    free_build(&build);
    return wl_console_end(&build.console, code);
}

const struct wl_verb wl_verb_cc = {
    .name = "cc",
    .usage = "cc [options] FILES",
    .summary = "compile CUDA C++ with clang, without NVIDIA's toolkit",
    .more =
        "Options of nvcc that change nothing here are accepted; all others are passed on to clang.",
    .tables = wl_cc_tables,
    .run = run,
};
