/* Handles and numbers of the device layer. */
#include "support/device_support.h"

#include "device/core/handles.h"

static void handles_are_found_by_kind_and_in_order(void **state)
{
    (void)state;
    char objects[3];
    wl_device_enter();
    for (size_t i = 0; i < 3; i++)
        wl_device_handle_add(WL_DEVICE_HANDLE_ARRAY, &objects[i]);
    assert_true(wl_device_handle_is(WL_DEVICE_HANDLE_ARRAY, &objects[1]));
    assert_false(wl_device_handle_is(WL_DEVICE_HANDLE_EVENT, &objects[1]));
    assert_false(wl_device_handle_is(WL_DEVICE_HANDLE_ARRAY, objects + 3));
    wl_device_handle_remove(WL_DEVICE_HANDLE_ARRAY, &objects[1]);
    assert_false(wl_device_handle_is(WL_DEVICE_HANDLE_ARRAY, &objects[1]));
    assert_ptr_equal(wl_device_handle_next(WL_DEVICE_HANDLE_ARRAY, NULL), &objects[0]);
    assert_ptr_equal(wl_device_handle_next(WL_DEVICE_HANDLE_ARRAY, &objects[0]), &objects[2]);
    assert_null(wl_device_handle_next(WL_DEVICE_HANDLE_ARRAY, &objects[2]));
    wl_device_handle_remove(WL_DEVICE_HANDLE_ARRAY, &objects[0]);
    wl_device_handle_remove(WL_DEVICE_HANDLE_ARRAY, &objects[2]);
    assert_null(wl_device_handle_next(WL_DEVICE_HANDLE_ARRAY, NULL));
    wl_device_leave();
}

static void numbers_are_given_once_until_shutdown(void **state)
{
    (void)state;
    wl_device_enter();
    assert_int_equal(wl_device_number_next(WL_DEVICE_NUMBER_LAUNCH), 0);
    assert_int_equal(wl_device_number_next(WL_DEVICE_NUMBER_LAUNCH), 1);
    assert_int_equal(wl_device_number_next(WL_DEVICE_NUMBER_MODULE), 1);
    assert_int_equal(wl_device_number_next(WL_DEVICE_NUMBER_STREAM), 13);
    wl_device_leave();
    shut_device_down();
    wl_device_enter();
    assert_int_equal(wl_device_number_next(WL_DEVICE_NUMBER_LAUNCH), 0);
    wl_device_leave();
    shut_device_down();
}

/* As the program sees it: an address that is no handle is refused, not read. */
static void destroyed_handles_are_refused(void **state)
{
    (void)state;
    void *stream, *event;
    start_device("h200", NULL);
    assert_int_equal(wl_device_stream_create(0, 0, &stream), WL_DEVICE_OK);
    assert_int_equal(wl_device_event_create(0, &event), WL_DEVICE_OK);
    assert_int_equal(wl_device_event_destroy(stream), WL_DEVICE_INVALID_HANDLE);
    assert_int_equal(wl_device_stream_destroy(stream), WL_DEVICE_OK);
    assert_int_equal(wl_device_stream_destroy(stream), WL_DEVICE_INVALID_HANDLE);
    assert_int_equal(wl_device_event_record(event, stream), WL_DEVICE_INVALID_HANDLE);
    assert_int_equal(wl_device_reset(), WL_DEVICE_OK);
    assert_int_equal(wl_device_event_query(event), WL_DEVICE_INVALID_HANDLE);
    shut_device_down();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(handles_are_found_by_kind_and_in_order),
        cmocka_unit_test(numbers_are_given_once_until_shutdown),
        cmocka_unit_test(destroyed_handles_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
