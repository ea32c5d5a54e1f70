/* The matrices and vectors of cuSPARSE's generic calls. */
#ifndef WL_API_CUSPARSE_GENERIC_H
#define WL_API_CUSPARSE_GENERIC_H

#include "api/cusparse/cusparse.h"

enum wl_sparse_index { WL_SPARSE_INDEX_32 = 2, WL_SPARSE_INDEX_64 = 3 };
enum wl_sparse_order { WL_SPARSE_BY_COLUMN = 1, WL_SPARSE_BY_ROW = 2 };

/* As cuSPARSE numbers them. */
enum wl_sparse_format {
    WL_SPARSE_VECTOR = 0,
    WL_SPARSE_CSR = 1,
    WL_SPARSE_CSC = 2,
    WL_SPARSE_COO = 3,
    WL_SPARSE_BLOCKED_ELL = 5,
    WL_SPARSE_BSR = 6,
    WL_SPARSE_SLICED_ELL = 7,
};

/* A sparse matrix or vector (one row). */
struct wl_sparse_matrix {
    uint32_t magic;
    struct wl_sparse is; /* as the kernels read it: CSC as the transposed CSR */
    enum wl_sparse_format format;
    bool is_transposed;
    enum wl_sparse_type type;
    int is_upper, is_unit;
    int batch_count;
    long long offset_stride, column_stride, value_stride; /* from one of a batch to the next */
    long long stored_count; /* of slices alone: elements, with those that are none */
};

/* A dense matrix, or a vector (one column). */
struct wl_sparse_dense {
    uint32_t magic;
    struct wl_dense is;
    long long leading;
    enum wl_sparse_type type;
    enum wl_sparse_order order;
    int batch_count;
    long long stride;
};

/* As wl_sparse_stream; of generic calls a handle is an argument like others. */
int wl_sparse_generic_stream(void *handle, void **stream);
/* NULL if it is not one. */
const struct wl_sparse_matrix *wl_sparse_matrix_check(const void *given);
const struct wl_sparse_dense *wl_sparse_dense_check(const void *given);
/* What a program gives as alpha or beta, of the type that sums have. */
union wl_sparse_scalar wl_sparse_read_scalar(const void *from, enum wl_sparse_type type);
/* Where kernels find such a factor, of a type that sums have: where the program gives it, if that
 * is memory of the device and the handle says so, else in copy. */
void *wl_sparse_factor(void *handle, const void *from, enum wl_sparse_type type,
                       union wl_sparse_scalar *copy);
struct wl_dense wl_sparse_transposed(struct wl_dense of);
/* Member i of a batch. */
struct wl_sparse wl_sparse_member(const struct wl_sparse_matrix *of, int i);
struct wl_dense wl_sparse_dense_member(const struct wl_sparse_dense *of, int i);
/* What has a row or a thread of its own: single elements, or rows. */
long long wl_sparse_line_count(const struct wl_sparse *self);
bool wl_sparse_is_operation(int op);
bool wl_sparse_is_complex(enum wl_sparse_type type);
/* Whether op is one for values of a type: real ones are not conjugated. */
bool wl_sparse_is_operation_of(int op, enum wl_sparse_type type);
/* The kind of kernels that multiply values of types a and b to c, with sums of type compute; NULL:
 * there is none. */
const char *wl_sparse_product_kind(int a, int b, int c, int compute);
/* The type of sums of values of a type: floats of halves. */
enum wl_sparse_type wl_sparse_sum_type(enum wl_sparse_type type);
/* WL_SPARSE_NOT_SUPPORTED after a note that names the call. */
int wl_sparse_refuse_types(const char *call);

#endif
