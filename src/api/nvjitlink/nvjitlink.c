/* nvJitLink: links PTX, as the driver API's linker does; the result is an image that modules load,
 * whatever the program calls it. Objects, libraries and LTO-IR are refused. Names and numbers are
 * those of the nvJitLink documentation. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/common/stand_in.h"

#define MAGIC 0x776e6a6cu

enum {
    OK = 0,
    INVALID_INPUT = 3,
    COMPILATION_FAILED = 4, /* of PTX */
    NOT_SUPPORTED = 6,      /* an error within */
    NULL_INPUT = 10,
    INCORRECT_KIND = 12,
};
enum { INPUT_NONE = 0, INPUT_PTX = 2, INPUT_ANY = 10 };

struct linker {
    uint32_t magic;
    WL_VECTOR(const char *) texts;
    char *image;
    size_t image_bytes;
};

int nvJitLinkCreate(struct linker **made, uint32_t option_count, const char **options)
{
    (void)option_count, (void)options; /* of the compiler */
    if (!made)
        return INVALID_INPUT;
    *made = wl_stand_in_create(MAGIC, sizeof **made);
    return OK;
}

int nvJitLinkDestroy(struct linker **linker)
{
    if (!linker || !wl_stand_in_check(*linker, MAGIC))
        return INVALID_INPUT;
    for (size_t i = 0; i < (*linker)->texts.count; i++)
        free((void *)(uintptr_t)(*linker)->texts.items[i]);
    free((*linker)->texts.items);
    free((*linker)->image);
    wl_stand_in_destroy(*linker, MAGIC);
    *linker = NULL;
    return OK;
}

/* A text that begins with a directive or a comment. */
static bool is_ptx(const char *text, size_t size_bytes)
{
    size_t i = 0;
    while (i < size_bytes && (text[i] == ' ' || (text[i] >= '\t' && text[i] <= '\r')))
        i++;
    return i < size_bytes && (text[i] == '.' || text[i] == '/');
}

/* Keeps or frees the text, which is ended by a zero. */
static int add(struct linker *linker, int kind, char *text, size_t size_bytes, const char *call)
{
    if (kind == INPUT_PTX || (kind == INPUT_ANY && is_ptx(text, size_bytes))) {
        WL_PUSH(&linker->texts, text);
        return OK;
    }
    free(text);
    if (kind == INPUT_NONE)
        return INCORRECT_KIND;
    wl_device_refuse(call);
    return NOT_SUPPORTED;
}

int nvJitLinkAddData(struct linker *linker, int kind, const void *data, size_t size_bytes,
                     const char *name)
{
    (void)name;
    if (!wl_stand_in_check(linker, MAGIC) || !data)
        return INVALID_INPUT;
    char *text = wl_alloc_zero(size_bytes + 1, 1);
    memcpy(text, data, size_bytes);
    return add(linker, kind, text, size_bytes, "nvJitLinkAddData (nvJitLink) of anything but PTX");
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
    if (!linker || !path)
        return NULL_INPUT;
    char *text = wl_stand_in_check(linker, MAGIC) ? read_file(path, &size_bytes) : NULL;
    if (!text)
        return INVALID_INPUT;
    return add(linker, kind, text, size_bytes, "nvJitLinkAddFile (nvJitLink) of anything but PTX");
}

int nvJitLinkComplete(struct linker *linker)
{
    if (!wl_stand_in_check(linker, MAGIC) || linker->image || !linker->texts.count)
        return INVALID_INPUT;
    linker->image =
        wl_device_module_join(linker->texts.items, linker->texts.count, &linker->image_bytes);
    return linker->image ? OK : COMPILATION_FAILED;
}

int nvJitLinkGetLinkedCubinSize(struct linker *linker, size_t *size_bytes)
{
    if (!wl_stand_in_check(linker, MAGIC) || !linker->image || !size_bytes)
        return INVALID_INPUT;
    *size_bytes = linker->image_bytes;
    return OK;
}

int nvJitLinkGetLinkedCubin(struct linker *linker, void *to)
{
    if (!wl_stand_in_check(linker, MAGIC) || !linker->image || !to)
        return INVALID_INPUT;
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

/* There is nothing to tell: an empty text. */
int nvJitLinkGetErrorLogSize(struct linker *linker, size_t *size_bytes)
{
    if (!wl_stand_in_check(linker, MAGIC) || !size_bytes)
        return INVALID_INPUT;
    *size_bytes = 1;
    return OK;
}

int nvJitLinkGetErrorLog(struct linker *linker, char *to)
{
    if (!wl_stand_in_check(linker, MAGIC) || !to)
        return INVALID_INPUT;
    *to = 0;
    return OK;
}

int nvJitLinkGetInfoLogSize(struct linker *linker, size_t *size_bytes)
{
    return nvJitLinkGetErrorLogSize(linker, size_bytes);
}

int nvJitLinkGetInfoLog(struct linker *linker, char *to)
{
    return nvJitLinkGetErrorLog(linker, to);
}

int nvJitLinkVersion(unsigned *major, unsigned *minor)
{
    if (!major || !minor)
        return INVALID_INPUT;
    *major = 13;
    *minor = 0;
    return OK;
}

/* The header calls each function by a name with its version. */
#define V(name, version) extern __typeof__(name) __##name##_##version __attribute__((alias(#name)));
#include "api/nvjitlink/versions.def"
#undef V
