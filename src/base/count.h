/* Array length and alignment. */
#ifndef WL_BASE_COUNT_H
#define WL_BASE_COUNT_H

#include <stdint.h>

/* Bytes by which what two threads write at a time lies apart: processors fetch two lines of 64
 * bytes together. */
#define WL_APART 128

/* Number of elements of an array; wrong for a pointer. */
#define WL_COUNT(array) (sizeof(array) / sizeof *(array))

/* Rounds value up to a multiple of alignment; alignment 0 leaves it as it is. */
static inline uint64_t wl_align_up(uint64_t value, uint64_t alignment)
{
    return alignment > 1 ? (value + alignment - 1) / alignment * alignment : value;
}

#endif
