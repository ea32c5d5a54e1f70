/* libnvidia-ml.so.1 of the tests: a GPU whose SM clock falls while it is looked at. */
#include <string.h>

#include "mock.h"

static unsigned reads;

int nvmlInit_v2(void)
{
    return (int)mock_value("nvml", 0);
}

int nvmlShutdown(void)
{
    mock_log("nvmlShutdown");
    return 0;
}

int nvmlDeviceGetHandleByPciBusId_v2(const char *bus_id, void **device)
{
    *device = &reads;
    return strcmp(bus_id, "0000:1b:00.0") == 0 ? 0 : 6;
}

int nvmlDeviceGetClockInfo(void *device, int kind, unsigned *mhz)
{
    *mhz = kind == 1 ? 1980 - 225 * reads++ : 3201;
    return device ? 0 : 2;
}

int nvmlDeviceGetCurrentClocksThrottleReasons(void *device, unsigned long long *reasons)
{
    *reasons = (unsigned long long)mock_value("throttle", 1);
    return device ? 0 : 2;
}
