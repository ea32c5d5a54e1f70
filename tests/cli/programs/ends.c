/* Calls of CUDA's runtime, 100 at a time unless said otherwise, and an end of one kind.
 *
 *   ends exit | _exit | abort | crash | kill | exec | fork | threads | many | conditions */
#include <errno.h>
#include <glob.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

int cudaMalloc(void **address, size_t bytes);
int cudaFree(void *address);

static void work(int count)
{
    for (int i = 0; i < count; i++) {
        void *address = NULL;
        if (cudaMalloc(&address, 256) || cudaFree(address))
            printf("a call failed\n");
    }
}

static void *work_in_thread(void *unused)
{
    (void)unused;
    work(100);
    return NULL;
}

static void end_by_exit(char **words)
{
    (void)words;
    exit(3);
}

static void end_at_once(char **words)
{
    (void)words;
    _exit(3);
}

static void end_by_abort(char **words)
{
    (void)words;
    abort();
}

/* Bytes of this process's stream, 0 without one. */
static long recorded_bytes(void)
{
    const char *settings = getenv("WARPLENS_SETTINGS");
    const char *slash = settings ? strrchr(settings, '/') : NULL;
    char pattern[4096];
    struct stat status = {0};
    glob_t found = {0};
    if (!slash)
        return 0;
    snprintf(pattern, sizeof pattern, "%.*s/*-%d-*.wls", (int)(slash - settings), settings,
             (int)getpid());
    if (glob(pattern, 0, NULL, &found) == 0)
        stat(found.gl_pathv[0], &status);
    globfree(&found);
    return (long)status.st_size;
}

/* Once what was done is in the stream, which happens without our doing anything: 400 events take
 * more than 8000 bytes, and when no more have come for a second, all are there. */
static void end_by_signal(char **words)
{
    long before = 0, now = 0;
    for (int i = 0, quiet = 0; i < 2000 && quiet < 100; i++, before = now) {
        usleep(10000);
        now = recorded_bytes();
        quiet = now >= 8000 && now == before ? quiet + 1 : 0;
    }
    raise(strcmp(words[1], "kill") == 0 ? SIGKILL : SIGSEGV);
}

static void end_by_exec(char **words)
{
    execlp(words[0], words[0], "exit", (char *)NULL);
}

static void end_after_fork(char **words)
{
    (void)words;
    pid_t child = fork();
    work(50);
    if (child == 0)
        _exit(0);
    waitpid(child, NULL, 0);
}

static void end_after_threads(char **words)
{
    pthread_t threads[8];
    (void)words;
    for (int i = 0; i < 8; i++)
        pthread_create(&threads[i], NULL, work_in_thread, NULL);
    for (int i = 0; i < 8; i++)
        pthread_join(threads[i], NULL);
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
static int is_ready;

static void *get_ready(void *unused)
{
    (void)unused;
    usleep(20000);
    pthread_mutex_lock(&lock);
    is_ready = 1;
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&lock);
    return NULL;
}

/* Until it holds, and then for one that never does. */
static void end_after_conditions(char **words)
{
    (void)words;
    pthread_t thread;
    struct timespec until;
    pthread_create(&thread, NULL, get_ready, NULL);
    pthread_mutex_lock(&lock);
    while (!is_ready)
        pthread_cond_wait(&condition, &lock);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += 10000000;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    int answer = pthread_cond_timedwait(&condition, &lock, &until);
    pthread_mutex_unlock(&lock);
    pthread_join(thread, NULL);
    if (answer != ETIMEDOUT)
        exit(4);
}

static void end_after_many(char **words)
{
    (void)words;
    work(50000);
}

int main(int count, char **words)
{
    static const struct {
        const char *word;
        void (*end)(char **words);
    } ends[] = {
        {"exit", end_by_exit},          {"_exit", end_at_once},
        {"abort", end_by_abort},        {"crash", end_by_signal},
        {"kill", end_by_signal},        {"exec", end_by_exec},
        {"fork", end_after_fork},       {"many", end_after_many},
        {"threads", end_after_threads}, {"conditions", end_after_conditions},
    };
    work(100);
    for (size_t i = 0; count == 2 && i < sizeof ends / sizeof *ends; i++)
        if (strcmp(ends[i].word, words[1]) == 0)
            ends[i].end(words);
    return 0;
}
