/* The ranges that a program opens with NVTX v3. Its library looks for InitializeInjectionNvtx2 in
 * the file that NVTX_INJECTION64_PATH names, and lets that fill in its functions; nvtx.c declares
 * what it needs of this interface itself. Push/pop ranges of every thread are kept; they, other
 * ranges and marks are also events of a trace, where one wants them. */
#ifndef WL_COLLECT_NVTX_H
#define WL_COLLECT_NVTX_H

#include <stdbool.h>
#include <stddef.h>

/* Until this is called with true, NVTX gets no callbacks. */
void wl_nvtx_set_wanted(bool is_wanted);

/* The open ranges of the calling thread, outermost first: "name", "domain@name", or "@name" where
 * a name in the default domain has an '@'. Valid until the thread opens or closes one. */
size_t wl_nvtx_open_ranges(const char *const **ranges);

/* Has listener called when a push/pop range begins and when it ends, with its name as above. */
void wl_nvtx_set_listener(void (*listener)(const char *name, bool is_begin));

/* Which domains have their ranges and marks recorded: those of the first list (all where it is
 * empty) without those of the second; "a,default". Both must outlive the recording. */
void wl_nvtx_choose_domains(const char *included, const char *excluded);

#endif
