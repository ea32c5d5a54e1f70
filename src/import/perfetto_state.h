/* What packets of a Perfetto trace say of those that follow: clocks, tracks, names, defaults. For
 * the reader of such traces only. */
#ifndef WL_IMPORT_PERFETTO_STATE_H
#define WL_IMPORT_PERFETTO_STATE_H

#include "base/memory.h"
#include "import/protobuf.h"
#include "report/keys.h"

/* Numbers of clocks (ClockSnapshot.Clock.BuiltinClocks); from 64 to 127 they are a sequence's own.
 */
enum { WL_PERFETTO_REALTIME = 1, WL_PERFETTO_MONOTONIC = 3, WL_PERFETTO_BOOTTIME = 6 };

/* Of what kind of text an interned number is: fields of InternedData. */
enum wl_perfetto_interned {
    WL_PERFETTO_CATEGORY = 1,
    WL_PERFETTO_NAME = 2,
    WL_PERFETTO_FACT = 3,
    WL_PERFETTO_TEXT = 29,
};

struct wl_perfetto_track {
    uint64_t parent; /* 0: none */
    int64_t pid, tid;
    bool has_pid, has_tid;
    uint32_t top; /* while slices are matched: what is open on it, from 1 */
};

struct wl_perfetto_sequence {
    uint32_t generation; /* of its interned texts */
    uint32_t clock;      /* of packets that name none; 0: the trace's */
    uint64_t track;      /* of events that name none */
};

struct wl_perfetto_clock {
    uint64_t last, multiplier_ns;
    int64_t to_realtime_ns; /* added to its time: nanoseconds since 1970 */
    bool is_known, is_incremental, has_realtime;
};

struct wl_perfetto {
    struct wl_keys text_keys, interned_keys, track_keys, sequence_keys, clock_keys, process_keys;
    WL_VECTOR(char *) texts;      /* by the id of its key, less 1; so are the following */
    WL_VECTOR(uint32_t) interned; /* texts */
    WL_VECTOR(struct wl_perfetto_track) tracks;
    WL_VECTOR(struct wl_perfetto_sequence) sequences;
    WL_VECTOR(struct wl_perfetto_clock) clocks;
    WL_VECTOR(uint32_t) process_names; /* texts; 0: none was told */
    uint32_t primary_clock;            /* 0: BOOTTIME */
};

/* The id of a text, from 1; 0: the field is none. Bytes behind a NUL are left out. */
uint32_t wl_perfetto_text(struct wl_perfetto *state, const struct wl_protobuf_field *field);
/* "" of 0; valid until state is freed. */
const char *wl_perfetto_text_of(const struct wl_perfetto *state, uint32_t id);
/* Which track, by its uuid; one that is not described yet has nothing. */
uint32_t wl_perfetto_find_track(struct wl_perfetto *state, uint64_t uuid);
/* The sequence of a number; valid until the next is asked for. */
struct wl_perfetto_sequence *wl_perfetto_find_sequence(struct wl_perfetto *state, uint64_t number);
/* The text of an interned number; 0: nothing was said of it. */
uint32_t wl_perfetto_find_interned(struct wl_perfetto *state, uint64_t sequence,
                                   enum wl_perfetto_interned kind, uint64_t number);
/* The name of a process, 0 where none was told. */
uint32_t wl_perfetto_process_name(const struct wl_perfetto *state, int64_t pid);
/* Nanoseconds of a packet's time, since 1970 where the trace has such a clock; false: its clock was
 * not described, or the time is invalid. */
bool wl_perfetto_time(struct wl_perfetto *state, uint64_t sequence, uint32_t clock, uint64_t time,
                      uint64_t *time_ns);

/* Messages of packets: each takes what is within field. */
void wl_perfetto_take_interned(struct wl_perfetto *state, uint64_t sequence,
                               const struct wl_protobuf_field *field);
void wl_perfetto_take_clocks(struct wl_perfetto *state, uint64_t sequence,
                             const struct wl_protobuf_field *field);
void wl_perfetto_take_track(struct wl_perfetto *state, const struct wl_protobuf_field *field);
void wl_perfetto_take_process(struct wl_perfetto *state, const struct wl_protobuf_field *field,
                              struct wl_perfetto_track *track);
void wl_perfetto_take_thread(const struct wl_protobuf_field *field,
                             struct wl_perfetto_track *track);
void wl_perfetto_take_process_tree(struct wl_perfetto *state,
                                   const struct wl_protobuf_field *field);
void wl_perfetto_free(struct wl_perfetto *state);

#endif
