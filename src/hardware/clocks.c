#include "hardware/clocks.h"

#include <dlfcn.h>

#include "base/count.h"

enum { success, clock_sm = 1, clock_memory = 2 };

static const struct {
    uint64_t bit;
    const char *text;
    bool is_slower; /* than the GPU would run by itself */
} rows[] = {
    {0x2, "clocks that were set", false},
    {0x4, "the power limit", true},
    {0x8, "the hardware's slowdown", true},
    {0x10, "clocks that are kept equal to other GPUs'", true},
    {0x20, "the driver's limit of temperature", true},
    {0x40, "the hardware's limit of temperature", true},
    {0x80, "the power supply's brake", true},
    {0x100, "the clock of a display", true},
};

bool wl_clock_reader_open(struct wl_clock_reader *reader)
{
    int (*init)(void) = NULL;
    *reader = (struct wl_clock_reader){.library = dlopen("libnvidia-ml.so.1", RTLD_NOW)};
    if (!reader->library)
        return false;
    *(void **)&init = dlsym(reader->library, "nvmlInit_v2");
    *(void **)&reader->find = dlsym(reader->library, "nvmlDeviceGetHandleByPciBusId_v2");
    *(void **)&reader->clock = dlsym(reader->library, "nvmlDeviceGetClockInfo");
    *(void **)&reader->reasons =
        dlsym(reader->library, "nvmlDeviceGetCurrentClocksThrottleReasons");
    *(void **)&reader->shutdown = dlsym(reader->library, "nvmlShutdown");
    if (init && reader->find && reader->clock && reader->shutdown && init() == success)
        return true;
    dlclose(reader->library);
    *reader = (struct wl_clock_reader){0};
    return false;
}

bool wl_clock_reader_read(const struct wl_clock_reader *reader, const char *bus_id,
                          struct wl_clocks *clocks)
{
    void *device = NULL;
    unsigned sm = 0, memory = 0;
    unsigned long long reasons = 0;
    *clocks = (struct wl_clocks){0};
    if (!reader->library || reader->find(bus_id, &device) != success ||
        reader->clock(device, clock_sm, &sm) != success)
        return false;
    reader->clock(device, clock_memory, &memory);
    if (reader->reasons)
        reader->reasons(device, &reasons);
    *clocks = (struct wl_clocks){sm, memory, reasons};
    return true;
}

void wl_clock_reader_close(struct wl_clock_reader *reader)
{
    if (!reader->library)
        return;
    reader->shutdown();
    dlclose(reader->library);
    *reader = (struct wl_clock_reader){0};
}

bool wl_clocks_are_held_back(uint64_t reasons)
{
    for (size_t i = 0; i < WL_COUNT(rows); i++)
        if (rows[i].is_slower && reasons & rows[i].bit)
            return true;
    return false;
}

void wl_clocks_describe(const struct wl_clocks *before, const struct wl_clocks *after,
                        struct wl_text *text)
{
    uint64_t reasons = before->reasons | after->reasons;
    const char *separator = "; held back by ";
    wl_text_addf(text, "SM %u MHz, memory %u MHz before, %u and %u MHz after", before->sm_mhz,
                 before->memory_mhz, after->sm_mhz, after->memory_mhz);
    for (size_t i = 0; i < WL_COUNT(rows); i++) {
        if (!(reasons & rows[i].bit))
            continue;
        wl_text_addf(text, "%s%s", separator, rows[i].text);
        separator = ", ";
    }
}
