/* Shared by the files of the stand-in for cuBLASLt. */
#ifndef WL_API_CUBLASLT_H
#define WL_API_CUBLASLT_H

#include "api/common/stand_in.h"
#include "api/cublas/product.h"

enum {
    WL_LT_OK = 0,
    WL_LT_NOT_INITIALIZED = 1,
    WL_LT_ALLOCATION_FAILED = 3,
    WL_LT_INVALID_VALUE = 7,
    WL_LT_EXECUTION_FAILED = 13,
    WL_LT_NOT_SUPPORTED = 15,
};

#define WL_LT_VERSION 130000
#define WL_LT_ALGORITHM_BYTES 64 /* of cublasLtMatmulAlgo_t */

/* Types of elements, as CUDA numbers them. */
enum {
    WL_LT_F32 = 0,
    WL_LT_F64 = 1,
    WL_LT_F16 = 2,
    WL_LT_BF16 = 14,
    WL_LT_E4M3 = 28,
    WL_LT_E5M2 = 29
};

/* A description: attributes by number, of 4 or 8 bytes each but for some. */
struct wl_lt_attributes {
    uint32_t magic;
    uint8_t bytes[]; /* the values in the order of their numbers, each as long as its table says */
};

enum {
    WL_LT_OPERATION_COMPUTE,
    WL_LT_OPERATION_SCALE,
    WL_LT_OPERATION_POINTERS,
    WL_LT_OPERATION_A,
    WL_LT_OPERATION_B,
    WL_LT_OPERATION_EPILOGUE = 7,
    WL_LT_OPERATION_BIAS,
    WL_LT_OPERATION_BIAS_STRIDE = 10,
    WL_LT_OPERATION_AUX,
    WL_LT_OPERATION_AUX_LEADING,
    WL_LT_OPERATION_AUX_STRIDE,
    WL_LT_OPERATION_SCALE_A = 17, /* pointers; B's, C's and D's follow */
    WL_LT_OPERATION_SCALE_D = 20,
    WL_LT_OPERATION_LARGEST, /* where to put the largest magnitude of D */
    WL_LT_OPERATION_AUX_TYPE,
    WL_LT_OPERATION_BIAS_TYPE = 26,
    WL_LT_OPERATION_SCALE_MODE_A = 31, /* B's, C's and D's follow */
    WL_LT_OPERATION_SCALE_MODE_D = 34,
};
enum {
    WL_LT_LAYOUT_TYPE,
    WL_LT_LAYOUT_ORDER,
    WL_LT_LAYOUT_ROWS,
    WL_LT_LAYOUT_COLUMNS,
    WL_LT_LAYOUT_LEADING,
    WL_LT_LAYOUT_COUNT,
    WL_LT_LAYOUT_STRIDE,
    WL_LT_LAYOUT_BATCH_MODE = 8, /* 0: a stride apart; 1: by a list of addresses */
};

enum {
    WL_LT_EPILOGUE_DEFAULT = 1,
    WL_LT_EPILOGUE_RELU = 2,
    WL_LT_EPILOGUE_BIAS = 4,
    WL_LT_EPILOGUE_DRELU = 8,
    WL_LT_EPILOGUE_BIAS_GRADIENT = 16,
    WL_LT_EPILOGUE_GELU = 32,
    WL_LT_EPILOGUE_DGELU = 64,
    WL_LT_EPILOGUE_AUXILIARY = 128,
    WL_LT_EPILOGUE_SUM_OF_A = 256,
    WL_LT_EPILOGUE_SUM_OF_B = 512,
    WL_LT_EPILOGUE_ALL = 2 | 4 | 32, /* of which products of 8 bits have any */
    WL_LT_EPILOGUE_MASK = 1023,      /* those there are */
};

/* An attribute that has 4 or 8 bytes. */
int64_t wl_lt_number_of(const struct wl_lt_attributes *attributes, unsigned number);

struct wl_lt_matrix {
    int64_t type, rows, columns, leading, count, stride, order;
    bool is_by_rows, is_list;
};

struct wl_lt_product {
    const struct wl_lt_attributes *operation;
    struct wl_lt_matrix a, b, c, d;
};

/* False: an argument is no such description, or has an order that there is not. c: NULL if C lies
 * as D does. */
bool wl_lt_read_product(struct wl_lt_product *product, void *operation, void *a, void *b, void *c,
                        void *d);
/* Whether the matrices' sizes, as the operation takes them, and how many there are of each make a
 * product. */
bool wl_lt_do_sizes_fit(const struct wl_lt_product *product);
/* Whether a matrix's leading dimension goes with its sizes and order. */
bool wl_lt_is_right(const struct wl_lt_matrix *matrix);
/* WL_LT_OK if cublasLtMatmul computes it; otherwise what it answers. */
int wl_lt_check_product(const struct wl_lt_product *product);
/* False: it is no layout. */
bool wl_lt_read_layout(void *pointer, struct wl_lt_matrix *matrix);
/* NULL: it is no description of a transform. */
const struct wl_lt_attributes *wl_lt_check_transform(void *pointer);
int64_t wl_lt_element_bytes(int64_t type);

struct wl_lt_result { /* cublasLtMatmulHeuristicResult_t */
    uint64_t algorithm[WL_LT_ALGORITHM_BYTES / 8];
    size_t workspace_bytes;
    int status;
    float waves;
    int reserved[4];
};

/* Whether there are products of such types. */
bool wl_lt_are_types(const struct wl_lt_product *product);
/* The one that there is for such a product. */
void wl_lt_fill_algorithm(const struct wl_lt_product *product, void *algorithm);

/* epilogue.cu */
extern struct wl_stand_in wl_lt_kernels;
/* Number of a type of elements for its kernels; -1: none. */
int wl_lt_kernel_type(int64_t type);

/* ---- what is done to a product ---- */

/* WL_LT_NOT_SUPPORTED: there is no such epilogue, or not for these matrices. */
int wl_lt_check_epilogue(const struct wl_lt_product *product);
/* Whether there is a pointer to each thing that it reads or writes beside D. */
bool wl_lt_has_epilogue_memory(const struct wl_lt_product *product);
/* What a product that is checked needs yet. */
int wl_lt_finish_product(const struct wl_lt_product *product, const void *a, const void *b, void *d,
                         void *stream);
/* The kernel's outcome without its instructions. */
extern const struct wl_device_direct wl_lt_epilogue_direct;
/* The same of some values, each with its bias, of which there may be none; of so many rows from one
 * on. */
void wl_lt_finish(float *values, int count, int what, const float *bias);
void wl_lt_read_bias(enum wl_number type, const void *bias, long long row, int count, float *to);

/* ---- products of 8-bit integers of which cuBLAS has none ---- */

struct wl_lt_memory {
    const void *alpha, *a, *b, *beta, *c;
    void *d;
};

bool wl_lt_is_whole(const struct wl_lt_product *product);
int wl_lt_check_whole(const struct wl_lt_product *product);
int wl_lt_multiply_whole(void *handle, const struct wl_lt_product *product,
                         const struct wl_lt_memory *memory, void *stream);

/* ---- products of 8-bit floating-point numbers ---- */

/* Whether cuBLASLt has products of such types. */
bool wl_lt_are_narrow_types(int64_t a, int64_t b, int64_t c, int64_t d);
bool wl_lt_is_narrow(const struct wl_lt_product *product);
/* WL_LT_OK if cuBLASLt multiplies so, on this GPU; otherwise what it answers. */
int wl_lt_check_narrow(const struct wl_lt_product *product);
int wl_lt_multiply_narrow(void *handle, const struct wl_lt_product *product, const void *alpha,
                          const void *a, const void *b, const void *beta, const void *c, void *d,
                          void *stream);
/* The kernel's outcome without its instructions. */
extern const struct wl_device_direct wl_lt_narrow_direct;
extern const struct wl_device_library wl_lt_narrow_library;

#endif
