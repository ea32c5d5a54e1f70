#include "device/kernel/state.h"
#include "support/device_support.h"

#include "base/text.h"

static struct {
    int severity;
    char code[64], text[512];
    size_t count;
} noted;

static void take_note(void *self, enum wl_note_severity severity, const char *code,
                      const char *text, const char *hint)
{
    (void)self, (void)hint;
    noted.severity = severity;
    noted.count++;
    snprintf(noted.code, sizeof noted.code, "%s", code);
    snprintf(noted.text, sizeof noted.text, "%s", text);
}

static const struct wl_device_observer observer = {.note = take_note};

static int begin(void **state)
{
    (void)state;
    memset(&noted, 0, sizeof noted);
    start_device("h100", &observer);
    assert_int_equal(wl_device_check(), WL_DEVICE_OK);
    return 0;
}

static int end(void **state)
{
    (void)state;
    shut_device_down();
    return 0;
}

/* The images that a fat binary described as "90 90a! 80" yields: ! machine code, a specific, / the
 * next container; as numbers of the PTX chosen, "a" for specific, "" for none. */
static const char *choose(const char *description, int *code)
{
    static char chosen[64];
    static uint8_t nothing[1];
    struct wl_image images[16];
    struct wl_fatbin fatbin = {images, 0, 16};
    uint32_t container = 0;
    for (const char *at = description; *at;) {
        char *next;
        struct wl_image *image = &images[fatbin.count++];
        *image = (struct wl_image){.kind = WL_IMAGE_PTX, .container = container, .bytes = nothing};
        image->architecture = (uint32_t)strtoul(at, &next, 10);
        for (at = next; *at && *at != ' ' && *at != '/'; at++) {
            image->architecture_specific |= *at == 'a';
            if (*at == '!')
                image->kind = WL_IMAGE_CUBIN;
        }
        container += *at == '/';
        at += *at != '\0';
    }
    struct wl_device_module module = {0};
    *code = wl_device_image_choose(&fatbin, &module);
    chosen[0] = '\0';
    for (size_t i = 0; i < module.image_count; i++) {
        const struct wl_image *ptx = &module.images[i].ptx;
        snprintf(chosen + strlen(chosen), sizeof chosen - strlen(chosen), "%s%u%s", i ? "/" : "",
                 ptx->architecture, ptx->architecture_specific ? "a" : "");
        free(ptx->bytes);
    }
    free(module.images);
    return chosen;
}

static void assert_chosen(const char *description, const char *expected)
{
    int code;
    said_begin();
    const char *chosen = choose(description, &code);
    said_text();
    assert_string_equal(chosen, expected);
    assert_int_equal(code, *expected || !*description ? WL_DEVICE_OK : WL_DEVICE_NO_IMAGE);
}

static void the_newest_ptx_that_fits_is_chosen(void **state)
{
    (void)state;
    assert_chosen("75", "75");
    assert_chosen("75 80 90 100", "90");
    assert_chosen("90 80 75", "90");
    assert_chosen("90 90a", "90a");
    assert_chosen("80a 75", "75"); /* specific ones fit their own architecture only */
    assert_chosen("90! 75", "75");
    assert_chosen("", "");
    assert_int_equal(noted.count, 0);
}

static void newer_ptx_runs_with_a_note(void **state)
{
    (void)state;
    assert_chosen("120 100 100a", "100");
    assert_int_equal(noted.count, 1);
    assert_int_equal(noted.severity, 0);
    assert_string_equal(noted.code, "newer-target");
    assert_string_equal(
        noted.text,
        "the PTX of the program is for sm_100 and runs on a model of sm_90 as far as its "
        "instructions can be modelled; such a GPU refuses it with error 209");
}

/* -arch=all-major: machine code for each generation, PTX for the last. */
static void newer_ptx_beside_machine_code_stands_for_it(void **state)
{
    (void)state;
    wl_device.options.strict_arch = true;
    assert_chosen("80! 90! 120! 120", "120");
    assert_int_equal(noted.count, 1);
    assert_string_equal(noted.text,
                        "the PTX of the program is for sm_120 and runs on a model of sm_90 as far "
                        "as its instructions can be modelled; such a GPU runs the machine code "
                        "beside it instead");
}

static void machine_code_of_the_same_generation_is_chosen(void **state)
{
    (void)state;
    struct wl_image images[] = {
        {.kind = WL_IMAGE_CUBIN, .architecture = 80},
        {.kind = WL_IMAGE_CUBIN, .architecture = 86},
        {.kind = WL_IMAGE_PTX, .architecture = 89},
        {.kind = WL_IMAGE_CUBIN, .architecture = 90, .architecture_specific = true},
    };
    assert_ptr_equal(wl_image_choose_cubin(images, 4, 80), &images[0]);
    assert_ptr_equal(wl_image_choose_cubin(images, 4, 86), &images[1]);
    assert_ptr_equal(wl_image_choose_cubin(images, 4, 89), &images[1]);
    assert_ptr_equal(wl_image_choose_cubin(images, 4, 90), &images[3]);
    assert_null(wl_image_choose_cubin(images, 4, 75));
    assert_null(wl_image_choose_cubin(images, 3, 90));
    assert_null(wl_image_choose_cubin(images, 4, 100));
}

static void strictly_newer_ptx_is_refused(void **state)
{
    (void)state;
    int code;
    wl_device.options.strict_arch = true;
    said_begin();
    choose("100 120", &code);
    const char *said = said_text();
    assert_int_equal(code, WL_DEVICE_NO_IMAGE);
    assert_string_equal(said,
                        "warplens: the PTX of the program is for sm_120, newer than the model "
                        "GPU's sm_90 (error 209); rebuild with NVCC_APPEND_FLAGS=\"-gencode "
                        "arch=compute_90,code=compute_90\"\n");
}

static void machine_code_alone_is_refused_with_the_rescue(void **state)
{
    (void)state;
    int code;
    said_begin();
    choose("90! 80!", &code);
    const char *said = said_text();
    assert_int_equal(code, WL_DEVICE_NO_IMAGE);
    assert_string_equal(said,
                        "warplens: the program holds machine code for sm_90 but no PTX, which "
                        "the simulated GPU needs (error 209); rebuild with "
                        "NVCC_APPEND_FLAGS=\"-gencode arch=compute_90,code=compute_90\"\n");
}

static void each_container_gives_one_image(void **state)
{
    (void)state;
    assert_chosen("90! 90/80 75/75!", "90/80");
}

static struct wl_device_module *load(const char *text)
{
    struct wl_device_module *module = NULL;
    assert_int_equal(wl_device_module_load(text, &module), WL_DEVICE_OK);
    return module;
}

static void *symbol(struct wl_device_module *module, const char *name, size_t expected_bytes)
{
    void *address = NULL;
    size_t bytes = 0;
    assert_int_equal(wl_device_module_symbol(module, name, &address, &bytes), WL_DEVICE_OK);
    assert_int_equal(bytes, expected_bytes);
    return address;
}

static void variables_are_laid_out_and_initialised(void **state)
{
    (void)state;
    struct wl_device_module *module =
        load(PTX_HEADER(60) ".visible .global .align 4 .u32 a = 7;\n"
                            ".visible .const .align 16 .f32 c[3] = {0f3F800000, 0f40000000};\n"
                            ".visible .global .align 8 .u64 p = a;\n"
                            ".visible .global .align 1 .b8 z[5];\n");
    uint32_t *a = symbol(module, "a", 4);
    float *c = symbol(module, "c", 12);
    uint64_t *p = symbol(module, "p", 8);
    char *z = symbol(module, "z", 5);
    assert_int_equal(*a, 7);
    assert_int_equal((uintptr_t)c % 16, 0);
    assert_true(c[0] == 1.0f && c[1] == 2.0f && c[2] == 0.0f);
    assert_int_equal(*p, (uintptr_t)a);
    assert_int_equal(z[4], 0);
    assert_int_equal(wl_device_module_symbol(module, "none", NULL, NULL), WL_DEVICE_NOT_FOUND);

    struct wl_device_allocation found;
    assert_true(wl_device_memory_find(a, &found));
    assert_int_equal(found.kind, WL_DEVICE_MEMORY_MODULE);
    assert_int_equal(wl_device_memory_free(WL_DEVICE_MEMORY_DEVICE, a), WL_DEVICE_INVALID_VALUE);

    *a = 9;
    assert_int_equal(wl_device_reset(), WL_DEVICE_OK);
    assert_ptr_equal(symbol(module, "a", 4), a);
    assert_int_equal(*a, 7);
}

/* As an H200 has them: constants close together, each variable of global memory at a multiple of
 * 256 bytes, in the order of the text. They go with the module. */
static void variables_lie_as_on_hardware(void **state)
{
    (void)state;
    struct wl_device_module *module =
        load(PTX_HEADER(60) ".visible .global .align 4 .b8 first[12];\n"
                            ".visible .const .align 4 .b8 c[12];\n"
                            ".visible .global .align 1 .u8 byte;\n"
                            ".visible .const .align 8 .f64 d;\n"
                            ".visible .global .align 512 .b8 wide[600];\n"
                            ".visible .global .align 4 .u32 last;\n");
    const char *first = symbol(module, "first", 12), *c = symbol(module, "c", 12);
    const char *wide = symbol(module, "wide", 600);
    assert_int_equal((uintptr_t)first % 256, 0);
    assert_ptr_equal(symbol(module, "byte", 1), first + 256);
    assert_int_equal((uintptr_t)wide % 512, 0);
    assert_ptr_equal(symbol(module, "last", 4), wide + 768);
    assert_ptr_equal(symbol(module, "d", 8), c + 16);
    struct wl_device_allocation found;
    assert_true(wl_device_memory_find(first, &found));
    wl_device_module_unload(module);
    assert_false(wl_device_memory_find(first, &found));
    assert_false(wl_device_memory_find(c, &found));
}

static void joined_texts_share_their_variables(void **state)
{
    (void)state;
    const char *texts[] = {
        PTX_HEADER(60) ".extern .global .align 4 .u32 shared_one;\n"
                       ".visible .global .align 8 .u64 where = shared_one;\n",
        PTX_HEADER(60) ".visible .global .align 4 .u32 shared_one = 3;\n",
    };
    size_t bytes;
    void *image = wl_device_module_join(texts, 2, 0, &bytes);
    struct wl_device_module *module = load(image);
    free(image);
    uint32_t *one = symbol(module, "shared_one", 4);
    assert_int_equal(*one, 3);
    assert_int_equal(*(uint64_t *)symbol(module, "where", 8), (uintptr_t)one);
}

static void a_syntax_error_is_told_with_its_place(void **state)
{
    (void)state;
    struct wl_device_module *module = NULL;
    said_begin();
    int code =
        wl_device_module_load(PTX_HEADER(60) ".visible .entry k()\n{\n  mov.u32 ;;\n", &module);
    const char *said = said_text();
    assert_int_equal(code, WL_DEVICE_INVALID_PTX);
    assert_null(module);
    assert_int_equal(strncmp(said, "warplens: ptx:", 14), 0);
    assert_string_equal(noted.code, "bad-ptx");
}

static void loaded_text_for_a_newer_gpu_is_noted_or_refused(void **state)
{
    (void)state;
    struct wl_device_module *module;
    load(PTX_HEADER(120) ".visible .global .align 4 .u32 a;\n");
    assert_int_equal(noted.count, 1);
    assert_string_equal(noted.code, "newer-target");
    wl_device.options.strict_arch = true;
    said_begin();
    int code = wl_device_module_load(PTX_HEADER(120), &module);
    const char *said = said_text();
    assert_int_equal(code, WL_DEVICE_INVALID_PTX);
    assert_string_equal(said,
                        "warplens: the PTX that the program loads is for sm_120, newer than the "
                        "model GPU's sm_90 (error 218); compile it for the GPU that is modelled\n");
    assert_int_equal(wl_device_module_load("garbage", &module), WL_DEVICE_INVALID_IMAGE);
}

static void machine_code_cannot_be_loaded(void **state)
{
    (void)state;
    struct wl_device_module *module;
    said_begin();
    int code = wl_device_module_load("\177ELF and so on", &module);
    const char *said = said_text();
    assert_int_equal(code, WL_DEVICE_NO_IMAGE);
    assert_string_equal(said, "warplens: the program loads machine code, which the simulated GPU "
                              "cannot run (error 209); load PTX instead; where nvcc compiled it "
                              "while the program runs, PyCUDA say, put the folder nvcc beside the "
                              "simulated libraries before PATH\n");
}

static void a_damaged_fat_binary_is_told(void **state)
{
    (void)state;
    static const uint32_t container[8] = {0xBA55ED50u, 16u << 16 | 1u, 16, 0, 0xffffffffu};
    struct wl_device_module *module;
    said_begin();
    int code = wl_device_module_load(container, &module);
    const char *said = said_text();
    assert_int_equal(code, WL_DEVICE_INVALID_IMAGE);
    assert_int_equal(strncmp(said, "warplens: the program's fat binary cannot be read: ", 50), 0);
}

static void registered_binaries_are_read_at_first_use(void **state)
{
    (void)state;
    static const char text[] = PTX_HEADER(60) ".visible .global .align 4 .u32 here = 5;\n";
    struct wl_image image = {.bytes = (uint8_t *)(uintptr_t)text,
                             .size_bytes = sizeof text - 1,
                             .architecture = 60,
                             .version_major = 6,
                             .options = (char *)(uintptr_t) "-O3 -dlcm=cg",
                             .source_name = (char *)(uintptr_t) "a.cu"};
    struct wl_text container = {0};
    wl_fatbin_write_ptx(&image, &container);
    struct {
        uint32_t magic, version;
        const void *data;
        void *list;
    } wrapper = {0x466243B1u, 1, container.data, NULL};
    struct wl_device_module *module = wl_device_module_register(&wrapper);
    assert_false(module->is_loaded);
    assert_int_equal(*(uint32_t *)symbol(module, "here", 4), 5);
    assert_string_equal(module->images[0].info.name, "a.cu");
    assert_string_equal(module->images[0].info.options, "-O3 -dlcm=cg");
    wl_text_free(&container);
    wl_device_module_unload(module);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(the_newest_ptx_that_fits_is_chosen),
        TEST(newer_ptx_runs_with_a_note),
        TEST(newer_ptx_beside_machine_code_stands_for_it),
        TEST(machine_code_of_the_same_generation_is_chosen),
        TEST(strictly_newer_ptx_is_refused),
        TEST(machine_code_alone_is_refused_with_the_rescue),
        TEST(each_container_gives_one_image),
        TEST(variables_are_laid_out_and_initialised),
        TEST(variables_lie_as_on_hardware),
        TEST(joined_texts_share_their_variables),
        TEST(a_syntax_error_is_told_with_its_place),
        TEST(loaded_text_for_a_newer_gpu_is_noted_or_refused),
        TEST(machine_code_cannot_be_loaded),
        TEST(a_damaged_fat_binary_is_told),
        TEST(registered_binaries_are_read_at_first_use),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
