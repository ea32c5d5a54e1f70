#include "sim/shadow.h"

#include <string.h>

#include "sim/executor.h"
#include "sim/found.h"
#include "sim/reach.h"

/* An access of a word: when (stretch of its warp; 0: none), where, who. A mark is copied right
 * after its last four bytes were set: they are set in one go, as a copy that reads them together
 * would otherwise wait for the stores. */
struct mark {
    uint32_t stretch, instruction;
    union { /* little-endian: who_is() */
        struct {
            uint16_t thread;
            uint8_t bytes;    /* of the word */
            uint8_t strength; /* enum wl_shadow_strength */
        };
        uint32_t who;
    };
};

static inline uint32_t who_is(uint32_t thread, uint32_t bytes, uint32_t strength)
{
    return thread | bytes << 16 | strength << 24;
}

/* Whose it is. Not by the narrow member: what the compiler keeps of that in a place of two bytes
 * and reads as a wide one waits for the store. */
static inline uint32_t warp_of(const struct mark *mark)
{
    return mark->who % 0x10000 / WL_LANES;
}

struct word {
    struct mark writer, readers[2]; /* the second: of another warp than the first */
    uint32_t serial;                /* instruction execution of the writer */
    uint32_t group;                 /* of copies of the writer's warp that wrote it; 0: none did */
    uint8_t written;                /* bytes, ever */
};

struct clock {
    uint32_t stretch[WL_SHADOW_WARPS]; /* of each warp: the last that is over for the owner */
};

#define PLACES 64

/* Words whose reads tell nothing new, until any warp has seen more: a bit a warp, cleared by
 * whatever is written. Only the stretches of words that have some are cleared. */
#define QUIET_STRETCH_WORDS 64

struct wl_shadow {
    uint32_t word_count, serial;
    uint32_t set_count;
    uint64_t *has_quiet; /* sets of bits, one for each stretch of words; behind words */
    uint32_t *quiet;     /* of each word, behind that */
    struct {
        uint32_t by, stretch, warps; /* by bit: those behind that stretch of that warp */
    } behind;                        /* what was last found out; stretch 0: nothing */
    struct clock signals;            /* what was given away by atomics */
    struct clock seen[WL_SHADOW_WARPS];
    struct clock known;                   /* what any warp has seen */
    struct clock fenced[WL_SHADOW_WARPS]; /* all that lies before the warp's last fence */
    struct clock
        pending[WL_SHADOW_WARPS]; /* what it read strongly gave: seen from its next fence on */
    struct clock places[PLACES];  /* given away by strong writes and by arrivals at barrier
                                     objects, by hash of their address */
    uint32_t committed[WL_SHADOW_WARPS],
        awaited[WL_SHADOW_WARPS];      /* groups of asynchronous copies */
    struct clock arrived[WL_BARRIERS]; /* of all times: who arrived and ended still counts */
    uint32_t own[WL_SHADOW_WARPS];     /* the present stretch */
    _Alignas(uint64_t) struct word words[];
};
_Static_assert(sizeof(struct word) % sizeof(uint64_t) == 0, "has_quiet lies behind words");

/* What lies between arrays counts as written: reads of it are errors of another kind. */
static void mark_gaps(struct wl_shadow *shadow, const struct wl_program *program)
{
    for (uint32_t i = 1; i < program->shared_array_count; i++) {
        const struct wl_shared_array *before = &program->shared_arrays[i - 1];
        uint32_t end = program->shared_arrays[i].start, words = shadow->word_count;
        for (uint32_t at = before->start + before->size_bytes; at < end && at / 4 < words; at++)
            shadow->words[at / 4].written |= (uint8_t)(1u << at % 4);
    }
}

static uint32_t words_of(const struct wl_run *run)
{
    return (run->shared_bytes + 3) / 4;
}

static uint32_t sets_of(const struct wl_run *run)
{
    return words_of(run) / QUIET_STRETCH_WORDS / 64 + 1;
}

size_t wl_shadow_bytes(const struct wl_run *run)
{
    if (!(run->options->checks & (WL_CHECK_RACE | WL_CHECK_INIT | WL_CHECK_RACE_GLOBAL)))
        return 0;
    const size_t quiet_bytes = words_of(run) * sizeof(uint32_t);
    return sizeof(struct wl_shadow) + words_of(run) * sizeof(struct word) +
           sets_of(run) * sizeof(uint64_t) + quiet_bytes;
}

void wl_shadow_begin(struct wl_shadow *shadow, const struct wl_run *run)
{
    memset(shadow, 0, wl_shadow_bytes(run));
    shadow->word_count = words_of(run);
    shadow->set_count = sets_of(run);
    shadow->has_quiet = (uint64_t *)(void *)(shadow->words + shadow->word_count);
    shadow->quiet = (uint32_t *)(shadow->has_quiet + shadow->set_count);
    for (int i = 0; i < WL_SHADOW_WARPS; i++)
        shadow->own[i] = 1;
    mark_gaps(shadow, run->program);
}

void wl_shadow_next_instruction(struct wl_shadow *shadow)
{
    if (shadow)
        shadow->serial++;
}

/* ---- what happens before what ---- */

/* True if anything was newer. */
static bool merge(struct clock *into, const struct clock *from)
{
    uint32_t newer = 0;
    for (int i = 0; i < WL_SHADOW_WARPS; i++) {
        const uint32_t now = into->stretch[i], other = from->stretch[i];
        newer |= other > now;
        into->stretch[i] = other > now ? other : now;
    }
    return newer;
}

static void forget_quiet(struct wl_shadow *shadow)
{
    for (uint32_t i = 0; i < shadow->set_count; i++) {
        for (uint64_t left = shadow->has_quiet[i]; left; left &= left - 1) {
            const uint32_t first = (i * 64 + (uint32_t)__builtin_ctzll(left)) * QUIET_STRETCH_WORDS;
            const uint32_t words = shadow->word_count - first;
            memset(shadow->quiet + first, 0,
                   (words < QUIET_STRETCH_WORDS ? words : QUIET_STRETCH_WORDS) *
                       sizeof *shadow->quiet);
        }
        shadow->has_quiet[i] = 0;
    }
}

/* The warp has seen what is in from. */
static void see(struct wl_shadow *shadow, uint32_t warp, const struct clock *from)
{
    merge(&shadow->seen[warp], from);
    if (merge(&shadow->known, from))
        forget_quiet(shadow);
    shadow->behind.stretch = 0;
}

/* All the warp did and saw so far goes into clock; a new stretch begins. */
static void give(struct wl_shadow *shadow, uint32_t warp, struct clock *clock)
{
    merge(clock, &shadow->seen[warp]);
    clock->stretch[warp] = shadow->own[warp]++;
}

void wl_shadow_arrive(struct wl_warp *warp, uint32_t barrier)
{
    struct wl_shadow *shadow = warp->cta->shadow;
    give(shadow, warp->index, &shadow->arrived[barrier]);
}

void wl_shadow_release(struct wl_cta *cta, uint32_t barrier)
{
    struct wl_shadow *shadow = cta->shadow;
    for (uint32_t i = 0; i < cta->warp_count; i++)
        if (cta->warps[i].status == WL_WARP_AT_BARRIER && cta->warps[i].barrier == barrier)
            see(shadow, i, &shadow->arrived[barrier]);
}

void wl_shadow_signal(struct wl_warp *warp)
{
    struct wl_shadow *shadow = warp->cta->shadow;
    give(shadow, warp->index, &shadow->signals);
}

void wl_shadow_await(struct wl_warp *warp)
{
    struct wl_shadow *shadow = warp->cta->shadow;
    see(shadow, warp->index, &shadow->signals);
}

void wl_shadow_sync_lanes(struct wl_warp *warp)
{
    warp->cta->shadow->own[warp->index]++;
}

void wl_shadow_fence(struct wl_warp *warp)
{
    struct wl_shadow *shadow = warp->cta->shadow;
    see(shadow, warp->index, &shadow->pending[warp->index]);
    give(shadow, warp->index, &shadow->fenced[warp->index]);
}

static struct clock *place_of(struct wl_shadow *shadow, uint64_t address)
{
    return &shadow->places[(address >> 2) * 0x9e3779b97f4a7c15ull >> 58];
}

void wl_shadow_signal_at(struct wl_warp *warp, uint64_t address)
{
    struct wl_shadow *shadow = warp->cta->shadow;
    give(shadow, warp->index, place_of(shadow, address));
}

void wl_shadow_await_at(struct wl_warp *warp, uint64_t address)
{
    struct wl_shadow *shadow = warp->cta->shadow;
    see(shadow, warp->index, place_of(shadow, address));
}

void wl_shadow_read_strong(struct wl_warp *warp, const struct wl_op *op, uint64_t address)
{
    struct wl_shadow *shadow = warp->cta->shadow;
    if (op->spare & WL_ORDER_ACQUIRE)
        see(shadow, warp->index, place_of(shadow, address));
    else
        merge(&shadow->pending[warp->index], place_of(shadow, address));
}

void wl_shadow_write_strong(struct wl_warp *warp, const struct wl_op *op, uint64_t address)
{
    struct wl_shadow *shadow = warp->cta->shadow;
    if (op->spare & WL_ORDER_RELEASE)
        give(shadow, warp->index, place_of(shadow, address));
    else
        merge(place_of(shadow, address), &shadow->fenced[warp->index]);
}

uint32_t wl_shadow_stretch(const struct wl_warp *warp)
{
    return warp->cta->shadow->own[warp->index];
}

bool wl_shadow_has_seen(const struct wl_warp *warp, uint32_t other, uint32_t stretch)
{
    return stretch <= warp->cta->shadow->seen[warp->index].stretch[other];
}

static void add_stretches(uint32_t stretch[WL_SHADOW_WARPS], const struct clock *clock)
{
    for (int i = 0; i < WL_SHADOW_WARPS; i++)
        if (clock->stretch[i] > stretch[i])
            stretch[i] = clock->stretch[i];
}

void wl_shadow_add_fenced(const struct wl_warp *warp, uint32_t stretch[WL_SHADOW_WARPS])
{
    add_stretches(stretch, &warp->cta->shadow->fenced[warp->index]);
}

void wl_shadow_add_seen(const struct wl_warp *warp, uint32_t stretch[WL_SHADOW_WARPS])
{
    add_stretches(stretch, &warp->cta->shadow->seen[warp->index]);
    stretch[warp->index] = warp->cta->shadow->own[warp->index];
}

/* ---- asynchronous copies ---- */

void wl_shadow_commit(struct wl_warp *warp)
{
    warp->cta->shadow->committed[warp->index]++;
}

void wl_shadow_await_groups(struct wl_warp *warp, uint64_t but)
{
    struct wl_shadow *shadow = warp->cta->shadow;
    uint32_t committed = shadow->committed[warp->index], *awaited = &shadow->awaited[warp->index];
    if (but < committed && committed - but > *awaited)
        *awaited = committed - (uint32_t)but;
}

void wl_shadow_await_copies(struct wl_warp *warp)
{
    wl_shadow_commit(warp);
    wl_shadow_await_groups(warp, 0);
}

/* Whether a copy may still write the word. */
static bool is_awaited(const struct wl_shadow *shadow, const struct word *word)
{
    return !word->group || word->group <= shadow->awaited[warp_of(&word->writer)];
}

/* ---- accesses ---- */

bool wl_shadow_are_strong(uint8_t one, uint8_t other)
{
    return one && other && (one > WL_SHADOW_UNFENCED || other > WL_SHADOW_UNFENCED);
}

/* Whether the mark is of another warp, with no barrier between. */
static bool races(const struct wl_shadow *shadow, const struct mark *mark, uint32_t warp,
                  const struct mark *mine)
{
    uint32_t other = warp_of(mark);
    return mark->stretch && mark->bytes & mine->bytes && other != warp &&
           !wl_shadow_are_strong(mark->strength, mine->strength) &&
           mark->stretch > shadow->seen[warp].stretch[other];
}

/* Whether the mark is of another lane of the warp, with nothing between that brings its lanes
 * together. */
static bool races_in_warp(const struct wl_shadow *shadow, const struct mark *mark, uint32_t warp,
                          const struct mark *mine)
{
    return mark->stretch == shadow->own[warp] && mark->bytes & mine->bytes &&
           mark->thread != mine->thread && warp_of(mark) == warp &&
           mark->instruction != mine->instruction && mark->strength != WL_SHADOW_STRONG &&
           mine->strength != WL_SHADOW_STRONG;
}

static void report_race(struct wl_warp *warp, const struct wl_op *op,
                        const struct wl_shadow_access *access, enum wl_finding_kind kind,
                        const struct mark *other, bool after_read)
{
    const struct wl_run *run = warp->worker->run;
    if (!(run->options->checks & WL_CHECK_RACE))
        return;
    struct wl_finding finding = {.kind = kind,
                                 .space = WL_SITE_SHARED,
                                 .access = access->is_write ? WL_SITE_STORE : WL_SITE_LOAD,
                                 .address = access->offset,
                                 .bytes = access->bytes,
                                 .other_instruction = other->instruction,
                                 .is_after_read = after_read};
    for (int axis = 0; axis < 3; axis++)
        finding.other_thread[axis] =
            run->thread_index[warp_of(other)][axis][other->thread % WL_LANES];
    wl_found(warp, op, access->lane, &finding);
}

/* Whether the write leaves the bytes of the word as they are. */
static bool keeps_value(const struct wl_warp *warp, const struct wl_shadow_access *access,
                        uint32_t word, uint8_t bytes)
{
    if (!access->values)
        return false;
    const uint8_t *value = (const uint8_t *)&access->values[access->lane];
    for (uint32_t i = 0; i < 4; i++)
        if (bytes >> i & 1 && warp->shared[word * 4 + i] != value[word * 4 + i - access->offset])
            return false;
    return true;
}

/* Whether an earlier lane of the same instruction wrote another value there. */
static bool contradicts(const struct wl_shadow_access *access, uint32_t other_lane)
{
    uint64_t mask = access->bytes >= 8 ? ~0ull : (1ull << 8 * access->bytes) - 1;
    return access->values &&
           ((access->values[access->lane] ^ access->values[other_lane]) & mask) != 0;
}

static void add_mark(struct mark *mark, const struct mark *newer)
{
    const bool is_same = mark->stretch == newer->stretch &&
                         mark->instruction == newer->instruction && warp_of(mark) == warp_of(newer);
    const uint32_t kept = is_same ? mark->who & who_is(0, 0xf, 0) : 0;
    mark->stretch = newer->stretch;
    mark->instruction = newer->instruction;
    mark->who = newer->who | kept;
}

/* What an access of the word races with, if anything. */
struct conflict {
    enum wl_finding_kind kind;
    const struct mark *other; /* NULL: none */
    bool after_read;
};

static struct conflict find_write_conflict(const struct wl_warp *warp,
                                           const struct wl_shadow_access *access, uint32_t index,
                                           const struct mark *mark)
{
    const struct wl_shadow *shadow = warp->cta->shadow;
    const struct word *word = &shadow->words[index];
    const struct mark *writer = &word->writer;
    bool is_same_instruction = writer->stretch && word->serial == shadow->serial;
    if (is_same_instruction && !access->is_atomic && writer->bytes & mark->bytes &&
        contradicts(access, writer->thread % WL_LANES))
        return (struct conflict){WL_FINDING_RACE_LANES, writer, false};
    if (!is_awaited(shadow, word) && writer->bytes & mark->bytes && !access->is_copy)
        return (struct conflict){WL_FINDING_RACE_COPY, writer, false};
    if (races(shadow, writer, warp->index, mark) && !keeps_value(warp, access, index, mark->bytes))
        return (struct conflict){WL_FINDING_RACE_AFTER_WRITE, writer, false};
    for (int i = 0; i < 2; i++)
        if (races(shadow, &word->readers[i], warp->index, mark))
            return (struct conflict){WL_FINDING_RACE_AFTER_READ, &word->readers[i], true};
    if (races_in_warp(shadow, writer, warp->index, mark) &&
        !keeps_value(warp, access, index, mark->bytes))
        return (struct conflict){WL_FINDING_RACE_WARP, writer, false};
    for (int i = 0; i < 2; i++)
        if (races_in_warp(shadow, &word->readers[i], warp->index, mark) &&
            !keeps_value(warp, access, index, mark->bytes))
            return (struct conflict){WL_FINDING_RACE_WARP, &word->readers[i], true};
    return (struct conflict){0};
}

/* Whether every write of the bytes would race with the mark, whichever warp but its own makes it:
 * no warp has seen it. */
static inline bool is_unseen(const struct wl_shadow *shadow, const struct mark *mark, uint8_t bytes)
{
    return mark->stretch > shadow->known.stretch[warp_of(mark)] && (mark->bytes & bytes) == bytes &&
           mark->strength == WL_SHADOW_PLAIN;
}

/* Whether an atomic hides nothing of the plain write before it, of the same warp, if that stays as
 * the word's last one: no other warp has seen it, and each that comes without order races with it.
 */
static bool keeps_plain(const struct wl_shadow *shadow, const struct mark *plain,
                        const struct mark *atomic)
{
    return atomic->strength == WL_SHADOW_STRONG && plain->stretch &&
           warp_of(plain) == warp_of(atomic) && is_unseen(shadow, plain, atomic->bytes);
}

/* True if it was reported. */
static bool write_word(struct wl_warp *warp, const struct wl_op *op,
                       const struct wl_shadow_access *access, uint32_t index,
                       const struct mark *mark)
{
    struct wl_shadow *shadow = warp->cta->shadow;
    struct word *word = &shadow->words[index];
    struct conflict conflict = find_write_conflict(warp, access, index, mark);
    if (conflict.other)
        report_race(warp, op, access, conflict.kind, conflict.other, conflict.after_read);
    word->written |= mark->bytes;
    shadow->quiet[index] = 0;
    if (!keeps_plain(shadow, &word->writer, mark))
        add_mark(&word->writer, mark);
    word->serial = shadow->serial;
    word->group = access->is_copy ? shadow->committed[warp->index] + 1 : 0;
    return conflict.other != NULL;
}

static bool read_word(struct wl_warp *warp, const struct wl_op *op,
                      const struct wl_shadow_access *access, uint32_t index,
                      const struct mark *mark)
{
    struct wl_shadow *shadow = warp->cta->shadow;
    struct word *word = &shadow->words[index];
    const struct mark *writer = &word->writer;
    if (access->is_atomic)
        return false;
    bool is_race = races(shadow, writer, warp->index, mark);
    bool is_copied = !is_awaited(shadow, word) && writer->bytes & mark->bytes;
    bool is_in_warp = races_in_warp(shadow, writer, warp->index, mark);
    if (is_race || is_copied || is_in_warp)
        report_race(warp, op, access,
                    is_copied ? WL_FINDING_RACE_COPY
                    : is_race ? WL_FINDING_RACE_READ
                              : WL_FINDING_RACE_WARP,
                    writer, false);
    struct mark whole = *mark;
    whole.bytes = 0xf;
    whole.strength = WL_SHADOW_PLAIN;
    bool is_second = word->readers[0].stretch && warp_of(&word->readers[0]) != warp->index &&
                     races(shadow, &word->readers[0], warp->index, &whole);
    add_mark(&word->readers[is_second], mark);
    return is_race || is_copied || is_in_warp;
}

static uint8_t bytes_of_word(const struct wl_shadow_access *access, uint32_t word)
{
    uint32_t low = access->offset > word * 4 ? access->offset - word * 4 : 0;
    uint32_t end = access->offset + access->bytes - word * 4;
    return (uint8_t)(((1u << (end < 4 ? end : 4)) - 1) & ~((1u << low) - 1));
}

static bool is_unwritten(const struct wl_shadow *shadow, const struct wl_shadow_access *access,
                         uint32_t first, uint32_t last)
{
    uint8_t written = 0;
    for (uint32_t word = first; word <= last; word++)
        written |= shadow->words[word].written & bytes_of_word(access, word);
    return written == 0;
}

/* Whether the access lies behind the warp: it is of a stretch before, or it has seen it. */
static inline bool is_behind(const struct wl_shadow *shadow, uint32_t warp, const struct mark *mark)
{
    const uint32_t by = warp_of(mark);
    return by == warp ? mark->stretch != shadow->own[by]
                      : mark->stretch <= shadow->seen[warp].stretch[by];
}

/* Whether the word was last written before the warp's present stretch, by no copy. */
static inline bool is_settled(const struct wl_shadow *shadow, uint32_t warp,
                              const struct word *word, uint8_t bytes)
{
    return is_behind(shadow, warp, &word->writer) && (word->written & bytes) == bytes &&
           is_awaited(shadow, word);
}

/* Whether two reads of different warps are there, which no write can come behind unnoticed: further
 * ones tell nothing new. */
static inline bool is_crowded(const struct wl_shadow *shadow, const struct word *word,
                              uint8_t bytes)
{
    const struct mark *readers = word->readers;
    return warp_of(&readers[0]) != warp_of(&readers[1]) && is_unseen(shadow, &readers[0], bytes) &&
           is_unseen(shadow, &readers[1], bytes);
}

/* Whether a read changes nothing in the shadow: it was written, races with no write, and the same
 * instruction of the warp has read it in this stretch. Most reads are so: of lanes at one place,
 * and of loops.
 */
static inline bool is_known_read(const struct wl_shadow *shadow, const struct wl_warp *warp,
                                 const struct wl_op *op, const struct word *word,
                                 const struct mark *mine)
{
    const uint8_t bytes = mine->bytes;
    const struct mark *reader = &word->readers[0];
    return (word->written & bytes) == bytes && reader->stretch == shadow->own[warp->index] &&
           reader->instruction == op->instruction && warp_of(reader) == warp->index &&
           (reader->bytes & bytes) == bytes && !races(shadow, &word->writer, warp->index, mine) &&
           is_awaited(shadow, word) && !races_in_warp(shadow, &word->writer, warp->index, mine);
}

uint8_t wl_shadow_strength(const struct wl_warp *warp, const struct wl_op *op, bool is_atomic)
{
    if (is_atomic)
        return WL_SHADOW_STRONG;
    if (!(op->spare & WL_ORDER_STRONG))
        return WL_SHADOW_PLAIN;
    if (!(op->spare & WL_ORDER_VOLATILE))
        return WL_SHADOW_STRONG;
    return warp->cta->shadow->fenced[warp->index].stretch[warp->index] ? WL_SHADOW_VOLATILE
                                                                       : WL_SHADOW_UNFENCED;
}

/* Of the warp's first lane, none of the bytes. */
static inline struct mark mark_of(const struct wl_warp *warp, const struct wl_op *op)
{
    return (struct mark){
        .stretch = warp->cta->shadow->own[warp->index],
        .instruction = op->instruction,
        .who = who_is(warp->index * WL_LANES, 0, wl_shadow_strength(warp, op, false))};
}

void wl_shadow_access(struct wl_warp *warp, const struct wl_op *op,
                      const struct wl_shadow_access *access)
{
    struct wl_shadow *shadow = warp->cta->shadow;
    const struct wl_run *run = warp->worker->run;
    if (!wl_reach_holds(0, run->shared_bytes, access->offset, access->bytes) || !access->bytes)
        return; /* a fault of its own */
    const uint32_t first = access->offset / 4, last = (access->offset + access->bytes - 1) / 4;
    if (access->is_read && run->options->checks & WL_CHECK_INIT &&
        is_unwritten(shadow, access, first, last)) {
        struct wl_finding finding = {.kind = WL_FINDING_UNWRITTEN,
                                     .space = WL_SITE_SHARED,
                                     .access = access->is_atomic ? WL_SITE_ATOMIC : WL_SITE_LOAD,
                                     .address = access->offset,
                                     .bytes = access->bytes};
        wl_found(warp, op, access->lane, &finding);
    }
    struct mark mark = mark_of(warp, op);
    mark.thread = (uint16_t)(mark.thread + access->lane);
    if (access->is_atomic)
        mark.strength = WL_SHADOW_STRONG;
    bool is_reported = false; /* once for all words of an access */
    for (uint32_t word = first; word <= last; word++) {
        mark.bytes = bytes_of_word(access, word);
        if (access->is_read && !is_reported)
            is_reported |= read_word(warp, op, access, word, &mark);
        if (access->is_write)
            is_reported |= write_word(warp, op, access, word, &mark);
    }
}

/* No read of the word tells anything new, of warps behind whose writer they are. */
static void set_quiet(struct wl_shadow *shadow, uint32_t index, uint32_t warps)
{
    const struct mark *writer = &shadow->words[index].writer;
    const uint32_t by = warp_of(writer), stretch = index / QUIET_STRETCH_WORDS;
    if (!writer->stretch || by != shadow->behind.by || writer->stretch != shadow->behind.stretch) {
        shadow->behind.by = by;
        shadow->behind.stretch = writer->stretch;
        shadow->behind.warps = 0;
        for (uint32_t i = 0; i < warps; i++)
            shadow->behind.warps |= (uint32_t)is_behind(shadow, i, writer) << i;
    }
    shadow->quiet[index] = shadow->behind.warps;
    shadow->has_quiet[stretch / 64] |= 1ull << stretch % 64;
}

/* A lane's read. True if further lanes' of the same bytes tell nothing new. */
static bool read_lane(struct wl_warp *warp, const struct wl_op *op, uint32_t offset, uint32_t bytes,
                      const struct mark *mine)
{
    struct wl_shadow *shadow = warp->cta->shadow;
    const uint32_t index = offset / 4;
    if (offset % 4 + bytes <= 4 && index < shadow->word_count) {
        struct word *word = &shadow->words[index];
        const struct mark *first = &word->readers[0];
        const uint32_t by = warp_of(first);
        const bool is_settled_word = is_settled(shadow, warp->index, word, mine->bytes);
        if (is_settled_word && is_crowded(shadow, word, mine->bytes)) {
            if (mine->bytes == 0xf)
                set_quiet(shadow, index, warp->cta->warp_count);
            return true;
        }
        if (is_known_read(shadow, warp, op, word, mine))
            return true;
        if (is_settled_word) {
            const bool is_second =
                by != warp->index && first->stretch > shadow->seen[warp->index].stretch[by];
            add_mark(&word->readers[is_second], mine);
            if (is_second && mine->bytes == 0xf && is_crowded(shadow, word, 0xf))
                set_quiet(shadow, index, warp->cta->warp_count);
            return true;
        }
    }
    const struct wl_shadow_access access = {
        .lane = mine->thread % WL_LANES, .offset = offset, .bytes = bytes, .is_read = true};
    wl_shadow_access(warp, op, &access);
    return false;
}

/* Whether a word's reads tell nothing new. */
static bool is_quiet(const struct wl_shadow *shadow, uint32_t offset, uint32_t warp)
{
    return offset % 4 == 0 && offset / 4 < shadow->word_count &&
           shadow->quiet[offset / 4] >> warp & 1;
}

void wl_shadow_read(struct wl_warp *warp, const struct wl_op *op, const uint32_t offset[WL_LANES],
                    uint32_t bytes, bool is_one_place)
{
    const struct wl_shadow *shadow = warp->cta->shadow;
    const struct wl_executor_watch *watch = wl_executor_watch();
    uint32_t loud = warp->active;
    if (bytes == 4 && is_one_place && is_quiet(shadow, offset[0], warp->index))
        return;
    if (bytes == 4 && !is_one_place)
        loud &= watch->find_loud(offset, shadow->quiet, shadow->word_count, 1u << warp->index);
    if (!loud)
        return;
    const struct mark first = mark_of(warp, op);
    struct mark mine = first;
    uint32_t left = loud;
    if (is_one_place)
        left &= 0 - loud;
    else if (warp->active == UINT32_MAX)
        left &= ~watch->find_repeats(offset);
    while (left) {
        const uint32_t lane = (uint32_t)__builtin_ctz(left);
        left &= left - 1;
        mine.who = first.who + who_is(lane, ((1u << bytes) - 1) << offset[lane] % 4 & 0xf, 0);
        if (!read_lane(warp, op, offset[lane], bytes, &mine))
            left = loud & ~0u << lane & ~(1u << lane); /* each may have something to tell */
    }
}

uint32_t wl_shadow_write(struct wl_warp *warp, const struct wl_op *op,
                         const uint32_t offset[WL_LANES])
{
    struct wl_shadow *shadow = warp->cta->shadow;
    const struct mark first = mark_of(warp, op);
    struct mark mine = first;
    uint32_t others = 0;
    for (uint32_t left = warp->active; left; left &= left - 1) {
        const uint32_t lane = (uint32_t)__builtin_ctz(left), index = offset[lane] / 4;
        struct word *word = &shadow->words[index < shadow->word_count ? index : 0];
        if (offset[lane] % 4 || index >= shadow->word_count || word->serial == shadow->serial ||
            !is_behind(shadow, warp->index, &word->writer) ||
            !is_behind(shadow, warp->index, &word->readers[0]) ||
            !is_behind(shadow, warp->index, &word->readers[1]) || !is_awaited(shadow, word)) {
            others |= 1u << lane;
            continue;
        }
        mine.who = first.who + who_is(lane, 0xf, 0);
        word->writer = mine;
        word->written = 0xf;
        word->serial = shadow->serial;
        word->group = 0;
        shadow->quiet[index] = 0;
    }
    return others;
}
