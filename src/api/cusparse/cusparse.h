/* Shared by the files of the stand-in for cuSPARSE. */
#ifndef WL_API_CUSPARSE_H
#define WL_API_CUSPARSE_H

#include <stdio.h>

#include "api/common/stand_in.h"
#include "api/cusparse/sparse.h"

enum wl_sparse_status {
    WL_SPARSE_OK = 0,
    WL_SPARSE_NOT_INITIALIZED = 1,
    WL_SPARSE_ALLOC_FAILED = 2,
    WL_SPARSE_INVALID_VALUE = 3,
    WL_SPARSE_EXECUTION_FAILED = 6,
    WL_SPARSE_INTERNAL_ERROR = 7,
    WL_SPARSE_ZERO_PIVOT = 9,
    WL_SPARSE_NOT_SUPPORTED = 10,
    WL_SPARSE_INSUFFICIENT_RESOURCES = 11,
};

/* Magic numbers of the library's handle and of each kind of object. */
enum wl_sparse_kind {
    WL_SPARSE_HANDLE = 0x77637370,
    WL_SPARSE_DESCRIPTION,
    WL_SPARSE_WORK,
    WL_SPARSE_MATRIX,
    WL_SPARSE_DENSE,
    WL_SPARSE_INFO,
    WL_SPARSE_PRODUCT,
};

#define WL_SPARSE_SPACE_BYTES 256

/* Of values, as CUDA numbers them. */
enum wl_sparse_type {
    WL_SPARSE_NO_VALUES = -1,
    WL_SPARSE_FLOAT = 0,
    WL_SPARSE_DOUBLE = 1,
    WL_SPARSE_HALF = 2,
    WL_SPARSE_BYTE = 3,
    WL_SPARSE_COMPLEX = 4,
    WL_SPARSE_DOUBLE_COMPLEX = 5,
    WL_SPARSE_COMPLEX_HALF = 6,
    WL_SPARSE_INTEGER = 10,
    WL_SPARSE_BFLOAT = 14,
    WL_SPARSE_COMPLEX_BFLOAT = 15,
};

enum wl_sparse_operation { WL_SPARSE_PLAIN, WL_SPARSE_TRANSPOSE, WL_SPARSE_CONJUGATE };

union wl_sparse_scalar {
    float s[2];
    double d[2];
    int i;
};

/* Reports a small nonzero workspace size, as programs allocate what they are told. */
int wl_sparse_give_size(size_t *size_bytes);
/* Of nothing there is nothing to destroy. */
int wl_sparse_destroy(void *self, uint32_t magic);
int wl_sparse_stream(void *handle, void **stream);
/* Whether scalars are in memory of the device. */
bool wl_sparse_points_to_device(void *handle);
/* Until the host may look at what kernels of the stream wrote; captures do not allow it. */
int wl_sparse_wait(void *stream);
/* The index base (0 or 1) of a legacy matrix descriptor. */
int wl_sparse_base(const void *description);
struct wl_triangle wl_sparse_triangle(const void *description);
/* 0 for what is none. */
size_t wl_sparse_value_bytes(enum wl_sparse_type type);
/* Launches a kernel of sparse.cu of that type, or of that kind; gives a status of cuSPARSE. What of
 * parameters is in memory of the device is read when it runs. */
int wl_sparse_run(const char *name, enum wl_sparse_type type, long long threads, void *stream,
                  void **parameters);
int wl_sparse_run_kind(const char *name, const char *kind, long long threads, void *stream,
                       void **parameters);
/* The same of kernels of older.cu. */
int wl_sparse_run_older(const char *name, enum wl_sparse_type type, long long threads, void *stream,
                        void **parameters);
int wl_sparse_run_older_kind(const char *name, const char *kind, long long threads, void *stream,
                             void **parameters);
/* Notes that a call was refused for what it is given: WL_SPARSE_NOT_SUPPORTED. */
int wl_sparse_refuse(const char *call, const char *what);

#endif
