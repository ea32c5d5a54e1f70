/* When copies in bulk are there, for who tests the barrier objects that are told of them. Internal
 * to timing/. */
#ifndef WL_TIMING_BULK_H
#define WL_TIMING_BULK_H

#include "timing/machine/machine.h"

enum { BULK_OBJECTS = 64 };

/* Of a block. */
struct bulk_times {
    uint64_t last;             /* when the copy is there that was sent last */
    uint64_t at[BULK_OBJECTS]; /* of objects by their numbers: when all are of which it was told */
};

/* The instruction of that kind, which acts on the object of that number, is done by itself at
 * `there`: when it is done. */
static inline uint64_t bulk_pass(struct bulk_times *times, uint8_t kind, uint32_t object,
                                 uint64_t there)
{
    uint64_t *at = &times->at[object % BULK_OBJECTS];
    if (kind == WL_MACHINE_BULK)
        times->last = there;
    if (kind == WL_MACHINE_OBJECT_TELL && times->last > *at)
        *at = times->last;
    return kind == WL_MACHINE_OBJECT_WAIT && *at > there ? *at : there;
}

#endif
