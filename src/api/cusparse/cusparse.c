/* cuSPARSE: handles, old descriptions, and how kernels of ours (sparse.cu, older.cu) are launched;
 * calls that are not there are refused by name. Names and numbers are those of the cuSPARSE
 * documentation. */
#include <string.h>

#include "api/cusparse/cusparse.h"
#include "base/count.h"
#include "device/graph/graph.h"

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

int cusparseSetPointerMode(struct handle *handle, int mode)
{
    if (!wl_stand_in_check(handle, WL_SPARSE_HANDLE))
        return WL_SPARSE_NOT_INITIALIZED;
    if (mode != 0 && mode != 1)
        return WL_SPARSE_INVALID_VALUE;
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

int wl_sparse_destroy(void *self, uint32_t magic)
{
    return !self || wl_stand_in_destroy(self, magic) ? WL_SPARSE_OK : WL_SPARSE_INVALID_VALUE;
}

int wl_sparse_stream(void *pointer, void **stream)
{
    struct handle *handle = wl_stand_in_check(pointer, WL_SPARSE_HANDLE);
    if (!handle)
        return WL_SPARSE_NOT_INITIALIZED;
    *stream = handle->stream;
    return WL_SPARSE_OK;
}

bool wl_sparse_points_to_device(void *pointer)
{
    const struct handle *handle = wl_stand_in_check(pointer, WL_SPARSE_HANDLE);
    return handle && handle->is_device_pointer;
}

int wl_sparse_wait(void *stream)
{
    return wl_device_capture_refuses(stream) || wl_device_stream_wait(stream)
               ? WL_SPARSE_EXECUTION_FAILED
               : WL_SPARSE_OK;
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
    {WL_SPARSE_INTERNAL_ERROR, "CUSPARSE_STATUS_INTERNAL_ERROR", "internal error"},
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
    return wl_sparse_destroy(self, WL_SPARSE_DESCRIPTION);
}

#define FIELD(name, field, last)                                                          \
    int cusparseSet##name(struct description *self, int value)                            \
    {                                                                                     \
        if (!wl_stand_in_check(self, WL_SPARSE_DESCRIPTION) || value < 0 || value > last) \
            return WL_SPARSE_INVALID_VALUE;                                               \
        self->field = value;                                                              \
        return WL_SPARSE_OK;                                                              \
    }                                                                                     \
    int cusparseGet##name(struct description *self)                                       \
    {                                                                                     \
        return self ? self->field : 0;                                                    \
    }
FIELD(MatType, type, 3)
FIELD(MatFillMode, fill, 1)
FIELD(MatDiagType, diagonal, 1)
FIELD(MatIndexBase, base, 1)

int wl_sparse_base(const void *description)
{
    const struct description *self = description;
    return self ? self->base : 0;
}

struct wl_triangle wl_sparse_triangle(const void *description)
{
    const struct description *self = description;
    return (struct wl_triangle){.is_upper = self && self->fill, .is_unit = self && self->diagonal};
}

/* ---- kernels ---- */

extern const struct wl_embedded_file wl_embedded_cusparse[];
enum { GENERIC, OLDER };
static struct wl_stand_in kernels[] = {{.file = &wl_embedded_cusparse[GENERIC]},
                                       {.file = &wl_embedded_cusparse[OLDER]}};

static const struct {
    enum wl_sparse_type type;
    size_t bytes;
    const char *kind;
} types[] = {
    {WL_SPARSE_FLOAT, 4, "s"},        {WL_SPARSE_DOUBLE, 8, "d"},
    {WL_SPARSE_COMPLEX, 8, "c"},      {WL_SPARSE_DOUBLE_COMPLEX, 16, "z"},
    {WL_SPARSE_HALF, 2, "h"},         {WL_SPARSE_BFLOAT, 2, "b"},
    {WL_SPARSE_COMPLEX_HALF, 4, "H"}, {WL_SPARSE_COMPLEX_BFLOAT, 4, "B"},
    {WL_SPARSE_BYTE, 1, "i"},         {WL_SPARSE_INTEGER, 4, "i"},
};

size_t wl_sparse_value_bytes(enum wl_sparse_type type)
{
    for (size_t i = 0; i < WL_COUNT(types); i++)
        if (types[i].type == type)
            return types[i].bytes;
    return 0;
}

static const char *kind_of(enum wl_sparse_type type)
{
    for (size_t i = 0; i < WL_COUNT(types); i++)
        if (types[i].type == type)
            return types[i].kind;
    return NULL;
}

static int run(struct wl_stand_in *of, const char *name, const char *kind, long long threads,
               void *stream, void **parameters)
{
    char full[64];
    if (threads < 0)
        return WL_SPARSE_INVALID_VALUE;
    snprintf(full, sizeof full, "warplens_sparse_%s%s%s", name, kind ? "_" : "", kind ? kind : "");
    return wl_stand_in_launch(of, full, (uint64_t)threads, stream, parameters, true)
               ? WL_SPARSE_EXECUTION_FAILED
               : WL_SPARSE_OK;
}

int wl_sparse_run_kind(const char *name, const char *kind, long long threads, void *stream,
                       void **parameters)
{
    return run(&kernels[GENERIC], name, kind, threads, stream, parameters);
}

int wl_sparse_run(const char *name, enum wl_sparse_type type, long long threads, void *stream,
                  void **parameters)
{
    return wl_sparse_run_kind(name, kind_of(type), threads, stream, parameters);
}

int wl_sparse_run_older_kind(const char *name, const char *kind, long long threads, void *stream,
                             void **parameters)
{
    return run(&kernels[OLDER], name, kind, threads, stream, parameters);
}

int wl_sparse_run_older(const char *name, enum wl_sparse_type type, long long threads, void *stream,
                        void **parameters)
{
    return wl_sparse_run_older_kind(name, kind_of(type), threads, stream, parameters);
}

int wl_sparse_refuse(const char *call, const char *what)
{
    char text[128];
    snprintf(text, sizeof text, "%s (cuSPARSE) of %s", call, what);
    wl_device_refuse(text);
    return WL_SPARSE_NOT_SUPPORTED;
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
