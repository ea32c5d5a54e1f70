#include <stdio.h>

#include "api/cusolver/cusolver.h"

extern const struct wl_embedded_file wl_embedded_cusolver[];
static struct wl_stand_in kernels = {.file = &wl_embedded_cusolver[0]};

void wl_solver_launch(struct wl_solver_work *work, const char *name, int64_t blocks,
                      int64_t blocks_y, void **parameters)
{
    char full[48];
    snprintf(full, sizeof full, "warplens_solver_%s%s%.1s", name, work->letter ? "_" : "",
             &work->letter);
    if (work->status || blocks <= 0 || blocks_y <= 0)
        return;
    struct wl_device_request request = {
        .kernel = wl_stand_in_kernel(&kernels, full),
        .grid = {(uint32_t)blocks, (uint32_t)blocks_y, 1},
        .block = {WL_SOLVER_THREADS, 1, 1},
        .stream = work->stream,
        .parameters = parameters,
    };
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

struct wl_solver_work wl_solver_begin(void *pointer, char letter, bool are_valid, int *info)
{
    const struct wl_solver_handle *handle = wl_solver_check(pointer);
    struct wl_solver_work work = {.stream = handle ? handle->stream : NULL};
    work.status = !handle               ? WL_SOLVER_NOT_INITIALIZED
                  : !are_valid || !info ? WL_SOLVER_INVALID_VALUE
                                        : WL_SOLVER_OK;
    wl_solver_launch(&work, "begin", 1, 1, (void *[]){&info});
    work.letter = letter;
    work.element_bytes = wl_solver_bytes_of(letter);
    return work;
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
