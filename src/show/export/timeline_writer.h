/* For this room only: what the forms of traces have in common. */
#ifndef WL_SHOW_EXPORT_TIMELINE_WRITER_H
#define WL_SHOW_EXPORT_TIMELINE_WRITER_H

#include "report/keys.h"
#include "show/export/tracks.h"

struct wl_timeline_writer {
    FILE *out;
    struct wl_report *report;
    struct wl_tracks tracks;
    size_t told_tracks;   /* that the format has been given */
    struct wl_keys names; /* of events: ids from 1 */
    uint64_t first_ns;    /* when the first event starts */
    struct wl_text line;  /* for forms to build what they write */
    void *self;           /* of the form */
};

/* A form. Each function may be NULL. */
struct wl_timeline_form_functions {
    void (*begin)(struct wl_timeline_writer *writer);
    /* A row that events follow of. */
    void (*track)(struct wl_timeline_writer *writer, size_t track);
    /* An event begins: name is its number among names, new if the name was not used before. */
    void (*open)(struct wl_timeline_writer *writer, size_t track,
                 const struct wl_report_event *event, uint32_t name, bool is_new);
    void (*close)(struct wl_timeline_writer *writer, size_t track, uint64_t time_ns, uint32_t name);
    void (*end)(struct wl_timeline_writer *writer);
};
extern const struct wl_timeline_form_functions wl_timeline_chrome, wl_timeline_perfetto,
    wl_timeline_speedscope, wl_timeline_folded, wl_timeline_pprof;

/* Stacks with the time that the innermost took itself, for forms that are made of these. take gets
 * each once, "ROW;RANGE;CALL", in order, and what was collected is freed. */
void wl_timeline_stacks_begin(struct wl_timeline_writer *writer);
void wl_timeline_stacks_track(struct wl_timeline_writer *writer, size_t track);
void wl_timeline_stacks_open(struct wl_timeline_writer *writer, size_t track,
                             const struct wl_report_event *event, uint32_t name, bool is_new);
void wl_timeline_stacks_close(struct wl_timeline_writer *writer, size_t track, uint64_t time_ns,
                              uint32_t name);
void wl_timeline_stacks_take(struct wl_timeline_writer *writer,
                             void (*take)(void *self, const char *path, uint64_t own_ns),
                             void *taker);
/* What samples of the processor found in one place of one thread. */
struct wl_timeline_sample {
    const char *track;           /* "Thread 4711 on the processor" */
    const char *callers;         /* "main;solve", outermost first; "" */
    const char *function, *file; /* file: "" where line is not known */
    uint32_t line;
    uint64_t samples, sampled_ns;
};
/* Gives each to take, those of a thread one after another. Errors: WL_ERR_CORRUPT. */
enum wl_code wl_timeline_samples_take(struct wl_timeline_writer *writer,
                                      void (*take)(void *self,
                                                   const struct wl_timeline_sample *sample),
                                      void *self, struct wl_error *error);
/* pprof's profile of the lines of profiled launches. Errors: those of wl_source_build. */
enum wl_code wl_timeline_write_launches(struct wl_report *report, FILE *out,
                                        struct wl_error *error);

/* A text as a JSON string, with its quotes. */
void wl_timeline_add_json(const char *string, struct wl_text *out);
/* A fact of an event: a text, or where that is NULL a number. */
struct wl_timeline_fact {
    const char *name, *text;
    int64_t number;
};
/* Gives each fact that the words of an event hold to take: bytes 4096, grid "256,1,1". */
void wl_timeline_list_facts(const struct wl_report_event *event,
                            void (*take)(void *self, const struct wl_timeline_fact *fact),
                            void *self);
/* The call stack of an event, "main;solve;step"; NULL: none was recorded. */
const char *wl_timeline_stack(const struct wl_report_event *event);
/* The process's number in what is written: its pid, or a free one where a process of another host
 * has the same. */
uint64_t wl_timeline_pid(const struct wl_timeline_writer *writer, size_t process);
/* "rank 2 on host"; nothing where the report is of one process. */
void wl_timeline_add_origin(const struct wl_timeline_writer *writer, size_t process,
                            struct wl_text *out);
/* "app", or "app, rank 2 on host" where there are several processes. */
void wl_timeline_add_process(const struct wl_timeline_writer *writer, size_t process,
                             struct wl_text *out);
/* "Thread 4711", or "rank 2 on host, Thread 4711". */
void wl_timeline_add_track(const struct wl_timeline_writer *writer, const struct wl_track *track,
                           struct wl_text *out);
/* "nvtx", "cuda_runtime": the event's category as people group them. */
const char *wl_timeline_category_name(const struct wl_report_event *event);

#endif
