// Right programs of the kinds whose order is hard to see from outside: what check-memory must say nothing
// of, and what must give the same in every run. right CASE prints what it computed, or what is wrong.
#include <cooperative_groups.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

static void check(cudaError_t error, const char *what)
{
    if (error == cudaSuccess)
        return;
    printf("%s: %s\n", what, cudaGetErrorString(error));
    exit(1);
}
#define CHECK(call) check((call), #call)

static void expect(bool holds, const char *what)
{
    if (holds)
        return;
    printf("wrong: %s\n", what);
    exit(1);
}

template <typename T> struct Buffer {
    T *on_device;
    size_t count;
    explicit Buffer(size_t n) : count(n)
    {
        CHECK(cudaMalloc((void **)&on_device, n * sizeof(T)));
    }
    ~Buffer()
    {
        cudaFree(on_device);
    }
    Buffer(const Buffer &) = delete;
    void clear()
    {
        CHECK(cudaMemset(on_device, 0, count * sizeof(T)));
    }
    void put(const std::vector<T> &values)
    {
        CHECK(cudaMemcpy(on_device, values.data(), count * sizeof(T), cudaMemcpyHostToDevice));
    }
    std::vector<T> get() const
    {
        std::vector<T> values(count);
        CHECK(cudaMemcpy(values.data(), on_device, count * sizeof(T), cudaMemcpyDeviceToHost));
        return values;
    }
};

static std::vector<int> some_numbers(size_t count)
{
    std::vector<int> numbers(count);
    unsigned state = 1;
    for (int &number : numbers) {
        state = state * 1664525u + 1013904223u;
        number = int(state >> 20) - 2048;
    }
    return numbers;
}

// ---- a sum by shuffles; the block that ends last adds up what the others left ----

__device__ int warp_sum(int value)
{
    for (int offset = 16; offset; offset /= 2)
        value += __shfl_down_sync(0xffffffffu, value, offset);
    return value;
}

__device__ int block_sum(int value)
{
    __shared__ int of_warps[32];
    int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    value = warp_sum(value);
    if (lane == 0)
        of_warps[warp] = value;
    __syncthreads();
    value = threadIdx.x < blockDim.x / 32 ? of_warps[lane] : 0;
    __syncthreads(); // the next sum writes there
    return warp == 0 ? warp_sum(value) : 0;
}

__global__ void sum(const int *in, int n, int *partial, unsigned *blocks_done, int *out)
{
    __shared__ bool is_last;
    int mine = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        mine += in[i];
    mine = block_sum(mine);
    if (threadIdx.x == 0) {
        partial[blockIdx.x] = mine;
        __threadfence();
        is_last = atomicAdd(blocks_done, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!is_last)
        return;
    int all = block_sum(threadIdx.x < gridDim.x ? ((volatile int *)partial)[threadIdx.x] : 0);
    if (threadIdx.x == 0)
        *out = all;
}

static void run_sum()
{
    const int n = 20000, blocks = 24;
    std::vector<int> numbers = some_numbers(n);
    Buffer<int> in(n), partial(blocks), out(1);
    Buffer<unsigned> done(1);
    in.put(numbers);
    done.clear();
    sum<<<blocks, 128>>>(in.on_device, n, partial.on_device, done.on_device, out.on_device);
    int expected = 0;
    for (int number : numbers)
        expected += number;
    expect(out.get()[0] == expected, "sum");
    printf("%d\n", expected);
}

// ---- a transpose in tiles ----

__global__ void transpose(const float *in, float *out, int width, int height)
{
    __shared__ float tile[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        if (x < width && y + k < height)
            tile[threadIdx.y + k][threadIdx.x] = in[(y + k) * width + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
    for (int k = 0; k < 32; k += 8)
        if (x < height && y + k < width)
            out[(y + k) * height + x] = tile[threadIdx.x][threadIdx.y + k];
}

static void run_transpose()
{
    const int width = 100, height = 70; // tiles that are not full
    std::vector<float> numbers(width * height);
    for (size_t i = 0; i < numbers.size(); i++)
        numbers[i] = float(i);
    Buffer<float> in(numbers.size()), out(numbers.size());
    in.put(numbers);
    transpose<<<dim3(4, 3), dim3(32, 8)>>>(in.on_device, out.on_device, width, height);
    std::vector<float> result = out.get();
    for (int y = 0; y < height; y++)
        for (int x = 0; x < width; x++)
            expect(result[x * height + y] == numbers[y * width + x], "transpose");
    printf("%g\n", result[1]);
}

// ---- a scan in one pass, whose blocks look back at those before them ----

enum { NOTHING, OWN_SUM, WHOLE_SUM };

__global__ void scan(const int *in, int *out, int n, unsigned *next, volatile int *state,
                     volatile int *own, volatile int *whole)
{
    __shared__ unsigned tile;
    __shared__ int of_warps[32], before;
    if (threadIdx.x == 0)
        tile = atomicAdd(next, 1); // tiles in the order in which blocks begin
    __syncthreads();
    int i = tile * blockDim.x + threadIdx.x, lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    int value = i < n ? in[i] : 0;
    for (int offset = 1; offset < 32; offset *= 2) {
        int other = __shfl_up_sync(0xffffffffu, value, offset);
        value += lane >= offset ? other : 0;
    }
    if (lane == 31)
        of_warps[warp] = value;
    __syncthreads();
    int all = 0, left = 0;
    for (unsigned k = 0; k < blockDim.x / 32; k++) {
        left += k < (unsigned)warp ? of_warps[k] : 0;
        all += of_warps[k];
    }
    if (threadIdx.x == 0) {
        int sum_before = 0;
        own[tile] = all;
        __threadfence();
        state[tile] = OWN_SUM;
        for (int k = int(tile) - 1; k >= 0; k--) {
            while (state[k] == NOTHING)
                ;
            __threadfence();
            if (state[k] == WHOLE_SUM) {
                sum_before += whole[k];
                break;
            }
            sum_before += own[k];
        }
        whole[tile] = sum_before + all;
        __threadfence();
        state[tile] = WHOLE_SUM;
        before = sum_before;
    }
    __syncthreads();
    if (i < n)
        out[i] = before + left + value;
}

static void run_scan()
{
    const int n = 9000, blocks = (n + 127) / 128;
    std::vector<int> numbers = some_numbers(n);
    Buffer<int> in(n), out(n), state(blocks), own(blocks), whole(blocks);
    Buffer<unsigned> next(1);
    in.put(numbers);
    next.clear();
    state.clear();
    scan<<<blocks, 128>>>(in.on_device, out.on_device, n, next.on_device, state.on_device, own.on_device,
                          whole.on_device);
    std::vector<int> result = out.get();
    int expected = 0;
    for (int i = 0; i < n; i++) {
        expected += numbers[i];
        expect(result[i] == expected, "scan");
    }
    printf("%d\n", expected);
}

// ---- a queue that blocks take work from and put more work into ----

__global__ void work(int *items, int *item_count, int *taken, int *open, int limit,
                     unsigned long long *total, int *of_blocks)
{
    __shared__ int item;
    for (;;) {
        if (threadIdx.x == 0) {
            item = -1;
            while (*(volatile int *)open > 0) {
                int place = *(volatile int *)taken;
                if (place < *(volatile int *)item_count && atomicCAS(taken, place, place + 1) == place) {
                    while ((item = ((volatile int *)items)[place]) == 0)
                        ; // counted, not yet written
                    break;
                }
            }
        }
        __syncthreads();
        int mine = item;
        __syncthreads();
        if (mine < 0)
            return;
        atomicAdd(total, (unsigned long long)mine * threadIdx.x);
        if (threadIdx.x < 2 && 2 * mine + (int)threadIdx.x < limit) {
            atomicAdd(open, 1);
            int place = atomicAdd(item_count, 1);
            atomicExch(&items[place], 2 * mine + threadIdx.x);
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            atomicAdd(&of_blocks[blockIdx.x], 1);
            __threadfence();
            atomicSub(open, 1);
        }
    }
}

static void run_queue()
{
    const int limit = 500, blocks = 12, threads = 64;
    Buffer<int> items(limit), item_count(1), taken(1), open(1), of_blocks(blocks);
    Buffer<unsigned long long> total(1);
    std::vector<int> first(limit);
    first[0] = 1;
    items.put(first);
    item_count.put({1});
    taken.clear();
    open.put({1});
    total.clear();
    of_blocks.clear();
    work<<<blocks, threads>>>(items.on_device, item_count.on_device, taken.on_device, open.on_device,
                              limit, total.on_device, of_blocks.on_device);
    unsigned long long expected = (unsigned long long)(limit - 1) * limit / 2 * (threads - 1) * threads / 2;
    expect(total.get()[0] == expected, "queue");
    for (int count : of_blocks.get())
        printf("%d ", count);
    printf("%llu\n", expected);
}

// ---- a histogram in shared memory ----

__global__ void histogram(const int *in, int n, int bins, unsigned *out)
{
    extern __shared__ unsigned counts[];
    for (int i = threadIdx.x; i < bins; i += blockDim.x)
        counts[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
        atomicAdd(&counts[(unsigned)in[i] % bins], 1);
    __syncthreads();
    for (int i = threadIdx.x; i < bins; i += blockDim.x)
        if (counts[i])
            atomicAdd(&out[i], counts[i]);
}

static void run_histogram()
{
    const int n = 30000, bins = 37;
    std::vector<int> numbers = some_numbers(n);
    std::vector<unsigned> expected(bins);
    Buffer<int> in(n);
    Buffer<unsigned> out(bins);
    in.put(numbers);
    out.clear();
    histogram<<<10, 96, bins * sizeof(unsigned)>>>(in.on_device, n, bins, out.on_device);
    for (int number : numbers)
        expected[(unsigned)number % bins]++;
    expect(out.get() == expected, "histogram");
    printf("%u\n", expected[0]);
}

// ---- locks: between blocks, and between the lanes of a warp ----

__global__ void locked(int *lock, int *plain, int *out)
{
    __shared__ int shared_lock, shared_plain;
    if (threadIdx.x == 0)
        shared_lock = shared_plain = 0;
    __syncthreads();
    bool is_done = false;
    while (!is_done) {
        if (atomicCAS(&shared_lock, 0, 1) == 0) {
            shared_plain += threadIdx.x;
            __threadfence_block();
            atomicExch(&shared_lock, 0);
            is_done = true;
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        while (atomicCAS(lock, 0, 1) != 0)
            ;
        __threadfence();
        *(volatile int *)plain = *(volatile int *)plain * 3 + (int)blockIdx.x;
        __threadfence();
        atomicExch(lock, 0);
        out[blockIdx.x] = shared_plain;
    }
}

static void run_lock()
{
    const int blocks = 8, threads = 70;
    Buffer<int> lock(1), plain(1), out(blocks);
    lock.clear();
    plain.clear();
    locked<<<blocks, threads>>>(lock.on_device, plain.on_device, out.on_device);
    for (int sum : out.get())
        expect(sum == threads * (threads - 1) / 2, "lock");
    printf("%d\n", plain.get()[0]); // tells in which order the blocks came
}

// ---- a grid that meets ----

__global__ void relax(float *a, float *b, int n, int steps)
{
    cooperative_groups::grid_group grid = cooperative_groups::this_grid();
    for (int step = 0; step < steps; step++) {
        for (int i = grid.thread_rank(); i < n; i += grid.size())
            b[i] = i == 0 || i == n - 1 ? a[i] : 0.5f * (a[i - 1] + a[i + 1]);
        grid.sync();
        float *other = a;
        a = b;
        b = other;
    }
}

static void run_grid()
{
    int n = 2000, steps = 6;
    std::vector<float> now(n), next(n);
    for (int i = 0; i < n; i++)
        now[i] = float(i * 37 % 101);
    Buffer<float> a(n), b(n);
    a.put(now);
    void *arguments[] = {&a.on_device, &b.on_device, &n, &steps};
    CHECK(cudaLaunchCooperativeKernel((void *)relax, dim3(8), dim3(128), arguments, 0, 0));
    for (int step = 0; step < steps; step++) {
        for (int i = 0; i < n; i++)
            next[i] = i == 0 || i == n - 1 ? now[i] : 0.5f * (now[i - 1] + now[i + 1]);
        now.swap(next);
    }
    expect(a.get() == now, "grid");
    printf("%g\n", now[1000]);
}

// ---- two buffers, one filled while the other is used; threads that make and threads that use ----

__global__ void two_buffers(const float *in, float *out, int tiles)
{
    __shared__ __align__(16) float tile[2][256];
    const int t = threadIdx.x; // of 64, four floats each
    auto fetch = [&](int k) {
        unsigned place = (unsigned)__cvta_generic_to_shared(&tile[k % 2][4 * t]);
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(place), "l"(in + 256 * k + 4 * t)
                     : "memory");
        asm volatile("cp.async.commit_group;" ::: "memory");
    };
    float sum = 0;
    fetch(0);
    for (int k = 0; k < tiles; k++) {
        if (k + 1 < tiles) {
            fetch(k + 1);
            asm volatile("cp.async.wait_group 1;" ::: "memory");
        } else {
            asm volatile("cp.async.wait_group 0;" ::: "memory");
        }
        __syncthreads();
        for (int i = 0; i < 4; i++)
            sum += tile[k % 2][(t + 64 * i + 1) % 256];
        __syncthreads();
    }
    out[blockIdx.x * 64 + t] = sum;
}

__global__ void makers_and_users(const int *in, int *out, int rounds)
{
    __shared__ int box[2][32];
    const int lane = threadIdx.x % 32;
    if (threadIdx.x < 32) {
        for (int k = 0; k < rounds; k++) {
            if (k >= 2)
                asm volatile("bar.sync %0, 64;" ::"r"(3 + k % 2) : "memory"); // empty again
            box[k % 2][lane] = in[k * 32 + lane] * 2;
            asm volatile("bar.arrive %0, 64;" ::"r"(1 + k % 2) : "memory"); // full
        }
    } else {
        int sum = 0;
        for (int k = 0; k < rounds; k++) {
            asm volatile("bar.sync %0, 64;" ::"r"(1 + k % 2) : "memory");
            sum += box[k % 2][31 - lane];
            if (k + 2 < rounds)
                asm volatile("bar.arrive %0, 64;" ::"r"(3 + k % 2) : "memory");
        }
        out[lane] = sum;
    }
}

static void run_buffers()
{
    const int tiles = 5, rounds = 7;
    std::vector<float> numbers(256 * tiles);
    for (size_t i = 0; i < numbers.size(); i++)
        numbers[i] = float(i % 61);
    Buffer<float> in(numbers.size()), out(2 * 64);
    in.put(numbers);
    two_buffers<<<2, 64>>>(in.on_device, out.on_device, tiles);
    std::vector<float> result = out.get();
    for (int t = 0; t < 128; t++) {
        float expected = 0;
        for (int k = 0; k < tiles; k++)
            for (int i = 0; i < 4; i++)
                expected += numbers[256 * k + (t % 64 + 64 * i + 1) % 256];
        expect(result[t] == expected, "two buffers");
    }
    std::vector<int> given = some_numbers(32 * rounds);
    Buffer<int> boxes(given.size()), sums(32);
    boxes.put(given);
    makers_and_users<<<1, 64>>>(boxes.on_device, sums.on_device, rounds);
    std::vector<int> found = sums.get();
    for (int lane = 0; lane < 32; lane++) {
        int expected = 0;
        for (int k = 0; k < rounds; k++)
            expected += 2 * given[k * 32 + 31 - lane];
        expect(found[lane] == expected, "makers and users");
    }
    printf("%g %d\n", result[0], found[0]);
}

// ---- sums of floats in the order in which atomics come ----

__global__ void add_floats(const int *in, int n, float *out, double *wide)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
        atomicAdd(out + i % 3, 1.0f / (float)(in[i] | 1));
        atomicAdd(wide, 1.0 / (in[i] | 1));
    }
}

static void run_floats()
{
    const int n = 20000;
    Buffer<int> in(n);
    Buffer<float> out(3);
    Buffer<double> wide(1);
    in.put(some_numbers(n));
    out.clear();
    wide.clear();
    add_floats<<<40, 96>>>(in.on_device, n, out.on_device, wide.on_device);
    std::vector<float> result = out.get();
    printf("%a %a %a %a\n", result[0], result[1], result[2], wide.get()[0]); // every bit
}

// ---- local arrays, and lists made with malloc in one kernel, read in another, freed in a third ----

struct Node {
    Node *next;
    int value;
};

__global__ void make_lists(Node **lists, const int *in, int length)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, turned[8];
    for (int k = 0; k < length; k++)
        turned[(k * 5 + t) % 8] = in[(t * length + k) % 100];
    Node *first = nullptr;
    for (int k = 0; k < length; k++) {
        Node *node = (Node *)malloc(sizeof(Node));
        node->next = first;
        node->value = turned[k];
        first = node;
    }
    lists[t] = first;
}

__global__ void read_lists(Node *const *lists, int *out)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x, sum = 0;
    for (const Node *node = lists[t]; node; node = node->next)
        sum += node->value;
    out[t] = sum;
}

__global__ void free_lists(Node *const *lists)
{
    for (Node *node = lists[blockIdx.x * blockDim.x + threadIdx.x]; node;) {
        Node *next = node->next;
        free(node);
        node = next;
    }
}

static void run_lists()
{
    const int count = 4 * 40, length = 8;
    std::vector<int> numbers = some_numbers(100);
    Buffer<int> in(100), out(count);
    Buffer<Node *> lists(count);
    in.put(numbers);
    make_lists<<<4, 40>>>(lists.on_device, in.on_device, length);
    read_lists<<<4, 40>>>(lists.on_device, out.on_device);
    free_lists<<<4, 40>>>(lists.on_device);
    std::vector<int> result = out.get();
    for (int t = 0; t < count; t++) {
        int expected = 0;
        for (int k = 0; k < length; k++)
            expected += numbers[(t * length + k) % 100];
        expect(result[t] == expected, "lists");
    }
    printf("%d\n", result[0]);
}

static const struct {
    const char *name;
    void (*run)();
} cases[] = {{"sum", run_sum},     {"transpose", run_transpose}, {"scan", run_scan},
             {"queue", run_queue}, {"histogram", run_histogram}, {"lock", run_lock},
             {"grid", run_grid},   {"buffers", run_buffers},     {"floats", run_floats},
             {"lists", run_lists}};

int main(int count, char **arguments)
{
    bool is_known = false;
    for (const auto &one : cases) {
        if (count > 1 && strcmp(arguments[1], one.name) != 0)
            continue;
        is_known = true;
        printf("%s ", one.name);
        one.run();
    }
    CHECK(cudaDeviceSynchronize());
    return !is_known;
}
