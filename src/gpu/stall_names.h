/* Spellings of warp states (stall reasons) in older versions of ncu and on its source pages. */
#ifndef WL_GPU_STALL_NAMES_H
#define WL_GPU_STALL_NAMES_H

/* "long_scoreboard" of "stall_long_sb", "stall_long_scoreboard" or "long_scoreboard"; NULL: not a
 * warp state. */
const char *wl_stall_find(const char *name);
/* "stall_long_sb" of "long_scoreboard", "long_scoreboard_not_issued" of that; NULL as above. */
const char *wl_stall_column(const char *state);

#endif
