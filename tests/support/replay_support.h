/* For tests of replay modes: a process that launches kernels of the mock driver
 * (tests/cupti/mock.h) as a script says, under the collector, and what stands in its stream then.
 * Metric i of the n-th launch since memory was empty, both from 0, has the value 1000 * (n + 1) +
 * i; four metrics take one pass. */
#ifndef WL_SUPPORT_REPLAY_SUPPORT_H
#define WL_SUPPORT_REPLAY_SUPPORT_H

#include <dirent.h>
#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/folder.h"
#include "base/memory.h"
#include "base/text.h"
#include "record/settings.h"
#include "record/stream/stream.h"

#define MOCKS WL_BUILD_DIR "/tests/cupti-mock/"
#define ONE_PASS "m__0.sum\nm__1.sum"
#define TWO_PASSES "m__0.sum\nm__1.sum\nm__2.sum\nm__3.sum\nm__4.sum"

int InitializeInjection(void);

static char *replay_folder;

static int replay_setup(void **state)
{
    (void)state;
    return wl_folder_create_temporary("wl-replay-test", &replay_folder, NULL);
}

static int replay_teardown(void **state)
{
    (void)state;
    int code = wl_folder_remove(replay_folder, NULL);
    free(replay_folder);
    return code;
}

/* ---- the program ---- */

static void *driver;

static int call_driver(const char *name)
{
    int (*function)(void);
    *(void **)&function = dlsym(driver, name);
    return function();
}

static void launch_kernel(void *kernel, unsigned threads)
{
    int (*launch)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                  void *, void **, void **);
    void *argument = NULL, *arguments[] = {&argument};
    *(void **)&launch = dlsym(driver, "cuLaunchKernel");
    launch(kernel, 16, 2, 1, threads, 1, 1, 256, NULL, arguments, NULL);
}

/* script: words, "one" and "two" launch a kernel each, "wrong" one that is refused, "graph" a
 * graph; "sync", "start" and "stop" (of the profiler) are calls. */
static void run_script(const char *script)
{
    int (*init)(unsigned), (*load)(void **, const void *), (*get)(void **, void *, const char *),
        (*graph)(void *, void *);
    void *module = NULL, *kernels[2] = {NULL, NULL};
    *(void **)&init = dlsym(driver, "cuInit");
    *(void **)&load = dlsym(driver, "cuModuleLoadData");
    *(void **)&get = dlsym(driver, "cuModuleGetFunction");
    *(void **)&graph = dlsym(driver, "cuGraphLaunch");
    init(0);
    InitializeInjection();
    load(&module, NULL);
    get(&kernels[0], module, "_Z5scalePf");
    get(&kernels[1], module, "_Z3addPfS_");
    for (const char *word = script; *word; word += strspn(word, " ")) {
        size_t length = strcspn(word, " ");
        if (strncmp(word, "one", length) == 0)
            launch_kernel(kernels[0], 128);
        else if (strncmp(word, "two", length) == 0)
            launch_kernel(kernels[1], 128);
        else if (strncmp(word, "wrong", length) == 0)
            launch_kernel(kernels[0], 2048);
        else if (strncmp(word, "graph", length) == 0)
            graph(kernels[0], NULL);
        else if (strncmp(word, "sync", length) == 0)
            call_driver("cuCtxSynchronize");
        else if (strncmp(word, "start", length) == 0)
            call_driver("cuProfilerStart");
        else
            call_driver("cuProfilerStop");
        word += length;
    }
}

/* Never returns. cupti: the file beneath MOCKS. */
static void be_program(enum wl_replay replay, uint32_t pass, const char *counters,
                       const char *cupti, const char *script)
{
    struct wl_settings settings;
    struct wl_text text = {0};
    char *path = wl_string_format("%s/settings", replay_folder);
    wl_settings_init(&settings);
    free(settings.stream_folder);
    free(settings.image_folder);
    free(settings.counters);
    free(settings.cupti_library);
    settings.stream_folder = wl_string_copy(replay_folder);
    settings.image_folder = wl_string_copy(replay_folder);
    settings.counters = wl_string_copy(counters);
    settings.cupti_library = wl_string_format(MOCKS "%s", cupti);
    settings.collector = WL_COLLECTOR_HW;
    settings.replay = replay;
    settings.replay_pass = pass;
    wl_settings_print(&settings, &text);
    wl_file_write(path, text.data, text.length, NULL);
    setenv("WARPLENS_SETTINGS", path, 1);
    wl_settings_free(&settings);
    wl_text_free(&text);
    free(path);
    driver = dlopen(MOCKS "libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
    if (!driver)
        _exit(90);
    run_script(script);
    exit(0);
}

/* ---- its stream ---- */

static void add_replay_launch(void *self, const struct wl_record_launch *record)
{
    wl_text_addf(self, "%d", (int)record->id);
    for (size_t i = 0; i < record->attribute_count; i++)
        if (strcmp(record->attributes[i].name, "launch__replay") == 0)
            wl_text_addf(self, " %s", record->attributes[i].text);
    if (record->status == WL_LAUNCH_FAILED)
        wl_text_addf(self, " failed");
    for (size_t i = 0; i < record->value_count; i++)
        if (strncmp(record->values[i].name, "m__", 3) == 0 ||
            strcmp(record->values[i].name, "launch__spread_launches") == 0 ||
            strcmp(record->values[i].name, "range__launches") == 0)
            wl_text_addf(self, " %g", record->values[i].value);
    wl_text_addf(self, "\n");
}

/* Launches of the last process in the order of their records, a line each: id, mode, values. free()
 * it. */
static char *read_stream(void)
{
    struct wl_text found = {0};
    struct wl_sink sink = {.self = &found, .put_launch = add_replay_launch};
    DIR *directory = opendir(replay_folder);
    for (struct dirent *entry; (entry = readdir(directory)) != NULL;) {
        char *path = wl_string_format("%s/%s", replay_folder, entry->d_name);
        if (strstr(entry->d_name, ".wls")) {
            assert_int_equal(wl_stream_replay(path, &sink, NULL, NULL), WL_OK);
            unlink(path);
        }
        free(path);
    }
    closedir(directory);
    return wl_text_take(&found);
}

static void assert_replayed_with(const char *cupti, enum wl_replay replay, uint32_t pass,
                                 const char *counters, const char *script, const char *expected)
{
    int status;
    pid_t child = fork();
    if (child == 0)
        be_program(replay, pass, counters, cupti, script);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    char *found = read_stream();
    assert_string_equal(found, expected);
    free(found);
}

static inline void assert_replayed(enum wl_replay replay, uint32_t pass, const char *counters,
                                   const char *script, const char *expected)
{
    assert_replayed_with("whole/libcupti.so.13", replay, pass, counters, script, expected);
}

#endif
