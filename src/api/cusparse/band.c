/* Systems of three and five diagonals. All are solved with pivots. */
#include "api/cusparse/older.h"

/* Of those that solve interleaved systems of three diagonals. */
enum { LAST_ALGORITHM = 2 };

static size_t space_bytes(enum wl_sparse_type type, int width, long long rows, long long count)
{
    return (rows > 0 && count > 0 ? (size_t)(rows * count * width) * wl_sparse_value_bytes(type)
                                  : 0) +
           WL_SPARSE_SPACE_BYTES;
}

static int give_size(void *handle, enum wl_sparse_type type, int width, long long rows,
                     long long count, size_t *size_bytes)
{
    if (!wl_stand_in_check(handle, WL_SPARSE_HANDLE))
        return WL_SPARSE_NOT_INITIALIZED;
    if (!size_bytes)
        return WL_SPARSE_INVALID_VALUE;
    *size_bytes = space_bytes(type, width, rows, count);
    return WL_SPARSE_OK;
}

static int solve(void *handle, enum wl_sparse_type type, bool is_right, struct wl_band band,
                 void *space)
{
    void *stream;
    int status = wl_sparse_stream(handle, &stream);
    if (status)
        return status;
    if (!is_right)
        return WL_SPARSE_INVALID_VALUE;
    if (!band.row_count || !band.count)
        return WL_SPARSE_OK;
    if (!band.x || !space)
        return WL_SPARSE_INVALID_VALUE;
    for (int i = 0; i < 3; i++)
        if (!band.diagonals[i])
            return WL_SPARSE_INVALID_VALUE;
    return wl_sparse_run_older(band.diagonals[3] ? "solve_pentadiagonal" : "solve_tridiagonal",
                               type, band.count, stream, (void *[]){&band, &space});
}

#define DENSE(Letter, type, name)                                                            \
    int cusparse##Letter##name##_bufferSizeExt(void *handle, int m, int n, const void *dl,   \
                                               const void *d, const void *du, const void *b, \
                                               int ldb, size_t *size_bytes)                  \
    {                                                                                        \
        (void)dl, (void)d, (void)du, (void)b, (void)ldb;                                     \
        return give_size(handle, type, 3, m, n, size_bytes);                                 \
    }                                                                                        \
    int cusparse##Letter##name(void *handle, int m, int n, const void *dl, const void *d,    \
                               const void *du, void *b, int ldb, void *space)                \
    {                                                                                        \
        return solve(handle, type, m >= 3 && n >= 0 && ldb >= m,                             \
                     (struct wl_band){{dl, d, du}, b, m, n, 1, 0, 1, ldb}, space);           \
    }

#define BATCHES(Letter, type)                                                                      \
    DENSE(Letter, type, gtsv2)                                                                     \
    DENSE(Letter, type, gtsv2_nopivot)                                                             \
    int cusparse##Letter##gtsv2StridedBatch_bufferSizeExt(                                         \
        void *handle, int m, const void *dl, const void *d, const void *du, const void *x,         \
        int count, int stride, size_t *size_bytes)                                                 \
    {                                                                                              \
        (void)dl, (void)d, (void)du, (void)x, (void)stride;                                        \
        return give_size(handle, type, 3, m, count, size_bytes);                                   \
    }                                                                                              \
    int cusparse##Letter##gtsv2StridedBatch(void *handle, int m, const void *dl, const void *d,    \
                                            const void *du, void *x, int count, int stride,        \
                                            void *space)                                           \
    {                                                                                              \
        return solve(handle, type, m >= 3 && count >= 0 && stride >= m,                            \
                     (struct wl_band){{dl, d, du}, x, m, count, 1, stride, 1, stride}, space);     \
    }                                                                                              \
    int cusparse##Letter##gtsvInterleavedBatch_bufferSizeExt(                                      \
        void *handle, int algorithm, int m, const void *dl, const void *d, const void *du,         \
        const void *x, int count, size_t *size_bytes)                                              \
    {                                                                                              \
        (void)algorithm, (void)dl, (void)d, (void)du, (void)x;                                     \
        return give_size(handle, type, 3, m, count, size_bytes);                                   \
    }                                                                                              \
    int cusparse##Letter##gtsvInterleavedBatch(void *handle, int algorithm, int m, void *dl,       \
                                               void *d, void *du, void *x, int count, void *space) \
    {                                                                                              \
        return solve(handle, type,                                                                 \
                     m >= 0 && count >= 0 && algorithm >= 0 && algorithm <= LAST_ALGORITHM,        \
                     (struct wl_band){{dl, d, du}, x, m, count, count, 1, count, 1}, space);       \
    }                                                                                              \
    int cusparse##Letter##gpsvInterleavedBatch_bufferSizeExt(                                      \
        void *handle, int algorithm, int m, const void *ds, const void *dl, const void *d,         \
        const void *du, const void *dw, const void *x, int count, size_t *size_bytes)              \
    {                                                                                              \
        (void)algorithm, (void)ds, (void)dl, (void)d, (void)du, (void)dw, (void)x;                 \
        return give_size(handle, type, 5, m, count, size_bytes);                                   \
    }                                                                                              \
    int cusparse##Letter##gpsvInterleavedBatch(void *handle, int algorithm, int m, void *ds,       \
                                               void *dl, void *d, void *du, void *dw, void *x,     \
                                               int count, void *space)                             \
    {                                                                                              \
        (void)algorithm;                                                                           \
        return solve(handle, type, m >= 0 && count >= 0 && (!m || !count || (du && dw)),           \
                     (struct wl_band){{ds, dl, d, du, dw}, x, m, count, count, 1, count, 1},       \
                     space);                                                                       \
    }
WL_SPARSE_FOUR(BATCHES)
