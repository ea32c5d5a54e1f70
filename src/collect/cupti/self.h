/* The collector itself: its parts, and what it has seen of the program. */
#ifndef WL_COLLECT_CUPTI_SELF_H
#define WL_COLLECT_CUPTI_SELF_H

#include "collect/cupti/replay/replay.h"

struct wl_cupti_collector {
    struct wl_replayer replay;
    bool is_abandoned;
    bool has_filter;                         /* launches must be told to it one by one */
    bool has_peer_graphs;                    /* kernels that wait for other GPUs are in some */
    int captures;                            /* of streams into graphs, under way */
    struct wl_collect_group *_Atomic passed; /* the group of the last launch that was left out */
};

#endif
