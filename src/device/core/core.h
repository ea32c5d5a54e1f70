/* What all parts of the simulated GPU share: error codes, the process's device and its options, and
 * messages to the user. One device per process, created at first use from wl_device_configure or
 * the environment (WARPLENS_GPU, WARPLENS_GPU_FOLDER).
 *
 * Functions of the device layer return an enum wl_device_code, whose numbers are those the CUDA
 * runtime and driver share, and may be called from any thread; core/state.h has the lock. */
#ifndef WL_DEVICE_CORE_CORE_H
#define WL_DEVICE_CORE_CORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/export.h"
#include "base/override.h"
#include "binary/compiled.h"
#include "device/core/observer.h"
#include "gpu/gpu.h"

enum wl_device_code {
    WL_DEVICE_OK = 0,
    WL_DEVICE_INVALID_VALUE = 1,
    WL_DEVICE_OUT_OF_MEMORY = 2,
    WL_DEVICE_NOT_INITIALIZED = 3,
    WL_DEVICE_INVALID_CONFIGURATION = 9,
    WL_DEVICE_INVALID_PITCH = 12,
    WL_DEVICE_INVALID_SYMBOL = 13,
    WL_DEVICE_INVALID_TEXTURE = 18,
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
    WL_DEVICE_OPERATING_SYSTEM = 304,
    WL_DEVICE_INVALID_HANDLE = 400,
    WL_DEVICE_ILLEGAL_STATE = 401,
    WL_DEVICE_NOT_FOUND = 500,
    WL_DEVICE_NOT_READY = 600,
    WL_DEVICE_ILLEGAL_ADDRESS = 700,
    WL_DEVICE_OUT_OF_RESOURCES = 701,
    WL_DEVICE_LAUNCH_TIMEOUT = 702,
    WL_DEVICE_PEER_ALREADY_ENABLED = 704,
    WL_DEVICE_PEER_NOT_ENABLED = 705,
    WL_DEVICE_CONTEXT_DESTROYED = 709,
    WL_DEVICE_ASSERT = 710,
    WL_DEVICE_ALREADY_REGISTERED = 712,
    WL_DEVICE_NOT_REGISTERED = 713,
    WL_DEVICE_ILLEGAL_INSTRUCTION = 715,
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
    WL_DEVICE_INVALID_CLUSTER_SIZE = 912,
    WL_DEVICE_UNKNOWN = 999,
};

struct wl_device_options {
#define WL_DEVICE_OPTION(type, field) type field;
#include "device/core/options.def"
    bool keep_caches;     /* --cache-control none */
    bool skip_prediction; /* count only: no time, no warp states */
    bool predict_all; /* also launches that the observer does not count, unless one like it was */
    uint32_t checks;  /* enum wl_sim_check: of counted launches */
    uint64_t budget;  /* instructions that a warp may run, 0: any number */
    uint32_t padding_bytes; /* left free behind allocations, variables and shared arrays */
    bool stop_at_finding;   /* the first error that a check finds breaks the context */
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

/* Before the program ends: waits for kernels that it did not wait for. False: one seems to wait for
 * ever, so that what is behind it was not done. */
bool wl_device_finish(void);

/* How many equal devices there are: WARPLENS_DEVICES, else 1. They are names only: memory, streams
 * and modules are those of the one simulated GPU. */
enum { WL_DEVICES_MAX = 64 };
WL_EXPORT int wl_device_count(void);
/* The device this thread works with, 0 at first; WL_DEVICE_INVALID_DEVICE if there is none.
 */
WL_EXPORT int wl_device_current(void);
WL_EXPORT int wl_device_select(int device);
/* Access of a device to another's memory, both of which there are, and not the same:
 * WL_DEVICE_PEER_ALREADY_ENABLED, WL_DEVICE_PEER_NOT_ENABLED. */
WL_EXPORT int wl_device_enable_peer(int device, int peer);
WL_EXPORT int wl_device_disable_peer(int device, int peer);
/* Notes that the runtime API is used: the driver API then finds the primary context current, as on
 * hardware. */
WL_EXPORT void wl_device_use_runtime(void);
WL_EXPORT bool wl_device_is_runtime_used(void);

/* The model GPU; NULL if it cannot be loaded. Creates the device. */
WL_EXPORT const struct wl_gpu *wl_device_gpu(void);
/* The same without the device, which a child may still use that is forked then. */
WL_EXPORT const struct wl_gpu *wl_device_model(void);
/* Whether the device was created, in this process. */
WL_EXPORT bool wl_device_is_started(void);

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
 * "warplens: text; hint" on stderr.
 */
WL_EXPORT void wl_device_note(enum wl_note_severity severity, const char *code, const char *hint,
                              const char *format, ...) __attribute__((format(printf, 4, 5)));
/* Lines that a GPU itself writes on stderr. */
void wl_device_tell(const char *lines);
/* "warplens: NAME is not supported ..." on stderr, the first time for each name. Always returns
 * WL_DEVICE_NOT_SUPPORTED. */
WL_EXPORT int wl_device_refuse(const char *function);

/* cudaProfilerStart/Stop. */
WL_EXPORT int wl_device_profiler_switch(bool active);

#endif
