/* NCCL's stand-in and the order of work: a thread for each rank, groups, streams that wait, graphs,
 * and reductions of many ranks and of extremes. */
#include <pthread.h>

#include "runtime.h"

union unique_id {
    char bytes[128];
    uint64_t numbers[16];
};
int ncclGetUniqueId(union unique_id *id);
int ncclCommInitAll(void **ranks, int count, const int *devices);
int ncclCommInitRank(void **rank, int count, union unique_id id, int number);
int ncclCommDestroy(void *rank);
int ncclAllReduce(const void *from, void *to, size_t count, int type, int operation, void *rank,
                  void *stream);
int ncclBroadcast(const void *from, void *to, size_t count, int type, int root, void *rank,
                  void *stream);
int ncclSend(const void *from, size_t count, int type, int other, void *rank, void *stream);
int ncclRecv(void *to, size_t count, int type, int other, void *rank, void *stream);
int ncclRedOpCreatePreMulSum(int *operation, void *factor, int type, int residence, void *rank);
int ncclRedOpDestroy(int operation, void *rank);
int ncclGroupStart(void);
int ncclGroupEnd(void);
int cudaMemsetAsync(void *to, int value, size_t bytes, void *stream);
int cudaStreamBeginCapture(void *stream, int mode);
int cudaStreamEndCapture(void *stream, void **graph);
int cudaGraphInstantiateWithFlags(void **executable, void *graph, unsigned long long flags);
int cudaGraphLaunch(void *executable, void *stream);
int cudaGraphExecDestroy(void *executable);
int cudaGraphDestroy(void *graph);
int cuStreamWaitValue32_v2(void *stream, uint64_t address, uint32_t value, unsigned flags);

enum { RANKS = 3, BYTE = 0, UNSIGNED_BYTE = 1, INT = 2, HALF = 6, FLOAT = 7 };
enum { SUM, PRODUCT, MAXIMUM, MINIMUM, AVERAGE };
static void *ranks[RANKS];
static int *from[RANKS], *to[RANKS];

/* ---- a thread for each rank ---- */

enum { ROUNDS = 200, COUNT = 64 };
static union unique_id shared_id;

/* What a thread reads behind a collective is the sum, though others come later. */
static void *work_alone(void *self)
{
    const int number = (int)(intptr_t)self;
    void *rank, *stream;
    int *own, *sum, host[COUNT], differing = 0;
    EXPECT(ncclCommInitRank(&rank, RANKS, shared_id, number), 0);
    EXPECT(cudaStreamCreate(&stream), 0);
    EXPECT(cudaMalloc((void **)&own, sizeof host), 0);
    EXPECT(cudaMalloc((void **)&sum, sizeof host), 0);
    for (int round = 0; round < ROUNDS; round++) {
        for (int k = 0; k < COUNT; k++)
            host[k] = round + k + number;
        EXPECT(cudaMemcpyAsync(own, host, sizeof host, HOST_TO_DEVICE, stream), 0);
        EXPECT(ncclAllReduce(own, sum, COUNT, INT, SUM, rank, stream), 0);
        EXPECT(cudaMemcpyAsync(host, sum, sizeof host, DEVICE_TO_HOST, stream), 0);
        EXPECT(cudaMemsetAsync(own, 0, sizeof host, stream), 0);
        EXPECT(cudaStreamSynchronize(stream), 0);
        for (int k = 0; k < COUNT; k++)
            differing += host[k] != 3 * (round + k) + 3;
        host[0] = 1000 * number + round;
        EXPECT(cudaMemcpyAsync(own, host, 4, HOST_TO_DEVICE, stream), 0);
        EXPECT(ncclGroupStart(), 0);
        EXPECT(ncclSend(own, 1, INT, (number + 1) % RANKS, rank, stream), 0);
        EXPECT(ncclRecv(sum, 1, INT, (number + 2) % RANKS, rank, stream), 0);
        EXPECT(ncclGroupEnd(), 0);
        EXPECT(cudaMemcpyAsync(host, sum, 4, DEVICE_TO_HOST, stream), 0);
        EXPECT(cudaStreamSynchronize(stream), 0);
        differing += host[0] != 1000 * ((number + 2) % RANKS) + round;
    }
    EXPECT(differing, 0);
    EXPECT(ncclCommDestroy(rank), 0);
    EXPECT(cudaStreamDestroy(stream), 0);
    EXPECT(cudaFree(own), 0);
    EXPECT(cudaFree(sum), 0);
    return NULL;
}

static void work_in_threads(void)
{
    pthread_t threads[RANKS];
    union unique_id foreign;
    void *rank;
    EXPECT(ncclGetUniqueId(&shared_id), 0);
    for (intptr_t i = 0; i < RANKS; i++)
        EXPECT(pthread_create(&threads[i], NULL, work_alone, (void *)i), 0);
    for (int i = 0; i < RANKS; i++)
        pthread_join(threads[i], NULL);
    EXPECT(ncclGetUniqueId(&foreign), 0);
    foreign.numbers[1]++; /* as if another process had made it */
    EXPECT(ncclCommInitRank(&rank, 2, foreign, 0), 5);
}

/* ---- groups ---- */

static void fill(int value)
{
    for (int i = 0; i < RANKS; i++) {
        for (int k = 0; k < COUNT; k++)
            from[i][k] = value + i;
        memset(to[i], 0, COUNT * sizeof(int));
    }
}

static void group(void)
{
    fill(1);
    EXPECT(ncclGroupStart(), 0);
    EXPECT(ncclGroupStart(), 0);
    for (int i = 0; i < RANKS; i++)
        EXPECT(ncclAllReduce(from[i], to[i], COUNT, INT, SUM, ranks[i], NULL), 0);
    EXPECT(ncclGroupEnd(), 0);
    fill(10); /* before the end, before it is done */
    EXPECT(to[0][0], 0);
    EXPECT(ncclGroupEnd(), 0);
    EXPECT(to[0][0], 33);
    EXPECT(to[2][COUNT - 1], 33);
    EXPECT(ncclGroupEnd(), 5);
    EXPECT(ncclGroupStart(), 0);
    for (int i = 0; i < RANKS; i++)
        EXPECT(ncclAllReduce(from[i], from[i], COUNT, INT, SUM, ranks[i], NULL), 0);
    EXPECT(ncclAllReduce(from[0], to[0], COUNT, 99, SUM, ranks[0], NULL), 4);
    EXPECT(ncclGroupEnd(), 4);
    EXPECT(from[0][0], 10);
    EXPECT(ncclAllReduce(NULL, to[0], COUNT, INT, SUM, ranks[0], NULL), 4);
    EXPECT(ncclAllReduce(NULL, NULL, 0, INT, SUM, ranks[0], NULL), 0);
    EXPECT(ncclAllReduce(from[0], to[0], COUNT, INT, SUM, ranks[0], (void *)to), 1);
}

/* A message does not overtake the collective that was asked for before it. */
static void keep_order(void)
{
    fill(1);
    EXPECT(ncclAllReduce(from[0], from[0], COUNT, INT, SUM, ranks[0], NULL), 0);
    EXPECT(ncclAllReduce(from[1], from[1], COUNT, INT, SUM, ranks[1], NULL), 0);
    EXPECT(ncclSend(from[0], COUNT, INT, 1, ranks[0], NULL), 0);
    EXPECT(ncclRecv(to[1], COUNT, INT, 0, ranks[1], NULL), 0);
    EXPECT(to[1][0], 0);
    EXPECT(ncclAllReduce(from[2], from[2], COUNT, INT, SUM, ranks[2], NULL), 0);
    EXPECT(to[1][0], 6);
    EXPECT(to[1][COUNT - 1], 6);
}

/* ---- streams ---- */

/* Behind work that is not done yet. */
static void wait_in_stream(void)
{
    void *rank, *stream;
    volatile uint32_t *flag;
    static const int device;
    EXPECT(ncclCommInitAll(&rank, 1, &device), 0);
    EXPECT(cudaStreamCreate(&stream), 0);
    EXPECT(cudaMallocManaged((void **)&flag, 4, 1), 0);
    *flag = 0;
    fill(1);
    EXPECT(cuStreamWaitValue32_v2(stream, (uint64_t)(uintptr_t)flag, 1, 0), 0);
    EXPECT(ncclAllReduce(from[0], to[0], COUNT, INT, SUM, rank, stream), 0);
    EXPECT(to[0][0], 0);
    from[0][0] = 55;
    *flag = 1;
    EXPECT(cudaStreamSynchronize(stream), 0);
    EXPECT(to[0][0], 55);
    EXPECT(cudaFree((void *)(uintptr_t)flag), 0);
    EXPECT(cudaStreamDestroy(stream), 0);
    EXPECT(ncclCommDestroy(rank), 0);
}

/* In graphs the ranks meet whenever they are launched. */
static void capture(void)
{
    void *streams[RANKS], *executables[RANKS];
    fill(1);
    for (int i = 0; i < RANKS; i++) {
        EXPECT(cudaStreamCreate(&streams[i]), 0);
        EXPECT(cudaStreamBeginCapture(streams[i], 2), 0);
    }
    EXPECT(ncclGroupStart(), 0);
    for (int i = 0; i < RANKS; i++)
        EXPECT(ncclAllReduce(from[i], to[i], COUNT, INT, SUM, ranks[i], streams[i]), 0);
    EXPECT(ncclGroupEnd(), 0);
    for (int i = 0; i < RANKS; i++) {
        void *graph;
        EXPECT(cudaStreamEndCapture(streams[i], &graph), 0);
        EXPECT(cudaGraphInstantiateWithFlags(&executables[i], graph, 0), 0);
        EXPECT(cudaGraphDestroy(graph), 0);
    }
    EXPECT(to[1][0], 0);
    for (int round = 0; round < 3; round++) {
        fill(round);
        for (int i = 0; i < RANKS; i++)
            EXPECT(cudaGraphLaunch(executables[i], streams[i]), 0);
        for (int i = 0; i < RANKS; i++) {
            EXPECT(cudaStreamSynchronize(streams[i]), 0);
            EXPECT(to[i][COUNT - 1], 3 * round + 3);
        }
    }
    for (int i = 0; i < RANKS; i++) {
        EXPECT(cudaGraphExecDestroy(executables[i]), 0);
        EXPECT(cudaStreamDestroy(streams[i]), 0);
    }
}

/* ---- reductions ---- */

/* More ranks than a number of 8 bits counts. */
static void reduce_many(void)
{
    enum { MANY = 256 };
    static void *many[MANY];
    static int devices[MANY];
    EXPECT(ncclCommInitAll(many, MANY, devices), 0);
    for (int type = BYTE; type <= UNSIGNED_BYTE; type++) {
        uint8_t *sources = (uint8_t *)from[0], *results = (uint8_t *)to[0];
        memset(sources, 0, MANY);
        sources[7] = 100;
        EXPECT(ncclGroupStart(), 0);
        for (int i = 0; i < MANY; i++)
            EXPECT(ncclAllReduce(sources + i, results + i, 1, type, AVERAGE, many[i], NULL), 0);
        EXPECT(ncclGroupEnd(), 0);
        EXPECT(results[0], 0);
        EXPECT(results[MANY - 1], 0);
    }
    for (int i = 0; i < MANY; i++)
        EXPECT(ncclCommDestroy(many[i]), 0);
}

static void reduce_all(const void *sources, size_t bytes, int type, int operation)
{
    for (int i = 0; i < RANKS; i++)
        memcpy(from[i], (const char *)sources + (size_t)i * bytes, bytes);
    for (int i = 0; i < RANKS; i++)
        EXPECT(ncclAllReduce(from[i], to[i], 1, type, operation, ranks[i], NULL), 0);
}

static void reduce_extremes(void)
{
    const uint16_t halves[RANKS] = {0x7753, 0x7753, 0x7753}; /* 30,000, three of which are more */
    const float nan = __builtin_nanf(""), numbers[RANKS] = {nan, 2, 3}, others[RANKS] = {2, nan, 1};
    const int large[RANKS] = {INT32_MAX, 1, 0};
    int first, second;
    reduce_all(halves, 2, HALF, AVERAGE);
    EXPECT(*(uint16_t *)to[0] >= 0x7750 && *(uint16_t *)to[0] <= 0x7756, 1);
    reduce_all(numbers, 4, FLOAT, MAXIMUM);
    EXPECT(*(float *)to[0], 3);
    reduce_all(numbers, 4, FLOAT, MINIMUM);
    EXPECT(*(float *)to[0], 2);
    reduce_all(others, 4, FLOAT, MINIMUM);
    EXPECT(*(float *)to[0], 1);
    reduce_all(large, 4, INT, SUM);
    EXPECT(to[0][0], INT32_MIN);
    for (int i = 0; i < 1000; i++) { /* places of operations that are gone are used again */
        EXPECT(ncclRedOpCreatePreMulSum(&second, to[0], INT, 1, ranks[0]), 0);
        EXPECT(i == 0 || first == second, 1);
        first = second;
        EXPECT(ncclRedOpDestroy(first, ranks[0]), 0);
    }
}

int main(void)
{
    static const int devices[RANKS];
    EXPECT(ncclCommInitAll(ranks, RANKS, devices), 0);
    for (int i = 0; i < RANKS; i++) {
        EXPECT(cudaMallocManaged((void **)&from[i], 4096, 1), 0);
        EXPECT(cudaMallocManaged((void **)&to[i], 4096, 1), 0);
    }
    work_in_threads();
    group();
    keep_order();
    wait_in_stream();
    capture();
    reduce_many();
    reduce_extremes();
    for (int i = 0; i < RANKS; i++)
        EXPECT(ncclCommDestroy(ranks[i]), 0);
    return failures != 0;
}
