/* Matrix operations of a warp. Products are exact; floating-point sums are formed as tensor cores
 * do: all addends of a block are aligned to the greatest exponent, cut off, added as integers and
 * cut off once more to single precision (Fasi, Higham, Mikaitis, Pranesh, "Numerical behavior of
 * NVIDIA tensor cores", 2021). */
#include "sim/exec/narrow.h"
#include "sim/exec/placing.h"
#include "sim/exec/reach.h"
#include "sim/exec/tile.h"
#include "sim/exec/values16.h"
#include "warp/tensor_map.h"

#define RUN(id)                                                                     \
    const struct wl_op *WL_EXEC(id)(struct wl_warp * warp, const struct wl_op *op); \
    const struct wl_op *WL_EXEC(id)(struct wl_warp * warp, const struct wl_op *op)

#define ROWS_MAX 32
#define FACTOR_ELEMENTS_MAX 1024
/* Fraction bits that addends keep below the greatest exponent. */
#define FRACTION_BITS 25
/* Products added in one step: 8-bit factors take two, as does wmma of tf32. */
#define BLOCK_PRODUCTS 16
#define NO_EXPONENT (-100000)

/* A factor by rows of k elements; B is kept transposed. */
struct factor {
    u32 rows, k;
    enum wl_matrix_format format;
    bool has_special;
    u32 bits[FACTOR_ELEMENTS_MAX];
    s32 significand[FACTOR_ELEMENTS_MAX], exponent[FACTOR_ELEMENTS_MAX];
};

/* Lists are of registers. */
struct multiplication {
    const struct wl_warp *warp;
    const u32 *d, *a, *b, *c;
    enum wl_matrix_format d_format, a_format, b_format, c_format;
    u32 m, n, k;
    s64 flags;
};

struct factors {
    struct factor a, b;
};

static void read_factor(const struct wl_warp *warp, const u32 *list, struct factor *factor,
                        bool is_by_rows)
{
    const struct placing placing =
        place_factor(factor->rows, factor->k, factor->format, is_by_rows);
    const u32 bits = wl_matrix_format_bits(factor->format);
    const u32 mask = bits >= 32 ? ~0u : (1u << bits) - 1;
    for (u32 r = 0; r < placing.row_blocks * placing.column_blocks; r++) {
        const u32 *lanes = lane_register(warp, list[r]);
        for (u32 lane = 0; lane < WL_LANES; lane++) {
            u32 row, column;
            locate(&placing, r, lane, &row, &column);
            u32 *to = &factor->bits[row * factor->k + column];
            for (u32 i = 0; i < placing.per_register; i++)
                to[i] = lanes[lane] >> (i * bits & 31) & mask;
        }
    }
}

static void unpack_factor(struct factor *factor)
{
    factor->has_special = false;
    for (u32 i = 0; i < factor->rows * factor->k; i++) {
        struct scaled scaled = unpack_narrow(factor->bits[i], factor->format);
        factor->significand[i] = scaled.significand;
        factor->exponent[i] = scaled.exponent;
        factor->has_special |= scaled.is_special;
    }
}

static u32 sum_bits(const struct multiplication *self, u32 e, u32 lane)
{
    if (self->c_format == WL_FORMAT_F16)
        return ((const u32 *)lane_register(self->warp, self->c[e / 2]))[lane] >> (16 * (e & 1)) &
               0xffffu;
    return ((const u32 *)lane_register(self->warp, self->c[e]))[lane];
}

static void write_sum(const struct multiplication *self, u32 e, u32 lane, u32 bits)
{
    if (!(self->warp->active >> lane & 1))
        return;
    if (self->d_format == WL_FORMAT_F16) {
        u32 *d = lane_register(self->warp, self->d[e / 2]);
        d[lane] = e & 1 ? (d[lane] & 0xffffu) | bits << 16 : (d[lane] & 0xffff0000u) | bits;
    } else {
        ((u32 *)lane_register(self->warp, self->d[e]))[lane] = bits;
    }
}

/* Toward zero; beyond the greatest number infinite. */
static float cut_to_float(double value)
{
    if (fabs(value) >= 0x1p128)
        return copysignf(INFINITY, (float)copysign(1.0, value));
    float nearest = (float)value;
    return fabs((double)nearest) > fabs(value) ? float_of(bits_of(nearest) - 1) : nearest;
}

/* Sum of the addend, a single-precision number, and count products, as one step of the hardware. */
static double add_block(const s32 *product, const s32 *exponent, u32 count, struct scaled addend,
                        int product_fraction_bits)
{
    s32 highest = addend.significand ? addend.exponent + narrow_rows[WL_FORMAT_F32].fraction_bits
                                     : NO_EXPONENT;
    for (u32 i = 0; i < count; i++) {
        s32 place = product[i] ? exponent[i] + product_fraction_bits : NO_EXPONENT;
        highest = place > highest ? place : highest;
    }
    if (highest == NO_EXPONENT)
        return 0;
    s64 sum = 0;
    const s32 unit = highest - FRACTION_BITS; /* exponent of the last bit kept */
    for (u32 i = 0; i < count; i++) {
        s32 shift = exponent[i] - unit;
        s64 magnitude = product[i] < 0 ? -(s64)product[i] : product[i];
        magnitude = shift >= 0 ? magnitude << (shift & 63) : shift > -63 ? magnitude >> -shift : 0;
        sum += product[i] < 0 ? -magnitude : magnitude;
    }
    s32 shift = addend.exponent - unit;
    s64 magnitude = addend.significand < 0 ? -(s64)addend.significand : addend.significand;
    magnitude = shift >= 0 ? magnitude << (shift & 63) : shift > -63 ? magnitude >> -shift : 0;
    sum += addend.significand < 0 ? -magnitude : magnitude;
    return ldexp((double)sum, unit);
}

/* Where an operand is infinite or NaN, so is the result, whatever the order. */
static float add_special(const struct multiplication *self, const struct factors *factors, u32 row,
                         u32 column, float c)
{
    float sum = c;
    for (u32 k = 0; k < self->k; k++)
        sum += narrow_to_float(factors->a.bits[row * self->k + k], self->a_format) *
               narrow_to_float(factors->b.bits[column * self->k + k], self->b_format);
    return canonical_f32(sum);
}

static bool is_special(float value)
{
    return (bits_of(value) & 0x7f800000u) == 0x7f800000u;
}

/* Where product k stands among those added: of each four 8-bit factors in a register, the first two
 * belong to the first step, the others to the second. */
static inline u32 step_order(u32 k, u32 total)
{
    return total <= BLOCK_PRODUCTS ? k : (k >> 1 & 1) * BLOCK_PRODUCTS + (k >> 2) * 2 + (k & 1);
}

/* Products added in one step: of tf32 fewer where the shape is wmma's. */
static u32 products_per_step(const struct multiplication *self)
{
    const u32 most = self->a_format == WL_FORMAT_TF32 && self->n > 8 ? 4 : BLOCK_PRODUCTS;
    return self->k < most ? self->k : most;
}

/* One element of the sum. */
static u32 dot(const struct multiplication *self, const struct factors *factors, u32 row,
               u32 column, u32 c_bits)
{
    const bool is_half = self->d_format == WL_FORMAT_F16;
    float c = self->c_format == WL_FORMAT_F16 ? half_to_float(c_bits) : float_of(c_bits);
    float special = is_special(c) || factors->a.has_special || factors->b.has_special
                        ? add_special(self, factors, row, column, c)
                        : 0;
    if (is_special(special))
        return is_half ? float_to_half(special) : bits_of(special);
    s32 product[FACTOR_ELEMENTS_MAX / 8], exponent[FACTOR_ELEMENTS_MAX / 8];
    const s32 *a = &factors->a.significand[row * self->k],
              *b = &factors->b.significand[column * self->k];
    const s32 *ea = &factors->a.exponent[row * self->k],
              *eb = &factors->b.exponent[column * self->k];
    for (u32 k = 0; k < self->k; k++) {
        const u32 place = step_order(k, self->k);
        product[place] = a[k] * b[k];
        exponent[place] = ea[k] + eb[k];
    }
    const int fraction_bits =
        narrow_rows[self->a_format].fraction_bits + narrow_rows[self->b_format].fraction_bits;
    const bool is_in_steps = self->k > BLOCK_PRODUCTS; /* these add c in the end */
    float sum = is_in_steps ? 0 : c;
    const u32 most = products_per_step(self);
    for (u32 k = 0; k < self->k; k += most) {
        const u32 left = self->k - k, count = left < most ? left : most;
        double exact = add_block(product + k, exponent + k, count,
                                 unpack_narrow(bits_of(sum), WL_FORMAT_F32), fraction_bits);
        sum = is_half ? half_to_float(double_to_half(exact)) : cut_to_float(exact);
    }
    sum = is_in_steps ? sum + c : sum;
    return is_half ? float_to_half(sum) : bits_of(sum);
}

static s32 integer_element(u32 bits, enum wl_matrix_format format)
{
    return format == WL_FORMAT_S8   ? (int8_t)bits
           : format == WL_FORMAT_S4 ? (s32)(bits << 28) >> 28
                                    : (s32)bits;
}

static u32 dot_integer(const struct multiplication *self, const struct factors *factors, u32 row,
                       u32 column, u32 c_bits)
{
    const u32 *a = &factors->a.bits[row * self->k], *b = &factors->b.bits[column * self->k];
    s64 sum = (s32)c_bits;
    for (u32 k = 0; k < self->k; k++)
        sum += integer_element(a[k], self->a_format) * integer_element(b[k], self->b_format);
    if (self->flags & WL_MATRIX_SATURATE)
        return (u32)saturate_s32(sum);
    return (u32)sum;
}

static u32 dot_bits(const struct multiplication *self, const struct factors *factors, u32 row,
                    u32 column, u32 c_bits)
{
    const u32 words = self->k / 32;
    u32 sum = c_bits;
    for (u32 w = 0; w < words; w++) {
        u32 a = factors->a.bits[row * words + w], b = factors->b.bits[column * words + w];
        sum += (u32)__builtin_popcount(self->flags & WL_MATRIX_XOR ? a ^ b : a & b);
    }
    return sum;
}

/* Double precision: one fused multiply-add after another, in the order of k. */
static void multiply_double(const struct multiplication *self)
{
    const struct placing a_placing = place_factor(self->m, self->k, WL_FORMAT_F64, true);
    const struct placing b_placing = place_factor(self->n, self->k, WL_FORMAT_F64, false);
    double a[ROWS_MAX][16], b[ROWS_MAX][16];
    u32 row, column;
    for (u32 r = 0; r < a_placing.row_blocks * a_placing.column_blocks; r++)
        for (u32 lane = 0; lane < WL_LANES; lane++) {
            locate(&a_placing, r, lane, &row, &column);
            a[row][column] = ((const double *)lane_register(self->warp, self->a[r]))[lane];
        }
    for (u32 r = 0; r < b_placing.row_blocks * b_placing.column_blocks; r++)
        for (u32 lane = 0; lane < WL_LANES; lane++) {
            locate(&b_placing, r, lane, &row, &column);
            b[row][column] = ((const double *)lane_register(self->warp, self->b[r]))[lane];
        }
    for (u32 e = 0; e < self->m * self->n / WL_LANES; e++) {
        const double *c = lane_register(self->warp, self->c[e]);
        double *d = lane_register(self->warp, self->d[e]), sums[WL_LANES];
        for (u32 lane = 0; lane < WL_LANES; lane++) {
            locate_sum(self->m / 8, e, lane, &row, &column);
            sums[lane] = c[lane];
            for (u32 k = 0; k < self->k; k++)
                sums[lane] = fma(a[row][k], b[column][k], sums[lane]);
        }
        for (u32 lane = 0; lane < WL_LANES; lane++)
            d[lane] = self->warp->active >> lane & 1 ? sums[lane] : d[lane];
    }
}

/* Of a factor's element in a 32-bit register, or in a register of its own. */
static u32 word_bits_of(enum wl_matrix_format format)
{
    const u32 bits = wl_matrix_format_bits(format);
    return bits < 32 ? bits : 32;
}

#ifdef __AVX2__
/* Whether vectors can form the product: its shape is a common one. */
static bool is_tile(const struct multiplication *self)
{
    const enum wl_matrix_format a = self->a_format, b = self->b_format;
    const u32 word_bits = word_bits_of(a); /* registers are whole in k */
    const u32 values = (self->m > self->n ? self->m : self->n) / 8 * self->k;
    if (self->warp->active != WL_FULL_MASK || self->k * word_bits % (4 * 32) != 0 ||
        values > FACTOR_VALUES || self->m * self->n > TILE_ELEMENTS * WL_LANES)
        return false;
    if (factor_is_narrow_float(a)) /* sums of halves are rounded after each step */
        return factor_is_narrow_float(b) && self->k <= 2 * BLOCK_PRODUCTS &&
               self->c_format == WL_FORMAT_F32 && self->d_format == WL_FORMAT_F32;
    if (factor_is_float(a))
        return a == b && self->k <= BLOCK_PRODUCTS && values * word_bits <= FACTOR_WORDS * 32;
    return a == WL_FORMAT_F64 ||
           ((a == WL_FORMAT_S8 || a == WL_FORMAT_U8) && (b == WL_FORMAT_S8 || b == WL_FORMAT_U8));
}
#endif

/* False: nothing was done. */
static bool multiply_tile(const struct multiplication *self)
{
#ifdef __AVX2__
    if (!is_tile(self))
        return false;
    struct tile tile; /* great, and written as far as it is needed */
    tile.warp = self->warp;
    tile.d = self->d;
    tile.a = self->a;
    tile.b = self->b;
    tile.c = self->c;
    tile.row_blocks = self->m / 8;
    tile.column_blocks = self->n / 8;
    tile.k = self->k;
    tile.step = products_per_step(self);
    tile.adds_last = self->k > BLOCK_PRODUCTS;
    tile.c_is_half = self->c_format == WL_FORMAT_F16;
    tile.d_is_half = self->d_format == WL_FORMAT_F16;
    tile.saturates = self->flags & WL_MATRIX_SATURATE;
    if (self->a_format != WL_FORMAT_F64)
        return WL_EXEC(tile_multiply)(&tile, self->a_format, self->b_format);
    WL_EXEC(tile_multiply_doubles)(&tile);
    return true;
#else
    (void)self;
    return false;
#endif
}

/* Element by element. */
static __attribute__((noinline)) void multiply_elements(const struct multiplication *self)
{
    const u32 elements = self->m * self->n / WL_LANES;
    const bool is_bits = self->a_format == WL_FORMAT_B1;
    const bool is_integer = self->d_format == WL_FORMAT_S32;
    struct factors factors; /* great, and written as far as they are needed */
    factors.a.rows = self->m;
    factors.b.rows = self->n;
    factors.a.k = factors.b.k = is_bits ? self->k / 32 : self->k; /* bits are kept by words */
    factors.a.format = is_bits ? WL_FORMAT_S32 : self->a_format;
    factors.b.format = is_bits ? WL_FORMAT_S32 : self->b_format;
    read_factor(self->warp, self->a, &factors.a, true);
    read_factor(self->warp, self->b, &factors.b, false);
    if (!is_integer) {
        unpack_factor(&factors.a);
        unpack_factor(&factors.b);
    }
    u32 results[WL_LANES * 8];
    for (u32 i = 0; i < elements * WL_LANES; i++) {
        u32 row, column, e = i / WL_LANES, lane = i % WL_LANES;
        locate_sum(self->m / 8, e, lane, &row, &column);
        u32 c_bits = sum_bits(self, e, lane);
        results[i] = is_bits      ? dot_bits(self, &factors, row, column, c_bits)
                     : is_integer ? dot_integer(self, &factors, row, column, c_bits)
                                  : dot(self, &factors, row, column, c_bits);
    }
    for (u32 i = 0; i < elements * WL_LANES; i++) /* after the last read: D may be C */
        write_sum(self, i / WL_LANES, i % WL_LANES, results[i]);
}

static void multiply(const struct multiplication *self)
{
    if (multiply_tile(self))
        return;
    if (self->a_format == WL_FORMAT_F64)
        multiply_double(self);
    else
        multiply_elements(self);
}

RUN(MATRIX_MULTIPLY)
{
    struct multiplication self;
    self.warp = warp;
    self.d_format = op->count;
    self.flags = op->imm;
    self.c_format = (enum wl_matrix_format)op->spare;
    self.m = op->imm & 0xff;
    self.n = op->imm >> 8 & 0xff;
    self.k = op->imm >> 16 & 0x1ff;
    self.a_format = op->kind;
    self.b_format = op->width_bytes;
    const u32 *list = list_of(warp, op), elements = self.m * self.n / WL_LANES;
    self.d = list;
    self.a = list + (self.d_format == WL_FORMAT_F16 ? elements / 2 : elements);
    self.b = self.a + self.m * self.k * word_bits_of(self.a_format) / (32 * WL_LANES);
    self.c = self.b + self.n * self.k * word_bits_of(self.b_format) / (32 * WL_LANES);
    multiply(&self);
    return op + 1;
}

/* ---- of a warpgroup ---- */

enum { GROUP_ROWS = 16, GROUP_COLUMNS = 8, GROUP_WARPS = 4, CHUNK_BYTES = 16, SWIZZLE_ROWS = 8 };

/* A factor in shared memory: PTX ISA, "Matrix descriptor format" and "Canonical layouts". The third
 * dimension is M or N, along which rows of a K-major factor follow each other. */
struct described {
    u32 start, leading, stride; /* bytes */
    u32 swizzle_bytes;          /* 0: none */
    bool is_across;             /* M or N, not K, is contiguous */
    u32 element_bytes;
};

static struct described read_descriptor(u64 descriptor, bool is_across, u32 element_bytes)
{
    static const uint8_t swizzles[] = {0, 128, 64, 32};
    return (struct described){.start = (u32)(descriptor & 0x3fff) * CHUNK_BYTES,
                              .leading = (u32)(descriptor >> 16 & 0x3fff) * CHUNK_BYTES,
                              .stride = (u32)(descriptor >> 32 & 0x3fff) * CHUNK_BYTES,
                              .swizzle_bytes = swizzles[descriptor >> 62],
                              .is_across = is_across,
                              .element_bytes = element_bytes};
}

/* Offset in shared memory of element k of row `row`. */
static u32 offset_of(const struct described *from, u32 row, u32 k)
{
    const u32 chunks = from->swizzle_bytes ? from->swizzle_bytes / CHUNK_BYTES : 1;
    const u32 byte = (from->is_across ? row : k) * from->element_bytes;
    const u32 chunk = byte / CHUNK_BYTES, other = from->is_across ? k : row;
    u32 offset = from->start + byte % CHUNK_BYTES + other % SWIZZLE_ROWS * chunks * CHUNK_BYTES;
    if (!from->is_across)
        offset += other / SWIZZLE_ROWS * from->stride +
                  chunk * (from->swizzle_bytes ? (u32)CHUNK_BYTES : from->leading);
    else if (from->swizzle_bytes)
        offset += other / SWIZZLE_ROWS * from->stride + chunk % chunks * CHUNK_BYTES +
                  chunk / chunks * from->leading;
    else
        offset += other / SWIZZLE_ROWS * from->leading + chunk * from->stride;
    return wl_tensor_swizzle(offset, from->swizzle_bytes);
}

/* What stands in shared memory at the offset of element k of row `row`: CHUNK_BYTES of it. NULL: it
 * is not in the block's, and the warp has faulted. */
static const uint8_t *chunk_at(struct wl_warp *warp, const struct wl_op *op,
                               const struct described *from, u32 row, u32 k)
{
    const u32 limit = warp->worker->run->shared_bytes, offset = offset_of(from, row, k);
    if (wl_reach_holds(0, limit, offset, CHUNK_BYTES))
        return warp->shared + offset;
    wl_warp_fault(warp, op, WL_SIM_FAULT_ILLEGAL_ADDRESS, "illegal memory access",
                  "a matrix descriptor leads to shared offset %u, beyond the block's %u bytes",
                  offset > limit ? offset : limit, limit);
    return NULL;
}

/* Eight rows' four words from K-major rows: a chunk of each. */
static bool gather_rows(struct wl_warp *warp, const struct wl_op *op, const struct described *from,
                        u32 row, u32 k, u32 *lanes)
{
    for (u32 i = 0; i < SWIZZLE_ROWS; i++) {
        const uint8_t *chunk = chunk_at(warp, op, from, row + i, k);
        if (!chunk)
            return false;
        memcpy(lanes + 4 * i, chunk, CHUNK_BYTES);
    }
    return true;
}

/* The same of 16-bit elements whose rows lie one beside the other: a chunk has one k of eight. */
static bool gather_across(struct wl_warp *warp, const struct wl_op *op,
                          const struct described *from, u32 row, u32 k, u32 *lanes)
{
    uint16_t turned[SWIZZLE_ROWS][CHUNK_BYTES / 2];
    for (u32 i = 0; i < SWIZZLE_ROWS; i++) {
        const uint8_t *chunk = chunk_at(warp, op, from, row, k + i);
        if (!chunk)
            return false;
        memcpy(turned[i], chunk, CHUNK_BYTES);
    }
    for (u32 i = 0; i < SWIZZLE_ROWS; i++)
        for (u32 q = 0; q < 4; q++)
            lanes[4 * i + q] = turned[2 * q][i] | (u32)turned[2 * q + 1][i] << 16;
    return true;
}

/* Fills registers of a fragment with rows from `row` on. False: the warp has faulted. */
static bool gather(struct wl_warp *warp, const struct wl_op *op, const struct described *from,
                   const struct placing *placing, u32 row, const u32 *list)
{
    for (u32 r = 0; r < placing->row_blocks * placing->column_blocks; r++) {
        u32 inner, k, *lanes = lane_register(warp, list[r]);
        locate(placing, r, 0, &inner, &k);
        if (!(from->is_across ? gather_across : gather_rows)(warp, op, from, row + inner, k, lanes))
            return false;
    }
    return true;
}

static void negate(const struct wl_warp *warp, const u32 *to, const u32 *from, u32 count,
                   enum wl_matrix_format format)
{
    const u32 bits = wl_matrix_format_bits(format);
    u32 signs = 0;
    for (u32 at = bits - 1; at < 32; at += bits)
        signs |= (u32)1 << at;
    for (u32 r = 0; r < count; r++) {
        const u32 *a = lane_register(warp, from[r]);
        u32 *d = lane_register(warp, to[r]);
        WL_FOR_LANES (i)
            d[i] = a[i] ^ signs;
    }
}

/* Each warp has 16 rows of A, and all of B. The list: sums, four registers for A, two for B, one of
 * zeros; then the sums again and, where it is in registers, A. */
RUN(WARPGROUP_MULTIPLY)
{
    struct multiplication self;
    self.warp = warp;
    self.d_format = op->count;
    self.c_format = self.d_format;
    self.flags = op->imm;
    self.m = GROUP_ROWS;
    self.n = GROUP_COLUMNS;
    self.k = op->imm >> 16 & 0x1ff;
    const u32 columns = (op->imm >> 8 & 0xff) * GROUP_COLUMNS;
    const u32 per_tile = self.d_format == WL_FORMAT_F16 ? 2 : 4;
    const enum wl_matrix_format a_format = op->kind, b_format = op->width_bytes;
    const u32 bytes = wl_matrix_format_bits(a_format) / 8,
              sums = columns / GROUP_COLUMNS * per_tile;
    const struct placing a_placing = place_factor(GROUP_ROWS, self.k, a_format, true);
    const struct placing b_placing = place_factor(GROUP_COLUMNS, self.k, b_format, false);
    const u32 *list = list_of(warp, op), *a_list = list + sums, *b_list = a_list + 4;
    const u32 zeros[4] = {b_list[2], b_list[2], b_list[2], b_list[2]};
    const bool has_descriptor = op->a != UINT32_MAX;
    const bool adds = (*predicate(warp, op->c) & 1) != !!(op->flags & WL_OPF_NEGATED);
    const u32 *given = has_descriptor ? a_list : b_list + 3 + sums;
    const u64 first = __builtin_ctz(warp->active);
    if (has_descriptor) {
        const struct described a = read_descriptor(((const u64 *)lane_register(warp, op->a))[first],
                                                   op->imm & WL_GROUP_TRANSPOSED_A, bytes);
        if (!gather(warp, op, &a, &a_placing, warp->index % GROUP_WARPS * GROUP_ROWS, a_list))
            return NULL;
    }
    if (!(op->imm & WL_GROUP_NEGATED_A) != !(op->imm & WL_GROUP_NEGATED_B)) {
        negate(warp, a_list, given, 4, a_format);
        given = a_list;
    }
    const struct described b = read_descriptor(((const u64 *)lane_register(warp, op->b))[first],
                                               op->imm & WL_GROUP_TRANSPOSED_B, bytes);
    warp->products++;
    memset(lane_register(warp, zeros[0]), 0, WL_REGISTER32_BYTES);
    self.a_format = a_format;
    self.b_format = b_format;
    self.a = given;
    self.b = b_list;
    for (u32 tile = 0; tile < columns / GROUP_COLUMNS; tile++) {
        if (!gather(warp, op, &b, &b_placing, tile * GROUP_COLUMNS, b_list))
            return NULL;
        self.d = list + tile * per_tile;
        self.c = adds ? self.d : zeros;
        multiply(&self);
    }
    return op + 1;
}

RUN(WARPGROUP_COMMIT)
{
    warp->committed[warp->commits++ % WL_GROUPS_KEPT] = warp->products;
    return op + 1;
}

/* The products up to which a warp waits: of all its groups but the last `open`. */
static u32 waited_for(const struct wl_warp *warp, u64 open)
{
    if (open >= WL_GROUPS_KEPT || open >= warp->commits)
        return 0;
    return warp->committed[(warp->commits - 1 - (u32)open) % WL_GROUPS_KEPT];
}

/* A product is one of four warps (PTX ISA, asynchronous warpgroup-level matrix instructions): it is
 * done once all have come to it, and then what it read may be written by others. */
RUN(WARPGROUP_WAIT)
{
    const struct wl_cta *cta = warp->cta;
    const u32 first = warp->index / GROUP_WARPS * GROUP_WARPS,
              least = waited_for(warp, (u64)op->imm);
    for (u32 i = first; i < first + GROUP_WARPS && i < cta->warp_count; i++)
        if (cta->warps[i].status != WL_WARP_DONE && cta->warps[i].products < least) {
            warp->vain_tests++;
            warp->pc = op;
            return NULL;
        }
    warp->vain_tests = 0;
    return op + 1;
}
