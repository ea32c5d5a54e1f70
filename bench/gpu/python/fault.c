/* Where a watched program faults: preloaded, it writes the backtrace of the thread that got
 * SIGSEGV, SIGBUS or SIGABRT and the map of the process into the folder FAULT_FOLDER (default: the
 * working folder), and lets the signal end it.
 *
 * gcc -shared -fPIC -o fault.so fault.c
 * LD_PRELOAD=$PWD/fault.so warplens profile --set full -o report python3 transformer.py --steps 200
 * addr2line -f -e libwarplens-cupti.so ADDRESS     with the addresses of fault.txt, of a build with
 * -g */
#define _GNU_SOURCE
#include <execinfo.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <ucontext.h>
#include <unistd.h>

enum { frames_max = 128 };

static char text_path[4096], map_path[4096];

static void copy(const char *from, const char *to)
{
    char bytes[4096];
    ssize_t count;
    int in = open(from, O_RDONLY), out = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0644);
    while ((count = read(in, bytes, sizeof bytes)) > 0)
        if (write(out, bytes, (size_t)count) < 0)
            break;
    close(in);
    close(out);
}

static void tell(int number, siginfo_t *what, void *context)
{
    void *frames[frames_max];
    const greg_t *registers = ((const ucontext_t *)context)->uc_mcontext.gregs;
    int file = open(text_path, O_WRONLY | O_CREAT | O_APPEND, 0644);
    dprintf(file, "process %d, thread %d: signal %d at %p, instruction %p\n", getpid(), gettid(),
            number, what->si_addr, (void *)registers[REG_RIP]);
    backtrace_symbols_fd(frames, backtrace(frames, frames_max), file);
    close(file);
    copy("/proc/self/maps", map_path);
    signal(number, SIG_DFL);
    raise(number);
}

__attribute__((constructor)) static void begin(void)
{
    static const int signals[] = {SIGSEGV, SIGBUS, SIGABRT};
    struct sigaction action = {.sa_sigaction = tell, .sa_flags = SA_SIGINFO};
    const char *folder = getenv("FAULT_FOLDER");
    void *frames[1];
    backtrace(frames, 1); /* loads what it needs now */
    snprintf(text_path, sizeof text_path, "%s/fault.txt", folder ? folder : ".");
    snprintf(map_path, sizeof map_path, "%s/fault.maps", folder ? folder : ".");
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], &action, NULL);
}
