/* How a block's shadow lies in memory. Internal to sim/shadow*.c. */
#ifndef WL_SIM_SHADOW_STATE_H
#define WL_SIM_SHADOW_STATE_H

#include "sim/shadow.h"
#include "sim/shadow_columns.h"

/* An access of a word: when (stretch of its warp; 0: none), where, who. */
struct mark {
    uint32_t stretch, instruction, who;
};

static inline uint32_t who_is(uint32_t thread, uint32_t bytes, uint32_t strength)
{
    return thread | bytes << WL_SHADOW_BYTES_SHIFT | strength << WL_SHADOW_STRENGTH_SHIFT;
}

static inline uint32_t thread_of(const struct mark *mark)
{
    return mark->who & 0xffff;
}

static inline uint32_t warp_of(const struct mark *mark)
{
    return thread_of(mark) / WL_LANES;
}

/* Of the word. */
static inline uint8_t bytes_of(const struct mark *mark)
{
    return mark->who >> WL_SHADOW_BYTES_SHIFT & 0xf;
}

/* enum wl_shadow_strength */
static inline uint8_t strength_of(const struct mark *mark)
{
    return (uint8_t)(mark->who >> WL_SHADOW_STRENGTH_SHIFT);
}

struct clock {
    uint32_t stretch[WL_SHADOW_WARPS]; /* of each warp: the last that is over for the owner */
};

#define PLACES 64

/* Only the quiet bits of stretches of words that have some are cleared. */
#define QUIET_STRETCH_WORDS 64

struct wl_shadow {
    uint32_t word_count, serial;
    uint32_t set_count;
    uint64_t *has_quiet; /* sets of bits, one for each stretch of words; behind the columns */
    struct wl_shadow_columns words;
    struct {
        uint32_t by, stretch, warps;      /* by bit: those behind that stretch of that warp */
    } behind;                             /* what was last found out; stretch 0: nothing */
    struct clock signals;                 /* what was given away by atomics */
    struct clock seen[WL_SHADOW_WARPS];   /* and of the warp itself: all but the present stretch */
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
    _Alignas(64) uint32_t memory[];    /* of the columns */
};

static inline uint32_t *word_field(const struct wl_shadow *shadow, enum wl_shadow_column column,
                                   uint32_t index)
{
    return &shadow->words.column[column][index];
}

/* of: WL_SHADOW_WRITER, WL_SHADOW_READER or WL_SHADOW_SECOND */
static inline struct mark mark_at(const struct wl_shadow *shadow, enum wl_shadow_column of,
                                  uint32_t index)
{
    return (struct mark){*word_field(shadow, of, index), *word_field(shadow, of + 1, index),
                         *word_field(shadow, of + 2, index)};
}

static inline void set_mark(struct wl_shadow *shadow, enum wl_shadow_column of, uint32_t index,
                            const struct mark *mark)
{
    *word_field(shadow, of, index) = mark->stretch;
    *word_field(shadow, of + 1, index) = mark->instruction;
    *word_field(shadow, of + 2, index) = mark->who;
}

/* Of the warp's first lane, none of the bytes. */
static inline struct mark mark_of(const struct wl_warp *warp, const struct wl_op *op)
{
    return (struct mark){
        .stretch = warp->cta->shadow->own[warp->index],
        .instruction = op->instruction,
        .who = who_is(warp->index * WL_LANES, 0, wl_shadow_strength(warp, op, false))};
}

/* What the executor's functions that look at words ask of the warp. */
static inline struct wl_shadow_view view_of(const struct wl_warp *warp)
{
    const struct wl_shadow *shadow = warp->cta->shadow;
    return (struct wl_shadow_view){.words = &shadow->words,
                                   .seen = shadow->seen[warp->index].stretch,
                                   .known = shadow->known.stretch,
                                   .awaited = shadow->awaited,
                                   .warp = warp->index,
                                   .own = shadow->own[warp->index],
                                   .serial = shadow->serial};
}

/* From now on no read of the word tells anything new, of warps behind whose writer they are. */
void wl_shadow_set_quiet(struct wl_shadow *shadow, uint32_t index, uint32_t warps);

#endif
