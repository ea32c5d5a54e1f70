/* nvJitLink: links PTX, as the driver API's linker does; the result is an image that modules load,
 * whatever the program calls it. Objects, libraries and LTO-IR are refused. Names and numbers are
 * those of the nvJitLink documentation. */
#include <stdlib.h>
#include <string.h>

#include "api/common/stand_in.h"

#define MAGIC 0x776e6a6cu

enum { OK = 0, INVALID_INPUT = 4, NOT_SUPPORTED = 6 };
enum { INPUT_PTX = 2 };

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

int nvJitLinkAddData(struct linker *linker, int kind, const void *data, size_t size_bytes,
                     const char *name)
{
    (void)name;
    if (!wl_stand_in_check(linker, MAGIC) || !data)
        return INVALID_INPUT;
    if (kind != INPUT_PTX) {
        wl_device_refuse("nvJitLinkAddData (nvJitLink) of anything but PTX");
        return NOT_SUPPORTED;
    }
    char *text = wl_alloc_zero(size_bytes + 1, 1);
    memcpy(text, data, size_bytes);
    WL_PUSH(&linker->texts, text);
    return OK;
}

int nvJitLinkComplete(struct linker *linker)
{
    if (!wl_stand_in_check(linker, MAGIC) || linker->image || !linker->texts.count)
        return INVALID_INPUT;
    linker->image =
        wl_device_module_join(linker->texts.items, linker->texts.count, &linker->image_bytes);
    return linker->image ? OK : INVALID_INPUT;
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

#define U(name)                                 \
    int name(void);                             \
    int name(void)                              \
    {                                           \
        wl_device_refuse(#name " (nvJitLink)"); \
        return NOT_SUPPORTED;                   \
    }
#include "api/nvjitlink/unsupported.def"
#undef U

/* The header calls each function by a name with its version. */
#define V(name, version) extern __typeof__(name) __##name##_##version __attribute__((alias(#name)));
#include "api/nvjitlink/versions.def"
#undef V
