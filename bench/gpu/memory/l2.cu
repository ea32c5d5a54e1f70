// L2 and device memory: which SMs share a request coalescer and a partition, what counts as a hit,
// what is fetched and written back, how much fits. usage: l2
// coalescer|account|capacity|writes|map|blocks
#include <cstring>
#include <string>
#include <vector>

#include "common.cuh"

struct sm_set {
    uint32_t bits[8];
};
enum kind { READ, WRITE, ATOMIC, REDUCE, COPY };

static uint32_t sm_count;
static char *buffer;
static uint32_t *counters; // barriers, zeroed before each launch
static const size_t buffer_bytes = 512u << 20;

__device__ uint32_t sm_id(void)
{
    uint32_t id;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(id));
    return id;
}

// All threads of the participating blocks; polls with atomics, which are counted apart from reads.
__device__ void wait_for_all(uint32_t *counter, uint32_t participants)
{
    __syncthreads();
    if (threadIdx.x == 0) {
        atomicAdd(counter, 1);
        while (atomicAdd(counter, 0) < participants)
            __nanosleep(200);
    }
    __syncthreads();
}

// Rank of this SM among the chosen ones, -1 if it is not chosen.
__device__ int rank_of(const sm_set &chosen)
{
    uint32_t sm = sm_id();
    if (!(chosen.bits[sm / 32] >> (sm % 32) & 1))
        return -1;
    int rank = __popc(chosen.bits[sm / 32] & ((1u << (sm % 32)) - 1));
    for (uint32_t i = 0; i < sm / 32; i++)
        rank += __popc(chosen.bits[i]);
    return rank;
}

// The same instant on all SMs, as clock64 of this one.
__device__ long long start_together(uint32_t *counter, uint32_t participants)
{
    unsigned long long *when = (unsigned long long *)(counter + 16), now;
    wait_for_all(counter, participants);
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    unsigned long long start = atomicCAS(when, 0ull, now + 30000);
    start = start ? start : now + 30000;
    do
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    while (now < start);
    return clock64() + 1000;
}

// One warp on each chosen SM reads the same lines, in step (period) and `delay` cycles apart.
// warm: the first SM has brought all lines into L2 before.
__global__ void same_lines(const char *data, int lines, sm_set chosen, uint32_t *counter,
                           int participants, int period, int delay, int warm)
{
    int rank = rank_of(chosen);
    if (rank < 0)
        return;
    uint32_t sum = 0;
    for (int i = 0; warm && rank == 0 && i < lines; i++) {
        uint32_t value;
        asm volatile("ld.global.cg.u32 %0, [%1];"
                     : "=r"(value)
                     : "l"(data + (size_t)i * 128 + threadIdx.x * 4 + sum));
        sum += value;
    }
    if (delay < 0)
        rank = participants - 1 - rank, delay = -delay;
    long long start = start_together(counter, participants);
    for (int i = 0; i < lines; i++) {
        uint32_t value;
        if (period)
            while (clock64() < start + (long long)i * period + (long long)rank * delay)
                ;
        asm volatile("ld.global.cg.u32 %0, [%1];"
                     : "=r"(value)
                     : "l"(data + (size_t)i * 128 + threadIdx.x * 4 + sum));
        sum += value;
    }
    if (sum == 77)
        counter[1] = sum;
}

// Chosen SMs go over `count` items of `step` bytes, `phases` times with a barrier between; phase p
// starts at p * offset. shift: in phase p an SM takes the items that the one p * shift ranks on
// had. alternate: in phase p only rank p works.
struct sweep_plan {
    int kind, phases, participants, shift, alternate, delay_us, bytes;
    uint64_t count, step, offset;
};
__global__ void sweep(char *data, sweep_plan plan, sm_set chosen, uint32_t *counter)
{
    int rank = rank_of(chosen);
    if (rank < 0)
        return;
    uint32_t sum = 0;
    for (int phase = 0; phase < plan.phases; phase++) {
        wait_for_all(counter + phase, plan.participants);
        uint64_t first = plan.alternate ? 0 : (rank + phase * plan.shift) % plan.participants;
        uint64_t stride = plan.alternate ? blockDim.x : (uint64_t)blockDim.x * plan.participants;
        if (plan.alternate && phase != rank)
            continue;
        for (uint64_t i = first * blockDim.x + threadIdx.x; i < plan.count; i += stride) {
            char *place = data + i * plan.step + phase * plan.offset;
            uint32_t value = 0;
            if (plan.kind == READ)
                asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(value) : "l"(place));
            else if (plan.kind == WRITE && plan.bytes == 16)
                asm volatile("st.global.v4.u32 [%0], {%1, %1, %1, %1};" ::"l"(place), "r"(value));
            else if (plan.kind == WRITE)
                asm volatile("st.global.u32 [%0], %1;" ::"l"(place), "r"(value));
            else if (plan.kind == ATOMIC)
                value = atomicAdd((uint32_t *)place, 0);
            else
                asm volatile("red.global.add.u32 [%0], %1;" ::"l"(place), "r"(1) : "memory");
            sum += value;
        }
    }
    if (plan.delay_us) {
        long long start, now;
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
        do
            asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
        while (now - start < plan.delay_us * 1000ll);
    }
    if (sum == 77)
        counter[900] = sum;
}

// Steps with a barrier between: all chosen SMs, or the one of rank `who`, read or write [start,
// start + bytes), or copy it 256 MB on.
struct step {
    int kind, who;
    uint64_t start, bytes;
};
struct step_list {
    step steps[4];
    int count, participants;
};
__constant__ step_list list;
__global__ void mixed_steps(char *data, sm_set chosen, uint32_t *counter)
{
    int rank = rank_of(chosen);
    if (rank < 0)
        return;
    uint32_t sum = 0;
    for (int i = 0; i < list.count; i++) {
        wait_for_all(counter + i, list.participants);
        step s = list.steps[i];
        if (s.who >= 0 && s.who != rank)
            continue;
        uint64_t stride = blockDim.x * (s.who >= 0 ? 1ull : list.participants) * 4;
        uint64_t first = ((s.who >= 0 ? 0ull : rank) * blockDim.x + threadIdx.x) * 4;
        for (uint64_t at = first; at < s.bytes; at += stride) {
            char *place = data + s.start + at;
            uint32_t value = 0;
            if (s.kind != WRITE)
                asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(value) : "l"(place));
            if (s.kind != READ)
                asm volatile(
                    "st.global.u32 [%0], %1;" ::"l"(place + (s.kind == COPY ? 256u << 20 : 0)),
                    "r"(value));
            sum += value;
        }
    }
    if (sum == 77)
        counter[900] = sum;
}

// Every SM in turn measures the latency of each line in L2.
__global__ void latencies(const char *data, int lines, int step, uint16_t *out, uint32_t *turn)
{
    uint32_t sm = sm_id();
    if (threadIdx.x)
        return;
    while (atomicAdd(turn, 0) != blockIdx.x)
        __nanosleep(500);
    uint32_t sum = 0;
    for (int i = 0; i < lines; i++) {
        uint32_t least = 65535;
        for (int pass = 0; pass < 6; pass++) {
            uint32_t value;
            long long start = clock64();
            asm volatile("ld.global.cg.u32 %0, [%1];"
                         : "=r"(value)
                         : "l"(data + (size_t)i * step + sum)
                         : "memory");
            sum += value;
            long long end = clock64() + sum;
            least = min(least, (uint32_t)(end - start));
        }
        out[sm * lines + i] = (uint16_t)least;
    }
    __threadfence();
    atomicAdd(turn, 1);
}

__global__ void place(uint16_t *out)
{
    if (threadIdx.x == 0)
        out[blockIdx.x] = (uint16_t)sm_id();
    long long start = clock64();
    while (clock64() - start < 200000)
        ;
}

static sm_set set_of(const std::vector<int> &sms)
{
    sm_set set = {};
    for (int sm : sms)
        set.bits[sm / 32] |= 1u << (sm % 32);
    return set;
}
static std::vector<int> range(int first, int last, int step = 1)
{
    std::vector<int> sms;
    for (int sm = first; sm < last; sm += step)
        sms.push_back(sm);
    return sms;
}

static const int one_block_bytes = 200 * 1024; // of shared memory: one block an SM

static void read_together(const char *name, const std::vector<int> &sms, int period, int delay,
                          int warm = 0)
{
    const int lines = 512;
    label("together %s sms=%zu period=%d delay=%d warm=%d lines=%d", name, sms.size(), period,
          delay, warm, lines);
    CHECK(cudaMemset(counters, 0, 4096));
    same_lines<<<sm_count, 32, one_block_bytes>>>(buffer, lines, set_of(sms), counters,
                                                  (int)sms.size(), period, delay, warm);
    finish();
}

// SMs 0, 1 are a TPC; 16, 32 and 48 above are TPCs of the same GPC where there are eight GPCs.
static void coalescer(void)
{
    for (int other = 1; other < (int)sm_count; other++)
        read_together(("pair+" + std::to_string(other)).c_str(), {0, other}, 5000, 700);
    struct {
        const char *name;
        std::vector<int> sms;
    } const groups[] = {
        {"tpc", {0, 1}},
        {"gpc2", {0, 16}},
        {"gpc3", {0, 16, 32}},
        {"gpc4", {0, 16, 32, 48}},
        {"tpcs2", {0, 1, 16, 17}},
        {"tpcs3", {0, 1, 16, 17, 32, 33}},
        {"tpcs4", {0, 1, 16, 17, 32, 33, 48, 49}},
        {"all", range(0, sm_count)},
    };
    for (int warm : {0, 1})
        for (auto &group : groups)
            for (int delay :
                 {0, 25, 50, 100, 150, 200, 250, 300, 400, 500, 600, 800, 1000, 1500, 2000})
                if (group.sms.size() < 10 || delay <= 25)
                    read_together(group.name, group.sms, group.sms.size() < 10 ? 20000 : 6000,
                                  delay, warm);
    for (int warm : {0, 1})
        for (int delay : {-50, -100, -200, -300, -400, -600, -800, -1000, -1500})
            read_together("gpc2", {0, 16}, 5000, delay, warm);
    for (int warm : {0, 1})
        for (int count : {16, 32, 48, 64, 96, 132})
            for (int step : {1, 2})
                read_together("run", range(0, count < (int)sm_count ? count : sm_count, step), 0, 0,
                              warm);
}

static void go_over(const char *name, sweep_plan plan, const std::vector<int> &sms, int threads)
{
    plan.participants = (int)sms.size();
    label("sweep %s kind=%d sms=%zu mb=%.1f step=%llu bytes=%d phases=%d shift=%d delay_us=%d",
          name, plan.kind, sms.size(), (double)plan.count * plan.step / 1e6,
          (unsigned long long)plan.step, plan.bytes, plan.phases, plan.shift, plan.delay_us);
    CHECK(cudaMemset(counters, 0, 4096));
    sweep<<<sm_count, threads, one_block_bytes>>>(buffer, plan, set_of(sms), counters);
    finish();
}

static sweep_plan plan_of(int kind, double megabytes, uint64_t step, int phases)
{
    sweep_plan plan = {};
    plan.kind = kind;
    plan.phases = phases;
    plan.step = step;
    plan.bytes = 4;
    plan.count = (uint64_t)(megabytes * 1e6) / step;
    return plan;
}

static void account(void)
{
    std::vector<int> all = range(0, sm_count), one = {0};
    for (int step : {4, 32, 64, 128, 256})
        go_over("read", plan_of(READ, 8, step, 1), one, 512);
    for (int step : {4, 32, 128})
        go_over("read", plan_of(READ, 8, step, 1), all, 512);
    for (int phases : {2, 3, 4})
        for (int offset : {32, 64}) {
            sweep_plan plan = plan_of(READ, 4, 128, phases);
            plan.offset = offset;
            if (offset * phases <= 128)
                go_over(offset == 32 ? "sectors" : "pairs", plan, one, 512);
        }
    for (int other = 1; other < (int)sm_count; other++) {
        char name[32];
        snprintf(name, sizeof name, "0then%d", other);
        sweep_plan plan = plan_of(READ, 1, 4, 2);
        plan.alternate = 1;
        go_over(name, plan, {0, other}, 512);
    }
    for (int phases : {2, 4, 8}) {
        sweep_plan plan = plan_of(READ, 8, 4, phases);
        plan.shift = 1;
        go_over("rotate", plan, all, 512);
    }
    for (int kind : {ATOMIC, REDUCE})
        for (int step : {0, 4, 8, 32}) {
            sweep_plan plan = plan_of(kind, 4, step ? step : 4, 1);
            plan.step = step;
            go_over("atomic", plan, all, 512);
        }
}

static void capacity(void)
{
    std::vector<int> all = range(0, sm_count);
    for (int shift : {0, 1, 3})
        for (int megabytes : {10, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60, 66, 80, 120}) {
            sweep_plan plan = plan_of(READ, megabytes, 4, 4);
            plan.shift = shift;
            go_over("capacity", plan, all, 1024);
        }
    for (int megabytes : {10, 20, 24, 28, 32, 36, 40, 48, 56, 64})
        go_over("capacity", plan_of(READ, megabytes, 4, 4), {0}, 1024);
    for (int step : {64, 128, 256}) // a pair of sectors of every line, or of every second one
        for (int megabytes : {24, 28, 32, 36, 40, 48, 56, 64, 80, 100, 120, 160}) {
            go_over("sparse", plan_of(READ, megabytes, step, 4), all, 1024);
            go_over("sparse", plan_of(READ, megabytes, step, 4), {0}, 1024);
        }
}

static void writes(void)
{
    std::vector<int> all = range(0, sm_count);
    for (int delay_us : {0, 5000})
        for (int megabytes : {1, 4, 8, 12, 16, 20, 24, 28, 32, 40, 48, 56, 64, 96, 128, 256}) {
            sweep_plan plan = plan_of(WRITE, megabytes, 4, 1);
            plan.delay_us = delay_us;
            go_over("write", plan, all, 1024);
        }
    for (int megabytes : {4, 16, 32, 64})
        go_over("write", plan_of(WRITE, megabytes, 4, 1), {0}, 1024);
    for (int megabytes : {8, 16, 24, 32, 48})
        go_over("rewrite", plan_of(WRITE, megabytes, 4, 4), all, 1024);
    for (int step : {8, 16, 32, 64, 128})
        go_over("partial", plan_of(WRITE, 256, step, 1), all, 1024);
    for (int megabytes : {4, 16, 32})
        go_over("partial", plan_of(WRITE, megabytes, 32, 1), all, 1024);
    sweep_plan wide = plan_of(WRITE, 256, 32, 1);
    wide.bytes = 16;
    go_over("partial", wide, all, 1024);
}

static void take_steps(const char *name, const std::vector<step> &steps,
                       const std::vector<int> &sms)
{
    step_list taken = {};
    taken.count = (int)steps.size();
    taken.participants = (int)sms.size();
    printf("mixed %s sms=%zu", name, sms.size());
    for (int i = 0; i < taken.count; i++) {
        taken.steps[i] = steps[i];
        printf(" %s:%d:%llu+%lluMB",
               steps[i].kind == READ    ? "r"
               : steps[i].kind == WRITE ? "w"
                                        : "c",
               steps[i].who, (unsigned long long)steps[i].start / 1000000,
               (unsigned long long)steps[i].bytes / 1000000);
    }
    label("");
    CHECK(cudaMemcpyToSymbol(list, &taken, sizeof taken));
    CHECK(cudaMemset(counters, 0, 4096));
    mixed_steps<<<sm_count, 1024, one_block_bytes>>>(buffer, set_of(sms), counters);
    finish();
}

// What a written line leaves in either partition, and what reads and writes evict of each other.
static void mixed(void)
{
    const uint64_t mb = 1000000;
    std::vector<int> all = range(0, sm_count);
    take_steps("own", {{WRITE, 0, 0, 8 * mb}, {READ, 0, 0, 8 * mb}}, {0});
    for (int other = 1; other < 16; other++)
        take_steps(("by" + std::to_string(other)).c_str(),
                   {{WRITE, 0, 0, 8 * mb}, {READ, 1, 0, 8 * mb}}, {0, other});
    for (int other = 1; other < 16; other++)
        take_steps(("stale" + std::to_string(other)).c_str(),
                   {{READ, 1, 0, 8 * mb}, {WRITE, 0, 0, 8 * mb}, {READ, 1, 0, 8 * mb}}, {0, other});
    for (uint64_t size : {8, 16, 20, 24, 32, 48, 64, 128})
        take_steps("copy", {{COPY, -1, 0, size * mb}}, all);
    for (uint64_t written : {8, 24})
        for (uint64_t read : {8, 16, 24, 32, 40, 48, 56, 64, 80, 120})
            take_steps("write-read",
                       {{WRITE, -1, 0, written * mb}, {READ, -1, 100 * mb, read * mb}}, all);
    for (int between : {READ, WRITE})
        for (uint64_t size : {16, 24, 32, 40, 48, 64, 100})
            take_steps(
                "kept",
                {{READ, -1, 0, 8 * mb}, {between, -1, 100 * mb, size * mb}, {READ, -1, 0, 8 * mb}},
                all);
    for (uint64_t size : {16, 24, 32, 40, 48})
        take_steps("touched",
                   {{READ, -1, 0, 8 * mb},
                    {READ, -1, 100 * mb, 16 * mb},
                    {READ, -1, 0, 8 * mb},
                    {READ, -1, 200 * mb, size * mb}},
                   all);
}

static void map(const char *path)
{
    const int lines = 256, step = 4096 + 128;
    uint16_t *out;
    CHECK(cudaMalloc(&out, sm_count * lines * 2));
    latencies<<<sm_count, 32, one_block_bytes>>>(buffer, lines, step, out, counters);
    finish();
    std::vector<uint16_t> host(sm_count * lines);
    CHECK(cudaMemcpy(host.data(), out, host.size() * 2, cudaMemcpyDeviceToHost));
    FILE *file = fopen(path, "w");
    for (uint32_t sm = 0; sm < sm_count; sm++)
        for (int i = 0; i < lines; i++)
            fprintf(file, "%u%c", host[sm * lines + i], i + 1 < lines ? ' ' : '\n');
    fclose(file);
}

static void blocks(void)
{
    uint16_t *out;
    CHECK(cudaMalloc(&out, 8192));
    for (int per_sm : {1, 2, 4}) {
        int bytes = 220 * 1024 / per_sm - 1024;
        std::vector<uint16_t> host(sm_count * per_sm);
        place<<<sm_count * per_sm, 32, bytes>>>(out);
        finish();
        CHECK(cudaMemcpy(host.data(), out, host.size() * 2, cudaMemcpyDeviceToHost));
        printf("blocks_per_sm=%d:", per_sm);
        for (uint16_t sm : host)
            printf(" %u", sm);
        printf("\n");
    }
}

int main(int count, char **arguments)
{
    std::string what = count > 1 ? arguments[1] : "";
    cudaDeviceProp properties;
    CHECK(cudaGetDeviceProperties(&properties, 0));
    sm_count = (uint32_t)properties.multiProcessorCount;
    CHECK(cudaMalloc(&buffer, buffer_bytes));
    CHECK(cudaMemset(buffer, 0, buffer_bytes));
    CHECK(cudaMalloc(&counters, 4096));
    CHECK(cudaMemset(counters, 0, 4096));
    CHECK(cudaFuncSetAttribute(same_lines, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               one_block_bytes));
    CHECK(
        cudaFuncSetAttribute(sweep, cudaFuncAttributeMaxDynamicSharedMemorySize, one_block_bytes));
    CHECK(cudaFuncSetAttribute(mixed_steps, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               one_block_bytes));
    CHECK(cudaFuncSetAttribute(latencies, cudaFuncAttributeMaxDynamicSharedMemorySize,
                               one_block_bytes));
    CHECK(cudaFuncSetAttribute(place, cudaFuncAttributeMaxDynamicSharedMemorySize, 220 * 1024));
    if (what == "coalescer")
        coalescer();
    else if (what == "account")
        account();
    else if (what == "capacity")
        capacity();
    else if (what == "writes")
        writes();
    else if (what == "mixed")
        mixed();
    else if (what == "map")
        map(count > 2 ? arguments[2] : "latency.txt");
    else if (what == "blocks")
        blocks();
    else
        fprintf(stderr, "usage: l2 coalescer|account|capacity|writes|mixed|map [FILE]|blocks\n");
}
