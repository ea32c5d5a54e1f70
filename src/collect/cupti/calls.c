#include "collect/cupti/calls.h"

#include <string.h>

#include "base/count.h"
#include "base/try_read.h"

const struct wl_collect_launch_call wl_collect_launch_calls[WL_COLLECT_LAUNCH_CALL_COUNT] = {
    {WL_CUPTI_CALL_LAUNCH, .kind = WL_CALL_PLAIN},
    {WL_CUPTI_CALL_LAUNCH_PTSZ, .kind = WL_CALL_PLAIN, .is_per_thread = true},
    {WL_CUPTI_CALL_LAUNCH_COOPERATIVE, .kind = WL_CALL_COOPERATIVE},
    {WL_CUPTI_CALL_LAUNCH_COOPERATIVE_PTSZ, .kind = WL_CALL_COOPERATIVE, .is_per_thread = true},
    {WL_CUPTI_CALL_LAUNCH_EX, .kind = WL_CALL_EXTENDED},
    {WL_CUPTI_CALL_LAUNCH_EX_PTSZ, .kind = WL_CALL_EXTENDED, .is_per_thread = true},
    {WL_CUPTI_CALL_GRAPH_LAUNCH, .is_graph = true},
    {WL_CUPTI_CALL_GRAPH_LAUNCH_PTSZ, .is_graph = true},
    {WL_CUPTI_CALL_LAUNCH_COOPERATIVE_MULTI, .is_graph = true}, /* as little to be replayed */
};

/* Each launch asks: rows by number of the call, from 1. */
static const uint8_t launch_rows[] = {
    [WL_CUPTI_CALL_LAUNCH] = 1,
    [WL_CUPTI_CALL_LAUNCH_PTSZ] = 2,
    [WL_CUPTI_CALL_LAUNCH_COOPERATIVE] = 3,
    [WL_CUPTI_CALL_LAUNCH_COOPERATIVE_PTSZ] = 4,
    [WL_CUPTI_CALL_LAUNCH_EX] = 5,
    [WL_CUPTI_CALL_LAUNCH_EX_PTSZ] = 6,
    [WL_CUPTI_CALL_GRAPH_LAUNCH] = 7,
    [WL_CUPTI_CALL_GRAPH_LAUNCH_PTSZ] = 8,
    [WL_CUPTI_CALL_LAUNCH_COOPERATIVE_MULTI] = 9,
};

size_t wl_collect_find_launch_call(uint32_t call)
{
    uint8_t row = call < sizeof launch_rows ? launch_rows[call] : 0;
    return row ? row - 1u : WL_COLLECT_LAUNCH_CALL_COUNT;
}

struct wl_collect_request wl_collect_read_request(enum wl_call_kind kind,
                                                  const struct wl_cupti_api_data *data)
{
    if (kind == WL_CALL_EXTENDED) {
        const struct wl_cuda_launch_ex_parameters *parameters = data->parameters;
        const struct wl_cuda_launch_config *config = parameters->config;
        return (struct wl_collect_request){parameters->function, config->stream, config->grid,
                                           config->block, config->shared_bytes};
    }
    const struct wl_cuda_launch_parameters *parameters = data->parameters;
    return (struct wl_collect_request){parameters->function, parameters->stream, parameters->grid,
                                       parameters->block, parameters->shared_bytes};
}

const char *wl_collect_symbol(const struct wl_cupti_api_data *data)
{
    char first;
    return data->symbol && wl_try_read(data->symbol, &first, 1) ? data->symbol
                                                                : "(kernel without a name)";
}

bool wl_collect_is_peer(const char *function)
{
    static const char *const words[] = {"nccl", "nvshmem"};
    for (size_t i = 0; i < WL_COUNT(words); i++)
        if (strstr(function, words[i]))
            return true;
    return false;
}

const struct wl_collect_capture_call wl_collect_capture_calls[WL_COLLECT_CAPTURE_CALL_COUNT] = {
    {WL_CUPTI_CALL_BEGIN_CAPTURE, 1},          {WL_CUPTI_CALL_BEGIN_CAPTURE_PTSZ, 1},
    {WL_CUPTI_CALL_BEGIN_CAPTURE_V2, 1},       {WL_CUPTI_CALL_BEGIN_CAPTURE_V2_PTSZ, 1},
    {WL_CUPTI_CALL_BEGIN_CAPTURE_TO_GRAPH, 1}, {WL_CUPTI_CALL_BEGIN_CAPTURE_TO_GRAPH_PTSZ, 1},
    {WL_CUPTI_CALL_END_CAPTURE, -1},           {WL_CUPTI_CALL_END_CAPTURE_PTSZ, -1},
};

bool wl_collect_is_harmless(const char *name)
{
    static const char *const words[] = {
        "LaunchKernel", "LaunchCooperativeKernel", "Get",        "Peek",
        "IsCapturing",  "CallConfiguration",       "SetCurrent", "SetDevice",
        "Occupancy"};
    for (size_t i = 0; i < WL_COUNT(words); i++)
        if (strstr(name, words[i]) && !strstr(name, "MultiDevice"))
            return true;
    return false;
}
