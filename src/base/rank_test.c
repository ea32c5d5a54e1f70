#include "base/count.h"
#include "base/rank.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

static int forget_launchers(void **state)
{
    (void)state;
    static const char *const names[] = {"RANK",
                                        "WORLD_SIZE",
                                        "OMPI_COMM_WORLD_RANK",
                                        "OMPI_COMM_WORLD_SIZE",
                                        "MV2_COMM_WORLD_RANK",
                                        "MV2_COMM_WORLD_SIZE",
                                        "PMI_RANK",
                                        "PMI_SIZE",
                                        "SLURM_PROCID",
                                        "SLURM_STEP_NUM_TASKS",
                                        "PMIX_RANK",
                                        "PMIX_SIZE"};
    for (size_t i = 0; i < WL_COUNT(names); i++)
        unsetenv(names[i]);
    return 0;
}

static void expect(int64_t rank, int64_t count)
{
    errno = 7;
    struct wl_rank found = wl_rank_read();
    assert_int_equal(found.rank, rank);
    assert_int_equal(found.count, count);
    assert_int_equal(errno, 7);
}

static void without_a_launcher_there_is_no_rank(void **state)
{
    (void)state;
    expect(-1, -1);
}

static void each_launcher_is_known(void **state)
{
    static const char *const names[][2] = {{"RANK", "WORLD_SIZE"},
                                           {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                           {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"},
                                           {"PMI_RANK", "PMI_SIZE"},
                                           {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}};
    for (size_t i = 0; i < WL_COUNT(names); i++) {
        forget_launchers(state);
        setenv(names[i][0], "3", 1);
        setenv(names[i][1], "16", 1);
        expect(3, 16);
    }
    forget_launchers(state);
    setenv("PMIX_RANK", "0", 1);
    expect(0, -1);
}

static void torchrun_within_slurm_is_asked_first(void **state)
{
    (void)state;
    setenv("SLURM_PROCID", "1", 1);
    setenv("SLURM_STEP_NUM_TASKS", "2", 1);
    setenv("RANK", "5", 1);
    expect(1, 2); /* any program may call something so */
    setenv("WORLD_SIZE", "8", 1);
    expect(5, 8);
}

static void a_batch_script_of_slurm_is_no_rank(void **state)
{
    (void)state;
    setenv("SLURM_PROCID", "0", 1);
    expect(-1, -1);
}

static void mpirun_within_slurm_counts(void **state)
{
    (void)state;
    setenv("SLURM_PROCID", "0", 1);
    setenv("SLURM_STEP_NUM_TASKS", "1", 1);
    setenv("OMPI_COMM_WORLD_RANK", "2", 1);
    setenv("OMPI_COMM_WORLD_SIZE", "4", 1);
    expect(2, 4);
}

static void what_is_no_number_is_no_rank(void **state)
{
    (void)state;
    static const char *const texts[] = {"",   "x",  "-1",   " 1",
                                        "+1", "1x", "1e30", "99999999999999999999"};
    for (size_t i = 0; i < WL_COUNT(texts); i++) {
        setenv("PMI_RANK", texts[i], 1);
        expect(-1, -1);
    }
}

static void one_rank_is_not_many(void **state)
{
    (void)state;
    assert_false(wl_rank_is_of_many(&(struct wl_rank){-1, -1}));
    assert_false(wl_rank_is_of_many(&(struct wl_rank){0, 1}));
    assert_true(wl_rank_is_of_many(&(struct wl_rank){0, -1}));
    assert_true(wl_rank_is_of_many(&(struct wl_rank){0, 2}));
}

static void lists_hold_ranks_and_ranges(void **state)
{
    (void)state;
    static const char list[] = "0,4-7,12";
    static const int64_t inside[] = {0, 4, 5, 7, 12}, outside[] = {-1, 1, 3, 8, 11, 13};
    assert_int_equal(wl_rank_list_check(list, NULL), WL_OK);
    for (size_t i = 0; i < WL_COUNT(inside); i++)
        assert_true(wl_rank_list_has(list, inside[i]));
    for (size_t i = 0; i < WL_COUNT(outside); i++)
        assert_false(wl_rank_list_has(list, outside[i]));
    assert_true(wl_rank_list_has(NULL, 3));
    assert_true(wl_rank_list_has("", 3));
}

static void what_is_no_list_is_refused(void **state)
{
    (void)state;
    static const char *const lists[] = {"",    "x",    "1,", ",1",  "1-",
                                        "3-2", "1--2", "-1", "1 2", "1,,2"};
    for (size_t i = 0; i < WL_COUNT(lists); i++) {
        struct wl_error error = {0};
        assert_int_equal(wl_rank_list_check(lists[i], &error), WL_ERR_USAGE);
    }
    struct wl_error error = {0};
    wl_rank_list_check("1-x", &error);
    assert_string_equal(error.message, "'1-x' is no list of ranks: 0, 0,2 or 0,4-7 is one");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(without_a_launcher_there_is_no_rank, forget_launchers),
        cmocka_unit_test_setup(each_launcher_is_known, forget_launchers),
        cmocka_unit_test_setup(a_batch_script_of_slurm_is_no_rank, forget_launchers),
        cmocka_unit_test_setup(torchrun_within_slurm_is_asked_first, forget_launchers),
        cmocka_unit_test_setup(mpirun_within_slurm_counts, forget_launchers),
        cmocka_unit_test_setup(what_is_no_number_is_no_rank, forget_launchers),
        cmocka_unit_test(one_rank_is_not_many),
        cmocka_unit_test(lists_hold_ranks_and_ranges),
        cmocka_unit_test(what_is_no_list_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
