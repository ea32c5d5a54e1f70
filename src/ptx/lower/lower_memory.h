/* Addresses and state spaces of memory instructions. */
#ifndef WL_PTX_LOWER_LOWER_MEMORY_H
#define WL_PTX_LOWER_LOWER_MEMORY_H

#include "ptx/lower/lowering.h"

/* The space an instruction names, NONE for a generic address. */
enum wl_ptx_space lower_space_of(const struct wl_ptx_instruction *instruction);
enum wl_site_space lower_site_space(enum wl_ptx_space space);
/* Base register (or NO_REGISTER) and offset of an address operand; a variable's name may tell the
 * space. False after a failure. */
bool lower_address(struct lowering *lowering, const struct wl_ptx_operand *operand,
                   enum wl_ptx_space *space, uint32_t *base, int64_t *offset);
/* Sets the address fields of an operation, which uses FIELD_A where there is a base register. */
void lower_set_address(struct lowering *lowering, struct wl_op *op, uint32_t base, int64_t offset);

/* The call's .param variable whose address a register stands for, to whose offset the register's is
 * added; NO_REGISTER if there is none. lower_pointer.c */
uint32_t lower_find_pointed_parameter(const struct lowering *lowering, int32_t reg,
                                      int64_t *offset);
/* Whether the register of a generic address holds one of local memory, whatever the way there. */
bool lower_points_to_local(struct lowering *lowering, const struct wl_ptx_operand *address);
/* An operation on the barrier object at the address; b: count, token or parity, dst: NO_REGISTER
 * where nothing is told. lower_async.c */
void lower_act_on_barrier(struct lowering *lowering, const struct wl_ptx_operand *address,
                          enum wl_barrier_action action, uint32_t b, uint32_t dst);
/* The address of an operand in a register of 64 bits: lower_async.c */
uint32_t lower_address_register(struct lowering *lowering, const struct wl_ptx_operand *operand,
                                enum wl_ptx_space space);
/* cp.async.bulk but for its groups: lower_bulk.c */
void lower_bulk(struct lowering *lowering, const struct wl_ptx_instruction *instruction);
/* barrier.cluster: lower_cluster.c */
void lower_cluster_barrier(struct lowering *lowering, const struct wl_ptx_instruction *instruction);

/* Whether anything of the function may read a register: an atomic whose result is unused is a
 * reduction. lower_unread.c */
bool lower_is_read(const struct lowering *lowering, int32_t reg);
/* Elements of a vector that are loaded together. */
struct lower_piece {
    uint32_t first, count;
};
/* What a compiler leaves of a load to these registers (ptxas 13.0, for sm_80, 90 and 120; all of it
 * with nvcc -G): of elements that nobody reads as few as leave one load, or two of 32 bits in place
 * of one of 128. Returns how many pieces. */
int lower_read_pieces(const struct lowering *lowering, const struct wl_ptx_operand *value,
                      uint32_t element_bytes, struct lower_piece pieces[2]);
/* The family of st. */
void lower_store(struct lowering *lowering, const struct wl_ptx_instruction *instruction);
/* The two 64-bit registers of a 128-bit one as a vector operand, which keeps halves. */
bool lower_split_wide(struct lowering *lowering, const struct wl_ptx_operand *operand,
                      struct wl_ptx_operand halves[2], struct wl_ptx_operand *pair);
/* Memory order (enum wl_order) of a load, a store or an atomic, from its modifiers. */
uint16_t lower_order(const struct wl_ptx_instruction *instruction, bool is_atomic);
/* atom and red of halves, vectors, 16 and 128 bits: lower_atomic.c */
bool lower_is_atomic_list(const struct wl_ptx_instruction *instruction);
void lower_atomic_list(struct lowering *lowering, const struct wl_ptx_instruction *instruction);
/* Whether no operation of the program accesses elements of more than 8 bytes in a space that is
 * known only when it runs. */
bool lower_has_local_rows(const struct wl_program *program);

/* Finds which instructions of the kernel access memory in turn, so that its blocks may run at the
 * same time where their order shows, and where its accesses may lead, for the program. False: it is
 * not known. *in_turn: the caller frees it; may be NULL then. lower_apart.c */
bool lower_find_turns(const struct lowering *lowering, uint8_t **in_turn);
/* Whether of a kernel that takes turns blocks tell each other nothing but sums, each outside of all
 * loops. */
bool lower_sums_come_once(const struct wl_program *program);
/* WL_ORDER_TURN where the instruction is among them, else 0. */
uint16_t lower_turn(const struct lowering *lowering);

/* Tells the sites which accesses a compiler joins and gathers: they are counted as it leaves
 * them. */
void lower_join_sites(struct wl_program *program);

#endif
