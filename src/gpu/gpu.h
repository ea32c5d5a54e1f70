/* Descriptions of GPUs: limits, sizes, peaks, latencies and access rules, read from
 * data/gpus/NAME.gpu (text, `key = value  # source`). Values that a file does not give are
 * inherited from the one named by `parent`. */
#ifndef WL_GPU_GPU_H
#define WL_GPU_GPU_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

/* How the L1 treats a global load. */
enum wl_l1_policy { WL_L1_OFF, WL_L1_ON };

struct wl_gpu {
    char name[32];      /* "h200": what --gpu takes */
    char full_name[96]; /* "NVIDIA H200": cudaDeviceProp.name */
    uint32_t released;  /* year and month, 202411 */
    uint32_t capability_major, capability_minor;
    uint32_t sm_count;
    uint32_t schedulers_per_sm;
    uint32_t sms_per_tpc, tpcs_per_gpc; /* 0 if unknown */
    /* limits */
    uint32_t warp_size, max_threads_per_block, max_threads_per_sm, max_warps_per_sm,
        max_blocks_per_sm;
    uint32_t registers_per_sm, registers_per_block, max_registers_per_thread;
    uint32_t register_allocation_unit; /* registers per warp are rounded up to this */
    uint32_t warp_allocation_granularity;
    uint32_t shared_per_sm_bytes, shared_per_block_bytes, shared_per_block_optin_bytes;
    uint32_t shared_reserved_bytes; /* per block, taken by the system (1024 since sm_80) */
    uint32_t shared_allocation_unit_bytes;
    uint32_t
        shared_carveouts_kib[12]; /* selectable shared-memory sizes, ascending; may begin with 0 */
    uint32_t shared_carveout_count;
    bool shared_carveout_fits; /* the driver picks a carve-out by need (Volta on); else the largest
                                */
    uint32_t max_barriers_per_sm; /* named barriers, 0 if unknown */
    uint32_t max_block_dim[3], max_grid_dim[3];
    uint32_t constant_bytes;
    /* caches */
    uint32_t l1_bytes;                 /* unified data cache incl. shared memory where unified */
    bool l1_unified;                   /* shared memory is carved out of l1_bytes */
    enum wl_l1_policy l1_global_loads; /* default; -dlcm and --l1-global override */
    uint32_t l1_line_bytes, l1_sector_bytes, l1_ways;
    uint32_t l1_miss_bytes;  /* what an L1 miss fetches: 128 on Kepler, else 32 */
    uint32_t readonly_bytes; /* separate texture/read-only cache (Kepler, Maxwell), 0 if unified */
    uint64_t l2_bytes;
    uint32_t l2_slices, l2_ways, l2_line_bytes, l2_partitions;
    uint32_t l2_coalescer_sms; /* SMs that share a request coalescer before L2, 0 or 1: none */
    /* shared memory */
    uint32_t shared_banks, shared_bank_bytes; /* 32 x 4; Kepler can be 8-byte */
    /* device memory */
    uint64_t memory_bytes;
    uint32_t memory_bus_bits;
    double memory_clock_hz;              /* data clock as in dram__cycles */
    double memory_bandwidth_bytes_per_s; /* theoretical peak */
    double sm_clock_hz;                  /* boost clock */
    /* throughput per SM and cycle, in thread-instructions (warps x 32); fp16 ones may hold a pair
     */
    double fp32_per_cycle, fp64_per_cycle, fp16_per_cycle, int32_per_cycle, xu_per_cycle,
        lsu_per_cycle;
    /* latencies in cycles, from micro-benchmarks named in the file; 0 if none is published */
    uint32_t alu_latency, integer_latency, predicate_latency, fp64_latency, shared_latency,
        l1_latency, l2_latency, dram_latency;
    uint32_t dram_least_latency; /* the shortest; dram_latency is the mean */
    /* for the timing model; 0: unknown, see wl_gpu_assume */
    uint32_t half_latency, xu_latency, shuffle_latency, special_latency; /* cycles */
    uint32_t branch_latency, meeting_latency, parting_latency, barrier_latency;
    uint32_t block_latency;   /* from the end of a block to the first work of the next */
    uint32_t loads_in_flight; /* loads of an SM that may wait for L2 and device memory */
    uint32_t lg_queue;        /* accesses to global memory that a scheduler may have waiting */
    uint32_t l1_queue;        /* of an SM that wait for L1's pipe behind that */
    uint32_t mio_queue;       /* to shared memory that a scheduler may have waiting */
    double register_reads_per_cycle;      /* 32-bit operands that a scheduler fetches */
    double dram_opening_bytes;            /* that device memory could read while it opens a row */
    double dram_crowding_cycles;          /* queueing delay of a request at half utilization */
    double l1_fill_sectors_per_cycle;     /* fill bandwidth from L2 while L1 serves hits */
    double convert_per_cycle;             /* as xu_per_cycle: between 32-bit integers and floats */
    double tensor_per_cycle;              /* multiply-adds of 16 bits, per SM */
    double l2_read_bytes_per_cycle;       /* all SMs together */
    double l2_write_bytes_per_cycle;      /* all SMs together */
    double l2_read_requests_per_cycle;    /* halves of lines, from all SMs */
    double l2_write_requests_per_cycle;   /* lines */
    double l2_write_neighbours_per_cycle; /* lines of which four stand side by side */
    double l2_write_parts_per_cycle;      /* sectors of which a part is written */
    double l2_port_bytes_per_cycle;       /* read limit of one SM */
    double l2_far_cycles;                 /* by which its other partition answers later */
    double l2_atomic_cycles;              /* that a sector's update takes of a slice of L2 */
    double
        l2_float_atomic_cycles; /* the same of floating-point numbers, one sector over and over */
    uint32_t atomic_latency;    /* cycles to the old value of an atomic on global memory */
    uint32_t constant_latency;  /* cycles to a constant at an address in a register */
    /* first-level caches of instructions and constants, which a launch finds empty; cycles of an
     * SM: to a line of 128 bytes of code behind the last one and to any other, and both of what
     * lies further on than a launch fetches ahead, the first time; to a line of 64 bytes of
     * parameters, and more for each scheduler of the GPU that asks for it; to one of other
     * constants, and more for the first one */
    uint32_t instruction_cache_bytes, instruction_near_bytes;
    uint32_t instruction_line_cycles, instruction_jump_cycles;
    uint32_t instruction_far_line_cycles, instruction_far_jump_cycles;
    uint32_t parameter_line_cycles;
    double parameter_crowding_cycles;
    uint32_t constant_line_cycles, constant_first_cycles;
    double constant_address_cycles; /* that an SM takes for each address of a warp's constants */
    double l2_port_write_bytes_per_cycle; /* write limit of one SM */
    uint32_t l1_lines_per_cycle;          /* tag lookups of L1 */
    uint32_t l1_miss_replays;             /* replays of a load for each line that misses L1 */
    uint32_t texture_units; /* of a read-only cache of its own: lanes that it serves in a cycle */
    double dram_efficiency; /* achievable share of memory_bandwidth */
    double dram_ecc_share;  /* check bits in device memory, for each bit of data; 0: none there */
    double copy_efficiency; /* the same where as much is read as is written */
    double block_interval_cycles; /* between two blocks that the GPU starts */
    double start_cycles;          /* from the start of a block on an idle SM to its first work */
    double launch_overhead_ns;    /* of a launch, besides execution on the SMs */
    /* for the simulated clock; bytes/s and nanoseconds, 0: not known */
    double link_to_device, link_to_host; /* from and to page-locked memory */
    double link_pageable_to_device, link_pageable_to_host;
    double link_latency_ns;   /* of a copy over the link besides its bytes */
    double copy_latency_ns;   /* of a copy or fill within the device */
    uint32_t copy_engines;    /* 1: copies to and from the host wait for each other */
    double call_ns;           /* host time of a call that submits work */
    double submit_latency_ns; /* from the call to the start on an idle device */
    double event_ns;          /* between two events of a stream */
    double event_call_ns;     /* as call_ns, of recording an event */
    /* "key = value  # source" of every value in force, its own first, then each parent's, marked
     * "(from PARENT)": for `warplens gpus --verbose` */
    char *notes;
};

/* Loads a model by name; folder (may be NULL) is searched before the embedded files. Unknown name:
 * WL_ERR_USAGE with the list of known ones as hint. An invalid file: WL_ERR_INPUT, where =
 * file:line. On error gpu is left zeroed. */
enum wl_code wl_gpu_load(const char *name, const char *folder, struct wl_gpu *gpu,
                         struct wl_error *error);
/* The embedded model closest to a device with this name, compute capability (90 for 9.0) and number
 * of SMs. Errors: those of wl_gpu_load. */
enum wl_code wl_gpu_load_likest(const char *name, uint32_t capability, uint32_t sm_count,
                                struct wl_gpu *gpu, struct wl_error *error);
void wl_gpu_free(struct wl_gpu *gpu);

/* assumed: a copy of gpu whose unknown values are filled in from data/gpus/defaults.gpu.
 * Without notes; needs no freeing. Never fails. */
void wl_gpu_assume(const struct wl_gpu *gpu, struct wl_gpu *assumed);

/* Names of the embedded models, oldest first. NULL-ended; static. */
const char *const *wl_gpu_list(void);

/* The model where none is asked for: WARPLENS_GPU of the environment, which may not exist, or
 * "h200". Valid until the environment changes. */
const char *wl_gpu_default(void);

/* Inputs of theoretical occupancy: what limits the resident blocks of an SM. CUDA C++ Programming
 * Guide, occupancy. */
struct wl_occupancy_input {
    uint32_t registers_per_thread;
    uint32_t threads_per_block;
    uint32_t shared_static_bytes, shared_dynamic_bytes;
    uint32_t barriers;    /* 0 counts as 1 */
    int32_t carveout_pct; /* cudaFuncAttributePreferredSharedMemoryCarveout, -1: driver's choice */
};

struct wl_occupancy {
    uint32_t limit_blocks, limit_registers, limit_shared, limit_warps, limit_barriers; /* blocks */
    uint32_t blocks_per_sm; /* the least of them */
    uint32_t warps_per_block;
    uint32_t warps_per_sm;        /* active */
    double occupancy_pct;         /* warps_per_sm / max_warps_per_sm */
    uint32_t shared_config_bytes; /* carve-out the driver picks */
    uint32_t l1_data_bytes;       /* what is left for L1 */
    const char *limiter;          /* "registers", "shared memory", "warps", "blocks", "barriers" */
};

/* The most registers a thread may have for so many blocks of threads_per_block to be on an SM at
 * once. 0: they are not, whatever it has. */
uint32_t wl_occupancy_most_registers(const struct wl_gpu *gpu, uint32_t threads_per_block,
                                     uint32_t blocks);

/* blocks_per_sm is 0 where the kernel cannot run at all (limiter says why). Never fails. */
void wl_occupancy_compute(const struct wl_gpu *gpu, const struct wl_occupancy_input *input,
                          struct wl_occupancy *occupancy);

#endif
