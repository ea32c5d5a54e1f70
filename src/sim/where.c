/* Where the warps of a launch that goes on are. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/text.h"
#include "sim/state.h"

enum { SPOTS_MAX = 64, SPOTS_PRINTED = 3 };
#define NO_BARRIER UINT32_MAX

struct spot {
    uint32_t instruction, barrier;
    uint64_t warps;
};

struct spots {
    struct spot items[SPOTS_MAX];
    uint32_t count;
    uint64_t warps; /* all, those that found no place among items too */
};

/* Behind a test that failed the warp gives others their turn: it is still there. */
static const struct wl_op *op_of(const struct wl_warp *warp, const struct wl_program *program)
{
    if (warp->status == WL_WARP_AT_BARRIER || warp->status == WL_WARP_AT_CLUSTER)
        return warp->barrier_op;
    const struct wl_op *op = warp->pc;
    return op > program->ops && op[-1].code == WL_OP_BARRIER_OBJECT ? op - 1 : op;
}

static void add(struct spots *spots, const struct wl_warp *warp, const struct wl_program *program)
{
    const struct spot spot = {op_of(warp, program)->instruction,
                              warp->status == WL_WARP_AT_BARRIER ? warp->barrier : NO_BARRIER, 1};
    uint32_t i = 0;
    spots->warps++;
    while (i < spots->count && (spots->items[i].instruction != spot.instruction ||
                                spots->items[i].barrier != spot.barrier))
        i++;
    if (i < spots->count)
        spots->items[i].warps++;
    else if (i < SPOTS_MAX)
        spots->items[spots->count++] = spot;
}

static int compare(const void *a, const void *b)
{
    const struct spot *one = a, *other = b;
    if (one->warps != other->warps)
        return one->warps > other->warps ? -1 : 1;
    return one->instruction < other->instruction ? -1 : one->instruction > other->instruction;
}

static void print_spot(const struct spot *spot, const struct wl_program *program,
                       struct wl_text *out)
{
    const struct wl_program_instruction *instruction = &program->instructions[spot->instruction];
    wl_text_addf(out, "%" PRIu64 " warp%s ", spot->warps, spot->warps == 1 ? "" : "s");
    if (spot->barrier != NO_BARRIER)
        wl_text_addf(out, "%s at barrier %" PRIu32 " in ", spot->warps == 1 ? "waits" : "wait",
                     spot->barrier);
    else
        wl_text_add(out, spot->warps == 1 ? "is at " : "are at ");
    if (instruction->file)
        wl_finding_print_source(instruction, out);
    else
        wl_text_addf(out, "PTX line %" PRIu32, instruction->text_line);
    wl_text_addf(out, ", %s", instruction->opcode);
}

void wl_sim_where(const struct wl_sim_progress *progress, struct wl_text *out)
{
    struct spots spots = {.count = 0};
    const struct wl_run *run = progress->run;
    for (uint32_t i = 0; run && i < run->sm_count; i++)
        for (uint32_t c = 0; c < progress->sms[i].cta_count; c++) {
            const struct wl_cta *cta = &progress->sms[i].ctas[c];
            for (uint32_t w = 0; cta->is_live && w < cta->warp_count; w++)
                if (cta->warps[w].status != WL_WARP_DONE)
                    add(&spots, &cta->warps[w], run->program);
        }
    qsort(spots.items, spots.count, sizeof *spots.items, compare);
    for (uint32_t i = 0; i < spots.count && i < SPOTS_PRINTED; i++) {
        wl_text_add(out, i ? "; " : "");
        print_spot(&spots.items[i], run->program, out);
        spots.warps -= spots.items[i].warps;
    }
    if (spots.warps)
        wl_text_addf(out, "; %" PRIu64 " warps elsewhere", spots.warps);
}
