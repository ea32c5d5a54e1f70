/* Wavefronts against readings of an H200 (bench/gpu/memory/banks.cu) and against a plain reference.
 */
#include "sim/banks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct wl_gpu gpu = {.shared_banks = 32, .shared_bank_bytes = 4};

/* Lane l of mask is at l / divide % modulo * step; read on the H200: wavefronts, ideal, pipe
 * wavefronts, conflicts. */
struct reading {
    enum wl_bank_access access;
    uint32_t width_bytes, mask, divide, modulo, step;
    struct wl_bank_result result;
};

/* clang-format off */
static const struct reading readings[] = {
    {WL_BANK_LOAD, 1, 0xffffffff, 1, 32, 1, {1, 1, 1, 0}},
    {WL_BANK_LOAD, 1, 0xffffffff, 1, 32, 8, {2, 1, 2, 1}},
    {WL_BANK_LOAD, 1, 0xffffffff, 1, 32, 32, {8, 1, 8, 7}},
    {WL_BANK_LOAD, 4, 0xffffffff, 1, 32, 4, {1, 1, 1, 0}},
    {WL_BANK_LOAD, 4, 0xffffffff, 1, 32, 32, {8, 1, 8, 7}},
    {WL_BANK_LOAD, 4, 0xffffffff, 1, 32, 128, {32, 1, 32, 31}},
    {WL_BANK_LOAD, 8, 0xffffffff, 1, 32, 8, {2, 2, 2, 0}},
    {WL_BANK_LOAD, 8, 0xffffffff, 1, 32, 16, {4, 2, 4, 2}},
    {WL_BANK_LOAD, 8, 0xffffffff, 1, 32, 24, {2, 2, 2, 0}},
    {WL_BANK_LOAD, 8, 0xffffffff, 1, 32, 32, {8, 2, 8, 6}},
    {WL_BANK_LOAD, 8, 0xffffffff, 1, 32, 64, {16, 2, 16, 14}},
    {WL_BANK_LOAD, 8, 0xffffffff, 1, 32, 256, {32, 2, 32, 30}},
    {WL_BANK_LOAD, 8, 0x00000001, 1, 32, 8, {1, 1, 1, 0}},
    {WL_BANK_LOAD, 8, 0x000000ff, 1, 32, 8, {1, 1, 1, 0}},
    {WL_BANK_LOAD, 8, 0x0000ffff, 1, 32, 8, {1, 1, 1, 0}},
    {WL_BANK_LOAD, 8, 0x00ff00ff, 1, 32, 8, {2, 1, 2, 0}},
    {WL_BANK_LOAD, 8, 0x55555555, 1, 32, 8, {2, 1, 2, 1}},
    {WL_BANK_LOAD, 8, 0x33333333, 1, 32, 8, {2, 1, 2, 1}},
    {WL_BANK_LOAD, 8, 0xffff0000, 1, 32, 8, {1, 1, 1, 0}},
    {WL_BANK_LOAD, 8, 0xffffffff, 2, 16, 8, {1, 1, 1, 0}},
    {WL_BANK_LOAD, 8, 0xffffffff, 4, 8, 8, {1, 1, 1, 0}},
    {WL_BANK_LOAD, 8, 0xffffffff, 8, 4, 8, {1, 1, 1, 0}},
    {WL_BANK_LOAD, 8, 0xffffffff, 1, 1, 0, {1, 1, 1, 0}},
    {WL_BANK_LOAD, 8, 0xffffffff, 1, 2, 8, {1, 1, 1, 0}},
    {WL_BANK_LOAD, 8, 0xffffffff, 1, 2, 16, {1, 1, 1, 0}},
    {WL_BANK_LOAD, 8, 0xffffffff, 1, 2, 32, {1, 1, 1, 0}},
    {WL_BANK_LOAD, 8, 0xffffffff, 1, 2, 64, {1, 1, 1, 0}},
    {WL_BANK_LOAD, 8, 0xffffffff, 1, 4, 8, {2, 2, 2, 0}},
    {WL_BANK_LOAD, 8, 0xffffffff, 1, 4, 16, {2, 2, 2, 0}},
    {WL_BANK_LOAD, 8, 0xffffffff, 1, 4, 32, {2, 2, 2, 0}},
    {WL_BANK_LOAD, 8, 0xffffffff, 1, 4, 64, {4, 2, 4, 2}},
    {WL_BANK_LOAD, 8, 0xffffffff, 1, 8, 8, {2, 2, 2, 0}},
    {WL_BANK_LOAD, 8, 0xffffffff, 1, 8, 16, {2, 2, 2, 0}},
    {WL_BANK_LOAD, 8, 0xffffffff, 1, 8, 32, {4, 2, 4, 2}},
    {WL_BANK_LOAD, 8, 0xffffffff, 1, 8, 64, {8, 2, 8, 6}},
    {WL_BANK_LOAD, 8, 0xffffffff, 1, 16, 8, {2, 2, 2, 0}},
    {WL_BANK_LOAD, 8, 0xffffffff, 1, 16, 16, {4, 2, 4, 2}},
    {WL_BANK_LOAD, 8, 0xffffffff, 1, 16, 32, {8, 2, 8, 6}},
    {WL_BANK_LOAD, 8, 0xffffffff, 1, 16, 64, {16, 2, 16, 14}},
    {WL_BANK_LOAD, 16, 0xffffffff, 1, 32, 16, {4, 4, 4, 0}},
    {WL_BANK_LOAD, 16, 0xffffffff, 1, 32, 32, {8, 4, 8, 4}},
    {WL_BANK_LOAD, 16, 0xffffffff, 1, 32, 48, {4, 4, 4, 0}},
    {WL_BANK_LOAD, 16, 0xffffffff, 1, 32, 64, {16, 4, 16, 12}},
    {WL_BANK_LOAD, 16, 0xffffffff, 1, 32, 128, {32, 4, 32, 28}},
    {WL_BANK_LOAD, 16, 0xffffffff, 1, 32, 512, {32, 4, 32, 28}},
    {WL_BANK_LOAD, 16, 0x00000001, 1, 32, 16, {1, 1, 1, 0}},
    {WL_BANK_LOAD, 16, 0x000000ff, 1, 32, 16, {1, 1, 1, 0}},
    {WL_BANK_LOAD, 16, 0x0000ffff, 1, 32, 16, {2, 2, 2, 0}},
    {WL_BANK_LOAD, 16, 0x00ff00ff, 1, 32, 16, {2, 2, 2, 0}},
    {WL_BANK_LOAD, 16, 0x55555555, 1, 32, 16, {4, 2, 4, 2}},
    {WL_BANK_LOAD, 16, 0x33333333, 1, 32, 16, {4, 2, 4, 2}},
    {WL_BANK_LOAD, 16, 0xffff0000, 1, 32, 16, {2, 2, 2, 0}},
    {WL_BANK_LOAD, 16, 0xffffffff, 2, 16, 16, {2, 2, 2, 0}},
    {WL_BANK_LOAD, 16, 0xffffffff, 4, 8, 16, {2, 2, 2, 0}},
    {WL_BANK_LOAD, 16, 0xffffffff, 8, 4, 16, {2, 2, 2, 0}},
    {WL_BANK_LOAD, 16, 0xffffffff, 1, 1, 0, {2, 2, 2, 0}},
    {WL_BANK_LOAD, 16, 0xffffffff, 1, 2, 16, {2, 2, 2, 0}},
    {WL_BANK_LOAD, 16, 0xffffffff, 1, 2, 32, {2, 2, 2, 0}},
    {WL_BANK_LOAD, 16, 0xffffffff, 1, 2, 64, {2, 2, 2, 0}},
    {WL_BANK_LOAD, 16, 0xffffffff, 1, 2, 128, {8, 4, 4, 2}},
    {WL_BANK_LOAD, 16, 0xffffffff, 1, 4, 16, {4, 4, 4, 0}},
    {WL_BANK_LOAD, 16, 0xffffffff, 1, 4, 32, {4, 4, 4, 0}},
    {WL_BANK_LOAD, 16, 0xffffffff, 1, 4, 64, {8, 4, 8, 4}},
    {WL_BANK_LOAD, 16, 0xffffffff, 1, 4, 128, {16, 4, 16, 12}},
    {WL_BANK_LOAD, 16, 0xffffffff, 1, 8, 16, {4, 4, 4, 0}},
    {WL_BANK_LOAD, 16, 0xffffffff, 1, 8, 32, {8, 4, 8, 4}},
    {WL_BANK_LOAD, 16, 0xffffffff, 1, 8, 64, {16, 4, 16, 12}},
    {WL_BANK_LOAD, 16, 0xffffffff, 1, 8, 128, {32, 4, 32, 28}},
    {WL_BANK_LOAD, 16, 0xffffffff, 1, 16, 16, {4, 4, 4, 0}},
    {WL_BANK_LOAD, 16, 0xffffffff, 1, 16, 32, {8, 4, 8, 4}},
    {WL_BANK_LOAD, 16, 0xffffffff, 1, 16, 64, {16, 4, 16, 12}},
    {WL_BANK_LOAD, 16, 0xffffffff, 1, 16, 128, {32, 4, 32, 28}},
    {WL_BANK_STORE, 1, 0xffffffff, 1, 32, 1, {1, 1, 1, 0}},
    {WL_BANK_STORE, 1, 0xffffffff, 1, 32, 8, {2, 1, 2, 1}},
    {WL_BANK_STORE, 1, 0xffffffff, 1, 32, 32, {8, 1, 8, 7}},
    {WL_BANK_STORE, 4, 0xffffffff, 1, 32, 4, {1, 1, 1, 0}},
    {WL_BANK_STORE, 4, 0xffffffff, 1, 32, 32, {8, 1, 8, 7}},
    {WL_BANK_STORE, 4, 0xffffffff, 1, 32, 128, {32, 1, 32, 31}},
    {WL_BANK_STORE, 8, 0xffffffff, 1, 32, 8, {2, 2, 2, 0}},
    {WL_BANK_STORE, 8, 0xffffffff, 1, 32, 16, {4, 2, 4, 2}},
    {WL_BANK_STORE, 8, 0xffffffff, 1, 32, 24, {2, 2, 2, 0}},
    {WL_BANK_STORE, 8, 0xffffffff, 1, 32, 32, {8, 2, 8, 6}},
    {WL_BANK_STORE, 8, 0xffffffff, 1, 32, 64, {16, 2, 16, 14}},
    {WL_BANK_STORE, 8, 0xffffffff, 1, 32, 256, {32, 2, 32, 30}},
    {WL_BANK_STORE, 8, 0x00000001, 1, 32, 8, {1, 1, 1, 0}},
    {WL_BANK_STORE, 8, 0x000000ff, 1, 32, 8, {1, 1, 1, 0}},
    {WL_BANK_STORE, 8, 0x0000ffff, 1, 32, 8, {1, 1, 1, 0}},
    {WL_BANK_STORE, 8, 0x00ff00ff, 1, 32, 8, {2, 1, 2, 0}},
    {WL_BANK_STORE, 8, 0x55555555, 1, 32, 8, {2, 1, 2, 0}},
    {WL_BANK_STORE, 8, 0x33333333, 1, 32, 8, {2, 1, 2, 0}},
    {WL_BANK_STORE, 8, 0xffff0000, 1, 32, 8, {1, 1, 1, 0}},
    {WL_BANK_STORE, 8, 0xffffffff, 2, 16, 8, {2, 2, 2, 0}},
    {WL_BANK_STORE, 8, 0xffffffff, 4, 8, 8, {2, 2, 2, 0}},
    {WL_BANK_STORE, 8, 0xffffffff, 8, 4, 8, {2, 2, 2, 0}},
    {WL_BANK_STORE, 16, 0xffffffff, 1, 32, 16, {4, 4, 4, 0}},
    {WL_BANK_STORE, 16, 0xffffffff, 1, 32, 32, {8, 4, 8, 4}},
    {WL_BANK_STORE, 16, 0xffffffff, 1, 32, 48, {4, 4, 4, 0}},
    {WL_BANK_STORE, 16, 0xffffffff, 1, 32, 64, {16, 4, 16, 12}},
    {WL_BANK_STORE, 16, 0xffffffff, 1, 32, 128, {32, 4, 32, 28}},
    {WL_BANK_STORE, 16, 0xffffffff, 1, 32, 512, {32, 4, 32, 28}},
    {WL_BANK_STORE, 16, 0x00000001, 1, 32, 16, {1, 1, 1, 0}},
    {WL_BANK_STORE, 16, 0x000000ff, 1, 32, 16, {1, 1, 1, 0}},
    {WL_BANK_STORE, 16, 0x0000ffff, 1, 32, 16, {2, 2, 2, 0}},
    {WL_BANK_STORE, 16, 0x00ff00ff, 1, 32, 16, {2, 2, 2, 0}},
    {WL_BANK_STORE, 16, 0x55555555, 1, 32, 16, {4, 2, 4, 0}},
    {WL_BANK_STORE, 16, 0x33333333, 1, 32, 16, {4, 2, 4, 0}},
    {WL_BANK_STORE, 16, 0xffff0000, 1, 32, 16, {2, 2, 2, 0}},
    {WL_BANK_STORE, 16, 0xffffffff, 2, 16, 16, {4, 4, 4, 0}},
    {WL_BANK_STORE, 16, 0xffffffff, 4, 8, 16, {4, 4, 4, 0}},
    {WL_BANK_STORE, 16, 0xffffffff, 8, 4, 16, {4, 4, 4, 0}},
    {WL_BANK_ATOMIC, 4, 0xffffffff, 1, 32, 4, {1, 1, 1, 0}},
    {WL_BANK_ATOMIC, 4, 0xffffffff, 1, 32, 8, {2, 1, 2, 1}},
    {WL_BANK_ATOMIC, 4, 0xffffffff, 1, 32, 128, {32, 1, 32, 31}},
    {WL_BANK_ATOMIC, 4, 0xffffffff, 1, 1, 0, {32, 1, 32, 31}},
    {WL_BANK_ATOMIC, 4, 0xffffffff, 1, 2, 4, {16, 1, 16, 15}},
    {WL_BANK_ATOMIC, 4, 0xffffffff, 1, 4, 4, {8, 1, 8, 7}},
    {WL_BANK_ATOMIC, 4, 0xffffffff, 1, 16, 4, {2, 1, 2, 1}},
    {WL_BANK_ATOMIC, 4, 0x000000ff, 1, 1, 0, {8, 1, 8, 7}},
    {WL_BANK_ATOMIC, 4, 0xffffffff, 2, 16, 4, {2, 1, 2, 1}},
    {WL_BANK_ATOMIC, 4, 0xffffffff, 2, 16, 128, {32, 1, 32, 31}},
    {WL_BANK_CAS, 4, 0xffffffff, 1, 32, 4, {2, 2, 2, 0}},
    {WL_BANK_CAS, 4, 0xffffffff, 1, 32, 8, {4, 2, 4, 1}},
    {WL_BANK_CAS, 4, 0xffffffff, 1, 32, 128, {64, 2, 64, 31}},
    {WL_BANK_CAS, 4, 0xffffffff, 1, 1, 0, {64, 2, 64, 31}},
    {WL_BANK_CAS, 4, 0xffffffff, 1, 2, 4, {32, 2, 32, 15}},
    {WL_BANK_CAS, 4, 0xffffffff, 1, 4, 4, {16, 2, 16, 7}},
    {WL_BANK_CAS, 4, 0xffffffff, 1, 16, 4, {4, 2, 4, 1}},
    {WL_BANK_CAS, 4, 0x000000ff, 1, 1, 0, {16, 2, 16, 7}},
    {WL_BANK_CAS, 4, 0xffffffff, 2, 16, 4, {4, 2, 4, 1}},
    {WL_BANK_CAS, 4, 0xffffffff, 2, 16, 128, {64, 2, 64, 31}},
    {WL_BANK_CAS, 8, 0xffffffff, 1, 32, 8, {4, 4, 4, 0}},
    {WL_BANK_CAS, 8, 0xffffffff, 1, 32, 16, {8, 4, 8, 2}},
    {WL_BANK_CAS, 8, 0xffffffff, 1, 32, 128, {64, 4, 64, 30}},
    {WL_BANK_CAS, 8, 0xffffffff, 1, 1, 0, {64, 4, 64, 30}},
    {WL_BANK_CAS, 8, 0xffffffff, 1, 2, 8, {32, 4, 32, 14}},
    {WL_BANK_CAS, 8, 0xffffffff, 1, 8, 8, {8, 4, 8, 2}},
    {WL_BANK_CAS, 8, 0xffffffff, 1, 16, 8, {4, 4, 4, 0}},
    {WL_BANK_CAS, 8, 0x0000ffff, 1, 32, 8, {2, 2, 2, 0}},
    {WL_BANK_CAS, 8, 0x000000ff, 1, 1, 0, {16, 2, 16, 7}},
};

/* Scattered loads: width, mask, addresses; the readings as above. */
static const struct {
    uint32_t width_bytes, mask, address[32];
    struct wl_bank_result result;
} scattered[] = {
    {8, 0x00000001,
     {0, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96, 104, 112, 120,
      128, 136, 144, 152, 160, 168, 176, 184, 192, 200, 208, 216, 224, 232, 240, 248},
     {1, 1, 1, 0}},
    {8, 0x55555555,
     {0, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96, 104, 112, 120,
      128, 136, 144, 152, 160, 168, 176, 184, 192, 200, 208, 216, 224, 232, 240, 248},
     {2, 1, 2, 1}},
    {16, 0x000000ff,
     {0, 16, 32, 48, 64, 80, 96, 112, 128, 144, 160, 176, 192, 208, 224, 240,
      256, 272, 288, 304, 320, 336, 352, 368, 384, 400, 416, 432, 448, 464, 480, 496},
     {1, 1, 1, 0}},
    {16, 0x33333333,
     {0, 16, 32, 48, 64, 80, 96, 112, 128, 144, 160, 176, 192, 208, 224, 240,
      256, 272, 288, 304, 320, 336, 352, 368, 384, 400, 416, 432, 448, 464, 480, 496},
     {4, 2, 4, 2}},
    {8, 0x2ace861a,
     {248, 248, 248, 248, 240, 240, 240, 240, 240, 240, 240, 240, 240, 240, 240, 240,
      248, 248, 248, 248, 248, 248, 248, 248, 240, 240, 240, 240, 240, 240, 240, 240},
     {1, 1, 1, 0}},
    {8, 0x42e094a9,
     {424, 424, 416, 416, 392, 392, 384, 384, 392, 392, 408, 408, 384, 384, 376, 376,
      416, 416, 408, 408, 424, 424, 424, 424, 408, 408, 408, 408, 416, 416, 400, 400},
     {1, 1, 1, 0}},
    {8, 0x43adebe1,
     {64, 128, 24, 64, 32, 200, 128, 176, 224, 160, 96, 200, 144, 128, 48, 112,
      232, 184, 56, 144, 216, 176, 96, 88, 128, 240, 88, 96, 40, 216, 240, 176},
     {3, 2, 3, 1}},
    {8, 0xffffffff,
     {1912, 1912, 1912, 1912, 1096, 1096, 1096, 1096, 832, 832, 832, 832, 608, 608, 608, 608,
      360, 360, 360, 360, 1256, 1256, 1256, 1256, 728, 728, 728, 728, 328, 328, 328, 328},
     {3, 2, 2, 1}},
    {8, 0x0e4ac26e,
     {488, 488, 488, 488, 1032, 1032, 1032, 1032, 984, 984, 984, 984, 832, 832, 832, 832,
      288, 288, 288, 288, 832, 832, 832, 832, 1024, 1024, 1024, 1024, 1160, 1160, 1160, 1160},
     {1, 1, 1, 0}},
    {8, 0xffffffff,
     {720, 720, 752, 752, 624, 624, 560, 560, 664, 664, 712, 712, 544, 544, 752, 752,
      752, 752, 528, 528, 616, 616, 536, 536, 648, 648, 568, 568, 608, 608, 552, 552},
     {3, 2, 2, 1}},
    {16, 0x54f3d2f6,
     {512, 512, 512, 512, 496, 496, 496, 496, 528, 528, 528, 528, 512, 512, 512, 512,
      480, 480, 480, 480, 496, 496, 496, 496, 528, 528, 528, 528, 528, 528, 528, 528},
     {2, 2, 2, 0}},
    {16, 0xa3b8f165,
     {736, 752, 752, 768, 752, 784, 736, 736, 768, 752, 736, 736, 784, 752, 736, 768,
      752, 752, 768, 736, 784, 752, 784, 784, 752, 736, 736, 752, 752, 768, 768, 768},
     {4, 3, 4, 0}},
    {16, 0xffffffff,
     {512, 512, 512, 512, 640, 640, 640, 640, 640, 640, 640, 640, 464, 464, 464, 464,
      560, 560, 560, 560, 480, 480, 480, 480, 464, 464, 464, 464, 592, 592, 592, 592},
     {6, 4, 4, 2}},
    {16, 0x4dbca7b3,
     {720, 736, 720, 736, 736, 736, 736, 736, 720, 720, 720, 720, 736, 736, 736, 736,
      736, 720, 736, 720, 720, 720, 720, 720, 736, 736, 736, 736, 720, 736, 720, 736},
     {2, 2, 2, 0}},
};
/* clang-format on */

static void check(const struct wl_bank_result *got, const struct wl_bank_result *expected)
{
    assert_int_equal(got->wavefronts, expected->wavefronts);
    assert_int_equal(got->ideal, expected->ideal);
    assert_int_equal(got->pipe_wavefronts, expected->pipe_wavefronts);
    assert_int_equal(got->conflicts, expected->conflicts);
}

static void test_regular_patterns_as_on_hardware(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof readings / sizeof readings[0]; i++) {
        const struct reading *reading = &readings[i];
        uint32_t address[32];
        for (uint32_t lane = 0; lane < 32; lane++)
            address[lane] = lane / reading->divide % reading->modulo * reading->step;
        struct wl_bank_result result =
            wl_banks_count(&gpu, address, reading->mask, reading->width_bytes, reading->access);
        check(&result, &reading->result);
    }
}

static void test_scattered_loads_as_on_hardware(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof scattered / sizeof scattered[0]; i++) {
        struct wl_bank_result result = wl_banks_count(&gpu, scattered[i].address, scattered[i].mask,
                                                      scattered[i].width_bytes, WL_BANK_LOAD);
        check(&result, &scattered[i].result);
    }
}

/* The fullest bank's distinct words among the lanes, by comparing all with all. */
static uint32_t plain_degree(const uint32_t address[32], uint32_t mask)
{
    uint32_t most = 0;
    for (uint32_t bank = 0; bank < 32; bank++) {
        uint32_t count = 0;
        for (uint32_t lane = 0; lane < 32; lane++) {
            bool is_first = (mask >> lane & 1) && address[lane] / 4 % 32 == bank;
            for (uint32_t other = 0; other < lane; other++)
                is_first &= !((mask >> other & 1) && address[other] / 4 == address[lane] / 4);
            count += is_first;
        }
        most = count > most ? count : most;
    }
    return most;
}

static void test_random_words_against_reference(void **state)
{
    (void)state;
    srand(1);
    for (int round = 0; round < 2000; round++) {
        uint32_t address[32], mask = (uint32_t)rand() << 1 | (round & 1);
        uint32_t words = 1u << (1 + round % 12);
        for (int lane = 0; lane < 32; lane++)
            address[lane] = (uint32_t)rand() % words * 4;
        uint32_t degree = plain_degree(address, mask);
        for (enum wl_bank_access access = WL_BANK_LOAD; access <= WL_BANK_STORE; access++) {
            struct wl_bank_result result = wl_banks_count(&gpu, address, mask, 4, access);
            assert_int_equal(result.wavefronts, degree);
            assert_int_equal(result.pipe_wavefronts, degree);
            assert_int_equal(result.ideal, mask ? 1 : 0);
            assert_int_equal(result.conflicts, degree - (mask != 0));
        }
    }
}

static void test_no_lane_no_wavefront(void **state)
{
    (void)state;
    const uint32_t address[32] = {0};
    const struct wl_bank_result none = {0, 0, 0, 0};
    for (uint32_t width_bytes = 1; width_bytes <= 16; width_bytes *= 2) {
        struct wl_bank_result result = wl_banks_count(&gpu, address, 0, width_bytes, WL_BANK_LOAD);
        check(&result, &none);
    }
}

/* Kepler's other mode: two neighbouring words lie in one 8-byte bank. */
static void test_eight_byte_banks(void **state)
{
    (void)state;
    const struct wl_gpu kepler = {.shared_banks = 32, .shared_bank_bytes = 8};
    uint32_t address[32];
    for (uint32_t lane = 0; lane < 32; lane++)
        address[lane] = lane * 8;
    struct wl_bank_result result = wl_banks_count(&kepler, address, 0xffffffffu, 8, WL_BANK_LOAD);
    check(&result, &(struct wl_bank_result){1, 1, 1, 0});
    result = wl_banks_count(&kepler, address, 0xffffffffu, 4, WL_BANK_LOAD);
    check(&result, &(struct wl_bank_result){1, 1, 1, 0});
    for (uint32_t lane = 0; lane < 32; lane++)
        address[lane] = lane * 256;
    result = wl_banks_count(&kepler, address, 0xffffffffu, 4, WL_BANK_STORE);
    check(&result, &(struct wl_bank_result){32, 1, 32, 31});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_regular_patterns_as_on_hardware),
        cmocka_unit_test(test_scattered_loads_as_on_hardware),
        cmocka_unit_test(test_random_words_against_reference),
        cmocka_unit_test(test_no_lane_no_wavefront),
        cmocka_unit_test(test_eight_byte_banks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
