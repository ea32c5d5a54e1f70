/* What is known of a block's shared memory while it is checked: who wrote and read each word since
 * when, and which bytes nobody wrote. What happens before what follows from barriers: each warp
 * counts its stretches between them, and knows which stretches of the others lie behind it.
 * Internal to sim/. */
#ifndef WL_SIM_SHADOW_H
#define WL_SIM_SHADOW_H

#include "sim/state.h"

#define WL_SHADOW_WARPS 32 /* of a block, at most */

struct wl_shadow;

/* Strong accesses of different warps do not race with each other; of volatile ones, which are used
 * as flags, one has to come from a warp that uses fences. */
enum wl_shadow_strength {
    WL_SHADOW_PLAIN,
    WL_SHADOW_UNFENCED,
    WL_SHADOW_VOLATILE,
    WL_SHADOW_STRONG
};

/* One lane's access of shared memory. */
struct wl_shadow_access {
    uint32_t lane, offset, bytes;
    const uint64_t *values; /* of each lane, when written as far as is known; else NULL */
    bool is_write, is_read;
    bool is_atomic;
    bool is_copy; /* asynchronous: done when its group is awaited */
};

/* What a block of the run needs of memory, aligned to 8 bytes; none where its checks need no
 * shadow. */
size_t wl_shadow_bytes(const struct wl_run *run);
/* For a block that starts: in so much memory, which is the caller's. */
void wl_shadow_begin(struct wl_shadow *shadow, const struct wl_run *run);

/* All accesses between two calls are those of one instruction. */
void wl_shadow_next_instruction(struct wl_shadow *shadow);
/* Makes findings of races and of reads of what nobody wrote. */
void wl_shadow_access(struct wl_warp *warp, const struct wl_op *op,
                      const struct wl_shadow_access *access);

/* The warp arrives at a block barrier; those that waited go on; the warp does something that warps
 * use to wait for each other by themselves. */
void wl_shadow_arrive(struct wl_warp *warp, uint32_t barrier);
void wl_shadow_release(struct wl_cta *cta, uint32_t barrier);
void wl_shadow_signal(struct wl_warp *warp);
void wl_shadow_await(struct wl_warp *warp);
/* The same by one barrier object: who has seen a phase of it end has what was given there. */
void wl_shadow_signal_at(struct wl_warp *warp, uint64_t address);
void wl_shadow_await_at(struct wl_warp *warp, uint64_t address);

/* The lanes of the warp meet: what they did so far is behind all of them. */
void wl_shadow_sync_lanes(struct wl_warp *warp);

/* Release and acquire, by the PTX memory model: a fence; strong reads and writes of one lane, which
 * order by themselves or with the fences before and after them. */
void wl_shadow_fence(struct wl_warp *warp);
void wl_shadow_read_strong(struct wl_warp *warp, const struct wl_op *op, uint64_t address);
void wl_shadow_write_strong(struct wl_warp *warp, const struct wl_op *op, uint64_t address);

/* Asynchronous copies of the warp: those so far are a group; all groups but the last so many are
 * done; all are. */
void wl_shadow_commit(struct wl_warp *warp);
void wl_shadow_await_groups(struct wl_warp *warp, uint64_t but);
void wl_shadow_await_copies(struct wl_warp *warp);

/* The same for reads of all active lanes, by offset: quick where they tell nothing new.
 * is_one_place: the offsets are known to be all the same. */
void wl_shadow_read(struct wl_warp *warp, const struct wl_op *op, const uint32_t offset[WL_LANES],
                    uint32_t bytes, bool is_one_place);

/* Writes of words by all active lanes, by offset: marks those that race with nothing. Returns the
 * lanes that are left to wl_shadow_access. */
uint32_t wl_shadow_write(struct wl_warp *warp, const struct wl_op *op,
                         const uint32_t offset[WL_LANES]);

/* For what looks at other memory: the warp's present stretch; whether all of a stretch of another
 * warp lies behind it; of each warp, the last stretch before its last fence, or that it has seen
 * (with its own), where that is later than what stands there. */
uint32_t wl_shadow_stretch(const struct wl_warp *warp);
bool wl_shadow_has_seen(const struct wl_warp *warp, uint32_t other, uint32_t stretch);
void wl_shadow_add_fenced(const struct wl_warp *warp, uint32_t stretch[WL_SHADOW_WARPS]);
void wl_shadow_add_seen(const struct wl_warp *warp, uint32_t stretch[WL_SHADOW_WARPS]);
uint8_t wl_shadow_strength(const struct wl_warp *warp, const struct wl_op *op, bool is_atomic);
bool wl_shadow_are_strong(uint8_t one, uint8_t other);

#endif
