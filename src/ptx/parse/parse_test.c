/* What well-formed PTX becomes: the module and its declarations. */
#include "base/text.h"
#include "support/parse_support.h"

static void module_directives_are_read(void **state)
{
    (void)state;
    struct wl_ptx_module *module = parse("// comment\n/* another\n one */ .version 8.10\n"
                                         ".target sm_100f, texmode_independent, debug\n"
                                         ".address_size 64\n.pragma \"nounroll\", \"x\";\n");
    assert_int_equal(module->version_major, 8);
    assert_int_equal(module->version_minor, 10);
    assert_int_equal(module->target_sm, 100);
    assert_true(module->target_specific);
    assert_int_equal(module->address_bits, 64);
    assert_int_equal(module->function_count, 0);
    wl_ptx_module_free(module);

    module = parse(".version 6.0\n.target sm_30");
    assert_int_equal(module->target_sm, 30);
    assert_false(module->target_specific);
    assert_int_equal(module->address_bits, 32);
    wl_ptx_module_free(module);
    wl_ptx_module_free(NULL);
}

static void text_may_lack_an_end(void **state)
{
    (void)state;
    static const char text[] = ".version 7.0\0\0rest";
    struct wl_ptx_module *module;
    assert_int_equal(wl_ptx_module_parse(text, 14, "t", &module, NULL), WL_OK);
    assert_int_equal(module->text_length, 12);
    assert_string_equal(module->text, ".version 7.0");
    wl_ptx_module_free(module);
}

static void types_have_names_and_sizes(void **state)
{
    (void)state;
    for (enum wl_ptx_type type = WL_PTX_B8; type <= WL_PTX_SURFREF; type++)
        assert_int_equal(wl_ptx_type_from_name(wl_ptx_type_name(type)), type);
    assert_int_equal(wl_ptx_type_bytes(WL_PTX_B128), 16);
    assert_int_equal(wl_ptx_type_bytes(WL_PTX_BF16X2), 4);
    assert_int_equal(wl_ptx_type_bytes(WL_PTX_PRED), 1);
    assert_int_equal(wl_ptx_type_bytes(WL_PTX_SAMPLERREF), 8);
    assert_int_equal(wl_ptx_type_from_name("u128"), WL_PTX_TYPE_NONE);
    assert_int_equal(wl_ptx_type_from_name(""), WL_PTX_TYPE_NONE);
    assert_string_equal(wl_ptx_type_name((enum wl_ptx_type)99), "");
}

static void entry_headers_are_read(void **state)
{
    (void)state;
    struct wl_ptx_module *module =
        parse(HEADER ".weak .entry k(\n.param .align 8 .b8 s[24],\n"
                     ".param .u64 .ptr .global .align 16 p,\n.param .b64 .ptr .align 1 q, "
                     ".param .f32 z)\n.maxntid 256, 2\n.reqntid 128, 1, 1\n.minnctapersm 2\n"
                     ".maxnreg 64 .maxclusterrank 8 .explicitcluster\n.reqnctapercluster 2, 1, 1\n"
                     ".blocksareclusters .noreturn .abi_preserve 4 .abi_preserve_control 1, 2\n"
                     ".pragma \"x\"; .attribute(.unified(0xab, 1))\n{\nret;\n}\n");
    const struct wl_ptx_function *k = wl_ptx_module_find_function(module, "k");
    assert_true(k->is_entry && k->is_weak && k->is_visible && k->has_body && !k->is_extern);
    assert_int_equal(k->text_line, 4);
    assert_int_equal(k->parameter_count, 4);
    assert_string_equal(k->parameters[0].name, "s");
    assert_int_equal(k->parameters[0].size_bytes, 24);
    assert_int_equal(k->parameters[0].alignment, 8);
    assert_int_equal(k->parameters[0].space, WL_PTX_SPACE_PARAM);
    assert_int_equal(k->parameters[1].alignment, 8); /* .ptr .align is of what it points to */
    assert_int_equal(k->parameters[2].size_bytes, 8);
    assert_int_equal(k->parameters[3].type, WL_PTX_F32);
    assert_int_equal(k->max_threads[0], 256);
    assert_int_equal(k->max_threads[1], 2);
    assert_int_equal(k->max_threads[2], 1);
    assert_int_equal(k->required_threads[0], 128);
    assert_int_equal(k->min_blocks, 2);
    assert_int_equal(k->max_registers, 64);
    assert_true(k->needs_clusters);
    assert_int_equal(k->instruction_count, 1);
    wl_ptx_module_free(module);
}

static void functions_have_results_and_register_parameters(void **state)
{
    (void)state;
    struct wl_ptx_module *module =
        parse(HEADER ".func (.param .b32 r) f(.param .b64 x);\n"
                     ".func (.reg .u32 %out) g (.reg .u32 %in) { mov.u32 %out, %in; ret; }\n"
                     ".func (.param .b32 r) f(.param .b64 x) { call f, (x); ret; }\n"
                     ".func (.param .b32 r) f(.param .b64 x);\n"
                     ".func h;\n.extern .func v(.param .b32 a, .param .b8 rest[]);\n"
                     ".alias h, g;\n");
    assert_int_equal(module->function_count, 4);
    const struct wl_ptx_function *f = wl_ptx_module_find_function(module, "f");
    assert_true(f == &module->functions[0] && f->has_body && !f->is_extern && !f->is_entry);
    assert_int_equal(f->result_count, 1);
    assert_int_equal(f->instruction_count, 2);
    const struct wl_ptx_function *g = wl_ptx_module_find_function(module, "g");
    assert_int_equal(g->results[0].space, WL_PTX_SPACE_REG);
    assert_int_equal(g->register_count, 2);
    assert_string_equal(g->registers[g->instructions[0].operands[1].reg].name, "%in");
    const struct wl_ptx_function *h = wl_ptx_module_find_function(module, "h");
    assert_string_equal(h->name, "h");
    assert_ptr_equal(h->instructions, g->instructions);
    const struct wl_ptx_function *v = wl_ptx_module_find_function(module, "v");
    assert_true(v->is_extern && !v->has_body);
    assert_int_equal(v->parameters[1].size_bytes, 0);
    assert_null(wl_ptx_module_find_function(module, "x"));
    assert_null(wl_ptx_module_find_function(module, "nowhere"));
    wl_ptx_module_free(module);
}

static void variables_have_shape_and_linkage(void **state)
{
    (void)state;
    struct wl_ptx_module *module = parse(
        HEADER ".visible .global .align 4 .b8 a[12];\n.weak .const .f64 c;\n"
               ".common .global .u32 m[2][3];\n.extern .shared .align 16 .b8 dyn[];\n"
               ".extern .global .u32 e;\n.global .attribute(.managed) .align 4 .u32 man;\n"
               ".global .v4 .f32 v;\n.visible .global .u32 e = 7;\n.extern .global .u32 e;\n"
               ".global .texref tex;\n.global .samplerref s = { addr_mode_0 = clamp_to_edge };\n"
               ".global .surfref su; .const[2] .u32 bank; .global .u8 l1, l2[3];\n");
    const struct wl_ptx_variable *a = wl_ptx_module_find_variable(module, "a");
    assert_int_equal(a->size_bytes, 12);
    assert_int_equal(a->alignment, 4);
    assert_true(a->is_visible && !a->is_extern && !a->initial);
    assert_int_equal(wl_ptx_module_find_variable(module, "c")->space, WL_PTX_SPACE_CONST);
    assert_true(wl_ptx_module_find_variable(module, "c")->is_visible);
    assert_int_equal(wl_ptx_module_find_variable(module, "m")->size_bytes, 24);
    const struct wl_ptx_variable *dynamic = wl_ptx_module_find_variable(module, "dyn");
    assert_true(dynamic->is_extern && dynamic->size_bytes == 0 && dynamic->alignment == 16);
    const struct wl_ptx_variable *e = wl_ptx_module_find_variable(module, "e");
    assert_true(!e->is_extern && e->is_visible && e->initial[0] == 7);
    assert_true(wl_ptx_module_find_variable(module, "man")->is_managed);
    assert_int_equal(wl_ptx_module_find_variable(module, "v")->size_bytes, 16);
    assert_int_equal(wl_ptx_module_find_variable(module, "v")->alignment, 16);
    assert_int_equal(wl_ptx_module_find_variable(module, "s")->type, WL_PTX_SAMPLERREF);
    assert_int_equal(wl_ptx_module_find_variable(module, "l2")->size_bytes, 3);
    assert_int_equal(module->variable_count, 13);
    assert_null(wl_ptx_module_find_variable(module, "f"));
    wl_ptx_module_free(module);
}

static void check_bytes(const struct wl_ptx_module *module, const char *name, const char *hex)
{
    const struct wl_ptx_variable *variable = wl_ptx_module_find_variable(module, name);
    char actual[256] = "";
    assert_non_null(variable->initial);
    for (uint64_t i = 0; i < variable->size_bytes; i++)
        snprintf(actual + 2 * i, sizeof actual - 2 * i, "%02x", variable->initial[i]);
    assert_string_equal(actual, hex);
}

static void initialisers_become_bytes(void **state)
{
    (void)state;
    struct wl_ptx_module *module = parse(
        HEADER ".global .b8 a[4] = {1, 0xff, -2};\n.const .u32 b[2][2] = {{1}, {2, 3}};\n"
               ".global .f32 c[3] = {0f3F800000, 1.5, 2};\n.global .f64 d = 0d3FF0000000000000;\n"
               ".global .f64 e[2] = {0f3F800000, -1e-3};\n.global .u16 f[] = {1, 2, 3,};\n"
               ".global .b16 g = 012;\n.global .u64 h = 18446744073709551615;\n"
               ".global .s64 i = -9223372036854775808;\n.global .v2 .u8 j[2] = {{1,2},{3,4}};\n"
               ".global .u8 k[][2] = {{1}, 2, {3, 4}};\n.global .u32 l = {5};\n"
               ".global .b32 m = 0f3F800000;\n.global .u8 n[2][2] = {1, 2, 3, 4};\n");
    check_bytes(module, "a", "01fffe00");
    check_bytes(module, "b", "01000000000000000200000003000000");
    check_bytes(module, "c", "0000803f0000c03f00000040");
    check_bytes(module, "d", "000000000000f03f");
    check_bytes(module, "e", "000000000000f03ffca9f1d24d6250bf");
    check_bytes(module, "f", "010002000300");
    check_bytes(module, "g", "0a00");
    check_bytes(module, "h", "ffffffffffffffff");
    check_bytes(module, "i", "0000000000000080");
    check_bytes(module, "j", "01020304");
    check_bytes(module, "k", "010002000304");
    check_bytes(module, "l", "05000000");
    check_bytes(module, "m", "0000803f");
    check_bytes(module, "n", "01020304");
    wl_ptx_module_free(module);
}

static void initialisers_hold_addresses(void **state)
{
    (void)state;
    struct wl_ptx_module *module = parse(
        HEADER ".global .b8 s[8];\n.func f;\n"
               ".global .u64 t[4] = {generic(s), s+8, generic(s)-4, 2 + generic(s + 1)};\n"
               ".global .u64 fns[2] = {0, f};\n.global .b32 narrow = s;\n"
               ".global .b8 packed[9] = {7, 0xFF(s+2), 0xFF00(s+2), 0xFF0000(s+2), 0xFF000000(s+2),"
               " 0xFF00000000(s+2), 0xFF0000000000(s+2), 0xFF000000000000(s+2), "
               "0xFF00000000000000(s+2)};\n"
               ".global .b8 part[2] = {0xFF00(generic(s)), 0xFF000000(generic(s))};\n");
    const struct wl_ptx_variable *t = wl_ptx_module_find_variable(module, "t");
    static const struct {
        int64_t addend;
        bool is_generic;
    } expected[] = {{0, true}, {8, false}, {-4, true}, {3, true}};
    assert_int_equal(t->relocation_count, 4);
    for (unsigned i = 0; i < 4; i++) {
        assert_int_equal(t->relocations[i].offset, 8 * i);
        assert_int_equal(t->relocations[i].width_bytes, 8);
        assert_int_equal(t->relocations[i].first_byte, 0);
        assert_string_equal(t->relocations[i].symbol, "s");
        assert_int_equal(t->relocations[i].addend, expected[i].addend);
        assert_int_equal(t->relocations[i].is_generic, expected[i].is_generic);
    }
    const struct wl_ptx_variable *fns = wl_ptx_module_find_variable(module, "fns");
    assert_int_equal(fns->relocation_count, 1);
    assert_int_equal(fns->relocations[0].offset, 8);
    assert_string_equal(fns->relocations[0].symbol, "f");
    assert_int_equal(wl_ptx_module_find_variable(module, "narrow")->relocations[0].width_bytes, 4);
    const struct wl_ptx_variable *packed = wl_ptx_module_find_variable(module, "packed");
    assert_int_equal(packed->relocation_count, 1);
    assert_int_equal(packed->relocations[0].offset, 1);
    assert_int_equal(packed->relocations[0].width_bytes, 8);
    assert_int_equal(packed->relocations[0].addend, 2);
    const struct wl_ptx_variable *part = wl_ptx_module_find_variable(module, "part");
    assert_int_equal(part->relocation_count, 2);
    assert_int_equal(part->relocations[0].first_byte, 1);
    assert_int_equal(part->relocations[1].first_byte, 3);
    assert_int_equal(part->relocations[1].width_bytes, 1);
    wl_ptx_module_free(module);
}

static void many_names_are_kept_apart(void **state)
{
    (void)state;
    enum { NAMES = 20000 };
    struct wl_text text = {0};
    wl_text_add(&text, HEADER);
    for (int i = 0; i < NAMES; i++)
        wl_text_addf(&text, ".global .u32 v%d = %d;\n", i, i);
    struct wl_ptx_module *module = parse(text.data);
    wl_text_free(&text);
    assert_int_equal(module->variable_count, NAMES);
    for (int i = 0; i < NAMES; i += 7) {
        char name[16];
        uint32_t value;
        snprintf(name, sizeof name, "v%d", i);
        memcpy(&value, wl_ptx_module_find_variable(module, name)->initial, sizeof value);
        assert_int_equal(value, i);
    }
    wl_ptx_module_free(module);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(module_directives_are_read),
        cmocka_unit_test(text_may_lack_an_end),
        cmocka_unit_test(types_have_names_and_sizes),
        cmocka_unit_test(entry_headers_are_read),
        cmocka_unit_test(functions_have_results_and_register_parameters),
        cmocka_unit_test(variables_have_shape_and_linkage),
        cmocka_unit_test(initialisers_become_bytes),
        cmocka_unit_test(initialisers_hold_addresses),
        cmocka_unit_test(many_names_are_kept_apart),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
