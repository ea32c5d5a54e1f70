/* Orders of sparse matrices' rows and columns, on the host: those that keep what elimination adds
 * small (symrcm, symmdq, symamd, metisnd, all of them Cuthill and McKee's), the matrix in such an
 * order (csrperm), one without 0 on the diagonal (csrzfd), and whether a pattern is symmetric. */
#include <stdlib.h>
#include <string.h>

#include "api/cusolver/sparse.h"

static int find_order(void *handle, const void *description, struct wl_csr a, int *order)
{
    const int status = wl_solver_check_csr(handle, description, &a);
    if (status)
        return status;
    if (a.rows && !order)
        return WL_SOLVER_INVALID_VALUE;
    wl_csr_order(&a, order);
    return WL_SOLVER_OK;
}

#define ORDER(name)                                                                \
    int cusolverSpX##name(void *handle, int n, int count, const void *description, \
                          const int *starts, const int *indices, int *order)       \
    {                                                                              \
        const struct wl_csr a = {n, n, count, 0, starts, indices, NULL, 'd'};      \
        return find_order(handle, description, a, order);                          \
    }
ORDER(csrsymrcmHost)
ORDER(csrsymmdqHost)
ORDER(csrsymamdHost)

int cusolverSpXcsrmetisndHost(void *handle, int n, int count, const void *description,
                              const int *starts, const int *indices, const int64_t *options,
                              int *order)
{
    const struct wl_csr a = {n, n, count, 0, starts, indices, NULL, 'd'};
    (void)options;
    return find_order(handle, description, a, order);
}

/* ---- symmetry ---- */

static bool has(const int *ends, const struct wl_csr *a, int row, int column)
{
    for (int k = wl_csr_start(a, row); k < ends[row] - a->base; k++)
        if (a->indices[k] - a->base == column)
            return true;
    return false;
}

/* Rows may end before the next one begins. */
int cusolverSpXcsrissymHost(void *handle, int n, int count, const void *description,
                            const int *starts, const int *ends, const int *indices,
                            int *is_symmetric)
{
    struct wl_csr a = {n, n, count, 0, starts, indices, NULL, 'd'};
    const struct wl_solver_description *described = description;
    if (!wl_solver_check(handle))
        return WL_SOLVER_NOT_INITIALIZED;
    if (!described || described->magic != WL_SOLVER_DESCRIPTION_MAGIC || n < 0 || count < 0 ||
        (n && (!starts || !ends)) || (count && !indices) || !is_symmetric)
        return WL_SOLVER_INVALID_VALUE;
    a.base = described->base;
    *is_symmetric = 1;
    for (int i = 0; *is_symmetric && i < n; i++)
        for (int k = wl_csr_start(&a, i); *is_symmetric && k < ends[i] - a.base; k++) {
            const int column = indices[k] - a.base;
            *is_symmetric = column >= 0 && column < n && has(ends, &a, column, i);
        }
    return WL_SOLVER_OK;
}

/* ---- the matrix in an order ---- */

static bool is_order(const int *order, int n)
{
    char *is_there = wl_alloc_zero((size_t)n + 1, 1);
    bool is_right = order || !n;
    for (int i = 0; is_right && i < n; i++) {
        is_right = order[i] >= 0 && order[i] < n && !is_there[order[i]];
        if (is_right)
            is_there[order[i]] = 1;
    }
    free(is_there);
    return is_right;
}

int cusolverSpXcsrperm_bufferSizeHost(void *handle, int m, int n, int count,
                                      const void *description, const int *starts,
                                      const int *indices, const int *rows, const int *columns,
                                      size_t *bytes)
{
    struct wl_csr a = {m, n, count, 0, starts, indices, NULL, 'd'};
    const int status = wl_solver_check_csr(handle, description, &a);
    if (status)
        return status;
    if (!is_order(rows, m) || !is_order(columns, n) || !bytes)
        return WL_SOLVER_INVALID_VALUE;
    *bytes = sizeof(int) * ((size_t)m + (size_t)n + 2 * (size_t)count + 4);
    return WL_SOLVER_OK;
}

/* Places of a row's elements in the order of their columns. */
static void sort_row(int *indices, int *map, int count)
{
    for (int i = 1; i < count; i++)
        for (int k = i; k > 0 && indices[k - 1] > indices[k]; k--) {
            const int index = indices[k], place = map[k];
            indices[k] = indices[k - 1], map[k] = map[k - 1];
            indices[k - 1] = index, map[k - 1] = place;
        }
}

/* Row i becomes what row rows[i] was, and column j what columns[j] was; map's elements move with
 * the matrix's. */
int cusolverSpXcsrpermHost(void *handle, int m, int n, int count, const void *description,
                           int *starts, int *indices, const int *rows, const int *columns, int *map,
                           void *space)
{
    struct wl_csr a = {m, n, count, 0, starts, indices, NULL, 'd'};
    const int status = wl_solver_check_csr(handle, description, &a);
    if (status)
        return status;
    if (!is_order(rows, m) || !is_order(columns, n) || (count && !map) || !space)
        return WL_SOLVER_INVALID_VALUE;
    int *places = wl_alloc_zero((size_t)n + 1, sizeof *places),
        *old_starts = wl_alloc_zero((size_t)m + 1, sizeof *places),
        *old_indices = wl_alloc_zero((size_t)count + 1, sizeof *places),
        *old_map = wl_alloc_zero((size_t)count + 1, sizeof *places);
    for (int j = 0; j < n; j++)
        places[columns[j]] = j;
    memcpy(old_starts, starts, ((size_t)m + 1) * sizeof *places);
    if (count) {
        memcpy(old_indices, indices, (size_t)count * sizeof *places);
        memcpy(old_map, map, (size_t)count * sizeof *places);
    }
    for (int i = 0, next = 0; i < m; i++) {
        const int begin = next, row = rows[i];
        for (int k = old_starts[row] - a.base; k < old_starts[row + 1] - a.base; k++, next++) {
            indices[next] = places[old_indices[k] - a.base] + a.base;
            map[next] = old_map[k];
        }
        sort_row(indices + begin, map + begin, next - begin);
        starts[i + 1] = next + a.base;
    }
    free(places);
    free(old_starts);
    free(old_indices);
    free(old_map);
    return WL_SOLVER_OK;
}

/* ---- no 0 on the diagonal ---- */

struct matching {
    const struct wl_csr *a;
    int *row_of; /* of each column, -1: none */
    char *is_seen;
};

/* Whether a row gets a column of its own, others giving way: its largest elements first. */
static bool match(struct matching *of, int row)
{
    const struct wl_csr *a = of->a;
    const int begin = wl_csr_start(a, row), end = wl_csr_start(a, row + 1);
    for (int give_way = 0; give_way < 2; give_way++)
        for (int k = begin; k < end; k++) {
            const int column = a->indices[k] - a->base;
            if (wl_number_get(a->letter, a->values, k) == 0 || of->is_seen[column] ||
                (!give_way && of->row_of[column] >= 0))
                continue;
            of->is_seen[column] = 1;
            if (of->row_of[column] < 0 || match(of, of->row_of[column])) {
                of->row_of[column] = row;
                return true;
            }
        }
    return false;
}

/* order[i]: the row that comes i-th; found: how many elements of the diagonal are then not 0. */
static int find_diagonal(void *handle, const void *description, struct wl_csr a, int *order,
                         int *found)
{
    const int status = wl_solver_check_csr(handle, description, &a);
    if (status)
        return status;
    if (!found || (a.rows && (!order || !a.values)))
        return WL_SOLVER_INVALID_VALUE;
    struct matching of = {&a, order, wl_alloc_zero((size_t)a.rows + 1, 1)};
    char *is_taken = wl_alloc_zero((size_t)a.rows + 1, 1);
    *found = 0;
    for (int i = 0; i < a.rows; i++)
        order[i] = -1;
    for (int i = 0; i < a.rows; i++) {
        memset(of.is_seen, 0, (size_t)a.rows);
        *found += match(&of, i);
    }
    for (int i = 0; i < a.rows; i++)
        if (order[i] >= 0)
            is_taken[order[i]] = 1;
    for (int i = 0, next = 0; i < a.rows; i++)
        if (order[i] < 0) {
            while (is_taken[next])
                next++;
            order[i] = next++;
        }
    free(of.is_seen);
    free(is_taken);
    return WL_SOLVER_OK;
}

#define CALLS(L, letter)                                                                     \
    int cusolverSp##L##csrzfdHost(void *handle, int n, int count, const void *description,   \
                                  const void *values, const int *starts, const int *indices, \
                                  int *order, int *found)                                    \
    {                                                                                        \
        const struct wl_csr a = {n, n, count, 0, starts, indices, values, letter};           \
        return find_diagonal(handle, description, a, order, found);                          \
    }
CALLS(S, 's')
CALLS(D, 'd')
CALLS(C, 'c')
CALLS(Z, 'z')
