/* cublasLtMatmul of 8-bit floating-point numbers: those products that cuBLASLt has on a GPU of
 * compute capability 9.0, column-major, the first factor transposed. */
#include <string.h>

#include "api/cublas/stand_in.h"
#include "api/cublaslt/cublaslt.h"
#include "api/cublaslt/narrow.h"
#include "base/count.h"

#define CAPABILITY_MAJOR 75 /* attributes of a device */
#define CAPABILITY_MINOR 76
#define CAPABILITY_LEAST 89
#define COMPUTE_F32 68
#define ALIGNMENT_BYTES 16
#define SCALES_OF_LINES 3 /* a mode of scales */

bool wl_lt_is_narrow(const struct wl_lt_product *product)
{
    return product->a.type == WL_LT_E4M3 || product->a.type == WL_LT_E5M2 ||
           product->b.type == WL_LT_E4M3 || product->b.type == WL_LT_E5M2;
}

/* cuBLASLt's table: what C and D may be; D of 8 bits is of a factor's type. */
bool wl_lt_are_narrow_types(int64_t a, int64_t b, int64_t c, int64_t d)
{
    if ((a != WL_LT_E4M3 && a != WL_LT_E5M2) || (b != WL_LT_E4M3 && b != WL_LT_E5M2) ||
        (a == WL_LT_E5M2 && b == WL_LT_E5M2))
        return false;
    if (c == WL_LT_F32)
        return d == WL_LT_F32;
    return (c == WL_LT_BF16 || c == WL_LT_F16) && (d == c || d == a || d == b);
}

static int64_t bytes_of(int64_t type)
{
    return type == WL_LT_F32 ? 4 : type == WL_LT_F16 || type == WL_LT_BF16 ? 2 : 1;
}

/* Columns of a matrix begin at multiples of 16 bytes, and are as long. */
static bool is_aligned(const struct wl_lt_matrix *matrix)
{
    const int64_t bytes = bytes_of(matrix->type);
    return matrix->order == 0 && matrix->rows > 0 && matrix->columns > 0 &&
           matrix->leading >= matrix->rows && matrix->rows * bytes % ALIGNMENT_BYTES == 0 &&
           matrix->leading * bytes % ALIGNMENT_BYTES == 0 &&
           matrix->stride * bytes % ALIGNMENT_BYTES == 0;
}

static bool is_gpu_new_enough(void)
{
    int major = 0, minor = 0;
    return !wl_device_get_attribute(CAPABILITY_MAJOR, &major) &&
           !wl_device_get_attribute(CAPABILITY_MINOR, &minor) &&
           major * 10 + minor >= CAPABILITY_LEAST;
}

static int64_t bias_type_of(const struct wl_lt_product *product)
{
    return product->c.type == WL_LT_F16 ? WL_LT_F16 : WL_LT_BF16;
}

/* D has a scale and a largest magnitude only where it is narrow. */
static bool do_scales_fit(const struct wl_lt_product *product)
{
    return bytes_of(product->d.type) == 1 ||
           (!wl_lt_number_of(product->operation, WL_LT_OPERATION_SCALE_A + 3) &&
            !wl_lt_number_of(product->operation, WL_LT_OPERATION_LARGEST));
}

int wl_lt_check_narrow(const struct wl_lt_product *product)
{
    const struct wl_lt_matrix *a = &product->a, *b = &product->b, *c = &product->c,
                              *d = &product->d;
    const int64_t bias = wl_lt_number_of(product->operation, WL_LT_OPERATION_BIAS_TYPE);
    if (!wl_lt_do_sizes_fit(product) || !do_scales_fit(product))
        return WL_LT_INVALID_VALUE;
    const bool is_one =
        is_gpu_new_enough() && wl_lt_are_narrow_types(a->type, b->type, c->type, d->type) &&
        wl_lt_number_of(product->operation, WL_LT_OPERATION_COMPUTE) == COMPUTE_F32 &&
        wl_lt_number_of(product->operation, WL_LT_OPERATION_SCALE) == WL_LT_F32 &&
        wl_lt_number_of(product->operation, WL_LT_OPERATION_A) == 1 &&
        wl_lt_number_of(product->operation, WL_LT_OPERATION_B) == 0 &&
        (bias < 0 || bias == bias_type_of(product)) && is_aligned(a) && is_aligned(b) &&
        is_aligned(c) && is_aligned(d);
    return is_one ? WL_LT_OK : WL_LT_NOT_SUPPORTED;
}

/* Of A and B, a scale for each of D's rows and columns. */
static bool has_vectors(const struct wl_lt_attributes *operation)
{
    return wl_lt_number_of(operation, WL_LT_OPERATION_SCALE_MODE_A) == SCALES_OF_LINES &&
           wl_lt_number_of(operation, WL_LT_OPERATION_SCALE_MODE_A + 1) == SCALES_OF_LINES;
}

/* What cuBLASLt has and the kernel has not. */
static bool is_missing(const struct wl_lt_product *product)
{
    const struct wl_lt_attributes *operation = product->operation;
    const int64_t epilogue = wl_lt_number_of(operation, WL_LT_OPERATION_EPILOGUE);
    const bool are_lines = has_vectors(operation) && product->d.count <= 1;
    bool has_others = wl_lt_number_of(operation, WL_LT_OPERATION_POINTERS) > 1;
    for (unsigned i = WL_LT_OPERATION_SCALE_MODE_A; i <= WL_LT_OPERATION_SCALE_MODE_D; i++)
        has_others |= wl_lt_number_of(operation, i) != 0 &&
                      !(are_lines && i <= WL_LT_OPERATION_SCALE_MODE_A + 1);
    return has_others || (epilogue != WL_LT_EPILOGUE_DEFAULT && epilogue & ~WL_LT_EPILOGUE_ALL);
}

static const void *pointer_of(const struct wl_lt_attributes *operation, unsigned number)
{
    return (const void *)(uintptr_t)wl_lt_number_of(operation, number);
}

static struct wl_lt_narrow arguments_of(const struct wl_lt_product *product)
{
    const struct wl_lt_attributes *operation = product->operation;
    const struct wl_lt_matrix *matrices[] = {&product->a, &product->b, &product->c, &product->d};
    struct wl_lt_narrow made = {
        .bias_type = wl_lt_kernel_type(bias_type_of(product)),
        .epilogue = (int)wl_lt_number_of(operation, WL_LT_OPERATION_EPILOGUE) & WL_LT_EPILOGUE_ALL,
        .rows = product->d.rows,
        .columns = product->d.columns,
        .depth = product->a.rows,
        .has_vectors = has_vectors(operation),
        .bias = pointer_of(operation, WL_LT_OPERATION_BIAS),
        .largest = (float *)(uintptr_t)wl_lt_number_of(operation, WL_LT_OPERATION_LARGEST),
    };
    for (size_t i = 0; i < WL_COUNT(matrices); i++) {
        made.types[i] = wl_lt_kernel_type(matrices[i]->type);
        made.leading[i] = matrices[i]->leading;
        made.strides[i] = matrices[i]->stride;
        if (bytes_of(matrices[i]->type) == 1) /* a scale is of a narrow matrix only */
            made.scales[i] = pointer_of(operation, WL_LT_OPERATION_SCALE_A + (unsigned)i);
    }
    return made;
}

/* direct: NULL if the kernel has none; library: NULL for a part of another kernel. */
static int run(const char *name, const struct wl_device_direct *direct,
               const struct wl_device_library *library, const uint32_t grid[3], void *stream,
               void **parameters)
{
    struct wl_device_request request = {
        .kernel = wl_stand_in_kernel(&wl_lt_kernels, name),
        .grid = {grid[0], grid[1], grid[2]},
        .block = {WL_STAND_IN_THREADS, 1, 1},
        .stream = stream,
        .parameters = parameters,
    };
    if (request.kernel && direct)
        wl_device_kernel_set_direct(request.kernel, direct);
    if (request.kernel && library)
        wl_device_kernel_set_library(request.kernel, library);
    else if (request.kernel)
        wl_device_kernel_set_fused(request.kernel);
    return request.kernel && !wl_device_launch(&request) ? WL_LT_OK : WL_LT_EXECUTION_FAILED;
}

int wl_lt_multiply_narrow(void *handle, const struct wl_lt_product *product, const void *alpha,
                          const void *a, const void *b, const void *beta, const void *c, void *d,
                          void *stream)
{
    if (!handle)
        return WL_LT_NOT_INITIALIZED;
    if (!alpha || !a || !b || !beta || !d)
        return WL_LT_INVALID_VALUE;
    const int checked = wl_lt_check_narrow(product);
    if (checked)
        return checked;
    if (((uintptr_t)a | (uintptr_t)b | (uintptr_t)c | (uintptr_t)d) % ALIGNMENT_BYTES)
        return WL_LT_NOT_SUPPORTED;
    if (is_missing(product)) {
        wl_device_refuse("cublasLtMatmul (cuBLASLt) of 8-bit floating-point numbers with this "
                         "epilogue or scales of blocks");
        return WL_LT_NOT_SUPPORTED;
    }
    if (wl_cublas_refuses_late(&(struct wl_cublas_handle){
            .stream = stream,
            .pointer_mode = (int)wl_lt_number_of(product->operation, WL_LT_OPERATION_POINTERS)}))
        return WL_LT_NOT_SUPPORTED;
    struct wl_lt_narrow arguments = arguments_of(product);
    if (arguments.has_vectors && (!arguments.scales[0] || !arguments.scales[1]))
        return WL_LT_INVALID_VALUE;
    for (size_t i = 0; i < WL_COUNT(arguments.scales); i++)
        if ((uintptr_t)arguments.scales[i] % ALIGNMENT_BYTES)
            return WL_LT_NOT_SUPPORTED;
    const uint32_t grid[] = {(uint32_t)((arguments.rows + WL_LT_TILE - 1) / WL_LT_TILE),
                             (uint32_t)((arguments.columns + WL_LT_TILE - 1) / WL_LT_TILE),
                             (uint32_t)(product->d.count > 1 ? product->d.count : 1)};
    arguments.a = a, arguments.b = b, arguments.c = c, arguments.d = d;
    memcpy(&arguments.alpha, alpha, sizeof arguments.alpha);
    memcpy(&arguments.beta, beta, sizeof arguments.beta);
    if (arguments.beta != 0 && !c)
        return WL_LT_INVALID_VALUE;
    int status = arguments.largest ? run("warplens_narrow_begin", NULL, NULL, (uint32_t[]){1, 1, 1},
                                         stream, (void *[]){&arguments.largest})
                                   : WL_LT_OK;
    return status ? status
                  : run("warplens_narrow", &wl_lt_narrow_direct, &wl_lt_narrow_library, grid,
                        stream, (void *[]){&arguments});
}
