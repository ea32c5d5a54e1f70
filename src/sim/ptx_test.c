/* Runs every case in the folders of tests/ptx, and in tests/check, on a simulated GPU: counted, not
 * counted, and with checks. What a case may say stands at the top of tests/support/ptx_case.h;
 * tests/ptx/h200.txt says what an H200 gave (tests/ptx/on_gpu.c). Arguments: names of cases to run,
 * none for all. */
#include <dirent.h>
#include <fenv.h>
#include <immintrin.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/sha256.h"
#include "base/text.h"
#include "ptx/lower/lower.h"
#include "sim/sim.h"
#include "sim/unwritten.h"
#include "support/ptx_case.h"

#define ROOT WL_SOURCE_DIR "/tests/ptx/"
#define RANGES_MAX 64

/* Generated cases that must be compared with an H200's results, at least. */
#define COMPARED_MIN 200

static struct wl_text hardware; /* tests/ptx/h200.txt; empty where there is none */
static unsigned compared;       /* generated cases that an H200 ran as they are now */

struct run {
    const char *path,
        *text;       /* the path is followed by the case's name where the file has several */
    const char *key; /* in h200.txt */
    bool is_counted, is_checked; /* all checks are on */
    enum wl_sim_engine engine;
    size_t found; /* findings that were named so far */
    const struct wl_program *program;
    struct ptx_case self;
    const struct wl_ptx_module *module;
    uint64_t *addresses; /* of the module's variables, 0 where they have no memory of their own */
    struct wl_text printed;
    struct wl_sim_counts counts;
    char differences[4096]; /* a line each */
    size_t line;            /* of the directive at hand */
    const char *at;
};

/* ---- the module's variables ---- */

static uint64_t resolve(void *self, const char *symbol)
{
    const struct run *run = self;
    for (uint32_t i = 0; i < run->module->variable_count; i++)
        if (strcmp(run->module->variables[i].name, symbol) == 0)
            return run->addresses[i];
    return 0;
}

static void place_variables(struct run *run)
{
    const struct wl_ptx_module *module = run->module;
    run->addresses = wl_alloc_zero(module->variable_count + 1u, sizeof *run->addresses);
    for (uint32_t i = 0; i < module->variable_count; i++) {
        const struct wl_ptx_variable *variable = &module->variables[i];
        if (variable->space != WL_PTX_SPACE_GLOBAL && variable->space != WL_PTX_SPACE_CONST)
            continue;
        uint8_t *place = ptx_case_room_alloc(variable->size_bytes);
        memset(place, 0, variable->size_bytes);
        if (variable->initial)
            memcpy(place, variable->initial, variable->size_bytes);
        run->addresses[i] = (uint64_t)(uintptr_t)place;
    }
    for (uint32_t i = 0; i < module->variable_count; i++) {
        const struct wl_ptx_variable *variable = &module->variables[i];
        for (uint32_t k = 0; k < variable->relocation_count && run->addresses[i]; k++) {
            const struct wl_ptx_relocation *relocation = &variable->relocations[k];
            uint64_t value = resolve(run, relocation->symbol) + (uint64_t)relocation->addend;
            memcpy((uint8_t *)(uintptr_t)run->addresses[i] + relocation->offset, &value,
                   relocation->width_bytes);
        }
    }
}

static void free_variables(struct run *run)
{
    for (uint32_t i = 0; i < run->module->variable_count; i++)
        ptx_case_room_free((void *)(uintptr_t)run->addresses[i]);
    free(run->addresses);
}

/* ---- running ---- */

static int by_start(const void *left, const void *right)
{
    const struct wl_sim_range *a = left, *b = right;
    return a->start < b->start ? -1 : a->start > b->start;
}

static size_t list_ranges(const struct run *run, struct wl_sim_range ranges[RANGES_MAX])
{
    size_t count = 0;
    for (int i = 0; i < run->self.buffer_count; i++) {
        uint64_t start = (uint64_t)(uintptr_t)run->self.buffers[i].bytes;
        ranges[count++] = (struct wl_sim_range){start, start + run->self.buffers[i].size_bytes};
    }
    for (uint32_t i = 0; i < run->module->variable_count && count < RANGES_MAX; i++)
        if (run->addresses[i])
            ranges[count++] = (struct wl_sim_range){
                run->addresses[i], run->addresses[i] + run->module->variables[i].size_bytes};
    qsort(ranges, count, sizeof *ranges, by_start);
    return count;
}

/* The pages of each range, and one before and after. */
static size_t list_pages(const struct wl_sim_range *ranges, size_t range_count,
                         struct wl_sim_range pages[RANGES_MAX])
{
    size_t count = 0;
    for (size_t i = 0; i < range_count; i++) {
        uint64_t start = ranges[i].start - PTX_CASE_PAGE_BYTES;
        uint64_t end =
            (ranges[i].end + 2 * PTX_CASE_PAGE_BYTES - 1) & ~(PTX_CASE_PAGE_BYTES - 1ull);
        if (count && start <= pages[count - 1].end)
            pages[count - 1].end = end;
        else
            pages[count++] = (struct wl_sim_range){start, end};
    }
    return count;
}

/* NULL unless the case names some. */
static struct wl_unwritten *make_unwritten(const struct run *run, const struct wl_sim_range *ranges,
                                           size_t range_count)
{
    if (!run->self.unwritten)
        return NULL;
    uint64_t base = ranges[0].start;
    struct wl_unwritten *made = wl_unwritten_create(base, ranges[range_count - 1].end - base);
    for (int i = 0; i < run->self.buffer_count; i++)
        if (run->self.unwritten >> i & 1)
            wl_unwritten_add(made, (uint64_t)(uintptr_t)run->self.buffers[i].bytes,
                             run->self.buffers[i].size_bytes);
    return made;
}

/* The texture objects over the buffers; textures[0] is none. */
static void make_textures(const struct run *run, struct wl_texture *textures,
                          const struct wl_texture **list)
{
    static const char *const edges[] = {"wrap", "clamp", "mirror", "border"};
    list[0] = NULL;
    for (int i = 0; i < run->self.texture_count; i++) {
        const struct ptx_case_texture *asked = &run->self.textures[i];
        struct wl_texture *made = &textures[i];
        const struct ptx_case_buffer *buffer = &run->self.buffers[asked->buffer];
        *made = (struct wl_texture){
            .storage = asked->height ? WL_TEXTURE_PITCHED : WL_TEXTURE_BUFFER,
            .kind = asked->type[0] == 'f'   ? WL_TEXEL_FLOAT
                    : asked->type[0] == 's' ? WL_TEXEL_SIGNED
                                            : WL_TEXEL_UNSIGNED,
            .channels = (uint8_t)asked->channels,
            .channel_bytes = (uint8_t)(atoi(asked->type + 1) / 8),
            .width = asked->width,
            .height = asked->height,
            .depth = asked->depth,
            .address = (uint64_t)(uintptr_t)buffer->bytes,
            .size_bytes = buffer->size_bytes,
            .is_filtered = strstr(asked->words, "linear"),
            .is_normalized = strstr(asked->words, "normalized"),
            .reads_float = strstr(asked->words, "float"),
            .is_layered = strstr(asked->words, "layered"),
            .is_cube = strstr(asked->words, "cube"),
            .border = {0.25f, 0.5f, 0.75f, 1},
        };
        made->pitch_bytes = (uint64_t)made->width * wl_texture_element_bytes(made);
        made->slice_bytes = made->pitch_bytes * (made->height ? made->height : 1);
        for (uint8_t k = 0; k < 4; k++)
            if (strstr(asked->words, edges[k]))
                memset(made->edges, k, sizeof made->edges);
        assert_true(made->slice_bytes * (made->depth ? made->depth : 1) <= made->size_bytes);
        list[i + 1] = made;
    }
}

static void take_printed(void *self, const char *text, size_t length)
{
    struct run *run = self;
    char *copy = wl_string_copy_length(text, length);
    wl_text_addf(&run->printed, "%s", copy);
    free(copy);
}

/* What a program may have asked of the host, and its kernels do not see. */
static void set_unusual_arithmetic(void)
{
    enum { flush_results = 1 << 15, flush_operands = 1 << 6 };
    fesetround(FE_UPWARD);
    _mm_setcsr(_mm_getcsr() | flush_results | flush_operands);
    feenableexcept(FE_DIVBYZERO | FE_INVALID | FE_OVERFLOW);
}

/* The simulator of the last case, which the next has, too, where it names the same GPU: what one
 * launch leaves is nothing to another. */
static struct {
    char name[32];
    struct wl_gpu gpu;
    struct wl_sim *sim;
} kept;

static void end_kept(void)
{
    if (kept.sim) {
        wl_sim_free(kept.sim);
        wl_gpu_free(&kept.gpu);
    }
    kept.sim = NULL;
}

static struct wl_sim *simulator(const char *name, struct wl_error *error)
{
    if (kept.sim && strcmp(kept.name, name) == 0)
        return kept.sim;
    end_kept();
    snprintf(kept.name, sizeof kept.name, "%s", name);
    assert_int_equal(wl_gpu_load(name, NULL, &kept.gpu, error), WL_OK);
    assert_int_equal(wl_sim_create(&kept.gpu, &kept.sim, error), WL_OK);
    return kept.sim;
}

static enum wl_code launch(struct run *run, const struct wl_program *program,
                           struct wl_error *error)
{
    const struct ptx_case *self = &run->self;
    struct wl_sim_range ranges[RANGES_MAX], pages[RANGES_MAX];
    uint8_t parameters[512] __attribute__((aligned(16))) = {0};
    if (program->uses_heap || *self->fails)
        end_kept(); /* addresses of the heap, and of what is computed from registers nobody wrote */
    struct wl_sim *sim = simulator(self->gpu, error);
    assert_int_equal(program->parameter_count, self->argument_count);
    for (int i = 0; i < self->argument_count; i++) {
        const struct ptx_case_argument *argument = &self->arguments[i];
        uint64_t bits = argument->buffer < 0
                            ? argument->bits
                            : (uint64_t)(uintptr_t)self->buffers[argument->buffer].bytes;
        memcpy(parameters + program->parameters[i].offset, &bits,
               program->parameters[i].size_bytes);
    }
    struct wl_sim_launch launch = {.program = program,
                                   .shared_dynamic_bytes = self->shared_bytes,
                                   .parameters = parameters,
                                   .ranges = ranges,
                                   .range_count = list_ranges(run, ranges),
                                   .carveout_pct = -1,
                                   .registers_per_thread = program->register_estimate};
    struct wl_texture textures[PTX_CASE_TEXTURES];
    const struct wl_texture *texture_list[PTX_CASE_TEXTURES + 1];
    make_textures(run, textures, texture_list);
    launch.textures = texture_list;
    launch.texture_count = (size_t)self->texture_count + 1;
    if (run->is_checked)
        launch.unwritten = make_unwritten(run, ranges, launch.range_count);
    if (self->is_mapped) {
        launch.pages = pages;
        launch.page_count = list_pages(ranges, launch.range_count, pages);
    }
    memcpy(launch.grid, self->grid, sizeof launch.grid);
    memcpy(launch.cluster, program->cluster, sizeof launch.cluster);
    memcpy(launch.block, self->block, sizeof launch.block);
    struct wl_sim_options options = {.count = run->is_counted,
                                     .l1_global_loads = kept.gpu.l1_global_loads == WL_L1_ON,
                                     .print = take_printed,
                                     .print_self = run,
                                     .engine = run->engine};
    if (run->is_checked)
        options.checks = WL_CHECK_RACE | WL_CHECK_INIT | WL_CHECK_SYNC | WL_CHECK_BOUNDS;
    fenv_t before;
    fegetenv(&before);
    if (!run->is_counted)
        set_unusual_arithmetic();
    enum wl_code code = wl_sim_run(sim, &launch, &options, &run->counts, error);
    fesetenv(&before);
    if (run->counts.asserted)
        wl_text_add(&run->printed, run->counts.asserted);
    wl_unwritten_free(launch.unwritten);
    return code;
}

/* ---- checking ---- */

static void differ(struct run *run, const char *line, const char *message)
{
    const char *at = strstr(run->at, line);
    size_t number = 1;
    for (const char *c = run->text; at && c < at; c++)
        number += *c == '\n';
    run->at = at ? at : run->at;
    size_t used = strlen(run->differences);
    snprintf(run->differences + used, sizeof run->differences - used, "%s:%zu: %s\n", run->path,
             number, message);
}

static void check_count(struct run *run, const char *line)
{
    char name[128] = "", message[400] = "";
    unsigned long long expected = 0, actual = 0;
    bool is_known = false;
    if (sscanf(line, "//%% count %127s = %llu", name, &expected) != 2)
        snprintf(message, sizeof message, "malformed: %.200s", line);
    for (int i = 0; i < WL_COUNTER_COUNT; i++) {
        if (strcmp(wl_counter_rows[i].name, name) != 0)
            continue;
        is_known = true;
        actual = run->counts.totals[i];
    }
    if (!*message && !is_known)
        snprintf(message, sizeof message, "unknown counter %s", name);
    else if (!*message && actual != expected)
        snprintf(message, sizeof message, "%s is %llu, expected %llu", name, actual, expected);
    if (*message)
        differ(run, line, message);
}

/* Appends text with "{a+8}" as the address of byte 8 of buffer a. */
static void put_addresses(const struct run *run, const char *text, struct wl_text *out)
{
    for (; *text; text++) {
        char name[32];
        int offset = 0;
        int used = 0;
        if (sscanf(text, "{%31[a-z]%d}%n", name, &offset, &used) < 2 || !used) {
            wl_text_add_char(out, *text);
            continue;
        }
        int buffer = ptx_case_find_buffer(&run->self, name);
        assert_true(buffer >= 0);
        wl_text_addf(out, "0x%llx",
                     (unsigned long long)(uintptr_t)(run->self.buffers[buffer].bytes + offset));
        text += used - 1;
    }
}

static void check_finding(struct run *run, const char *line)
{
    struct wl_text expected = {0}, actual = {0};
    put_addresses(run, line + strlen("//% finds "), &expected);
    if (run->found < run->counts.finding_count)
        wl_finding_print(run->program, &run->counts.findings[run->found++], &actual);
    else
        wl_text_add(&actual, "nothing more");
    if (strcmp(expected.data, actual.data) != 0) {
        char *message = wl_string_format("found\n  %s\nexpected\n  %s", actual.data, expected.data);
        differ(run, line, message);
        free(message);
    }
    wl_text_free(&expected);
    wl_text_free(&actual);
}

/* Findings that the case does not name. */
static void check_no_more(struct run *run)
{
    for (; run->is_checked && run->found < run->counts.finding_count; run->found++) {
        struct wl_text text = {0};
        wl_finding_print(run->program, &run->counts.findings[run->found], &text);
        differ(run, "//%", text.data);
        wl_text_free(&text);
    }
}

static void act_check(void *self, char *line)
{
    struct run *run = self;
    uint8_t *contents[PTX_CASE_BUFFERS];
    char message[400];
    for (int i = 0; i < run->self.buffer_count; i++)
        contents[i] = run->self.buffers[i].bytes;
    if (run->is_counted && strncmp(line, "//% count ", 10) == 0)
        check_count(run, line);
    else if (run->is_checked && strncmp(line, "//% finds ", 10) == 0)
        check_finding(run, line);
    else if (strncmp(line, "//% expect ", 11) == 0 &&
             !ptx_case_check(&run->self, line, contents, message))
        differ(run, line, message);
}

/* Compares with the section of h200.txt for this very text of the case, if there is one. */
static void check_hardware(struct run *run)
{
    char hash[WL_SHA256_HEX_LENGTH + 1];
    wl_sha256_of(run->text, strlen(run->text), hash);
    char *heading = wl_string_format("== %s %s\n", run->key, hash);
    char *found = hardware.data ? strstr(hardware.data, heading) : NULL;
    if (found) {
        const char *start = found + strlen(heading), *end = strstr(start, "\n== ");
        char *section = wl_string_copy_length(start, end ? (size_t)(end - start) : strlen(start));
        compared += run->is_counted && run->engine == WL_ENGINE_COMPILE &&
                    strncmp(run->key, "generated/", 10) == 0;
        if (strstr(section, "differs"))
            differ(run, "//%", "an H200 gave something else than the case expects");
        ptx_case_each_directive(section, act_check, run);
        free(section);
    }
    free(heading);
}

/* A case of a file: FOLDER/NAME.ptx in h200.txt, also where the file has several. */
struct place {
    char *path, *key, *text;
};

static void run_once(const struct place *place, bool is_counted, bool is_checked,
                     enum wl_sim_engine engine)
{
    struct run run = {.path = place->path,
                      .key = place->key,
                      .text = place->text,
                      .is_counted = is_counted,
                      .is_checked = is_checked,
                      .engine = engine};
    struct wl_error error = {0};
    struct wl_ptx_module *module = NULL;
    struct wl_program *program = NULL;
    run.at = run.text;
    ptx_case_read(&run.self, run.text);
    if (*run.self.message)
        fail_msg("%s: %s", run.path, run.self.message);
    /* programs' modules are opened, those they load are read whole: each case is run as both */
    if ((is_counted ? wl_ptx_module_open : wl_ptx_module_parse)(run.text, strlen(run.text),
                                                                run.path, &module, &error))
        fail_msg("%s: %s (%s)", run.path, error.message, error.where);
    run.module = module;
    place_variables(&run);
    struct wl_ptx_lower_input input = {.module = module,
                                       .capability = 90,
                                       .shared_gap_bytes = is_checked ? 128 : 0,
                                       .keeps_masks = is_checked,
                                       .resolve = resolve,
                                       .self = &run};
    input.function = wl_ptx_module_find_function(module, run.self.entry);
    assert_non_null(input.function);
    enum wl_code code = wl_ptx_lower(&input, &program, &error);
    run.program = program;
    if (!code)
        code = launch(&run, program, &error);
    struct wl_text expected = {0};
    put_addresses(&run, run.self.fails, &expected);
    const char *fails = expected.data ? expected.data : "";
    if (!*fails && code)
        fail_msg("%s: %s (%s)", run.path, error.message, error.where);
    if (*fails && (!code || !strstr(error.message, fails)))
        fail_msg("%s: must fail with \"%s\", gave \"%s\"", run.path, fails, error.message);
    if (!code)
        ptx_case_each_directive(run.text, act_check, &run);
    if (!code)
        check_hardware(&run);
    if (!code)
        check_no_more(&run);
    if (*run.differences)
        fail_msg("%s", run.differences);
    wl_text_free(&expected);
    if (run.self.characters)
        assert_int_equal(run.self.characters, run.printed.length);
    else
        assert_string_equal(run.self.prints, run.printed.data ? run.printed.data : "");
    free_variables(&run);
    ptx_case_free(&run.self);
    wl_text_free(&run.printed);
    wl_sim_counts_free(&run.counts);
    wl_program_free(program);
    wl_ptx_module_free(module);
}

static void run_case(void **argument)
{
    run_once(*argument, true, false, WL_ENGINE_INTERPRET);
    run_once(*argument, true, false, WL_ENGINE_COMPILE);
    run_once(*argument, false, false, WL_ENGINE_COMPILE_256);
    run_once(*argument, true, true, WL_ENGINE_CHOOSE);
}

/* Last of all: whether enough was compared. A case that was rewritten must be run again. */
static void count_compared(void **argument)
{
    (void)argument;
    if (compared < COMPARED_MIN)
        fail_msg(
            "%u generated cases are as an H200 ran them, not %d: tests/ptx/on_gpu.c -o h200.txt",
            compared, COMPARED_MIN);
    printf("%u generated cases give what an H200 gave\n", compared);
}

/* ---- the cases ---- */

struct cases {
    WL_VECTOR_FIELDS(struct CMUnitTest);
};

static bool is_wanted(const char *name, char **names)
{
    bool is_any = *names == NULL;
    for (; *names; names++)
        is_any |= strcmp(*names, name) == 0;
    return is_any;
}

static void add_file(struct cases *cases, const char *folder, const char *name, char **names)
{
    char *path = wl_string_format(ROOT "%s%s", folder, name);
    struct wl_text text = {0};
    assert_int_equal(wl_file_read(path, &text, NULL), WL_OK);
    const char *at = text.data, *begin;
    char part[64];
    size_t length;
    while (ptx_case_next(&at, part, &begin, &length)) {
        char *full = *part ? wl_string_format("%s.ptx", part) : wl_string_copy(name);
        if (!is_wanted(full, names)) {
            free(full);
            continue;
        }
        struct place *place = wl_alloc_zero(1, sizeof *place);
        place->path = wl_string_format(*part ? "%s %s" : "%s", path, part);
        place->key = wl_string_format("%s%s", folder, full);
        place->text = wl_string_copy_length(begin, length);
        struct CMUnitTest test = {.name = full, .test_func = run_case, .initial_state = place};
        WL_PUSH(cases, test);
    }
    wl_text_free(&text);
    free(path);
}

static void add_folder(struct cases *cases, const char *folder, char **names)
{
    char *path = wl_string_format(ROOT "%s", folder);
    struct dirent **entries;
    int count = scandir(path, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        const char *name = entries[i]->d_name, *dot = strrchr(name, '.');
        if (dot && strcmp(dot, ".ptx") == 0) {
            add_file(cases, folder, name, names);
        } else if (!dot && entries[i]->d_type == DT_DIR) { /* tests/ptx/generate has none */
            char *inner = wl_string_format("%s%s/", folder, name);
            add_folder(cases, inner, names);
            free(inner);
        }
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    free(path);
}

int main(int argument_count, char **arguments)
{
    struct cases cases = {0};
    (void)argument_count;
    static const char *const folders[] = {"", "../check/"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        add_folder(&cases, folders[i], arguments + 1);
    if (cases.count == 0) {
        fprintf(stderr, "no such tests in " WL_SOURCE_DIR "/tests/ptx\n");
        return 1;
    }
    if (!arguments[1])
        WL_PUSH(&cases, ((struct CMUnitTest){.name = wl_string_copy("as on an H200"),
                                             .test_func = count_compared}));
    struct wl_error error = {0};
    if (wl_file_read(WL_SOURCE_DIR "/tests/ptx/h200.txt", &hardware, &error))
        fprintf(stderr, "%s\n", error.message);
    int failed = _cmocka_run_group_tests("ptx", cases.items, cases.count, NULL, NULL);
    for (size_t i = 0; i < cases.count; i++) {
        free((char *)(uintptr_t)cases.items[i].name);
        struct place *place = cases.items[i].initial_state;
        if (place) {
            free(place->path);
            free(place->key);
            free(place->text);
        }
        free(place);
    }
    free(cases.items);
    end_kept();
    wl_text_free(&hardware);
    return failed;
}
