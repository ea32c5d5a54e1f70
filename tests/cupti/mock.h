/* A driver and a CUPTI for tests without a GPU. They obey the same order of calls as the real ones
 * and fail a call that comes out of order, so that a wrong order cannot pass unseen.
 *
 * MOCK="key=value,..." says how they behave; MOCK_LOG names a file that gets a line for each call
 * of interest. Keys: devices=N; driver=VERSION; init=RESULT (of cuInit); the name of a CUPTI
 * function: its result; ranges_lost=N, ranges not delivered in each decoding; activity=0, no kernel
 * records; activity_dropped=N; deliver=0: full buffers of records are filled again; late=1:
 * they are delivered by a flush only; check_zero=1: says whether buffers come as zeros; exit_at=N,
 * abort_at=N: what happens in the middle of launch number N; load_at=N, another thread loads a
 * module then; calls=N, so many other calls of both APIs
 * are made with each launch; save_ms=N, saving memory takes so long. */
#ifndef MOCK_H
#define MOCK_H

#include <stdbool.h>
#include <stdint.h>

#include "hardware/abi.h"

/* The value of a key, or otherwise. */
long mock_value(const char *key, long otherwise);
void mock_log(const char *format, ...) __attribute__((format(printf, 1, 2)));

struct mock_kernel {
    char name[64];
};

/* What the driver tells CUPTI, if anybody listens. */
struct mock_hooks {
    void (*call)(int domain, uint32_t call, const void *data);
    void (*run)(const struct mock_kernel *kernel, const struct wl_cuda_launch_parameters *launch,
                uint32_t correlation_id, bool is_graph);
};
/* Each device has one context: the number of that, from 0, and the calling thread's. */
enum {
    MOCK_CONTEXTS = 2,
    MOCK_CALL_MEMORY_MAP = 543,
    MOCK_CALL_MEMORY_MANAGED = 544,
    MOCK_CALL_GET_DEVICE = 17
};
uint32_t mock_context_number(const void *context);
const void *mock_current_context(void);

/* Whether PC sampling is enabled: no counters can be had then. */
bool mock_is_sampling(void);
bool mock_is_counting(void); /* at instructions */

/* As the real one: a kernel that was counted before it was ever sampled has no samples. */
void mock_see_kernel(const char *name, bool is_counted);

/* What kernels have written so far, as a number. */
long mock_memory(void);
void mock_memory_set(long value);

extern uint32_t mock_last_correlation; /* of the launch that ran last */
void mock_cuda_set_hooks(const struct mock_hooks *hooks);

#endif
