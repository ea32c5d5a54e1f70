/* Line information: .file, .loc, .section. */
#include "base/text.h"
#include "support/parse_support.h"

static void files_have_numbers(void **state)
{
    (void)state;
    struct wl_ptx_module *module =
        parse(HEADER ".file 1 \"a.cu\"\n.file 7 \"dir/b \\\"c\\\".h\", 1700000000, 1234\n"
                     ".file 2 \"/src\" \"d.cu\"\n.file 3 \"/src\" \"/abs/e.cu\"\n");
    assert_int_equal(module->file_count, 4);
    assert_string_equal(wl_ptx_module_file_name(module, 1), "a.cu");
    assert_string_equal(wl_ptx_module_file_name(module, 7), "dir/b \"c\".h");
    assert_string_equal(wl_ptx_module_file_name(module, 2), "/src/d.cu");
    assert_string_equal(wl_ptx_module_file_name(module, 3), "/abs/e.cu");
    assert_null(wl_ptx_module_file_name(module, 4));
    wl_ptx_module_free(module);
}

static void check_location(const struct wl_ptx_module *module, int32_t index, uint32_t file,
                           uint32_t line, uint32_t column, const char *function, int32_t inlined_at)
{
    assert_in_range(index, 0, (int64_t)module->location_count - 1);
    const struct wl_ptx_location *location = &module->locations[index];
    assert_int_equal(location->file, file);
    assert_int_equal(location->line, line);
    assert_int_equal(location->column, column);
    assert_int_equal(location->inlined_at, inlined_at);
    if (function)
        assert_string_equal(location->function, function);
    else
        assert_null(location->function);
}

static void instructions_know_their_line(void **state)
{
    (void)state;
    struct wl_ptx_module *module = parse(
        HEADER ".entry k {\nret;\n.loc 1 8 0\n.loc 1 9 3\nret;\n{ .loc 1 10 5\n ret; }\nret;\n"
               ".loc 1 9 3\nret;\n}\n.entry l { ret; }\n");
    const struct wl_ptx_instruction *k = module->functions[0].instructions;
    assert_int_equal(k[0].location, -1);
    check_location(module, k[1].location, 1, 9, 3, NULL, -1);
    check_location(module, k[2].location, 1, 10, 5, NULL, -1);
    assert_int_equal(k[3].location, k[2].location);
    assert_int_equal(k[4].location, k[1].location); /* the same place is one location */
    assert_int_equal(module->functions[1].instructions[0].location, -1);
    assert_int_equal(module->location_count, 3);
    assert_int_equal(k[1].text_line, 8);
    assert_int_equal(k[4].text_line, 13);
    wl_ptx_module_free(module);
}

/* c() inlined into b() into a() into the kernel; a() once more elsewhere; then a name and a place
 * that the text does not have. */
static void inlined_code_knows_its_callers(void **state)
{
    (void)state;
    struct wl_ptx_module *module = parse(
        HEADER
        ".entry k {\n.loc 1 5 1\nret;\n"
        ".loc 1 20 2, function_name $S0, inlined_at 1 5 1\nret;\n"
        ".loc 2 30 3, function_name $S0 + 2, inlined_at 1 20 2\nret;\n"
        ".loc 2 40 4, function_name $S1, inlined_at 2 30 3\nret;\n"
        ".loc 1 6 1\n.loc 1 20 2, function_name $S0, inlined_at 1 6 1\nret;\n"
        ".loc 1 50 1, function_name $S9, inlined_at 1 99 7\nret;\n"
        ".loc 1 50 1, function_name $S1+99, inlined_at 1 99 7\nret;\n}\n"
        ".section .debug_str\n{\n$S0:\n.b8 97,0,98,0 // a, b }\n$S1: .b8 99 .b16 0x6564\n}\n");
    const struct wl_ptx_instruction *k = module->functions[0].instructions;
    check_location(module, k[0].location, 1, 5, 1, NULL, -1);
    check_location(module, k[1].location, 1, 20, 2, "a", k[0].location);
    check_location(module, k[2].location, 2, 30, 3, "b", k[1].location);
    check_location(module, k[3].location, 2, 40, 4, "cde", k[2].location);
    const struct wl_ptx_location *again = &module->locations[k[4].location];
    check_location(module, k[4].location, 1, 20, 2, "a", again->inlined_at);
    check_location(module, again->inlined_at, 1, 6, 1, NULL, -1);
    const struct wl_ptx_location *unnamed = &module->locations[k[5].location];
    check_location(module, k[5].location, 1, 50, 1, NULL, unnamed->inlined_at);
    check_location(module, unnamed->inlined_at, 1, 99, 7, NULL, -1);
    check_location(module, k[6].location, 1, 50, 1, NULL, unnamed->inlined_at);
    wl_ptx_module_free(module);
}

/* One line that calls itself: the chain of callers does not grow with each mention. */
static void chains_of_callers_are_finite(void **state)
{
    (void)state;
    struct wl_ptx_module *module = parse(
        HEADER ".entry k {\n.loc 1 5 1\n.loc 1 5 1, function_name $S, inlined_at 1 5 1\nret;\n"
               ".loc 1 5 1, function_name $S, inlined_at 1 5 1\nret;\n}\n"
               ".section .debug_str { $S: .b8 102,0 }\n");
    const struct wl_ptx_instruction *k = module->functions[0].instructions;
    assert_int_equal(module->location_count, 2);
    check_location(module, k[0].location, 1, 5, 1, "f", 0);
    assert_int_equal(k[1].location, k[0].location);
    wl_ptx_module_free(module);

    struct wl_text text = {0};
    wl_text_add(&text, HEADER ".entry k {\n");
    for (int i = 0; i < 1000; i++)
        wl_text_addf(&text, ".loc 1 %d 1, function_name $S, inlined_at 1 %d 1\n", i + 2, i + 1);
    wl_text_add(&text, "}\n");
    module = parse(text.data);
    wl_text_free(&text);
    for (uint32_t i = 0; i < module->location_count; i++) {
        int depth = 0;
        for (int32_t j = (int32_t)i; j >= 0; j = module->locations[j].inlined_at)
            assert_true(++depth <= 64);
    }
    wl_ptx_module_free(module);
}

/* A caller's place is looked for in the same function only: another kernel may have inlined it. */
static void callers_are_of_the_same_function(void **state)
{
    (void)state;
    struct wl_ptx_module *module = parse(
        HEADER ".entry k { .loc 1 5 1\n .loc 1 7 1, function_name $S, inlined_at 1 5 1\n ret; }\n"
               ".entry l { .loc 1 8 1, function_name $S, inlined_at 1 7 1\n ret; }\n"
               ".section .debug_str { $S: .b8 102,0 }\n");
    const struct wl_ptx_instruction *l = module->functions[1].instructions;
    const struct wl_ptx_location *location = &module->locations[l->location];
    check_location(module, l->location, 1, 8, 1, "f", location->inlined_at);
    check_location(module, location->inlined_at, 1, 7, 1, NULL, -1);
    wl_ptx_module_free(module);
}

static void other_sections_are_skipped(void **state)
{
    (void)state;
    struct wl_ptx_module *module =
        parse(HEADER ".section .debug_info\n{\n.b32 .debug_abbrev\n.b8 1 // { isn't it\n"
                     "$L0: .b64 $L1-$L0, -1, 0x7f\n}\n.section .debug_macinfo { }\n.func f;\n");
    assert_int_equal(module->function_count, 1);
    wl_ptx_module_free(module);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_have_numbers),
        cmocka_unit_test(instructions_know_their_line),
        cmocka_unit_test(inlined_code_knows_its_callers),
        cmocka_unit_test(chains_of_callers_are_finite),
        cmocka_unit_test(callers_are_of_the_same_function),
        cmocka_unit_test(other_sections_are_skipped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
