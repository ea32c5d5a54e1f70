#include "collect/cupti/contexts.h"

#include <stdlib.h>

struct wl_collect_context *wl_collect_context_find(struct wl_collect_contexts *contexts,
                                                   struct wl_cuda_context *context)
{
    const struct wl_cupti *cupti = &contexts->core->cupti;
    for (size_t i = 0; i < contexts->count; i++)
        if (contexts->items[i]->context == context)
            return contexts->items[i];
    struct wl_collect_context *found = wl_alloc_zero(1, sizeof *found);
    found->context = context;
    cupti->cuptiGetContextId(context, &found->id);
    if (cupti->cuptiGetDeviceId(context, &found->device) != WL_CUPTI_SUCCESS ||
        found->device >= WL_CUDA_DEVICES_MAX)
        found->device = 0;
    wl_collect_device_know(contexts->devices, found->device);
    found->checkpoint = contexts->checkpoint;
    found->number = contexts->number++;
    WL_PUSH(contexts, found);
    return found;
}

void wl_collect_context_remove(struct wl_collect_contexts *contexts,
                               struct wl_collect_context *context)
{
    for (size_t i = 0; i < contexts->count; i++)
        if (contexts->items[i] == context)
            contexts->items[i] = contexts->items[--contexts->count];
    free(context->batch.items);
    free(context->held.items);
    free(context);
}

uint32_t wl_collect_context_ranges_each(const struct wl_collect_context *context)
{
    return context->flush.memory ? 2 : 1;
}

void wl_collect_context_begin_range(struct wl_collect_context *context,
                                    struct wl_collect_launch *launch)
{
    wl_cupti_flush_run(&context->flush);
    launch->is_flushed = context->flush.memory != 0;
    context->range_count += wl_collect_context_ranges_each(context);
    launch->slot = context->range_count - 1;
}
