#include "run/disassembly.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/folder.h"
#include "base/memory.h"
#include "record/stream/texts.h"
#include "report/streams.h"
#include "run/program.h"

#define uthash_malloc(size_bytes) wl_alloc(size_bytes) /* its own answer to no memory is exit() */
#include <uthash.h>

enum { limit_ms = 30000, instruction_bytes = 16 };

/* A kernel's instructions, by "MODULE KERNEL". */
struct code {
    char *key;
    char **texts;
    size_t count, capacity;
    UT_hash_handle hh;
};

struct disassembly {
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
    while (code->count <= index) {
        wl_vector_grow((void **)&code->texts, code->count, &code->capacity, sizeof *code->texts);
        code->texts[code->count++] = NULL;
    }
    free(code->texts[index]);
    code->texts[index] = length ? wl_string_copy_length(text, length) : NULL;
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
    for (size_t i = 0; !tool && i < sizeof folders / sizeof *folders; i++) {
        tool = wl_string_format("%s/%s/nvdisasm", folder, folders[i]);
        if (access(tool, X_OK) == 0)
            break;
        free(tool);
        tool = NULL;
    }
    free(folder);
    return tool;
}

static void disassemble(struct disassembly *all, const char *tool, const char *path)
{
    struct wl_text output = {0};
    struct wl_ending ending = {0};
    char *arguments[] = {(char *)tool, "-c", (char *)path, NULL};
    const char *name = strrchr(path, '/') + 1;
    char *module = wl_string_copy_length(name, strcspn(name, "."));
    if (wl_subprocess_run_limited(arguments, limit_ms, &output, &ending, NULL) == WL_OK &&
        ending.exit_code == 0 && output.data)
        parse(all, module, output.data);
    wl_text_free(&output);
    free(module);
}

/* ---- the streams ---- */

static bool find_text(void *self, const char *module, const char *kernel, uint32_t index,
                      const char **text, const char **opcode)
{
    struct disassembly *all = self;
    const struct code *code = find_code(all, module, kernel);
    if (!code || index >= code->count || !code->texts[index])
        return false;
    const char *first = code->texts[index];
    if (*first == '@') { /* a guard */
        first += strcspn(first, " ");
        first += strspn(first, " ");
    }
    free(all->opcode);
    all->opcode = wl_string_copy_length(first, strcspn(first, " "));
    *text = code->texts[index];
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

void wl_disassembly_add(const struct wl_launch_run *run)
{
    struct disassembly all = {0};
    glob_t found = {0};
    char *pattern = wl_string_format("%s/cubin-*.cubin", run->settings.stream_folder);
    char *tool = glob(pattern, 0, NULL, &found) == 0 ? find_tool(&run->settings) : NULL;
    for (size_t i = 0; tool && i < found.gl_pathc; i++)
        disassemble(&all, tool, found.gl_pathv[i]);
    if (all.codes)
        rewrite_streams(run, &all);
    struct code *code, *next;
    HASH_ITER(hh, all.codes, code, next)
    {
        HASH_DEL(all.codes, code);
        for (size_t i = 0; i < code->count; i++)
            free(code->texts[i]);
        free(code->texts);
        free(code->key);
        free(code);
    }
    globfree(&found);
    free(all.opcode);
    free(pattern);
    free(tool);
}
