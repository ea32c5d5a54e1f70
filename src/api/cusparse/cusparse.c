/* cuSPARSE: its handles can be made and freed; each call that would compute is refused by name.
 * Names and numbers are those of the cuSPARSE documentation. */
#include "api/common/stand_in.h"

#define MAGIC 0x77637370u

enum { OK = 0, INVALID_VALUE = 3, NOT_SUPPORTED = 10 };

/* H(create, destroy): a handle, which knows nothing. */
#define H(create, destroy) WL_STAND_IN_HANDLE(create, destroy, MAGIC, INVALID_VALUE)
H(cusparseCreate, cusparseDestroy)
H(cusparseCreateMatDescr, cusparseDestroyMatDescr)

/* Work is done when a call returns. */
int cusparseSetStream(void *handle, void *stream)
{
    (void)stream;
    return wl_stand_in_check(handle, MAGIC) ? OK : INVALID_VALUE;
}

const char *cusparseGetErrorName(int status)
{
    return status == OK ? "success" : status == NOT_SUPPORTED ? "not supported" : "error";
}

const char *cusparseGetErrorString(int status)
{
    return status == OK ? "success" : status == NOT_SUPPORTED ? "not supported" : "error";
}

/* ---- what is not there ---- */

#define U(name)                                \
    int name(void);                            \
    int name(void)                             \
    {                                          \
        wl_device_refuse(#name " (cuSPARSE)"); \
        return NOT_SUPPORTED;                  \
    }
#include "api/cusparse/unsupported.def"
#undef U
