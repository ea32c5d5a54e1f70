#include "sim/turns.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sim/executor.h"

struct wl_turns {
    pthread_mutex_t lock;
    pthread_cond_t passed;
    uint32_t places;
    uint32_t first;  /* atomic: the first place that has not ended the part */
    uint32_t waited; /* with the lock */
    bool *has_ended;
};

struct wl_turns *wl_turns_create(uint32_t places)
{
    struct wl_turns *turns = wl_alloc_zero(1, sizeof *turns);
    pthread_mutex_init(&turns->lock, NULL);
    pthread_cond_init(&turns->passed, NULL);
    turns->places = places;
    turns->has_ended = wl_alloc_zero(places, sizeof *turns->has_ended);
    return turns;
}

void wl_turns_free(struct wl_turns *turns)
{
    if (!turns)
        return;
    pthread_mutex_destroy(&turns->lock);
    pthread_cond_destroy(&turns->passed);
    free(turns->has_ended);
    free(turns);
}

void wl_turns_begin(struct wl_turns *turns)
{
    memset(turns->has_ended, 0, turns->places * sizeof *turns->has_ended);
    turns->first = turns->waited = 0;
}

void wl_turns_end(struct wl_turns *turns, uint32_t place)
{
    pthread_mutex_lock(&turns->lock);
    turns->has_ended[place] = true;
    uint32_t first = turns->first;
    while (first < turns->places && turns->has_ended[first])
        first++;
    if (first != turns->first) {
        __atomic_store_n(&turns->first, first, __ATOMIC_RELEASE);
        pthread_cond_broadcast(&turns->passed);
    }
    pthread_mutex_unlock(&turns->lock);
}

void wl_turns_wait(struct wl_warp *warp)
{
    struct wl_turns *turns = warp->worker->run->turns;
    const uint32_t place = warp->sm->place;
    if (__atomic_load_n(&turns->first, __ATOMIC_ACQUIRE) == place)
        return;
    pthread_mutex_lock(&turns->lock);
    turns->waited++;
    while (turns->first != place)
        pthread_cond_wait(&turns->passed, &turns->lock);
    pthread_mutex_unlock(&turns->lock);
}

uint32_t wl_turns_waited(const struct wl_turns *turns)
{
    return turns->waited;
}

void wl_turns_add_sums(struct wl_sm *sm)
{
    wl_executor_add()(sm->kept.items, sm->kept.count);
    sm->kept.count = 0;
}
