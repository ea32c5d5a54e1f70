/* Runs PTX test cases on a GPU through the driver and compares with what they expect: a check of
 * the expectations, not of the simulator. No NVIDIA header is needed; libcuda.so.1 is opened here.
 *
 *     cc -O1 -Isrc -Itests -D_GNU_SOURCE tests/ptx/on_gpu.c src/base/sha256.c \
 *         src/base/error.c -ldl -lm -o on_gpu
 *     cd tests/ptx && find . -name "*.ptx" -printf "%P " | xargs on_gpu [-o h200.txt]
 *
 * With -o it appends what the GPU gave, for src/sim/ptx_test.c to compare with: a section for each
 * case, with the SHA-256 of its file; in it "as expected", or the values where the case allows any
 * or an error.
 *
 * Cases that must fail or that no assembler of today takes are left out. A fault ends the context:
 * another process goes on then. */
#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/sha256.h"
#include "support/ptx_case.h"

typedef uint64_t address; /* on the device */

static struct {
    int (*init)(unsigned flags);
    int (*device_get)(int *device, int ordinal);
    int (*context_retain)(void **context, int device);
    int (*context_set)(void *context);
    int (*module_load)(void **module, const void *image, unsigned count, int *options,
                       void **values);
    int (*function_get)(void **function, void *module, const char *name);
    int (*function_set)(void *function, int attribute, int value);
    int (*memory_take)(address *place, size_t bytes);
    int (*copy_in)(address place, const void *from, size_t bytes);
    int (*copy_out)(void *to, address place, size_t bytes);
    int (*launch)(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                  unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                  void *stream, void **arguments, void **extra);
    int (*synchronize)(void);
} cuda;

static const struct {
    const char *name;
    void *slot;
} symbols[] = {{"cuInit", &cuda.init},
               {"cuDeviceGet", &cuda.device_get},
               {"cuDevicePrimaryCtxRetain", &cuda.context_retain},
               {"cuCtxSetCurrent", &cuda.context_set},
               {"cuModuleLoadDataEx", &cuda.module_load},
               {"cuModuleGetFunction", &cuda.function_get},
               {"cuFuncSetAttribute", &cuda.function_set},
               {"cuMemAlloc_v2", &cuda.memory_take},
               {"cuMemcpyHtoD_v2", &cuda.copy_in},
               {"cuMemcpyDtoH_v2", &cuda.copy_out},
               {"cuLaunchKernel", &cuda.launch},
               {"cuCtxSynchronize", &cuda.synchronize}};

static bool open_driver(void)
{
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    for (size_t i = 0; library && i < sizeof symbols / sizeof *symbols; i++) {
        void *found = dlsym(library, symbols[i].name);
        if (!found)
            return false;
        memcpy(symbols[i].slot, &found, sizeof found);
    }
    int device;
    void *context;
    return library && cuda.init(0) == 0 && cuda.device_get(&device, 0) == 0 &&
           cuda.context_retain(&context, device) == 0 && cuda.context_set(context) == 0;
}

static char *read_file(const char *path)
{
    FILE *file = fopen(path, "rb");
    if (!file)
        return NULL;
    size_t used = 0, capacity = 1 << 20;
    char *text = calloc(1, capacity);
    for (size_t got; (got = fread(text + used, 1, capacity - used - 1, file)) > 0;) {
        used += got;
        if (used + 1 == capacity) {
            text = realloc(text, capacity *= 2);
            memset(text + used, 0, capacity - used);
        }
    }
    fclose(file);
    return text;
}

struct run {
    struct ptx_case self;
    uint8_t *contents[PTX_CASE_BUFFERS];
    const char *path, *text, *at;
    int differences;
    bool has_values; /* in the record */
    FILE *record;    /* NULL: none is kept */
};

/* The directive with the values that the GPU left, if the case leaves them open. */
static void record_values(struct run *run, const char *line)
{
    struct ptx_case_array array;
    size_t offset;
    int buffer;
    if (!ptx_case_read_expect(&run->self, line, &buffer, &offset, &array))
        return;
    bool is_near = array.relative != 0 || array.absolute != 0;
    if (is_near || (array.count && array.is_any[0])) {
        run->has_values = true;
        fprintf(run->record, "%.*s=", (int)strcspn(line, "="), line);
        for (size_t i = 0; i < array.count; i++) {
            uint64_t bits = 0;
            memcpy(&bits, run->contents[buffer] + offset + i * array.width_bytes,
                   array.width_bytes);
            if (ptx_case_is_nan(&array, bits))
                fprintf(run->record, " nan");
            else
                fprintf(run->record, " 0x%llx", (unsigned long long)bits);
        }
        fprintf(run->record, "\n");
    }
    ptx_case_array_free(&array);
}

static void act_check(void *self, char *line)
{
    struct run *run = self;
    char message[400];
    if (strncmp(line, "//% expect ", 11) != 0)
        return;
    if (run->record)
        record_values(run, line);
    if (ptx_case_check(&run->self, line, run->contents, message))
        return;
    const char *at = strstr(run->at, line);
    size_t number = 1;
    for (const char *c = run->text; at && c < at; c++)
        number += *c == '\n';
    run->differences++;
    printf("%s:%zu: %s\n", run->path, number, message);
}

static int launch(struct run *run, const char **failed)
{
    address places[PTX_CASE_BUFFERS] = {0};
    void *module, *function, *arguments[PTX_CASE_ARGUMENTS];
    struct ptx_case *self = &run->self;
    char log[2048] = "";
    int option[] = {5, 6}; /* error log buffer, its size */
    void *option_values[] = {log, (void *)sizeof log};
    int code = cuda.module_load(&module, run->text, 2, option, option_values);
    *failed = code ? log : "get function";
    if (code)
        printf("%s: %s\n", run->path, log);
    if (!code)
        code = cuda.function_get(&function, module, self->entry);
    if (!code && self->shared_bytes > 48 * 1024)
        code = cuda.function_set(function, 8, (int)self->shared_bytes);
    for (int i = 0; i < self->buffer_count && !code; i++) {
        code = cuda.memory_take(&places[i], self->buffers[i].size_bytes + 1);
        if (!code)
            code = cuda.copy_in(places[i], self->buffers[i].bytes, self->buffers[i].size_bytes);
    }
    for (int i = 0; i < self->argument_count; i++) {
        struct ptx_case_argument *argument = &self->arguments[i];
        argument->bits = argument->buffer < 0 ? argument->bits : places[argument->buffer];
        arguments[i] = &argument->bits;
    }
    *failed = code ? *failed : "launch";
    if (!code)
        code =
            cuda.launch(function, self->grid[0], self->grid[1], self->grid[2], self->block[0],
                        self->block[1], self->block[2], self->shared_bytes, NULL, arguments, NULL);
    if (!code)
        code = cuda.synchronize();
    for (int i = 0; i < self->buffer_count && !code; i++) {
        run->contents[i] = malloc(self->buffers[i].size_bytes + 1);
        code = cuda.copy_out(run->contents[i], places[i], self->buffers[i].size_bytes);
    }
    return code;
}

static void begin_record(const struct run *run)
{
    char hash[WL_SHA256_HEX_LENGTH + 1];
    wl_sha256_of(run->text, strlen(run->text), hash);
    fprintf(run->record, "== %s %s\n", run->path, hash);
}

/* A case, as FOLDER/NAME.ptx also where its file has several. */
struct place {
    char *path, *text;
};

/* The cases of a file behind the count that there are; the new count. */
static int add_cases(const char *path, struct place **places, int count)
{
    char *text = read_file(path), part[64];
    const char *at = text ? text : "", *begin;
    size_t length;
    if (!text)
        printf("%s: cannot be read\n", path);
    while (ptx_case_next(&at, part, &begin, &length)) {
        const char *slash = strrchr(path, '/');
        struct place *place;
        *places = realloc(*places, (size_t)(count + 1) * sizeof **places);
        place = &(*places)[count++];
        place->text = strndup(begin, length);
        place->path = strdup(path);
        if (*part && asprintf(&place->path, "%.*s%s.ptx", slash ? (int)(slash + 1 - path) : 0, path,
                              part) < 0)
            abort();
    }
    free(text);
    return count;
}

/* 0: as expected; 1: not; 2: and the context is lost. */
static int run_case(const struct place *place, FILE *record)
{
    const char *path = place->path;
    struct run run = {.path = path, .text = place->text, .record = record};
    const char *failed = "";
    run.at = run.text;
    ptx_case_read(&run.self, run.text);
    if (*run.self.message) {
        printf("%s: %s\n", path, run.self.message);
        return 1;
    }
    if (*run.self.fails || run.self.is_refused || run.self.texture_count)
        return 0;
    int code = launch(&run, &failed);
    if (code) {
        printf("%s: %s gave error %d\n", path, failed, code);
        return 2;
    }
    if (record)
        begin_record(&run);
    ptx_case_each_directive(run.text, act_check, &run);
    if (record && (run.differences || !run.has_values))
        fprintf(record, run.differences ? "differs\n" : "as expected\n");
    if (record)
        fflush(record);
    return run.differences != 0;
}

/* How far the cases have been run, for the process that takes over after a fault. */
struct progress {
    int next, failures;
};

static void run_cases(struct progress *progress, FILE *record, int count,
                      const struct place *places)
{
    if (!open_driver()) {
        printf("no driver or no GPU\n");
        progress->failures += count - progress->next;
        progress->next = count;
    }
    while (progress->next < count) {
        int code = run_case(&places[progress->next++], record);
        progress->failures += code != 0;
        fflush(stdout);
        if (code == 2)
            return;
    }
}

int main(int argument_count, char **arguments)
{
    struct progress *progress =
        mmap(NULL, sizeof *progress, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    bool has_record = argument_count > 2 && strcmp(arguments[1], "-o") == 0;
    FILE *record = has_record ? fopen(arguments[2], "a") : NULL;
    struct place *places = NULL;
    int count = 0;
    for (int i = has_record ? 3 : 1; i < argument_count; i++)
        count = add_cases(arguments[i], &places, count);
    if (progress == MAP_FAILED || (has_record && !record))
        return 2;
    while (progress->next < count) {
        int before = progress->next, status = 0;
        pid_t child = fork();
        if (child == 0) {
            run_cases(progress, record, count, places);
            fflush(stdout);
            _exit(0);
        }
        waitpid(child, &status, 0);
        if (progress->next == before)
            progress->next++;
        progress->failures += status != 0;
    }
    printf("%d of %d cases differ\n", progress->failures, count);
    return progress->failures != 0;
}
