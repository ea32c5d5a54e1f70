/* What `ncu --page raw --csv` and `ncu --page source --csv` print. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/memory.h"
#include "import/csv.h"
#include "import/launch.h"

/* ---- the raw page: a row a launch, below a row of units ---- */

/* "(16, 16, 1)", "16,16,1" or "16 x 16 x 1" */
static void read_sizes(const char *text, uint32_t sizes[3])
{
    for (int i = 0; i < 3; i++) {
        while (*text && !isdigit((unsigned char)*text))
            text++;
        sizes[i] = (uint32_t)strtoul(text, (char **)&text, 10);
        sizes[i] = sizes[i] ? sizes[i] : 1;
    }
}

/* "1,234.5": commas are of thousands. False: it is a text. */
static bool read_number(const char *text, double *value)
{
    char plain[64], *end = NULL;
    size_t length = 0;
    for (; *text && length + 1 < sizeof plain; text++)
        if (*text != ',')
            plain[length++] = *text;
    plain[length] = '\0';
    *value = strtod(plain, &end);
    return length && !*end && !*text;
}

enum column {
    PROCESS,
    PROGRAM,
    HOST,
    KERNEL,
    CONTEXT,
    STREAM,
    BLOCK,
    GRID,
    DEVICE,
    CAPABILITY,
    MARK,
    COLUMNS
};
static const char *const headings[COLUMNS] = {
    [PROCESS] = "Process ID", [PROGRAM] = "Process Name",
    [HOST] = "Host Name",     [KERNEL] = "Kernel Name",
    [CONTEXT] = "Context",    [STREAM] = "Stream",
    [BLOCK] = "Block Size",   [GRID] = "Grid Size",
    [DEVICE] = "Device",      [CAPABILITY] = "CC",
    [MARK] = "Mark",
};

struct raw {
    struct wl_import_target *target;
    struct wl_csv csv;
    int columns[COLUMNS];
    WL_VECTOR(char *) names, units;
    uint64_t pid, without_number;
};

static bool is_own_column(const struct raw *raw, int column)
{
    const char *name = raw->names.items[column];
    for (int i = 0; i < COLUMNS; i++)
        if (raw->columns[i] == column)
            return true;
    return strcmp(name, "ID") == 0 || strcmp(name, "Kernel Time") == 0 ||
           wl_text_starts(name, "Context ID");
}

static const char *field(const struct raw *raw, enum column column)
{
    return wl_csv_field(&raw->csv, raw->columns[column]);
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

static void put_value(struct raw *raw, struct wl_import_launch *launch, size_t column)
{
    const char *name = raw->names.items[column], *text = wl_csv_field(&raw->csv, (int)column);
    const char *unit = column < raw->units.count ? raw->units.items[column] : "";
    double value = 0;
    if (!*text || strcmp(text, "n/a") == 0 || strcmp(text, "N/A") == 0)
        return;
    if (read_number(text, &value))
        wl_import_launch_number(launch, name, wl_import_base_unit(unit, value),
                                mark_of(field(raw, MARK), name));
    else
        wl_import_launch_text(launch, name, text);
}

static void put_launch(struct raw *raw)
{
    struct wl_import_launch launch = {0};
    uint64_t pid = strtoull(field(raw, PROCESS), NULL, 10);
    if (!raw->target->has_process || pid != raw->pid)
        wl_import_begin_process(raw->target, "ncu", pid, field(raw, PROGRAM), field(raw, HOST), 0);
    raw->pid = pid;
    launch.kernel = wl_string_copy(field(raw, KERNEL));
    launch.context_id = (uint32_t)strtoul(field(raw, CONTEXT), NULL, 10);
    launch.stream_id = (uint32_t)strtoul(field(raw, STREAM), NULL, 10);
    launch.device_id = (uint32_t)strtoul(field(raw, DEVICE), NULL, 10);
    char *end = NULL;
    launch.capability_major = (uint32_t)strtoul(field(raw, CAPABILITY), &end, 10);
    launch.capability_minor = *end == '.' ? (uint32_t)strtoul(end + 1, NULL, 10) : 0;
    read_sizes(field(raw, GRID), launch.grid);
    read_sizes(field(raw, BLOCK), launch.block);
    for (size_t i = 0; i < raw->names.count; i++)
        if (!is_own_column(raw, (int)i))
            put_value(raw, &launch, i);
    wl_import_launch_put(raw->target, &launch);
}

static enum wl_code read_raw(struct wl_import_target *target, struct wl_error *error)
{
    struct raw raw = {.target = target};
    /* ncu prints its messages before the table */
    char *start = strstr(target->content.data, "\"ID\"");
    raw.csv.next = start ? start : target->content.data;
    wl_csv_read(&raw.csv);
    for (int i = 0; i < COLUMNS; i++)
        raw.columns[i] = wl_csv_find(&raw.csv, headings[i]);
    for (size_t i = 0; i < raw.csv.fields.count; i++)
        WL_PUSH(&raw.names, raw.csv.fields.items[i]);
    enum wl_code code = WL_OK;
    if (raw.columns[KERNEL] < 0)
        code = wl_import_fail(target, WL_ERR_CORRUPT, error, "there is no column Kernel Name");
    else if (wl_csv_find(&raw.csv, "Metric Name") >= 0) {
        code = wl_import_fail(target, WL_ERR_INPUT, error, "this is the details page");
        wl_error_set_hint(error, "ncu -i REPORT --page raw --csv has every metric in a column");
    }
    for (bool is_first = true; !code && wl_csv_read(&raw.csv); is_first = false) {
        bool is_units = is_first && !*field(&raw, KERNEL);
        for (size_t i = 0; is_units && i < raw.csv.fields.count; i++)
            WL_PUSH(&raw.units, raw.csv.fields.items[i]);
        if (!is_units && *field(&raw, KERNEL))
            put_launch(&raw);
    }
    free(raw.names.items);
    free(raw.units.items);
    wl_csv_free(&raw.csv);
    return code;
}

static bool is_raw(const struct wl_text *content)
{
    const char *start = strstr(content->data, "\"ID\"");
    return start && strstr(start, "\"Kernel Name\"");
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
        if (page->columns[i] < 0 || !read_number(cell, &value) || value == 0)
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
        return wl_import_fail(target, WL_ERR_CORRUPT, error, "no instruction is in it");
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
