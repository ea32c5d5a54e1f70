/* cuSOLVER: handles; what computes is in dense.c and spectrum.c, and each other call that would is
 * refused by name. Names and numbers are those of the cuSOLVER documentation. */
#include "api/cusolver/cusolver.h"

#include "base/count.h"

#define VERSION 12004

/* H(Kind): a handle, which holds its stream. */
#define H(Kind)                                                                          \
    int cusolver##Kind##Create(struct wl_solver_handle **made)                           \
    {                                                                                    \
        if (!made)                                                                       \
            return WL_SOLVER_INVALID_VALUE;                                              \
        if (wl_device_check())                                                           \
            return WL_SOLVER_NOT_INITIALIZED;                                            \
        *made = wl_stand_in_create(WL_SOLVER_MAGIC, sizeof **made);                      \
        return WL_SOLVER_OK;                                                             \
    }                                                                                    \
    int cusolver##Kind##Destroy(void *handle)                                            \
    {                                                                                    \
        return wl_stand_in_destroy(handle, WL_SOLVER_MAGIC) ? WL_SOLVER_OK               \
                                                            : WL_SOLVER_NOT_INITIALIZED; \
    }                                                                                    \
    int cusolver##Kind##SetStream(void *pointer, void *stream)                           \
    {                                                                                    \
        struct wl_solver_handle *handle = wl_solver_check(pointer);                      \
        if (!handle)                                                                     \
            return WL_SOLVER_NOT_INITIALIZED;                                            \
        handle->stream = stream;                                                         \
        return WL_SOLVER_OK;                                                             \
    }                                                                                    \
    int cusolver##Kind##GetStream(void *pointer, void **stream)                          \
    {                                                                                    \
        struct wl_solver_handle *handle = wl_solver_check(pointer);                      \
        if (!handle)                                                                     \
            return WL_SOLVER_NOT_INITIALIZED;                                            \
        if (!stream)                                                                     \
            return WL_SOLVER_INVALID_VALUE;                                              \
        *stream = handle->stream;                                                        \
        return WL_SOLVER_OK;                                                             \
    }
H(Dn)
H(Sp)

WL_STAND_IN_HANDLE(cusolverDnCreateParams, cusolverDnDestroyParams, WL_SOLVER_MAGIC + 1,
                   WL_SOLVER_INVALID_VALUE)

int cusolverGetProperty(int which, int *value)
{
    static const int parts[] = {VERSION / 1000, VERSION / 100 % 10, VERSION % 100};
    if (!value || (unsigned)which >= WL_COUNT(parts))
        return WL_SOLVER_INVALID_VALUE;
    *value = parts[which];
    return WL_SOLVER_OK;
}

int cusolverGetVersion(int *version)
{
    if (!version)
        return WL_SOLVER_INVALID_VALUE;
    *version = VERSION;
    return WL_SOLVER_OK;
}

/* ---- what is not there ---- */

#define U(name)                                \
    int name(void);                            \
    int name(void)                             \
    {                                          \
        wl_device_refuse(#name " (cuSOLVER)"); \
        return WL_SOLVER_NOT_SUPPORTED;        \
    }
#include "api/cusolver/unsupported.def"
#undef U
