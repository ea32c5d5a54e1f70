/* cuFFT's transforms of one, two and three dimensions, of single and double precision and of halves
 * (computed as floats), with batches and layouts. A plan has memory of its own: what a program is
 * told to bring is none. Names and numbers are those of the cuFFT documentation. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "api/common/stand_in.h"
#include "api/cufft/plan.h"
#include "base/count.h"

#define VERSION 12000

/* What a program asks for; sizes: the slowest dimension first, as in cuFFT. */
struct request {
    int rank;
    long long size[RANK_MAX];
    bool has_layout;
    struct wl_cufft_layout in, out;
    enum wl_cufft_type type;
    const char *stored; /* of halves, as kernels call the numbers in the program's memory */
    long long count;
};

/* By number, from 1 on. */
#define PLANS 65536
static struct wl_cufft_plan *plans[PLANS];

static struct wl_cufft_plan *find(int number)
{
    return number >= 1 && number < PLANS ? __atomic_load_n(&plans[number], __ATOMIC_ACQUIRE) : NULL;
}

int cufftCreate(int *number)
{
    if (!number)
        return INVALID_VALUE;
    if (wl_device_check())
        return SETUP_FAILED;
    struct wl_cufft_plan *made = wl_alloc_zero(1, sizeof *made);
    for (int i = 1; i < PLANS; i++) {
        struct wl_cufft_plan *none = NULL;
        if (__atomic_load_n(&plans[i], __ATOMIC_RELAXED) ||
            !__atomic_compare_exchange_n(&plans[i], &none, made, false, __ATOMIC_ACQ_REL,
                                         __ATOMIC_RELAXED))
            continue;
        *number = i;
        return OK;
    }
    free(made);
    return ALLOC_FAILED;
}

static void release(struct wl_cufft_plan *plan)
{
    for (int i = 0; i < RANK_MAX; i++)
        wl_cufft_lines_free(&plan->lines[i]);
    for (int i = 0; i < 2; i++)
        wl_device_memory_free(WL_DEVICE_MEMORY_DEVICE, plan->parts[i]);
    *plan = (struct wl_cufft_plan){0};
}

int cufftDestroy(int number)
{
    struct wl_cufft_plan *plan = find(number);
    if (!plan)
        return INVALID_PLAN;
    release(plan);
    __atomic_store_n(&plans[number], NULL, __ATOMIC_RELEASE);
    free(plan);
    return OK;
}

static int allocate(size_t bytes, void **made)
{
    return wl_device_memory_allocate(WL_DEVICE_MEMORY_DEVICE, bytes, 0, made) ? ALLOC_FAILED : OK;
}

/* Of all elements, as they are computed with; false: no number holds it. */
static bool find_bytes(const struct wl_cufft_plan *plan, size_t *bytes)
{
    size_t all = wl_cufft_is_double(plan->type) ? 16 : 8, padded;
    bool is_right = !__builtin_mul_overflow(all, (size_t)plan->count, &all);
    for (int i = 0; i < RANK_MAX; i++)
        is_right = is_right && !__builtin_mul_overflow(all, (size_t)plan->size[i], &all);
    *bytes = all;
    for (int i = 0; is_right && i < RANK_MAX; i++) {
        is_right = !__builtin_mul_overflow(all / (size_t)plan->size[i],
                                           (size_t)wl_cufft_padded(plan->size[i]), &padded);
        *bytes = padded > *bytes ? padded : *bytes;
    }
    return is_right;
}

/* ---- plans ---- */

static int check(const struct request *of)
{
    static const int types[] = {R2C, C2R, C2C, D2Z, Z2D, Z2Z};
    bool is_known = false;
    for (size_t i = 0; i < WL_COUNT(types); i++)
        is_known |= (int)of->type == types[i];
    if (!is_known)
        return INVALID_TYPE;
    if (of->count < 1 || of->count > INT_MAX)
        return INVALID_SIZE;
    for (int i = 0; i < of->rank; i++)
        if (of->size[i] < 1 || of->size[i] > INT_MAX)
            return INVALID_SIZE;
    for (int i = 0; i < of->rank && of->stored; i++)
        if (of->size[i] & (of->size[i] - 1)) /* of halves: powers of two */
            return NOT_SUPPORTED;
    return OK;
}

static int make(int number, const struct request *of, size_t *workspace_bytes)
{
    struct wl_cufft_plan *plan = find(number);
    if (!plan || plan->is_made)
        return INVALID_PLAN;
    int status = check(of);
    if (status)
        return status;
    const struct wl_cufft_plan before = *plan;
    release(plan);
    plan->stream = before.stream;
    plan->is_patient = before.is_patient;
    plan->type = of->type;
    plan->stored = of->stored ? of->stored : wl_cufft_is_double(of->type) ? "f64" : "f32";
    plan->rank = of->rank;
    plan->count = of->count;
    for (int i = 0; i < RANK_MAX; i++)
        plan->size[i] = i < of->rank ? (int)of->size[of->rank - 1 - i] : 1;
    size_t bytes;
    if (!find_bytes(plan, &bytes))
        return ALLOC_FAILED;
    plan->has_layout = of->has_layout;
    plan->in = of->has_layout ? of->in : wl_cufft_dense(plan, wl_cufft_form_in(plan->type));
    plan->out = of->has_layout ? of->out : wl_cufft_dense(plan, wl_cufft_form_out(plan->type));
    plan->is_direct = wl_cufft_is_direct(plan);
    for (int i = 0; !status && i < 2 && wl_cufft_needs_parts(plan); i++)
        status = allocate(bytes, &plan->parts[i]);
    for (int i = 0; !status && i < RANK_MAX; i++)
        if (plan->size[i] > 1 &&
            !wl_cufft_lines_make(&plan->lines[i], plan->size[i], wl_cufft_is_double(plan->type)))
            status = ALLOC_FAILED;
    plan->is_made = status == OK;
    if (workspace_bytes)
        *workspace_bytes = 0;
    return status;
}

static struct request dense_request(int rank, const int *sizes, int type, long long count)
{
    struct request of = {.rank = rank, .type = (enum wl_cufft_type)type, .count = count};
    for (int i = 0; i < rank && i < RANK_MAX; i++)
        of.size[i] = sizes[i];
    return of;
}

/* Steps of the program: embedded: the sizes of the array that holds a transform, of which the first
 * says nothing. */
static struct wl_cufft_layout layout_of(int rank, const long long *embedded, long long stride,
                                        long long distance)
{
    return (struct wl_cufft_layout){stride, distance, rank > 1 ? embedded[rank - 1] : 0,
                                    rank > 2 ? embedded[rank - 2] : 0};
}

/* The steps count where there are an array's sizes, which are of both sides or of none. */
static int many_request(struct request *made, int rank, const long long *n,
                        const long long *in_size, long long in_stride, long long in_distance,
                        const long long *out_size, long long out_stride, long long out_distance,
                        int type, long long count)
{
    *made = (struct request){.rank = rank, .type = (enum wl_cufft_type)type, .count = count};
    if (rank < 1 || rank > RANK_MAX || !n || !in_size != !out_size)
        return INVALID_VALUE;
    memcpy(made->size, n, (size_t)rank * sizeof *n);
    made->has_layout = in_size != NULL;
    if (!made->has_layout)
        return OK;
    made->in = layout_of(rank, in_size, in_stride, in_distance);
    made->out = layout_of(rank, out_size, out_stride, out_distance);
    const bool is_apart = count == 1 || (in_distance > 0 && out_distance > 0);
    return in_stride > 0 && out_stride > 0 && is_apart ? OK : INVALID_VALUE;
}

/* The same with sizes of 32 bits, which may be absent. */
static const long long *widen(int rank, const int *from, long long to[RANK_MAX])
{
    for (int i = 0; from && i < rank && i < RANK_MAX; i++)
        to[i] = from[i];
    return from ? to : NULL;
}

static int many_request_32(struct request *made, int rank, const int *n, const int *in_size,
                           int in_stride, int in_distance, const int *out_size, int out_stride,
                           int out_distance, int type, int count)
{
    long long wide[3][RANK_MAX] = {{0}};
    return many_request(made, rank, widen(rank, n, wide[0]), widen(rank, in_size, wide[1]),
                        in_stride, in_distance, widen(rank, out_size, wide[2]), out_stride,
                        out_distance, type, count);
}

/* The kind of transform between two types as CUDA numbers them. */
static int typed_request(struct request *made, int in, int out, int compute)
{
    enum { R_32F, R_64F, R_16F, C_32F = 4, C_64F, C_16F, R_16BF = 14, C_16BF };
    static const struct {
        int in, out, compute; /* which may also be the real type */
        enum wl_cufft_type type;
        const char *stored;
    } rows[] = {
        {C_32F, C_32F, C_32F, C2C, NULL},      {R_32F, C_32F, C_32F, R2C, NULL},
        {C_32F, R_32F, C_32F, C2R, NULL},      {C_64F, C_64F, C_64F, Z2Z, NULL},
        {R_64F, C_64F, C_64F, D2Z, NULL},      {C_64F, R_64F, C_64F, Z2D, NULL},
        {C_16F, C_16F, C_16F, C2C, "f16"},     {R_16F, C_16F, C_16F, R2C, "f16"},
        {C_16F, R_16F, C_16F, C2R, "f16"},     {C_16BF, C_16BF, C_16BF, C2C, "bf16"},
        {R_16BF, C_16BF, C_16BF, R2C, "bf16"}, {C_16BF, R_16BF, C_16BF, C2R, "bf16"},
    };
    for (size_t i = 0; i < WL_COUNT(rows); i++)
        if (rows[i].in == in && rows[i].out == out &&
            (compute == rows[i].compute || compute == rows[i].compute - 4)) {
            made->type = rows[i].type;
            made->stored = rows[i].stored;
            return OK;
        }
    return INVALID_TYPE;
}

static int create_and(int *number, const struct request *of)
{
    int status = cufftCreate(number);
    if (!status && (status = make(*number, of, NULL)) != OK)
        cufftDestroy(*number);
    return status;
}

/* What a program would have to bring. */
static int tell_size(const struct request *of, size_t *workspace_bytes)
{
    int status = check(of);
    if (status || !workspace_bytes)
        return status ? status : INVALID_VALUE;
    *workspace_bytes = 0;
    return OK;
}

static int tell_size_of(int number, const struct request *of, size_t *workspace_bytes)
{
    return find(number) ? tell_size(of, workspace_bytes) : INVALID_PLAN;
}

/* Of one kind of sizes the calls that plan, make a plan, estimate and tell a size. */
#define DENSE(suffix, rank, sizes, count, ...)                                  \
    int cufftPlan##suffix(int *number, __VA_ARGS__)                             \
    {                                                                           \
        const struct request of = dense_request(rank, sizes, type, count);      \
        return create_and(number, &of);                                         \
    }                                                                           \
    int cufftMakePlan##suffix(int number, __VA_ARGS__, size_t *workspace_bytes) \
    {                                                                           \
        const struct request of = dense_request(rank, sizes, type, count);      \
        return make(number, &of, workspace_bytes);                              \
    }                                                                           \
    int cufftEstimate##suffix(__VA_ARGS__, size_t *workspace_bytes)             \
    {                                                                           \
        const struct request of = dense_request(rank, sizes, type, count);      \
        return tell_size(&of, workspace_bytes);                                 \
    }                                                                           \
    int cufftGetSize##suffix(int number, __VA_ARGS__, size_t *workspace_bytes)  \
    {                                                                           \
        const struct request of = dense_request(rank, sizes, type, count);      \
        return tell_size_of(number, &of, workspace_bytes);                      \
    }
#define SIZES(...) ((int[]){__VA_ARGS__})
DENSE(1d, 1, &nx, count, int nx, int type, int count)
DENSE(2d, 2, SIZES(nx, ny), 1, int nx, int ny, int type)
DENSE(3d, 3, SIZES(nx, ny, nz), 1, int nx, int ny, int nz, int type)

#define MANY(size)                                                                      \
    int rank, size *n, size *in_size, size in_stride, size in_distance, size *out_size, \
        size out_stride, size out_distance, int type, size count
#define MANY_NAMES \
    rank, n, in_size, in_stride, in_distance, out_size, out_stride, out_distance, type, count
#define XT_MANY                                                                             \
    int rank, long long *n, long long *in_size, long long in_stride, long long in_distance, \
        int in_type, long long *out_size, long long out_stride, long long out_distance,     \
        int out_type, long long count, size_t *workspace_bytes, int compute
#define XT_NAMES \
    rank, n, in_size, in_stride, in_distance, out_size, out_stride, out_distance, C2C, count

int cufftPlanMany(int *number, MANY(int))
{
    struct request of;
    int status = many_request_32(&of, MANY_NAMES);
    return status ? status : create_and(number, &of);
}

int cufftMakePlanMany(int number, MANY(int), size_t *workspace_bytes)
{
    struct request of;
    int status = many_request_32(&of, MANY_NAMES);
    return status ? status : make(number, &of, workspace_bytes);
}

int cufftEstimateMany(MANY(int), size_t *workspace_bytes)
{
    struct request of;
    int status = many_request_32(&of, MANY_NAMES);
    return status ? status : tell_size(&of, workspace_bytes);
}

int cufftGetSizeMany(int number, MANY(int), size_t *workspace_bytes)
{
    struct request of;
    int status = many_request_32(&of, MANY_NAMES);
    return status ? status : tell_size_of(number, &of, workspace_bytes);
}

int cufftMakePlanMany64(int number, MANY(long long), size_t *workspace_bytes)
{
    struct request of;
    int status = many_request(&of, MANY_NAMES);
    return status ? status : make(number, &of, workspace_bytes);
}

int cufftGetSizeMany64(int number, MANY(long long), size_t *workspace_bytes)
{
    struct request of;
    int status = many_request(&of, MANY_NAMES);
    return status ? status : tell_size_of(number, &of, workspace_bytes);
}

int cufftXtMakePlanMany(int number, XT_MANY)
{
    struct request of;
    int status = many_request(&of, XT_NAMES);
    if (!status)
        status = typed_request(&of, in_type, out_type, compute);
    return status ? status : make(number, &of, workspace_bytes);
}

int cufftXtGetSizeMany(int number, XT_MANY)
{
    struct request of;
    int status = many_request(&of, XT_NAMES);
    if (!status)
        status = typed_request(&of, in_type, out_type, compute);
    return status ? status : tell_size_of(number, &of, workspace_bytes);
}

/* ---- what is set and told of plans ---- */

int cufftSetStream(int number, void *stream)
{
    struct wl_cufft_plan *plan = find(number);
    if (!plan)
        return INVALID_PLAN;
    plan->stream = stream;
    return OK;
}

int cufftGetSize(int number, size_t *bytes)
{
    const struct wl_cufft_plan *plan = find(number);
    if (!plan || !plan->is_made)
        return INVALID_PLAN;
    if (!bytes)
        return INVALID_VALUE;
    *bytes = 0;
    return OK;
}

int cufftSetAutoAllocation(int number, int wanted)
{
    (void)wanted;
    return find(number) ? OK : INVALID_PLAN;
}

int cufftSetWorkArea(int number, void *area)
{
    (void)area;
    return find(number) ? OK : INVALID_PLAN;
}

int cufftXtSetWorkArea(int number, void **areas)
{
    if (!find(number))
        return INVALID_PLAN;
    return areas ? OK : INVALID_VALUE;
}

int cufftXtSetWorkAreaPolicy(int number, int policy, size_t *bytes)
{
    enum { MINIMAL, USER, PERFORMANCE };
    const struct wl_cufft_plan *plan = find(number);
    (void)bytes;
    if (!plan || !plan->is_made)
        return INVALID_PLAN;
    return policy >= MINIMAL && policy <= PERFORMANCE ? OK : INVALID_VALUE;
}

/* Of how the library makes kernels: it changes nothing here. */
enum { PATIENT_JIT = 1, HOST_THREADS = 2 };

static int check_property(int number, int property)
{
    if (!find(number))
        return INVALID_PLAN;
    return property == PATIENT_JIT ? OK : property == HOST_THREADS ? NOT_SUPPORTED : INVALID_VALUE;
}

int cufftSetPlanPropertyInt64(int number, int property, long long value)
{
    int status = check_property(number, property);
    if (!status && find(number)->is_made)
        status = NOT_SUPPORTED;
    if (!status)
        find(number)->is_patient = value != 0;
    return status;
}

int cufftGetPlanPropertyInt64(int number, int property, long long *value)
{
    int status = value ? check_property(number, property) : INVALID_VALUE;
    if (!status)
        *value = find(number)->is_patient;
    return status;
}

int cufftResetPlanProperty(int number, int property)
{
    return cufftSetPlanPropertyInt64(number, property, 0);
}

int cufftGetVersion(int *version)
{
    if (!version)
        return INVALID_VALUE;
    *version = VERSION;
    return OK;
}

int cufftGetProperty(int type, int *value)
{
    if (!value)
        return INVALID_VALUE;
    if (type < 0 || type > 2)
        return INVALID_TYPE;
    *value = type == 0 ? VERSION / 1000 : type == 1 ? VERSION % 1000 / 100 : VERSION % 100;
    return OK;
}

/* ---- transforms ---- */

/* The plan says which types, whatever the call is named; direction: -1 forwards, 1 backwards. */
int cufftXtExec(int number, void *in, void *out, int direction)
{
    struct wl_cufft_plan *plan = find(number);
    if (!plan || !plan->is_made)
        return INVALID_PLAN;
    if ((direction != -1 && direction != 1) ||
        (wl_cufft_form_in(plan->type) == REAL && direction == 1) ||
        (wl_cufft_form_out(plan->type) == REAL && direction == -1))
        return INVALID_VALUE;
    return wl_cufft_execute(plan, in, out, direction == 1);
}

#define EXECUTE(type)                                                   \
    int cufftExec##type(int number, void *in, void *out, int direction) \
    {                                                                   \
        return cufftXtExec(number, in, out, direction);                 \
    }
#define EXECUTE_REAL(type, direction)                    \
    int cufftExec##type(int number, void *in, void *out) \
    {                                                    \
        return cufftXtExec(number, in, out, direction);  \
    }
EXECUTE(C2C)
EXECUTE(Z2Z)
EXECUTE_REAL(R2C, -1)
EXECUTE_REAL(D2Z, -1)
EXECUTE_REAL(C2R, 1)
EXECUTE_REAL(Z2D, 1)

/* ---- what is not there ---- */

#define U(name)                             \
    int name(void);                         \
    int name(void)                          \
    {                                       \
        wl_device_refuse(#name " (cuFFT)"); \
        return NOT_SUPPORTED;               \
    }
#include "api/cufft/unsupported.def"
#undef U
