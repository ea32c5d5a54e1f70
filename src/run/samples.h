/* For the sampling of run/ only: what is kept of samples, by process, thread and call stack. */
#ifndef WL_RUN_SAMPLES_H
#define WL_RUN_SAMPLES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum { WL_SAMPLE_FRAMES = 64 };

struct wl_samples;

struct wl_samples *wl_samples_create(void);
void wl_samples_free(struct wl_samples *samples);

/* In order of time. A process has begun as a copy of another, executes another program, has code of
 * a file. */
void wl_samples_fork(struct wl_samples *samples, uint32_t pid, uint32_t parent);
void wl_samples_exec(struct wl_samples *samples, uint32_t pid, const char *name);
void wl_samples_map(struct wl_samples *samples, uint32_t pid, uint64_t start, uint64_t length,
                    uint64_t offset, const char *file);
/* A stack, innermost first: at most WL_SAMPLE_FRAMES addresses are kept. */
void wl_samples_add(struct wl_samples *samples, uint32_t pid, uint32_t thread,
                    const uint64_t *addresses, size_t count);
/* The thread leaves its processor, or comes back. */
void wl_samples_switch(struct wl_samples *samples, uint32_t pid, uint32_t thread, uint64_t time_ns,
                       bool is_out, bool is_preempted);
void wl_samples_lose(struct wl_samples *samples, uint64_t count);

struct wl_samples_writing {
    const char *folder;         /* of streams */
    const char *library_folder; /* of our libraries */
    uint32_t frequency_hz;
    bool has_stacks;
};
/* A stream for each process. Errors: WL_ERR_OUTPUT. */
enum wl_code wl_samples_write(const struct wl_samples *samples,
                              const struct wl_samples_writing *writing, struct wl_error *error);

#endif
