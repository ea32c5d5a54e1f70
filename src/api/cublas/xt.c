/* cublasXt: products of matrices that lie in memory of the host or of the device, by the calls of
 * cuBLAS on one device, whole. The host waits for the result. */
#include <stdlib.h>
#include <string.h>

#include "api/cublas/complex.h"
#include "api/cublas/stand_in.h"
#include "base/count.h"
#include "base/memory.h"

#define XT_MAGIC 0x77627874u
#define BLOCK_DEFAULT 1024
#define BOARDS_MAX 1024

typedef struct wl_complex_single single;
typedef struct wl_complex_twice twice;

int cublasCreate_v2(void **handle);
int cublasDestroy_v2(void *handle);

struct xt {
    uint32_t magic;
    void *blas; /* NULL: no device is selected */
    int block, pinning;
};

static struct xt *check(void *pointer)
{
    struct xt *xt = pointer;
    return xt && xt->magic == XT_MAGIC ? xt : NULL;
}

int cublasXtCreate(void **made)
{
    if (!made)
        return WL_CUBLAS_INVALID_VALUE;
    if (wl_device_check())
        return WL_CUBLAS_NOT_INITIALIZED;
    struct xt *xt = wl_alloc_zero(1, sizeof *xt);
    *xt = (struct xt){.magic = XT_MAGIC, .block = BLOCK_DEFAULT};
    *made = xt;
    return WL_CUBLAS_OK;
}

int cublasXtDestroy(void *pointer)
{
    struct xt *xt = check(pointer);
    if (!xt)
        return WL_CUBLAS_INVALID_VALUE;
    if (xt->blas)
        cublasDestroy_v2(xt->blas);
    xt->magic = 0;
    free(xt);
    return WL_CUBLAS_OK;
}

/* Once for a handle, and here for one device. */
int cublasXtDeviceSelect(void *pointer, int count, const int *devices)
{
    struct xt *xt = check(pointer);
    if (!xt || count <= 0 || !devices || xt->blas)
        return WL_CUBLAS_INVALID_VALUE;
    if (count > 1) {
        wl_device_refuse("cublasXtDeviceSelect of several devices");
        return WL_CUBLAS_NOT_SUPPORTED;
    }
    if (devices[0] != 0) {
        wl_device_refuse("cublasXtDeviceSelect of a device that is not the first");
        return WL_CUBLAS_NOT_SUPPORTED;
    }
    return cublasCreate_v2(&xt->blas);
}

int cublasXtMaxBoards(int *count)
{
    if (!count)
        return WL_CUBLAS_INVALID_VALUE;
    *count = BOARDS_MAX;
    return WL_CUBLAS_OK;
}

/* Each device is a board. */
int cublasXtGetNumBoards(int device_count, const int *devices, int *count)
{
    if (device_count <= 0 || !devices || !count)
        return WL_CUBLAS_INVALID_VALUE;
    *count = device_count;
    return WL_CUBLAS_OK;
}

/* What is kept and returned: products are whole whatever the block, and nothing is pinned. */
#define SETTING(name, field, is_valid)               \
    int cublasXtSet##name(void *pointer, int value)  \
    {                                                \
        struct xt *xt = check(pointer);              \
        if (!xt || !(is_valid))                      \
            return WL_CUBLAS_INVALID_VALUE;          \
        xt->field = value;                           \
        return WL_CUBLAS_OK;                         \
    }                                                \
    int cublasXtGet##name(void *pointer, int *value) \
    {                                                \
        const struct xt *xt = check(pointer);        \
        if (!xt || !value)                           \
            return WL_CUBLAS_INVALID_VALUE;          \
        *value = xt->field;                          \
        return WL_CUBLAS_OK;                         \
    }
SETTING(BlockDim, block, value > 0)
SETTING(PinningMemMode, pinning, value == 0 || value == 1)

/* The host's own functions and their share change no result: none is called. */
int cublasXtSetCpuRoutine(void *pointer, int operation, int type, void *function)
{
    (void)operation, (void)type, (void)function;
    return check(pointer) ? WL_CUBLAS_OK : WL_CUBLAS_INVALID_VALUE;
}

int cublasXtSetCpuRatio(void *pointer, int operation, int type, float ratio)
{
    (void)operation, (void)type, (void)ratio;
    return check(pointer) ? WL_CUBLAS_OK : WL_CUBLAS_INVALID_VALUE;
}

/* ---- where matrices lie ---- */

struct operand {
    const void *at;
    size_t rows, columns, leading;
};

enum { OPERANDS_MAX = 3 };

/* The operands of a call, of which the last is the result, as the device sees them. */
struct call {
    void *blas; /* NULL: there is nothing to compute */
    const struct operand *operands;
    int count;
    size_t element_bytes;
    void *to[OPERANDS_MAX];
};

static bool is_ours(const void *memory)
{
    struct wl_device_allocation found;
    return wl_device_memory_find(memory, &found);
}

static int copy(const struct call *call, int i, void *to, const void *from,
                enum wl_device_direction direction)
{
    const struct operand *of = &call->operands[i];
    const size_t pitch_bytes = of->leading * call->element_bytes;
    return wl_device_memory_copy(&(struct wl_device_copy){
               .to = to,
               .from = from,
               .width_bytes = of->rows * call->element_bytes,
               .height = of->columns,
               .depth = 1,
               .to_pitch_bytes = pitch_bytes,
               .from_pitch_bytes = pitch_bytes,
               .direction = direction,
           })
               ? WL_CUBLAS_MAPPING_ERROR
               : WL_CUBLAS_OK;
}

/* Brings operand i to the device, unless it is there. */
static int bring(struct call *call, int i)
{
    const struct operand *of = &call->operands[i];
    const size_t bytes = of->leading * of->columns * call->element_bytes;
    call->to[i] = (void *)(uintptr_t)of->at;
    if (!bytes || is_ours(of->at))
        return WL_CUBLAS_OK;
    if (!of->at)
        return WL_CUBLAS_INVALID_VALUE;
    if (wl_device_memory_allocate(WL_DEVICE_MEMORY_DEVICE, bytes, 0, &call->to[i])) {
        call->to[i] = (void *)(uintptr_t)of->at;
        return WL_CUBLAS_ALLOC_FAILED;
    }
    return copy(call, i, call->to[i], of->at, WL_DEVICE_HOST_TO_DEVICE);
}

/* is_valid: what the call says of the shapes. */
static int begin(void *pointer, struct call *call, bool is_valid)
{
    const struct xt *xt = check(pointer);
    const struct operand *result = &call->operands[call->count - 1];
    int status = WL_CUBLAS_OK;
    for (int i = 0; i < call->count; i++) {
        const struct operand *of = &call->operands[i];
        is_valid = is_valid && of->leading && of->leading >= of->rows;
        call->to[i] = (void *)(uintptr_t)of->at;
    }
    if (!xt || !xt->blas)
        return WL_CUBLAS_NOT_INITIALIZED;
    if (!is_valid)
        return WL_CUBLAS_INVALID_VALUE;
    if (!result->rows || !result->columns)
        return WL_CUBLAS_OK;
    for (int i = 0; i < call->count && !status; i++)
        status = bring(call, i);
    call->blas = status ? NULL : xt->blas;
    return status;
}

/* Brings the result back if status says that there is one; returns the status. */
static int end(struct call *call, int status)
{
    const int last = call->count - 1;
    if (call->blas && !status && wl_device_stream_wait(NULL))
        status = WL_CUBLAS_EXECUTION_FAILED;
    for (int i = 0; i < call->count; i++) {
        void *own = (void *)(uintptr_t)call->operands[i].at;
        if (call->to[i] == own)
            continue;
        if (i == last && call->blas && !status)
            status = copy(call, i, own, call->to[i], WL_DEVICE_DEVICE_TO_HOST);
        wl_device_memory_free(WL_DEVICE_MEMORY_DEVICE, call->to[i]);
    }
    return status;
}

/* ---- products ---- */

static bool are_halves(int side, int fill)
{
    return (unsigned)side <= 1 && (unsigned)fill <= 1;
}

static bool are_ranks(int fill, int op)
{
    return (unsigned)fill <= 1 && (unsigned)op <= 2;
}

/* cublasXt<name>, over cublas<over>_64. The SHAPE is a macro of the parameters: of the sizes' type,
 * the matrices' and that of a factor. SHAPE_VALID: whether enumerators and factors are valid;
 * SHAPE_OPERANDS: the matrices, the result last; SHAPE_GIVEN: what the other is given. */
#define CALL(name, over, SHAPE, T, F)                                                            \
    int cublas##over##_64(void *handle, SHAPE(int64_t, T, F));                                   \
    int cublasXt##name(void *xt, SHAPE(size_t, T, F))                                            \
    {                                                                                            \
        const struct operand operands[] = {SHAPE##_OPERANDS};                                    \
        struct call call = {                                                                     \
            .operands = operands, .count = (int)WL_COUNT(operands), .element_bytes = sizeof(T)}; \
        const int status = begin(xt, &call, SHAPE##_VALID);                                      \
        return end(&call, call.blas ? cublas##over##_64(call.blas, SHAPE##_GIVEN) : status);     \
    }
#define REAL(name, over, SHAPE)                 \
    CALL(S##name, S##over, SHAPE, float, float) \
    CALL(D##name, D##over, SHAPE, double, double)
#define COMPLEX(name, over, SHAPE)                \
    CALL(C##name, C##over, SHAPE, single, single) \
    CALL(Z##name, Z##over, SHAPE, twice, twice)
#define HERMITIAN(name, over, SHAPE)             \
    CALL(C##name, C##over, SHAPE, single, float) \
    CALL(Z##name, Z##over, SHAPE, twice, double)
#define EACH(name, over, SHAPE) \
    REAL(name, over, SHAPE)     \
    COMPLEX(name, over, SHAPE)
#define I64(size) (int64_t)(size)

#define GEMM(I, T, F)                                                                        \
    int op_a, int op_b, I m, I n, I k, const T *alpha, const T *a, I lda, const T *b, I ldb, \
        const F *beta, T *c, I ldc
#define GEMM_VALID alpha &&beta && (unsigned)op_a <= 2 && (unsigned)op_b <= 2
#define GEMM_OPERANDS                                                           \
    {a, op_a ? k : m, op_a ? m : k, lda}, {b, op_b ? n : k, op_b ? k : n, ldb}, \
    {                                                                           \
        c, m, n, ldc                                                            \
    }
#define GEMM_GIVEN                                                                               \
    op_a, op_b, I64(m), I64(n), I64(k), alpha, call.to[0], I64(lda), call.to[1], I64(ldb), beta, \
        call.to[2], I64(ldc)
EACH(gemm, gemm_v2, GEMM)

#define HALF(I, T, F)                                                                   \
    int side, int fill, I m, I n, const T *alpha, const T *a, I lda, const T *b, I ldb, \
        const F *beta, T *c, I ldc
#define HALF_VALID alpha &&beta &&are_halves(side, fill)
#define HALF_OPERANDS                                     \
    {a, side ? n : m, side ? n : m, lda}, {b, m, n, ldb}, \
    {                                                     \
        c, m, n, ldc                                      \
    }
#define HALF_GIVEN                                                                       \
    side, fill, I64(m), I64(n), alpha, call.to[0], I64(lda), call.to[1], I64(ldb), beta, \
        call.to[2], I64(ldc)
EACH(symm, symm_v2, HALF)
COMPLEX(hemm, hemm_v2, HALF)

#define RANK(I, T, F) \
    int fill, int op, I n, I k, const F *alpha, const T *a, I lda, const F *beta, T *c, I ldc
#define RANK_VALID alpha &&beta &&are_ranks(fill, op)
#define RANK_OPERANDS                 \
    {a, op ? k : n, op ? n : k, lda}, \
    {                                 \
        c, n, n, ldc                  \
    }
#define RANK_GIVEN fill, op, I64(n), I64(k), alpha, call.to[0], I64(lda), beta, call.to[1], I64(ldc)
EACH(syrk, syrk_v2, RANK)
HERMITIAN(herk, herk_v2, RANK)

#define RANKS(I, T, F)                                                                \
    int fill, int op, I n, I k, const T *alpha, const T *a, I lda, const T *b, I ldb, \
        const F *beta, T *c, I ldc
#define RANKS_VALID RANK_VALID
#define RANKS_OPERANDS                                                  \
    {a, op ? k : n, op ? n : k, lda}, {b, op ? k : n, op ? n : k, ldb}, \
    {                                                                   \
        c, n, n, ldc                                                    \
    }
#define RANKS_GIVEN                                                                                \
    fill, op, I64(n), I64(k), alpha, call.to[0], I64(lda), call.to[1], I64(ldb), beta, call.to[2], \
        I64(ldc)
EACH(syr2k, syr2k_v2, RANKS)
EACH(syrkx, syrkx, RANKS)
HERMITIAN(her2k, her2k_v2, RANKS)
HERMITIAN(herkx, herkx, RANKS)

#define SOLVE(I, T, F)                                                                           \
    int side, int fill, int op, int diagonal, I m, I n, const T *alpha, const T *a, I lda, T *b, \
        I ldb
#define SOLVE_VALID alpha &&are_halves(side, fill) && (unsigned)op <= 2 && (unsigned)diagonal <= 1
#define SOLVE_OPERANDS                    \
    {a, side ? n : m, side ? n : m, lda}, \
    {                                     \
        b, m, n, ldb                      \
    }
#define SOLVE_GIVEN \
    side, fill, op, diagonal, I64(m), I64(n), alpha, call.to[0], I64(lda), call.to[1], I64(ldb)
EACH(trsm, trsm_v2, SOLVE)

#define TRIANGLE(I, T, F)                                                                  \
    int side, int fill, int op, int diagonal, I m, I n, const T *alpha, const T *a, I lda, \
        const T *b, I ldb, T *c, I ldc
#define TRIANGLE_VALID SOLVE_VALID
#define TRIANGLE_OPERANDS \
    SOLVE_OPERANDS,       \
    {                     \
        c, m, n, ldc      \
    }
#define TRIANGLE_GIVEN SOLVE_GIVEN, call.to[2], I64(ldc)
EACH(trmm, trmm_v2, TRIANGLE)
