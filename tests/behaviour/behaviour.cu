// What a GPU does with programs whose outcome the language leaves open, or leaves to the order of warps; a
// case a function, a line of output a case. expected.txt has the lines, README.md says where they are from.
#include <climits>
#include <cstdio>
#include <cuda_runtime.h>

#define FULL 0xffffffffu

static void check(cudaError_t error)
{
    if (error != cudaSuccess)
        printf("error: %s\n", cudaGetErrorString(error));
}

// Device memory of `count` elements, all `value`.
template <class T> static T *make(int count, T value)
{
    T *there, *here = new T[count];
    for (int i = 0; i < count; i++)
        here[i] = value;
    check(cudaMalloc(&there, count * sizeof(T)));
    check(cudaMemcpy(there, here, count * sizeof(T), cudaMemcpyHostToDevice));
    delete[] here;
    return there;
}

template <class T> static T sum(T *there, int count)
{
    T *here = new T[count], total = 0;
    check(cudaMemcpy(here, there, count * sizeof(T), cudaMemcpyDeviceToHost));
    for (int i = 0; i < count; i++)
        total += here[i];
    delete[] here;
    check(cudaFree(there));
    return total;
}

// ---- the order of a block's warps ----

// A slot a warp: its first lane writes, all read behind a barrier, but none stands before the next write.
__global__ void next_round(int *early)
{
    __shared__ int slot[8];
    int wrong = 0;
    for (int round = 1; round <= 6; round++) {
        if (threadIdx.x % 32 == 0)
            slot[threadIdx.x / 32] = round;
        __syncthreads();
        for (int j = 0; j < 8; j++)
            wrong += slot[j] != round;
    }
    early[threadIdx.x] = wrong;
}

// Several warps add to the same words without atomics: each begins with the value that was there.
__global__ void add_alone(float *words, const float *values, int count)
{
    for (int j = 0; j < count; j++)
        words[threadIdx.x] += values[j * 32 + threadIdx.x];
}

// The same to two words, one behind the other: a load behind a store that may be to its place is waited for, too.
__global__ void add_to_both(int *first, int *second, int rounds)
{
    for (int j = 0; j < rounds; j++) {
        __syncthreads();
        first[threadIdx.x % 32] += 1;
        second[threadIdx.x % 32] += 1;
    }
}

// Each thread takes its right neighbour's element, in place and without a barrier.
__global__ void shift_in_place(int *words)
{
    int next = words[threadIdx.x + 1];
    words[threadIdx.x] = next;
}

// The same in shared memory, from a copy that all made.
__global__ void shift_shared(int *out)
{
    __shared__ int words[257];
    words[threadIdx.x] = threadIdx.x;
    if (threadIdx.x == 0)
        words[256] = 256;
    __syncthreads();
    int next = words[threadIdx.x + 1];
    words[threadIdx.x] = next;
    __syncthreads();
    out[threadIdx.x] = words[threadIdx.x] != (int)threadIdx.x + 1;
}

// Warps draw numbers until there are none: each gets its share.
__global__ void draw(unsigned *next, int *least)
{
    __shared__ int drawn[8];
    int mine = 0;
    if (threadIdx.x % 32 == 0) {
        while (atomicAdd(next, 1u) < 256)
            mine++;
        drawn[threadIdx.x / 32] = mine;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        int few = INT_MAX;
        for (int i = 0; i < 8; i++)
            few = drawn[i] < few ? drawn[i] : few;
        *least = few >= 8;
    }
}

// A warp waits for a word that another one writes later.
__global__ void hand_over(int *out)
{
    __shared__ volatile int flag, value;
    if (threadIdx.x == 0)
        flag = value = 0;
    __syncthreads();
    if (threadIdx.x == 32) {
        value = 42;
        __threadfence_block();
        flag = 1;
    } else if (threadIdx.x == 0) {
        while (!flag)
            ;
        *out = value;
    }
}

// Lanes of one warp take a lock one after another.
__global__ void lock(int *word, int *count)
{
    bool is_done = false;
    while (!is_done) {
        if (atomicCAS(word, 0, 1) == 0) {
            *(volatile int *)count = *(volatile int *)count + 1;
            __threadfence();
            atomicExch(word, 0);
            is_done = true;
        }
    }
}

// The last steps of a sum in one warp, as code before Volta wrote them: no __syncwarp.
__global__ void warp_synchronous(int *out)
{
    __shared__ volatile int words[64];
    words[threadIdx.x] = threadIdx.x;
    words[threadIdx.x + 32] = threadIdx.x + 32;
    words[threadIdx.x] = words[threadIdx.x] + words[threadIdx.x + 32];
    words[threadIdx.x] = words[threadIdx.x] + words[threadIdx.x + 16];
    words[threadIdx.x] = words[threadIdx.x] + words[threadIdx.x + 8];
    words[threadIdx.x] = words[threadIdx.x] + words[threadIdx.x + 4];
    words[threadIdx.x] = words[threadIdx.x] + words[threadIdx.x + 2];
    words[threadIdx.x] = words[threadIdx.x] + words[threadIdx.x + 1];
    if (threadIdx.x == 0)
        *out = words[0];
}

// Warps that have ended do not keep the others at a barrier.
__global__ void ended_at_barrier(int *out)
{
    __shared__ int word;
    if (threadIdx.x >= 128)
        return;
    if (threadIdx.x == 0)
        word = 7;
    __syncthreads();
    atomicAdd(out, word);
}

// The block that comes last adds up what the others left.
__global__ void last_block(int *parts, unsigned *arrived, int *out)
{
    __shared__ bool is_last;
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = blockIdx.x;
        __threadfence();
        is_last = atomicAdd(arrived, 1u) == gridDim.x - 1;
        if (is_last) {
            int total = 0;
            for (int i = 0; i < (int)gridDim.x; i++)
                total += ((volatile int *)parts)[i];
            *out = total;
        }
    }
}

// ---- lanes that take no part ----

// A sum over groups of four lanes that only each group's first lane comes to: the others hold nothing yet.
__global__ void skipped_shuffle(const float *in, float *out, int rows)
{
    __shared__ float parts[8][4];
    int group = threadIdx.x / 4, lane = threadIdx.x % 4;
    parts[group][lane] = in[threadIdx.x];
    __syncwarp();
    float total = 0;
    for (int row = lane; row < rows; row += 4) {
        float value = parts[group][row];
        value += __shfl_down_sync(FULL, value, 1, 4);
        value += __shfl_down_sync(FULL, value, 2, 4);
        total += value;
    }
    if (lane == 0)
        out[group] = total != in[threadIdx.x];
}

// Lanes end; the others read what those had, which is in memory before they end, too.
__global__ void ended_lanes(volatile int *out, int limit)
{
    int value = out[threadIdx.x] + threadIdx.x + 100;
    out[threadIdx.x + 64] = value;
    if ((int)threadIdx.x >= limit)
        return;
    out[threadIdx.x] = __shfl_down_sync(FULL, value, 16);
}

// Beyond the segment a lane gets its own value; a lane number counts modulo the width.
__global__ void shuffle_limits(int *out)
{
    int lane = threadIdx.x;
    int wrong = __shfl_down_sync(FULL, lane, 9) != (lane + 9 < 32 ? lane + 9 : lane);
    wrong += __shfl_up_sync(FULL, lane, 9, 16) != (lane % 16 >= 9 ? lane - 9 : lane);
    wrong += __shfl_sync(FULL, lane, 35) != 3;
    wrong += __shfl_sync(FULL, lane, 11, 8) != lane / 8 * 8 + 3;
    out[lane] = wrong;
}

// ---- values ----

__global__ void divide_by_zero(unsigned *out, unsigned a, int b, unsigned zero)
{
    out[0] = a / zero;
    out[1] = a % zero;
    out[2] = (unsigned)(b / (int)zero);
}

__global__ void shift_far(unsigned *out, unsigned a, int b, unsigned far)
{
    out[0] = a << far;
    out[1] = a >> far;
    out[2] = (unsigned)(b >> far);
}

__global__ void convert_far(long long *out, float large, float nan, double large_double)
{
    out[0] = (int)large;
    out[1] = (int)-large;
    out[2] = (unsigned)-large;
    out[3] = (int)nan;
    out[4] = (long long)nan;
    out[5] = (int)large_double;
}

// All lanes write one word: one of them is there.
__global__ void one_word(int *out)
{
    *out = 1000 + threadIdx.x;
}

// Holds its stream back until the host says so.
__global__ void wait_for_host(volatile int *word, int *out)
{
    while (!*word) {
    }
    *out = 40;
}

__global__ void add_one(int *out)
{
    *out += 1;
}

// Squares what the host asks for, until it asks for -1.
__global__ void answer(volatile int *question, volatile int *reply)
{
    for (int asked = 0, now; asked >= 0; asked = now) {
        while ((now = *question) == asked) {
        }
        *reply = now * now;
        __threadfence_system();
    }
}

static void warps()
{
    int *out = make(256, 0);
    next_round<<<1, 256>>>(out);
    printf("next_round: %d early reads\n", sum(out, 256));
    float *words = make(32, 0.0f), *values = make(32 * 256, 1.0f);
    add_alone<<<1, dim3(32, 8)>>>(words, values, 256);
    printf("add_alone: %g in a word of 256 additions by 8 warps\n", sum(words, 32) / 32);
    cudaFree(values);
    int *first = make(32, 0);
    out = make(32, 0);
    add_to_both<<<1, 256>>>(first, out, 64);
    const int firsts = sum(first, 32) / 32;
    printf("add_to_both: %d and %d of 512 additions by 8 warps in 64 rounds\n", firsts, sum(out, 32) / 32);
    int here[257];
    out = make(257, 0);
    for (int i = 0; i < 257; i++)
        here[i] = i;
    check(cudaMemcpy(out, here, sizeof here, cudaMemcpyHostToDevice));
    shift_in_place<<<1, 256>>>(out);
    printf("shift_in_place: sum %d\n", sum(out, 256));
    out = make(256, 0);
    shift_shared<<<1, 256>>>(out);
    printf("shift_shared: %d wrong\n", sum(out, 256));
    unsigned *next = make(1, 0u);
    out = make(1, 0);
    draw<<<1, 256>>>(next, out);
    printf("draw: %s\n", sum(out, 1) ? "each of 8 warps draws at least 8 of 256" : "a warp draws next to nothing");
    cudaFree(next);
    out = make(1, 0);
    hand_over<<<1, 64>>>(out);
    printf("hand_over: %d\n", sum(out, 1));
    int *word = make(1, 0);
    out = make(1, 0);
    lock<<<2, 64>>>(word, out);
    printf("lock: %d\n", sum(out, 1));
    cudaFree(word);
    out = make(1, 0);
    warp_synchronous<<<1, 32>>>(out);
    printf("warp_synchronous: %d\n", sum(out, 1));
    out = make(1, 0);
    ended_at_barrier<<<1, 256>>>(out);
    printf("ended_at_barrier: %d\n", sum(out, 1));
    unsigned *arrived = make(1, 0u);
    int *parts = make(300, 0);
    out = make(1, 0);
    last_block<<<300, 32>>>(parts, arrived, out);
    printf("last_block: %d\n", sum(out, 1));
    cudaFree(arrived);
    cudaFree(parts);
}

static void lanes()
{
    float *in = make(32, 3.0f), *results = make(8, 0.0f);
    skipped_shuffle<<<1, 32>>>(in, results, 1);
    printf("skipped_shuffle: %g of 8 sums differ\n", sum(results, 8));
    cudaFree(in);
    int *out = make(96, 0);
    ended_lanes<<<1, 32>>>(out, 16);
    printf("ended_lanes: sum %d\n", sum(out, 32));
    out = make(32, 0);
    shuffle_limits<<<1, 32>>>(out);
    printf("shuffle_limits: %d wrong\n", sum(out, 32));
}

static void values()
{
    unsigned here[3], *out = make(3, 0u);
    divide_by_zero<<<1, 1>>>(out, 77, -5, 0);
    check(cudaMemcpy(here, out, sizeof here, cudaMemcpyDeviceToHost));
    printf("divide_by_zero: %08x %08x %08x\n", here[0], here[1], here[2]);
    shift_far<<<1, 1>>>(out, 0xf000000f, INT_MIN, 40);
    check(cudaMemcpy(here, out, sizeof here, cudaMemcpyDeviceToHost));
    printf("shift_far: %08x %08x %08x\n", here[0], here[1], here[2]);
    long long far[6], *converted = make(6, 0ll);
    convert_far<<<1, 1>>>(converted, 1e20f, __builtin_nanf(""), -1e300);
    check(cudaMemcpy(far, converted, sizeof far, cudaMemcpyDeviceToHost));
    printf("convert_far: %lld %lld %lld %lld %lld %lld\n", far[0], far[1], far[2], far[3], far[4], far[5]);
    int *word = make(1, 0);
    one_word<<<1, 32>>>(word);
    int winner = sum(word, 1);
    printf("one_word: %s\n", winner >= 1000 && winner < 1032 ? "a lane's value" : "no lane's value");
}

// What the host does while a kernel runs.
static void host()
{
    int *words, *out = make(1, 0);
    cudaStream_t stream;
    check(cudaHostAlloc(&words, 4 * sizeof *words, cudaHostAllocMapped));
    check(cudaStreamCreate(&stream));
    volatile int *question = words, *reply = words + 1;
    words[0] = words[1] = words[2] = 0;
    wait_for_host<<<1, 1, 0, stream>>>(words, out);
    add_one<<<1, 1, 0, stream>>>(out);
    add_one<<<1, 1, 0, stream>>>(out);
    check(cudaMemcpyAsync(words + 2, out, sizeof *out, cudaMemcpyDeviceToHost, stream));
    bool is_early = cudaStreamQuery(stream) != cudaErrorNotReady;
    *question = 1;
    check(cudaStreamSynchronize(stream));
    printf("wait_for_host: %d%s\n", words[2], is_early ? ", early" : "");
    words[0] = 0;
    answer<<<1, 1, 0, stream>>>(words, words + 1);
    printf("answer:");
    for (int i = 1; i <= 5; i++) {
        *question = i;
        while (*reply != i * i) {
        }
        printf(" %d", *reply);
    }
    *question = -1;
    check(cudaStreamSynchronize(stream));
    printf("\n");
    check(cudaStreamDestroy(stream));
    check(cudaFree(out));
}

// ---- where lanes meet again of which some have ended on the way ----

#define MEET(name) __global__ void name(volatile unsigned *out, const volatile int *in)
#define LANE const int v = in[threadIdx.x]
#define DO(i) out[32 + (i)] = v
#define MET                                                \
    unsigned mask;                                         \
    asm volatile("activemask.b32 %0;" : "=r"(mask));       \
    out[threadIdx.x] = mask

MEET(nested_return)
{
    LANE;
    if (v & 1) {
        DO(0);
        if (v & 2)
            return;
        DO(1);
    }
    MET;
}
MEET(busy_return)
{
    LANE;
    if (v & 1) {
        DO(0);
        if (v & 2) {
            DO(1);
            DO(2);
            return;
        }
        DO(3);
    }
    MET;
}
MEET(both_return)
{
    LANE;
    if (v & 1) {
        DO(0);
        if (v & 4) {
            DO(5);
            DO(6);
            return;
        }
        DO(9);
    } else {
        DO(1);
        if (v & 2) {
            DO(2);
            DO(7);
            return;
        }
        DO(3);
    }
    MET;
}
MEET(else_return)
{
    LANE;
    if (v & 1) {
        DO(0);
        if (v & 2) {
            DO(5);
            DO(6);
        } else {
            DO(9);
            DO(8);
            return;
        }
        DO(4);
    }
    MET;
}
MEET(loop_return)
{
    LANE;
    for (int j = 0; j < (v & 7); j++) {
        DO(0);
        if (v == 11 + 2 * j)
            return;
        DO(1);
    }
    MET;
}
MEET(do_return)
{
    LANE;
    int j = 0;
    do {
        DO(0);
        if (v == 11 + 2 * j)
            return;
        DO(1);
    } while (++j < (v & 7));
    MET;
}
MEET(case_return)
{
    LANE;
    switch (v & 3) {
    case 0:
        DO(0);
        break;
    case 1:
        DO(1);
        DO(2);
        break;
    case 2:
        DO(3);
        if (v & 4)
            return;
        DO(4);
        break;
    default:
        DO(5);
    }
    MET;
}
MEET(nested_trap)
{
    LANE;
    if (v & 1) {
        DO(0);
        if (v & 2) {
            DO(3);
            DO(4);
            if (v & 256) {
                DO(7);
                __trap();
            }
            DO(5);
        }
        DO(6);
    }
    MET;
}
MEET(loop_trap)
{
    LANE;
    for (int j = 0; j < (v & 7); j++) {
        DO(0);
        if (v == 300 + 2 * j)
            __trap();
        DO(1);
    }
    MET;
}
MEET(all_return)
{
    LANE;
    if (v & 1) {
        DO(0);
        if (v & 2) {
            DO(1);
            MET;
            return;
        }
        DO(2);
        MET;
        return;
    }
    DO(3);
    DO(4);
    MET;
}

// The masks that lanes saw, each once, by the first that saw it.
static void meet(const char *name, void (*kernel)(volatile unsigned *, const volatile int *))
{
    unsigned *out = make(48, 0u), seen[48];
    int *in = make(32, 0), lanes[32];
    for (int i = 0; i < 32; i++)
        lanes[i] = i;
    check(cudaMemcpy(in, lanes, sizeof lanes, cudaMemcpyHostToDevice));
    kernel<<<1, 32>>>(out, in);
    check(cudaMemcpy(seen, out, sizeof seen, cudaMemcpyDeviceToHost));
    printf("%s:", name);
    for (int i = 0; i < 32; i++) {
        bool is_new = seen[i] != 0;
        for (int j = 0; j < i; j++)
            is_new &= seen[j] != seen[i];
        if (is_new)
            printf(" %08x", seen[i]);
    }
    printf("\n");
    check(cudaFree(out));
    check(cudaFree(in));
}

static void meetings()
{
    meet("nested_return", nested_return);
    meet("busy_return", busy_return);
    meet("both_return", both_return);
    meet("else_return", else_return);
    meet("loop_return", loop_return);
    meet("do_return", do_return);
    meet("case_return", case_return);
    meet("nested_trap", nested_trap);
    meet("loop_trap", loop_trap);
    meet("all_return", all_return);
}

// ---- another block's shared memory ----

// Sums of the least subnormal, in the other block of the cluster: global memory would flush them.
__global__ void __cluster_dims__(2, 1, 1) peer_sums(unsigned *out)
{
    __shared__ float sums[32];
    if (threadIdx.x < 32)
        sums[threadIdx.x] = 0;
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
    const unsigned own = (unsigned)__cvta_generic_to_shared(&sums[threadIdx.x % 32]);
    unsigned other;
    asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(other) : "r"(own), "r"((blockIdx.x & 1) ^ 1));
    asm volatile("red.shared::cluster.add.f32 [%0], %1;" ::"r"(other), "f"(__uint_as_float(3)) : "memory");
    asm volatile("barrier.cluster.arrive.aligned; barrier.cluster.wait.aligned;" ::: "memory");
    if (threadIdx.x < 32)
        atomicAdd(out, __float_as_uint(sums[threadIdx.x]));
}

static void peers()
{
    unsigned *out = make(1, 0u);
    peer_sums<<<8, 128>>>(out);
    printf("peer_sums: %u\n", sum(out, 1));
}

// ---- blocks that wait for one another ----

// The GPU has room for all blocks at once; nobody wants what the sums give back.
__global__ void all_meet(unsigned *count, unsigned *out)
{
    if (threadIdx.x == 0) {
        atomicAdd(count, 1u);
        while (__ldcg(count) < gridDim.x)
            ;
    }
    __syncthreads();
    atomicAdd(out, __ldcg(count) == gridDim.x);
}

static void meeting_of_all()
{
    unsigned *count = make(1, 0u), *out = make(1, 0u);
    all_meet<<<400, 64>>>(count, out);
    printf("all_meet: %u\n", sum(out, 1));
    check(cudaFree(count));
}

// ---- variables ----

__device__ int some[3] = {1, 2, 3};
__device__ char byte;
__device__ double wide[2];
__device__ int more[5];

// How many of them begin at a multiple of 256 bytes.
static void variables()
{
    const void *symbols[] = {some, &byte, wide, more};
    int aligned = 0;
    for (const void *symbol : symbols) {
        void *address = nullptr;
        check(cudaGetSymbolAddress(&address, symbol));
        aligned += (size_t)address % 256 == 0;
    }
    printf("variables: %d\n", aligned);
}

int main()
{
    warps();
    lanes();
    values();
    meetings();
    peers();
    meeting_of_all();
    variables();
    host();
    check(cudaDeviceSynchronize());
    return 0;
}
