/* Launches that a kernel makes. They are kept while it runs and handed out with its counts: kernels
 * cannot wait for what they launch. Like the heap, used by one thread at a time: programs that
 * launch run on one. Internal to sim/. */
#ifndef WL_SIM_CHILDREN_H
#define WL_SIM_CHILDREN_H

#include "sim/heap.h"
#include "sim/sim.h"

struct wl_children;

/* heap: where kernels write parameters; must outlive it. */
struct wl_children *wl_children_create(struct wl_heap *heap);
/* Gives back what was begun and not launched, too. */
void wl_children_free(struct wl_children *children);

/* A buffer of WL_CHILD_PARAMETER_BYTES in the heap for a launch of the kernel at `function`; 0
 * where the heap is full. place: of wl_heap_place. */
uint64_t wl_children_begin(struct wl_children *children, uint64_t function, uint32_t place);
/* Word `index` of its shape: grid (0 to 2), block (3 to 5), bytes of shared memory (6). False: no
 * such buffer or word. */
bool wl_children_set_shape(struct wl_children *children, uint64_t buffer, uint32_t index,
                           uint32_t value);
/* It is to be run after those launched before. False: no such buffer, or it was launched before. */
bool wl_children_launch(struct wl_children *children, uint64_t buffer, uint64_t stream);
/* Moves what was launched, in order and with its parameters, to the end of counts. */
void wl_children_hand_out(struct wl_children *children, struct wl_sim_counts *counts);

#endif
