/* Ends with 0 if locks and shared mapping are refused here, so that the tests that run under
 * refuse.c do not pass for want of it. */
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <unistd.h>

static int check(int is_refused, const char *what)
{
    if (!is_refused)
        printf("not refused: %s\n", what);
    return !is_refused;
}

int main(void)
{
    char path[] = "/tmp/wl-probe-XXXXXX";
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    sqlite3 *database = NULL;
    int descriptor = mkstemp(path);
    if (descriptor < 0 || ftruncate(descriptor, 4096) != 0)
        return 2;
    int bad = check(fcntl(descriptor, F_SETLK, &lock) != 0, "fcntl lock");
    bad |= check(flock(descriptor, LOCK_EX) != 0, "flock");
    bad |= check(mmap(NULL, 4096, PROT_READ, MAP_SHARED, descriptor, 0) == MAP_FAILED, "mapping");
    if (ftruncate(descriptor, 0) != 0 || sqlite3_open(path, &database) != SQLITE_OK)
        return 2;
    bad |= check(sqlite3_exec(database, "CREATE TABLE t(x)", NULL, NULL, NULL) != SQLITE_OK,
                 "a database as SQLite opens it by itself");
    sqlite3_close(database);
    close(descriptor);
    unlink(path);
    return bad;
}
