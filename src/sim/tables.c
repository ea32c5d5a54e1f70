#include "sim/tables.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sim/site_state.h"
#include "warp/program.h"

enum { LINE_BYTES = 64 };
#define KEPT_MOST ((size_t)64 << 20) /* bytes: of kernels that need more, launches are long */

/* One worker's, all of them at the start of a cache line. */
struct layout {
    size_t sites, patterns, block_warps, block_threads, guard_threads, divergent, end;
};

static size_t place(struct layout *layout, size_t count, size_t size)
{
    const size_t at = layout->end;
    layout->end += (count * size + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
    return at;
}

static struct layout layout_of(const struct wl_program *program)
{
    struct layout of = {0};
    of.sites = place(&of, program->site_count, sizeof(struct wl_site_state));
    of.patterns = place(&of, WL_SHARED_PATTERNS, sizeof(struct wl_shared_pattern));
    of.block_warps = place(&of, program->block_count, sizeof(uint64_t));
    of.block_threads = place(&of, program->block_count, sizeof(uint64_t));
    of.guard_threads = place(&of, program->guard_count, sizeof(uint64_t));
    of.divergent = place(&of, program->instruction_count, sizeof(uint64_t));
    return of;
}

/* Distances, sets of lines and a pattern of its own are read only once a pattern is learnt, which
 * sets them: most of a site stays as it is. */
static void clear_site(struct wl_site_state *site)
{
    memset(site, 0, offsetof(struct wl_site_state, delta));
    memset(&site->memo, 0, sizeof site->memo);
}

static void set_up(struct wl_worker *worker, const struct wl_program *program,
                   const struct layout *of, uint8_t *memory)
{
    worker->sites = (struct wl_site_state *)(void *)(memory + of->sites);
    worker->patterns = (struct wl_shared_pattern *)(void *)(memory + of->patterns);
    worker->block_warps = (uint64_t *)(void *)(memory + of->block_warps);
    worker->block_threads = (uint64_t *)(void *)(memory + of->block_threads);
    worker->guard_threads = (uint64_t *)(void *)(memory + of->guard_threads);
    worker->divergent = (uint64_t *)(void *)(memory + of->divergent);
    for (uint32_t i = 0; i < program->site_count; i++)
        clear_site(&worker->sites[i]);
    memset(memory + of->block_warps, 0, of->end - of->block_warps);
}

void wl_tables_give(struct wl_sim *sim, const struct wl_program *program, struct wl_worker *workers,
                    uint32_t count)
{
    const struct layout of = layout_of(program);
    const size_t bytes = of.end * count;
    uint8_t *memory;
    if (bytes <= KEPT_MOST &&
        !__atomic_exchange_n(&sim->are_tables_taken, true, __ATOMIC_ACQUIRE)) {
        if (bytes > sim->tables_bytes) {
            free(sim->tables);
            sim->tables = wl_alloc_aligned(LINE_BYTES, bytes);
            sim->tables_bytes = bytes;
        }
        memory = sim->tables;
    } else {
        memory = wl_alloc_aligned(LINE_BYTES, bytes);
    }
    for (uint32_t i = 0; i < count; i++)
        set_up(&workers[i], program, &of, memory + i * of.end);
}

void wl_tables_take(struct wl_sim *sim, struct wl_worker *workers)
{
    uint8_t *memory = (uint8_t *)workers[0].sites;
    if (memory == sim->tables)
        __atomic_store_n(&sim->are_tables_taken, false, __ATOMIC_RELEASE);
    else
        free(memory);
}
