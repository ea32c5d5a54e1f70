#include "run/watch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "base/count.h"
#include "base/folder.h"
#include "base/memory.h"

struct wl_watch {
    int descriptor, program_folder; /* the latter: number of its watch */
    char *program_name;
    bool has_sources;
};

static bool is_source(const char *name)
{
    static const char *const endings[] = {".cu",  ".cuh", ".c",  ".h",   ".cc",  ".cpp",
                                          ".hpp", ".cxx", ".hh", ".ptx", ".f90", ".py"};
    const char *ending = strrchr(name, '.');
    for (size_t i = 0; ending && i < WL_COUNT(endings); i++)
        if (strcmp(ending, endings[i]) == 0)
            return true;
    return false;
}

enum wl_code wl_watch_start(const char *program_path, bool with_sources, struct wl_watch **started,
                            struct wl_error *error)
{
    const uint32_t events = IN_CLOSE_WRITE | IN_MOVED_TO;
    const char *slash = strrchr(program_path, '/');
    char *folder = wl_path_folder(program_path);
    struct wl_watch *watch = wl_alloc_zero(1, sizeof *watch);
    watch->program_name = wl_string_copy(slash ? slash + 1 : program_path);
    watch->has_sources = with_sources;
    watch->descriptor = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    watch->program_folder = inotify_add_watch(watch->descriptor, folder, events);
    enum wl_code code = WL_OK;
    if (watch->program_folder < 0 ||
        (with_sources && inotify_add_watch(watch->descriptor, ".", events) < 0)) {
        wl_error_set(error, WL_ERR_INPUT, "cannot watch the folder %s: %s", folder,
                     strerror(errno));
        code = wl_error_set_hint(error, "--no-watch runs the program only when asked");
        wl_watch_stop(watch);
        watch = NULL;
    }
    free(folder);
    *started = watch;
    return code;
}

int wl_watch_descriptor(const struct wl_watch *watch)
{
    return watch->descriptor;
}

void wl_watch_read(struct wl_watch *watch, bool *program_changed, bool *source_changed)
{
    _Alignas(struct inotify_event) char buffer[16384];
    *program_changed = *source_changed = false;
    for (ssize_t length; (length = read(watch->descriptor, buffer, sizeof buffer)) > 0;) {
        for (ssize_t at = 0; at < length;) {
            const struct inotify_event *event = (const struct inotify_event *)(buffer + at);
            if (event->len > 0) {
                *program_changed |= event->wd == watch->program_folder &&
                                    strcmp(event->name, watch->program_name) == 0;
                *source_changed |= watch->has_sources && is_source(event->name);
            }
            at += (ssize_t)(sizeof *event + event->len);
        }
    }
}

void wl_watch_stop(struct wl_watch *watch)
{
    if (!watch)
        return;
    if (watch->descriptor >= 0)
        close(watch->descriptor);
    free(watch->program_name);
    free(watch);
}
