/* Answers for what is not there: the name once on stderr, and cudaErrorNotSupported. Arguments are
 * not looked at, so one signature serves all. */
#include "api/cudart/runtime.h"

#define U(name)                                         \
    int name(void);                                     \
    int name(void)                                      \
    {                                                   \
        return wl_cudart_done(wl_device_refuse(#name)); \
    }
#include "api/cudart/unsupported.def"
#undef U
