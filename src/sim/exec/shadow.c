/* Reads and writes of words of shared memory that lie side by side, while it is checked: what
 * sim/shadow.c does word by word. */
#include "sim/exec/lanes.h"
#include "sim/shadow_columns.h"

u32 WL_EXEC(find_told)(const struct wl_shadow_view *view, u32 index, u32 count, u32 *loud);
u32 WL_EXEC(mark_reads)(const struct wl_shadow_view *view, const struct wl_shadow_row *row,
                        u32 loud);
u32 WL_EXEC(mark_writes)(const struct wl_shadow_view *view, const struct wl_shadow_row *row);

#ifdef __AVX512F__
#include <immintrin.h>

/* Of each warp. */
struct table {
    __m512i low, high;
};

static inline struct table table_of(const u32 *stretch)
{
    return (struct table){_mm512_loadu_si512(stretch), _mm512_loadu_si512(stretch + 16)};
}

static inline __m512i look_up(struct table table, __m512i warps)
{
    return _mm512_permutex2var_epi32(table.low, warps, table.high);
}

static inline __m512i field(const struct wl_shadow_view *view, u32 column, u32 index)
{
    return _mm512_loadu_si512(view->words->column[column] + index);
}

static inline void set_field(const struct wl_shadow_view *view, u32 column, u32 index, u32 words,
                             __m512i value)
{
    _mm512_mask_storeu_epi32(view->words->column[column] + index, (__mmask16)words, value);
}

static inline __m512i all(u32 value)
{
    return _mm512_set1_epi32((int)value);
}

static inline __m512i warps_of(__m512i who)
{
    return _mm512_srli_epi32(_mm512_and_si512(who, all(0xffff)), 5);
}

static inline __m512i who_of(const struct wl_shadow_row *row)
{
    return _mm512_add_epi32(all(row->who), _mm512_loadu_si512(row->lanes));
}

/* Words whose mark lies behind the warp. */
static inline u32 find_behind(const struct wl_shadow_view *view, struct table seen, u32 mark,
                              u32 index)
{
    return _mm512_cmple_epu32_mask(field(view, mark, index),
                                   look_up(seen, warps_of(field(view, mark + 2, index))));
}

/* Words that no copy may still write. */
static inline u32 find_awaited(const struct wl_shadow_view *view, u32 index)
{
    const __m512i group = field(view, WL_SHADOW_GROUP, index);
    if (!_mm512_test_epi32_mask(group, group))
        return 0xffff;
    const __m512i by = warps_of(field(view, WL_SHADOW_WRITER + 2, index));
    return _mm512_cmple_epu32_mask(group, look_up(table_of(view->awaited), by));
}

u32 WL_EXEC(find_told)(const struct wl_shadow_view *view, u32 index, u32 count, u32 *loud)
{
    const u32 words = (1u << count) - 1;
    *loud =
        words & _mm512_testn_epi32_mask(field(view, WL_SHADOW_QUIET, index), all(1u << view->warp));
    if (!*loud)
        return 0;
    const u32 settled = find_behind(view, table_of(view->seen), WL_SHADOW_WRITER, index) &
                        _mm512_cmpeq_epi32_mask(field(view, WL_SHADOW_WRITTEN, index), all(0xf)) &
                        find_awaited(view, index);
    return *loud & ~settled;
}

/* Words whose reader no warp has seen, and who read them whole. */
static inline u32 find_unseen(struct table known, __m512i stretch, __m512i who, __m512i by)
{
    return _mm512_cmpgt_epu32_mask(stretch, look_up(known, by)) &
           _mm512_cmpeq_epi32_mask(_mm512_srli_epi32(who, WL_SHADOW_BYTES_SHIFT), all(0xf));
}

u32 WL_EXEC(mark_reads)(const struct wl_shadow_view *view, const struct wl_shadow_row *row,
                        u32 loud)
{
    const u32 index = row->index;
    const struct table known = table_of(view->known);
    const __m512i own = all(view->own), warp = all(view->warp);
    const __m512i instruction = _mm512_loadu_si512(row->instruction);
    const __m512i stretch = field(view, WL_SHADOW_READER, index),
                  who = field(view, WL_SHADOW_READER + 2, index), by = warps_of(who);
    const __m512i second = field(view, WL_SHADOW_SECOND, index),
                  second_who = field(view, WL_SHADOW_SECOND + 2, index),
                  second_by = warps_of(second_who);
    const u32 unseen = find_unseen(known, stretch, who, by);
    const u32 crowded = loud & unseen & find_unseen(known, second, second_who, second_by) &
                        _mm512_cmpneq_epi32_mask(by, second_by);
    const u32 mine = _mm512_cmpeq_epi32_mask(by, warp);
    const u32 again =
        mine & _mm512_cmpeq_epi32_mask(stretch, own) &
        _mm512_cmpeq_epi32_mask(field(view, WL_SHADOW_READER + 1, index), instruction) &
        _mm512_cmpeq_epi32_mask(_mm512_and_si512(who, all(WL_SHADOW_WHOLE)), all(WL_SHADOW_WHOLE));
    const u32 news = loud & ~crowded & ~again;
    const u32 behind = _mm512_cmple_epu32_mask(stretch, look_up(table_of(view->seen), by));
    const u32 seconds = news & ~mine & ~behind, firsts = news & ~seconds;
    const __m512i now = who_of(row);
    if (firsts) {
        set_field(view, WL_SHADOW_READER, index, firsts, own);
        set_field(view, WL_SHADOW_READER + 1, index, firsts, instruction);
        set_field(view, WL_SHADOW_READER + 2, index, firsts, now);
    }
    if (seconds) {
        set_field(view, WL_SHADOW_SECOND, index, seconds, own);
        set_field(view, WL_SHADOW_SECOND + 1, index, seconds, instruction);
        set_field(view, WL_SHADOW_SECOND + 2, index, seconds, now);
    }
    return crowded | (view->own > view->known[view->warp] ? seconds & unseen : 0);
}

u32 WL_EXEC(mark_writes)(const struct wl_shadow_view *view, const struct wl_shadow_row *row)
{
    const u32 index = row->index;
    const struct table seen = table_of(view->seen);
    const u32 serial = view->serial;
    const u32 words = ((1u << row->count) - 1) &
                      _mm512_cmpneq_epi32_mask(field(view, WL_SHADOW_SERIAL, index), all(serial)) &
                      find_behind(view, seen, WL_SHADOW_WRITER, index) &
                      find_behind(view, seen, WL_SHADOW_READER, index) &
                      find_behind(view, seen, WL_SHADOW_SECOND, index) & find_awaited(view, index);
    set_field(view, WL_SHADOW_WRITER, index, words, all(view->own));
    set_field(view, WL_SHADOW_WRITER + 1, index, words, _mm512_loadu_si512(row->instruction));
    set_field(view, WL_SHADOW_WRITER + 2, index, words, who_of(row));
    set_field(view, WL_SHADOW_WRITTEN, index, words, all(0xf));
    set_field(view, WL_SHADOW_SERIAL, index, words, all(serial));
    set_field(view, WL_SHADOW_GROUP, index, words, all(0));
    set_field(view, WL_SHADOW_QUIET, index, words, all(0));
    return ((1u << row->count) - 1) & ~words;
}

#else

static inline u32 field(const struct wl_shadow_view *view, u32 column, u32 index)
{
    return view->words->column[column][index];
}

static inline u32 warp_of(u32 who)
{
    return who % 0x10000 / WL_LANES;
}

static inline void set_mark(const struct wl_shadow_view *view, u32 mark,
                            const struct wl_shadow_row *row, u32 i)
{
    u32 *const *columns = view->words->column + mark;
    columns[0][row->index + i] = view->own;
    columns[1][row->index + i] = row->instruction[i];
    columns[2][row->index + i] = row->who + row->lanes[i];
}

static inline bool is_behind(const struct wl_shadow_view *view, u32 mark, u32 index)
{
    return field(view, mark, index) <= view->seen[warp_of(field(view, mark + 2, index))];
}

static inline bool is_awaited(const struct wl_shadow_view *view, u32 index)
{
    return field(view, WL_SHADOW_GROUP, index) <=
           view->awaited[warp_of(field(view, WL_SHADOW_WRITER + 2, index))];
}

static inline bool is_unseen(const struct wl_shadow_view *view, u32 mark, u32 index)
{
    const u32 who = field(view, mark + 2, index);
    return field(view, mark, index) > view->known[warp_of(who)] &&
           who >> WL_SHADOW_BYTES_SHIFT == 0xf;
}

u32 WL_EXEC(find_told)(const struct wl_shadow_view *view, u32 index, u32 count, u32 *loud)
{
    u32 told = 0;
    *loud = 0;
    for (u32 i = 0; i < count; i++) {
        const u32 word = index + i;
        if (field(view, WL_SHADOW_QUIET, word) >> view->warp & 1)
            continue;
        *loud |= 1u << i;
        told |= (u32) !(is_behind(view, WL_SHADOW_WRITER, word) && is_awaited(view, word) &&
                        field(view, WL_SHADOW_WRITTEN, word) == 0xf)
                << i;
    }
    return told;
}

u32 WL_EXEC(mark_reads)(const struct wl_shadow_view *view, const struct wl_shadow_row *row,
                        u32 loud)
{
    u32 quiet = 0;
    for (u32 left = loud; left; left &= left - 1) {
        const u32 i = (u32)__builtin_ctz(left), word = row->index + i;
        const u32 who = field(view, WL_SHADOW_READER + 2, word), by = warp_of(who);
        const bool is_unseen_one = is_unseen(view, WL_SHADOW_READER, word);
        if (is_unseen_one && is_unseen(view, WL_SHADOW_SECOND, word) &&
            by != warp_of(field(view, WL_SHADOW_SECOND + 2, word))) {
            quiet |= 1u << i;
            continue;
        }
        if (by == view->warp && field(view, WL_SHADOW_READER, word) == view->own &&
            field(view, WL_SHADOW_READER + 1, word) == row->instruction[i] &&
            (who & WL_SHADOW_WHOLE) == WL_SHADOW_WHOLE)
            continue;
        const bool is_second = by != view->warp && !is_behind(view, WL_SHADOW_READER, word);
        set_mark(view, is_second ? WL_SHADOW_SECOND : WL_SHADOW_READER, row, i);
        if (is_second && is_unseen_one && view->own > view->known[view->warp])
            quiet |= 1u << i;
    }
    return quiet;
}

u32 WL_EXEC(mark_writes)(const struct wl_shadow_view *view, const struct wl_shadow_row *row)
{
    u32 others = 0;
    for (u32 i = 0; i < row->count; i++) {
        const u32 word = row->index + i;
        if (field(view, WL_SHADOW_SERIAL, word) == view->serial ||
            !is_behind(view, WL_SHADOW_WRITER, word) || !is_behind(view, WL_SHADOW_READER, word) ||
            !is_behind(view, WL_SHADOW_SECOND, word) || !is_awaited(view, word)) {
            others |= 1u << i;
            continue;
        }
        set_mark(view, WL_SHADOW_WRITER, row, i);
        view->words->column[WL_SHADOW_WRITTEN][word] = 0xf;
        view->words->column[WL_SHADOW_SERIAL][word] = view->serial;
        view->words->column[WL_SHADOW_GROUP][word] = 0;
        view->words->column[WL_SHADOW_QUIET][word] = 0;
    }
    return others;
}

#endif
