/* The events of a trace in the forms of other tools. */
#ifndef WL_SHOW_EXPORT_TIMELINE_H
#define WL_SHOW_EXPORT_TIMELINE_H

#include <stdio.h>

#include "report/events.h"

enum wl_timeline_form {
    WL_TIMELINE_FORM_CHROME,     /* Trace Event Format, for chrome://tracing and Perfetto */
    WL_TIMELINE_FORM_PERFETTO,   /* Perfetto's protobuf */
    WL_TIMELINE_FORM_SPEEDSCOPE, /* speedscope.app */
    WL_TIMELINE_FORM_FOLDED,     /* a stack and its nanoseconds a line, for flame graphs */
    WL_TIMELINE_FORM_PPROF,      /* pprof's profile, packed; of launches too, by source line */
    WL_TIMELINE_FORM_NSYS,       /* the main tables of `nsys export --type sqlite` */
    WL_TIMELINE_FORM_COUNT,
};

/* Writes the trace of the report to path, which is replaced only when all went well. Errors:
 * WL_ERR_NOTHING where the report holds no trace; WL_ERR_OUTPUT. */
enum wl_code wl_export_trace(struct wl_report *report, enum wl_timeline_form form, const char *path,
                             struct wl_error *error);

#endif
