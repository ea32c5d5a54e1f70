/* cuSOLVER: its handles can be made and freed; each call that would compute is refused by name.
 * Names and numbers are those of the cuSOLVER documentation. */
#include "api/common/stand_in.h"

#define MAGIC 0x7763736fu

enum { OK = 0, INVALID_VALUE = 3, NOT_SUPPORTED = 9 };

/* H(create, destroy): a handle, which knows nothing. */
#define H(create, destroy) WL_STAND_IN_HANDLE(create, destroy, MAGIC, INVALID_VALUE)
H(cusolverDnCreate, cusolverDnDestroy)
H(cusolverSpCreate, cusolverSpDestroy)
H(cusolverDnCreateParams, cusolverDnDestroyParams)

/* Work is done when a call returns. */
int cusolverDnSetStream(void *handle, void *stream)
{
    (void)stream;
    return wl_stand_in_check(handle, MAGIC) ? OK : INVALID_VALUE;
}

/* Work is done when a call returns. */
int cusolverSpSetStream(void *handle, void *stream)
{
    (void)stream;
    return wl_stand_in_check(handle, MAGIC) ? OK : INVALID_VALUE;
}

/* ---- what is not there ---- */

#define U(name)                                \
    int name(void);                            \
    int name(void)                             \
    {                                          \
        wl_device_refuse(#name " (cuSOLVER)"); \
        return NOT_SUPPORTED;                  \
    }
#include "api/cusolver/unsupported.def"
#undef U
