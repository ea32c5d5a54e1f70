/* The bytes of a stream (docs/formats/stream.md): numbers, and one function a record that both
 * writes and reads its payload, so that the two cannot differ. */
#ifndef WL_RECORD_STREAM_FORMAT_H
#define WL_RECORD_STREAM_FORMAT_H

#include "base/memory.h"
#include "base/text.h"
#include "record/record.h"

#define WL_STREAM_MAGIC "WLSTREAM"
enum {
    WL_STREAM_VERSION = 2,
    WL_STREAM_FILE_HEADER_BYTES = 16,  /* magic, u32 version, u32 zero */
    WL_STREAM_FRAME_HEADER_BYTES = 16, /* u32 payload length, u32 kind, u32 payload crc, u32 crc of
                                          the twelve bytes before */
    WL_STREAM_PAYLOAD_BYTES_MAX = 1 << 28,
};

enum wl_stream_kind {
    WL_STREAM_PROCESS = 1,
    WL_STREAM_DEVICE,
    WL_STREAM_MODULE,
    WL_STREAM_KERNEL,
    WL_STREAM_LAUNCH,
    WL_STREAM_NOTE,
    WL_STREAM_END,
    WL_STREAM_TRACE_NAMES,
    WL_STREAM_TRACE,
    WL_STREAM_TRACE_END,
    WL_STREAM_TIMES,
    WL_STREAM_LEFT_OUT,
};

/* Last record of a process. */
struct wl_stream_end {
    int64_t exit_code; /* -1: not known */
    uint64_t end_ns;
    uint64_t dropped;   /* records that could not be written */
    const char *reason; /* why, or "" */
};

/* Goes over the fields of a record, either writing them to out or reading them from next. */
struct wl_codec {
    struct wl_text *out; /* NULL when reading */
    const unsigned char *next, *end;
    bool is_bad;              /* read past the end, or a text without its NUL: results are zero */
    WL_VECTOR(void *) arrays; /* what reading allocated */
};

void wl_codec_process(struct wl_codec *codec, struct wl_record_process *record);
void wl_codec_device(struct wl_codec *codec, struct wl_record_device *record);
void wl_codec_module(struct wl_codec *codec, struct wl_record_module *record);
void wl_codec_kernel(struct wl_codec *codec, struct wl_record_kernel *record);
void wl_codec_launch(struct wl_codec *codec, struct wl_record_launch *record);
void wl_codec_times(struct wl_codec *codec, struct wl_record_times *record);
void wl_codec_left_out(struct wl_codec *codec, struct wl_record_left_out *record);
void wl_codec_note(struct wl_codec *codec, struct wl_record_note *record);
void wl_codec_end(struct wl_codec *codec, struct wl_stream_end *record);
void wl_codec_trace_names(struct wl_codec *codec, struct wl_record_trace_names *record);
void wl_codec_trace(struct wl_codec *codec, struct wl_record_trace *record);
void wl_codec_trace_end(struct wl_codec *codec, struct wl_record_trace_end *record);
/* Frees the arrays that reading allocated; the record is then invalid. */
void wl_codec_free(struct wl_codec *codec);

/* CRC-32 as in zlib and Ethernet. */
uint32_t wl_stream_crc32(const void *bytes, size_t length);
uint32_t wl_stream_read_u32(const unsigned char bytes[4]);
void wl_stream_write_u32(unsigned char bytes[4], uint32_t value);

#endif
