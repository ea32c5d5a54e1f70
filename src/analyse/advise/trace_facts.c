#include "analyse/advise/trace_facts.h"

#include <stdlib.h>
#include <string.h>

#define uthash_malloc(size_bytes) \
    wl_alloc(size_bytes) /* by default it calls exit() without memory */
#include <uthash.h>

#include "analyse/advise/trace_ranks.h"
#include "analyse/advise/trace_steps.h"
#include "base/count.h"
#include "base/kernel_name.h"
#include "base/memory.h"
#include "report/events.h"
#include "report/tables.h"

/* ---- what calls are for ---- */

/* What the host did while the GPU had nothing to do. */
enum purpose { SYNCHRONIZE, COPY, ALLOCATE, LAUNCH, OTHER_CALL, MPI, HOST, PURPOSES };
static const char *const purposes[PURPOSES] = {"synchronize", "copy", "allocate", "launch",
                                               "call",        "mpi",  "host"};

static const struct {
    const char *part;
    enum purpose purpose;
} calls[] = {
    {"Synchronize", SYNCHRONIZE}, {"Memcpy", COPY},           {"Memset", COPY},
    {"Malloc", ALLOCATE},         {"MemAlloc", ALLOCATE},     {"HostAlloc", ALLOCATE},
    {"Free", ALLOCATE},           {"HostRegister", ALLOCATE}, {"Launch", LAUNCH},
};

static enum purpose purpose_of(const char *name)
{
    for (size_t i = 0; i < WL_COUNT(calls); i++)
        if (strstr(name, calls[i].part))
            return calls[i].purpose;
    return OTHER_CALL;
}

/* ---- a process ---- */

struct span {
    uint64_t start_ns, end_ns;
    int kind; /* enum purpose of calls, enum wl_timeline_category of what the GPU does */
};

struct spans {
    WL_VECTOR_FIELDS(struct span);
};

struct kernel {
    const char *name;
    uint64_t count, unknown;              /* launches; of them those whose length is not known */
    uint64_t total_ns, least_ns, most_ns; /* of the others */
    UT_hash_handle hh;
};

struct copies {
    uint64_t count, bytes, total_ns;
};

/* Of the GPU of one process; reported is the mean over processes. */
struct process {
    struct spans running; /* on the GPU, now: a heap, what ends first is the first */
    struct spans called;  /* calls that may reach into a gap to come */
    size_t kernels;       /* of running; the others are copies */
    size_t called_limit;  /* of called: when those of no use are thrown out */
    uint64_t now_ns;      /* what is before is summed up */
    uint64_t last_end_ns; /* of what was given to the GPU so far: no gap begins before */
    uint64_t busy_ns;     /* with something running */
    bool has_begun;
};

/* What was found of a name of the report so far. */
struct name {
    bool is_known, is_device_wait, is_managed; /* of a call */
    enum purpose purpose;
    struct kernel *kernel; /* NULL: not one yet */
};

struct gathering {
    const struct wl_report *report;
    struct name *names; /* by number */
    bool is_simulated;
    struct process *processes;
    size_t process_count;
    struct kernel *kernels;
    uint64_t first_ns, last_ns;         /* of all events */
    uint64_t gpu_first_ns, gpu_last_ns; /* of what the GPU does */
    uint64_t busy_ns, kernel_ns, copy_ns, both_ns, concurrent_ns;
    uint64_t gap_ns[PURPOSES], gaps;
    uint64_t call_ns[PURPOSES], call_count[PURPOSES];
    uint64_t allocations_later, allocation_later_ns; /* after the first kernel */
    struct copies all_copies, pageable, small, to_device, to_host;
    uint64_t kernel_count, kernel_sum_ns, short_kernels, graph_kernels, unknown_lengths;
    uint64_t default_stream_kernels, device_synchronize, managed_allocations;
    uint64_t streams; /* bits of the numbers of streams, by hash */
    uint64_t first_call_ns;
    /* processes that gave a GPU work; the busiest and the idlest of their GPUs */
    uint64_t gpu_processes, busy_most_ns, busy_least_ns;
};

enum { SMALL_COPY_BYTES = 64 << 10, SHORT_KERNEL_NS = 5000, DEFAULT_STREAM = 7 };

/* ---- the GPU, interval by interval ---- */

static void sum_up(struct gathering *all, struct process *process, uint64_t until_ns)
{
    uint64_t length = until_ns - process->now_ns;
    size_t kernels = process->kernels, copies = process->running.count - kernels;
    process->busy_ns += kernels || copies ? length : 0;
    all->busy_ns += kernels || copies ? length : 0;
    all->kernel_ns += kernels ? length : 0;
    all->copy_ns += copies ? length : 0;
    all->both_ns += kernels && copies ? length : 0;
    all->concurrent_ns += kernels > 1 ? length : 0;
    process->now_ns = until_ns;
}

static void begin_running(struct process *process, struct span span)
{
    struct spans *running = &process->running;
    process->kernels += span.kind == WL_TIMELINE_KERNEL;
    WL_PUSH(running, span);
    size_t at = running->count - 1;
    for (; at && running->items[(at - 1) / 2].end_ns > span.end_ns; at = (at - 1) / 2)
        running->items[at] = running->items[(at - 1) / 2];
    running->items[at] = span;
}

/* Of the one that ends first. */
static void end_running(struct process *process)
{
    struct spans *running = &process->running;
    process->kernels -= running->items[0].kind == WL_TIMELINE_KERNEL;
    struct span last = running->items[--running->count];
    size_t at = 0;
    for (size_t child; (child = 2 * at + 1) < running->count; at = child) {
        if (child + 1 < running->count &&
            running->items[child + 1].end_ns < running->items[child].end_ns)
            child++;
        if (running->items[child].end_ns >= last.end_ns)
            break;
        running->items[at] = running->items[child];
    }
    running->items[at] = last;
}

/* What the host did in the gap; the rest is the program's own. */
static void explain_gap(struct gathering *all, struct process *process, uint64_t start_ns,
                        uint64_t end_ns)
{
    uint64_t explained = 0;
    size_t kept = 0;
    for (size_t i = 0; i < process->called.count; i++) {
        struct span *call = &process->called.items[i];
        uint64_t from = call->start_ns > start_ns ? call->start_ns : start_ns;
        uint64_t to = call->end_ns < end_ns ? call->end_ns : end_ns;
        uint64_t left = end_ns - start_ns - explained;
        uint64_t part = to > from ? to - from : 0;
        part = part < left ? part : left;
        all->gap_ns[call->kind] += part;
        explained += part;
        if (call->end_ns > end_ns)
            process->called.items[kept++] = *call;
    }
    process->called.count = kept;
    all->gap_ns[HOST] += end_ns - start_ns - explained;
    all->gaps++;
}

static void advance(struct gathering *all, struct process *process, uint64_t to_ns)
{
    while (process->running.count && process->running.items[0].end_ns <= to_ns) {
        sum_up(all, process, process->running.items[0].end_ns);
        end_running(process);
    }
    if (process->running.count)
        sum_up(all, process, to_ns);
}

static void add_device(struct gathering *all, struct process *process,
                       const struct wl_report_span *event)
{
    if (!process->has_begun)
        process->now_ns = event->start_ns;
    process->has_begun = true;
    advance(all, process, event->start_ns);
    if (!process->running.count && event->start_ns > process->now_ns)
        explain_gap(all, process, process->now_ns, event->start_ns);
    process->now_ns = event->start_ns > process->now_ns ? event->start_ns : process->now_ns;
    begin_running(process, (struct span){event->start_ns, event->end_ns, event->category});
    if (event->end_ns > process->last_end_ns)
        process->last_end_ns = event->end_ns;
    if (!all->gpu_first_ns)
        all->gpu_first_ns = event->start_ns;
    if (event->end_ns > all->gpu_last_ns)
        all->gpu_last_ns = event->end_ns;
}

/* ---- events ---- */

static struct kernel *find_kernel(struct gathering *all, uint32_t name)
{
    struct name *found = &all->names[name];
    const char *text = wl_report_event_name(all->report, name);
    if (found->kernel)
        return found->kernel;
    HASH_FIND_STR(all->kernels, text, found->kernel);
    if (!found->kernel) {
        found->kernel = wl_alloc_zero(1, sizeof *found->kernel);
        found->kernel->name = text;
        found->kernel->least_ns = UINT64_MAX;
        HASH_ADD_KEYPTR(hh, all->kernels, text, strlen(text), found->kernel);
    }
    return found->kernel;
}

static const struct name *find_call(struct gathering *all, uint32_t name)
{
    struct name *found = &all->names[name];
    const char *text = wl_report_event_name(all->report, name);
    if (found->is_known)
        return found;
    found->is_known = true;
    found->purpose = purpose_of(text);
    found->is_device_wait = strstr(text, "DeviceSynchronize") || strstr(text, "CtxSynchronize");
    found->is_managed = strstr(text, "MallocManaged") || strstr(text, "AllocManaged");
    return found;
}

static void add_kernel(struct gathering *all, const struct wl_report_span *event)
{
    struct kernel *kernel = find_kernel(all, event->name);
    uint64_t length = event->end_ns - event->start_ns;
    const bool is_known = !(event->flags & WL_TIMELINE_NO_LENGTH);
    kernel->count++;
    kernel->unknown += !is_known;
    kernel->total_ns += length;
    if (is_known && length < kernel->least_ns)
        kernel->least_ns = length;
    kernel->most_ns = length > kernel->most_ns ? length : kernel->most_ns;
    all->kernel_count++;
    all->kernel_sum_ns += length;
    all->short_kernels += is_known && length < SHORT_KERNEL_NS;
    all->graph_kernels += event->is_of_graph;
    all->unknown_lengths += !is_known;
    uint32_t stream = WL_TIMELINE_WHERE_STREAM(event->where);
    all->default_stream_kernels += stream == DEFAULT_STREAM;
    all->streams |= UINT64_C(1) << stream % 64;
}

static void add_to(struct copies *copies, const struct wl_report_span *event)
{
    copies->count++;
    copies->bytes += event->amount;
    copies->total_ns += event->end_ns - event->start_ns;
}

static void add_copy(struct gathering *all, const struct wl_report_span *event)
{
    bool is_pageable = event->source == WL_TIMELINE_MEMORY_PAGEABLE ||
                       event->destination == WL_TIMELINE_MEMORY_PAGEABLE;
    add_to(&all->all_copies, event);
    if (event->copy_kind == WL_TIMELINE_COPY_TO_DEVICE)
        add_to(&all->to_device, event);
    if (event->copy_kind == WL_TIMELINE_COPY_TO_HOST)
        add_to(&all->to_host, event);
    if (is_pageable)
        add_to(&all->pageable, event);
    if (event->amount < SMALL_COPY_BYTES)
        add_to(&all->small, event);
}

/* Those that are over before any gap to come begins are of no use: they are thrown out whenever
 * there are twice as many as were left the last time. */
static void keep_call(struct process *process, struct span span)
{
    enum { LIMIT_LEAST = 1024 };
    struct spans *called = &process->called;
    size_t kept = 0;
    WL_PUSH(called, span);
    if (called->count < LIMIT_LEAST || called->count < process->called_limit)
        return;
    for (size_t i = 0; i < called->count; i++)
        if (called->items[i].end_ns > process->last_end_ns)
            called->items[kept++] = called->items[i];
    called->count = kept;
    process->called_limit = 2 * kept;
}

static void add_call(struct gathering *all, struct process *process,
                     const struct wl_report_span *event)
{
    const struct name *name = find_call(all, event->name);
    enum purpose purpose = event->category == WL_TIMELINE_MPI ? MPI : name->purpose;
    struct span span = {event->start_ns, event->end_ns, purpose};
    uint64_t length = event->end_ns - event->start_ns;
    if (!all->call_count[SYNCHRONIZE] && !all->call_count[LAUNCH] && length > all->first_call_ns)
        all->first_call_ns = length;
    all->call_ns[purpose] += length;
    all->call_count[purpose]++;
    all->device_synchronize += name->is_device_wait;
    all->managed_allocations += name->is_managed;
    if (purpose == ALLOCATE && process->has_begun) {
        all->allocations_later++;
        all->allocation_later_ns += length;
    }
    if (event->end_ns > process->last_end_ns)
        keep_call(process, span);
}

static void take(struct gathering *all, const struct wl_report_span *event)
{
    struct process *process = &all->processes[event->process];
    bool is_device = event->category == WL_TIMELINE_KERNEL ||
                     event->category == WL_TIMELINE_MEMCPY || event->category == WL_TIMELINE_MEMSET;
    bool is_call = event->category == WL_TIMELINE_CUDA_RUNTIME ||
                   event->category == WL_TIMELINE_CUDA_DRIVER || event->category == WL_TIMELINE_MPI;
    all->is_simulated |= event->flags & WL_TIMELINE_PREDICTED;
    if (!all->first_ns)
        all->first_ns = event->start_ns;
    if (event->end_ns > all->last_ns)
        all->last_ns = event->end_ns;
    if (is_device)
        add_device(all, process, event);
    if (event->category == WL_TIMELINE_KERNEL)
        add_kernel(all, event);
    if (event->category == WL_TIMELINE_MEMCPY)
        add_copy(all, event);
    if (is_call)
        add_call(all, process, event);
}

/* ---- as JSON ---- */

static void set(json_t *object, const char *name, uint64_t number)
{
    json_object_set_new(object, name, json_integer((json_int_t)number));
}

static json_t *describe_copies(const struct copies *copies)
{
    json_t *object = json_object();
    set(object, "count", copies->count);
    set(object, "bytes", copies->bytes);
    set(object, "ns", copies->total_ns);
    return object;
}

static json_t *describe_purposes(const uint64_t *numbers)
{
    json_t *object = json_object();
    for (int i = 0; i < PURPOSES; i++)
        set(object, purposes[i], numbers[i]);
    return object;
}

static int by_time(const struct kernel *a, const struct kernel *b)
{
    if (a->total_ns != b->total_ns)
        return a->total_ns < b->total_ns ? 1 : -1;
    return strcmp(a->name, b->name);
}

/* Whether the report holds a profile of this kernel. */
static bool is_profiled(struct wl_report *report, const char *name)
{
    size_t count = 0;
    const struct wl_report_launch *launches = wl_report_launches(report, &count);
    for (size_t i = 0; i < count; i++)
        if (launches[i].kernel && (strcmp(launches[i].kernel->record.demangled, name) == 0 ||
                                   strcmp(launches[i].kernel->record.function, name) == 0))
            return true;
    return false;
}

/* Time of kernels by those who made them. */
static json_t *describe_families(const struct gathering *all)
{
    json_t *families = json_object();
    for (const struct kernel *kernel = all->kernels; kernel; kernel = kernel->hh.next) {
        const char *family = wl_kernel_family(kernel->name);
        family = family ? family : "others";
        set(families, family,
            (uint64_t)json_integer_value(json_object_get(families, family)) + kernel->total_ns);
    }
    return families;
}

static json_t *describe_kernels(struct gathering *all, struct wl_report *report)
{
    enum { MOST_KERNELS = 64 };
    json_t *array = json_array();
    struct kernel *kernel, *next;
    HASH_SORT(all->kernels, by_time);
    HASH_ITER(hh, all->kernels, kernel, next)
    {
        if (json_array_size(array) < MOST_KERNELS) {
            json_t *object = json_object();
            char *function = wl_kernel_function_of(kernel->name);
            json_object_set_new(object, "name", json_string(kernel->name));
            json_object_set_new(object, "short_name",
                                json_string(wl_report_short_name(report, kernel->name)));
            json_object_set_new(object, "function", json_string(function));
            free(function);
            set(object, "count", kernel->count);
            set(object, "unknown", kernel->unknown);
            set(object, "ns", kernel->total_ns);
            set(object, "least_ns", kernel->unknown < kernel->count ? kernel->least_ns : 0);
            set(object, "most_ns", kernel->most_ns);
            json_object_set_new(object, "is_profiled",
                                json_boolean(is_profiled(report, kernel->name)));
            json_array_append_new(array, object);
        }
        HASH_DEL(all->kernels, kernel);
        free(kernel);
    }
    return array;
}

static const char *command_line(struct wl_report *report)
{
    size_t count;
    const struct wl_record_attribute *session = wl_report_session(report, &count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(session[i].name, "command_line") == 0 && session[i].text)
            return session[i].text;
    return "./app";
}

/* Times of the GPU are sums over the processes that gave one work: they become means, which are
 * parts of the program's duration. */
static void average(struct gathering *all)
{
    uint64_t *const sums[] = {&all->busy_ns, &all->kernel_ns, &all->copy_ns, &all->both_ns,
                              &all->concurrent_ns};
    for (size_t i = 0; i < all->process_count; i++) {
        uint64_t busy_ns = all->processes[i].busy_ns;
        if (!all->processes[i].has_begun)
            continue;
        all->busy_least_ns =
            !all->gpu_processes || busy_ns < all->busy_least_ns ? busy_ns : all->busy_least_ns;
        all->busy_most_ns = busy_ns > all->busy_most_ns ? busy_ns : all->busy_most_ns;
        all->gpu_processes++;
    }
    if (all->gpu_processes < 2)
        return;
    for (size_t i = 0; i < WL_COUNT(sums); i++)
        *sums[i] /= all->gpu_processes;
    for (int i = 0; i < PURPOSES; i++)
        all->gap_ns[i] /= all->gpu_processes;
}

static json_t *describe(struct gathering *all, struct wl_report *report)
{
    json_t *facts = json_object();
    const struct {
        const char *name;
        uint64_t number;
    } numbers[] = {
        {"duration_ns", all->last_ns - all->first_ns},
        {"gpu_span_ns", all->gpu_last_ns - all->gpu_first_ns},
        {"busy_ns", all->busy_ns},
        {"kernel_ns", all->kernel_ns},
        {"copy_ns", all->copy_ns},
        {"overlap_ns", all->both_ns},
        {"concurrent_ns", all->concurrent_ns},
        {"gaps", all->gaps},
        {"kernel_count", all->kernel_count},
        {"kernel_sum_ns", all->kernel_sum_ns},
        {"short_kernels", all->short_kernels},
        {"graph_kernels", all->graph_kernels},
        {"unknown_lengths", all->unknown_lengths},
        {"default_stream_kernels", all->default_stream_kernels},
        {"streams", (uint64_t)__builtin_popcountll(all->streams)},
        {"device_synchronize", all->device_synchronize},
        {"managed_allocations", all->managed_allocations},
        {"allocations_later", all->allocations_later},
        {"allocation_later_ns", all->allocation_later_ns},
        {"first_call_ns", all->first_call_ns},
        {"process_count", all->process_count},
        {"gpu_processes", all->gpu_processes},
        {"busy_most_ns", all->busy_most_ns},
        {"busy_least_ns", all->busy_least_ns},
    };
    for (size_t i = 0; i < WL_COUNT(numbers); i++)
        set(facts, numbers[i].name, numbers[i].number);
    json_object_set_new(facts, "gap_ns", describe_purposes(all->gap_ns));
    json_object_set_new(facts, "call_ns", describe_purposes(all->call_ns));
    json_object_set_new(facts, "call_count", describe_purposes(all->call_count));
    json_object_set_new(facts, "copies", describe_copies(&all->all_copies));
    json_object_set_new(facts, "pageable", describe_copies(&all->pageable));
    json_object_set_new(facts, "small", describe_copies(&all->small));
    json_object_set_new(facts, "to_device", describe_copies(&all->to_device));
    json_object_set_new(facts, "to_host", describe_copies(&all->to_host));
    json_object_set_new(facts, "families",
                        describe_families(all)); /* before kernels, which frees */
    json_object_set_new(facts, "kernels", describe_kernels(all, report));
    json_object_set_new(facts, "command", json_string(command_line(report)));
    json_object_set_new(facts, "is_simulated", json_boolean(all->is_simulated));
    return facts;
}

/* What begins from start_ns on and before end_ns; of one process, or of all (ALL_PROCESSES). */
struct part {
    uint64_t start_ns, end_ns;
    size_t process;
};
static const size_t ALL_PROCESSES = SIZE_MAX;

static json_t *gather(struct wl_report *report, const struct wl_report_span *spans, size_t count,
                      const struct part *part)
{
    struct gathering all = {.report = report};
    wl_report_processes(report, &all.process_count);
    all.processes = wl_alloc_zero(all.process_count, sizeof *all.processes);
    all.names = wl_alloc_zero((size_t)wl_report_event_names(report) + 1, sizeof *all.names);
    for (size_t i = 0; i < count; i++)
        if (spans[i].start_ns >= part->start_ns && spans[i].start_ns < part->end_ns &&
            (part->process == ALL_PROCESSES || part->process == spans[i].process))
            take(&all, &spans[i]);
    for (size_t i = 0; i < all.process_count; i++) {
        advance(&all, &all.processes[i], UINT64_MAX);
        free(all.processes[i].running.items);
        free(all.processes[i].called.items);
    }
    average(&all);
    json_t *described = describe(&all, report);
    free(all.names);
    free(all.processes);
    return described;
}

/* The program's steps, if there are any: facts of all that are alike, with how many they are. */
static void add_steps(struct wl_report *report, const struct wl_report_span *spans, size_t count,
                      json_t *facts)
{
    struct wl_timeline_steps steps = wl_timeline_steps_find(spans, count);
    if (!steps.count)
        return;
    const struct part part = {steps.start_ns, steps.end_ns, steps.process};
    json_t *described = gather(report, spans, count, &part);
    set(described, "count", steps.count);
    set(described, "kernels_each", steps.kernels);
    set(described, "duration_ns", steps.end_ns - steps.start_ns);
    json_object_set_new(facts, "steps", described);
}

enum wl_code wl_timeline_facts(struct wl_report *report, json_t **facts, struct wl_error *error)
{
    static const struct part whole = {0, UINT64_MAX, SIZE_MAX};
    struct wl_report_span *spans = NULL;
    size_t count = 0;
    *facts = NULL;
    if (wl_report_event_count(report) == 0)
        return WL_OK;
    enum wl_code code = wl_report_spans(report, &spans, &count, error);
    if (!code) {
        *facts = gather(report, spans, count, &whole);
        add_steps(report, spans, count, *facts);
        code = wl_timeline_ranks_add(report, *facts, error);
    }
    free(spans);
    return code;
}
