#include "sim/pool.h"

#include <fenv.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/count.h"
#include "base/memory.h"

struct wl_pool {
    uint32_t size, limit, started;
    pthread_t *threads;
    pthread_mutex_t lock;
    pthread_cond_t wake, done;
    uint64_t generation; /* counts runs */
    uint32_t busy;       /* helpers still in the present run */
    bool is_ending;
    pid_t owner; /* threads do not survive a fork */
    void (*work)(void *self, uint32_t index, uint32_t worker);
    void *self;
    struct part *parts; /* of the pieces, of which each thread that is used begins with its own */
    uint32_t part_count;
};

struct part {
    uint32_t next, end; /* pieces */
} __attribute__((aligned(WL_APART)));

struct helper {
    struct wl_pool *pool;
    uint32_t worker;
};

/* What a thread looks for in vain before it sleeps: to be woken takes as long as a few thousand
 * accesses, and a launch has its threads wait for each other some dozen times. */
enum { GLANCES = 1000 };

static void pause_briefly(void)
{
#ifdef __x86_64__
    __builtin_ia32_pause();
#endif
}

static void await_run(const struct wl_pool *pool, uint64_t seen)
{
    for (int i = 0; i < GLANCES && __atomic_load_n(&pool->generation, __ATOMIC_RELAXED) == seen;
         i++)
        pause_briefly();
}

static void await_helpers(const struct wl_pool *pool)
{
    for (int i = 0; i < GLANCES && __atomic_load_n(&pool->busy, __ATOMIC_RELAXED); i++)
        pause_briefly();
}

struct wl_pool *wl_pool_create(uint32_t size)
{
    struct wl_pool *pool = wl_alloc_zero(1, sizeof *pool);
    pool->size = pool->limit = size ? size : 1;
    pool->threads = wl_alloc_zero(pool->size, sizeof *pool->threads);
    pool->parts = wl_alloc_aligned(WL_APART, pool->size * sizeof *pool->parts);
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->wake, NULL);
    pthread_cond_init(&pool->done, NULL);
    pool->owner = getpid();
    return pool;
}

uint32_t wl_pool_size(const struct wl_pool *pool)
{
    return pool->size;
}

void wl_pool_limit(struct wl_pool *pool, uint32_t limit)
{
    pool->limit = limit < pool->size ? limit : pool->size;
}

static void take_pieces(struct wl_pool *pool, uint32_t worker)
{
    for (uint32_t k = 0; k < pool->part_count; k++) {
        struct part *part = &pool->parts[(worker + k) % pool->part_count];
        for (uint32_t index;
             (index = __atomic_fetch_add(&part->next, 1, __ATOMIC_RELAXED)) < part->end;)
            pool->work(pool->self, index, worker);
    }
}

/* As many parts as threads, or one. */
static void deal(struct wl_pool *pool, uint32_t count, uint32_t parts)
{
    pool->part_count = parts;
    for (uint32_t i = 0; i < parts; i++)
        pool->parts[i] = (struct part){(uint32_t)((uint64_t)count * i / parts),
                                       (uint32_t)((uint64_t)count * (i + 1) / parts)};
}

static void *help(void *argument)
{
    struct helper helper = *(struct helper *)argument;
    free(argument);
    fesetenv(FE_DFL_ENV); /* not that of the program's thread which began it */
    struct wl_pool *pool = helper.pool;
    uint64_t seen = 0;
    pthread_mutex_lock(&pool->lock);
    for (;;) {
        while (pool->generation == seen && !pool->is_ending)
            pthread_cond_wait(&pool->wake, &pool->lock);
        if (pool->is_ending)
            break;
        seen = pool->generation;
        if (helper.worker >= pool->limit)
            continue;
        pthread_mutex_unlock(&pool->lock);
        take_pieces(pool, helper.worker);
        pthread_mutex_lock(&pool->lock);
        if (__atomic_sub_fetch(&pool->busy, 1, __ATOMIC_RELAXED) == 0)
            pthread_cond_signal(&pool->done);
        pthread_mutex_unlock(&pool->lock);
        await_run(pool, seen);
        pthread_mutex_lock(&pool->lock);
    }
    pthread_mutex_unlock(&pool->lock);
    return NULL;
}

enum { STACK_BYTES = 1 << 20 };

/* Signals of the watched program go to its own threads. */
static bool start_helper(struct wl_pool *pool, uint32_t worker)
{
    struct helper *helper = wl_alloc(sizeof *helper);
    *helper = (struct helper){pool, worker};
    sigset_t all, before;
    sigfillset(&all);
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES); /* `ulimit -s` may leave less */
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(&pool->threads[worker], &attributes, help, helper);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    if (failed)
        free(helper);
    return !failed;
}

static void run(struct wl_pool *pool, uint32_t count, bool is_apart,
                void (*work)(void *self, uint32_t index, uint32_t worker), void *self)
{
    uint32_t wanted = pool->limit < count ? pool->limit : count;
    if (wanted <= 1 || pool->owner != getpid()) {
        for (uint32_t index = 0; index < count; index++)
            work(self, index, 0);
        return;
    }
    pthread_mutex_lock(&pool->lock);
    pool->work = work;
    pool->self = self;
    deal(pool, count, is_apart ? wanted : 1);
    while (pool->started + 1 < pool->limit && start_helper(pool, pool->started + 1))
        pool->started++;
    uint32_t helpers = pool->limit - 1 < pool->started ? pool->limit - 1 : pool->started;
    pool->busy = helpers;
    __atomic_store_n(&pool->generation, pool->generation + 1, __ATOMIC_RELAXED);
    pthread_cond_broadcast(&pool->wake);
    pthread_mutex_unlock(&pool->lock);
    take_pieces(pool, 0);
    await_helpers(pool);
    pthread_mutex_lock(&pool->lock);
    while (pool->busy)
        pthread_cond_wait(&pool->done, &pool->lock);
    pthread_mutex_unlock(&pool->lock);
}

void wl_pool_run(struct wl_pool *pool, uint32_t count,
                 void (*work)(void *self, uint32_t index, uint32_t worker), void *self)
{
    run(pool, count, false, work, self);
}

void wl_pool_run_apart(struct wl_pool *pool, uint32_t count,
                       void (*work)(void *self, uint32_t index, uint32_t worker), void *self)
{
    run(pool, count, true, work, self);
}

void wl_pool_free(struct wl_pool *pool)
{
    if (!pool)
        return;
    if (pool->owner == getpid()) {
        pthread_mutex_lock(&pool->lock);
        pool->is_ending = true;
        pthread_cond_broadcast(&pool->wake);
        pthread_mutex_unlock(&pool->lock);
        for (uint32_t worker = 1; worker <= pool->started; worker++)
            pthread_join(pool->threads[worker], NULL);
    }
    free(pool->threads);
    free(pool->parts);
    free(pool);
}
