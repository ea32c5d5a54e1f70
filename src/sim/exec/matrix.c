/* Matrix operations of a warp. Products are exact; floating-point sums are formed as tensor cores
 * do: all addends of a block are aligned to the greatest exponent, cut off, added as integers and
 * cut off once more to single precision (Fasi, Higham, Mikaitis, Pranesh, "Numerical behavior of
 * NVIDIA tensor cores", 2021). */
#include "sim/exec/narrow.h"
#include "sim/exec/placing.h"
#include "sim/exec/reach.h"
#include "sim/exec/sparse.h"
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
/* The same of a warpgroup's 8-bit floats; a sum in single precision keeps as many. As an H100 does:
 * tests/ptx/matrix/wgmma_as_h100_e*. */
#define GROUP_NARROW_FRACTION_BITS 13
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

/* Lists are of registers; behind those of a sparse A are its metadata. */
struct multiplication {
    const struct wl_warp *warp;
    const u32 *d, *a, *b, *c;
    enum wl_matrix_format d_format, a_format, b_format, c_format;
    u32 m, n, k, terms; /* of each element of the sum, products: k, or half as many */
    s64 flags;
    u32 step;          /* products added at once */
    u32 fraction_bits; /* that addends keep below the greatest exponent */
    bool adds_last;    /* c, to the sum of the products */
};

struct factors {
    struct factor a, b;
    uint8_t places[SPARSE_ROWS][FACTOR_ELEMENTS_MAX / SPARSE_ROWS]; /* in k, of A's elements; or of
                                                                     * their halves, in nibbles */
};

/* A row of A, or a column of B. */
struct line {
    const u32 *bits;
    const s32 *significand, *exponent;
};

/* Of a column of B what the elements of a sparse row are multiplied by. */
struct picked {
    u32 bits[FACTOR_ELEMENTS_MAX / SPARSE_ROWS];
    s32 significand[FACTOR_ELEMENTS_MAX / SPARSE_ROWS], exponent[FACTOR_ELEMENTS_MAX / SPARSE_ROWS];
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

static struct line line_of(const struct factor *factor, u32 row)
{
    const u32 at = row * factor->k;
    return (struct line){factor->bits + at, factor->significand + at, factor->exponent + at};
}

static void find_places(const struct multiplication *self, struct factors *factors)
{
    const enum wl_matrix_format format = self->a_format;
    const u32 kept = sparse_chunk(format) / 2;
    const u32 *metadata = lane_register(
        self->warp,
        self->a[self->m * self->terms * wl_matrix_format_bits(format) / (32 * WL_LANES)]);
    for (u32 row = 0; row < SPARSE_ROWS; row++)
        for (u32 i = 0; i < self->terms; i++) {
            const u32 chunk = i / kept;
            const struct sparse_place place =
                sparse_nibble(format, self->k, WL_MATRIX_SELECTOR_OF(self->flags), row / 8, chunk);
            const u32 nibble = metadata[row % 8 * 4 + place.lane] >> place.shift & 15;
            factors->places[row][i] =
                (uint8_t)(format == WL_FORMAT_TF32
                              ? nibble
                              : chunk * 2 * kept + sparse_index(format, nibble, i % kept));
        }
}

/* What an element of A is multiplied by: of two of 32 bits, the halves that a nibble says. */
static u32 pick_halves(const u32 *pair, u32 nibble)
{
    const u32 low = nibble & 3, high = nibble >> 2;
    return (pair[low / 2] >> 16 * (low % 2) & 0xffff) | (pair[high / 2] >> 16 * (high % 2)) << 16;
}

static struct line pick(const struct factor *b, u32 column, const uint8_t *places, u32 count,
                        struct picked *picked)
{
    const struct line all = line_of(b, column);
    for (u32 i = 0; i < count; i++)
        if (b->format == WL_FORMAT_TF32) {
            picked->bits[i] = pick_halves(all.bits + 2 * i, places[i]);
            const struct scaled scaled = unpack_narrow(picked->bits[i], b->format);
            picked->significand[i] = scaled.significand;
            picked->exponent[i] = scaled.exponent;
        } else {
            picked->bits[i] = all.bits[places[i]];
            picked->significand[i] = all.significand[places[i]];
            picked->exponent[i] = all.exponent[places[i]];
        }
    return (struct line){picked->bits, picked->significand, picked->exponent};
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

/* The bits of single precision that a sum keeps, of so many of the fraction. */
static u32 kept_mask(u32 fraction_bits)
{
    const u32 all = (u32)narrow_rows[WL_FORMAT_F32].fraction_bits;
    return fraction_bits < all ? UINT32_MAX << (all - fraction_bits) : UINT32_MAX;
}

/* Toward zero; beyond the greatest number infinite. */
static float cut_to_float(double value)
{
    if (fabs(value) >= 0x1p128)
        return copysignf(INFINITY, (float)copysign(1.0, value));
    float nearest = (float)value;
    return fabs((double)nearest) > fabs(value) ? float_of(bits_of(nearest) - 1) : nearest;
}

/* A step's addend: in the format of the sums of a warpgroup's 8-bit floats, where a subnormal half
 * counts as of the least exponent. */
struct addend {
    struct scaled value;
    s32 fraction_bits;
};

static struct addend addend_of(const struct multiplication *self, float sum)
{
    const bool is_half = self->fraction_bits < FRACTION_BITS && self->d_format == WL_FORMAT_F16;
    const enum wl_matrix_format format = is_half ? WL_FORMAT_F16 : WL_FORMAT_F32;
    const u32 bits = is_half ? float_to_half(sum) : bits_of(sum);
    return (struct addend){unpack_narrow(bits, format), narrow_rows[format].fraction_bits};
}

/* Sum of the addend and count products, as one step of the hardware. */
static double add_block(const s32 *product, const s32 *exponent, u32 count,
                        const struct addend *given, int product_fraction_bits, u32 fraction_bits)
{
    const struct scaled addend = given->value;
    s32 highest = addend.significand ? addend.exponent + given->fraction_bits : NO_EXPONENT;
    for (u32 i = 0; i < count; i++) {
        s32 place = product[i] ? exponent[i] + product_fraction_bits : NO_EXPONENT;
        highest = place > highest ? place : highest;
    }
    if (highest == NO_EXPONENT)
        return 0;
    s64 sum = 0;
    const s32 unit = highest - (s32)fraction_bits; /* exponent of the last bit kept */
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
static float add_special(const struct multiplication *self, struct line a, struct line b, float c)
{
    float sum = c;
    for (u32 k = 0; k < self->terms; k++)
        sum +=
            narrow_to_float(a.bits[k], self->a_format) * narrow_to_float(b.bits[k], self->b_format);
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

/* How hardware adds up: of tf32 fewer products at once where the shape is wmma's, of 8-bit numbers
 * of a warp BLOCK_PRODUCTS and c in the end, of a warpgroup all, and c, with fewer bits. */
static void set_steps(struct multiplication *self, bool is_group)
{
    const bool is_coarse =
        is_group && (self->a_format == WL_FORMAT_E4M3 || self->a_format == WL_FORMAT_E5M2);
    const u32 most = self->a_format == WL_FORMAT_TF32 && self->n > 8 ? 4 : BLOCK_PRODUCTS;
    self->step = self->terms < most || is_coarse ? self->terms : most;
    self->fraction_bits = is_coarse ? GROUP_NARROW_FRACTION_BITS : FRACTION_BITS;
    self->adds_last = self->terms > BLOCK_PRODUCTS && !is_coarse;
}

/* One element of the sum. */
static u32 dot(const struct multiplication *self, struct line a, struct line b, bool has_special,
               u32 c_bits)
{
    const bool is_half = self->d_format == WL_FORMAT_F16;
    float c = self->c_format == WL_FORMAT_F16 ? half_to_float(c_bits) : float_of(c_bits);
    float special = is_special(c) || has_special ? add_special(self, a, b, c) : 0;
    if (is_special(special))
        return is_half ? float_to_half(special) : bits_of(special);
    s32 product[FACTOR_ELEMENTS_MAX / 8], exponent[FACTOR_ELEMENTS_MAX / 8];
    for (u32 k = 0; k < self->terms; k++) {
        const u32 place = step_order(k, self->terms);
        product[place] = a.significand[k] * b.significand[k];
        exponent[place] = a.exponent[k] + b.exponent[k];
    }
    const int fraction_bits =
        narrow_rows[self->a_format].fraction_bits + narrow_rows[self->b_format].fraction_bits;
    float sum = self->adds_last ? 0 : c;
    for (u32 k = 0; k < self->terms; k += self->step) {
        const u32 left = self->terms - k, count = left < self->step ? left : self->step;
        const struct addend addend = addend_of(self, sum);
        double exact = add_block(product + k, exponent + k, count, &addend, fraction_bits,
                                 self->fraction_bits);
        sum = is_half ? half_to_float(double_to_half(exact))
                      : float_of(bits_of(cut_to_float(exact)) & kept_mask(self->fraction_bits));
        sum += 0.0f; /* what becomes 0 is positive */
    }
    sum = self->adds_last ? sum + c : sum;
    return is_half ? float_to_half(sum) : bits_of(sum);
}

static s32 integer_element(u32 bits, enum wl_matrix_format format)
{
    return format == WL_FORMAT_S8   ? (int8_t)bits
           : format == WL_FORMAT_S4 ? (s32)(bits << 28) >> 28
                                    : (s32)bits;
}

static u32 dot_integer(const struct multiplication *self, struct line a, struct line b, u32 c_bits)
{
    s64 sum = (s32)c_bits;
    for (u32 k = 0; k < self->terms; k++)
        sum +=
            integer_element(a.bits[k], self->a_format) * integer_element(b.bits[k], self->b_format);
    if (self->flags & WL_MATRIX_SATURATE)
        return (u32)saturate_s32(sum);
    return (u32)sum;
}

static u32 dot_bits(const struct multiplication *self, struct line a, struct line b, u32 c_bits)
{
    u32 sum = c_bits;
    for (u32 w = 0; w < self->k / 32; w++)
        sum += (u32)__builtin_popcount(self->flags & WL_MATRIX_XOR ? a.bits[w] ^ b.bits[w]
                                                                   : a.bits[w] & b.bits[w]);
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
        return factor_is_narrow_float(b) && self->terms <= 2 * BLOCK_PRODUCTS &&
               self->c_format == WL_FORMAT_F32 && self->d_format == WL_FORMAT_F32;
    if (factor_is_float(a))
        return a == b && self->terms <= BLOCK_PRODUCTS;
    return a == WL_FORMAT_F64 ||
           ((a == WL_FORMAT_S8 || a == WL_FORMAT_U8) && (b == WL_FORMAT_S8 || b == WL_FORMAT_U8));
}
#endif

/* False: nothing was done. */
static bool multiply_tile(const struct multiplication *self, const struct wl_op *op)
{
#ifdef __AVX2__
    if (!is_tile(self))
        return false;
    struct tile tile = {.warp = self->warp};
    tile.d = self->d;
    tile.a = self->a;
    tile.b = self->b;
    tile.c = self->c;
    tile.a_format = self->a_format;
    tile.b_format = self->b_format;
    tile.row_blocks = self->m / 8;
    tile.column_blocks = self->n / 8;
    tile.k = self->k;
    tile.step = self->step * (self->k / self->terms);
    tile.fraction_bits = self->fraction_bits;
    tile.kept_mask = (s32)kept_mask(self->fraction_bits);
    tile.adds_last = self->adds_last;
    tile.is_sparse = self->terms != self->k;
    tile.selector = WL_MATRIX_SELECTOR_OF(self->flags);
    tile.c_is_half = self->c_format == WL_FORMAT_F16;
    tile.d_is_half = self->d_format == WL_FORMAT_F16;
    tile.is_plain = tile.step == self->k && tile.kept_mask == -1 && !tile.adds_last &&
                    !tile.c_is_half && !tile.d_is_half;
    tile.saturates = self->flags & WL_MATRIX_SATURATE;
    if (self->a_format != WL_FORMAT_F64)
        return WL_EXEC(tile_multiply)(&tile, op);
    WL_EXEC(tile_multiply_doubles)(&tile);
    return true;
#else
    (void)self;
    (void)op;
    return false;
#endif
}

static void read_factors(const struct multiplication *self, struct factors *factors)
{
    const bool is_bits = self->a_format == WL_FORMAT_B1;
    factors->a.rows = self->m;
    factors->b.rows = self->n;
    factors->a.k = is_bits ? self->k / 32 : self->terms; /* bits are kept by words */
    factors->b.k = is_bits ? self->k / 32 : self->k;
    factors->a.format = is_bits ? WL_FORMAT_S32 : self->a_format;
    factors->b.format = is_bits ? WL_FORMAT_S32 : self->b_format;
    read_factor(self->warp, self->a, &factors->a, true);
    read_factor(self->warp, self->b, &factors->b, false);
    if (self->terms != self->k)
        find_places(self, factors);
    if (self->d_format == WL_FORMAT_S32)
        return;
    unpack_factor(&factors->a);
    unpack_factor(&factors->b);
}

/* Element by element. */
static __attribute__((noinline)) void multiply_elements(const struct multiplication *self)
{
    const u32 elements = self->m * self->n / WL_LANES;
    const bool is_bits = self->a_format == WL_FORMAT_B1;
    const bool is_integer = self->d_format == WL_FORMAT_S32;
    struct factors factors; /* great, and written as far as they are needed */
    struct picked picked;
    u32 results[WL_LANES * 8];
    read_factors(self, &factors);
    const bool is_sparse = self->terms != self->k;
    const bool has_special = /* halves may make one */
        !is_integer && (factors.a.has_special || factors.b.has_special ||
                        (is_sparse && self->a_format == WL_FORMAT_TF32));
    for (u32 i = 0; i < elements * WL_LANES; i++) {
        u32 row, column, e = i / WL_LANES, lane = i % WL_LANES;
        locate_sum(self->m / 8, e, lane, &row, &column);
        const struct line a = line_of(&factors.a, row);
        const struct line b =
            is_sparse ? pick(&factors.b, column, factors.places[row], self->terms, &picked)
                      : line_of(&factors.b, column);
        u32 c_bits = sum_bits(self, e, lane);
        results[i] = is_bits      ? dot_bits(self, a, b, c_bits)
                     : is_integer ? dot_integer(self, a, b, c_bits)
                                  : dot(self, a, b, has_special, c_bits);
    }
    for (u32 i = 0; i < elements * WL_LANES; i++) /* after the last read: D may be C */
        write_sum(self, i / WL_LANES, i % WL_LANES, results[i]);
}

/* The operation is NULL where it is one of several products. */
static void multiply(const struct multiplication *self, const struct wl_op *op)
{
    if (multiply_tile(self, op))
        return;
    if (self->a_format == WL_FORMAT_F64)
        multiply_double(self);
    else
        multiply_elements(self);
}

RUN(MATRIX_MULTIPLY)
{
#ifdef __AVX2__
    if (!warp->is_masked && WL_EXEC(tile_multiply_again)(warp, op))
        return op + 1;
#endif
    struct multiplication self;
    self.warp = warp;
    self.d_format = op->count;
    self.flags = op->imm;
    self.c_format = (enum wl_matrix_format)op->spare;
    self.m = op->imm & 0xff;
    self.n = op->imm >> 8 & 0xff;
    self.k = op->imm >> 16 & 0x1ff;
    const bool is_sparse = op->imm & WL_MATRIX_SPARSE;
    self.terms = is_sparse ? self.k / 2 : self.k;
    self.a_format = op->kind;
    self.b_format = op->width_bytes;
    const u32 *list = list_of(warp, op), elements = self.m * self.n / WL_LANES;
    self.d = list;
    self.a = list + (self.d_format == WL_FORMAT_F16 ? elements / 2 : elements);
    self.b =
        self.a + self.m * self.terms * word_bits_of(self.a_format) / (32 * WL_LANES) + is_sparse;
    self.c = self.b + self.n * self.k * word_bits_of(self.b_format) / (32 * WL_LANES);
    set_steps(&self, false);
    multiply(&self, op);
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

/* Of one tile: its lists are not set. */
static struct multiplication tile_of_group(const struct wl_warp *warp, const struct wl_op *op)
{
    const u32 k = op->imm >> 16 & 0x1ff;
    struct multiplication self = {.warp = warp,
                                  .d_format = op->count,
                                  .a_format = op->kind,
                                  .b_format = op->width_bytes,
                                  .c_format = op->count,
                                  .m = GROUP_ROWS,
                                  .n = GROUP_COLUMNS,
                                  .k = k,
                                  .terms = op->imm & WL_MATRIX_SPARSE ? k / 2 : k,
                                  .flags = op->imm};
    set_steps(&self, true);
    return self;
}

/* Each warp has 16 rows of A, and all of B. The list: sums, four registers for A, two for B (of a
 * sparse product four), one of zeros; then the sums again, A where it is in registers, and the
 * metadata. */
RUN(WARPGROUP_MULTIPLY)
{
    struct multiplication self = tile_of_group(warp, op);
    const bool is_sparse = self.terms != self.k;
    const u32 columns = (op->imm >> 8 & 0xff) * GROUP_COLUMNS;
    const u32 per_tile = self.d_format == WL_FORMAT_F16 ? 2 : 4;
    const u32 bytes = wl_matrix_format_bits(self.a_format) / 8,
              sums = columns / GROUP_COLUMNS * per_tile;
    const struct placing a_placing = place_factor(GROUP_ROWS, self.terms, self.a_format, true);
    const struct placing b_placing = place_factor(GROUP_COLUMNS, self.k, self.b_format, false);
    const u32 *list = list_of(warp, op), *a_list = list + sums, *b_list = a_list + 4;
    const u32 *zero = b_list + (is_sparse ? 4 : 2), *tail = zero + 1 + sums;
    const u32 zeros[4] = {*zero, *zero, *zero, *zero};
    const bool has_descriptor = op->a != UINT32_MAX;
    const bool adds = (*predicate(warp, op->c) & 1) != !!(op->flags & WL_OPF_NEGATED);
    const u32 *given = has_descriptor ? a_list : tail;
    const u64 first = __builtin_ctz(warp->active);
    if (has_descriptor) {
        const struct described a = read_descriptor(((const u64 *)lane_register(warp, op->a))[first],
                                                   op->imm & WL_GROUP_TRANSPOSED_A, bytes);
        if (!gather(warp, op, &a, &a_placing, warp->index % GROUP_WARPS * GROUP_ROWS, a_list))
            return NULL;
    }
    if (!(op->imm & WL_GROUP_NEGATED_A) != !(op->imm & WL_GROUP_NEGATED_B)) {
        negate(warp, a_list, given, 4, self.a_format);
        given = a_list;
    }
    const struct described b = read_descriptor(((const u64 *)lane_register(warp, op->b))[first],
                                               op->imm & WL_GROUP_TRANSPOSED_B, bytes);
    warp->products++;
    memset(lane_register(warp, zeros[0]), 0, WL_REGISTER32_BYTES);
    const u32 rows[] = {given[0], given[1], given[2], given[3],
                        is_sparse ? tail[has_descriptor ? 0 : 4] : 0};
    self.a = rows;
    self.b = b_list;
    for (u32 tile = 0; tile < columns / GROUP_COLUMNS; tile++) {
        if (!gather(warp, op, &b, &b_placing, tile * GROUP_COLUMNS, b_list))
            return NULL;
        self.d = list + tile * per_tile;
        self.c = adds ? self.d : zeros;
        multiply(&self, NULL);
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
