#include "collect/python.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/count.h"
#include "base/text.h"
#include "base/try_read.h"
#include "collect/python_lines.h"

enum { NONE = -1, FRAMES_DEEP = 512, TEXT_MAX = 4096 };

static const struct layout {
    int minor;
    enum wl_python_lines lines;
    int thread_frame, inner_frame, back, code, at, owner;
    int base, first_line, file, name, line_table, text, wide_text;
} layouts[] = {
#define PYTHON(minor, lines, ...) {minor, WL_PYTHON_LINES_##lines, __VA_ARGS__},
#include "collect/python_layouts.def"
};

/* Of every object. */
enum { OBJECT_TYPE = 8, OBJECT_SIZE = 16, BYTES_DATA = 32, TEXT_STATE = 32 };
/* Frames of C functions that run Python. */
enum { OWNED_BY_C = 3 };

static struct {
    atomic_int state;
    const struct layout *layout;
    const uint8_t *code_type, *text_type;
    void *(*thread_state)(void);
    char version[16];
    atomic_bool is_proven;
} python;

/* ---- finding it ---- */

static const struct layout *find_layout(const char *version)
{
    char *rest = NULL;
    if (strncmp(version, "3.", 2) != 0)
        return NULL;
    long minor = strtol(version + 2, &rest, 10);
    if (strstr(rest, "free-threading")) /* its objects are larger */
        return NULL;
    for (size_t i = 0; i < WL_COUNT(layouts); i++)
        if (layouts[i].minor == minor)
            return &layouts[i];
    return NULL;
}

static void look_for_python(void)
{
    const char *(*version)(void) = NULL;
    *(void **)&version = dlsym(RTLD_DEFAULT, "Py_GetVersion");
    *(void **)&python.thread_state = dlsym(RTLD_DEFAULT, "PyGILState_GetThisThreadState");
    python.code_type = dlsym(RTLD_DEFAULT, "PyCode_Type");
    python.text_type = dlsym(RTLD_DEFAULT, "PyUnicode_Type");
    if (!version) {
        atomic_store(&python.state, WL_PYTHON_ABSENT);
        return;
    }
    const char *full = version();
    size_t length = strcspn(full, " ");
    snprintf(python.version, sizeof python.version, "%.*s", (int)(length < 15 ? length : 15), full);
    python.layout = sizeof(void *) == 8 ? find_layout(full) : NULL;
    bool is_read = python.layout && python.thread_state && python.code_type && python.text_type;
    atomic_store(&python.state, is_read ? WL_PYTHON_READ : WL_PYTHON_UNKNOWN);
}

/* A program may load Python late; most never do. */
static bool is_to_be_looked_for(void)
{
    enum { always = 16, seldom = 4096 };
    static atomic_uint asked;
    if (atomic_load(&python.state) > WL_PYTHON_ABSENT)
        return false;
    unsigned before = atomic_fetch_add(&asked, 1);
    return before < always || before % seldom == 0;
}

enum wl_python_state wl_python_state(void)
{
    return (enum wl_python_state)atomic_load(&python.state);
}

const char *wl_python_version(void)
{
    return python.version;
}

/* ---- reading ---- */

/* Until the layout has proved right, memory is read so that a wrong address is an error and no
 * signal. */
static bool read_memory(const uint8_t *from, void *to, size_t size_bytes)
{
    if (atomic_load_explicit(&python.is_proven, memory_order_relaxed)) {
        memcpy(to, from, size_bytes);
        return true;
    }
    return wl_try_read(from, to, size_bytes);
}

static const uint8_t *read_pointer(const uint8_t *object, int offset)
{
    const uint8_t *pointer = NULL;
    return object && read_memory(object + offset, &pointer, sizeof pointer) ? pointer : NULL;
}

static int read_int(const uint8_t *object, int offset)
{
    int number = 0;
    return object && read_memory(object + offset, &number, sizeof number) ? number : 0;
}

static bool is_code(const uint8_t *object)
{
    return object && read_pointer(object, OBJECT_TYPE) == python.code_type;
}

static size_t offset_of(const uint8_t *frame, const uint8_t *code)
{
    const struct layout *layout = python.layout;
    if (layout->lines == WL_PYTHON_LINES_LOCATIONS) {
        const uint8_t *at = read_pointer(frame, layout->at), *base = code + layout->base;
        return at > base ? (size_t)(at - base) : 0;
    }
    int at = read_int(frame, layout->at);
    if (at < 0)
        return 0;
    return layout->lines == WL_PYTHON_LINES_RANGES ? (size_t)at * 2 : (size_t)at;
}

static bool is_function(const uint8_t *frame)
{
    uint8_t owner = 0;
    if (python.layout->owner == NONE)
        return true;
    return read_memory(frame + python.layout->owner, &owner, 1) && owner != OWNED_BY_C;
}

static uint64_t mix(uint64_t hash, uint64_t more)
{
    return (hash ^ more) * UINT64_C(0x9e3779b97f4a7c15) ^ hash >> 29;
}

static struct wl_python_frame make_frame(const uint8_t *frame, const uint8_t *code)
{
    const struct layout *layout = python.layout;
    struct wl_python_frame made = {code, offset_of(frame, code), 0};
    made.identity = mix(mix((uintptr_t)code, made.offset_bytes),
                        (uintptr_t)read_pointer(code, layout->name) ^
                            (uint64_t)read_int(code, layout->first_line) << 48);
    return made;
}

static const uint8_t *newest_frame(void)
{
    const struct layout *layout = python.layout;
    const uint8_t *thread = python.thread_state();
    if (!thread)
        return NULL;
    const uint8_t *frame = read_pointer(thread, layout->thread_frame);
    return layout->inner_frame == NONE ? frame : read_pointer(frame, layout->inner_frame);
}

/* The names of code are strings: else its layout is another one. */
static bool proves(const struct wl_python_frame *frame)
{
    const struct layout *layout = python.layout;
    return read_pointer(read_pointer(frame->code, layout->file), OBJECT_TYPE) == python.text_type &&
           read_pointer(read_pointer(frame->code, layout->name), OBJECT_TYPE) == python.text_type;
}

size_t wl_python_frames(struct wl_python_frame *frames, size_t frames_max)
{
    size_t count = 0;
    int saved_errno = errno;
    if (is_to_be_looked_for())
        look_for_python();
    if (wl_python_state() != WL_PYTHON_READ)
        return 0;
    const uint8_t *frame = newest_frame();
    for (int depth = 0; frame && count < frames_max && depth < FRAMES_DEEP; depth++) {
        const uint8_t *code = is_function(frame) ? read_pointer(frame, python.layout->code) : NULL;
        if (is_code(code))
            frames[count++] = make_frame(frame, code);
        frame = read_pointer(frame, python.layout->back);
    }
    if (count && !atomic_load_explicit(&python.is_proven, memory_order_relaxed)) {
        bool is_right = proves(&frames[0]);
        atomic_store(&python.is_proven, is_right);
        if (!is_right)
            atomic_store(&python.state, WL_PYTHON_UNKNOWN);
        count = is_right ? count : 0;
    }
    errno = saved_errno;
    return count;
}

/* ---- labels ---- */

static void add_character(struct wl_text *text, uint32_t character)
{
    char bytes[4];
    size_t length = 0;
    if (character < 0x80) {
        bytes[length++] = (char)character;
    } else if (character < 0x800) {
        bytes[length++] = (char)(0xc0 | character >> 6);
    } else if (character < 0x10000) {
        bytes[length++] = (char)(0xe0 | character >> 12);
        bytes[length++] = (char)(0x80 | (character >> 6 & 63));
    } else {
        bytes[length++] = (char)(0xf0 | (character >> 18 & 7));
        bytes[length++] = (char)(0x80 | (character >> 12 & 63));
        bytes[length++] = (char)(0x80 | (character >> 6 & 63));
    }
    if (character >= 0x80)
        bytes[length++] = (char)(0x80 | (character & 63));
    wl_text_add_bytes(text, bytes, length);
}

/* A string's state is, from its lowest bit: how it is interned (2), bytes of a character (3),
 * whether its characters follow it, whether they are ASCII (PEP 393). */
static void add_text(struct wl_text *text, const uint8_t *string)
{
    size_t length = (size_t)(uintptr_t)read_pointer(string, OBJECT_SIZE);
    unsigned state = (unsigned)read_int(string, TEXT_STATE);
    unsigned size_bytes = state >> 2 & 7;
    bool is_compact = state >> 5 & 1, is_ascii = state >> 6 & 1;
    if (!string || !is_compact || (size_bytes != 1 && size_bytes != 2 && size_bytes != 4)) {
        wl_text_add(text, "?");
        return;
    }
    const uint8_t *at = string + (is_ascii ? python.layout->text : python.layout->wide_text);
    for (size_t i = 0; i < length && i < TEXT_MAX; i++) {
        uint32_t character = 0;
        memcpy(&character, at + i * size_bytes, size_bytes);
        add_character(text, character == ';' || character < 0x20 ? '_' : character);
    }
}

char *wl_python_frame_label(const struct wl_python_frame *frame)
{
    const struct layout *layout = python.layout;
    struct wl_text label = {0};
    const uint8_t *table = read_pointer(frame->code, layout->line_table);
    size_t size_bytes = (size_t)(uintptr_t)read_pointer(table, OBJECT_SIZE);
    int line = wl_python_line(layout->lines, table + BYTES_DATA, table ? size_bytes : 0,
                              read_int(frame->code, layout->first_line), frame->offset_bytes);
    add_text(&label, read_pointer(frame->code, layout->file));
    wl_text_addf(&label, ":%d ", line);
    add_text(&label, read_pointer(frame->code, layout->name));
    return wl_text_take(&label);
}
