#include "sim/race_global.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "sim/found.h"
#include "sim/shadow.h"

#define PAGE_WORDS 1024
#define PAGES_MAX 8192 /* of 64 KiB: 512 MiB, which watch 32 MiB of global memory */
#define SLOTS (PAGES_MAX * 2)
#define RECORDS_MAX (1u << 18) /* blocks that order themselves with others: 72 MiB */
#define RECORDS_CHUNK 256

/* An access of a word: when (stretch of its warp, 0: none; strong accesses of the launch so far),
 * who, where. */
struct mark {
    uint32_t stretch, time, block, instruction;
    uint16_t thread;
    uint8_t bytes;    /* of the word */
    uint8_t strength; /* enum wl_shadow_strength */
};

struct word {
    struct mark writer, readers[2]; /* the second: of another warp than the first */
};

/* What a block did to order itself with others. */
struct record {
    uint32_t fenced[WL_SHADOW_WARPS];    /* of each warp: the last stretch before a fence */
    uint32_t published[WL_SHADOW_WARPS]; /* what a strong write after that made visible */
    uint32_t acquired;                   /* time of the last strong read */
};

struct wl_race_global {
    uint32_t time, page_count, record_count;
    uint64_t chunk_count;
    bool is_reported; /* that there is no room for more */
    uint64_t keys[SLOTS];
    struct word *pages[SLOTS];
    struct record **chunks[];
};

struct wl_race_global *wl_race_global_begin(uint64_t block_total)
{
    const uint64_t chunks = (block_total + RECORDS_CHUNK - 1) / RECORDS_CHUNK;
    struct wl_race_global *races =
        wl_alloc_zero(1, sizeof *races + chunks * sizeof races->chunks[0]);
    races->chunk_count = chunks;
    races->time = 1;
    return races;
}

void wl_race_global_free(struct wl_race_global *races)
{
    if (!races)
        return;
    for (uint32_t i = 0; i < SLOTS; i++)
        free(races->pages[i]);
    for (uint64_t i = 0; i < races->chunk_count; i++) {
        for (uint32_t k = 0; races->chunks[i] && k < RECORDS_CHUNK; k++)
            free(races->chunks[i][k]);
        free(races->chunks[i]);
    }
    free(races);
}

/* ---- words and records ---- */

/* NULL: there is no room. */
static struct word *word_at(struct wl_race_global *races, uint64_t number)
{
    const uint64_t key = number / PAGE_WORDS + 1;
    uint32_t slot = (uint32_t)(key * 0x9e3779b97f4a7c15ull >> 40) % SLOTS;
    while (races->keys[slot] && races->keys[slot] != key)
        slot = (slot + 1) % SLOTS;
    if (!races->keys[slot]) {
        if (races->page_count == PAGES_MAX)
            return NULL;
        races->page_count++;
        races->keys[slot] = key;
        races->pages[slot] = wl_alloc_zero(PAGE_WORDS, sizeof(struct word));
    }
    return &races->pages[slot][number % PAGE_WORDS];
}

static struct record *find_record(const struct wl_race_global *races, uint64_t block)
{
    struct record **chunk = races->chunks[block / RECORDS_CHUNK];
    return chunk ? chunk[block % RECORDS_CHUNK] : NULL;
}

/* NULL: there is no room. */
static struct record *own_record(struct wl_race_global *races, uint64_t block)
{
    struct record ***chunk = &races->chunks[block / RECORDS_CHUNK];
    if (!*chunk)
        *chunk = wl_alloc_zero(RECORDS_CHUNK, sizeof **chunk);
    struct record **record = &(*chunk)[block % RECORDS_CHUNK];
    if (!*record && races->record_count < RECORDS_MAX) {
        races->record_count++;
        *record = wl_alloc_zero(1, sizeof **record);
    }
    return *record;
}

/* ---- order ---- */

void wl_race_global_fence(struct wl_warp *warp)
{
    struct wl_race_global *races = warp->worker->run->races;
    struct record *record = races ? own_record(races, warp->cta->linear) : NULL;
    if (record)
        wl_shadow_add_fenced(warp, record->fenced);
}

void wl_race_global_strong(struct wl_warp *warp, const struct wl_op *op, bool is_read,
                           bool is_write)
{
    struct wl_race_global *races = warp->worker->run->races;
    struct record *record = races ? own_record(races, warp->cta->linear) : NULL;
    if (!record)
        return;
    if (races->time < UINT32_MAX)
        races->time++;
    if (is_read)
        record->acquired = races->time;
    if (is_write && op->spare & WL_ORDER_RELEASE)
        wl_shadow_add_seen(warp, record->fenced);
    if (is_write)
        memcpy(record->published, record->fenced, sizeof record->published);
}

static bool is_ordered(const struct wl_warp *warp, const struct mark *mark)
{
    const struct wl_race_global *races = warp->worker->run->races;
    const uint32_t other = mark->thread / WL_LANES;
    if (mark->block == (uint32_t)warp->cta->linear)
        return other == warp->index || wl_shadow_has_seen(warp, other, mark->stretch);
    if (races->record_count == RECORDS_MAX || races->time == UINT32_MAX)
        return true; /* no longer known */
    const struct record *theirs = find_record(races, mark->block);
    const struct record *mine = find_record(races, warp->cta->linear);
    return theirs && mine && theirs->published[other] >= mark->stretch &&
           mine->acquired > mark->time;
}

static bool races_with(const struct wl_warp *warp, const struct mark *mark, const struct mark *mine)
{
    return mark->stretch && mark->bytes & mine->bytes &&
           !wl_shadow_are_strong(mark->strength, mine->strength) && !is_ordered(warp, mark);
}

/* ---- accesses ---- */

static void report(struct wl_warp *warp, const struct wl_op *op,
                   const struct wl_race_access *access, const struct mark *other, bool after_read)
{
    const struct wl_run *run = warp->worker->run;
    const uint32_t *grid = run->launch->grid;
    const bool is_between = other->block != (uint32_t)warp->cta->linear;
    struct wl_finding finding = {.kind = is_between          ? WL_FINDING_RACE_BLOCKS
                                         : after_read        ? WL_FINDING_RACE_AFTER_READ
                                         : !access->is_write ? WL_FINDING_RACE_READ
                                                             : WL_FINDING_RACE_AFTER_WRITE,
                                 .space = WL_SITE_GLOBAL,
                                 .access = access->is_write ? WL_SITE_STORE : WL_SITE_LOAD,
                                 .address = access->address,
                                 .bytes = access->bytes,
                                 .place = wl_found_place(run, access->address, 1),
                                 .other_instruction = other->instruction,
                                 .other_block = {other->block % grid[0],
                                                 other->block / grid[0] % grid[1],
                                                 other->block / grid[0] / grid[1]},
                                 .is_after_read = after_read};
    for (int axis = 0; axis < 3; axis++)
        finding.other_thread[axis] =
            run->thread_index[other->thread / WL_LANES][axis][other->thread % WL_LANES];
    wl_found(warp, op, access->lane, &finding);
}

/* Whether the write leaves memory as it is. */
static bool keeps_value(const struct wl_warp *warp, const struct wl_race_access *access)
{
    struct wl_site_state site = {0};
    return access->values && access->bytes <= sizeof access->values[0] &&
           wl_run_find_range(warp->worker->run, &site, access->address, access->bytes) &&
           memcmp((const void *)(uintptr_t)access->address, &access->values[access->lane],
                  access->bytes) == 0;
}

/* True if something was reported. */
static bool read_word(struct wl_warp *warp, const struct wl_op *op,
                      const struct wl_race_access *access, struct word *word,
                      const struct mark *mine, bool is_silent)
{
    const bool is_race = !is_silent && races_with(warp, &word->writer, mine);
    const struct mark *first = &word->readers[0];
    const bool is_known =
        first->stretch && (first->block != mine->block || first->thread / WL_LANES != warp->index);
    if (is_race)
        report(warp, op, access, &word->writer, false);
    word->readers[is_known && !is_ordered(warp, first)] = *mine;
    return is_race;
}

static bool write_word(struct wl_warp *warp, const struct wl_op *op,
                       const struct wl_race_access *access, struct word *word,
                       const struct mark *mine, bool is_silent)
{
    const struct mark *other = NULL;
    bool after_read = false;
    if (!is_silent && races_with(warp, &word->writer, mine) && !keeps_value(warp, access))
        other = &word->writer;
    for (int i = 0; i < 2 && !other && !is_silent; i++)
        if (races_with(warp, &word->readers[i], mine) && !keeps_value(warp, access)) {
            other = &word->readers[i];
            after_read = true;
        }
    if (other)
        report(warp, op, access, other, after_read);
    word->writer = *mine;
    return other != NULL;
}

static void tell_limit(struct wl_warp *warp, const struct wl_op *op, uint32_t lane)
{
    struct wl_finding finding = {.kind = WL_FINDING_RACE_LIMIT,
                                 .number = PAGES_MAX / 1024 * PAGE_WORDS * 4 / 1024};
    if (!warp->worker->run->races->is_reported)
        wl_found(warp, op, lane, &finding);
    warp->worker->run->races->is_reported = true;
}

void wl_race_global_access(struct wl_warp *warp, const struct wl_op *op,
                           const struct wl_race_access *access)
{
    struct wl_race_global *races = warp->worker->run->races;
    const uint64_t end = access->address + access->bytes;
    struct mark mark = {.stretch = wl_shadow_stretch(warp),
                        .time = races->time,
                        .block = (uint32_t)warp->cta->linear,
                        .instruction = op->instruction,
                        .thread = (uint16_t)(warp->index * WL_LANES + access->lane),
                        .strength = wl_shadow_strength(warp, op, access->is_atomic)};
    bool is_reported = false; /* once for all words of an access */
    if (end <= access->address)
        return; /* a fault of its own */
    for (uint64_t number = access->address / 4; number <= (end - 1) / 4; number++) {
        struct word *word = word_at(races, number);
        if (!word) {
            tell_limit(warp, op, access->lane);
            return;
        }
        const uint64_t from = access->address > number * 4 ? access->address - number * 4 : 0;
        const uint64_t to = end - number * 4 < 4 ? end - number * 4 : 4;
        mark.bytes = (uint8_t)(((1u << to) - 1) & ~((1u << from) - 1));
        if (access->is_read && !access->is_atomic)
            is_reported |= read_word(warp, op, access, word, &mark, is_reported);
        if (access->is_write)
            is_reported |= write_word(warp, op, access, word, &mark, is_reported);
    }
}
