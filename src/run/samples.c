#include "run/samples.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "run/samples_kept.h"

enum { STACKS_MAX = 1 << 18, MAPS_MAX = 1 << 14 };

struct wl_samples *wl_samples_create(void)
{
    struct wl_samples *samples = wl_alloc_zero(1, sizeof *samples);
    samples->start_ns = wl_clock_realtime_ns();
    return samples;
}

void wl_samples_free(struct wl_samples *samples)
{
    for (size_t i = 0; i < samples->images.count; i++) {
        struct wl_sample_image *image = &samples->images.items[i];
        for (size_t j = 0; j < image->maps.count; j++)
            free((char *)image->maps.items[j].file);
        free(image->maps.items);
        free(image->name);
    }
    for (size_t i = 0; i < samples->stacks.count; i++)
        free(samples->stacks.items[i].addresses);
    free(samples->images.items);
    free(samples->stacks.items);
    free(samples->threads.items);
    wl_keys_free(&samples->by_pid);
    wl_keys_free(&samples->by_thread);
    wl_keys_free(&samples->by_stack);
    free(samples);
}

static void begin_image(struct wl_samples *samples, uint32_t pid, const char *name, size_t parent)
{
    struct wl_sample_image image = {.pid = pid, .name = wl_string_copy(name), .parent = parent};
    WL_PUSH(&samples->images, image);
    wl_keys_set_number(&samples->by_pid, pid, (int64_t)samples->images.count);
}

static size_t image_of(struct wl_samples *samples, uint32_t pid)
{
    int64_t found = wl_keys_find_number(&samples->by_pid, pid);
    if (!found)
        begin_image(samples, pid, "", 0);
    return found ? (size_t)found - 1 : samples->images.count - 1;
}

void wl_samples_fork(struct wl_samples *samples, uint32_t pid, uint32_t parent)
{
    int64_t from = wl_keys_find_number(&samples->by_pid, parent);
    begin_image(samples, pid, from ? samples->images.items[from - 1].name : "", (size_t)from);
}

void wl_samples_exec(struct wl_samples *samples, uint32_t pid, const char *name)
{
    begin_image(samples, pid, name, 0);
}

void wl_samples_map(struct wl_samples *samples, uint32_t pid, uint64_t start, uint64_t length,
                    uint64_t offset, const char *file)
{
    struct wl_sample_image *image = &samples->images.items[image_of(samples, pid)];
    struct wl_source_map map = {start, length, offset, NULL};
    if (image->maps.count == MAPS_MAX)
        return;
    map.file = wl_string_copy(file);
    WL_PUSH(&image->maps, map);
}

/* The row of by_stack: image and thread stand before the addresses. */
static size_t find_stack(struct wl_samples *samples, size_t image, uint32_t thread,
                         const uint64_t *addresses, size_t count)
{
    uint64_t key[WL_SAMPLE_FRAMES + 2] = {image, thread};
    size_t bytes = (count + 2) * sizeof *key;
    int64_t id = 0;
    memcpy(key + 2, addresses, count * sizeof *addresses);
    if (samples->stacks.count == STACKS_MAX) {
        id = wl_keys_find(&samples->by_stack, key, bytes);
        return id ? (size_t)id - 1 : SIZE_MAX;
    }
    if (!wl_keys_intern(&samples->by_stack, key, bytes, &id)) {
        struct wl_sample_stack stack = {
            .image = image,
            .thread = thread,
            .depth = (uint32_t)count,
            .addresses = wl_alloc(count * sizeof *addresses),
        };
        memcpy(stack.addresses, addresses, count * sizeof *addresses);
        WL_PUSH(&samples->stacks, stack);
    }
    return (size_t)id - 1;
}

void wl_samples_add(struct wl_samples *samples, uint32_t pid, uint32_t thread,
                    const uint64_t *addresses, size_t count)
{
    if (count > WL_SAMPLE_FRAMES)
        count = WL_SAMPLE_FRAMES;
    size_t stack = find_stack(samples, image_of(samples, pid), thread, addresses, count);
    if (stack == SIZE_MAX)
        samples->not_kept++;
    else
        samples->stacks.items[stack].count++;
}

void wl_samples_switch(struct wl_samples *samples, uint32_t pid, uint32_t thread, uint64_t time_ns,
                       bool is_out, bool is_preempted)
{
    const uint64_t key = (uint64_t)pid << 32 | thread;
    int64_t row = wl_keys_find_number(&samples->by_thread, key);
    if (!row) {
        struct wl_sample_thread made = {.pid = pid, .thread = thread};
        WL_PUSH(&samples->threads, made);
        row = (int64_t)samples->threads.count;
        wl_keys_set_number(&samples->by_thread, key, row);
    }
    struct wl_sample_thread *found = &samples->threads.items[row - 1];
    if (is_out) {
        found->switches++;
        found->preempted += is_preempted;
        found->left_ns = time_ns;
    } else if (found->left_ns) {
        found->waited_ns += time_ns > found->left_ns ? time_ns - found->left_ns : 0;
        found->left_ns = 0;
    }
}

void wl_samples_lose(struct wl_samples *samples, uint64_t count)
{
    samples->lost += count;
}
