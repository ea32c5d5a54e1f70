/* What the parts of the device layer share. Everything is guarded by wl_device.lock; functions here
 * expect it held. */
#ifndef WL_DEVICE_STATE_H
#define WL_DEVICE_STATE_H

#include <pthread.h>
#include <uthash.h>

#include "binary/binary.h"
#include "device/arena.h"
#include "device/device.h"
#include "device/timeline.h"
#include "sim/unwritten.h"

#define WL_DEVICE_CONTEXT_ID 1

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
    int load_code;
    struct wl_device_image *images;
    size_t image_count;
    struct wl_cubin cubin;            /* what ptxas made for the model's architecture, or empty */
    struct wl_device_kernel *kernels; /* by name */
    struct wl_device_module *previous, *next;
};

struct wl_device_kernel {
    struct wl_device_module *module;
    char *name;
    bool is_tried, is_obstacle_said;
    int code;              /* what launching answers; WL_DEVICE_OK if it is ready */
    struct wl_error error; /* why not */
    const struct wl_device_image *image;
    struct wl_program *program;
    struct wl_device_kernel_info info;
    uint32_t constant_bytes;
    uint32_t dynamic_shared_limit_bytes; /* 0: the default of the GPU */
    int32_t carveout_pct;
    UT_hash_handle hh;
};

struct wl_device_handle;
struct wl_device_array;

/* Texture and surface objects, by their handles; NULL where one was destroyed. */
struct wl_device_textures {
    struct wl_texture **items;
    size_t count, capacity;
};

struct wl_device_state {
    pthread_mutex_t lock;
    bool is_configured, is_started, is_forked, has_fork_handler;
    int start_code;  /* of creating the device */
    int sticky_code; /* of a kernel that broke the context */
    char *gpu_name, *gpu_folder;
    struct wl_device_options options;
    struct wl_gpu gpu;
    struct wl_sim *sim;
    struct wl_device_arena device_memory, host_memory;
    struct wl_device_blocks registered;    /* the program's own memory, sorted */
    struct wl_device_ranges ranges, pages; /* for launches; made anew when stale */
    bool ranges_are_stale;
    double counting_s, predicting_s;    /* that a usual host took, by what it did so far */
    struct wl_device_ranges freed;      /* allocations of before, the latest last */
    struct wl_device_ranges quarantine; /* freed and not yet to be given out, the oldest first */
    uint64_t quarantine_bytes;
    struct wl_unwritten *unwritten; /* device memory that nobody wrote; NULL: not checked */
    struct wl_device_module *modules;
    struct wl_device_handle *handles; /* streams and events */
    struct wl_device_array *arrays;
    struct wl_device_textures textures;
    struct wl_device_timeline timeline;
    uint64_t origin_ns; /* when the device was made, on the simulated clock */
    uint32_t next_stream_id;
    uint64_t next_module_id, next_kernel_id, next_launch_id;
};
extern struct wl_device_state wl_device;

/* Takes the lock; meanwhile the simulated clock stands still. */
void wl_device_enter(void);
void wl_device_leave(void);

/* As wl_device_check, with the lock held. */
int wl_device_state_check(void);
uint32_t wl_device_state_capability(void); /* 90 */

/* device memory */
int wl_device_memory_take(enum wl_device_memory_kind kind, uint64_t size_bytes, uint32_t flags,
                          uint64_t *address);
void wl_device_memory_drop(uint64_t address);
/* Frees all but module variables. */
void wl_device_memory_reset(void);
void wl_device_memory_close(void);
/* Brings wl_device.ranges (allocations) and wl_device.pages (what is mapped) up to date. */
void wl_device_memory_list(void);

/* wl_device_memory_find. */
bool wl_device_memory_look(uint64_t address, struct wl_device_allocation *allocation);

/* Whether the model GPU and the host have room for size_bytes more; taken_bytes: of virtual memory
 * management, with them. */
bool wl_device_memory_has_room(uint64_t size_bytes, uint64_t taken_bytes);

/* virtual memory management: what kernels may touch, sorted; around an address; how much there is
 */
void wl_device_virtual_list(struct wl_device_ranges *ranges);
bool wl_device_virtual_find(uint64_t address, struct wl_sim_range *range);
uint64_t wl_device_virtual_taken(void);
void wl_device_virtual_reset(void);

/* modules and kernels */
int wl_device_module_open(struct wl_device_module *module);
/* The image that defines the entry, parsed; NULL if none (code says why). */
struct wl_device_image *wl_device_module_find_entry(struct wl_device_module *module,
                                                    const char *name, int *code,
                                                    struct wl_error *error);
/* The PTX of the image number index, or of the next that can be read; NULL behind the last. */
const struct wl_ptx_module *wl_device_module_image(struct wl_device_module *module, size_t index);
/* A device function with a body in any of the module's images (-rdc); NULL if there is none. */
const struct wl_ptx_function *wl_device_module_find_function(struct wl_device_module *module,
                                                             const char *name,
                                                             const struct wl_ptx_module **found);
/* Address of a variable as seen from an image, by the module's linking; 0 if unknown. */
uint64_t wl_device_module_resolve(struct wl_device_module *module,
                                  const struct wl_device_image *image, const char *name);
/* Sets the variables of an image to their initial values. */
void wl_device_module_initialise(struct wl_device_module *module, struct wl_device_image *image);
void wl_device_module_free(struct wl_device_module *module);
/* Splits the containers of a fat binary into images, one for each container. */
int wl_device_image_choose(const struct wl_fatbin *fatbin, struct wl_device_module *module);
/* What choosing does, for PTX that came without a choice: a note or, strictly, a refusal where it
 * is for a newer GPU than the model. */
int wl_device_image_check_target(const struct wl_device_image *image);
/* Lowers the kernel at its first use. Returns kernel->code. */
int wl_device_kernel_open(struct wl_device_kernel *kernel);
void wl_device_kernel_free(struct wl_device_kernel *kernel);
/* Tells of a kernel that failed: "kernel NAME WHAT: message at where", the name as people read it.
 */
void wl_device_kernel_say(const struct wl_device_kernel *kernel, const char *code, const char *what,
                          const struct wl_error *error);

/* streams and events */
int wl_device_stream_find(void *stream, struct wl_device_stream_info *info);
/* Its place on the timeline, of a stream that there is; NULL for the default streams. */
struct wl_device_queue *wl_device_stream_queue(void *stream, uint32_t *device);
void wl_device_handles_reset(void);

/* arrays, texture and surface objects: forgets all of them; memory is freed elsewhere */
void wl_device_textures_reset(void);

#endif
