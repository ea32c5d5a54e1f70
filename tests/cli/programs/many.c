/* A CUDA program without nvcc, as app.c, that launches often. One word of the command line:
 *
 *   count FILE N  launch `idle` N times; after each launch that is over, FILE gets a byte
 *   threads N M   N threads, each of which launches `scale` M times and looks at the result
 *   flat N        launch `idle` N times; fails if memory grew between the first tenth and the end
 *   largest       launch `idle` on the largest grid that there is
 */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LENGTH = 1024, GROWTH_KIB = 1024 };

extern const char fatbin_container[];

struct dim3 {
    unsigned x, y, z;
};

void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFatBinaryEnd(void **handle);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                            int thread_limit, void *tid, void *bid, void *block, void *grid,
                            int *warp_size);
int cudaMalloc(void **pointer, size_t size);
int cudaFree(void *pointer);
int cudaMemcpy(void *to, const void *from, size_t size, int kind);
int cudaDeviceSynchronize(void);
int cudaLaunchKernel(const void *host, struct dim3 grid, struct dim3 block, void **arguments,
                     size_t shared, void *stream);

static struct {
    unsigned magic, version;
    const void *data;
    void *list;
} wrapper __attribute__((section(".nvFatBinSegment"))) = {0x466243B1, 1, fatbin_container, NULL};

static char scale_stub, idle_stub;
static char scale_name[] = "scale", idle_name[] = "idle";

__attribute__((constructor)) static void register_kernels(void)
{
    void **handle = __cudaRegisterFatBinary(&wrapper);
    __cudaRegisterFunction(handle, &scale_stub, scale_name, scale_name, -1, NULL, NULL, NULL, NULL,
                           NULL);
    __cudaRegisterFunction(handle, &idle_stub, idle_name, idle_name, -1, NULL, NULL, NULL, NULL,
                           NULL);
    __cudaRegisterFatBinaryEnd(handle);
}

static void check(int error, const char *what)
{
    if (!error)
        return;
    printf("%s: error %d\n", what, error);
    exit(3);
}

static void launch_idle(struct dim3 grid)
{
    struct dim3 one = {1, 1, 1};
    void *arguments[] = {NULL};
    check(cudaLaunchKernel(&idle_stub, grid, one, arguments, 0, NULL), "cudaLaunchKernel");
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

static void count(const char *path, long times)
{
    int file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0666);
    for (long i = 0; i < times; i++) {
        launch_idle((struct dim3){1, 1, 1});
        check(write(file, ".", 1) != 1, "write");
    }
    close(file);
}

struct job {
    int number, times;
};

static void *scale_often(void *argument)
{
    const struct job *job = argument;
    struct dim3 grid = {8, 1, 1}, block = {128, 1, 1};
    unsigned length = LENGTH;
    float values[LENGTH];
    void *device = NULL;
    void *arguments[] = {&device, &length};
    for (int i = 0; i < LENGTH; i++)
        values[i] = (float)(i + job->number);
    check(cudaMalloc(&device, sizeof values), "cudaMalloc");
    check(cudaMemcpy(device, values, sizeof values, 1), "cudaMemcpy");
    for (int i = 0; i < job->times; i++)
        check(cudaLaunchKernel(&scale_stub, grid, block, arguments, 0, NULL), "cudaLaunchKernel");
    check(cudaMemcpy(values, device, sizeof values, 2), "cudaMemcpy");
    check(cudaFree(device), "cudaFree");
    for (int i = 0; i < LENGTH; i++)
        check(values[i] != (float)(i + job->number) * (float)(1 << job->times), "wrong result");
    return NULL;
}

static void run_threads(int thread_count, int times)
{
    pthread_t *threads = calloc((size_t)thread_count, sizeof *threads);
    struct job *jobs = calloc((size_t)thread_count, sizeof *jobs);
    for (int i = 0; i < thread_count; i++) {
        jobs[i] = (struct job){i, times};
        check(pthread_create(&threads[i], NULL, scale_often, &jobs[i]), "pthread_create");
    }
    for (int i = 0; i < thread_count; i++)
        check(pthread_join(threads[i], NULL), "pthread_join");
    free(threads);
    free(jobs);
}

static long resident_kib(void)
{
    char text[128] = "";
    int file = open("/proc/self/statm", O_RDONLY);
    check(read(file, text, sizeof text - 1) < 0, "/proc/self/statm");
    close(file);
    return strtol(strchr(text, ' '), NULL, 10) * (sysconf(_SC_PAGESIZE) / 1024);
}

static void stay_flat(long times)
{
    long before = 0;
    for (long i = 0; i < times; i++) {
        if (i == times / 10)
            before = resident_kib();
        launch_idle((struct dim3){1, 1, 1});
    }
    long grown = resident_kib() - before;
    printf("%ld launches, memory grew by %ld KiB from %ld KiB\n", times, grown, before);
    check(grown > GROWTH_KIB, "memory grows");
}

int main(int argument_count, char **arguments)
{
    const char *what = argument_count > 1 ? arguments[1] : "";
    if (strcmp(what, "count") == 0 && argument_count == 4)
        count(arguments[2], strtol(arguments[3], NULL, 10));
    else if (strcmp(what, "threads") == 0 && argument_count == 4)
        run_threads(atoi(arguments[2]), atoi(arguments[3]));
    else if (strcmp(what, "flat") == 0 && argument_count == 3)
        stay_flat(strtol(arguments[2], NULL, 10));
    else if (strcmp(what, "largest") == 0)
        launch_idle((struct dim3){2147483647, 1, 1});
    else
        return 2;
    puts("done");
    return 0;
}
