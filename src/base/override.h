/* A setting that the user may force on or off, with an automatic default. */
#ifndef WL_BASE_OVERRIDE_H
#define WL_BASE_OVERRIDE_H

/* Its words begin with the default: "auto|on|off", "compiled|on|off". */
enum wl_override { WL_OVERRIDE_NONE, WL_OVERRIDE_ON, WL_OVERRIDE_OFF };

#endif
