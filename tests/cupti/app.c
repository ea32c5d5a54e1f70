/* A program that uses the driver: its arguments are done one after another.
 *
 *   launch[=N]  one[=N]  two  extra  cooperative  nccl  threads=N  wrong  graph  capture  sync
 * time=N (launches N, and prints what one takes of the CPU)  memory start  stop  fork  exec  exit=N
 * crash abort  release push=RANGE pop (of NVTX; early=RANGE, first: before the driver)  copy
 * peers (captures a kernel that waits for others)  free (the graph)
 * storm=N (N threads on two devices launch the same, and load modules between their launches)
 * map managed (memory)  step=N (a loop of N steps of 40 launches of 20 kinds, and one that waits
 * for others) other (launches another kernel in every run but the first)  more (a range in those)
 */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static int (*launch_kernel)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                            unsigned, void *, void **, void **);
static int (*launch_cooperative)(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                                 unsigned, void *, void **);
static void *kernels[3], *driver;

static void *symbol(const char *name)
{
    void *function = dlsym(driver, name);
    if (!function) {
        printf("no %s\n", name);
        exit(9);
    }
    return function;
}

static int call(const char *name)
{
    int (*function)(void);
    *(void **)&function = symbol(name);
    return function();
}

/* For the simulated driver; the mock does not look at it. */
#define KERNEL(name)                            \
    ".visible .entry " name "(.param .u64 p)\n" \
    "{ .reg .u64 %d; ld.param.u64 %d, [p]; add.u64 %d, %d, 1; ret; }\n"
static const char ptx[] = ".version 7.0\n.target sm_75\n.address_size 64\n" KERNEL("_Z5scalePf")
    KERNEL("_Z3addPfS_") KERNEL("_Z13ncclAllReducePf");

static void open_driver(void)
{
    int (*init)(unsigned), (*retain)(void **, int), (*load)(void **, const void *),
        (*get)(void **, void *, const char *), (*set)(void *);
    void *context, *module;
    driver = dlopen("libcuda.so.1", RTLD_NOW);
    if (!driver) {
        printf("no driver\n");
        exit(8);
    }
    *(void **)&init = symbol("cuInit");
    *(void **)&retain = symbol("cuDevicePrimaryCtxRetain");
    *(void **)&set = symbol("cuCtxSetCurrent");
    *(void **)&load = symbol("cuModuleLoadData");
    *(void **)&get = symbol("cuModuleGetFunction");
    *(void **)&launch_kernel = symbol("cuLaunchKernel");
    *(void **)&launch_cooperative = symbol("cuLaunchCooperativeKernel");
    if (init(0) || retain(&context, 0) || set(context) || load(&module, ptx) ||
        get(&kernels[0], module, "_Z5scalePf") || get(&kernels[1], module, "_Z3addPfS_") ||
        get(&kernels[2], module, "_Z13ncclAllReducePf"))
        exit(7);
}

/* This and launch() stand on the stack, whatever the compiler makes of the others. */
__attribute__((noinline)) static void launch_one(void *kernel, void **extra)
{
    void *argument = NULL, *arguments[] = {&argument};
    errno = 1234;
    if (launch_kernel(kernel, 16, 2, 1, 128, 1, 1, 256, NULL, extra ? NULL : arguments, extra))
        printf("launch failed\n");
    if (errno != 1234)
        printf("errno is %d\n", errno);
}

static void launch_shape(void *kernel, unsigned grid)
{
    void *argument = NULL, *arguments[] = {&argument};
    if (launch_kernel(kernel, grid, 1, 1, 64, 1, 1, 0, NULL, arguments, NULL))
        printf("launch failed\n");
}

/* As a program that trains: the same launches again and again. */
static void step(void)
{
    for (unsigned i = 0; i < 40; i++)
        launch_shape(kernels[i % 2], 1 + i % 20);
    launch_shape(kernels[2], 8);
}

__attribute__((noinline)) static void launch(unsigned number)
{
    launch_one(kernels[number % 2], NULL);
    __asm__ volatile(""); /* a call, no jump */
}

static void launch_timed(unsigned count)
{
    struct timespec start, end;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
    for (unsigned i = 0; i < count; i++)
        launch(i);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
    double took_ns =
        (double)(end.tv_sec - start.tv_sec) * 1e9 + (double)(end.tv_nsec - start.tv_nsec);
    printf("%u launches, %.1f ns each\n", count, took_ns / count);
}

static void *launch_many(void *unused)
{
    (void)unused;
    for (unsigned i = 0; i < 1000; i++)
        launch(i);
    return NULL;
}

static void launch_in_threads(unsigned count)
{
    pthread_t threads[64];
    for (unsigned i = 0; i < count && i < 64; i++)
        pthread_create(&threads[i], NULL, launch_many, NULL);
    for (unsigned i = 0; i < count && i < 64; i++)
        pthread_join(threads[i], NULL);
}

enum { storm_launches = 400, storm_load_every = 25 };

static void *launch_and_load(void *number)
{
    int (*retain)(void **, int), (*set)(void *), (*load)(void **, const void *);
    void *context, *module;
    *(void **)&retain = symbol("cuDevicePrimaryCtxRetain");
    *(void **)&set = symbol("cuCtxSetCurrent");
    *(void **)&load = symbol("cuModuleLoadData");
    if (retain(&context, *(int *)number % 2) || set(context))
        printf("no context\n");
    for (int i = 1; i <= storm_launches; i++) {
        launch_one(kernels[0], NULL);
        if (i % storm_load_every == 0 && load(&module, ptx))
            printf("no module\n");
    }
    return NULL;
}

static void storm(unsigned count)
{
    pthread_t threads[64];
    int numbers[64];
    for (unsigned i = 0; i < count && i < 64; i++) {
        numbers[i] = (int)i;
        pthread_create(&threads[i], NULL, launch_and_load, &numbers[i]);
    }
    for (unsigned i = 0; i < count && i < 64; i++)
        pthread_join(threads[i], NULL);
}

static void in_child(char **words, const char *word)
{
    pid_t child = fork();
    if (child == 0 && strcmp(word, "exec") == 0) {
        char *arguments[] = {words[0], "launch=2", NULL};
        execv(words[0], arguments);
    }
    if (child == 0) {
        launch(0);
        exit(0);
    }
    waitpid(child, NULL, 0);
}

static void launch_graph(void)
{
    int (*graph)(void *, void *);
    *(void **)&graph = symbol("cuGraphLaunch");
    graph(kernels[0], NULL);
}

static void free_graph(void)
{
    int (*destroy)(void *);
    *(void **)&destroy = symbol("cuGraphExecDestroy");
    destroy(kernels[0]);
}

/* Into a graph. */
static void capture(void *kernel)
{
    int (*begin)(void *, int), (*end)(void *, void **);
    void *graph;
    *(void **)&begin = symbol("cuStreamBeginCapture_v2");
    *(void **)&end = symbol("cuStreamEndCapture");
    begin(NULL, 0);
    launch_one(kernel, NULL);
    end(NULL, &graph);
}

static void print_memory(void)
{
    long (*memory)(void);
    *(void **)&memory = symbol("mock_memory");
    printf("memory %ld\n", memory());
}

/* What NVTX's headers do at the first call: the library that the environment names fills in its
 * functions. */
static void (*nvtx[16])(void), (**nvtx_slots[16])(void);

static int get_functions(int module, void (***functions[])(void), unsigned *count)
{
    for (int i = 1; i < 16; i++)
        nvtx_slots[i] = &nvtx[i];
    *functions = nvtx_slots;
    *count = 16;
    return module == 1;
}

static struct {
    size_t struct_bytes;
    int (*get_functions)(int module, void (***functions[])(void), unsigned *count);
} nvtx_callbacks = {sizeof nvtx_callbacks, get_functions};

static const void *get_export_table(unsigned id)
{
    return id == 1 ? &nvtx_callbacks : NULL;
}

static void use_nvtx(const char *pushed)
{
    int (*initialize)(const void *(*)(unsigned));
    const char *path = getenv("NVTX_INJECTION64_PATH");
    void *library = path ? dlopen(path, RTLD_NOW) : NULL;
    *(void **)&initialize = library ? dlsym(library, "InitializeInjectionNvtx2") : NULL;
    if (initialize && !nvtx[9])
        initialize(get_export_table);
    if (pushed && nvtx[9])
        ((int (*)(const char *))nvtx[9])(pushed);
    else if (nvtx[11])
        ((int (*)(void))nvtx[11])();
}

static void copy(void)
{
    int (*function)(uint64_t, const void *, size_t);
    char bytes[4] = {0};
    *(void **)&function = symbol("cuMemcpyHtoD_v2");
    function(64, bytes, sizeof bytes);
}

static void other(void)
{
    FILE *file = fopen("ran-before", "r");
    launch_one(kernels[file ? 1 : 0], NULL);
    if (!file)
        file = fopen("ran-before", "w");
    if (file)
        fclose(file);
}

static void more(void)
{
    FILE *file = fopen("ran-before", "r");
    if (file) {
        call("cuProfilerStart");
        launch(0);
        call("cuProfilerStop");
    } else {
        file = fopen("ran-before", "w");
    }
    if (file)
        fclose(file);
}

static void release(void)
{
    int (*function)(int);
    *(void **)&function = symbol("cuDevicePrimaryCtxRelease_v2");
    function(0);
}

int main(int count, char **words)
{
    int first = 1;
    if (count > 1 && strncmp(words[1], "early=", 6) == 0)
        use_nvtx(words[first++] + 6);
    if (count > 1)
        open_driver();
    for (int i = first; i < count; i++) {
        const char *word = words[i];
        const char *equals = strchr(word, '=');
        unsigned number = equals ? (unsigned)atoi(equals + 1) : 1;
        if (strncmp(word, "launch", 6) == 0) {
            for (unsigned n = 0; n < number; n++)
                launch(n);
        } else if (strcmp(word, "map") == 0) {
            call("cuMemMap");
        } else if (strcmp(word, "managed") == 0) {
            call("cuMemAllocManaged");
        } else if (strncmp(word, "step", 4) == 0) {
            for (unsigned n = 0; n < number; n++)
                step();
        } else if (strncmp(word, "time", 4) == 0) {
            launch_timed(number);
        } else if (strncmp(word, "one", 3) == 0) {
            for (unsigned n = 0; n < number; n++)
                launch_one(kernels[0], NULL);
        } else if (strcmp(word, "two") == 0) {
            launch_one(kernels[1], NULL);
        } else if (strcmp(word, "extra") == 0) {
            launch_one(kernels[0], (void *[]){NULL});
        } else if (strcmp(word, "nccl") == 0) {
            launch_one(kernels[2], NULL);
        } else if (strcmp(word, "cooperative") == 0) {
            void *argument = NULL, *arguments[] = {&argument};
            launch_cooperative(kernels[0], 4, 1, 1, 64, 1, 1, 0, NULL, arguments);
        } else if (strcmp(word, "capture") == 0) {
            capture(kernels[0]);
        } else if (strcmp(word, "peers") == 0) { /* captured, and not run */
            capture(kernels[2]);
        } else if (strcmp(word, "free") == 0) {
            free_graph();
        } else if (strcmp(word, "sync") == 0) {
            call("cuCtxSynchronize");
        } else if (strcmp(word, "memory") == 0) {
            print_memory();
        } else if (strncmp(word, "threads", 7) == 0) {
            launch_in_threads(number);
        } else if (strncmp(word, "storm", 5) == 0) {
            storm(number);
        } else if (strcmp(word, "wrong") == 0) {
            if (!launch_kernel(kernels[0], 1, 1, 1, 2048, 1, 1, 0, NULL, NULL, NULL))
                printf("a wrong launch passed\n");
        } else if (strcmp(word, "graph") == 0) {
            launch_graph();
        } else if (strncmp(word, "push", 4) == 0) {
            use_nvtx(equals + 1);
        } else if (strcmp(word, "pop") == 0) {
            use_nvtx(NULL);
        } else if (strcmp(word, "copy") == 0) {
            copy();
        } else if (strcmp(word, "other") == 0) { /* in every other run of the program */
            other();
        } else if (strcmp(word, "more") == 0) { /* a range that is not in the first run */
            more();
        } else if (strcmp(word, "start") == 0) {
            call("cuProfilerStart");
        } else if (strcmp(word, "stop") == 0) {
            call("cuProfilerStop");
        } else if (strcmp(word, "fork") == 0 || strcmp(word, "exec") == 0) {
            in_child(words, word);
        } else if (strcmp(word, "release") == 0) {
            release();
        } else if (strcmp(word, "abort") == 0) {
            abort();
        } else if (strncmp(word, "_exit", 5) == 0) {
            _exit((int)number);
        } else if (strncmp(word, "exit", 4) == 0) {
            exit((int)number);
        }
    }
    printf("app done\n");
    return 0;
}
