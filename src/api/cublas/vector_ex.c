/* Calls on vectors that name their types, over those that have one, and of halves and bfloat16. */
#include <string.h>

#include "api/cublas/complex.h"
#include "api/cublas/narrow.h"
#include "api/cublas/stand_in.h"
#include "base/count.h"

static const char file[] = "narrow.ptx";

enum { /* cudaDataType */
       TYPE_F32 = 0,
       TYPE_F64 = 1,
       TYPE_F16 = 2,
       TYPE_C32 = 4,
       TYPE_C64 = 5,
       TYPE_BF16 = 14,
       TYPE_LAST = 33
};

typedef int move_call(void *handle, int n, const void *x, int incx, void *y, int incy);
typedef int add_call(void *handle, int n, const void *alpha, const void *x, int incx, void *y,
                     int incy);
typedef int scale_call(void *handle, int n, const void *alpha, void *x, int incx);
typedef int sum_call(void *handle, int n, const void *x, int incx, void *result);
typedef int rotate_call(void *handle, int n, void *x, int incx, void *y, int incy, const void *c,
                        const void *s);
typedef int turn_call(void *handle, int n, void *x, int incx, void *y, int incy, const void *plane);
typedef int make_rotation_call(void *handle, void *a, void *b, void *c, void *s);
typedef int make_plane_call(void *handle, void *d1, void *d2, void *x1, const void *y1,
                            void *plane);

/* ---- halves and bfloat16, in single precision ---- */

struct vector {
    const void *x;
    int increment;
};

static int run_over(struct wl_cublas_handle *handle, const char *name, int n, struct vector x,
                    struct vector y, void **parameters)
{
    long long incx = x.increment, incy = y.increment;
    if (n <= 0)
        return WL_CUBLAS_OK;
    if (x.x)
        x.x = wl_complex_begin_of(x.x, n, x.increment, sizeof(uint16_t));
    y.x = wl_complex_begin_of(y.x, n, y.increment, sizeof(uint16_t));
    void *all[9] = {&n, &x.x, &incx, &y.x, &incy};
    for (int i = 0; i < 4; i++)
        all[5 + i] = parameters[i];
    return wl_cublas_launch_over(handle, file, name, n, 1, all);
}

static int move(void *pointer, const char *name, int n, struct vector x, struct vector y, int swap)
{
    struct wl_cublas_handle *handle = wl_cublas_check(pointer);
    return handle ? run_over(handle, name, n, x, y, (void *[4]){&swap}) : WL_CUBLAS_NOT_INITIALIZED;
}

/* y = alpha x + y; y = alpha y where x is NULL. */
static int add_scaled(void *pointer, const char *name, int n, const void *alpha, struct vector x,
                      struct vector y)
{
    struct wl_cublas_handle *handle = wl_cublas_check(pointer);
    long long incx = x.increment, incy = y.increment;
    if (!handle)
        return WL_CUBLAS_NOT_INITIALIZED;
    if (!wl_cublas_can_point(handle, alpha))
        return WL_CUBLAS_INVALID_VALUE;
    if (n <= 0 || (x.x ? wl_cublas_is_zero(handle, alpha, sizeof(float), 1) : y.increment <= 0))
        return WL_CUBLAS_OK;
    if (x.x)
        x.x = wl_complex_begin_of(x.x, n, x.increment, sizeof(uint16_t));
    y.x = wl_complex_begin_of(y.x, n, y.increment, sizeof(uint16_t));
    return wl_cublas_launch_over(
        handle, file, name, n, 1,
        (void *[]){&n, wl_complex_scalar(alpha), &x.x, &incx, &y.x, &incy});
}

/* choice: the kernel's first parameter, NULL if it has none. */
static int reduce(void *pointer, const char *name, int *choice, int n, const void *x, int increment,
                  void *result, size_t bytes)
{
    struct wl_cublas_handle *handle = wl_cublas_check(pointer);
    long long incx = increment;
    if (!handle)
        return WL_CUBLAS_NOT_INITIALIZED;
    if (!wl_cublas_can_point(handle, result))
        return WL_CUBLAS_INVALID_VALUE;
    if (n <= 0 || incx <= 0) {
        return wl_cublas_result_clear(handle, result, bytes);
    }
    void *place, *all[5] = {choice};
    int status = wl_cublas_result_place(handle, result, bytes, &place);
    if (status)
        return status;
    memcpy(choice ? all + 1 : all, (void *[]){&n, &x, &incx, &place}, 4 * sizeof *all);
    status = wl_cublas_launch(handle, file, name, (uint32_t[]){1, 1, 1}, all);
    return wl_cublas_result_take(handle, result, place, bytes, status);
}

/* Numbers of a call as single precision. */
static int read_numbers(void *pointer, bool is_bfloat, const void *const *numbers, int count,
                        float *to)
{
    const struct wl_cublas_handle *handle = wl_cublas_check(pointer);
    if (!handle)
        return WL_CUBLAS_NOT_INITIALIZED;
    for (int i = 0; i < count; i++) {
        uint16_t bits;
        if (!wl_cublas_can_point(handle, numbers[i]))
            return WL_CUBLAS_INVALID_VALUE;
        memcpy(&bits, numbers[i], sizeof bits);
        to[i] = wl_narrow_value(bits, is_bfloat);
    }
    return wl_cublas_refuses_late(handle) ? WL_CUBLAS_NOT_SUPPORTED : WL_CUBLAS_OK;
}

static void write_numbers(bool is_bfloat, const float *from, int count, void *const *to)
{
    for (int i = 0; i < count; i++) {
        const uint16_t bits = wl_narrow_bits(from[i], is_bfloat);
        memcpy(to[i], &bits, sizeof bits);
    }
}

static int turn(void *handle, const char *name, int n, struct vector x, struct vector y, float xx,
                float yx, float xy, float yy)
{
    return run_over(handle, name, n, x, y, (void *[]){&xx, &yx, &xy, &yy});
}

enum { PLANE = 5 };

/* A plane's flag and matrix, neighbours. */
static void plane_of(const void *plane, const void *numbers[PLANE])
{
    for (int i = 0; i < PLANE; i++)
        numbers[i] = plane ? (const char *)plane + i * (long long)sizeof(uint16_t) : NULL;
}

static int turn_by_plane(void *handle, const char *name, bool is_bfloat, int n, struct vector x,
                         struct vector y, const void *plane)
{
    const void *numbers[PLANE];
    float by[PLANE] = {0};
    plane_of(plane, numbers);
    const int status = read_numbers(handle, is_bfloat, numbers, PLANE, by);
    if (status || by[0] == -2)
        return status;
    const bool is_diagonal_one = by[0] == 0, is_other_one = by[0] == 1;
    return turn(handle, name, n, x, y, is_diagonal_one ? 1 : by[1], is_other_one ? -1 : by[2],
                is_other_one ? 1 : by[3], is_diagonal_one ? 1 : by[4]);
}

make_rotation_call cublasSrotg_v2, cublasDrotg_v2;
make_plane_call cublasSrotmg_v2, cublasDrotmg_v2;

/* The handle with scalars of the host. */
static struct wl_cublas_handle on_host(const struct wl_cublas_handle *handle)
{
    struct wl_cublas_handle made = *handle;
    made.pointer_mode = 0;
    return made;
}

static int make_rotation(void *handle, bool is_bfloat, void *a, void *b, void *c, void *s)
{
    void *const numbers[] = {a, b, c, s};
    float wide[4];
    const int status =
        read_numbers(handle, is_bfloat, (const void *const *)numbers, WL_COUNT(wide), wide);
    if (status)
        return status;
    struct wl_cublas_handle host = on_host(handle);
    cublasSrotg_v2(&host, &wide[0], &wide[1], &wide[2], &wide[3]);
    write_numbers(is_bfloat, wide, WL_COUNT(wide), numbers);
    return WL_CUBLAS_OK;
}

static int make_plane(void *handle, bool is_bfloat, void *d1, void *d2, void *x1, const void *y1,
                      void *plane)
{
    enum { FACTORS = 4 };
    const void *numbers[FACTORS + PLANE] = {d1, d2, x1, y1};
    float wide[FACTORS + PLANE];
    plane_of(plane, numbers + FACTORS);
    const int status = read_numbers(handle, is_bfloat, numbers, WL_COUNT(wide), wide);
    if (status)
        return status;
    struct wl_cublas_handle host = on_host(handle);
    cublasSrotmg_v2(&host, &wide[0], &wide[1], &wide[2], &wide[3], &wide[FACTORS]);
    write_numbers(is_bfloat, wide, 3, (void *const[]){d1, d2, x1});
    for (int i = 0; i < PLANE; i++)
        write_numbers(is_bfloat, &wide[FACTORS + i], 1,
                      (void *const[]){wl_complex_scalar(numbers[FACTORS + i])});
    return WL_CUBLAS_OK;
}

#define NAME(letter, kernel) "warplens_" #letter kernel
#define VECTOR(x) ((struct vector){x, inc##x})

#define NARROW_CALLS(letter, is_bfloat)                                                            \
    static int letter##_copy(void *handle, int n, const void *x, int incx, void *y, int incy)      \
    {                                                                                              \
        return move(handle, NAME(letter, "move"), n, VECTOR(x), VECTOR(y), 0);                     \
    }                                                                                              \
    static int letter##_swap(void *handle, int n, const void *x, int incx, void *y, int incy)      \
    {                                                                                              \
        return move(handle, NAME(letter, "move"), n, VECTOR(x), VECTOR(y), 1);                     \
    }                                                                                              \
    static int letter##_axpy(void *handle, int n, const void *alpha, const void *x, int incx,      \
                             void *y, int incy)                                                    \
    {                                                                                              \
        return x ? add_scaled(handle, NAME(letter, "add_scaled"), n, alpha, VECTOR(x), VECTOR(y))  \
                 : WL_CUBLAS_INVALID_VALUE;                                                        \
    }                                                                                              \
    static int letter##_scal(void *handle, int n, const void *alpha, void *x, int incx)            \
    {                                                                                              \
        return add_scaled(handle, NAME(letter, "add_scaled"), n, alpha, (struct vector){0},        \
                          VECTOR(x));                                                              \
    }                                                                                              \
    static int letter##_nrm2(void *handle, int n, const void *x, int incx, void *result)           \
    {                                                                                              \
        return reduce(handle, NAME(letter, "nrm2"), NULL, n, x, incx, result, sizeof(uint16_t));   \
    }                                                                                              \
    static int letter##_asum(void *handle, int n, const void *x, int incx, void *result)           \
    {                                                                                              \
        return reduce(handle, NAME(letter, "asum"), NULL, n, x, incx, result, sizeof(float));      \
    }                                                                                              \
    static int letter##_amax(void *handle, int n, const void *x, int incx, void *result)           \
    {                                                                                              \
        int is_smallest = 0;                                                                       \
        return reduce(handle, NAME(letter, "find"), &is_smallest, n, x, incx, result,              \
                      sizeof(int));                                                                \
    }                                                                                              \
    static int letter##_amin(void *handle, int n, const void *x, int incx, void *result)           \
    {                                                                                              \
        int is_smallest = 1;                                                                       \
        return reduce(handle, NAME(letter, "find"), &is_smallest, n, x, incx, result,              \
                      sizeof(int));                                                                \
    }                                                                                              \
    static int letter##_rot(void *handle, int n, void *x, int incx, void *y, int incy,             \
                            const void *c, const void *s)                                          \
    {                                                                                              \
        float by[2];                                                                               \
        const int status = read_numbers(handle, is_bfloat, (const void *const[]){c, s}, 2, by);    \
        return status ? status                                                                     \
                      : turn(handle, NAME(letter, "turn"), n, VECTOR(x), VECTOR(y), by[0], -by[1], \
                             by[1], by[0]);                                                        \
    }                                                                                              \
    static int letter##_rotm(void *handle, int n, void *x, int incx, void *y, int incy,            \
                             const void *plane)                                                    \
    {                                                                                              \
        return turn_by_plane(handle, NAME(letter, "turn"), is_bfloat, n, VECTOR(x), VECTOR(y),     \
                             plane);                                                               \
    }                                                                                              \
    static int letter##_rotg(void *handle, void *a, void *b, void *c, void *s)                     \
    {                                                                                              \
        return make_rotation(handle, is_bfloat, a, b, c, s);                                       \
    }                                                                                              \
    static int letter##_rotmg(void *handle, void *d1, void *d2, void *x1, const void *y1,          \
                              void *plane)                                                         \
    {                                                                                              \
        return make_plane(handle, is_bfloat, d1, d2, x1, y1, plane);                               \
    }

NARROW_CALLS(h, false)
NARROW_CALLS(b, true)

/* ---- types of vectors ---- */

#define DECLARE(Letter, letter, sums)                                                \
    move_call cublas##Letter##copy_v2, cublas##Letter##swap_v2;                      \
    add_call cublas##Letter##axpy_v2;                                                \
    scale_call cublas##Letter##scal_v2;                                              \
    sum_call cublas##sums##nrm2_v2, cublas##sums##asum_v2, cublasI##letter##amax_v2, \
        cublasI##letter##amin_v2;                                                    \
    rotate_call cublas##Letter##rot_v2;
DECLARE(S, s, S)
DECLARE(D, d, D)
DECLARE(C, c, Sc)
DECLARE(Z, z, Dz)
rotate_call cublasCsrot_v2, cublasZdrot_v2;
turn_call cublasSrotm_v2, cublasDrotm_v2;

/* The types that calls name for vectors of one, and which call is that; NULL: there is none. */
static const struct row {
    int type, execution;
    int part, part_execution; /* of their real and imaginary parts */
    move_call *copy, *swap;
    add_call *axpy;
    scale_call *scal;
    sum_call *nrm2, *asum, *amax, *amin;
    rotate_call *rot, *rot_by_part;
    turn_call *rotm;
    make_rotation_call *rotg;
    make_plane_call *rotmg;
} rows[] = {
#define ROW(Letter, letter, sums)                                              \
    cublas##Letter##copy_v2, cublas##Letter##swap_v2, cublas##Letter##axpy_v2, \
        cublas##Letter##scal_v2, cublas##sums##nrm2_v2, cublas##sums##asum_v2, \
        cublasI##letter##amax_v2, cublasI##letter##amin_v2, cublas##Letter##rot_v2
    {TYPE_F32, TYPE_F32, TYPE_F32, TYPE_F32, ROW(S, s, S), NULL, cublasSrotm_v2, cublasSrotg_v2,
     cublasSrotmg_v2},
    {TYPE_F64, TYPE_F64, TYPE_F64, TYPE_F64, ROW(D, d, D), NULL, cublasDrotm_v2, cublasDrotg_v2,
     cublasDrotmg_v2},
    {TYPE_C32, TYPE_C32, TYPE_F32, TYPE_F32, ROW(C, c, Sc), cublasCsrot_v2, NULL, NULL, NULL},
    {TYPE_C64, TYPE_C64, TYPE_F64, TYPE_F64, ROW(Z, z, Dz), cublasZdrot_v2, NULL, NULL, NULL},
#undef ROW
    {TYPE_F16, TYPE_F32, TYPE_F16, TYPE_F32, h_copy, h_swap, h_axpy, h_scal, h_nrm2, h_asum, h_amax,
     h_amin, h_rot, NULL, h_rotm, h_rotg, h_rotmg},
    {TYPE_BF16, TYPE_F32, TYPE_BF16, TYPE_F32, b_copy, b_swap, b_axpy, b_scal, b_nrm2, b_asum,
     b_amax, b_amin, b_rot, NULL, b_rotm, b_rotg, b_rotmg},
};

/* The row of vectors of a type, or why there is none. types: all that a call names. */
static int find_row(void *handle, int type, const int *types, size_t count, const struct row **row)
{
    *row = NULL;
    if (!wl_cublas_check(handle))
        return WL_CUBLAS_NOT_INITIALIZED;
    for (size_t i = 0; i < count; i++)
        if (types[i] < 0 || types[i] > TYPE_LAST)
            return WL_CUBLAS_INVALID_VALUE;
    for (size_t i = 0; i < WL_COUNT(rows); i++)
        if (rows[i].type == type)
            *row = &rows[i];
    return *row ? WL_CUBLAS_OK : WL_CUBLAS_NOT_SUPPORTED;
}

#define FIND(type, ...)                                      \
    find_row(handle, type, (const int[]){type, __VA_ARGS__}, \
             sizeof((const int[]){type, __VA_ARGS__}) / sizeof(int), &row)

/* ---- calls ---- */

int cublasAxpyEx(void *handle, int n, const void *alpha, int type_alpha, const void *x, int type_x,
                 int incx, void *y, int type_y, int incy, int execution)
{
    const struct row *row;
    const int status = FIND(type_x, type_alpha, type_y, execution);
    if (status)
        return status;
    return type_y == type_x && type_alpha == row->execution && execution == row->execution
               ? row->axpy(handle, n, alpha, x, incx, y, incy)
               : WL_CUBLAS_NOT_SUPPORTED;
}

int cublasScalEx(void *handle, int n, const void *alpha, int type_alpha, void *x, int type_x,
                 int incx, int execution)
{
    const struct row *row;
    const int status = FIND(type_x, type_alpha, execution);
    if (status)
        return status;
    return type_alpha == row->execution && execution == row->execution
               ? row->scal(handle, n, alpha, x, incx)
               : WL_CUBLAS_NOT_SUPPORTED;
}

int cublasNrm2Ex(void *handle, int n, const void *x, int type_x, int incx, void *result,
                 int type_result, int execution)
{
    const struct row *row;
    const int status = FIND(type_x, type_result, execution);
    if (status)
        return status;
    return type_result == row->part && execution == row->part_execution
               ? row->nrm2(handle, n, x, incx, result)
               : WL_CUBLAS_NOT_SUPPORTED;
}

int cublasAsumEx(void *handle, int n, const void *x, int type_x, int incx, void *result,
                 int type_result, int execution)
{
    const struct row *row;
    const int status = FIND(type_x, type_result, execution);
    if (status)
        return status;
    return type_result == row->part_execution && execution == row->execution
               ? row->asum(handle, n, x, incx, result)
               : WL_CUBLAS_NOT_SUPPORTED;
}

#define MOVE(name, call)                                                                \
    int cublas##name(void *handle, int n, const void *x, int type_x, int incx, void *y, \
                     int type_y, int incy)                                              \
    {                                                                                   \
        const struct row *row;                                                          \
        const int status = FIND(type_x, type_y);                                        \
        if (status)                                                                     \
            return status;                                                              \
        return type_x == type_y ? row->call(handle, n, x, incx, y, incy)                \
                                : WL_CUBLAS_NOT_SUPPORTED;                              \
    }
MOVE(CopyEx, copy)
MOVE(SwapEx, swap)

#define SEARCH(name, call)                                                                  \
    int cublas##name(void *handle, int n, const void *x, int type_x, int incx, int *result) \
    {                                                                                       \
        const struct row *row;                                                              \
        const int status = FIND(type_x, type_x);                                            \
        return status ? status : row->call(handle, n, x, incx, result);                     \
    }
SEARCH(IamaxEx, amax)
SEARCH(IaminEx, amin)

int cublasRotEx(void *handle, int n, void *x, int type_x, int incx, void *y, int type_y, int incy,
                const void *c, const void *s, int type_scalars, int execution)
{
    const struct row *row;
    const int status = FIND(type_x, type_y, type_scalars, execution);
    if (status)
        return status;
    rotate_call *rot = type_scalars == type_x      ? row->rot
                       : type_scalars == row->part ? row->rot_by_part
                                                   : NULL;
    return rot && type_x == type_y && execution == row->execution
               ? rot(handle, n, x, incx, y, incy, c, s)
               : WL_CUBLAS_NOT_SUPPORTED;
}

int cublasRotmEx(void *handle, int n, void *x, int type_x, int incx, void *y, int type_y, int incy,
                 const void *plane, int type_plane, int execution)
{
    const struct row *row;
    const int status = FIND(type_x, type_y, type_plane, execution);
    if (status)
        return status;
    return row->rotm && type_x == type_y && type_plane == type_x && execution == row->execution
               ? row->rotm(handle, n, x, incx, y, incy, plane)
               : WL_CUBLAS_NOT_SUPPORTED;
}

int cublasRotgEx(void *handle, void *a, void *b, int type, void *c, void *s, int type_scalars,
                 int execution)
{
    const struct row *row;
    const int status = FIND(type, type_scalars, execution);
    if (status)
        return status;
    return row->rotg && type_scalars == type && execution == row->execution
               ? row->rotg(handle, a, b, c, s)
               : WL_CUBLAS_NOT_SUPPORTED;
}

int cublasRotmgEx(void *handle, void *d1, int type_d1, void *d2, int type_d2, void *x1, int type_x1,
                  const void *y1, int type_y1, void *plane, int type_plane, int execution)
{
    const struct row *row;
    const int status = FIND(type_x1, type_d1, type_d2, type_y1, type_plane, execution);
    if (status)
        return status;
    return row->rotmg && type_d1 == type_x1 && type_d2 == type_x1 && type_y1 == type_x1 &&
                   type_plane == type_x1 && execution == row->execution
               ? row->rotmg(handle, d1, d2, x1, y1, plane)
               : WL_CUBLAS_NOT_SUPPORTED;
}
