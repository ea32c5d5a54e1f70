/* Tables of rocprofv3 (`--output-format csv`): calls of HIP, kernels, copies. */
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "import/csv.h"
#include "import/rocprof.h"

enum column {
    FUNCTION,
    NAME,
    DIRECTION,
    PROCESS,
    THREAD,
    CORRELATION,
    START,
    END,
    AGENT,
    QUEUE,
    STREAM,
    LDS,
    VGPR,
    GRID,
    BLOCK = GRID + 3,
    COLUMNS = BLOCK + 3
};
static const char *const headings[COLUMNS] = {
    [FUNCTION] = "Function",
    [NAME] = "Kernel_Name",
    [DIRECTION] = "Direction",
    [PROCESS] = "Process_Id",
    [THREAD] = "Thread_Id",
    [CORRELATION] = "Correlation_Id",
    [START] = "Start_Timestamp",
    [END] = "End_Timestamp",
    [AGENT] = "Agent_Id",
    [QUEUE] = "Queue_Id",
    [STREAM] = "Stream_Id",
    [LDS] = "LDS_Block_Size",
    [VGPR] = "VGPR_Count",
    [GRID] = "Grid_Size_X",
    "Grid_Size_Y",
    "Grid_Size_Z",
    [BLOCK] = "Workgroup_Size_X",
    "Workgroup_Size_Y",
    "Workgroup_Size_Z",
};

static uint64_t number(const struct wl_csv *csv, const int *columns, enum column column)
{
    const char *text = wl_csv_field(csv, columns[column]);
    while (*text && (*text < '0' || *text > '9')) /* "Agent 4" */
        text++;
    return strtoull(text, NULL, 10);
}

static void fill_kernel(const struct wl_csv *csv, const int *columns,
                        struct wl_timeline_record *record)
{
    uint64_t grid[3], block[3];
    for (int i = 0; i < 3; i++) { /* HIP counts work items, not blocks */
        block[i] = number(csv, columns, (enum column)(BLOCK + i));
        grid[i] = number(csv, columns, (enum column)(GRID + i));
        grid[i] = block[i] ? (grid[i] + block[i] - 1) / block[i] : grid[i];
    }
    record->words[1] = WL_TIMELINE_PACK_GRID(grid[0], grid[1], grid[2]);
    record->words[2] =
        WL_TIMELINE_PACK_BLOCK(block[0], block[1], block[2], number(csv, columns, VGPR));
    record->words[3] = WL_TIMELINE_PACK_SHARED(number(csv, columns, LDS), 0);
}

const char *wl_import_rocprof_copy(const char *direction, struct wl_timeline_record *record)
{
    static const struct {
        const char *part, *name;
        enum wl_timeline_copy kind;
    } kinds[] = {
        {"HOST_TO_DEVICE", "[CUDA memcpy Host-to-Device]", WL_TIMELINE_COPY_TO_DEVICE},
        {"DEVICE_TO_HOST", "[CUDA memcpy Device-to-Host]", WL_TIMELINE_COPY_TO_HOST},
        {"DEVICE_TO_DEVICE", "[CUDA memcpy Device-to-Device]", WL_TIMELINE_COPY_ON_DEVICE},
    };
    for (size_t i = 0; i < WL_COUNT(kinds); i++)
        if (strstr(direction, kinds[i].part)) {
            record->words[2] = kinds[i].kind;
            return kinds[i].name;
        }
    return "[CUDA memcpy]";
}

void wl_import_rocprof_note(struct wl_import_target *target)
{
    wl_import_note(target, "import-other-gpu",
                   "times and sizes are of an AMD GPU: calls of HIP stand in the place of CUDA's",
                   "");
}

static enum wl_code read_rocprof(struct wl_import_target *target, struct wl_error *error)
{
    struct wl_csv csv = {.next = target->content.data};
    int columns[COLUMNS];
    wl_csv_read(&csv);
    for (int i = 0; i < COLUMNS; i++)
        columns[i] = wl_csv_find(&csv, headings[i]);
    if (columns[END] < 0) {
        wl_csv_free(&csv);
        return wl_import_fail(target, WL_ERR_CORRUPT, error, "there is no column End_Timestamp");
    }
    while (wl_csv_read(&csv)) {
        struct wl_timeline_record record = {
            .start = number(&csv, columns, START),
            .end = number(&csv, columns, END),
            .thread = (uint32_t)number(&csv, columns, THREAD),
            .correlation = (uint32_t)number(&csv, columns, CORRELATION),
        };
        const char *name = wl_csv_field(&csv, columns[FUNCTION]);
        if (!target->has_process)
            wl_import_begin_process(target, "rocprofv3", number(&csv, columns, PROCESS), NULL, NULL,
                                    record.start);
        record.category = WL_TIMELINE_CUDA_RUNTIME;
        if (columns[NAME] >= 0) {
            record.category = WL_TIMELINE_KERNEL;
            name = wl_csv_field(&csv, columns[NAME]);
            fill_kernel(&csv, columns, &record);
        } else if (columns[DIRECTION] >= 0) {
            record.category = WL_TIMELINE_MEMCPY;
            name = wl_import_rocprof_copy(wl_csv_field(&csv, columns[DIRECTION]), &record);
        }
        if (record.category != WL_TIMELINE_CUDA_RUNTIME)
            record.words[0] = WL_TIMELINE_PACK_WHERE(
                number(&csv, columns, AGENT), 1,
                number(&csv, columns, columns[STREAM] >= 0 ? STREAM : QUEUE));
        record.name = wl_import_name(target, name);
        wl_import_event(target, &record);
    }
    wl_csv_free(&csv);
    if (target->has_process)
        wl_import_rocprof_note(target);
    return WL_OK;
}

static bool is_rocprof(const struct wl_text *content)
{
    const char *end = strchr(content->data, '\n'),
               *found = strstr(content->data, "Start_Timestamp");
    return found && end && found < end;
}

const struct wl_import_format wl_import_rocprof = {"rocprofv3 CSV", is_rocprof, read_rocprof};
