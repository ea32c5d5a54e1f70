/* The callbacks given to CUPTI, and the thread that reads samples periodically. */
#ifndef WL_COLLECT_CUPTI_CALLBACKS_H
#define WL_COLLECT_CUPTI_CALLBACKS_H

#include "hardware/library.h"

/* Its user data is the collector. */
wl_cupti_callback *wl_cupti_callback_function(void);
/* Reads samples as long as the session lasts. */
void wl_cupti_callbacks_gather(void *collector);

#endif
