/* `warplens doctor`: which of three levels this machine gives, and what would give more. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/console.h"
#include "cmd/verbs.h"
#include "hardware/check.h"
#include "run/hardware.h"
#include "run/injection.h"

static const struct wl_option_table tables[] = {{wl_general_rows, 0, 0}, WL_TABLES_END};

static const char *const abilities[WL_CUPTI_ABILITY_COUNT] = {
    [WL_CUPTI_CAN_ATTACH] = "observe kernel launches", [WL_CUPTI_CAN_TIME] = "time kernels",
    [WL_CUPTI_CAN_COUNT] = "read hardware counters",   [WL_CUPTI_CAN_SAMPLE] = "sample warps",
    [WL_CUPTI_CAN_PATCH] = "count per instruction",
};

static void print_machine(const struct wl_cuda_machine *machine, FILE *out)
{
    if (machine->driver_version)
        fprintf(out, "driver   for CUDA %u.%u\n", machine->driver_version / 1000,
                machine->driver_version % 1000 / 10);
    for (uint32_t i = 0; i < machine->device_count && i < WL_CUDA_DEVICES_MAX; i++) {
        const struct wl_cuda_device *device = &machine->devices[i];
        fprintf(out,
                "GPU %u    %s, compute capability %u.%u, %u SMs, %.0f GB; most like --gpu %s\n", i,
                device->name, device->capability_major, device->capability_minor, device->sm_count,
                (double)device->memory_bytes / 1e9, device->model);
    }
    if (machine->trouble[0])
        fprintf(out, "GPU      none: %s\n", machine->trouble);
}

static void print_ability(const struct wl_cupti_checked *checked, enum wl_cupti_ability ability,
                          const struct wl_machine_facts *facts, FILE *out)
{
    int result = checked->results[ability];
    const struct wl_cupti_reason *reason = wl_cupti_explain(result);
    if (result == WL_CUPTI_SUCCESS) {
        fprintf(out, "yes      %s\n", abilities[ability]);
        return;
    }
    fprintf(out, "no       %s: %s (%s, %d)\n", abilities[ability], reason->meaning, reason->name,
            result);
    if (result == WL_CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED && checked->holder[0])
        fprintf(out, "         attached is %s\n", checked->holder);
    const char *advice = wl_machine_advise(facts, result);
    if (advice[0])
        fprintf(out, "         fix: %s\n", advice);
}

static int level_of(const struct wl_cupti_checked *checked)
{
    if (checked->results[WL_CUPTI_CAN_ATTACH] != WL_CUPTI_SUCCESS)
        return 0;
    return checked->results[WL_CUPTI_CAN_COUNT] == WL_CUPTI_SUCCESS ? 2 : 1;
}

static int examine_gpu(const char *library, FILE *out)
{
    struct wl_machine_facts facts;
    struct wl_cupti_checked checked = {.device = 0};
    snprintf(checked.path, sizeof checked.path, "%s", library);
    wl_machine_read("", &facts);
    wl_cupti_check(&checked);
    fprintf(out, "CUPTI    %s, interface %u\n", checked.path, checked.version);
    if (!checked.is_tried) {
        fprintf(out, "no       measuring: %s\n", checked.trouble);
        return 0;
    }
    for (int i = 0; i < WL_CUPTI_ABILITY_COUNT; i++)
        print_ability(&checked, (enum wl_cupti_ability)i, &facts, out);
    return level_of(&checked);
}

/* False: the driver cannot load the library that would measure. */
static bool examine_library(FILE *out)
{
    struct wl_error error = {0};
    char *folder = NULL;
    enum wl_code code = wl_injection_find(&folder, &error);
    if (code == WL_OK)
        code = wl_hardware_check_library(folder, &error);
    if (code != WL_OK)
        fprintf(out, "no       measuring: %s\n         fix: %s\n", error.message, error.hint);
    free(folder);
    return code == WL_OK;
}

static void print_level(int level, const char *model, FILE *out)
{
    if (level == 0)
        fputs("level 0  kernels are simulated; --gpu NAME chooses the model\n", out);
    else if (level == 1)
        fprintf(out,
                "level 1  launches and times are measured; counters are those of a simulated "
                "twin: --gpu %s\n",
                model);
    else
        fputs("level 2  everything is measured\n", out);
}

static enum wl_code examine(void *options, const struct wl_arguments *arguments,
                            const struct wl_console *console, struct wl_error *error)
{
    FILE *out = console->pages;
    struct wl_cuda_machine machine;
    struct wl_error trouble = {0};
    (void)options, (void)arguments, (void)error;
    int level = 0;
    wl_cuda_probe(&machine);
    print_machine(&machine, out);
    char *library = machine.device_count ? wl_hardware_find_cupti(&machine, &trouble) : NULL;
    if (library && examine_library(out))
        level = examine_gpu(library, out);
    else if (library)
        level = 0;
    else if (machine.device_count)
        fprintf(out,
                "CUPTI    none%s%s\n         fix: install the CUDA toolkit, or `pip install "
                "nvidia-cuda-cupti`; WARPLENS_CUPTI=FILE names one\n",
                trouble.message[0] ? ": " : "", trouble.message);
    print_level(level, machine.devices[0].model, out);
    free(library);
    return WL_OK;
}

const struct wl_verb wl_verb_doctor = {
    .name = "doctor",
    .usage = "doctor",
    .summary = "report what can be measured on this machine, and what prevents more",
    .options_bytes = sizeof(struct wl_general_options),
    .tables = tables,
    .words = WL_WORDS_NONE,
    .work = examine,
};
