/* OpenACC regions of a runtime that the tests play. */
#include "collect/openacc.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "collect/openacc_abi.h"
#include "support/timeline_capture.h"
#include "timeline/timeline.h"

static wl_acc_callback *callbacks[WL_ACC_EVENT_COUNT];

static void add(int event, wl_acc_callback *callback, int how)
{
    assert_in_range(event, 1, WL_ACC_EVENT_COUNT - 1);
    assert_int_equal(how, 0);
    callbacks[event] = callback;
}

static int start(void **state)
{
    (void)state;
    struct wl_timeline_options options = {.wanted = 1u << WL_TIMELINE_OPENACC};
    wl_timeline_start(&options, &capture_sink);
    acc_register_library(add, NULL, NULL);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    wl_timeline_stop();
    return 0;
}

/* As GCC's runtime tells: neither file nor line. */
static struct wl_acc_prof_info describe(int event)
{
    return (struct wl_acc_prof_info){.event_type = event,
                                     .version = 201711,
                                     .device_type = 5,
                                     .device_number = 3,
                                     .async = -2,
                                     .line_no = -1,
                                     .end_line_no = -1};
}

/* What is in this section is the program; all else stands for the library that it is linked to
 * here. */
#define PROGRAM __attribute__((noinline, section("of_program")))
extern const char __start_of_program[], __stop_of_program[];

/* Before the C library's. */
int dladdr(const void *address, Dl_info *info)
{
    static int (*real)(const void *, Dl_info *);
    if (!real)
        *(void **)&real = dlsym(RTLD_NEXT, "dladdr");
    int is_found = real(address, info);
    bool is_program =
        (const char *)address >= __start_of_program && (const char *)address < __stop_of_program;
    if (is_found && !is_program)
        info->dli_fname = "libwarplens-gpu.so";
    return is_found;
}

static PROGRAM void tell(const struct wl_acc_prof_info *info, struct wl_acc_event_info *event)
{
    errno = 77;
    callbacks[info->event_type](info, event, NULL);
    assert_int_equal(errno, 77);
}

static PROGRAM void tell_both(int begin, struct wl_acc_event_info *event)
{
    struct wl_acc_prof_info first = describe(begin), last = describe(begin + 1);
    tell(&first, event);
    tell(&last, event);
}

static const char *name_of(uint64_t id)
{
    return id ? captured.names[id] : "";
}

static PROGRAM void program(void)
{
    struct wl_acc_event_info event = {.implicit = 0};
    tell_both(WL_ACC_COMPUTE_START, &event);
    __asm__ volatile("" ::: "memory");
}

/* Frames of the program are where the region is. */
static void a_region_has_its_place_in_the_program(void **state)
{
    (void)state;
    program();
    const struct wl_timeline_record *record = take(1);
    assert_string_equal(name_of(record->name), "Compute Construct");
    assert_int_equal(record->words[0], WL_TIMELINE_PACK_REGION(WL_ACC_COMPUTE_START, 0, 0, 5, 3));
    assert_string_equal(name_of(record->words[3]), "tell"); /* the innermost that is no runtime */
    if (record->words[1])                                   /* built with -g */
        assert_non_null(strstr(name_of(record->words[1]), "openacc_test.c"));
    assert_int_equal((int64_t)record->words[4], -2);
    assert_true(record->end >= record->start);
}

static void what_the_compiler_says_comes_first(void **state)
{
    (void)state;
    struct wl_acc_event_info event = {.parent_construct = WL_ACC_CONSTRUCT_DATA, .implicit = 1};
    struct wl_acc_prof_info info = describe(WL_ACC_ENTER_DATA_START);
    info.src_file = "/src/app.c";
    info.func_name = "solve";
    info.line_no = 12;
    tell(&info, &event);
    struct wl_acc_event_info upload = {.of.data.bytes = 4096};
    tell_both(WL_ACC_UPLOAD_START, &upload);
    struct wl_acc_prof_info last = describe(WL_ACC_ENTER_DATA_START + 1);
    tell(&last, &event);
    const struct wl_timeline_record *records = take(2);
    assert_string_equal(name_of(records[0].name), "Enqueue Upload");
    assert_int_equal(records[0].words[5], 4096);
    assert_string_equal(name_of(records[1].name), "Enter Data");
    assert_int_equal(records[1].words[0],
                     WL_TIMELINE_PACK_REGION(WL_ACC_ENTER_DATA_START, 3, 1, 5, 3));
    for (int i = 0; i < 2; i++) { /* what is within a region has its place */
        assert_string_equal(name_of(records[i].words[1]), "/src/app.c");
        assert_int_equal(records[i].words[2], 12);
        assert_string_equal(name_of(records[i].words[3]), "solve");
    }
}

static void ends_without_beginnings_are_ignored(void **state)
{
    (void)state;
    struct wl_acc_event_info event = {.implicit = 0};
    struct wl_acc_prof_info info = describe(WL_ACC_UPDATE_START + 1);
    tell(&info, &event);
    take(0);
    for (int i = 0; i < 100; i++) { /* deeper than there is room for */
        info = describe(WL_ACC_WAIT_START);
        tell(&info, &event);
    }
    for (int i = 0; i < 100; i++) {
        info = describe(WL_ACC_WAIT_START + 1);
        tell(&info, &event);
    }
    take(32); /* as many as there was room for */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_region_has_its_place_in_the_program),
        cmocka_unit_test(what_the_compiler_says_comes_first),
        cmocka_unit_test(ends_without_beginnings_are_ignored),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
