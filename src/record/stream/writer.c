#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/memory.h"
#include "record/stream/format.h"
#include "record/stream/quiet.h"
#include "record/stream/stream.h"

/* The program shall not meet our descriptor where it expects the lowest free one. */
enum { DESCRIPTOR_LEAST = 500 };

/* The end is longer than the shortest records, of which so many make room for it. */
enum { SPARE_RECORDS = 16 };

struct wl_stream_writer {
    struct wl_sink sink;
    pthread_mutex_t lock;
    char *path; /* absolute */
    int descriptor;
    dev_t device;
    ino_t inode;
    uint64_t size_bytes; /* whole records */
    uint64_t
        starts[SPARE_RECORDS]; /* of the last spare ones, at their number modulo SPARE_RECORDS */
    uint64_t spares;           /* records at its end that others can be told instead of */
    uint64_t dropped;
    bool is_stopped; /* no further record but the last */
    bool is_torn;    /* the file could not be cut back to whole records: not even the last */
    bool is_ended;
    char reason[128]; /* of the first drop */
};

/* ---- writing bytes ---- */

/* Returns 0, or the errno that stopped it; the file is then cut back to whole records. */
static int write_whole(struct wl_stream_writer *writer, const void *bytes, size_t length)
{
    size_t done;
    int failure = wl_quiet_write(writer->descriptor, bytes, length, &done);
    if (!failure)
        writer->size_bytes += length;
    else if (done > 0 && ftruncate(writer->descriptor, (off_t)writer->size_bytes) != 0)
        writer->is_torn = true;
    return failure;
}

static bool is_ours(const struct wl_stream_writer *writer)
{
    struct stat status;
    return fstat(writer->descriptor, &status) == 0 && status.st_dev == writer->device &&
           status.st_ino == writer->inode;
}

static int move_up(int descriptor)
{
    int moved = fcntl(descriptor, F_DUPFD_CLOEXEC, DESCRIPTOR_LEAST);
    if (moved < 0)
        return descriptor;
    close(descriptor);
    return moved;
}

/* A program that closes all descriptors closes ours, and may get its number for a file of its own.
 * Returns 0 or an errno. */
static int ensure_descriptor(struct wl_stream_writer *writer)
{
    if (writer->descriptor >= 0 && is_ours(writer))
        return 0;
    writer->descriptor = -1;
    int descriptor = open(writer->path, O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW);
    if (descriptor < 0)
        return errno;
    writer->descriptor = move_up(descriptor);
    if (is_ours(writer))
        return 0;
    close(writer->descriptor);
    writer->descriptor = -1;
    return ESTALE;
}

static void count_dropped(struct wl_stream_writer *writer, const char *reason)
{
    if (writer->dropped++ == 0)
        snprintf(writer->reason, sizeof writer->reason, "%s", reason);
}

/* ---- records ---- */

/* A frame under way: the header's place, then the payload. */
static struct wl_codec begin_frame(struct wl_text *frame)
{
    static const char header[WL_STREAM_FRAME_HEADER_BYTES];
    *frame = (struct wl_text){0};
    wl_text_add_bytes(frame, header, sizeof header);
    return (struct wl_codec){.out = frame};
}

static void fill_header(struct wl_text *frame, enum wl_stream_kind kind)
{
    unsigned char *header = (unsigned char *)frame->data;
    size_t length = frame->length - WL_STREAM_FRAME_HEADER_BYTES;
    wl_stream_write_u32(header, (uint32_t)length);
    wl_stream_write_u32(header + 4, kind);
    wl_stream_write_u32(header + 8, wl_stream_crc32(header + WL_STREAM_FRAME_HEADER_BYTES, length));
    wl_stream_write_u32(header + 12, wl_stream_crc32(header, 12));
}

/* A record is lost, and all further ones are. */
static void stop(struct wl_stream_writer *writer, int failure)
{
    const char *reason = strerrordesc_np(failure);
    count_dropped(writer, reason ? reason : "unknown error");
    writer->is_stopped = true;
}

/* Some of many events, or a note: less than why records are missing. Launches are more. */
static bool is_spare(enum wl_stream_kind kind)
{
    return kind == WL_STREAM_TRACE || kind == WL_STREAM_NOTE;
}

/* With the lock held. Returns 0 or the errno that stopped it. */
static int append_frame(struct wl_stream_writer *writer, const struct wl_text *frame,
                        enum wl_stream_kind kind)
{
    uint64_t start = writer->size_bytes;
    int failure = ensure_descriptor(writer);
    if (!failure)
        failure = write_whole(writer, frame->data, frame->length);
    if (failure)
        return failure;
    writer->starts[writer->spares % SPARE_RECORDS] = start;
    writer->spares = is_spare(kind) ? writer->spares + 1 : 0;
    return 0;
}

/* With the lock held. */
static void append(struct wl_stream_writer *writer, const struct wl_text *frame,
                   enum wl_stream_kind kind)
{
    int failure = append_frame(writer, frame, kind);
    if (!failure)
        return;
    stop(writer, failure);
}

/* Ends the frame and appends it, or counts it as dropped. Frees it. */
static void put_frame(struct wl_stream_writer *writer, struct wl_text *frame,
                      enum wl_stream_kind kind)
{
    int saved_errno = errno;
    bool is_too_long = frame->length - WL_STREAM_FRAME_HEADER_BYTES > WL_STREAM_PAYLOAD_BYTES_MAX;
    if (!is_too_long)
        fill_header(frame, kind);
    pthread_mutex_lock(&writer->lock);
    if (is_too_long)
        count_dropped(writer, "a record is too long");
    else if (writer->is_stopped || writer->is_ended)
        count_dropped(writer, "it came after the end");
    else
        append(writer, frame, kind);
    pthread_mutex_unlock(&writer->lock);
    wl_text_free(frame);
    errno = saved_errno;
}

#define PUT(name, KIND)                                                       \
    static void put_##name(void *self, const struct wl_record_##name *record) \
    {                                                                         \
        struct wl_text frame;                                                 \
        struct wl_codec codec = begin_frame(&frame);                          \
        struct wl_record_##name copy = *record;                               \
        wl_codec_##name(&codec, &copy);                                       \
        put_frame(self, &frame, KIND);                                        \
    }
PUT(process, WL_STREAM_PROCESS)
PUT(device, WL_STREAM_DEVICE)
PUT(module, WL_STREAM_MODULE)
PUT(kernel, WL_STREAM_KERNEL)
PUT(launch, WL_STREAM_LAUNCH)
PUT(times, WL_STREAM_TIMES)
PUT(left_out, WL_STREAM_LEFT_OUT)
PUT(note, WL_STREAM_NOTE)
PUT(trace_names, WL_STREAM_TRACE_NAMES)
PUT(trace, WL_STREAM_TRACE)
PUT(trace_end, WL_STREAM_TRACE_END)
#undef PUT

/* Gives up the last record, so that the end finds room; false if it is none to spare. With the lock
 * held. */
static bool give_up_last(struct wl_stream_writer *writer, int failure, uint64_t *left)
{
    if (*left == 0 || writer->descriptor < 0)
        return false;
    uint64_t start = writer->starts[(writer->spares - 1) % SPARE_RECORDS];
    if (ftruncate(writer->descriptor, (off_t)start) != 0)
        return false;
    writer->size_bytes = start;
    writer->spares--;
    stop(writer, failure);
    --*left;
    return true;
}

/* Writes the end, once. Returns 0 or the errno that stopped it. */
static int try_end(struct wl_stream_writer *writer, int exit_code, uint64_t end_ns)
{
    struct wl_text frame;
    char reason[sizeof writer->reason];
    int failure = 0;
    pthread_mutex_lock(&writer->lock);
    struct wl_stream_end end = {exit_code, end_ns, writer->dropped, reason};
    memcpy(reason, writer->reason, sizeof reason);
    pthread_mutex_unlock(&writer->lock);

    struct wl_codec codec = begin_frame(&frame); /* may run out of memory: not under the lock */
    wl_codec_end(&codec, &end);
    fill_header(&frame, WL_STREAM_END);
    pthread_mutex_lock(&writer->lock);
    if (!writer->is_ended && !writer->is_torn)
        failure = append_frame(writer, &frame, WL_STREAM_END);
    pthread_mutex_unlock(&writer->lock);
    wl_text_free(&frame);
    return failure;
}

/* Tried even after a failure: it is short, and there may be space again. Where there is none, the
 * last records make room: what was lost and why is worth more than they are. */
static void put_end(void *self, int exit_code, uint64_t end_ns)
{
    struct wl_stream_writer *writer = self;
    int saved_errno = errno;
    pthread_mutex_lock(&writer->lock);
    uint64_t left = writer->spares < SPARE_RECORDS ? writer->spares : SPARE_RECORDS;
    pthread_mutex_unlock(&writer->lock);
    for (bool is_tried = false; !is_tried;) {
        int failure = try_end(writer, exit_code, end_ns);
        pthread_mutex_lock(&writer->lock);
        is_tried = !failure || !give_up_last(writer, failure, &left);
        writer->is_ended |= is_tried;
        pthread_mutex_unlock(&writer->lock);
    }
    errno = saved_errno;
}

/* ---- opening and closing ---- */

/* FOLDER/<host>-<pid>-<start>.wls; the folder made absolute, as the program may change its own. */
static char *make_path(const char *folder)
{
    char host[128] = "";
    if (gethostname(host, sizeof host - 1) != 0 || host[0] == '\0')
        snprintf(host, sizeof host, "localhost");
    for (char *c = host; *c; c++)
        if (*c == '/' || *c == '-')
            *c = '_';
    char *absolute = realpath(folder, NULL);
    char *path = wl_string_format("%s/%s-%ld-%" PRIu64 ".wls", absolute ? absolute : folder, host,
                                  (long)getpid(), wl_clock_realtime_ns());
    free(absolute);
    return path;
}

static int write_file_header(struct wl_stream_writer *writer)
{
    unsigned char header[WL_STREAM_FILE_HEADER_BYTES] = WL_STREAM_MAGIC;
    wl_stream_write_u32(header + 8, WL_STREAM_VERSION);
    return write_whole(writer, header, sizeof header);
}

enum wl_code wl_stream_writer_open(const char *folder, struct wl_stream_writer **writer,
                                   struct wl_error *error)
{
    int saved_errno = errno;
    struct stat status;
    struct wl_stream_writer *made = wl_alloc_zero(1, sizeof *made);
    pthread_mutex_init(&made->lock, NULL);
    made->path = make_path(folder);
    made->descriptor = open(made->path, O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
    int failure = made->descriptor < 0 ? errno : 0;
    if (!failure) {
        made->descriptor = move_up(made->descriptor);
        failure = fstat(made->descriptor, &status) == 0 ? write_file_header(made) : errno;
    }
    if (failure) {
        wl_error_set(error, WL_ERR_OUTPUT, "cannot write the stream: %s", strerror(failure));
        wl_error_set_where(error, "%s", made->path);
        wl_stream_writer_abandon(made);
        *writer = NULL;
        errno = saved_errno;
        return WL_ERR_OUTPUT;
    }
    made->device = status.st_dev;
    made->inode = status.st_ino;
    made->sink = (struct wl_sink){
        .self = made,
        .put_process = put_process,
        .put_device = put_device,
        .put_module = put_module,
        .put_kernel = put_kernel,
        .put_launch = put_launch,
        .put_times = put_times,
        .put_left_out = put_left_out,
        .put_note = put_note,
        .put_end = put_end,
        .put_trace_names = put_trace_names,
        .put_trace = put_trace,
        .put_trace_end = put_trace_end,
    };
    *writer = made;
    errno = saved_errno;
    return WL_OK;
}

const struct wl_sink *wl_stream_writer_sink(struct wl_stream_writer *writer)
{
    return &writer->sink;
}

const char *wl_stream_writer_trouble(struct wl_stream_writer *writer)
{
    return writer->is_stopped ? writer->reason : NULL; /* neither changes any more */
}

void wl_stream_writer_abandon(struct wl_stream_writer *writer)
{
    if (!writer)
        return;
    int saved_errno = errno;
    bool is_known = writer->inode != 0 || writer->device != 0;
    if (writer->descriptor >= 0 && (!is_known || is_ours(writer)))
        close(writer->descriptor);
    free(writer->path);
    free(writer);
    errno = saved_errno;
}

void wl_stream_writer_close(struct wl_stream_writer *writer)
{
    if (!writer)
        return;
    pthread_mutex_destroy(&writer->lock);
    wl_stream_writer_abandon(writer);
}
