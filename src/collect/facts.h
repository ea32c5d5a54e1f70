/* Facts that no counter holds: of the GPU, a kernel, a launch. */
#ifndef WL_COLLECT_FACTS_H
#define WL_COLLECT_FACTS_H

#include "device/core/observer.h"
#include "record/record.h"
#include "record/settings.h"

struct wl_attribute_list {
    struct wl_record_attribute *items;
    size_t count, capacity;
};
struct wl_value_list {
    struct wl_record_value *items;
    size_t count, capacity;
};

/* Each adds to the list. Names and texts are static or belong to what was given. */
void wl_facts_of_gpu(const struct wl_gpu *gpu, struct wl_attribute_list *list);
void wl_facts_of_kernel(const struct wl_device_kernel_info *kernel, struct wl_attribute_list *list);
/* The texts of a launch. occupancy may be NULL. */
void wl_facts_of_launch(const struct wl_device_launch *launch, const struct wl_settings *settings,
                        const struct wl_occupancy *occupancy, struct wl_attribute_list *list);
/* The numbers of a launch. occupancy is NULL where the launch was not simulated. */
void wl_facts_add_values(const struct wl_device_launch *launch, const struct wl_gpu *gpu,
                         const struct wl_occupancy *occupancy, struct wl_value_list *list);

#endif
