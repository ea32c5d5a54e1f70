/* What a collector produces, whichever it is: the records that flow to the report.
 *
 * A collector calls the functions of a struct wl_sink; it owns everything it passes, and the sink
 * copies or writes what it needs before it returns. Order: process, device, then for each launch:
 * its module and kernel once (before the first launch of it), launch, and notes at any time. */
#ifndef WL_RECORD_RECORD_H
#define WL_RECORD_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/marks.h"
#include "timeline/record.h"

struct wl_record_process {
    uint64_t pid, parent_pid;
    const char *host, *executable, *executable_hash, *command_line; /* hash: SHA-256 hex or "" */
    uint64_t start_ns;                                              /* CLOCK_REALTIME */
    const char *version;                                            /* WL_VERSION_STRING */
    const char *collector;    /* a name of collectors.def, or the tool imported from */
    int64_t rank, rank_count; /* of a parallel program, as its launcher says; -1: not known */
};

/* A named number or text. text is NULL for numbers. */
struct wl_record_attribute {
    const char *name; /* "device__attribute_multiprocessor_count" or ncu's launch__... */
    const char *text;
    double number;
};

struct wl_record_device {
    uint32_t device_id;
    const char *model; /* "h200" */
    const char *name;  /* "NVIDIA H200" */
    uint32_t capability_major, capability_minor;
    const struct wl_record_attribute *attributes;
    size_t attribute_count;
};

/* A module: PTX text (or later machine code) that kernels point into. */
struct wl_record_module {
    uint64_t id;         /* unique within the process */
    const char *name;    /* source name from the fat binary, or "ptx" */
    const char *text;    /* the PTX; NUL-terminated */
    const char *options; /* recorded ptxas options or "" */
    uint32_t architecture;
    bool is_stand_in; /* ours, in place of a library kernel */
};

/* One instruction of a kernel as the views list it: a line of PTX. */
struct wl_record_instruction {
    uint32_t index;     /* position within the kernel, from 0 */
    uint32_t text_line; /* line in the module's text */
    const char *text;   /* "ld.global.f32 %f1, [%rd4]" */
    const char *opcode; /* "ld.global.f32" */
    const char *pipe;   /* "lsu", "fma", "alu", ... as in ncu's pipe names */
    const char *file;   /* source file or "" */
    uint32_t line, column;
    /* for inlined code the chain outwards: "file:line:column" of each caller, innermost first,
     * separated by '\n'; "" if not inlined. function: name of the inlined function or "" */
    const char *inlined_at;
    const char *function;
};

struct wl_record_kernel {
    uint64_t id; /* unique within the process */
    uint64_t module_id;
    const char *mangled, *demangled,
        *function; /* function: name without types, ncu's "function" base */
    const struct wl_record_instruction *instructions;
    size_t instruction_count;
    const struct wl_record_attribute *attributes; /* registers, shared, local, constant, max
                                                     threads, where registers came from */
    size_t attribute_count;
};

struct wl_record_value {
    const char *name; /* metric name, ncu's where it has one */
    double value;
    enum wl_mark mark;
};

struct wl_record_instruction_value {
    uint32_t instruction; /* index */
    uint32_t name;        /* index into launch->instruction_value_names */
    double value;
};

enum wl_launch_status {
    WL_LAUNCH_DONE,
    WL_LAUNCH_FAILED, /* refused or stopped; message says why, values may be partial */
};

struct wl_record_launch {
    uint64_t id; /* order of launches within the process, from 0 */
    uint64_t kernel_id;
    uint32_t device_id, context_id, stream_id;
    uint32_t grid[3], block[3];
    uint64_t shared_dynamic_bytes;
    uint64_t start_ns, simulated_for_ns; /* wall clock: when, and how long the simulation took */
    enum wl_launch_status status;
    const char *message; /* "" unless failed */
    const char *range;   /* NVTX push/pop ranges open at launch, outermost first, "a/b", or "" */
    const struct wl_record_value *values;
    size_t value_count;
    const struct wl_record_attribute *attributes; /* texts: occupancy limiter, cache control, ... */
    size_t attribute_count;
    const char *const *instruction_value_names;
    const uint8_t *instruction_value_marks; /* enum wl_mark of each name */
    size_t instruction_value_name_count;
    const struct wl_record_instruction_value
        *instruction_values; /* only values that are not zero */
    size_t instruction_value_count;
};

/* Times of launches that were put before, where they are known later: gpu__time_duration.sum. */
struct wl_record_time {
    uint64_t launch_id, duration_ns;
};
struct wl_record_times {
    const struct wl_record_time *items;
    size_t count;
};

/* Of a launch that was put before: how many like it are left out of the report,
 * launch__left_out.sum, and what those took in all, launch__left_out_time.sum; 0: not known. */
struct wl_record_left_out {
    uint64_t launch_id, launches, total_ns;
};

struct wl_record_note {
    enum wl_note_severity severity;
    const char *code; /* stable identifier: "newer-target", "skipped-launch", ... */
    const char *text, *hint;
    int64_t launch_id; /* -1: of the whole process */
};

/* Names of events, with the ids first_id and following. Before the first event that has one. */
struct wl_record_trace_names {
    uint32_t first_id;
    const char *const *names;
    size_t count;
};

/* Events on a timeline, in no order but that of each thread. Times are nanoseconds since 1970. */
struct wl_record_trace {
    const struct wl_timeline_record *records;
    size_t count;
};

/* How the recording of events went, as far as it is known by then; the last of a process holds. */
struct wl_record_trace_end {
    uint64_t records, dropped; /* dropped: a ring was full */
    uint64_t waited_ns;        /* how long threads stood because a ring was full */
    uint64_t ring_bytes;
    double record_ns;      /* what recording one call costs on this machine */
    int64_t clock_jump_ns; /* how far the system's clock was moved meanwhile */
    bool is_simulated;     /* times are those of the simulated GPU's clock */
};

/* Where records go. Every function may be NULL (then that record is dropped). None may fail
 * visibly: a sink that cannot go on remembers why and drops (the stream reports it at its end). */
struct wl_sink {
    void *self;
    void (*put_process)(void *self, const struct wl_record_process *record);
    void (*put_device)(void *self, const struct wl_record_device *record);
    void (*put_module)(void *self, const struct wl_record_module *record);
    void (*put_kernel)(void *self, const struct wl_record_kernel *record);
    void (*put_launch)(void *self, const struct wl_record_launch *record);
    /* Only of what writes a stream: who reads one finds them among the values of launches. */
    void (*put_times)(void *self, const struct wl_record_times *record);
    void (*put_left_out)(void *self, const struct wl_record_left_out *record); /* the same */
    void (*put_note)(void *self, const struct wl_record_note *record);
    /* exit_code -1: not known (yet). Last record of a process. */
    void (*put_end)(void *self, int exit_code, uint64_t end_ns);
    void (*put_trace_names)(void *self, const struct wl_record_trace_names *record);
    void (*put_trace)(void *self, const struct wl_record_trace *record);
    void (*put_trace_end)(void *self, const struct wl_record_trace_end *record);
};

#endif
