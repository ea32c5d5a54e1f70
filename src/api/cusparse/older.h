/* What the older calls share: they say all of a matrix themselves, and have a name for each type.
 */
#ifndef WL_API_CUSPARSE_OLDER_H
#define WL_API_CUSPARSE_OLDER_H

#include "api/cusparse/generic.h"

/* The letters of names, and their types. */
#define WL_SPARSE_FOUR(X)   \
    X(S, WL_SPARSE_FLOAT)   \
    X(D, WL_SPARSE_DOUBLE)  \
    X(C, WL_SPARSE_COMPLEX) \
    X(Z, WL_SPARSE_DOUBLE_COMPLEX)

struct wl_sparse wl_sparse_rows(int rows, int columns, long long count, const void *values,
                                const int *offsets, const int *indices, int base);

/* Blocks of compressed rows. direction: 0, each of them by row, or 1, by column. */
struct wl_sparse_blocks {
    int direction, block_rows, block_columns;
    int rows, columns; /* of blocks */
    const void *values;
    const int *offsets, *indices;
    int base;
};
bool wl_sparse_blocks_check(const struct wl_sparse_blocks *given);
struct wl_sparse wl_sparse_blocks_are(const struct wl_sparse_blocks *given);

/* Turns as many counts into offsets; their sum is written where it is wanted (NULL: nowhere). */
int wl_sparse_sum_counts(int *offsets, long long count, int base, void *stream, int *total);

/* What calls keep between their steps. */
struct wl_sparse_info {
    uint32_t magic;
    bool is_analysed;
    int *zero_pivot; /* in device memory */
    int is_boosted;
    double tolerance;
    union wl_sparse_scalar boost;
    int *places; /* in device memory: where each element stood */
    int place_count;
};
#define WL_SPARSE_INFO_CALLS(Name)                               \
    int cusparseCreate##Name##Info(struct wl_sparse_info **made) \
    {                                                            \
        return wl_sparse_create_info(made);                      \
    }                                                            \
    int cusparseDestroy##Name##Info(struct wl_sparse_info *self) \
    {                                                            \
        return wl_sparse_destroy_info(self);                     \
    }
int wl_sparse_create_info(struct wl_sparse_info **made);
int wl_sparse_destroy_info(struct wl_sparse_info *self);
/* Readies it for an analysis or a factor: there is a place for the pivot. */
int wl_sparse_ready_info(void *handle, struct wl_sparse_info *self, void **stream);
int wl_sparse_zero_pivot(void *handle, struct wl_sparse_info *self, int *position);
/* Notes the first row whose diagonal is missing, or with_numbers is 0. */
int wl_sparse_find_pivot(enum wl_sparse_type type, struct wl_sparse *a, int with_numbers,
                         struct wl_sparse_info *self, void *stream);
int wl_sparse_give_int_size(void *handle, bool is_right, int *size_bytes);

#endif
