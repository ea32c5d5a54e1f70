#include "report/sources.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/folder.h"
#include "base/memory.h"
#include "base/sha256.h"
#include "base/text.h"

/* The names of those files come from the program, or from a stream of unknown origin: what is kept
 * goes into a report that people hand on. */

enum { MAX_SOURCE_BYTES = 8000000 };

static const char is_outside[] = "not under the working folder, the program's folder or one of "
                                 "--source-folders";

/* ---- where a file may lie ---- */

/* What of path follows the folder, both without links; NULL if it does not lie there. */
static const char *rest_under(const char *path, const char *folder)
{
    size_t length = strlen(folder);
    if (strcmp(folder, "/") == 0)
        return path + 1;
    return strncmp(path, folder, length) == 0 && path[length] == '/' ? path + length + 1 : NULL;
}

/* Hidden folders hold keys and histories; who names one as --source-folders means it. */
static bool is_hidden(const char *rest)
{
    return rest[0] == '.' || strstr(rest, "/.");
}

/* folder with its links resolved holds path; *why is set where it does but must not be read. */
static bool folder_holds(const char *folder, const char *path, const char **why)
{
    char *whole = folder ? realpath(folder, NULL) : NULL;
    const char *rest = whole ? rest_under(path, whole) : NULL;
    if (rest && is_hidden(rest))
        *why = "in a hidden folder";
    bool holds = rest && !is_hidden(rest);
    free(whole);
    return holds;
}

/* The nearest folder, from this one up, that a version control holds; NULL if none does below the
 * user's home and the root. */
static char *find_project(const char *folder)
{
    const char *home = getenv("HOME");
    char *whole = realpath(folder, NULL), *home_whole = home ? realpath(home, NULL) : NULL;
    while (whole && strrchr(whole, '/') != whole && strcmp(whole, home_whole ? home_whole : "")) {
        char *mark = wl_string_format("%s/.git", whole);
        bool is_project = access(mark, F_OK) == 0;
        free(mark);
        if (is_project) {
            free(home_whole);
            return whole;
        }
        *strrchr(whole, '/') = '\0';
    }
    free(home_whole);
    free(whole);
    return NULL;
}

static bool project_holds(const char *folder, const char *path, const char **why)
{
    char *project = folder ? find_project(folder) : NULL;
    bool holds = project && folder_holds(project, path, why);
    free(project);
    return holds;
}

/* NULL if this file, a path without links, may be read; else why not. */
static const char *why_not(const char *path, const struct wl_report_writer_sources *sources)
{
    const char *why = is_outside;
    char *program = sources->program ? realpath(sources->program, NULL) : NULL;
    char *program_folder = program ? wl_path_folder(program) : NULL;
    bool holds = folder_holds(".", path, &why) || folder_holds(program_folder, path, &why) ||
                 project_holds(".", path, &why) || project_holds(program_folder, path, &why);
    char *folders = wl_string_copy(sources->folders ? sources->folders : ""), *rest = folders;
    for (char *folder; !holds && (folder = strsep(&rest, ":"));)
        holds = *folder && folder_holds(folder, path, &why);
    free(folders);
    free(program_folder);
    free(program);
    return holds ? NULL : why;
}

/* ---- finding it ---- */

/* FOLDER/END for the longest END of file that is there; NULL if none. */
static char *find_in_folder(const char *folder, size_t folder_length, const char *file)
{
    const char *end = file;
    while (end) {
        while (*end == '/' || strncmp(end, "./", 2) == 0 || strncmp(end, "../", 3) == 0)
            end += strcspn(end, "/") + 1;
        char *path = wl_string_format("%.*s/%s", (int)folder_length, folder, end);
        char *whole = *end ? realpath(path, NULL) : NULL;
        free(path);
        if (whole)
            return whole;
        end = strchr(end, '/');
    }
    return NULL;
}

/* Its path without links; NULL, with the reason, where there is none that may be read. */
static char *find(const char *file, const struct wl_report_writer_sources *sources,
                  const char **reason)
{
    char *path = realpath(file, NULL);
    *reason = path ? why_not(path, sources) : "not found; use --source-folders";
    for (const char *folders = sources->folders; folders && *reason;) {
        const char *colon = strchr(folders, ':');
        size_t length = colon ? (size_t)(colon - folders) : strlen(folders);
        char *found = length ? find_in_folder(folders, length, file) : NULL;
        if (found) {
            free(path);
            path = found;
            *reason = why_not(path, sources);
        }
        folders = colon ? colon + 1 : NULL;
    }
    if (!*reason)
        return path;
    free(path);
    return NULL;
}

/* ---- reading it ---- */

/* No more than its size says: files of /proc have none, and may never end. */
static const char *read_open(int file, struct wl_text *content)
{
    struct stat status;
    if (fstat(file, &status) != 0)
        return "cannot be read";
    if (!S_ISREG(status.st_mode))
        return "not a regular file";
    if (status.st_size > MAX_SOURCE_BYTES)
        return "larger than 8 MB";
    wl_text_add(content, "");
    while (content->length < (size_t)status.st_size) {
        char part[8192];
        size_t wanted = (size_t)status.st_size - content->length;
        ssize_t got = read(file, part, wanted < sizeof part ? wanted : sizeof part);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return got ? "cannot be read" : NULL;
        wl_text_add_bytes(content, part, (size_t)got);
    }
    return NULL;
}

/* A pipe must not hold us up, nor a terminal become ours, before the type is known. */
static const char *read_text(const char *path, struct wl_text *content)
{
    int file = open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC);
    if (file < 0)
        return "cannot be read";
    const char *reason = read_open(file, content);
    close(file);
    if (!reason && strlen(content->data) != content->length)
        reason = "not a text file";
    return reason;
}

void wl_report_source_add(struct wl_inserter *inserter, int64_t file_id, const char *file,
                          const struct wl_report_writer_sources *sources)
{
    char hex[WL_SHA256_HEX_LENGTH + 1];
    struct wl_text content = {0};
    const char *reason = sources->refusal, *text = NULL, *sha256 = NULL;
    char *path = reason ? NULL : find(file, sources, &reason);
    if (path && !(reason = read_text(path, &content))) {
        struct wl_sha256 hash;
        wl_sha256_begin(&hash);
        wl_sha256_add(&hash, content.data, content.length);
        wl_sha256_end(&hash, hex);
        sha256 = hex;
        if (sources->import)
            text = content.data;
        else
            reason = "not stored in the report; profile with --import-source yes";
    }
    WL_INSERT(inserter, WL_TABLE_SOURCES, WL_INTEGER(file_id), WL_TEXT_OR_NULL(path),
              WL_TEXT_OR_NULL(text), WL_TEXT_OR_NULL(sha256), WL_TEXT_OR_NULL(reason));
    wl_text_free(&content);
    free(path);
}
