/* Values in memory that streams write or wait for, one by one and in batches. */
#include "device/graph/value.h"
#include "api/cuda/driver.h"

enum { WAIT_FLUSH = 1 << 30, OPERATIONS_MOST = 256 };

static int write_value(void *stream, uint64_t address, uint64_t value, unsigned flags,
                       size_t size_bytes)
{
    int code = wl_cuda_enter();
    if (code == WL_DEVICE_OK && flags)
        code = WL_DEVICE_INVALID_VALUE;
    return code ? code
                : wl_device_value_write(stream, (void *)(uintptr_t)address, value, size_bytes);
}

static int wait_value(void *stream, uint64_t address, uint64_t value, unsigned flags,
                      size_t size_bytes)
{
    int code = wl_cuda_enter();
    if (code == WL_DEVICE_OK && flags & WAIT_FLUSH) /* GPUs of the data centre cannot either */
        code = WL_DEVICE_NOT_SUPPORTED;
    if (code == WL_DEVICE_OK && flags > WL_DEVICE_VALUE_LACKS_BIT)
        code = WL_DEVICE_INVALID_VALUE;
    return code ? code
                : wl_device_value_wait(stream, (void *)(uintptr_t)address, value, size_bytes,
                                       (enum wl_device_comparison)flags);
}

#define VALUES(bits, suffix)                                                                   \
    int cuStreamWriteValue##bits##suffix(void *stream, uint64_t address, uint##bits##_t value, \
                                         unsigned flags)                                       \
    {                                                                                          \
        return write_value(stream, address, value, flags, bits / 8);                           \
    }                                                                                          \
    WL_CUDA_PER_THREAD(cuStreamWriteValue##bits##suffix, ptsz);                                \
    int cuStreamWaitValue##bits##suffix(void *stream, uint64_t address, uint##bits##_t value,  \
                                        unsigned flags)                                        \
    {                                                                                          \
        return wait_value(stream, address, value, flags, bits / 8);                            \
    }                                                                                          \
    WL_CUDA_PER_THREAD(cuStreamWaitValue##bits##suffix, ptsz);

VALUES(32, )
VALUES(32, _v2)
VALUES(64, )
VALUES(64, _v2)

enum operation { WAIT_32 = 1, WRITE_32 = 2, FLUSH = 3, WAIT_64 = 4, WRITE_64 = 5, BARRIER = 6 };

union batch_item { /* CUstreamBatchMemOpParams */
    int operation;
    struct {
        int operation;
        uint64_t address, value; /* of 32 bits: in the lower half */
        unsigned flags;
    } value;
    uint64_t padding[6];
};

/* All that was done before is seen by what comes: there is nothing to flush. */
static int do_item(void *stream, const union batch_item *item)
{
    switch (item->operation) {
    case WAIT_32:
        return wait_value(stream, item->value.address, (uint32_t)item->value.value,
                          item->value.flags, sizeof(uint32_t));
    case WAIT_64:
        return wait_value(stream, item->value.address, item->value.value, item->value.flags,
                          sizeof(uint64_t));
    case WRITE_32:
        return write_value(stream, item->value.address, (uint32_t)item->value.value,
                           item->value.flags, sizeof(uint32_t));
    case WRITE_64:
        return write_value(stream, item->value.address, item->value.value, item->value.flags,
                           sizeof(uint64_t));
    case FLUSH:
    case BARRIER:
        return WL_DEVICE_OK;
    default:
        return WL_DEVICE_INVALID_VALUE;
    }
}

int cuStreamBatchMemOp(void *stream, unsigned count, const union batch_item *items, unsigned flags)
{
    int code = wl_cuda_enter();
    if (code == WL_DEVICE_OK)
        code = wl_device_stream_query(stream, NULL);
    if (code == WL_DEVICE_OK && (flags || count > OPERATIONS_MOST || (count && !items)))
        code = WL_DEVICE_INVALID_VALUE;
    for (unsigned i = 0; i < count && code == WL_DEVICE_OK; i++)
        code = do_item(stream, &items[i]);
    return code;
}
WL_CUDA_PER_THREAD(cuStreamBatchMemOp, ptsz);

int cuStreamBatchMemOp_v2(void *stream, unsigned count, const union batch_item *items,
                          unsigned flags)
{
    return cuStreamBatchMemOp(stream, count, items, flags);
}
WL_CUDA_PER_THREAD(cuStreamBatchMemOp_v2, ptsz);
