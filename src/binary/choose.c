/* Which PTX and which machine code of a container run on a GPU. */
#include "binary/binary.h"

/* PTX runs on its own and newer architectures; architecture-specific PTX on its own only. */
static enum wl_image_fitness judge(const struct wl_image *image, uint32_t capability,
                                   bool accepts_newer)
{
    if (image->kind != WL_IMAGE_PTX)
        return WL_IMAGE_UNFIT;
    if (image->architecture == capability ||
        (image->architecture < capability && !image->architecture_specific))
        return WL_IMAGE_FIT;
    return accepts_newer ? WL_IMAGE_NEWER : WL_IMAGE_UNFIT;
}

/* Whether a is the better choice of two of the same fitness: the newest that fits, with the
 * specific one before the plain one; else the oldest that does not, the plain one first. */
static bool is_better(const struct wl_image *a, const struct wl_image *b,
                      enum wl_image_fitness fitness)
{
    bool fits = fitness == WL_IMAGE_FIT;
    if (a->architecture != b->architecture)
        return fits ? a->architecture > b->architecture : a->architecture < b->architecture;
    return fits ? a->architecture_specific && !b->architecture_specific
                : !a->architecture_specific && b->architecture_specific;
}

const struct wl_image *wl_image_choose_ptx(const struct wl_image *images, size_t count,
                                           uint32_t capability, bool accepts_newer,
                                           enum wl_image_fitness *fitness)
{
    const struct wl_image *best = NULL;
    *fitness = WL_IMAGE_UNFIT;
    for (size_t i = 0; i < count; i++) {
        enum wl_image_fitness mine = judge(&images[i], capability, accepts_newer);
        if (mine == WL_IMAGE_UNFIT || mine < *fitness)
            continue;
        if (mine > *fitness || is_better(&images[i], best, mine)) {
            best = &images[i];
            *fitness = mine;
        }
    }
    return best;
}

/* Machine code runs on later GPUs of its generation (80 on 86); architecture-specific code on its
 * own only. */
const struct wl_image *wl_image_choose_cubin(const struct wl_image *images, size_t count,
                                             uint32_t capability)
{
    const struct wl_image *best = NULL;
    for (size_t i = 0; i < count; i++) {
        const struct wl_image *image = &images[i];
        bool fits = image->kind == WL_IMAGE_CUBIN && image->architecture / 10 == capability / 10 &&
                    (image->architecture_specific ? image->architecture == capability
                                                  : image->architecture <= capability);
        if (fits && (!best || image->architecture >= best->architecture))
            best = image;
    }
    return best;
}
