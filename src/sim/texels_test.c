/* Fetches of all lanes at once give what each lane's fetch alone gives, whatever the texture is and
 * wherever the coordinates lead, at every level of the host's instructions. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/count.h"
#include "base/memory.h"
#include "sim/exec/texels.h"

enum { BYTES = 1 << 16, ROUNDS = 30000 };

#define LEVEL(level)                                                                             \
    void wl_exec_texels_fetch_##level(const struct wl_texture *, const struct texel_request *,   \
                                      struct texels *);                                          \
    bool wl_exec_texels_fetch_lanes_##level(const struct wl_texture *, enum wl_texture_geometry, \
                                            bool, const u32 *const[4], u32(*)[WL_LANES]);
#ifdef __x86_64__
LEVEL(v2)
LEVEL(v3)
LEVEL(v4)
#else
LEVEL(v1)
#endif

static const struct level {
    const char *name;
    void (*fetch)(const struct wl_texture *, const struct texel_request *, struct texels *);
    bool (*fetch_lanes)(const struct wl_texture *, enum wl_texture_geometry, bool,
                        const u32 *const[4], u32 (*)[WL_LANES]);
} levels[] = {
#ifdef __x86_64__
    {"x86-64-v2", wl_exec_texels_fetch_v2, wl_exec_texels_fetch_lanes_v2},
    {"x86-64-v3", wl_exec_texels_fetch_v3, wl_exec_texels_fetch_lanes_v3},
    {"x86-64-v4", wl_exec_texels_fetch_v4, wl_exec_texels_fetch_lanes_v4},
#else
    {NULL, wl_exec_texels_fetch_v1, wl_exec_texels_fetch_lanes_v1},
#endif
};

static bool is_there(const struct level *level)
{
#ifdef __x86_64__
    if (strcmp(level->name, "x86-64-v4") == 0)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
               __builtin_cpu_supports("avx512cd");
    if (strcmp(level->name, "x86-64-v3") == 0)
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
               __builtin_cpu_supports("bmi2");
    return true;
#else
    return level->name == NULL;
#endif
}

static uint32_t state_of_random = 1;

static uint32_t draw(uint32_t below)
{
    state_of_random = state_of_random * 1664525 + 1013904223;
    return (uint32_t)((uint64_t)(state_of_random >> 4) * below >> 28);
}

static float draw_border(void)
{
    static const float values[] = {0, 1, -1, 0.3f, 1e30f, -1e-40f, 5};
    return values[draw(WL_COUNT(values))];
}

static struct wl_texture draw_texture(const uint8_t *memory, enum wl_texture_geometry geometry)
{
    static const uint8_t bytes[] = {1, 2, 4};
    struct wl_texture texture = {.storage = draw(3),
                                 .kind = draw(3),
                                 .channels = (uint8_t)(1u << draw(3)),
                                 .channel_bytes = bytes[draw(3)],
                                 .width = 1 + draw(20),
                                 .height = draw(12),
                                 .depth = draw(8),
                                 .address = (uint64_t)(uintptr_t)memory,
                                 .is_filtered = draw(2),
                                 .is_normalized = draw(2),
                                 .is_srgb = draw(16) == 0};
    if (texture.kind == WL_TEXEL_FLOAT && texture.channel_bytes == 1)
        texture.channel_bytes = 4;
    texture.reads_float = texture.channel_bytes < 4 && draw(2);
    texture.is_layered = geometry == WL_TEXTURE_A1D || geometry == WL_TEXTURE_A2D;
    texture.pitch_bytes = 64 * (1 + texture.width * wl_texture_element_bytes(&texture) / 64);
    texture.slice_bytes = texture.pitch_bytes * (texture.height + 1);
    texture.size_bytes = texture.slice_bytes * (texture.depth + 1);
    if (draw(8) == 0) /* of another geometry than is asked for */
        texture.size_bytes = wl_texture_element_bytes(&texture) * (1 + draw(40));
    for (int i = 0; i < 3; i++)
        texture.edges[i] = (uint8_t)draw(4);
    for (int i = 0; i < 4; i++)
        texture.border[i] = draw_border();
    return texture;
}

static uint32_t draw_coordinate(bool is_integer, bool is_layer, bool is_normalized)
{
    static const float special[] = {NAN,   INFINITY, -INFINITY, 1e30f, -1e30f,    -0.0f,
                                    0.5f,  1.0f,     -1.0f,     2.0f,  3e9f,      -3e9f,
                                    1e-9f, -1e-9f,   1e6f,      -1e6f, 16777217.f};
    float value;
    uint32_t bits;
    if (is_integer || is_layer)
        return draw(8) == 0 ? (draw(2) ? UINT32_MAX - draw(9) : 0x7fffff00u + draw(512)) : draw(24);
    if (draw(24) == 0)
        value = special[draw(WL_COUNT(special))];
    else if (is_normalized)
        value = (float)draw(1 << 20) / (1 << 18) - 1.5f;
    else
        value = (float)draw(1 << 20) / (1 << 15) - 5;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static bool is_nan(uint32_t bits)
{
    return (bits & 0x7fffffff) > 0x7f800000;
}

static void compare(const struct level *level, const struct wl_texture *texture,
                    enum wl_texture_geometry geometry, bool is_integer,
                    const u32 (*coordinates)[WL_LANES], uint32_t *count)
{
    const u32 *const at[4] = {coordinates[0], coordinates[1], coordinates[2], coordinates[3]};
    u32 results[4][WL_LANES] __attribute__((aligned(64)));
    const bool is_read_as_float = texture->kind == WL_TEXEL_FLOAT || texture->reads_float;
    if (!level->fetch_lanes(texture, geometry, is_integer, at, results))
        return;
    ++*count;
    for (uint32_t lane = 0; lane < WL_LANES; lane++) {
        struct texel_request request = {.geometry = geometry, .is_integer = is_integer};
        struct texels alone;
        for (int i = 0; i < 4; i++)
            request.coordinates[i] = coordinates[i][lane];
        level->fetch(texture, &request, &alone);
        for (int k = 0; k < 4; k++)
            if (!(is_read_as_float && is_nan(alone.result[k]) && is_nan(results[k][lane])))
                assert_int_equal(results[k][lane], alone.result[k]);
    }
}

static void lanes_get_what_each_alone_gets(void **state)
{
    (void)state;
    static uint8_t memory[BYTES];
    static const enum wl_texture_geometry geometries[] = {WL_TEXTURE_1D,  WL_TEXTURE_2D,
                                                          WL_TEXTURE_3D,  WL_TEXTURE_A1D,
                                                          WL_TEXTURE_A2D, WL_TEXTURE_CUBE};
    u32 coordinates[4][WL_LANES] __attribute__((aligned(64)));
    for (size_t l = 0; l < WL_COUNT(levels); l++) {
        uint32_t count = 0;
        if (!is_there(&levels[l]))
            continue;
        for (uint32_t round = 0; round < ROUNDS; round++) {
            const enum wl_texture_geometry geometry = geometries[draw(WL_COUNT(geometries))];
            const bool is_integer = draw(3) == 0;
            for (uint32_t i = 0; i < BYTES / ROUNDS + 8; i++)
                memory[draw(BYTES)] = (uint8_t)draw(256);
            const struct wl_texture texture = draw_texture(memory, geometry);
            assert_true(texture.size_bytes <= BYTES);
            for (int i = 0; i < 4; i++)
                for (int lane = 0; lane < WL_LANES; lane++)
                    coordinates[i][lane] = draw_coordinate(is_integer, i == 0 && texture.is_layered,
                                                           texture.is_normalized);
            compare(&levels[l], &texture, geometry, is_integer, (const u32(*)[WL_LANES])coordinates,
                    &count);
        }
        assert_true(count > ROUNDS / 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lanes_get_what_each_alone_gets)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
