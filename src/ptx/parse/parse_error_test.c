/* What is said about PTX that is wrong: where, what, and the line with a caret. */
#include <stdlib.h>

#include "base/count.h"
#include "base/text.h"
#include "support/parse_support.h"

struct row {
    const char *text, *where, *message;
};

/* Whole texts. */
static const struct row module_rows[] = {
    {"", "t.ptx:1:1", "expected '.version', found the end of the text\n\n^"},
    {".target sm_90\n", "t.ptx:1:1", "expected '.version', found '.target'\n.target sm_90\n^"},
    {"\177ELF\2\1", "t.ptx:1:1", "this character has no place in PTX\n ELF  \n^"},
    {".version 9\n", "t.ptx:1:10",
     "expected a version such as 9.0, found '9'\n.version 9\n         ^"},
    {".version 9.0\n.version 9.0\n", "t.ptx:2:1",
     "expected a function, a variable or a directive, found '.version'\n.version 9.0\n^"},
    {".version 9.0\n.target x90\n", "t.ptx:2:9",
     "expected a target such as sm_90, found 'x90'\n.target x90\n        ^"},
    {".version 9.0\n.target sm_90b\n", "t.ptx:2:9",
     "expected a target such as sm_90, found 'sm_90b'\n.target sm_90b\n        ^"},
    {".version 9.0\n.address_size 16\n", "t.ptx:2:15",
     "expected 32 or 64, found '16'\n.address_size 16\n              ^"},
    {HEADER "ret;\n", "t.ptx:4:1",
     "expected a function, a variable or a directive, found 'ret'\nret;\n^"},
    {HEADER ".foo 3\n", "t.ptx:4:1",
     "expected a function, a variable or a directive, found '.foo'\n.foo 3\n^"},
    {HEADER "/* open\n", "t.ptx:4:1", "this comment is not closed\n/* open\n^"},
    {HEADER ".file 1 \"abc\n", "t.ptx:4:9", "this string is not closed\n.file 1 \"abc\n        ^"},
    {HEADER "  \1\n", "t.ptx:4:3", "this character has no place in PTX\n   \n  ^"},
    {HEADER ". global\n", "t.ptx:4:1", "a word must follow this dot\n. global\n^"},
    {HEADER ".global .u32 g;\n.global .u32 g;\n", "t.ptx:5:14",
     "g is already declared in line 4\n.global .u32 g;\n             ^"},
    {HEADER ".func f { ret; }\n.func f { ret; }\n", "t.ptx:5:7",
     "f is already declared in line 4\n.func f { ret; }\n      ^"},
    {HEADER ".global .u32 f;\n.func f;\n", "t.ptx:5:7",
     "f is already declared in line 4\n.func f;\n      ^"},
    {HEADER ".entry k(.param .u64 a)\nret;\n", "t.ptx:4:24",
     "expected '{' or ';', found 'ret'\n.entry k(.param .u64 a)\n                       ^"},
    {HEADER ".entry k {\nret;\n", "t.ptx:4:10", "this body is not closed\n.entry k {\n         ^"},
    {HEADER ".entry k(.u64 a) { }\n", "t.ptx:4:10",
     "expected '.param' or '.reg', found '.u64'\n.entry k(.u64 a) { }\n         ^"},
    {HEADER ".entry k(.param .u64 a .param .u64 b) { }\n", "t.ptx:4:24",
     "expected ',' or ')', found '.param'\n.entry k(.param .u64 a .param .u64 b) { }\n             "
     "          ^"},
    {HEADER ".global x;\n", "t.ptx:4:9", "expected a type, found 'x'\n.global x;\n        ^"},
    {HEADER ".global .u128 x;\n", "t.ptx:4:9",
     "expected a type, found '.u128'\n.global .u128 x;\n        ^"},
    {HEADER ".global .align 3 .b8 x;\n", "t.ptx:4:16",
     "an alignment must be a power of two\n.global .align 3 .b8 x;\n               ^"},
    {HEADER ".global .b8 x[-1];\n", "t.ptx:4:14",
     "an array needs a positive size\n.global .b8 x[-1];\n             ^"},
    {HEADER ".global .b8 x[2][];\n", "t.ptx:4:17",
     "an array needs a positive size\n.global .b8 x[2][];\n                ^"},
    {HEADER ".global .b8 x[99999999999999999];\n", "t.ptx:4:14",
     "this array is too large\n.global .b8 x[99999999999999999];\n             ^"},
    {HEADER ".global .u32 x[2] = {1,2,3};\n", "t.ptx:4:26",
     "there are more initial values than elements\n.global .u32 x[2] = {1,2,3};\n                  "
     "       ^"},
    {HEADER ".global .u32 x[2] = 1;\n", "t.ptx:4:21",
     "expected '{', found '1'\n.global .u32 x[2] = 1;\n                    ^"},
    {HEADER ".global .u64 x = y;\n", "t.ptx:4:18",
     "y is not a variable or function\n.global .u64 x = y;\n                 ^"},
    {HEADER ".global .u16 x = x;\n", "t.ptx:4:18",
     "an address does not fit in .u16\n.global .u16 x = x;\n                 ^"},
    {HEADER ".global .u8 x = 0xff0(x);\n", "t.ptx:4:17",
     "a mask must select whole adjoining bytes\n.global .u8 x = 0xff0(x);\n                ^"},
    {HEADER ".global .u8 x = 0(x);\n", "t.ptx:4:17",
     "a mask must select whole adjoining bytes\n.global .u8 x = 0(x);\n                ^"},
    {HEADER ".global .b8 x[999999999] = {1};\n", "t.ptx:4:31",
     "the initialised variables are larger than 256 MiB\n.global .b8 x[999999999] = {1};\n         "
     "                     ^"},
    {HEADER ".file \"x\"\n", "t.ptx:4:7",
     "expected a file number, found a string\n.file \"x\"\n      ^"},
    {HEADER ".section .debug_str { \n", "t.ptx:4:21",
     "this section is not closed\n.section .debug_str { \n                    ^"},
    {HEADER ".section .debug_info { \n", "t.ptx:4:22",
     "this bracket is not closed\n.section .debug_info { \n                     ^"},
    {HEADER ".section .debug_str { L .b8 1 }\n", "t.ptx:4:25",
     "expected ':', found '.b8'\n.section .debug_str { L .b8 1 }\n                        ^"},
    {HEADER ".reg .b32 x;\n", "t.ptx:4:1",
     "expected a function, a variable or a directive, found '.reg'\n.reg .b32 x;\n^"},
    {HEADER ".global .align 0 .b8 x;\n", "t.ptx:4:16",
     "an alignment must be a power of two\n.global .align 0 .b8 x;\n               ^"},
    {HEADER ".func f;\n.alias f, g;\n", "t.ptx:5:11",
     "g is not a function\n.alias f, g;\n          ^"},
    {HEADER ".func f { ret; } .func g { ret; }\n.alias f, g;\n", "t.ptx:5:8",
     "f is already declared in line 4\n.alias f, g;\n       ^"},
    {HEADER ".entry k(.param .u64 a\n{ ret; }\n", "t.ptx:4:23",
     "expected ',' or ')', found '{'\n.entry k(.param .u64 a\n                      ^"},
    {HEADER ".loc 1 2 99999999999\n", "t.ptx:4:10",
     "this number is too large\n.loc 1 2 99999999999\n         ^"},
    {HEADER ".pragma 3;\n", "t.ptx:4:9", "expected a string, found '3'\n.pragma 3;\n        ^"},
    {HEADER ".global .u32 x;\n.alias x, x;\n", "t.ptx:5:8",
     "x is not a function\n.alias x, x;\n       ^"},
    {HEADER ".global .u8 x = 0xff(3);\n", "t.ptx:4:22",
     "only an address can be masked\n.global .u8 x = 0xff(3);\n                     ^"},
    {HEADER ".global .u64 x = generic(5);\n", "t.ptx:4:26",
     "generic() takes an address\n.global .u64 x = generic(5);\n                         ^"},
    {HEADER ".global .u64 x = -x;\n", "t.ptx:4:18",
     "this operator does not apply to an address\n.global .u64 x = -x;\n                 ^"},
    {HEADER ".global .u64 x = x * 2;\n", "t.ptx:4:20",
     "this operator does not apply to an address\n.global .u64 x = x * 2;\n                   ^"},
    {HEADER ".global .u64 x = x ? 1 : 2;\n", "t.ptx:4:20",
     "this operator does not apply to an address\n.global .u64 x = x ? 1 : 2;\n                   "
     "^"},
    {HEADER ".global .u64 x = 0xff(0xff(x));\n", "t.ptx:4:23",
     "only an address can be masked\n.global .u64 x = 0xff(0xff(x));\n                      ^"},
    {HEADER ".global .u32 x[2.5];\n", "t.ptx:4:16",
     "this must be an integer\n.global .u32 x[2.5];\n               ^"},
    {HEADER ".func .attribute f;\n", "t.ptx:4:18",
     "expected '(', found 'f'\n.func .attribute f;\n                 ^"},
    {HEADER ".file 1 \"a\", \"b\"\n", "t.ptx:4:14",
     "expected a number, found a string\n.file 1 \"a\", \"b\"\n             ^"},
    {HEADER ".global .u32 .u64 x;\n", "t.ptx:4:14",
     "this declaration has two types\n.global .u32 .u64 x;\n             ^"},
    {HEADER ".global .attribute x;\n", "t.ptx:4:20",
     "expected '(', found 'x'\n.global .attribute x;\n                   ^"},
    {HEADER ".entry k .maxntid ;\n", "t.ptx:4:19",
     "expected a number, found ';'\n.entry k .maxntid ;\n                  ^"},
    {HEADER ".entry k(.param .u64 a) }\n", "t.ptx:4:25",
     "expected '{' or ';', found '}'\n.entry k(.param .u64 a) }\n                        ^"},
    {HEADER ".section debug_str { }\n", "t.ptx:4:10",
     "expected a section name, found 'debug_str'\n.section debug_str { }\n         ^"},
    {HEADER ".section .debug_str;\n", "t.ptx:4:20",
     "expected '{', found ';'\n.section .debug_str;\n                   ^"},
    {HEADER ".section .debug_str { .f16x4 1 }\n", "t.ptx:4:23",
     "expected '.b8', found '.f16x4'\n.section .debug_str { .f16x4 1 }\n                      ^"},
    {HEADER ".entry 5\n", "t.ptx:4:8", "expected a function name, found '5'\n.entry 5\n       ^"},
    {HEADER ".const[11] .u32 x;\n", "t.ptx:4:8",
     "this number is too large\n.const[11] .u32 x;\n       ^"},
    {HEADER ".global .b8 x[2][3][999999999999];\n", "t.ptx:4:14",
     "this array is too large\n.global .b8 x[2][3][999999999999];\n             ^"},
};

/* Code of a kernel with a parameter a and some registers, from line 6 on. */
static const struct row body_rows[] = {
    {"mov.u32 %r1, 09;", "t.ptx:6:14", "malformed number\nmov.u32 %r1, 09;\n             ^"},
    {"mov.u32 %r1, 12ab;", "t.ptx:6:14", "malformed number\nmov.u32 %r1, 12ab;\n             ^"},
    {"mov.b64 %rd1, 0x1ffffffffffffffff;", "t.ptx:6:15",
     "this number does not fit in 64 bits\nmov.b64 %rd1, 0x1ffffffffffffffff;\n              ^"},
    {"mov.f32 %f1, 0f3F8;", "t.ptx:6:14", "malformed number\nmov.f32 %f1, 0f3F8;\n             ^"},
    {"mov.f32 %f1, 1e;", "t.ptx:6:14", "malformed number\nmov.f32 %f1, 1e;\n             ^"},
    {"mov.b32 %r1, 0x;", "t.ptx:6:14", "malformed number\nmov.b32 %r1, 0x;\n             ^"},
    {"add.s32 %r1, %r2, %r3\nret;", "t.ptx:6:22",
     "expected ',' or ';', found 'ret'\nadd.s32 %r1, %r2, %r3\n                     ^"},
    {"add.s32 %r1 %r2, %r3;", "t.ptx:6:13",
     "expected ',' or ';', found '%r2'\nadd.s32 %r1 %r2, %r3;\n            ^"},
    {"add.s32 %r1, , %r3;", "t.ptx:6:14",
     "expected an operand, found ','\nadd.s32 %r1, , %r3;\n             ^"},
    {"add.s32 %r1, %r2,;", "t.ptx:6:18",
     "expected an operand, found ';'\nadd.s32 %r1, %r2,;\n                 ^"},
    {"ld.global.u32 %r1, [%rd99];", "t.ptx:6:21",
     "register %rd99 is not declared\nld.global.u32 %r1, [%rd99];\n                    ^"},
    {"@%p9 ret;", "t.ptx:6:2", "register %p9 is not declared\n@%p9 ret;\n ^"},
    {"@%r1 ret;", "t.ptx:6:2", "%r1 is not a predicate register\n@%r1 ret;\n ^"},
    {"mov.u64 %rd1, foo;", "t.ptx:6:15",
     "foo is not declared\nmov.u64 %rd1, foo;\n              ^"},
    {"bra $L9;", "t.ptx:6:5", "label $L9 is not defined in this function\nbra $L9;\n    ^"},
    {"ld.param.u64 %rd1, [b];", "t.ptx:6:21",
     "b is not declared\nld.param.u64 %rd1, [b];\n                    ^"},
    {"bra a;", "t.ptx:6:5", "a is not a label\nbra a;\n    ^"},
    {"L: ld.global.u32 %r1, [L];", "t.ptx:6:24",
     "L is a label, not an address\nL: ld.global.u32 %r1, [L];\n                       ^"},
    {"ld.global.u32 %r1, [%rd1;", "t.ptx:6:25",
     "expected ']', found ';'\nld.global.u32 %r1, [%rd1;\n                        ^"},
    {"mov.b64 %rd1, {%r1, %r2;", "t.ptx:6:24",
     "expected ',' or '}', found ';'\nmov.b64 %rd1, {%r1, %r2;\n                       ^"},
    {"L:\nL: ret;", "t.ptx:7:1", "L is already declared in line 6\nL: ret;\n^"},
    {".reg .b32 %r3;", "t.ptx:6:11",
     "%r3 is already declared in line 5\n.reg .b32 %r3;\n          ^"},
    {".reg .b32 a;", "t.ptx:6:11", "a is already declared in line 4\n.reg .b32 a;\n          ^"},
    {".reg .b64 %r<4>;", "t.ptx:6:11",
     "%r is already declared in line 5\n.reg .b64 %r<4>;\n          ^"},
    {"{ ret;", "t.ptx:4:25",
     "this body is not closed\n.entry k(.param .u64 a) {\n                        ^"},
    {"ret; } }", "t.ptx:6:8",
     "expected a function, a variable or a directive, found '}'\nret; } }\n       ^"},
    {"add.s32 1,2,3,4,5,6,7,8,9,10,11;", "t.ptx:6:30",
     "too many operands\nadd.s32 1,2,3,4,5,6,7,8,9,10,11;\n                             ^"},
    {"a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r;", "t.ptx:6:34",
     "too many modifiers\na.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r;\n                                 "
     "^"},
    {"mov.u32 %r1, 1/0;", "t.ptx:6:15",
     "division by zero in a constant\nmov.u32 %r1, 1/0;\n              ^"},
    {"mov.u32 %r1, 1.0 % 2;", "t.ptx:6:18",
     "this operator does not apply to a floating-point number\nmov.u32 %r1, 1.0 % 2;\n             "
     "    ^"},
    {"add.s32 %r1, %r2, 1 + %r3;", "t.ptx:6:23",
     "expected a constant, found '%r3'\nadd.s32 %r1, %r2, 1 + %r3;\n                      ^"},
    {"mov.b32 %r1, -a;", "t.ptx:6:15",
     "only a register or number can be negated\nmov.b32 %r1, -a;\n              ^"},
    {"mov.b32 %r1, %r2.q;", "t.ptx:6:17",
     "this register has no part .q\nmov.b32 %r1, %r2.q;\n                ^"},
    {"mov.b32 %r1, %r2.x;", "t.ptx:6:17",
     "this register has no part .x\nmov.b32 %r1, %r2.x;\n                ^"},
    {".reg .v2 .b32 %v; mov.b32 %r1, %v.z;", "t.ptx:6:34",
     "this register has no part .z\n.reg .v2 .b32 %v; mov.b32 %r1, %v.z;\n"
     "                                 ^"},
    {"{ .param .b32 %P<2>; .param .b32 %P1; }", "t.ptx:6:34",
     "%P1 is already declared in line 6\n{ .param .b32 %P<2>; .param .b32 %P1; }\n"
     "                                 ^"},
    {"{ .param .b32 %P<5000>; }", "t.ptx:6:18",
     "this number is too large\n{ .param .b32 %P<5000>; }\n                 ^"},
    {"mov.b32 %r1, %tid.q;", "t.ptx:6:18",
     "%tid has no part .q\nmov.b32 %r1, %tid.q;\n                 ^"},
    {"%r1;", "t.ptx:6:1", "expected an instruction, found '%r1'\n%r1;\n^"},
    {"$x;", "t.ptx:6:1", "expected an instruction, found '$x'\n$x;\n^"},
    {")", "t.ptx:6:1", "expected an instruction, found ')'\n)\n^"},
    {"call (%r1) f;", "t.ptx:6:12", "expected ',', found 'f'\ncall (%r1) f;\n           ^"},
    {"call f, (%r1;", "t.ptx:6:13", "expected ',' or ')', found ';'\ncall f, (%r1;\n            ^"},
    {".loc 1 2;", "t.ptx:6:9", "expected a column number, found ';'\n.loc 1 2;\n        ^"},
    {".loc 1 2 3, foo 4\nret;", "t.ptx:6:13",
     "expected 'function_name' or 'inlined_at', found 'foo'\n.loc 1 2 3, foo 4\n            ^"},
    {"\tadd.s32\t%r1,\t%r2,\t%r44;", "t.ptx:6:20",
     "register %r44 is not declared\n add.s32 %r1, %r2, %r44;\n                   ^"},
    {"T: .branchtargets A, B; A: ret;", "t.ptx:6:22",
     "label B is not defined in this function\nT: .branchtargets A, B; A: ret;\n                   "
     "  ^"},
    {"T: .calltargets zz;", "t.ptx:6:17",
     "zz is not a function\nT: .calltargets zz;\n                ^"},
    {"mov.u64 %rd1, x; .reg .b64 x;", "t.ptx:6:15",
     "x is not declared before its use\nmov.u64 %rd1, x; .reg .b64 x;\n              ^"},
    {"mov.b32 %r1, (.u32) 5;", "t.ptx:6:15",
     "expected '.s64' or '.u64', found '.u32'\nmov.b32 %r1, (.u32) 5;\n              ^"},
    {"mov.b32 %r1, (.s64) 1e30;", "t.ptx:6:21",
     "this number does not fit in 64 bits\nmov.b32 %r1, (.s64) 1e30;\n                    ^"},
    {"mov.f32 %f1, .5x;", "t.ptx:6:14", "malformed number\nmov.f32 %f1, .5x;\n             ^"},
    {"mov.b32 %r1, ~1.5;", "t.ptx:6:14",
     "this operator does not apply to a floating-point number\nmov.b32 %r1, ~1.5;\n             ^"},
    {"mov.f32 %f1, 1.5 / 0;", "t.ptx:6:18",
     "division by zero in a constant\nmov.f32 %f1, 1.5 / 0;\n                 ^"},
    {"setp.eq.s32 %p1|a, %r1, %r2;", "t.ptx:6:17",
     "a is not a register\nsetp.eq.s32 %p1|a, %r1, %r2;\n                ^"},
    {"setp.eq.s32 %p1|%p77, %r1, %r2;", "t.ptx:6:17",
     "register %p77 is not declared\nsetp.eq.s32 %p1|%p77, %r1, %r2;\n                ^"},
    {"mov.b64 %rd1, {%r1,};", "t.ptx:6:20",
     "expected an operand, found '}'\nmov.b64 %rd1, {%r1,};\n                   ^"},
    {"mov.f32 %f1, 0f3F80000000;", "t.ptx:6:14",
     "malformed number\nmov.f32 %f1, 0f3F80000000;\n             ^"},
    {"mov.f32 %f1, 0f3F800000U;", "t.ptx:6:14",
     "malformed number\nmov.f32 %f1, 0f3F800000U;\n             ^"},
    {"mov.b32 %r01, 1;", "t.ptx:6:9", "register %r01 is not declared\nmov.b32 %r01, 1;\n        ^"},
    {"ld.global.u32 %r1, a[%r2];", "t.ptx:6:22",
     "expected a constant, found '%r2'\nld.global.u32 %r1, a[%r2];\n                     ^"},
    {"ld.global.u32 %r1, [%rd1 + %r2];", "t.ptx:6:28",
     "expected a constant, found '%r2'\nld.global.u32 %r1, [%rd1 + %r2];\n                         "
     "  ^"},
    {"ld.global.u32 %r1, [%tid.x];", "t.ptx:6:21",
     "register %tid is not declared\nld.global.u32 %r1, [%tid.x];\n                    ^"},
    {".foo 3;", "t.ptx:6:1", "expected a declaration, found '.foo'\n.foo 3;\n^"},
    {"@ret;", "t.ptx:6:2", "ret is not declared\n@ret;\n ^"},
    {"@5 ret;", "t.ptx:6:2", "expected a predicate register, found '5'\n@5 ret;\n ^"},
    {"mov.u32 %r1, 1 2;", "t.ptx:6:16",
     "expected ',' or ';', found '2'\nmov.u32 %r1, 1 2;\n               ^"},
    {"T: .branchtargets ;", "t.ptx:6:19",
     "expected a name, found ';'\nT: .branchtargets ;\n                  ^"},
    {"T: .callprototype _ }", "t.ptx:6:21",
     "expected ';', found '}'\nT: .callprototype _ }\n                    ^"},
    {"call f;", "t.ptx:6:6", "f is not declared\ncall f;\n     ^"},
    {"mov.u32 %r1, \"x\";", "t.ptx:6:14",
     "expected an operand, found a string\nmov.u32 %r1, \"x\";\n             ^"},
    {".reg .b32 %q<9999999999>;", "t.ptx:6:14",
     "this number is too large\n.reg .b32 %q<9999999999>;\n             ^"},
    {".reg .b32;", "t.ptx:6:10", "expected a register, found ';'\n.reg .b32;\n         ^"},
    {".reg .b32 x y;", "t.ptx:6:13",
     "expected ',' or ';', found 'y'\n.reg .b32 x y;\n            ^"},
    {".shared .b32 x y;", "t.ptx:6:16",
     "expected ',' or ';', found 'y'\n.shared .b32 x y;\n               ^"},
    {"@!5 ret;", "t.ptx:6:3", "expected a predicate register, found '5'\n@!5 ret;\n  ^"},
    {"add.s32 %r1 ? %r2;", "t.ptx:6:13",
     "expected ',' or ';', found '?'\nadd.s32 %r1 ? %r2;\n            ^"},
};

static void check(const char *text, size_t length, const char *where, const char *message)
{
    struct wl_ptx_module *module = (struct wl_ptx_module *)(uintptr_t)1;
    struct wl_error error = {0};
    assert_int_equal(wl_ptx_module_parse(text, length, "t.ptx", &module, &error), WL_ERR_INPUT);
    assert_null(module);
    assert_int_equal(error.code, WL_ERR_INPUT);
    assert_string_equal(error.message, message);
    assert_string_equal(error.where, where);
}

static void check_body(const char *code, const char *where, const char *message)
{
    struct wl_text text = {0};
    wl_text_add(&text, HEADER ".entry k(.param .u64 a) {\n.reg .pred %p<4>; .reg .b32 %r<16>; "
                              ".reg .b64 %rd<8>; .reg .f32 %f<4>;\n");
    wl_text_addf(&text, "%s\n}\n", code);
    check(text.data, text.length, where, message);
    wl_text_free(&text);
}

static void wrong_modules_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < WL_COUNT(module_rows); i++)
        check(module_rows[i].text, strlen(module_rows[i].text), module_rows[i].where,
              module_rows[i].message);
}

static void wrong_bodies_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < WL_COUNT(body_rows); i++)
        check_body(body_rows[i].text, body_rows[i].where, body_rows[i].message);
}

static void repeat(struct wl_text *text, const char *part, int count)
{
    for (int i = 0; i < count; i++)
        wl_text_add(text, part);
}

static void long_lines_are_cut_around_the_caret(void **state)
{
    (void)state;
    struct wl_text code = {0}, message = {0};
    wl_text_add(&code, "mov.b32 %r1,");
    repeat(&code, " ", 80);
    wl_text_add(&code, "%q; // ");
    repeat(&code, "x", 500);
    wl_text_add(&message, "register %q is not declared\n");
    repeat(&message, " ", 60);
    wl_text_add(&message, "%q; // ");
    repeat(&message, "x", 33);
    wl_text_add(&message, "\n");
    repeat(&message, " ", 60);
    wl_text_add(&message, "^");
    check_body(code.data, "t.ptx:6:93", message.data);
    wl_text_free(&code);
    wl_text_free(&message);
}

static void long_names_are_cut(void **state)
{
    (void)state;
    struct wl_text name = {0}, file = {0};
    struct wl_ptx_module *module;
    struct wl_error error = {0};
    wl_text_add(&name, HEADER ".func f { mov.b32 ");
    repeat(&name, "abcdefghij", 1000);
    wl_text_add(&name, ", 1; }");
    repeat(&file, "directory/", 100);
    assert_int_equal(wl_ptx_module_parse(name.data, name.length, file.data, &module, &error),
                     WL_ERR_INPUT);
    assert_int_equal(strlen(error.where), 200 + strlen(":4:19"));
    assert_string_equal(error.where + 200, ":4:19");
    assert_non_null(strstr(error.message, "ghij is not declared\n"));
    assert_string_equal(error.message + strlen(error.message) - 2, " ^");
    wl_text_free(&name);
    wl_text_free(&file);
}

static void nesting_is_bounded(void **state)
{
    (void)state;
    static const struct {
        const char *before, *part, *message;
    } rows[] = {
        {HEADER ".func f {", "{", "scopes are nested too deeply\n"},
        {HEADER ".func f { mov.u32 x, ", "(", "this is nested too deeply\n"},
        {HEADER ".func f { mov.u32 x, ", "- ", "this is nested too deeply\n"},
        {HEADER ".func f { mov.u32 x, ", "1?2:", "this is nested too deeply\n"},
        {HEADER ".func f { mov.u32 ", "{", "this is nested too deeply\n"},
        {HEADER ".global .u32 x[1]", "[1]", "too many dimensions\n"},
        {HEADER ".global .u32 x = ", "(", "this is nested too deeply\n"},
        {HEADER ".global .u64 x = ", "generic(", "this is nested too deeply\n"},
        {HEADER ".global .u64 x = ", "0xff(", "this is nested too deeply\n"},
    };
    for (size_t i = 0; i < WL_COUNT(rows); i++) {
        struct wl_text text = {0};
        struct wl_ptx_module *module;
        struct wl_error error = {0};
        wl_text_add(&text, rows[i].before);
        repeat(&text, rows[i].part, 100000);
        assert_int_equal(wl_ptx_module_parse(text.data, text.length, "t.ptx", &module, &error),
                         WL_ERR_INPUT);
        assert_memory_equal(error.message, rows[i].message, strlen(rows[i].message));
        wl_text_free(&text);
    }
}

/* Every prefix of a text that has everything in it ends in an error or is a smaller module. */
/* A comment may hold one, and an error may follow in its line. */
static void lines_with_a_nul_are_shown(void **state)
{
    (void)state;
    struct wl_text code = {0}, message = {0};
    wl_text_add_bytes(&code, ".version 9.0\n/*\0", 16);
    repeat(&code, "x", 80);
    wl_text_add(&code, "*/ ?");
    wl_text_add(&message, "expected a function, a variable or a directive, found '?'\n");
    repeat(&message, "x", 57);
    wl_text_add(&message, "*/ ?\n");
    repeat(&message, " ", 60);
    wl_text_add(&message, "^");
    check(code.data, code.length, "t.ptx:2:87", message.data);
    wl_text_free(&code);
    wl_text_free(&message);
}

static void cut_texts_do_no_harm(void **state)
{
    (void)state;
    static const char whole[] = HEADER
        ".file 1 \"a.cu\" .const .u64 t[][2] = {{generic(t)+8, 0xff(t)}, {1.5, 0x1U}};\n"
        ".func (.param .b32 r) f(.param .align 8 .b8 x[8]);\n"
        ".visible .entry k(.param .u64 a) .maxntid 1, 2 {\n.reg .pred %p<3>; .reg .b32 %r<9>;"
        "\n.loc 1 2 3, function_name $S+1, inlined_at 1 4 5\n{ .param .b32 q; call (q), f, "
        "(a), P; P: .callprototype _; }\nL: @!%p1 bra M; mov.b32 {%r1, _}, -0f3F800000; "
        "T: .branchtargets L, M; M: tex.2d.v4 [a, {%r1, %r2}], %tid.x, %p1|%p2; }\n"
        "/* end */ .section .debug_str { $S: .b8 97,98,0 }";
    wl_ptx_module_free(parse(whole));
    for (size_t length = 0; length < sizeof whole - 1; length++) {
        /* a copy of just this size, so that a read past the end is noticed */
        char *text = malloc(length ? length : 1);
        struct wl_ptx_module *module;
        memcpy(text, whole, length);
        wl_ptx_module_parse(text, length, "t.ptx", &module, NULL);
        wl_ptx_module_free(module);
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_modules_are_refused),
        cmocka_unit_test(wrong_bodies_are_refused),
        cmocka_unit_test(long_lines_are_cut_around_the_caret),
        cmocka_unit_test(long_names_are_cut),
        cmocka_unit_test(nesting_is_bounded),
        cmocka_unit_test(lines_with_a_nul_are_shown),
        cmocka_unit_test(cut_texts_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
