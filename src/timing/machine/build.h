/* Makes machine code for the timing model: a builder that front ends feed with warp operations, and
 * the passes that bring it close to what a compiler for the machine would emit. Each pass is a
 * function of its own; wl_machine_improve runs them all in order. */
#ifndef WL_TIMING_MACHINE_BUILD_H
#define WL_TIMING_MACHINE_BUILD_H

#include "timing/machine/machine.h"
#include "warp/op.h"
#include "warp/program.h"

/* One operation of the front end, with virtual registers. */
struct wl_machine_input {
    const struct wl_op *op;
    const uint32_t *defs, *uses; /* registers */
    uint32_t def_count, use_count;
    bool is_guarded;
    bool may_gather;  /* a reduction of integers, on a GPU whose warps reduce them in one step */
    uint8_t pipe;     /* enum wl_pipe of its instruction: which one does a conversion */
    uint32_t site;    /* of a memory access, or WL_MACHINE_NONE */
    uint32_t address; /* register that holds the address it accesses, or WL_MACHINE_NONE */
};

/* A machine of empty blocks. Free with wl_machine_free. */
struct wl_machine *wl_machine_create(uint32_t block_count);
/* A new register of that kind; constant is its value if it is one. */
uint32_t wl_machine_add_register(struct wl_machine *machine, enum wl_machine_register kind,
                                 uint64_t constant);

/* Appends to block. An operation stands for as many machine instructions as its row in costs.def
 * says. */
void wl_machine_add(struct wl_machine *machine, uint32_t block,
                    const struct wl_machine_input *input);

/* Whether an operation (enum wl_opcode) branches to a subroutine for rare operands: no instruction
 * moves past it. */
bool wl_machine_has_slow_path(uint16_t code);

/* Takes away copies and what is computed from nothing but constants and parameters, gives memory
 * accesses their constant offsets. */
void wl_machine_fold(struct wl_machine *machine);
/* Joins loads of neighbouring words of shared memory into wider ones. */
void wl_machine_merge(struct wl_machine *machine);
/* Joins conversions to the halves of a register; reads of halves cost nothing. */
void wl_machine_halves(struct wl_machine *machine);
/* Joins pairs of operations that the machine does in one: three-operand additions and logic,
 * multiply-add of addresses, negations of operands, conditions combined by a comparison. */
void wl_machine_fuse(struct wl_machine *machine);
/* Drops operations without effect whose results nobody reads. */
void wl_machine_drop(struct wl_machine *machine);
/* Merges blocks that follow each other, and short branches by predicating what they guard. */
void wl_machine_predicate(struct wl_machine *machine);
/* Predicates what is computed for a choice alone, in place of the choice. */
void wl_machine_select(struct wl_machine *machine);
/* Adds what marks where lanes that part will meet again, and waits for them there. */
void wl_machine_converge(struct wl_machine *machine);
/* Adds to loops that count in constant steps what several of their turns at once are. */
void wl_machine_unroll(struct wl_machine *machine);
/* Lets integer divisions share the reciprocals of their divisors. */
void wl_machine_divide(struct wl_machine *machine);
/* Lets one lane reduce for its warp where a compiler sees that all lanes have one address. */
void wl_machine_gather(struct wl_machine *machine);
/* Moves double-precision constants to registers where their operations do not hold them. */
void wl_machine_constants(struct wl_machine *machine);
/* Writes out operations of several machine instructions as chains of them. */
void wl_machine_expand(struct wl_machine *machine);
/* Orders each block's operations as a list scheduler would: long latencies first, with no more
 * values at a time than so many registers of a thread hold; 0: as a compiler would choose them. */
void wl_machine_schedule(struct wl_machine *machine, uint32_t registers);
/* Gives registers small numbers; operands that are constants or parameters go. */
void wl_machine_place(struct wl_machine *machine);

/* All of them, in the right order; before it, blocks have their successors. registers: those that a
 * compiler gave a thread, 0: not known. */
void wl_machine_improve(struct wl_machine *machine, uint32_t registers);

/* Appends a called function's machine to the kernel's and frees it: instructions and sites are
 * counted on from those given. */
void wl_machine_join(struct wl_machine *machine, struct wl_machine *callee, uint32_t instructions,
                     uint32_t sites);

#endif
