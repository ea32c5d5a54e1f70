#include "hardware/check.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/count.h"
#include "base/memory.h"
#include "base/text.h"

/* ---- trying ---- */

struct trial {
    struct wl_cupti cupti;
    struct wl_cuda cuda;
    struct wl_cuda_context *context;
    struct wl_cupti_checked *checked;
};

static void ignore(void *own_data, int domain, uint32_t call, const void *data)
{
    (void)own_data;
    (void)domain;
    (void)call;
    (void)data;
}

static int try_attach(struct trial *trial)
{
    struct wl_cupti_subscriber *subscriber = NULL;
    struct wl_cupti_subscribe parameters = {
        WL_CUPTI_INIT(wl_cupti_subscribe),
        .name = "warplens doctor",
        .old_name = trial->checked->holder,
        .old_name_bytes = sizeof trial->checked->holder,
    };
    int result = trial->cupti.cuptiSubscribe_v2
                     ? trial->cupti.cuptiSubscribe_v2(&subscriber, ignore, NULL, &parameters)
                     : trial->cupti.cuptiSubscribe(&subscriber, ignore, NULL);
    if (result == WL_CUPTI_SUCCESS)
        trial->cupti.cuptiUnsubscribe(subscriber);
    return result;
}

static void give_buffer(uint8_t **buffer, size_t *size_bytes, size_t *records_max)
{
    static uint64_t memory[8192];
    *buffer = (uint8_t *)memory;
    *size_bytes = sizeof memory;
    *records_max = 0;
}

static void take_buffer(struct wl_cuda_context *context, uint32_t stream_id, uint8_t *buffer,
                        size_t size_bytes, size_t valid_bytes)
{
    (void)context;
    (void)stream_id;
    (void)buffer;
    (void)size_bytes;
    (void)valid_bytes;
}

static int try_time(struct trial *trial)
{
    int result = trial->cupti.cuptiActivityRegisterCallbacks(give_buffer, take_buffer);
    if (result == WL_CUPTI_SUCCESS)
        result = trial->cupti.cuptiActivityEnable(WL_CUPTI_ACTIVITY_CONCURRENT_KERNEL);
    if (result == WL_CUPTI_SUCCESS)
        trial->cupti.cuptiActivityDisable(WL_CUPTI_ACTIVITY_CONCURRENT_KERNEL);
    return result;
}

/* What the GPU and its driver allow at all, before anything is switched on. */
static int ask_support(struct trial *trial, int api)
{
    struct wl_cupti_support ask = {WL_CUPTI_INIT(wl_cupti_support),
                                   .device = trial->checked->device, .api = api};
    int result = trial->cupti.cuptiProfilerDeviceSupported(&ask);
    const struct {
        int level, result;
    } rows[] = {
        {ask.architecture, WL_CUPTI_ERROR_NOT_SUPPORTED},
        {ask.sli, WL_CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED},
        {ask.vgpu, WL_CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED},
        {ask.confidential, WL_CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED},
        {ask.cmp, WL_CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED},
        {ask.wsl, WL_CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED},
    };
    for (size_t i = 0; result == WL_CUPTI_SUCCESS && i < WL_COUNT(rows); i++)
        if (rows[i].level == WL_CUPTI_SUPPORT_UNSUPPORTED ||
            rows[i].level == WL_CUPTI_SUPPORT_DISABLED)
            result = rows[i].result;
    return result;
}

static int try_count(struct trial *trial)
{
    struct wl_cupti_ranges_enable enable = {WL_CUPTI_INIT(wl_cupti_ranges_enable),
                                            .context = trial->context};
    struct wl_cupti_availability availability = {WL_CUPTI_INIT(wl_cupti_availability),
                                                 .context = trial->context};
    int result = ask_support(trial, WL_CUPTI_API_RANGES);
    if (result == WL_CUPTI_SUCCESS)
        result = trial->cupti.cuptiProfilerGetCounterAvailability(&availability);
    if (result == WL_CUPTI_SUCCESS)
        result = trial->cupti.cuptiRangeProfilerEnable(&enable);
    if (result != WL_CUPTI_SUCCESS)
        return result;
    struct wl_cupti_ranges_call disable = {WL_CUPTI_INIT(wl_cupti_ranges_call),
                                           .ranges = enable.ranges};
    trial->cupti.cuptiRangeProfilerDisable(&disable);
    return result;
}

static int try_sample(struct trial *trial)
{
    struct wl_cupti_sampling_call call = {WL_CUPTI_INIT(wl_cupti_sampling_call),
                                          .context = trial->context};
    int result = ask_support(trial, WL_CUPTI_API_PC_SAMPLING);
    if (result == WL_CUPTI_SUCCESS)
        result = trial->cupti.cuptiPCSamplingEnable(&call);
    if (result == WL_CUPTI_SUCCESS)
        trial->cupti.cuptiPCSamplingDisable(&call);
    return result;
}

static int try_patch(struct trial *trial)
{
    struct wl_cupti_sass_properties metric = {
        WL_CUPTI_INIT(wl_cupti_sass_properties),
        .chip = trial->checked->chip,
        .metric = "smsp__sass_inst_executed",
    };
    int result = ask_support(trial, WL_CUPTI_API_SASS);
    if (result == WL_CUPTI_SUCCESS)
        result = trial->cupti.cuptiSassMetricsGetProperties(&metric);
    if (result != WL_CUPTI_SUCCESS)
        return result;
    struct wl_cupti_sass_choice choice = {.metric_id = metric.found.id};
    struct wl_cupti_sass_set_config config = {
        WL_CUPTI_INIT(wl_cupti_sass_set_config),
        .count = 1,
        .choices = &choice,
        .device = (uint32_t)trial->checked->device,
    };
    struct wl_cupti_sass_unset_config unset = {WL_CUPTI_INIT(wl_cupti_sass_unset_config),
                                               .device = (uint32_t)trial->checked->device};
    result = trial->cupti.cuptiSassMetricsSetConfig(&config);
    if (result == WL_CUPTI_SUCCESS)
        trial->cupti.cuptiSassMetricsUnsetConfig(&unset);
    return result;
}

static int start_profiler(struct trial *trial)
{
    struct wl_cupti_simple initialize = {WL_CUPTI_INIT(wl_cupti_simple), .reserved = NULL};
    struct wl_cupti_chip_name chip = {WL_CUPTI_INIT(wl_cupti_chip_name),
                                      .device = (size_t)trial->checked->device};
    int result = trial->cupti.cuptiProfilerInitialize(&initialize);
    if (result == WL_CUPTI_SUCCESS)
        result = trial->cupti.cuptiDeviceGetChipName(&chip);
    if (result == WL_CUPTI_SUCCESS)
        snprintf(trial->checked->chip, sizeof trial->checked->chip, "%s", chip.name);
    return result;
}

static const struct {
    enum wl_cupti_need need;
    bool is_profiler; /* needs cuptiProfilerInitialize */
    int (*attempt)(struct trial *trial);
} abilities[WL_CUPTI_ABILITY_COUNT] = {
    [WL_CUPTI_CAN_ATTACH] = {WL_CUPTI_NEED_TRACE, false, try_attach},
    [WL_CUPTI_CAN_TIME] = {WL_CUPTI_NEED_TRACE, false, try_time},
    [WL_CUPTI_CAN_COUNT] = {WL_CUPTI_NEED_COUNTERS, true, try_count},
    [WL_CUPTI_CAN_SAMPLE] = {WL_CUPTI_NEED_SAMPLING, true, try_sample},
    [WL_CUPTI_CAN_PATCH] = {WL_CUPTI_NEED_SASS, true, try_patch},
};

static void try_all(struct trial *trial)
{
    int started = WL_CUPTI_ERROR_NOT_SUPPORTED;
    if (trial->cupti.has[WL_CUPTI_NEED_COUNTERS])
        started = start_profiler(trial);
    for (int i = 0; i < WL_CUPTI_ABILITY_COUNT; i++) {
        int *result = &trial->checked->results[i];
        if (!trial->cupti.has[abilities[i].need])
            *result = WL_CUPTI_ERROR_NOT_SUPPORTED;
        else if (abilities[i].is_profiler && started != WL_CUPTI_SUCCESS)
            *result = started;
        else
            *result = abilities[i].attempt(trial);
    }
    trial->checked->is_tried = true;
}

static void check(void *answer)
{
    struct wl_cupti_checked *checked = answer;
    struct trial trial = {.checked = checked};
    struct wl_error error = {0};
    int device = checked->device;
    unsetenv("CUDA_INJECTION64_PATH");
    if (wl_cupti_open(checked->path, &trial.cupti, &error) || wl_cuda_open(&trial.cuda, &error)) {
        snprintf(checked->trouble, sizeof checked->trouble, "%.*s",
                 (int)sizeof checked->trouble - 1, error.message);
        return;
    }
    checked->version = trial.cupti.version;
    int result = trial.cuda.init(0);
    if (result == WL_CUDA_SUCCESS)
        result = trial.cuda.device_get(&device, checked->device);
    if (result == WL_CUDA_SUCCESS)
        result = trial.cuda.context_retain(&trial.context, device);
    if (result == WL_CUDA_SUCCESS)
        result = trial.cuda.context_set(trial.context);
    if (result != WL_CUDA_SUCCESS) {
        snprintf(checked->trouble, sizeof checked->trouble,
                 "no context can be made on the GPU (CUresult %d)", result);
        return;
    }
    try_all(&trial);
}

void wl_cupti_check(struct wl_cupti_checked *checked)
{
    if (wl_cuda_ask_child(check, checked, sizeof *checked))
        return;
    checked->is_tried = false;
    snprintf(checked->trouble, sizeof checked->trouble,
             "trying it crashed, or took longer than 10 s");
}

/* ---- the system ---- */

enum { capability_sys_admin = 21 };

static char *read_file(const char *root, const char *path)
{
    struct wl_text content = {0};
    char *whole = wl_string_format("%s%s", root, path);
    wl_file_read(whole, &content, NULL);
    free(whole);
    return wl_text_take(&content);
}

static bool has_file(const char *root, const char *path)
{
    char *whole = wl_string_format("%s%s", root, path);
    bool is_there = access(whole, F_OK) == 0;
    free(whole);
    return is_there;
}

/* Whether "KEY: ..." in a file says this number, in base. */
static uint64_t read_number(const char *content, const char *key, int base)
{
    const char *at = strstr(content, key);
    return at ? strtoull(at + strlen(key), NULL, base) : 0;
}

static bool runs_program(const char *root, const char *name)
{
    char *processes = wl_string_format("%s/proc", root);
    DIR *folder = opendir(processes);
    bool is_found = false;
    for (struct dirent *entry; folder && !is_found && (entry = readdir(folder));) {
        if (entry->d_name[0] < '0' || entry->d_name[0] > '9')
            continue;
        char *path = wl_string_format("/proc/%s/comm", entry->d_name);
        char *comm = read_file(root, path);
        is_found = strncmp(comm, name, strlen(name)) == 0;
        free(comm);
        free(path);
    }
    if (folder)
        closedir(folder);
    free(processes);
    return is_found;
}

void wl_machine_read(const char *root, struct wl_machine_facts *facts)
{
    char *status = read_file(root, "/proc/self/status");
    char *parameters = read_file(root, "/proc/driver/nvidia/params");
    char *version = read_file(root, "/proc/version");
    char *groups = read_file(root, "/proc/1/cgroup");
    uint64_t capabilities = read_number(status, "CapEff:", 16);
    *facts = (struct wl_machine_facts){
        .is_root = read_number(status, "Uid:", 10) == 0 && strstr(status, "Uid:"),
        .can_admin = capabilities >> capability_sys_admin & 1,
        .is_container = has_file(root, "/.dockerenv") || has_file(root, "/run/.containerenv") ||
                        strstr(groups, "docker") || strstr(groups, "kubepods") ||
                        strstr(groups, "containerd"),
        .is_driver_known = parameters[0] != '\0',
        .is_admin_only = read_number(parameters, "RmProfilingAdminOnly:", 10) == 1,
        .has_dcgm = runs_program(root, "nv-hostengine"),
        .is_wsl = strstr(version, "microsoft") || strstr(version, "Microsoft"),
    };
    free(status);
    free(parameters);
    free(version);
    free(groups);
}

const char *wl_machine_advise(const struct wl_machine_facts *facts, int result)
{
    bool is_permission = result == WL_CUPTI_ERROR_INSUFFICIENT_PRIVILEGES;
    if (is_permission && facts->is_wsl)
        return wl_cupti_explain(WL_CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED)->hint;
    if (is_permission && facts->is_container && !facts->can_admin)
        return "start the container with --cap-add SYS_ADMIN; or, on the host, put `options nvidia "
               "NVreg_RestrictProfilingToAdminUsers=0` into a file of /etc/modprobe.d and reboot";
    if (is_permission && !facts->is_root)
        return "run warplens with sudo; or put `options nvidia "
               "NVreg_RestrictProfilingToAdminUsers=0` into a file of /etc/modprobe.d and reboot";
    if (is_permission)
        return "root lacks CAP_SYS_ADMIN here, or the host of this machine keeps the counters to "
               "itself: ask whoever runs it for NVreg_RestrictProfilingToAdminUsers=0";
    if (result == WL_CUPTI_ERROR_HARDWARE_BUSY && facts->has_dcgm)
        return "DCGM's host engine runs and holds the counters: `dcgmi profile --pause`, and "
               "`dcgmi profile --resume` afterwards";
    return wl_cupti_explain(result)->hint;
}
