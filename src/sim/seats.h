/* Registers and shared memory for the blocks that run. A block has a seat from its first turn to
 * its end, and who ended last leaves its seat to who begins next, on whatever SM: the host's caches
 * have it then, though the GPU has room for more resident blocks than fit them. What is in it does
 * not show in the block that has it next. Internal to sim/. */
#ifndef WL_SIM_SEATS_H
#define WL_SIM_SEATS_H

#include <stddef.h>
#include <stdint.h>

#define WL_SEATS_NONE UINT32_MAX

/* What the registers of a seat hold from block to block: see struct wl_run. */
struct wl_seat {
    uint64_t constants_of, parameters_of; /* the run's numbers of them */
};

struct wl_seats;

/* The seats of a simulated GPU; none yet. Free with wl_seats_free. */
struct wl_seats *wl_seats_create(void);
void wl_seats_free(struct wl_seats *seats); /* NULL is fine */

/* A launch begins, with `count` free seats, and so many threads of the host at most. */
void wl_seats_begin(struct wl_seats *seats, uint32_t count, uint32_t workers);

/* A seat for a block that the thread of that number runs: the one that the thread was given back
 * last; else the first that nobody has had in this launch, else one that another thread was given
 * back. Not while all are taken. */
uint32_t wl_seats_take(struct wl_seats *seats, uint32_t worker);
void wl_seats_give_back(struct wl_seats *seats, uint32_t worker, uint32_t seat);

/* What the seat holds; whoever has it may change that. */
struct wl_seat *wl_seats_at(const struct wl_seats *seats, uint32_t seat);

#endif
