/* Which launch each watched process is in, kept where it outlives any end of the process: the file
 * FOLDER/WL_RUNNING_FILE, made by the process that starts the program, has a slot for each of its
 * processes, which write into it as shared memory. Marking a launch is some stores and no system
 * call. */
#ifndef WL_RECORD_STREAM_RUNNING_H
#define WL_RECORD_STREAM_RUNNING_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define WL_RUNNING_FILE "running"

/* ---- who starts the program ---- */

/* Makes the file, with its place on the disk. False: it cannot be had, and nothing will be known.
 */
bool wl_running_create(const char *folder);

struct wl_running {
    bool is_active;      /* a launch had begun and not ended */
    uint64_t launch;     /* the last one's number in its process, from 0 in order of launch */
    char *kernel;        /* its kernel, demangled */
    char *where;         /* where its warps were when that was last said, or "" */
    uint64_t unrecorded; /* launches of which the process could not write records */
    char *trouble;       /* why, or "" */
};

/* The process's slot; pid 0: the first in which a launch is active, else one with trouble. False if
 * there is none. The process must have ended. Free with wl_running_free. */
bool wl_running_read(const char *folder, pid_t pid, struct wl_running *running);
void wl_running_free(struct wl_running *running);

/* ---- a watched process ---- */

/* These never fail visibly, keep errno, take no lock and allocate nothing. Launches come one at a
 * time. */

/* Maps the file; the process takes a slot with its first launch or trouble. */
void wl_running_open(const char *folder);
void wl_running_begin(uint64_t launch, const char *mangled);
/* Where the warps of the launch are. */
void wl_running_where(const char *text);
void wl_running_end(void);
/* The launch that has begun, or else something the program did, is not recorded; NULL: for the same
 * reason as what was before. */
void wl_running_trouble(const char *why);
/* In the child after fork: the slot is the parent's. */
void wl_running_after_fork(void);
/* The process ends by exit: a slot that tells nothing is free again. */
void wl_running_close(void);

#endif
