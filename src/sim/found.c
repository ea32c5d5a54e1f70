#include "sim/found.h"
#include "sim/reach.h"

#include <inttypes.h>
#include <string.h>

/* What every thread has for its stack (cudaLimitStackSize): beyond it the GPU stops the kernel. */
#define STACK_BYTES 1024

void wl_found(struct wl_warp *warp, const struct wl_op *op, uint32_t lane,
              struct wl_finding *finding)
{
    const struct wl_run *run = warp->worker->run;
    finding->instruction = op->instruction;
    finding->count = 1;
    memcpy(finding->block, warp->cta->id, sizeof finding->block);
    for (int axis = 0; axis < 3; axis++)
        finding->thread[axis] = run->thread_index[warp->index][axis][lane];
    wl_findings_add(&warp->sm->findings, finding);
    if (run->options->stop_at_finding && wl_finding_rows[finding->kind].is_error &&
        warp->status != WL_WARP_FAULT) {
        const struct wl_op *pc = warp->pc;
        wl_warp_fault(warp, op, WL_SIM_FAULT_ILLEGAL_ADDRESS, "stopped at the first error", "%s",
                      wl_finding_rows[finding->kind].code);
        warp->pc = pc;
    }
}

/* Whether the instruction has been found with that before, which counts these lanes with it: what
 * else they would tell is not kept. */
static bool found_again(struct wl_warp *warp, const struct wl_op *op, enum wl_finding_kind kind,
                        uint32_t lanes)
{
    struct wl_finding *known = wl_findings_find(&warp->sm->findings, kind, op->instruction);
    if (!known || warp->worker->run->options->stop_at_finding)
        return false;
    known->count += (uint32_t)__builtin_popcount(lanes);
    return true;
}

static size_t search(const struct wl_sim_range *ranges, size_t count, uint64_t address)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (ranges[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* In the memory that kernels allocate from. */
static struct wl_finding_place place_in_heap(const struct wl_heap *heap, uint64_t address)
{
    struct wl_heap_block block = wl_heap_nearest(heap, address);
    struct wl_finding_place place = {
        .start = block.start, .size_bytes = block.size_bytes, .is_in_heap = true};
    uint64_t end = block.start + block.size_bytes;
    place.where = address < block.start ? WL_PLACE_BEFORE
                  : address >= end      ? WL_PLACE_AFTER
                  : block.is_freed      ? WL_PLACE_FREED
                                        : WL_PLACE_ACROSS;
    place.distance_bytes = address < block.start ? block.start - address
                           : address >= end      ? address - end
                                                 : 0;
    return place;
}

struct wl_finding_place wl_found_place(const struct wl_run *run, uint64_t address, uint32_t bytes)
{
    const struct wl_sim_launch *launch = run->launch;
    if (run->heap && wl_heap_has(run->heap, address, 1))
        return place_in_heap(run->heap, address);
    struct wl_finding_place place = {0};
    const struct wl_sim_range *ranges = launch->ranges;
    size_t next = search(ranges, launch->range_count, address);
    if (next < launch->range_count && ranges[next].start <= address)
        return (struct wl_finding_place){.where = WL_PLACE_ACROSS,
                                         .start = ranges[next].start,
                                         .size_bytes = ranges[next].end - ranges[next].start};
    for (size_t i = launch->freed_count; i-- > 0;)
        if (launch->freed[i].start <= address && address < launch->freed[i].end)
            return (struct wl_finding_place){.where = WL_PLACE_FREED,
                                             .start = launch->freed[i].start,
                                             .size_bytes =
                                                 launch->freed[i].end - launch->freed[i].start};
    if (next > 0) {
        const struct wl_sim_range *range = &ranges[next - 1];
        place = (struct wl_finding_place){.where = WL_PLACE_AFTER,
                                          .start = range->start,
                                          .size_bytes = range->end - range->start,
                                          .distance_bytes = address - range->end};
    }
    if (next < launch->range_count) {
        const struct wl_sim_range *range = &ranges[next];
        uint64_t distance = range->start - address;
        if (place.where == WL_PLACE_NONE || distance < place.distance_bytes ||
            distance < bytes) /* it reaches into the next */
            place = (struct wl_finding_place){.where = WL_PLACE_BEFORE,
                                              .start = range->start,
                                              .size_bytes = range->end - range->start,
                                              .distance_bytes = distance};
    }
    return place;
}

static bool is_page_mapped(const struct wl_run *run, uint64_t address, uint64_t bytes)
{
    const struct wl_sim_launch *launch = run->launch;
    if (run->heap && wl_heap_has(run->heap, address, bytes))
        return true;
    size_t at = search(launch->pages, launch->page_count, address);
    return at < launch->page_count &&
           wl_reach_holds(launch->pages[at].start, launch->pages[at].end, address, bytes);
}

#define NULL_BYTES 65536 /* as near to address 0, a null pointer was meant */
#define FAR_BYTES (1ull << 40)

/* Why the address may be in no allocation: which one is near says something of near ones only. */
static void print_missed(const struct wl_finding_place *place, uint64_t address,
                         struct wl_text *out)
{
    if (!address) {
        wl_text_add(out, "it is a null pointer");
    } else if (address < NULL_BYTES) {
        wl_finding_print_bytes(address, out);
        wl_text_add(out, " behind a null pointer");
    } else if (-address < NULL_BYTES) {
        wl_finding_print_bytes(-address, out);
        wl_text_add(out, " before a null pointer");
    } else if (place->where != WL_PLACE_NONE && place->distance_bytes >= FAR_BYTES) {
        wl_text_add(out, "far from all there are, as pointers to the host's own memory and those "
                         "that were never set are");
    } else {
        wl_finding_print_place(place, out);
    }
}

static bool fault_outside(struct wl_warp *warp, const struct wl_op *op, uint32_t lane,
                          uint64_t address, uint32_t bytes)
{
    struct wl_finding_place place = wl_found_place(warp->worker->run, address, bytes);
    struct wl_text text = {0};
    print_missed(&place, address, &text);
    warp->active = (uint32_t)1 << lane;
    wl_warp_fault(warp, op, WL_SIM_FAULT_ILLEGAL_ADDRESS, "illegal memory access",
                  "0x%" PRIx64 " (%" PRIu32 " byte%s) is in no allocation: %s", address, bytes,
                  bytes == 1 ? "" : "s", text.data);
    wl_text_free(&text);
    return false;
}

bool wl_found_outside(struct wl_warp *warp, const struct wl_op *op, const uint64_t *address,
                      uint32_t bytes, enum wl_site_access access, uint32_t lanes)
{
    const struct wl_run *run = warp->worker->run;
    for (uint32_t left = lanes & warp->active; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        if (!is_page_mapped(run, address[lane], bytes))
            return fault_outside(warp, op, lane, address[lane], bytes);
    }
    for (uint32_t left = lanes & warp->active; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        if (found_again(warp, op, WL_FINDING_GLOBAL_BOUNDS, left))
            break;
        struct wl_finding finding = {.kind = WL_FINDING_GLOBAL_BOUNDS,
                                     .space = WL_SITE_GLOBAL,
                                     .access = access,
                                     .address = address[lane],
                                     .bytes = bytes,
                                     .place = wl_found_place(run, address[lane], bytes)};
        wl_found(warp, op, lane, &finding);
    }
    return warp->status != WL_WARP_FAULT;
}

void wl_found_no_constant(struct wl_warp *warp, const struct wl_op *op, uint32_t lane,
                          uint64_t address, uint32_t bytes)
{
    if (found_again(warp, op, WL_FINDING_GLOBAL_BOUNDS, (uint32_t)1 << lane))
        return;
    struct wl_finding finding = {.kind = WL_FINDING_GLOBAL_BOUNDS,
                                 .space = WL_SITE_GLOBAL,
                                 .access = WL_SITE_LOAD,
                                 .address = address,
                                 .bytes = bytes,
                                 .is_constant = true,
                                 .place = wl_found_place(warp->worker->run, address, bytes)};
    if (finding.place.distance_bytes >= FAR_BYTES)
        finding.place = (struct wl_finding_place){.where = WL_PLACE_NONE};
    wl_found(warp, op, lane, &finding);
}

/* Offsets are what addresses have below the local window's bits, which may have wrapped. */
static int64_t signed_offset(uint64_t offset)
{
    const uint64_t sign = ~WL_WINDOW_MASK / 2 + 1;
    return (int64_t)((offset & ~WL_WINDOW_MASK) ^ sign) - (int64_t)sign;
}

bool wl_found_beyond_local(struct wl_warp *warp, const struct wl_op *op, const uint64_t *offset,
                           uint32_t bytes, enum wl_site_access access, uint32_t lanes)
{
    const uint32_t local_bytes = warp->worker->run->program->local_bytes;
    for (uint32_t left = lanes & warp->active; left; left &= left - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(left);
        if (wl_reach_holds(0, STACK_BYTES, offset[lane], bytes)) {
            if (found_again(warp, op, WL_FINDING_LOCAL_BOUNDS, (uint32_t)1 << lane))
                continue;
            struct wl_finding finding = {.kind = WL_FINDING_LOCAL_BOUNDS,
                                         .space = WL_SITE_LOCAL,
                                         .access = access,
                                         .address = offset[lane],
                                         .bytes = bytes};
            wl_found(warp, op, lane, &finding);
            continue;
        }
        warp->active = (uint32_t)1 << lane;
        wl_warp_fault(warp, op, WL_SIM_FAULT_ILLEGAL_ADDRESS, "illegal memory access",
                      "local offset %" PRId64 " (%" PRIu32 " bytes) is %s the thread's %" PRIu32
                      " bytes",
                      signed_offset(offset[lane]), bytes,
                      signed_offset(offset[lane]) < 0 ? "before" : "beyond", local_bytes);
        return false;
    }
    return warp->status != WL_WARP_FAULT;
}
