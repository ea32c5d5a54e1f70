/* Counts loads of a group (sim/group.h) when the first of them is executed: their addresses lie to
 * each other as the offsets in the code do, so that lines which several of them touch are looked up
 * in L1 once. */
#include "sim/group.h"
#include "sim/exec/part.h"

enum {
    TOGETHER = 8, /* groups whose sets of L1 are asked for together */
    TOGETHER_LINES = (TOGETHER + 1) * WL_GROUP_LINES, /* a group's has room for as many */
};

/* A line of the group while it is counted. */
struct place {
    u64 line;
    struct wl_l1_set *set;
    u32 way;
};

/* Adds what the load does to the lines. first: its first lane's address; base: the line of the
 * group's. False: it is more than there is room for. */
static bool add_load(struct wl_group_lines *lines, u32 load, const struct wl_line_set *set,
                     u64 first, u64 base)
{
    u32 asked = 0;
    for (u32 k = 0; k < set->count; k++) {
        const s64 line = (s64)((first >> 7) + (u64)set->line[k] - base);
        u32 at = 0;
        while (at < lines->line_count && lines->line[at] != line)
            at++;
        if (at == WL_GROUP_LINES || lines->touch_count == WL_GROUP_TOUCHES)
            return false;
        lines->line[at] = line;
        if (at == lines->line_count) {
            lines->line_count++;
            lines->sectors[at] = 0;
        }
        lines->sectors[at] |= (uint8_t)set->sectors[k];
        lines->touches[lines->touch_count].line = (uint8_t)at;
        lines->touches[lines->touch_count].sectors = (uint8_t)set->sectors[k];
        lines->touches[lines->touch_count++].load = (uint8_t)load;
        asked += (u32)__builtin_popcount(set->sectors[k]);
    }
    lines->loads[load].lines = set->count;
    lines->loads[load].sectors = set->sectors_total;
    lines->loads[load].sectors_ideal = set->sectors_ideal;
    lines->loads[load].bytes = set->bytes;
    lines->loads[load].sectors_asked = asked;
    return true;
}

/* Puts the lines into the order in which they are touched last. */
static void sort_lines(struct wl_group_lines *lines)
{
    const struct wl_group_lines before = *lines;
    u32 place[WL_GROUP_LINES], next = lines->line_count, seen = 0;
    for (u32 i = lines->touch_count; i-- > 0;) {
        const u32 line = lines->touches[i].line;
        if (seen >> line & 1)
            continue;
        seen |= 1u << line;
        place[line] = --next;
        lines->line[next] = before.line[line];
        lines->sectors[next] = before.sectors[line];
    }
    for (u32 i = 0; i < lines->touch_count; i++)
        lines->touches[i].line = (uint8_t)place[before.touches[i].line];
}

/* Only such a touch may miss, if no line is pushed out of L1 meanwhile. */
static void find_fresh(struct wl_group_lines *lines)
{
    u32 asked[WL_GROUP_LINES] = {0};
    for (u32 i = 0; i < lines->touch_count; i++) {
        const u32 line = lines->touches[i].line, sectors = lines->touches[i].sectors;
        if (sectors & ~asked[line])
            lines->fresh[lines->fresh_count++] = (uint8_t)i;
        asked[line] |= sectors;
    }
}

/* How far from lane 0's address the lowest one of a load lies, and how many bytes from there on it
 * reaches. */
struct span {
    s64 low;
    u64 bytes;
};

static struct span part_span(u32 active, u32 bytes)
{
    const u32 lane = (u32)__builtin_ctz(active), last = 31 - (u32)__builtin_clz(active);
    return (struct span){(s64)(lane * bytes), (last - lane + 1) * bytes};
}

/* What a site knows of its lines while its first lane is at that address. NULL: not enough, or not
 * what the group's first site knows. */
static const struct wl_line_set *known_lines(const struct wl_site_state *site,
                                             const struct wl_site_state *leader, u32 bytes,
                                             u64 first)
{
    const struct wl_line_set *set = &site->sets[(first >> 5) % WL_LINE_SETS];
    if (!site->has_pattern || !site->is_regular || first & (bytes - 1) ||
        set->phase != line_phase(site, first) ||
        !wl_reach_holds(site->range_start, site->range_end, first + (u64)site->low, site->span) ||
        memcmp(site->delta, leader->delta, sizeof site->delta) != 0)
        return NULL;
    return set;
}

/* The same of a load whose lanes are partly off. first: lane 0's address, or what it would be. set:
 * where to compute it. */
static const struct wl_line_set *part_lines(struct wl_warp *warp, const struct wl_op *op, u64 first,
                                            const struct span *span, struct wl_line_set *set)
{
    struct wl_site_state *site = &warp->worker->sites[op->site];
    const u32 bytes = op->width_bytes;
    if (!has_parts(op) || first & (bytes - 1) ||
        !wl_reach_holds(site->range_start, site->range_end, first + (u64)span->low, span->bytes))
        return NULL;
    struct access access; /* of which is read what is set here */
    access.warp = warp;
    access.op = op;
    access.bytes = bytes;
    access.kind = WL_SITE_LOAD;
    fill_part_set(&access, first, set);
    return set;
}

/* Learns what the loads do where the first lies now. */
static bool fill_lines(struct wl_load_group *group, struct wl_group_lines *lines,
                       struct wl_warp *warp, const struct wl_op *op, u64 first)
{
    const s64 offset = op->imm;
    const bool is_part = warp->is_masked;
    u64 most = UINT64_MAX;
    wl_group_settle(group, lines);
    *lines = (struct wl_group_lines){.least = 0};
    for (u32 i = 0; i < group->load_count; op++) {
        if (op->code != WL_OP_LOAD_GLOBAL)
            continue;
        const struct wl_site_state *site = group->sites[i];
        const u64 shift = (u64)(op->imm - offset), here = first + shift;
        const struct span span = is_part ? part_span(warp->active, op->width_bytes)
                                         : (struct span){site->low, site->span};
        struct wl_line_set own;
        const struct wl_line_set *set =
            is_part ? part_lines(warp, op, here, &span, &own)
                    : known_lines(site, group->sites[0], (u32)op->width_bytes * op->count, here);
        if (!set)
            return false;
        const u64 low = site->range_start - (u64)span.low - shift,
                  high = site->range_end - span.bytes - (u64)span.low - shift;
        if (first < low || first > high) /* these wrapped */
            return false;
        lines->least = low > lines->least ? low : lines->least;
        most = high < most ? high : most;
        if (!add_load(lines, i++, set, here, first >> 7)) {
            *lines = (struct wl_group_lines){.line_count = 0};
            break;
        }
    }
    if (lines->line_count) {
        sort_lines(lines);
        find_fresh(lines);
    }
    lines->room = most - lines->least;
    lines->phase = (u32)(first & 127) + 1;
    return true;
}

/* A group whose lines are known. */
struct ready {
    struct wl_load_group *group;
    struct wl_group_lines *lines;
    u64 base; /* line of the first lane */
};

/* Adds the group's lines; returns how many there are then. */
static inline u32 add_lines(const struct ready *ready, u64 *line, u32 count)
{
    for (u32 i = 0; i < WL_GROUP_LINES; i++)
        line[count + i] = ready->base + (u64)ready->lines->line[i];
    return count + ready->lines->line_count;
}

/* Where the lines are in L1, if all that the loads ask of them is there. sets: theirs. missing:
 * those that have no place, a bit each. */
static inline bool find_places(const struct wl_l1 *l1, const struct ready *ready, const u32 *sets,
                               struct place *places, u32 *missing)
{
    const struct wl_group_lines *lines = ready->lines;
    u32 absent = 0;
    *missing = 0;
    for (u32 i = 0; i < lines->line_count; i++) {
        const u64 line = ready->base + (u64)lines->line[i];
        struct wl_l1_set *set = &l1->sets[sets[i]];
        const u32 match = wl_l1_match(set, (u32)line);
        const u32 way = match ? (u32)__builtin_ctz(match) : 0;
        places[i] = (struct place){line, set, way};
        absent |= match ? lines->sectors[i] & ~(u32)set->sectors[way] : 1;
        *missing |= (u32)!match << i;
    }
    return !absent;
}

/* Makes it the last line of L1. */
static inline void touch_place(struct wl_l1 *l1, const struct place *place)
{
    wl_l1_touch(place->set, place->way);
    l1->last_line = place->line;
    l1->last_set = place->set;
    l1->last_way = place->way;
}

/* One touch after the other, as touch_line does them; places of lines that were not there are
 * guesses. */
static void touch_each(struct wl_warp *warp, const struct wl_op *op, struct wl_l1 *l1,
                       const struct wl_load_group *group, const struct wl_group_lines *lines,
                       struct place *places)
{
    struct access access; /* of which is read what the queue and requests are about */
    access.warp = warp;
    access.op = op;
    for (u32 i = 0; i < lines->touch_count; i++) {
        struct place *place = &places[lines->touches[i].line];
        const u32 sectors = lines->touches[i].sectors;
        if (!(place->set->present >> place->way & 1) ||
            place->set->tags[place->way] != (u32)place->line) {
            wl_l1_look_up_in(l1, place->set, place->line);
            place->way = l1->last_way;
        }
        touch_place(l1, place);
        uint8_t *valid = &place->set->sectors[place->way];
        const u32 missed = sectors & ~(u32)*valid, fetched = wl_l1_fetched(l1, missed);
        const u32 time = serve_line(&access, (u32)__builtin_popcount(fetched));
        if (!missed)
            continue;
        *valid = (uint8_t)(*valid | fetched);
        wl_l1_set_arrival(l1, (warp->sm->queue_end >> 8) + warp->worker->run->miss_latency);
        push_request(&access, place->line, fetched, 0, WL_L2_READ, time);
        struct wl_site_state *site = group->sites[lines->touches[i].load];
        site->misses += (u32)__builtin_popcount(missed);
        site->hits -= (u32)__builtin_popcount(missed);
    }
}

/* Whether no line that gets a place now may push out another one of the group. Most groups' sets
 * differ in their numbers' last bits already. */
static inline bool are_apart(const struct wl_l1 *l1, const struct place *places, u32 count,
                             u32 missing)
{
    u64 seen = 0;
    for (u32 i = 0; i < count; i++)
        seen |= 1ull << ((u32)(places[i].set - l1->sets) & 63);
    if ((u32)__builtin_popcountll(seen) == count)
        return true;
    u32 together = 0;
    for (u32 left = missing; left; left &= left - 1) {
        const u32 line = (u32)__builtin_ctz(left);
        for (u32 i = 0; i < count; i++)
            together |= (u32)(places[i].set == places[line].set) << i & ~(1u << line);
    }
    return !together;
}

/* The same as touch_each where the lines are apart: touches that are not fresh only take time, and
 * sets keep the order in which their lines were touched last. */
static void touch_fresh(struct wl_warp *warp, struct wl_l1 *l1, struct wl_group_lines *lines,
                        struct place *places, u32 missing)
{
    struct wl_sm *sm = warp->sm;
    const struct wl_run *run = warp->worker->run;
    const u64 now = wl_warp_time(warp) << 8, sector_cost = run->sector_cost;
    u64 queue_end = sm->queue_end > now ? sm->queue_end : now;
    u32 passed = 0;
    while (sm->request_capacity - sm->request_count < lines->fresh_count)
        wl_sm_grow_trace(sm);
    for (u32 i = 0; i < lines->fresh_count; i++) {
        const u32 at = lines->fresh[i], line = lines->touches[at].line;
        struct place *place = &places[line];
        if (missing >> line & 1) {
            wl_l1_allocate(l1, place->set, place->line);
            place->way = l1->last_way;
            missing &= ~(1u << line);
        }
        uint8_t *valid = &place->set->sectors[place->way];
        const u32 missed = lines->touches[at].sectors & ~(u32)*valid;
        if (!missed)
            continue;
        const u32 fetched = wl_l1_fetched(l1, missed);
        const u64 cost = (u32)__builtin_popcount(fetched) * sector_cost;
        queue_end += 256ull * (at - passed) + (cost > 256 ? cost : 256);
        passed = at + 1;
        const u64 time = queue_end >> 8;
        *valid = (uint8_t)(*valid | fetched);
        place->set->arrivals[place->way] = wl_l1_arrival_unit(time + run->miss_latency);
        sm->requests[sm->request_count++] =
            wl_l2_request_make(place->line, fetched, WL_L2_READ | sm->request_mark, 0,
                               (u32)(time < sm->epoch_start ? sm->epoch_start : time));
        lines->missed[i] += (u32)__builtin_popcount(missed);
    }
    sm->queue_end = queue_end + 256ull * (lines->touch_count - passed);
    for (u32 i = 0; i < lines->line_count; i++)
        touch_place(l1, &places[i]);
}

/* Whether the lines are those of this place. They are learnt anew when it is asked for twice in a
 * row: places that alternate cost no more than to look. */
static inline bool are_known(struct wl_load_group *group, struct wl_group_lines *lines,
                             struct wl_warp *warp, const struct wl_op *op, u64 first)
{
    const u32 phase = (u32)(first & 127) + 1;
    if (__builtin_expect(lines->phase == phase && first - lines->least <= lines->room, 1)) {
        lines->other_phase = 0;
        return lines->line_count > 0;
    }
    const bool is_again = lines->other_phase == phase;
    lines->other_phase = phase;
    return is_again && fill_lines(group, lines, warp, op, first) && lines->line_count;
}

/* Whether the lines of the group that the load leads are known. */
static inline bool make_ready(struct wl_warp *warp, const struct wl_op *op, u64 first,
                              struct ready *ready)
{
    struct wl_load_group *group = warp->worker->sites[op->site].group;
    if (!group)
        group = wl_group_of(warp->worker, op);
    struct wl_group_lines *lines =
        warp->is_masked ? wl_group_part_lines(group, warp->active) : group->lines;
    if (!lines)
        return false;
    lines += (first >> 4) % WL_GROUP_PHASES;
    *ready = (struct ready){group, lines, first >> 7};
    return are_known(group, lines, warp, op, first);
}

/* Counts the group. sets: of its lines. */
static inline void count_ready(struct wl_warp *warp, const struct wl_op *op, struct wl_l1 *l1,
                               const struct ready *ready, const u32 *sets)
{
    struct wl_sm *sm = warp->sm;
    struct wl_group_lines *lines = ready->lines;
    struct place places[WL_GROUP_LINES];
    u32 missing;
    if (find_places(l1, ready, sets, places, &missing)) {
        const u64 now = wl_warp_time(warp) << 8;
        for (u32 i = 0; i < lines->line_count; i++)
            touch_place(l1, &places[i]);
        sm->queue_end = (sm->queue_end > now ? sm->queue_end : now) + 256ull * lines->touch_count;
    } else if (are_apart(l1, places, lines->line_count, missing)) {
        touch_fresh(warp, l1, lines, places, missing);
    } else {
        touch_each(warp, op, l1, ready->group, lines, places);
    }
    lines->executions++;
}

/* The cache that the load asks. NULL: it keeps no loads. */
static inline struct wl_l1 *keeping_cache(const struct wl_warp *warp, const struct wl_op *op)
{
    struct wl_sm *sm = warp->sm;
    struct wl_l1 *l1 = op->flags & WL_OPF_NONCOHERENT && sm->readonly ? sm->readonly : sm->l1;
    return l1->caches_loads ? l1 : NULL;
}

bool WL_EXEC(count_group)(struct wl_warp *warp, const struct wl_op *op, u64 first)
{
    struct ready ready;
    struct wl_l1 *l1 = keeping_cache(warp, op);
    u64 line[WL_GROUP_LINES];
    u32 sets[WL_GROUP_LINES];
    if (!l1 || !make_ready(warp, op, first, &ready))
        return false;
    wl_l1_find_set_numbers(l1, line, add_lines(&ready, line, 0), sets);
    count_ready(warp, op, l1, &ready, sets);
    warp->counted_ahead = op->slot - 1u;
    return true;
}

u32 WL_EXEC(count_groups)(struct wl_warp *warp, const struct wl_counted *counted, u32 i,
                          bool *alone)
{
    struct ready ready[TOGETHER];
    const struct wl_op *ops[TOGETHER];
    u64 line[TOGETHER_LINES];
    u32 sets[TOGETHER_LINES], groups = 0, lines = 0;
    struct wl_l1 *l1 = keeping_cache(warp, &counted->ops[counted->at[i]]);
    *alone = !l1;
    if (!l1)
        return counted->count - i;
    while (i < counted->count && groups < TOGETHER) {
        const struct wl_op *op = &counted->ops[counted->at[i]];
        const u64 first = counted->addresses[counted->slot_of[counted->at[i]]] + (u64)op->imm;
        if (op->code != WL_OP_LOAD_GLOBAL || !op->slot || keeping_cache(warp, op) != l1)
            break;
        *alone = !make_ready(warp, op, first, &ready[groups]);
        if (*alone)
            break;
        ops[groups] = op;
        i += op->slot;
        lines = add_lines(&ready[groups++], line, lines);
    }
    wl_l1_find_set_numbers(l1, line, lines, sets);
    for (u32 k = 0; k < lines; k++) {
        __builtin_prefetch(&l1->sets[sets[k]], 1);
        __builtin_prefetch(&l1->sets[sets[k]].order, 1);
    }
    lines = 0;
    for (u32 k = 0; k < groups; k++) {
        count_ready(warp, ops[k], l1, &ready[k], &sets[lines]);
        lines += ready[k].lines->line_count;
    }
    const u32 beyond = i > counted->count ? i - counted->count : 0;
    warp->counted_ahead = beyond;
    return counted->count - (i - beyond);
}
