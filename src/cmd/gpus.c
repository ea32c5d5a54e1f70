#include <stdio.h>

#include "cmd/console.h"
#include "cmd/verbs.h"
#include "gpu/gpu.h"
#include "show/format/format.h"

struct options {
    struct wl_general_options general;
    bool is_verbose;
    const char *gpu_folder;
};

static const struct wl_option rows[] = {
    WL_ROWS_HEADING("GPUS"),
    WL_ROW(struct options, is_verbose, FLAG, "verbose", 0, NULL,
           "every value and where it comes from"),
    WL_ROW(struct options, gpu_folder, TEXT, "gpu-folder", 0, "FOLDER",
           "look here first for NAME.gpu"),
    WL_ROWS_END,
};

static const struct wl_option_table tables[] = {
    {rows, 0, 0},
    WL_TABLE(struct options, general, wl_general_rows),
    WL_TABLES_END,
};

static const double kibi = 1024.0, mebi = 1024.0 * 1024.0, gibi = 1024.0 * 1024.0 * 1024.0;

/* Columns of the full name, beside the numbers. */
static size_t name_room(size_t width)
{
    enum { longest = 34, shortest = 16, numbers = 60 };
    size_t room = width > numbers + shortest ? width - numbers : shortest;
    return width == 0 || room > longest ? longest : room;
}

static void print_row(FILE *out, const struct wl_gpu *gpu)
{
    size_t width = wl_console_width(out);
    struct wl_text name = {0};
    wl_text_add(&name, gpu->full_name);
    wl_format_shorten_middle(&name, width ? name_room(width) : name.length);
    fprintf(out, "%-10s %-*s %3u.%u %5u %8.0f %8.1f %8.1f %9.0f\n", gpu->name,
            (int)name_room(width), name.data, gpu->capability_major, gpu->capability_minor,
            gpu->sm_count, gpu->l1_bytes / kibi, (double)gpu->l2_bytes / mebi,
            (double)gpu->memory_bytes / gibi, gpu->memory_bandwidth_bytes_per_s / 1e9);
    wl_text_free(&name);
}

static enum wl_code print_gpus(void *given, const struct wl_arguments *arguments,
                               const struct wl_console *console, struct wl_error *error)
{
    const struct options *options = given;
    FILE *out = console->pages;
    (void)arguments;
    if (!options->is_verbose)
        fprintf(out, "%-10s %-*s %5s %5s %8s %8s %8s %9s\n", "Name",
                (int)name_room(wl_console_width(out)), "GPU", "CC", "SMs", "L1 KiB", "L2 MiB",
                "RAM GiB", "GB/s");
    for (const char *const *name = wl_gpu_list(); *name; name++) {
        struct wl_gpu gpu = {0};
        enum wl_code code = wl_gpu_load(*name, options->gpu_folder, &gpu, error);
        if (code)
            return code;
        if (options->is_verbose)
            fprintf(out, "%s: %s\n%s\n", gpu.name, gpu.full_name, gpu.notes ? gpu.notes : "");
        else
            print_row(out, &gpu);
        wl_gpu_free(&gpu);
    }
    return WL_OK;
}

const struct wl_verb wl_verb_gpus = {
    .name = "gpus",
    .usage = "gpus [--verbose]",
    .summary = "list the GPU models that can be simulated",
    .options_bytes = sizeof(struct options),
    .tables = tables,
    .words = WL_WORDS_NONE,
    .work = print_gpus,
};
