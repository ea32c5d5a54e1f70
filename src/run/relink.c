#include "run/relink.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/count.h"
#include "base/memory.h"
#include "base/text.h"

enum { FOLDERS_UP = 4 }; /* in which a build system is looked for */
enum { CACHE_BYTES_MOST = 4 << 20 };

#define FLAGS "NVCC_APPEND_FLAGS=\"-cudart=shared -lineinfo\""

/* The first that is there counts; %s: its folder. CMake's own files call make or ninja. */
static const struct {
    const char *file, *command;
} systems[] = {
    {"CMakeCache.txt",
     "cmake -B %s -DCMAKE_CUDA_RUNTIME_LIBRARY=Shared && NVCC_APPEND_FLAGS=-lineinfo "
     "cmake --build %s --clean-first"},
    {"build.ninja", "ninja -C %s -t clean && " FLAGS " ninja -C %s"},
    {"GNUmakefile", FLAGS " make -B -C %s"},
    {"makefile", FLAGS " make -B -C %s"},
    {"Makefile", FLAGS " make -B -C %s"},
};

/* Of CMake's, where the project links the static runtime by its name. */
static const char named_statically[] =
    "put CUDA::cudart in place of CUDA::cudart_static in its CMakeLists.txt; then "
    "NVCC_APPEND_FLAGS=-lineinfo cmake --build %s --clean-first";

static bool has_file(const char *folder, const char *file)
{
    char *path = wl_string_format("%s/%s", folder, file);
    bool is_there = access(path, R_OK) == 0;
    free(path);
    return is_there;
}

/* Whether CMake was already asked for the shared runtime: then the project links the static one by
 * its name, which the question does not change. */
static bool asks_for_shared(const char *folder)
{
    struct wl_text cache = {0};
    struct wl_error error = {0};
    char *path = wl_string_format("%s/CMakeCache.txt", folder);
    bool is_asked = false;
    if (wl_file_read_regular(path, CACHE_BYTES_MOST, &cache, &error) == WL_OK && cache.data) {
        const char *line = strstr(cache.data, "\nCMAKE_CUDA_RUNTIME_LIBRARY:");
        const char *value = line ? strchr(line, '=') : NULL;
        is_asked = value && wl_text_starts(value, "=Shared");
    }
    wl_error_clear(&error);
    wl_text_free(&cache);
    free(path);
    return is_asked;
}

/* The folder as a word of a shell. */
static void add_word(const char *folder, struct wl_text *line)
{
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/._-+,:@";
    const bool is_plain = folder[strspn(folder, plain)] == '\0';
    if (!is_plain)
        wl_text_add_char(line, '\'');
    for (; *folder; folder++) {
        if (*folder == '\'')
            wl_text_add(line, "'\\'");
        wl_text_add_char(line, *folder);
    }
    if (!is_plain)
        wl_text_add_char(line, '\'');
}

static void add_command(const char *command, const char *folder, struct wl_text *line)
{
    const char *place;
    while ((place = strstr(command, "%s"))) {
        wl_text_addf(line, "%.*s", (int)(place - command), command);
        add_word(folder, line);
        command = place + 2;
    }
    wl_text_add(line, command);
}

char *wl_relink_command(const char *program)
{
    struct wl_text line = {0};
    char *folder = realpath(program, NULL);
    for (int i = 0; folder && i < FOLDERS_UP && !line.data; i++) {
        char *slash = strrchr(folder, '/');
        if (!slash || slash == folder)
            break;
        *slash = '\0';
        for (size_t k = 0; k < WL_COUNT(systems) && !line.data; k++)
            if (has_file(folder, systems[k].file))
                add_command(k == 0 && asks_for_shared(folder) ? named_statically
                                                              : systems[k].command,
                            folder, &line);
    }
    free(folder);
    if (!line.data)
        wl_text_add(&line, "nvcc -cudart=shared -lineinfo ... (make: " FLAGS " make -B; CMake: "
                           "-DCMAKE_CUDA_RUNTIME_LIBRARY=Shared, and CUDA::cudart in place of "
                           "CUDA::cudart_static)");
    return line.data;
}
