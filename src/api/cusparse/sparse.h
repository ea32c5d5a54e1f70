/* Arguments that the stand-in for cuSPARSE passes to its kernels (sparse.cu); same layout on host
 * and device.
 */
#ifndef WL_API_CUSPARSE_SPARSE_H
#define WL_API_CUSPARSE_SPARSE_H

/* How a sparse matrix is stored. */
enum wl_sparse_form {
    WL_SPARSE_ROWS,    /* compressed rows, or single elements */
    WL_SPARSE_BLOCKS,  /* compressed rows of blocks */
    WL_SPARSE_ELLPACK, /* as many blocks in each row of blocks; a column of -1: none */
    WL_SPARSE_SLICES,  /* as many elements in each row of a slice; a column of -1: none */
};

/* A CSR matrix, or a COO one (by_element: offsets then holds the row of each element). A CSC matrix
 * is stored as its transpose. */
struct wl_sparse {
    void *offsets, *columns, *values;
    long long row_count, column_count, element_count;
    int has_wide_offsets, has_wide_columns; /* 64 bits */
    int base;                               /* the first index: 0 or 1 */
    int by_element;
    int form, is_block_by_column;        /* the elements of each block stand column by column */
    long long block_rows, block_columns; /* of slices: the rows of one */
    long long width;                     /* columns in each row, of WL_SPARSE_ELLPACK */
};

/* A dense matrix or a vector: element (row, column) is values[row * row_step + column *
 * column_step]. */
struct wl_dense {
    void *values;
    long long row_count, column_count, row_step, column_step;
};

/* How a triangle is solved. */
struct wl_triangle {
    int is_upper, is_unit, is_transposed, is_conjugate;
    int is_right_conjugate; /* the right sides are */
};

/* Systems of equations of few diagonals: row i of system s is at i * step + s * stride of each, and
 * of x with its own. The diagonals are those from the lowest on, of which the middle is the main
 * one. */
struct wl_band {
    const void *diagonals[5];
    void *x;
    long long row_count, count, step, stride, x_step, x_stride;
};

/* A product of two matrices of compressed rows while it is made. */
struct wl_product {
    long long *begins;  /* of each row's products, and their end */
    long long *offsets; /* of each row's elements in the result, and their end */
    long long *columns; /* of the products; with room for as many more, which sorting takes */
    void *values;       /* the same */
    long long product_count;
};

#endif
