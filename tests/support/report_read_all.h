/* For the tests and the fuzzer of report/: touches every byte that a report gives. */
#ifndef WL_SUPPORT_REPORT_READ_ALL_H
#define WL_SUPPORT_REPORT_READ_ALL_H

#include <string.h>

#include "report/report.h"

static inline size_t read_attributes(const struct wl_record_attribute *attributes, size_t count)
{
    size_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += strlen(attributes[i].name) + (attributes[i].text ? strlen(attributes[i].text) : 0);
    return sum;
}

static inline size_t read_kernel(struct wl_report *report, const struct wl_report_kernel *kernel)
{
    const struct wl_record_kernel *record = &kernel->record;
    size_t sum = strlen(record->mangled) + strlen(record->demangled) + strlen(record->function) +
                 strlen(kernel->module.name) + strlen(kernel->module.options);
    sum += read_attributes(record->attributes, record->attribute_count);
    if (wl_report_load_instructions(report, kernel, NULL) != WL_OK)
        return sum;
    sum += strlen(kernel->module.text);
    for (size_t i = 0; i < record->instruction_count; i++) {
        const struct wl_record_instruction *instruction = &record->instructions[i];
        sum += strlen(instruction->text) + strlen(instruction->opcode) + strlen(instruction->pipe) +
               strlen(instruction->inlined_at) + strlen(instruction->function);
        const char *source = wl_report_source(report, instruction->file, NULL);
        sum += source ? strlen(source) : 0;
    }
    return sum;
}

static inline size_t read_launch(struct wl_report *report, const struct wl_report_launch *launch)
{
    const struct wl_record_launch *record = &launch->record;
    size_t sum = strlen(record->message) + strlen(record->range) + strlen(launch->device->model) +
                 strlen(launch->device->name) + strlen(launch->process->record.executable);
    sum += read_attributes(record->attributes, record->attribute_count);
    sum += read_attributes(launch->device->attributes, launch->device->attribute_count);
    for (size_t i = 0; i < record->value_count; i++)
        sum += wl_report_value(launch, record->values[i].name, NULL, NULL);
    sum += read_kernel(report, launch->kernel);
    if (wl_report_load_launch(report, launch, NULL) != WL_OK)
        return sum;
    for (size_t i = 0; i < record->instruction_value_count; i++) {
        const struct wl_record_instruction_value *value = &record->instruction_values[i];
        sum += strlen(record->instruction_value_names[value->name]) +
               record->instruction_value_marks[value->name] +
               strlen(launch->kernel->record.instructions[value->instruction].text);
    }
    return sum;
}

static inline size_t report_read_all(struct wl_report *report)
{
    size_t count, sum = 0;
    const struct wl_record_attribute *session = wl_report_session(report, &count);
    sum += read_attributes(session, count);
    const struct wl_report_process *processes = wl_report_processes(report, &count);
    for (size_t i = 0; i < count; i++)
        sum += strlen(processes[i].record.host) + strlen(processes[i].record.command_line);
    const struct wl_report_launch *launches = wl_report_launches(report, &count);
    for (size_t i = 0; i < count; i++)
        sum += read_launch(report, &launches[i]);
    const struct wl_report_note *notes = wl_report_notes(report, &count);
    for (size_t i = 0; i < count; i++)
        sum += strlen(notes[i].record.code) + strlen(notes[i].record.text) +
               strlen(notes[i].record.hint) + strlen(notes[i].process->record.host);
    return sum;
}

#endif
