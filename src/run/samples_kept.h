/* For samples.c and samples_write.c only: what is kept. */
#ifndef WL_RUN_SAMPLES_KEPT_H
#define WL_RUN_SAMPLES_KEPT_H

#include "base/memory.h"
#include "binary/place.h"
#include "report/keys.h"
#include "run/samples.h"

/* A program that a process has executed: a fork has one that goes on from its parent's. */
struct wl_sample_image {
    uint32_t pid;
    char *name;    /* as the system shortens it */
    size_t parent; /* index of the image it was copied from, + 1; 0: none */
    WL_VECTOR(struct wl_source_map) maps;
};

struct wl_sample_stack {
    size_t image;
    uint32_t thread;
    uint32_t depth;
    uint64_t count;
    uint64_t *addresses; /* innermost first */
};

struct wl_sample_thread {
    uint32_t pid, thread;
    uint64_t switches, preempted, waited_ns,
        left_ns; /* left_ns: since when it has none; 0: it has one */
};

struct wl_samples {
    WL_VECTOR(struct wl_sample_image) images;
    WL_VECTOR(struct wl_sample_stack) stacks;
    WL_VECTOR(struct wl_sample_thread) threads;
    struct wl_keys by_pid, by_thread, by_stack; /* of the image at present + 1; of the others + 1 */
    uint64_t start_ns, lost, not_kept;
};

#endif
