#include "collect/process.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/rank.h"
#include "base/sha256.h"
#include "base/text.h"
#include "warplens/version.h"

/* Hashing a larger file would hold the program up noticeably. */
#define HASHED_BYTES_MAX (INT64_C(512) << 20)

static char *read_executable(void)
{
    char path[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path);
    return length > 0 && (size_t)length < sizeof path ? wl_string_copy_length(path, (size_t)length)
                                                      : wl_string_copy("");
}

static char *read_command_line(void)
{
    struct wl_text words = {0}, line = {0};
    if (wl_file_read("/proc/self/cmdline", &words, NULL) == WL_OK)
        for (size_t i = 0; i < words.length; i += strlen(words.data + i) + 1)
            wl_text_add_word(&line, words.data + i);
    wl_text_free(&words);
    return wl_text_take(&line);
}

void wl_process_facts_read(const char *collector, struct wl_process_facts *facts)
{
    struct stat status;
    const uint64_t start_ns = wl_clock_realtime_ns();
    struct wl_rank rank = wl_rank_read();
    memset(facts, 0, sizeof *facts);
    if (gethostname(facts->host, sizeof facts->host - 1) != 0)
        strcpy(facts->host, "localhost");
    facts->executable = read_executable();
    facts->command_line = read_command_line();
    if (stat("/proc/self/exe", &status) != 0 || status.st_size > HASHED_BYTES_MAX ||
        wl_sha256_file("/proc/self/exe", facts->executable_hash, NULL) != WL_OK)
        facts->executable_hash[0] = '\0';
    facts->record = (struct wl_record_process){
        .pid = (uint64_t)getpid(),
        .parent_pid = (uint64_t)getppid(),
        .host = facts->host,
        .executable = facts->executable,
        .executable_hash = facts->executable_hash,
        .command_line = facts->command_line,
        .start_ns = start_ns,
        .version = WL_VERSION_STRING,
        .collector = collector,
        .rank = rank.rank,
        .rank_count = rank.count,
    };
}

void wl_process_facts_free(struct wl_process_facts *facts)
{
    free(facts->executable);
    free(facts->command_line);
}
