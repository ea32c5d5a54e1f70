/* Runs itself as a watched program: each scenario is a process that begins with WARPLENS_SETTINGS
 * as the launcher sets it, and behaves as the device layer would at launches. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/folder.h"
#include "base/memory.h"
#include "base/text.h"
#include "device/core/state.h"
#include "record/stream/stream.h"

#if defined(__SANITIZE_ADDRESS__)
#define WL_HAS_ADDRESS_SANITIZER true
#elif defined(__has_feature)
#define WL_HAS_ADDRESS_SANITIZER __has_feature(address_sanitizer)
#else
#define WL_HAS_ADDRESS_SANITIZER false
#endif

/* ---- the watched program ---- */

static struct wl_program_instruction instruction = {.text = "ret", .opcode = "ret"};
static struct wl_program program = {.instructions = &instruction, .instruction_count = 1};
static const struct wl_device_module_info module = {.id = 1, .name = "a.cu"};
static struct wl_device_kernel_info kernel = {.id = 1,
                                              .module = &module,
                                              .mangled = "_Z4stepPf",
                                              .program = &program,
                                              .registers_source = "liveness"};

static void check(bool is_true, const char *what)
{
    if (is_true)
        return;
    fprintf(stderr, "%s\n", what);
    _exit(90);
}

/* What the device layer does at a launch. True if it was to be counted. */
static bool launch(uint64_t id)
{
    const struct wl_device_observer *observer = wl_device.options.observer;
    struct wl_instruction_counts instruction_counts = {.warps = 1};
    struct wl_sim_counts counts = {.instructions = &instruction_counts, .instruction_count = 1};
    struct wl_device_launch launch = {.id = id,
                                      .kernel = &kernel,
                                      .module = &module,
                                      .mangled = kernel.mangled,
                                      .grid = {1, 1, 1},
                                      .block = {32, 1, 1}};
    struct wl_error error = {0};
    errno = 1234;
    bool is_counted = observer->launch_begin(observer->self, &launch);
    if (observer->progress && id == 77) {
        usleep(800 * 1000);
        observer->progress(
            observer->self, &launch,
            &(struct wl_sim_progress){.blocks_done = 3, .blocks_total = 9, .instructions = 70});
        observer->progress(
            observer->self, &launch,
            &(struct wl_sim_progress){.blocks_done = 4,
                                      .blocks_total = 9,
                                      .instructions = 80}); /* too soon after the first */
    }
    if (observer->progress && id == 78) {
        usleep(800 * 1000);
        observer->progress(
            observer->self, &launch,
            &(struct wl_sim_progress){.blocks_done = 5, .blocks_total = 9, .instructions = 90});
        _exit(0);
    }
    observer->launch_end(observer->self, &launch, is_counted ? &counts : NULL, &error);
    check(errno == 1234, "errno was changed");
    return is_counted;
}

static int run_plain(void)
{
    check(launch(0) && launch(1), "launches are not counted");
    return 3;
}

static int run_killed(void)
{
    launch(0);
    kill(getpid(), SIGKILL);
    return 0;
}

static int run_without_launch(void)
{
    return 0;
}

static int run_fork(void)
{
    launch(0);
    pid_t child = fork();
    if (child == 0) {
        launch(1);
        exit(5);
    }
    waitpid(child, NULL, 0);
    child = fork();
    if (child == 0)
        exit(6); /* launches nothing: leaves nothing */
    waitpid(child, NULL, 0);
    launch(2);
    return 0;
}

/* May take this much more, however much the machine has and promises. */
static void limit_memory(size_t more)
{
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    check(file && fscanf(file, "%lu", &pages) == 1, "no /proc/self/statm");
    fclose(file);
    rlim_t most = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + more;
    check(setrlimit(RLIMIT_AS, &(struct rlimit){most, most}) == 0, "no limit of memory");
}

/* A kernel so large that no memory can hold its record. */
static int run_out_of_memory(void)
{
    launch(0);
    limit_memory((size_t)4 << 30);
    struct wl_program huge = program;
    huge.instruction_count = UINT32_MAX;
    struct wl_device_kernel_info normal = kernel;
    kernel.id = 2;
    kernel.program = &huge;
    launch(1);
    kernel = normal;
    check(!launch(2), "counts although it is off");
    return 0;
}

static int run_unrecorded(void)
{
    check(!launch(0), "counts although nothing can be written");
    return 4;
}

static int run_unobserved(void)
{
    check(wl_device.options.observer == NULL, "observes without settings");
    return 4;
}

static int run_progress(void)
{
    launch(77);
    return 0;
}

static int run_progress_within(void)
{
    launch(78);
    return 0;
}

static int run_note(void)
{
    wl_device_note(0, "some-code", "some hint", "some %s", "text");
    return 0;
}

static const struct {
    const char *name;
    int (*run)(void);
} scenarios[] = {
    {"plain", run_plain},
    {"killed", run_killed},
    {"without-launch", run_without_launch},
    {"fork", run_fork},
    {"out-of-memory", run_out_of_memory},
    {"unrecorded", run_unrecorded},
    {"unobserved", run_unobserved},
    {"progress", run_progress},
    {"progress-within", run_progress_within},
    {"note", run_note},
};

static int run_scenario(const char *name)
{
    for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++)
        if (strcmp(scenarios[i].name, name) == 0)
            return scenarios[i].run();
    return 91;
}

/* ---- the test ---- */

static char *folder;

static int make_folder(void **state)
{
    (void)state;
    return wl_folder_create_temporary("wl-inject-test", &folder, NULL);
}

static int remove_folder(void **state)
{
    (void)state;
    int code = wl_folder_remove(folder, NULL);
    free(folder);
    return code;
}

/* settings: NULL for none, else lines behind the stream's folder. Returns the wait status; what the
 * program printed is in the folder's file "output". */
static int watch(const char *scenario, const char *settings)
{
    char *path = wl_string_format("%s/settings", folder);
    char *output = wl_string_format("%s/output", folder);
    char *lines = wl_string_format("stream_folder=%s\n%s", folder, settings ? settings : "");
    assert_int_equal(wl_file_write(path, lines, strlen(lines), NULL), WL_OK);
    pid_t child = fork();
    if (child == 0) {
        int descriptor = open(output, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        dup2(descriptor, 1);
        dup2(descriptor, 2);
        if (settings)
            setenv("WARPLENS_SETTINGS", path, 1);
        execl("/proc/self/exe", "watched", scenario, "it's", (char *)NULL);
        _exit(127);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    free(path);
    free(output);
    free(lines);
    return status;
}

static void assert_silent(void)
{
    struct wl_text printed = {0};
    char *output = wl_string_format("%s/output", folder);
    assert_int_equal(wl_file_read(output, &printed, NULL), WL_OK);
    assert_string_equal(printed.data ? printed.data : "", "");
    wl_text_free(&printed);
    free(output);
}

static void add_process(void *self, const struct wl_record_process *r)
{
    bool is_good = strlen(r->executable_hash) == 64 && r->pid > 0 && r->host[0] &&
                   strstr(r->executable, "inject_test") && strcmp(r->version, "0.1.0") == 0;
    wl_text_addf(self, "process %s %s [%s]; ", is_good ? "good" : "bad", r->collector,
                 r->command_line);
}
static void add_device(void *self, const struct wl_record_device *r)
{
    wl_text_addf(self, "device %s; ", r->model);
}
static void add_module(void *self, const struct wl_record_module *r)
{
    wl_text_addf(self, "module %s; ", r->name);
}
static void add_kernel(void *self, const struct wl_record_kernel *r)
{
    wl_text_addf(self, "kernel %s; ", r->function);
}
static void add_launch(void *self, const struct wl_record_launch *r)
{
    wl_text_addf(self, "launch %d; ", (int)r->id);
}
static void add_note(void *self, const struct wl_record_note *r)
{
    wl_text_addf(self, "note %s: %s (%s); ", r->code, r->text, r->hint);
}
static void add_end(void *self, int exit_code, uint64_t end_ns)
{
    wl_text_addf(self, "end %d%s", exit_code, end_ns ? "" : " at no time");
}

static int is_stream(const struct dirent *entry)
{
    return strstr(entry->d_name, ".wls") != NULL;
}

static int by_start(const struct dirent **left, const struct dirent **right)
{
    return strcmp(strrchr((*left)->d_name, '-'), strrchr((*right)->d_name, '-'));
}

/* All streams of the folder in order of their start, a line each. */
static void assert_streams(const char *expected)
{
    struct wl_text found = {0};
    struct wl_sink sink = {.self = &found,
                           .put_process = add_process,
                           .put_device = add_device,
                           .put_module = add_module,
                           .put_kernel = add_kernel,
                           .put_launch = add_launch,
                           .put_note = add_note,
                           .put_end = add_end};
    struct dirent **entries;
    int count = scandir(folder, &entries, is_stream, by_start);
    for (int i = 0; i < count; i++) {
        char *path = wl_string_format("%s/%s", folder, entries[i]->d_name);
        assert_int_equal(wl_stream_replay(path, &sink, NULL, NULL), WL_OK);
        wl_text_add(&found, "\n");
        free(path);
        free(entries[i]);
    }
    free(entries);
    assert_string_equal(found.data ? found.data : "", expected);
    wl_text_free(&found);
}

static void assert_exited(int status, int code)
{
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), code);
}

#define PROCESS(scenario) "process good sim [watched " scenario " 'it'\\''s']; device h200; "

static void a_program_is_recorded(void **state)
{
    (void)state;
    assert_exited(watch("plain", "gpu=h200\n"), 3);
    assert_silent();
    assert_streams(PROCESS("plain") "module a.cu; kernel step; launch 0; launch 1; end 3\n");
}

static void a_killed_program_leaves_its_launches(void **state)
{
    (void)state;
    int status = watch("killed", "");
    assert_true(WIFSIGNALED(status));
    assert_streams(PROCESS("killed") "module a.cu; kernel step; launch 0; \n");
}

static void a_program_without_launches_leaves_nothing(void **state)
{
    (void)state;
    assert_exited(watch("without-launch", ""), 0);
    assert_streams("");
}

static void launches_filtered_out_leave_the_process(void **state)
{
    (void)state;
    assert_exited(watch("unrecorded", "kernel_name=other\n"), 4);
    assert_streams(
        PROCESS("unrecorded") "note left-out: launches of step were not chosen (); end 4\n");
}

static void children_have_streams_of_their_own(void **state)
{
    (void)state;
    assert_exited(watch("fork", ""), 0);
    assert_silent();
    assert_streams(PROCESS("fork") "module a.cu; kernel step; launch 0; launch 2; end 0\n" PROCESS(
        "fork") "module a.cu; kernel step; launch 1; end 5\n");
}

static void without_memory_recording_ends_not_the_program(void **state)
{
    (void)state;
    if (WL_HAS_ADDRESS_SANITIZER) {
        puts("skipped: the allocator of AddressSanitizer ends the program itself");
        skip();
    }
    assert_exited(watch("out-of-memory", ""), 0);
    assert_silent();
    assert_streams(PROCESS("out-of-memory") "module a.cu; kernel step; launch 0; note "
                                            "collector-off: recording stopped: out of memory "
                                            "(launches from here on are missing); end 0\n");
}

static void unwritable_streams_cost_nothing_but_the_record(void **state)
{
    (void)state;
    assert_exited(watch("unrecorded", "stream_folder=/nonexistent/folder\n"), 4);
    assert_silent();
    assert_streams("");
}

static void bad_settings_are_recorded(void **state)
{
    (void)state;
    assert_exited(watch("unobserved", "colour=red\n"), 4);
    assert_silent();
    assert_streams(
        "process good sim [watched unobserved 'it'\\''s']; note collector-off: nothing is "
        "recorded: unknown key 'colour': settings:2 (the warplens program and its "
        "libraries are of different versions); end 4\n");
}

static void without_settings_it_is_just_a_gpu(void **state)
{
    (void)state;
    assert_exited(watch("unobserved", NULL), 4);
    assert_silent();
    assert_streams("");
}

static void long_kernels_show_progress(void **state)
{
    (void)state;
    struct wl_text line = {0};
    char *path = wl_string_format("%s/%s", folder, WL_STREAM_PROGRESS_FILE);
    assert_exited(watch("progress", "progress=yes\n"), 0);
    assert_int_equal(wl_file_read(path, &line, NULL), WL_OK);
    assert_int_equal(line.length, 0); /* the kernel is done */
    assert_exited(watch("progress-within", "progress=yes\n"), 0);
    assert_int_equal(wl_file_read(path, &line, NULL), WL_OK);
    assert_string_equal(line.data, "step 5 9 90\n");
    wl_text_free(&line);
    free(path);
}

static void what_the_device_says_is_noted(void **state)
{
    (void)state;
    assert_exited(watch("note", ""), 0);
    assert_streams("process good sim [watched note 'it'\\''s']; note some-code: some text (some "
                   "hint); end 0\n");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(int count, char **arguments)
{
    if (count > 1)
        return run_scenario(arguments[1]);
    const struct CMUnitTest tests[] = {
        TEST(a_program_is_recorded),
        TEST(a_killed_program_leaves_its_launches),
        TEST(a_program_without_launches_leaves_nothing),
        TEST(launches_filtered_out_leave_the_process),
        TEST(children_have_streams_of_their_own),
        TEST(without_memory_recording_ends_not_the_program),
        TEST(unwritable_streams_cost_nothing_but_the_record),
        TEST(bad_settings_are_recorded),
        TEST(without_settings_it_is_just_a_gpu),
        TEST(long_kernels_show_progress),
        TEST(what_the_device_says_is_noted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
