/* Lengths of launches that were predicted, for launches that are not but look the same. */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "device/kernel/lengths.h"
#include "device/kernel/state.h"
#include "device/memory/state.h"

/* Launches of a kernel of the same shape whose arguments differ: from so many on, the next is taken
 * to last as long as the latest. */
enum { SHAPES_MOST = 16 };

struct wl_device_length_row {
    uint8_t *key;
    size_t key_bytes;
    uint64_t length_ns;
    uint32_t count; /* of launches that were kept */
    UT_hash_handle hh;
};

/* What a launch looks like; arguments follow. */
struct appearance {
    uint64_t kernel_id, shared_dynamic_bytes;
    uint32_t grid[3], block[3];
};

/* Pointers to memory of the device are replaced by how much is there: which buffer it is does not
 * matter to the time, its size mostly does. free() the result. */
static uint8_t *key_of(const struct wl_device_request *request, const uint8_t *parameters,
                       size_t *bytes)
{
    const struct wl_program *program = request->kernel->program;
    struct appearance appearance = {.kernel_id = request->kernel->info.id,
                                    .shared_dynamic_bytes = request->shared_dynamic_bytes};
    memcpy(appearance.grid, request->grid, sizeof appearance.grid);
    memcpy(appearance.block, request->block, sizeof appearance.block);
    *bytes = sizeof appearance + program->parameter_bytes;
    uint8_t *key = wl_alloc_zero(*bytes, 1);
    memcpy(key, &appearance, sizeof appearance);
    uint8_t *arguments = key + sizeof appearance;
    if (program->parameter_bytes)
        memcpy(arguments, parameters, program->parameter_bytes);
    for (size_t at = 0; at + sizeof(uint64_t) <= program->parameter_bytes; at += sizeof(uint64_t)) {
        struct wl_device_allocation found;
        uint64_t word;
        memcpy(&word, arguments + at, sizeof word);
        if (!word || !wl_device_memory_look(word, &found))
            continue;
        word = found.start + found.size_bytes - word;
        memcpy(arguments + at, &word, sizeof word);
    }
    return key;
}

static struct wl_device_length_row *find(const uint8_t *key, size_t bytes)
{
    struct wl_device_length_row *row = NULL;
    HASH_FIND(hh, wl_device_kernels.lengths, key, bytes, row);
    return row;
}

uint64_t wl_device_length_find(const struct wl_device_request *request, const uint8_t *parameters)
{
    size_t bytes;
    if (!wl_device_kernels.lengths)
        return 0;
    uint8_t *key = key_of(request, parameters, &bytes);
    const struct wl_device_length_row *row = find(key, bytes);
    if (!row)
        row = find(key, sizeof(struct appearance));
    /* the row of all arguments is at once that of a kernel without any */
    bool is_same = row && (row->key_bytes == bytes || row->count >= SHAPES_MOST);
    free(key);
    return is_same ? row->length_ns : 0;
}

static void keep(const uint8_t *key, size_t bytes, uint64_t length_ns)
{
    struct wl_device_length_row *row = find(key, bytes);
    if (!row) {
        row = wl_alloc_zero(1, sizeof *row);
        row->key = wl_alloc_zero(bytes, 1);
        row->key_bytes = bytes;
        memcpy(row->key, key, bytes);
        HASH_ADD_KEYPTR(hh, wl_device_kernels.lengths, row->key, bytes, row);
    }
    row->length_ns = length_ns;
    row->count++;
}

void wl_device_length_keep(const struct wl_device_request *request, const uint8_t *parameters,
                           uint64_t length_ns)
{
    size_t bytes;
    uint8_t *key = key_of(request, parameters, &bytes);
    keep(key, bytes, length_ns);
    if (bytes > sizeof(struct appearance))
        keep(key, sizeof(struct appearance), length_ns);
    free(key);
}

void wl_device_lengths_free(void)
{
    struct wl_device_length_row *row, *next;
    HASH_ITER(hh, wl_device_kernels.lengths, row, next)
    {
        HASH_DEL(wl_device_kernels.lengths, row);
        free(row->key);
        free(row);
    }
}
