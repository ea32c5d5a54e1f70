/* What a worker counts and learns at each place that accesses memory. Internal to sim/. */
#ifndef WL_SIM_SITE_STATE_H
#define WL_SIM_SITE_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "warp/op.h"

/* How the lanes' addresses lie to each other. */
enum wl_shape {
    WL_SHAPE_SCATTERED,
    WL_SHAPE_UNIFORM,     /* all the same */
    WL_SHAPE_CONTIGUOUS,  /* one run of 32 elements */
    WL_SHAPE_HALVES,      /* two runs of 16 */
    WL_SHAPE_QUARTERS,    /* four runs of 8 */
    WL_SHAPE_WINDOW,      /* shared memory: all within WL_SHARED_WINDOW_BYTES */
    WL_SHAPE_EVERY_OTHER, /* 32 elements with one between each two */
};

/* The lines that a known pattern touches when its first lane lies at a known place in its line. */
struct wl_line_set {
    uint32_t phase; /* first address modulo 128, plus 1; 0: not filled */
    uint32_t count;
    uint32_t sectors_total, sectors_ideal;
    uint32_t passes;        /* of L1's pipe */
    uint32_t bytes;         /* that its lanes touch, each once */
    int64_t line[WL_LANES]; /* relative to the first lane's line */
    uint32_t sectors[WL_LANES], words[WL_LANES];
};

#define WL_LINE_SETS 4

/* How the lanes' offsets in shared memory lie to the first lane's. Sites that have the same pattern
 * share one, which never changes then: who knows that a register follows it knows it for all. */
struct wl_shared_pattern {
    uint32_t offset[WL_LANES] __attribute__((aligned(64)));
    uint32_t index[WL_LANES] __attribute__((aligned(64))); /* window: word of each lane */
};

#define WL_SHARED_PATTERNS 32 /* that a worker's sites share */
#define WL_SHARED_SURPRISES 4 /* of a site after which it keeps its patterns to itself */

/* What a site knows of shared memory: wavefronts depend on the pattern, the mask and the phase
 * alone: banks are alike. In one of the host's cache lines. */
struct wl_shared_memo {
    const struct wl_shared_pattern *pattern; /* NULL: nothing is known */
    const struct wl_shared_pattern *window;  /* the same where all lanes are in a window, or NULL */
    uint64_t repeats;                        /* accesses that are not added up yet */
    uint32_t mask, phase;
    uint32_t low;        /* of the offsets, relative to the first lane's plus 2^31 */
    uint32_t start_most; /* where the lowest may lie at most */
    uint16_t wavefronts, ideal, pipe, conflicts;
    uint8_t phase_mask;     /* of the first lane's offset: its place in its bank or element */
    uint8_t window_vectors; /* of 64 bytes, that hold the window's words: 1, 2 or 4; 0: one word
                               behind the other */
    uint8_t rounds;         /* of a loop that adds floats: the most lanes at one address; else 0 */
    uint8_t surprises;      /* changes of pattern, up to WL_SHARED_SURPRISES */
} __attribute__((aligned(64)));

enum {
    WL_GROUP_LOADS = 16,
    WL_GROUP_LINES = 8,
    WL_GROUP_TOUCHES = 48,
    WL_GROUP_FRESH = 4 * WL_GROUP_LINES,
    WL_GROUP_PHASES = 8,
    WL_GROUP_PARTS = 2, /* masks of which is known what loads with lanes off do */
};

/* What the loads of a group do while the first lane of the first of them lies at one place in its
 * line; where lanes are off, the first lane as if it were on. */
struct wl_group_lines {
    /* what is read each time lies in two of the host's cache lines */
    uint32_t phase;       /* that place, plus 1; 0: not filled */
    uint32_t other_phase; /* that it was asked for last, in vain; 0: not since it was of use */
    uint32_t line_count;  /* 0: too many */
    uint32_t touch_count; /* of lines, by all loads */
    uint64_t least, room; /* where that lane may lie for all loads to be in memory that is known */
    uint64_t executions;  /* that the sites have not counted yet */
    uint8_t sectors[WL_GROUP_LINES]; /* that the loads ask, all together */
    uint32_t fresh_count; /* of the touches: those of some sector that none before asked for */
    int64_t line[WL_GROUP_LINES] /* relative to that lane's; who is touched last stands last */
        __attribute__((aligned(64)));
    struct {
        uint8_t line, sectors, load;
    } touches[WL_GROUP_TOUCHES];     /* in their order */
    uint8_t fresh[WL_GROUP_FRESH];   /* numbers of touches, ascending */
    uint64_t missed[WL_GROUP_FRESH]; /* sectors of each that the sites have not counted yet */
    struct {
        uint32_t lines, sectors, sectors_ideal, bytes, sectors_asked;
    } loads[WL_GROUP_LOADS]; /* what each counts for */
};

/* Loads through one address register between which is nothing that L1 or the warp's time would
 * tell: when the first is executed, all are counted (sim/group.h). */
struct wl_load_group {
    uint32_t load_count;
    struct wl_site_state *sites[WL_GROUP_LOADS];
    struct wl_group_lines lines[WL_GROUP_PHASES];
    struct wl_group_part *parts; /* WL_GROUP_PARTS; NULL: lanes were not off yet */
};

/* The same of warps in which only the lanes of a mask are on, each behind the lane before it. */
struct wl_group_part {
    uint32_t mask;
    uint32_t other_mask; /* that was asked for last, in vain; 0: not since it was of use */
    struct wl_group_lines lines[WL_GROUP_PHASES];
};

/* Counts of one memory site in one worker, and what was learnt about its address pattern. Addresses
 * relative to the first lane's repeat from execution to execution far more often than not. */
struct wl_site_state {
    uint64_t requests[3]; /* global, shared, local */
    uint64_t words_local; /* of a lane: L1 is asked for each of them on its own */
    uint64_t sectors, sectors_ideal, sectors_local, tags;
    uint64_t bytes;            /* in global memory; lanes at one place count once */
    uint64_t sectors_repeated; /* of atomics: once more for each further lane at a word */
    uint64_t wavefronts, wavefronts_ideal, wavefronts_pipe, conflicts;
    uint64_t rounds;                 /* of loops that add floats in shared memory */
    uint64_t hits, misses;           /* L1 sectors */
    uint64_t range_start, range_end; /* memory range of the last global access */
    uint32_t array_start, array_end; /* shared array of the last access that was checked */
    struct wl_load_group *group;     /* that it is of; NULL: of none, or it was not met yet */
    /* pattern of the last access by all 32 lanes */
    bool has_pattern, is_sector_strided, is_line_strided;
    bool is_regular;   /* deltas are multiples of the access size, and all of them less than 2^62 */
    uint8_t shape;     /* enum wl_shape */
    uint8_t surprises; /* changes of pattern in a row: 255 gives learning up */
    int64_t low;       /* least delta */
    uint64_t span;     /* bytes from there to the end of the access with the greatest */
    uint64_t delta[WL_LANES] __attribute__((aligned(64)));
    struct wl_line_set sets[WL_LINE_SETS];
    struct wl_shared_memo memo;
    struct wl_shared_pattern own_pattern; /* where the worker has no more room for patterns */
};

/* Adds to the site's counts what it has not added up yet of accesses to shared memory. */
static inline void wl_site_add_repeats(struct wl_site_state *site)
{
    struct wl_shared_memo *memo = &site->memo;
    site->requests[WL_SITE_SHARED] += memo->repeats;
    site->wavefronts += memo->repeats * memo->wavefronts;
    site->wavefronts_ideal += memo->repeats * memo->ideal;
    site->wavefronts_pipe += memo->repeats * memo->pipe;
    site->conflicts += memo->repeats * memo->conflicts;
    site->rounds += memo->repeats * memo->rounds;
    memo->repeats = 0;
}

#endif
