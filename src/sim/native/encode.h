/* Machine code of x86-64 with AVX-512 or AVX2, as far as the engine writes it: vectors of 64 or 32
 * bytes, mask registers, and a few instructions on general registers. Encodings: Intel SDM, volume
 * 2, chapters 2.6 (VEX), 2.7 (EVEX). Internal to sim/native. */
#ifndef WL_SIM_NATIVE_ENCODE_H
#define WL_SIM_NATIVE_ENCODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/memory.h"

/* General registers by their numbers. */
enum wl_gpr {
    WL_RAX,
    WL_RCX,
    WL_RDX,
    WL_RBX,
    WL_RSP,
    WL_RBP,
    WL_RSI,
    WL_RDI,
    WL_R8,
    WL_R9,
    WL_R10,
    WL_R11,
    WL_R12,
    WL_R13,
    WL_R14,
    WL_R15,
    WL_NO_GPR = 0xff
};

/* The last operand of a vector instruction: a register, memory at a general register, or a literal
 * that stands behind the code. A broadcast is one element for all lanes. */
struct wl_operand_place {
    enum { WL_OPERAND_NONE, WL_OPERAND_VECTOR, WL_OPERAND_MEMORY, WL_OPERAND_LITERAL } kind;
    uint8_t vector;  /* VECTOR */
    uint8_t base;    /* MEMORY: general register */
    bool broadcasts; /* MEMORY, LITERAL */
    uint8_t rounds;  /* VECTOR, of AVX-512: 1 down, 2 up instead of to nearest */
    int32_t offset;  /* MEMORY; LITERAL: in the pool */
};

/* What selects a vector instruction. opcode: with prefix, map and W as EVEX has them; VEX has them,
 * too, where there is the instruction, but for W of a broadcast. */
struct wl_encoding {
    uint8_t prefix; /* pp: 0 none, 1 66, 2 F3, 3 F2 */
    uint8_t map;    /* 1 0F, 2 0F38, 3 0F3A */
    uint8_t wide;   /* W */
    uint8_t opcode;
};

/* A place in the code that holds the distance to a literal or a label. */
struct wl_fixup {
    uint32_t at;     /* of the four bytes */
    uint32_t end;    /* of the instruction */
    uint32_t target; /* offset in the pool, or number of the label */
};

/* Code that is being written. Zero-initialised but for is_256; ends with wl_assembly_free. */
struct wl_assembly {
    bool is_256; /* vectors of 32 bytes (AVX2): 16 of them, without masks and broadcasts */
    WL_VECTOR(uint8_t) bytes;
    WL_VECTOR(uint8_t) pool;
    WL_VECTOR(struct wl_fixup) literals, jumps;
    WL_VECTOR(uint32_t) labels; /* where each is */
};

void wl_assembly_free(struct wl_assembly *code);
/* Bytes of code and literals together. */
size_t wl_assembly_size(const struct wl_assembly *code);
/* Writes both to memory of that size, 64-byte aligned, with all distances filled in. */
void wl_assembly_write(const struct wl_assembly *code, uint8_t *memory);

/* A literal of 4, 8, 32 or 64 bytes; the same one is kept once. Returns its offset in the pool. */
int32_t wl_assembly_literal(struct wl_assembly *code, const void *bytes, uint32_t size_bytes);

/* dst{mask}{z} = source1 op source2, on a whole vector. mask: 0 none. immediate: -1 none. Numbers
 * of registers: of 32 bytes the low four bits. dst may be a general register where the instruction
 * writes one. */
void wl_assembly_vector(struct wl_assembly *code, struct wl_encoding encoding, uint8_t dst,
                        uint8_t source1, struct wl_operand_place source2, uint8_t mask, bool zeroes,
                        int immediate);
/* The same with what the ModRM byte names as the destination: stores and narrowing moves. */
void wl_assembly_vector_store(struct wl_assembly *code, struct wl_encoding encoding,
                              struct wl_operand_place dst, uint8_t source, uint8_t mask,
                              int immediate);

/* A mask register (AVX-512) = 16 bits; eax changes. */
void wl_assembly_mask_set(struct wl_assembly *code, uint8_t mask, uint16_t bits);
/* Mask registers: k = the 16 bits at base + offset; a general register = k; k >> count.
 */
void wl_assembly_mask_load(struct wl_assembly *code, uint8_t mask, enum wl_gpr base,
                           int32_t offset);
void wl_assembly_mask_move(struct wl_assembly *code, enum wl_gpr dst, uint8_t mask);
void wl_assembly_mask_shift(struct wl_assembly *code, uint8_t dst, uint8_t mask, uint8_t count);
void wl_assembly_mask_of(struct wl_assembly *code, uint8_t mask, enum wl_gpr source);
/* Its low 16 or 32 bits to memory; bytes: 2 or 4. */
void wl_assembly_mask_store(struct wl_assembly *code, uint8_t mask, enum wl_gpr base,
                            int32_t offset, uint32_t bytes);
/* dst = high above `bits` (8 or 16) bits of low. */
void wl_assembly_mask_join(struct wl_assembly *code, uint8_t dst, uint8_t high, uint8_t low,
                           uint32_t bits);
/* On 16 bits; AND_NOT: of a what is inverted. */
enum wl_mask_logic {
    WL_MASK_AND = 0x41,
    WL_MASK_AND_NOT = 0x42,
    WL_MASK_OR = 0x45,
    WL_MASK_XOR_NOT = 0x46,
    WL_MASK_XOR = 0x47,
};
void wl_assembly_mask_logic(struct wl_assembly *code, enum wl_mask_logic op, uint8_t dst, uint8_t a,
                            uint8_t b);
void wl_assembly_mask_not(struct wl_assembly *code, uint8_t dst, uint8_t mask);
/* Flags: zero if k1 | k2 is. */
void wl_assembly_mask_test(struct wl_assembly *code, uint8_t mask1, uint8_t mask2);

/* General registers; bytes: 1, 2, 4 or 8 of memory (1 and 2 are extended by zeros). A byte is
 * stored of the first four registers or the last eight. */
void wl_assembly_load(struct wl_assembly *code, enum wl_gpr dst, enum wl_gpr base, int32_t offset,
                      uint32_t bytes);
/* Asks for a cache line of the host, which need not be there; writes: that will be written. */
void wl_assembly_prefetch(struct wl_assembly *code, bool writes, enum wl_gpr base, int32_t offset);
void wl_assembly_store(struct wl_assembly *code, enum wl_gpr source, enum wl_gpr base,
                       int32_t offset, uint32_t bytes);
/* Memory at base + index * scale + offset. */
struct wl_indexed_place {
    uint8_t base, index, scale; /* general registers; 4 or 8 */
    int32_t offset;
};
/* How what has less than 64 bits is extended. */
enum wl_extension { WL_EXTEND_ZEROS, WL_EXTEND_SIGN_32, WL_EXTEND_SIGN_64 };
/* Of 4 or 8 bytes. */
void wl_assembly_load_indexed(struct wl_assembly *code, enum wl_gpr dst,
                              struct wl_indexed_place place, uint32_t bytes);
void wl_assembly_store_indexed(struct wl_assembly *code, enum wl_gpr source,
                               struct wl_indexed_place place, uint32_t bytes);
void wl_assembly_load_extended(struct wl_assembly *code, enum wl_gpr dst, enum wl_gpr base,
                               int32_t offset, uint32_t bytes, enum wl_extension extension);
void wl_assembly_extend_16(struct wl_assembly *code, enum wl_gpr dst); /* by zeros, to 64 */
void wl_assembly_add_to(struct wl_assembly *code, enum wl_gpr dst, uint32_t value); /* 4 bytes */
/* dst = the number of the lowest bit of source that is set; 4 bytes, not 0. */
void wl_assembly_lowest_bit(struct wl_assembly *code, enum wl_gpr dst, enum wl_gpr source);
void wl_assembly_lea(struct wl_assembly *code, enum wl_gpr dst, enum wl_gpr base, int32_t offset);

enum wl_arithmetic {
    WL_ADD = 0x03,
    WL_OR = 0x0b,
    WL_AND = 0x23,
    WL_SUB = 0x2b,
    WL_XOR = 0x33,
    WL_COMPARE = 0x3b,
};
/* dst op= source; 8 bytes where wide, else 4. */
void wl_assembly_arithmetic(struct wl_assembly *code, enum wl_arithmetic op, enum wl_gpr dst,
                            enum wl_gpr source, bool wide);
/* dst op= memory. */
void wl_assembly_arithmetic_memory(struct wl_assembly *code, enum wl_arithmetic op, enum wl_gpr dst,
                                   enum wl_gpr base, int32_t offset, bool wide);
void wl_assembly_test_memory(struct wl_assembly *code, enum wl_gpr source, enum wl_gpr base,
                             int32_t offset); /* flags of 4 bytes: source & memory */
void wl_assembly_compare_zero(struct wl_assembly *code, enum wl_gpr base,
                              int32_t offset);                   /* 8 bytes */
void wl_assembly_not(struct wl_assembly *code, enum wl_gpr dst); /* 4 bytes */
void wl_assembly_set(struct wl_assembly *code, enum wl_gpr dst,
                     uint32_t value); /* of the first eight */
void wl_assembly_set_address(struct wl_assembly *code, enum wl_gpr dst, const void *address);
void wl_assembly_shift_left(struct wl_assembly *code, enum wl_gpr dst, uint8_t count); /* 4 bytes */
void wl_assembly_multiply(struct wl_assembly *code, enum wl_gpr dst, int32_t factor);  /* 8 bytes */
void wl_assembly_increment(struct wl_assembly *code, enum wl_gpr base,
                           int32_t offset); /* 8 bytes */
void wl_assembly_add_immediate(struct wl_assembly *code, enum wl_gpr base, int32_t offset,
                               uint32_t value); /* to 4 bytes of memory */
/* Flags of memory, of 1 or 2 bytes, compared with 0. */
void wl_assembly_test_small(struct wl_assembly *code, enum wl_gpr base, int32_t offset,
                            uint32_t bytes);
/* Calls an address anywhere; rsi then holds `argument`. Vectors keep nothing. */
void wl_assembly_call(struct wl_assembly *code, const void *argument, uintptr_t address);
void wl_assembly_push(struct wl_assembly *code, enum wl_gpr source);
void wl_assembly_pop(struct wl_assembly *code, enum wl_gpr dst);
void wl_assembly_return(struct wl_assembly *code);

enum wl_condition { WL_IF_ZERO = 0x84, WL_IF_NOT_ZERO = 0x85, WL_IF_ABOVE = 0x87 };
void wl_assembly_jump_if(struct wl_assembly *code, enum wl_condition condition, uint32_t label);
/* A label that is nowhere yet; they are numbered from 0 on. */
uint32_t wl_assembly_new_label(struct wl_assembly *code);
void wl_assembly_label(struct wl_assembly *code, uint32_t label);
/* Jumps to where the 8 bytes at the place lead. Vectors keep nothing. */
void wl_assembly_jump_indexed(struct wl_assembly *code, struct wl_indexed_place place);
/* Jumps to an address anywhere; rdx then holds `argument`. */
void wl_assembly_leave(struct wl_assembly *code, const void *argument, uintptr_t address);

#endif
