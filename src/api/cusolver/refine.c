/* Solvers of mixed precision: gesv and gels by names of two precisions (cusolverDnDSgesv) and by
 * what parameters say (cusolverDnIRSXgesv). Factors are made in the main precision, from which no
 * refinement is needed: a solution takes 0 iterations, which is a documented outcome, and matrices
 * stay as they are. */
#include <string.h>

#include "api/cusolver/cusolver.h"
#include "base/count.h"

#define PARAMS_MAGIC (WL_SOLVER_MAGIC + 3)
#define INFOS_MAGIC (WL_SOLVER_MAGIC + 4)

enum {
    PARAMS_NOT_INITIALIZED = 12,
    PARAMS_INVALID = 13,
    PARAMS_INVALID_PRECISION = 14,
    PARAMS_INVALID_REFINEMENT = 15,
    REFINEMENT_NOT_SUPPORTED = 21, /* as that by GMRES of several right sides */
    INFOS_NOT_INITIALIZED = 25,
    INVALID_SPACE = 31,
};

/* cusolverIRSRefinement_t */
enum { NOT_SET = 1100, NO_REFINEMENT = 1101, CLASSICAL = 1102, WITHOUT_CONDITION = 1106 };

/* cusolverPrecType_t: a precision and the letter of a type of ours that it is, if it can be a main
 * one; rank: how fine it is among real or complex ones. */
static const struct precision {
    int number;
    char letter;
    bool is_complex;
    int rank;
} precisions[] = {
    {1203, 'd', false, 4}, {1204, 's', false, 3}, {1205, 0, false, 1},  {1206, 0, false, 1},
    {1207, 0, false, 2},   {1213, 'z', true, 4},  {1214, 'c', true, 3}, {1215, 0, true, 1},
    {1216, 0, true, 1},    {1217, 0, true, 2},
};

static const struct precision *find_precision(int number)
{
    for (size_t i = 0; i < WL_COUNT(precisions); i++)
        if (precisions[i].number == number)
            return &precisions[i];
    return NULL;
}

/* ---- the solvers ---- */

/* columns: of the right side; m: rows, of gesv as many as n. */
struct least_squares {
    int m, n, columns, lda, ldb, ldx;
    void *a, *b, *x;
    int *pivots; /* of gesv */
};

static int64_t gesv_bytes(char letter, const struct least_squares *of)
{
    return (int64_t)of->n * of->n * (int64_t)wl_solver_bytes_of(letter);
}

static int64_t gels_bytes(char letter, const struct least_squares *of)
{
    return ((int64_t)of->m * of->n + of->n + (int64_t)of->m * of->columns) *
           (int64_t)wl_solver_bytes_of(letter);
}

static bool is_valid(const struct least_squares *of)
{
    return wl_solver_is_valid(of->m, of->n, of->lda) && of->columns >= 0 && of->m >= of->n &&
           of->ldb >= (of->m > 1 ? of->m : 1) && of->ldx >= (of->n > 1 ? of->n : 1);
}

static int give_bytes(void *handle, bool are_valid, int64_t wanted, size_t *bytes)
{
    if (!wl_solver_check(handle))
        return WL_SOLVER_NOT_INITIALIZED;
    if (!are_valid || !bytes)
        return PARAMS_INVALID;
    *bytes = wanted ? (size_t)wanted : 1;
    return WL_SOLVER_OK;
}

/* Of a call that has so many bytes of space. */
static struct wl_solver_work begin(void *handle, char letter, const struct least_squares *of,
                                   const void *space, size_t bytes, int64_t wanted, int *iterations,
                                   int *info)
{
    const bool is_right = is_valid(of) && iterations,
               has_space = (space || !wanted) && (int64_t)bytes >= wanted;
    struct wl_solver_work work = wl_solver_begin(handle, letter, is_right && has_space, info);
    if (work.status == WL_SOLVER_INVALID_VALUE)
        work.status = is_right && info ? INVALID_SPACE : PARAMS_INVALID;
    if (!work.status)
        *iterations = 0;
    return work;
}

static int gesv(void *handle, char letter, const struct least_squares *of, void *space,
                size_t bytes, int *iterations, int *info)
{
    struct wl_solver_work work =
        begin(handle, letter, of, space, bytes, gesv_bytes(letter, of), iterations, info);
    const struct wl_solver_pivots pivots = {of->pivots, 0};
    if (work.status || !of->n)
        return work.status;
    wl_solver_place(&work, of->n, of->n, wl_solver_matrix_of(of->a, of->lda),
                    wl_solver_matrix_of(space, of->n));
    wl_solver_place(&work, of->n, of->columns, wl_solver_matrix_of(of->b, of->ldb),
                    wl_solver_matrix_of(of->x, of->ldx));
    if (!work.status)
        work.status = wl_solver_getrf(handle, letter, of->n, of->n, space, of->n, pivots, info);
    wl_solver_wait(&work);
    if (work.status || *info) /* which the host can read here */
        return work.status;
    return wl_solver_getrs(handle, letter, 0, of->n, of->columns, space, of->n, pivots, of->x,
                           of->ldx, info);
}

/* By R, and the adjoint of Q times the right side. */
static int gels(void *handle, char letter, const struct least_squares *of, void *space,
                size_t bytes, int *iterations, int *info)
{
    struct wl_solver_work work =
        begin(handle, letter, of, space, bytes, gels_bytes(letter, of), iterations, info);
    char *place = space;
    if (work.status || !of->n)
        return work.status;
    const struct wl_solver_matrix r =
        wl_solver_matrix_of(wl_solver_take(&work, &place, (int64_t)of->m * of->n), of->m);
    void *factors = wl_solver_take(&work, &place, of->n);
    const struct wl_solver_matrix side =
        wl_solver_matrix_of(wl_solver_take(&work, &place, (int64_t)of->m * of->columns), of->m);
    wl_solver_place(&work, of->m, of->n, wl_solver_matrix_of(of->a, of->lda), r);
    wl_solver_place(&work, of->m, of->columns, wl_solver_matrix_of(of->b, of->ldb), side);
    if (!work.status)
        work.status = wl_solver_geqrf(handle, letter, of->m, of->n, r.values, of->m, factors, info);
    wl_solver_multiply(&work, of->m, of->n, 0, r, factors, 1, side, of->columns);
    wl_solver_solve(&work, of->n, r, 1, 0, side, of->columns);
    wl_solver_place(&work, of->n, of->columns, side, wl_solver_matrix_of(of->x, of->ldx));
    return work.status;
}

/* P: the main and the lowest precision; letter: what the main one is. */
#define CALLS(P, letter)                                                                           \
    int cusolverDn##P##gesv_bufferSize(void *handle, int n, int columns, void *a, int lda,         \
                                       int *pivots, void *b, int ldb, void *x, int ldx,            \
                                       void *space, size_t *bytes)                                 \
    {                                                                                              \
        const struct least_squares of = {n, n, columns, lda, ldb, ldx, a, b, x, pivots};           \
        (void)space;                                                                               \
        return give_bytes(handle, is_valid(&of), gesv_bytes(letter, &of), bytes);                  \
    }                                                                                              \
    int cusolverDn##P##gesv(void *handle, int n, int columns, void *a, int lda, int *pivots,       \
                            void *b, int ldb, void *x, int ldx, void *space, size_t bytes,         \
                            int *iterations, int *info)                                            \
    {                                                                                              \
        const struct least_squares of = {n, n, columns, lda, ldb, ldx, a, b, x, pivots};           \
        return gesv(handle, letter, &of, space, bytes, iterations, info);                          \
    }                                                                                              \
    int cusolverDn##P##gels_bufferSize(void *handle, int m, int n, int columns, void *a, int lda,  \
                                       void *b, int ldb, void *x, int ldx, void *space,            \
                                       size_t *bytes)                                              \
    {                                                                                              \
        const struct least_squares of = {m, n, columns, lda, ldb, ldx, a, b, x, NULL};             \
        (void)space;                                                                               \
        return give_bytes(handle, is_valid(&of), gels_bytes(letter, &of), bytes);                  \
    }                                                                                              \
    int cusolverDn##P##gels(void *handle, int m, int n, int columns, void *a, int lda, void *b,    \
                            int ldb, void *x, int ldx, void *space, size_t bytes, int *iterations, \
                            int *info)                                                             \
    {                                                                                              \
        const struct least_squares of = {m, n, columns, lda, ldb, ldx, a, b, x, NULL};             \
        return gels(handle, letter, &of, space, bytes, iterations, info);                          \
    }
CALLS(SS, 's')
CALLS(SH, 's')
CALLS(SB, 's')
CALLS(SX, 's')
CALLS(DD, 'd')
CALLS(DS, 'd')
CALLS(DH, 'd')
CALLS(DB, 'd')
CALLS(DX, 'd')
CALLS(CC, 'c')
CALLS(CK, 'c')
CALLS(CE, 'c')
CALLS(CY, 'c')
CALLS(ZZ, 'z')
CALLS(ZC, 'z')
CALLS(ZK, 'z')
CALLS(ZE, 'z')
CALLS(ZY, 'z')

/* ---- what parameters say ---- */

struct params {
    uint32_t magic;
    int main, lowest, refinement, iterations_most, inner_most;
    double tolerance, inner_tolerance;
    bool falls_back;
};

struct infos {
    uint32_t magic;
    int iterations, outer, most;
    bool is_history_wanted;
    double *history; /* of each iteration's residual; empty here */
};

static struct params *check(void *params)
{
    return wl_stand_in_check(params, PARAMS_MAGIC);
}

int cusolverDnIRSParamsCreate(void **made)
{
    if (!made)
        return WL_SOLVER_INVALID_VALUE;
    struct params *params = wl_stand_in_create(PARAMS_MAGIC, sizeof *params);
    params->refinement = NOT_SET;
    params->iterations_most = 50;
    params->inner_most = 50;
    params->falls_back = true;
    *made = params;
    return WL_SOLVER_OK;
}

int cusolverDnIRSParamsDestroy(void *params)
{
    return wl_stand_in_destroy(params, PARAMS_MAGIC) ? WL_SOLVER_OK : PARAMS_NOT_INITIALIZED;
}

/* A value that is kept; whether it can be is seen when it is used. */
#define SET(Name, T, field, is_right)                   \
    int cusolverDnIRSParams##Name(void *given, T value) \
    {                                                   \
        struct params *params = check(given);           \
        if (!params)                                    \
            return PARAMS_NOT_INITIALIZED;              \
        if (!(is_right))                                \
            return PARAMS_INVALID;                      \
        params->field = value;                          \
        return WL_SOLVER_OK;                            \
    }
SET(SetRefinementSolver, int, refinement, true)
SET(SetSolverMainPrecision, int, main, true)
SET(SetSolverLowestPrecision, int, lowest, true)
SET(SetTol, double, tolerance, true)
SET(SetTolInner, double, inner_tolerance, true)
SET(SetMaxIters, int, iterations_most, true)
SET(SetMaxItersInner, int, inner_most, value <= params->iterations_most)

int cusolverDnIRSParamsSetSolverPrecisions(void *params, int main, int lowest)
{
    const int status = cusolverDnIRSParamsSetSolverMainPrecision(params, main);
    return status ? status : cusolverDnIRSParamsSetSolverLowestPrecision(params, lowest);
}

int cusolverDnIRSParamsGetMaxIters(void *given, int *most)
{
    const struct params *params = check(given);
    if (!params)
        return PARAMS_NOT_INITIALIZED;
    if (!most)
        return WL_SOLVER_INVALID_VALUE;
    *most = params->iterations_most;
    return WL_SOLVER_OK;
}

#define SWITCH(Name, value)                              \
    int cusolverDnIRSParams##Name##Fallback(void *given) \
    {                                                    \
        struct params *params = check(given);            \
        if (!params)                                     \
            return PARAMS_NOT_INITIALIZED;               \
        params->falls_back = value;                      \
        return WL_SOLVER_OK;                             \
    }
SWITCH(Enable, true)
SWITCH(Disable, false)

/* ---- what is told of a solution ---- */

static struct infos *check_infos(void *infos)
{
    return wl_stand_in_check(infos, INFOS_MAGIC);
}

int cusolverDnIRSInfosCreate(void **made)
{
    if (!made)
        return WL_SOLVER_INVALID_VALUE;
    *made = wl_stand_in_create(INFOS_MAGIC, sizeof(struct infos));
    return WL_SOLVER_OK;
}

int cusolverDnIRSInfosDestroy(void *given)
{
    struct infos *infos = check_infos(given);
    if (!infos)
        return INFOS_NOT_INITIALIZED;
    free(infos->history);
    wl_stand_in_destroy(infos, INFOS_MAGIC);
    return WL_SOLVER_OK;
}

#define GET(Name, field)                                     \
    int cusolverDnIRSInfosGet##Name(void *given, int *value) \
    {                                                        \
        const struct infos *infos = check_infos(given);      \
        if (!infos)                                          \
            return INFOS_NOT_INITIALIZED;                    \
        if (!value)                                          \
            return WL_SOLVER_INVALID_VALUE;                  \
        *value = infos->field;                               \
        return WL_SOLVER_OK;                                 \
    }
GET(Niters, iterations)
GET(OuterNiters, outer)
GET(MaxIters, most)

int cusolverDnIRSInfosRequestResidual(void *given)
{
    struct infos *infos = check_infos(given);
    if (!infos)
        return INFOS_NOT_INITIALIZED;
    infos->is_history_wanted = true;
    return WL_SOLVER_OK;
}

/* On the host; NULL if it was not asked for. */
int cusolverDnIRSInfosGetResidualHistory(void *given, void **history)
{
    const struct infos *infos = check_infos(given);
    if (!infos)
        return INFOS_NOT_INITIALIZED;
    if (!history || !infos->is_history_wanted)
        return WL_SOLVER_INVALID_VALUE;
    *history = infos->history;
    return WL_SOLVER_OK;
}

/* The letter of the main precision; 0 and why: `unset` where there are no two that fit. */
static char letter_of(void *handle, const struct params *params, int unset, int *status)
{
    const struct precision *main = params ? find_precision(params->main) : NULL,
                           *lowest = params ? find_precision(params->lowest) : NULL;
    *status = !wl_solver_check(handle) ? WL_SOLVER_NOT_INITIALIZED
              : !params                ? PARAMS_NOT_INITIALIZED
              : !main || !main->letter || !lowest || main->is_complex != lowest->is_complex ||
                      main->rank < lowest->rank
                  ? unset
              : params->refinement == WITHOUT_CONDITION ? REFINEMENT_NOT_SUPPORTED
                                                        : WL_SOLVER_OK;
    return *status ? 0 : main->letter;
}

/* The same of a call that solves. */
static char letter_of_call(void *handle, const struct params *params, const struct infos *infos,
                           int columns, int *status)
{
    const char letter = letter_of(handle, params, PARAMS_INVALID_PRECISION, status);
    if (!*status)
        *status = !infos ? INFOS_NOT_INITIALIZED
                  : params->refinement < NO_REFINEMENT || params->refinement > WITHOUT_CONDITION
                      ? PARAMS_INVALID_REFINEMENT
                  : params->refinement > CLASSICAL && columns > 1 ? REFINEMENT_NOT_SUPPORTED
                                                                  : WL_SOLVER_OK;
    return *status ? 0 : letter;
}

static int tell(struct infos *infos, const struct params *params, int iterations)
{
    infos->iterations = infos->outer = iterations;
    infos->most = params->iterations_most;
    free(infos->history);
    infos->history = infos->is_history_wanted && infos->most >= 0
                         ? wl_alloc_zero((size_t)infos->most + 2, 2 * sizeof *infos->history)
                         : NULL;
    return WL_SOLVER_OK;
}

int cusolverDnIRSXgesv_bufferSize(void *handle, void *params, int n, int columns, size_t *bytes)
{
    int status;
    const char letter = letter_of(handle, check(params), PARAMS_INVALID, &status);
    const struct least_squares of = {
        n, n, columns, n > 1 ? n : 1, n > 1 ? n : 1, n > 1 ? n : 1, NULL, NULL, NULL, NULL};
    return status ? status
                  : give_bytes(handle, is_valid(&of),
                               gesv_bytes(letter, &of) + n * (int64_t)sizeof(int), bytes);
}

/* Pivots are behind the factors. */
int cusolverDnIRSXgesv(void *handle, void *params, void *infos, int n, int columns, void *a,
                       int lda, void *b, int ldb, void *x, int ldx, void *space, size_t bytes,
                       int *iterations, int *info)
{
    int status;
    const char letter = letter_of_call(handle, check(params), check_infos(infos), columns, &status);
    struct least_squares of = {n, n, columns, lda, ldb, ldx, a, b, x, NULL};
    if (status)
        return status;
    const int64_t factor_bytes = gesv_bytes(letter, &of);
    if (!is_valid(&of) || (n && !space) || (int64_t)bytes < factor_bytes + n * (int64_t)sizeof(int))
        return WL_SOLVER_INVALID_VALUE;
    of.pivots = n > 0 ? (int *)(void *)((char *)space + factor_bytes) : NULL;
    status = gesv(handle, letter, &of, space, bytes, iterations, info);
    return status ? status : tell(check_infos(infos), check(params), *iterations);
}

int cusolverDnIRSXgels_bufferSize(void *handle, void *params, int m, int n, int columns,
                                  size_t *bytes)
{
    int status;
    const char letter = letter_of(handle, check(params), PARAMS_INVALID, &status);
    const int rows = m > 1 ? m : 1;
    const struct least_squares of = {m, n, columns, rows, rows, rows, NULL, NULL, NULL, NULL};
    return status ? status : give_bytes(handle, is_valid(&of), gels_bytes(letter, &of), bytes);
}

int cusolverDnIRSXgels(void *handle, void *params, void *infos, int m, int n, int columns, void *a,
                       int lda, void *b, int ldb, void *x, int ldx, void *space, size_t bytes,
                       int *iterations, int *info)
{
    int status;
    const char letter = letter_of_call(handle, check(params), check_infos(infos), columns, &status);
    const struct least_squares of = {m, n, columns, lda, ldb, ldx, a, b, x, NULL};
    if (!status)
        status = gels(handle, letter, &of, space, bytes, iterations, info);
    return status ? status : tell(check_infos(infos), check(params), *iterations);
}
