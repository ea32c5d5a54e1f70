/* A launch with the metrics that another tool gave it. */
#ifndef WL_IMPORT_LAUNCH_H
#define WL_IMPORT_LAUNCH_H

#include "base/memory.h"
#include "import/target.h"

struct wl_import_launch {
    char *kernel, *function, *mangled; /* kernel: demangled; the others may be NULL */
    uint32_t grid[3], block[3], device_id, context_id, stream_id;
    uint32_t capability_major, capability_minor;
    WL_VECTOR(struct wl_record_value) values;             /* names are owned */
    WL_VECTOR(struct wl_record_attribute) attributes;     /* names and texts are owned */
    WL_VECTOR(struct wl_record_instruction) instructions; /* texts are owned */
    const char *const *instruction_names;                 /* of its values */
    size_t instruction_name_count;
    WL_VECTOR(struct wl_record_instruction_value) instruction_values;
};

/* Facts of a launch or device (launch__, device__attribute_) become its attributes, all else a
 * value. */
void wl_import_launch_number(struct wl_import_launch *launch, const char *name, double value,
                             enum wl_mark mark);
void wl_import_launch_text(struct wl_import_launch *launch, const char *name, const char *text);
/* Puts its kernel, its device and itself, and empties it. */
void wl_import_launch_put(struct wl_import_target *target, struct wl_import_launch *launch);
void wl_import_launch_free(struct wl_import_launch *launch);
/* Frees the model that the target keeps for its launches. */
void wl_import_forget_model(struct wl_import_target *target);
/* A value in nanoseconds, bytes, ... of one in a unit as ncu prints it: "us", "Kbyte". */
double wl_import_base_unit(const char *unit, double value);

#endif
