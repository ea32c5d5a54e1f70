/* The matrices and vectors of cuSPARSE's generic calls. */
#ifndef WL_API_CUSPARSE_GENERIC_H
#define WL_API_CUSPARSE_GENERIC_H

#include "api/cusparse/cusparse.h"

enum wl_sparse_order { WL_SPARSE_BY_COLUMN = 1, WL_SPARSE_BY_ROW = 2 };

/* A sparse matrix or vector (one row). */
struct wl_sparse_matrix {
    uint32_t magic;
    struct wl_sparse is; /* as the kernels read it: CSC as the transposed CSR */
    bool is_transposed, is_vector;
    enum wl_sparse_type type;
    int is_upper, is_unit;
    int batch_count;
    long long offset_stride, element_stride; /* from one of a batch to the next */
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

/* NULL if it is not one. */
const struct wl_sparse_matrix *wl_sparse_matrix_check(const void *given);
const struct wl_sparse_dense *wl_sparse_dense_check(const void *given);
/* What a program gives as alpha or beta. */
union wl_sparse_scalar wl_sparse_read_scalar(const void *from, enum wl_sparse_type type);
size_t wl_sparse_value_bytes(enum wl_sparse_type type);
struct wl_dense wl_sparse_transposed(struct wl_dense of);
/* Member i of a batch. */
struct wl_sparse wl_sparse_member(const struct wl_sparse_matrix *of, int i);
struct wl_dense wl_sparse_dense_member(const struct wl_sparse_dense *of, int i);
/* WL_SPARSE_OK where the kernels support the types, else WL_SPARSE_NOT_SUPPORTED after a note that
 * names the call. */
int wl_sparse_types(const char *call, int type, int compute_type);

#endif
