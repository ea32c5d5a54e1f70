/* The flow of a lowered program's control between its basic blocks. */
#ifndef WL_PTX_LOWER_FLOW_H
#define WL_PTX_LOWER_FLOW_H

#include "ptx/lower/lowering.h"

/* Basic blocks as ranges of operations with their successors; free both arrays. */
struct flow_block {
    uint32_t first, last; /* operations, inclusive; first is the BLOCK */
    uint32_t *successors;
    uint32_t successor_count;
};
struct flow_block *lower_flow_blocks(struct lowering *lowering, uint32_t *count);
void lower_flow_blocks_free(struct flow_block *blocks, uint32_t count);
/* Immediate post-dominators of count blocks, into count + 1 words: count for the program's end,
 * UINT32_MAX where it cannot be reached. */
void lower_flow_post_dominators(const struct flow_block *blocks, uint32_t count,
                                uint32_t *dominator);
/* Of branches within loops whose meeting (as post-dominators, or UINT32_MAX) lies behind the loop,
 * puts it where lanes meet that stay, and marks the branches out of such loops. is_end: of blocks
 * where lanes only end, and of the program's end; dominator as lower_flow_post_dominators has it.
 */
void lower_meet_in_loops(struct lowering *lowering, const struct flow_block *blocks, uint32_t count,
                         const uint32_t *dominator, const bool *is_end, uint32_t *meeting);

#endif
