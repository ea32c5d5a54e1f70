/* Factors of band matrices: LU with partial pivoting, Householder's QR and Cholesky's. */
#include "api/cusolver/band.h"

#include <math.h>
#include <stdlib.h>

bool wl_csr_is_valid(const struct wl_csr *a)
{
    if (a->rows < 0 || a->columns < 0 || a->count < 0 || !a->starts || (a->count && !a->indices) ||
        wl_csr_start(a, 0) != 0 || wl_csr_start(a, a->rows) != a->count)
        return false;
    for (int i = 0; i < a->rows; i++)
        if (a->starts[i + 1] < a->starts[i])
            return false;
    for (int k = 0; k < a->count; k++)
        if (a->indices[k] < a->base || a->indices[k] - a->base >= a->columns)
            return false;
    return true;
}

/* places[order[i]] = i; NULL of no order. */
static int *invert(const int *order, int n)
{
    int *places = order ? wl_alloc_zero((size_t)n + 1, sizeof *places) : NULL;
    for (int i = 0; places && i < n; i++)
        places[order[i]] = i;
    return places;
}

static void measure(struct wl_band *band, const struct wl_csr *a, const int *places)
{
    for (int i = 0; i < a->rows; i++)
        for (int k = wl_csr_start(a, i); k < wl_csr_start(a, i + 1); k++) {
            const int column = a->indices[k] - a->base, row = places ? places[i] : i,
                      away = (places ? places[column] : column) - row;
            if (-away > band->below)
                band->below = -away;
            if (away > band->above)
                band->above = away;
        }
}

bool wl_band_make(struct wl_band *band, const struct wl_csr *a, const int *order, wl_number shift)
{
    int *places = invert(order, a->rows);
    *band = (struct wl_band){.rows = a->rows, .columns = a->columns, .singular = -1};
    measure(band, a, places);
    band->width = 2 * (int64_t)band->below + band->above + 1;
    const size_t count = (size_t)band->width * (size_t)(a->rows ? a->rows : 1);
    band->values = calloc(count, sizeof *band->values);
    band->is_there = calloc(count, 1);
    band->pivots = wl_alloc_zero((size_t)a->rows + 1, sizeof *band->pivots);
    band->factors = wl_alloc_zero((size_t)a->columns + 1, sizeof *band->factors);
    const bool is_made = band->values && band->is_there;
    for (int i = 0; is_made && i < a->rows; i++) {
        const int row = places ? places[i] : i;
        for (int k = wl_csr_start(a, i); k < wl_csr_start(a, i + 1); k++) {
            const int index = a->indices[k] - a->base, column = places ? places[index] : index;
            wl_number *at = wl_band_at(band, row, column);
            *at += wl_number_get(a->letter, a->values, k);
            band->is_there[at - band->values] = 1;
        }
        if (shift != 0 && i < a->columns)
            *wl_band_at(band, i, i) -= shift;
    }
    free(places);
    return is_made;
}

void wl_band_free(struct wl_band *band)
{
    free(band->values);
    free(band->is_there);
    free(band->pivots);
    free(band->factors);
    *band = (struct wl_band){0};
}

static int least(int a, int b)
{
    return a < b ? a : b;
}

static void note_pivot(struct wl_band *band, int column, double size, double tolerance)
{
    if (band->singular < 0 && !(size > tolerance))
        band->singular = column;
}

/* ---- LU ---- */

static void exchange(struct wl_band *band, int row, int other)
{
    for (int column = row; column <= wl_band_last_column(band, row); column++) {
        wl_number *one = wl_band_at(band, row, column), *two = wl_band_at(band, other, column);
        char *is_one = &band->is_there[one - band->values],
             *is_two = &band->is_there[two - band->values];
        const wl_number value = *one;
        const char is_there = *is_one;
        *one = *two, *two = value;
        *is_one = *is_two, *is_two = is_there;
    }
}

static int choose(const struct wl_band *band, int column, double threshold)
{
    const double own = cabs(*wl_band_at(band, column, column));
    double most = own;
    int chosen = column;
    for (int row = column + 1; row <= wl_band_last_row(band, column); row++)
        if (cabs(*wl_band_at(band, row, column)) > most) {
            most = cabs(*wl_band_at(band, row, column));
            chosen = row;
        }
    return own > 0 && own >= threshold * most ? column : chosen;
}

/* Multipliers stay where the elements were; later exchanges do not move them. */
void wl_band_lu(struct wl_band *band, double tolerance, double threshold)
{
    for (int k = 0; k < least(band->rows, band->columns); k++) {
        band->pivots[k] = choose(band, k, threshold);
        if (band->pivots[k] != k)
            exchange(band, k, band->pivots[k]);
        const wl_number pivot = *wl_band_at(band, k, k);
        note_pivot(band, k, cabs(pivot), tolerance);
        for (int row = k + 1; row <= wl_band_last_row(band, k); row++) {
            wl_number *factor = wl_band_at(band, row, k);
            if (!band->is_there[factor - band->values] || pivot == 0)
                continue;
            *factor /= pivot;
            for (int column = k + 1; column <= wl_band_last_column(band, k); column++) {
                wl_number *at = wl_band_at(band, row, column), *of = wl_band_at(band, k, column);
                *at -= *factor * *of;
                band->is_there[at - band->values] |= band->is_there[of - band->values];
            }
        }
    }
}

/* By an upper triangle; nothing is divided by 0. */
static void solve_upper(const struct wl_band *band, wl_number *b)
{
    for (int row = least(band->rows, band->columns) - 1; row >= 0; row--) {
        for (int column = row + 1; column <= wl_band_last_column(band, row); column++)
            b[row] -= *wl_band_at(band, row, column) * b[column];
        b[row] /= *wl_band_at(band, row, row);
    }
}

void wl_band_solve_lu(const struct wl_band *band, wl_number *b)
{
    for (int k = 0; k < least(band->rows, band->columns); k++) {
        const wl_number value = b[band->pivots[k]];
        b[band->pivots[k]] = b[k];
        b[k] = value;
        for (int row = k + 1; row <= wl_band_last_row(band, k); row++)
            b[row] -= *wl_band_at(band, row, k) * value;
    }
    solve_upper(band, b);
}

/* ---- QR ---- */

/* The reflection of column k; its vector stays below the diagonal, where it is 1. */
static wl_number reflect(struct wl_band *band, int k, double *diagonal)
{
    const wl_number head = *wl_band_at(band, k, k);
    double squares = 0;
    for (int row = k + 1; row <= wl_band_last_row(band, k); row++)
        squares += pow(cabs(*wl_band_at(band, row, k)), 2);
    *diagonal = creal(head);
    if (squares == 0 && cimag(head) == 0)
        return 0;
    const double length = sqrt(squares + pow(cabs(head), 2)),
                 beta = creal(head) < 0 ? length : -length;
    for (int row = k + 1; row <= wl_band_last_row(band, k); row++)
        *wl_band_at(band, row, k) /= head - beta;
    *diagonal = beta;
    return (beta - head) / beta;
}

void wl_band_qr(struct wl_band *band, double tolerance)
{
    for (int k = 0; k < least(band->rows, band->columns); k++) {
        double diagonal;
        const wl_number factor = band->factors[k] = reflect(band, k, &diagonal);
        for (int column = k + 1; factor != 0 && column <= wl_band_last_column(band, k); column++) {
            wl_number sum = *wl_band_at(band, k, column);
            for (int row = k + 1; row <= wl_band_last_row(band, k); row++)
                sum += conj(*wl_band_at(band, row, k)) * *wl_band_at(band, row, column);
            sum *= conj(factor);
            *wl_band_at(band, k, column) -= sum;
            for (int row = k + 1; row <= wl_band_last_row(band, k); row++)
                *wl_band_at(band, row, column) -= sum * *wl_band_at(band, row, k);
        }
        *wl_band_at(band, k, k) = diagonal;
        note_pivot(band, k, fabs(diagonal), tolerance);
    }
}

void wl_band_solve_qr(const struct wl_band *band, wl_number *b)
{
    for (int k = 0; k < least(band->rows, band->columns); k++) {
        wl_number sum = b[k];
        for (int row = k + 1; row <= wl_band_last_row(band, k); row++)
            sum += conj(*wl_band_at(band, row, k)) * b[row];
        sum *= conj(band->factors[k]);
        b[k] -= sum;
        for (int row = k + 1; row <= wl_band_last_row(band, k); row++)
            b[row] -= sum * *wl_band_at(band, row, k);
    }
    solve_upper(band, b);
}

/* ---- Cholesky: of the lower triangle, L L' ---- */

bool wl_band_cholesky(struct wl_band *band, double tolerance)
{
    for (int k = 0; k < band->rows; k++) {
        double pivot = creal(*wl_band_at(band, k, k));
        for (int i = k > band->below ? k - band->below : 0; i < k; i++)
            pivot -= pow(cabs(*wl_band_at(band, k, i)), 2);
        note_pivot(band, k, pivot > 0 ? sqrt(pivot) : 0, tolerance);
        if (!(pivot > 0)) {
            band->singular = band->singular < 0 ? k : band->singular;
            return false;
        }
        *wl_band_at(band, k, k) = sqrt(pivot);
        for (int row = k + 1; row <= wl_band_last_row(band, k); row++) {
            wl_number sum = *wl_band_at(band, row, k);
            for (int i = row > band->below ? row - band->below : 0; i < k; i++)
                sum -= *wl_band_at(band, row, i) * conj(*wl_band_at(band, k, i));
            *wl_band_at(band, row, k) = sum / sqrt(pivot);
        }
    }
    return true;
}

void wl_band_solve_cholesky(const struct wl_band *band, wl_number *b)
{
    for (int row = 0; row < band->rows; row++) {
        for (int i = row > band->below ? row - band->below : 0; i < row; i++)
            b[row] -= *wl_band_at(band, row, i) * b[i];
        b[row] /= *wl_band_at(band, row, row);
    }
    for (int row = band->rows - 1; row >= 0; row--) {
        for (int i = row + 1; i <= wl_band_last_row(band, row); i++)
            b[row] -= conj(*wl_band_at(band, i, row)) * b[i];
        b[row] /= *wl_band_at(band, row, row);
    }
}

/* ---- orders ---- */

/* Neighbours of a row in a or its transposed, those of row i from starts[i] on. */
struct graph {
    int *starts, *others;
};

static struct graph make_graph(const struct wl_csr *a)
{
    struct graph graph = {wl_alloc_zero((size_t)a->rows + 2, sizeof(int)),
                          wl_alloc_zero(2 * (size_t)a->count + 1, sizeof(int))};
    for (int i = 0; i < a->rows; i++)
        for (int k = wl_csr_start(a, i); k < wl_csr_start(a, i + 1); k++) {
            graph.starts[i + 1]++;
            graph.starts[a->indices[k] - a->base + 1]++;
        }
    for (int i = 0; i < a->rows; i++)
        graph.starts[i + 1] += graph.starts[i];
    int *next = wl_alloc_zero((size_t)a->rows + 1, sizeof *next);
    for (int i = 0; i < a->rows; i++)
        for (int k = wl_csr_start(a, i); k < wl_csr_start(a, i + 1); k++) {
            const int j = a->indices[k] - a->base;
            graph.others[graph.starts[i] + next[i]++] = j;
            graph.others[graph.starts[j] + next[j]++] = i;
        }
    free(next);
    return graph;
}

static int degree(const struct graph *graph, int i)
{
    return graph->starts[i + 1] - graph->starts[i];
}

/* Appends to `to`, from `count` on, what can be reached from a row, in levels, those with few
 * neighbours first; where they end. The last one is of the last level. */
static int walk(const struct graph *graph, int from, int *to, int count, char *is_seen)
{
    int end = count;
    to[end++] = from;
    is_seen[from] = 1;
    for (int at = count; at < end; at++) {
        const int begin = end;
        for (int k = graph->starts[to[at]]; k < graph->starts[to[at] + 1]; k++) {
            const int other = graph->others[k];
            int place = end;
            if (is_seen[other])
                continue;
            is_seen[other] = 1;
            for (; place > begin && degree(graph, to[place - 1]) > degree(graph, other); place--)
                to[place] = to[place - 1];
            to[place] = other;
            end++;
        }
    }
    return end;
}

void wl_csr_order(const struct wl_csr *a, int *to)
{
    struct graph graph = make_graph(a);
    char *is_seen = wl_alloc_zero((size_t)a->rows + 1, 1);
    int count = 0;
    for (int i = 0; i < a->rows; i++) {
        if (is_seen[i])
            continue;
        int from = i;
        for (int round = 0; round < 3; round++) { /* to a row at the edge */
            const int end = walk(&graph, from, to, count, is_seen);
            from = to[end - 1];
            for (int k = count; k < end; k++)
                is_seen[to[k]] = 0;
        }
        count = walk(&graph, from, to, count, is_seen);
    }
    for (int i = 0; i < count / 2; i++) {
        const int value = to[i];
        to[i] = to[count - 1 - i];
        to[count - 1 - i] = value;
    }
    free(is_seen);
    free(graph.starts);
    free(graph.others);
}
