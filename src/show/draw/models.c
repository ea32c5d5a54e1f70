#include "show/draw/models.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

struct wl_model {
    const char *name;
    bool is_known;
    struct wl_gpu gpu;
};

const struct wl_gpu *wl_models_find(struct wl_models *models, const struct wl_report_launch *launch)
{
    const char *name = launch->device ? launch->device->model : NULL;
    if (!name || name[0] == '\0')
        return NULL;
    for (size_t i = 0; i < models->count; i++)
        if (strcmp(models->items[i]->name, name) == 0)
            return models->items[i]->is_known ? &models->items[i]->gpu : NULL;
    struct wl_model *model = wl_alloc_zero(1, sizeof *model);
    model->name = name;
    model->is_known = wl_gpu_load(name, NULL, &model->gpu, NULL) == WL_OK;
    WL_PUSH(models, model);
    return model->is_known ? &model->gpu : NULL;
}

void wl_models_free(struct wl_models *models)
{
    for (size_t i = 0; i < models->count; i++) {
        wl_gpu_free(&models->items[i]->gpu);
        free(models->items[i]);
    }
    free(models->items);
    *models = (struct wl_models){0};
}
