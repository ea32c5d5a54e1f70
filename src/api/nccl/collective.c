/* What ranks ask for, done by the host as soon as all that take part are there. */
#include <string.h>

#include "api/nccl/clique.h"

/* ---- reductions ---- */

/* A rank's elements, as its operation takes them: in place. */
static void prepare(const struct wl_nccl_request *request, int ranks, void *elements, size_t count)
{
    uint64_t inverse;
    if (request->operation >= WL_NCCL_FIRST_OWN)
        wl_nccl_multiply(request->type, elements,
                         request->own.is_on_device ? request->own.place : &request->own.factor,
                         count);
    else if (request->operation == WL_NCCL_AVERAGE &&
             wl_nccl_inverse(request->type, ranks, &inverse))
        wl_nccl_multiply(request->type, elements, &inverse, count);
}

/* The reduction of all ranks' sources, of count elements each. */
static void reduce(const struct wl_nccl_clique *clique, const struct wl_nccl_request *each,
                   size_t count, char *to)
{
    const size_t bytes = wl_nccl_type_bytes(each->type) * count;
    char *next = wl_alloc_zero(bytes + 1, 1);
    for (int i = 0; i < clique->count; i++) {
        memcpy(i ? next : to, each[i].from, bytes);
        prepare(&each[i], clique->count, i ? next : to, count);
        if (i)
            wl_nccl_combine(each->type, each->operation, to, next, count);
    }
    if (each->operation == WL_NCCL_AVERAGE)
        wl_nccl_divide(each->type, to, clique->count, count);
    free(next);
}

/* ---- collectives ---- */

/* What each kind of collective moves: of how many parts (of count elements) the common data is, and
 * whether a rank gets all of it, or its part. */
static const struct {
    bool is_reduced, is_from_all, is_from_root; /* where the data is from */
    bool is_in_parts, gets_all, gets_only_root;
} rows[] = {
    [ALL_REDUCE] = {.is_reduced = true, .gets_all = true},
    [REDUCE] = {.is_reduced = true, .gets_all = true, .gets_only_root = true},
    [BROADCAST] = {.is_from_root = true, .gets_all = true},
    [ALL_GATHER] = {.is_from_all = true, .is_in_parts = true, .gets_all = true},
    [REDUCE_SCATTER] = {.is_reduced = true, .is_in_parts = true},
    [GATHER] = {.is_from_all = true, .is_in_parts = true, .gets_all = true, .gets_only_root = true},
    [SCATTER] = {.is_from_root = true, .is_in_parts = true},
    [ALL_TO_ALL] = {.is_in_parts = true},
};

static void run_all_to_all(const struct wl_nccl_clique *clique, const struct wl_nccl_request *each)
{
    const size_t part = each->count * wl_nccl_type_bytes(each->type);
    const size_t ranks = (size_t)clique->count;
    char *all = wl_alloc_zero(part * ranks * ranks + 1, 1);
    for (size_t i = 0; i < ranks; i++)
        memcpy(all + i * part * ranks, each[i].from, part * ranks);
    for (size_t i = 0; i < ranks; i++)
        for (size_t k = 0; k < ranks; k++)
            memcpy((char *)each[k].to + i * part, all + (i * ranks + k) * part, part);
    free(all);
}

static void run(const struct wl_nccl_clique *clique, const struct wl_nccl_request *each)
{
    const size_t part = each->count * wl_nccl_type_bytes(each->type);
    const size_t parts = rows[each->kind].is_in_parts ? (size_t)clique->count : 1;
    if (each->kind == ALL_TO_ALL) {
        run_all_to_all(clique, each);
        return;
    }
    char *data = wl_alloc_zero(part * parts + 1, 1);
    if (rows[each->kind].is_reduced)
        reduce(clique, each, each->count * parts, data);
    if (rows[each->kind].is_from_root)
        memcpy(data, each[each->root].from, part * parts);
    for (size_t i = 0; rows[each->kind].is_from_all && i < parts; i++)
        memcpy(data + i * part, each[i].from, part);
    for (int i = 0; i < clique->count; i++) {
        if (rows[each->kind].gets_only_root && i != each->root)
            continue;
        if (rows[each->kind].gets_all)
            memcpy(each[i].to, data, part * parts);
        else
            memcpy(each[i].to, data + (size_t)i * part, part);
    }
    free(data);
}

static void take_out(struct wl_nccl_rank *rank, size_t at)
{
    rank->waiting.count--;
    memmove(rank->waiting.items + at, rank->waiting.items + at + 1,
            (rank->waiting.count - at) * sizeof *rank->waiting.items);
}

/* The first collective of a rank: all ranks have theirs in the same order. */
static size_t find_collective(const struct wl_nccl_rank *rank)
{
    size_t i = 0;
    while (i < rank->waiting.count && rank->waiting.items[i].kind >= SEND)
        i++;
    return i;
}

/* The first send or receive of a rank to another one before its next collective. */
static size_t find_message(const struct wl_nccl_rank *rank, enum wl_nccl_kind kind, int other)
{
    for (size_t i = 0; i < rank->waiting.count && rank->waiting.items[i].kind >= SEND; i++)
        if (rank->waiting.items[i].kind == kind && rank->waiting.items[i].root == other)
            return i;
    return rank->waiting.count;
}

static bool pass_message(struct wl_nccl_clique *clique)
{
    for (int a = 0; a < clique->count; a++) {
        for (int b = 0; b < clique->count; b++) {
            struct wl_nccl_rank *from = clique->ranks[a], *to = clique->ranks[b];
            size_t sent = from ? find_message(from, SEND, b) : 0;
            size_t got = to ? find_message(to, RECEIVE, a) : 0;
            if (!from || !to || sent == from->waiting.count || got == to->waiting.count)
                continue;
            const struct wl_nccl_request *send = &from->waiting.items[sent],
                                         *receive = &to->waiting.items[got];
            memmove(receive->to, send->from, send->count * wl_nccl_type_bytes(send->type));
            take_out(from, sent);
            if (from == to && got > sent)
                got--;
            take_out(to, got);
            return true;
        }
    }
    return false;
}

/* Does the collective that all ranks wait for; false: there is none. */
static bool run_collective(struct wl_nccl_clique *clique)
{
    struct wl_nccl_request each[WL_NCCL_RANKS_MOST];
    for (int i = 0; i < clique->count; i++) {
        const struct wl_nccl_rank *rank = clique->ranks[i];
        const size_t at = rank ? find_collective(rank) : 0;
        if (!rank || at == rank->waiting.count)
            return false;
        each[i] = rank->waiting.items[at];
    }
    run(clique, each);
    for (int i = 0; i < clique->count; i++)
        take_out(clique->ranks[i], find_collective(clique->ranks[i]));
    return true;
}

void wl_nccl_progress(struct wl_nccl_clique *clique)
{
    while (run_collective(clique) || pass_message(clique))
        ;
    wl_nccl_tell_changed();
}
