/* Segments of operations that are compiled to machine code: what sim/native offers the executor.
 * Internal to sim. */
#ifndef WL_SIM_COMPILED_H
#define WL_SIM_COMPILED_H

#include "sim/state.h"

/* Has compiled what can be of a linked program's operations, where the host has AVX2 and memory may
 * be executed, once it has run often; for tests' engines, what loads nothing now. checks: of
 * wl_check_mode, that look at memory and lanes. Belongs to the program. */
void wl_native_install(struct wl_program *program, enum wl_sim_engine engine, uint32_t checks);
/* Takes it back: the operations are the executor's again. */
void wl_native_remove(struct wl_program *program);
void wl_native_begin_worker(struct wl_worker *worker);
/* Before the memo of a site changes: compiled segments that load there must look at it again. */
void wl_native_relearn(struct wl_worker *worker, uint32_t site);
/* Adds to the sites' repeats what compiled segments have counted. */
void wl_native_settle(struct wl_worker *worker);
void wl_native_end_worker(struct wl_worker *worker);

#endif
