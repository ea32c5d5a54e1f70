/* What the stand-in for cuSPARSE hands to its kernels (sparse.cu): the same layout on both sides.
 */
#ifndef WL_API_CUSPARSE_SPARSE_H
#define WL_API_CUSPARSE_SPARSE_H

/* Rows of a matrix in compressed form, or its elements one by one (by_element: offsets are then the
 * rows of the elements). Of a matrix whose columns are compressed, the transposed one. */
struct wl_sparse {
    void *offsets, *columns, *values;
    long long row_count, column_count, element_count;
    int has_wide_offsets, has_wide_columns; /* 64 bits */
    int base;                               /* the first index: 0 or 1 */
    int by_element;
};

/* A dense matrix or a vector: element (row, column) is values[row * row_step + column *
 * column_step]. */
struct wl_dense {
    void *values;
    long long row_count, column_count, row_step, column_step;
};

#endif
