#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/folder.h"
#include "base/text.h"
#include "binary/binary.h"

static char *folder;

static void run(const char *command)
{
    char line[2048];
    snprintf(line, sizeof line, "cd %s && { %s; } > /dev/null 2>&1", folder, command);
    if (system(line) != 0)
        fail_msg("command failed: %s", command);
}

static const char *path_of(const char *name)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void write_file(const char *name, const void *bytes, size_t length)
{
    assert_int_equal(wl_file_write(path_of(name), bytes, length, NULL), WL_OK);
}

static void write_text(const char *name, const char *text)
{
    write_file(name, text, strlen(text));
}

static struct wl_program_info inspect(const char *name)
{
    struct wl_program_info info;
    struct wl_error error = {0};
    if (wl_program_inspect(path_of(name), &info, &error))
        fail_msg("%s: %s", name, error.message);
    assert_int_equal(strlen(info.hash), 64);
    return info;
}

static void assert_refused(const char *name, enum wl_code code, const char *message,
                           const char *where)
{
    struct wl_program_info info;
    struct wl_error error = {0};
    char wanted[1024];
    assert_int_equal(wl_program_inspect(path_of(name), &info, &error), code);
    snprintf(wanted, sizeof wanted, message, path_of(name));
    assert_string_equal(error.message, wanted);
    snprintf(wanted, sizeof wanted, where, path_of(name));
    assert_string_equal(error.where, wanted);
}

/* Libraries with the names that matter, and a container with two PTX entries. */
static int prepare(void **state)
{
    (void)state;
    struct wl_text text = {0};
    struct wl_image image = {.architecture = 75, .bytes = (uint8_t *)"ret;", .size_bytes = 4};
    assert_int_equal(wl_folder_create_temporary("wl-program-test", &folder, NULL), WL_OK);
    wl_fatbin_write_ptx(&image, &text);
    wl_text_add_bytes(&text, "\0\0\0\0\0\0\0", 8);
    image.architecture = 86;
    wl_fatbin_write_ptx(&image, &text);
    write_file("good.bin", text.data, text.length);
    text.data[24] = 1; /* the payload's size */
    text.data[28] = 1;
    write_file("bad.bin", text.data, text.length);
    wl_text_free(&text);
    write_text("runtime.c", "void cudaMalloc(void) {}\nvoid __cudaRegisterFatBinary(void) {}\n");
    write_text("driver.c", "void cuInit(void) {}\n");
    write_text("other.c", "void other(void) {}\n");
    write_text("plain.c", "int main(void) { return 0; }\n");
    write_text("shared.c", "void cudaMalloc(void); int main(void) { cudaMalloc(); }\n");
    write_text("good.c", "__asm__(\".section .nv_fatbin, \\\"a\\\"\\n.balign 8\\n"
                         ".incbin \\\"good.bin\\\"\\n.previous\");\n");
    write_text("bad.c", "__asm__(\".section .nv_fatbin, \\\"a\\\"\\n.balign 8\\n"
                        ".incbin \\\"bad.bin\\\"\\n.previous\");\n");
    run("gcc -shared -fPIC -Wl,-soname,libcudart.so.13 runtime.c -o libcudart.so");
    run("gcc -shared -fPIC -Wl,-soname,libcuda.so.1 driver.c -o libcuda.so");
    run("gcc -shared -fPIC -Wl,-soname,libcublas.so.13 other.c -o libcublas.so");
    run("gcc -shared -fPIC -Wl,-soname,libcudnn.so.9 other.c -o libcudnn.so");
    run("gcc -shared -fPIC -Wl,-soname,libcudnn_ops.so.9 other.c -o libcudnn_ops.so");
    run("gcc -shared -fPIC -Wl,-soname,libcufft.so.12 other.c -o libcufft.so");
    return 0;
}

static int clean(void **state)
{
    (void)state;
    int code = wl_folder_remove(folder, NULL);
    free(folder);
    return code;
}

static void test_without_cuda(void **state)
{
    (void)state;
    run("gcc plain.c -o plain");
    struct wl_program_info info = inspect("plain");
    assert_int_equal(info.kind, WL_PROGRAM_NO_CUDA);
    assert_int_equal(info.ptx_count, 0);
    assert_false(info.uses_cublas);
    assert_string_equal(info.other_libraries, "");
}

static void test_shared_runtime(void **state)
{
    (void)state;
    run("gcc shared.c good.c -o shared -Wl,--no-as-needed -L. -lcudart -lcublas -lcudnn "
        "-lcudnn_ops -lcufft");
    struct wl_program_info info = inspect("shared");
    assert_int_equal(info.kind, WL_PROGRAM_SHARED_RUNTIME);
    assert_int_equal(info.runtime_major, 13);
    assert_true(info.uses_cublas);
    assert_true(info.uses_other_libraries);
    assert_string_equal(info.other_libraries, "libcudnn_ops");
    assert_int_equal(info.ptx_count, 2);
    assert_int_equal(info.cubin_count, 0);
    assert_int_equal(info.highest_ptx, 86);
}

static void test_static_runtime(void **state)
{
    (void)state;
    run("gcc shared.c runtime.c good.c -o static");
    assert_int_equal(inspect("static").kind, WL_PROGRAM_STATIC_RUNTIME);
    run("strip -o stripped static");
    struct wl_program_info info = inspect("stripped");
    assert_int_equal(info.kind, WL_PROGRAM_STATIC_RUNTIME);
    assert_int_equal(info.runtime_major, 0);
    /* both at once: the one inside wins, as it does in the program */
    run("gcc shared.c runtime.c -o both -Wl,--no-as-needed -L. -lcudart");
    assert_int_equal(inspect("both").kind, WL_PROGRAM_STATIC_RUNTIME);
}

static void test_driver_program(void **state)
{
    (void)state;
    run("gcc plain.c -o driver -Wl,--no-as-needed -L. -lcuda");
    assert_int_equal(inspect("driver").kind, WL_PROGRAM_DRIVER);
    run("gcc plain.c good.c -o linked -Wl,--no-as-needed -L. -lcuda"); /* as nvcc links them */
    assert_int_equal(inspect("linked").kind, WL_PROGRAM_DRIVER);
}

static void test_other_machine(void **state)
{
    (void)state;
    struct wl_text text = {0};
    run("gcc plain.c -o plain");
    assert_int_equal(wl_file_read(path_of("plain"), &text, NULL), WL_OK);
    text.data[18] = (char)243; /* RISC-V */
    write_file("foreign", text.data, text.length);
    wl_text_free(&text);
    run("chmod +x foreign");
    assert_int_equal(inspect("foreign").kind, WL_PROGRAM_OTHER_MACHINE);
}

static void test_scripts_and_other_files(void **state)
{
    (void)state;
    write_text("script", "#! /bin/sh -e\nexit 0\n");
    write_text("text", "hello\n");
    write_text("empty", "");
    run("chmod +x script text empty");
    struct wl_program_info info = inspect("script");
    assert_int_equal(info.kind, WL_PROGRAM_NOT_ELF);
    assert_true(info.is_script);
    assert_string_equal(info.interpreter, "/bin/sh -e");
    info = inspect("text");
    assert_int_equal(info.kind, WL_PROGRAM_NOT_ELF);
    assert_false(info.is_script);
    assert_string_equal(info.hash,
                        "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03");
    assert_false(inspect("empty").is_script);
}

static void test_unusable_files(void **state)
{
    (void)state;
    assert_refused("nothing", WL_ERR_INPUT, "cannot open %s: No such file or directory", "");
    assert_refused(".", WL_ERR_INPUT, "%s is a folder, not a program", "");
    run("mkfifo pipe && chmod +x pipe");
    assert_refused("pipe", WL_ERR_INPUT, "%s is not an ordinary file", "");
    assert_refused("plain.c", WL_ERR_INPUT, "%s is not executable", "");
}

static void test_damaged_programs(void **state)
{
    (void)state;
    run("gcc shared.c bad.c -o broken -L. -lcudart");
    assert_refused("broken", WL_ERR_CORRUPT,
                   "payload is cut short: 4294967297 bytes announced, 8 there",
                   "%s: section .nv_fatbin, byte offset 16");
    run("gcc plain.c -o plain && head -c 3000 plain > cut && head -c 20 plain > stub && "
        "chmod +x cut stub");
    assert_refused("cut", WL_ERR_CORRUPT, "%s is damaged: it is cut short", "");
    assert_refused("stub", WL_ERR_CORRUPT, "%s is damaged: its ELF header is not whole", "");
}

/* Cut at any place or with any byte of its headers changed, a program is refused or judged, but
 * nothing is read outside of it (seen by the sanitizers). */
static void test_mutations(void **state)
{
    (void)state;
    struct wl_text text = {0};
    run("gcc shared.c good.c -o shared -L. -lcudart");
    assert_int_equal(wl_file_read(path_of("shared"), &text, NULL), WL_OK);
    uint64_t random = 1;
    run("touch mutant && chmod +x mutant");
    for (int round = 0; round < 300; round++) {
        struct wl_program_info info;
        random = random * 6364136223846793005u + 1442695040888963407u;
        uint64_t sections;
        memcpy(&sections, text.data + 40, sizeof sections);
        size_t in_header = (size_t)(random >> 40) % 64;
        size_t in_sections = (size_t)sections + (size_t)(random >> 40) % (text.length - sections);
        size_t at = round % 3 ? in_sections : in_header;
        char old = text.data[at];
        text.data[at] = (char)(random >> 32);
        size_t length = round % 5 ? text.length : (size_t)(random >> 20) % text.length;
        FILE *file = fopen(path_of("mutant"), "wb");
        assert_non_null(file);
        assert_int_equal(fwrite(text.data, 1, length, file), length);
        fclose(file);
        enum wl_code code = wl_program_inspect(path_of("mutant"), &info, NULL);
        assert_true(code == WL_OK || code == WL_ERR_CORRUPT);
        text.data[at] = old;
    }
    wl_text_free(&text);
}

static void test_what_nvcc_makes(void **state)
{
    (void)state;
    if (system("nvcc --version > /dev/null 2>&1") != 0) {
        puts("skipped: there is no nvcc");
        skip();
    }
    static const struct {
        const char *options;
        enum wl_program_kind kind;
        bool has_ptx;
    } cases[] = {
        {"k.o -arch=sm_80", WL_PROGRAM_STATIC_RUNTIME, true},
        {"k.o -arch=sm_80 -Xlinker -s", WL_PROGRAM_STATIC_RUNTIME, true},
        {"k.o -arch=sm_80 -cudart=shared", WL_PROGRAM_SHARED_RUNTIME, true},
        {"k.cu -arch=sm_80 -rdc=true -cudart=shared", WL_PROGRAM_SHARED_RUNTIME, true},
        {"k.cu -gencode arch=compute_80,code=sm_80 -cudart=shared", WL_PROGRAM_SHARED_RUNTIME,
         false},
    };
    write_text("k.cu", "__global__ void k() {}\nint main() { k<<<1, 1>>>(); }\n");
    run("nvcc -c -arch=sm_80 k.cu -o k.o");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char command[256];
        snprintf(command, sizeof command, "nvcc -o k %s", cases[i].options);
        run(command);
        struct wl_program_info info = inspect("k");
        assert_int_equal(info.kind, cases[i].kind);
        assert_int_equal(info.ptx_count > 0, cases[i].has_ptx);
        assert_int_equal(info.highest_ptx, cases[i].has_ptx ? 80 : 0);
        assert_true(info.cubin_count > 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_without_cuda),   cmocka_unit_test(test_shared_runtime),
        cmocka_unit_test(test_static_runtime), cmocka_unit_test(test_driver_program),
        cmocka_unit_test(test_other_machine),  cmocka_unit_test(test_scripts_and_other_files),
        cmocka_unit_test(test_unusable_files), cmocka_unit_test(test_damaged_programs),
        cmocka_unit_test(test_mutations),      cmocka_unit_test(test_what_nvcc_makes),
    };
    return cmocka_run_group_tests(tests, prepare, clean);
}
