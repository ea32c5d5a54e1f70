/* The Trace Event Format: a JSON array of complete events, and arrows from calls to what they
 * caused. */
#include <inttypes.h>
#include <string.h>

#include "base/count.h"
#include "show/export/timeline_writer.h"

static void begin(struct wl_timeline_writer *writer)
{
    fputs("{\"displayTimeUnit\":\"ns\",\"traceEvents\":[", writer->out);
}

static uint64_t pid_of(const struct wl_timeline_writer *writer, size_t track)
{
    return wl_timeline_pid(writer, writer->tracks.items[track].process);
}

/* Rows are threads of their process, in the order in which they came. */
static void track(struct wl_timeline_writer *writer, size_t index)
{
    const struct wl_track *track = &writer->tracks.items[index];
    struct wl_text *line = &writer->line, name = {0}, process = {0};
    line->length = 0;
    wl_track_print_name(track, &name);
    wl_text_addf(
        line, "%s\n{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%" PRIu64 ",\"args\":{\"name\":",
        index ? "," : "", pid_of(writer, index));
    wl_timeline_add_process(writer, track->process, &process);
    wl_timeline_add_json(process.data, line);
    wl_text_addf(line,
                 "}},\n{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%" PRIu64
                 ",\"tid\":%zu,\"args\":{\"name\":",
                 pid_of(writer, index), index + 1);
    wl_timeline_add_json(name.data, line);
    wl_text_add(line, "}}");
    fwrite(line->data, 1, line->length, writer->out);
    wl_text_free(&process);
    wl_text_free(&name);
}

/* Microseconds with three decimals. */
static void add_us(uint64_t ns, struct wl_text *out)
{
    wl_text_addf(out, "%" PRIu64 ".%03" PRIu64, ns / 1000, ns % 1000);
}

static uint64_t since_first(const struct wl_timeline_writer *writer, uint64_t ns)
{
    return ns - writer->first_ns;
}

/* Most calls cause nothing on the device; an arrow that leads nowhere is worse than none. */
static bool may_cause_work(const char *call)
{
    static const char *const words[] = {"Launch", "Memcpy", "Memset", "memcpy", "memset"};
    for (size_t i = 0; i < WL_COUNT(words); i++)
        if (strstr(call, words[i]))
            return true;
    return false;
}

static void add_arrow(struct wl_timeline_writer *writer, size_t track,
                      const struct wl_report_event *event)
{
    bool is_device = writer->tracks.items[track].is_device;
    struct wl_text *line = &writer->line;
    wl_text_addf(line,
                 ",\n{\"ph\":\"%s\",\"cat\":\"launch\",\"name\":\"launch\",\"id\":\"%zu-%" PRIu32
                 "\",\"pid\":%" PRIu64 ",\"tid\":%zu,\"ts\":",
                 is_device ? "f\",\"bp\":\"e" : "s", event->process, event->correlation,
                 pid_of(writer, track), track + 1);
    add_us(since_first(writer, event->start_ns), line);
    wl_text_add_char(line, '}');
}

static void add_fact(void *self, const struct wl_timeline_fact *fact)
{
    struct wl_text *line = self;
    wl_text_addf(line, "%s\"%s\":", line->data[line->length - 1] == '{' ? "" : ",", fact->name);
    if (fact->text)
        wl_timeline_add_json(fact->text, line);
    else
        wl_text_addf(line, "%" PRId64, fact->number);
}

static void open(struct wl_timeline_writer *writer, size_t track,
                 const struct wl_report_event *event, uint32_t name, bool is_new)
{
    struct wl_text *line = &writer->line;
    (void)name;
    (void)is_new;
    line->length = 0;
    wl_text_add(line, ",\n{\"ph\":\"X\",\"name\":");
    wl_timeline_add_json(event->name, line);
    wl_text_addf(line, ",\"cat\":\"%s\",\"pid\":%" PRIu64 ",\"tid\":%zu,\"ts\":",
                 wl_timeline_category_name(event), pid_of(writer, track), track + 1);
    add_us(since_first(writer, event->start_ns), line);
    wl_text_add(line, ",\"dur\":");
    add_us(event->end_ns - event->start_ns, line);
    wl_text_add(line, ",\"args\":{");
    wl_timeline_list_facts(event, add_fact, line);
    wl_text_add(line, "}}");
    bool is_device = writer->tracks.items[track].is_device;
    if (event->correlation && (is_device || may_cause_work(event->name)))
        add_arrow(writer, track, event);
    fwrite(line->data, 1, line->length, writer->out);
}

static void end(struct wl_timeline_writer *writer)
{
    fputs("\n]}\n", writer->out);
}

const struct wl_timeline_form_functions wl_timeline_chrome = {
    .begin = begin, .track = track, .open = open, .end = end};
