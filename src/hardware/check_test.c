#include "hardware/check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "base/folder.h"
#include "base/memory.h"

static char root[64];

static int prepare(void **state)
{
    (void)state;
    strcpy(root, "/tmp/wl-machine-XXXXXX");
    return mkdtemp(root) ? 0 : 1;
}

static int clean(void **state)
{
    (void)state;
    return wl_folder_remove(root, NULL);
}

static void put(const char *path, const char *content)
{
    char *whole = wl_string_format("%s%s", root, path);
    for (char *at = whole + strlen(root) + 1; (at = strchr(at, '/')); *at++ = '/') {
        *at = '\0';
        mkdir(whole, 0700);
    }
    FILE *file = fopen(whole, "w");
    assert_non_null(file);
    fputs(content, file);
    fclose(file);
    free(whole);
}

static struct wl_machine_facts read_facts(void)
{
    struct wl_machine_facts facts;
    wl_machine_read(root, &facts);
    return facts;
}

static void an_empty_machine_says_nothing(void **state)
{
    (void)state;
    struct wl_machine_facts facts = read_facts();
    assert_false(facts.is_root || facts.can_admin || facts.is_container || facts.is_driver_known ||
                 facts.is_admin_only || facts.has_dcgm || facts.is_wsl);
}

static void a_user_is_told_of_sudo_and_the_module_option(void **state)
{
    (void)state;
    put("/proc/self/status", "Name:\tx\nUid:\t1000\t1000\nCapEff:\t0000000000000000\n");
    put("/proc/driver/nvidia/params", "Something: 3\nRmProfilingAdminOnly: 1\n");
    struct wl_machine_facts facts = read_facts();
    assert_true(facts.is_driver_known && facts.is_admin_only);
    assert_false(facts.is_root);
    assert_string_equal(wl_machine_advise(&facts, WL_CUPTI_ERROR_INSUFFICIENT_PRIVILEGES),
                        "run warplens with sudo; or put `options nvidia "
                        "NVreg_RestrictProfilingToAdminUsers=0` into a file of /etc/modprobe.d and "
                        "reboot");
}

static void a_container_is_told_of_the_capability(void **state)
{
    (void)state;
    put("/proc/self/status", "Uid:\t0\t0\nCapEff:\t00000000a80425fb\n");
    put("/.dockerenv", "");
    struct wl_machine_facts facts = read_facts();
    assert_true(facts.is_root && facts.is_container);
    assert_false(facts.can_admin);
    assert_non_null(strstr(wl_machine_advise(&facts, WL_CUPTI_ERROR_INSUFFICIENT_PRIVILEGES),
                           "start the container with --cap-add SYS_ADMIN"));
    put("/proc/self/status", "Uid:\t0\t0\nCapEff:\t000001ffffffffff\n");
    facts = read_facts();
    assert_true(facts.can_admin);
    assert_non_null(strstr(wl_machine_advise(&facts, WL_CUPTI_ERROR_INSUFFICIENT_PRIVILEGES),
                           "root lacks CAP_SYS_ADMIN here, or the host"));
}

static void dcgm_and_wsl_are_named(void **state)
{
    (void)state;
    put("/proc/77/comm", "nv-hostengine\n");
    struct wl_machine_facts facts = read_facts();
    assert_true(facts.has_dcgm);
    assert_non_null(
        strstr(wl_machine_advise(&facts, WL_CUPTI_ERROR_HARDWARE_BUSY), "dcgmi profile --pause"));
    put("/proc/version", "Linux version 5.15.90.1-microsoft-standard-WSL2\n");
    facts = read_facts();
    assert_true(facts.is_wsl);
    assert_non_null(strstr(wl_machine_advise(&facts, WL_CUPTI_ERROR_INSUFFICIENT_PRIVILEGES),
                           "NVIDIA control panel"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_empty_machine_says_nothing, prepare, clean),
        cmocka_unit_test_setup_teardown(a_user_is_told_of_sudo_and_the_module_option, prepare,
                                        clean),
        cmocka_unit_test_setup_teardown(a_container_is_told_of_the_capability, prepare, clean),
        cmocka_unit_test_setup_teardown(dcgm_and_wsl_are_named, prepare, clean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
