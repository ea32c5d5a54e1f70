/* Fuzzer of what follows the parser: every kernel it accepts is lowered, or refused with a reason.
 * clang -fsanitize=fuzzer,address,undefined; corpus in tests/fuzz/ptx. */
#include <stdlib.h>

#include "ptx/lower/lower.h"
#include "warp/op.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

static uint64_t resolve(void *self, const char *symbol)
{
    (void)self;
    return symbol[0] == 'u' ? 0 : 0x200000000000u + (uint64_t)(unsigned char)symbol[0] * 4096;
}

/* What the executor relies on without looking. */
static void check_program(const struct wl_program *program)
{
    const uint64_t room = (uint64_t)program->register_file_bytes + program->call_stack_bytes;
    require(program->op_count > 0);
    for (uint32_t i = 0; i < program->op_count; i++) {
        const struct wl_op *op = &program->ops[i];
        bool is_branch = op->code == WL_OP_BRANCH || op->code == WL_OP_BRANCH_IF;
        require(op->code < WL_OP_COUNT && op->instruction < program->instruction_count);
        require(!is_branch || op->target < program->op_count);
    }
    for (uint32_t i = 0; i < program->constant_count; i++)
        require(program->constants[i].offset < room);
    for (uint32_t i = 0; i < program->site_count; i++)
        require(program->sites[i].instruction < program->instruction_count);
    for (uint32_t i = 0; i < program->branch_target_count; i++)
        require(program->branch_targets[i] < program->op_count);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    struct wl_ptx_module *module;
    struct wl_error error = {0};
    if (wl_ptx_module_parse((const char *)data, size, "f.ptx", &module, &error))
        return 0;
    for (uint32_t i = 0; i < module->function_count; i++) {
        struct wl_ptx_lower_input input = {.module = module,
                                           .function = &module->functions[i],
                                           .resolve = resolve,
                                           .capability = 90};
        struct wl_program *program = NULL;
        if (!input.function->is_entry || !input.function->instruction_count)
            continue;
        enum wl_code code = wl_ptx_lower(&input, &program, &error);
        require((code == WL_OK) == (program != NULL));
        require(code == WL_OK || *error.message);
        if (program)
            check_program(program);
        wl_program_free(program);
    }
    wl_ptx_module_free(module);
    return 0;
}
