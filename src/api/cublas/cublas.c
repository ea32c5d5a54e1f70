#include <stdlib.h>
#include <string.h>

#include "api/cublas/stand_in.h"
#include "base/count.h"
#include "base/memory.h"
#include "device/device.h"

#define VERSION 130000
#define CUDART_VERSION 13000
#define HANDLE_MAGIC 0x77626C73u
#define ALL_SPECIAL_VALUES 0xFFFF

struct wl_cublas_handle *wl_cublas_check(void *pointer)
{
    struct wl_cublas_handle *handle = pointer;
    return handle && handle->magic == HANDLE_MAGIC ? handle : NULL;
}

const struct wl_cublas_ones wl_cublas_one = {.s = 1, .c = {1, 0}, .d = 1, .z = {1, 0}};

bool wl_cublas_is_one(const void *scalar)
{
    return scalar == &wl_cublas_one.s || scalar == &wl_cublas_one.c || scalar == &wl_cublas_one.d ||
           scalar == &wl_cublas_one.z;
}

bool wl_cublas_can_point(const struct wl_cublas_handle *handle, const void *scalar)
{
    struct wl_device_allocation found;
    return scalar && (handle->pointer_mode != WL_CUBLAS_POINTERS_ON_DEVICE ||
                      wl_cublas_is_one(scalar) || wl_device_memory_find(scalar, &found));
}

int cublasCreate_v2(void **handle)
{
    if (!handle)
        return WL_CUBLAS_INVALID_VALUE;
    if (wl_device_check())
        return WL_CUBLAS_NOT_INITIALIZED;
    struct wl_cublas_handle *made = wl_alloc_zero(1, sizeof *made);
    made->magic = HANDLE_MAGIC;
    made->emulation.special_values = ALL_SPECIAL_VALUES;
    *handle = made;
    return WL_CUBLAS_OK;
}

int cublasDestroy_v2(void *pointer)
{
    struct wl_cublas_handle *handle = wl_cublas_check(pointer);
    if (!handle)
        return WL_CUBLAS_NOT_INITIALIZED;
    handle->magic = 0;
    free(handle);
    return WL_CUBLAS_OK;
}

int cublasGetVersion_v2(void *handle, int *version)
{
    (void)handle;
    if (!version)
        return WL_CUBLAS_INVALID_VALUE;
    *version = VERSION;
    return WL_CUBLAS_OK;
}

int cublasSetStream_v2(void *pointer, void *stream)
{
    struct wl_cublas_handle *handle = wl_cublas_check(pointer);
    if (!handle)
        return WL_CUBLAS_NOT_INITIALIZED;
    if (wl_device_stream_query(stream, NULL))
        return WL_CUBLAS_INVALID_VALUE;
    handle->stream = stream;
    return WL_CUBLAS_OK;
}

int cublasGetStream_v2(void *pointer, void **stream)
{
    struct wl_cublas_handle *handle = wl_cublas_check(pointer);
    if (!handle || !stream)
        return handle ? WL_CUBLAS_INVALID_VALUE : WL_CUBLAS_NOT_INITIALIZED;
    *stream = handle->stream;
    return WL_CUBLAS_OK;
}

enum { MATH_LAST = 4, MATH_EMULATED_F64 = 8, MATH_NOT_REDUCED = 16 };

static bool is_math_mode(int mode)
{
    const int plain = mode & ~MATH_NOT_REDUCED;
    return (plain >= 0 && plain <= MATH_LAST) || plain == MATH_EMULATED_F64;
}

/* Settings that are kept and returned. Whatever the math mode, multiplication is in float32. */
#define SETTING(name, suffix, field, is_valid)                                   \
    int cublasSet##name##suffix(void *pointer, int value)                        \
    {                                                                            \
        struct wl_cublas_handle *handle = wl_cublas_check(pointer);              \
        if (!handle)                                                             \
            return WL_CUBLAS_NOT_INITIALIZED;                                    \
        if (!(is_valid))                                                         \
            return WL_CUBLAS_INVALID_VALUE;                                      \
        handle->field = value;                                                   \
        return WL_CUBLAS_OK;                                                     \
    }                                                                            \
    int cublasGet##name##suffix(void *pointer, int *value)                       \
    {                                                                            \
        struct wl_cublas_handle *handle = wl_cublas_check(pointer);              \
        if (!handle || !value)                                                   \
            return handle ? WL_CUBLAS_INVALID_VALUE : WL_CUBLAS_NOT_INITIALIZED; \
        *value = handle->field;                                                  \
        return WL_CUBLAS_OK;                                                     \
    }

SETTING(PointerMode, _v2, pointer_mode, value == 0 || value == 1)
SETTING(MathMode, , math_mode, is_math_mode(value))
SETTING(AtomicsMode, , atomics_mode, value == 0 || value == 1)
/* That products may be put together of narrower ones is a leave, which GPUs without fast ones of
 * these make no use of. */
SETTING(EmulationStrategy, , emulation.strategy, value >= 0 && value <= 2)
SETTING(EmulationSpecialValuesSupport, , emulation.special_values,
        value >= 0 && value <= ALL_SPECIAL_VALUES)
SETTING(FixedPointEmulationMantissaControl, , emulation.mantissa, value == 0 || value == 1)
SETTING(FixedPointEmulationMaxMantissaBitCount, , emulation.mantissa_bits_most, value >= 0)
SETTING(FixedPointEmulationMantissaBitOffset, , emulation.mantissa_offset, true)

/* Where products tell how many bits they kept. */
int cublasSetFixedPointEmulationMantissaBitCountPointer(void *pointer, int *place)
{
    if (!wl_cublas_check(pointer))
        return WL_CUBLAS_NOT_INITIALIZED;
    if (!place)
        return WL_CUBLAS_OK;
    wl_device_refuse("cublasSetFixedPointEmulationMantissaBitCountPointer");
    return WL_CUBLAS_NOT_SUPPORTED;
}

int cublasGetFixedPointEmulationMantissaBitCountPointer(void *pointer, int **place)
{
    if (!wl_cublas_check(pointer) || !place)
        return place ? WL_CUBLAS_NOT_INITIALIZED : WL_CUBLAS_INVALID_VALUE;
    *place = NULL;
    return WL_CUBLAS_OK;
}

size_t cublasGetCudartVersion(void)
{
    return CUDART_VERSION;
}

int cublasGetProperty(int property, int *value)
{
    const int parts[] = {VERSION / 10000, VERSION / 100 % 100, VERSION % 100};
    if ((unsigned)property >= WL_COUNT(parts) || !value)
        return WL_CUBLAS_INVALID_VALUE;
    *value = parts[property];
    return WL_CUBLAS_OK;
}

/* Kernels go over all SMs, whatever the number; 0: as many as there are. */
int cublasSetSmCountTarget(void *pointer, int count)
{
    struct wl_cublas_handle *handle = wl_cublas_check(pointer);
    if (!handle)
        return WL_CUBLAS_NOT_INITIALIZED;
    if (count < 0 || (uint32_t)count > wl_device_gpu()->sm_count)
        return WL_CUBLAS_INVALID_VALUE;
    handle->sm_count_target = count;
    return WL_CUBLAS_OK;
}

int cublasGetSmCountTarget(void *pointer, int *count)
{
    struct wl_cublas_handle *handle = wl_cublas_check(pointer);
    if (!handle || !count)
        return handle ? WL_CUBLAS_INVALID_VALUE : WL_CUBLAS_NOT_INITIALIZED;
    *count = handle->sm_count_target;
    return WL_CUBLAS_OK;
}

/* Nothing is logged: what is asked for is kept. */
typedef void log_callback(const char *text);
static log_callback *logger;

int cublasSetLoggerCallback(log_callback *callback)
{
    __atomic_store_n(&logger, callback, __ATOMIC_RELAXED);
    return WL_CUBLAS_OK;
}

int cublasGetLoggerCallback(log_callback **callback)
{
    if (!callback)
        return WL_CUBLAS_INVALID_VALUE;
    *callback = __atomic_load_n(&logger, __ATOMIC_RELAXED);
    return WL_CUBLAS_OK;
}

int cublasLoggerConfigure(int is_on, int to_output, int to_errors, const char *file_name)
{
    (void)is_on, (void)to_output, (void)to_errors, (void)file_name;
    return WL_CUBLAS_OK;
}

/* No kernel here wants a workspace. */
int cublasSetWorkspace_v2(void *pointer, void *workspace, size_t size_bytes)
{
    (void)workspace, (void)size_bytes;
    return wl_cublas_check(pointer) ? WL_CUBLAS_OK : WL_CUBLAS_NOT_INITIALIZED;
}

static const struct {
    int status;
    const char *name, *text;
} statuses[] = {
    {WL_CUBLAS_OK, "CUBLAS_STATUS_SUCCESS", "success"},
    {WL_CUBLAS_NOT_INITIALIZED, "CUBLAS_STATUS_NOT_INITIALIZED", "the library was not initialized"},
    {WL_CUBLAS_ALLOC_FAILED, "CUBLAS_STATUS_ALLOC_FAILED", "the resource allocation failed"},
    {WL_CUBLAS_INVALID_VALUE, "CUBLAS_STATUS_INVALID_VALUE", "an invalid value was given"},
    {WL_CUBLAS_ARCH_MISMATCH, "CUBLAS_STATUS_ARCH_MISMATCH", "the GPU lacks a feature"},
    {WL_CUBLAS_MAPPING_ERROR, "CUBLAS_STATUS_MAPPING_ERROR", "memory could not be accessed"},
    {WL_CUBLAS_EXECUTION_FAILED, "CUBLAS_STATUS_EXECUTION_FAILED", "a kernel failed"},
    {WL_CUBLAS_INTERNAL_ERROR, "CUBLAS_STATUS_INTERNAL_ERROR", "an internal operation failed"},
    {WL_CUBLAS_NOT_SUPPORTED, "CUBLAS_STATUS_NOT_SUPPORTED", "the function is not supported"},
    {WL_CUBLAS_LICENSE_ERROR, "CUBLAS_STATUS_LICENSE_ERROR", "a licence is missing"},
};

const char *cublasGetStatusName(int status)
{
    for (size_t i = 0; i < WL_COUNT(statuses); i++)
        if (statuses[i].status == status)
            return statuses[i].name;
    return "unknown status";
}

const char *cublasGetStatusString(int status)
{
    for (size_t i = 0; i < WL_COUNT(statuses); i++)
        if (statuses[i].status == status)
            return statuses[i].text;
    return "unknown status";
}

static int multiply(void *pointer, int op_a, int op_b, const float *alpha, const float *beta,
                    struct wl_cublas_product *product)
{
    struct wl_cublas_handle *handle = wl_cublas_check(pointer);
    if (!handle)
        return WL_CUBLAS_NOT_INITIALIZED;
    if (!wl_cublas_can_point(handle, alpha) || !wl_cublas_can_point(handle, beta) ||
        (unsigned)op_a > 2 || (unsigned)op_b > 2)
        return WL_CUBLAS_INVALID_VALUE;
    product->transpose_a = op_a != 0; /* of real numbers the conjugate is the transposed */
    product->transpose_b = op_b != 0;
    product->alpha = alpha;
    product->beta = beta;
    product->handle = handle;
    return wl_cublas_multiply(product);
}

int cublasSgemm_v2_64(void *handle, int op_a, int op_b, int64_t m, int64_t n, int64_t k,
                      const float *alpha, const float *a, int64_t lda, const float *b, int64_t ldb,
                      const float *beta, float *c, int64_t ldc)
{
    struct wl_cublas_product product = {.m = m,
                                        .n = n,
                                        .k = k,
                                        .a = a,
                                        .lda = lda,
                                        .b = b,
                                        .ldb = ldb,
                                        .c = c,
                                        .ldc = ldc,
                                        .count = 1};
    return multiply(handle, op_a, op_b, alpha, beta, &product);
}

int cublasSgemm_v2(void *handle, int op_a, int op_b, int m, int n, int k, const float *alpha,
                   const float *a, int lda, const float *b, int ldb, const float *beta, float *c,
                   int ldc)
{
    return cublasSgemm_v2_64(handle, op_a, op_b, m, n, k, alpha, a, lda, b, ldb, beta, c, ldc);
}

int cublasSgemmStridedBatched(void *handle, int op_a, int op_b, int m, int n, int k,
                              const float *alpha, const float *a, int lda, long long stride_a,
                              const float *b, int ldb, long long stride_b, const float *beta,
                              float *c, int ldc, long long stride_c, int count)
{
    struct wl_cublas_product product = {.m = m,
                                        .n = n,
                                        .k = k,
                                        .a = a,
                                        .lda = lda,
                                        .b = b,
                                        .ldb = ldb,
                                        .c = c,
                                        .ldc = ldc,
                                        .count = count,
                                        .stride_a = stride_a,
                                        .stride_b = stride_b,
                                        .stride_c = stride_c};
    return count < 0 ? WL_CUBLAS_INVALID_VALUE
                     : multiply(handle, op_a, op_b, alpha, beta, &product);
}

/* ---- what is not there ---- */

#define U(name)                         \
    int name(void);                     \
    int name(void)                      \
    {                                   \
        wl_device_refuse(#name);        \
        return WL_CUBLAS_NOT_SUPPORTED; \
    }
#include "api/cublas/unsupported.def"
#undef U
