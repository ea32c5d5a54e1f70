#include "collect/cupti/activities.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/count.h"
#include "base/demangle.h"
#include "base/memory.h"
#include "collect/cupti/trace_calls.h"
#include "collect/cupti/unified.h"
#include "collect/sites.h"
#include "hardware/activity.h"
#include "hardware/driver.h"
#include "record/facts.h"
#include "timeline/timeline.h"

/* CUPTI gives each kernel's name in one place for good; the place is looked up first. */
enum { KERNEL_NAMES = 1 << 12, CALLS_MAX = 2048, CALLERS = 1 << 8, WAITS_MAX = 64 };

struct kernel_name {
    const char *place;
    char *mangled;
    uint32_t id;
};

/* Stacks of calls whose records are still to come, by correlation: both numbers in one word. */
enum { STACKS = 1 << 18 };
static _Atomic uint64_t *call_stacks;

/* Which thread made a call. */
struct caller {
    uint32_t correlation, thread;
};

static struct {
    const struct wl_settings *settings;
    wl_recording_use_stream *use_stream;
    struct wl_cupti cupti;
    struct wl_cupti_subscriber *subscriber;
    int64_t offset_ns; /* from CUPTI's clock to the time since 1970 */
    bool is_on;
    atomic_bool has_unified;  /* migrations were asked for */
    _Atomic uint64_t devices; /* that did something, by bit */
    /* used on one thread at a time: CUPTI delivers buffers one after another */
    struct kernel_name kernel_names[KERNEL_NAMES];
    uint32_t call_names[2][CALLS_MAX]; /* runtime, driver */
    struct caller callers[CALLERS];    /* of the last calls, by correlation */
    struct wl_timeline_record waits[WAITS_MAX];
    size_t wait_count; /* that wait for their call's record */
    uint64_t in_use_bytes[WL_TIMELINE_MEMORY_KINDS];
} trace;

static const struct {
    enum wl_cupti_activity_kind kind;
    enum wl_timeline_category category;
    bool is_needed; /* without it nothing is recorded */
} kinds[] = {
    {WL_CUPTI_ACTIVITY_RUNTIME, WL_TIMELINE_CUDA_RUNTIME, true},
    {WL_CUPTI_ACTIVITY_DRIVER, WL_TIMELINE_CUDA_DRIVER, true},
    {WL_CUPTI_ACTIVITY_CONCURRENT_KERNEL, WL_TIMELINE_KERNEL, true},
    {WL_CUPTI_ACTIVITY_MEMCPY, WL_TIMELINE_MEMCPY, true},
    {WL_CUPTI_ACTIVITY_MEMSET, WL_TIMELINE_MEMSET, true},
    {WL_CUPTI_ACTIVITY_SYNCHRONIZATION, WL_TIMELINE_SYNCHRONIZATION, false},
    {WL_CUPTI_ACTIVITY_MEMORY, WL_TIMELINE_MEMORY, false},
    {WL_CUPTI_ACTIVITY_UNIFIED_MEMORY, WL_TIMELINE_UNIFIED_MEMORY, false},
};

/* ---- names ---- */

static uint32_t kernel_name(const char *mangled)
{
    uintptr_t place = (uintptr_t)mangled;
    struct kernel_name *row = &trace.kernel_names[(place >> 4 ^ place >> 16) % KERNEL_NAMES];
    if (row->place == mangled && strcmp(row->mangled, mangled) == 0)
        return row->id;
    char *name = wl_demangle(mangled);
    free(row->mangled);
    *row = (struct kernel_name){mangled, wl_string_copy(mangled), wl_timeline_name(name)};
    free(name);
    return row->id;
}

/* "cuMemAlloc_v2" is called so, "cudaLaunchKernel_v7000" without its version. */
static uint32_t ask_call_name(bool is_driver, uint32_t call)
{
    const char *name = NULL;
    int domain = is_driver ? WL_CUPTI_DOMAIN_DRIVER : WL_CUPTI_DOMAIN_RUNTIME;
    if (!trace.cupti.cuptiGetCallbackName ||
        trace.cupti.cuptiGetCallbackName(domain, call, &name) != WL_CUPTI_SUCCESS || !name)
        return wl_timeline_name(is_driver ? "(driver call)" : "(runtime call)");
    const char *version = strstr(name, "_v");
    size_t length = !is_driver && version && version[2] >= '0' && version[2] <= '9'
                        ? (size_t)(version - name)
                        : strlen(name);
    char *plain = wl_string_copy_length(name, length);
    uint32_t id = wl_timeline_name(plain);
    free(plain);
    return id;
}

static uint32_t call_name(bool is_driver, uint32_t call)
{
    if (call >= CALLS_MAX)
        return ask_call_name(is_driver, call);
    uint32_t *id = &trace.call_names[is_driver][call];
    if (!*id)
        *id = ask_call_name(is_driver, call);
    return *id;
}

/* ---- records ---- */

static uint64_t real_ns(uint64_t cupti_ns)
{
    return cupti_ns + (uint64_t)trace.offset_ns;
}

static struct wl_timeline_record begin_record(enum wl_timeline_category category, uint64_t start_ns,
                                              uint64_t end_ns, uint32_t correlation_id)
{
    return (struct wl_timeline_record){
        .category = (uint16_t)category,
        .flags = WL_TIMELINE_NANOSECONDS,
        .start = real_ns(start_ns),
        .end = real_ns(end_ns),
        .correlation = correlation_id,
    };
}

/* ---- records: waiting ---- */

/* CUPTI does not say which thread waited: that of the call, whose record may come sooner or later.
 */
static void put_wait(size_t index, uint32_t thread)
{
    trace.waits[index].thread = thread;
    wl_timeline_put(&trace.waits[index]);
    trace.waits[index] = trace.waits[--trace.wait_count];
}

static void note_caller(uint32_t correlation, uint32_t thread)
{
    trace.callers[correlation % CALLERS] = (struct caller){correlation, thread};
    for (size_t i = trace.wait_count; i-- > 0;)
        if (trace.waits[i].correlation == correlation)
            put_wait(i, thread);
}

static const char *const wait_names[] = {
    [0] = "Synchronize",
    [WL_TIMELINE_SYNC_EVENT] = "Event Synchronize",
    [WL_TIMELINE_SYNC_STREAM_WAIT_EVENT] = "Stream Wait Event",
    [WL_TIMELINE_SYNC_STREAM] = "Stream Synchronize",
    [WL_TIMELINE_SYNC_CONTEXT] = "Context Synchronize",
};
enum { WAIT_NAMES = WL_COUNT(wait_names) };

static void take_wait(const struct wl_cupti_activity *activity)
{
    static uint32_t names[WAIT_NAMES];
    const struct wl_cupti_synchronization_activity *from = (const void *)activity;
    size_t kind = from->synchronization_kind < WAIT_NAMES ? from->synchronization_kind : 0;
    const struct caller *caller = &trace.callers[from->correlation_id % CALLERS];
    struct wl_timeline_record record = begin_record(WL_TIMELINE_SYNCHRONIZATION, from->start_ns,
                                                    from->end_ns, from->correlation_id);
    record.name = wl_timeline_name_once(&names[kind], wait_names[kind]);
    record.words[0] = WL_TIMELINE_PACK_WHERE(
        0, from->context_id, from->stream_id == WL_CUPTI_NO_ID ? 0 : from->stream_id);
    record.words[1] = kind;
    if (trace.wait_count == WAITS_MAX) /* theirs never came */
        put_wait(0, 0);
    trace.waits[trace.wait_count++] = record;
    if (caller->correlation == from->correlation_id)
        put_wait(trace.wait_count - 1, caller->thread);
}

/* ---- records: calls and what they cause ---- */

static uint32_t stack_of(uint32_t correlation)
{
    uint64_t found = call_stacks ? atomic_load(&call_stacks[correlation % STACKS]) : 0;
    return found >> 32 == correlation ? (uint32_t)found : 0;
}

/* What is asked whether work is done answers so with a number that is no error. */
enum { NOT_READY = 600 };

static void take_call(const struct wl_cupti_activity *activity)
{
    const struct wl_cupti_api_activity *from = (const void *)activity;
    bool is_driver = from->kind == WL_CUPTI_ACTIVITY_DRIVER;
    struct wl_timeline_record record =
        begin_record(is_driver ? WL_TIMELINE_CUDA_DRIVER : WL_TIMELINE_CUDA_RUNTIME, from->start_ns,
                     from->end_ns, from->correlation_id);
    record.name = call_name(is_driver, from->call);
    record.thread = from->thread_id;
    record.words[0] = from->result;
    record.words[1] = stack_of(from->correlation_id);
    if (from->result && from->result != NOT_READY)
        record.flags |= WL_TIMELINE_FAILED;
    wl_timeline_put(&record);
    note_caller(from->correlation_id, from->thread_id);
}

/* Of what is recorded, that is. */
static void note_device(uint32_t device)
{
    if (device < WL_CUDA_DEVICES_MAX && wl_timeline_is_wanted(WL_TIMELINE_KERNEL))
        atomic_fetch_or_explicit(&trace.devices, UINT64_C(1) << device, memory_order_relaxed);
}

static void take_kernel(const struct wl_cupti_activity *activity)
{
    const struct wl_cupti_kernel_activity *from = (const void *)activity;
    struct wl_timeline_record record =
        begin_record(WL_TIMELINE_KERNEL, from->start_ns, from->end_ns, from->correlation_id);
    note_device(from->device_id);
    record.name = kernel_name(from->name ? from->name : "?");
    record.words[0] = WL_TIMELINE_PACK_WHERE(from->device_id, from->context_id, from->stream_id);
    record.words[1] = WL_TIMELINE_PACK_GRID(from->grid[0], from->grid[1], from->grid[2]);
    record.words[2] =
        WL_TIMELINE_PACK_BLOCK(from->block[0], from->block[1], from->block[2], from->registers);
    record.words[3] =
        WL_TIMELINE_PACK_SHARED(from->shared_static_bytes, from->shared_dynamic_bytes);
    record.words[4] = from->graph_node_id;
    wl_timeline_put(&record);
    wl_recording_count_kernel();
}

static const char *const copy_names[] = {
    [1] = "[CUDA memcpy Host-to-Device]",  [2] = "[CUDA memcpy Device-to-Host]",
    [3] = "[CUDA memcpy Host-to-Array]",   [4] = "[CUDA memcpy Array-to-Host]",
    [5] = "[CUDA memcpy Array-to-Array]",  [6] = "[CUDA memcpy Array-to-Device]",
    [7] = "[CUDA memcpy Device-to-Array]", [8] = "[CUDA memcpy Device-to-Device]",
    [9] = "[CUDA memcpy Host-to-Host]",    [10] = "[CUDA memcpy Peer-to-Peer]",
};
enum { COPY_NAMES = WL_COUNT(copy_names) };

/* CUPTI's numbers of memory are those of enum wl_timeline_memory; it knows static variables, too.
 */
static uint64_t memory_of(uint32_t kind)
{
    enum { DEVICE_STATIC = 6, MANAGED_STATIC = 7 };
    static const uint8_t kinds_of_memory[] = {
        [DEVICE_STATIC] = WL_TIMELINE_MEMORY_DEVICE,
        [MANAGED_STATIC] = WL_TIMELINE_MEMORY_MANAGED,
    };
    if (kind <= WL_TIMELINE_MEMORY_MANAGED)
        return kind;
    return kind <= MANAGED_STATIC ? kinds_of_memory[kind] : WL_TIMELINE_MEMORY_UNKNOWN;
}

static void take_copy(const struct wl_cupti_activity *activity)
{
    static uint32_t names[COPY_NAMES];
    const struct wl_cupti_memcpy_activity *from = (const void *)activity;
    size_t kind = from->copy_kind < COPY_NAMES ? from->copy_kind : 0;
    struct wl_timeline_record record =
        begin_record(WL_TIMELINE_MEMCPY, from->start_ns, from->end_ns, from->correlation_id);
    note_device(from->device_id);
    record.name =
        wl_timeline_name_once(&names[kind], copy_names[kind] ? copy_names[kind] : "[CUDA memcpy]");
    record.words[0] = WL_TIMELINE_PACK_WHERE(from->device_id, from->context_id, from->stream_id);
    record.words[1] = from->bytes;
    record.words[2] = from->copy_kind;
    record.words[3] = memory_of(from->source_kind);
    record.words[4] = memory_of(from->destination_kind);
    record.words[5] = from->graph_node_id;
    wl_timeline_put(&record);
}

static void take_set(const struct wl_cupti_activity *activity)
{
    static uint32_t name;
    const struct wl_cupti_memset_activity *from = (const void *)activity;
    struct wl_timeline_record record =
        begin_record(WL_TIMELINE_MEMSET, from->start_ns, from->end_ns, from->correlation_id);
    record.name = wl_timeline_name_once(&name, "[CUDA memset]");
    record.words[0] = WL_TIMELINE_PACK_WHERE(from->device_id, from->context_id, from->stream_id);
    record.words[1] = from->bytes;
    record.words[2] = from->value;
    record.words[3] = memory_of(from->memory_kind);
    record.words[5] = from->graph_node_id;
    wl_timeline_put(&record);
}

/* ---- records: memory ---- */

static const char *const memory_names[WL_TIMELINE_MEMORY_KINDS] = {
    [WL_TIMELINE_MEMORY_UNKNOWN] = "Unknown", [WL_TIMELINE_MEMORY_PAGEABLE] = "Pageable",
    [WL_TIMELINE_MEMORY_PINNED] = "Pinned",   [WL_TIMELINE_MEMORY_DEVICE] = "Device",
    [WL_TIMELINE_MEMORY_ARRAY] = "Array",     [WL_TIMELINE_MEMORY_MANAGED] = "Managed",
};

/* Counted also while recording is paused. */
static void take_memory(const struct wl_cupti_activity *activity)
{
    static uint32_t names[WL_TIMELINE_MEMORY_KINDS];
    const struct wl_cupti_memory_activity *from = (const void *)activity;
    uint64_t place = memory_of(from->memory_kind), *in_use_bytes = &trace.in_use_bytes[place];
    bool is_free = from->operation == WL_CUPTI_MEMORY_FREE;
    if (is_free)
        *in_use_bytes -= from->bytes < *in_use_bytes ? from->bytes : *in_use_bytes;
    else
        *in_use_bytes += from->bytes;
    struct wl_timeline_record record =
        begin_record(WL_TIMELINE_MEMORY, from->time_ns, from->time_ns, from->correlation_id);
    const struct caller *caller = &trace.callers[from->correlation_id % CALLERS];
    record.name = wl_timeline_name_once(&names[place], memory_names[place]);
    record.thread = caller->correlation == from->correlation_id ? caller->thread : 0;
    record.words[0] = WL_TIMELINE_PACK_WHERE(from->device_id, from->context_id, 0);
    record.words[1] = from->address;
    record.words[2] = from->bytes;
    record.words[3] = place;
    record.words[4] = is_free;
    record.words[5] = *in_use_bytes;
    wl_timeline_put(&record);
}

/* name as nsys has it. */
static const struct {
    const char *name;
    bool has_bytes, is_of_source; /* the device it is about is where it comes from */
} unified_kinds[WL_CUPTI_UNIFIED_KIND_COUNT] = {
    [0] = {"[CUDA Unified Memory]", false, false},
    [WL_CUPTI_UNIFIED_TO_DEVICE] = {"[CUDA Unified Memory memcpy HtoD]", true, false},
    [WL_CUPTI_UNIFIED_TO_HOST] = {"[CUDA Unified Memory memcpy DtoH]", true, true},
    [WL_CUPTI_UNIFIED_CPU_FAULT] = {"[CUDA Unified Memory CPU page fault]", false, true},
    [WL_CUPTI_UNIFIED_GPU_FAULT] = {"[CUDA Unified Memory GPU page fault]", false, true},
    [WL_CUPTI_UNIFIED_THRASHING] = {"[CUDA Unified Memory thrashing]", false, true},
    [WL_CUPTI_UNIFIED_THROTTLING] = {"[CUDA Unified Memory throttling]", false, true},
    [WL_CUPTI_UNIFIED_REMOTE_MAP] = {"[CUDA Unified Memory remote map]", false, true},
    [WL_CUPTI_UNIFIED_BETWEEN_DEVICES] = {"[CUDA Unified Memory memcpy DtoD]", true, true},
};

static void take_unified(const struct wl_cupti_activity *activity)
{
    static uint32_t names[WL_CUPTI_UNIFIED_KIND_COUNT];
    const struct wl_cupti_unified_activity *from = (const void *)activity;
    size_t kind = from->unified_kind < WL_CUPTI_UNIFIED_KIND_COUNT ? from->unified_kind : 0;
    uint64_t end_ns = from->end_ns > from->start_ns ? from->end_ns : from->start_ns;
    uint32_t device = unified_kinds[kind].is_of_source ? from->source_id : from->destination_id;
    struct wl_timeline_record record =
        begin_record(WL_TIMELINE_UNIFIED_MEMORY, from->start_ns, end_ns, 0);
    record.name = wl_timeline_name_once(&names[kind], unified_kinds[kind].name);
    /* a fault of the host comes from none */
    record.words[0] = WL_TIMELINE_PACK_WHERE(kind == WL_CUPTI_UNIFIED_CPU_FAULT ? 0 : device, 0, 0);
    record.words[1] = unified_kinds[kind].has_bytes ? from->value : 0;
    record.words[2] = kind;
    record.words[3] = from->address;
    if (!unified_kinds[kind].has_bytes) /* of the host they come one by one */
        record.words[4] = kind == WL_CUPTI_UNIFIED_CPU_FAULT ? 1 : from->value;
    wl_timeline_put(&record);
}

static void (*const takes[])(const struct wl_cupti_activity *) = {
    [WL_CUPTI_ACTIVITY_RUNTIME] = take_call,
    [WL_CUPTI_ACTIVITY_DRIVER] = take_call,
    [WL_CUPTI_ACTIVITY_CONCURRENT_KERNEL] = take_kernel,
    [WL_CUPTI_ACTIVITY_MEMCPY] = take_copy,
    [WL_CUPTI_ACTIVITY_MEMSET] = take_set,
    [WL_CUPTI_ACTIVITY_SYNCHRONIZATION] = take_wait,
    [WL_CUPTI_ACTIVITY_MEMORY] = take_memory,
    [WL_CUPTI_ACTIVITY_UNIFIED_MEMORY] = take_unified,
};

/* On a thread of CUPTI, or within a flush. Only the kinds that were asked for come. */
static void take(void *self, const struct wl_cupti_activity *record)
{
    (void)self;
    takes[record->kind](record);
}

/* ---- beginning and end ---- */

static void flush(void)
{
    wl_cupti_activity_flush(true);
}

/* Of some readings the one that took least. */
static void read_offset(void)
{
    uint64_t least_ns = UINT64_MAX;
    for (int i = 0; i < 8; i++) {
        uint64_t cupti_ns = 0, before = wl_clock_realtime_ns();
        if (trace.cupti.cuptiGetTimestamp(&cupti_ns) != WL_CUPTI_SUCCESS)
            return;
        uint64_t after = wl_clock_realtime_ns();
        if (after - before >= least_ns)
            continue;
        least_ns = after - before;
        trace.offset_ns = (int64_t)(before + least_ns / 2 - cupti_ns);
    }
}

static void add_unified(void);

/* On the calling thread; a call that a call makes has the same stack. */
static void keep_stack(const struct wl_cupti_api_data *api)
{
    int saved_errno = errno;
    if (!stack_of(api->correlation_id)) {
        uint32_t stack = wl_code_stack(api->function_name);
        if (stack)
            atomic_store(&call_stacks[api->correlation_id % STACKS],
                         (uint64_t)api->correlation_id << 32 | stack);
    }
    errno = saved_errno;
}

/* Of what begins unified memory, of cudaProfilerStart and cudaProfilerStop, and of all calls where
 * their stacks are wanted. */
static void on_call(void *self, int domain, uint32_t call, const void *data)
{
    (void)self;
    const struct wl_cupti_api_data *api = data;
    bool is_api = domain == WL_CUPTI_DOMAIN_DRIVER || domain == WL_CUPTI_DOMAIN_RUNTIME;
    if (wl_cupti_unified_is_due(trace.settings->trace_faults, domain, call, data))
        add_unified();
    if (is_api && call_stacks && api->site == WL_CUPTI_ENTER && !wl_timeline_is_own())
        keep_stack(api);
    bool is_switch = domain == WL_CUPTI_DOMAIN_DRIVER &&
                     (call == WL_CUPTI_CALL_PROFILER_START || call == WL_CUPTI_CALL_PROFILER_STOP);
    if (is_switch && api->site == WL_CUPTI_EXIT)
        wl_recording_switch(call == WL_CUPTI_CALL_PROFILER_START);
}

static enum wl_code listen(int domain, uint32_t call, struct wl_error *error)
{
    const struct wl_cupti *cupti = &trace.cupti;
    int result = WL_CUPTI_SUCCESS;
    if (!trace.subscriber)
        result = cupti->cuptiSubscribe(&trace.subscriber, on_call, NULL);
    if (result == WL_CUPTI_SUCCESS)
        result = cupti->cuptiEnableCallback(1, trace.subscriber, domain, call);
    return result == WL_CUPTI_SUCCESS ? WL_OK : wl_cupti_fail(error, "attaching to CUPTI", result);
}

struct enabling {
    int domain;
    enum wl_code code;
    struct wl_error *error;
};

static bool enable_call(void *self, uint32_t call)
{
    struct enabling *enabling = self;
    enabling->code = listen(enabling->domain, call, enabling->error);
    return enabling->code == WL_OK;
}

/* Those whose stacks are wanted: a callback costs each call of its domain that it is asked for. */
static enum wl_code enable_calls(struct wl_error *error)
{
    struct enabling enabling = {.domain = WL_CUPTI_DOMAIN_RUNTIME, .error = error};
    call_stacks = wl_alloc_zero(STACKS, sizeof *call_stacks);
    if (!wl_cupti_call_each(&trace.cupti, enabling.domain, wl_code_stack_is_wanted, enable_call,
                            &enabling))
        return wl_cupti_fail(error, "attaching to CUPTI, which gives no names of calls,",
                             WL_CUPTI_ERROR_INVALID_PARAMETER);
    enabling.domain = WL_CUPTI_DOMAIN_DRIVER;
    if (!enabling.code && trace.settings->trace_driver)
        wl_cupti_call_each(&trace.cupti, enabling.domain, wl_code_stack_is_wanted, enable_call,
                           &enabling);
    return enabling.code;
}

static enum wl_code enable_switches(struct wl_error *error)
{
    enum wl_code code = listen(WL_CUPTI_DOMAIN_DRIVER, WL_CUPTI_CALL_PROFILER_START, error);
    return code ? code : listen(WL_CUPTI_DOMAIN_DRIVER, WL_CUPTI_CALL_PROFILER_STOP, error);
}

/* CUPTI's records of waits make launches slower (docs/using/hardware.md has by how much); the calls
 * that wait tell as long. */
static bool is_asked(size_t row)
{
    const struct wl_settings *settings = trace.settings;
    enum wl_cupti_activity_kind kind = kinds[row].kind;
    bool is_left_out = (kind == WL_CUPTI_ACTIVITY_DRIVER && !settings->trace_driver) ||
                       (kind == WL_CUPTI_ACTIVITY_SYNCHRONIZATION && !settings->trace_waits);
    return !is_left_out && wl_timeline_is_recorded(kinds[row].category);
}

static void write_note(const struct wl_sink *sink, void *argument)
{
    if (sink->put_note)
        sink->put_note(sink->self, argument);
}

static void note_refused(enum wl_timeline_category category, bool is_asked_for)
{
    char *text = wl_string_format("no events of kind %s are recorded",
                                  wl_timeline_categories[category].name);
    struct wl_record_note note = {is_asked_for ? WL_NOTE_WARNING : WL_NOTE_INFO, "no-records", text,
                                  "CUPTI does not report it with this GPU and driver", -1};
    trace.use_stream(write_note, &note);
    free(text);
}

static void note_left_out(void)
{
    struct wl_record_note note = {WL_NOTE_INFO, "calls-left-out",
                                  "query calls of CUDA are not recorded (cudaGetDevice, "
                                  "cudaGetLastError, cudaFuncGetAttributes, ...)",
                                  "--cuda-trace-all-apis yes records them", -1};
    trace.use_stream(write_note, &note);
}

static void add_unified(void)
{
    bool has_faults = trace.settings->trace_faults;
    if (atomic_exchange(&trace.has_unified, true))
        return;
    if (!wl_cupti_unified_configure(&trace.cupti, has_faults) ||
        !wl_cupti_activity_add(WL_CUPTI_ACTIVITY_UNIFIED_MEMORY))
        note_refused(WL_TIMELINE_UNIFIED_MEMORY, has_faults);
}

/* What is only nice to have. */
static void add_kinds(void)
{
    for (size_t i = 0; i < WL_COUNT(kinds); i++) {
        bool is_there = true;
        if (kinds[i].is_needed || !is_asked(i))
            continue;
        if (kinds[i].kind == WL_CUPTI_ACTIVITY_UNIFIED_MEMORY)
            is_there = wl_cupti_unified_listen(&trace.cupti, trace.settings->trace_faults, listen);
        else
            is_there = wl_cupti_activity_add(kinds[i].kind);
        if (!is_there)
            note_refused(kinds[i].category, false);
    }
}

/* Of which domain the calls are that a kind of records is about; 0: of none. */
static int domain_of(enum wl_cupti_activity_kind kind)
{
    return kind == WL_CUPTI_ACTIVITY_RUNTIME  ? WL_CUPTI_DOMAIN_RUNTIME
           : kind == WL_CUPTI_ACTIVITY_DRIVER ? WL_CUPTI_DOMAIN_DRIVER
                                              : 0;
}

/* Query calls are left out where CUPTI can do that. */
static enum wl_code add_calls(struct wl_error *error)
{
    bool is_any_left_out = false;
    for (size_t i = 0; i < WL_COUNT(kinds); i++) {
        int domain = domain_of(kinds[i].kind);
        if (!domain || !is_asked(i))
            continue;
        if (!trace.settings->trace_all_apis && wl_cupti_calls_record(&trace.cupti, domain)) {
            wl_cupti_activity_expect(kinds[i].kind);
            is_any_left_out = true;
        } else if (!wl_cupti_activity_add(kinds[i].kind)) {
            return wl_error_set(error, WL_ERR_UNSUPPORTED, "CUPTI records no calls");
        }
    }
    if (is_any_left_out)
        note_left_out();
    return WL_OK;
}

static enum wl_code start_records(struct wl_error *error)
{
    uint64_t needed = 0;
    bool is_any = false;
    for (size_t i = 0; i < WL_COUNT(kinds); i++) {
        is_any = is_any || (kinds[i].is_needed && is_asked(i));
        if (kinds[i].is_needed && is_asked(i) && !domain_of(kinds[i].kind))
            needed |= UINT64_C(1) << kinds[i].kind;
    }
    if (!is_any)
        return WL_OK;
    enum wl_code code = wl_cupti_activity_start(&trace.cupti, needed, take, NULL, error);
    if (!code)
        code = add_calls(error);
    if (!code)
        add_kinds();
    return code;
}

enum wl_code wl_cupti_trace_start(const struct wl_settings *settings,
                                  wl_recording_use_stream *use_stream, struct wl_error *error)
{
    enum wl_code code = wl_cupti_open(settings->cupti_library, &trace.cupti, error);
    if (!code)
        code = wl_recording_start(settings, use_stream, NULL, error);
    if (code)
        return code;
    trace.settings = settings;
    trace.use_stream = use_stream;
    wl_cupti_activity_enlarge(&trace.cupti);
    if (trace.cupti.cuptiSetThreadIdType)
        trace.cupti.cuptiSetThreadIdType(WL_CUPTI_THREAD_ID_SYSTEM);
    read_offset();
    if (settings->trace_range == WL_CAPTURE_PROFILER_API)
        code = enable_switches(error);
    if (!code && (settings->trace_stacks || settings->python_stacks))
        code = enable_calls(error);
    if (!code)
        code = start_records(error);
    trace.is_on = code == WL_OK;
    wl_recording_set_flush(flush);
    return code;
}

/* What the devices are that did something. */
static void put_devices(const struct wl_sink *sink, void *argument)
{
    const struct wl_cuda *cuda = argument;
    for (uint32_t device = 0; device < WL_CUDA_DEVICES_MAX && sink->put_device; device++) {
        struct wl_gpu gpu = {0};
        int handle = (int)device;
        if (!(atomic_load(&trace.devices) >> device & 1) ||
            cuda->device_get(&handle, handle) != WL_CUDA_SUCCESS ||
            wl_cuda_describe(cuda, handle, &gpu, NULL) != WL_OK)
            continue;
        wl_facts_put_device(sink, device, &gpu, NULL);
        wl_gpu_free(&gpu);
    }
}

void wl_cupti_trace_end(void)
{
    struct wl_cuda cuda;
    if (trace.is_on)
        wl_cupti_activity_stop(false);
    while (trace.wait_count)
        put_wait(0, 0);
    trace.is_on = false;
    if (atomic_load(&trace.devices) && wl_cuda_open(&cuda, NULL) == WL_OK)
        trace.use_stream(put_devices, &cuda);
    wl_recording_end(wl_cupti_activity_dropped());
}

void wl_cupti_trace_abandon(void)
{
    trace.is_on = false;
    wl_cupti_activity_stop(true);
    wl_recording_after_fork();
}
