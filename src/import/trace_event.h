/* An event as traces for people have it, whatever their form: a name, a category, and facts. */
#ifndef WL_IMPORT_TRACE_EVENT_H
#define WL_IMPORT_TRACE_EVENT_H

#include <jansson.h>

#include "import/target.h"

struct wl_import_trace_event {
    const char *name, *category; /* category: PyTorch's or ours; of another the event is a range */
    const json_t *args;          /* PyTorch's or ours; NULL: none */
    uint64_t start_ns, end_ns;
    uint32_t thread;
    bool is_mark, is_predicted; /* is_mark: a moment, not a range */
};

/* Puts it, as one of the process at hand. */
void wl_import_trace_event(struct wl_import_target *target,
                           const struct wl_import_trace_event *event);
/* Whether events of the category stand on rows of a GPU. */
bool wl_import_category_is_of_gpu(const char *category);
/* The text of a member; "" where there is none. */
const char *wl_import_json_text(const json_t *object, const char *key);
/* A number, also as text: "stream": "7". */
double wl_import_json_number(const json_t *value);

#endif
