/* The course of a warp through groups of blocks, as its trace has it. Internal to timing/. */
#ifndef WL_TIMING_COURSE_H
#define WL_TIMING_COURSE_H

#include "timing/engine_state.h"

/* Where the trace goes on behind one run through the group of blocks that it enters at `at`; fills
 * the warp's slots of its accesses, from `slots` on, if there is a warp. Every run begins with the
 * group's head; lanes that part may go through its other blocks in any order. */
const uint32_t *course_pass(const struct timing_code *code, const uint32_t *at, const uint32_t *end,
                            struct warp *warp, uint32_t slots);

/* Of the blocks that stand for turns of a loop, the one of the most turns that the warp makes now.
 */
uint32_t course_choose_turns(const struct timing_code *code, const struct warp *warp,
                             uint32_t head);

#endif
