/* NVML's stand-in for two H200: what the model says, handles by other names, this process. */
#include <sys/wait.h>

#include "program.h"

int cudaGetDeviceProperties(void *properties, int device);
int nvmlInit_v2(void);
int nvmlShutdown(void);
int nvmlDeviceGetHandleByIndex_v2(unsigned index, void **device);
int nvmlDeviceGetHandleByUUID(const char *uuid, void **device);
int nvmlDeviceGetHandleByPciBusId_v2(const char *id, void **device);
int nvmlDeviceGetUUID(void *device, char *text, unsigned length);
int nvmlDeviceGetPciInfo(void *device, void *pci);
int nvmlDeviceGetPciInfo_v3(void *device, void *pci);
#define ANSWER(name) int name(void *device, unsigned *answer);
#define ANSWERS(ANSWER)                   \
    ANSWER(nvmlDeviceGetArchitecture)     \
    ANSWER(nvmlDeviceGetBrand)            \
    ANSWER(nvmlDeviceGetComputeMode)      \
    ANSWER(nvmlDeviceGetDisplayMode)      \
    ANSWER(nvmlDeviceGetMinorNumber)      \
    ANSWER(nvmlDeviceGetMultiGpuBoard)    \
    ANSWER(nvmlDeviceGetNumGpuCores)      \
    ANSWER(nvmlDeviceGetPerformanceState) \
    ANSWER(nvmlDeviceGetPersistenceMode)
ANSWERS(ANSWER)
int nvmlDeviceGetClockInfo(void *device, int kind, unsigned *mhz);
int nvmlDeviceGetMaxClockInfo(void *device, int kind, unsigned *mhz);
int nvmlDeviceGetCurrentClocksThrottleReasons(void *device, unsigned long long *reasons);
int nvmlDeviceGetEccMode(void *device, unsigned *current, unsigned *pending);
int nvmlDeviceGetMigMode(void *device, unsigned *current, unsigned *pending);
int nvmlDeviceGetP2PStatus(void *device, void *other, int kind, int *state);
int nvmlDeviceGetMemoryInfo(void *device, unsigned long long *memory);
int nvmlDeviceGetMemoryInfo_v2(void *device, void *memory);
int nvmlDeviceGetComputeRunningProcesses(void *device, unsigned *count, void *list);
int nvmlDeviceGetComputeRunningProcesses_v3(void *device, unsigned *count, void *list);
int nvmlDeviceGetTemperature(void *device, int sensor, unsigned *degrees);
int nvmlSystemGetProcessName(unsigned pid, char *name, unsigned length);
int nvmlSystemGetDriverVersion(char *version, unsigned length);
int nvmlSystemGetNVMLVersion(char *version, unsigned length);
int nvmlUnitGetCount(unsigned *count);

struct pci {
    char short_id[16];
    unsigned domain, bus, device, model, board;
    char id[32];
};

static void find_handles(void **devices)
{
    struct pci pci, first;
    char uuid[96];
    void *found;
    for (unsigned i = 0; i < 2; i++) {
        EXPECT(nvmlDeviceGetHandleByIndex_v2(i, &devices[i]), 0);
        EXPECT(nvmlDeviceGetUUID(devices[i], uuid, sizeof uuid), 0);
        EXPECT(nvmlDeviceGetHandleByUUID(uuid, &found), 0);
        EXPECT(found == devices[i], 1);
        EXPECT(nvmlDeviceGetPciInfo_v3(devices[i], &pci), 0);
        EXPECT(pci.bus == i + 1 && (pci.model & 0xffff) == 0x10de, 1);
        EXPECT(nvmlDeviceGetHandleByPciBusId_v2(pci.id, &found), 0);
        EXPECT(found == devices[i], 1);
        EXPECT(nvmlDeviceGetHandleByPciBusId_v2(pci.short_id, &found), 0);
        EXPECT(found == devices[i], 1);
    }
    EXPECT_TEXT(pci.id, "00000000:02:00.0");
    memset(&first, 7, sizeof first);
    EXPECT(nvmlDeviceGetPciInfo(devices[0], &first), 0);
    EXPECT(first.bus, 1);
    EXPECT(first.id[0], 7); /* is not of the first form */
    EXPECT(nvmlDeviceGetHandleByUUID("GPU-0", &found), 6);
    EXPECT(nvmlDeviceGetHandleByUUID(NULL, &found), 2);
    EXPECT(nvmlDeviceGetHandleByPciBusId_v2("00000000:FE:00.0", &found), 6);
    EXPECT(nvmlDeviceGetHandleByPciBusId_v2("junk", &found), 2);
    EXPECT(nvmlDeviceGetPciInfo_v3(NULL, &pci), 2);
}

static void ask(void **devices)
{
    unsigned mhz, most, current = 7, pending = 7;
    unsigned long long reasons = 7;
    int state = 7;
    struct {
        int (*ask)(void *device, unsigned *answer);
        unsigned answer; /* of the second device */
    } rows[] = {
        {nvmlDeviceGetArchitecture, 9},        {nvmlDeviceGetBrand, 14},
        {nvmlDeviceGetComputeMode, 0},         {nvmlDeviceGetDisplayMode, 0},
        {nvmlDeviceGetMinorNumber, 1},         {nvmlDeviceGetMultiGpuBoard, 0},
        {nvmlDeviceGetNumGpuCores, 132 * 128}, {nvmlDeviceGetPerformanceState, 0},
        {nvmlDeviceGetPersistenceMode, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        unsigned answer = 77;
        EXPECT(rows[i].ask(devices[1], &answer), 0);
        EXPECT(answer, rows[i].answer);
        EXPECT(rows[i].ask(NULL, &answer), 2);
        EXPECT(rows[i].ask(devices[1], NULL), 2);
    }
    for (int kind = 0; kind < 3; kind++) {
        EXPECT(nvmlDeviceGetClockInfo(devices[0], kind, &mhz), 0);
        EXPECT(nvmlDeviceGetMaxClockInfo(devices[0], kind, &most), 0);
        EXPECT(mhz == most && mhz > 1000, 1);
    }
    EXPECT(nvmlDeviceGetClockInfo(devices[0], 3, &mhz), 3);
    EXPECT(nvmlDeviceGetCurrentClocksThrottleReasons(devices[0], &reasons), 0);
    EXPECT(reasons, 0);
    EXPECT(nvmlDeviceGetEccMode(devices[0], &current, &pending), 0);
    EXPECT(current == pending && current < 2, 1);
    EXPECT(nvmlDeviceGetEccMode(devices[0], NULL, &pending), 2);
    EXPECT(nvmlDeviceGetMigMode(devices[0], &current, &pending), 0);
    EXPECT(current == 0 && pending == 0, 1);
    EXPECT(nvmlDeviceGetP2PStatus(devices[0], devices[1], 0, &state), 0);
    EXPECT(state, 0);
    EXPECT(nvmlDeviceGetP2PStatus(devices[0], NULL, 0, &state), 2);
}

static void look_at_itself(void **devices)
{
    struct {
        unsigned pid;
        unsigned long long bytes;
        unsigned instances[2];
    } list[2] = {{.instances = {5, 5}}};
    struct {
        unsigned version;
        unsigned long long total, reserved, free, used;
    } memory = {.version = 0};
    unsigned count = 0;
    char text[4096];
    EXPECT(nvmlDeviceGetMemoryInfo_v2(devices[0], &memory), 13);
    memory.version = 0x2000028;
    EXPECT(nvmlDeviceGetMemoryInfo_v2(devices[0], &memory), 0);
    EXPECT(memory.total == memory.free + memory.used && memory.total, 1);
    EXPECT(nvmlDeviceGetComputeRunningProcesses_v3(devices[0], &count, NULL), 7);
    EXPECT(count, 1);
    EXPECT(nvmlDeviceGetComputeRunningProcesses(devices[0], &count, list), 0);
    EXPECT(list[0].instances[0], 5); /* are not of the first form */
    count = 2;
    EXPECT(nvmlDeviceGetComputeRunningProcesses_v3(devices[0], &count, list), 0);
    EXPECT(count == 1 && (int)list[0].pid == getpid() && list[0].bytes == memory.used, 1);
    EXPECT(list[0].instances[1] == ~0u, 1);
    EXPECT(nvmlSystemGetProcessName((unsigned)getpid(), text, sizeof text), 0);
    EXPECT(strstr(text, "nvml_calls") != NULL, 1);
    EXPECT(nvmlSystemGetProcessName((unsigned)getpid(), text, 2), 7);
    EXPECT(nvmlSystemGetProcessName(99999999, text, sizeof text), 6);
    EXPECT(nvmlSystemGetDriverVersion(text, 80), 0);
    EXPECT(strtol(text, NULL, 10) >= 580, 1);
    EXPECT(nvmlSystemGetDriverVersion(text, 2), 7);
    EXPECT(nvmlSystemGetNVMLVersion(text, 80), 0);
    EXPECT(strncmp(text, "13.", 3), 0);
    EXPECT(nvmlUnitGetCount(&count), 0);
    EXPECT(count, 0);
    capture_stderr();
    int status = nvmlDeviceGetTemperature(devices[0], 0, &count);
    EXPECT(*captured_stderr() != 0, 1);
    EXPECT(status, 3);
}

int cudaMalloc(void **address, size_t bytes);

/* Who only asked has not used the GPU, which a child may do; the parent then does not ask of the
 * child's memory. */
static void fork_after_asking(void **devices)
{
    unsigned long long memory[3]; /* total, free, used */
    int status = 77;
    EXPECT(nvmlDeviceGetMemoryInfo(devices[0], memory), 0);
    EXPECT(memory[2], 0);
    const pid_t child = fork();
    if (!child) {
        void *address;
        const int before = failures;
        EXPECT(cudaMalloc(&address, 64 << 20), 0);
        EXPECT(nvmlDeviceGetMemoryInfo(devices[0], memory), 0);
        EXPECT(memory[2] >= 64 << 20, 1);
        _exit(failures != before);
    }
    EXPECT(waitpid(child, &status, 0), child);
    EXPECT(status, 0);
}

/* NVML's is CUDA's, which stands behind the name. */
static void compare_uuids(void **devices)
{
    unsigned char properties[4096];
    char text[96] = "GPU", uuid[96];
    EXPECT(cudaGetDeviceProperties(properties, 1), 0);
    for (int i = 0; i < 16; i++)
        sprintf(text + strlen(text), i == 0 || (i >= 4 && i <= 10 && i % 2 == 0) ? "-%02x" : "%02x",
                properties[256 + i]);
    EXPECT(nvmlDeviceGetUUID(devices[1], uuid, sizeof uuid), 0);
    EXPECT_TEXT(uuid, text);
}

int main(void)
{
    void *devices[2];
    unsigned answer;
    EXPECT(nvmlUnitGetCount(&answer), 1);
    EXPECT(nvmlInit_v2(), 0);
    find_handles(devices);
    ask(devices);
    look_at_itself(devices);
    fork_after_asking(devices);
    compare_uuids(devices);
    EXPECT(nvmlShutdown(), 0);
    EXPECT(nvmlDeviceGetBrand(devices[0], &answer), 1);
    return failures != 0;
}
