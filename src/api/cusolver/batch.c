/* Cholesky's factors of batches of matrices, and what solves with them: one after another. */
#include "api/cusolver/cusolver.h"

static bool is_valid(int fill, int n, int ld, int batch)
{
    return (unsigned)fill <= WL_SOLVER_UPPER && wl_solver_is_valid(n, n, ld) && batch >= 0;
}

/* matrices are in device memory, which the host can read here; info: of each. */
static int factor(void *handle, char letter, int fill, int n, void *const *matrices, int lda,
                  int *info, int batch)
{
    int status = WL_SOLVER_OK;
    if (!wl_solver_check(handle))
        return WL_SOLVER_NOT_INITIALIZED;
    if (!is_valid(fill, n, lda, batch) || !info || (batch && !matrices))
        return WL_SOLVER_INVALID_VALUE;
    for (int i = 0; !status && i < batch; i++)
        status =
            wl_solver_potrf_of(handle, letter, fill, n, matrices[i], lda, info + i, i ? 0 : batch);
    return status;
}

/* info: of the call. */
static int solve(void *handle, char letter, int fill, int n, int columns, void *const *matrices,
                 int lda, void *const *sides, int ldb, int *info, int batch)
{
    int status = WL_SOLVER_OK;
    if (!wl_solver_check(handle))
        return WL_SOLVER_NOT_INITIALIZED;
    if (!is_valid(fill, n, lda, batch) || !wl_solver_is_valid(n, columns, ldb) || !info ||
        (batch && (!matrices || !sides)))
        return WL_SOLVER_INVALID_VALUE;
    if (columns > 1) /* as documented */
        return WL_SOLVER_NOT_SUPPORTED;
    for (int i = 0; !status && i < batch; i++)
        status = wl_solver_potrs(handle, letter, fill, n, columns, matrices[i], lda, sides[i], ldb,
                                 info);
    return status;
}

#define CALLS(Letter, letter)                                                                   \
    int cusolverDn##Letter##potrfBatched(void *handle, int fill, int n, void *const *matrices,  \
                                         int lda, int *info, int batch)                         \
    {                                                                                           \
        return factor(handle, letter, fill, n, matrices, lda, info, batch);                     \
    }                                                                                           \
    int cusolverDn##Letter##potrsBatched(void *handle, int fill, int n, int columns,            \
                                         void *const *matrices, int lda, void *const *sides,    \
                                         int ldb, int *info, int batch)                         \
    {                                                                                           \
        return solve(handle, letter, fill, n, columns, matrices, lda, sides, ldb, info, batch); \
    }
CALLS(S, 's')
CALLS(D, 'd')
CALLS(C, 'c')
CALLS(Z, 'z')
