/* Instructions and constants as an SM comes to have them: a launch begins with caches that hold
 * neither. Internal to timing/. */
#ifndef WL_TIMING_FETCH_H
#define WL_TIMING_FETCH_H

#include "timing/code.h"
#include "timing/model.h"

struct fetch_line {
    uint64_t there;  /* cycle at which the SM has it */
    uint64_t number; /* of all lines that were fetched, from 1 on; 0: it never was */
};

/* Owns its lines. */
struct fetch {
    const struct timing_fetching *model;
    struct fetch_line *code; /* TIMING_CODE_LINE_BYTES each */
    uint64_t *constants; /* TIMING_CONSTANT_LINE_BYTES each: cycle at which it is there, 0: not */
    uint64_t count;      /* of code that were fetched */
    uint64_t constants_free; /* cycle from which the next line of constants may be fetched */
    bool has_constants;      /* a line of other constants than parameters has come */
};

void fetch_init(struct fetch *fetch, const struct timing_fetching *model,
                const struct timing_code *code);
void fetch_free(struct fetch *fetch);
/* Cycle from which a warp may issue what stands in that line of the code, which it comes to at
 * cycle `now`. */
uint64_t fetch_code(struct fetch *fetch, uint32_t line, uint64_t now);
/* The same of what reads that line of constants. */
uint64_t fetch_constant(struct fetch *fetch, uint32_t line, uint64_t now);

#endif
