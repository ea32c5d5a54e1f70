#include <stdio.h>
#include <string.h>

#include "api/cusolver/cusolver.h"
#include "base/count.h"

extern const struct wl_embedded_file wl_embedded_cusolver[];
/* reduce.ptx and solver.ptx. */
enum { REDUCE, SOLVER };
static struct wl_stand_in files[] = {{.file = &wl_embedded_cusolver[REDUCE]},
                                     {.file = &wl_embedded_cusolver[SOLVER]}};

/* What is in reduce.ptx. */
static const char *const reductions[] = {
    "bidiagonalize",
    "block_of_reflections",
    "exchange_rows_of",
    "factor_symmetric",
    "find_zero_block",
    "multiply",
    "place",
    "place_triangle",
    "product",
    "solve_symmetric",
    "tridiagonalize",
};

static struct wl_stand_in *file_of(const char *name)
{
    for (size_t i = 0; i < WL_COUNT(reductions); i++)
        if (!strcmp(name, reductions[i]))
            return &files[REDUCE];
    return &files[SOLVER];
}

void wl_solver_launch(struct wl_solver_work *work, const char *name, int64_t blocks,
                      int64_t blocks_y, void **parameters)
{
    char full[48];
    snprintf(full, sizeof full, "warplens_solver_%s%s%.1s", name, work->letter ? "_" : "",
             &work->letter);
    if (work->status || blocks <= 0 || blocks_y <= 0)
        return;
    struct wl_device_request request = {
        .kernel = wl_stand_in_kernel(file_of(name), full),
        .grid = {(uint32_t)blocks, (uint32_t)blocks_y, 1},
        .block = {WL_SOLVER_THREADS, 1, 1},
        .stream = work->stream,
        .parameters = parameters,
    };
    if (work->is_told) {
        request.is_library = true;
        request.library = work->library;
        if (work->has_begun)
            request.library.call = WL_LIBRARY_FUSED;
        work->has_begun = true;
    }
    if (!request.kernel || wl_device_launch(&request))
        work->status = WL_SOLVER_EXECUTION_FAILED;
}

void wl_solver_launch_over(struct wl_solver_work *work, const char *name, int64_t count,
                           void **parameters)
{
    const int64_t blocks = (count + WL_SOLVER_THREADS - 1) / WL_SOLVER_THREADS;
    wl_solver_launch(work, name, blocks < WL_STAND_IN_BLOCKS ? blocks : WL_STAND_IN_BLOCKS, 1,
                     parameters);
}

void wl_solver_tell(struct wl_solver_work *work, enum wl_library_steps steps, int64_t rows,
                    int64_t columns, int64_t count)
{
    const bool is_double = wl_solver_real_bytes_of(work->letter) == sizeof(double);
    work->is_told = true;
    work->has_begun = false;
    work->library = (struct wl_library_work){
        .call = WL_LIBRARY_STEPS,
        .element = is_double ? WL_LIBRARY_F64 : WL_LIBRARY_F32,
        .rows = (double)rows,
        .columns = (double)columns,
        .count = (double)count,
        .steps = steps,
        .is_complex = wl_solver_is_complex(work->letter),
    };
}

static struct wl_solver_work begin(void *pointer, char letter, bool are_valid, int *info,
                                   bool is_told)
{
    const struct wl_solver_handle *handle = wl_solver_check(pointer);
    struct wl_solver_work work = {
        .stream = handle ? handle->stream : NULL, .is_told = is_told, .has_begun = is_told};
    work.status = !handle               ? WL_SOLVER_NOT_INITIALIZED
                  : !are_valid || !info ? WL_SOLVER_INVALID_VALUE
                                        : WL_SOLVER_OK;
    wl_solver_launch(&work, "begin", 1, 1, (void *[]){&info});
    work.letter = letter;
    work.element_bytes = wl_solver_bytes_of(letter);
    return work;
}

struct wl_solver_work wl_solver_begin(void *handle, char letter, bool are_valid, int *info)
{
    return begin(handle, letter, are_valid, info, false);
}

struct wl_solver_work wl_solver_begin_told(void *handle, char letter, bool are_valid, int *info)
{
    return begin(handle, letter, are_valid, info, true);
}

char *wl_solver_space(struct wl_solver_work *work, void *given, int64_t count, int64_t wanted)
{
    if (count >= wanted || work->status)
        return given;
    if (wl_device_memory_allocate(WL_DEVICE_MEMORY_DEVICE, (size_t)wanted * work->element_bytes, 0,
                                  &work->own_space))
        work->status = WL_SOLVER_ALLOC_FAILED;
    return work->own_space;
}

int wl_solver_end(struct wl_solver_work *work)
{
    if (work->own_space)
        wl_device_memory_free(WL_DEVICE_MEMORY_DEVICE, work->own_space);
    work->own_space = NULL;
    return work->status;
}

bool wl_solver_is_valid(int rows, int columns, int ld)
{
    return rows >= 0 && columns >= 0 && ld >= (rows > 1 ? rows : 1);
}

int wl_solver_give_size(void *handle, bool are_valid, int64_t elements, int *count)
{
    if (!wl_solver_check(handle))
        return WL_SOLVER_NOT_INITIALIZED;
    if (!are_valid || !count || elements > INT32_MAX)
        return WL_SOLVER_INVALID_VALUE;
    *count = elements ? (int)elements : 1;
    return WL_SOLVER_OK;
}

int wl_solver_narrow(int64_t value)
{
    return value < 0 || value > INT32_MAX ? -1 : (int)value;
}

char wl_solver_letter_of(const char *call, int type, int other, int must_be)
{
    if (other == must_be)
        switch (type) {
        case WL_SOLVER_FLOATS:
            return 's';
        case WL_SOLVER_DOUBLES:
            return 'd';
        case WL_SOLVER_SINGLES:
            return 'c';
        case WL_SOLVER_TWICES:
            return 'z';
        }
    wl_device_refuse(call);
    return 0;
}

int wl_solver_give_sizes(void *handle, char letter, bool are_valid, int64_t elements,
                         size_t *device, size_t *host)
{
    if (!letter)
        return WL_SOLVER_NOT_SUPPORTED;
    if (!wl_solver_check(handle))
        return WL_SOLVER_NOT_INITIALIZED;
    if (!are_valid || !device || !host)
        return WL_SOLVER_INVALID_VALUE;
    *device = (size_t)(elements > 0 ? elements : 1) * wl_solver_bytes_of(letter);
    *host = 0;
    return WL_SOLVER_OK;
}

void wl_solver_wait(struct wl_solver_work *work)
{
    if (!work->status && wl_device_stream_wait(work->stream))
        work->status = WL_SOLVER_EXECUTION_FAILED;
}

void wl_solver_solve(struct wl_solver_work *work, int rows, struct wl_solver_matrix a,
                     int is_backwards, int is_unit, struct wl_solver_matrix b, int columns)
{
    if (rows)
        wl_solver_launch(work, "solve", columns, 1,
                         (void *[]){&rows, &a, &is_backwards, &is_unit, &b});
}

void wl_solver_multiply(struct wl_solver_work *work, int64_t rows, int count, int is_backwards,
                        struct wl_solver_matrix a, const void *factors, int step,
                        struct wl_solver_matrix c, int64_t columns)
{
    if (count)
        wl_solver_launch(work, "multiply", columns, 1,
                         (void *[]){&rows, &count, &is_backwards, &a, &factors, &step, &c});
}

void wl_solver_place(struct wl_solver_work *work, int64_t rows, int64_t columns,
                     struct wl_solver_matrix from, struct wl_solver_matrix to)
{
    wl_solver_launch_over(work, "place", rows * columns, (void *[]){&rows, &columns, &from, &to});
}

void wl_solver_product(struct wl_solver_work *work, const struct wl_solver_product *of)
{
    struct wl_solver_product given = *of;
    wl_solver_launch_over(work, "product", given.rows * given.columns,
                          (void *[]){&given.rows, &given.columns, &given.depth, &given.a,
                                     &given.kind, &given.is_unit, &given.b, &given.to,
                                     &given.is_less});
}
