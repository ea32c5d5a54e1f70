/* Facts that no counter holds and every collector gives alike: of the GPU, and of a launch what
 * follows from the kernel and how it was launched. */
#ifndef WL_RECORD_FACTS_H
#define WL_RECORD_FACTS_H

#include "base/memory.h"
#include "gpu/gpu.h"
#include "record/record.h"

struct wl_attribute_list {
    WL_VECTOR_FIELDS(struct wl_record_attribute);
};
struct wl_value_list {
    WL_VECTOR_FIELDS(struct wl_record_value);
};

/* Names and texts stay the caller's. */
void wl_facts_add_number(struct wl_attribute_list *list, const char *name, double number);
void wl_facts_add_text(struct wl_attribute_list *list, const char *name, const char *text);

/* Adds to the list. Names and texts are static or belong to what was given. */
void wl_facts_of_gpu(const struct wl_gpu *gpu, struct wl_attribute_list *list);

/* Puts the record of a device. more: attributes beside those of the GPU, or NULL. */
void wl_facts_put_device(const struct wl_sink *sink, uint32_t device, const struct wl_gpu *gpu,
                         const struct wl_attribute_list *more);

/* What a launch and its kernel are. */
struct wl_launch_facts {
    uint32_t grid[3], block[3];
    uint32_t shared_dynamic_bytes;
    bool has_kernel;              /* what follows is known */
    const char *registers_source; /* "cubin", "ptxas", "liveness", "driver" */
    uint32_t registers_per_thread, shared_static_bytes, local_bytes;
};
/* Adds which functions led to a launch, outermost first: "main;solve;step". NULL: nothing. */
void wl_facts_add_stack(const char *stack, struct wl_attribute_list *list);
/* Adds the numbers of a launch. occupancy is NULL where it is not known. */
void wl_facts_add_values(const struct wl_launch_facts *launch, const struct wl_gpu *gpu,
                         const struct wl_occupancy *occupancy, struct wl_value_list *list);

#endif
