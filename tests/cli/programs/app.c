/* A small CUDA program without nvcc: what nvcc generates, written by hand. Doubles 1024 floats on
 * the GPU and says whether they came back right. Words of the command line, in order:
 *
 *   scale      launch kernel `scale` once (what happens without words, too)
 *   idle       launch kernel `idle` once
 *   large      launch kernel `idle` with blocks of 2048 threads, and do not look at the error
 *   turn       launch kernel `turn` once: 8 blocks whose threads turn in a loop
 *   short      launch `scale` on memory that is too short and not written, and do not free it
 *   exit N     end with exit code N
 *   crash      end by SIGSEGV
 *   kill       end by SIGKILL, as from outside
 *   wait FILE  create FILE, then wait until it is gone
 *   leave      leave a child behind that launches `scale` half a second later
 *   touch FILE create FILE
 *   print TEXT
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
const char *cudaGetErrorString(int error);

static struct {
    unsigned magic, version;
    const void *data;
    void *list;
} wrapper __attribute__((section(".nvFatBinSegment"))) = {0x466243B1, 1, fatbin_container, NULL};

static char scale_stub, idle_stub, turn_stub;
static char scale_name[] = "scale", idle_name[] = "idle", turn_name[] = "turn";

__attribute__((constructor)) static void register_kernels(void)
{
    void **handle = __cudaRegisterFatBinary(&wrapper);
    __cudaRegisterFunction(handle, &scale_stub, scale_name, scale_name, -1, NULL, NULL, NULL, NULL,
                           NULL);
    __cudaRegisterFunction(handle, &idle_stub, idle_name, idle_name, -1, NULL, NULL, NULL, NULL,
                           NULL);
    __cudaRegisterFunction(handle, &turn_stub, turn_name, turn_name, -1, NULL, NULL, NULL, NULL,
                           NULL);
    __cudaRegisterFatBinaryEnd(handle);
}

static void check(int error, const char *what)
{
    if (!error)
        return;
    printf("%s: error %d: %s\n", what, error, cudaGetErrorString(error));
    exit(3);
}

static void launch_scale(void)
{
    enum { count = 1024 };
    static float values[count];
    struct dim3 grid = {8, 1, 1}, block = {128, 1, 1};
    void *device = NULL;
    unsigned length = count;
    void *arguments[] = {&device, &length};
    for (int i = 0; i < count; i++)
        values[i] = (float)i;
    check(cudaMalloc(&device, sizeof values), "cudaMalloc");
    check(cudaMemcpy(device, values, sizeof values, 1), "cudaMemcpy");
    check(cudaLaunchKernel(&scale_stub, grid, block, arguments, 0, NULL), "cudaLaunchKernel");
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    check(cudaMemcpy(values, device, sizeof values, 2), "cudaMemcpy");
    check(cudaFree(device), "cudaFree");
    for (int i = 0; i < count; i++)
        if (values[i] != 2 * (float)i)
            puts("wrong result");
    puts("scaled");
}

static void launch_short(void)
{
    struct dim3 grid = {8, 1, 1}, block = {128, 1, 1};
    void *device = NULL;
    unsigned length = 1024;
    void *arguments[] = {&device, &length};
    check(cudaMalloc(&device, 1000 * sizeof(float)), "cudaMalloc");
    check(cudaLaunchKernel(&scale_stub, grid, block, arguments, 0, NULL), "cudaLaunchKernel");
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    puts("went on");
}

static void launch_idle(void)
{
    struct dim3 one = {1, 1, 1};
    void *arguments[] = {NULL};
    check(cudaLaunchKernel(&idle_stub, one, one, arguments, 0, NULL), "cudaLaunchKernel");
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

static void launch_large(void)
{
    struct dim3 one = {1, 1, 1}, block = {2048, 1, 1};
    void *arguments[] = {NULL};
    cudaLaunchKernel(&idle_stub, one, block, arguments, 0, NULL);
}

static void launch_turn(void)
{
    struct dim3 grid = {8, 1, 1}, block = {128, 1, 1};
    void *device = NULL;
    void *arguments[] = {&device};
    check(cudaMalloc(&device, 1024 * sizeof(int)), "cudaMalloc");
    check(cudaLaunchKernel(&turn_stub, grid, block, arguments, 0, NULL), "cudaLaunchKernel");
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    check(cudaFree(device), "cudaFree");
}

static void touch(const char *path)
{
    FILE *file = fopen(path, "w");
    if (file)
        fclose(file);
}

static void wait_for(const char *path)
{
    touch(path);
    for (int i = 0; i < 600 && access(path, F_OK) == 0; i++)
        usleep(50000);
}

static void leave_child(void)
{
    fflush(stdout);
    if (fork() != 0)
        return;
    usleep(500000);
    execl("/proc/self/exe", "app", "scale", (char *)NULL);
    _exit(1);
}

int main(int argument_count, char **arguments)
{
    if (argument_count == 1)
        launch_scale();
    for (int i = 1; i < argument_count; i++) {
        const char *next = i + 1 < argument_count ? arguments[i + 1] : "";
        if (strcmp(arguments[i], "scale") == 0)
            launch_scale();
        else if (strcmp(arguments[i], "idle") == 0)
            launch_idle();
        else if (strcmp(arguments[i], "large") == 0)
            launch_large();
        else if (strcmp(arguments[i], "turn") == 0)
            launch_turn();
        else if (strcmp(arguments[i], "short") == 0)
            launch_short();
        else if (strcmp(arguments[i], "exit") == 0)
            return atoi(next);
        else if (strcmp(arguments[i], "crash") == 0)
            raise(SIGSEGV);
        else if (strcmp(arguments[i], "kill") == 0)
            raise(SIGKILL);
        else if (strcmp(arguments[i], "leave") == 0)
            leave_child();
        else if (strcmp(arguments[i], "wait") == 0)
            wait_for(next);
        else if (strcmp(arguments[i], "touch") == 0)
            touch(next);
        else if (strcmp(arguments[i], "print") == 0)
            puts(next);
        fflush(stdout);
    }
    return 0;
}
