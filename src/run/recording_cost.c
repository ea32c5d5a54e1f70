#include "run/recording_cost.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/folder.h"
#include "base/memory.h"
#include "hardware/recording_cost.h"
#include "run/cache.h"

/* Nobody launches faster than this, however it is recorded. */
enum { most_ns = 1000000 };

static const char key[] = "launch_ns=";

static bool read_kept(const char *path, uint64_t *launch_ns)
{
    struct wl_text content = {0};
    char *end = NULL;
    bool is_good = wl_file_read(path, &content, NULL) == WL_OK && content.length &&
                   strncmp(content.data, key, strlen(key)) == 0;
    if (is_good) {
        *launch_ns = strtoull(content.data + strlen(key), &end, 10);
        is_good = end != content.data + strlen(key) && *end == '\n' && *launch_ns < most_ns;
    }
    wl_text_free(&content);
    return is_good;
}

uint64_t wl_recording_cost_ns(const struct wl_cuda_machine *machine, const char *cupti_library)
{
    uint64_t launch_ns = 0;
    double measured_ns;
    char *path = wl_cache_path("recording", machine->devices[0].uuid, machine->driver_version);
    if (path && read_kept(path, &launch_ns))
        goto out;
    launch_ns = 0;
    if (!wl_cupti_measure_recording(cupti_library, &measured_ns) || measured_ns >= most_ns)
        goto out;
    launch_ns = (uint64_t)(measured_ns + 0.5);
    if (path) {
        struct wl_text text = {0};
        wl_text_addf(&text, "%s%llu\n", key, (unsigned long long)launch_ns);
        wl_cache_keep(path, &text, NULL); /* else it is measured again the next time */
        wl_text_free(&text);
    }
out:
    free(path);
    return launch_ns;
}
