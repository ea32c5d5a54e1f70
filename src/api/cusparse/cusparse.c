/* cuSPARSE: matrices of compressed rows, compressed columns and single elements in single and
 * double precision, with kernels of ours (sparse.cu); each other call is refused by name. Names and
 * numbers are those of the cuSPARSE documentation. */
#include <string.h>

#include "api/cusparse/cusparse.h"
#include "base/count.h"

#define VERSION 12500

/* ---- handles ---- */

struct handle {
    uint32_t magic;
    int is_device_pointer;
    void *stream;
};

int cusparseCreate(struct handle **made)
{
    if (!made)
        return WL_SPARSE_INVALID_VALUE;
    if (wl_device_check())
        return WL_SPARSE_NOT_INITIALIZED;
    *made = wl_stand_in_create(WL_SPARSE_HANDLE, sizeof **made);
    return WL_SPARSE_OK;
}

int cusparseDestroy(struct handle *handle)
{
    return wl_stand_in_destroy(handle, WL_SPARSE_HANDLE) ? WL_SPARSE_OK : WL_SPARSE_NOT_INITIALIZED;
}

int cusparseSetStream(struct handle *handle, void *stream)
{
    if (!wl_stand_in_check(handle, WL_SPARSE_HANDLE))
        return WL_SPARSE_NOT_INITIALIZED;
    handle->stream = stream;
    return WL_SPARSE_OK;
}

int cusparseGetStream(struct handle *handle, void **stream)
{
    if (!wl_stand_in_check(handle, WL_SPARSE_HANDLE))
        return WL_SPARSE_NOT_INITIALIZED;
    if (!stream)
        return WL_SPARSE_INVALID_VALUE;
    *stream = handle->stream;
    return WL_SPARSE_OK;
}

/* Scalars of either memory are read where they are. */
int cusparseSetPointerMode(struct handle *handle, int mode)
{
    if (!wl_stand_in_check(handle, WL_SPARSE_HANDLE))
        return WL_SPARSE_NOT_INITIALIZED;
    handle->is_device_pointer = mode;
    return WL_SPARSE_OK;
}

int cusparseGetPointerMode(struct handle *handle, int *mode)
{
    if (!wl_stand_in_check(handle, WL_SPARSE_HANDLE))
        return WL_SPARSE_NOT_INITIALIZED;
    if (!mode)
        return WL_SPARSE_INVALID_VALUE;
    *mode = handle->is_device_pointer;
    return WL_SPARSE_OK;
}

int cusparseGetVersion(struct handle *handle, int *version)
{
    if (!wl_stand_in_check(handle, WL_SPARSE_HANDLE))
        return WL_SPARSE_NOT_INITIALIZED;
    if (!version)
        return WL_SPARSE_INVALID_VALUE;
    *version = VERSION;
    return WL_SPARSE_OK;
}

int wl_sparse_give_size(size_t *size_bytes)
{
    if (!size_bytes)
        return WL_SPARSE_INVALID_VALUE;
    *size_bytes = WL_SPARSE_SPACE_BYTES;
    return WL_SPARSE_OK;
}

int wl_sparse_stream(void *pointer, void **stream)
{
    struct handle *handle = wl_stand_in_check(pointer, WL_SPARSE_HANDLE);
    if (!handle)
        return WL_SPARSE_NOT_INITIALIZED;
    *stream = handle->stream;
    return WL_SPARSE_OK;
}

static const struct {
    int status;
    const char *name, *text;
} statuses[] = {
    {WL_SPARSE_OK, "CUSPARSE_STATUS_SUCCESS", "success"},
    {WL_SPARSE_NOT_INITIALIZED, "CUSPARSE_STATUS_NOT_INITIALIZED", "initialization error"},
    {WL_SPARSE_ALLOC_FAILED, "CUSPARSE_STATUS_ALLOC_FAILED", "out of memory"},
    {WL_SPARSE_INVALID_VALUE, "CUSPARSE_STATUS_INVALID_VALUE", "invalid value"},
    {WL_SPARSE_EXECUTION_FAILED, "CUSPARSE_STATUS_EXECUTION_FAILED", "a kernel failed"},
    {WL_SPARSE_ZERO_PIVOT, "CUSPARSE_STATUS_ZERO_PIVOT", "zero pivot"},
    {WL_SPARSE_NOT_SUPPORTED, "CUSPARSE_STATUS_NOT_SUPPORTED", "operation not supported"},
    {WL_SPARSE_INSUFFICIENT_RESOURCES, "CUSPARSE_STATUS_INSUFFICIENT_RESOURCES",
     "insufficient resources"},
};

const char *cusparseGetErrorName(int status)
{
    for (size_t i = 0; i < WL_COUNT(statuses); i++)
        if (statuses[i].status == status)
            return statuses[i].name;
    return "unknown status";
}

const char *cusparseGetErrorString(int status)
{
    for (size_t i = 0; i < WL_COUNT(statuses); i++)
        if (statuses[i].status == status)
            return statuses[i].text;
    return "unknown status";
}

/* ---- old descriptions of a matrix: its type, fill mode, diagonal and first index ---- */

struct description {
    uint32_t magic;
    int type, fill, diagonal, base;
};

int cusparseCreateMatDescr(struct description **made)
{
    if (!made)
        return WL_SPARSE_INVALID_VALUE;
    *made = wl_stand_in_create(WL_SPARSE_DESCRIPTION, sizeof **made);
    return WL_SPARSE_OK;
}

int cusparseDestroyMatDescr(struct description *self)
{
    return wl_stand_in_destroy(self, WL_SPARSE_DESCRIPTION) ? WL_SPARSE_OK
                                                            : WL_SPARSE_INVALID_VALUE;
}

#define FIELD(name, field)                                     \
    int cusparseSet##name(struct description *self, int value) \
    {                                                          \
        if (!wl_stand_in_check(self, WL_SPARSE_DESCRIPTION))   \
            return WL_SPARSE_INVALID_VALUE;                    \
        self->field = value;                                   \
        return WL_SPARSE_OK;                                   \
    }                                                          \
    int cusparseGet##name(struct description *self)            \
    {                                                          \
        return self ? self->field : 0;                         \
    }
FIELD(MatType, type)
FIELD(MatFillMode, fill)
FIELD(MatDiagType, diagonal)
FIELD(MatIndexBase, base)

int wl_sparse_base(const void *description)
{
    const struct description *self = description;
    return self ? self->base : 0;
}

/* Descriptions of how work is done, which know nothing. */
#define H(create, destroy) \
    WL_STAND_IN_HANDLE(create, destroy, WL_SPARSE_WORK, WL_SPARSE_INVALID_VALUE)
H(cusparseSpSV_createDescr, cusparseSpSV_destroyDescr)
H(cusparseSpSM_createDescr, cusparseSpSM_destroyDescr)

/* ---- kernels ---- */

extern const struct wl_embedded_file wl_embedded_cusparse[];
static struct wl_stand_in kernels = {.file = &wl_embedded_cusparse[0]};

int wl_sparse_run(const char *name, enum wl_sparse_type type, long long threads, void *stream,
                  void **parameters)
{
    static const char letters[] = {[WL_SPARSE_FLOAT] = 's', [WL_SPARSE_DOUBLE] = 'd'};
    char full[64];
    if (type == WL_SPARSE_NO_VALUES)
        snprintf(full, sizeof full, "warplens_sparse_%s", name);
    else
        snprintf(full, sizeof full, "warplens_sparse_%s_%c", name, letters[type]);
    return wl_stand_in_run(&kernels, full, (uint64_t)threads, stream, parameters)
               ? WL_SPARSE_EXECUTION_FAILED
               : WL_SPARSE_OK;
}

/* ---- what is not there ---- */

#define U(name)                                \
    int name(void);                            \
    int name(void)                             \
    {                                          \
        wl_device_refuse(#name " (cuSPARSE)"); \
        return WL_SPARSE_NOT_SUPPORTED;        \
    }
#include "api/cusparse/unsupported.def"
#undef U
