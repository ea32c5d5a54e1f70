/* `warplens ceilings`: what a GPU reaches at most, measured, beside what its description says. */
#include "run/ceilings.h"
#include "base/count.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/folder.h"
#include "base/memory.h"
#include "cmd/console.h"
#include "cmd/verbs.h"
#include "show/format/table.h"

struct options {
    struct wl_general_options general;
    const char *gpu, *gpu_folder;
    bool measure_again, json;
};

static const struct wl_option rows[] = {
    WL_ROWS_HEADING("CEILINGS"),
    WL_ROW(struct options, gpu, TEXT, "gpu", 0, "NAME",
           "of this GPU model instead, from its description"),
    WL_ROW(struct options, gpu_folder, TEXT, "gpu-folder", 0, "FOLDER",
           "look here first for NAME.gpu"),
    WL_ROW(struct options, measure_again, FLAG, "again", 0, NULL,
           "measure even if this GPU was measured with this driver before"),
    WL_ROW(struct options, json, FLAG, "json", 0, NULL, "as JSON, in base units"),
    WL_ROWS_END,
};

static const struct wl_option_table tables[] = {
    {rows, 0, 0},
    WL_TABLE(struct options, general, wl_general_rows),
    WL_TABLES_END,
};

/* ---- the page ---- */

static void add_number(struct wl_table *table, double value, const char *unit)
{
    static const struct {
        const char *unit, *scaled;
        double factor;
    } scales[] = {{"byte/s", "GB/s", 1e9}, {"flop/s", "Tflop/s", 1e12}, {"ns", "us", 1e3}};
    char cell[64] = "";
    for (size_t i = 0; value > 0 && i < WL_COUNT(scales); i++)
        if (strcmp(scales[i].unit, unit) == 0)
            snprintf(cell, sizeof cell, "%.*f %s", value / scales[i].factor < 100 ? 2 : 0,
                     value / scales[i].factor, scales[i].scaled);
    wl_table_add_cell(table, cell[0] ? cell : "n/a");
}

/* measured NULL: of a model. */
static void print_table(const struct wl_ceilings *measured, const struct wl_ceilings *theoretical,
                        struct wl_text *out)
{
    struct wl_table table = {0};
    wl_table_add_column(&table, "Ceiling", true);
    if (measured)
        wl_table_add_column(&table, "Measured", false);
    wl_table_add_column(&table, measured ? "Described" : "Of the model", false);
    if (measured)
        wl_table_add_column(&table, "Share", false);
    for (size_t i = 0; i < WL_CEILING_COUNT; i++) {
        const char *unit = wl_ceiling_unit(i);
        double value = theoretical->values[i];
        char share[16] = "";
        wl_table_add_cell(&table, wl_ceiling_text(i));
        if (measured)
            add_number(&table, measured->values[i], unit);
        add_number(&table, value, unit);
        if (measured && value > 0 && measured->values[i] > 0 && strcmp(unit, "ns") != 0)
            snprintf(share, sizeof share, "%.0f%%", 100 * measured->values[i] / value);
        if (measured)
            wl_table_add_cell(&table, share);
    }
    wl_table_print(&table, 2, out);
    wl_table_free(&table);
}

static void print_json(const char *gpu, const struct wl_ceilings *measured,
                       const struct wl_ceilings *theoretical, struct wl_text *out)
{
    wl_text_addf(out, "{\n  \"gpu\": \"%s\",\n  \"ceilings\": {\n", gpu);
    for (size_t i = 0; i < WL_CEILING_COUNT; i++) {
        wl_text_addf(out, "    \"%s\": {\"unit\": \"%s\", \"measured\": ", wl_ceiling_name(i),
                     wl_ceiling_unit(i));
        if (measured && measured->values[i] > 0)
            wl_text_addf(out, "%.6g", measured->values[i]);
        else
            wl_text_add(out, "null");
        wl_text_add(out, ", \"described\": ");
        if (theoretical->values[i] > 0)
            wl_text_addf(out, "%.6g", theoretical->values[i]);
        else
            wl_text_add(out, "null");
        wl_text_addf(out, "}%s\n", i + 1 < WL_CEILING_COUNT ? "," : "");
    }
    wl_text_add(out, "  }\n}\n");
}

static void print(const struct options *options, const struct wl_gpu *gpu,
                  const struct wl_ceilings *measured, struct wl_text *out)
{
    struct wl_ceilings theoretical;
    wl_ceilings_of_gpu(gpu, &theoretical);
    if (options->json) {
        print_json(gpu->full_name, measured, &theoretical, out);
        return;
    }
    wl_text_addf(out, "%s%s\n", gpu->full_name,
                 measured ? "" : ", from its description; nothing was measured");
    print_table(measured, &theoretical, out);
}

/* ---- the verb ---- */

static enum wl_code show_model(const struct options *options, const char *name, struct wl_text *out,
                               struct wl_error *error)
{
    struct wl_gpu gpu = {0};
    enum wl_code code = wl_gpu_load(name, options->gpu_folder, &gpu, error);
    if (!code)
        print(options, &gpu, NULL, out);
    wl_gpu_free(&gpu);
    return code;
}

static enum wl_code show_device(const struct options *options, const struct wl_console *console,
                                const struct wl_cuda_machine *machine, struct wl_text *out,
                                struct wl_error *error)
{
    struct wl_cuda cuda;
    struct wl_gpu gpu = {0};
    struct wl_ceilings measured;
    struct wl_error trouble = {0};
    int device = 0;
    char *path = NULL;
    enum wl_code code = wl_cuda_open(&cuda, error);
    if (!code && (cuda.init(0) != WL_CUDA_SUCCESS || cuda.device_get(&device, 0) != 0))
        code = wl_error_set(error, WL_ERR_UNSUPPORTED, "the driver cannot be initialised");
    if (!code)
        code = wl_cuda_describe(&cuda, device, &gpu, error);
    if (code)
        goto out;
    path = wl_ceilings_path(machine->devices[0].uuid, machine->driver_version);
    if (options->measure_again || !path || !wl_ceilings_read(path, &measured)) {
        wl_console_say(console, "measuring %s, which takes some seconds", gpu.full_name);
        code = wl_ceilings_measure(&cuda, device, &gpu, &measured, error);
        if (!code && path && wl_ceilings_keep(path, &measured, &trouble) != WL_OK)
            wl_console_warn(console, NULL, "they will be measured again: %s", trouble.message);
    }
    if (!code)
        print(options, &gpu, &measured, out);
out:
    wl_gpu_free(&gpu);
    free(path);
    return code;
}

static enum wl_code run(void *given, const struct wl_arguments *arguments,
                        const struct wl_console *console, struct wl_error *error)
{
    (void)arguments;
    const struct options *options = given;
    struct wl_cuda_machine machine;
    struct wl_text out = {0};
    enum wl_code code = WL_OK;
    if (!options->gpu)
        wl_cuda_probe(&machine);
    if (options->gpu || machine.device_count == 0)
        code = show_model(options, options->gpu ? options->gpu : wl_gpu_default(), &out, error);
    else
        code = show_device(options, console, &machine, &out, error);
    if (!code)
        fputs(out.data ? out.data : "", console->pages);
    if (!code && !options->gpu && machine.device_count == 0 && !options->json)
        fprintf(console->pages, "  there is no GPU to measure on: %s\n", machine.trouble);
    wl_text_free(&out);
    return code;
}

const struct wl_verb wl_verb_ceilings = {
    .name = "ceilings",
    .usage = "ceilings [--gpu NAME]",
    .summary = "measure the peak rates that this machine's GPU reaches",
    .options_bytes = sizeof(struct options),
    .tables = tables,
    .words = WL_WORDS_NONE,
    .work = run,
};
