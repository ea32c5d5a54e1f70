#include "run/disassembly.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/count.h"
#include "base/folder.h"
#include "base/memory.h"
#include "base/sha256.h"
#include "binary/binary.h"
#include "record/stream/texts.h"
#include "report/streams.h"
#include "run/cache.h"
#include "run/program.h"

#define uthash_malloc(size_bytes) \
    wl_alloc(size_bytes) /* by default it calls exit() without memory */
#include <uthash.h>

enum { limit_ms = 30000, instruction_bytes = 16 };

/* A kernel's instructions, by "MODULE KERNEL"; none where there is no text for it. */
struct code {
    char *key;
    WL_VECTOR_FIELDS(char *);
    UT_hash_handle hh;
};

/* A module's file. */
struct module {
    char *name;
    char *path;
    struct wl_text bytes;
};

struct disassembly {
    char *tool;
    char *tool_facts;     /* tells one from another */
    char *cache;          /* a folder, or NULL */
    struct module module; /* of the last kernel */
    const char *folder;
    struct code *codes;
    char *opcode; /* of the last answer */
};

/* ---- nvdisasm's words ---- */

static struct code *find_code(const struct disassembly *all, const char *module, const char *kernel)
{
    struct code *code = NULL;
    char *key = wl_string_format("%s %s", module, kernel);
    HASH_FIND_STR(all->codes, key, code);
    free(key);
    return code;
}

static struct code *add_code(struct disassembly *all, const char *module, const char *kernel)
{
    struct code *code = find_code(all, module, kernel);
    if (code)
        return code;
    code = wl_alloc_zero(1, sizeof *code);
    code->key = wl_string_format("%s %s", module, kernel);
    HASH_ADD_KEYPTR(hh, all->codes, code->key, strlen(code->key), code);
    return code;
}

/* A line is an offset in a comment, the instruction, and a semicolon: puts the text in its place.
 */
static void take_instruction(struct code *code, const char *line)
{
    const char *begin = line + strspn(line, " \t");
    char *end = NULL;
    if (strncmp(begin, "/*", 2) != 0)
        return;
    unsigned long offset = strtoul(begin + 2, &end, 16);
    if (end == begin + 2 || strncmp(end, "*/", 2) != 0 || offset % instruction_bytes ||
        offset / instruction_bytes > 1 << 20)
        return;
    const char *text = end + 2 + strspn(end + 2, " \t");
    size_t length = strcspn(text, ";");
    while (length && (text[length - 1] == ' ' || text[length - 1] == '\t'))
        length--;
    size_t index = offset / instruction_bytes;
    while (code->count <= index)
        WL_PUSH(code, NULL);
    free(code->items[index]);
    code->items[index] = length ? wl_string_copy_length(text, length) : NULL;
}

/* A function begins with the label ".text.NAME:". */
static void parse(struct disassembly *all, const char *module, char *output)
{
    static const char label[] = ".text.";
    struct code *code = NULL;
    for (char *line = output, *next; line && *line; line = next) {
        next = line + strcspn(line, "\n");
        if (*next)
            *next++ = '\0';
        size_t length = strlen(line);
        if (strncmp(line, label, sizeof label - 1) == 0 && line[length - 1] == ':') {
            line[length - 1] = '\0';
            code = add_code(all, module, line + sizeof label - 1);
        } else if (code) {
            take_instruction(code, line);
        }
    }
}

/* ---- running it ---- */

/* free() it; NULL: there is none. */
static char *find_tool(const struct wl_settings *settings)
{
    static const char *const folders[] = {"../bin", "../../bin", "../../../bin"};
    char *tool = NULL, *folder = wl_path_folder(settings->cupti_library);
    if (wl_program_find("nvdisasm", &tool, NULL) != WL_OK) {
        free(tool);
        tool = NULL;
    }
    for (size_t i = 0; !tool && i < WL_COUNT(folders); i++) {
        tool = wl_string_format("%s/%s/nvdisasm", folder, folders[i]);
        if (access(tool, X_OK) == 0)
            break;
        free(tool);
        tool = NULL;
    }
    free(folder);
    return tool;
}

/* Reads the module's file; those of kernels come one after another. */
static bool open_module(struct disassembly *all, const char *name)
{
    struct module *module = &all->module;
    if (!module->name || strcmp(module->name, name) != 0) {
        free(module->name);
        free(module->path);
        wl_text_free(&module->bytes);
        *module = (struct module){.name = wl_string_copy(name)};
        module->path = wl_string_format("%s/%s.cubin", all->folder, name);
        wl_file_read(module->path, &module->bytes, NULL);
    }
    return module->bytes.length > 0;
}

/* Where the text of this code is kept; free() it. NULL: nowhere. */
static char *kept_path(const struct disassembly *all, const struct wl_cubin_code *found,
                       const char *kernel)
{
    struct wl_sha256 hash;
    char hex[WL_SHA256_HEX_LENGTH + 1];
    if (!all->cache)
        return NULL;
    wl_sha256_begin(&hash);
    wl_sha256_add(&hash, all->tool_facts, strlen(all->tool_facts) + 1);
    wl_sha256_add(&hash, kernel, strlen(kernel) + 1);
    wl_sha256_add(&hash, all->module.bytes.data + found->offset, found->length);
    wl_sha256_end(&hash, hex);
    return wl_string_format("%s/sass-%s", all->cache, hex);
}

/* nvdisasm's text of one function; false: there is none. */
static bool run_tool(const struct disassembly *all, size_t symbol, struct wl_text *output)
{
    struct wl_ending ending = {0};
    char *index = wl_string_format("%zu", symbol);
    char *arguments[] = {all->tool, "-c", "-fun", index, all->module.path, NULL};
    enum wl_code code = wl_subprocess_run_limited(arguments, limit_ms, output, &ending, NULL);
    free(index);
    return code == WL_OK && ending.exit_code == 0 && output->data;
}

/* When a kernel's text is first wanted. */
static void disassemble(struct disassembly *all, const char *module, const char *kernel)
{
    struct wl_text output = {0};
    struct wl_cubin_code found;
    struct wl_text kept = {0};
    add_code(all, module, kernel);
    if (!open_module(all, module) ||
        !wl_cubin_find_code(all->module.bytes.data, all->module.bytes.length, kernel, &found))
        return;
    char *path = kept_path(all, &found, kernel);
    if (path && wl_file_read(path, &kept, NULL) == WL_OK) {
        parse(all, module, kept.data);
    } else if (run_tool(all, found.symbol, &output)) {
        if (path)
            wl_cache_keep(path, &output, NULL);
        parse(all, module, output.data);
    }
    wl_text_free(&output);
    wl_text_free(&kept);
    free(path);
}

/* ---- the streams ---- */

static bool find_text(void *self, const char *module, const char *kernel, uint32_t index,
                      const char **text, const char **opcode)
{
    struct disassembly *all = self;
    if (!find_code(all, module, kernel))
        disassemble(all, module, kernel);
    const struct code *code = find_code(all, module, kernel);
    if (!code || index >= code->count || !code->items[index])
        return false;
    const char *first = code->items[index];
    if (*first == '@') { /* a guard */
        first += strcspn(first, " ");
        first += strspn(first, " ");
    }
    free(all->opcode);
    all->opcode = wl_string_copy_length(first, strcspn(first, " "));
    *text = code->items[index];
    *opcode = all->opcode;
    return true;
}

static void rewrite_streams(const struct wl_launch_run *run, struct disassembly *all)
{
    struct wl_streams streams = {0};
    struct wl_error error = {0};
    const struct wl_stream_texts texts = {all, find_text};
    const char *folder = run->settings.stream_folder;
    enum wl_code code = wl_streams_list(folder, &streams, NULL);
    for (size_t i = 0; !code && i < streams.count; i++) {
        code = wl_stream_add_texts(streams.items[i].path, &texts, folder, &error);
        if (!code)
            unlink(streams.items[i].path);
    }
    if (error.code)
        wl_messages_warn(&run->messages, NULL, "machine code is not disassembled: %s",
                         error.message);
    wl_streams_free(&streams);
}

static char *describe_tool(const char *tool)
{
    struct stat facts = {0};
    stat(tool, &facts);
    return wl_string_format("%s %lld %lld", tool, (long long)facts.st_size,
                            (long long)facts.st_mtime);
}

static void free_all(struct disassembly *all)
{
    struct code *code, *next;
    HASH_ITER(hh, all->codes, code, next)
    {
        HASH_DEL(all->codes, code);
        for (size_t i = 0; i < code->count; i++)
            free(code->items[i]);
        free(code->items);
        free(code->key);
        free(code);
    }
    free(all->module.name);
    free(all->module.path);
    wl_text_free(&all->module.bytes);
    free(all->opcode);
    free(all->cache);
    free(all->tool_facts);
    free(all->tool);
}

void wl_disassembly_add(const struct wl_launch_run *run)
{
    struct disassembly all = {.folder = run->settings.stream_folder};
    glob_t found = {0};
    char *pattern = wl_string_format("%s/cubin-*.cubin", run->settings.stream_folder);
    all.tool = glob(pattern, 0, NULL, &found) == 0 ? find_tool(&run->settings) : NULL;
    if (all.tool) {
        all.tool_facts = describe_tool(all.tool);
        all.cache = wl_cache_folder();
        rewrite_streams(run, &all);
    }
    free_all(&all);
    globfree(&found);
    free(pattern);
}
