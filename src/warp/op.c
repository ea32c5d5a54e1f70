#include "warp/op.h"

#include <stdlib.h>

#define CLASS_u32 WL_CLASS_32
#define CLASS_s32 WL_CLASS_32
#define CLASS_f32 WL_CLASS_32
#define CLASS_u64 WL_CLASS_64
#define CLASS_s64 WL_CLASS_64
#define CLASS_f64 WL_CLASS_64

const struct wl_op_row wl_op_rows[WL_OP_COUNT] = {
#define B(id, dst, a, b, expression)                                         \
    {#id, WL_FORM_BINARY, CLASS_##dst, CLASS_##a, CLASS_##b, WL_CLASS_NONE}, \
        {#id "_I", WL_FORM_BINARY_IMMEDIATE, CLASS_##dst, CLASS_##a, CLASS_##b, WL_CLASS_NONE},
#define U(id, dst, a, expression) \
    {#id, WL_FORM_UNARY, CLASS_##dst, CLASS_##a, WL_CLASS_NONE, WL_CLASS_NONE},
#define T(id, dst, a, b, c, expression) \
    {#id, WL_FORM_TERNARY, CLASS_##dst, CLASS_##a, CLASS_##b, CLASS_##c},
#define P(id, a, b, expression)                                                             \
    {#id, WL_FORM_COMPARE, WL_CLASS_PREDICATE, CLASS_##a, CLASS_##b, WL_CLASS_NONE},        \
        {#id "_I",     WL_FORM_COMPARE_IMMEDIATE, WL_CLASS_PREDICATE, CLASS_##a, CLASS_##b, \
         WL_CLASS_NONE},
#define S(id, text) \
    {#id, WL_FORM_SPECIAL, WL_CLASS_NONE, WL_CLASS_NONE, WL_CLASS_NONE, WL_CLASS_NONE},
#define A(id, dst, a) U(id, dst, a, none)
#define D(id, dst, a, b) B(id, dst, a, b, none)
#define F(id, dst, a, b, c) T(id, dst, a, b, c, none)
#include "warp/ops.def"
#undef B
#undef U
#undef T
#undef P
#undef S
#undef A
#undef D
#undef F
};

static const char *const pipe_names[WL_PIPE_COUNT] = {
    [WL_PIPE_ALU] = "alu",     [WL_PIPE_FMA] = "fma", [WL_PIPE_FP16] = "fp16",
    [WL_PIPE_FP64] = "fp64",   [WL_PIPE_XU] = "xu",   [WL_PIPE_TENSOR] = "tensor",
    [WL_PIPE_LSU] = "lsu",     [WL_PIPE_TEX] = "tex", [WL_PIPE_CBU] = "cbu",
    [WL_PIPE_CONST] = "const",
};

const char *wl_pipe_name(enum wl_pipe pipe)
{
    return pipe < WL_PIPE_COUNT ? pipe_names[pipe] : "unknown";
}

void wl_program_free(struct wl_program *program)
{
    if (!program)
        return;
    for (uint32_t i = 0; i < program->instruction_count; i++) {
        struct wl_program_instruction *instruction = &program->instructions[i];
        free(instruction->text);
        free(instruction->opcode);
        free(instruction->file);
        free(instruction->function);
        free(instruction->inlined_at);
    }
    free(program->instructions);
    free(program->parameters);
    free(program->ops);
    free(program->blocks);
    free(program->constants);
    free(program->parameter_registers);
    free(program->sites);
    for (uint32_t i = 0; i < program->shared_array_count; i++)
        free(program->shared_arrays[i].name);
    free(program->shared_arrays);
    free(program->branch_targets);
    free(program->operands);
    free(program->origins);
    free(program->reaches);
    free(program->functions);
    if (program->machine)
        program->free_machine(program->machine);
    if (program->native)
        program->free_native(program->native);
    free(program->name);
    free(program);
}

uint32_t wl_program_shared_bytes(const struct wl_program *program, uint32_t dynamic_bytes)
{
    return dynamic_bytes ? program->shared_dynamic_start + dynamic_bytes : program->shared_end;
}

uint64_t wl_program_plain_offset(const struct wl_program *program, uint64_t offset)
{
    for (uint32_t i = program->shared_array_count; i-- > 0;) {
        const struct wl_shared_array *array = &program->shared_arrays[i];
        if (array->start <= offset)
            return offset - array->start + array->plain_start;
    }
    return offset;
}
