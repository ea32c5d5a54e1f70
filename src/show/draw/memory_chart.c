/* The memory chart: boxes for the kernel, the kinds of memory it names, the caches and device
 * memory, and on each link what went over it. */
#include <stdlib.h>

#include "base/count.h"
#include "base/memory.h"
#include "show/draw/charts.h"
#include "show/draw/scale.h"

static const double width = 1030, row_height = 78, first_row = 40;
/* left edges and width of the columns: kernel, spaces, L1 and shared memory, L2, device memory */
static const double columns[] = {8, 218, 482, 706, 930}, box_width = 92;

/* A link: to the right what is stored, to the left what is loaded. */
struct link {
    int from; /* column */
    double y;
    const char *stored, *loaded; /* metrics, or NULL */
    const char *unit;            /* the metric of how near the unit behind it is to its peak */
};

/* Colours of the links, by how near the unit behind them comes to its peak. */
static const struct {
    double least_pct;
    enum wl_ink ink;
    const char *text;
} heats[] = {{0, WL_INK_LINE, "below 20 %"},
             {20, WL_INK_HEAT_5, "20 to 50 %"},
             {50, WL_INK_ORANGE, "50 to 80 %"},
             {80, WL_INK_RED, "above 80 %"}};
enum { heat_count = WL_COUNT(heats) };

/* A kind of memory that a kernel names. */
static const struct space {
    const char *label;
    struct {
        const char *stored, *loaded;
    } instructions, traffic;
} spaces[] = {
    {"Global",
     {"smsp__sass_inst_executed_op_global_st.sum", "smsp__sass_inst_executed_op_global_ld.sum"},
     {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
      "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"}},
    {"Local",
     {"smsp__sass_inst_executed_op_local_st.sum", "smsp__sass_inst_executed_op_local_ld.sum"},
     {"l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum",
      "l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum"}},
    {"Texture",
     {NULL, "ptx__inst_executed_pipe_tex.sum"},
     {NULL, "l1tex__t_sectors_pipe_tex_mem_texture.sum"}},
    {"Shared",
     {"smsp__sass_inst_executed_op_shared_st.sum", "smsp__sass_inst_executed_op_shared_ld.sum"},
     {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
      "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"}},
};
enum { space_count = WL_COUNT(spaces), shared_row = space_count - 1 };

static void draw_box(struct wl_drawing *drawing, int column, double y, double box_height,
                     const char *label, const char *below, const struct wl_metric_value *value)
{
    double middle = y + box_height / 2, x = columns[column] + box_width / 2;
    bool has_value = value && value->is_present;
    wl_drawing_rectangle(drawing, columns[column], y, box_width, box_height, 5, WL_INK_BOX,
                         WL_INK_LINE);
    wl_drawing_text(drawing, x, middle + (has_value ? -10 : 4), 13, WL_ANCHOR_MIDDLE, WL_INK_TEXT,
                    label)
        ->is_bold = true;
    if (!has_value)
        return;
    wl_drawing_text(drawing, x, middle + 8, 11, WL_ANCHOR_MIDDLE, WL_INK_DIM, below);
    wl_scale_draw_metric(drawing, x, middle + 23, 11, WL_ANCHOR_MIDDLE, value);
}

static enum wl_ink heat_of(struct wl_metric_set *set, const char *unit)
{
    const struct wl_metric_value *share = unit ? wl_metric_get(set, unit) : NULL;
    size_t i = 0;
    while (share && share->is_present && i + 1 < heat_count &&
           share->number >= heats[i + 1].least_pct)
        i++;
    return heats[i].ink;
}

/* What the colours say, where there is room below the caches. */
static void draw_legend(struct wl_drawing *drawing, double y)
{
    double x = columns[3], row = 16;
    wl_drawing_text(drawing, x, y + 4, 11, WL_ANCHOR_START, WL_INK_DIM,
                    "links: the unit behind them, of its peak");
    for (size_t i = 0; i < heat_count; i++) {
        double left = x + (double)(i % 2) * 140, middle = y + (double)(1 + i / 2) * row;
        wl_drawing_segment(drawing, left, middle, left + 24, middle, heats[i].ink, 3);
        wl_drawing_text(drawing, left + 30, middle + 4, 11, WL_ANCHOR_START, WL_INK_DIM,
                        heats[i].text);
    }
}

/* One direction of a link. Nothing moved: a thin line. */
static void draw_way(struct wl_drawing *drawing, struct wl_metric_set *set, double from, double to,
                     double y, const char *metric, enum wl_ink ink)
{
    if (!metric)
        return;
    const struct wl_metric_value *value = wl_metric_get(set, metric);
    bool is_used = value->is_present && value->number > 0;
    wl_drawing_segment(drawing, from, y, to, y, is_used ? ink : WL_INK_GRID, is_used ? 2 : 1)
        ->is_arrow = is_used;
    wl_scale_draw_metric(drawing, (from + to) / 2, y - 5, 11, WL_ANCHOR_MIDDLE, value);
}

static void draw_link(struct wl_drawing *drawing, struct wl_metric_set *set,
                      const struct link *link)
{
    double from = columns[link->from] + box_width + 3, to = columns[link->from + 1] - 3;
    enum wl_ink ink = heat_of(set, link->unit);
    draw_way(drawing, set, from, to, link->y - 10, link->stored, ink);
    draw_way(drawing, set, to, from, link->y + 18, link->loaded, ink);
}

static bool has_texture(struct wl_metric_set *set)
{
    const struct wl_metric_value *value = wl_metric_get(set, spaces[2].instructions.loaded);
    return value->is_present && value->number > 0;
}

static void draw_headings(struct wl_drawing *drawing)
{
    static const struct {
        int column;
        const char *text;
    } headings[] = {{0, "instructions"}, {1, "sectors, wavefronts"}, {2, "bytes"}, {3, "bytes"}};
    for (size_t i = 0; i < WL_COUNT(headings); i++)
        wl_drawing_text(
            drawing,
            (columns[headings[i].column] + box_width + columns[headings[i].column + 1]) / 2, 18, 11,
            WL_ANCHOR_MIDDLE, WL_INK_DIM, headings[i].text);
}

static struct wl_drawing *create(size_t rows)
{
    struct wl_drawing *drawing = wl_drawing_create(
        width, first_row + (double)rows * row_height - 12, "Memory chart",
        "From left to right: the kernel, the kinds of memory it names, the caches, device memory. "
        "On the links: what was stored (to the right) and loaded (to the left), in the colour of "
        "how near the unit behind the link comes to its peak.");
    draw_headings(drawing);
    return drawing;
}

struct wl_drawing *wl_chart_memory(const struct wl_chart_launch *launch, const char **reason)
{
    struct wl_metric_set *set = launch->set;
    const struct wl_metric_value *loads = wl_metric_get(set, spaces[0].instructions.loaded);
    const struct wl_metric_value *bytes = wl_metric_get(set, "dram__bytes.sum");
    if (!loads->is_present && !bytes->is_present) {
        *reason = loads->reason;
        return NULL;
    }
    bool is_textured = has_texture(set);
    size_t rows = is_textured ? space_count : space_count - 1, row = 0;
    struct wl_drawing *drawing = create(rows);
    double all = (double)rows * row_height - 20, cached = all - row_height;
    for (size_t i = 0; i < space_count; i++) {
        if (i == 2 && !is_textured)
            continue;
        double y = first_row + (double)row++ * row_height;
        struct link used = {0, y + 28, spaces[i].instructions.stored, spaces[i].instructions.loaded,
                            NULL};
        struct link moved = {1, y + 28, spaces[i].traffic.stored, spaces[i].traffic.loaded,
                             "l1tex__throughput.avg.pct_of_peak_sustained_active"};
        draw_box(drawing, 1, y, row_height - 20, spaces[i].label, NULL, NULL);
        draw_link(drawing, set, &used);
        draw_link(drawing, set, &moved);
    }
    double lower = first_row + (double)(rows - 1) * row_height;
    draw_box(drawing, 0, first_row, all, "Kernel", NULL, NULL);
    draw_box(drawing, 2, first_row, cached, "L1/TEX", "hit rate",
             wl_metric_get(set, "l1tex__t_sector_hit_rate.pct"));
    draw_box(drawing, 2, lower, row_height - 20, "Banks", "bank conflicts",
             wl_metric_get(set, "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"));
    draw_box(drawing, 3, first_row, cached, "L2", "hit rate",
             wl_metric_get(set, "lts__t_sector_hit_rate.pct"));
    draw_box(drawing, 4, first_row, cached, "Device", "of peak",
             wl_metric_get(set, "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"));
    struct link caches = {2, first_row + cached / 2, "l1tex__m_l1tex2xbar_write_bytes.sum",
                          "l1tex__m_xbar2l1tex_read_bytes.sum",
                          "lts__throughput.avg.pct_of_peak_sustained_elapsed"};
    struct link memory = {3, first_row + cached / 2, "dram__bytes_write.sum",
                          "dram__bytes_read.sum",
                          "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"};
    draw_link(drawing, set, &caches);
    draw_link(drawing, set, &memory);
    draw_legend(drawing, lower + 14);
    return drawing;
}
