/* Which operator and module of PyTorch led to a launch, and which line of Python: what stood open,
 * on the thread that called, when it called. A launch of a backward pass comes from a thread of C++
 * that runs no Python; the operator that it is the derivative of has the same sequence number, and
 * its module and line are taken. */
#ifndef WL_REPORT_LAUNCH_ORIGINS_H
#define WL_REPORT_LAUNCH_ORIGINS_H

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

/* Of ranges that name a module: what stands before. */
#define WL_MODULE_PREFIX "nn.Module: "

/* Ids of names; 0: none. */
struct wl_launch_origin {
    int64_t process;
    int64_t correlation;   /* of the call */
    int64_t operator_name; /* the innermost */
    int64_t backward_name; /* the node of the backward pass that it is in */
    int64_t
        module_name; /* the innermost, prefix and all; of the forward operator in backward passes */
    int64_t stack_name; /* of that forward operator */
};

struct wl_launch_origins;

/* Reads the events of the report's database; NULL where there is no memory or the report is
 * damaged. */
struct wl_launch_origins *wl_launch_origins_read(sqlite3 *database);
/* NULL: nothing is known of such a call. */
const struct wl_launch_origin *wl_launch_origins_find(const struct wl_launch_origins *origins,
                                                      int64_t process, int64_t correlation);
void wl_launch_origins_free(struct wl_launch_origins *origins);

#endif
