/* Folded stacks, as flame graphs are made of: "ROW;RANGE;CALL 1234", with the nanoseconds that the
 * innermost took itself. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define uthash_malloc(size_bytes) wl_alloc(size_bytes) /* its own answer to no memory is exit() */
#include <uthash.h>

#include "base/memory.h"
#include "show/export/timeline_writer.h"

struct stack {
    char *path;
    uint64_t own_ns;
    UT_hash_handle hh;
};

/* An event that is open. */
struct frame {
    size_t path_length; /* without its name */
    uint64_t start_ns, within_ns;
};

struct row {
    struct wl_text path;
    WL_VECTOR_FIELDS(struct frame);
};

struct folded {
    struct stack *stacks;
    WL_VECTOR_FIELDS(struct row);
};

void wl_timeline_stacks_begin(struct wl_timeline_writer *writer)
{
    writer->self = wl_alloc_zero(1, sizeof(struct folded));
}

/* ';' and the end of a line have a meaning. */
static void add_name(const char *name, struct wl_text *out)
{
    for (; *name; name++)
        wl_text_add_char(out, *name == ';' ? ':' : (unsigned char)*name < ' ' ? ' ' : *name);
}

void wl_timeline_stacks_track(struct wl_timeline_writer *writer, size_t index)
{
    struct folded *self = writer->self;
    struct row row = {0};
    struct wl_track plain = writer->tracks.items[index];
    plain.layer = 0; /* rows of the same thread are one here */
    wl_timeline_add_track(writer, &plain, &row.path);
    WL_PUSH(self, row);
}

void wl_timeline_stacks_open(struct wl_timeline_writer *writer, size_t track,
                             const struct wl_report_event *event, uint32_t name, bool is_new)
{
    struct folded *self = writer->self;
    struct row *row = &self->items[track];
    (void)name;
    (void)is_new;
    struct frame frame = {row->path.length, event->start_ns, 0};
    const char *stack = wl_timeline_stack(event);
    if (stack) /* its frames are apart already */
        wl_text_addf(&row->path, ";%s", stack);
    wl_text_add_char(&row->path, ';');
    add_name(event->name, &row->path);
    WL_PUSH(row, frame);
}

static void add_time(struct folded *self, const char *path, uint64_t own_ns)
{
    struct stack *stack = NULL;
    HASH_FIND_STR(self->stacks, path, stack);
    if (!stack) {
        stack = wl_alloc_zero(1, sizeof *stack);
        stack->path = wl_string_copy(path);
        HASH_ADD_KEYPTR(hh, self->stacks, stack->path, strlen(stack->path), stack);
    }
    stack->own_ns += own_ns;
}

void wl_timeline_stacks_close(struct wl_timeline_writer *writer, size_t track, uint64_t time_ns,
                              uint32_t name)
{
    struct folded *self = writer->self;
    struct row *row = &self->items[track];
    (void)name;
    const struct frame *frame = &row->items[--row->count];
    uint64_t took_ns = time_ns - frame->start_ns;
    if (took_ns > frame->within_ns)
        add_time(self, row->path.data, took_ns - frame->within_ns);
    if (row->count)
        row->items[row->count - 1].within_ns += took_ns;
    row->path.length = frame->path_length;
    row->path.data[row->path.length] = '\0';
}

static int by_path(const struct stack *a, const struct stack *b)
{
    return strcmp(a->path, b->path);
}

void wl_timeline_stacks_take(struct wl_timeline_writer *writer,
                             void (*take)(void *self, const char *path, uint64_t own_ns),
                             void *taker)
{
    struct folded *self = writer->self;
    struct stack *stack, *next;
    HASH_SORT(self->stacks, by_path);
    HASH_ITER(hh, self->stacks, stack, next)
    {
        take(taker, stack->path, stack->own_ns);
        HASH_DEL(self->stacks, stack);
        free(stack->path);
        free(stack);
    }
    for (size_t i = 0; i < self->count; i++) {
        wl_text_free(&self->items[i].path);
        free(self->items[i].items);
    }
    free(self->items);
    free(self);
}

static void add_sample(void *taker, const struct wl_timeline_sample *sample)
{
    struct wl_timeline_writer *writer = taker;
    struct wl_text path = {0};
    wl_text_addf(&path, "%s%s%s;", sample->track, *sample->callers ? ";" : "", sample->callers);
    add_name(sample->function, &path);
    add_time(writer->self, path.data, sample->sampled_ns);
    wl_text_free(&path);
}

static void write_stack(void *self, const char *path, uint64_t own_ns)
{
    FILE *out = self;
    fprintf(out, "%s %" PRIu64 "\n", path, own_ns);
}

static void end(struct wl_timeline_writer *writer)
{
    struct wl_error ignored = {0}; /* the events that were read before it are of the same table */
    wl_timeline_samples_take(writer, add_sample, writer, &ignored);
    wl_timeline_stacks_take(writer, write_stack, writer->out);
}

const struct wl_timeline_form_functions wl_timeline_folded = {.begin = wl_timeline_stacks_begin,
                                                              .track = wl_timeline_stacks_track,
                                                              .open = wl_timeline_stacks_open,
                                                              .close = wl_timeline_stacks_close,
                                                              .end = end};
