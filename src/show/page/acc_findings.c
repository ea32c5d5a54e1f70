#include "show/page/acc_findings.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/text.h"

struct finding {
    const struct wl_acc_time *time;
    const struct wl_compiler_log *log;
    struct wl_acc_findings *findings;
};

/* Takes the texts. A line gets a rule's finding once: a compiler may say a thing in several ways.
 */
static void add(struct finding *finding, const char *rule, const struct wl_acc_row *row,
                uint32_t line, char *text, char *advice)
{
    for (size_t i = 0; i < finding->findings->count; i++) {
        const struct wl_acc_finding *known = &finding->findings->items[i];
        if (strcmp(known->rule, rule) == 0 && known->line == line &&
            strcmp(known->file, row->file) == 0) {
            free(text);
            free(advice);
            return;
        }
    }
    struct wl_acc_finding found = {rule, row->file, row->function, line, text, advice};
    WL_PUSH(finding->findings, found);
}

/* The kernel whose loops a line may hold: that of the same function which begins nearest before. */
static const struct wl_acc_row *kernel_of(const struct wl_acc_time *time,
                                          const struct wl_compiler_message *message)
{
    const struct wl_acc_row *nearest = NULL;
    for (size_t i = 0; i < time->count; i++) {
        const struct wl_acc_row *row = &time->items[i];
        bool is_before = row->what == WL_ACC_KERNEL && row->line && row->line <= message->line;
        if (is_before &&
            wl_compiler_message_is_at(message, row->file, row->function, message->line) &&
            (!nearest || row->line > nearest->line))
            nearest = row;
    }
    return nearest;
}

/* The variable that keeps a loop from running in parallel, or "". */
static const char *dependence_at(const struct wl_compiler_log *log,
                                 const struct wl_compiler_message *at)
{
    for (size_t i = 0; i < log->count; i++)
        if (log->items[i].kind == WL_COMPILER_DEPENDENCE && log->items[i].line == at->line &&
            strcmp(log->items[i].file, at->file) == 0)
            return log->items[i].variable;
    return "";
}

static double device_time_pct(const struct wl_acc_time *time, uint64_t part_ns)
{
    uint64_t all_ns = 0;
    for (size_t i = 0; i < time->count; i++)
        all_ns += time->items[i].device.total_ns;
    return all_ns ? 100.0 * (double)part_ns / (double)all_ns : 0;
}

static const char *mark(const struct wl_acc_time *time)
{
    return time->is_predicted ? " (predicted)" : "";
}

/* Only where a dependence is why: a loop may be sequential because it is meant to be. */
static void find_sequential(struct finding *finding)
{
    for (size_t i = 0; finding->log && i < finding->log->count; i++) {
        const struct wl_compiler_message *message = &finding->log->items[i];
        if (message->kind != WL_COMPILER_SEQUENTIAL)
            continue;
        const struct wl_acc_row *kernel = kernel_of(finding->time, message);
        const char *variable = dependence_at(finding->log, message);
        if (!kernel || !variable[0])
            continue;
        add(finding, "acc-sequential-loop", kernel, message->line,
            wl_string_format(
                "the compiler keeps the loop in line %" PRIu32 " sequential for a dependence "
                "on %s; its kernel takes %.1f%% of the device's time%s",
                message->line, variable, device_time_pct(finding->time, kernel->device.total_ns),
                mark(finding->time)),
            wl_string_format(
                "if the loop adds up into %s, sum into a temporary with reduction(+:...) and "
                "store it once behind the loop; if its iterations are independent, say "
                "so with `loop independent` and restrict",
                variable));
    }
}

static const struct wl_acc_row *beside(const struct wl_acc_time *time, const struct wl_acc_row *row,
                                       enum wl_acc_what what)
{
    for (size_t i = 0; i < time->count; i++) {
        const struct wl_acc_row *other = &time->items[i];
        if (other->what == what && other->line == row->line && other->region == row->region &&
            strcmp(other->file, row->file) == 0 && strcmp(other->function, row->function) == 0)
            return other;
    }
    return NULL;
}

/* Copies that a kernel's own region makes each time it is reached. */
static void find_repeated_copies(struct finding *finding)
{
    for (size_t i = 0; i < finding->time->count; i++) {
        const struct wl_acc_row *row = &finding->time->items[i];
        if (row->what != WL_ACC_KERNEL || row->count < 2)
            continue;
        const struct wl_acc_row *in = beside(finding->time, row, WL_ACC_COPY_IN),
                                *out = beside(finding->time, row, WL_ACC_COPY_OUT);
        uint64_t copies_ns = (in ? in->device.total_ns : 0) + (out ? out->device.total_ns : 0);
        uint64_t bytes = (in ? in->bytes : 0) + (out ? out->bytes : 0);
        if (copies_ns <= row->device.total_ns || bytes < row->count * 4096)
            continue;
        add(finding, "acc-repeated-copies", row, row->line,
            wl_string_format("each of %" PRIu64
                             " times the kernel runs, its data is copied: %.1f MB, %.1f us, "
                             "while the kernel itself takes %.1f us%s",
                             row->count, (double)bytes / 1e6, (double)copies_ns / 1e3,
                             (double)row->device.total_ns / 1e3, mark(finding->time)),
            wl_string_copy(
                "put a data region around what calls it, and `present` here; `update` what "
                "the host needs in between"));
    }
}

/* Copies that nobody asked for, where they cost. */
static void find_implicit_copies(struct finding *finding)
{
    for (size_t i = 0; finding->log && i < finding->log->count; i++) {
        const struct wl_compiler_message *message = &finding->log->items[i];
        const struct wl_acc_row *kernel =
            message->kind == WL_COMPILER_IMPLICIT_COPY ? kernel_of(finding->time, message) : NULL;
        const struct wl_acc_row *in = kernel ? beside(finding->time, kernel, WL_ACC_COPY_IN) : NULL;
        if (!in || in->device.total_ns <= kernel->device.total_ns)
            continue;
        add(finding, "acc-implicit-copy", kernel, message->line,
            wl_string_format(
                "the compiler copies %s without being asked, and copies take longer than "
                "the kernel%s",
                message->variable, mark(finding->time)),
            wl_string_format(
                "say what %s needs: copyin, copyout or create instead of copy, or present",
                message->variable));
    }
}

static void find_host_fallback(struct finding *finding)
{
    for (size_t i = 0; i < finding->time->count; i++) {
        const struct wl_acc_row *row = &finding->time->items[i];
        if (!row->is_host || row->region != WL_ACC_COMPUTE)
            continue;
        add(finding, "acc-host-fallback", row, row->line,
            wl_string_copy("compute regions ran on the host, not on a device"),
            wl_string_copy("compile with -foffload=nvptx-none (gcc) or -acc=gpu (nvc); "
                           "ACC_DEVICE_TYPE=nvidia ends the program where there is no device"));
        return; /* said once */
    }
}

void wl_acc_findings_find(const struct wl_acc_time *time, const struct wl_compiler_log *log,
                          struct wl_acc_findings *findings)
{
    struct finding finding = {time, log, findings};
    *findings = (struct wl_acc_findings){0};
    find_sequential(&finding);
    find_repeated_copies(&finding);
    find_implicit_copies(&finding);
    find_host_fallback(&finding);
}

void wl_acc_findings_free(struct wl_acc_findings *findings)
{
    for (size_t i = 0; i < findings->count; i++) {
        free(findings->items[i].text);
        free(findings->items[i].advice);
    }
    free(findings->items);
    *findings = (struct wl_acc_findings){0};
}
