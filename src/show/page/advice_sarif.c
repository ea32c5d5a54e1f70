/* Findings as SARIF 2.1.0, as services that show findings beside code want them: each has a place
 * in a file, named from the root of the source tree, and a fingerprint that stays when lines move.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/sha256.h"
#include "show/format/json.h"
#include "show/page/advice_documents.h"
#include "show/page/advice_text.h"
#include "show/page/fields.h"
#include "warplens/version.h"

/* What the base of relative URIs is called by everybody. */
static const char root_name[] = "%SRCROOT%";

struct sarif {
    struct wl_view_context *context;
    const struct wl_view_advice *advice;
    char *root; /* folder, with '/' at its end; "" where no file has one */
    char (*fingerprints)[WL_SHA256_HEX_LENGTH + 1];
    size_t count;
};

/* ---- the root of the source tree ---- */

static bool is_repository(const char *folder, size_t length)
{
    char *path = wl_string_format("%.*s.git", (int)length, folder);
    bool is_there = access(path, F_OK) == 0;
    free(path);
    return is_there;
}

/* The innermost repository around the file, else the folder of the file. */
static char *root_of(const char *file)
{
    const char *slash = strrchr(file, '/');
    size_t length = slash ? (size_t)(slash - file) + 1 : 0, inner = length;
    while (length > 1 && !is_repository(file, length))
        for (length--; length && file[length - 1] != '/';)
            length--;
    return wl_string_copy_length(file, length > 1 ? length : inner);
}

/* Where files of several folders are named and no repository is around them: what they share. */
static void widen_root(struct sarif *sarif, const char *file)
{
    char *other = root_of(file);
    size_t same = 0, kept = 0;
    for (; sarif->root[same] && sarif->root[same] == other[same]; same++)
        if (sarif->root[same] == '/')
            kept = same + 1;
    bool is_fixed = is_repository(sarif->root, strlen(sarif->root));
    if (!is_fixed && kept > 1)
        sarif->root[kept] = '\0';
    free(other);
}

static void note_file(struct sarif *sarif, const char *file)
{
    if (!file || file[0] != '/')
        return;
    if (sarif->root)
        widen_root(sarif, file);
    else
        sarif->root = root_of(file);
}

/* ---- places ---- */

/* A kernel's first line of its own: what was inlined into it stands elsewhere. */
static struct wl_advice_place kernel_place(struct sarif *sarif,
                                           const struct wl_report_launch *launch)
{
    struct wl_advice_place place = {.file = ""};
    const struct wl_report_kernel *kernel = launch ? launch->kernel : NULL;
    struct wl_error ignored = {0}; /* then it has no line */
    if (!kernel || wl_report_load_instructions(sarif->context->report, kernel, &ignored))
        return place;
    for (size_t i = 0; i < kernel->record.instruction_count; i++) {
        const struct wl_record_instruction *at = &kernel->record.instructions[i];
        bool is_own = at->file && *at->file && at->line && !(at->inlined_at && *at->inlined_at);
        bool is_first = !place.line || (strcmp(place.file, at->file) == 0 && at->line < place.line);
        if (is_own && is_first)
            place = (struct wl_advice_place){.file = at->file, .line = at->line};
    }
    return place;
}

/* The finding's line; else the first of its kernel; else, of a whole program, the first line of the
 * kernel that was launched first; else the program's file. */
static struct wl_advice_place place_of(struct sarif *sarif, const struct wl_advice *advice)
{
    struct wl_view_context *context = sarif->context;
    struct wl_advice_place place = advice->place;
    if (place.line)
        return place;
    place = kernel_place(sarif, advice->launch);
    for (size_t i = 0; i < context->launch_count && !place.line && !advice->launch; i++)
        place = kernel_place(sarif, context->launches[i]);
    size_t count = 0;
    const struct wl_report_process *processes = wl_report_processes(context->report, &count);
    if (!place.line && count)
        place = (struct wl_advice_place){.file = processes[0].record.executable, .line = 1};
    return place;
}

/* What is no plain character of a path is escaped. */
static void add_uri(const char *path, struct wl_text *out)
{
    for (const unsigned char *at = (const unsigned char *)path; *at; at++) {
        bool is_plain = (*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') ||
                        (*at >= '0' && *at <= '9') || strchr("/-._~", *at);
        if (is_plain)
            wl_text_add_char(out, (char)*at);
        else
            wl_text_addf(out, "%%%02X", *at);
    }
}

static json_t *folder_json(const char *folder)
{
    struct wl_text uri = {0};
    wl_text_add(&uri, "file://");
    add_uri(folder, &uri);
    json_t *location = json_pack("{s:s}", "uri", uri.data);
    wl_text_free(&uri);
    return location;
}

/* The file from the root, where it lies below it. */
static const char *below_root(const struct sarif *sarif, const char *file)
{
    size_t length = sarif->root ? strlen(sarif->root) : 0;
    if (file[0] == '/' && length && strncmp(file, sarif->root, length) == 0)
        return file + length;
    return file;
}

static json_t *artifact_json(const struct sarif *sarif, const char *file)
{
    const char *below = below_root(sarif, file);
    struct wl_text uri = {0};
    wl_text_add(&uri, below[0] == '/' ? "file://" : "");
    add_uri(below, &uri);
    json_t *location = json_pack("{s:s}", "uri", uri.data);
    if (below[0] != '/' && sarif->root && *sarif->root)
        json_object_set_new(location, "uriBaseId", json_string(root_name));
    wl_text_free(&uri);
    return location;
}

static json_t *location_json(const struct sarif *sarif, const struct wl_advice *advice,
                             const struct wl_advice_place *place)
{
    json_t *location = json_object();
    if (place->file && *place->file) {
        json_t *region = json_pack("{s:I}", "startLine", (json_int_t)place->line);
        if (place->column > 0)
            json_object_set_new(region, "startColumn", json_integer(place->column));
        json_object_set_new(location, "physicalLocation",
                            json_pack("{s:o, s:o}", "artifactLocation",
                                      artifact_json(sarif, place->file), "region", region));
    }
    if (advice->launch)
        json_object_set_new(location, "logicalLocations",
                            json_pack("[{s:o, s:s}]", "fullyQualifiedName",
                                      wl_json_text(wl_fields_kernel(advice->launch)), "kind",
                                      "function"));
    return location;
}

/* ---- findings ---- */

/* Of the rule, the kernel, the file and the text of the line, not its number. Findings that are
 * alike in all of these are counted. */
static json_t *fingerprint_json(struct sarif *sarif, const struct wl_advice *advice,
                                const struct wl_advice_place *place)
{
    struct wl_text key = {0};
    size_t number = 1;
    char *line =
        advice->place.line ? wl_advice_source_line(sarif->context->report, &advice->place) : NULL;
    wl_text_addf(&key, "%s\n%s\n%s\n%s", advice->rule->id,
                 advice->launch ? wl_fields_kernel(advice->launch) : "",
                 place->file ? below_root(sarif, place->file) : "", line ? line : "");
    char *hash = sarif->fingerprints[sarif->count];
    wl_sha256_of(key.data, key.length, hash);
    for (size_t i = 0; i < sarif->count; i++)
        number += strcmp(sarif->fingerprints[i], hash) == 0;
    sarif->count++;
    char *print = wl_string_format("%.32s:%zu", hash, number);
    json_t *prints = json_pack("{s:s}", "warplens/v1", print);
    free(print);
    free(line);
    wl_text_free(&key);
    return prints;
}

static json_t *result_json(struct sarif *sarif, const struct wl_advice *advice)
{
    struct wl_text message = {0};
    const struct wl_advice_place place = place_of(sarif, advice);
    wl_text_add(&message, advice->title);
    if (advice->has_gain) {
        wl_text_add(&message, "; ");
        wl_advice_add_gain(advice, &message);
    }
    wl_text_addf(&message, ". %s", advice->todo);
    json_t *result =
        json_pack("{s:s, s:s, s:{s:o}, s:[o], s:o}", "ruleId", advice->rule->id, "level",
                  wl_advice_severity_name(advice->severity), "message", "text",
                  wl_json_text(message.data), "locations", location_json(sarif, advice, &place),
                  "partialFingerprints", fingerprint_json(sarif, advice, &place));
    json_t *properties =
        json_pack("{s:s, s:s}", "confidence", wl_advice_confidence_name(advice->confidence),
                  "group", advice->group);
    if (advice->has_gain) {
        json_object_set_new(properties, "saved", json_real(advice->saved));
        json_object_set_new(properties, "obtained",
                            json_string(wl_advice_method_name(advice->method)));
    }
    json_object_set_new(result, "properties", properties);
    wl_text_free(&message);
    return result;
}

static json_t *rules_json(const struct wl_rules *rules)
{
    size_t count = 0;
    const struct wl_rule *all = wl_rules_all(rules, &count);
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        json_array_append_new(list,
                              json_pack("{s:s, s:{s:o}, s:{s:o}, s:{s:o}}", "id", all[i].id,
                                        "shortDescription", "text", wl_json_text(all[i].name),
                                        "fullDescription", "text", wl_json_text(all[i].description),
                                        "help", "text", wl_json_text(all[i].advice)));
    return list;
}

static json_t *run_json(struct sarif *sarif)
{
    json_t *results = json_array();
    for (size_t i = 0; i < sarif->context->launch_count; i++)
        note_file(sarif, kernel_place(sarif, sarif->context->launches[i]).file);
    for (size_t i = 0; i < sarif->advice->finding_count && !sarif->root; i++)
        note_file(sarif, place_of(sarif, &sarif->advice->findings[i]).file);
    for (size_t i = 0; i < sarif->advice->finding_count; i++)
        json_array_append_new(results, result_json(sarif, &sarif->advice->findings[i]));
    json_t *run =
        json_pack("{s:{s:{s:s, s:s, s:o}}, s:o}", "tool", "driver", "name", "warplens", "version",
                  WL_VERSION_STRING, "rules", rules_json(sarif->advice->rules), "results", results);
    if (sarif->root && *sarif->root) {
        json_object_set_new(run, "originalUriBaseIds",
                            json_pack("{s:o}", root_name, folder_json(sarif->root)));
        json_object_set_new(run, "invocations",
                            json_pack("[{s:b, s:o}]", "executionSuccessful", 1, "workingDirectory",
                                      folder_json(sarif->root)));
    }
    return run;
}

enum wl_code wl_advice_write_sarif(struct wl_view_context *context, struct wl_text *out,
                                   struct wl_error *error)
{
    struct sarif sarif = {.context = context};
    enum wl_code code = wl_view_advise(context, &sarif.advice, error);
    if (code != WL_OK)
        return code;
    sarif.fingerprints = wl_alloc_zero(sarif.advice->finding_count, sizeof *sarif.fingerprints);
    json_t *root =
        json_pack("{s:s, s:s, s:[o]}", "$schema", "https://json.schemastore.org/sarif-2.1.0.json",
                  "version", "2.1.0", "runs", run_json(&sarif));
    char *dump = json_dumps(root, JSON_INDENT(2) | JSON_REAL_PRECISION(15));
    json_decref(root);
    free(sarif.root);
    free(sarif.fingerprints);
    if (!dump)
        return wl_error_set(error, WL_ERR_INTERNAL, "the page could not be written as JSON");
    wl_text_addf(out, "%s\n", dump);
    free(dump);
    return WL_OK;
}
