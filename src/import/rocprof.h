/* What rocprofv3's tables and its JSON have in common. */
#ifndef WL_IMPORT_ROCPROF_H
#define WL_IMPORT_ROCPROF_H

#include "import/target.h"

/* The name of a copy by its direction, "MEMORY_COPY_HOST_TO_DEVICE", whose kind goes into record.
 */
const char *wl_import_rocprof_copy(const char *direction, struct wl_timeline_record *record);
/* Says of which GPU the times are. */
void wl_import_rocprof_note(struct wl_import_target *target);

#endif
