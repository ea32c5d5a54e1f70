/* The video operations beside the same of one lane after the other, with all their words drawn, by
 * all executors that the processor has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/executor.h"
#include "sim/state.h"
#include "warp/kinds.h"

static const struct wl_executor_row *tables[WL_EXECUTORS_MOST];
static int table_count;

static int find_tables(void **unused)
{
    (void)unused;
    table_count = (int)wl_executor_list(tables);
    return 0;
}

static uint32_t state = 1;

static uint32_t draw(void)
{
    state ^= state << 13;
    state ^= state >> 17;
    return state ^= state << 5;
}

/* ---- one lane ---- */

static int64_t field(uint32_t value, uint32_t first, uint32_t bits, bool is_signed)
{
    const int64_t one = (int64_t)1 << bits, found = (int64_t)((uint64_t)value >> first) & (one - 1);
    return is_signed && found >= one / 2 ? found - one : found;
}

static uint32_t first_of(uint32_t part)
{
    static const uint8_t first[] = {0, 0, 8, 16, 24, 0, 16};
    return first[part];
}

static uint32_t bits_of(uint32_t part)
{
    return part == 0 ? 32 : part < 5 ? 8 : 16;
}

static bool compares(uint32_t compare, int64_t a, int64_t b)
{
    const bool results[] = {a == b, a != b, a<b, a <= b, a> b, a >= b};
    return results[compare];
}

static int64_t operate(const struct wl_video *video, int64_t a, int64_t b, int64_t c)
{
    const uint32_t shift = (uint32_t)(video->wraps ? b % 32 : b > 32 ? 32 : b);
    __extension__ __int128 product;
    switch (video->operation) {
    case WL_VIDEO_ADD:
        return a + b;
    case WL_VIDEO_SUB:
        return a - b;
    case WL_VIDEO_DIFFERENCE:
        return llabs(a - b);
    case WL_VIDEO_MIN:
        return a < b ? a : b;
    case WL_VIDEO_MAX:
        return a < b ? b : a;
    case WL_VIDEO_SHL:
        return (int64_t)((uint64_t)a << shift);
    case WL_VIDEO_SHR:
        return a >> shift;
    case WL_VIDEO_SET:
        return compares(video->compare, a, b);
    case WL_VIDEO_AVERAGE:
        return (a + b + (a + b >= 0)) >> 1;
    case WL_VIDEO_MAD:
        break;
    }
    product = a;
    product *= video->negates_product ? -b : b;
    return (int64_t)(uint64_t)(product + (video->negates_addend ? -c : c) + video->adds_one) >>
           video->scale;
}

static int64_t saturated(const struct wl_video *video, int64_t value, uint32_t bits)
{
    const int64_t least = video->d_signed ? -((int64_t)1 << (bits - 1)) : 0;
    const int64_t most = ((int64_t)1 << (bits - video->d_signed)) - 1;
    return !video->saturates ? value : value < least ? least : value > most ? most : value;
}

static uint32_t of_scalars(const struct wl_video *video, uint32_t a, uint32_t b, uint32_t c)
{
    const uint32_t bits = bits_of(video->d_part), first = first_of(video->d_part);
    const bool is_c_signed = video->a_signed || video->b_signed || video->negates_addend;
    const int64_t result = saturated(
        video,
        operate(video, field(a, first_of(video->a_part), bits_of(video->a_part), video->a_signed),
                field(b, first_of(video->b_part), bits_of(video->b_part), video->b_signed),
                field(c, 0, 32, is_c_signed)),
        bits);
    const int64_t other = field(c, 0, 32, video->d_signed);
    const bool is_less = video->d_signed ? result < other : (uint64_t)result < (uint64_t)other;
    if (video->second == 1)
        return (uint32_t)result + c;
    if (video->second)
        return is_less == (video->second == 2) ? (uint32_t)result : c;
    for (uint32_t bit = 0; bit < bits; bit++)
        c = (c & ~(1u << (first + bit))) | (uint32_t)(result >> bit & 1) << (first + bit);
    return c;
}

static uint32_t of_parts(const struct wl_video *video, uint32_t a, uint32_t b, uint32_t c)
{
    const uint32_t bits = 32 / video->lanes;
    uint32_t together = 0, sum = c;
    for (uint32_t first = 0; first < 32; first += bits) {
        const int64_t x = field(a, first, bits, video->a_signed);
        const int64_t y = field(b, first, bits, video->b_signed);
        const uint32_t result = (uint32_t)saturated(video, operate(video, x, y, 0), bits);
        together |= (uint32_t)field(result, 0, bits, false) << first;
        sum += result;
    }
    return video->second ? sum : together;
}

/* ---- executors ---- */

enum { REGISTER_BYTES = 4 * WL_LANES, ROUNDS = 40000 };
struct machine {
    struct wl_warp warp;
    uint32_t registers[3][WL_LANES] __attribute__((aligned(64)));
};

static struct wl_video draw_video(void)
{
    struct wl_video video = {.operation = draw() % (WL_VIDEO_AVERAGE + 1),
                             .second = draw() % 4,
                             .compare = draw() % 6,
                             .a_signed = draw() & 1,
                             .b_signed = draw() & 1,
                             .d_signed = draw() & 1,
                             .saturates = draw() & 1};
    const bool is_shift = video.operation == WL_VIDEO_SHL || video.operation == WL_VIDEO_SHR;
    const bool is_product = video.operation == WL_VIDEO_MAD;
    video.lanes = is_shift || is_product ? 1 : 1u << draw() % 3;
    video.b_signed &= !is_shift;
    video.wraps = is_shift && draw() & 1;
    video.second = is_product ? 0 : video.second;
    if (video.lanes > 1) {
        video.second &= 1;
        return video;
    }
    video.a_part = draw() % 7, video.b_part = draw() % 7;
    video.d_part = is_product || video.second ? 0 : draw() % 7;
    if (is_product) {
        video.scale = 7 * (draw() % 3) + (draw() & 1); /* 7 and 15 among them */
        video.adds_one = draw() & 1, video.negates_product = draw() & 1;
        video.negates_addend = draw() & 1;
    }
    return video;
}

static uint32_t draw_word(void)
{
    static const uint32_t odd[] = {0, ~0u, 1u << 31, 0x7fffffff, 0x807f80ff, 31, 32, 33};
    return draw() % 4 ? draw() >> draw() % 32 : odd[draw() % 8];
}

static void test_video(void **unused)
{
    (void)unused;
    static struct machine start, found;
    for (uint32_t round = 0; round < ROUNDS; round++) {
        const struct wl_video video = draw_video();
        const struct wl_op op = {.code = WL_OP_VIDEO,
                                 .dst = draw() % 3 * REGISTER_BYTES,
                                 .b = REGISTER_BYTES,
                                 .c = 2 * REGISTER_BYTES,
                                 .imm = wl_video_pack(video)};
        for (uint32_t i = 0; i < 3 * WL_LANES; i++)
            start.registers[i / WL_LANES][i % WL_LANES] = draw_word();
        start.warp.active = draw() & 1 ? WL_FULL_MASK : draw();
        for (int t = 0; t < table_count; t++) {
            found = start;
            found.warp.registers = (uint8_t *)found.registers;
            found.warp.is_masked = found.warp.active != WL_FULL_MASK;
            const struct wl_executor_row *row = &tables[t][op.code];
            (found.warp.is_masked ? row->masked : row->full)(&found.warp, &op);
            for (uint32_t lane = 0; lane < WL_LANES; lane++) {
                const uint32_t a = start.registers[0][lane], b = start.registers[1][lane];
                const uint32_t c = start.registers[2][lane], before = op.dst / REGISTER_BYTES;
                const uint32_t result =
                    video.lanes > 1 ? of_parts(&video, a, b, c) : of_scalars(&video, a, b, c);
                const bool is_on = start.warp.active >> lane & 1;
                const uint32_t right = is_on ? result : start.registers[before][lane];
                if (found.registers[before][lane] != right)
                    print_error("operation %d, imm 0x%llx, of %08x, %08x, %08x\n",
                                (int)video.operation, (unsigned long long)op.imm, a, b, c);
                assert_int_equal(found.registers[before][lane], right);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_video)};
    return cmocka_run_group_tests(tests, find_tables, NULL);
}
