/* Preloaded into a program, makes every filesystem like a network one that refuses locks and shared
 * mapping. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

int fcntl(int descriptor, int command, ...)
{
    va_list arguments;
    va_start(arguments, command);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    switch (command) {
    case F_GETLK:
    case F_SETLK:
    case F_SETLKW:
    case F_OFD_GETLK:
    case F_OFD_SETLK:
    case F_OFD_SETLKW:
        errno = ENOLCK;
        return -1;
    default:
        return (int)syscall(SYS_fcntl, descriptor, command, argument);
    }
}

int fcntl64(int descriptor, int command, ...) __attribute__((alias("fcntl")));

int flock(int descriptor, int operation)
{
    (void)descriptor;
    (void)operation;
    errno = ENOLCK;
    return -1;
}

int lockf(int descriptor, int command, off_t length)
{
    (void)length;
    return flock(descriptor, command);
}

void *mmap(void *address, size_t length, int protection, int flags, int descriptor, off_t offset)
{
    if ((flags & MAP_SHARED) && descriptor >= 0) {
        errno = EACCES;
        return MAP_FAILED;
    }
    return (void *)syscall(SYS_mmap, address, length, protection, flags, descriptor, offset);
}

void *mmap64(void *address, size_t length, int protection, int flags, int descriptor, off_t offset)
    __attribute__((alias("mmap")));
