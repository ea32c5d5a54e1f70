/* A few threads that share numbered pieces of work. */
#ifndef WL_SIM_POOL_H
#define WL_SIM_POOL_H

#include <stdint.h>

struct wl_pool;

/* size counts the calling thread; the others start at the first run that needs them. */
struct wl_pool *wl_pool_create(uint32_t size);
void wl_pool_free(struct wl_pool *pool);
uint32_t wl_pool_size(const struct wl_pool *pool);
/* How many of its threads the next runs use, the calling one included. */
void wl_pool_limit(struct wl_pool *pool, uint32_t limit);

/* Calls work(self, index, worker) once for every index below count, from any of the threads;
 * worker is below the limit and differs between threads that run at the same time. Returns when
 * all are done. One run at a time. They are begun in their order. */
void wl_pool_run(struct wl_pool *pool, uint32_t count,
                 void (*work)(void *self, uint32_t index, uint32_t worker), void *self);
/* The same in no order: each thread begins with pieces that are its own whenever as many are run,
 * and so has what these use in its caches. */
void wl_pool_run_apart(struct wl_pool *pool, uint32_t count,
                       void (*work)(void *self, uint32_t index, uint32_t worker), void *self);

#endif
