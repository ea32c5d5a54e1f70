/* Clocks of a GPU and what holds them back, from NVML (libnvidia-ml.so.1, part of the driver),
 * opened at run time. */
#ifndef WL_HARDWARE_CLOCKS_H
#define WL_HARDWARE_CLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

struct wl_clocks {
    uint32_t sm_mhz, memory_mhz; /* 0: not known */
    uint64_t reasons;            /* why they are not higher: bits of NVML */
};

struct wl_clock_reader {
    void *library;
    int (*find)(const char *bus_id, void **device);
    int (*clock)(void *device, int kind, unsigned *mhz);
    int (*reasons)(void *device, unsigned long long *reasons);
    int (*shutdown)(void);
};

/* False where there is no NVML, or none that works: nothing is to be closed then. */
bool wl_clock_reader_open(struct wl_clock_reader *reader);
/* bus_id: "0000:1b:00.0". False: NVML does not know the device, or its clocks. */
bool wl_clock_reader_read(const struct wl_clock_reader *reader, const char *bus_id,
                          struct wl_clocks *clocks);
void wl_clock_reader_close(struct wl_clock_reader *reader);

/* Whether something slows the GPU down: power, heat, or the hardware's protection. */
bool wl_clocks_are_held_back(uint64_t reasons);

/* "SM 1980 MHz, memory 3201 MHz before, 1755 and 3201 MHz after; held back by the power limit" */
void wl_clocks_describe(const struct wl_clocks *before, const struct wl_clocks *after,
                        struct wl_text *text);

#endif
