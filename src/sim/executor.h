/* What the executor offers the rest of sim: it is compiled once for each instruction set
 * (sim/exec), and the best for this machine is chosen. Internal to sim. */
#ifndef WL_SIM_EXECUTOR_H
#define WL_SIM_EXECUTOR_H

#include "sim/shadow_columns.h"
#include "sim/state.h"

/* The executor of the best instruction set this machine has. */
struct wl_executor_row {
    wl_op_run full, masked;
};
const struct wl_executor_row *wl_executor_table(void);
/* The executors of all instruction sets that this machine has, the plainest first. Returns how
 * many. */
enum { WL_EXECUTORS_MOST = 3 };
uint32_t wl_executor_list(const struct wl_executor_row *tables[WL_EXECUTORS_MOST]);
/* Makes one operation of each stretch of a linked program's operations that the same executor does
 * in one go where all lanes are active. */
void wl_executor_join(struct wl_program *program);
/* Global accesses by all lanes, in their order: operations at[i] behind the first one. Their
 * registers hold addresses of which the first lane's is known, by slot. */
struct wl_counted {
    const struct wl_op *ops;
    const uint16_t *at;
    uint32_t count;
    const uint8_t *slot_of; /* of each operation behind the first one */
    const uint64_t *addresses;
};
/* Counts those that no load before has counted; they are known to follow their sites' patterns, and
 * to be mapped. Nobody records the warp. */
typedef void (*wl_executor_count)(struct wl_warp *warp, const struct wl_counted *counted);
wl_executor_count wl_executor_count_accesses(void);

/* Adds sums that were kept, one after the other; no other thread is at these words. */
typedef void (*wl_executor_add_kept)(const struct wl_kept *kept, size_t count);
wl_executor_add_kept wl_executor_add(void);

enum { WL_WATCH_DIFFERS = 1, WL_WATCH_BEYOND = 2 };

/* What the checks ask of all lanes at once, each a bit of what is returned, but for the last. */
struct wl_executor_watch {
    /* Offsets of words of shared memory that lack the bit; all, if any lies behind the words. */
    uint32_t (*find_loud)(const uint32_t offset[WL_LANES], const uint32_t *quiet, uint32_t words,
                          uint32_t bit);
    /* Values that the lane before has, too, or the one 16 before. */
    uint32_t (*find_repeats)(const uint32_t value[WL_LANES]);
    /* Offsets that lie before start or more than so many bytes behind it. */
    uint32_t (*find_beyond)(const uint32_t offset[WL_LANES], uint32_t start, uint32_t room);
    /* Sets the offsets of all lanes: the low words of what base has for them (is_wide: words of 8
     * bytes, else of 4), and add. WL_WATCH_DIFFERS: they are not all the same; WL_WATCH_BEYOND: one
     * at least is what find_beyond finds. */
    uint32_t (*find_offsets)(const void *base, bool is_wide, uint32_t add, uint32_t start,
                             uint32_t room, uint32_t offset[WL_LANES]);
    /* Of so many words from index on, WL_SHADOW_RUN at most: sets *loud to those whose read may
     * change something; returns those of them that nobody wrote before, as far as the view tells,
     * or not whole. */
    uint32_t (*find_told)(const struct wl_shadow_view *view, uint32_t index, uint32_t count,
                          uint32_t *loud);
    /* Notes plain reads of the loud words, of which find_told told none. Returns those whose reads
     * tell nothing more. */
    uint32_t (*mark_reads)(const struct wl_shadow_view *view, const struct wl_shadow_row *row,
                           uint32_t loud);
    /* Notes writes of the words but of those that are returned, which may race. */
    uint32_t (*mark_writes)(const struct wl_shadow_view *view, const struct wl_shadow_row *row);
};
const struct wl_executor_watch *wl_executor_watch(void);

#endif
