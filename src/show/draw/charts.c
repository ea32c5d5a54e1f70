#include "show/draw/charts.h"

const struct wl_chart wl_charts[] = {
    {"throughput", "SpeedOfLight", wl_chart_throughput},
    {"stalls", "WarpStateStats", wl_chart_stalls},
    {"roofline", "SpeedOfLight_RooflineChart", wl_chart_roofline},
    {"memory", "MemoryWorkloadAnalysis", wl_chart_memory},
    {"occupancy", "Occupancy", wl_chart_occupancy},
    {.name = NULL},
};
