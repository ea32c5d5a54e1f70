#include "record/stream/quiet.h"

#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <time.h>
#include <unistd.h>

struct signal_guard {
    sigset_t blocked, before;
    bool was_pending;
};

static void guard_begin(struct signal_guard *guard)
{
    sigset_t pending;
    sigemptyset(&guard->blocked);
    sigaddset(&guard->blocked, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &guard->blocked, &guard->before);
    guard->was_pending = sigpending(&pending) == 0 && sigismember(&pending, SIGXFSZ) == 1;
}

/* Takes the signal that we caused away; one that was pending before is the program's. */
static void guard_end(const struct signal_guard *guard, bool is_raised)
{
    static const struct timespec at_once;
    if (is_raised && !guard->was_pending)
        while (sigtimedwait(&guard->blocked, NULL, &at_once) < 0 && errno == EINTR)
            continue;
    pthread_sigmask(SIG_SETMASK, &guard->before, NULL);
}

int wl_quiet_write(int descriptor, const void *bytes, size_t length, size_t *done)
{
    struct signal_guard guard;
    int failure = 0;
    *done = 0;
    guard_begin(&guard);
    while (*done < length && !failure) {
        ssize_t written = write(descriptor, (const char *)bytes + *done, length - *done);
        if (written > 0)
            *done += (size_t)written;
        else if (written == 0)
            failure = EIO;
        else if (errno != EINTR)
            failure = errno;
    }
    guard_end(&guard, failure == EFBIG);
    return failure;
}
