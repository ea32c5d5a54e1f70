/* What the user may switch on or off, and what happens by itself otherwise. */
#ifndef WL_BASE_OVERRIDE_H
#define WL_BASE_OVERRIDE_H

/* Words for it begin with what happens otherwise: "auto|on|off", "compiled|on|off". */
enum wl_override { WL_OVERRIDE_NONE, WL_OVERRIDE_ON, WL_OVERRIDE_OFF };

#endif
