/* Modules, kernels and what launches of them leave. Internal to device/; expects the lock
 * (core/state.h). */
#ifndef WL_DEVICE_KERNEL_STATE_H
#define WL_DEVICE_KERNEL_STATE_H

#include <uthash.h>

#include "binary/binary.h"
#include "device/core/state.h"
#include "device/kernel/direct.h"
#include "device/kernel/launch.h"
#include "device/kernel/library.h"

extern const struct wl_device_part wl_device_kernel_part;

/* One PTX text of a module and what belongs to it. */
struct wl_device_image {
    struct wl_device_module_info info;
    struct wl_image ptx; /* bytes NULL for stand-ins, whose text lives on */
    const char *text;
    size_t text_bytes;
    char hash[65]; /* of the text, where options.compiled is to be searched; else "" */
    bool is_parsed;
    int parse_code;
    struct wl_ptx_module *parsed;
    uint64_t *variable_addresses; /* of parsed->variables; 0 for extern or other spaces */
};

struct wl_device_module {
    const void *wrapper; /* registered, not read yet; else NULL */
    char *name;
    bool is_stand_in, is_loaded;
    uint32_t register_limit; /* of a thread, as the loader asked; 0: none */
    int load_code;
    struct wl_device_image *images;
    size_t image_count;
    struct wl_cubin cubin;            /* what ptxas made for the model's architecture, or empty */
    struct wl_device_kernel *kernels; /* by name */
    struct wl_device_module *previous, *next;
};

struct wl_device_whatif_row;
struct wl_device_stream_info;

/* Whether launches may be spared that an earlier one did. */
enum wl_device_sparing {
    WL_DEVICE_SPARING_UNKNOWN,
    WL_DEVICE_SPARING_MAY_BE,
    WL_DEVICE_SPARING_NEVER
};

struct wl_device_kernel {
    struct wl_device_module *module;
    char *name;
    bool is_tried, is_obstacle_reported, is_refusal_told;
    int code;              /* what launching answers; WL_DEVICE_OK if it is ready */
    struct wl_error error; /* why not */
    const struct wl_device_image *image;
    struct wl_program *program;
    struct wl_device_kernel_info info;
    uint32_t constant_bytes;
    uint32_t dynamic_shared_limit_bytes; /* 0: the default of the GPU */
    int32_t carveout_pct;
    uint32_t cluster[3]; /* set by the program, 0: not */
    bool has_large_clusters;
    struct wl_device_whatif_row *whatif;     /* kernel/whatif.c */
    enum wl_device_sparing sparing;          /* kernel/repeats.c */
    const struct wl_device_direct *direct;   /* of a stand-in; atomic; NULL: there is none */
    const struct wl_device_library *library; /* the same */
    UT_hash_handle hh;
};

struct wl_device_length_row; /* kernel/lengths.c */
struct wl_device_repeat;     /* kernel/repeats.c */

struct wl_device_kernels {
    struct wl_sim *sim;
    struct wl_device_module *modules;
    struct wl_device_module *runtime; /* device_runtime.ptx, once a kernel launches kernels */
    struct wl_device_length_row *lengths;
    struct wl_device_repeat *repeats;
    uint64_t repeat_kept_bytes;               /* of memory that launches changed */
    uint64_t spared, direct;                  /* launches */
    double hashed_bytes, hashed_ns;           /* of looks at memory, all together */
    uint64_t short_wait, end_wait, long_wait; /* kernel/watch.c; 0: the usual. For tests */
    bool spares_any;                          /* however little it gains; for tests */
    double counting_s, predicting_s;          /* that a usual host took, by what it did so far */
    double whatif_s;                          /* the same of replays without causes of delay */
};
extern struct wl_device_kernels wl_device_kernels;

int wl_device_module_open(struct wl_device_module *module);
/* The image that defines the entry, parsed; NULL if none (code says why). */
struct wl_device_image *wl_device_module_find_entry(struct wl_device_module *module,
                                                    const char *name, int *code,
                                                    struct wl_error *error);
/* The PTX of the image number index, or of the next that can be read; NULL after the last. */
const struct wl_ptx_module *wl_device_module_image(struct wl_device_module *module, size_t index);
/* A device function with a body in any of the module's images (-rdc); NULL if there is none. */
const struct wl_ptx_function *wl_device_module_find_function(struct wl_device_module *module,
                                                             const char *name,
                                                             const struct wl_ptx_module **found);
/* Address of a variable as seen from an image, by the module's linking; 0 if unknown. */
uint64_t wl_device_module_resolve(struct wl_device_module *module,
                                  const struct wl_device_image *image, const char *name);
/* The name of the module variable that has its memory there for itself; NULL if there is none. */
const char *wl_device_module_variable_at(uint64_t address);
/* Says what is wrong with the text of an image; the error is of a kernel then.
 * WL_DEVICE_INVALID_PTX.
 */
int wl_device_refuse_text(struct wl_error *error);
/* Sets the variables of an image to their initial values. */
void wl_device_module_initialise(struct wl_device_module *module, struct wl_device_image *image);
void wl_device_module_free(struct wl_device_module *module);
/* Splits the containers of a fat binary into images, one for each container. */
int wl_device_image_choose(const struct wl_fatbin *fatbin, struct wl_device_module *module);
/* What choosing does, for PTX that came without a choice: a note or, strictly, a refusal where it
 * is for a newer GPU than the model. */
int wl_device_image_check_target(const struct wl_device_image *image);
/* wl_device_module_load_stand_in and wl_device_module_kernel for who has the lock. */
int wl_device_module_take_stand_in(const char *text, const char *name,
                                   struct wl_device_module **module);
struct wl_device_kernel *wl_device_module_take_kernel(struct wl_device_module *module,
                                                      const char *name);
/* Lowers the kernel at its first use. Returns kernel->code. */
int wl_device_kernel_open(struct wl_device_kernel *kernel);
/* Whoever launches a block of so many threads has it compiled to fit: a guess of its registers goes
 * no higher. The kernel is open. */
void wl_device_kernel_fit_estimate(struct wl_device_kernel *kernel, uint32_t threads_per_block);
/* The clusters of a launch whose kernel is open, and its grid in blocks; or what is wrong. */
int wl_device_cluster_resolve(struct wl_device_request *request);
void wl_device_kernel_free(struct wl_device_kernel *kernel);
/* Reports a kernel that failed: "kernel NAME WHAT: message at where", the name demangled.
 */
void wl_device_kernel_note(const struct wl_device_kernel *kernel, const char *code,
                           const char *what, const struct wl_error *error);

/* What a launch's kernel launched. Owns each one's parameters. */
struct wl_device_children {
    WL_VECTOR_FIELDS(struct wl_sim_child);
};
/* Whether the launch can be made as it is asked for, but for a kernel that cannot run, whose code
 * then says so; and what with clusters its request is, and its stream. */
int wl_device_launch_check(const struct wl_device_request *asked,
                           struct wl_device_request *with_clusters,
                           struct wl_device_stream_info *stream);
/* One launch, without those that its kernel makes; these go to made, which is empty. With made NULL
 * they are run behind it, and it may go on beside the host (kernel/run.h). */
int wl_device_launch_one(const struct wl_device_request *request, struct wl_device_children *made);
/* Runs what a launch's kernel launched, in its stream, and what those launch; empties made. */
void wl_device_children_run(const struct wl_device_request *parent,
                            struct wl_device_children *made);
/* The device's runtime for kernels: NULL, and 0, if name is none of it. The module is the device's.
 */
const struct wl_ptx_function *wl_device_runtime_function(const char *name,
                                                         const struct wl_ptx_module **module);
uint64_t wl_device_runtime_address(const char *name);

#endif
