#include "collect/sites.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/memory.h"
#include "base/text.h"
#include "binary/place.h"
#include "collect/python.h"
#include "timeline/names.h"
#include "timeline/timeline.h"

enum { KNOWN_MAX = 1 << 12 };

/* By address: open addressing. Only grows, up to three quarters. */
static struct {
    pthread_mutex_t lock;
    struct known {
        const void *address;
        bool is_program;
        struct wl_code_site site;
        uint32_t label; /* in stacks; 0: none */
    } items[KNOWN_MAX];
    size_t count;
} known = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void (*hold_clock)(bool is_held);

void wl_code_sites_set_hold(void (*hold)(bool is_held))
{
    hold_clock = hold;
}

/* Runtimes with their plugins, and all that they call on their way to us. */
bool wl_code_is_runtime(const void *address)
{
    static const char *const names[] = {"libgomp", "libacc",  "libcuda",      "libcupti",
                                        "libomp",  "libiomp", "libwarplens-", "libnv"};
    Dl_info info;
    if (!dladdr(address, &info) || !info.dli_fname)
        return false;
    const char *slash = strrchr(info.dli_fname, '/');
    const char *name = slash ? slash + 1 : info.dli_fname;
    for (size_t i = 0; i < WL_COUNT(names); i++)
        if (strncmp(name, names[i], strlen(names[i])) == 0)
            return true;
    return false;
}

static struct wl_code_site read_site(const void *address)
{
    struct wl_source_place place;
    struct wl_code_site site = {0};
    /* the address is that behind the call */
    if (wl_source_place_find((uintptr_t)address - 1, &place)) {
        site.file = wl_timeline_name(place.file);
        site.function = wl_timeline_name(place.function);
        site.line = place.line;
        wl_source_place_free(&place);
    }
    return site;
}

bool wl_code_is_of_launch(const char *function)
{
    static const char *const beginnings[] = {"__cudaLaunch", "__device_stub__"};
    for (size_t i = 0; i < WL_COUNT(beginnings); i++)
        if (strncmp(function, beginnings[i], strlen(beginnings[i])) == 0)
            return true;
    return false;
}

static bool is_left_out(const char *function)
{
    return strcmp(function, "_start") == 0 || wl_code_is_of_launch(function);
}

/* The function, or where in which file it is; nothing for the code between a launch and who made
 * it, and for what calls main or a thread's function.
 */
static uint32_t choose_label(const void *address, const struct wl_code_site *site)
{
    static const char *const quiet[] = {"libc.so", "ld-linux", "libpthread", "libm.so"};
    Dl_info info;
    bool is_there = dladdr(address, &info) && info.dli_fname;
    const char *slash = is_there ? strrchr(info.dli_fname, '/') : NULL;
    const char *file = slash ? slash + 1 : is_there ? info.dli_fname : "?";
    for (size_t i = 0; i < WL_COUNT(quiet); i++)
        if (strncmp(file, quiet[i], strlen(quiet[i])) == 0)
            return 0;
    if (site->function)
        return is_left_out(wl_timeline_name_text(site->function)) ? 0 : site->function;
    char *text = wl_string_format(
        "%s+0x%tx", file, is_there ? (const char *)address - (const char *)info.dli_fbase : 0);
    uint32_t label = wl_timeline_name(text);
    free(text);
    return label;
}

/* With the lock. */
static const struct known *look_up(const void *address)
{
    size_t at = (size_t)((uintptr_t)address * UINT64_C(0x9e3779b97f4a7c15) >> 32) % KNOWN_MAX;
    while (known.items[at].address && known.items[at].address != address)
        at = (at + 1) % KNOWN_MAX;
    if (known.items[at].address)
        return &known.items[at];
    if (known.count == KNOWN_MAX / 4 * 3)
        return NULL;
    struct known fresh = {.address = address, .is_program = !wl_code_is_runtime(address)};
    if (fresh.is_program) {
        fresh.site = read_site(address);
        fresh.label = choose_label(address, &fresh.site);
    }
    known.count++;
    known.items[at] = fresh;
    return &known.items[at];
}

bool wl_code_site_find(const void *address, struct wl_code_site *site)
{
    *site = (struct wl_code_site){0};
    if (hold_clock)
        hold_clock(true);
    pthread_mutex_lock(&known.lock);
    const struct known *found = look_up(address);
    bool is_program = found && found->is_program;
    if (is_program)
        *site = found->site;
    pthread_mutex_unlock(&known.lock);
    if (hold_clock)
        hold_clock(false);
    return is_program;
}

/* ---- stacks ---- */

enum { FRAMES_MAX = 64, STACKS_MAX = 1 << 13, PYTHON_LABELS_MAX = 1 << 13 };

/* A stack, innermost first: what Python was doing, and which code it called for that. */
struct frames {
    void *native[FRAMES_MAX];
    struct wl_python_frame python[FRAMES_MAX];
    int native_count, python_count;
};

static struct {
    atomic_int wanted, wanted_python;
    struct stack {
        uint64_t hash; /* of its addresses, never 0 */
        uint32_t name;
    } items[STACKS_MAX]; /* by hash; with the lock of what is known */
    size_t count;
} stacks;

/* Labels of Python's frames by their identity; with the lock. */
static struct python_label {
    uint64_t identity;
    uint32_t label;
} python_labels[PYTHON_LABELS_MAX];

static bool is_python_wanted(const char *function)
{
    static const char *const parts[] = {"Launch", "Memcpy", "Memset", "Synchronize"};
    if (!atomic_load_explicit(&stacks.wanted_python, memory_order_relaxed))
        return false;
    for (size_t i = 0; i < WL_COUNT(parts); i++)
        if (strstr(function, parts[i]))
            return true;
    return false;
}

static bool is_native_wanted(const char *function)
{
    static const char *const parts[] = {[WL_STACKS_KERNEL] = "Launch",
                                        [WL_STACKS_MEMORY] = "Mem",
                                        [WL_STACKS_SYNC] = "Synchronize"};
    int wanted = atomic_load_explicit(&stacks.wanted, memory_order_relaxed);
    return wanted == WL_STACKS_ALL || (wanted && strstr(function, parts[wanted]));
}

/* With the lock. One that another has taken the place of is asked for again. */
static uint32_t python_label(const struct wl_python_frame *frame)
{
    struct python_label *kept = &python_labels[frame->identity % PYTHON_LABELS_MAX];
    if (kept->identity != frame->identity || !kept->label) {
        char *text = wl_python_frame_label(frame);
        *kept = (struct python_label){frame->identity, wl_timeline_name(text)};
        free(text);
    }
    return kept->label;
}

static void add_label(struct wl_text *text, uint32_t label)
{
    if (label)
        wl_text_addf(text, "%s%s", text->length ? ";" : "", wl_timeline_name_text(label));
}

/* With the lock. Outermost first. */
static uint32_t name_stack(const struct frames *frames)
{
    struct wl_text text = {0};
    for (int i = frames->python_count; i-- > 0;)
        add_label(&text, python_label(&frames->python[i]));
    for (int i = frames->native_count; i-- > 0;) {
        const struct known *frame = look_up(frames->native[i]);
        add_label(&text, frame ? frame->label : 0);
    }
    uint32_t name = text.length ? wl_timeline_name(text.data) : 0;
    wl_text_free(&text);
    return name;
}

static uint64_t hash_frames(const struct frames *frames)
{
    uint64_t hash = 1;
    for (int i = 0; i < frames->python_count; i++)
        hash = (hash ^ frames->python[i].identity) * UINT64_C(0x9e3779b97f4a7c15);
    for (int i = 0; i < frames->native_count; i++)
        hash = (hash ^ (uintptr_t)frames->native[i]) * UINT64_C(0x9e3779b97f4a7c15);
    return hash | 1;
}

/* With the lock. */
static uint32_t find_stack(const struct frames *frames)
{
    uint64_t hash = hash_frames(frames);
    size_t at = (size_t)(hash >> 40) % STACKS_MAX;
    while (stacks.items[at].hash && stacks.items[at].hash != hash)
        at = (at + 1) % STACKS_MAX;
    if (!stacks.items[at].hash) {
        if (stacks.count == STACKS_MAX / 4 * 3)
            return 0;
        stacks.count++;
        stacks.items[at] = (struct stack){hash, name_stack(frames)};
    }
    return stacks.items[at].name;
}

bool wl_code_stack_is_wanted(const char *function)
{
    return is_native_wanted(function) || is_python_wanted(function);
}

static uint32_t take_stack(bool has_native, bool has_python)
{
    struct frames frames;
    if (!has_native && !has_python)
        return 0;
    if (hold_clock)
        hold_clock(true);
    frames.native_count = has_native ? backtrace(frames.native, FRAMES_MAX) : 0;
    frames.python_count = has_python ? (int)wl_python_frames(frames.python, FRAMES_MAX) : 0;
    uint32_t name = 0;
    if (frames.native_count || frames.python_count) {
        pthread_mutex_lock(&known.lock);
        name = find_stack(&frames);
        pthread_mutex_unlock(&known.lock);
    }
    if (hold_clock)
        hold_clock(false);
    return name;
}

uint32_t wl_code_stack(const char *function)
{
    return take_stack(is_native_wanted(function), is_python_wanted(function));
}

uint32_t wl_code_launch_stack(void)
{
    return take_stack(true, false);
}

uint32_t wl_code_python_stack(void)
{
    return take_stack(false,
                      atomic_load_explicit(&stacks.wanted_python, memory_order_relaxed) != 0);
}

void wl_code_stacks_start(enum wl_stacks wanted, enum wl_python_stacks wanted_python)
{
    void *frame;
    atomic_store(&stacks.wanted, (int)wanted);
    atomic_store(&stacks.wanted_python, (int)wanted_python);
    if (wanted)
        backtrace(&frame, 1); /* loads the unwinder, which may not be done in a callback */
    if (wanted || wanted_python)
        wl_timeline_set_stacks(wl_code_stack);
}
