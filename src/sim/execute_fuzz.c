/* Fuzzer of the executor: every kernel that can be lowered is run, counted, plain and with all
 * checks. It may fail in whatever way it likes, but not touch the memory of the program it runs in:
 * buffers and variables are blocks of their own size, so that a sanitizer sees what is outside.
 * Inputs are cases as in tests/ptx. The mutator changes addresses, sizes, operands and order;
 * libFuzzer takes it as its own, tests/fuzz/run_mutated.c runs it from a seed. */
#include <ctype.h>

#include "base/count.h"
#include "base/memory.h"
#include "ptx/lower/lower.h"
#include "sim/sim.h"
#include "sim/unwritten.h"
#include "support/ptx_case.h"

#define BUDGET 4000 /* instructions of a warp */
#define SIZE_MAX_BYTES (1u << 20)
#define THREADS_MAX 512
#define RANGES_MAX 64

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);
size_t LLVMFuzzerCustomMutator(unsigned char *data, size_t size, size_t size_max, unsigned seed);

/* ---- mutation ---- */

struct mutation {
    char *text; /* with room for so many characters and a 0 */
    size_t length, room;
    uint64_t random;
};

static uint64_t draw(struct mutation *self, uint64_t below)
{
    self->random = self->random * 6364136223846793005u + 1442695040888963407u;
    return (self->random >> 33) % below;
}

static void replace(struct mutation *self, size_t at, size_t removed, const char *by)
{
    const size_t added = strlen(by);
    if (self->length - removed + added > self->room)
        return;
    memmove(self->text + at + added, self->text + at + removed, self->length - at - removed + 1);
    memcpy(self->text + at, by, added);
    self->length += added - removed;
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* A place in the body at or behind a random one where a token begins with that character ('0': any
 * number); length of text if there is none. */
static size_t find_token(struct mutation *self, char first)
{
    const char *body = strstr(self->text, ".entry");
    const size_t start = body ? (size_t)(body - self->text) : 0;
    size_t at = start + draw(self, self->length - start + 1);
    for (; at < self->length; at++) {
        const char c = self->text[at], before = at ? self->text[at - 1] : ' ';
        if (first == '0'
                ? isdigit((unsigned char)c) && !is_word(before) && before != '%' && before != '.'
                : c == first)
            return at;
    }
    return self->length;
}

static size_t token_end(const struct mutation *self, size_t at)
{
    size_t end = at + 1;
    while (end < self->length && is_word(self->text[end]))
        end++;
    return end;
}

static const char *const numbers[] = {"0",
                                      "1",
                                      "2",
                                      "3",
                                      "4",
                                      "7",
                                      "8",
                                      "12",
                                      "15",
                                      "16",
                                      "31",
                                      "32",
                                      "33",
                                      "60",
                                      "63",
                                      "64",
                                      "127",
                                      "128",
                                      "255",
                                      "256",
                                      "1000",
                                      "4096",
                                      "65535",
                                      "65536",
                                      "0x7fffffff",
                                      "0x80000000",
                                      "0xfffffffc",
                                      "0xffffffff",
                                      "0x100000000",
                                      "0x0100000000000000",
                                      "0x0100000100000000",
                                      "0x0200000000000000",
                                      "0x7fffffffffffffff",
                                      "0x8000000000000000",
                                      "0xfffffffffffffff0",
                                      "0xfffffffffffffffc",
                                      "-1",
                                      "-4",
                                      "-8",
                                      "-16",
                                      "-128",
                                      "-4096"};
static const char *const words[] = {
    ".u8",   ".s8",  ".u16",    ".s16",      ".u32",   ".s32",   ".u64",  ".b8",
    ".b16",  ".b32", ".b64",    ".f32",      ".f64",   ".v2",    ".v4",   ".shared",
    ".add",  ".cas", ".global", ".local",    ".const", ".param", ".trap", ".zero",
    ".exch", "",     ".clamp",  ".volatile", ".2d",    ".3d",    ".cube", ".a2d"};
#define PICK(self, list) ((list)[draw(self, sizeof(list) / sizeof *(list))])

static void change_number(struct mutation *self)
{
    size_t at = find_token(self, '0');
    if (at < self->length)
        replace(self, at, token_end(self, at) - at, PICK(self, numbers));
}

static void change_word(struct mutation *self)
{
    size_t at = find_token(self, '.');
    if (at < self->length)
        replace(self, at, token_end(self, at) - at, PICK(self, words));
}

static size_t letters(const char *text)
{
    size_t count = 1;
    while (isalpha((unsigned char)text[count]))
        count++;
    return count;
}

/* A register becomes another one of its kind. */
static void change_register(struct mutation *self)
{
    size_t at = find_token(self, '%');
    for (int attempt = 0; attempt < 8 && at < self->length; attempt++) {
        size_t from = find_token(self, '%');
        if (from >= self->length || letters(self->text + at) != letters(self->text + from) ||
            memcmp(self->text + at, self->text + from, letters(self->text + at)) != 0)
            continue;
        char *other = wl_string_copy_length(self->text + from, token_end(self, from) - from);
        replace(self, at, token_end(self, at) - at, other);
        free(other);
        return;
    }
}

/* What is between brackets moves by a number, in the text or in its register before. */
static void change_address(struct mutation *self)
{
    size_t at = find_token(self, '[');
    if (at + 1 >= self->length)
        return;
    const size_t end = self->text[at + 1] == '%' ? token_end(self, at + 1) : at + 1;
    char text[128];
    size_t line = at;
    while (line > 0 && self->text[line - 1] != '\n')
        line--;
    if (end > at + 24 || end == at + 1 || draw(self, 2)) {
        snprintf(text, sizeof text, "+%s", PICK(self, numbers));
        replace(self, end, 0, text);
    } else {
        char name[32] = "";
        memcpy(name, self->text + at + 1, end - at - 1);
        const char *type = strncmp(name, "%rd", 3) == 0 ? "u64" : "u32";
        snprintf(text, sizeof text, "\t%sadd.%s %s, %s, %s;\n", draw(self, 2) ? "@%p1 " : "", type,
                 name, name, PICK(self, numbers));
        replace(self, line, 0, text);
    }
}

/* A line is left out, or stands elsewhere once more. */
static void change_lines(struct mutation *self)
{
    size_t from = find_token(self, '\n'), to = find_token(self, '\n');
    if (from + 1 >= self->length || to >= self->length)
        return;
    size_t end = from + 1 + strcspn(self->text + from + 1, "\n");
    char *line = wl_string_copy_length(self->text + from, end - from);
    if (draw(self, 3) == 0)
        replace(self, from, end - from, "");
    else
        replace(self, to, 0, line);
    free(line);
}

size_t LLVMFuzzerCustomMutator(unsigned char *data, size_t size, size_t size_max, unsigned seed)
{
    static void (*const changes[])(struct mutation *) = {
        change_number,  change_number,   change_word, change_address,
        change_address, change_register, change_lines};
    struct mutation self = {.length = size, .room = size_max, .random = seed};
    self.text = wl_alloc(size_max + 1);
    memcpy(self.text, data, size);
    self.text[size] = 0;
    self.length = strlen(self.text);
    for (uint64_t left = 1 + draw(&self, 4); left-- > 0;)
        PICK(&self, changes)(&self);
    memcpy(data, self.text, self.length);
    free(self.text);
    return self.length;
}

/* ---- running ---- */

struct run {
    struct ptx_case self;
    const struct wl_ptx_module *module;
    uint8_t *buffers[PTX_CASE_BUFFERS];
    uint8_t **variables; /* NULL where they have no memory of their own */
    struct wl_sim_range ranges[RANGES_MAX], pages[RANGES_MAX];
    size_t range_count, page_count;
};

static uint64_t resolve(void *self, const char *symbol)
{
    const struct run *run = self;
    for (uint32_t i = 0; i < run->module->variable_count; i++)
        if (strcmp(run->module->variables[i].name, symbol) == 0)
            return (uint64_t)(uintptr_t)run->variables[i];
    return 0;
}

/* A block of just that size. */
static uint8_t *place(struct run *run, const void *bytes, size_t size)
{
    if (run->range_count == RANGES_MAX)
        return NULL;
    uint8_t *block = wl_alloc(size ? size : 1);
    if (bytes)
        memcpy(block, bytes, size);
    else
        memset(block, 0, size);
    const uint64_t start = (uint64_t)(uintptr_t)block;
    if (size)
        run->ranges[run->range_count++] = (struct wl_sim_range){start, start + size};
    return block;
}

static int by_start(const void *left, const void *right)
{
    const struct wl_sim_range *a = left, *b = right;
    return a->start < b->start ? -1 : a->start > b->start;
}

static void place_memory(struct run *run)
{
    const struct wl_ptx_module *module = run->module;
    run->variables = wl_alloc_zero(module->variable_count + 1u, sizeof *run->variables);
    for (int i = 0; i < run->self.buffer_count; i++)
        run->buffers[i] = place(run, run->self.buffers[i].bytes, run->self.buffers[i].size_bytes);
    for (uint32_t i = 0; i < module->variable_count; i++) {
        const struct wl_ptx_variable *variable = &module->variables[i];
        if (variable->space == WL_PTX_SPACE_GLOBAL || variable->space == WL_PTX_SPACE_CONST)
            run->variables[i] = place(run, variable->initial, (size_t)variable->size_bytes);
    }
    qsort(run->ranges, run->range_count, sizeof *run->ranges, by_start);
    for (size_t i = 0; i < run->range_count; i++) {
        const uint64_t page = PTX_CASE_PAGE_BYTES - 1;
        const uint64_t start = run->ranges[i].start & ~page,
                       end = (run->ranges[i].end + page) & ~page;
        if (run->page_count && start <= run->pages[run->page_count - 1].end)
            run->pages[run->page_count - 1].end = end;
        else
            run->pages[run->page_count++] = (struct wl_sim_range){start, end};
    }
}

static void free_memory(struct run *run)
{
    for (int i = 0; i < run->self.buffer_count; i++)
        free(run->buffers[i]);
    for (uint32_t i = 0; i < run->module->variable_count; i++)
        free(run->variables[i]);
    free(run->variables);
}

/* Texture objects over the buffers that are large enough; the others have none. */
static void make_textures(const struct run *run, struct wl_texture *textures,
                          const struct wl_texture **list)
{
    static const char *const edges[] = {"wrap", "clamp", "mirror", "border"};
    list[0] = NULL;
    for (int i = 0; i < run->self.texture_count; i++) {
        const struct ptx_case_texture *asked = &run->self.textures[i];
        struct wl_texture *made = &textures[i];
        *made =
            (struct wl_texture){.storage = asked->height ? WL_TEXTURE_PITCHED : WL_TEXTURE_BUFFER,
                                .kind = asked->type[0] == 'f'   ? WL_TEXEL_FLOAT
                                        : asked->type[0] == 's' ? WL_TEXEL_SIGNED
                                                                : WL_TEXEL_UNSIGNED,
                                .channels = (uint8_t)(asked->channels <= 4 ? asked->channels : 4),
                                .channel_bytes = (uint8_t)(atoi(asked->type + 1) / 8),
                                .width = asked->width,
                                .height = asked->height,
                                .depth = asked->depth,
                                .address = (uint64_t)(uintptr_t)run->buffers[asked->buffer],
                                .size_bytes = run->self.buffers[asked->buffer].size_bytes,
                                .is_filtered = strstr(asked->words, "linear"),
                                .is_normalized = strstr(asked->words, "normalized"),
                                .reads_float = strstr(asked->words, "float"),
                                .is_layered = strstr(asked->words, "layered"),
                                .is_cube = strstr(asked->words, "cube")};
        made->pitch_bytes = (uint64_t)made->width * wl_texture_element_bytes(made);
        made->slice_bytes = made->pitch_bytes * (made->height ? made->height : 1);
        for (uint8_t k = 0; k < 4; k++)
            if (strstr(asked->words, edges[k]))
                memset(made->edges, k, sizeof made->edges);
        bool is_good = made->slice_bytes * (made->depth ? made->depth : 1) <= made->size_bytes;
        list[i + 1] = is_good ? made : NULL;
    }
}

static void print_nothing(void *self, const char *text, size_t length)
{
    (void)self;
    (void)text;
    (void)length;
}

/* What became of the launches so far, by fault; printed at the end where WL_FUZZ_COUNTS is set. */
static unsigned long ends[WL_SIM_FAULT_BUDGET + 1];

static void print_ends(void)
{
    static const char *const names[] = {"ended",  "illegal address",     "misaligned",  "trap",
                                        "assert", "illegal instruction", "unsupported", "budget"};
    for (size_t i = 0; i < WL_COUNT(ends); i++)
        printf("%lu %s\n", ends[i], names[i]);
}

/* A small GPU, made once. */
static struct wl_sim *the_sim(void)
{
    static struct wl_gpu gpu;
    static struct wl_sim *sim;
    static bool is_known;
    struct wl_error error = {0};
    if (!sim && (wl_gpu_load("h200", NULL, &gpu, &error) ||
                 (gpu.sm_count = 2, wl_sim_create(&gpu, &sim, &error))))
        abort();
    if (!is_known && getenv("WL_FUZZ_COUNTS"))
        atexit(print_ends);
    is_known = true;
    return sim;
}

/* What all memory of a run holds. */
struct snapshot {
    uint8_t *bytes;
    size_t size_bytes;
};

static struct snapshot take_snapshot(const struct run *run)
{
    struct snapshot taken = {NULL, 0};
    for (size_t i = 0; i < run->range_count; i++)
        taken.size_bytes += run->ranges[i].end - run->ranges[i].start;
    taken.bytes = wl_alloc(taken.size_bytes + 8);
    size_t at = 0;
    for (size_t i = 0; i < run->range_count; i++) {
        const size_t size = run->ranges[i].end - run->ranges[i].start;
        memcpy(taken.bytes + at, (const void *)(uintptr_t)run->ranges[i].start, size);
        at += size;
    }
    return taken;
}

static void put_snapshot(const struct run *run, const struct snapshot *taken)
{
    size_t at = 0;
    for (size_t i = 0; i < run->range_count; i++) {
        const size_t size = run->ranges[i].end - run->ranges[i].start;
        memcpy((void *)(uintptr_t)run->ranges[i].start, taken->bytes + at, size);
        at += size;
    }
}

/* What an interpreted launch did. */
struct outcome {
    enum wl_code code;
    enum wl_sim_fault fault;
    struct snapshot before, after;
    bool hangs_on_local; /* on what stood in local memory before */
};

/* Whether eight bytes are NaN in double precision: which of two NaNs a sum is, the host's compiler
 * chose. */
static bool is_double_nan(const uint8_t *bytes)
{
    double value;
    memcpy(&value, bytes, sizeof value);
    return value != value;
}

/* Whether a launch did what the first one did. */
static bool is_same(const struct run *run, const struct outcome *first, enum wl_code code,
                    enum wl_sim_fault fault)
{
    struct snapshot now = take_snapshot(run);
    bool same = code == first->code && fault == first->fault;
    for (size_t at = 0; at + 8 <= now.size_bytes && same; at += 8)
        same = memcmp(now.bytes + at, first->after.bytes + at, 8) == 0 ||
               (is_double_nan(now.bytes + at) && is_double_nan(first->after.bytes + at));
    free(now.bytes);
    return same;
}

/* Ends the process unless checks found the same. */
static void compare_findings(const struct wl_sim_counts *first, const struct wl_sim_counts *now)
{
    bool same = first->finding_count == now->finding_count;
    for (size_t i = 0; same && i < now->finding_count; i++) {
        const struct wl_finding *a = &first->findings[i], *b = &now->findings[i];
        same = a->kind == b->kind && a->instruction == b->instruction && a->count == b->count &&
               a->address == b->address && a->other_instruction == b->other_instruction &&
               memcmp(a->thread, b->thread, sizeof a->thread) == 0 &&
               memcmp(a->other_thread, b->other_thread, sizeof a->other_thread) == 0;
    }
    if (!same) {
        fprintf(stderr,
                "execute_fuzz: checks of compiled code find something else: %zu, were %zu\n",
                now->finding_count, first->finding_count);
        abort();
    }
}

/* Whether it is known what a launch does. What registers hold that nothing was written to, nobody
 * knows, nor what stands in the heap behind what malloc gave, which launches share. */
static bool is_known(const struct wl_program *program, const struct outcome *first)
{
    return !program->may_read_unset && !program->uses_heap && program->function_count < 2 &&
           !first->hangs_on_local;
}

/* Ends the process unless a compiled launch did the same. */
static void compare(const struct run *run, const struct wl_program *program, struct outcome *first,
                    enum wl_code code, enum wl_sim_fault fault)
{
    const bool is_wrong = is_known(program, first) && !is_same(run, first, code, fault);
    free(first->before.bytes);
    free(first->after.bytes);
    if (is_wrong) {
        fprintf(stderr,
                "execute_fuzz: compiled code does something else: code %d, fault %d; was %d, %d\n",
                (int)code, (int)fault, (int)first->code, (int)first->fault);
        abort();
    }
}

#define CHECKS (WL_CHECK_RACE | WL_CHECK_INIT | WL_CHECK_SYNC | WL_CHECK_BOUNDS)
enum { CHECKED = 4, CHECKED_COMPILED }; /* which of the modes */
enum { UNWRITTEN_BYTES = 40 };

static void execute(struct run *run, const struct wl_program *program)
{
    static const struct wl_sim_options modes[] = {
        {.count = true, .engine = WL_ENGINE_INTERPRET},
        {.count = true, .engine = WL_ENGINE_INTERPRET}, /* again, where local memory is used */
        {.count = true, .engine = WL_ENGINE_COMPILE},   /* as before, from the same memory */
        {.count = false, .engine = WL_ENGINE_COMPILE_256},
        {.count = true, .engine = WL_ENGINE_INTERPRET, .checks = CHECKS},
        {.count = true, .engine = WL_ENGINE_COMPILE, .checks = CHECKS}, /* from the same memory */
        {.count = true, .checks = CHECKS | WL_CHECK_RACE_GLOBAL},
    };
    struct wl_texture textures[PTX_CASE_TEXTURES];
    const struct wl_texture *list[PTX_CASE_TEXTURES + 1];
    uint8_t *parameters = wl_alloc_zero(program->parameter_bytes + 1u, 1);
    make_textures(run, textures, list);
    for (uint32_t i = 0; i < program->parameter_count && (int)i < run->self.argument_count; i++) {
        const struct ptx_case_argument *argument = &run->self.arguments[i];
        uint64_t bits = argument->buffer < 0 ? argument->bits
                                             : (uint64_t)(uintptr_t)run->buffers[argument->buffer];
        const uint32_t size = program->parameters[i].size_bytes;
        memcpy(parameters + program->parameters[i].offset, &bits,
               size < sizeof bits ? size : sizeof bits);
    }
    struct outcome first = {.code = WL_OK};
    struct wl_sim_counts checked = {0};
    struct snapshot before_checks = {0};
    for (size_t i = 0; i < WL_COUNT(modes); i++) {
        if (i == 1 && !program->local_bytes)
            continue;
        struct wl_sim_launch launch = {.program = program,
                                       .shared_dynamic_bytes = run->self.shared_bytes,
                                       .parameters = parameters,
                                       .ranges = run->ranges,
                                       .range_count = run->range_count,
                                       .textures = list,
                                       .texture_count = (size_t)run->self.texture_count + 1,
                                       .carveout_pct = -1,
                                       .registers_per_thread = program->register_estimate};
        struct wl_sim_options options = modes[i];
        struct wl_sim_counts counts = {0};
        struct wl_error error = {0};
        memcpy(launch.grid, run->self.grid, sizeof launch.grid);
        memcpy(launch.cluster, program->cluster, sizeof launch.cluster);
        memcpy(launch.block, run->self.block, sizeof launch.block);
        options.budget = BUDGET;
        options.threads = 1;
        options.print = print_nothing;
        if (options.checks && run->range_count) {
            const struct wl_sim_range *last = &run->ranges[run->range_count - 1];
            launch.pages = run->pages;
            launch.page_count = run->page_count;
            launch.unwritten =
                wl_unwritten_create(run->ranges[0].start, last->end - run->ranges[0].start);
            wl_unwritten_add(launch.unwritten, run->ranges[0].start, UNWRITTEN_BYTES);
        }
        struct snapshot before = take_snapshot(run);
        if (i == 1 || i == 2)
            put_snapshot(run, &first.before);
        if (i == CHECKED)
            before_checks = take_snapshot(run);
        if (i == CHECKED_COMPILED)
            put_snapshot(run, &before_checks);
        enum wl_code code = wl_sim_run(the_sim(), &launch, &options, &counts, &error);
        if (code && !*error.message)
            abort();
        ends[counts.fault]++;
        if (i == 0)
            first = (struct outcome){code, counts.fault, before, take_snapshot(run), false};
        else
            free(before.bytes);
        if (i == 1)
            first.hangs_on_local = !is_same(run, &first, code, counts.fault);
        if (i == 2)
            compare(run, program, &first, code, counts.fault);
        if (i == CHECKED_COMPILED && is_known(program, &first))
            compare_findings(&checked, &counts);
        wl_unwritten_free(launch.unwritten);
        if (i == CHECKED)
            checked = counts;
        else
            wl_sim_counts_free(&counts);
    }
    wl_sim_counts_free(&checked);
    free(before_checks.bytes);
    free(parameters);
}

/* ---- what is too large to be worth it ---- */

static bool is_small(const char *text)
{
    for (const char *at = text; (at = strstr(at, "//%")) != NULL; at++) {
        const size_t length = strcspn(at, "\n"), bracket = strcspn(at, "[\n");
        if (bracket < length && strtoul(at + bracket + 1, NULL, 0) > 65536)
            return false;
    }
    return true;
}

static bool is_small_case(const struct ptx_case *self)
{
    uint64_t threads = 1;
    for (int axis = 0; axis < 3; axis++) {
        if (self->grid[axis] > THREADS_MAX || self->block[axis] > THREADS_MAX)
            return false;
        threads *= (uint64_t)self->grid[axis] * self->block[axis];
    }
    return threads && threads <= THREADS_MAX && self->shared_bytes <= 65536 && !*self->message;
}

static bool is_small_module(const struct wl_ptx_module *module)
{
    for (uint32_t i = 0; i < module->variable_count; i++)
        if (module->variables[i].size_bytes > SIZE_MAX_BYTES)
            return false;
    return module->variable_count <= RANGES_MAX - PTX_CASE_BUFFERS;
}

static bool is_small_program(const struct wl_program *program)
{
    return program->local_bytes <= SIZE_MAX_BYTES / 16 &&
           program->parameter_bytes <= SIZE_MAX_BYTES &&
           program->register_file_bytes + (uint64_t)program->call_stack_bytes <=
               16 * SIZE_MAX_BYTES;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    struct run run = {.range_count = 0};
    struct wl_ptx_module *module = NULL;
    struct wl_program *program = NULL;
    struct wl_error error = {0};
    char *text = wl_string_copy_length((const char *)data, strnlen((const char *)data, size));
    if (is_small(text) && !wl_ptx_module_parse(text, strlen(text), "f.ptx", &module, &error) &&
        is_small_module(module)) {
        run.module = module;
        ptx_case_read(&run.self, text);
        place_memory(&run);
        struct wl_ptx_lower_input input = {.module = module,
                                           .function =
                                               wl_ptx_module_find_function(module, run.self.entry),
                                           .capability = 90,
                                           .shared_gap_bytes = size % 2 ? 128 : 0,
                                           .keeps_masks = size % 2,
                                           .resolve = resolve,
                                           .self = &run};
        if (is_small_case(&run.self) && input.function && input.function->is_entry &&
            !wl_ptx_lower(&input, &program, &error) && is_small_program(program))
            execute(&run, program);
        wl_program_free(program);
        free_memory(&run);
        ptx_case_free(&run.self);
    }
    wl_ptx_module_free(module);
    free(text);
    return 0;
}
