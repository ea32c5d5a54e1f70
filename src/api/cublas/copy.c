/* Copies of vectors and matrices between host and device. */
#include "api/cublas/stand_in.h"
#include "device/graph/graph.h"

struct part {
    const void *at;
    int64_t leading; /* elements between columns */
};

static int copy_matrix(int64_t rows, int64_t columns, int element_bytes, struct part from,
                       struct part to, void *stream, bool is_async)
{
    if (columns < 0 || element_bytes <= 0)
        return WL_CUBLAS_INVALID_VALUE;
    if (rows < 0 || from.leading < rows || to.leading < rows) /* copies that wait check it */
        return is_async ? WL_CUBLAS_MAPPING_ERROR : WL_CUBLAS_INVALID_VALUE;
    struct wl_device_operation operation = {
        .kind = WL_DEVICE_OPERATION_COPY,
        .copy = {
            .to = (void *)(uintptr_t)to.at,
            .from = from.at,
            .width_bytes = (size_t)rows * (size_t)element_bytes,
            .height = (size_t)columns,
            .depth = 1,
            .to_pitch_bytes = (size_t)to.leading * (size_t)element_bytes,
            .from_pitch_bytes = (size_t)from.leading * (size_t)element_bytes,
            .direction = WL_DEVICE_BY_ADDRESS,
            .stream = stream,
            .is_async = is_async,
        }};
    const int code =
        is_async ? wl_device_submit(&operation, stream) : wl_device_memory_copy(&operation.copy);
    return code ? WL_CUBLAS_MAPPING_ERROR : WL_CUBLAS_OK;
}

/* A vector with a stride is a matrix of one row. */
static int copy_vector(int count, int element_bytes, struct part from, struct part to, void *stream,
                       bool is_async)
{
    if (from.leading <= 0 || to.leading <= 0)
        return WL_CUBLAS_INVALID_VALUE;
    if (count < 0 && is_async)
        return WL_CUBLAS_MAPPING_ERROR;
    return copy_matrix(1, count, element_bytes, from, to, stream, is_async);
}

/* To the device and back alike. */
#define COPIES(way)                                                                             \
    int cublas##way##Vector(int count, int element_bytes, const void *from, int from_step,      \
                            void *to, int to_step)                                              \
    {                                                                                           \
        return copy_vector(count, element_bytes, (struct part){from, from_step},                \
                           (struct part){to, to_step}, NULL, false);                            \
    }                                                                                           \
    int cublas##way##VectorAsync(int count, int element_bytes, const void *from, int from_step, \
                                 void *to, int to_step, void *stream)                           \
    {                                                                                           \
        return copy_vector(count, element_bytes, (struct part){from, from_step},                \
                           (struct part){to, to_step}, stream, true);                           \
    }                                                                                           \
    int cublas##way##Matrix(int rows, int columns, int element_bytes, const void *from,         \
                            int from_leading, void *to, int to_leading)                         \
    {                                                                                           \
        return copy_matrix(rows, columns, element_bytes, (struct part){from, from_leading},     \
                           (struct part){to, to_leading}, NULL, false);                         \
    }                                                                                           \
    int cublas##way##MatrixAsync(int rows, int columns, int element_bytes, const void *from,    \
                                 int from_leading, void *to, int to_leading, void *stream)      \
    {                                                                                           \
        return copy_matrix(rows, columns, element_bytes, (struct part){from, from_leading},     \
                           (struct part){to, to_leading}, stream, true);                        \
    }

COPIES(Set)
COPIES(Get)
