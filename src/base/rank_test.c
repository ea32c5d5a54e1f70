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
    static const char *const names[] = {"OMPI_COMM_WORLD_RANK",
                                        "OMPI_COMM_WORLD_SIZE",
                                        "MV2_COMM_WORLD_RANK",
                                        "MV2_COMM_WORLD_SIZE",
                                        "PMI_RANK",
                                        "PMI_SIZE",
                                        "SLURM_PROCID",
                                        "SLURM_STEP_NUM_TASKS",
                                        "PMIX_RANK",
                                        "PMIX_SIZE"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
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
    static const char *const names[][2] = {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                           {"MV2_COMM_WORLD_RANK", "MV2_COMM_WORLD_SIZE"},
                                           {"PMI_RANK", "PMI_SIZE"},
                                           {"SLURM_PROCID", "SLURM_STEP_NUM_TASKS"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        forget_launchers(state);
        setenv(names[i][0], "3", 1);
        setenv(names[i][1], "16", 1);
        expect(3, 16);
    }
    forget_launchers(state);
    setenv("PMIX_RANK", "0", 1);
    expect(0, -1);
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
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        setenv("PMI_RANK", texts[i], 1);
        expect(-1, -1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(without_a_launcher_there_is_no_rank, forget_launchers),
        cmocka_unit_test_setup(each_launcher_is_known, forget_launchers),
        cmocka_unit_test_setup(a_batch_script_of_slurm_is_no_rank, forget_launchers),
        cmocka_unit_test_setup(mpirun_within_slurm_counts, forget_launchers),
        cmocka_unit_test_setup(what_is_no_number_is_no_rank, forget_launchers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
