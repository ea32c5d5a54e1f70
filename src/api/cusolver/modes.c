/* What a program says of how calls compute: none of it changes what ours do, which give the same
 * result each time and compute in the precision of their matrices. */
#include "api/cusolver/cusolver.h"

/* Value: from least to most, else that is the status; kept in the handle and given back. */
#define MODE(Kind, field, least, most, otherwise)                         \
    int cusolverDnSet##Kind(void *pointer, int value)                     \
    {                                                                     \
        struct wl_solver_handle *handle = wl_solver_check(pointer);       \
        if (!handle)                                                      \
            return WL_SOLVER_NOT_INITIALIZED;                             \
        if (value < (least) || value > (most))                            \
            return otherwise;                                             \
        handle->field = value - (least);                                  \
        return WL_SOLVER_OK;                                              \
    }                                                                     \
    int cusolverDnGet##Kind(void *pointer, int *value)                    \
    {                                                                     \
        const struct wl_solver_handle *handle = wl_solver_check(pointer); \
        if (!handle)                                                      \
            return WL_SOLVER_NOT_INITIALIZED;                             \
        if (!value)                                                       \
            return WL_SOLVER_INVALID_VALUE;                               \
        *value = handle->field + (least);                                 \
        return WL_SOLVER_OK;                                              \
    }
MODE(DeterministicMode, deterministic_mode, 1, 2, WL_SOLVER_INTERNAL_ERROR)
MODE(MathMode, math_mode, 1, 2, WL_SOLVER_INVALID_VALUE)
MODE(EmulationStrategy, emulation_strategy, 0, 2, WL_SOLVER_INVALID_VALUE)

/* Of getrf and potrf, algorithms 0 to 2. */
int cusolverDnSetAdvOptions(void *params, int function, int algorithm)
{
    if (!wl_stand_in_check(params, WL_SOLVER_MAGIC + 1) || (unsigned)function > 1 ||
        (unsigned)algorithm > 2)
        return WL_SOLVER_INVALID_VALUE;
    return WL_SOLVER_OK;
}
