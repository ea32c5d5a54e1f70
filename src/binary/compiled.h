/* What ptxas says of kernels that it compiles from a program's PTX (`ptxas -v`): read from its
 * output, and carried to the watched program in a file of lines:
 *
 *     kernel PTX-HASH ARCHITECTURE REGISTERS SPILL-STORE-BYTES SPILL-LOAD-BYTES NAME
 *     note TEXT
 */
#ifndef WL_BINARY_COMPILED_H
#define WL_BINARY_COMPILED_H

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

struct wl_compiled_kernel {
    char ptx_hash[65]; /* SHA-256 of the PTX text, hex: names are unique within one text only */
    char *name;
    char *source;                                            /* "ptxas for sm_90" */
    uint32_t architecture;                                   /* that it was compiled for */
    uint32_t registers, spill_store_bytes, spill_load_bytes; /* per thread */
};

/* Zero-initialise it; free it with wl_compiled_free. */
struct wl_compiled {
    WL_VECTOR_FIELDS(struct wl_compiled_kernel);
    struct wl_text notes; /* why there is nothing of some PTX, one a line */
};

/* Appends the kernels that the output of `ptxas -v` tells of. Anything else in it is skipped. */
void wl_compiled_read_output(const char *output, const char *ptx_hash, uint32_t architecture,
                             struct wl_compiled *compiled);

void wl_compiled_print(const struct wl_compiled *compiled, struct wl_text *out);
/* Appends what was printed. Errors: WL_ERR_CORRUPT with the line. */
enum wl_code wl_compiled_parse(const char *text, struct wl_compiled *compiled,
                               struct wl_error *error);
void wl_compiled_free(struct wl_compiled *compiled);

/* NULL if it is not there; compiled may be NULL. */
const struct wl_compiled_kernel *wl_compiled_find(const struct wl_compiled *compiled,
                                                  const char *ptx_hash, const char *name);

#endif
