#include "record/stream/pass.h"

#define PASS(record)                                                            \
    static void put_##record(void *self, const struct wl_record_##record *item) \
    {                                                                           \
        const struct wl_stream_pass *pass = self;                               \
        pass->out->put_##record(pass->out->self, item);                         \
    }

PASS(process)
PASS(device)
PASS(module)
PASS(kernel)
PASS(launch)
PASS(note)
PASS(trace_names)
PASS(trace)
PASS(trace_end)

static void put_end(void *self, int exit_code, uint64_t end_ns)
{
    const struct wl_stream_pass *pass = self;
    pass->out->put_end(pass->out->self, exit_code, end_ns);
}

struct wl_sink wl_stream_pass_sink(struct wl_stream_pass *pass)
{
    return (struct wl_sink){
        .self = pass,
        .put_process = put_process,
        .put_device = put_device,
        .put_module = put_module,
        .put_kernel = put_kernel,
        .put_launch = put_launch,
        .put_note = put_note,
        .put_end = put_end,
        .put_trace_names = put_trace_names,
        .put_trace = put_trace,
        .put_trace_end = put_trace_end,
    };
}
