/* GPU models by name, each loaded once. */
#ifndef WL_SHOW_DRAW_MODELS_H
#define WL_SHOW_DRAW_MODELS_H

#include "base/memory.h"
#include "gpu/gpu.h"
#include "report/report.h"

/* Zero-initialise; free with wl_models_free. */
struct wl_models {
    WL_VECTOR_FIELDS(struct wl_model *);
};

/* The model that the launch ran on; NULL where it is none that Warplens brings along. */
const struct wl_gpu *wl_models_find(struct wl_models *models,
                                    const struct wl_report_launch *launch);
void wl_models_free(struct wl_models *models);

#endif
