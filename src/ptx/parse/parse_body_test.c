/* What well-formed PTX becomes: bodies, instructions, operands. */
#include "base/count.h"
#include "support/parse_support.h"

/* Registers of every kind for tests of operands. */
static const char registers[] =
    ".reg .pred %p<4>; .reg .b16 %rs<4>; .reg .b32 %r<16>; .reg .f32 %f<8>; .reg .b64 %rd<8>; "
    ".reg .v4 .b32 %v; .shared .align 16 .b8 sm[64];";

static const char *register_name(const struct wl_ptx_function *function, int32_t index)
{
    assert_in_range(index, 0, (int64_t)function->register_count - 1);
    return function->registers[index].name;
}

/* A kernel k with those registers and this code, which is on line 7. */
static struct wl_ptx_module *parse_body(const char *code)
{
    char text[4096];
    snprintf(text, sizeof text, "%s%s%s%s%s", HEADER,
             ".extern .func (.param .b32 r) f(.param .b64 x);\n"
             ".global .u32 g[4];\n.entry k(.param .u64 a) {\n",
             registers, code, "\n}\n");
    return parse(text);
}

static const struct wl_ptx_function *kernel(const struct wl_ptx_module *module)
{
    return wl_ptx_module_find_function(module, "k");
}

/* Parses one instruction; the caller frees the module. */
static const struct wl_ptx_instruction *parse_one(struct wl_ptx_module **module, const char *code)
{
    *module = parse_body(code);
    assert_int_equal(kernel(*module)->instruction_count, 1);
    return &kernel(*module)->instructions[0];
}

/* Writes operands as text that shows every field that is set. */
static void describe(const struct wl_ptx_function *function, const struct wl_ptx_operand *operands,
                     uint32_t count, char *out, size_t size)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct wl_ptx_operand *operand = &operands[i];
        size_t used = strlen(out);
        const char *name = operand->reg >= 0 ? register_name(function, operand->reg)
                           : operand->name   ? operand->name
                                             : "";
        static const char *const kinds[] = {"register", "special", "integer", "float", "symbol",
                                            "address",  "vector",  "label",   "sink"};
        used += (size_t)snprintf(out + used, size - used, "%s%s%s", i ? " " : "",
                                 operand->negated ? "-" : "", kinds[operand->kind]);
        used += (size_t)snprintf(out + used, size - used, "%s%s", *name ? ":" : "", name);
        if (operand->reg >= 0 && function->registers[operand->reg].vector_width != 1)
            used += (size_t)snprintf(out + used, size - used, "/%u",
                                     function->registers[operand->reg].vector_width);
        if (operand->component)
            used += (size_t)snprintf(out + used, size - used, ".%u", operand->component);
        if (operand->second_reg >= 0)
            used += (size_t)snprintf(out + used, size - used, "|%s",
                                     register_name(function, operand->second_reg));
        if (operand->integer)
            used += (size_t)snprintf(out + used, size - used, "%+lld", (long long)operand->integer);
        if (operand->target >= 0)
            used += (size_t)snprintf(out + used, size - used, "@%d", operand->target);
        if (operand->kind == WL_PTX_OPERAND_VECTOR) {
            strcat(out, "(");
            describe(function, operand->items, operand->item_count, out, size);
            strcat(out, ")");
        }
    }
}

static void check_operands(const struct wl_ptx_function *function, uint32_t index,
                           const char *expected)
{
    char text[1024] = "";
    assert_in_range(index, 0, function->instruction_count - 1);
    const struct wl_ptx_instruction *instruction = &function->instructions[index];
    describe(function, instruction->operands, instruction->operand_count, text, sizeof text);
    assert_string_equal(text, expected);
}

static void instructions_keep_opcode_and_modifiers(void **state)
{
    (void)state;
    static const struct {
        const char *code, *opcode, *modifiers;
    } rows[] = {
        {"ret;", "ret", ""},
        {"ld.global.nc.L1::no_allocate.L2::128B.v4.f32 {%f1,%f2,%f3,%f4}, [%rd1];", "ld",
         "global nc L1::no_allocate L2::128B v4 f32"},
        {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f1,%f2}, {%r1,%r2}, {%r3}, {%f3};",
         "mma", "sync aligned m16n8k16 row col f32 f16 f16 f32"},
        {"cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%r1], "
         "[%rd1, {%r2, %r3}], [%r4];",
         "cp", "async bulk tensor 2d shared::cluster global mbarrier::complete_tx::bytes"},
        {"tex.1d.v4.s32.f32 {%r1,%r2,%r3,%r4}, [%rd1, {%f1}];", "tex", "1d v4 s32 f32"},
        {"ld.global.u32 %r1, [%rd1].unified;", "ld", "global u32 unified"},
        {"bar .sync 0;", "bar", "sync"},
    };
    for (size_t i = 0; i < WL_COUNT(rows); i++) {
        struct wl_ptx_module *module;
        const struct wl_ptx_instruction *instruction = parse_one(&module, rows[i].code);
        char modifiers[256] = "";
        for (int j = 0; j < instruction->modifier_count; j++) {
            strcat(modifiers, j ? " " : "");
            strcat(modifiers, instruction->modifiers[j]);
        }
        assert_string_equal(instruction->opcode, rows[i].opcode);
        assert_string_equal(modifiers, rows[i].modifiers);
        assert_int_equal(instruction->guard, -1);
        assert_int_equal(instruction->location, -1);
        assert_int_equal(instruction->text_line, 7);
        size_t length = strlen(rows[i].code) - 1;
        assert_int_equal(instruction->text_length, length);
        assert_memory_equal(module->text + instruction->text_offset, rows[i].code, length);
        wl_ptx_module_free(module);
    }
}

static void modifiers_can_be_asked_for(void **state)
{
    (void)state;
    struct wl_ptx_module *module;
    const struct wl_ptx_instruction *instruction =
        parse_one(&module, "ld.shared::cta.u8 %r1, [sm];");
    assert_true(wl_ptx_instruction_has(instruction, "shared::cta"));
    assert_true(wl_ptx_instruction_has(instruction, "u8"));
    assert_false(wl_ptx_instruction_has(instruction, "shared"));
    assert_false(wl_ptx_instruction_has(instruction, "ld"));
    wl_ptx_module_free(module);
}

static void guards_are_predicates(void **state)
{
    (void)state;
    struct wl_ptx_module *module = parse_body("@%p1 ret;\n @ ! %p2 exit;");
    const struct wl_ptx_function *k = kernel(module);
    assert_string_equal(register_name(k, k->instructions[0].guard), "%p1");
    assert_false(k->instructions[0].guard_negated);
    assert_string_equal(register_name(k, k->instructions[1].guard), "%p2");
    assert_true(k->instructions[1].guard_negated);
    assert_int_equal(k->instructions[0].text_length, strlen("@%p1 ret"));
    wl_ptx_module_free(module);
}

static void constants_are_folded(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t value;
    } rows[] = {
        {"0", 0},
        {"-1", -1},
        {"0x1F", 31},
        {"0XffU", 255},
        {"017", 15},
        {"0b101", 5},
        {"7U", 7},
        {"18446744073709551615", -1},
        {"-9223372036854775808", INT64_MIN},
        {"+3", 3},
        {"~0", -1},
        {"!5", 0},
        {"!0", 1},
        {"- -2", 2},
        {"1+2*3", 7},
        {"(1+2)*3", 9},
        {"7-2-1", 4},
        {"7/2", 3},
        {"-7/2", -3},
        {"-7%4", -3},
        {"7%4", 3},
        {"7 % 4", 3},
        {"1<<4|1", 17},
        {"-8>>1", -4},
        {"0x8000000000000000>>63", 1},
        {"1<<64", 0},
        {"-1>>70", -1},
        {"6&3", 2},
        {"6^3", 5},
        {"1<2", 1},
        {"2<=1", 0},
        {"-1<1", 1},
        {"-1<1U", 0},
        {"2>1==1", 1},
        {"1!=1", 0},
        {"3>=3", 1},
        {"1&&0", 0},
        {"1||0", 1},
        {"1?2:3", 2},
        {"0?2:0?3:4", 4},
        {"(.s64)-1 < 0", 1},
        {"(.u64)-1 > 0", 1},
        {"(.s64) 2.9", 2},
        {"WARP_SZ", 32},
        {"WARP_SZ-1", 31},
        {"-WARP_SZ", -32},
        {"1.5 < 2", 1},
        {"1.5 == 1.5", 1},
        {"1.5 != 1.5", 0},
        {"1.5 > 2", 0},
        {"1.5 <= 1", 0},
        {"1.5 >= 1", 1},
        {"18446744073709551615 / 2", 9223372036854775807},
        {"7U % 4", 3},
        {"1.5 && 0.0", 0},
        {"-9223372036854775808/-1", INT64_MIN},
        {"-9223372036854775808%-1", 0},
        {"1 ? 2 : 1/1", 2},
    };
    for (size_t i = 0; i < WL_COUNT(rows); i++) {
        struct wl_ptx_module *module;
        char code[128];
        snprintf(code, sizeof code, "mov.b64 %%rd1, %s;", rows[i].text);
        const struct wl_ptx_operand *operand = &parse_one(&module, code)->operands[1];
        assert_int_equal(operand->kind, WL_PTX_OPERAND_INTEGER);
        if (operand->integer != rows[i].value)
            fail_msg("%s is %lld", rows[i].text, (long long)operand->integer);
        wl_ptx_module_free(module);
    }
}

static void floats_keep_their_bits(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool is_single;
        uint64_t bits;
    } rows[] = {
        {"0f3F800000", true, 0x3f800000},
        {"0F7fc00001", true, 0x7fc00001},
        {"-0f3F800000", true, 0xbf800000},
        {"0d3FF0000000000000", false, 0x3ff0000000000000},
        {"0DFFF0000000000000", false, 0xfff0000000000000},
        {"1.0", false, 0x3ff0000000000000},
        {"-2.5e1", false, 0xc039000000000000},
        {"1e3", false, 0x408f400000000000},
        {".5", false, 0x3fe0000000000000},
        {"5.", false, 0x4014000000000000},
        {"1.0 + 0f3F800000", false, 0x4000000000000000},
        {"3 / 2.0", false, 0x3ff8000000000000},
        {"2.0 * (1 - .5)", false, 0x3ff0000000000000},
    };
    for (size_t i = 0; i < WL_COUNT(rows); i++) {
        struct wl_ptx_module *module;
        char code[128];
        snprintf(code, sizeof code, "mov.f32 %%f1, %s;", rows[i].text);
        const struct wl_ptx_operand *operand = &parse_one(&module, code)->operands[1];
        assert_int_equal(operand->kind, WL_PTX_OPERAND_FLOAT);
        assert_int_equal(operand->is_single, rows[i].is_single);
        assert_int_equal(operand->bits, rows[i].bits);
        wl_ptx_module_free(module);
    }
}

static void operands_are_of_all_kinds(void **state)
{
    (void)state;
    static const struct {
        const char *code, *operands;
    } rows[] = {
        {"ret;", ""},
        {"mov.u32 %r1, %tid.x;", "register:%r1 special:%tid.x"},
        {"mov.u32 %r1, %laneid;", "register:%r1 special:%laneid"},
        {"mov.u64 %rd1, %clock64;", "register:%rd1 special:%clock64"},
        {"mov.u32 %r1, %envreg31;", "register:%r1 special:%envreg31"},
        {"mov.v4.u32 %v, %ctaid;",
         "vector(register:%v/4 register:%v/0 register:%v/0 register:%v/0) special:%ctaid"},
        {"mov.u32 %r1, %v.x;", "register:%r1 register:%v/4"},
        {"mov.u32 %r1, %v.g;", "register:%r1 register:%v/0"},
        {"vadd.u32.u32.u32 %r1, %r2.b3, %r3.h1;", "register:%r1 register:%r2.8 register:%r3.10"},
        {"mov.b64 %rd1, {%r1,%r2};", "register:%rd1 vector(register:%r1 register:%r2)"},
        {"mov.b64 {%r1, _}, %rd1;", "vector(register:%r1 sink) register:%rd1"},
        {"mov.u64 %rd1, g;", "register:%rd1 symbol:g"},
        {"mov.u64 %rd1, g+8;", "register:%rd1 symbol:g+8"},
        {"mov.u64 %rd1, g-4*2;", "register:%rd1 symbol:g-8"},
        {"mov.u64 %rd1, f;", "register:%rd1 symbol:f"},
        {"mov.u64 %rd1, g[2];", "register:%rd1 symbol:g+8"},
        {"ld.global.u32 %r1, g[3];", "register:%r1 address:g+12"},
        {"ld.global.u32 %r1, [%rd1];", "register:%r1 address:%rd1"},
        {"ld.global.u32 %r1, [%rd1+4];", "register:%r1 address:%rd1+4"},
        {"ld.global.u32 %r1, [%rd1+-4];", "register:%r1 address:%rd1-4"},
        {"ld.global.u32 %r1, [%rd1-4];", "register:%r1 address:%rd1-4"},
        {"ld.global.u32 %r1, [ %rd1 + (2+2)*4 ];", "register:%r1 address:%rd1+16"},
        {"ld.param.u64 %rd1, [a];", "register:%rd1 address:a"},
        {"st.shared.u32 [sm+8], %r1;", "address:sm+8 register:%r1"},
        {"ld.shared.u32 %r1, [16];", "register:%r1 address+16"},
        {"neg.s32 %r1, -%r2;", "register:%r1 -register:%r2"},
        {"and.pred %p1, !%p2, %p3;", "register:%p1 -register:%p2 register:%p3"},
        {"add.s32 %r1, %r2, -5;", "register:%r1 register:%r2 integer-5"},
        {"add.s32 %r1, %r2, WARP_SZ;", "register:%r1 register:%r2 integer+32"},
        {"setp.lt.and.s32 %p1|%p2, %r1, %r2, %p3;",
         "register:%p1|%p2 register:%r1 register:%r2 register:%p3"},
        {"shfl.sync.down.b32 %r1|%p1, %r2, 1, 31, -1;",
         "register:%r1|%p1 register:%r2 integer+1 integer+31 integer-1"},
        {"elect.sync _|%p1, 0xffff;", "sink|%p1 integer+65535"},
        {"match.all.sync.b32 %r1|_, %r2, 1;", "register:%r1 register:%r2 integer+1"},
        {"tex.2d.v4.f32.f32 {%f1,%f2,%f3,%f4}, [%rd1, {%f5, %f6}];",
         "vector(register:%f1 register:%f2 register:%f3 register:%f4) "
         "vector(address:%rd1 vector(register:%f5 register:%f6))"},
        {"tex.1d.v4.f32.s32 {%f1,_,_,_}, [g, sm, {%r1}];",
         "vector(register:%f1 sink sink sink) vector(address:g symbol:sm vector(register:%r1))"},
        {"cp.async.bulk.tensor.2d.shared::cluster.global [%r1+4], [%rd1, {%r2, 0}], [%r4];",
         "address:%r1+4 vector(address:%rd1 vector(register:%r2 integer)) address:%r4"},
        {"call (%r1), f, (%rd1, 5);",
         "vector(register:%r1) symbol:f vector(register:%rd1 integer+5)"},
        {"call.uni f, (%rd1);", "vector() symbol:f vector(register:%rd1)"},
        {"call (%r1),f;", "vector(register:%r1) symbol:f vector()"},
        {"call f;", "vector() symbol:f vector()"},
        {"call f, ();", "vector() symbol:f vector()"},
    };
    for (size_t i = 0; i < WL_COUNT(rows); i++) {
        struct wl_ptx_module *module;
        parse_one(&module, rows[i].code);
        check_operands(kernel(module), 0, rows[i].operands);
        wl_ptx_module_free(module);
    }
}

static void indirect_calls_name_their_prototype(void **state)
{
    (void)state;
    struct wl_ptx_module *module =
        parse_body("{ .param .b32 r0; .param .b64 param0;\n"
                   "prototype_0 : .callprototype (.param .b32 _) _ (.param .b64 _) .noreturn;\n"
                   "T: .calltargets f, k;\n"
                   "call (r0), %rd1, (param0), prototype_0;\ncall %rd1, T;\n}");
    check_operands(kernel(module), 0,
                   "vector(symbol:r0) register:%rd1 vector(symbol:param0) label:prototype_0");
    check_operands(kernel(module), 1, "vector() register:%rd1 vector() label:T");
    assert_int_equal(kernel(module)->target_table_count, 2);
    assert_int_equal(kernel(module)->target_tables[0].count, 0);
    assert_int_equal(kernel(module)->target_tables[1].count, 2);
    assert_string_equal(kernel(module)->target_tables[1].labels[1], "k");
    assert_int_equal(kernel(module)->target_tables[1].targets[1], -1);
    wl_ptx_module_free(module);
}

static void branches_find_their_labels(void **state)
{
    (void)state;
    struct wl_ptx_module *module = parse_body("TOP: bra END;\n bra.uni TOP;\n MID: @%p1 bra MID;\n"
                                              "{ bra END; bra END; END: } END:");
    const struct wl_ptx_function *k = kernel(module);
    check_operands(k, 0, "label:END@5");
    check_operands(k, 1, "label:TOP@0");
    check_operands(k, 2, "label:MID@2");
    check_operands(k, 3, "label:END@5");
    assert_int_equal(k->instruction_count, 5);
    wl_ptx_module_free(module);
}

static void labels_belong_to_their_scope(void **state)
{
    (void)state;
    struct wl_ptx_module *module =
        parse_body("L: { bra L; ret; L: bra L; { bra L; } }\n{ L: bra L; }\nbra L;");
    const struct wl_ptx_function *k = kernel(module);
    check_operands(k, 0, "label:L@2");
    check_operands(k, 2, "label:L@2");
    check_operands(k, 3, "label:L@2");
    check_operands(k, 4, "label:L@4");
    check_operands(k, 5, "label:L@0");
    wl_ptx_module_free(module);
}

static void switches_have_target_tables(void **state)
{
    (void)state;
    struct wl_ptx_module *module =
        parse_body("T: .branchtargets A, B,\n A;\nbrx.idx %r1, T;\nA: ret;\nB: ret;");
    const struct wl_ptx_function *k = kernel(module);
    check_operands(k, 0, "register:%r1 label:T");
    assert_int_equal(k->target_table_count, 1);
    const struct wl_ptx_target_table *table = &k->target_tables[0];
    assert_string_equal(table->name, "T");
    assert_int_equal(table->count, 3);
    assert_string_equal(table->labels[1], "B");
    assert_int_equal(table->targets[0], 1);
    assert_int_equal(table->targets[1], 2);
    assert_int_equal(table->targets[2], 1);
    wl_ptx_module_free(module);
}

static void variables_of_several_scopes_have_unique_names(void **state)
{
    (void)state;
    struct wl_ptx_module *module =
        parse_body("{ .param .b32 p; st.param.b32 [p], 1; }\n"
                   "{ .param .b64 p; st.param.b64 [p+0], 1; call f, (p); }\n"
                   "{ .local .b8 a[3]; .local .u32 g; ld.local.u8 %r1, [a]; mov.u64 %rd1, g; }\n"
                   "ld.param.u64 %rd1, [a]; mov.u64 %rd1, g;");
    const struct wl_ptx_function *k = kernel(module);
    assert_int_equal(k->variable_count, 5);
    assert_string_equal(k->variables[0].name, "sm");
    assert_string_equal(k->variables[1].name, "p");
    assert_string_equal(k->variables[2].name, "p#2");
    assert_int_equal(k->variables[2].size_bytes, 8);
    assert_int_equal(k->variables[2].space, WL_PTX_SPACE_PARAM);
    assert_string_equal(k->variables[3].name, "a#2");
    assert_string_equal(k->variables[4].name, "g#1");
    check_operands(k, 0, "address:p integer+1");
    check_operands(k, 1, "address:p#2 integer+1");
    check_operands(k, 2, "vector() symbol:f vector(symbol:p#2)");
    check_operands(k, 3, "register:%r1 address:a#2");
    check_operands(k, 4, "register:%rd1 symbol:g#1");
    check_operands(k, 5, "register:%rd1 address:a");
    check_operands(k, 6, "register:%rd1 symbol:g");
    wl_ptx_module_free(module);
}

static void globals_of_a_body_belong_to_the_module(void **state)
{
    (void)state;
    struct wl_ptx_module *module = parse_body(".global .u32 h = 3; mov.u64 %rd1, h;");
    const struct wl_ptx_operand *operand = &kernel(module)->instructions[0].operands[1];
    assert_string_not_equal(operand->name, "h");
    assert_int_equal(wl_ptx_module_find_variable(module, operand->name)->initial[0], 3);
    assert_null(wl_ptx_module_find_variable(module, "h"));
    wl_ptx_module_free(module);
}

static void registers_of_ranges_come_with_their_use(void **state)
{
    (void)state;
    struct wl_ptx_module *module =
        parse(HEADER ".entry k { .reg .b32 %r<1000000>; .reg .b64 %r1<5>, %x; .reg .v2 .f32 v;\n"
                     "mov.b32 %r999999, %r0; mov.b64 %r14, %x; mov.b32 %r15, %r999999; }\n"
                     ".entry l { .reg .f32 %r<2>; mov.f32 %r1, 1.0; }");
    const struct wl_ptx_function *k = kernel(module);
    static const struct wl_ptx_register expected[] = {
        {"%x", WL_PTX_B64, 1},       {"v", WL_PTX_F32, 2},   {"v", WL_PTX_F32, 0},
        {"%r999999", WL_PTX_B32, 1}, {"%r0", WL_PTX_B32, 1}, {"%r14", WL_PTX_B32, 1},
        {"%r15", WL_PTX_B32, 1},
    };
    assert_int_equal(k->register_count, WL_COUNT(expected));
    for (uint32_t i = 0; i < k->register_count; i++) {
        assert_string_equal(k->registers[i].name, expected[i].name);
        assert_int_equal(k->registers[i].vector_width, expected[i].vector_width);
        if (strcmp(expected[i].name, "%r14") != 0) /* of either range */
            assert_int_equal(k->registers[i].type, expected[i].type);
    }
    assert_int_equal(module->functions[1].registers[0].type, WL_PTX_F32);
    wl_ptx_module_free(module);
}

static void inner_registers_hide_outer_ones(void **state)
{
    (void)state;
    struct wl_ptx_module *module = parse_body(
        "mov.u32 %r1, 1;\n"
        "{ .reg .b64 %r<2>; .reg .f32 x; mov.b64 %r1, 2; mov.u32 %r2, 3; mov.f32 x, 4.0; "
        "{ .reg .pred x; @x ret; } }\nmov.u32 %r1, 5;");
    const struct wl_ptx_function *k = kernel(module);
    const int32_t outer = k->instructions[0].operands[0].reg;
    const int32_t inner = k->instructions[1].operands[0].reg;
    assert_int_equal(k->registers[outer].type, WL_PTX_B32);
    assert_int_equal(k->registers[inner].type, WL_PTX_B64);
    assert_int_equal(k->registers[k->instructions[2].operands[0].reg].type, WL_PTX_B32);
    assert_int_equal(k->registers[k->instructions[3].operands[0].reg].type, WL_PTX_F32);
    assert_int_equal(k->registers[k->instructions[4].guard].type, WL_PTX_PRED);
    assert_int_equal(k->instructions[5].operands[0].reg, outer);
    wl_ptx_module_free(module);
}

static void equal_names_are_one_string(void **state)
{
    (void)state;
    struct wl_ptx_module *module = parse_body("ld.global.u32 %r1, [g]; ld.global.u32 %r2, [g];");
    const struct wl_ptx_instruction *first = &kernel(module)->instructions[0], *second = first + 1;
    assert_ptr_equal(first->opcode, second->opcode);
    assert_ptr_equal(first->modifiers[1], second->modifiers[1]);
    assert_ptr_equal(first->operands[1].name, second->operands[1].name);
    assert_ptr_equal(first->operands[1].name, wl_ptx_module_find_variable(module, "g")->name);
    wl_ptx_module_free(module);
}

static void foreign_styles_are_read(void **state)
{
    (void)state;
    /* as GCC writes it: no blanks, % in names of variables, $ in names of functions */
    struct wl_ptx_module *module =
        parse(HEADER ".visible .func (.param.u32 %value_out) main$_fn$0 (.param.u64 %in_ar0)\n{\n"
                     ".reg.u64 %ar0;\nld.param.u64 %ar0,[%in_ar0];\n.reg.u32 %r22,%value;\n"
                     ".local .align 16 .b8 %frame_ar[32];\n.reg .u64 %frame;\n"
                     "cvta.local.u64 %frame,%frame_ar;\n$L2:\n{\n.param.u32 %value_in;\n"
                     "call (%value_in),main$_fn$0,(%frame);\nld.param.u32 %r22,[%value_in];\n}\n"
                     "bra $L2;;\n}\n");
    const struct wl_ptx_function *function = wl_ptx_module_find_function(module, "main$_fn$0");
    check_operands(function, 0, "register:%ar0 address:%in_ar0");
    check_operands(function, 1, "register:%frame symbol:%frame_ar");
    check_operands(function, 2,
                   "vector(symbol:%value_in) symbol:main$_fn$0 vector(register:%frame)");
    check_operands(function, 4, "label:$L2@2");
    wl_ptx_module_free(module);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instructions_keep_opcode_and_modifiers),
        cmocka_unit_test(modifiers_can_be_asked_for),
        cmocka_unit_test(guards_are_predicates),
        cmocka_unit_test(constants_are_folded),
        cmocka_unit_test(floats_keep_their_bits),
        cmocka_unit_test(operands_are_of_all_kinds),
        cmocka_unit_test(indirect_calls_name_their_prototype),
        cmocka_unit_test(branches_find_their_labels),
        cmocka_unit_test(labels_belong_to_their_scope),
        cmocka_unit_test(switches_have_target_tables),
        cmocka_unit_test(variables_of_several_scopes_have_unique_names),
        cmocka_unit_test(globals_of_a_body_belong_to_the_module),
        cmocka_unit_test(registers_of_ranges_come_with_their_use),
        cmocka_unit_test(inner_registers_hide_outer_ones),
        cmocka_unit_test(equal_names_are_one_string),
        cmocka_unit_test(foreign_styles_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
