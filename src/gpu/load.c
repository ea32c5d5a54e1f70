#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/embedded.h"
#include "base/memory.h"
#include "base/near.h"
#include "base/text.h"
#include "gpu/gpu.h"
#include "gpu/keys.h"

enum { most_models = 64, most_parents = 8 };

static const char suffix[] = ".gpu", defaults[] = "defaults.gpu";

/* One model being read: keys that a file has set are not taken from its parents. */
struct loading {
    struct wl_gpu *gpu;
    const char *folder;
    struct wl_text notes;
    bool *is_set; /* by key number */
    char parent[sizeof((struct wl_gpu *)0)->name];
    uint32_t parent_line; /* where the file named it, 0 if it names none */
};

static void cut_end(char *text)
{
    size_t length = strlen(text);
    while (length && strchr(" \t\r", text[length - 1]))
        text[--length] = '\0';
}

static char *skip_blanks(char *text)
{
    return text + strspn(text, " \t");
}

static char *list_names(void)
{
    struct wl_text names = {0};
    for (const char *const *name = wl_gpu_list(); *name; name++)
        wl_text_addf(&names, "%s%s", names.length ? ", " : "", *name);
    return wl_text_take(&names);
}

static void hint_names(struct wl_error *error)
{
    char *names = list_names();
    wl_error_set_hint(error, "known are: %s", names);
    free(names);
}

static void hint_key(const char *word, struct wl_error *error)
{
    struct wl_near near = {.word = word};
    struct wl_text hint = {0};
    for (size_t i = 0; i < wl_gpu_key_count(); i++)
        wl_near_offer(&near, wl_gpu_key_name(wl_gpu_key_at(i)));
    wl_near_print(&near, "", &hint);
    if (hint.length)
        wl_error_set_hint(error, "did you mean %s?", hint.data);
    wl_text_free(&hint);
}

static bool is_name(const char *name)
{
    size_t length =
        strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-");
    return length > 0 && length < sizeof((struct wl_gpu *)0)->name && name[length] == '\0';
}

/* The model as it is listed where the name differs from it by case alone, else the name; the
 * folder's own come first. The caller's. */
static char *listed_name(const char *name, size_t length, const char *folder)
{
    char *given = wl_string_copy_length(name, length);
    struct wl_text file = {0};
    wl_text_addf(&file, "%s/%s%s", folder ? folder : "", given, suffix);
    const bool is_own = is_name(given) && folder && access(file.data, F_OK) == 0;
    wl_text_free(&file);
    for (const char *const *listed = wl_gpu_list(); *listed && !is_own; listed++)
        if (!strcasecmp(*listed, given))
            memcpy(given, *listed, length);
    return given;
}

/* Finds the text of a model and what to call its file in errors. WL_ERR_USAGE if there is none. */
static enum wl_code read_model(const char *name, const char *folder, struct wl_text *text,
                               struct wl_text *file, struct wl_error *error)
{
    if (is_name(name) && folder) {
        wl_text_addf(file, "%s/%s%s", folder, name, suffix);
        if (access(file->data, F_OK) == 0)
            return wl_file_read(file->data, text, error);
        wl_text_free(file);
    }
    wl_text_addf(file, "%s%s", name, suffix);
    for (const struct wl_embedded_file *embedded = wl_embedded_gpus; embedded->name; embedded++) {
        if (!strcmp(embedded->name, file->data) && strcmp(file->data, defaults)) {
            wl_text_add_bytes(text, embedded->content, embedded->size_bytes);
            return WL_OK;
        }
    }
    return wl_error_set(error, WL_ERR_USAGE, "unknown GPU \"%s\"", name);
}

static enum wl_code read_parent(struct loading *loading, const char *value, uint32_t line,
                                struct wl_error *error)
{
    if (loading->parent_line)
        return wl_error_set(error, WL_ERR_INPUT, "parent is set twice");
    if (!is_name(value))
        return wl_error_set(error, WL_ERR_INPUT, "parent wants the name of a GPU, not \"%s\"",
                            value);
    strcpy(loading->parent, value);
    loading->parent_line = line;
    return WL_OK;
}

/* is_here: the keys that this file has set. level: 0 for the model itself, else how far up. */
static enum wl_code read_line(struct loading *loading, char *line, uint32_t number, bool *is_here,
                              const char *model, int level, struct wl_error *error)
{
    char *source = strchr(line, '#');
    if (source) {
        *source++ = '\0';
        source = skip_blanks(source);
        cut_end(source);
    }
    cut_end(line);
    line = skip_blanks(line);
    if (*line == '\0')
        return WL_OK;
    char *value = strchr(line, '=');
    if (!value)
        return wl_error_set(error, WL_ERR_INPUT, "expected \"key = value\", not \"%s\"", line);
    *value++ = '\0';
    cut_end(line);
    value = skip_blanks(value);
    if (strcmp(line, "parent") == 0)
        return read_parent(loading, value, number, error);

    const struct wl_gpu_key *key = wl_gpu_key_find(line);
    if (!key) {
        wl_error_set(error, WL_ERR_INPUT, "unknown key \"%s\"", line);
        hint_key(line, error);
        return WL_ERR_INPUT;
    }
    size_t key_number = wl_gpu_key_number(key);
    if (is_here[key_number])
        return wl_error_set(error, WL_ERR_INPUT, "%s is set twice", line);
    is_here[key_number] = true;
    struct wl_gpu scratch = {0}; /* a parent's value is checked even where it is not taken */
    bool is_taken = !loading->is_set[key_number];
    enum wl_code code = wl_gpu_key_set(key, value, is_taken ? loading->gpu : &scratch, error);
    if (code || !is_taken)
        return code;
    wl_text_addf(&loading->notes, "%s = %s%s%s", line, value, source ? "  # " : "",
                 source ? source : "");
    if (level)
        wl_text_addf(&loading->notes, " (from %s)", model);
    wl_text_add_char(&loading->notes, '\n');
    return WL_OK;
}

static enum wl_code read_lines(struct loading *loading, char *text, const char *file,
                               const char *model, int level, struct wl_error *error)
{
    bool *is_here = wl_alloc_zero(wl_gpu_key_count(), sizeof *is_here);
    enum wl_code code = WL_OK;
    uint32_t number = 0;
    for (char *line = text; line && !code;) {
        char *next = strchr(line, '\n');
        if (next)
            *next++ = '\0';
        number++;
        code = read_line(loading, line, number, is_here, model, level, error);
        if (code)
            wl_error_set_where(error, "%s:%u", file, number);
        line = next;
    }
    for (size_t i = 0; i < wl_gpu_key_count(); i++)
        loading->is_set[i] |= is_here[i];
    free(is_here);
    return code;
}

/* Reads name's file and then its parents', nearest first. */
static enum wl_code read_chain(struct loading *loading, const char *name, struct wl_error *error)
{
    enum wl_code code = WL_OK;
    char model[sizeof loading->parent];
    struct wl_text text = {0}, file = {0}, child_file = {0};
    uint32_t child_line = 0;
    for (int level = 0; !code; level++) {
        wl_text_free(&text);
        wl_text_free(&file);
        code = read_model(name, loading->folder, &text, &file, error);
        if (code && level == 0) {
            hint_names(error);
            break;
        }
        if (code || level > most_parents) {
            if (code == WL_ERR_USAGE)
                code = wl_error_set(error, WL_ERR_INPUT, "unknown parent \"%s\"", name);
            else if (!code)
                code =
                    wl_error_set(error, WL_ERR_INPUT,
                                 "more than %d parents: is a GPU its own ancestor?", most_parents);
            wl_error_set_where(error, "%s:%u", child_file.data, child_line);
            hint_names(error);
            break;
        }
        if (text.data && memchr(text.data, '\0', text.length)) {
            code = wl_error_set(error, WL_ERR_INPUT, "not a text file");
            wl_error_set_where(error, "%s", file.data);
            break;
        }
        loading->parent_line = 0;
        if (text.data)
            code = read_lines(loading, text.data, file.data, name, level, error);
        if (code || !loading->parent_line)
            break;
        strcpy(model, loading->parent);
        name = model;
        child_line = loading->parent_line;
        wl_text_free(&child_file);
        wl_text_add(&child_file, file.data);
    }
    wl_text_free(&text);
    wl_text_free(&file);
    wl_text_free(&child_file);
    return code;
}

static enum wl_code check_model(const struct loading *loading, struct wl_error *error)
{
    for (size_t i = 0; i < wl_gpu_key_count(); i++) {
        const struct wl_gpu_key *key = wl_gpu_key_at(i);
        if (wl_gpu_key_is_required(key) && !loading->is_set[i])
            return wl_error_set(error, WL_ERR_INPUT, "%s is missing", wl_gpu_key_name(key));
    }
    return wl_gpu_keys_check(loading->gpu, error);
}

/* ",clock_mhz=745,l2_slices=8": lines of a file that come before the model's own. */
static enum wl_code read_overrides(struct loading *loading, const char *list,
                                   struct wl_error *error)
{
    if (!*list)
        return WL_OK;
    struct wl_text lines = {0};
    for (const char *at = list; *at++ == ',';) {
        size_t length = strcspn(at, ",");
        size_t clock = strncmp(at, "clock_mhz=", 10) == 0 ? 10 : 0;
        if (clock) /* as people say it */
            wl_text_addf(&lines, "sm_clock_hz = %.*s MHz\n", (int)(length - clock), at + clock);
        else
            wl_text_addf(&lines, "%.*s\n", (int)length, at);
        at += length;
    }
    char *text = wl_text_take(&lines);
    enum wl_code code = read_lines(loading, text, "--gpu", "--gpu", 0, error);
    if (!code && loading->parent_line)
        code = wl_error_set(error, WL_ERR_USAGE, "a model's parent cannot be given with --gpu");
    else if (code)
        code = error->code = WL_ERR_USAGE;
    loading->parent_line = 0;
    free(text);
    return code;
}

enum wl_code wl_gpu_load(const char *name, const char *folder, struct wl_gpu *gpu,
                         struct wl_error *error)
{
    *gpu = (struct wl_gpu){0};
    struct loading loading = {.gpu = gpu, .folder = folder};
    loading.is_set = wl_alloc_zero(wl_gpu_key_count(), sizeof *loading.is_set);
    char *model = listed_name(name, strcspn(name, ","), folder);
    enum wl_code code = read_overrides(&loading, name + strlen(model), error);
    if (!code)
        code = read_chain(&loading, model, error);
    if (!code) {
        code = check_model(&loading, error);
        if (code)
            wl_error_set_where(error, "%s%s", name, suffix);
    }
    free(loading.is_set);
    if (!code)
        strcpy(gpu->name, model); /* read_model accepted it, so it fits */
    free(model);
    if (code) {
        wl_text_free(&loading.notes);
        *gpu = (struct wl_gpu){0};
        return code;
    }
    gpu->notes = wl_text_take(&loading.notes);
    return WL_OK;
}

void wl_gpu_free(struct wl_gpu *gpu)
{
    free(gpu->notes);
    *gpu = (struct wl_gpu){0};
}

struct dated {
    char name[sizeof((struct wl_gpu *)0)->name];
    uint32_t released;
};

static struct dated dated_models[most_models];
static const char *model_names[most_models + 1];
static pthread_once_t list_once = PTHREAD_ONCE_INIT;

static int compare_dates(const void *left, const void *right)
{
    const struct dated *a = left, *b = right;
    if (a->released != b->released)
        return a->released < b->released ? -1 : 1;
    return strcmp(a->name, b->name);
}

/* The month in a file's `released` line: reading whole models here would recurse through hints. */
static uint32_t find_release(const char *text)
{
    const char *line = strstr(text, "\nreleased");
    return line ? (uint32_t)strtoul(line + strcspn(line, "0123456789"), NULL, 10) : 0;
}

static void make_list(void)
{
    size_t count = 0;
    for (const struct wl_embedded_file *file = wl_embedded_gpus; file->name; file++) {
        size_t length = strlen(file->name) - (sizeof suffix - 1);
        if (!strcmp(file->name, defaults) || count == most_models ||
            length >= sizeof dated_models[0].name)
            continue;
        memcpy(dated_models[count].name, file->name, length);
        dated_models[count++].released = find_release(file->content);
    }
    qsort(dated_models, count, sizeof dated_models[0], compare_dates);
    for (size_t i = 0; i < count; i++)
        model_names[i] = dated_models[i].name;
}

const char *wl_gpu_default(void)
{
    const char *name = getenv("WARPLENS_GPU");
    return name && *name ? name : "h200";
}

const char *const *wl_gpu_list(void)
{
    pthread_once(&list_once, make_list);
    return model_names;
}
