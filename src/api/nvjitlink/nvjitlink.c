/* nvJitLink: links PTX, as the driver API's linker does; the result is an image that modules load,
 * whatever the program calls it. Objects, libraries and LTO-IR are refused. Names and numbers are
 * those of the nvJitLink documentation. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/common/stand_in.h"
#include "base/count.h"

#define MAGIC 0x776e6a6cu

enum {
    OK = 0,
    UNRECOGNIZED_OPTION = 1,
    MISSING_ARCHITECTURE = 2,
    INVALID_INPUT = 3,
    COMPILATION_FAILED = 4, /* of PTX */
    NO_LTO_IR = 5,
    INTERNAL = 6, /* what is not supported, and calls out of order */
    UNRECOGNIZED_INPUT = 8,
    NULL_INPUT = 10,
    INCOMPATIBLE_OPTIONS = 11,
    INCORRECT_KIND = 12,
    UNRECOGNIZED_ARCHITECTURE = 16,
};
enum input {
    INPUT_NONE,
    INPUT_CUBIN,
    INPUT_PTX,
    INPUT_LTO_IR,
    INPUT_FATBIN,
    INPUT_OBJECT,
    INPUT_LIBRARY,
    INPUT_INDEX,
    INPUT_ANY = 10
};

struct linker {
    uint32_t magic;
    bool wants_lto, wants_ptx, is_virtual;
    WL_VECTOR(const char *) texts;
    char *image;
    size_t image_bytes;
    WL_VECTOR(char) log; /* of errors, without a zero */
};

/* Status, behind a line in the log. */
static int fail(struct linker *linker, int status, const char *what, const char *name)
{
    for (; *what; what++)
        WL_PUSH(&linker->log, *what);
    for (; *name; name++)
        WL_PUSH(&linker->log, *name);
    WL_PUSH(&linker->log, '\n');
    return status;
}

/* ---- options ---- */

/* Options of the compilers; all but those of linking and of what is made change nothing here. */
static const struct {
    const char *name; /* that ends in '=' takes a value */
    enum { OTHER, ARCHITECTURE, LEVEL, LTO, PTX } meaning;
} options_known[] = {
    {"-arch=", ARCHITECTURE},
    {"-O", LEVEL},
    {"-lto", LTO},
    {"-dlto", LTO},
    {"-ptx", PTX},
    {"-g", OTHER},
    {"-r", OTHER},
    {"-time", OTHER},
    {"-verbose", OTHER},
    {"-lineinfo", OTHER},
    {"-no-cache", OTHER},
    {"-optimize-unused-variables", OTHER},
    {"-fma=", OTHER},
    {"-ftz=", OTHER},
    {"-prec-div=", OTHER},
    {"-prec-sqrt=", OTHER},
    {"-maxrregcount=", OTHER},
    {"-kernels-used=", OTHER},
    {"-variables-used=", OTHER},
    {"-split-compile=", OTHER},
    {"-split-compile-extended=", OTHER},
    {"-jump-table-density=", OTHER},
    {"-Xptxas=", OTHER},
    {"-Xnvvm=", OTHER},
};

/* sm_NN or compute_NN, of those that CUDA 12 and 13 know, perhaps with a letter. */
static int read_architecture(struct linker *linker, const char *value)
{
    static const char *const known[] = {"50", "52",  "53",  "60",  "61",  "62",  "70",
                                        "72", "75",  "80",  "86",  "87",  "88",  "89",
                                        "90", "100", "101", "103", "110", "120", "121"};
    linker->is_virtual = !strncmp(value, "compute_", 8);
    if (!linker->is_virtual && strncmp(value, "sm_", 3))
        return fail(linker, UNRECOGNIZED_OPTION, "missing option value: -arch=", value);
    const char *number = strchr(value, '_') + 1;
    const size_t digits = strspn(number, "0123456789");
    for (size_t i = 0; i < WL_COUNT(known); i++)
        if (strlen(known[i]) == digits && !strncmp(known[i], number, digits) &&
            (!number[digits] || (strchr("af", number[digits]) && !number[digits + 1])))
            return OK;
    return fail(linker, UNRECOGNIZED_ARCHITECTURE, "unrecognized architecture: ", value);
}

static int read_option(struct linker *linker, const char *option, bool *has_architecture)
{
    for (size_t i = 0; i < WL_COUNT(options_known); i++) {
        const char *name = options_known[i].name;
        const size_t length = strlen(name);
        const bool takes_value = name[length - 1] == '=' || options_known[i].meaning == LEVEL;
        if (strncmp(option, name, length) || (!takes_value && option[length]))
            continue;
        switch (options_known[i].meaning) {
        case ARCHITECTURE:
            *has_architecture = true;
            return read_architecture(linker, option + length);
        case LEVEL:
            return !strcmp(option, "-O0") || !strcmp(option, "-O3")
                       ? OK
                       : fail(linker, UNRECOGNIZED_OPTION, "unsupported value of -O: ", option + 2);
        case LTO:
            linker->wants_lto = true;
            return OK;
        case PTX:
            linker->wants_ptx = true;
            return OK;
        case OTHER:
            return OK;
        }
    }
    return fail(linker, UNRECOGNIZED_OPTION, "unrecognized option: ", option);
}

/* As nvJitLink itself: there is a linker with a log also where its options are wrong. */
int nvJitLinkCreate(struct linker **made, uint32_t option_count, const char **options)
{
    bool has_architecture = false;
    int status = OK;
    if (!made || !options || !option_count)
        return NULL_INPUT;
    struct linker *linker = *made = wl_stand_in_create(MAGIC, sizeof **made);
    for (uint32_t i = 0; i < option_count && !status; i++)
        status = options[i] ? read_option(linker, options[i], &has_architecture) : NULL_INPUT;
    if (!status && !has_architecture)
        status = MISSING_ARCHITECTURE;
    if (!status && linker->is_virtual && !linker->wants_ptx)
        status = fail(linker, INCOMPATIBLE_OPTIONS, "a virtual architecture requires -ptx", "");
    if (!status && linker->wants_ptx && !linker->wants_lto)
        status = fail(linker, INCOMPATIBLE_OPTIONS, "-ptx requires -lto", "");
    return status;
}

int nvJitLinkDestroy(struct linker **linker)
{
    if (!linker || !*linker)
        return NULL_INPUT;
    if (!wl_stand_in_check(*linker, MAGIC))
        return INVALID_INPUT;
    for (size_t i = 0; i < (*linker)->texts.count; i++)
        free((void *)(uintptr_t)(*linker)->texts.items[i]);
    free((*linker)->texts.items);
    free((*linker)->image);
    free((*linker)->log.items);
    wl_stand_in_destroy(*linker, MAGIC);
    *linker = NULL;
    return OK;
}

/* OK, or what is wrong with the linker or what goes with it. */
static int check(struct linker *linker, const void *other)
{
    if (!linker || !other)
        return NULL_INPUT;
    return wl_stand_in_check(linker, MAGIC) ? OK : INVALID_INPUT;
}

/* ---- what is linked ---- */

/* A text that begins with a directive or a comment. */
static bool is_ptx(const char *text, size_t size_bytes)
{
    size_t i = 0;
    while (i < size_bytes && (text[i] == ' ' || (text[i] >= '\t' && text[i] <= '\r')))
        i++;
    return i < size_bytes && (text[i] == '.' || text[i] == '/');
}

/* What it is by its first bytes; of LTO-IR these are not documented. */
static enum input kind_of(const char *data, size_t size_bytes)
{
    static const struct {
        const char *bytes;
        enum input kind;
    } rows[] = {{"\x7f"
                 "ELF",
                 INPUT_OBJECT},
                {"\x50\xed\x55\xba", INPUT_FATBIN},
                {"!<arch>\n", INPUT_LIBRARY}};
    for (size_t i = 0; i < WL_COUNT(rows); i++)
        if (size_bytes >= strlen(rows[i].bytes) &&
            !memcmp(data, rows[i].bytes, strlen(rows[i].bytes)))
            return rows[i].kind;
    return is_ptx(data, size_bytes) ? INPUT_PTX : INPUT_NONE;
}

/* What is wrong with it as that kind. */
static int check_kind(enum input kind, enum input found)
{
    switch (kind) {
    case INPUT_ANY:
        return found == INPUT_NONE ? UNRECOGNIZED_INPUT : OK;
    case INPUT_CUBIN:
        return found == INPUT_OBJECT ? OK : INCORRECT_KIND;
    case INPUT_PTX:
    case INPUT_FATBIN:
    case INPUT_OBJECT:
    case INPUT_LIBRARY:
        return found == kind ? OK : INCORRECT_KIND;
    case INPUT_LTO_IR:
    case INPUT_INDEX:
        return found == INPUT_NONE ? OK : INCORRECT_KIND;
    case INPUT_NONE:
        break;
    }
    return INCORRECT_KIND;
}

/* Whether the text has no error by itself; what it takes of others is looked for when it runs. */
static bool is_valid(const char *text)
{
    struct wl_device_module *module;
    const int code = wl_device_module_load(text, &module);
    if (code == WL_DEVICE_OK)
        wl_device_module_unload(module);
    return code != WL_DEVICE_INVALID_PTX && code != WL_DEVICE_INVALID_IMAGE;
}

/* Keeps or frees the text, which is ended by a zero. */
static int add(struct linker *linker, int kind, char *text, size_t size_bytes, const char *name,
               const char *call)
{
    const enum input found = kind_of(text, size_bytes);
    int status = linker->image ? INTERNAL : size_bytes ? OK : INVALID_INPUT;
    if (!status && check_kind((enum input)kind, found))
        status = fail(linker, check_kind((enum input)kind, found),
                      "input that is not of its type: ", name);
    if (!status && found != INPUT_PTX) {
        wl_device_refuse(call);
        status = INTERNAL;
    }
    if (!status && !is_valid(text))
        status = fail(linker, COMPILATION_FAILED, "PTX with an error: ", name);
    if (status)
        free(text);
    else
        WL_PUSH(&linker->texts, text);
    return status;
}

int nvJitLinkAddData(struct linker *linker, int kind, const void *data, size_t size_bytes,
                     const char *name)
{
    int status = check(linker, data);
    if (status)
        return status;
    char *text = wl_alloc_zero(size_bytes + 1, 1);
    memcpy(text, data, size_bytes);
    return add(linker, kind, text, size_bytes, name ? name : "",
               "nvJitLinkAddData (nvJitLink) of anything but PTX");
}

/* All of a file and a zero; NULL: it cannot be read. */
static char *read_file(const char *path, size_t *size_bytes)
{
    FILE *file = fopen(path, "rb");
    WL_VECTOR(char) text = {0};
    char part[4096];
    size_t got;
    if (!file)
        return NULL;
    while ((got = fread(part, 1, sizeof part, file)) > 0)
        for (size_t i = 0; i < got; i++)
            WL_PUSH(&text, part[i]);
    const bool has_failed = ferror(file);
    fclose(file);
    *size_bytes = text.count;
    WL_PUSH(&text, '\0');
    if (!has_failed)
        return text.items;
    free(text.items);
    return NULL;
}

int nvJitLinkAddFile(struct linker *linker, int kind, const char *path)
{
    size_t size_bytes = 0;
    int status = check(linker, path);
    if (status)
        return status;
    char *text = read_file(path, &size_bytes);
    if (!text)
        return fail(linker, INVALID_INPUT, "a file that cannot be read: ", path);
    return add(linker, kind, text, size_bytes, path,
               "nvJitLinkAddFile (nvJitLink) of anything but PTX");
}

int nvJitLinkComplete(struct linker *linker)
{
    int status = check(linker, linker);
    if (status || linker->image)
        return status ? status : INTERNAL;
    if (linker->wants_lto)
        return fail(linker, NO_LTO_IR, "there is no LTO-IR", "");
    linker->image =
        wl_device_module_join(linker->texts.items, linker->texts.count, 0, &linker->image_bytes);
    return OK;
}

/* ---- what is made ---- */

int nvJitLinkGetLinkedCubinSize(struct linker *linker, size_t *size_bytes)
{
    int status = check(linker, size_bytes);
    if (status || !linker->image)
        return status ? status : INTERNAL;
    *size_bytes = linker->image_bytes;
    return OK;
}

int nvJitLinkGetLinkedCubin(struct linker *linker, void *to)
{
    int status = check(linker, to);
    if (status || !linker->image)
        return status ? status : INTERNAL;
    memcpy(to, linker->image, linker->image_bytes);
    return OK;
}

/* There is PTX only of LTO-IR. */
int nvJitLinkGetLinkedPtxSize(struct linker *linker, size_t *size_bytes)
{
    return !linker || !size_bytes ? NULL_INPUT : INVALID_INPUT;
}

int nvJitLinkGetLinkedPtx(struct linker *linker, char *to)
{
    return !linker || !to ? NULL_INPUT : INVALID_INPUT;
}

/* With the zero behind a text; of no text it is 0. */
int nvJitLinkGetErrorLogSize(struct linker *linker, size_t *size_bytes)
{
    int status = check(linker, size_bytes);
    if (!status)
        *size_bytes = linker->log.count ? linker->log.count + 1 : 0;
    return status;
}

int nvJitLinkGetErrorLog(struct linker *linker, char *to)
{
    int status = check(linker, to);
    if (!status && linker->log.count) {
        memcpy(to, linker->log.items, linker->log.count);
        to[linker->log.count] = '\0';
    }
    return status;
}

/* There is nothing to tell. */
int nvJitLinkGetInfoLogSize(struct linker *linker, size_t *size_bytes)
{
    int status = check(linker, size_bytes);
    if (!status)
        *size_bytes = 0;
    return status;
}

int nvJitLinkGetInfoLog(struct linker *linker, char *to)
{
    return check(linker, to);
}

int nvJitLinkVersion(unsigned *major, unsigned *minor)
{
    if (!major || !minor)
        return NULL_INPUT;
    *major = 13;
    *minor = 0;
    return OK;
}

/* The header calls each function by a name with its version. */
#define V(name, version) extern __typeof__(name) __##name##_##version __attribute__((alias(#name)));
#include "api/nvjitlink/versions.def"
#undef V
