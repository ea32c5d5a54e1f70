/* What passes have counted, from run to run of the program: each run is one pass. A file holds a
 * counter image; another beside it what was counted, so that a run that does something else is
 * noticed. Files are named by the process, in order of beginning, and a number within it. */
#include "collect/cupti/images.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/folder.h"
#include "base/text.h"

enum { block_bytes = 4096, processes_max = 4096 };
static const uint64_t bytes_max = UINT64_C(4) << 30; /* of a process */

/* The first number that no process of this run has. */
static void claim(struct wl_collect_images *images)
{
    const struct wl_settings *settings = images->core->input.settings;
    images->is_claimed = true;
    for (images->process = 0; images->process < processes_max; images->process++) {
        char *path = wl_string_format("%s/run%u-process%u", settings->image_folder,
                                      settings->replay_pass, images->process);
        int result = mkdir(path, 0777);
        free(path);
        if (result == 0 || errno != EEXIST)
            return;
    }
}

static char *path_of(struct wl_collect_images *images, const struct wl_collect_image *image,
                     const char *what)
{
    if (!images->is_claimed)
        claim(images);
    return wl_string_format("%s/%s%u-%llu-%zu.%s", images->core->input.settings->image_folder,
                            image->kind, images->process, (unsigned long long)image->number,
                            image->part, what);
}

struct wl_collect_turn wl_collect_turn(const struct wl_collect_images *images,
                                       const struct wl_cupti_plan *plan)
{
    struct wl_collect_turn turn = {.pass = images->core->input.settings->replay_pass};
    turn.is_last = turn.pass + 1 >= plan->passes;
    while (turn.part + 1 < plan->parts.count && turn.pass >= plan->parts.items[turn.part].passes)
        turn.pass -= plan->parts.items[turn.part++].passes;
    return turn;
}

void wl_collect_images_tell_passes(const struct wl_collect_images *images,
                                   const struct wl_cupti_plan *plan)
{
    const struct wl_settings *settings = images->core->input.settings;
    if (settings->replay_pass != 0)
        return;
    char *path = wl_string_format("%s/passes", settings->image_folder);
    char *text = wl_string_format("%zu\n", plan->passes);
    wl_file_write(path, text, strlen(text), NULL);
    free(text);
    free(path);
}

/* The same in every run, as they count the same. */
bool wl_collect_images_are_full(const struct wl_collect_images *images)
{
    return images->bytes >= bytes_max;
}

/* Most of an image is zeros: those blocks are left out of the file, as holes. */
enum wl_code wl_collect_image_save(struct wl_collect_images *images,
                                   const struct wl_collect_image *image, const uint8_t *bytes,
                                   size_t count, struct wl_error *error)
{
    static const uint8_t zeros[block_bytes];
    char *path = path_of(images, image, "image");
    int file = open(path, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0666);
    bool is_good = file >= 0 && ftruncate(file, (off_t)count) == 0;
    for (size_t at = 0; is_good && at < count; at += block_bytes) {
        size_t length = count - at < block_bytes ? count - at : block_bytes;
        if (memcmp(bytes + at, zeros, length) != 0)
            is_good = pwrite(file, bytes + at, length, (off_t)at) == (ssize_t)length;
    }
    int reason = errno;
    images->bytes += count;
    if (file >= 0)
        is_good = close(file) == 0 && is_good;
    if (!is_good)
        wl_error_set(error, WL_ERR_OUTPUT, "cannot keep counters for the next run: %s",
                     strerror(reason));
    free(path);
    return is_good ? WL_OK : WL_ERR_OUTPUT;
}

static enum wl_code load(struct wl_collect_images *images, const struct wl_collect_image *image,
                         struct wl_text *bytes, struct wl_error *error)
{
    char *path = path_of(images, image, "image");
    enum wl_code code = wl_file_read(path, bytes, error);
    free(path);
    return code;
}

enum wl_code wl_collect_image_start(struct wl_collect_images *images,
                                    const struct wl_collect_image *image,
                                    struct wl_cupti_counting *counting, struct wl_error *error)
{
    struct wl_collect_turn turn = wl_collect_turn(images, &counting->plan);
    struct wl_text bytes = {0};
    if (turn.pass > 0) /* what the runs before do not have is counted for nothing */
        load(images, image, &bytes, NULL);
    enum wl_code code = wl_cupti_counting_start_pass(counting, turn.part, turn.pass, bytes.data,
                                                     bytes.length, error);
    wl_text_free(&bytes);
    return code;
}

void wl_collect_image_facts(struct wl_collect_images *images, const struct wl_collect_image *image,
                            const char *facts, struct wl_text *before)
{
    char *path = path_of(images, image, "facts");
    if (images->core->input.settings->replay_pass > 0) {
        wl_file_read(path, before, NULL);
    } else {
        wl_file_write(path, facts, strlen(facts), NULL);
        wl_text_add(before, facts);
    }
    free(path);
}

void wl_collect_image_set_unlike(struct wl_collect_images *images,
                                 const struct wl_collect_image *image, size_t range)
{
    char *path = path_of(images, image, "unlike");
    FILE *file = fopen(path, "a");
    if (file) {
        fprintf(file, "%zu\n", range);
        fclose(file);
    }
    free(path);
}

bool wl_collect_image_is_unlike(struct wl_collect_images *images,
                                const struct wl_collect_image *image, size_t range)
{
    struct wl_text lines = {0};
    bool is_unlike = false;
    for (size_t part = 0; part <= image->part && !is_unlike; part++) {
        struct wl_collect_image other = *image;
        other.part = part;
        char *path = path_of(images, &other, "unlike");
        wl_file_read(path, &lines, NULL);
        for (char *at = lines.data; at && *at && !is_unlike; at += strcspn(at, "\n") + 1)
            is_unlike = strtoull(at, NULL, 10) == range;
        wl_text_free(&lines);
        free(path);
    }
    return is_unlike;
}

static void read_part(const struct wl_cupti *cupti, const struct wl_cupti_part *part,
                      const uint8_t *bytes, size_t count, size_t range,
                      struct wl_collect_launch *launch)
{
    double *values = wl_alloc_zero(part->metric_count + 1, sizeof *values);
    struct wl_error error = {0};
    if (wl_cupti_part_evaluate(cupti, part, bytes, count, range, values, &error) == WL_OK)
        wl_collect_launch_add_values(launch, part, values);
    free(values);
}

void wl_collect_image_values(struct wl_collect_images *images,
                             const struct wl_cupti_counting *counting,
                             const struct wl_collect_image *image, size_t range,
                             struct wl_collect_launch *launch)
{
    const struct wl_cupti_plan *plan = &counting->plan;
    for (size_t i = 0; i < plan->parts.count; i++) {
        const struct wl_cupti_part *part = &plan->parts.items[i];
        struct wl_collect_image other = *image;
        struct wl_text bytes = {0};
        other.part = i;
        if (part == counting->part)
            read_part(counting->cupti, part, counting->image, counting->image_bytes, range, launch);
        else if (load(images, &other, &bytes, NULL) == WL_OK)
            read_part(counting->cupti, part, (const uint8_t *)bytes.data, bytes.length, range,
                      launch);
        wl_text_free(&bytes);
    }
}
