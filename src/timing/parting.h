/* Where lanes of a warp part and meet, and what its branches take. Internal to timing/. */
#ifndef WL_TIMING_PARTING_H
#define WL_TIMING_PARTING_H

#include <stdbool.h>
#include <stdint.h>

#include "timing/code.h"

/* Cycles from the issue of a branch: of one that is taken, until it is resolved and the instruction
 * behind it is fetched (bench/gpu/model fetch, exponentials.1.adds_0: 3 cycles of branch_resolving
 * and 6 of no_instruction a turn); of one that is not, and of the meeting of lanes, as long as
 * ptxas says (branches, launch.12, entered.12). */
enum { PARTING_RESOLVES = 4, PARTING_FALLS = 5 };

/* Of a warp, by the blocks that its trace enters. All zero: it has entered none. */
struct parting {
    uint32_t lanes; /* of the block entered last */
    uint32_t head;  /* the group of that block */
    uint32_t left;  /* times that lanes have left a loop since lanes met */
    bool has_met;   /* the block entered last has more lanes than the one before it */
};

/* The warp enters a block of that group with so many lanes. */
void parting_enter(struct parting *parting, uint32_t head, uint32_t lanes);

/* The warp comes to where lanes meet. Returns how many parts of it waited there for the last one.
 */
uint32_t parting_meet(struct parting *parting);

/* Whether the branch, which `next` follows, is not taken: nothing stands between the two. */
bool parting_falls_through(const struct timing_op *branch, const struct timing_op *next);

#endif
