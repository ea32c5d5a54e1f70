/* The names of a trace: each text once, ids from 1 without gaps. */
#ifndef WL_TIMELINE_NAMES_H
#define WL_TIMELINE_NAMES_H

#include <stddef.h>
#include <stdint.h>

/* How many ids there are. */
uint32_t wl_timeline_name_count(void);
/* The text of id, which must be there. For ever. */
const char *wl_timeline_name_text(uint32_t id);
/* In the child of a fork that may have happened while a name was added. */
void wl_timeline_names_unlock(void);

#endif
