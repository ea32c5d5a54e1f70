/* Facts that only the simulated GPU gives, of a kernel and a launch. Each adds to the list; names
 * and texts are static or belong to what was given. */
#ifndef WL_COLLECT_SIM_FACTS_H
#define WL_COLLECT_SIM_FACTS_H

#include "device/core/observer.h"
#include "record/facts.h"
#include "record/settings.h"

void wl_sim_facts_of_kernel(const struct wl_device_kernel_info *kernel,
                            struct wl_attribute_list *list);
/* occupancy may be NULL. */
void wl_sim_facts_of_launch(const struct wl_device_launch *launch,
                            const struct wl_settings *settings,
                            const struct wl_occupancy *occupancy, struct wl_attribute_list *list);
/* What every collector records of a launch. */
struct wl_launch_facts wl_sim_launch_facts(const struct wl_device_launch *launch);

#endif
