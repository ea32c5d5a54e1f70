/* The stream: what a watched process appends while it runs, one file per process,
 * FOLDER/<host>-<pid>-<start>.wls. Framed records after a magic and a version; a torn tail is
 * recognised and everything before it is good (docs/formats/stream.md). */
#ifndef WL_RECORD_STREAM_STREAM_H
#define WL_RECORD_STREAM_STREAM_H

#include "base/error.h"
#include "record/record.h"

struct wl_stream_writer;

/* Opens the stream of this process. The writer never prints, keeps errno, and on a write error
 * (disk full) drops from there on and counts what it dropped. Each record is one write(2), so a
 * process killed at any moment leaves whole records. Thread-safe. Errors: WL_ERR_OUTPUT. */
enum wl_code wl_stream_writer_open(const char *folder, struct wl_stream_writer **writer,
                                   struct wl_error *error);
/* The sink that writes into it. Valid until close. */
const struct wl_sink *wl_stream_writer_sink(struct wl_stream_writer *writer);
/* Why no more records are taken, or NULL while they are. Valid until close. */
const char *wl_stream_writer_trouble(struct wl_stream_writer *writer);
void wl_stream_writer_close(struct wl_stream_writer *writer);
/* After fork(): the child must not write into its parent's stream; drops the descriptor and frees
 * the writer. */
void wl_stream_writer_abandon(struct wl_stream_writer *writer);

struct wl_running;

struct wl_stream_summary {
    uint64_t records, bytes; /* good ones */
    bool is_torn;     /* ended within a record: the process was killed or the disk was full */
    bool has_end;     /* put_end was there */
    uint64_t dropped; /* records the writer had to drop */
    /* The process, if it went on as another program with a stream of its own; wl_stream_replay
     * leaves it 0. */
    uint64_t replaced_pid;
    /* the launch that the process was in; wl_stream_replay leaves it NULL: stream/running.h */
    const struct wl_running *running;
};

/* Replays one stream file into a sink; pointers passed to it live only during the call. Damage
 * beyond a torn tail: WL_ERR_CORRUPT (what stood before it has been delivered); newer format:
 * WL_ERR_VERSION; unreadable: WL_ERR_INPUT. summary (may be NULL) is filled in every case. Where
 * the writer dropped records, a note "records-dropped" says so and why. */
enum wl_code wl_stream_replay(const char *path, const struct wl_sink *sink,
                              struct wl_stream_summary *summary, struct wl_error *error);

/* How far a long kernel is, for the process that started the program:
 * FOLDER/WL_STREAM_PROGRESS_FILE holds one line "KERNEL DONE TOTAL INSTRUCTIONS" (blocks;
 * instructions of warps so far), and nothing once the kernel is done. Never fails visibly; keeps
 * errno; allocates nothing. */
#define WL_STREAM_PROGRESS_FILE "progress"
void wl_stream_progress_write(const char *folder, const char *kernel, uint64_t blocks_done,
                              uint64_t blocks_total, uint64_t instructions);
void wl_stream_progress_clear(const char *folder);

/* For the process that started the program: what was requested is recorded, so the program may be
 * ended. The file FOLDER/WL_STREAM_COMPLETE_FILE is there from then on. Never fails visibly; keeps
 * errno. */
#define WL_STREAM_COMPLETE_FILE "complete"
void wl_stream_complete(const char *folder);

#endif
