/* What can be measured on this machine, and why the rest cannot: for `warplens doctor`. */
#ifndef WL_HARDWARE_CHECK_H
#define WL_HARDWARE_CHECK_H

#include <limits.h>

#include "hardware/driver.h"
#include "hardware/library.h"

/* Things that are tried, each in a context on the GPU. */
enum wl_cupti_ability {
    WL_CUPTI_CAN_ATTACH, /* observe launches */
    WL_CUPTI_CAN_TIME,   /* kernel records */
    WL_CUPTI_CAN_COUNT,  /* range profiler */
    WL_CUPTI_CAN_SAMPLE, /* PC sampling */
    WL_CUPTI_CAN_PATCH,  /* counts per instruction */
    WL_CUPTI_ABILITY_COUNT,
};

struct wl_cupti_checked {
    char path[PATH_MAX]; /* in: which CUPTI */
    int device;          /* in: number of the GPU */
    uint32_t version;
    char chip[32];
    char holder[64]; /* who else is attached, or "" */
    bool is_tried;   /* false: see trouble */
    char trouble[256];
    int results[WL_CUPTI_ABILITY_COUNT]; /* of CUPTI; 0: works */
};

/* Tries everything, in a child process. Never fails: what cannot be tried has a result. */
void wl_cupti_check(struct wl_cupti_checked *checked);

/* What the system says about who may count. root: "" but in tests. */
struct wl_machine_facts {
    bool is_root, can_admin; /* the user; capability CAP_SYS_ADMIN */
    bool is_container;       /* of docker, podman, kubernetes */
    bool is_driver_known;    /* there is /proc/driver/nvidia */
    bool is_admin_only;      /* RmProfilingAdminOnly: 1 */
    bool has_dcgm;           /* a host engine of DCGM runs */
    bool is_wsl;
};
void wl_machine_read(const char *root, struct wl_machine_facts *facts);

/* The one thing to do about a result on this machine, or "" where nothing can be done. Static. */
const char *wl_machine_advise(const struct wl_machine_facts *facts, int result);

#endif
