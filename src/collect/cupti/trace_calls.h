/* Which calls of CUDA a trace of a real GPU records, and of which it is notified while they are
 * made.
 */
#ifndef WL_COLLECT_CUPTI_TRACE_CALLS_H
#define WL_COLLECT_CUPTI_TRACE_CALLS_H

#include <stdbool.h>

#include "hardware/library.h"

/* Whether a call, by CUPTI's name for it, only asks for what is known: which device is current,
 * what a kernel is called, whether there was an error. Programs make such calls by the hundred
 * thousand; they neither wait for the GPU nor give it work. */
bool wl_cupti_call_is_query(const char *name);

/* Has CUPTI record the calls of a domain, but those: switched on one by one, as what is not
 * recorded then costs nothing. False: this CUPTI cannot. */
bool wl_cupti_calls_record(const struct wl_cupti *cupti, int domain);

/* Calls take() with each call of the domain for which is_wanted(name), until one is refused; false:
 * CUPTI tells no names. */
bool wl_cupti_call_each(const struct wl_cupti *cupti, int domain, bool (*is_wanted)(const char *),
                        bool (*take)(void *self, uint32_t call), void *self);

#endif
