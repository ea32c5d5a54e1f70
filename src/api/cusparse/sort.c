/* Older calls that sort elements, and colour rows. */
#include <string.h>

#include "api/cusparse/older.h"

WL_SPARSE_INFO_CALLS(Csru2csr)
WL_SPARSE_INFO_CALLS(Color)

static int give_size(void *handle, bool is_right, size_t bytes, size_t *size_bytes)
{
    if (!wl_stand_in_check(handle, WL_SPARSE_HANDLE))
        return WL_SPARSE_NOT_INITIALIZED;
    if (!is_right || !size_bytes)
        return WL_SPARSE_INVALID_VALUE;
    *size_bytes = bytes + WL_SPARSE_SPACE_BYTES;
    return WL_SPARSE_OK;
}

/* Groups of one value from other places, or to them (is_put). */
static int take(const char *kind, const void *from, const int *places, void *to, long long count,
                int is_put, void *stream)
{
    long long one = 1;
    return wl_sparse_run_older_kind("take", kind, count, stream,
                                    (void *[]){&from, &places, &to, &one, &count, &is_put});
}

/* ---- single elements ---- */

int cusparseXcoosort_bufferSizeExt(void *handle, int m, int n, int count, const int *rows,
                                   const int *columns, size_t *size_bytes)
{
    (void)rows, (void)columns;
    return give_size(handle, m >= 0 && n >= 0 && count >= 0,
                     3 * sizeof(int) * (size_t)(count > 0 ? count : 0), size_bytes);
}

/* By rising keys, and of equal ones by the others. */
static int sort(void *handle, int m, int n, int count, int *keys, int *others, int *places,
                int *space)
{
    void *stream;
    long long total = count;
    int *from[3] = {keys, others, places},
        *to[3] = {space, space + count, space + 2 * (size_t)count};
    int status = wl_sparse_stream(handle, &stream);
    if (status)
        return status;
    if (m < 0 || n < 0 || count < 0)
        return WL_SPARSE_INVALID_VALUE;
    if (!places)
        return WL_SPARSE_INTERNAL_ERROR;
    if (count && (!keys || !others || !space))
        return WL_SPARSE_INVALID_VALUE;
    for (long long width = 1; !status && width < total; width *= 2) {
        status = wl_sparse_run_older(
            "merge", WL_SPARSE_NO_VALUES, (total + 2 * width - 1) / (2 * width), stream,
            (void *[]){&from[0], &from[1], &from[2], &to[0], &to[1], &to[2], &total, &width});
        for (int i = 0; i < 3; i++) {
            int *other = from[i];
            from[i] = to[i], to[i] = other;
        }
    }
    for (int i = 0; !status && i < 3 && from[0] != keys; i++)
        status = take("4", from[i], NULL, to[i], count, 0, stream);
    return status;
}

int cusparseXcoosortByRow(void *handle, int m, int n, int count, int *rows, int *columns,
                          int *places, void *space)
{
    return sort(handle, m, n, count, rows, columns, places, space);
}

int cusparseXcoosortByColumn(void *handle, int m, int n, int count, int *rows, int *columns,
                             int *places, void *space)
{
    return sort(handle, m, n, count, columns, rows, places, space);
}

/* ---- rows and columns ---- */

static int sort_lines(void *handle, int lines, int others, int count, const void *description,
                      const int *offsets, int *indices, int *places)
{
    void *stream;
    int status = wl_sparse_stream(handle, &stream);
    if (status)
        return status;
    if (lines < 0 || others < 0 || count < 0)
        return WL_SPARSE_INVALID_VALUE;
    struct wl_sparse own =
        wl_sparse_rows(lines, others, count, NULL, offsets, indices, wl_sparse_base(description));
    return wl_sparse_run("sort", WL_SPARSE_NO_VALUES, lines, stream, (void *[]){&own, &places});
}

int cusparseXcsrsort_bufferSizeExt(void *handle, int m, int n, int count, const int *offsets,
                                   const int *indices, size_t *size_bytes)
{
    (void)offsets, (void)indices;
    return give_size(handle, m >= 0 && n >= 0 && count >= 0, 0, size_bytes);
}

int cusparseXcscsort_bufferSizeExt(void *handle, int m, int n, int count, const int *offsets,
                                   const int *indices, size_t *size_bytes)
{
    return cusparseXcsrsort_bufferSizeExt(handle, m, n, count, offsets, indices, size_bytes);
}

int cusparseXcsrsort(void *handle, int m, int n, int count, const void *description,
                     const int *offsets, int *indices, int *places, void *space)
{
    (void)space;
    return sort_lines(handle, m, n, count, description, offsets, indices, places);
}

int cusparseXcscsort(void *handle, int m, int n, int count, const void *description,
                     const int *offsets, int *indices, int *places, void *space)
{
    (void)space;
    return sort_lines(handle, n, m, count, description, offsets, indices, places);
}

/* ---- unsorted rows, which are sorted and brought back ---- */

static int ready_places(struct wl_sparse_info *info, int count)
{
    void *made;
    if (info->places && info->place_count >= count)
        return WL_SPARSE_OK;
    if (info->places)
        wl_device_memory_free(WL_DEVICE_MEMORY_DEVICE, info->places);
    info->places = NULL;
    if (wl_device_memory_allocate(WL_DEVICE_MEMORY_DEVICE,
                                  (size_t)(count ? count : 1) * sizeof(int), 0, &made))
        return WL_SPARSE_ALLOC_FAILED;
    info->places = made;
    info->place_count = count;
    return WL_SPARSE_OK;
}

/* Values, or indices, in another order by way of the space. */
static int reorder(const char *kind, void *values, const struct wl_sparse_info *info, int count,
                   int is_back, void *space, void *stream)
{
    int status = take(kind, values, NULL, space, count, 0, stream);
    return status ? status : take(kind, space, info->places, values, count, is_back, stream);
}

static int sort_unsorted(void *handle, enum wl_sparse_type type, struct wl_sparse a,
                         const void *description, struct wl_sparse_info *info, void *space,
                         bool is_back)
{
    char kind[8];
    void *stream;
    long long count = a.element_count;
    int status = wl_sparse_stream(handle, &stream);
    if (status)
        return status;
    if (!wl_stand_in_check(info, WL_SPARSE_INFO) || a.row_count < 0 || a.column_count < 0 ||
        count < 0 || !description || !space || (is_back && info->place_count < count))
        return WL_SPARSE_INVALID_VALUE;
    snprintf(kind, sizeof kind, "%d", (int)wl_sparse_value_bytes(type));
    if (!is_back) {
        status = ready_places(info, (int)count);
        if (!status)
            status = wl_sparse_run("number", WL_SPARSE_NO_VALUES, count, stream,
                                   (void *[]){&info->places, &count});
        if (!status)
            status = wl_sparse_run("sort", WL_SPARSE_NO_VALUES, a.row_count, stream,
                                   (void *[]){&a, &info->places});
    } else
        status = reorder("4", a.columns, info, (int)count, 1, space, stream);
    return status ? status : reorder(kind, a.values, info, (int)count, is_back, space, stream);
}

#define PARAMETERS                                                                \
    void *handle, int m, int n, int count, const void *description, void *values, \
        const int *offsets, int *indices, struct wl_sparse_info *info, void *space
#define UNSORTED(Letter, type)                                                                    \
    int cusparse##Letter##csru2csr_bufferSizeExt(void *handle, int m, int n, int count,           \
                                                 void *values, const int *offsets, int *indices,  \
                                                 struct wl_sparse_info *info, size_t *size_bytes) \
    {                                                                                             \
        (void)values, (void)offsets, (void)indices;                                               \
        return give_size(handle, m >= 0 && n >= 0 && count >= 0 && info,                          \
                         (size_t)(count > 0 ? count : 0) * sizeof(double[2]), size_bytes);        \
    }                                                                                             \
    int cusparse##Letter##csru2csr(PARAMETERS)                                                    \
    {                                                                                             \
        return sort_unsorted(                                                                     \
            handle, type,                                                                         \
            wl_sparse_rows(m, n, count, values, offsets, indices, wl_sparse_base(description)),   \
            description, info, space, false);                                                     \
    }                                                                                             \
    int cusparse##Letter##csr2csru(PARAMETERS)                                                    \
    {                                                                                             \
        return sort_unsorted(                                                                     \
            handle, type,                                                                         \
            wl_sparse_rows(m, n, count, values, offsets, indices, wl_sparse_base(description)),   \
            description, info, space, true);                                                      \
    }
WL_SPARSE_FOUR(UNSORTED)

/* ---- colours ---- */

/* Rows by rising colours, in their own order where these are equal. */
static void list_by_colour(const int *colours, int count, int colour_count, int *rows)
{
    int *begins = wl_alloc_zero((size_t)colour_count + 1, sizeof *begins);
    for (int row = 0; row < count; row++)
        begins[colours[row] + 1]++;
    for (int i = 0; i < colour_count; i++)
        begins[i + 1] += begins[i];
    for (int row = 0; row < count; row++)
        rows[begins[colours[row]]++] = row;
    free(begins);
}

/* Rounds of colouring, until that part of the rows has a colour; the rest gets one each. The
 * results are in memory that the host can read here. */
static int colour_rows(struct wl_sparse *a, double fraction, int *colours, int *left, void *stream,
                       int *colour_count)
{
    const int count = (int)a->row_count;
    int status = wl_sparse_wait(stream), most = 0;
    if (status)
        return status;
    memset(colours, 0xff, (size_t)count * sizeof *colours);
    *left = count;
    while (!status && *left > (1 - fraction) * count) {
        *left = 0;
        status = wl_sparse_run_older("colour", WL_SPARSE_NO_VALUES, count, stream,
                                     (void *[]){a, &colours, &left});
        if (!status)
            status = wl_sparse_wait(stream);
    }
    if (status)
        return status;
    for (int row = 0; row < count; row++)
        most = colours[row] >= most ? colours[row] + 1 : most;
    for (int row = 0; row < count; row++)
        if (colours[row] < 0)
            colours[row] = most++;
    *colour_count = most;
    return status;
}

static int colour(void *handle, struct wl_sparse a, const void *description, double fraction,
                  int *colour_count, int *colours, int *rows, const void *info)
{
    void *stream, *made;
    int status = wl_sparse_stream(handle, &stream);
    if (status)
        return status;
    if (a.row_count < 0 || !description || !colour_count || !info ||
        !(fraction >= 0 && fraction <= 1) || (a.row_count && !colours))
        return WL_SPARSE_INVALID_VALUE;
    if (wl_device_memory_allocate(WL_DEVICE_MEMORY_DEVICE, sizeof(int), 0, &made))
        return WL_SPARSE_ALLOC_FAILED;
    status = colour_rows(&a, fraction, colours, made, stream, colour_count);
    wl_device_memory_free(WL_DEVICE_MEMORY_DEVICE, made);
    if (!status && rows)
        list_by_colour(colours, (int)a.row_count, *colour_count, rows);
    return status;
}

#define COLOURS(Letter, T)                                                                        \
    int cusparse##Letter##csrcolor(void *handle, int m, int count, const void *description,       \
                                   const void *values, const int *offsets, const int *indices,    \
                                   const T *fraction, int *colour_count, int *colours, int *rows, \
                                   const void *info)                                              \
    {                                                                                             \
        if (handle && !fraction)                                                                  \
            return WL_SPARSE_INVALID_VALUE;                                                       \
        return colour(                                                                            \
            handle,                                                                               \
            wl_sparse_rows(m, m, count, values, offsets, indices, wl_sparse_base(description)),   \
            description, fraction ? (double)*fraction : 0, colour_count, colours, rows, info);    \
    }
COLOURS(S, float)
COLOURS(D, double)
COLOURS(C, float)
COLOURS(Z, double)
