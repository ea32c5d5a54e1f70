/* Small arithmetic that everybody needs. */
#ifndef WL_BASE_COUNT_H
#define WL_BASE_COUNT_H

#include <stdint.h>

/* Elements of an array; not of a pointer. */
#define WL_COUNT(array) (sizeof(array) / sizeof *(array))

/* The least multiple of alignment that is not less than value; of alignment 0, value. */
static inline uint64_t wl_align_up(uint64_t value, uint64_t alignment)
{
    return alignment > 1 ? (value + alignment - 1) / alignment * alignment : value;
}

#endif
