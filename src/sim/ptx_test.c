/* Runs every tests/ptx/NAME.ptx: one kernel with its launch and what it must give in comments:
 *
 *   //% grid 2 1 1                 default 1 1 1
 *   //% block 64 1 1               default 32 1 1
 *   //% shared 1024                dynamic shared memory
 *   //% gpu h200                   default
 *   //% buffer a u32[32] = 1 2 3   memory; the last values repeat: "= 7" fills, "= i" counts from 0
 *   //% arg a                      a buffer's address, in the order of the kernel's parameters
 *   //% arg u32 5                  or a number (u32 u64 s32 s64 f32 f64)
 *   //% expect a u32[32] = 1 2 3   what memory holds afterwards
 *   //% count NAME = 12            a counter's total
 *   //% fails TEXT                 the launch (or lowering) fails with a message that contains TEXT
 *
 * Numbers: decimal, 0x hex, for floats also 0f / 0d bit patterns, "nan", "inf". */
#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"
#include "base/text.h"
#include "ptx/lower.h"
#include "sim/sim.h"

#define BUFFERS_MAX 8
#define LINE_MAX_BYTES 8192

struct buffer {
    char name[32];
    uint8_t *bytes;
    size_t size_bytes;
};

struct expectation {
    char line[LINE_MAX_BYTES];
    bool is_count;
};

struct case_state {
    const char *name;
    char gpu[32];
    uint32_t grid[3], block[3], shared_bytes;
    struct buffer buffers[BUFFERS_MAX];
    size_t buffer_count;
    uint64_t arguments[32];
    size_t argument_count;
    char fails[256];
};

/* ---- numbers ---- */

static size_t type_bytes(const char *type)
{
    return strstr(type, "64") ? 8 : strstr(type, "32") ? 4 : strstr(type, "16") ? 2 : 1;
}

static uint64_t parse_number(const char *word, const char *type)
{
    uint64_t bits = 0;
    if (word[0] == '0' && (word[1] == 'f' || word[1] == 'd'))
        return strtoull(word + 2, NULL, 16);
    if (type[0] == 'f' && strncmp(word, "0x", 2) != 0) {
        double value = strtod(word, NULL);
        float single = (float)value;
        if (type_bytes(type) == 8)
            memcpy(&bits, &value, sizeof value);
        else
            memcpy(&bits, &single, sizeof single);
        return bits;
    }
    return word[0] == '-' ? (uint64_t)strtoll(word, NULL, 0) : strtoull(word, NULL, 0);
}

/* "u32[32] = 1 2 3" into bytes; returns the size. type gets the element type. */
static size_t parse_array(char *text, char type[8], uint8_t **bytes)
{
    unsigned count = 0;
    int used = 0;
    if (sscanf(text, " %7[a-z0-9][%u] = %n", type, &count, &used) != 2 || used == 0)
        fail_msg("malformed array: %s", text);
    size_t width = type_bytes(type);
    *bytes = wl_alloc_zero(count, width);
    uint64_t bits = 0;
    char *save = NULL, *word = strtok_r(text + used, " \t\r\n", &save);
    bool counts = word && strcmp(word, "i") == 0;
    for (unsigned i = 0; i < count; i++) {
        if (counts) {
            char number[16];
            snprintf(number, sizeof number, "%u", i);
            bits = parse_number(number, type);
        } else if (word) {
            bits = parse_number(word, type);
            word = strtok_r(NULL, " \t\r\n", &save);
        }
        memcpy(*bytes + i * width, &bits, width);
    }
    return count * width;
}

static struct buffer *find_buffer(struct case_state *state, const char *name)
{
    for (size_t i = 0; i < state->buffer_count; i++)
        if (strcmp(state->buffers[i].name, name) == 0)
            return &state->buffers[i];
    return NULL;
}

/* ---- directives ---- */

static void read_argument(struct case_state *state, const char *rest)
{
    char first[32] = "", second[64] = "";
    sscanf(rest, "%31s %63s", first, second);
    struct buffer *buffer = find_buffer(state, first);
    uint64_t value = buffer ? (uint64_t)(uintptr_t)buffer->bytes : parse_number(second, first);
    state->arguments[state->argument_count++] = value;
}

static void read_buffer(struct case_state *state, char *rest)
{
    struct buffer *buffer = &state->buffers[state->buffer_count++];
    char type[8];
    int used = 0;
    sscanf(rest, "%31s%n", buffer->name, &used);
    uint8_t *values;
    buffer->size_bytes = parse_array(rest + used, type, &values);
    buffer->bytes = wl_alloc_aligned(256, buffer->size_bytes);
    memcpy(buffer->bytes, values, buffer->size_bytes);
    free(values);
}

static void read_directive(struct case_state *state, char *line)
{
    char word[16] = "";
    int used = 0;
    sscanf(line, "//%% %15s %n", word, &used);
    char *rest = line + used;
    if (strcmp(word, "grid") == 0)
        sscanf(rest, "%u %u %u", &state->grid[0], &state->grid[1], &state->grid[2]);
    else if (strcmp(word, "block") == 0)
        sscanf(rest, "%u %u %u", &state->block[0], &state->block[1], &state->block[2]);
    else if (strcmp(word, "shared") == 0)
        sscanf(rest, "%u", &state->shared_bytes);
    else if (strcmp(word, "gpu") == 0)
        sscanf(rest, "%31s", state->gpu);
    else if (strcmp(word, "buffer") == 0)
        read_buffer(state, rest);
    else if (strcmp(word, "arg") == 0)
        read_argument(state, rest);
    else if (strcmp(word, "fails") == 0)
        sscanf(rest, "%255[^\n]", state->fails);
    else if (strcmp(word, "expect") != 0 && strcmp(word, "count") != 0)
        fail_msg("%s: unknown directive %s", state->name, word);
}

/* Calls act for every directive line; line is a writable copy. */
static void each_directive(const char *text, void (*act)(void *self, char *line), void *self)
{
    for (const char *at = text; (at = strstr(at, "//%")) != NULL;) {
        const char *end = strchr(at, '\n');
        size_t length = end ? (size_t)(end - at) : strlen(at);
        char *line = wl_string_copy_length(at, length);
        act(self, line);
        free(line);
        at += length;
    }
}

static void act_read(void *self, char *line)
{
    read_directive(self, line);
}

/* ---- checking ---- */

struct check {
    struct case_state *state;
    const struct wl_sim_counts *counts;
};

static void check_count(const struct check *check, const char *rest)
{
    char name[128];
    unsigned long long expected;
    if (sscanf(rest, "%127s = %llu", name, &expected) != 2)
        fail_msg("%s: malformed count: %s", check->state->name, rest);
    for (int i = 0; i < WL_COUNTER_COUNT; i++) {
        if (strcmp(wl_counter_rows[i].name, name) != 0)
            continue;
        if (check->counts->totals[i] != expected)
            fail_msg("%s: %s is %llu, expected %llu", check->state->name, name,
                     (unsigned long long)check->counts->totals[i], expected);
        return;
    }
    fail_msg("%s: unknown counter %s", check->state->name, name);
}

static void check_memory(const struct check *check, char *rest)
{
    char name[32], type[8];
    int used = 0;
    sscanf(rest, "%31s%n", name, &used);
    struct buffer *buffer = find_buffer(check->state, name);
    if (!buffer)
        fail_msg("%s: no buffer %s", check->state->name, name);
    uint8_t *expected;
    size_t size_bytes = parse_array(rest + used, type, &expected), width = type_bytes(type);
    assert_true(size_bytes <= buffer->size_bytes);
    for (size_t at = 0; at < size_bytes; at += width) {
        uint64_t want = 0, have = 0;
        memcpy(&want, expected + at, width);
        memcpy(&have, buffer->bytes + at, width);
        if (want != have)
            fail_msg("%s: %s[%zu] is 0x%llx, expected 0x%llx", check->state->name, name, at / width,
                     (unsigned long long)have, (unsigned long long)want);
    }
    free(expected);
}

static void act_check(void *self, char *line)
{
    char word[16] = "";
    int used = 0;
    sscanf(line, "//%% %15s %n", word, &used);
    if (strcmp(word, "count") == 0)
        check_count(self, line + used);
    else if (strcmp(word, "expect") == 0)
        check_memory(self, line + used);
}

/* ---- running ---- */

static int by_start(const void *left, const void *right)
{
    const struct wl_sim_range *a = left, *b = right;
    return a->start < b->start ? -1 : a->start > b->start;
}

static enum wl_code launch(struct case_state *state, const struct wl_program *program,
                           struct wl_sim_counts *counts, struct wl_error *error)
{
    struct wl_gpu gpu;
    struct wl_sim *sim;
    struct wl_sim_range ranges[BUFFERS_MAX];
    uint8_t parameters[256] = {0};
    assert_int_equal(wl_gpu_load(state->gpu, NULL, &gpu, error), WL_OK);
    assert_int_equal(wl_sim_create(&gpu, &sim, error), WL_OK);
    assert_int_equal(program->parameter_count, state->argument_count);
    for (size_t i = 0; i < state->argument_count; i++)
        memcpy(parameters + program->parameters[i].offset, &state->arguments[i],
               program->parameters[i].size_bytes);
    for (size_t i = 0; i < state->buffer_count; i++) {
        ranges[i].start = (uint64_t)(uintptr_t)state->buffers[i].bytes;
        ranges[i].end = ranges[i].start + state->buffers[i].size_bytes;
    }
    qsort(ranges, state->buffer_count, sizeof *ranges, by_start);
    struct wl_sim_launch launch = {.program = program,
                                   .shared_dynamic_bytes = state->shared_bytes,
                                   .parameters = parameters,
                                   .ranges = ranges,
                                   .range_count = state->buffer_count,
                                   .carveout_pct = -1,
                                   .registers_per_thread = program->register_estimate};
    memcpy(launch.grid, state->grid, sizeof launch.grid);
    memcpy(launch.block, state->block, sizeof launch.block);
    struct wl_sim_options options = {.count = true,
                                     .l1_global_loads = gpu.l1_global_loads == WL_L1_ON};
    enum wl_code code = wl_sim_run(sim, &launch, &options, counts, error);
    wl_sim_free(sim);
    wl_gpu_free(&gpu);
    return code;
}

static void run_case(void **argument)
{
    const char *path = *argument;
    struct case_state state = {.name = path, .gpu = "h200", .grid = {1, 1, 1}, .block = {32, 1, 1}};
    struct wl_error error = {0};
    struct wl_text text = {0};
    struct wl_ptx_module *module = NULL;
    struct wl_program *program = NULL;
    struct wl_sim_counts counts = {0};
    assert_int_equal(wl_file_read(path, &text, &error), WL_OK);
    each_directive(text.data, act_read, &state);
    if (wl_ptx_module_parse(text.data, text.length, path, &module, &error))
        fail_msg("%s: %s (%s)", path, error.message, error.where);
    struct wl_ptx_lower_input input = {.module = module, .capability = 90};
    for (uint32_t i = 0; i < module->function_count && !input.function; i++)
        if (module->functions[i].is_entry)
            input.function = &module->functions[i];
    enum wl_code code = wl_ptx_lower(&input, &program, &error);
    if (!code)
        code = launch(&state, program, &counts, &error);
    if (state.fails[0] == '\0' && code)
        fail_msg("%s: %s (%s)", path, error.message, error.where);
    if (state.fails[0] && (!code || !strstr(error.message, state.fails)))
        fail_msg("%s: must fail with \"%s\", gave \"%s\"", path, state.fails, error.message);
    struct check check = {&state, &counts};
    if (!code)
        each_directive(text.data, act_check, &check);
    for (size_t i = 0; i < state.buffer_count; i++)
        free(state.buffers[i].bytes);
    wl_sim_counts_free(&counts);
    wl_program_free(program);
    wl_ptx_module_free(module);
    wl_text_free(&text);
}

int main(void)
{
    struct dirent **entries;
    int count = scandir(WL_SOURCE_DIR "/tests/ptx", &entries, NULL, alphasort);
    struct CMUnitTest *tests = wl_alloc_zero((size_t)(count > 0 ? count : 1), sizeof *tests);
    size_t used = 0;
    for (int i = 0; i < count; i++) {
        const char *dot = strrchr(entries[i]->d_name, '.');
        if (dot && strcmp(dot, ".ptx") == 0) {
            tests[used].name = wl_string_copy(entries[i]->d_name);
            tests[used].test_func = run_case;
            tests[used++].initial_state =
                wl_string_format("%s/%s", WL_SOURCE_DIR "/tests/ptx", entries[i]->d_name);
        }
        free(entries[i]);
    }
    if (count >= 0)
        free(entries);
    if (used == 0) {
        fprintf(stderr, "no tests in " WL_SOURCE_DIR "/tests/ptx\n");
        return 1;
    }
    int failed = _cmocka_run_group_tests("ptx", tests, used, NULL, NULL);
    for (size_t i = 0; i < used; i++) {
        free((char *)(uintptr_t)tests[i].name);
        free(tests[i].initial_state);
    }
    free(tests);
    return failed;
}
