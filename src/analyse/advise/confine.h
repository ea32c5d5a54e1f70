/* For this room only: what the process of the rules may still ask of the system. */
#ifndef WL_ANALYSE_ADVISE_CONFINE_H
#define WL_ANALYSE_ADVISE_CONFINE_H

#include <stdbool.h>

/* From here on this process can compute, get memory, read and write the files it has open, set its
 * timer and end; any other system call ends it with SIGSYS. For good. False: this kernel, or this
 * build, has no such filter, and nothing changed. */
bool wl_confine_process(void);

#endif
