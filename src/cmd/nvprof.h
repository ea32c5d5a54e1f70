/* The options of the verb nvprof. */
#ifndef WL_CMD_NVPROF_H
#define WL_CMD_NVPROF_H

#include "base/options.h"

extern const struct wl_option_table wl_nvprof_tables[];

#endif
