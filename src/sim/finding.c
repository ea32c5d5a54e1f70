#include "sim/finding.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/demangle.h"
#include "base/memory.h"

const struct wl_finding_row wl_finding_rows[WL_FINDING_KIND_COUNT] = {
    [WL_FINDING_GLOBAL_BOUNDS] = {"out-of-bounds", "memcheck",
                                  "a GPU may go on with other data: reads gave 0 here and writes "
                                  "were dropped",
                                  true},
    [WL_FINDING_SHARED_BOUNDS] = {"shared-out-of-bounds", "memcheck",
                                  "a GPU goes on with what is there: the next shared array", true},
    [WL_FINDING_LOCAL_BOUNDS] = {"local-out-of-bounds", "memcheck",
                                 "a GPU may go on with other data: reads gave 0 here and writes "
                                 "were dropped",
                                 true},
    [WL_FINDING_RACE_AFTER_WRITE] = {"race-write-after-write", "racecheck",
                                     "a barrier is missing between the two", true},
    [WL_FINDING_RACE_READ] = {"race-read-after-write", "racecheck",
                              "a barrier is missing between the two", true},
    [WL_FINDING_RACE_AFTER_READ] = {"race-write-after-read", "racecheck",
                                    "a barrier is missing between the two", true},
    [WL_FINDING_RACE_LANES] = {"race-within-instruction", "racecheck",
                               "which of the values stays is not defined", true},
    [WL_FINDING_RACE_WARP] = {"race-within-warp", "racecheck",
                              "a __syncwarp is missing between the two", false},
    [WL_FINDING_RACE_COPY] = {"race-with-copy", "racecheck",
                              "the copy is done when its group was waited for", true},
    [WL_FINDING_RACE_BLOCKS] = {"race-between-blocks", "racecheck",
                                "atomics, or a fence and a flag, order blocks within a launch",
                                true},
    [WL_FINDING_RACE_LIMIT] = {"race-limit", "racecheck",
                               "choose launches with less data, or a smaller problem", false},
    [WL_FINDING_UNWRITTEN] = {"uninitialised-read", "initcheck",
                              "what it holds on a GPU is whatever was there before", true},
    [WL_FINDING_BARRIER_DIVERGED] = {"diverged-barrier", "synccheck",
                                     "all threads of a warp must reach the same barrier together",
                                     true},
    [WL_FINDING_BARRIER_EXITED] = {"exited-barrier", "synccheck",
                                   "threads that returned early do not take part in the barrier",
                                   false},
    [WL_FINDING_BARRIER_ABSENT] = {"absent-barrier", "synccheck",
                                   "the others of the warp end without it, which lets the barrier "
                                   "pass; all threads are meant to reach it",
                                   false},
    [WL_FINDING_BARRIER_COUNT] = {"barrier-count", "synccheck",
                                  "a multiple of 32 threads, the same for all who use the barrier",
                                  true},
    [WL_FINDING_BARRIER_SHORT] = {"short-barrier", "synccheck",
                                  "as many threads as it is for must reach the barrier: it waits "
                                  "for ever, where others end instead",
                                  true},
    [WL_FINDING_BARRIER_LONELY] = {"lonely-arrival", "synccheck",
                                   "who arrives without waiting lets others go on: one of them has "
                                   "to wait at the same barrier",
                                   false},
    [WL_FINDING_OBJECT_COUNT] = {"barrier-object-count", "synccheck",
                                 "the count that it is initialised with must be that of the "
                                 "threads that arrive in each phase",
                                 true},
    [WL_FINDING_MASK_CALLER] = {"mask-without-caller", "synccheck",
                                "a lane must be in the mask that it gives", true},
    [WL_FINDING_MASK_ABSENT] = {"mask-of-absent-lanes", "synccheck",
                                "all lanes of the mask that have not returned must come", true},
    [WL_FINDING_SHUFFLE_ABSENT] = {"shuffle-from-absent-lane", "synccheck",
                                   "the value of a lane that does not take part is not defined",
                                   false},
};

struct wl_finding *wl_findings_find(const struct wl_findings *findings, enum wl_finding_kind kind,
                                    uint32_t instruction)
{
    for (size_t i = 0; i < findings->count; i++)
        if (findings->items[i].kind == kind && findings->items[i].instruction == instruction)
            return &findings->items[i];
    return NULL;
}

void wl_findings_add(struct wl_findings *findings, const struct wl_finding *finding)
{
    struct wl_finding *known = wl_findings_find(findings, finding->kind, finding->instruction);
    if (known)
        known->count += finding->count;
    else if (findings->count < WL_FINDINGS_MAX)
        WL_PUSH(findings, *finding);
    else if (wl_finding_rows[finding->kind].is_error)
        findings->errors_left_out += finding->count;
    else
        findings->warnings_left_out += finding->count;
}

void wl_findings_free(struct wl_findings *findings)
{
    free(findings->items);
    *findings = (struct wl_findings){0};
}

/* 1,024 */
static void print_number(uint64_t number, struct wl_text *out)
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%" PRIu64, number);
    for (int i = 0; i < length; i++) {
        wl_text_add_char(out, digits[i]);
        if (i + 1 < length && (length - 1 - i) % 3 == 0)
            wl_text_add_char(out, ',');
    }
}

void wl_finding_print_bytes(uint64_t bytes, struct wl_text *out)
{
    print_number(bytes, out);
    wl_text_add(out, bytes == 1 ? " byte" : " bytes");
}

/* Its name in the source, without the function. */
static void print_array(const struct wl_shared_array *array, struct wl_text *out)
{
    char *whole = array->name ? wl_demangle(array->name) : NULL;
    const char *name = whole ? whole : "of the launch's dynamic shared memory";
    for (const char *at = name; (at = strstr(at, "::")) != NULL;)
        name = at += 2;
    wl_text_add(out, name);
    free(whole);
}

void wl_finding_print_place(const struct wl_finding_place *place, struct wl_text *out)
{
    switch (place->where) {
    case WL_PLACE_NONE:
        wl_text_add(out, "while nothing is allocated");
        return;
    case WL_PLACE_FREED:
        wl_text_add(out, "in an allocation of ");
        wl_finding_print_bytes(place->size_bytes, out);
        wl_text_add(out, " that was freed,");
        break;
    case WL_PLACE_BEFORE:
        wl_finding_print_bytes(place->distance_bytes, out);
        wl_text_add(out, " before the ");
        break;
    case WL_PLACE_ACROSS:
        wl_text_add(out, "across the end of the ");
        break;
    case WL_PLACE_AFTER:
        if (place->distance_bytes) {
            wl_finding_print_bytes(place->distance_bytes, out);
            wl_text_add(out, " after the end of the ");
        } else {
            wl_text_add(out, "right behind the ");
        }
        break;
    }
    if (place->where != WL_PLACE_FREED) {
        print_number(place->size_bytes, out);
        wl_text_add(out, place->array      ? "-byte array "
                         : place->variable ? "-byte variable "
                                           : "-byte allocation");
        wl_text_add(out, place->variable ? place->variable : "");
    }
    if (place->array) {
        print_array(place->array, out);
        return;
    }
    wl_text_addf(out, " at 0x%" PRIx64, place->start);
    if (place->is_in_heap)
        wl_text_add(out, ", made by malloc in a kernel");
}

static const char *const spaces[] = {
    [WL_SITE_GLOBAL] = "global",
    [WL_SITE_SHARED] = "shared",
    [WL_SITE_LOCAL] = "local",
    [WL_SITE_GENERIC] = "generic",
};

static const char *const accesses[] = {
    [WL_SITE_LOAD] = "read",        [WL_SITE_STORE] = "write", [WL_SITE_ATOMIC] = "atomic",
    [WL_SITE_REDUCTION] = "atomic", [WL_SITE_COPY] = "copy",
};

bool wl_finding_is_toolkit(const char *path, size_t length)
{
    static const char *const parts[] = {"/targets/",
                                        "/include/crt/",
                                        "/include/cuda",
                                        "/include/cccl/",
                                        "/include/cooperative_groups",
                                        "_functions.h",
                                        "_helpers.h"};
    for (size_t i = 0; i < WL_COUNT(parts); i++)
        if (memmem(path, length, parts[i], strlen(parts[i])))
            return true;
    return false;
}

void wl_finding_print_source(const struct wl_program_instruction *instruction, struct wl_text *out)
{
    const char *place = wl_finding_is_toolkit(instruction->file, strlen(instruction->file))
                            ? instruction->inlined_at
                            : NULL;
    while (place) {
        const char *end = strchrnul(place, '\n');
        const char *column = memrchr(place, ':', (size_t)(end - place));
        if (!wl_finding_is_toolkit(place, (size_t)(end - place))) {
            wl_text_addf(out, "%.*s", (int)((column ? column : end) - place), place);
            return;
        }
        place = *end ? end + 1 : NULL;
    }
    wl_text_addf(out, "%s:%" PRIu32, instruction->file, instruction->line);
}

void wl_finding_print_instruction(const struct wl_program *program, uint32_t index,
                                  struct wl_text *out)
{
    const struct wl_program_instruction *instruction = &program->instructions[index];
    char *name = wl_demangle(program->name);
    wl_text_addf(out, "at %s in ", name);
    free(name);
    if (instruction->file)
        wl_finding_print_source(instruction, out);
    else
        wl_text_addf(out, "PTX line %" PRIu32, instruction->text_line);
    wl_text_addf(out, ", %s", instruction->opcode);
}

static void print_thread(const uint32_t thread[3], struct wl_text *out)
{
    wl_text_addf(out, "by thread (%" PRIu32 ",%" PRIu32 ",%" PRIu32 ")", thread[0], thread[1],
                 thread[2]);
}

/* Who did it, and where. */
static void print_culprit(const struct wl_program *program, const struct wl_finding *finding,
                          struct wl_text *out)
{
    wl_text_add(out, "; ");
    wl_finding_print_instruction(program, finding->instruction, out);
    wl_text_add(out, "; ");
    print_thread(finding->thread, out);
    wl_text_addf(out, " in block (%" PRIu32 ",%" PRIu32 ",%" PRIu32 ")", finding->block[0],
                 finding->block[1], finding->block[2]);
}

static void print_access(const char *what, const struct wl_finding *finding, struct wl_text *out)
{
    wl_text_addf(out, "%s __%s__ %s of size %" PRIu32 " %s", what,
                 finding->is_constant ? "constant" : spaces[finding->space],
                 accesses[finding->access], finding->bytes, finding->bytes == 1 ? "byte" : "bytes");
}

static void print_address(const struct wl_program *program, const struct wl_finding *finding,
                          struct wl_text *out)
{
    switch (finding->space) {
    case WL_SITE_SHARED:
        wl_text_addf(out, "; offset %" PRIu64 " of shared memory",
                     finding->place.array ? finding->address - finding->place.start +
                                                finding->place.array->plain_start
                                          : wl_program_plain_offset(program, finding->address));
        break;
    case WL_SITE_LOCAL:
        wl_text_addf(out, "; offset %" PRIu64 " is beyond the thread's %" PRIu32 " bytes",
                     finding->address, program->local_bytes);
        break;
    default:
        wl_text_addf(out, "; address 0x%" PRIx64, finding->address);
        break;
    }
}

static void print_bounds(const struct wl_program *program, const struct wl_finding *finding,
                         struct wl_text *out)
{
    print_access("Invalid", finding, out);
    print_culprit(program, finding, out);
    print_address(program, finding, out);
    if (finding->space == WL_SITE_LOCAL)
        return;
    wl_text_add(out, " is ");
    if (finding->is_constant && finding->place.where == WL_PLACE_NONE)
        wl_text_add(out, "in no variable");
    else
        wl_finding_print_place(&finding->place, out);
}

static void print_byte_of_allocation(const struct wl_finding *finding, struct wl_text *out)
{
    wl_text_add(out, "byte ");
    print_number(finding->address - finding->place.start, out);
    wl_text_add(out, " of the ");
    print_number(finding->place.size_bytes, out);
    wl_text_addf(out, "-byte allocation at 0x%" PRIx64, finding->place.start);
}

static void print_unwritten(const struct wl_program *program, const struct wl_finding *finding,
                            struct wl_text *out)
{
    print_access("Uninitialized", finding, out);
    print_culprit(program, finding, out);
    print_address(program, finding, out);
    wl_text_add(out, " was never written");
    if (finding->space != WL_SITE_GLOBAL)
        return;
    wl_text_add(out, ": ");
    print_byte_of_allocation(finding, out);
}

static void print_race(const struct wl_program *program, const struct wl_finding *finding,
                       struct wl_text *out)
{
    static const char *const names[] = {
        [WL_FINDING_RACE_AFTER_WRITE] = "write after write",
        [WL_FINDING_RACE_READ] = "read after write",
        [WL_FINDING_RACE_AFTER_READ] = "write after read",
        [WL_FINDING_RACE_LANES] = "lanes of one instruction write different values",
        [WL_FINDING_RACE_WARP] = "between lanes of a warp",
        [WL_FINDING_RACE_COPY] = "with an asynchronous copy that was not awaited",
        [WL_FINDING_RACE_BLOCKS] = "between blocks",
    };
    const bool is_global = finding->space == WL_SITE_GLOBAL;
    const char *between = finding->kind == WL_FINDING_RACE_WARP     ? "__syncwarp"
                          : finding->kind == WL_FINDING_RACE_COPY   ? "wait"
                          : finding->kind == WL_FINDING_RACE_BLOCKS ? "order"
                                                                    : "barrier";
    wl_text_addf(out, "Race on %s memory, %s", spaces[finding->space], names[finding->kind]);
    if (finding->kind == WL_FINDING_RACE_BLOCKS)
        wl_text_addf(out, ", %s after %s", finding->access == WL_SITE_LOAD ? "read" : "write",
                     finding->is_after_read ? "read" : "write");
    print_culprit(program, finding, out);
    print_address(program, finding, out);
    if (finding->kind == WL_FINDING_RACE_LANES) {
        wl_text_add(out, "; and ");
    } else {
        wl_text_addf(out, "; and before that, with no %s between, the %s ", between,
                     finding->kind == WL_FINDING_RACE_COPY ? "copy"
                     : finding->is_after_read              ? "read"
                                                           : "write");
        wl_finding_print_instruction(program, finding->other_instruction, out);
        wl_text_add(out, " ");
    }
    print_thread(finding->other_thread, out);
    if (finding->kind == WL_FINDING_RACE_BLOCKS)
        wl_text_addf(out, " in block (%" PRIu32 ",%" PRIu32 ",%" PRIu32 ")",
                     finding->other_block[0], finding->other_block[1], finding->other_block[2]);
    if (is_global && finding->place.where == WL_PLACE_ACROSS) {
        wl_text_add(out, "; the address is ");
        print_byte_of_allocation(finding, out);
    }
}

static void print_race_limit(const struct wl_program *program, const struct wl_finding *finding,
                             struct wl_text *out)
{
    wl_text_addf(out,
                 "Races on global memory are looked for in the first %" PRIu32
                 " MiB that a launch touches; this launch touches more",
                 finding->number);
    print_culprit(program, finding, out);
}

static void print_barrier(const struct wl_program *program, const struct wl_finding *finding,
                          struct wl_text *out)
{
    static const char *const names[] = {
        [WL_FINDING_BARRIER_DIVERGED] = "Divergent threads in warp",
        [WL_FINDING_BARRIER_EXITED] = "Threads of the warp have exited",
        [WL_FINDING_BARRIER_ABSENT] = "Threads of the warp do not come",
        [WL_FINDING_BARRIER_COUNT] = "Invalid number of threads",
        [WL_FINDING_BARRIER_SHORT] = "Threads that it waits for have ended",
        [WL_FINDING_BARRIER_LONELY] = "Arrival that nobody waits for",
        [WL_FINDING_OBJECT_COUNT] = "More arrivals than a barrier object waits for",
    };
    wl_text_addf(out, "Barrier error, %s", names[finding->kind]);
    print_culprit(program, finding, out);
    if (finding->kind == WL_FINDING_BARRIER_COUNT)
        wl_text_addf(out, "; barrier %" PRIu32 " for %" PRIu32 " threads", finding->number,
                     finding->wanted);
    else if (finding->kind == WL_FINDING_BARRIER_LONELY)
        wl_text_addf(out, "; no thread waits at barrier %" PRIu32 " after that", finding->number);
    else if (finding->kind == WL_FINDING_OBJECT_COUNT)
        wl_text_addf(out,
                     "; %" PRIu32 " arrivals of one warp at the object at offset %" PRIu64
                     " of shared memory, which waits for %" PRIu32 " more of %" PRIu32,
                     finding->number, wl_program_plain_offset(program, finding->address),
                     finding->bytes, finding->wanted);
    else if (finding->kind == WL_FINDING_BARRIER_SHORT)
        wl_text_addf(out,
                     "; barrier %" PRIu32 " for %" PRIu32 " threads, %" PRIu32
                     " came and nobody else is left",
                     finding->number, finding->wanted, finding->bytes);
    else
        wl_text_addf(out, "; %" PRIu32 " of the warp's %" PRIu32 " threads are at barrier %" PRIu32,
                     finding->bytes, finding->wanted, finding->number);
}

static void print_mask(const struct wl_program *program, const struct wl_finding *finding,
                       struct wl_text *out)
{
    static const char *const names[] = {
        [WL_FINDING_MASK_CALLER] = "Mask without the lane that gives it",
        [WL_FINDING_MASK_ABSENT] = "Mask of lanes that do not come",
        [WL_FINDING_SHUFFLE_ABSENT] = "Value of a lane that does not take part",
    };
    wl_text_addf(out, "%s", names[finding->kind]);
    print_culprit(program, finding, out);
    wl_text_addf(out, "; mask 0x%08" PRIx32 ", lanes here 0x%08" PRIx32, finding->number,
                 finding->wanted);
}

void wl_finding_print(const struct wl_program *program, const struct wl_finding *finding,
                      struct wl_text *out)
{
    static void (*const printers[])(const struct wl_program *, const struct wl_finding *,
                                    struct wl_text *) = {
        [WL_FINDING_GLOBAL_BOUNDS] = print_bounds,     [WL_FINDING_LOCAL_BOUNDS] = print_bounds,
        [WL_FINDING_SHARED_BOUNDS] = print_bounds,     [WL_FINDING_RACE_AFTER_WRITE] = print_race,
        [WL_FINDING_RACE_READ] = print_race,           [WL_FINDING_RACE_AFTER_READ] = print_race,
        [WL_FINDING_RACE_LANES] = print_race,          [WL_FINDING_UNWRITTEN] = print_unwritten,
        [WL_FINDING_BARRIER_DIVERGED] = print_barrier, [WL_FINDING_BARRIER_EXITED] = print_barrier,
        [WL_FINDING_BARRIER_COUNT] = print_barrier,    [WL_FINDING_RACE_WARP] = print_race,
        [WL_FINDING_BARRIER_SHORT] = print_barrier,    [WL_FINDING_RACE_COPY] = print_race,
        [WL_FINDING_MASK_CALLER] = print_mask,         [WL_FINDING_MASK_ABSENT] = print_mask,
        [WL_FINDING_SHUFFLE_ABSENT] = print_mask,      [WL_FINDING_RACE_BLOCKS] = print_race,
        [WL_FINDING_RACE_LIMIT] = print_race_limit,    [WL_FINDING_BARRIER_LONELY] = print_barrier,
        [WL_FINDING_OBJECT_COUNT] = print_barrier,     [WL_FINDING_BARRIER_ABSENT] = print_barrier,
    };
    printers[finding->kind](program, finding, out);
    if (finding->count > 1)
        wl_text_addf(out, "; %" PRIu64 " times in this launch", finding->count);
}
