/* Which PTX of a fat binary runs on the model GPU. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/sha256.h"
#include "device/state.h"

#define RESCUE "rebuild with NVCC_APPEND_FLAGS=\"-gencode arch=compute_%u,code=compute_%u\""

/* ptxas's numbers hold where it compiled for the very architecture of the model. With -rdc the
 * linked machine code is in the last container and the last word. */
static void read_cubins(const struct wl_fatbin *fatbin, struct wl_cubin *cubin)
{
    for (size_t i = 0; i < fatbin->count; i++) {
        const struct wl_image *image = &fatbin->items[i];
        if (image->kind == WL_IMAGE_CUBIN && image->architecture == wl_device_state_capability())
            wl_cubin_read(image->bytes, image->size_bytes, cubin, NULL);
    }
}

static void note_newer(uint32_t architecture, bool is_specific, const char *name)
{
    wl_device_say(0, "newer-target", "compile for the GPU that is modelled",
                  "the PTX of %s is for sm_%u%s and runs on a model of sm_%u as far as its "
                  "instructions can be modelled; such a GPU refuses it with error 209",
                  name, architecture, is_specific ? "a" : "", wl_device_state_capability());
}

int wl_device_image_check_target(const struct wl_device_image *image)
{
    const struct wl_ptx_module *parsed = image->parsed;
    if (image->ptx.architecture || parsed->target_sm <= wl_device_state_capability())
        return WL_DEVICE_OK;
    if (!wl_device.options.strict_arch) {
        note_newer(parsed->target_sm, parsed->target_specific, image->info.name);
        return WL_DEVICE_OK;
    }
    wl_device_say(2, "newer-target", "compile it for the GPU that is modelled",
                  "the PTX that the program loads is for sm_%u, newer than the model GPU's sm_%u "
                  "(error 218)",
                  parsed->target_sm, wl_device_state_capability());
    return WL_DEVICE_INVALID_PTX;
}

static void take_image(struct wl_device_module *module, const struct wl_image *ptx)
{
    module->images = wl_resize(module->images, module->image_count + 1, sizeof *module->images);
    struct wl_device_image *image = &module->images[module->image_count++];
    *image = (struct wl_device_image){.ptx = *ptx, .text_bytes = ptx->size_bytes};
    image->ptx.bytes = wl_alloc(ptx->size_bytes + 1);
    memcpy(image->ptx.bytes, ptx->bytes, ptx->size_bytes);
    image->ptx.bytes[ptx->size_bytes] = '\0';
    image->text = (const char *)image->ptx.bytes;
    image->ptx.options = wl_string_copy(ptx->options);
    image->ptx.source_name = wl_string_copy(ptx->source_name);
    if (wl_device.options.compiled)
        wl_sha256_of(image->text, image->text_bytes, image->hash);
    image->info.name = image->ptx.source_name ? image->ptx.source_name : "ptx";
    image->info.options = image->ptx.options ? image->ptx.options : "";
}

static int refuse_module(const struct wl_image *any, bool has_ptx)
{
    char hint[160];
    uint32_t capability = wl_device_state_capability();
    snprintf(hint, sizeof hint, RESCUE, capability, capability);
    if (has_ptx)
        wl_device_say(2, "no-image", hint,
                      "the PTX of the program is for sm_%u, newer than the model GPU's sm_%u "
                      "(error 209)",
                      any->architecture, capability);
    else
        wl_device_say(2, "no-image", hint,
                      "the program holds machine code for sm_%u but no PTX, which the simulated "
                      "GPU needs (error 209)",
                      any->architecture);
    return WL_DEVICE_NO_IMAGE;
}

int wl_device_image_choose(const struct wl_fatbin *fatbin, struct wl_device_module *module)
{
    const struct wl_image *any_ptx = NULL;
    for (size_t first = 0, last; first < fatbin->count; first = last) {
        enum wl_image_fitness fitness;
        for (last = first; last < fatbin->count &&
                           fatbin->items[last].container == fatbin->items[first].container;
             last++)
            if (fatbin->items[last].kind == WL_IMAGE_PTX)
                any_ptx = &fatbin->items[last];
        const struct wl_image *images = &fatbin->items[first];
        const struct wl_image *ptx =
            wl_image_choose_ptx(images, last - first, wl_device_state_capability(),
                                !wl_device.options.strict_arch, &fitness);
        if (!ptx)
            continue;
        take_image(module, ptx);
        if (fitness == WL_IMAGE_NEWER)
            note_newer(ptx->architecture, ptx->architecture_specific,
                       module->images[module->image_count - 1].info.name);
    }
    if (module->image_count)
        read_cubins(fatbin, &module->cubin);
    if (module->image_count || !fatbin->count)
        return WL_DEVICE_OK;
    return refuse_module(any_ptx ? any_ptx : &fatbin->items[0], any_ptx != NULL);
}
