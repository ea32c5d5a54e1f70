/* The part of CUPTI's and the CUDA driver's binary interface that Warplens uses, declared here so
 * that neither is needed to build: both libraries are opened at run time (library.h). Sizes,
 * offsets and numbers are those of CUPTI 12.6 to 13; tests/cupti/abi_test.c compares them with the
 * headers of a toolkit where one is installed.
 *
 * Most calls take one structure whose first member is its own size: WL_CUPTI_INIT fills that in. */
#ifndef WL_HARDWARE_ABI_H
#define WL_HARDWARE_ABI_H

#include <stddef.h>
#include <stdint.h>

/* Calls with a structure want the offset behind the last member that they know, not sizeof; beside
 * each structure stands which that is. */
#define WL_CUPTI_SIZE(type) \
    (offsetof(struct type, type##_last) + sizeof(((struct type *)0)->type##_last))
#define WL_CUPTI_INIT(type) .struct_size = WL_CUPTI_SIZE(type)

struct wl_cuda_context; /* all opaque */
struct wl_cuda_stream;
struct wl_cuda_function;
struct wl_cuda_module;
struct wl_cuda_event;
struct wl_cupti_subscriber;
struct wl_cupti_host;
struct wl_cupti_ranges;

/* ---- the driver ---- */

enum wl_cuda_result {
    WL_CUDA_SUCCESS = 0,
    WL_CUDA_ERROR_STUB_LIBRARY = 34,
    WL_CUDA_ERROR_NO_DEVICE = 100,
};

enum wl_cuda_function_attribute {
    WL_CUDA_FUNCTION_MAX_THREADS = 0,
    WL_CUDA_FUNCTION_SHARED_BYTES = 1,
    WL_CUDA_FUNCTION_CONSTANT_BYTES = 2,
    WL_CUDA_FUNCTION_LOCAL_BYTES = 3,
    WL_CUDA_FUNCTION_REGISTERS = 4,
    WL_CUDA_FUNCTION_BINARY_VERSION = 6,
    WL_CUDA_FUNCTION_CARVEOUT = 9,
};

/* Of the launch calls: what a driver callback points to. */
struct wl_cuda_launch_parameters { /* cuLaunchKernel, cuLaunchCooperativeKernel */
    struct wl_cuda_function *function;
    uint32_t grid[3], block[3];
    uint32_t shared_bytes;
    struct wl_cuda_stream *stream;
    void **parameters; /* of the kernel */
    void **extra;      /* not of cuLaunchCooperativeKernel */
};
enum { WL_CUDA_LAUNCH_ATTRIBUTE_BYTES = 72 };
struct wl_cuda_launch_config {
    uint32_t grid[3], block[3];
    uint32_t shared_bytes;
    struct wl_cuda_stream *stream;
    void *attributes;
    uint32_t attribute_count;
};
struct wl_cuda_graph_parameters { /* cuGraphLaunch, cuGraphExecDestroy */
    const void *graph;
};
struct wl_cuda_launch_ex_parameters { /* cuLaunchKernelEx */
    const struct wl_cuda_launch_config *config;
    struct wl_cuda_function *function;
    void **parameters;
    void **extra;
};

/* ---- results ---- */

enum wl_cupti_result {
    WL_CUPTI_SUCCESS = 0,
    WL_CUPTI_ERROR_INVALID_PARAMETER = 1,
    WL_CUPTI_ERROR_INVALID_OPERATION = 7,
    WL_CUPTI_ERROR_OUT_OF_MEMORY = 8,
    WL_CUPTI_ERROR_MAX_LIMIT_REACHED = 12,
    WL_CUPTI_ERROR_NOT_COMPATIBLE = 14,
    WL_CUPTI_ERROR_NOT_INITIALIZED = 15,
    WL_CUPTI_ERROR_INVALID_METRIC_NAME = 17,
    WL_CUPTI_ERROR_HARDWARE_BUSY = 26,
    WL_CUPTI_ERROR_NOT_SUPPORTED = 27,
    WL_CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED = 33,
    WL_CUPTI_ERROR_INSUFFICIENT_PRIVILEGES = 35,
    WL_CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED = 39,
    WL_CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES = 40,
    WL_CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED = 41,
    WL_CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED = 42,
    WL_CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED = 43,
    WL_CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED = 44,
    WL_CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED = 45,
    WL_CUPTI_ERROR_INVALID_CHIP_NAME = 46,
    WL_CUPTI_ERROR_UNKNOWN = 999,
};

/* ---- callbacks ---- */

enum wl_cupti_domain {
    WL_CUPTI_DOMAIN_DRIVER = 1,
    WL_CUPTI_DOMAIN_RUNTIME = 2,
    WL_CUPTI_DOMAIN_RESOURCE = 3,
    WL_CUPTI_DOMAIN_STATE = 6,
};
enum wl_cupti_site { WL_CUPTI_ENTER = 0, WL_CUPTI_EXIT = 1 };

/* Numbers of driver calls; _ptsz: of programs with a default stream for each thread. */
enum wl_cupti_driver_call {
    WL_CUPTI_CALL_LAUNCH = 307,
    WL_CUPTI_CALL_PROFILER_START = 308,
    WL_CUPTI_CALL_PROFILER_STOP = 309,
    WL_CUPTI_CALL_LAUNCH_PTSZ = 442,
    WL_CUPTI_CALL_LAUNCH_COOPERATIVE = 477,
    WL_CUPTI_CALL_LAUNCH_COOPERATIVE_PTSZ = 478,
    WL_CUPTI_CALL_LAUNCH_COOPERATIVE_MULTI = 480,
    WL_CUPTI_CALL_BEGIN_CAPTURE = 495,
    WL_CUPTI_CALL_BEGIN_CAPTURE_PTSZ = 496,
    WL_CUPTI_CALL_END_CAPTURE = 497,
    WL_CUPTI_CALL_END_CAPTURE_PTSZ = 498,
    WL_CUPTI_CALL_GRAPH_LAUNCH = 514,
    WL_CUPTI_CALL_GRAPH_LAUNCH_PTSZ = 515,
    WL_CUPTI_CALL_GRAPH_EXEC_DESTROY = 516,
    WL_CUPTI_CALL_BEGIN_CAPTURE_V2 = 539,
    WL_CUPTI_CALL_BEGIN_CAPTURE_V2_PTSZ = 540,
    WL_CUPTI_CALL_LAUNCH_EX = 652,
    WL_CUPTI_CALL_LAUNCH_EX_PTSZ = 653,
    WL_CUPTI_CALL_BEGIN_CAPTURE_TO_GRAPH = 720,
    WL_CUPTI_CALL_BEGIN_CAPTURE_TO_GRAPH_PTSZ = 721,
};

enum wl_cupti_resource_call {
    WL_CUPTI_CONTEXT_CREATED = 1,
    WL_CUPTI_CONTEXT_DESTROY_STARTING = 2,
    WL_CUPTI_INIT_FINISHED = 5,
    WL_CUPTI_MODULE_LOADED = 6,
    WL_CUPTI_MODULE_UNLOAD_STARTING = 7,
};

enum wl_cupti_state_call { WL_CUPTI_STATE_FATAL_ERROR = 1, WL_CUPTI_STATE_ERROR = 2 };

struct wl_cupti_api_data {
    int site; /* enum wl_cupti_site */
    const char *function_name;
    const void *parameters;
    void *result; /* of the call, on its way out */
    const char *symbol;
    struct wl_cuda_context *context;
    uint32_t context_id;
    uint64_t *own_data;
    uint32_t correlation_id;
};
struct wl_cupti_resource_data {
    struct wl_cuda_context *context;
    struct wl_cuda_stream *stream;
    void *descriptor;
};
struct wl_cupti_module_data {
    uint32_t module_id;
    size_t cubin_bytes;
    const char *cubin;
};
struct wl_cupti_state_data {
    int result;
    const char *message;
};

typedef void wl_cupti_callback(void *own_data, int domain, uint32_t call, const void *data);

struct wl_cupti_subscribe {
    size_t struct_size;
    const char *name;
    char *old_name; /* who holds it already */
    size_t old_name_bytes;
};
#define wl_cupti_subscribe_last old_name_bytes

/* ---- activity records ---- */

enum wl_cupti_activity_kind {
    WL_CUPTI_ACTIVITY_MEMCPY = 1,
    WL_CUPTI_ACTIVITY_MEMSET = 2,
    WL_CUPTI_ACTIVITY_DRIVER = 4,
    WL_CUPTI_ACTIVITY_RUNTIME = 5,
    WL_CUPTI_ACTIVITY_CONCURRENT_KERNEL = 10,
    WL_CUPTI_ACTIVITY_UNIFIED_MEMORY = 25,
    WL_CUPTI_ACTIVITY_SYNCHRONIZATION = 38,
    WL_CUPTI_ACTIVITY_MEMORY = 49,
};
enum { WL_CUPTI_THREAD_ID_SYSTEM = 1 };
enum wl_cupti_activity_attribute {
    WL_CUPTI_ATTRIBUTE_DEVICE_BUFFER_BYTES = 0,
    WL_CUPTI_ATTRIBUTE_BUFFERS_ARE_ZERO = 5,
};
enum { WL_CUPTI_FLUSH_FORCED = 1, WL_CUPTI_RECORD_ALIGNMENT = 8 };

struct __attribute__((packed, aligned(8))) wl_cupti_activity {
    uint32_t kind;
};

/* The beginning that all versions of the record since CUDA 11 have in common. */
struct __attribute__((packed, aligned(8))) wl_cupti_kernel_activity {
    uint32_t kind;
    uint8_t cache_config, shared_config;
    uint16_t registers;
    uint32_t partitioned_requested, partitioned_executed;
    uint64_t start_ns, end_ns, completed_ns;
    uint32_t device_id, context_id, stream_id;
    int32_t grid[3], block[3];
    int32_t shared_static_bytes, shared_dynamic_bytes;
    uint32_t local_bytes_per_thread, local_bytes_total;
    uint32_t correlation_id;
    int64_t grid_id;
    const char *name;
    void *reserved;
    uint64_t queued_ns, submitted_ns;
    uint8_t launch_type, is_carveout_requested, carveout_requested, padding;
    uint32_t shared_executed_bytes;
    uint64_t graph_node_id;
    uint32_t shared_limit_config;
    uint32_t graph_id;
};

/* A call of the runtime or driver API. */
struct __attribute__((packed, aligned(8))) wl_cupti_api_activity {
    uint32_t kind, call;
    uint64_t start_ns, end_ns;
    uint32_t process_id, thread_id, correlation_id, result;
};

/* The beginnings that versions of the records since CUDA 11 have in common. */
struct __attribute__((packed, aligned(8))) wl_cupti_memcpy_activity {
    uint32_t kind;
    uint8_t copy_kind, source_kind, destination_kind, flags;
    uint64_t bytes, start_ns, end_ns;
    uint32_t device_id, context_id, stream_id, correlation_id, runtime_correlation_id, padding;
    void *reserved;
    uint64_t graph_node_id;
};
struct __attribute__((packed, aligned(8))) wl_cupti_memset_activity {
    uint32_t kind, value;
    uint64_t bytes, start_ns, end_ns;
    uint32_t device_id, context_id, stream_id, correlation_id;
    uint16_t flags, memory_kind;
    uint32_t padding;
    void *reserved;
    uint64_t graph_node_id;
};

/* Memory that was got or given back. */
enum wl_cupti_memory_operation { WL_CUPTI_MEMORY_NEW = 1, WL_CUPTI_MEMORY_FREE = 2 };
struct __attribute__((packed, aligned(8))) wl_cupti_memory_activity {
    uint32_t kind, operation, memory_kind, correlation_id;
    uint64_t address, bytes, time_ns, program_counter;
    uint32_t process_id, device_id, context_id, stream_id;
};

/* The host waits, or a stream does (WL_CUPTI_NO_ID where it is of none). */
#define WL_CUPTI_NO_ID UINT32_MAX
struct __attribute__((packed, aligned(8))) wl_cupti_synchronization_activity {
    uint32_t kind, synchronization_kind;
    uint64_t start_ns, end_ns;
    uint32_t correlation_id, context_id, stream_id, event_id;
};

/* Pages of managed memory that moved, or were looked for where they were not. */
enum wl_cupti_unified_kind {
    WL_CUPTI_UNIFIED_TO_DEVICE = 1,
    WL_CUPTI_UNIFIED_TO_HOST = 2,
    WL_CUPTI_UNIFIED_CPU_FAULT = 3,
    WL_CUPTI_UNIFIED_GPU_FAULT = 4,
    WL_CUPTI_UNIFIED_THRASHING = 5,
    WL_CUPTI_UNIFIED_THROTTLING = 6,
    WL_CUPTI_UNIFIED_REMOTE_MAP = 7,
    WL_CUPTI_UNIFIED_BETWEEN_DEVICES = 8,
    WL_CUPTI_UNIFIED_KIND_COUNT,
};
struct __attribute__((packed, aligned(8))) wl_cupti_unified_activity {
    uint32_t kind, unified_kind;
    uint64_t value; /* bytes, or faults */
    uint64_t start_ns, end_ns, address;
    uint32_t source_id, destination_id, stream_id, process_id, flags;
};
enum { WL_CUPTI_UNIFIED_OF_DEVICE = 1 };
struct wl_cupti_unified_config {
    int scope; /* WL_CUPTI_UNIFIED_OF_DEVICE */
    int kind;
    uint32_t device_id, is_on;
};

typedef void wl_cupti_buffer_request(uint8_t **buffer, size_t *size_bytes, size_t *records_max);
typedef void wl_cupti_buffer_complete(struct wl_cuda_context *context, uint32_t stream_id,
                                      uint8_t *buffer, size_t size_bytes, size_t valid_bytes);

/* ---- the profiler's host side: works without a GPU ---- */

enum wl_cupti_profiler_type { WL_CUPTI_RANGE_PROFILER = 0, WL_CUPTI_PM_SAMPLING = 1 };
enum wl_cupti_metric_type {
    WL_CUPTI_METRIC_COUNTER,
    WL_CUPTI_METRIC_RATIO,
    WL_CUPTI_METRIC_THROUGHPUT,
    WL_CUPTI_METRIC_TYPE_COUNT,
};

struct wl_cupti_host_initialize {
    size_t struct_size;
    void *reserved;
    int profiler_type;
    const char *chip;
    const uint8_t *availability;
    struct wl_cupti_host *host; /* out */
};
#define wl_cupti_host_initialize_last host
struct wl_cupti_host_deinitialize {
    size_t struct_size;
    void *reserved;
    struct wl_cupti_host *host;
};
#define wl_cupti_host_deinitialize_last host
struct wl_cupti_host_chips {
    size_t struct_size;
    void *reserved;
    size_t count;
    const char *const *names;
};
#define wl_cupti_host_chips_last names
struct wl_cupti_host_base_metrics {
    size_t struct_size;
    void *reserved;
    struct wl_cupti_host *host;
    int metric_type;
    const char **names; /* out */
    size_t count;       /* out */
};
#define wl_cupti_host_base_metrics_last count
struct wl_cupti_host_sub_metrics {
    size_t struct_size;
    void *reserved;
    struct wl_cupti_host *host;
    int metric_type;
    const char *metric;
    size_t count;       /* out */
    const char **names; /* out */
};
#define wl_cupti_host_sub_metrics_last names
struct wl_cupti_host_evaluate {
    size_t struct_size;
    void *reserved;
    struct wl_cupti_host *host;
    const uint8_t *image;
    size_t image_bytes;
    size_t range;
    const char **metrics;
    size_t metric_count;
    double *values; /* out */
};
#define wl_cupti_host_evaluate_last values
struct wl_cupti_host_add_metrics {
    size_t struct_size;
    void *reserved;
    struct wl_cupti_host *host;
    const char **metrics;
    size_t metric_count;
};
#define wl_cupti_host_add_metrics_last metric_count
struct wl_cupti_host_config_size {
    size_t struct_size;
    void *reserved;
    struct wl_cupti_host *host;
    size_t config_bytes; /* out */
};
#define wl_cupti_host_config_size_last config_bytes
struct wl_cupti_host_config {
    size_t struct_size;
    void *reserved;
    struct wl_cupti_host *host;
    size_t config_bytes;
    uint8_t *config;
};
#define wl_cupti_host_config_last config
struct wl_cupti_host_passes {
    size_t struct_size;
    void *reserved;
    size_t config_bytes;
    uint8_t *config;
    size_t passes; /* out */
};
#define wl_cupti_host_passes_last passes

/* ---- the profiler's device side ---- */

enum wl_cupti_support_level {
    WL_CUPTI_SUPPORT_UNKNOWN,
    WL_CUPTI_SUPPORT_UNSUPPORTED,
    WL_CUPTI_SUPPORT_DISABLED,
    WL_CUPTI_SUPPORTED,
};
enum wl_cupti_profiler_api {
    WL_CUPTI_API_RANGES = 0,
    WL_CUPTI_API_PC_SAMPLING = 1,
    WL_CUPTI_API_SASS = 2,
};
enum wl_cupti_range_mode { WL_CUPTI_AUTO_RANGE = 1, WL_CUPTI_USER_RANGE = 2 };
enum wl_cupti_replay_mode {
    WL_CUPTI_APPLICATION_REPLAY = 1,
    WL_CUPTI_KERNEL_REPLAY = 2,
    WL_CUPTI_USER_REPLAY = 3,
};

struct wl_cupti_chip_name {
    size_t struct_size;
    void *reserved;
    size_t device;
    const char *name; /* out: "GH100" */
};
#define wl_cupti_chip_name_last name
struct wl_cupti_simple { /* cuptiProfilerInitialize, cuptiProfilerDeInitialize */
    size_t struct_size;
    void *reserved;
};
#define wl_cupti_simple_last reserved
struct wl_cupti_support {
    size_t struct_size;
    void *reserved;
    int device;
    int is_supported, architecture, sli, vgpu, confidential, cmp, wsl; /* out: support levels */
    int api;
};
#define wl_cupti_support_last api
struct wl_cupti_availability {
    size_t struct_size;
    void *reserved;
    struct wl_cuda_context *context;
    size_t image_bytes;
    uint8_t *image;
};
#define wl_cupti_availability_last image
struct wl_cupti_ranges_enable {
    size_t struct_size;
    void *reserved;
    struct wl_cuda_context *context;
    struct wl_cupti_ranges *ranges; /* out */
};
#define wl_cupti_ranges_enable_last ranges
struct wl_cupti_ranges_call { /* Disable, Start, PopRange */
    size_t struct_size;
    void *reserved;
    struct wl_cupti_ranges *ranges;
};
#define wl_cupti_ranges_call_last ranges
struct wl_cupti_ranges_push {
    size_t struct_size;
    void *reserved;
    struct wl_cupti_ranges *ranges;
    const char *name;
};
#define wl_cupti_ranges_push_last name
struct wl_cupti_ranges_stop {
    size_t struct_size;
    void *reserved;
    struct wl_cupti_ranges *ranges;
    size_t pass;            /* out: the next one */
    size_t nesting_level;   /* out */
    uint8_t are_all_passes; /* out */
};
#define wl_cupti_ranges_stop_last are_all_passes
struct wl_cupti_ranges_decode {
    size_t struct_size;
    void *reserved;
    struct wl_cupti_ranges *ranges;
    size_t dropped; /* out */
};
#define wl_cupti_ranges_decode_last dropped
struct wl_cupti_ranges_config {
    size_t struct_size;
    void *reserved;
    struct wl_cupti_ranges *ranges;
    size_t config_bytes;
    const uint8_t *config;
    size_t image_bytes;
    uint8_t *image;
    int range_mode, replay_mode;
    size_t ranges_max;
    uint16_t nesting_levels, nesting_level_min;
    size_t pass;
    uint16_t nesting_level;
};
#define wl_cupti_ranges_config_last nesting_level
struct wl_cupti_ranges_image_size {
    size_t struct_size;
    void *reserved;
    struct wl_cupti_ranges *ranges;
    const char **metrics;
    size_t metric_count;
    size_t ranges_max;
    uint32_t nodes_max;
    size_t image_bytes; /* out */
};
#define wl_cupti_ranges_image_size_last image_bytes
struct wl_cupti_ranges_image_init {
    size_t struct_size;
    void *reserved;
    struct wl_cupti_ranges *ranges;
    size_t image_bytes;
    uint8_t *image;
};
#define wl_cupti_ranges_image_init_last image
struct wl_cupti_ranges_image_info {
    size_t struct_size;
    void *reserved;
    const uint8_t *image;
    size_t image_bytes;
    size_t range_count; /* out */
};
#define wl_cupti_ranges_image_info_last range_count

/* ---- saving and restoring a GPU's memory: libcheckpoint.so, beside libcupti ---- */

struct wl_cupti_checkpoint_call {
    size_t struct_size;
    struct wl_cuda_context *context;
    size_t reserved_device_mb, reserved_host_mb; /* memory that it must leave alone */
    uint8_t may_overwrite, optimizations;
    void *reserved;
};
#define wl_cupti_checkpoint_call_last reserved

/* ---- PC sampling ---- */

enum wl_cupti_sampling_mode { WL_CUPTI_SAMPLE_CONTINUOUS = 1, WL_CUPTI_SAMPLE_SERIALIZED = 2 };
enum wl_cupti_sampling_attribute {
    WL_CUPTI_SAMPLING_PERIOD = 1,
    WL_CUPTI_SAMPLING_STALL_REASONS = 2,
    WL_CUPTI_SAMPLING_SCRATCH_BYTES = 3,
    WL_CUPTI_SAMPLING_HARDWARE_BYTES = 4,
    WL_CUPTI_SAMPLING_MODE = 5,
    WL_CUPTI_SAMPLING_START_STOP = 6,
    WL_CUPTI_SAMPLING_FORMAT = 7,
    WL_CUPTI_SAMPLING_BUFFER = 8,
};
enum { WL_CUPTI_STALL_NAME_BYTES = 128, WL_CUPTI_SAMPLING_PARSED = 1 };

struct __attribute__((packed, aligned(8))) wl_cupti_stall {
    uint32_t reason; /* index */
    uint32_t samples;
};
struct __attribute__((packed, aligned(8))) wl_cupti_pc {
    size_t struct_size;
    uint64_t cubin_crc;
    uint64_t offset;
    uint32_t function_index, padding;
    char *function; /* one string for all instructions of a function, for good */
    size_t stall_count;
    struct wl_cupti_stall *stalls;
    uint32_t correlation_id;
};
struct __attribute__((packed, aligned(8))) wl_cupti_pc_data {
    size_t struct_size;
    size_t pcs_max;
    uint64_t samples, dropped;
    size_t pc_count, pcs_left;
    uint64_t range_id;
    struct wl_cupti_pc *pcs;
    uint64_t foreign_samples;
    uint8_t is_hardware_full;
};
struct wl_cupti_sampling_option {
    int attribute; /* enum wl_cupti_sampling_attribute */
    int result;    /* out */
    union {
        uint64_t words[3];
        uint32_t number;
        size_t size_bytes;
        struct {
            size_t count;
            uint32_t *indices;
        } reasons;
        void *buffer;
    } value;
};
struct wl_cupti_sampling_config {
    size_t struct_size;
    void *reserved;
    struct wl_cuda_context *context;
    size_t count;
    struct wl_cupti_sampling_option *options;
};
#define wl_cupti_sampling_config_last options
struct wl_cupti_sampling_call { /* Enable, Disable, Start, Stop */
    size_t struct_size;
    void *reserved;
    struct wl_cuda_context *context;
};
#define wl_cupti_sampling_call_last context
struct wl_cupti_sampling_get {
    size_t struct_size;
    void *reserved;
    struct wl_cuda_context *context;
    void *data;
};
#define wl_cupti_sampling_get_last data
struct wl_cupti_stall_count {
    size_t struct_size;
    void *reserved;
    struct wl_cuda_context *context;
    size_t *count;
};
#define wl_cupti_stall_count_last count
struct wl_cupti_stall_names {
    size_t struct_size;
    void *reserved;
    struct wl_cuda_context *context;
    size_t count;
    uint32_t *indices;
    char **names; /* each of WL_CUPTI_STALL_NAME_BYTES */
};
#define wl_cupti_stall_names_last names
struct wl_cupti_cubin_crc {
    size_t struct_size;
    size_t cubin_bytes;
    const void *cubin;
    uint64_t crc; /* out */
};
#define wl_cupti_cubin_crc_last crc

/* ---- counts at machine instructions ("SASS metrics") ---- */

struct wl_cupti_sass_metric {
    uint64_t id;
    const char *name, *description;
};
struct wl_cupti_sass_properties {
    size_t struct_size;
    void *reserved;
    const char *chip;
    const char *metric;
    struct wl_cupti_sass_metric found; /* out */
};
#define wl_cupti_sass_properties_last found
struct wl_cupti_sass_choice {
    uint64_t metric_id;
    uint8_t granularity; /* 0: over the whole GPU */
};
struct wl_cupti_sass_set_config {
    size_t struct_size;
    void *reserved;
    size_t count;
    struct wl_cupti_sass_choice *choices;
    uint32_t device;
};
#define wl_cupti_sass_set_config_last device
struct wl_cupti_sass_unset_config {
    size_t struct_size;
    void *reserved;
    uint32_t device;
};
#define wl_cupti_sass_unset_config_last device
struct wl_cupti_sass_enable {
    size_t struct_size;
    void *reserved;
    struct wl_cuda_context *context;
    uint8_t is_lazy;
};
#define wl_cupti_sass_enable_last is_lazy
struct wl_cupti_sass_disable {
    size_t struct_size;
    void *reserved;
    struct wl_cuda_context *context;
    size_t dropped; /* out */
};
#define wl_cupti_sass_disable_last dropped
struct wl_cupti_sass_data_size {
    size_t struct_size;
    void *reserved;
    struct wl_cuda_context *context;
    size_t record_count, instance_count; /* out */
};
#define wl_cupti_sass_data_size_last instance_count
struct wl_cupti_sass_value {
    uint64_t metric_id, value;
};
struct wl_cupti_sass_record {
    size_t struct_size;
    void *reserved;
    uint32_t cubin_crc, function_index;
    const char *function;
    uint32_t offset;
    struct wl_cupti_sass_value *values;
};
struct wl_cupti_sass_flush {
    size_t struct_size;
    void *reserved;
    struct wl_cuda_context *context;
    size_t record_count, instance_count;
    struct wl_cupti_sass_record *records;
};
#define wl_cupti_sass_flush_last instance_count /* so the header defines it */

/* ---- libnvperf_host: which counters a throughput is made of ---- */

struct wl_nvperf_evaluator;

enum wl_nvperf_metric_type { WL_NVPERF_COUNTER = 0, WL_NVPERF_THROUGHPUT = 2 };

struct wl_nvperf_simple {
    size_t struct_size;
    void *reserved;
};
#define wl_nvperf_simple_last reserved
struct wl_nvperf_size {
    size_t struct_size;
    void *reserved;
    const char *chip;
    const uint8_t *availability;
    size_t scratch_bytes; /* out */
};
#define wl_nvperf_size_last scratch_bytes
struct wl_nvperf_initialize {
    size_t struct_size;
    void *reserved;
    uint8_t *scratch;
    size_t scratch_bytes;
    const char *chip;
    const uint8_t *availability;
    const uint8_t *image;
    size_t image_bytes;
    struct wl_nvperf_evaluator *evaluator; /* out */
};
#define wl_nvperf_initialize_last evaluator
struct wl_nvperf_destroy {
    size_t struct_size;
    void *reserved;
    struct wl_nvperf_evaluator *evaluator;
};
#define wl_nvperf_destroy_last evaluator
struct wl_nvperf_names {
    size_t struct_size;
    void *reserved;
    struct wl_nvperf_evaluator *evaluator;
    uint8_t type;
    const char *text;     /* out: names, each with its 0 */
    const size_t *begins; /* out */
    size_t count;         /* out */
};
#define wl_nvperf_names_last count
struct wl_nvperf_throughput {
    size_t struct_size;
    void *reserved;
    struct wl_nvperf_evaluator *evaluator;
    size_t index;
    const char *description; /* out, as all below */
    uint32_t unit;
    size_t counter_count;
    const size_t *counters;
    size_t part_count;
    const size_t *parts; /* throughputs themselves */
};
#define wl_nvperf_throughput_last parts

#endif
