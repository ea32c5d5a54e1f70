/* What passes have counted, from run to run of the program, where each run is one pass
 * (images.c says how it is kept). */
#ifndef WL_COLLECT_CUPTI_IMAGES_H
#define WL_COLLECT_CUPTI_IMAGES_H

#include "collect/cupti/contexts.h"

/* What was counted in one go. */
struct wl_collect_image {
    const char *kind; /* "batch", "range", "graph" */
    uint64_t number;  /* within the process */
    size_t part;      /* of the plan */
};

struct wl_collect_images {
    const struct wl_collect_core *core;
    bool is_claimed;
    uint32_t process; /* in order of beginning */
    uint64_t bytes;   /* of all that were kept in this run */
};

/* Which pass this run is. */
struct wl_collect_turn {
    size_t part, pass; /* of the plan; of the part */
    bool is_last;
};

struct wl_collect_turn wl_collect_turn(const struct wl_collect_images *images,
                                       const struct wl_cupti_plan *plan);
/* In the first run: how many there must be, for who runs the program. */
void wl_collect_images_tell_passes(const struct wl_collect_images *images,
                                   const struct wl_cupti_plan *plan);
/* Whether no more of them are kept. */
bool wl_collect_images_are_full(const struct wl_collect_images *images);
/* Starts the pass of this run, with what those before have counted. */
enum wl_code wl_collect_image_start(struct wl_collect_images *images,
                                    const struct wl_collect_image *image,
                                    struct wl_cupti_counting *counting, struct wl_error *error);
/* Errors: WL_ERR_OUTPUT. */
enum wl_code wl_collect_image_save(struct wl_collect_images *images,
                                   const struct wl_collect_image *image, const uint8_t *bytes,
                                   size_t count, struct wl_error *error);
/* Keeps what was counted in the first run; gives what that was in all. */
void wl_collect_image_facts(struct wl_collect_images *images, const struct wl_collect_image *image,
                            const char *facts, struct wl_text *before);
/* A range of the image that was another one in another run. */
void wl_collect_image_set_unlike(struct wl_collect_images *images,
                                 const struct wl_collect_image *image, size_t range);
bool wl_collect_image_is_unlike(struct wl_collect_images *images,
                                const struct wl_collect_image *image, size_t range);
/* In the last run: adds the values of all parts, the one under way and those of runs before. */
void wl_collect_image_values(struct wl_collect_images *images,
                             const struct wl_cupti_counting *counting,
                             const struct wl_collect_image *image, size_t range,
                             struct wl_collect_launch *launch);

#endif
