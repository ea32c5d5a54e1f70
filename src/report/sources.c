#include "report/sources.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/sha256.h"
#include "base/text.h"

static const int64_t max_source_bytes = 64 << 20;

static bool is_file(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

/* FOLDER/END for the longest END of file that is there; NULL if none. */
static char *find_in_folder(const char *folder, size_t folder_length, const char *file)
{
    const char *end = file;
    while (end) {
        while (*end == '/' || strncmp(end, "./", 2) == 0 || strncmp(end, "../", 3) == 0)
            end += strcspn(end, "/") + 1;
        char *path = wl_string_format("%.*s/%s", (int)folder_length, folder, end);
        if (*end && is_file(path))
            return path;
        free(path);
        end = strchr(end, '/');
    }
    return NULL;
}

static char *find(const char *file, const char *folders)
{
    if (is_file(file))
        return wl_string_copy(file);
    char *path = NULL;
    while (folders && !path) {
        const char *colon = strchr(folders, ':');
        size_t length = colon ? (size_t)(colon - folders) : strlen(folders);
        if (length)
            path = find_in_folder(folders, length, file);
        folders = colon ? colon + 1 : NULL;
    }
    return path;
}

static const char *read_text(const char *path, struct wl_text *content)
{
    struct stat status;
    if (stat(path, &status) == 0 && status.st_size > max_source_bytes)
        return "larger than 64 MiB";
    if (wl_file_read(path, content, NULL) != WL_OK)
        return "cannot be read";
    if (content->length && strlen(content->data) != content->length)
        return "not a text file";
    return NULL;
}

void wl_report_source_add(struct wl_inserter *inserter, int64_t file_id, const char *file,
                          const struct wl_report_writer_sources *sources)
{
    char hex[WL_SHA256_HEX_LENGTH + 1];
    struct wl_text content = {0};
    const char *reason = NULL, *text = NULL, *sha256 = NULL;
    char *path = find(file, sources->folders);
    if (!path) {
        reason = "not found; use --source-folders";
    } else if (!(reason = read_text(path, &content))) {
        struct wl_sha256 hash;
        wl_sha256_begin(&hash);
        wl_sha256_add(&hash, content.data, content.length);
        wl_sha256_end(&hash, hex);
        sha256 = hex;
        if (sources->import)
            text = content.data ? content.data : "";
        else
            reason = "not stored in the report; profile with --import-source yes";
    }
    WL_INSERT(inserter, WL_TABLE_SOURCES, WL_INTEGER(file_id), WL_TEXT_OR_NULL(path),
              WL_TEXT_OR_NULL(text), WL_TEXT_OR_NULL(sha256), WL_TEXT_OR_NULL(reason));
    wl_text_free(&content);
    free(path);
}
