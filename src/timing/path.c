#include "timing/path.h"

#include <math.h>

/* Cycles by which each further pass of an access delays its data: bench/gpu/model access.load
 * of 4 to 32 lines by one warp. */
#define PASS_LATENCY 2

static uint64_t latest(double a, uint64_t b)
{
    return a > (double)b ? (uint64_t)(a + 0.999) : b;
}

/* An access is served at start. Where the queue is full then, the first that came leaves next. */
static void enter(struct path_queue *queue, uint64_t start)
{
    queue->last = start > queue->last ? start : queue->last;
    queue->leaves[queue->count++ % PATH_QUEUE_MOST] = queue->last;
    if (queue->count >= queue->room && queue->room - 1 < PATH_QUEUE_MOST)
        queue->room_at = queue->leaves[(queue->count - queue->room) % PATH_QUEUE_MOST];
}

/* The access that came last is served later. */
static void stay(struct path_queue *queue, uint64_t start)
{
    queue->count--;
    enter(queue, start);
}

/* L1's pipe takes an access of so many passes; returns the cycle of the first. */
static uint64_t take_pipe(struct path_pipe *pipe, struct path_port *port, struct path_queue *queue,
                          uint64_t now, uint32_t passes)
{
    uint64_t start = latest(pipe->free, now);
    pipe->free = (pipe->free > (double)now ? pipe->free : (double)now) + passes;
    pipe->busy += passes;
    start = port->free > start ? port->free : start;
    port->free = start + queue->port_cycles;
    enter(queue, start);
    return start;
}

/* The load whose lines come first goes. */
static void end_flight(struct path *path)
{
    path->flight_weight -= path->flights[0].weight;
    path->flight_lines -= path->flights[0].lines;
    struct path_flight last = path->flights[--path->flight_count];
    uint32_t at = 0;
    for (uint32_t next = 1; next < path->flight_count; next = 2 * at + 1) {
        if (next + 1 < path->flight_count &&
            path->flights[next + 1].comes < path->flights[next].comes)
            next++;
        if (last.comes <= path->flights[next].comes)
            break;
        path->flights[at] = path->flights[next];
        at = next;
    }
    path->flights[at] = last;
}

/* As many loads as may be under way, and as many lines as L1 has: the next waits for the first of
 * them to come (bench/gpu/model pages, walk: 2 cycles a line where L1 has 28 KiB, however many
 * warps wait, and 1.6 where it has 124). */
static uint64_t wait_for_flight(struct path *path, const struct timing_model *model, uint64_t start,
                                uint32_t lines)
{
    while (path->flight_count && path->flights[0].comes <= start)
        end_flight(path);
    while (path->flight_count &&
           (path->flight_weight >= model->loads_in_flight || path->flight_count == PATH_FLIGHTS ||
            path->flight_lines + lines > model->l1_lines)) {
        uint64_t comes = path->flights[0].comes;
        start = comes > start ? comes : start;
        end_flight(path);
    }
    return start;
}

/* So much more of the room for loads under way does each further line take: bench/gpu/model
 * stalls, burst.16.miss.1_line and walk.32_lines: 340 loads of a line, 200 of 32. */
#define LINE_WEIGHT (0.7 / 31)

static void add_flight(struct path *path, uint64_t comes, uint32_t lines, uint32_t missed)
{
    struct path_flight flight = {comes, 1 + (lines - 1) * LINE_WEIGHT, missed};
    uint32_t at = path->flight_count++;
    for (; at && path->flights[(at - 1) / 2].comes > comes; at = (at - 1) / 2)
        path->flights[at] = path->flights[(at - 1) / 2];
    path->flights[at] = flight;
    path->flight_weight += flight.weight;
    path->flight_lines += missed;
}

/* What an access asks of L1. */
struct asked {
    uint32_t passes;
    uint32_t absent; /* lines that L1 makes room for */
    bool is_aside;   /* its data are still to come */
};

/* An access to global memory waits in its queue until L1 looks up its lines. If it
 * finds them all, the access waits for the pipe, in its turn; a load whose data are still to come
 * waits aside. Returns the cycle of the first pass; *looked_at: when it was looked up. */
static uint64_t look_up(struct path *path, struct path_pipe *pipe, const struct timing_model *model,
                        struct path_port *port, struct path_queue *queue, uint64_t now,
                        const struct asked *asked, uint64_t *looked_at)
{
    uint64_t *port_free = pipe == &path->texture ? &port->texture_free : &port->free;
    uint64_t from = latest(pipe->tags_free, *port_free > now ? *port_free : now);
    if (asked->is_aside)
        from = wait_for_flight(path, model, from, asked->absent);
    else if (pipe->looked.room_at > from)
        from = pipe->looked.room_at;
    pipe->tags_free = (double)from + (asked->is_aside ? 1 : asked->passes * model->look_up_cycles);
    *port_free = from + queue->port_cycles;
    *looked_at = from;
    enter(queue, from);
    uint64_t start = latest(pipe->free, from);
    pipe->free = (pipe->free > (double)from ? pipe->free : (double)from) + asked->passes;
    pipe->busy += asked->passes;
    if (!asked->is_aside)
        enter(&pipe->looked, start);
    return start;
}

/* A server that serves one after another: returns when it is done with what came at `from`. */
static double serve(double *server, double from, double cycles)
{
    *server = (*server > from ? *server : from) + cycles;
    return *server;
}

/* The recent past of device memory, in cycles; and its load at most: beyond, the server's own queue
 * says what a request waits. */
#define RECENT 2000.0
#define LOAD_MOST 0.95

/* What was noted of the recent past grows old. */
static void note_recent(struct path *path, double from)
{
    if (from <= path->device_seen)
        return;
    double kept = exp(-(from - path->device_seen) / RECENT);
    path->device_load *= kept;
    path->device_writing *= kept;
    path->device_seen = from;
}

/* Device memory turns between reading and writing: by so much longer it takes for either, as it was
 * used in the recent past (bench/gpu/model stream.copy takes 6 to 8 % more than stream.read and
 * stream.write, of which L2 keeps a part). */
static double turning(struct path *path, const struct timing_model *model, double from)
{
    note_recent(path, from);
    double all = path->device_load + path->device_writing;
    if (all <= 0)
        return 1;
    return 1 + model->dram_turning * 4 * path->device_load * path->device_writing / (all * all);
}

/* Cycles by which requests delay each other in device memory at its present load: they do not come
 * evenly (bench/gpu/model loaded). */
static double crowding(struct path *path, const struct timing_model *model, double from,
                       double service)
{
    note_recent(path, from);
    path->device_load += service / RECENT;
    double load = path->device_load < LOAD_MOST ? path->device_load : LOAD_MOST;
    return model->dram_crowding * load / (1 - load);
}

/* Of the time at most; beyond, the server's own queue says what a request waits. */
#define WRITING_MOST 0.6

/* While device memory writes it brings nothing nearer that it reads: by so much it takes longer
 * (bench/gpu/model rows, rows_copy less rows_read, 16 warps of an SM or 64). */
static double stretch(const struct path *path)
{
    return 1 / (1 - fmin(path->device_writing, WRITING_MOST));
}

/* Of a hundred requests the last is none of the model's: a page that was not touched for long. */
#define CHANCE_MOST 0.99

/* Cycles until device memory has answered from so many places. It answers at once at the least;
 * beyond that, requests meet banks that are busy, rows that are closed and the far half of the GPU
 * as chance has it (bench/gpu/model contention, spread.device: nearly exponential). */
static double device_latency(const struct path *path, const struct timing_model *model,
                             double places)
{
    double share = pow(path->chance, 1 / fmax(places, 1));
    double more = model->dram_latency - model->dram_least_latency;
    return model->dram_least_latency - more * log(1 - fmin(share, CHANCE_MOST));
}

/* How many of a load's sectors L2 has not: as it was recorded; where another load was the first to
 * ask in the recording, as of the one before it; where nothing was recorded, as of the launch. */
static void note_share(struct path *path, const struct wl_trace_access *access)
{
    double device = wl_trace_device(access);
    if (access->missed && device >= 0)
        path->device_share = device;
}

static double absent_sectors(const struct path *path, const struct timing_model *model,
                             uint32_t sectors)
{
    if (model->device_scale <= 0)
        return sectors * model->l2_merged * model->l2_miss_ratio;
    return sectors * path->device_share * model->device_scale;
}

/* Sectors that L1 has not: from L2, some of them from device memory. */
static uint64_t fetch(struct path *path, const struct timing_model *model, uint64_t from,
                      const struct wl_trace_access *access)
{
    uint32_t sectors = access->missed;
    double merged = sectors * model->l2_merged;
    double l2 = serve(&path->l2_free, (double)from, merged * model->l2_sector_cycles);
    double there = l2 - model->l2_sector_cycles * merged + model->l2_latency;
    if (there < l2)
        there = l2;
    if (access->note & WL_TRACE_FAR)
        there += model->far_cycles;
    path->missed_debt += absent_sectors(path, model, sectors);
    double missed = floor(path->missed_debt);
    path->missed_debt -= missed;
    bool is_recorded = model->device_scale > 0 && model->is_whole_trace;
    double waits_for = is_recorded ? sectors * path->device_share : missed;
    if (missed + waits_for <= 0)
        return (uint64_t)there;
    /* they come into L2 the way that stores take */
    double fill = missed * model->l2_fill_cycles;
    double filled = serve(&path->l2_fill_free, (double)from, fill) - fill;
    double service = missed * model->dram_bytes_per_missed * model->dram_byte_cycles *
                     turning(path, model, (double)from);
    double device = serve(&path->device_free, (double)from, service) - service;
    device += crowding(path, model, (double)from, service);
    if (waits_for > 0) {
        double places = wl_trace_places(access, sectors) * fmin(waits_for / sectors, 1);
        double latency = device_latency(path, model, places);
        there = fmax(there, filled + latency);
        there = fmax(there, device + latency * stretch(path));
    }
    return (uint64_t)there;
}

static uint64_t load(struct path *path, const struct timing_model *model, uint32_t changes,
                     struct path_port *port, struct path_queue *queue, uint64_t comes,
                     struct wl_trace_access access, uint64_t now, bool is_texture)
{
    struct path_pipe *pipe = is_texture ? &path->texture : &path->l1;
    uint32_t passes = access.lines ? access.lines : 1;
    note_share(path, &access);
    if (changes & WL_TIMING_COALESCED && access.sectors) {
        uint32_t ideal = access.sectors_ideal ? access.sectors_ideal : 1;
        uint32_t lines = (ideal + 3) / 4;
        passes = lines < passes ? lines : passes;
        access.missed = (access.missed * ideal + access.sectors - 1) / access.sectors;
    }
    if (changes & WL_TIMING_L1_HITS)
        access.missed = 0;
    uint32_t latency = model->kinds[is_texture ? WL_MACHINE_TEXTURE : WL_MACHINE_LOAD].latency;
    uint64_t looked_at = latest(pipe->tags_free, now);
    struct asked asked = {.passes = passes,
                          .absent = access.missed < passes ? access.missed : passes,
                          .is_aside = access.missed || comes > looked_at + latency};
    uint64_t start = look_up(path, pipe, model, port, queue, now, &asked, &looked_at);
    uint64_t there = start + (uint64_t)(passes - 1) * PASS_LATENCY + latency;
    there = comes > there ? comes : there;
    if (access.missed) {
        uint64_t fetched = fetch(path, model, looked_at, &access);
        pipe->free += access.missed * model->fill_cycles;
        pipe->busy += access.missed * model->fill_cycles;
        there = fetched > there ? fetched : there;
    }
    if (asked.is_aside)
        add_flight(path, there, passes, asked.absent);
    return there;
}

/* Sectors of stores that are on their way to L2 when it takes no more of them: bench/gpu/model
 * contention, short_write of 16 bytes, where 44 of 64 warps of an SM wait to leave theirs. */
#define STORES_MOST 96

/* Cycles for which a store keeps busy what takes it in L2, and the way there. */
struct stored {
    double l2_cycles, fill_cycles;
};

/* Sectors of which a part is written, one of each such line at least: those at the ends of what is
 * stored are half full, as chance has it; where words are far apart all are. */
static double partial_sectors(const struct wl_trace_access *access, uint32_t sectors,
                              uint32_t partial)
{
    double spread = 2 * ((double)sectors - fmin(access->sectors_ideal, sectors));
    return partial ? fmin(fmax(spread, partial), sectors) : 0;
}

/* Of the lines some are written in part: L2 looks up one after another and masks one sector after
 * another, whichever is more (bench/gpu/model rows, strides.32_bytes, .64_bytes and .128_bytes:
 * 12.7, 22 and 24 lines of 4, 2 and 1 sectors a cycle), and what sectors lack comes the way that
 * they came. Where device memory is read meanwhile it takes such lines one by one, and nothing else
 * comes that way (rows_in_place.*.all_by_a_sector). */
static struct stored weigh(const struct path *path, const struct timing_model *model,
                           uint32_t changes, const struct wl_trace_access *access, uint32_t sectors,
                           uint32_t lines)
{
    uint32_t partial = access->missed < lines ? access->missed : lines;
    partial = changes & WL_TIMING_COALESCED ? 0 : partial;
    /* lines of one piece of device memory meet in one slice of L2 */
    uint32_t pieces = access->note;
    pieces = pieces && pieces < lines ? pieces : lines;
    double crowd = ((double)lines / pieces - 1) / (WL_TRACE_PIECE_LINES - 1);
    double line = model->l2_write_line_cycles + fmin(crowd, 1) * model->l2_write_crowded_cycles;
    double in_part = path->is_one_by_one ? partial : partial_sectors(access, sectors, partial);
    double by_lines = fmax(partial * line, in_part * model->l2_write_part_cycles);
    double l2_cycles = (sectors - in_part) * model->l2_write_cycles + by_lines;
    double fill_cycles = path->is_one_by_one
                             ? (sectors - in_part) * model->l2_fill_cycles + by_lines
                             : sectors * (1 + model->filled_share) * model->l2_fill_cycles;
    return (struct stored){l2_cycles, fill_cycles};
}

/* Returns the cycle at which the data have left. */
static uint64_t store(struct path *path, const struct timing_model *model, uint32_t changes,
                      struct path_port *port, struct path_queue *queue,
                      struct wl_trace_access access, uint64_t now)
{
    uint32_t sectors = access.sectors, lines = access.lines ? access.lines : 1;
    if (changes & WL_TIMING_COALESCED && access.sectors_ideal) {
        sectors = access.sectors_ideal;
        lines = (sectors + 3) / 4 < lines ? (sectors + 3) / 4 : lines;
    }
    uint32_t passes = lines > 1 ? (uint32_t)(lines * model->store_line_cycles) : 1;
    struct asked asked = {.passes = passes};
    uint64_t start = look_up(path, &path->l1, model, port, queue, now, &asked, &now);
    struct stored stored = weigh(path, model, changes, &access, sectors, lines);
    double cycles = stored.l2_cycles;
    /* it keeps its place before the pipe until so much else has left */
    double behind = path->l2_write_free - cycles / (sectors ? sectors : 1) * STORES_MOST;
    uint64_t leaves = latest(behind, start + passes);
    stay(&path->l1.looked, leaves);
    serve(&path->l2_write_free, (double)start, cycles);
    serve(&path->l2_fill_free, (double)start, stored.fill_cycles);
    double service = sectors * model->dram_bytes_per_written * model->dram_byte_cycles *
                     turning(path, model, (double)start);
    serve(&path->device_free, (double)start, service);
    path->device_writing += service / RECENT;
    return leaves;
}

static uint64_t atomic(struct path *path, const struct timing_model *model, uint32_t changes,
                       struct path_port *port, struct path_queue *queue,
                       struct wl_trace_access access, uint64_t now, uint32_t latency)
{
    if (changes & WL_TIMING_SPREAD_ATOMICS && access.missed)
        access.sectors = access.missed;
    uint32_t sectors = access.sectors ? access.sectors : 1;
    uint32_t repeats = access.lines ? sectors / access.lines : sectors;
    double each = repeats > 4 ? 2 : model->atomic_cycles;
    uint32_t passes = (uint32_t)(sectors * each + 0.5);
    struct asked asked = {.passes = passes ? passes : 1};
    uint64_t start = look_up(path, &path->l1, model, port, queue, now, &asked, &now);
    double updated =
        serve(&path->atomic_free, (double)start, sectors * model->atomic_sector_cycles);
    return latest(updated, start + passes) + latency;
}

/* Cycles by which each further address of a load of constants delays its data, if the SM does
 * nothing else: bench/gpu/model contention, constant_chain. */
#define CONSTANT_LATENCY 11

/* Constants: one address after another, those of several warps in turn. */
static uint64_t load_constants(struct path *path, const struct timing_model *model,
                               struct path_port *port, struct path_queue *queue, uint32_t addresses,
                               uint64_t now, uint32_t latency)
{
    uint64_t sent = port->free > now ? port->free : now;
    port->free = sent + queue->port_cycles;
    double read =
        serve(&path->constant_free, (double)sent, addresses * model->constant_address_cycles);
    path->constant_busy += addresses * model->constant_address_cycles;
    enter(queue, (uint64_t)(read - addresses * model->constant_address_cycles));
    return latest(read, sent + (addresses - 1) * CONSTANT_LATENCY) + latency;
}

/* Changes that make the access another one; more than that may be said. */
static uint32_t changes_of(const struct wl_trace_access *access, uint8_t kind)
{
    if (kind == WL_MACHINE_CONSTANT)
        return access->lines > 1 ? WL_TIMING_ONE_CONSTANT : 0;
    if (access->is_shared)
        return access->wavefronts != access->wavefronts_ideal ? WL_TIMING_NO_BANK_CONFLICTS : 0;
    if (kind == WL_MACHINE_ATOMIC || kind == WL_MACHINE_REDUCTION)
        return access->missed && access->missed < access->sectors ? WL_TIMING_SPREAD_ATOMICS : 0;
    bool is_store = kind == WL_MACHINE_STORE;
    bool is_ideal = access->sectors == access->sectors_ideal &&
                    access->lines <= (access->sectors_ideal + 3u) / 4 &&
                    !(is_store && access->missed);
    bool is_hit = is_store || !access->missed;
    return (is_ideal ? 0 : WL_TIMING_COALESCED) | (is_hit ? 0 : WL_TIMING_L1_HITS);
}

/* Cycles by which copies in bulk come later than loads would: bench/gpu/model modern, bulk and
 * tensor of up to 4 KiB, 323 to 357 cycles up to the end of the wait on an H200, where a load of L2
 * takes 287. */
#define BULK_LATENCY 40

/* A copy in bulk: the warp sends it, the rest is between L2 and shared memory. */
static uint64_t copy_bulk(struct path *path, const struct timing_model *model,
                          struct path_port *port, struct path_queue *queue, uint32_t word,
                          uint64_t now)
{
    const struct wl_trace_access access = {.missed = wl_trace_bulk_sectors(word)};
    const double sectors = access.missed;
    const uint64_t start = take_pipe(&path->l1, port, queue, now, 1);
    if (wl_trace_bulk_is_store(word)) {
        serve(&path->l2_fill_free, (double)start, sectors * model->l2_fill_cycles);
        double service = sectors * model->dram_bytes_per_written * model->dram_byte_cycles *
                         turning(path, model, (double)start);
        serve(&path->device_free, (double)start, service);
        path->device_writing += service / RECENT;
        return latest(serve(&path->l2_write_free, (double)start, sectors * model->l2_write_cycles),
                      start);
    }
    path->l1.free += sectors * model->fill_cycles;
    path->l1.busy += sectors * model->fill_cycles;
    return fetch(path, model, start, &access) + BULK_LATENCY;
}

uint64_t path_access(struct path *path, const struct timing_model *model, uint32_t changes,
                     uint8_t kind, struct path_port *port, uint64_t comes, uint32_t word,
                     uint64_t now)
{
    struct wl_trace_access access = wl_trace_unpack(word);
    uint32_t latency = model->kinds[kind].latency;
    struct path_queue *queue = &port->queues[model->kinds[kind].queue];
    if (kind == WL_MACHINE_BULK)
        return copy_bulk(path, model, port, queue, word, now);
    path->met |= word ? changes_of(&access, kind) : 0;
    if (kind == WL_MACHINE_CONSTANT)
        return load_constants(
            path, model, port, queue,
            access.lines && !(changes & WL_TIMING_ONE_CONSTANT) ? access.lines : 1, now, latency);
    if (!word)
        return take_pipe(&path->l1, port, queue, now, 1) + latency;
    if (access.is_shared) {
        uint32_t wavefronts =
            changes & WL_TIMING_NO_BANK_CONFLICTS ? access.wavefronts_ideal : access.wavefronts;
        wavefronts = wavefronts ? wavefronts : 1;
        uint64_t start = take_pipe(&path->l1, port, queue, now, wavefronts);
        if (kind == WL_MACHINE_LOAD) /* a generic address */
            latency = model->kinds[WL_MACHINE_SHARED_LOAD].latency;
        return start + (uint64_t)(wavefronts - 1) * PASS_LATENCY + latency;
    }
    switch (kind) {
    case WL_MACHINE_STORE:
        return store(path, model, changes, port, queue, access, now);
    case WL_MACHINE_ATOMIC:
    case WL_MACHINE_REDUCTION:
        return atomic(path, model, changes, port, queue, access, now, latency);
    default:
        return load(path, model, changes, port, queue, comes, access, now,
                    kind == WL_MACHINE_TEXTURE && model->has_texture_pipe);
    }
}
