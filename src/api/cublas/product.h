/* Products of matrices as kernels of stand-ins leave them, without their instructions. */
#ifndef WL_API_CUBLAS_PRODUCT_H
#define WL_API_CUBLAS_PRODUCT_H

#include "api/cublas/tile.h"
#include "device/device.h"

struct wl_product_matrix {
    const void *at;
    enum wl_number type;
    long long row_step, column_step,
        stride; /* elements to the next one; to that of the next product */
};

/* A column-major matrix, or what it is transposed. */
static inline struct wl_product_matrix wl_product_matrix_of(const void *at, enum wl_number type,
                                                            long long leading, bool is_transposed)
{
    return (struct wl_product_matrix){at, type, is_transposed ? leading : 1,
                                      is_transposed ? 1 : leading, 0};
}

/* So many products D = alpha A B + beta C; D's rows are neighbours in memory. */
struct wl_product {
    long long rows, columns, depth, count;
    struct wl_product_matrix a, b, c, d;
    union wl_product_scale {
        float f32;
        double f64;
        int32_t s32;
    } alpha, beta;   /* of the sums' type, or single precision */
    bool has_addend; /* C is read */
    bool is_padded;  /* the kernel adds products of zeros to its sums, which leaves no -0 */
};

/* Part of D, by its first element. */
struct wl_product_piece {
    long long row, column, batch;
    int rows, columns;
};

/* Adds what a product touches, and its pieces. False: it is to be executed, as it has elements in
 * one place, goes beyond what there can be, or what is written overlaps other memory of the plan or
 * the product but for a C that is where D is. */
bool wl_product_plan(const struct wl_product *product, struct wl_device_direct_plan *plan);
/* The same of other memory. */
void wl_product_plan_read(struct wl_device_direct_plan *plan, const void *start,
                          uint64_t size_bytes);
bool wl_product_plan_write(struct wl_device_direct_plan *plan, const void *start,
                           uint64_t size_bytes);

/* What a library would have to do for it. */
bool wl_product_tell(const struct wl_product *product, struct wl_library_work *work);

struct wl_product_piece wl_product_find_piece(const struct wl_product *product, uint32_t number);
/* The sums of A's and B's products. */
void wl_product_multiply(const struct wl_product *product, const struct wl_product_piece *piece,
                         struct wl_tile *tile);
/* Where the piece's column of C or D begins. */
void *wl_product_column(const struct wl_product_matrix *matrix,
                        const struct wl_product_piece *piece, int column);

/* A kernel that does nothing but such products. */
struct wl_product_kernel {
    struct wl_device_direct direct; /* WL_PRODUCT_DIRECT */
    struct wl_device_library library;
    int tile;       /* rows and columns of a block; 0: blocks go round */
    int depth_step; /* of which the kernel's sums have multiples */
    bool transposes_a, transposes_b;
    bool may_round;                /* single precision in tensor cores, where a library's own do */
    enum wl_number factor, result; /* where its kind has several */
    /* All of the product but has_addend and is_padded; count: of products, from the grid. */
    struct wl_product (*read)(const struct wl_product_kernel *self, const void *parameters);
};
#define WL_PRODUCT_DIRECT                                                           \
    {wl_product_kernel_plan, wl_product_kernel_accepts, wl_product_kernel_compute}, \
    {                                                                               \
        wl_product_kernel_tell                                                      \
    }
/* Gives the kernel, which may be NULL, when it is known to be that one. self: stays valid. */
struct wl_device_kernel *wl_product_kernel_known(struct wl_device_kernel *kernel,
                                                 const struct wl_product_kernel *self);
bool wl_product_kernel_tell(const struct wl_device_library *self, const void *parameters,
                            const uint32_t grid[3], struct wl_library_work *work);
bool wl_product_kernel_plan(const struct wl_device_direct *self, const void *parameters,
                            const uint32_t grid[3], struct wl_device_direct_plan *plan);
bool wl_product_kernel_accepts(const struct wl_device_direct *self, const void *parameters,
                               const uint32_t grid[3]);
void wl_product_kernel_compute(const struct wl_device_direct *self, const void *parameters,
                               const uint32_t grid[3], uint32_t piece);

#endif
