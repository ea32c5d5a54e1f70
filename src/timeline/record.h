/* One event of a trace, whatever it is about: who makes it (an API library, the simulated GPU,
 * CUPTI, NVTX, OpenACC, MPI) fills one of these and hands it to wl_timeline_put; ring, stream and
 * report carry all alike. A new kind of event is a row in categories.def. */
#ifndef WL_TIMELINE_RECORD_H
#define WL_TIMELINE_RECORD_H

#include <stdint.h>

enum wl_timeline_category {
    WL_TIMELINE_NONE,
#define C(id, name, side, ...) WL_TIMELINE_##id,
#include "timeline/categories.def"
#undef C
    WL_TIMELINE_CATEGORY_COUNT,
};

enum wl_timeline_side { WL_TIMELINE_SIDE_NONE, WL_TIMELINE_SIDE_HOST, WL_TIMELINE_SIDE_DEVICE };

/* Of categories whose records are sums: they are not listed among events where not asked for. */
static inline int wl_timeline_is_sum(unsigned category)
{
    return category == WL_TIMELINE_CPU_SAMPLE || category == WL_TIMELINE_CPU_SWITCH;
}

enum { WL_TIMELINE_WORDS = 6 };

struct wl_timeline_category_info {
    const char *name;
    enum wl_timeline_side side;
    const char *words[WL_TIMELINE_WORDS];
};
/* By enum wl_timeline_category; the first is of none. */
extern const struct wl_timeline_category_info wl_timeline_categories[WL_TIMELINE_CATEGORY_COUNT];

enum wl_timeline_flag {
    WL_TIMELINE_PREDICTED = 1,   /* times are those of the simulated GPU's predicted clock */
    WL_TIMELINE_OPEN = 2,        /* it had not ended when the recording did */
    WL_TIMELINE_FAILED = 4,      /* the call answered an error */
    WL_TIMELINE_NANOSECONDS = 8, /* times are in nanoseconds: only on the way to the stream */
    WL_TIMELINE_NO_LENGTH = 16,  /* how long it took is not known: it ends when it starts */
    WL_TIMELINE_OPERATOR = 32,   /* a range of NVTX that PyTorch made for an operator: its payload
                                    is the operator's sequence number and one, 0: it has none */
};

struct wl_timeline_record {
    /* On the way into the ring: ticks (wl_timeline_now), or nanoseconds since 1970 with
     * WL_TIMELINE_NANOSECONDS. In streams and reports: nanoseconds since 1970. An event without
     * duration ends when it starts. */
    uint64_t start, end;
    uint32_t name;     /* wl_timeline_name; 0: none */
    uint16_t category; /* enum wl_timeline_category */
    uint16_t flags;    /* enum wl_timeline_flag */
    uint32_t thread;   /* the system's number of it; filled in by wl_timeline_put where it is 0 */
    uint32_t correlation; /* of the API call that this is, or that caused it; 0: none */
    uint64_t words[WL_TIMELINE_WORDS]; /* by category: see categories.def */
};

/* packed_where: which device, context and stream. */
#define WL_TIMELINE_PACK_WHERE(device, context, stream) \
    ((uint64_t)(device) << 48 | ((uint64_t)(context)&0xffff) << 32 | (uint32_t)(stream))
#define WL_TIMELINE_WHERE_DEVICE(word) ((uint32_t)((word) >> 48))
#define WL_TIMELINE_WHERE_CONTEXT(word) ((uint32_t)((word) >> 32 & 0xffff))
#define WL_TIMELINE_WHERE_STREAM(word) ((uint32_t)(word))
/* packed_grid: the second and third are not more than 65535 on any GPU. */
#define WL_TIMELINE_PACK_GRID(x, y, z) \
    ((uint64_t)(x) << 32 | ((uint64_t)(y)&0xffff) << 16 | ((uint64_t)(z)&0xffff))
/* packed_block: and registers of a thread, 0 where they are not known. */
#define WL_TIMELINE_PACK_BLOCK(x, y, z, registers)                                                \
    (((uint64_t)(x)&0xffff) << 48 | ((uint64_t)(y)&0xffff) << 32 | ((uint64_t)(z)&0xffff) << 16 | \
     ((uint64_t)(registers)&0xffff))
/* packed_region: the number of the OpenACC event that begins it, that of the construct, whether the
 * runtime made it up for another, OpenACC's number of the type of device (2: the host), and which
 * of that type. */
#define WL_TIMELINE_PACK_REGION(event, construct, is_implicit, device_type, device) \
    (((uint64_t)(device)&0xffff) << 32 | ((uint64_t)(device_type)&0xff) << 24 |     \
     (uint64_t)(is_implicit) << 16 | ((uint64_t)(construct)&0xff) << 8 | ((uint64_t)(event)&0xff))
/* packed_shared: bytes of shared memory of a block, declared and asked for at the launch. */
#define WL_TIMELINE_PACK_SHARED(static_bytes, dynamic_bytes) \
    ((uint64_t)(static_bytes) << 32 | (uint32_t)(dynamic_bytes))

/* copy_kind, source_memory and the like: numbers as CUPTI and Nsight Systems have them. */
enum wl_timeline_copy {
    WL_TIMELINE_COPY_UNKNOWN = 0,
    WL_TIMELINE_COPY_TO_DEVICE = 1,
    WL_TIMELINE_COPY_TO_HOST = 2,
    WL_TIMELINE_COPY_ON_DEVICE = 8,
    WL_TIMELINE_COPY_ON_HOST = 9,
    WL_TIMELINE_COPY_BETWEEN_DEVICES = 10,
};
enum wl_timeline_memory {
    WL_TIMELINE_MEMORY_UNKNOWN = 0,
    WL_TIMELINE_MEMORY_PAGEABLE = 1,
    WL_TIMELINE_MEMORY_PINNED = 2,
    WL_TIMELINE_MEMORY_DEVICE = 3,
    WL_TIMELINE_MEMORY_ARRAY = 4,
    WL_TIMELINE_MEMORY_MANAGED = 5,
    WL_TIMELINE_MEMORY_KINDS,
};
enum wl_timeline_synchronization {
    WL_TIMELINE_SYNC_EVENT = 1,
    WL_TIMELINE_SYNC_STREAM_WAIT_EVENT = 2,
    WL_TIMELINE_SYNC_STREAM = 3,
    WL_TIMELINE_SYNC_CONTEXT = 4,
};

#endif
