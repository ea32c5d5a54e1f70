/* Lowers one PTX kernel to warp operations. The semantics of PTX instructions are defined here
 * only: one row per instruction in ptx/lower/instructions.def. */
#ifndef WL_PTX_LOWER_LOWER_H
#define WL_PTX_LOWER_LOWER_H

#include "ptx/parse/ptx.h"
#include "warp/program.h"

struct wl_ptx_lower_input {
    const struct wl_ptx_module *module;
    const struct wl_ptx_function *function; /* an entry with a body */
    /* Address of a module-scope variable (.global, .const) or function; 0 if unknown. Shared and
     * local variables are laid out by the lowering. */
    uint64_t (*resolve)(void *self, const char *symbol);
    /* The handle of the texture object that a texture reference of the module stands for; 0 if
     * there is none. May be NULL. */
    uint64_t (*reference)(void *self, const char *symbol);
    /* A function that this module only declares, in the modules linked with it (-rdc); NULL, or may
     * return NULL. */
    const struct wl_ptx_function *(*find_function)(void *self, const char *name,
                                                   const struct wl_ptx_module **module);
    /* The modules linked with this one, itself included, by number; NULL behind the last. May be
     * NULL. */
    const struct wl_ptx_module *(*linked_module)(void *self, size_t index);
    void *self;
    uint32_t capability; /* of the model GPU: 90 */
    /* Padding after each shared array, so that an access past its end is detected. */
    uint32_t shared_gap_bytes;
    bool
        keeps_masks; /* keeps masks of shuffles and bar.warp.sync in registers, for WL_CHECK_SYNC */
    uint32_t registers_per_thread; /* as allocated by a compiler, 0: unknown */
};

/* Errors: WL_ERR_UNSUPPORTED (an instruction, by name, with kernel, file and line),
 * WL_ERR_INPUT (malformed), WL_ERR_CORRUPT (the text of a body cannot be read; told as by
 * wl_ptx_function_read). The program keeps no pointer into the module. Free with
 * wl_program_free. */
enum wl_code wl_ptx_lower(const struct wl_ptx_lower_input *input, struct wl_program **program,
                          struct wl_error *error);

#endif
