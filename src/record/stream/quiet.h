/* Writing that cannot end the program: a file size limit (ulimit -f) raises SIGXFSZ, which shall
 * cost us records, not the program its life. */
#ifndef WL_RECORD_STREAM_QUIET_H
#define WL_RECORD_STREAM_QUIET_H

#include <stddef.h>

/* write(2) until all is written. Returns 0 or the errno that stopped it; *done counts the bytes
 * that went out. errno itself may change. */
int wl_quiet_write(int descriptor, const void *bytes, size_t length, size_t *done);

#endif
