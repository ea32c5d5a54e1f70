#include "sim/place.h"

#include <stdint.h>
#include <sys/mman.h>

/* Below the memory of devices, far above where programs lie. */
#define FIRST ((uint64_t)0x1e0000000000)
#define STRIDE ((uint64_t)1 << 36)
enum { PLACES = 32 };

static void *map(uint64_t address, size_t bytes, int flags)
{
    void *memory = mmap((void *)(uintptr_t)address, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

void *wl_place_map(size_t bytes)
{
    for (uint64_t i = 0; i < PLACES && bytes <= STRIDE; i++) {
        uint64_t address = FIRST + i * STRIDE;
        void *memory = map(address, bytes, MAP_FIXED_NOREPLACE);
        if ((uint64_t)(uintptr_t)memory == address)
            return memory;
        if (memory) /* kernels before 4.17 take the address as a hint only */
            munmap(memory, bytes);
    }
    return map(0, bytes, 0);
}
