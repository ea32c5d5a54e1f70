/* Where the local memory of a warp's lanes lies: as on hardware (CUDA C++ Programming Guide, local
 * memory), what lanes have at one offset lies together, here in rows of 8 bytes a lane. Programs
 * with operations whose elements have more than 8 bytes have one lane's behind the other's. */
#ifndef WL_SIM_LOCAL_H
#define WL_SIM_LOCAL_H

#include "sim/state.h"

enum { WL_LOCAL_ELEMENT_BYTES = 8, WL_LOCAL_ROW_BYTES = WL_LOCAL_ELEMENT_BYTES * WL_LANES };

/* The same where it lies in rows. */
static inline uint64_t wl_local_row_place(uint32_t lane, uint64_t offset)
{
    return offset / WL_LOCAL_ELEMENT_BYTES * WL_LOCAL_ROW_BYTES +
           (uint64_t)lane * WL_LOCAL_ELEMENT_BYTES + offset % WL_LOCAL_ELEMENT_BYTES;
}

/* From the start of the warp's local memory, for an offset within local_bytes. */
static inline uint64_t wl_local_place(const struct wl_program *program, uint32_t lane,
                                      uint64_t offset)
{
    return program->has_local_rows ? wl_local_row_place(lane, offset)
                                   : (uint64_t)program->local_bytes * lane + offset;
}

/* Bytes that follow there, that offset's own included. */
static inline uint64_t wl_local_run_bytes(const struct wl_program *program, uint64_t offset)
{
    return program->has_local_rows ? WL_LOCAL_ELEMENT_BYTES - offset % WL_LOCAL_ELEMENT_BYTES
                                   : program->local_bytes - offset;
}

#endif
