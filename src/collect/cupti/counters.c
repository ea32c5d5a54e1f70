#include "collect/cupti/counters.h"

#include "base/text.h"

static void note_plan(const struct wl_collect_counters *counters, const struct wl_cupti_plan *plan)
{
    struct wl_text text = {0};
    wl_text_addf(&text, "%zu metrics are counted in %zu pass%s", plan->parts.items[0].metric_count,
                 plan->passes, plan->passes == 1 ? "" : "es");
    if (plan->parts.count > 1)
        wl_text_addf(&text, ", in %zu parts that launches take in turn", plan->parts.count);
    wl_collect_note(counters->core, WL_NOTE_INFO, "passes", text.data, "");
    wl_text_free(&text);
    if (plan->refused.count == 0)
        return;
    wl_text_addf(&text, "this GPU does not have");
    for (size_t i = 0; i < plan->refused.count; i++)
        wl_text_addf(&text, "%s %s", i ? "," : "", plan->refused.items[i]);
    wl_collect_note(counters->core, WL_NOTE_INFO, "metrics-refused", text.data, "");
    wl_text_free(&text);
}

static void open_flush(struct wl_collect_counters *counters, struct wl_collect_context *context)
{
    struct wl_error error = {0};
    if (context->is_flush_tried || !context->is_own ||
        counters->core->input.settings->cache_control == WL_CACHE_CONTROL_NONE)
        return;
    context->is_flush_tried = true;
    if (wl_cupti_flush_open(&counters->core->cuda, &counters->devices->items[context->device].gpu,
                            &context->flush, &error) != WL_OK)
        wl_collect_note_error(counters->core, "no-flush",
                              "caches keep what they hold between launches", &error);
}

static void open_counting(struct wl_collect_counters *counters, struct wl_collect_context *context)
{
    struct wl_error error = {0};
    const char *metrics = counters->core->input.settings->counters;
    context->counters = WL_COLLECT_OFF;
    if (!metrics[0] || !counters->core->cupti.has[WL_CUPTI_NEED_COUNTERS])
        return;
    if (wl_cupti_counting_open(&counters->core->cupti, context->context, context->device, metrics,
                               WL_COLLECT_RANGES_MAX, &context->counting, NULL, &error) == WL_OK) {
        context->counters = WL_COLLECT_ON;
        context->is_own = counters->instructions->can_replay || counters->policy->has_own_passes;
        context->passes = context->counting.plan.passes;
        open_flush(counters, context);
        if (!context->is_plan_noted)
            note_plan(counters, &context->counting.plan);
        context->is_plan_noted = true;
        return;
    }
    wl_cupti_counting_close(&context->counting, false);
    wl_collect_note_error(counters->core, "no-counters", "no hardware counters", &error);
}

void wl_collect_counters_stop(struct wl_collect_counters *counters,
                              struct wl_collect_context *context, const struct wl_error *error)
{
    wl_collect_note_error(counters->core, "counters-off", "no hardware counters from here on",
                          error);
    if (context->batch.count)
        wl_collect_instructions_settle(counters->instructions, context, true);
    for (size_t i = 0; i < context->batch.count; i++) {
        context->batch.items[i]->uncounted = "CUPTI lost the counters";
        wl_collect_launch_send(counters->launches, context->batch.items[i]);
    }
    context->batch.count = 0;
    context->batch_mode = NULL;
    wl_cupti_checkpoint_release(&context->checkpoint);
    context->is_saved = false;
    wl_cupti_counting_close(&context->counting, false);
    context->counters = WL_COLLECT_OFF;
}

bool wl_collect_counters_have(struct wl_collect_counters *counters,
                              struct wl_collect_context *context)
{
    if (context->counters != WL_COLLECT_OFF && !context->is_batch_sampled)
        wl_collect_samples_pause(counters->instructions, context);
    if (context->counters == WL_COLLECT_UNTRIED)
        open_counting(counters, context);
    return context->counters == WL_COLLECT_ON;
}

bool wl_collect_counters_have_for(struct wl_collect_counters *counters,
                                  struct wl_collect_context *context,
                                  struct wl_collect_launch *launch)
{
    bool is_there = wl_collect_counters_have(counters, context);
    if (!is_there && counters->core->input.settings->counters[0])
        launch->uncounted = "the counters are off";
    return is_there;
}

void wl_collect_counters_rest(struct wl_collect_context *context)
{
    wl_cupti_counting_close(&context->counting, false);
    if (context->counters == WL_COLLECT_ON)
        context->counters = WL_COLLECT_UNTRIED;
}
