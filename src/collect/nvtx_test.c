#include "collect/nvtx.h"
#include "timeline/timeline.h"

#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include <cmocka.h>

/* ---- NVTX's side of the interface ---- */

int InitializeInjectionNvtx2(const void *(*get_export_table)(uint32_t id));

struct attributes {
    uint16_t version, size_bytes;
    uint32_t category;
    int32_t color_type;
    uint32_t color;
    int32_t payload_type, reserved;
    uint64_t payload;
    int32_t message_type;
    const void *message;
};

enum { FUNCTIONS = 16 };
static void (*core[FUNCTIONS])(void), (*core2[FUNCTIONS])(void);
static void (**core_slots[FUNCTIONS])(void), (**core2_slots[FUNCTIONS])(void);

static int get_functions(int module, void (***functions[])(void), unsigned *count)
{
    if (module != 1 && module != 5)
        return 0;
    for (int i = 1; i < FUNCTIONS; i++) {
        core_slots[i] = &core[i];
        core2_slots[i] = &core2[i];
    }
    *functions = module == 1 ? core_slots : core2_slots;
    *count = FUNCTIONS;
    return 1;
}

static struct {
    size_t struct_bytes;
    int (*get_functions)(int module, void (***functions[])(void), unsigned *count);
} callbacks = {sizeof callbacks, get_functions};

static const void *get_export_table(uint32_t id)
{
    return id == 1 ? &callbacks : NULL;
}

static int push_attributes(const struct attributes *attributes)
{
    return ((int (*)(const struct attributes *))core[8])(attributes);
}
static int push_ascii(const char *name)
{
    return ((int (*)(const char *))core[9])(name);
}
static int push_wide(const wchar_t *name)
{
    return ((int (*)(const wchar_t *))core[10])(name);
}
static int pop(void)
{
    return ((int (*)(void))core[11])();
}
static int domain_push(void *domain, const struct attributes *attributes)
{
    return ((int (*)(void *, const struct attributes *))core2[4])(domain, attributes);
}
static int domain_pop(void *domain)
{
    return ((int (*)(void *))core2[5])(domain);
}
static const void *register_ascii(void *domain, const char *text)
{
    return ((const void *(*)(void *, const char *))core2[10])(domain, text);
}
static const void *register_wide(void *domain, const wchar_t *text)
{
    return ((const void *(*)(void *, const wchar_t *))core2[11])(domain, text);
}
static void *create_ascii(const char *name)
{
    return ((void *(*)(const char *))core2[12])(name);
}
static void *create_wide(const wchar_t *name)
{
    return ((void *(*)(const wchar_t *))core2[13])(name);
}
static void destroy(void *domain)
{
    ((void (*)(void *))core2[14])(domain);
}

static struct attributes message(int type, const void *text)
{
    return (struct attributes){.version = 3,
                               .size_bytes = sizeof(struct attributes),
                               .message_type = type,
                               .message = text};
}

/* ---- tests ---- */

static void assert_open(const char *expected)
{
    char found[256] = "";
    const char *const *ranges;
    size_t count = wl_nvtx_open_ranges(&ranges);
    for (size_t i = 0; i < count; i++) {
        strcat(found, i ? " " : "");
        strcat(found, ranges[i]);
    }
    assert_string_equal(found, expected);
}

static void nobody_listens_until_it_is_wanted(void **state)
{
    (void)state;
    wl_nvtx_set_wanted(false);
    assert_int_equal(InitializeInjectionNvtx2(get_export_table), 0);
    assert_null(core[9]);
}

static void tables_it_does_not_know_are_refused(void **state)
{
    (void)state;
    wl_nvtx_set_wanted(true);
    assert_int_equal(InitializeInjectionNvtx2(NULL), 0);
    callbacks.struct_bytes = 8;
    assert_int_equal(InitializeInjectionNvtx2(get_export_table), 0);
    callbacks.struct_bytes = sizeof callbacks;
    assert_int_equal(InitializeInjectionNvtx2(get_export_table), 1);
    assert_null(core[12]); /* names of categories are left to NVTX */
}

static void ranges_nest_in_each_domain(void **state)
{
    (void)state;
    errno = 99;
    void *solver = create_ascii("solver"), *io = create_wide(L"io");
    struct attributes step = message(1, "step"), write = message(2, L"wr\u00eft\U0001f600");
    assert_int_equal(push_ascii("a"), 0);
    assert_int_equal(push_wide(L"b"), 1);
    assert_int_equal(domain_push(solver, &step), 0);
    assert_int_equal(domain_push(io, &write), 0);
    assert_int_equal(push_attributes(&step), 2);
    assert_open("a b solver@step io@wr\xc3\xaft\xf0\x9f\x98\x80 step");
    assert_int_equal(domain_pop(solver), 0);
    assert_open("a b io@wr\xc3\xaft\xf0\x9f\x98\x80 step");
    assert_int_equal(pop(), 2);
    assert_int_equal(pop(), 1);
    assert_open("a io@wr\xc3\xaft\xf0\x9f\x98\x80");
    assert_int_equal(domain_pop(io), 0);
    assert_int_equal(domain_pop(io), -1);
    assert_int_equal(pop(), 0);
    assert_int_equal(pop(), -1);
    assert_open("");
    destroy(solver);
    destroy(io);
    destroy(NULL);
    assert_int_equal(errno, 99);
}

static void registered_strings_name_ranges(void **state)
{
    (void)state;
    void *domain = create_ascii("d");
    struct attributes one = message(3, register_ascii(domain, "one"));
    struct attributes two = message(3, register_wide(NULL, L"two"));
    domain_push(domain, &one);
    push_attributes(&two);
    assert_open("d@one two");
    pop();
    domain_pop(domain);
    destroy(domain);
}

static void odd_names_are_survived(void **state)
{
    (void)state;
    struct attributes none = message(0, NULL), null = message(1, NULL), old = message(1, "x");
    old.size_bytes = 16;
    push_ascii(NULL);
    push_wide(NULL);
    push_attributes(NULL);
    push_attributes(&none);
    push_attributes(&null);
    push_attributes(&old);
    push_ascii("mail@home"); /* not a domain */
    push_ascii("");
    assert_open("? ? ? ? ? ? @mail@home ");
    for (int i = 0; i < 8; i++)
        assert_int_equal(pop(), 7 - i);
    assert_open("");
    assert_null(create_ascii(NULL));
    assert_null(create_wide(NULL));
    assert_null(register_ascii(NULL, NULL));
    assert_null(register_wide(NULL, NULL));
}

static void *push_elsewhere(void *unused)
{
    (void)unused;
    assert_open("");
    push_ascii("other");
    assert_open("other");
    return NULL; /* left open: freed with the thread */
}

static void threads_have_stacks_of_their_own(void **state)
{
    (void)state;
    pthread_t thread;
    push_ascii("main");
    assert_int_equal(pthread_create(&thread, NULL, push_elsewhere, NULL), 0);
    pthread_join(thread, NULL);
    assert_open("main");
    pop();
}

static void deep_nesting_is_kept(void **state)
{
    (void)state;
    const char *const *ranges;
    for (int i = 0; i < 5000; i++)
        assert_int_equal(push_ascii("r"), i);
    assert_int_equal(wl_nvtx_open_ranges(&ranges), 5000);
    for (int i = 5000; i-- > 0;)
        assert_int_equal(pop(), i);
}

/* ---- events of a trace ---- */

static struct wl_timeline_record events[16];
static size_t event_count;
static char event_names[16][32];
static bool is_heard[2];

static void keep_names(void *self, uint32_t first_id, const char *const *names, size_t count)
{
    (void)self;
    for (size_t i = 0; i < count && first_id + i < 16; i++)
        snprintf(event_names[first_id + i], sizeof event_names[0], "%s", names[i]);
}

static void keep_records(void *self, struct wl_timeline_record *records, size_t count)
{
    (void)self;
    for (size_t i = 0; i < count && event_count < 16; i++)
        events[event_count++] = records[i];
}

static void on_range(const char *name, bool is_begin)
{
    is_heard[is_begin] = is_heard[is_begin] || strcmp(name, "solver@step") == 0;
}

static void assert_event(size_t index, enum wl_timeline_category category, const char *name,
                         const char *domain)
{
    const struct wl_timeline_record *event = &events[index];
    assert_int_equal(event->category, category);
    assert_string_equal(event_names[event->name], name);
    assert_string_equal(event_names[event->words[0]], domain);
    assert_true(event->end >= event->start);
    assert_int_equal(event->end == event->start, category == WL_TIMELINE_NVTX_MARK);
}

static void ranges_and_marks_are_events(void **state)
{
    (void)state;
    static const struct wl_timeline_sink sink = {NULL, keep_names, keep_records};
    struct wl_timeline_options options = {.wanted = 1u << WL_TIMELINE_NVTX_PUSHPOP |
                                                    1u << WL_TIMELINE_NVTX_STARTEND |
                                                    1u << WL_TIMELINE_NVTX_MARK};
    void *solver = create_ascii("solver");
    struct attributes step = message(1, "step");
    step.color_type = 1;
    step.color = 0xff00ff;
    step.category = 7;
    push_ascii("before"); /* began before the recording: no event */
    wl_timeline_start(&options, &sink);
    wl_nvtx_set_listener(on_range);
    domain_push(solver, &step);
    ((void (*)(const char *))core[2])("now");
    uint64_t first = ((uint64_t(*)(const char *))core[5])("overlap");
    uint64_t second = ((uint64_t(*)(void *, const struct attributes *))core2[2])(solver, &step);
    ((int (*)(void *))core2[5])(solver);
    ((void (*)(uint64_t))core[7])(first);
    ((void (*)(void *, uint64_t))core2[3])(solver, second);
    ((void (*)(uint64_t))core[7])(second);      /* has ended */
    ((void (*)(uint64_t))core[7])(0x123456789); /* was never there */
    pop();
    wl_nvtx_set_listener(NULL);
    assert_true(wl_timeline_stop());
    assert_int_equal(event_count, 4);
    assert_event(0, WL_TIMELINE_NVTX_MARK, "now", "");
    assert_event(1, WL_TIMELINE_NVTX_PUSHPOP, "step", "solver");
    assert_event(2, WL_TIMELINE_NVTX_STARTEND, "overlap", "");
    assert_event(3, WL_TIMELINE_NVTX_STARTEND, "step", "solver");
    assert_int_equal(events[1].words[1], 0xff00ff);
    assert_int_equal(events[1].words[3], 7);
    assert_true(is_heard[true] && is_heard[false]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nobody_listens_until_it_is_wanted),
        cmocka_unit_test(tables_it_does_not_know_are_refused),
        cmocka_unit_test(ranges_nest_in_each_domain),
        cmocka_unit_test(registered_strings_name_ranges),
        cmocka_unit_test(odd_names_are_survived),
        cmocka_unit_test(threads_have_stacks_of_their_own),
        cmocka_unit_test(deep_nesting_is_kept),
        cmocka_unit_test(ranges_and_marks_are_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
