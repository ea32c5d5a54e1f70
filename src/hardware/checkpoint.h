/* Saving and restoring what a context's kernels can write: libcheckpoint.so, which comes with
 * libcupti. With it kernels can be replayed for further passes of counters. */
#ifndef WL_HARDWARE_CHECKPOINT_H
#define WL_HARDWARE_CHECKPOINT_H

#include <stdbool.h>

#include "base/error.h"
#include "hardware/abi.h"

struct wl_cupti_checkpoint {
    void *library;
    int (*save)(struct wl_cupti_checkpoint_call *call);
    int (*restore)(struct wl_cupti_checkpoint_call *call);
    int (*free)(struct wl_cupti_checkpoint_call *call);
    struct wl_cupti_checkpoint_call call; /* of what is saved; context NULL: nothing */
};

/* cupti_path: of the libcupti in use. False: there is none beside it. */
bool wl_cupti_checkpoint_open(const char *cupti_path, struct wl_cupti_checkpoint *checkpoint);

/* Nothing may run on the GPU during these. Errors: WL_ERR_UNSUPPORTED; what was saved is gone then.
 */
enum wl_code wl_cupti_checkpoint_save(struct wl_cupti_checkpoint *checkpoint,
                                      struct wl_cuda_context *context, struct wl_error *error);
enum wl_code wl_cupti_checkpoint_restore(struct wl_cupti_checkpoint *checkpoint,
                                         struct wl_error *error);
void wl_cupti_checkpoint_release(struct wl_cupti_checkpoint *checkpoint);

#endif
