/* Launches of graphs, which are counted as a whole. */
#ifndef WL_COLLECT_CUPTI_REPLAY_GRAPH_H
#define WL_COLLECT_CUPTI_REPLAY_GRAPH_H

#include "collect/cupti/replay/replay.h"

/* Before one; false: it is not counted. */
bool wl_replay_graph_begin(struct wl_replayer *replay, struct wl_collect_context *context,
                           const void *handle);
/* After one, counted or not. */
void wl_replay_graph_end(struct wl_replayer *replay, struct wl_collect_context *context,
                         bool is_refused);
/* Whether it was noted how graphs are counted, or why they are not: from now on it is. */
bool wl_replay_graphs_are_noted(struct wl_replayer *replay);
/* The program frees a graph; NULL: the program ends. It is sent with what was counted. */
void wl_replay_graph_forget(struct wl_replayer *replay, const void *handle);
void wl_replay_graphs_free(struct wl_replayer *replay);

#endif
