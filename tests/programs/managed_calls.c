/* Memory in both APIs: what was said of managed memory, pools, batches of copies. */
#include "runtime.h"

struct location {
    int type, id;
};
struct attributes { /* of a batch's copies */
    int order;
    struct location from, to;
    unsigned flags;
};
struct side {
    int kind; /* 1: memory */
    void *address;
    size_t row, rows;
    struct location location;
};
struct copy_3d {
    struct side from, to;
    size_t width, height, depth;
    int order;
    unsigned flags;
};
struct pool_access {
    struct location location;
    int access;
};
struct pool_properties {
    int kind, handle_kinds;
    struct location location;
    char rest[72];
};

#define CALLS(api)                                                                                 \
    int api##MemRangeGetAttribute(void *value, size_t bytes, int attribute, const void *address,   \
                                  size_t size);                                                    \
    int api##MemRangeGetAttributes(void **values, size_t *bytes, int *attributes, size_t count,    \
                                   const void *address, size_t size);                              \
    int api##MemAdvise_v2(const void *address, size_t size, int advice, struct location location); \
    int api##DeviceGetDefaultMemPool(void **pool, int device);                                     \
    int api##DeviceGetMemPool(void **pool, int device);                                            \
    int api##DeviceSetMemPool(int device, void *pool);                                             \
    int api##MemGetDefaultMemPool(void **pool, struct location *location, int kind);               \
    int api##MemGetMemPool(void **pool, struct location *location, int kind);                      \
    int api##MemSetMemPool(struct location *location, int kind, void *pool);                       \
    int api##MemPoolCreate(void **pool, const struct pool_properties *properties);                 \
    int api##MemPoolDestroy(void *pool);                                                           \
    int api##MemPoolGetAttribute(void *pool, int attribute, void *value);                          \
    int api##MemPoolSetAttribute(void *pool, int attribute, void *value);                          \
    int api##MemPoolSetAccess(void *pool, const struct pool_access *accesses, size_t count);       \
    int api##MemPoolGetAccess(int *access, void *pool, struct location *location);                 \
    int api##MemPoolTrimTo(void *pool, size_t bytes);                                              \
    int api##MemPrefetchBatchAsync(void **addresses, size_t *sizes, size_t count,                  \
                                   struct location *locations, size_t *firsts, size_t entries,     \
                                   unsigned long long flags, void *stream);                        \
    int api##MemDiscardBatchAsync(void **addresses, size_t *sizes, size_t count,                   \
                                  unsigned long long flags, void *stream);                         \
    int api##MemDiscardAndPrefetchBatchAsync(                                                      \
        void **addresses, size_t *sizes, size_t count, struct location *locations, size_t *firsts, \
        size_t entries, unsigned long long flags, void *stream);
CALLS(cuda)
CALLS(cu)
int cudaMallocFromPoolAsync(void **address, size_t bytes, void *pool, void *stream);
int cudaMallocAsync(void **address, size_t bytes, void *stream);
int cudaFreeAsync(void *address, void *stream);
int cuMemAllocFromPoolAsync(void **address, size_t bytes, void *pool, void *stream);
int cuMemAdvise(const void *address, size_t bytes, int advice, int device);
int cuMemPrefetchAsync(const void *address, size_t bytes, int device, void *stream);
int cuMemcpyBatchAsync_v2(void **to, const void **from, size_t *sizes, size_t count,
                          struct attributes *attributes, size_t *firsts, size_t entries,
                          void *stream);
int cuMemcpy3DBatchAsync_v2(size_t count, struct copy_3d *copies, unsigned long long flags,
                            void *stream);
#if MAJOR == 13
int cudaMemcpyBatchAsync(void **to, const void **from, size_t *sizes, size_t count,
                         struct attributes *attributes, size_t *firsts, size_t entries,
                         void *stream);
int cudaMemcpy3DBatchAsync(size_t count, struct copy_3d *copies, unsigned long long flags,
                           void *stream);
#define cudaMemcpyBatchAsync_v2 cudaMemcpyBatchAsync
#define cudaMemcpy3DBatchAsync_v2 cudaMemcpy3DBatchAsync
#else
int cudaMemcpyBatchAsync(void **to, const void **from, size_t *sizes, size_t count,
                         struct attributes *attributes, size_t *firsts, size_t entries,
                         size_t *failed, void *stream);
int cudaMemcpy3DBatchAsync(size_t count, struct copy_3d *copies, size_t *failed,
                           unsigned long long flags, void *stream);
#define cudaMemcpyBatchAsync_v2(to, from, sizes, count, attributes, firsts, entries, stream) \
    cudaMemcpyBatchAsync(to, from, sizes, count, attributes, firsts, entries, NULL, stream)
#define cudaMemcpy3DBatchAsync_v2(count, copies, flags, stream) \
    cudaMemcpy3DBatchAsync(count, copies, NULL, flags, stream)
#endif

enum { PAGE = 65536, READ_MOSTLY = 1, PREFERRED = 2, ACCESSED_BY = 3, PREFETCHED = 4 };
static void *stream;

#define ADVISE(api)                                                                                \
    static int range_##api(const void *address, size_t bytes, int attribute)                       \
    {                                                                                              \
        int value = 77;                                                                            \
        EXPECT(api##MemRangeGetAttribute(&value, 4, attribute, address, bytes), 0);                \
        return value;                                                                              \
    }                                                                                              \
    static void advise_##api(void)                                                                 \
    {                                                                                              \
        char *managed, *device, *third;                                                            \
        struct location here = {1, 0}, host = {2, 0}, nowhere = {1, 5};                            \
        int list[3] = {7, 7, 7}, one = 7, kinds[] = {READ_MOSTLY, ACCESSED_BY};                    \
        void *values[] = {&one, list};                                                             \
        size_t sizes[] = {4, 12}, firsts[] = {0};                                                  \
        EXPECT(cudaMallocManaged((void **)&managed, 4 * PAGE, 1), 0);                              \
        EXPECT(cudaMalloc((void **)&device, PAGE), 0);                                             \
        EXPECT(range_##api(managed, 4 * PAGE, READ_MOSTLY), 0);                                    \
        EXPECT(range_##api(managed, 4 * PAGE, PREFERRED), -2);                                     \
        EXPECT(range_##api(managed, 4 * PAGE, PREFETCHED), -2);                                    \
        EXPECT(api##MemAdvise_v2(managed, 2 * PAGE, 1, here), 0);                                  \
        EXPECT(range_##api(managed, 2 * PAGE, READ_MOSTLY), 1);                                    \
        EXPECT(range_##api(managed, 4 * PAGE, READ_MOSTLY), 0);                                    \
        EXPECT(api##MemAdvise_v2(managed + 2 * PAGE, 2 * PAGE, 1, here), 0);                       \
        EXPECT(range_##api(managed, 4 * PAGE, READ_MOSTLY), 1);                                    \
        EXPECT(api##MemAdvise_v2(managed + PAGE, PAGE, 2, here), 0);                               \
        EXPECT(range_##api(managed, 4 * PAGE, READ_MOSTLY), 0);                                    \
        EXPECT(range_##api(managed + 2 * PAGE, 2 * PAGE, READ_MOSTLY), 1);                         \
        EXPECT(api##MemAdvise_v2(managed, 4 * PAGE, 3, host), 0);                                  \
        EXPECT(range_##api(managed, 4 * PAGE, PREFERRED), -1);                                     \
        EXPECT(range_##api(managed, 4 * PAGE, 5), 2);                                              \
        EXPECT(api##MemAdvise_v2(managed, 4 * PAGE, 5, here), 0);                                  \
        EXPECT(api##MemAdvise_v2(managed, 2 * PAGE, 1, here), 0);                                  \
        EXPECT(api##MemRangeGetAttributes(values, sizes, kinds, 2, managed, 4 * PAGE), 0);         \
        EXPECT(one == 1 && list[0] == 0 && list[1] == -2 && list[2] == -2, 1);                     \
        EXPECT(api##MemAdvise_v2(managed, 4 * PAGE, 4, host), 0);                                  \
        EXPECT(range_##api(managed, 4 * PAGE, PREFERRED), -2);                                     \
        third = managed;                                                                           \
        sizes[0] = 4 * PAGE;                                                                       \
        EXPECT(api##MemPrefetchBatchAsync((void **)&third, sizes, 1, &here, firsts, 1, 0, stream), \
               0);                                                                                 \
        EXPECT(range_##api(managed, 4 * PAGE, PREFETCHED), 0);                                     \
        EXPECT(api##MemDiscardAndPrefetchBatchAsync((void **)&third, sizes, 1, &host, firsts, 1,   \
                                                    0, stream),                                    \
               0);                                                                                 \
        EXPECT(range_##api(managed, 4 * PAGE, PREFETCHED), -1);                                    \
        EXPECT(api##MemDiscardBatchAsync((void **)&third, sizes, 1, 0, stream), 0);                \
        EXPECT(api##MemDiscardBatchAsync((void **)&third, sizes, 1, 1, stream), 1);                \
        EXPECT(                                                                                    \
            api##MemPrefetchBatchAsync((void **)&third, sizes, 1, &nowhere, firsts, 1, 0, stream), \
            101);                                                                                  \
        EXPECT(api##MemRangeGetAttribute(&one, 8, READ_MOSTLY, managed, PAGE), 1);                 \
        EXPECT(api##MemRangeGetAttribute(NULL, 4, READ_MOSTLY, managed, PAGE), 1);                 \
        EXPECT(api##MemRangeGetAttribute(&one, 4, 9, managed, PAGE), 1);                           \
        EXPECT(api##MemRangeGetAttribute(&one, 4, READ_MOSTLY, managed, 5 * PAGE), 1);             \
        EXPECT(api##MemRangeGetAttribute(&one, 4, READ_MOSTLY, device, PAGE), 1);                  \
        EXPECT(api##MemAdvise_v2(managed, PAGE, 77, here), 1);                                     \
        EXPECT(api##MemAdvise_v2(managed, PAGE, 5, nowhere), 101);                                 \
        EXPECT(cudaFree(managed), 0);                                                              \
        EXPECT(cudaFree(device), 0);                                                               \
    }
ADVISE(cuda)
ADVISE(cu)

static uint64_t amount(void *pool, int attribute)
{
    uint64_t value = 77;
    EXPECT(cudaMemPoolGetAttribute(pool, attribute, &value), 0);
    return value;
}

#define POOLS(api, allocate)                                                                  \
    static void use_pools_##api(void)                                                         \
    {                                                                                         \
        struct pool_properties properties = {.kind = 1, .location = {1, 0}};                  \
        struct location here = {1, 0};                                                        \
        struct pool_access reached = {{1, 0}, 3}, nowhere = {{1, 9}, 3}, wrong = {{0, 0}, 3}, \
                           read = {{1, 0}, 1}, own = {{1, 0}, 0}, host = {{2, 0}, 3};         \
        void *first, *pool, *current, *address, *other;                                       \
        uint64_t threshold = 4096, zero = 0;                                                  \
        int access = 0, is_on = 7;                                                            \
        EXPECT(api##DeviceGetDefaultMemPool(&first, 0), 0);                                   \
        EXPECT(api##DeviceGetDefaultMemPool(&first, 9), 101);                                 \
        EXPECT(api##MemGetDefaultMemPool(&current, &here, 1), 0);                             \
        EXPECT(current == first, 1);                                                          \
        EXPECT(api##MemPoolDestroy(first), 1);                                                \
        EXPECT(api##MemPoolCreate(&pool, NULL), 1);                                           \
        EXPECT(api##MemPoolCreate(&pool, &properties), 0);                                    \
        EXPECT(api##MemPoolGetAttribute(pool, 1, &is_on), 0);                                 \
        EXPECT(is_on, 1);                                                                     \
        EXPECT(api##MemPoolSetAttribute(pool, 4, &threshold), 0);                             \
        EXPECT(amount(pool, 4), 4096);                                                        \
        EXPECT(api##MemPoolSetAttribute(pool, 5, &zero), 1);                                  \
        EXPECT(api##MemPoolSetAttribute(pool, 9, &zero), 1);                                  \
        EXPECT(allocate(&address, 1024, pool, stream), 0);                                    \
        EXPECT(amount(pool, 7), 1024);                                                        \
        EXPECT(cudaFreeAsync(address, stream), 0);                                            \
        EXPECT(amount(pool, 7), 0);                                                           \
        EXPECT(amount(pool, 8), 1024);                                                        \
        EXPECT(api##MemPoolSetAttribute(pool, 8, &threshold), 1);                             \
        EXPECT(api##MemPoolSetAttribute(pool, 8, &zero), 0);                                  \
        EXPECT(amount(pool, 8), 0);                                                           \
        EXPECT(api##MemSetMemPool(&here, 1, pool), 0);                                        \
        EXPECT(api##MemGetMemPool(&current, &here, 1), 0);                                    \
        EXPECT(current == pool, 1);                                                           \
        EXPECT(cudaMallocAsync(&other, 512, stream), 0);                                      \
        EXPECT(amount(pool, 7), 512);                                                         \
        EXPECT(cudaFree(other), 0);                                                           \
        EXPECT(amount(pool, 7), 0);                                                           \
        EXPECT(api##MemPoolTrimTo(pool, 0), 0);                                               \
        EXPECT(api##MemPoolSetAccess(pool, &reached, 1), 0);                                  \
        EXPECT(api##MemPoolSetAccess(pool, &nowhere, 1), 101);                                \
        EXPECT(api##MemPoolSetAccess(pool, &read, 1), 801);                                   \
        EXPECT(api##MemPoolSetAccess(pool, &host, 1), 801);                                   \
        EXPECT(api##MemPoolSetAccess(pool, &own, 1), 101);                                    \
        EXPECT(api##MemPoolGetAccess(&access, pool, &host.location), 0);                      \
        EXPECT(access, 0);                                                                    \
        EXPECT(allocate(&address, 0, pool, stream), 0);                                       \
        EXPECT(address == NULL, 1);                                                           \
        EXPECT(api##MemPoolSetAccess(pool, &wrong, 1), 1);                                    \
        EXPECT(api##MemPoolSetAccess(pool, NULL, 1), 1);                                      \
        EXPECT(api##MemPoolGetAccess(&access, pool, &here), 0);                               \
        EXPECT(access, 3);                                                                    \
        EXPECT(api##DeviceSetMemPool(0, NULL), 1);                                            \
        EXPECT(api##MemPoolDestroy(pool), 0);                                                 \
        EXPECT(api##MemPoolDestroy(pool), 1);                                                 \
        EXPECT(allocate(&address, 1024, pool, stream), 1);                                    \
        EXPECT(api##DeviceGetMemPool(&current, 0), 0);                                        \
        EXPECT(current == first, 1);                                                          \
    }
POOLS(cuda, cudaMallocFromPoolAsync)
POOLS(cu, cuMemAllocFromPoolAsync)

#define BATCHES(api)                                                                            \
    static void copy_batches_##api(void)                                                        \
    {                                                                                           \
        char host[256], back[256], *device, *place;                                             \
        struct attributes attributes[2] = {{.order = 1}, {.order = 3}}, bad = {.order = 0};     \
        size_t sizes[] = {64, 32, 16}, firsts[] = {0, 2}, wrong[] = {1, 2}, none[] = {0, 4, 4}; \
        int differing = 0;                                                                      \
        EXPECT(cudaMalloc((void **)&device, 256), 0);                                           \
        EXPECT(cudaMemset(device, 0, 256), 0);                                                  \
        for (int i = 0; i < 256; i++)                                                           \
            host[i] = (char)(i + 1);                                                            \
        void *to[] = {device, device + 100, device + 200};                                      \
        const void *from[] = {host + 3, host + 90, host + 7};                                   \
        EXPECT(api##MemcpyBatchAsync_v2(to, from, sizes, 3, attributes, firsts, 2, stream), 0); \
        EXPECT(cudaMemcpy(back, device, 256, DEVICE_TO_HOST), 0);                               \
        for (int i = 0; i < 256; i++) {                                                         \
            const char wanted = i < 64                ? host[i + 3]                             \
                                : i >= 100 && i < 132 ? host[i - 10]                            \
                                : i >= 200 && i < 216 ? host[i - 193]                           \
                                                      : 0;                                      \
            differing += back[i] != wanted;                                                     \
        }                                                                                       \
        EXPECT(differing, 0);                                                                   \
        EXPECT(api##MemcpyBatchAsync_v2(to, from, sizes, 3, attributes, wrong, 2, stream), 1);  \
        EXPECT(api##MemcpyBatchAsync_v2(to, from, sizes, 3, &bad, firsts, 1, stream), 1);       \
        EXPECT(api##MemcpyBatchAsync_v2(to, from, none, 3, attributes, firsts, 1, stream), 1);  \
        EXPECT(api##MemcpyBatchAsync_v2(to, from, sizes, 0, attributes, firsts, 1, stream), 1); \
        EXPECT(api##MemcpyBatchAsync_v2(to, from, sizes, 3, attributes, firsts, 2, NULL), 1);   \
        EXPECT(cudaMemset(device, 0, 256), 0);                                                  \
        place = host;                                                                           \
        struct copy_3d copy = {.from = {.kind = 1, .address = place, .row = 8, .rows = 4},      \
                               .to = {.kind = 1, .address = device, .row = 16, .rows = 5},      \
                               .width = 6,                                                      \
                               .height = 3,                                                     \
                               .depth = 2,                                                      \
                               .order = 1};                                                     \
        EXPECT(api##Memcpy3DBatchAsync_v2(1, &copy, 0, stream), 0);                             \
        EXPECT(cudaMemcpy(back, device, 256, DEVICE_TO_HOST), 0);                               \
        for (int i = 0; i < 256; i++) {                                                         \
            const int x = i % 16, y = i / 16 % 5, z = i / 80;                                   \
            const int is_in = x < 6 && y < 3 && z < 2;                                          \
            differing += back[i] != (is_in ? host[z * 32 + y * 8 + x] : 0);                     \
        }                                                                                       \
        EXPECT(differing, 0);                                                                   \
        EXPECT(api##Memcpy3DBatchAsync_v2(1, &copy, 1, stream), 1);                             \
        copy.to.row = 4;                                                                        \
        EXPECT(api##Memcpy3DBatchAsync_v2(1, &copy, 0, stream), 1);                             \
        copy.to.row = 0;                                                                        \
        copy.depth = 0;                                                                         \
        EXPECT(api##Memcpy3DBatchAsync_v2(1, &copy, 0, stream), 1);                             \
        EXPECT(cudaFree(device), 0);                                                            \
    }
BATCHES(cuda)
BATCHES(cu)

static void prefetch_as_before(void)
{
    char *managed;
    EXPECT(cudaMallocManaged((void **)&managed, PAGE, 1), 0);
    EXPECT(range_cu(managed, PAGE, PREFETCHED), -2);
    EXPECT(cuMemPrefetchAsync(managed, PAGE, 0, stream), 0);
    EXPECT(range_cu(managed, PAGE, PREFETCHED), 0);
    EXPECT(cuMemPrefetchAsync(managed, PAGE, -1, NULL), 0);
    EXPECT(range_cu(managed, PAGE, PREFETCHED), -1);
    EXPECT(cuMemAdvise(managed, PAGE, 3, -1), 0);
    EXPECT(range_cu(managed, PAGE, PREFERRED), -1);
    EXPECT(cuMemPrefetchAsync(managed, PAGE, 4, stream), 101);
    EXPECT(cudaFree(managed), 0);
}

#if MAJOR == 13
#define PREFETCH(address, where, flags, stream) \
    cudaMemPrefetchAsync(address, PAGE, (struct location){1, where}, flags, stream)
int cudaMemPrefetchAsync(const void *address, size_t bytes, struct location location,
                         unsigned flags, void *stream);
#else
#define PREFETCH(address, where, flags, stream) cudaMemPrefetchAsync(address, PAGE, where, stream)
int cudaMemPrefetchAsync(const void *address, size_t bytes, int device, void *stream);
#endif
int cudaMemPrefetchAsync_v2(const void *address, size_t bytes, struct location location,
                            unsigned flags, void *stream);

int cudaStreamBeginCapture(void *stream, int mode);
int cudaStreamEndCapture(void *stream, void **graph);
int cudaStreamAttachMemAsync(void *stream, void *address, size_t bytes, unsigned flags);
int cuMemAllocAsync(void **address, size_t bytes, void *stream);

static void prefetch_in_streams(void)
{
    const struct location here = {1, 0};
    char *managed, none[64];
    void *pinned, *nothing = none;
    EXPECT(cudaMallocManaged((void **)&managed, PAGE, 1), 0);
    EXPECT(PREFETCH(managed, 0, 0, (void *)none), 400);
    EXPECT(range_cuda(managed, PAGE, PREFETCHED), -2);
    EXPECT(PREFETCH(managed, 0, 0, stream), 0);
    EXPECT(range_cuda(managed, PAGE, PREFETCHED), 0);
    EXPECT(PREFETCH(managed, 7, 0, stream), 101);
    for (int mode = 0; mode <= 2; mode += 2) { /* a capture, of all threads or of this stream */
        void *graph;
        EXPECT(cudaStreamBeginCapture(stream, mode), 0);
        EXPECT(cudaMemAdvise_v2(managed, PAGE, 1, here), mode ? 0 : 900);
        EXPECT(PREFETCH(managed, 0, 0, stream), 900);
        EXPECT(cudaMemAdvise_v2(managed, PAGE, 1, here), mode ? 0 : 900); /* broken, it forbids */
        EXPECT(cudaStreamEndCapture(stream, &graph), 901);
    }
    EXPECT(cudaHostAlloc(&pinned, PAGE, 0), 0);
    EXPECT(cudaStreamAttachMemAsync(stream, pinned, 0, 1), 1);
    EXPECT(cudaStreamAttachMemAsync(stream, managed, 4096, 4), 1);
    EXPECT(cudaStreamAttachMemAsync(stream, managed, 0, 4), 0);
    EXPECT(cuMemAllocAsync(&nothing, 0, stream), 0);
    EXPECT(nothing == NULL, 1);
    EXPECT(cudaMemPrefetchAsync_v2(managed, PAGE, here, 1, stream), 1);
    EXPECT(cudaMemPrefetchAsync_v2(managed, PAGE, here, 0, (void *)none), 400);
    EXPECT(cudaMemPrefetchAsync_v2(managed, PAGE, here, 0, NULL), 0);
    EXPECT(cudaFree(managed), 0);
}

/* What a reset frees is allocated no more, and nothing is said of it. */
static void reset_device(void)
{
    const struct location here = {1, 0};
    const struct pool_properties properties = {.kind = 1, .location = {1, 0}};
    uint64_t threshold = 4096;
    void *pool, *own, *current, *managed[4];
    EXPECT(cudaDeviceGetDefaultMemPool(&pool, 0), 0);
    EXPECT(cudaMemPoolSetAttribute(pool, 4, &threshold), 0);
    EXPECT(cudaMemPoolCreate(&own, &properties), 0);
    EXPECT(cudaDeviceSetMemPool(0, own), 0);
    EXPECT(cudaDeviceSetMemPool(0, pool), 0);
    EXPECT(cudaMallocAsync(&managed[0], 4096, stream), 0);
    EXPECT(amount(pool, 7), 4096);
    EXPECT(cudaMallocManaged(&managed[0], PAGE, 1), 0);
    EXPECT(cudaMemAdvise_v2(managed[0], PAGE, 1, here), 0);
    EXPECT(cudaDeviceReset(), 0);
    EXPECT(amount(pool, 7), 0);
    EXPECT(amount(pool, 5), 0);
    EXPECT(amount(pool, 4), 0);
    EXPECT(cudaMemPoolDestroy(own), 1);
    EXPECT(cudaDeviceGetMemPool(&current, 0), 0);
    EXPECT(current == pool, 1);
    for (int i = 0; i < 4; i++) {
        EXPECT(cudaMallocManaged(&managed[i], PAGE, 1), 0);
        EXPECT(range_cuda(managed[i], PAGE, READ_MOSTLY), 0);
    }
}

int main(void)
{
    EXPECT(cudaStreamCreate(&stream), 0);
    advise_cuda();
    advise_cu();
    use_pools_cuda();
    use_pools_cu();
    copy_batches_cuda();
    copy_batches_cu();
    prefetch_as_before();
    prefetch_in_streams();
    reset_device();
    return failures != 0;
}
