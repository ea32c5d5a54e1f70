/* Which model a real GPU is most like. */
#include <string.h>

#include "base/error.h"
#include "gpu/gpu.h"

static uint32_t capability_of(const struct wl_gpu *gpu)
{
    return gpu->capability_major * 10 + gpu->capability_minor;
}

/* How unlike a model is: first its capability, then its name, then its size. */
static uint32_t distance(const struct wl_gpu *model, const char *name, uint32_t capability,
                         uint32_t sm_count)
{
    uint32_t theirs = capability_of(model);
    uint32_t generations = theirs > capability ? theirs - capability : capability - theirs;
    uint32_t sms =
        model->sm_count > sm_count ? model->sm_count - sm_count : sm_count - model->sm_count;
    bool is_named = strncmp(name, model->full_name, strlen(model->full_name)) == 0;
    return generations * 100000 + (is_named ? 0 : 10000) + sms;
}

enum wl_code wl_gpu_load_likest(const char *name, uint32_t capability, uint32_t sm_count,
                                struct wl_gpu *gpu, struct wl_error *error)
{
    const char *best = NULL;
    uint32_t least = UINT32_MAX;
    for (const char *const *model = wl_gpu_list(); *model; model++) {
        struct wl_gpu candidate = {0};
        if (wl_gpu_load(*model, NULL, &candidate, NULL) != WL_OK)
            continue;
        uint32_t how_far = distance(&candidate, name, capability, sm_count);
        wl_gpu_free(&candidate);
        if (how_far < least) {
            least = how_far;
            best = *model;
        }
    }
    return wl_gpu_load(best ? best : "", NULL, gpu, error);
}
