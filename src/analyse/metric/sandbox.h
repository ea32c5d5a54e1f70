/* Lua 5.4 without io, os, load, require, debug or coroutines: what runs in it can compute and
 * nothing else. Limited in instructions and memory; the same text gives the same result every time.
 */
#ifndef WL_ANALYSE_METRIC_SANDBOX_H
#define WL_ANALYSE_METRIC_SANDBOX_H

#include <lua.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/embedded.h"
#include "base/error.h"

struct wl_sandbox;

struct wl_sandbox_limits {
    uint64_t instructions;  /* of one call, counted in steps of 100 */
    uint32_t cpu_ms;        /* of one call; 0: any. It may take twice that; then all is stopped */
    size_t live_bytes;      /* held at any time by all of the sandbox */
    size_t allocated_bytes; /* asked for during one call, even if given back */
    /* what runs is in a process of its own whose time is limited: then patterns, string.rep and
     * table.sort are there too, whose time no instruction count bounds */
    bool is_contained;
};
extern const struct wl_sandbox_limits wl_sandbox_default_limits;

/* limits NULL: the default ones. */
struct wl_sandbox *wl_sandbox_create(const struct wl_sandbox_limits *limits);
void wl_sandbox_free(struct wl_sandbox *sandbox);

/* The interpreter, to push arguments and read results. Limits hold only within calls. */
lua_State *wl_sandbox_state(struct wl_sandbox *sandbox);

/* Runs text as a chunk and leaves its one result on the stack. name is shown in messages
 * ("NAME:3: ..."). Precompiled chunks are refused. Errors: WL_ERR_CORRUPT; the stack is as before.
 */
enum wl_code wl_sandbox_run(struct wl_sandbox *sandbox, const char *name, const char *text,
                            size_t length, struct wl_error *error);

/* The same for a file of the program itself: as it was compiled while the program was built, where
 * this Lua is the one that did it, else its text. What was compiled is trusted. */
enum wl_code wl_sandbox_run_embedded(struct wl_sandbox *sandbox,
                                     const struct wl_embedded_file *file, struct wl_error *error);

/* lua_pcall within the limits, which every call has for itself. On an error the error object is on
 * the stack, as with lua_pcall. */
int wl_sandbox_call(struct wl_sandbox *sandbox, int argument_count, int result_count);

#endif
