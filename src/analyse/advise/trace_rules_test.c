/* Rules of a trace: each fires on a made trace that has its trouble, and is silent on one that has
 * not. */
#include "analyse/advise/advice.h"

#include "support/report_sample.h"

static struct wl_metric_catalog *catalog;
static struct wl_rules *rules;

enum {
    MALLOC = 1,
    MEMCPY,
    LAUNCH,
    SYNCHRONIZE,
    KERNEL_NAME,
    COPY_NAME,
    OTHER_KERNEL,
    FIRST,
    REDUCE,
    MANAGED
};
static const char *const names[] = {
    "cudaMalloc",
    "cudaMemcpy",
    "cudaLaunchKernel",
    "cudaDeviceSynchronize",
    "void step<4>(float *)",
    "[CUDA memcpy Host-to-Device]",
    "axpy(float *)",
    "cudaFree",
    "MPI_Allreduce",
    "cudaMallocManaged",
};

/* A trace under way. Host and GPU have a time each; both begin at zero. */
struct trace {
    struct wl_timeline_record items[4096];
    size_t count;
    uint64_t host_ns, gpu_ns;
    uint32_t correlation;
    size_t second;  /* the first record of a second process, 0: there is none */
    bool has_ranks; /* the processes are ranks of an MPI program */
};

static const uint64_t epoch_ns = 1700000000000000000;

static void put(struct trace *trace, struct wl_timeline_record record)
{
    assert_true(trace->count < COUNT(trace->items));
    record.start += epoch_ns;
    record.end += epoch_ns;
    record.thread = 7;
    trace->items[trace->count++] = record;
}

static void call(struct trace *trace, uint32_t name, uint64_t length_ns)
{
    put(trace, (struct wl_timeline_record){.start = trace->host_ns,
                                           .end = trace->host_ns + length_ns,
                                           .name = name,
                                           .category = WL_TIMELINE_CUDA_RUNTIME,
                                           .correlation = ++trace->correlation});
    trace->host_ns += length_ns;
}

static void kernel_on(struct trace *trace, uint32_t name, uint32_t stream, uint64_t start_ns,
                      uint64_t length_ns)
{
    put(trace, (struct wl_timeline_record){.start = start_ns,
                                           .end = start_ns + length_ns,
                                           .name = name,
                                           .category = WL_TIMELINE_KERNEL,
                                           .correlation = trace->correlation,
                                           .words = {WL_TIMELINE_PACK_WHERE(0, 1, stream)}});
    if (start_ns + length_ns > trace->gpu_ns)
        trace->gpu_ns = start_ns + length_ns;
}

/* Launched, and run as soon as both are there. */
static void launch(struct trace *trace, uint64_t call_ns, uint64_t kernel_ns)
{
    call(trace, LAUNCH, call_ns);
    uint64_t start_ns = trace->host_ns > trace->gpu_ns ? trace->host_ns : trace->gpu_ns;
    kernel_on(trace, KERNEL_NAME, 13, start_ns, kernel_ns);
}

static void copy_at(struct trace *trace, uint64_t start_ns, uint64_t length_ns, uint64_t bytes,
                    enum wl_timeline_memory from)
{
    put(trace, (struct wl_timeline_record){.start = start_ns,
                                           .end = start_ns + length_ns,
                                           .name = COPY_NAME,
                                           .category = WL_TIMELINE_MEMCPY,
                                           .correlation = trace->correlation,
                                           .words = {WL_TIMELINE_PACK_WHERE(0, 1, 14), bytes,
                                                     WL_TIMELINE_COPY_TO_DEVICE, from,
                                                     WL_TIMELINE_MEMORY_DEVICE}});
    if (start_ns + length_ns > trace->gpu_ns)
        trace->gpu_ns = start_ns + length_ns;
}

/* The GPU has always something to do. */
static void make_busy(struct trace *trace)
{
    for (int i = 0; i < 50; i++)
        launch(trace, 2000, 100000);
    call(trace, SYNCHRONIZE, trace->gpu_ns - trace->host_ns);
}

/* Kernels whose time nobody could predict. */
static void make_timeless(struct trace *trace)
{
    launch(trace, 2000, 0);
    call(trace, SYNCHRONIZE, 1000);
}

static void make_idle(struct trace *trace)
{
    for (int i = 0; i < 10; i++) {
        launch(trace, 2000, 10000);
        trace->host_ns += 90000;
    }
}

static void make_copies(struct trace *trace, enum wl_timeline_memory from, bool is_beside,
                        uint64_t bytes, int count)
{
    for (int i = 0; i < count; i++) {
        launch(trace, 2000, 100000);
        call(trace, MEMCPY, 1000);
        copy_at(trace, is_beside ? trace->gpu_ns - 90000 : trace->gpu_ns, 50000, bytes, from);
    }
}

static void make_exposed_copies(struct trace *trace)
{
    make_copies(trace, WL_TIMELINE_MEMORY_PINNED, false, 1 << 20, 20);
}

static void make_hidden_copies(struct trace *trace)
{
    make_copies(trace, WL_TIMELINE_MEMORY_PINNED, true, 1 << 20, 20);
}

static void make_pageable_copies(struct trace *trace)
{
    make_copies(trace, WL_TIMELINE_MEMORY_PAGEABLE, true, 1 << 20, 20);
}

static void make_small_copies(struct trace *trace)
{
    make_copies(trace, WL_TIMELINE_MEMORY_PINNED, true, 4096, 150);
}

/* The GPU waits for copy after copy. */
static void make_small_copies_alone(struct trace *trace)
{
    for (int i = 0; i < 150; i++) {
        call(trace, MEMCPY, 5000);
        copy_at(trace, trace->host_ns, 2000, 64, WL_TIMELINE_MEMORY_PAGEABLE);
    }
}

static void make_synchronous(struct trace *trace)
{
    for (int i = 0; i < 20; i++) {
        launch(trace, 2000, 50000);
        call(trace, SYNCHRONIZE, trace->gpu_ns - trace->host_ns + 5000);
    }
}

static void make_tiny(struct trace *trace)
{
    for (int i = 0; i < 200; i++)
        launch(trace, 5000, 2000);
}

/* As many again in a graph. */
static void make_tiny_beside_graph(struct trace *trace)
{
    make_tiny(trace);
    call(trace, LAUNCH, 5000);
    for (uint64_t node = 1; node <= 200; node++, trace->gpu_ns += 2000)
        put(trace, (struct wl_timeline_record){
                       .start = trace->gpu_ns,
                       .end = trace->gpu_ns + 2000,
                       .name = KERNEL_NAME,
                       .category = WL_TIMELINE_KERNEL,
                       .correlation = trace->correlation,
                       .words = {WL_TIMELINE_PACK_WHERE(0, 1, 13), 0, 0, 0, node}});
}

static void make_streams(struct trace *trace, uint64_t apart_ns)
{
    for (unsigned i = 0; i < 10; i++) {
        call(trace, LAUNCH, 1000);
        kernel_on(trace, KERNEL_NAME, 13 + i % 2, 20000 + i * apart_ns, 10000);
    }
}

static void make_serial_streams(struct trace *trace)
{
    make_streams(trace, 10000);
}

static void make_parallel_streams(struct trace *trace)
{
    make_streams(trace, 5000);
}

static void make_late_allocations(struct trace *trace)
{
    for (int i = 0; i < 10; i++) {
        launch(trace, 2000, 50000);
        call(trace, MALLOC, 20000);
    }
}

/* On a simulated GPU. */
static void make_managed(struct trace *trace)
{
    call(trace, MANAGED, 2000);
    launch(trace, 2000, 50000);
    trace->items[trace->count - 1].flags |= WL_TIMELINE_PREDICTED;
}

/* On a real one, whose moves are recorded. */
static void make_moved(struct trace *trace)
{
    call(trace, MANAGED, 2000);
    launch(trace, 2000, 50000);
}

static void make_slow_start(struct trace *trace)
{
    call(trace, FIRST, 80000000);
    make_busy(trace);
}

static void make_slower_start(struct trace *trace)
{
    call(trace, FIRST, 1000000000);
    make_slow_start(trace);
}

static void make_no_kernel(struct trace *trace)
{
    call(trace, FIRST, 1000);
    copy_at(trace, 0, 1000, 100, WL_TIMELINE_MEMORY_PINNED);
}

static void make_ranks(struct trace *trace, uint64_t second_ns)
{
    launch(trace, 2000, 100000);
    trace->second = trace->count;
    trace->host_ns = trace->gpu_ns = 0;
    launch(trace, 2000, second_ns);
}

static void make_uneven_ranks(struct trace *trace)
{
    make_ranks(trace, 300000);
}

static void make_even_ranks(struct trace *trace)
{
    make_ranks(trace, 110000);
}

/* Two ranks that launch a kernel each, compute for so long on the host, meet, and may launch again.
 */
static void make_work(struct trace *trace, uint64_t first_ns, uint64_t second_ns, bool is_again)
{
    const uint64_t works[] = {first_ns, second_ns};
    uint64_t meet_ns = (first_ns > second_ns ? first_ns : second_ns) + 112000;
    trace->has_ranks = true;
    for (int i = 0; i < 2; i++) {
        trace->second = i ? trace->count : 0;
        trace->host_ns = trace->gpu_ns = 0;
        launch(trace, 2000, 100000);
        trace->host_ns += works[i];
        put(trace, (struct wl_timeline_record){.start = trace->host_ns,
                                               .end = meet_ns,
                                               .name = REDUCE,
                                               .category = WL_TIMELINE_MPI,
                                               .words = {0, 0, (uint64_t)-1, (uint64_t)-1}});
        trace->host_ns = meet_ns;
        if (is_again)
            launch(trace, 2000, 100000);
    }
}

static void make_uneven_work(struct trace *trace)
{
    make_work(trace, 200000, 998000, false);
}

static void make_even_work(struct trace *trace)
{
    make_work(trace, 950000, 998000, false);
}

/* After they have met there is more for the GPUs: meanwhile those were idle. */
static void make_waiting(struct trace *trace)
{
    make_work(trace, 10000, 2000000, true);
}

/* Uneven, but no MPI has them meet. */
static void make_apart(struct trace *trace)
{
    make_uneven_ranks(trace);
    trace->has_ranks = true;
}

static void put_rank(const struct wl_sink *sink, int pid)
{
    sink->put_process(sink->self, &(struct wl_record_process){.pid = (uint64_t)pid,
                                                              .parent_pid = 1,
                                                              .host = "node1",
                                                              .executable = "/home/u/app",
                                                              .executable_hash = "abc",
                                                              .command_line = "./app 12",
                                                              .start_ns = 1000,
                                                              .version = "0.1.0",
                                                              .collector = "sim",
                                                              .rank = pid - 77,
                                                              .rank_count = 2});
}

static void write_process(const struct sample *sample, bool is_rank, int pid,
                          struct wl_timeline_record *items, size_t count)
{
    struct wl_stream_writer *writer;
    assert_int_equal(wl_stream_writer_open(sample->stream, &writer, NULL), WL_OK);
    const struct wl_sink *sink = wl_stream_writer_sink(writer);
    if (is_rank)
        put_rank(sink, pid);
    else
        sample_put_process(sink, (uint64_t)pid);
    sink->put_trace_names(sink->self, &(struct wl_record_trace_names){1, names, COUNT(names)});
    sink->put_trace(sink->self, &(struct wl_record_trace){items, count});
    sink->put_end(sink->self, 0, 9000);
    wl_stream_writer_close(writer);
}

/* What a rule says of the trace: how often, and its first title and what to do. */
static size_t advise(void (*make)(struct trace *trace), const char *rule, struct wl_text *said)
{
    static struct trace trace;
    struct sample sample;
    struct wl_report *report = NULL;
    struct wl_advice_list *list = NULL;
    struct wl_error error = {0};
    trace = (struct trace){0};
    make(&trace);
    sample_make(&sample);
    size_t first = trace.second ? trace.second : trace.count;
    write_process(&sample, trace.has_ranks, 77, trace.items, first);
    if (first < trace.count)
        write_process(&sample, trace.has_ranks, 78, trace.items + first, trace.count - first);
    struct wl_report_build build = sample_build(&sample);
    struct wl_record_attribute session = {.name = "command_line", .text = "./app 12"};
    build.session = &session;
    build.session_count = 1;
    if (wl_report_build(&build, &error) || wl_report_open(sample.report, &report, &error))
        fail_msg("%s", error.message);
    struct wl_advice_options options = {.rules = rule};
    if (wl_advise(report, catalog, rules, &options, &list, &error))
        fail_msg("%s", error.message);
    size_t count, skips;
    const struct wl_advice *findings = wl_advice_all(list, &count);
    const struct wl_advice_skip *skipped = wl_advice_skips(list, &skips);
    if (skips)
        fail_msg("%s: %s", skipped[0].rule->id, skipped[0].text);
    said->length = 0;
    wl_text_add(said, "");
    for (size_t i = 0; i < count; i++)
        wl_text_addf(said, "%s | %s\n", findings[i].title, findings[i].todo);
    wl_advice_free(list);
    wl_report_close(report);
    sample_remove(&sample);
    return count;
}

static const struct {
    const char *rule;
    void (*fires)(struct trace *trace);
    const char *says;
    void (*silent)(struct trace *trace);
} rows[] = {
    {"gpu-idle", make_idle, "the host computes or waits for other things", make_busy},
    {"gpu-idle", make_idle, "", make_small_copies_alone}, /* copies-small says so */
    {"copies-exposed", make_exposed_copies, "none of it beside kernels", make_hidden_copies},
    {"copies-pageable", make_pageable_copies, "20 of 20 copies are of pageable memory",
     make_hidden_copies},
    {"copies-small", make_small_copies, "150 of 150 copies are small: 4.1 kB each",
     make_hidden_copies},
    {"synchronize-often", make_synchronous, "20 calls wait for the whole device, for 20 kernels",
     make_busy},
    {"tiny-launches", make_tiny, "200 kernels of 2 us each: launching takes the host 5 us for each",
     make_busy},
    {"tiny-launches", make_tiny_beside_graph, "400 kernels of 2 us each, 200 of them not in graphs",
     make_busy},
    {"streams-serial", make_serial_streams,
     "kernels are on 2 streams, but none runs beside another", make_parallel_streams},
    {"allocations-late", make_late_allocations,
     "10 allocations and frees after the first work of the GPU take 200 us", make_busy},
    {"managed-memory", make_managed,
     "1 allocation of managed memory: what moving its pages takes is in no time here", make_moved},
    {"first-call", make_slower_start, "one call before the first launch takes 1 s", make_busy},
    {"first-call", make_slow_start, "one call before the first launch takes 80 ms", make_busy},
    {"rank-imbalance", make_uneven_ranks,
     "the busiest of 2 GPUs works for 300 us, one on average for 200 us, the idlest for 100 us",
     make_even_ranks},
    {"rank-work", make_uneven_work,
     "rank 1 on node1 works for 1 ms outside MPI, a rank on average for 601 us, rank 0 on node1 for "
     "202 us and waits: it is in MPI for 908 us",
     make_even_work},
    {"rank-work", make_uneven_work, "most of it is the host's", make_apart},
    {"gpu-idle", make_waiting,
     "of that the host is in MPI | first give the ranks as much work each", make_busy},
    {"profile-next", make_busy, "warplens profile -k step -c 1 ./app 12", make_no_kernel},
    {"profile-next", make_busy, "takes 100% of the time of all kernels", make_timeless},
};

static void each_fires_and_is_silent(void **state)
{
    (void)state;
    struct wl_text said = {0};
    for (size_t i = 0; i < COUNT(rows); i++) {
        if (advise(rows[i].fires, rows[i].rule, &said) == 0)
            fail_msg("%s does not fire", rows[i].rule);
        if (!strstr(said.data, rows[i].says))
            fail_msg("%s says: %s", rows[i].rule, said.data);
        if (advise(rows[i].silent, rows[i].rule, &said) != 0)
            fail_msg("%s is not silent: %s", rows[i].rule, said.data);
    }
    wl_text_free(&said);
}

static void every_rule_of_a_trace_is_tested(void **state)
{
    (void)state;
    size_t count;
    const struct wl_rule *all = wl_rules_all(rules, &count);
    for (size_t i = 0; i < count; i++) {
        size_t tested = 0;
        for (size_t row = 0; row < COUNT(rows); row++)
            tested += strcmp(rows[row].rule, all[i].id) == 0;
        if (all[i].is_of_trace && !tested)
            fail_msg("%s has no row", all[i].id);
    }
}

static int load(void **state)
{
    (void)state;
    return wl_metric_catalog_create(NULL, &catalog, NULL) ||
           wl_rules_load(catalog, NULL, &rules, NULL);
}

static int unload(void **state)
{
    (void)state;
    wl_rules_free(rules);
    wl_metric_catalog_free(catalog);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_fires_and_is_silent),
        cmocka_unit_test(every_rule_of_a_trace_is_tested),
    };
    return cmocka_run_group_tests_name("trace rules", tests, load, unload);
}
