/* What may happen while a kernel runs, or cannot be recorded. The kernel spins until the host
 * writes into its memory.
 *
 *   inside SIGNAL   launch it, let it end; launch it again, and end by the signal while it runs
 *   inside exit     the same, and end by exit(3)
 *   inside full     open files until there are no more, then launch it, and let it end */
#include <fcntl.h>
#include <pthread.h>
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
int cudaHostAlloc(void **pointer, size_t size, unsigned flags);
int cudaDeviceSynchronize(void);
int cudaLaunchKernel(const void *host, struct dim3 grid, struct dim3 block, void **arguments,
                     size_t shared, void *stream);

static struct {
    unsigned magic, version;
    const void *data;
    void *list;
} wrapper __attribute__((section(".nvFatBinSegment"))) = {0x466243B1, 1, fatbin_container, NULL};

static char spin_stub, spin_name[] = "_Z4spinPVj";
static volatile unsigned *flag;
static const char *ending; /* NULL: the kernel shall end */

__attribute__((constructor)) static void register_kernels(void)
{
    void **handle = __cudaRegisterFatBinary(&wrapper);
    __cudaRegisterFunction(handle, &spin_stub, spin_name, spin_name, -1, NULL, NULL, NULL, NULL,
                           NULL);
    __cudaRegisterFatBinaryEnd(handle);
}

/* Waits until the kernel runs. */
static void *act(void *unused)
{
    (void)unused;
    while (*flag != 1)
        usleep(1000);
    if (ending && strcmp(ending, "exit") == 0)
        exit(3);
    if (ending)
        kill(getpid(), atoi(ending));
    *flag = 2;
    return NULL;
}

static void launch(const char *how)
{
    struct dim3 one = {1, 1, 1};
    void *arguments[] = {&flag};
    pthread_t thread;
    *flag = 0;
    ending = how;
    pthread_create(&thread, NULL, act, NULL);
    if (cudaLaunchKernel(&spin_stub, one, one, arguments, 0, NULL) || cudaDeviceSynchronize())
        puts("the launch failed");
    pthread_join(thread, NULL);
}

int main(int argument_count, char **arguments)
{
    if (argument_count < 2 || cudaHostAlloc((void **)&flag, sizeof *flag, 0))
        return 2;
    if (strcmp(arguments[1], "full") == 0)
        while (open("/dev/null", O_RDONLY) >= 0)
            ;
    launch(NULL);
    if (strcmp(arguments[1], "full") != 0)
        launch(arguments[1]);
    puts("went on");
    return 0;
}
