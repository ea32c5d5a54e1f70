#include "device/memory/state.h"
#include "support/device_support.h"

#define GIB ((size_t)1 << 30)

static int begin(void **state)
{
    (void)state;
    start_device("h200", NULL);
    return 0;
}

static int end(void **state)
{
    (void)state;
    shut_device_down();
    return 0;
}

static void *take(enum wl_device_memory_kind kind, size_t bytes)
{
    void *address = NULL;
    assert_int_equal(wl_device_memory_allocate(kind, bytes, 0, &address), WL_DEVICE_OK);
    return address;
}

static int copy(void *to, const void *from, size_t bytes, enum wl_device_direction direction)
{
    struct wl_device_copy plain = {.to = to,
                                   .from = from,
                                   .width_bytes = bytes,
                                   .height = 1,
                                   .depth = 1,
                                   .direction = direction};
    return wl_device_memory_copy(&plain);
}

static void device_memory_is_allocated_and_freed(void **state)
{
    (void)state;
    void *address = take(WL_DEVICE_MEMORY_DEVICE, 1000);
    struct wl_device_allocation found;
    assert_true(wl_device_memory_find((char *)address + 10, &found));
    assert_int_equal(found.kind, WL_DEVICE_MEMORY_DEVICE);
    assert_int_equal(found.size_bytes, 1000);
    assert_int_equal(wl_device_memory_free(WL_DEVICE_MEMORY_DEVICE, (char *)address + 512),
                     WL_DEVICE_INVALID_VALUE);
    assert_int_equal(wl_device_memory_free(WL_DEVICE_MEMORY_HOST, address),
                     WL_DEVICE_INVALID_VALUE);
    assert_int_equal(wl_device_memory_free(WL_DEVICE_MEMORY_DEVICE, address), WL_DEVICE_OK);
    assert_int_equal(wl_device_memory_free(WL_DEVICE_MEMORY_DEVICE, address),
                     WL_DEVICE_INVALID_VALUE);
    assert_int_equal(wl_device_memory_free(WL_DEVICE_MEMORY_DEVICE, NULL), WL_DEVICE_OK);
    assert_null(take(WL_DEVICE_MEMORY_DEVICE, 0));
}

static void more_than_the_gpu_has_is_refused(void **state)
{
    (void)state;
    start_device("k620", NULL);
    size_t free_bytes, total_bytes;
    void *address;
    assert_int_equal(wl_device_memory_info(&free_bytes, &total_bytes), WL_DEVICE_OK);
    assert_int_equal(total_bytes, 2 * GIB);
    assert_in_range(free_bytes, 1, total_bytes);
    assert_int_equal(
        wl_device_memory_allocate(WL_DEVICE_MEMORY_DEVICE, total_bytes + 1, 0, &address),
        WL_DEVICE_OUT_OF_MEMORY);
    take(WL_DEVICE_MEMORY_DEVICE, 10);
    assert_int_equal(wl_device_memory_allocate(WL_DEVICE_MEMORY_DEVICE, total_bytes, 0, &address),
                     WL_DEVICE_OUT_OF_MEMORY);
}

static void more_than_the_host_has_is_refused_with_a_reason(void **state)
{
    (void)state;
    void *address;
    size_t free_bytes, total_bytes;
    wl_device_memory_info(&free_bytes, &total_bytes);
    if (free_bytes > 120 * GIB) {
        puts("skipped: the machine has more memory than the case takes");
        skip();
    }
    said_begin();
    int code = wl_device_memory_allocate(WL_DEVICE_MEMORY_DEVICE, 120 * GIB, 0, &address);
    const char *said = said_text();
    assert_int_equal(code, WL_DEVICE_OUT_OF_MEMORY);
    assert_string_equal(said,
                        "warplens: an allocation of 122880 MiB fits the model GPU but not this "
                        "machine; use a smaller problem\n");
}

static void copies_are_checked_against_allocations(void **state)
{
    (void)state;
    char host[100] = "abc";
    char *device = take(WL_DEVICE_MEMORY_DEVICE, 100);
    assert_int_equal(copy(device, host, 100, WL_DEVICE_HOST_TO_DEVICE), WL_DEVICE_OK);
    memset(host, 0, sizeof host);
    assert_int_equal(copy(host, device, 100, WL_DEVICE_DEVICE_TO_HOST), WL_DEVICE_OK);
    assert_string_equal(host, "abc");
    assert_int_equal(copy(device, host, 101, WL_DEVICE_HOST_TO_DEVICE), WL_DEVICE_INVALID_VALUE);
    assert_int_equal(copy(device + 60, host, 41, WL_DEVICE_BY_ADDRESS), WL_DEVICE_INVALID_VALUE);
    assert_int_equal(copy(host, host + 50, 10, WL_DEVICE_HOST_TO_DEVICE), WL_DEVICE_INVALID_VALUE);
    assert_int_equal(copy(device, NULL, 1, WL_DEVICE_BY_ADDRESS), WL_DEVICE_INVALID_VALUE);
    assert_int_equal(copy(device, host, 1, (enum wl_device_direction)9),
                     WL_DEVICE_INVALID_DIRECTION);
    assert_int_equal(copy(NULL, NULL, 0, WL_DEVICE_HOST_TO_DEVICE), WL_DEVICE_OK);
}

static void boxes_keep_what_lies_between_rows(void **state)
{
    (void)state;
    char host[3][4] = {"abc", "def", "ghi"};
    char *device = take(WL_DEVICE_MEMORY_DEVICE, 64);
    assert_int_equal(wl_device_memory_fill(device, '.', 1, 64, 1, 64), WL_DEVICE_OK);
    struct wl_device_copy box = {.to = device,
                                 .from = host,
                                 .width_bytes = 3,
                                 .height = 3,
                                 .depth = 1,
                                 .to_pitch_bytes = 6,
                                 .from_pitch_bytes = 4,
                                 .direction = WL_DEVICE_HOST_TO_DEVICE};
    assert_int_equal(wl_device_memory_copy(&box), WL_DEVICE_OK);
    assert_memory_equal(device, "abc...def...ghi...", 18);
    box.to_pitch_bytes = 2;
    assert_int_equal(wl_device_memory_copy(&box), WL_DEVICE_INVALID_PITCH);
}

static void filling_regards_element_size_and_bounds(void **state)
{
    (void)state;
    uint32_t *device = take(WL_DEVICE_MEMORY_DEVICE, 64);
    assert_int_equal(wl_device_memory_fill(device, 0x01020304, 4, 16, 1, 64), WL_DEVICE_OK);
    assert_int_equal(device[15], 0x01020304);
    assert_int_equal(wl_device_memory_fill((char *)device + 2, 0xabcd, 2, 1, 1, 2), WL_DEVICE_OK);
    assert_int_equal(device[0], 0xabcd0304);
    assert_int_equal(wl_device_memory_fill((char *)device + 2, 1, 4, 1, 1, 4),
                     WL_DEVICE_INVALID_VALUE);
    assert_int_equal(wl_device_memory_fill(device, 1, 4, 17, 1, 68), WL_DEVICE_INVALID_VALUE);
}

static void host_memory_is_registered_once(void **state)
{
    (void)state;
    static char memory[4096];
    struct wl_device_allocation found;
    assert_false(wl_device_memory_find(memory, &found));
    assert_int_equal(wl_device_memory_register(memory, 1024, 0), WL_DEVICE_OK);
    assert_int_equal(wl_device_memory_register(memory + 1000, 100, 0),
                     WL_DEVICE_ALREADY_REGISTERED);
    assert_int_equal(wl_device_memory_register(memory + 2048, 100, 0), WL_DEVICE_OK);
    assert_true(wl_device_memory_find(memory + 1023, &found));
    assert_true(found.is_registered);
    assert_int_equal(wl_device_memory_unregister(memory + 1), WL_DEVICE_INVALID_VALUE);
    assert_int_equal(wl_device_memory_unregister(memory + 1024), WL_DEVICE_NOT_REGISTERED);
    assert_int_equal(wl_device_memory_unregister(memory), WL_DEVICE_OK);
    assert_false(wl_device_memory_find(memory, &found));
}

static void launches_see_every_kind_of_memory_sorted(void **state)
{
    (void)state;
    static char memory[64];
    uint64_t device = (uint64_t)(uintptr_t)take(WL_DEVICE_MEMORY_DEVICE, 8);
    uint64_t pinned = (uint64_t)(uintptr_t)take(WL_DEVICE_MEMORY_HOST, 8);
    wl_device_memory_register(memory, sizeof memory, 0);
    wl_device_memory_list();
    const struct wl_device_ranges *ranges = &wl_device_memory.ranges;
    bool sees_device = false, sees_pinned = false, sees_registered = false;
    for (size_t i = 0; i < ranges->count; i++) {
        const struct wl_sim_range *range = &ranges->items[i];
        sees_device |= range->start <= device && device < range->end;
        sees_pinned |= range->start <= pinned && pinned < range->end;
        sees_registered |= range->start == (uint64_t)(uintptr_t)memory &&
                           range->end == range->start + sizeof memory;
        assert_true(i == 0 || ranges->items[i - 1].end <= range->start);
    }
    assert_true(sees_device && sees_pinned && sees_registered);
}

static void reset_frees_all_and_repeats_addresses(void **state)
{
    (void)state;
    void *first = take(WL_DEVICE_MEMORY_DEVICE, 5000);
    take(WL_DEVICE_MEMORY_MANAGED, 5000);
    assert_int_equal(wl_device_reset(), WL_DEVICE_OK);
    struct wl_device_allocation found;
    assert_false(wl_device_memory_find(first, &found));
    assert_ptr_equal(take(WL_DEVICE_MEMORY_DEVICE, 5000), first);
}

static void an_unknown_gpu_is_no_device(void **state)
{
    (void)state;
    struct wl_error error = {0};
    shut_device_down();
    assert_int_equal(wl_device_configure(&(struct wl_device_options){.gpu = "h900"}, &error),
                     WL_ERR_USAGE);
    said_begin();
    int first = wl_device_check(), second = wl_device_check();
    const char *said = said_text();
    assert_int_equal(first, WL_DEVICE_NO_DEVICE);
    assert_int_equal(second, WL_DEVICE_NO_DEVICE);
    assert_non_null(strstr(said, "warplens: "));
    assert_non_null(strstr(said, "h900"));
    assert_ptr_equal(strchr(said, '\n'), said + strlen(said) - 1); /* once */
    assert_null(wl_device_gpu());
}

static void options_come_before_use(void **state)
{
    (void)state;
    struct wl_error error = {0};
    assert_int_equal(wl_device_check(), WL_DEVICE_OK);
    assert_int_equal(wl_device_configure(&(struct wl_device_options){0}, &error), WL_ERR_USAGE);
    assert_string_equal(error.message, "the simulated GPU is already in use");
}

static void the_environment_names_the_gpu(void **state)
{
    (void)state;
    int major;
    shut_device_down();
    setenv("WARPLENS_GPU", "v100", 1);
    assert_int_equal(wl_device_get_attribute(75, &major), WL_DEVICE_OK);
    unsetenv("WARPLENS_GPU");
    assert_int_equal(major, 7);
    assert_int_equal(wl_device_get_attribute(9999, &major), WL_DEVICE_INVALID_VALUE);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(device_memory_is_allocated_and_freed),
        TEST(more_than_the_gpu_has_is_refused),
        TEST(more_than_the_host_has_is_refused_with_a_reason),
        TEST(copies_are_checked_against_allocations),
        TEST(boxes_keep_what_lies_between_rows),
        TEST(filling_regards_element_size_and_bounds),
        TEST(host_memory_is_registered_once),
        TEST(launches_see_every_kind_of_memory_sorted),
        TEST(reset_frees_all_and_repeats_addresses),
        TEST(an_unknown_gpu_is_no_device),
        TEST(options_come_before_use),
        TEST(the_environment_names_the_gpu),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
