#include "sim/shadow.h"

#include <string.h>

#include "sim/executor.h"
#include "sim/found.h"
#include "sim/reach.h"
#include "sim/shadow_state.h"

/* What lies between arrays counts as written: reads of it are errors of another kind. */
static void mark_gaps(struct wl_shadow *shadow, const struct wl_program *program)
{
    for (uint32_t i = 1; i < program->shared_array_count; i++) {
        const struct wl_shared_array *before = &program->shared_arrays[i - 1];
        uint32_t end = program->shared_arrays[i].start, words = shadow->word_count;
        for (uint32_t at = before->start + before->size_bytes; at < end && at / 4 < words; at++)
            *word_field(shadow, WL_SHADOW_WRITTEN, at / 4) |= 1u << at % 4;
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

/* Words from one column to the next: an odd number of the host's cache lines, so that what is kept
 * of a word lies in different sets of its caches. */
static size_t stride_of(const struct wl_run *run)
{
    return ((words_of(run) / WL_SHADOW_RUN + 1) | 1) * WL_SHADOW_RUN;
}

static size_t columns_bytes(const struct wl_run *run)
{
    return (WL_SHADOW_COLUMNS * stride_of(run) + WL_SHADOW_RUN) * sizeof(uint32_t);
}

size_t wl_shadow_bytes(const struct wl_run *run)
{
    if (!(run->options->checks & (WL_CHECK_RACE | WL_CHECK_INIT | WL_CHECK_RACE_GLOBAL)))
        return 0;
    return sizeof(struct wl_shadow) + columns_bytes(run) + sets_of(run) * sizeof(uint64_t);
}

void wl_shadow_begin(struct wl_shadow *shadow, const struct wl_run *run)
{
    memset(shadow, 0, wl_shadow_bytes(run));
    shadow->word_count = words_of(run);
    shadow->set_count = sets_of(run);
    for (uint32_t i = 0; i < WL_SHADOW_COLUMNS; i++)
        shadow->words.column[i] = shadow->memory + i * stride_of(run);
    shadow->has_quiet = (uint64_t *)(void *)((uint8_t *)shadow->memory + columns_bytes(run));
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
            memset(word_field(shadow, WL_SHADOW_QUIET, first), 0,
                   (words < QUIET_STRETCH_WORDS ? words : QUIET_STRETCH_WORDS) * sizeof(uint32_t));
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

/* A new stretch of the warp begins. Returns the last. */
static uint32_t begin_stretch(struct wl_shadow *shadow, uint32_t warp)
{
    return shadow->seen[warp].stretch[warp] = shadow->own[warp]++;
}

/* All the warp did and saw so far goes into clock; a new stretch begins. */
static void give(struct wl_shadow *shadow, uint32_t warp, struct clock *clock)
{
    merge(clock, &shadow->seen[warp]);
    clock->stretch[warp] = begin_stretch(shadow, warp);
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
    begin_stretch(warp->cta->shadow, warp->index);
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

/* Whether no copy may still write the word. */
static bool is_awaited(const struct wl_shadow *shadow, uint32_t index)
{
    const struct mark writer = mark_at(shadow, WL_SHADOW_WRITER, index);
    return *word_field(shadow, WL_SHADOW_GROUP, index) <= shadow->awaited[warp_of(&writer)];
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
    return mark->stretch && bytes_of(mark) & bytes_of(mine) && other != warp &&
           !wl_shadow_are_strong(strength_of(mark), strength_of(mine)) &&
           mark->stretch > shadow->seen[warp].stretch[other];
}

/* Whether the mark is of another lane of the warp, with nothing between that brings its lanes
 * together. */
static bool races_in_warp(const struct wl_shadow *shadow, const struct mark *mark, uint32_t warp,
                          const struct mark *mine)
{
    return mark->stretch == shadow->own[warp] && bytes_of(mark) & bytes_of(mine) &&
           thread_of(mark) != thread_of(mine) && warp_of(mark) == warp &&
           mark->instruction != mine->instruction && strength_of(mark) != WL_SHADOW_STRONG &&
           strength_of(mine) != WL_SHADOW_STRONG;
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
            run->thread_index[warp_of(other)][axis][thread_of(other) % WL_LANES];
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

static void add_mark(struct wl_shadow *shadow, enum wl_shadow_column to, uint32_t index,
                     const struct mark *newer)
{
    struct mark mark = mark_at(shadow, to, index);
    const bool is_same = mark.stretch == newer->stretch && mark.instruction == newer->instruction &&
                         warp_of(&mark) == warp_of(newer);
    const uint32_t kept = is_same ? mark.who & WL_SHADOW_WHOLE : 0;
    mark = *newer;
    mark.who |= kept;
    set_mark(shadow, to, index, &mark);
}

/* What an access of the word races with, if anything. */
struct conflict {
    bool is_there;
    enum wl_finding_kind kind;
    struct mark other;
    bool after_read;
};

static struct conflict find_write_conflict(const struct wl_warp *warp,
                                           const struct wl_shadow_access *access, uint32_t index,
                                           const struct mark *mark)
{
    const struct wl_shadow *shadow = warp->cta->shadow;
    const struct mark writer = mark_at(shadow, WL_SHADOW_WRITER, index);
    const struct mark readers[] = {mark_at(shadow, WL_SHADOW_READER, index),
                                   mark_at(shadow, WL_SHADOW_SECOND, index)};
    const bool meets_writer = bytes_of(&writer) & bytes_of(mark);
    bool is_same_instruction =
        writer.stretch && *word_field(shadow, WL_SHADOW_SERIAL, index) == shadow->serial;
    if (is_same_instruction && !access->is_atomic && meets_writer &&
        contradicts(access, thread_of(&writer) % WL_LANES))
        return (struct conflict){true, WL_FINDING_RACE_LANES, writer, false};
    if (!is_awaited(shadow, index) && meets_writer && !access->is_copy)
        return (struct conflict){true, WL_FINDING_RACE_COPY, writer, false};
    if (races(shadow, &writer, warp->index, mark) &&
        !keeps_value(warp, access, index, bytes_of(mark)))
        return (struct conflict){true, WL_FINDING_RACE_AFTER_WRITE, writer, false};
    for (int i = 0; i < 2; i++)
        if (races(shadow, &readers[i], warp->index, mark))
            return (struct conflict){true, WL_FINDING_RACE_AFTER_READ, readers[i], true};
    if (races_in_warp(shadow, &writer, warp->index, mark) &&
        !keeps_value(warp, access, index, bytes_of(mark)))
        return (struct conflict){true, WL_FINDING_RACE_WARP, writer, false};
    for (int i = 0; i < 2; i++)
        if (races_in_warp(shadow, &readers[i], warp->index, mark) &&
            !keeps_value(warp, access, index, bytes_of(mark)))
            return (struct conflict){true, WL_FINDING_RACE_WARP, readers[i], true};
    return (struct conflict){0};
}

/* Whether every write of the bytes would race with the mark, whichever warp but its own makes it:
 * no warp has seen it. */
static inline bool is_unseen(const struct wl_shadow *shadow, const struct mark *mark, uint8_t bytes)
{
    return mark->stretch > shadow->known.stretch[warp_of(mark)] &&
           (bytes_of(mark) & bytes) == bytes && strength_of(mark) == WL_SHADOW_PLAIN;
}

/* Whether an atomic hides nothing of the plain write before it, of the same warp, if that stays as
 * the word's last one: no other warp has seen it, and each that comes without order races with it.
 */
static bool keeps_plain(const struct wl_shadow *shadow, const struct mark *plain,
                        const struct mark *atomic)
{
    return strength_of(atomic) == WL_SHADOW_STRONG && plain->stretch &&
           warp_of(plain) == warp_of(atomic) && is_unseen(shadow, plain, bytes_of(atomic));
}

/* True if it was reported. */
static bool write_word(struct wl_warp *warp, const struct wl_op *op,
                       const struct wl_shadow_access *access, uint32_t index,
                       const struct mark *mark)
{
    struct wl_shadow *shadow = warp->cta->shadow;
    const struct mark writer = mark_at(shadow, WL_SHADOW_WRITER, index);
    struct conflict conflict = find_write_conflict(warp, access, index, mark);
    if (conflict.is_there)
        report_race(warp, op, access, conflict.kind, &conflict.other, conflict.after_read);
    *word_field(shadow, WL_SHADOW_WRITTEN, index) |= bytes_of(mark);
    *word_field(shadow, WL_SHADOW_QUIET, index) = 0;
    if (!keeps_plain(shadow, &writer, mark))
        add_mark(shadow, WL_SHADOW_WRITER, index, mark);
    *word_field(shadow, WL_SHADOW_SERIAL, index) = shadow->serial;
    *word_field(shadow, WL_SHADOW_GROUP, index) =
        access->is_copy ? shadow->committed[warp->index] + 1 : 0;
    return conflict.is_there;
}

static bool read_word(struct wl_warp *warp, const struct wl_op *op,
                      const struct wl_shadow_access *access, uint32_t index,
                      const struct mark *mark)
{
    struct wl_shadow *shadow = warp->cta->shadow;
    const struct mark writer = mark_at(shadow, WL_SHADOW_WRITER, index);
    const struct mark reader = mark_at(shadow, WL_SHADOW_READER, index);
    if (access->is_atomic)
        return false;
    bool is_race = races(shadow, &writer, warp->index, mark);
    bool is_copied = !is_awaited(shadow, index) && bytes_of(&writer) & bytes_of(mark);
    bool is_in_warp = races_in_warp(shadow, &writer, warp->index, mark);
    if (is_race || is_copied || is_in_warp)
        report_race(warp, op, access,
                    is_copied ? WL_FINDING_RACE_COPY
                    : is_race ? WL_FINDING_RACE_READ
                              : WL_FINDING_RACE_WARP,
                    &writer, false);
    const struct mark whole = {mark->stretch, mark->instruction,
                               who_is(thread_of(mark), 0xf, WL_SHADOW_PLAIN)};
    bool is_second = reader.stretch && warp_of(&reader) != warp->index &&
                     races(shadow, &reader, warp->index, &whole);
    add_mark(shadow, is_second ? WL_SHADOW_SECOND : WL_SHADOW_READER, index, mark);
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
    uint32_t written = 0;
    for (uint32_t word = first; word <= last; word++)
        written |= *word_field(shadow, WL_SHADOW_WRITTEN, word) & bytes_of_word(access, word);
    return written == 0;
}

/* Whether the access lies behind the warp: it is of a stretch before, or it has seen it. */
static inline bool is_behind(const struct wl_shadow *shadow, uint32_t warp, const struct mark *mark)
{
    return mark->stretch <= shadow->seen[warp].stretch[warp_of(mark)];
}

static inline bool has_written(const struct wl_shadow *shadow, uint32_t index, uint8_t bytes)
{
    return (*word_field(shadow, WL_SHADOW_WRITTEN, index) & bytes) == bytes;
}

/* Whether two reads of different warps are there, which no write can come behind unnoticed: further
 * ones tell nothing new. */
static inline bool is_crowded(const struct wl_shadow *shadow, uint32_t index, uint8_t bytes)
{
    const struct mark first = mark_at(shadow, WL_SHADOW_READER, index),
                      second = mark_at(shadow, WL_SHADOW_SECOND, index);
    return warp_of(&first) != warp_of(&second) && is_unseen(shadow, &first, bytes) &&
           is_unseen(shadow, &second, bytes);
}

/* Whether a read changes nothing in the shadow: it was written, races with no write, and the same
 * instruction of the warp has read it in this stretch. Most reads are so: of lanes at one place,
 * and of loops.
 */
static inline bool is_known_read(const struct wl_shadow *shadow, const struct wl_warp *warp,
                                 const struct wl_op *op, uint32_t index, const struct mark *mine)
{
    const uint8_t bytes = bytes_of(mine);
    const struct mark reader = mark_at(shadow, WL_SHADOW_READER, index),
                      writer = mark_at(shadow, WL_SHADOW_WRITER, index);
    return has_written(shadow, index, bytes) && reader.stretch == shadow->own[warp->index] &&
           reader.instruction == op->instruction && warp_of(&reader) == warp->index &&
           (bytes_of(&reader) & bytes) == bytes && !races(shadow, &writer, warp->index, mine) &&
           is_awaited(shadow, index) && !races_in_warp(shadow, &writer, warp->index, mine);
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
    const struct mark lanes = mark_of(warp, op);
    const uint32_t strength = access->is_atomic ? WL_SHADOW_STRONG : strength_of(&lanes);
    bool is_reported = false; /* once for all words of an access */
    for (uint32_t word = first; word <= last; word++) {
        const struct mark mark = {
            lanes.stretch, lanes.instruction,
            who_is(thread_of(&lanes) + access->lane, bytes_of_word(access, word), strength)};
        if (access->is_read && !is_reported)
            is_reported |= read_word(warp, op, access, word, &mark);
        if (access->is_write)
            is_reported |= write_word(warp, op, access, word, &mark);
    }
}

void wl_shadow_set_quiet(struct wl_shadow *shadow, uint32_t index, uint32_t warps)
{
    const struct mark writer = mark_at(shadow, WL_SHADOW_WRITER, index);
    const uint32_t by = warp_of(&writer), stretch = index / QUIET_STRETCH_WORDS;
    if (!writer.stretch || by != shadow->behind.by || writer.stretch != shadow->behind.stretch) {
        shadow->behind.by = by;
        shadow->behind.stretch = writer.stretch;
        shadow->behind.warps = 0;
        for (uint32_t i = 0; i < warps; i++)
            shadow->behind.warps |= (uint32_t)is_behind(shadow, i, &writer) << i;
    }
    *word_field(shadow, WL_SHADOW_QUIET, index) = shadow->behind.warps;
    shadow->has_quiet[stretch / 64] |= 1ull << stretch % 64;
}

/* A lane's read. True if further lanes' of the same bytes tell nothing new. */
static bool read_lane(struct wl_warp *warp, const struct wl_op *op, uint32_t offset, uint32_t bytes,
                      const struct mark *mine)
{
    struct wl_shadow *shadow = warp->cta->shadow;
    const uint32_t index = offset / 4;
    if (offset % 4 + bytes <= 4 && index < shadow->word_count) {
        const struct mark writer = mark_at(shadow, WL_SHADOW_WRITER, index);
        const uint8_t mine_bytes = bytes_of(mine);
        /* it was last written before the warp's present stretch, by no copy */
        const bool is_settled = is_behind(shadow, warp->index, &writer) &&
                                has_written(shadow, index, mine_bytes) && is_awaited(shadow, index);
        if (is_settled && is_crowded(shadow, index, mine_bytes)) {
            if (mine_bytes == 0xf)
                wl_shadow_set_quiet(shadow, index, warp->cta->warp_count);
            return true;
        }
        if (is_known_read(shadow, warp, op, index, mine))
            return true;
        if (is_settled) {
            const struct mark first = mark_at(shadow, WL_SHADOW_READER, index);
            const bool is_second =
                warp_of(&first) != warp->index && !is_behind(shadow, warp->index, &first);
            add_mark(shadow, is_second ? WL_SHADOW_SECOND : WL_SHADOW_READER, index, mine);
            if (is_second && mine_bytes == 0xf && is_crowded(shadow, index, 0xf))
                wl_shadow_set_quiet(shadow, index, warp->cta->warp_count);
            return true;
        }
    }
    const struct wl_shadow_access access = {
        .lane = thread_of(mine) % WL_LANES, .offset = offset, .bytes = bytes, .is_read = true};
    wl_shadow_access(warp, op, &access);
    return false;
}

/* Whether a word's reads tell nothing new. */
static bool is_quiet(const struct wl_shadow *shadow, uint32_t offset, uint32_t warp)
{
    return offset % 4 == 0 && offset / 4 < shadow->word_count &&
           *word_field(shadow, WL_SHADOW_QUIET, offset / 4) >> warp & 1;
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
        loud &= watch->find_loud(offset, shadow->words.column[WL_SHADOW_QUIET], shadow->word_count,
                                 1u << warp->index);
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
