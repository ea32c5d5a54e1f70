/* Sampling where warps stand: counts for each machine instruction and stall reason. */
#ifndef WL_HARDWARE_SAMPLING_H
#define WL_HARDWARE_SAMPLING_H

#include "hardware/library.h"

struct wl_cupti_sampling {
    const struct wl_cupti *cupti;
    struct wl_cuda_context *context;
    char **reasons; /* names by index; NULL where an index has none */
    size_t reason_count;
    struct wl_cupti_pc_data data;   /* handed over by CUPTI at reads */
    struct wl_cupti_pc_data buffer; /* CUPTI's own, for continuous sampling */
    uint64_t samples, dropped;      /* so far */
    bool is_hardware_full;          /* samples were lost because reads came too late */
    bool is_running;                /* continuous: switched on */
    bool is_serialized;             /* samples tell the launch they are of */
};

/* period_log2: a sample every 2^period cycles (5 to 31), 0: CUPTI's choice. is_serialized: kernels
 * run one after another, and samples tell which launch they are of; sampling is then on from here
 * to close. Else it is off until wl_cupti_sampling_switch, and knows only kernels that are loaded
 * from here on. Errors: WL_ERR_UNSUPPORTED; close it then, too. */
enum wl_code wl_cupti_sampling_open(const struct wl_cupti *cupti, struct wl_cuda_context *context,
                                    uint32_t period_log2, bool is_serialized,
                                    struct wl_cupti_sampling *sampling, struct wl_error *error);

/* Continuous sampling on or off. Errors: WL_ERR_UNSUPPORTED. */
enum wl_code wl_cupti_sampling_switch(struct wl_cupti_sampling *sampling, bool is_on,
                                      struct wl_error *error);

/* Gives what was sampled since the last time, instruction by instruction. pc and its texts are
 * valid during the call. */
typedef void wl_cupti_take_pc(void *self, const struct wl_cupti_pc *pc);
enum wl_code wl_cupti_sampling_read(struct wl_cupti_sampling *sampling, wl_cupti_take_pc *take,
                                    void *self, struct wl_error *error);

/* Switches it off, gives the rest, and frees. take may be NULL. abandon: nothing of CUPTI is
 * called.
 */
void wl_cupti_sampling_close(struct wl_cupti_sampling *sampling, wl_cupti_take_pc *take, void *self,
                             bool abandon);

#endif
