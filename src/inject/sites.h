/* Where in the program's source code is, as names of the trace. What is asked once is kept. */
#ifndef WL_INJECT_SITES_H
#define WL_INJECT_SITES_H

#include <stdbool.h>
#include <stdint.h>

/* All 0: not known. */
struct wl_code_site {
    uint32_t file, function, line;
};

/* Where a call goes back to; the site is that of the call. The first time takes milliseconds, in
 * which the clock of the trace stands (wl_code_sites_set_hold). False: the address is none of the
 * program but of a runtime library, or there are too many to keep. */
bool wl_code_site_find(const void *address, struct wl_code_site *site);

/* hold(true) stops the clock of the trace until hold(false); NULL: nothing does. */
void wl_code_sites_set_hold(void (*hold)(bool is_held));

#endif
