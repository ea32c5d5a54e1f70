/* What CUPTI is given to call, and the thread that reads samples now and then. */
#ifndef WL_COLLECT_CUPTI_CALLBACKS_H
#define WL_COLLECT_CUPTI_CALLBACKS_H

#include "hardware/library.h"

/* Its own data is the collector. */
wl_cupti_callback *wl_cupti_callback_function(void);
/* Has samples read as long as the session is on. */
void wl_cupti_callbacks_gather(void *collector);

#endif
