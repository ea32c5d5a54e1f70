/* What `ncu --page raw --csv` and `ncu --page source --csv` print. */
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/memory.h"
#include "import/ncu_table.h"

/* ---- the raw page: a row a launch, below a row of units ---- */

struct raw {
    struct wl_ncu_table table;
    WL_VECTOR(char *) units;
};

static bool is_own_column(const struct raw *raw, int column)
{
    const char *name = raw->table.names.items[column];
    for (int i = 0; i < WL_NCU_COLUMNS; i++)
        if (raw->table.columns[i] == column)
            return true;
    /* --nvtx gives columns whose names tell the form of their ranges */
    return wl_text_starts(name, "Context ID") || strstr(name, "Push/Pop_Range") ||
           strstr(name, "Start/Stop_Range");
}

/* Warplens's own table says which values are not exact: "modelled: a b; predicted: c". */
static enum wl_mark mark_of(const char *marks, const char *name)
{
    size_t length = strlen(name);
    const char *predicted = strstr(marks, "predicted:");
    for (const char *at = marks; length > 0 && (at = strstr(at, name)); at += length) {
        bool is_whole = at > marks && at[-1] == ' ' && (!at[length] || strchr(" ;", at[length]));
        if (is_whole)
            return predicted && at > predicted ? WL_MARK_PREDICTED : WL_MARK_MODELLED;
    }
    return WL_MARK_EXACT;
}

static void put_launch(struct raw *raw)
{
    struct wl_import_launch launch = {0};
    const char *marks = wl_ncu_table_field(&raw->table, WL_NCU_MARK);
    wl_ncu_table_launch(&raw->table, &launch);
    for (size_t i = 0; i < raw->table.names.count; i++) {
        const char *name = raw->table.names.items[i];
        if (!is_own_column(raw, (int)i))
            wl_ncu_table_value(&launch, name, wl_csv_field(&raw->table.csv, (int)i),
                               i < raw->units.count ? raw->units.items[i] : "",
                               mark_of(marks, name));
    }
    wl_ncu_table_put(&raw->table, &launch);
}

static enum wl_code read_raw(struct wl_import_target *target, struct wl_error *error)
{
    struct raw raw = {0};
    wl_ncu_table_begin(&raw.table, target);
    for (bool is_first = true; wl_ncu_table_read(&raw.table); is_first = false) {
        const char *kernel = wl_ncu_table_field(&raw.table, WL_NCU_KERNEL);
        bool is_units = is_first && !*kernel;
        for (size_t i = 0; is_units && i < raw.table.csv.fields.count; i++)
            WL_PUSH(&raw.units, raw.table.csv.fields.items[i]);
        if (*kernel)
            put_launch(&raw);
    }
    free(raw.units.items);
    wl_ncu_table_end(&raw.table);
    (void)error;
    return WL_OK;
}

static bool is_raw(const struct wl_text *content)
{
    const char *start = wl_ncu_table_start(content),
               *kernel = start ? strstr(start, "Kernel Name") : NULL;
    const char *end = start ? strchr(start, '\n') : NULL;
    return kernel && (!end || kernel < end);
}

const struct wl_import_format wl_import_ncu_csv = {"ncu's raw page", is_raw, read_raw};

/* ---- the source page: a row an instruction, below the name of the kernel ---- */

#define SAMPLED "smsp__pcsamp_warps_issue_stalled_"
static const struct {
    const char *heading, *name;
} counted[] = {
    {"# Samples", "smsp__pcsamp_sample_count"},
    {"Instructions Executed", "inst_executed"},
    {"Thread Instructions Executed", "thread_inst_executed"},
    {"Predicated-On Thread Instructions Executed", "thread_inst_executed_true"},
    {"Divergent Branches", "smsp__branch_targets_threads_divergent"},
    {"L1 Tag Requests Global", "memory_l1_tag_requests_global"},
    {"L1 Wavefronts Shared", "memory_l1_wavefronts_shared"},
    {"L1 Wavefronts Shared Ideal", "memory_l1_wavefronts_shared_ideal"},
    {"L2 Theoretical Sectors Global", "memory_l2_theoretical_sectors_global"},
    {"L2 Theoretical Sectors Global Ideal", "memory_l2_theoretical_sectors_global_ideal"},
    {"L2 Theoretical Sectors Local", "memory_l2_theoretical_sectors_local"},
#define WL_STALL_NAME(column, state) {column, SAMPLED state},
#include "gpu/stall_names.def"
};

struct page {
    struct wl_csv csv;
    int text, columns[WL_COUNT(counted)];
    struct wl_import_launch launch;
    const char *names[WL_COUNT(counted)];
};

static void find_columns(struct page *page)
{
    page->text = wl_csv_find(&page->csv, "Source");
    for (size_t i = 0; i < WL_COUNT(counted); i++) {
        page->columns[i] = wl_csv_find(&page->csv, counted[i].heading);
        page->names[i] = counted[i].name;
    }
}

/* "@P0 LDG.E R2, [R4]" has opcode LDG.E. */
static char *make_opcode(const char *text)
{
    if (*text == '@')
        text += strcspn(text, " ");
    text += strspn(text, " ");
    return wl_string_copy_length(text, strcspn(text, " ;"));
}

static void put_instruction(struct page *page)
{
    const char *text = wl_csv_field(&page->csv, page->text);
    uint32_t index = (uint32_t)page->launch.instructions.count;
    text += strspn(text, " \t");
    struct wl_record_instruction row = {
        .index = index,
        .text = wl_string_copy(text),
        .opcode = make_opcode(text),
        .pipe = "",
        .file = "",
        .inlined_at = "",
        .function = "",
    };
    WL_PUSH(&page->launch.instructions, row);
    for (size_t i = 0; i < WL_COUNT(counted); i++) {
        double value = 0;
        const char *cell = wl_csv_field(&page->csv, page->columns[i]);
        if (page->columns[i] < 0 || !wl_ncu_number(cell, &value) || value == 0)
            continue;
        struct wl_record_instruction_value put = {index, (uint32_t)i, value};
        WL_PUSH(&page->launch.instruction_values, put);
    }
}

static void put_kernel(struct wl_import_target *target, struct page *page)
{
    if (!page->launch.kernel || !page->launch.instructions.count) {
        wl_import_launch_free(&page->launch);
        return;
    }
    if (!target->has_process)
        wl_import_begin_process(target, "ncu", 0, NULL, NULL, 0);
    page->launch.instruction_names = page->names;
    page->launch.instruction_name_count = WL_COUNT(counted);
    for (int i = 0; i < 3; i++)
        page->launch.grid[i] = page->launch.block[i] = 1;
    wl_import_launch_put(target, &page->launch);
}

static enum wl_code read_source(struct wl_import_target *target, struct wl_error *error)
{
    struct page page = {.text = -1};
    char *start = strstr(target->content.data, "\"Kernel Name\"");
    page.csv.next = start ? start : target->content.data;
    while (wl_csv_read(&page.csv)) {
        const char *first = wl_csv_field(&page.csv, 0);
        if (strcmp(first, "Kernel Name") == 0) {
            put_kernel(target, &page);
            page.launch.kernel = wl_string_copy(wl_csv_field(&page.csv, 1));
            page.text = -1;
        } else if (page.text < 0) {
            find_columns(&page);
        } else {
            put_instruction(&page);
        }
    }
    put_kernel(target, &page);
    wl_csv_free(&page.csv);
    if (!target->launches)
        return wl_import_fail(target, WL_ERR_CORRUPT, error, "it holds no instruction");
    wl_import_note(
        target, "import-left-out",
        "the source page has machine instructions without lines, grids or metrics of launches",
        "`ncu --page raw --csv` has the metrics");
    return WL_OK;
}

static bool is_source(const struct wl_text *content)
{
    const char *start = strstr(content->data, "\"Kernel Name\"");
    const char *line = start ? strchr(start, '\n') : NULL;
    bool is_first = start && (start == content->data || start[-1] == '\n');
    return is_first && line && strstr(line, "\"Source\"");
}

const struct wl_import_format wl_import_ncu_source = {"ncu's source page", is_source, read_source};
