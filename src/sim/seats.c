#include "sim/seats.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sim/l2.h"

/* Seats that a thread was given back, the last one on top. Others take some only where there are no
 * more. */
struct returned {
    pthread_mutex_t lock;
    WL_VECTOR_FIELDS(uint32_t);
} __attribute__((aligned(64)));

struct wl_seats {
    struct wl_seat *seats;
    uint32_t count, capacity, workers;
    uint32_t next; /* atomic: the first that nobody has had in this launch */
    struct returned returned[WL_L2_MAX_SHARDS];
};

struct wl_seats *wl_seats_create(void)
{
    struct wl_seats *seats = wl_alloc_aligned(_Alignof(struct wl_seats), sizeof *seats);
    for (uint32_t i = 0; i < WL_L2_MAX_SHARDS; i++)
        pthread_mutex_init(&seats->returned[i].lock, NULL);
    return seats;
}

void wl_seats_free(struct wl_seats *seats)
{
    if (!seats)
        return;
    for (uint32_t i = 0; i < WL_L2_MAX_SHARDS; i++) {
        pthread_mutex_destroy(&seats->returned[i].lock);
        free(seats->returned[i].items);
    }
    free(seats->seats);
    free(seats);
}

void wl_seats_begin(struct wl_seats *seats, uint32_t count, uint32_t workers)
{
    if (count > seats->capacity) {
        seats->seats = wl_resize(seats->seats, count, sizeof *seats->seats);
        memset(seats->seats + seats->capacity, 0, (count - seats->capacity) * sizeof *seats->seats);
        seats->capacity = count;
    }
    seats->count = count;
    seats->workers = workers;
    seats->next = 0;
    for (uint32_t i = 0; i < WL_L2_MAX_SHARDS; i++)
        seats->returned[i].count = 0;
}

/* A thread that is alone needs no locks. */
static void lock(const struct wl_seats *seats, struct returned *returned)
{
    if (seats->workers > 1)
        pthread_mutex_lock(&returned->lock);
}

static void unlock(const struct wl_seats *seats, struct returned *returned)
{
    if (seats->workers > 1)
        pthread_mutex_unlock(&returned->lock);
}

static uint32_t take_returned(struct wl_seats *seats, uint32_t worker)
{
    struct returned *returned = &seats->returned[worker];
    uint32_t seat = WL_SEATS_NONE;
    lock(seats, returned);
    if (returned->count)
        seat = returned->items[--returned->count];
    unlock(seats, returned);
    return seat;
}

static uint32_t take_new(struct wl_seats *seats)
{
    if (__atomic_load_n(&seats->next, __ATOMIC_RELAXED) >= seats->count)
        return WL_SEATS_NONE;
    const uint32_t seat = __atomic_fetch_add(&seats->next, 1, __ATOMIC_RELAXED);
    return seat < seats->count ? seat : WL_SEATS_NONE;
}

uint32_t wl_seats_take(struct wl_seats *seats, uint32_t worker)
{
    uint32_t seat = take_returned(seats, worker);
    if (seat == WL_SEATS_NONE)
        seat = take_new(seats);
    for (uint32_t i = 0; seat == WL_SEATS_NONE; i = i + 1 < seats->workers ? i + 1 : 0)
        seat = take_returned(seats, i);
    return seat;
}

void wl_seats_give_back(struct wl_seats *seats, uint32_t worker, uint32_t seat)
{
    struct returned *returned = &seats->returned[worker];
    lock(seats, returned);
    WL_PUSH(returned, seat);
    unlock(seats, returned);
}

struct wl_seat *wl_seats_at(const struct wl_seats *seats, uint32_t seat)
{
    return &seats->seats[seat];
}
