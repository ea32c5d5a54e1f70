#include "timing/course.h"

const uint32_t *course_pass(const struct timing_code *code, const uint32_t *at, const uint32_t *end,
                            struct warp *warp, uint32_t slots)
{
    uint32_t head = code->blocks[wl_trace_block(*at)].head, last = WL_MACHINE_NONE;
    for (bool is_first = true; at < end; is_first = false) {
        uint32_t word = *at;
        if (word & WL_TRACE_BLOCK) {
            uint32_t next = wl_trace_block(word);
            if (!is_first && (code->blocks[next].head != head || next == head))
                break;
            at++;
            last = WL_MACHINE_NONE;
            continue;
        }
        uint32_t site = wl_trace_site(word);
        uint32_t slot = site < code->site_count ? code->site_slot[site] : WL_MACHINE_NONE;
        if (warp && slot != WL_MACHINE_NONE && slot == last) {
            sectors_join(&warp->sectors[slots + slot], &warp->slots[slots + slot], at);
        } else if (warp && slot != WL_MACHINE_NONE) {
            warp->slots[slots + slot] = at[1] ? at[1] : 1;
            warp->sectors[slots + slot] = wl_trace_sector(word);
        }
        last = slot;
        at += 2;
    }
    return at;
}

uint32_t course_choose_turns(const struct timing_code *code, const struct warp *warp, uint32_t head)
{
    uint32_t unrolled = code->blocks[head].unrolled, turns = 0;
    if (unrolled == WL_MACHINE_NONE)
        return head;
    const uint32_t *at = warp->at;
    while (turns < code->blocks[unrolled].turns && at < warp->end &&
           code->blocks[wl_trace_block(*at)].head == head) {
        at = course_pass(code, at, warp->end, NULL, 0);
        turns++;
    }
    while (unrolled != WL_MACHINE_NONE && code->blocks[unrolled].turns > turns)
        unrolled = code->blocks[unrolled].unrolled;
    return unrolled == WL_MACHINE_NONE ? head : unrolled;
}
