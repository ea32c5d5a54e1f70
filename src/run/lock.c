#include "run/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/folder.h"

enum held { FREE, HELD_BY_US, HELD_BY_ANOTHER };

/* A folder that was removed after it was opened may be locked, but is nobody's any more. */
static bool is_there(const char *path, int descriptor)
{
    struct stat named, opened;
    return stat(path, &named) == 0 && fstat(descriptor, &opened) == 0 &&
           named.st_dev == opened.st_dev && named.st_ino == opened.st_ino;
}

/* A descriptor beyond those of the standard streams: where one of them is closed, it stays closed.
 */
static int open_folder(const char *path)
{
    int lowest = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    if (lowest < 0 || lowest > STDERR_FILENO)
        return lowest;
    int descriptor = fcntl(lowest, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    close(lowest);
    return descriptor;
}

static enum held take(const char *path, struct wl_folder_lock *lock)
{
    lock->is_held = false;
    lock->descriptor = open_folder(path);
    if (lock->descriptor < 0)
        return FREE;
    if (flock(lock->descriptor, LOCK_EX | LOCK_NB) == 0) {
        lock->is_held = true;
        return HELD_BY_US;
    }
    bool is_held = errno == EWOULDBLOCK;
    close(lock->descriptor);
    return is_held ? HELD_BY_ANOTHER : FREE;
}

void wl_folder_unlock(struct wl_folder_lock *lock)
{
    if (lock->is_held)
        close(lock->descriptor);
    lock->is_held = false;
}

bool wl_folder_is_locked(const char *path)
{
    struct wl_folder_lock lock;
    bool is_held = take(path, &lock) == HELD_BY_ANOTHER;
    wl_folder_unlock(&lock);
    return is_held;
}

static enum wl_code refuse(const char *path, struct wl_error *error)
{
    wl_error_set(error, WL_ERR_OUTPUT, "another run is being recorded into this report");
    wl_error_set_where(error, "%s", path);
    return wl_error_set_hint(error, "wait until it has ended, or choose another name with -o FILE");
}

static enum wl_code remove_old(const char *path, struct wl_error *error)
{
    struct wl_folder_lock old;
    enum held held = take(path, &old);
    enum wl_code code =
        held == HELD_BY_ANOTHER ? refuse(path, error) : wl_folder_remove(path, error);
    wl_folder_unlock(&old);
    return code;
}

static enum wl_code refuse_parent(const char *path, int failure, struct wl_error *error)
{
    char *parent = wl_path_folder(path);
    wl_error_set(error, WL_ERR_OUTPUT, "cannot write into the folder for the report: %s",
                 strerror(failure));
    wl_error_set_where(error, "%s", parent);
    free(parent);
    return wl_error_set_hint(error, "choose another place with -o FILE");
}

enum wl_code wl_folder_make_locked(const char *path, bool replace, struct wl_folder_lock *lock,
                                   struct wl_error *error)
{
    lock->is_held = false;
    struct stat status;
    bool is_there_before = lstat(path, &status) == 0;
    if (!is_there_before && errno != ENOENT)
        return refuse_parent(path, errno, error);
    enum wl_code code = replace && is_there_before ? remove_old(path, error) : WL_OK;
    if (code)
        return code;
    if (mkdir(path, 0777) != 0)
        return errno == EEXIST ? refuse(path, error) /* made since by a run beside this one */
                               : refuse_parent(path, errno, error);
    enum held held = take(path, lock);
    bool is_gone = held == HELD_BY_US ? !is_there(path, lock->descriptor) : access(path, F_OK) != 0;
    if (held == HELD_BY_ANOTHER || is_gone) { /* a run beside took it for an old one */
        wl_folder_unlock(lock);
        return refuse(path, error);
    }
    return WL_OK;
}
