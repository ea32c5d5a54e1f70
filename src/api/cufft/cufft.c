/* cuFFT's transforms of one, two and three dimensions, single and double precision, batches with
 * their own steps where they have one dimension. Names and numbers are those of the cuFFT
 * documentation. */
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api/common/stand_in.h"
#include "base/count.h"

#define VERSION 12000

extern const struct wl_embedded_file wl_embedded_cufft[];
static struct wl_stand_in kernels = {.file = &wl_embedded_cufft[0]};

enum {
    OK = 0,
    INVALID_PLAN = 1,
    ALLOC_FAILED = 2,
    INVALID_VALUE = 4,
    EXEC_FAILED = 6,
    SETUP_FAILED = 7,
    INVALID_SIZE = 8,
    NOT_SUPPORTED = 16,
};
enum type { R2C = 0x2a, C2R = 0x2c, C2C = 0x29, D2Z = 0x6a, Z2D = 0x6c, Z2Z = 0x69 };
enum form { WHOLE, REAL, HALF };

/* Where a transform's elements lie in the program's memory, in elements. */
struct layout {
    long long stride, distance, row;
};

struct plan {
    bool is_used, is_made;
    enum type type;
    int size[3], rank; /* the last dimension first: nx, ny, nz */
    long long count;
    struct layout in, out;
    void *stream;
    void *roots[3], *parts[2]; /* in device memory */
};

#define PLANS 1024
static struct plan plans[PLANS];

static struct plan *find(int number)
{
    return number >= 1 && number < PLANS && plans[number].is_used ? &plans[number] : NULL;
}

int cufftCreate(int *number)
{
    if (!number)
        return INVALID_VALUE;
    if (wl_device_check())
        return SETUP_FAILED;
    for (int i = 1; i < PLANS; i++) {
        if (__atomic_exchange_n(&plans[i].is_used, true, __ATOMIC_ACQ_REL))
            continue;
        *number = i;
        return OK;
    }
    return ALLOC_FAILED;
}

static void release(struct plan *plan)
{
    for (int i = 0; i < 3; i++)
        wl_device_memory_free(WL_DEVICE_MEMORY_DEVICE, plan->roots[i]);
    for (int i = 0; i < 2; i++)
        wl_device_memory_free(WL_DEVICE_MEMORY_DEVICE, plan->parts[i]);
    *plan = (struct plan){.is_used = plan->is_used};
}

int cufftDestroy(int number)
{
    struct plan *plan = find(number);
    if (!plan)
        return INVALID_PLAN;
    release(plan);
    __atomic_store_n(&plan->is_used, false, __ATOMIC_RELEASE);
    return OK;
}

static bool is_double(enum type type)
{
    return type >= Z2Z;
}

static enum form form_in(enum type type)
{
    return type == C2C || type == Z2Z ? WHOLE : type == R2C || type == D2Z ? REAL : HALF;
}

static enum form form_out(enum type type)
{
    return form_in(type) == WHOLE ? WHOLE : form_in(type) == REAL ? HALF : REAL;
}

static int allocate(size_t bytes, void **made)
{
    return wl_device_memory_allocate(WL_DEVICE_MEMORY_DEVICE, bytes, 0, made) ? ALLOC_FAILED : OK;
}

/* exp(-2 pi i k / n) for all k. */
static int make_roots(int n, bool is_double_wanted, void **made)
{
    const size_t bytes = (size_t)n * (is_double_wanted ? 16 : 8);
    int status = allocate(bytes, made);
    for (int k = 0; !status && k < n; k++) {
        double angle = -2 * 3.14159265358979323846 * k / n;
        if (is_double_wanted) {
            ((double *)*made)[2 * k] = cos(angle);
            ((double *)*made)[2 * k + 1] = sin(angle);
        } else {
            ((float *)*made)[2 * k] = (float)cos(angle);
            ((float *)*made)[2 * k + 1] = (float)sin(angle);
        }
    }
    if (!status)
        wl_device_memory_tell_written(*made, bytes);
    return status;
}

static long long elements(const struct plan *plan)
{
    return (long long)plan->size[0] * plan->size[1] * plan->size[2];
}

/* Elements of a row as it lies there. */
static int row_of(int nx, enum form form)
{
    return form == HALF ? nx / 2 + 1 : nx;
}

static struct layout dense(const struct plan *plan, enum form form)
{
    long long row = row_of(plan->size[0], form);
    return (struct layout){1, row * plan->size[1] * plan->size[2], row};
}

/* sizes: the slowest dimension first, as in cuFFT. */
static int make(int number, int rank, const int *sizes, const struct layout *in,
                const struct layout *out, int type, long long count)
{
    struct plan *plan = find(number);
    if (!plan)
        return INVALID_PLAN;
    if (type != R2C && type != C2R && type != C2C && type != D2Z && type != Z2D && type != Z2Z)
        return INVALID_VALUE;
    if (rank < 1 || rank > 3 || count < 1)
        return INVALID_SIZE;
    void *stream = plan->stream;
    release(plan);
    plan->stream = stream;
    plan->type = (enum type)type;
    plan->rank = rank;
    plan->count = count;
    int status = OK;
    for (int i = 0; i < 3; i++) {
        plan->size[i] = i < rank ? sizes[rank - 1 - i] : 1;
        if (plan->size[i] < 1)
            return INVALID_SIZE;
        if (!status && plan->size[i] > 1)
            status = make_roots(plan->size[i], is_double(plan->type), &plan->roots[i]);
    }
    plan->in = in ? *in : dense(plan, form_in(plan->type));
    plan->out = out ? *out : dense(plan, form_out(plan->type));
    const size_t bytes = (size_t)(elements(plan) * count) * (is_double(plan->type) ? 16 : 8);
    for (int i = 0; !status && i < 2; i++)
        status = allocate(bytes, &plan->parts[i]);
    plan->is_made = status == OK;
    return status;
}

int cufftMakePlan1d(int number, int nx, int type, int count, size_t *workspace_bytes)
{
    if (workspace_bytes)
        *workspace_bytes = 0;
    return make(number, 1, &nx, NULL, NULL, type, count);
}

int cufftMakePlan2d(int number, int nx, int ny, int type, size_t *workspace_bytes)
{
    if (workspace_bytes)
        *workspace_bytes = 0;
    return make(number, 2, (int[]){nx, ny}, NULL, NULL, type, 1);
}

int cufftMakePlan3d(int number, int nx, int ny, int nz, int type, size_t *workspace_bytes)
{
    if (workspace_bytes)
        *workspace_bytes = 0;
    return make(number, 3, (int[]){nx, ny, nz}, NULL, NULL, type, 1);
}

/* Steps of its own: for one dimension, or where they say what is there anyway. */
int cufftMakePlanMany(int number, int rank, int *n, int *in_size, int in_stride, int in_distance,
                      int *out_size, int out_stride, int out_distance, int type, int count,
                      size_t *workspace_bytes)
{
    if (workspace_bytes)
        *workspace_bytes = 0;
    if (!n)
        return INVALID_VALUE;
    struct layout in = {in_stride, in_distance, 0}, out = {out_stride, out_distance, 0};
    if (in_size && out_size && rank == 1)
        return make(number, rank, n, &in, &out, type, count);
    bool is_dense = in_stride == 1 && out_stride == 1;
    for (int i = 1; i < rank && in_size && out_size; i++)
        is_dense &= i == rank - 1 || (in_size[i] == n[i] && out_size[i] == n[i]);
    if (in_size && out_size && is_dense) {
        const int last = rank - 1;
        is_dense = in_size[last] == row_of(n[last], form_in((enum type)type)) &&
                   out_size[last] == row_of(n[last], form_out((enum type)type));
    }
    if (in_size && out_size && !is_dense) {
        wl_device_refuse("cufftPlanMany (cuFFT) of several dimensions with steps of their own");
        return NOT_SUPPORTED;
    }
    return make(number, rank, n, NULL, NULL, type, count);
}

int cufftMakePlanMany64(int number, int rank, long long *n, long long *in_size, long long in_stride,
                        long long in_distance, long long *out_size, long long out_stride,
                        long long out_distance, int type, long long count, size_t *workspace_bytes)
{
    enum { RANK_MAX = 3 };
    int sizes[3][RANK_MAX] = {{0}};
    if (!n)
        return INVALID_VALUE;
    if (rank < 1 || rank > RANK_MAX || count < 1 || count > INT_MAX || in_distance > INT_MAX ||
        out_distance > INT_MAX || in_stride > INT_MAX || out_stride > INT_MAX)
        return INVALID_SIZE;
    for (int i = 0; i < rank; i++) {
        if (n[i] > INT_MAX)
            return INVALID_SIZE;
        sizes[0][i] = (int)n[i];
        sizes[1][i] = in_size ? (int)in_size[i] : 0;
        sizes[2][i] = out_size ? (int)out_size[i] : 0;
    }
    return cufftMakePlanMany(number, rank, sizes[0], in_size ? sizes[1] : NULL, (int)in_stride,
                             (int)in_distance, out_size ? sizes[2] : NULL, (int)out_stride,
                             (int)out_distance, type, (int)count, workspace_bytes);
}

/* The kind of transform between two types as CUDA numbers them; 0: there is none. */
static int type_between(int in, int out)
{
    enum { R_32F = 0, R_64F = 1, C_32F = 4, C_64F = 5 };
    static const int rows[][3] = {
        {C_32F, C_32F, C2C}, {R_32F, C_32F, R2C}, {C_32F, R_32F, C2R},
        {C_64F, C_64F, Z2Z}, {R_64F, C_64F, D2Z}, {C_64F, R_64F, Z2D},
    };
    for (size_t i = 0; i < WL_COUNT(rows); i++)
        if (rows[i][0] == in && rows[i][1] == out)
            return rows[i][2];
    return 0;
}

int cufftXtMakePlanMany(int number, int rank, long long *n, long long *in_size, long long in_stride,
                        long long in_distance, int in_type, long long *out_size,
                        long long out_stride, long long out_distance, int out_type, long long count,
                        size_t *workspace_bytes, int compute_type)
{
    int type = type_between(in_type, out_type);
    (void)compute_type;
    if (!type) {
        wl_device_refuse("cufftXtMakePlanMany (cuFFT) of types other than floats and doubles");
        return NOT_SUPPORTED;
    }
    return cufftMakePlanMany64(number, rank, n, in_size, in_stride, in_distance, out_size,
                               out_stride, out_distance, type, count, workspace_bytes);
}

static int create_and(int *number, int status)
{
    if (status)
        cufftDestroy(*number);
    return status;
}

int cufftPlan1d(int *number, int nx, int type, int count)
{
    int status = cufftCreate(number);
    return status ? status : create_and(number, cufftMakePlan1d(*number, nx, type, count, NULL));
}

int cufftPlan2d(int *number, int nx, int ny, int type)
{
    int status = cufftCreate(number);
    return status ? status : create_and(number, cufftMakePlan2d(*number, nx, ny, type, NULL));
}

int cufftPlan3d(int *number, int nx, int ny, int nz, int type)
{
    int status = cufftCreate(number);
    return status ? status : create_and(number, cufftMakePlan3d(*number, nx, ny, nz, type, NULL));
}

int cufftPlanMany(int *number, int rank, int *n, int *in_size, int in_stride, int in_distance,
                  int *out_size, int out_stride, int out_distance, int type, int count)
{
    int status = cufftCreate(number);
    return status ? status
                  : create_and(number, cufftMakePlanMany(*number, rank, n, in_size, in_stride,
                                                         in_distance, out_size, out_stride,
                                                         out_distance, type, count, NULL));
}

int cufftSetStream(int number, void *stream)
{
    struct plan *plan = find(number);
    if (!plan)
        return INVALID_PLAN;
    plan->stream = stream;
    return OK;
}

/* The plan has memory of its own; what a program asks for is none. */
int cufftGetSize(int number, size_t *bytes)
{
    if (bytes)
        *bytes = 0;
    return find(number) ? OK : INVALID_PLAN;
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

int cufftGetVersion(int *version)
{
    if (!version)
        return INVALID_VALUE;
    *version = VERSION;
    return OK;
}

/* ---- transforms ---- */

static int run(const struct plan *plan, const char *what, long long threads, void **parameters)
{
    char name[64];
    snprintf(name, sizeof name, "warplens_fft_%s_%s", is_double(plan->type) ? "f64" : "f32", what);
    return wl_stand_in_run(&kernels, name, (uint64_t)threads, plan->stream, parameters)
               ? EXEC_FAILED
               : OK;
}

static int move(struct plan *plan, const char *what, enum form form, void *from, void *to,
                struct layout layout)
{
    int number = form;
    void *parameters[] = {&number,        &from,          &to,
                          &plan->count,   &plan->size[0], &plan->size[1],
                          &plan->size[2], &layout.stride, &layout.distance,
                          &layout.row};
    return run(plan, what, elements(plan) * plan->count, parameters);
}

static int smallest_factor(int n)
{
    for (int factor = 2; factor * factor <= n; factor++)
        if (n % factor == 0)
            return factor == 2 && n % 4 == 0 ? 4 : factor;
    return n;
}

/* All lines along one dimension; the result ends in parts[0]. */
static int transform(struct plan *plan, int dimension, int is_inverse)
{
    int n = plan->size[dimension], stride = 1, done = 1, status = OK;
    long long lines = elements(plan) / n * plan->count;
    for (int i = 0; i < dimension; i++)
        stride *= plan->size[i];
    while (done < n && !status) {
        int radix = smallest_factor(n / done);
        void *parameters[] = {
            &plan->parts[0], &plan->parts[1], &plan->roots[dimension], &lines, &n, &stride, &done,
            &radix,          &is_inverse};
        status = run(plan, "stage", lines * n, parameters);
        void *result = plan->parts[1];
        plan->parts[1] = plan->parts[0];
        plan->parts[0] = result;
        done *= radix;
    }
    return status;
}

static int execute(int number, enum type type, void *in, void *out, int is_inverse)
{
    struct plan *plan = find(number);
    if (!plan || !plan->is_made || plan->type != type)
        return INVALID_PLAN;
    if (!in || !out)
        return INVALID_VALUE;
    struct layout from = plan->in, to = plan->out;
    if (in == out && form_in(type) != WHOLE) { /* rows of real numbers have room for the others */
        struct layout *real = form_in(type) == REAL ? &from : &to;
        if (real->row == plan->size[0]) {
            real->row = 2 * (plan->size[0] / 2 + 1);
            real->distance = real->row * plan->size[1] * plan->size[2];
        }
    }
    int status = move(plan, "take", form_in(type), in, plan->parts[0], from);
    for (int dimension = 0; dimension < plan->rank && !status; dimension++)
        status = transform(plan, dimension, is_inverse);
    return status ? status : move(plan, "give", form_out(type), plan->parts[0], out, to);
}

int cufftExecC2C(int number, void *in, void *out, int direction)
{
    return execute(number, C2C, in, out, direction > 0);
}

int cufftExecZ2Z(int number, void *in, void *out, int direction)
{
    return execute(number, Z2Z, in, out, direction > 0);
}

int cufftExecR2C(int number, void *in, void *out)
{
    return execute(number, R2C, in, out, 0);
}

int cufftExecD2Z(int number, void *in, void *out)
{
    return execute(number, D2Z, in, out, 0);
}

int cufftExecC2R(int number, void *in, void *out)
{
    return execute(number, C2R, in, out, 1);
}

int cufftExecZ2D(int number, void *in, void *out)
{
    return execute(number, Z2D, in, out, 1);
}

int cufftXtExec(int number, void *in, void *out, int direction)
{
    struct plan *plan = find(number);
    if (!plan || !plan->is_made)
        return INVALID_PLAN;
    bool is_whole = form_in(plan->type) == WHOLE && form_out(plan->type) == WHOLE;
    return execute(number, plan->type, in, out,
                   is_whole ? direction > 0 : form_out(plan->type) == REAL);
}

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
