/* Sparse matrices as the host factors them: in a band about the diagonal, as wide as a matrix's
 * elements are away from it and what elimination adds, which an ordering of rows and columns keeps
 * narrow. */
#ifndef WL_API_CUSOLVER_BAND_H
#define WL_API_CUSOLVER_BAND_H

#include "api/cusolver/number.h"

/* Rows of a sparse matrix one behind another; indices count from base. */
struct wl_csr {
    int rows, columns, count, base;
    const int *starts, *indices;
    const void *values; /* NULL: only where they are */
    char letter;
};

/* Row i has columns i - below to i + above + below, as far as there are such. */
struct wl_band {
    int rows, columns, below, above;
    int64_t width;
    wl_number *values;
    char *is_there;     /* whether an element is anything but 0 whatever the values are; of LU */
    int *pivots;        /* of LU: the row that each one was exchanged with */
    wl_number *factors; /* of QR: of each reflection */
    int singular;       /* the first column without a pivot, -1: none */
};

/* Whether its rows hold together: starts rise from base to count, indices are in range. */
bool wl_csr_is_valid(const struct wl_csr *a);
/* The first element of row i; of row `rows`: their number. */
static inline int wl_csr_start(const struct wl_csr *a, int i)
{
    return a->starts[i] - a->base;
}

/* a less shift times the identity, its rows and columns taken in an order (NULL: as they are; else
 * as many columns as rows). False: there is no room for it. Free it with wl_band_free. */
bool wl_band_make(struct wl_band *band, const struct wl_csr *a, const int *order, wl_number shift);
void wl_band_free(struct wl_band *band);

/* Factors in place; the first pivot, or element of R's or L's diagonal, not larger than tolerance
 * becomes `singular`. Cholesky's ends, and gives false, where a pivot is not above 0. LU exchanges
 * rows where an element of the diagonal is less than `threshold` (0 to 1) of the largest one below
 * it; 0: only where it is 0. */
void wl_band_lu(struct wl_band *band, double tolerance, double threshold);
void wl_band_qr(struct wl_band *band, double tolerance);
bool wl_band_cholesky(struct wl_band *band, double tolerance);
/* What they solve, in b's place; by QR the least squares', x being b's first `columns`. */
void wl_band_solve_lu(const struct wl_band *band, wl_number *b);
void wl_band_solve_qr(const struct wl_band *band, wl_number *b);
void wl_band_solve_cholesky(const struct wl_band *band, wl_number *b);

static inline wl_number *wl_band_at(const struct wl_band *band, int row, int column)
{
    return &band->values[row * band->width + (column - row + band->below)];
}

/* The last column, or row, in which a row, or column, has anything. */
static inline int wl_band_last_column(const struct wl_band *band, int row)
{
    const int64_t last = (int64_t)row + band->above + band->below;
    return last < band->columns ? (int)last : band->columns - 1;
}

static inline int wl_band_last_row(const struct wl_band *band, int column)
{
    const int64_t last = (int64_t)column + band->below;
    return last < band->rows ? (int)last : band->rows - 1;
}

/* Cuthill and McKee's order, from its end, of a's rows and columns or their transposed: to[i] is
 * what comes i-th. */
void wl_csr_order(const struct wl_csr *a, int *to);

#endif
