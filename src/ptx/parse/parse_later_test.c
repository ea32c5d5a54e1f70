/* Modules that are opened without the bodies of their functions. */
#include <stdlib.h>

#include "base/text.h"
#include "support/parse_support.h"

static const char text_of_all[] =
    HEADER ".file 1 \"a.cu\"\n.file 2 \"b.h\"\n.global .u32 counter = 7;\n"
           ".func (.param .b32 r) twice(.param .b32 x)\n;\n"
           ".visible .entry first(.param .u64 p)\n.maxntid 64\n{\n"
           ".reg .pred %p<2>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<3>;\n"
           ".shared .align 4 .b8 tile[64];\n.loc 1 7 3\n"
           "ld.param.u64 %rd1, [p]; // } not the end {\n"
           "/* nor } this */ ld.global.v2.u32 {%r1, %r2}, [%rd1];\n"
           ".loc 2 4 1, function_name $L__info_string0, inlined_at 1 9 5\n"
           "setp.eq.u32 %p1, %r1, %r2;\n{ .reg .b32 %r<2>; mov.u32 %r1, counter; }\n"
           ".pragma \"nounroll }\";\n@%p1 bra $L;\nadd.u32 %r3, %r1, 2;\n"
           "{ .param .b32 a0; st.param.b32 [a0], %r3; .param .b32 r0;\n"
           "call.uni (r0), twice, (a0); ld.param.b32 %r4, [r0]; }\n$L: ret;\n}\n"
           ".func (.param .b32 r) twice(.param .b32 x)\n{\n.reg .b32 %r<2>;\n"
           "ld.param.b32 %r1, [x];\nshl.b32 %r1, %r1, 1;\nst.param.b32 [r], %r1;\nret;\n}\n"
           ".visible .entry second()\n{\n.reg .b32 %r<4>;\nts: .branchtargets A, B;\n"
           "mov.u32 %r1, 1;\nbrx.idx %r1, ts;\nA: mov.u32 %r2, 1;\nB: ret;\n}\n"
           ".visible .func other(.param .b32 x);\n.alias other, twice;\n"
           ".section .debug_str\n{\n$L__info_string0:\n.b8 105,110,110,101,114,0\n}\n";

static struct wl_ptx_module *open_text(const char *text)
{
    struct wl_ptx_module *module;
    struct wl_error error = {0};
    if (wl_ptx_module_open(text, strlen(text), "t.ptx", &module, &error))
        fail_msg("%s: %s", error.where, error.message);
    return module;
}

static void expect_same_operand(const struct wl_ptx_operand *a, const struct wl_ptx_operand *b)
{
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->reg, b->reg);
    assert_int_equal(a->integer, b->integer);
    assert_int_equal(a->target, b->target);
    assert_int_equal(a->item_count, b->item_count);
    assert_int_equal(a->name != NULL, b->name != NULL);
    if (a->name)
        assert_string_equal(a->name, b->name);
    for (uint32_t i = 0; i < a->item_count; i++)
        expect_same_operand(&a->items[i], &b->items[i]);
}

static void expect_same_place(const struct wl_ptx_module *a, int32_t at_a,
                              const struct wl_ptx_module *b, int32_t at_b)
{
    while (at_a >= 0 && at_b >= 0) {
        const struct wl_ptx_location *in_a = &a->locations[at_a], *in_b = &b->locations[at_b];
        assert_int_equal(in_a->file, in_b->file);
        assert_int_equal(in_a->line, in_b->line);
        assert_int_equal(in_a->function != NULL, in_b->function != NULL);
        if (in_a->function)
            assert_string_equal(in_a->function, in_b->function);
        at_a = in_a->inlined_at;
        at_b = in_b->inlined_at;
    }
    assert_int_equal(at_a, at_b);
}

static void expect_same_function(const struct wl_ptx_module *a, const struct wl_ptx_module *b,
                                 const char *name)
{
    const struct wl_ptx_function *in_a = wl_ptx_module_find_function(a, name);
    const struct wl_ptx_function *in_b = wl_ptx_module_find_function(b, name);
    assert_int_equal(in_a->is_entry, in_b->is_entry);
    assert_int_equal(in_a->max_threads[0], in_b->max_threads[0]);
    assert_int_equal(in_a->parameter_count, in_b->parameter_count);
    assert_int_equal(in_a->result_count, in_b->result_count);
    assert_int_equal(in_a->variable_count, in_b->variable_count);
    for (uint32_t i = 0; i < in_a->variable_count; i++)
        assert_string_equal(in_a->variables[i].name, in_b->variables[i].name);
    assert_int_equal(in_a->register_count, in_b->register_count);
    assert_int_equal(in_a->target_table_count, in_b->target_table_count);
    assert_int_equal(in_a->instruction_count, in_b->instruction_count);
    for (uint32_t i = 0; i < in_a->instruction_count; i++) {
        const struct wl_ptx_instruction *one = &in_a->instructions[i];
        const struct wl_ptx_instruction *two = &in_b->instructions[i];
        assert_string_equal(one->opcode, two->opcode);
        assert_int_equal(one->guard, two->guard);
        assert_int_equal(one->text_line, two->text_line);
        assert_int_equal(one->text_offset, two->text_offset);
        assert_int_equal(one->is_rolled, two->is_rolled);
        assert_int_equal(one->operand_count, two->operand_count);
        for (int k = 0; k < one->operand_count; k++)
            expect_same_operand(&one->operands[k], &two->operands[k]);
        expect_same_place(a, one->location, b, two->location);
    }
}

static void bodies_are_read_when_asked_for(void **state)
{
    (void)state;
    static const char *const names[] = {"second", "other", "first", "twice"};
    struct wl_ptx_module *whole = parse(text_of_all), *opened = open_text(text_of_all);
    assert_ptr_equal(opened->text, text_of_all);
    assert_int_equal(opened->function_count, whole->function_count);
    assert_int_equal(opened->variable_count, 1);
    assert_int_equal(opened->location_count, 0);
    for (size_t i = 0; i < 4; i++) {
        struct wl_ptx_function *function = wl_ptx_module_find_function(opened, names[i]);
        assert_true(function->has_body && function->is_unread);
        assert_int_equal(function->instruction_count, 0);
        const struct wl_ptx_variable *parameters = function->parameters;
        assert_int_equal(wl_ptx_function_read(opened, function, NULL), WL_OK);
        assert_false(function->is_unread);
        assert_ptr_equal(function->parameters, parameters);
        const struct wl_ptx_instruction *read = function->instructions;
        assert_int_equal(wl_ptx_function_read(opened, function, NULL), WL_OK);
        assert_ptr_equal(function->instructions, read);
    }
    for (size_t i = 0; i < 4; i++)
        expect_same_function(whole, opened, names[i]);
    wl_ptx_module_free(whole);
    wl_ptx_module_free(opened);
}

/* Parameters and variables of bodies may have names that the module declares further down. */
static void names_of_later_are_not_known(void **state)
{
    (void)state;
    static const char text[] = HEADER
        ".entry count(.param .u32 step)\n{\n.reg .b32 %r<3>;\n.shared .b32 room[2];\n"
        "ld.param.u32 %r1, [step];\nst.shared.u32 [room], %r1;\nmov.u32 %r2, room;\nret;\n}\n"
        ".global .u32 room;\n.entry step(.param .u32 p)\n{\nret;\n}\n";
    static const char wrong[] = HEADER ".entry k()\n{\n.reg .b64 %rd<2>;\nmov.u64 %rd1, late;\n}\n"
                                       ".global .u32 late;\n";
    struct wl_ptx_module *whole = parse(text), *opened = open_text(text);
    assert_int_equal(
        wl_ptx_function_read(opened, wl_ptx_module_find_function(opened, "count"), NULL), WL_OK);
    expect_same_function(whole, opened, "count");
    wl_ptx_module_free(whole);
    wl_ptx_module_free(opened);
    opened = open_text(wrong);
    struct wl_error error = {0};
    assert_int_equal(wl_ptx_function_read(opened, wl_ptx_module_find_function(opened, "k"), &error),
                     WL_ERR_INPUT);
    assert_non_null(strstr(error.message, "late is not declared"));
    wl_ptx_module_free(opened);
}

/* What it declares belongs to the module, or there is no telling where it ends. */
static void some_bodies_are_read_at_once(void **state)
{
    (void)state;
    static const char text[] = HEADER
        ".entry k()\n{\n.reg .b32 %r<2>;\n.const .u32 inner = 3;\nld.const.u32 %r1, [inner];\n}\n"
        ".entry l()\n{\n.reg .b32 %r<2>;\nL: .global .u32 deep;\nret;\n}\n"
        ".entry m()\n{\n.file 3 \"late.cu\"\nret;\n}\n"
        ".entry n()\n{\n.reg .b64 %rd<2>; ld.global.b64 %rd1, [%rd1]; ret;\n}\n";
    struct wl_ptx_module *module = open_text(text);
    assert_int_equal(module->variable_count, 2);
    assert_int_equal(module->file_count, 1);
    assert_int_equal(wl_ptx_module_find_function(module, "k")->instruction_count, 1);
    assert_int_equal(wl_ptx_module_find_function(module, "l")->instruction_count, 1);
    assert_false(wl_ptx_module_find_function(module, "m")->is_unread);
    assert_true(wl_ptx_module_find_function(module, "n")->is_unread);
    wl_ptx_module_free(module);
}

static void expect_refused(const char *text, const char *message, const char *where)
{
    struct wl_ptx_module *module;
    struct wl_error error = {0};
    assert_int_equal(wl_ptx_module_open(text, strlen(text), "t.ptx", &module, &error),
                     WL_ERR_INPUT);
    assert_null(module);
    assert_non_null(strstr(error.message, message));
    assert_string_equal(error.where, where);
}

static void bodies_without_an_end_are_refused(void **state)
{
    (void)state;
    expect_refused(HEADER ".entry k()\n{ ret;\n", "this body is not closed", "t.ptx:5:1");
    expect_refused(HEADER ".entry k()\n{ ret; /* }\n", "this comment is not closed", "t.ptx:5:8");
    expect_refused(HEADER ".entry k()\n{ .pragma \"}\n", "this string is not closed", "t.ptx:5:11");
    expect_refused(HEADER ".entry k()\n{ ret; }\n.entry k()\n{ ret; }\n",
                   "k is already declared in line 4", "t.ptx:6:8");
    expect_refused(HEADER ".entry k(.param .u31 x)\n{ ret; }\n", "expected a type", "t.ptx:4:17");
}

/* An error in one body leaves the others as they are. */
static void errors_show_when_the_body_is_read(void **state)
{
    (void)state;
    static const char text[] = HEADER
        ".entry bad(.param .u64 p)\n{\n.reg .b32 %r<3>;\n{ .reg .pred %p<2>; {\nL: add.u32 %r1, %r2\n"
        "ret; } }\n}\n.entry lost()\n{\nbra AWAY;\n}\n"
        ".entry good(.param .u64 p)\n{\n.reg .b32 %r<3>;\nL: add.u32 %r1, %r2, 1;\nbra L;\n}\n";
    struct wl_ptx_module *module = open_text(text);
    for (int turn = 0; turn < 2; turn++) {
        struct wl_ptx_function *function = wl_ptx_module_find_function(module, "bad");
        struct wl_error error = {0};
        assert_int_equal(wl_ptx_function_read(module, function, &error), WL_ERR_INPUT);
        assert_string_equal(error.where, "t.ptx:8:20");
        assert_true(function->is_unread);
        function = wl_ptx_module_find_function(module, "lost");
        error = (struct wl_error){0};
        assert_int_equal(wl_ptx_function_read(module, function, &error), WL_ERR_INPUT);
        assert_non_null(strstr(error.message, "label AWAY is not defined in this function"));
        function = wl_ptx_module_find_function(module, "good");
        assert_int_equal(wl_ptx_function_read(module, function, &error), WL_OK);
        assert_int_equal(function->instruction_count, 2);
        assert_int_equal(function->instructions[1].operands[0].target, 0);
    }
    wl_ptx_module_free(module);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bodies_are_read_when_asked_for),
        cmocka_unit_test(names_of_later_are_not_known),
        cmocka_unit_test(some_bodies_are_read_at_once),
        cmocka_unit_test(bodies_without_an_end_are_refused),
        cmocka_unit_test(errors_show_when_the_body_is_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
