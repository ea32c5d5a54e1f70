/* Calls of CUDA that answer an error, as check-memory tells them. */
#ifndef WL_COLLECT_SIM_FAILURES_H
#define WL_COLLECT_SIM_FAILURES_H

#include "record/settings.h"

/* put is called with text for each failed call of the program that the choice makes an error, on
 * the thread of the call, for 10,000 calls at most; the text is the caller's. */
void wl_sim_failures_watch(enum wl_api_errors choice, void (*put)(const char *text));
/* How many more there were. */
uint64_t wl_sim_failures_left_out(void);

#endif
