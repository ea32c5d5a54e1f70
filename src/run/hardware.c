#include "run/hardware.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "hardware/library.h"
#include "run/ceilings.h"

static const char hardware_library[] = "libwarplens-cupti.so";

/* ---- which ---- */

/* What --collector says, or WARPLENS_COLLECTOR where it is not given. */
static enum wl_code read_choice(enum wl_collector_choice asked, enum wl_collector_choice *choice,
                                struct wl_error *error)
{
    const char *word = getenv("WARPLENS_COLLECTOR");
    *choice = asked;
    if (asked != WL_COLLECTOR_AUTO || !word || !*word)
        return WL_OK;
    int index = wl_option_find_word(wl_collector_choice_words, word);
    if (index < 0)
        return wl_error_set(error, WL_ERR_USAGE, "WARPLENS_COLLECTOR is auto, sim or hw, not '%s'",
                            word);
    *choice = (enum wl_collector_choice)index;
    return WL_OK;
}

char *wl_hardware_find_cupti(const struct wl_cuda_machine *machine, struct wl_error *error)
{
    struct wl_text paths = {0};
    char *second = NULL, *found = NULL;
    wl_cupti_find(machine->driver_version / 1000, &paths);
    for (char *path = paths.data, *next; path && *path && !found; path = next) {
        struct wl_cupti cupti;
        struct wl_error trouble = {0};
        next = path + strcspn(path, "\n");
        *next++ = '\0';
        if (wl_cupti_open(path, &cupti, &trouble) == WL_OK) {
            char **place = cupti.has[WL_CUPTI_NEED_COUNTERS] ? &found : &second;
            if (!*place)
                *place = wl_string_copy(path);
        } else if (!error->code) {
            *error = trouble;
        }
        wl_cupti_close(&cupti);
    }
    wl_text_free(&paths);
    if (!found)
        return second;
    free(second);
    return found;
}

/* Whether the option is on: given explicitly, or implied by the set or by application replay. */
static bool is_wanted(enum wl_override choice, const struct wl_run_request *request)
{
    const char *set = request->metrics->set;
    bool is_in_set = (set && (strcmp(set, "detailed") == 0 || strcmp(set, "full") == 0)) ||
                     wl_replay_facts(request->settings->replay)->has_runs_of_instructions;
    return choice == WL_OVERRIDE_ON || (choice == WL_OVERRIDE_NONE && is_in_set);
}

static enum wl_code choose_instructions(const struct wl_run_request *request,
                                        struct wl_settings *settings, struct wl_error *error)
{
    const struct wl_measure_options *measure = request->measure;
    const char *interval = measure->warp_sampling_interval;
    bool has_ranges = wl_replay_facts(settings->replay)->has_ranges;
    if (has_ranges &&
        (measure->warp_sampling == WL_OVERRIDE_ON || measure->instruction_counts == WL_OVERRIDE_ON))
        return wl_error_set(error, WL_ERR_USAGE,
                            "ranges have neither samples of warps nor counts per instruction");
    settings->pc_samples = !has_ranges && is_wanted(measure->warp_sampling, request);
    settings->instruction_counts = !has_ranges && is_wanted(measure->instruction_counts, request);
    if (!interval || strcmp(interval, "auto") == 0)
        return WL_OK;
    char *end = NULL;
    unsigned long exponent = strtoul(interval, &end, 10);
    if (*interval < '0' || *interval > '9' || *end || exponent > 26)
        return wl_error_set(error, WL_ERR_USAGE,
                            "option --warp-sampling-interval takes auto or 0 to 26, not '%s'",
                            interval);
    settings->pc_period = (uint32_t)exponent + 5;
    return WL_OK;
}

static void replace(char **field, char *value)
{
    free(*field);
    *field = value;
}

enum wl_code wl_hardware_choose(const struct wl_run_request *request,
                                const struct wl_messages *messages, struct wl_cuda_machine *machine,
                                struct wl_settings *settings, struct wl_error *error)
{
    enum wl_collector_choice choice;
    struct wl_error trouble = {0};
    bool names_gpu = request->settings->gpu[0] || settings->clock_mhz;
    enum wl_code code = read_choice(request->settings->collector, &choice, error);
    if (code)
        return code;
    settings->collector = WL_COLLECTOR_SIM;
    if (!settings->gpu[0])
        replace(&settings->gpu, wl_string_copy(wl_gpu_default()));
    if (settings->clock_mhz)
        replace(&settings->gpu,
                wl_string_format("%s,clock_mhz=%" PRIu32, settings->gpu, settings->clock_mhz));
    settings->clock_mhz = 0;
    if (names_gpu && request->settings->collector == WL_COLLECTOR_HW) {
        wl_error_set(error, WL_ERR_USAGE, "--gpu and --collector hw exclude each other");
        return wl_error_set_hint(error, "--gpu and --clock are of a model to simulate");
    }
    if (names_gpu || choice == WL_COLLECTOR_SIM)
        return WL_OK;
    wl_cuda_probe(machine);
    if (machine->device_count == 0 && choice == WL_COLLECTOR_AUTO)
        return WL_OK;
    if (machine->device_count == 0) {
        wl_error_set(error, WL_ERR_UNSUPPORTED, "there is no GPU to measure on: %s",
                     machine->trouble);
        return wl_error_set_hint(error, "`warplens doctor` says more; --gpu NAME simulates one");
    }
    char *library = wl_hardware_find_cupti(machine, &trouble);
    if (!library && choice == WL_COLLECTOR_HW) {
        wl_error_set(error, WL_ERR_UNSUPPORTED, "no CUPTI was found%s%s",
                     trouble.message[0] ? ": " : "", trouble.message);
        return wl_error_set_hint(error, "install the CUDA toolkit, or `pip install "
                                        "nvidia-cuda-cupti`; WARPLENS_CUPTI=FILE names one");
    }
    if (!library) {
        wl_messages_warn(messages, "`warplens doctor` says what is missing",
                         "%s cannot be measured, as no CUPTI was found: its kernels are simulated",
                         machine->devices[0].name);
        return WL_OK;
    }
    settings->collector = WL_COLLECTOR_HW;
    replace(&settings->gpu, wl_string_copy(machine->devices[0].model));
    replace(&settings->cupti_library, library);
    replace(&settings->ceilings, wl_ceilings_setting(machine));
    return choose_instructions(request, settings, error);
}

/* ---- how ---- */

struct loading {
    const char *path;
    char trouble[256]; /* why it cannot be loaded, or "" */
};

static void load(void *answer)
{
    struct loading *loading = answer;
    if (!dlopen(loading->path, RTLD_NOW | RTLD_LOCAL))
        snprintf(loading->trouble, sizeof loading->trouble, "%s", dlerror());
}

enum wl_code wl_hardware_check_library(const char *folder, struct wl_error *error)
{
    char *path = wl_string_format("%s/%s", folder, hardware_library);
    struct loading loading = {.path = path};
    enum wl_code code = WL_OK;
    if (access(path, R_OK) != 0) {
        code =
            wl_error_set(error, WL_ERR_INPUT, "cannot find %s beside warplens", hardware_library);
        wl_error_set_hint(error, "build or install warplens again");
    } else if (wl_cuda_ask_child(load, &loading, sizeof loading) && loading.trouble[0]) {
        code = wl_error_set(error, WL_ERR_INPUT, "%s cannot be loaded: %s", hardware_library,
                            loading.trouble);
        wl_error_set_hint(error, "install the library that is named, or build warplens here; the "
                                 "driver would ignore ours without a message");
    }
    free(path);
    return code;
}

enum wl_code wl_hardware_prepare(const char *folder, const char *settings_path, bool repeats_ranges,
                                 const struct wl_messages *messages,
                                 struct wl_environment *environment, struct wl_error *error)
{
    static const char injection[] = "CUDA_INJECTION64_PATH";
    enum wl_code code = wl_hardware_check_library(folder, error);
    if (code)
        return code;
    char *path = wl_string_format("%s/%s", folder, hardware_library);
    const char *other = wl_environment_get(environment, injection);
    if (other && *other)
        wl_messages_warn(messages, "unset it, or use --gpu to simulate",
                         "%s names another profiler (%s), which is left out of this run", injection,
                         other);
    wl_environment_set(environment, injection, path);
    wl_environment_set(environment, "NVTX_INJECTION64_PATH", path);
    wl_environment_prepend(environment, "ACC_PROFLIB", path, ';');
    wl_environment_set(environment, "WARPLENS_SETTINGS", settings_path);
    if (repeats_ranges) /* what is loaded in the middle of a range would not be put back */
        wl_environment_set(environment, "CUDA_MODULE_LOADING", "EAGER");
    free(path);
    return WL_OK;
}
