/* The simulated GPU as the API libraries (cudart, cuda, cublas) see it: one device per process,
 * created at first use from wl_device_configure or the environment (WARPLENS_GPU,
 * WARPLENS_GPU_FOLDER), behind one lock. A launch runs to its end before the call returns, so that
 * streams are in order by themselves and events are complete when recorded.
 *
 * Device memory is host memory and a device pointer is a host address. Every function returns an
 * enum wl_device_code, whose numbers are those the CUDA runtime and driver share. Functions may be
 * called from any thread; observer functions are called with the lock held and must not call back.
 */
#ifndef WL_DEVICE_DEVICE_H
#define WL_DEVICE_DEVICE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/export.h"
#include "binary/compiled.h"
#include "device/observer.h"
#include "gpu/gpu.h"

enum wl_device_code {
    WL_DEVICE_OK = 0,
    WL_DEVICE_INVALID_VALUE = 1,
    WL_DEVICE_OUT_OF_MEMORY = 2,
    WL_DEVICE_NOT_INITIALIZED = 3,
    WL_DEVICE_INVALID_CONFIGURATION = 9,
    WL_DEVICE_INVALID_PITCH = 12,
    WL_DEVICE_INVALID_SYMBOL = 13,
    WL_DEVICE_INVALID_CHANNELS = 20,
    WL_DEVICE_INVALID_DIRECTION = 21,
    WL_DEVICE_INVALID_FILTER = 26,
    WL_DEVICE_INVALID_NORM = 27,
    WL_DEVICE_MISSING_CONFIGURATION = 52,
    WL_DEVICE_INVALID_FUNCTION = 98,
    WL_DEVICE_NO_DEVICE = 100,
    WL_DEVICE_INVALID_DEVICE = 101,
    WL_DEVICE_INVALID_IMAGE = 200,
    WL_DEVICE_INVALID_CONTEXT = 201,
    WL_DEVICE_NO_IMAGE = 209,
    WL_DEVICE_UNSUPPORTED_LIMIT = 215,
    WL_DEVICE_INVALID_PTX = 218,
    WL_DEVICE_FILE_NOT_FOUND = 301,
    WL_DEVICE_INVALID_HANDLE = 400,
    WL_DEVICE_ILLEGAL_STATE = 401,
    WL_DEVICE_NOT_FOUND = 500,
    WL_DEVICE_NOT_READY = 600,
    WL_DEVICE_ILLEGAL_ADDRESS = 700,
    WL_DEVICE_OUT_OF_RESOURCES = 701,
    WL_DEVICE_LAUNCH_TIMEOUT = 702,
    WL_DEVICE_PEER_ALREADY_ENABLED = 704,
    WL_DEVICE_PEER_NOT_ENABLED = 705,
    WL_DEVICE_ASSERT = 710,
    WL_DEVICE_ALREADY_REGISTERED = 712,
    WL_DEVICE_NOT_REGISTERED = 713,
    WL_DEVICE_MISALIGNED = 716,
    WL_DEVICE_LAUNCH_FAILURE = 719,
    WL_DEVICE_COOPERATIVE_TOO_LARGE = 720,
    WL_DEVICE_NOT_PERMITTED = 800,
    WL_DEVICE_NOT_SUPPORTED = 801,
    WL_DEVICE_CAPTURE_UNSUPPORTED = 900,
    WL_DEVICE_CAPTURE_INVALIDATED = 901,
    WL_DEVICE_CAPTURE_MERGE = 902,
    WL_DEVICE_CAPTURE_UNMATCHED = 903,
    WL_DEVICE_CAPTURE_UNJOINED = 904,
    WL_DEVICE_CAPTURE_ISOLATION = 905,
    WL_DEVICE_CAPTURE_IMPLICIT = 906,
    WL_DEVICE_CAPTURED_EVENT = 907,
    WL_DEVICE_GRAPH_UPDATE_FAILED = 910,
    WL_DEVICE_UNKNOWN = 999,
};

/* ---- the process's device ---- */

enum wl_device_l1 { WL_DEVICE_L1_AS_COMPILED, WL_DEVICE_L1_ON, WL_DEVICE_L1_OFF };

struct wl_device_options {
    const char *gpu;        /* model name; NULL or "": WARPLENS_GPU, else "h200" */
    const char *gpu_folder; /* more models; NULL or "": WARPLENS_GPU_FOLDER, else none */
    uint32_t threads;       /* workers of the simulator, 0: all cores */
    bool keep_caches;       /* --cache-control none */
    bool skip_prediction;   /* count only: no time, no warp states */
    bool predict_all; /* also launches that the observer does not count, unless one like it was */
    bool whatif;      /* predict also what launches would take without each cause */
    enum wl_device_l1 l1_global;
    bool strict_arch;     /* PTX for a newer GPU is refused, as hardware does */
    uint32_t checks;      /* enum wl_sim_check: of counted launches */
    uint64_t budget;      /* instructions that a warp may run, 0: any number */
    bool check_memory;    /* freed memory is not given out again soon */
    bool stop_at_finding; /* the first error that a check finds breaks the context */
    /* what ptxas said of the program's PTX, for kernels without machine code; may be NULL; must
     * outlive the process's launches */
    const struct wl_compiled *compiled;
    const struct wl_device_observer
        *observer; /* may be NULL; must outlive the process's launches */
};

/* Sets the options (strings are copied). WL_ERR_USAGE once the device is in use, or if the GPU is
 * not known. Without this call the defaults of a zeroed struct hold. */
enum wl_code wl_device_configure(const struct wl_device_options *options, struct wl_error *error);

/* Creates the device if need be. WL_DEVICE_OK, WL_DEVICE_NO_DEVICE (unknown GPU model, said once on
 * stderr), WL_DEVICE_NOT_INITIALIZED (in a child forked after first use), or the error of a kernel
 * that broke the context, which stays until wl_device_reset. */
WL_EXPORT int wl_device_check(void);

/* How many equal devices there are: WARPLENS_DEVICES, else 1. They are names only: memory, streams
 * and modules are those of the one simulated GPU. */
enum { WL_DEVICES_MAX = 64 };
WL_EXPORT int wl_device_count(void);
/* The device this thread works with, 0 at first; WL_DEVICE_INVALID_DEVICE if there is no such one.
 */
WL_EXPORT int wl_device_current(void);
WL_EXPORT int wl_device_select(int device);
/* Notes that the runtime API is used: the driver API then finds the primary context current, as on
 * hardware. */
WL_EXPORT void wl_device_use_runtime(void);
WL_EXPORT bool wl_device_is_runtime_used(void);

/* The model GPU; NULL if it cannot be loaded. Creates the device. */
WL_EXPORT const struct wl_gpu *wl_device_gpu(void);

/* cudaDeviceReset: frees the program's allocations, streams and events, forgets a sticky error and
 * sets module variables back to their initial values. Modules stay. */
WL_EXPORT int wl_device_reset(void);

/* Forgets everything, options and modules too. Handles become invalid. For tests. */
void wl_device_shutdown(void);

/* A row of the device attribute table: number as CUdevice_attribute, name as in ncu's
 * device__attribute_<name>. */
struct wl_device_attribute {
    int number;
    const char *name;
};
extern const struct wl_device_attribute wl_device_attributes[];
extern const size_t wl_device_attribute_count;
/* WL_DEVICE_INVALID_VALUE for an unknown number. */
WL_EXPORT int wl_device_get_attribute(int number, int *value);

/* Says something about the run: to the observer, and for warnings and errors one line
 * "warplens: text; hint" on stderr. severity as enum wl_note_severity (0 info, 1 warning, 2 error).
 */
WL_EXPORT void wl_device_say(int severity, const char *code, const char *hint, const char *format,
                             ...) __attribute__((format(printf, 4, 5)));
/* "warplens: NAME is not supported ..." on stderr, the first time for each name. Always returns
 * WL_DEVICE_NOT_SUPPORTED. */
WL_EXPORT int wl_device_refuse(const char *function);

/* cudaProfilerStart/Stop. */
WL_EXPORT int wl_device_profiler_switch(bool active);

/* ---- memory ---- */

enum wl_device_memory_kind {
    WL_DEVICE_MEMORY_HOST = 1, /* page-locked: allocated or registered */
    WL_DEVICE_MEMORY_DEVICE = 2,
    WL_DEVICE_MEMORY_MANAGED = 3,
    WL_DEVICE_MEMORY_MODULE = 4, /* variables of modules: device memory that is not freed */
    WL_DEVICE_MEMORY_ARRAY = 5,
};

struct wl_device_allocation {
    uint64_t start, size_bytes; /* as asked for */
    enum wl_device_memory_kind kind;
    uint32_t flags;     /* as given by the caller */
    bool is_registered; /* the program's own host memory */
};

/* Contents are those of fresh or reused pages; the addresses do not depend on the run.
 * WL_DEVICE_OUT_OF_MEMORY when the model GPU's or the host's memory is used up. Size 0 gives NULL.
 */
WL_EXPORT int wl_device_memory_allocate(enum wl_device_memory_kind kind, size_t size_bytes,
                                        uint32_t flags, void **address);
/* NULL is fine. WL_DEVICE_INVALID_VALUE if address is not the start of an allocation of that kind
 * (DEVICE frees MANAGED too). */
WL_EXPORT int wl_device_memory_free(enum wl_device_memory_kind kind, void *address);
WL_EXPORT int wl_device_memory_register(void *address, size_t size_bytes, uint32_t flags);
WL_EXPORT int wl_device_memory_unregister(void *address);
/* The allocation or registered range that address lies in; false if none. */
WL_EXPORT bool wl_device_memory_find(const void *address, struct wl_device_allocation *allocation);
/* Memory of all kinds that is still allocated: how many there are; the first count of them in
 * leaks. None while another thread is at work, and where an error ended the context. */
size_t wl_device_memory_leaks(struct wl_device_allocation *leaks, size_t count);
/* Bytes of the model GPU's memory; free also regards what the host has. */
WL_EXPORT int wl_device_memory_info(size_t *free_bytes, size_t *total_bytes);

/* Directions of cudaMemcpyKind. */
enum wl_device_direction {
    WL_DEVICE_HOST_TO_HOST,
    WL_DEVICE_HOST_TO_DEVICE,
    WL_DEVICE_DEVICE_TO_HOST,
    WL_DEVICE_DEVICE_TO_DEVICE,
    WL_DEVICE_BY_ADDRESS,
};

/* Boxes of bytes; a plain copy has height 1 and depth 1. */
struct wl_device_copy {
    void *to;
    const void *from;
    size_t width_bytes, height, depth;
    size_t to_pitch_bytes, from_pitch_bytes; /* between rows */
    size_t to_slice_bytes, from_slice_bytes; /* between slices */
    enum wl_device_direction direction;
    void *stream;  /* on the simulated clock */
    bool is_async; /* the host goes on where CUDA lets it */
};
WL_EXPORT int wl_device_memory_copy(const struct wl_device_copy *copy);
/* Sets elements of value_bytes (1, 2 or 4). width in elements. */
int wl_device_memory_fill_on(void *stream, void *to, uint32_t value, size_t value_bytes,
                             size_t width, size_t height, size_t pitch_bytes);
WL_EXPORT int wl_device_memory_fill(void *to, uint32_t value, size_t value_bytes, size_t width,
                                    size_t height, size_t pitch_bytes);

/* ---- modules and kernels ---- */

struct wl_device_module;
struct wl_device_kernel;

/* A fat binary registered by the program (struct of magic 0x466243B1). Nothing is read before one
 * of its kernels or variables is used. Never fails. */
WL_EXPORT struct wl_device_module *wl_device_module_register(const void *wrapper);
/* Loads PTX text (NUL-terminated), a fat binary container or wrapper, or joined texts.
 * WL_DEVICE_NO_IMAGE for machine code only, WL_DEVICE_INVALID_PTX, WL_DEVICE_INVALID_IMAGE. */
WL_EXPORT int wl_device_module_load(const void *image, struct wl_device_module **module);
/* Joins PTX texts into one image for wl_device_module_load, linked by the names of their variables.
 * free() it. */
WL_EXPORT void *wl_device_module_join(const char *const *texts, size_t count, size_t *size_bytes);
/* PTX of ours that stands in for a library's kernels. text must live on. */
WL_EXPORT int wl_device_module_load_stand_in(const char *text, const char *name,
                                             struct wl_device_module **module);
WL_EXPORT void wl_device_module_unload(struct wl_device_module *module);
/* Parses what is not parsed yet and lays out its variables. */
int wl_device_module_prepare(struct wl_device_module *module);
/* WL_DEVICE_NOT_FOUND if it has no such variable. */
WL_EXPORT int wl_device_module_symbol(struct wl_device_module *module, const char *name,
                                      void **address, size_t *size_bytes);
/* A handle for the kernel of that name, whether or not it exists: launching tells. Stable. */
WL_EXPORT struct wl_device_kernel *wl_device_module_kernel(struct wl_device_module *module,
                                                           const char *name);

struct wl_device_kernel_attributes {
    uint32_t max_threads_per_block, registers, ptx_version, binary_version;
    size_t shared_bytes, constant_bytes, local_bytes;
    uint32_t max_dynamic_shared_bytes;
    int32_t carveout_pct;
};
/* WL_DEVICE_INVALID_FUNCTION if there is no such kernel; WL_DEVICE_NOT_SUPPORTED if it cannot be
 * modelled (said once on stderr). */
WL_EXPORT int wl_device_kernel_attributes(struct wl_device_kernel *kernel,
                                          struct wl_device_kernel_attributes *attributes);
WL_EXPORT const char *wl_device_kernel_name(const struct wl_device_kernel *kernel);
WL_EXPORT struct wl_device_module *wl_device_kernel_module(const struct wl_device_kernel *kernel);
/* Whether its module defines it, without lowering it: WL_DEVICE_OK, WL_DEVICE_INVALID_FUNCTION or
 * the module's error. */
WL_EXPORT int wl_device_kernel_find(struct wl_device_kernel *kernel);
/* The first source line of the kernel of this name, whichever loaded module has it; file is the
 * module's. False where it has no line information. */
bool wl_device_kernel_place(const char *name, const char **file, uint32_t *line);
/* Number, and offset and size of each parameter; WL_DEVICE_INVALID_VALUE beyond the last. */
WL_EXPORT int wl_device_kernel_parameter(struct wl_device_kernel *kernel, size_t index,
                                         size_t *offset, size_t *size_bytes);
WL_EXPORT int wl_device_kernel_set_dynamic_shared(struct wl_device_kernel *kernel, int bytes);
WL_EXPORT int wl_device_kernel_set_carveout(struct wl_device_kernel *kernel, int pct);
/* Blocks of block_threads that an SM holds; 0 where they cannot be launched. */
WL_EXPORT int wl_device_kernel_occupancy(struct wl_device_kernel *kernel, uint32_t block_threads,
                                         size_t dynamic_shared_bytes,
                                         struct wl_occupancy *occupancy);

struct wl_device_request {
    struct wl_device_kernel *kernel;
    uint32_t grid[3], block[3];
    size_t shared_dynamic_bytes;
    void *stream;
    bool is_cooperative;
    void **parameters;   /* one pointer for each parameter; or NULL and */
    const void *buffer;  /* the packed parameters, */
    size_t buffer_bytes; /* not more than the kernel takes, rounded up to 8 */
};
/* Runs the kernel to its end. Errors of the launch itself are returned; errors while it ran are
 * returned by the calls that follow, as on hardware. */
WL_EXPORT int wl_device_launch(const struct wl_device_request *request);

/* ---- streams and events ---- */

/* Handles 0 (default), 1 (legacy) and 2 (per thread) need no creation. */
WL_EXPORT int wl_device_stream_create(uint32_t flags, int priority, void **stream);
WL_EXPORT int wl_device_stream_destroy(void *stream);
struct wl_device_stream_info {
    uint32_t id, flags;
    int priority;
};
/* WL_DEVICE_INVALID_HANDLE if stream is none. */
WL_EXPORT int wl_device_stream_query(void *stream, struct wl_device_stream_info *info);

/* The host waits: the simulated clock goes on to the end of the stream's work, of the event, of all
 * work of this thread's device. */
WL_EXPORT int wl_device_stream_wait(void *stream);
WL_EXPORT int wl_device_event_wait(void *event);
WL_EXPORT int wl_device_wait(void);

/* Events hold times of the simulated clock (device/clock.h). */
WL_EXPORT int wl_device_event_create(uint32_t flags, void **event);
WL_EXPORT int wl_device_event_destroy(void *event);
WL_EXPORT int wl_device_event_record(void *event, void *stream);
WL_EXPORT int wl_device_event_query(void *event);
/* The stream's further work begins after the event; no matter where the stream is captured. */
WL_EXPORT int wl_device_event_hold(void *event, void *stream);
/* Never 0 between two records. WL_DEVICE_INVALID_HANDLE for an event that was not recorded or has
 * timing disabled (flag 2). */
WL_EXPORT int wl_device_event_elapsed(void *start, void *end, float *elapsed_ms);

#endif
