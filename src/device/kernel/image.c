/* Which PTX of a fat binary runs on the model GPU. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/sha256.h"
#include "device/kernel/state.h"

#define RESCUE "rebuild with NVCC_APPEND_FLAGS=\"-gencode arch=compute_%u,code=compute_%u\""

/* What a GPU would do with PTX that is too new for it. */
enum refusal { RUNS_MACHINE_CODE, REFUSES_PROGRAM = 209, REFUSES_TEXT = 218 };

static void note_newer(uint32_t architecture, bool is_specific, const char *name,
                       enum refusal refusal)
{
    char *would = refusal == RUNS_MACHINE_CODE
                      ? wl_string_copy("runs the machine code beside it instead")
                      : wl_string_format("refuses it with error %d", refusal);
    wl_device_note(0, "newer-target", "compile for the GPU that is modelled",
                   "the PTX of %s is for sm_%u%s and runs on a model of sm_%u as far as its "
                   "instructions can be modelled; such a GPU %s",
                   name ? name : "the program", architecture, is_specific ? "a" : "",
                   wl_device_state_capability(), would);
    free(would);
}

int wl_device_image_check_target(const struct wl_device_image *image)
{
    const struct wl_ptx_module *parsed = image->parsed;
    if (image->ptx.architecture || parsed->target_sm <= wl_device_state_capability())
        return WL_DEVICE_OK;
    if (!wl_device.options.strict_arch) {
        note_newer(parsed->target_sm, parsed->target_specific, NULL, REFUSES_TEXT);
        return WL_DEVICE_OK;
    }
    wl_device_note(2, "newer-target", "compile it for the GPU that is modelled",
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
        wl_device_note(2, "no-image", hint,
                       "the PTX of the program is for sm_%u, newer than the model GPU's sm_%u "
                       "(error 209)",
                       any->architecture, capability);
    else
        wl_device_note(2, "no-image", hint,
                       "the program holds machine code for sm_%u but no PTX, which the simulated "
                       "GPU needs (error 209)",
                       any->architecture);
    return WL_DEVICE_NO_IMAGE;
}

/* A library of device functions (libcudadevrt) is for whatever GPU its text names: they are not
 * what the program was compiled for. */
static bool has_kernels(const struct wl_device_module *module)
{
    return module->image_count && strstr(module->images[module->image_count - 1].text, ".entry");
}

/* One container. Machine code is there for its registers, as ptxas chose them: with -rdc the linked
 * code is in the last container and the last word. */
static void choose_images(const struct wl_image *images, size_t count,
                          struct wl_device_module *module)
{
    enum wl_image_fitness fitness;
    uint32_t capability = wl_device_state_capability();
    const struct wl_image *cubin = wl_image_choose_cubin(images, count, capability);
    bool accepts_newer = !wl_device.options.strict_arch || cubin;
    const struct wl_image *ptx =
        wl_image_choose_ptx(images, count, capability, accepts_newer, &fitness);
    if (cubin)
        wl_cubin_read(cubin->bytes, cubin->size_bytes, &module->cubin, NULL);
    if (ptx)
        take_image(module, ptx);
    if (ptx && fitness == WL_IMAGE_NEWER && has_kernels(module))
        note_newer(ptx->architecture, ptx->architecture_specific, ptx->source_name,
                   cubin ? RUNS_MACHINE_CODE : REFUSES_PROGRAM);
}

int wl_device_image_choose(const struct wl_fatbin *fatbin, struct wl_device_module *module)
{
    const struct wl_image *any_ptx = NULL;
    for (size_t first = 0, last; first < fatbin->count; first = last) {
        for (last = first; last < fatbin->count &&
                           fatbin->items[last].container == fatbin->items[first].container;
             last++)
            if (fatbin->items[last].kind == WL_IMAGE_PTX)
                any_ptx = &fatbin->items[last];
        choose_images(&fatbin->items[first], last - first, module);
    }
    if (module->image_count || !fatbin->count)
        return WL_DEVICE_OK;
    return refuse_module(any_ptx ? any_ptx : &fatbin->items[0], any_ptx != NULL);
}
