/* What the operating system reports of this process. */
#ifndef WL_COLLECT_PROCESS_H
#define WL_COLLECT_PROCESS_H

#include "record/record.h"

struct wl_process_facts {
    char host[128];
    char *executable, *command_line;
    char executable_hash[65];
    struct wl_record_process record; /* points into the above */
};

/* collector must outlive the facts. Free with wl_process_facts_free. */
void wl_process_facts_read(const char *collector, struct wl_process_facts *facts);
void wl_process_facts_free(struct wl_process_facts *facts);

#endif
