/* Fragments of matrices between registers and memory, and tiles of 8 x 8 halves. */
#include "sim/exec/placing.h"
#include "sim/exec/reach.h"

#ifdef __AVX2__
#include <immintrin.h>
#endif

#define RUN(id)                                                                     \
    const struct wl_op *WL_EXEC(id)(struct wl_warp * warp, const struct wl_op *op); \
    const struct wl_op *WL_EXEC(id)(struct wl_warp * warp, const struct wl_op *op)

/* How a fragment lies in registers and in memory. */
struct fragment {
    struct placing placing;
    enum wl_matrix_role role;
    enum wl_site_space space;
    enum wl_matrix_format format;
    bool is_column_major;
    u32 registers; /* that differ; the others repeat them */
    u32 run;       /* elements that follow each other in memory and in a lane's registers */
    u32 run_bits;
};

static struct fragment describe(const struct wl_op *op)
{
    const u32 rows = op->d & 0xff, columns = op->d >> 8 & 0xff;
    struct fragment self = {.role = op->d >> 16 & 3,
                            .space = op->d >> 20,
                            .format = op->kind,
                            .is_column_major = op->d >> 18 & 1};
    const u32 bits = wl_matrix_format_bits(self.format);
    self.placing = place_factor(rows, columns, self.format, self.role == WL_MATRIX_A);
    self.registers = self.placing.row_blocks * self.placing.column_blocks;
    self.run = self.is_column_major ? 1 : self.placing.per_register;
    if (self.role == WL_MATRIX_C) {
        self.placing.row_blocks = rows / 8;
        self.registers = rows * columns / WL_LANES / (bits == 16 ? 2 : 1);
        self.run = self.is_column_major ? 1 : 2;
    }
    self.run_bits = self.run * bits;
    return self;
}

/* Addresses of element index of all lanes. */
static void find_places(const struct fragment *self, u32 index, const u64 *base,
                        const u32 *dimension, u64 *address)
{
    const u32 bits = wl_matrix_format_bits(self->format), per = self->placing.per_register;
    u32 row, column, next_row, next_column;
    if (self->role == WL_MATRIX_C) {
        locate_sum(self->placing.row_blocks, index, 0, &row, &column);
        locate_sum(self->placing.row_blocks, index, 1, &next_row, &next_column);
    } else {
        locate(&self->placing, index / per, 0, &row, &column);
        locate(&self->placing, index / per, 1, &next_row, &next_column);
    }
    const u32 step = next_column - column; /* from lane to lane of a row */
    column += self->role == WL_MATRIX_C ? 0 : index % per;
    const bool is_column_major = self->is_column_major;
    WL_FOR_LANES (i) {
        const u32 x = column + ((u32)i & 3) * step, y = row + ((u32)i >> 2);
        const u32 major = is_column_major ? x : y, minor = is_column_major ? y : x;
        address[i] = base[i] + (((u64)major * dimension[i] + minor) * bits >> 3);
    }
}

#define MOVE_UNITS(type)                                                            \
    for (u32 i = 0; i < WL_LANES; i++)                                              \
        if (active >> i & 1) {                                                      \
            void *memory = (void *)(uintptr_t)(address[i] + skip);                  \
            void *cell = cells + (size_t)i * cell_bytes;                            \
            memcpy(is_load ? cell : memory, is_load ? memory : cell, sizeof(type)); \
        }

/* Copies a run of bits between memory and the registers of all lanes, in units that lie within a
 * register. */
static inline void move_units(const struct wl_warp *warp, const struct fragment *self,
                              const u32 *list, u32 index, const u64 *address, u32 active,
                              bool is_load)
{
    const u32 bits = wl_matrix_format_bits(self->format), width = bits == 64 ? 64 : 32;
    const u32 unit = self->run_bits < width ? self->run_bits : width, cell_bytes = width / 8;
    for (u32 skip = 0, bit = index * bits; skip < self->run_bits / 8;
         skip += unit / 8, bit += unit) {
        uint8_t *cells = (uint8_t *)lane_register(warp, list[bit / width]) + bit % width / 8;
        switch (unit) {
        case 8:
            MOVE_UNITS(uint8_t)
            break;
        case 16:
            MOVE_UNITS(uint16_t)
            break;
        case 32:
            MOVE_UNITS(u32)
            break;
        default:
            MOVE_UNITS(u64)
            break;
        }
    }
}

/* Copies 16 bytes of each to 32 that follow each other: in one store, as who reads them together
 * would otherwise wait for two. */
static inline void copy_halves(uint8_t *to, const uint8_t *low, const uint8_t *high)
{
#ifdef __AVX2__
    const __m256i first = _mm256_castsi128_si256(_mm_loadu_si128((const __m128i_u *)low));
    const __m128i second = _mm_loadu_si128((const __m128i_u *)high);
    _mm256_storeu_si256((__m256i_u *)to, _mm256_inserti128_si256(first, second, 1));
#else
    memcpy(to, low, 16);
    memcpy(to + 16, high, 16);
#endif
}

static bool has_one_address(const struct wl_warp *warp, const struct wl_op *op)
{
    u64 differs = 0;
    if (op->flags & WL_OPF_NO_ADDRESS)
        return true;
    const u32 *narrow = lane_register(warp, op->a);
    const u64 *wide = lane_register(warp, op->a);
    if (op->flags & WL_OPF_ADDRESS32)
        WL_FOR_LANES (i)
            differs |= narrow[i] ^ narrow[0];
    else
        WL_FOR_LANES (i)
            differs |= wide[i] ^ wide[0];
    return !differs;
}

/* Where in shared memory the lanes' one address is; UINT64_MAX: it is elsewhere. */
static u64 shared_offset(const struct wl_warp *warp, const struct wl_op *op,
                         enum wl_site_space space)
{
    const u64 address = reach_base(warp, op, 0);
    if ((address & WL_WINDOW_MASK) == WL_SHARED_WINDOW)
        return address & ~WL_WINDOW_MASK;
    return space == WL_SITE_SHARED ? address : UINT64_MAX;
}

/* Loads a factor whose rows stand in a row of lanes each as they lie in shared memory, where nobody
 * counts or records: all lanes have one address. False: nothing was done, and it goes the long way.
 */
static bool load_rows(const struct wl_warp *warp, const struct wl_op *op,
                      const struct fragment *self, const u32 *list, const u32 *dimension)
{
    const struct wl_run *run = warp->worker->run;
    const u64 bits = wl_matrix_format_bits(self->format), lane_bytes = self->run_bits / 8;
    const struct placing *placing = &self->placing;
    u32 differs = 0;
    if (self->is_column_major || self->role == WL_MATRIX_C || run->count || warp->trace ||
        warp->active != WL_FULL_MASK || !has_one_address(warp, op))
        return false;
    WL_FOR_LANES (i)
        differs |= dimension[i] ^ dimension[0];
    const u64 start = shared_offset(warp, op, self->space), row_bits = dimension[0] * bits;
    const u64 columns_bytes = placing->column_blocks * 4 * lane_bytes;
    const u64 span = (placing->row_blocks * 8 - 1) * (row_bits / 8) + columns_bytes;
    if (differs || start >= run->shared_bytes || span > run->shared_bytes - start ||
        (start * 8 | row_bits) % self->run_bits)
        return false;
    for (u32 r = 0; r < self->registers; r++) {
        u32 row, column;
        locate(placing, r, 0, &row, &column);
        const uint8_t *from = warp->shared + start + row * (row_bits / 8) + column * bits / 8;
        uint8_t *to = lane_register(warp, list[r]);
        if (lane_bytes == 8)
            for (u32 y = 0; y < 8; y++, from += row_bits / 8)
                copy_halves(to + 32 * (size_t)y, from, from + 16);
        else
            for (u32 y = 0; y < 8; y += 2, from += 2 * (row_bits / 8))
                copy_halves(to + 16 * (size_t)y, from, from + row_bits / 8);
    }
    return true;
}

static inline __attribute__((always_inline)) const struct wl_op *
move_fragment(struct wl_warp *warp, const struct wl_op *op, bool is_load)
{
    const struct fragment self = describe(op);
    const u32 *list = list_of(warp, op), *dimension = lane_register(warp, op->b);
    const u32 per = self.format == WL_FORMAT_F64 ? 1 : 32 / wl_matrix_format_bits(self.format);
    u64 base[WL_LANES], address[WL_LANES];
    const bool is_done = is_load && load_rows(warp, op, &self, list, dimension);
    for (u32 lane = 0; lane < WL_LANES && !is_done; lane++)
        base[lane] = reach_base(warp, op, lane);
    for (u32 index = 0; index < self.registers * per && !is_done; index += self.run) {
        find_places(&self, index, base, dimension, address);
        if (!reach_memory(warp, op, self.space, is_load ? WL_SITE_LOAD : WL_SITE_STORE,
                          self.run_bits / 8, address))
            return NULL;
        if (warp->active == WL_FULL_MASK)
            move_units(warp, &self, list, index, address, WL_FULL_MASK, is_load);
        else
            move_units(warp, &self, list, index, address, warp->active, is_load);
    }
    const u32 active = warp->active;
    for (u32 r = self.registers; is_load && r < op->count; r++) {
        const u32 *from = lane_register(warp, list[r % self.registers]);
        u32 *to = lane_register(warp, list[r]);
        WL_FOR_LANES (i)
            to[i] = active >> i & 1 ? from[i] : to[i];
    }
    return op + 1;
}

RUN(FRAGMENT_LOAD)
{
    return move_fragment(warp, op, true);
}

RUN(FRAGMENT_STORE)
{
    return move_fragment(warp, op, false);
}

/* All rows of tiles that lie as their registers do. */
static void move_rows(const struct wl_warp *warp, const u32 *list, u32 rows, const u64 *address,
                      bool is_load)
{
    for (u32 i = 0; i < rows; i++) {
        u32 *cells = (u32 *)lane_register(warp, list[i / 8]) + i % 8 * 4;
        void *memory = (void *)(uintptr_t)address[i];
        memcpy(is_load ? cells : memory, is_load ? memory : cells, 16);
    }
}

/* Transposed tiles, of which all rows are there. */
static void load_transposed(const struct wl_warp *warp, const u32 *list, u32 rows,
                            const u64 *address)
{
    for (u32 tile = 0; tile < rows / 8; tile++) {
        uint16_t half[8][8];
        u32 *d = lane_register(warp, list[tile]);
        for (u32 row = 0; row < 8; row++)
            memcpy(half[row], (const void *)(uintptr_t)address[tile * 8 + row], sizeof half[row]);
        for (u32 lane = 0; lane < WL_LANES; lane++)
            d[lane] = half[lane % 4 * 2][lane / 4] | (u32)half[lane % 4 * 2 + 1][lane / 4] << 16;
    }
}

/* Lane 8 i + j has the address of row j of tile i. */
static const struct wl_op *move_tiles(struct wl_warp *warp, const struct wl_op *op, bool is_load)
{
    const u32 *list = list_of(warp, op), active = warp->active;
    const u32 rows = 8u * op->count;
    u64 address[WL_LANES];
    for (u32 lane = 0; lane < WL_LANES; lane++)
        address[lane] = reach_base(warp, op, lane);
    set_active(warp, rows == WL_LANES ? active : active & ((1u << rows) - 1));
    bool is_good =
        !warp->active ||
        reach_memory(warp, op, op->d, is_load ? WL_SITE_LOAD : WL_SITE_STORE, 16, address);
    u32 present = warp->active;
    set_active(warp, active);
    if (!is_good)
        return NULL;
    if (active == WL_FULL_MASK && (is_load || !op->kind)) {
        if (op->kind)
            load_transposed(warp, list, rows, address);
        else
            move_rows(warp, list, rows, address, is_load);
        return op + 1;
    }
    for (u32 i = 0; i < 2 * rows * 4; i++) {
        const u32 tile = i / 64, row = i / 8 % 8, column = i % 8;
        const u32 lane = op->kind ? column * 4 + row / 2 : row * 4 + column / 2;
        const u32 half = op->kind ? row & 1 : column & 1;
        uint8_t *cell = (uint8_t *)((u32 *)lane_register(warp, list[tile]) + lane) + 2 * half;
        void *memory = (void *)(uintptr_t)(address[tile * 8 + row] + 2ull * column);
        if (!(present >> (tile * 8 + row) & 1) || !(active >> lane & 1))
            continue;
        if (is_load)
            memcpy(cell, memory, 2);
        else
            memcpy(memory, cell, 2);
    }
    return op + 1;
}

RUN(TILE_LOAD)
{
    return move_tiles(warp, op, true);
}

RUN(TILE_STORE)
{
    return move_tiles(warp, op, false);
}

RUN(TILE_TRANSPOSE)
{
    const u32 *a = lane_register(warp, op->a);
    u32 *d = lane_register(warp, op->dst), result[WL_LANES];
    for (u32 lane = 0; lane < WL_LANES; lane++) {
        const u32 row = lane >> 2, column = (lane & 3) * 2;
        u32 low = a[column * 4 + row / 2] >> (16 * (row & 1)) & 0xffffu;
        u32 high = a[(column + 1) * 4 + row / 2] >> (16 * (row & 1)) & 0xffffu;
        result[lane] = low | high << 16;
    }
    for (u32 lane = 0; lane < WL_LANES; lane++)
        d[lane] = warp->active >> lane & 1 ? result[lane] : d[lane];
    return op + 1;
}
