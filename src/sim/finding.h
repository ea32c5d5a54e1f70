/* Errors of a kernel that the GPU would run on with, and their texts. */
#ifndef WL_SIM_FINDING_H
#define WL_SIM_FINDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"
#include "base/text.h"
#include "warp/op.h"
#include "warp/program.h"

#define WL_FINDINGS_MAX 64 /* of one launch: each an instruction and a kind */

enum wl_finding_kind {
    WL_FINDING_GLOBAL_BOUNDS,    /* in no allocation, in a page that the GPU has mapped */
    WL_FINDING_SHARED_BOUNDS,    /* in no shared array, within the block's shared memory */
    WL_FINDING_LOCAL_BOUNDS,     /* beyond the kernel's local variables, within the stack */
    WL_FINDING_RACE_AFTER_WRITE, /* shared memory: a write, then a write */
    WL_FINDING_RACE_READ,        /* a write, then a read */
    WL_FINDING_RACE_AFTER_READ,  /* a read, then a write */
    WL_FINDING_RACE_LANES,       /* lanes of one instruction write different values */
    WL_FINDING_RACE_WARP,   /* lanes of a warp, with nothing between that brings them together */
    WL_FINDING_RACE_COPY,   /* with an asynchronous copy that was not awaited */
    WL_FINDING_RACE_BLOCKS, /* of different blocks, in global memory */
    WL_FINDING_RACE_LIMIT,  /* more global memory is used than is looked at */
    WL_FINDING_UNWRITTEN,   /* a read of what nobody wrote */
    WL_FINDING_BARRIER_DIVERGED, /* lanes of a warp at a barrier, others elsewhere */
    WL_FINDING_BARRIER_EXITED,   /* lanes of a warp at a barrier, others have ended */
    WL_FINDING_BARRIER_ABSENT,   /* the same, and the others will end without it */
    WL_FINDING_BARRIER_COUNT,    /* a count of threads that cannot be */
    WL_FINDING_BARRIER_SHORT,    /* of some of a block's threads, of which too many have ended */
    WL_FINDING_BARRIER_LONELY,   /* threads arrive and do not wait, and nobody else waits */
    WL_FINDING_OBJECT_COUNT,     /* more threads arrive than a barrier object waits for */
    WL_FINDING_MASK_CALLER,      /* a mask of lanes without the one that uses it */
    WL_FINDING_MASK_ABSENT,      /* a mask that names lanes that do not come */
    WL_FINDING_SHUFFLE_ABSENT,   /* a value of a lane that does not take part */
    WL_FINDING_KIND_COUNT
};

/* The allocation that an address missed. */
struct wl_finding_place {
    enum { WL_PLACE_NONE, WL_PLACE_BEFORE, WL_PLACE_AFTER, WL_PLACE_ACROSS, WL_PLACE_FREED } where;
    uint64_t start, size_bytes, distance_bytes;
    bool is_in_heap;      /* made by malloc in a kernel */
    const char *variable; /* of the program's modules that stands there; the caller's; or NULL */
    const struct wl_shared_array *array; /* of the program; NULL: global memory */
};

struct wl_finding {
    enum wl_finding_kind kind;
    uint32_t instruction;
    enum wl_site_space space;
    enum wl_site_access access;
    uint64_t address; /* an offset in shared and local memory */
    uint32_t bytes;
    uint32_t block[3], thread[3];
    struct wl_finding_place place;
    uint32_t other_instruction, other_thread[3]; /* of a race: who came first */
    uint32_t other_block[3];                     /* of RACE_BLOCKS */
    bool is_after_read;                          /* of a race: the first was a read */
    bool is_constant;                            /* of GLOBAL_BOUNDS: a read of constants */
    uint32_t number, wanted; /* of a barrier: which, and the count; of a mask: it, and which lanes;
                                of a barrier object: how many arrive, and its count */
    uint64_t count;          /* threads and times */
};

struct wl_findings {
    WL_VECTOR_FIELDS(struct wl_finding);
    uint64_t errors_left_out,
        warnings_left_out; /* times that more than WL_FINDINGS_MAX were found */
};

struct wl_finding_row {
    const char *code; /* "out-of-bounds" */
    const char *tool; /* "memcheck" */
    const char *hint;
    bool is_error; /* else a warning */
};
extern const struct wl_finding_row wl_finding_rows[WL_FINDING_KIND_COUNT];

/* One more of them, counted with the first of its kind and instruction; beyond WL_FINDINGS_MAX
 * kinds and instructions they are counted alone. */
void wl_findings_add(struct wl_findings *findings, const struct wl_finding *finding);
/* The one of that kind and instruction; NULL: there is none, or it is beyond WL_FINDINGS_MAX. Valid
 * until another is added. */
struct wl_finding *wl_findings_find(const struct wl_findings *findings, enum wl_finding_kind kind,
                                    uint32_t instruction);
void wl_findings_free(struct wl_findings *findings);

/* "Invalid __global__ write of size 4 bytes; at KERNEL in FILE:LINE; by thread ...": parts with
 * "; " between. */
void wl_finding_print(const struct wl_program *program, const struct wl_finding *finding,
                      struct wl_text *out);
/* "at KERNEL in FILE:LINE, OPCODE" */
void wl_finding_print_instruction(const struct wl_program *program, uint32_t instruction,
                                  struct wl_text *out);
/* "FILE:LINE" of an instruction that has a file; of a function of the toolkit that was inlined, the
 * line of the program that called it. */
void wl_finding_print_source(const struct wl_program_instruction *instruction, struct wl_text *out);
/* Whether a file of source, by its path, is one of the CUDA toolkit's. */
bool wl_finding_is_toolkit(const char *path, size_t length);
/* "1,024 bytes" */
void wl_finding_print_bytes(uint64_t bytes, struct wl_text *out);
/* "4 bytes after the end of the 1,024-byte allocation at 0x..." */
void wl_finding_print_place(const struct wl_finding_place *place, struct wl_text *out);

#endif
