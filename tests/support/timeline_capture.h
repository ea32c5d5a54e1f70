/* A sink of the timeline that keeps what it gets, for tests of what records events. */
#ifndef WL_TESTS_TIMELINE_CAPTURE_H
#define WL_TESTS_TIMELINE_CAPTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "timeline/timeline.h"

enum { CAPTURED_EVENTS_MAX = 256, CAPTURED_NAMES_MAX = 64 };

static struct {
    struct wl_timeline_record records[CAPTURED_EVENTS_MAX];
    size_t count, taken;
    char *names[CAPTURED_NAMES_MAX];
} captured;

static void capture_names(void *self, uint32_t first_id, const char *const *names, size_t count)
{
    (void)self;
    for (size_t i = 0; i < count; i++) {
        assert_in_range(first_id + i, 1, CAPTURED_NAMES_MAX - 1);
        captured.names[first_id + i] = strdup(names[i]);
    }
}

static void capture_records(void *self, struct wl_timeline_record *records, size_t count)
{
    (void)self;
    for (size_t i = 0; i < count; i++) {
        assert_in_range(captured.count, 0, CAPTURED_EVENTS_MAX - 1);
        captured.records[captured.count++] = records[i];
    }
}

static const struct wl_timeline_sink capture_sink = {.put_names = capture_names,
                                                     .put_records = capture_records};

/* The only records since the last call. */
static const struct wl_timeline_record *take(size_t count)
{
    assert_true(wl_timeline_flush());
    assert_int_equal(captured.count - captured.taken, count);
    const struct wl_timeline_record *first = &captured.records[captured.taken];
    captured.taken = captured.count;
    return first;
}

#endif
