/* The numbers that CUPTI gives calls of the runtime API, which is all that nvprof writes of them.
 */
#ifndef WL_IMPORT_CUPTI_CALLS_H
#define WL_IMPORT_CUPTI_CALLS_H

#include <stddef.h>
#include <stdint.h>

/* The name of a call that programs make often; NULL: another. */
const char *wl_cupti_call(int64_t number);

#endif
