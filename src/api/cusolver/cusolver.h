/* Shared by the files of the stand-in for cuSOLVER. */
#ifndef WL_API_CUSOLVER_H
#define WL_API_CUSOLVER_H

#include "api/common/stand_in.h"

enum wl_solver_status {
    WL_SOLVER_OK = 0,
    WL_SOLVER_NOT_INITIALIZED = 1,
    WL_SOLVER_ALLOC_FAILED = 2,
    WL_SOLVER_INVALID_VALUE = 3,
    WL_SOLVER_EXECUTION_FAILED = 6,
    WL_SOLVER_NOT_SUPPORTED = 9,
};

#define WL_SOLVER_MAGIC 0x7763736fu

struct wl_solver_handle {
    uint32_t magic;
    void *stream;
};

/* NULL if it is no handle. */
static inline struct wl_solver_handle *wl_solver_check(void *pointer)
{
    return wl_stand_in_check(pointer, WL_SOLVER_MAGIC);
}

#endif
