#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "gpu/gpu.h"

static struct wl_gpu gpu;

static void load(const char *name)
{
    wl_gpu_free(&gpu);
    assert_int_equal(wl_gpu_load(name, NULL, &gpu, NULL), WL_OK);
}

static struct wl_occupancy compute(uint32_t registers, uint32_t threads, uint32_t shared_static,
                                   uint32_t shared_dynamic, int32_t carveout_pct)
{
    struct wl_occupancy_input input = {registers,      threads, shared_static,
                                       shared_dynamic, 1,       carveout_pct};
    struct wl_occupancy occupancy;
    wl_occupancy_compute(&gpu, &input, &occupancy);
    return occupancy;
}

/* What Nsight Compute reports on an H200 (launch__occupancy_limit_*, shared_mem_config_size) for a
 * kernel that only loads, waits and stores, compiled to these registers. */
static void test_limits_and_carveouts_as_hopper_reports(void **state)
{
    (void)state;
    static const struct {
        uint32_t registers, threads, shared_dynamic;
        uint32_t by_registers, by_shared, by_warps, config_kib;
        double occupancy_pct;
    } seen[] = {
        {22, 32, 0, 84, 32, 64, 32, 50.0},       {22, 96, 0, 28, 32, 21, 32, 98.4375},
        {22, 448, 0, 6, 32, 4, 32, 87.5},        {22, 512, 0, 5, 16, 4, 16, 100.0},
        {22, 704, 0, 3, 16, 2, 16, 68.75},       {22, 768, 0, 3, 8, 2, 8, 75.0},
        {22, 1024, 0, 2, 8, 2, 8, 100.0},        {48, 672, 0, 1, 8, 3, 8, 32.8125},
        {130, 256, 0, 1, 8, 8, 8, 12.5},         {22, 512, 16, 5, 14, 4, 16, 100.0},
        {22, 544, 16, 4, 7, 3, 8, 79.6875},      {22, 32, 3072, 84, 33, 64, 132, 50.0},
        {22, 256, 3072, 10, 16, 8, 64, 100.0},   {22, 1024, 3072, 2, 2, 2, 8, 100.0},
        {48, 1024, 8192, 1, 1, 2, 16, 50.0},     {72, 128, 8192, 7, 14, 16, 132, 43.75},
        {22, 128, 8192, 21, 18, 16, 164, 100.0}, {22, 64, 8192, 42, 25, 32, 228, 78.125},
        {48, 512, 12288, 2, 4, 4, 64, 50.0},     {22, 1024, 12288, 2, 2, 2, 32, 100.0},
        {48, 512, 20480, 2, 4, 4, 100, 50.0},    {130, 32, 20480, 12, 10, 64, 228, 15.625},
        {22, 1024, 40000, 2, 2, 2, 100, 100.0},  {130, 128, 40000, 3, 3, 16, 132, 18.75},
    };
    load("h200");
    for (size_t i = 0; i < sizeof seen / sizeof seen[0]; i++) {
        struct wl_occupancy occupancy =
            compute(seen[i].registers, seen[i].threads, 0, seen[i].shared_dynamic, -1);
        assert_int_equal(occupancy.limit_blocks, 32);
        assert_int_equal(occupancy.limit_registers, seen[i].by_registers);
        assert_int_equal(occupancy.limit_shared, seen[i].by_shared);
        assert_int_equal(occupancy.limit_warps, seen[i].by_warps);
        assert_int_equal(occupancy.shared_config_bytes, seen[i].config_kib * 1024);
        assert_int_equal(occupancy.l1_data_bytes, (256 - seen[i].config_kib) * 1024);
        assert_true(occupancy.occupancy_pct == seen[i].occupancy_pct);
    }
}

/* The same kernel with cudaFuncAttributePreferredSharedMemoryCarveout. */
static void test_preferred_carveouts_as_hopper_reports(void **state)
{
    (void)state;
    static const struct {
        uint32_t shared_dynamic;
        int32_t pct;
        uint32_t config_kib;
    } seen[] = {
        {4096, 0, 8},    {8192, 0, 16},   {4096, 25, 100}, {8192, 25, 64},  {4096, 40, 132},
        {8192, 40, 100}, {4096, 60, 196}, {8192, 60, 164}, {8192, 80, 228}, {4096, 100, 228},
        {0, 0, 32},      {0, 10, 32},     {0, 20, 64},     {0, 50, 132},    {0, 70, 164},
        {0, 100, 228},   {100, 0, 8},     {100, 10, 228},
    };
    load("h200");
    for (size_t i = 0; i < sizeof seen / sizeof seen[0]; i++) {
        struct wl_occupancy occupancy = compute(22, 128, 0, seen[i].shared_dynamic, seen[i].pct);
        assert_int_equal(occupancy.shared_config_bytes, seen[i].config_kib * 1024);
    }
    /* a preference too small for one block gives way */
    assert_int_equal(compute(22, 128, 0, 100000, 5).shared_config_bytes, 100 * 1024);
}

static void test_barriers_as_hopper_reports(void **state)
{
    (void)state;
    static const uint32_t seen[][3] = {{0, 32, 32}, {1, 32, 32}, {2, 32, 32}, {3, 21, 32},
                                       {4, 16, 16}, {8, 8, 8},   {16, 4, 8}};
    load("h200");
    for (size_t i = 0; i < sizeof seen / sizeof seen[0]; i++) {
        struct wl_occupancy_input input = {8, 32, 0, 0, seen[i][0], -1};
        struct wl_occupancy occupancy;
        wl_occupancy_compute(&gpu, &input, &occupancy);
        assert_int_equal(occupancy.limit_barriers, seen[i][1]);
        assert_int_equal(occupancy.blocks_per_sm, seen[i][1]);
        assert_int_equal(occupancy.shared_config_bytes, seen[i][2] * 1024);
        assert_string_equal(occupancy.limiter, seen[i][1] < 32 ? "barriers" : "blocks");
    }
}

static void test_limiter(void **state)
{
    (void)state;
    load("h200");
    assert_string_equal(compute(32, 1024, 0, 0, -1).limiter, "warps");
    assert_string_equal(compute(32, 32, 0, 0, -1).limiter, "blocks");
    assert_string_equal(compute(121, 256, 8192, 0, -1).limiter, "registers");
    assert_string_equal(compute(32, 128, 40000, 0, -1).limiter, "shared memory");
}

/* More registers, and a block less is on the SM. */
static void test_most_registers(void **state)
{
    (void)state;
    static const struct {
        uint32_t threads, blocks, most;
    } known[] = {{384, 1, 168}, {256, 1, 255}, {1024, 1, 64}, {128, 4, 128}, {256, 3, 80}};
    for (const char *const *name = wl_gpu_list(); *name; name++) {
        load(*name);
        for (uint32_t threads = 32; threads <= 1024; threads += 96)
            for (uint32_t blocks = 1; blocks <= 4; blocks++) {
                const uint32_t most = wl_occupancy_most_registers(&gpu, threads, blocks);
                if (!most) {
                    assert_true(threads * blocks > gpu.max_warps_per_sm * 32);
                    continue;
                }
                assert_true(compute(most, threads, 0, 0, -1).limit_registers >= blocks);
                assert_true(most == gpu.max_registers_per_thread ||
                            compute(most + 1, threads, 0, 0, -1).limit_registers < blocks);
            }
    }
    load("h200");
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        assert_int_equal(wl_occupancy_most_registers(&gpu, known[i].threads, known[i].blocks),
                         known[i].most);
}

/* Values of the CUDA Occupancy Calculator. */
static void test_older_gpus(void **state)
{
    (void)state;
    load("k40");
    struct wl_occupancy occupancy = compute(32, 256, 0, 0, -1);
    assert_int_equal(occupancy.blocks_per_sm, 8);
    assert_int_equal(occupancy.shared_config_bytes, 48 * 1024);
    assert_int_equal(occupancy.l1_data_bytes, 16 * 1024);
    occupancy = compute(40, 192, 6144, 0, -1);
    assert_int_equal(occupancy.limit_registers, 8); /* 48 warps of 1280 registers, 6 to a block */
    assert_int_equal(occupancy.limit_shared, 8);
    assert_int_equal(occupancy.limit_warps, 10);
    assert_true(occupancy.occupancy_pct == 75.0);

    load("k620");
    occupancy = compute(32, 64, 12 * 1024, 0, -1);
    assert_int_equal(occupancy.blocks_per_sm, 5);
    assert_string_equal(occupancy.limiter, "shared memory");
    assert_int_equal(occupancy.l1_data_bytes, 24 * 1024);

    load("v100");
    occupancy = compute(32, 256, 0, 0, -1);
    assert_int_equal(occupancy.blocks_per_sm, 8);
    assert_int_equal(occupancy.shared_config_bytes, 0);
    assert_int_equal(occupancy.limit_shared, 32);

    load("t4");
    occupancy = compute(32, 256, 0, 0, -1);
    assert_int_equal(occupancy.blocks_per_sm, 4);
    assert_int_equal(occupancy.shared_config_bytes, 32 * 1024);
    assert_int_equal(occupancy.warps_per_sm, 32);

    load("rtx3090");
    assert_int_equal(compute(32, 1024, 0, 0, -1).blocks_per_sm, 1);
    assert_int_equal(compute(32, 512, 0, 0, -1).blocks_per_sm, 3);
}

static void test_kernels_that_cannot_run(void **state)
{
    (void)state;
    load("h200");
    struct wl_occupancy occupancy = compute(72, 1024, 0, 0, -1);
    assert_int_equal(occupancy.blocks_per_sm, 0);
    assert_string_equal(occupancy.limiter, "registers");
    assert_true(occupancy.occupancy_pct == 0.0);
    occupancy = compute(32, 1025, 0, 0, -1);
    assert_int_equal(occupancy.blocks_per_sm, 0);
    assert_string_equal(occupancy.limiter, "warps");
    assert_int_equal(compute(32, 0, 0, 0, -1).blocks_per_sm, 0);
    occupancy = compute(32, 128, 0, 227 * 1024 + 1, -1);
    assert_int_equal(occupancy.blocks_per_sm, 0);
    assert_string_equal(occupancy.limiter, "shared memory");
    assert_int_equal(compute(32, 128, 0, 227 * 1024, -1).blocks_per_sm, 1);
    assert_int_equal(compute(300, 32, 0, 0, -1).blocks_per_sm, 0);
    assert_int_equal(compute(UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX, 1000).blocks_per_sm,
                     0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_limits_and_carveouts_as_hopper_reports),
        cmocka_unit_test(test_preferred_carveouts_as_hopper_reports),
        cmocka_unit_test(test_barriers_as_hopper_reports),
        cmocka_unit_test(test_limiter),
        cmocka_unit_test(test_most_registers),
        cmocka_unit_test(test_older_gpus),
        cmocka_unit_test(test_kernels_that_cannot_run),
    };
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    wl_gpu_free(&gpu);
    return failures;
}
