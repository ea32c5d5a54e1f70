// Micro-benchmarks of what surrounds kernels: copies, fills, events, launches. Prints a line for each
// reading: what, how many bytes (or operations), nanoseconds (the median of its repetitions). Runs on a
// GPU alone, and on the simulated one under `warplens profile`.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>
#include <vector>

#include "check.h"

static int repetitions = 25;
static cudaStream_t stream;
static cudaEvent_t first, last;

__global__ void nothing() {}

// Keeps the GPU busy while the host fills the queue behind it.
__global__ void busy(volatile int *go)
{
    while (!*go)
        ;
}

__global__ void say(volatile int *said)
{
    *said = 1;
}

static double now_ns()
{
    using namespace std::chrono;
    return (double)duration_cast<nanoseconds>(steady_clock::now().time_since_epoch()).count();
}

template <typename Work> static void read(const char *name, size_t bytes, Work work)
{
    std::vector<double> readings;
    work();
    for (int i = 0; i < repetitions; i++)
        readings.push_back(work());
    std::sort(readings.begin(), readings.end());
    printf("%s,%zu,%.0f\n", name, bytes, readings[readings.size() / 2]);
}

// By events on an idle stream.
template <typename Work> static double device_ns(Work work)
{
    float ms;
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaEventRecord(first, stream));
    work();
    CHECK(cudaEventRecord(last, stream));
    CHECK(cudaEventSynchronize(last));
    CHECK(cudaEventElapsedTime(&ms, first, last));
    return ms * 1e6;
}

template <typename Work> static double host_ns(Work work)
{
    CHECK(cudaDeviceSynchronize());
    double start = now_ns();
    work();
    return now_ns() - start;
}

static void read_copies()
{
    static const size_t sizes[] = {4, 4096, 65536, 1 << 20, 1 << 24, 1 << 28};
    const size_t most = 1 << 28;
    char *device, *other, *pinned, *pageable = (char *)malloc(most);
    CHECK(cudaMalloc(&device, most));
    CHECK(cudaMalloc(&other, most));
    CHECK(cudaMallocHost(&pinned, most));
    memset(pageable, 1, most);
    memset(pinned, 1, most);
    for (size_t bytes : sizes) {
        auto copy = [&](void *to, const void *from) {
            return device_ns(
                [&] { CHECK(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, stream)); });
        };
        auto wait = [&](void *to, const void *from) {
            return host_ns([&] { CHECK(cudaMemcpy(to, from, bytes, cudaMemcpyDefault)); });
        };
        read("to_device.pinned", bytes, [&] { return copy(device, pinned); });
        read("to_host.pinned", bytes, [&] { return copy(pinned, device); });
        read("on_device", bytes, [&] { return copy(other, device); });
        read("fill", bytes, [&] {
            return device_ns([&] { CHECK(cudaMemsetAsync(device, 0, bytes, stream)); });
        });
        read("host.to_device.pinned", bytes, [&] { return wait(device, pinned); });
        read("host.to_host.pinned", bytes, [&] { return wait(pinned, device); });
        read("host.to_device.pageable", bytes, [&] { return wait(device, pageable); });
        read("host.to_host.pageable", bytes, [&] { return wait(pageable, device); });
    }
}

// COUNT operations queued behind a kernel that keeps the GPU busy: nanoseconds of each.
template <typename Work> static double queued_ns(int count, volatile int *go, Work work)
{
    float ms;
    *go = 0;
    busy<<<1, 1, 0, stream>>>((int *)go);
    CHECK(cudaEventRecord(first, stream));
    for (int i = 0; i < count; i++)
        work();
    CHECK(cudaEventRecord(last, stream));
    *go = 1;
    CHECK(cudaEventSynchronize(last));
    CHECK(cudaEventElapsedTime(&ms, first, last));
    return ms * 1e6 / count;
}

static void read_calls(bool is_simulated)
{
    enum { COUNT = 200 };
    int *flag;
    CHECK(cudaHostAlloc(&flag, sizeof *flag, cudaHostAllocMapped));
    auto many = [&](auto work) {
        return host_ns([&] {
                   for (int i = 0; i < COUNT; i++)
                       work();
               }) /
               COUNT;
    };
    read("call.launch", COUNT, [&] { return many([] { nothing<<<1, 32, 0, stream>>>(); }); });
    read("call.event", COUNT, [&] { return many([] { CHECK(cudaEventRecord(first, stream)); }); });
    read("call.nothing_to_wait_for", COUNT, [&] {
        return many([] { CHECK(cudaStreamSynchronize(stream)); });
    });
    read("idle.events", 1, [&] { return device_ns([] {}); });
    read("idle.launch", 1, [&] { return device_ns([] { nothing<<<1, 32, 0, stream>>>(); }); });
    read("round_trip.launch", 1, [&] {
        return host_ns([&] {
            nothing<<<1, 32, 0, stream>>>();
            CHECK(cudaStreamSynchronize(stream));
        });
    });
    if (is_simulated)
        return; // the rest lets host and device work at the same time
    read("round_trip.flag", 1, [&] {
        *(volatile int *)flag = 0;
        return host_ns([&] {
            say<<<1, 1, 0, stream>>>(flag);
            while (!*(volatile int *)flag)
                ;
        });
    });
    read("queued.launch", COUNT, [&] {
        return queued_ns(COUNT, flag, [] { nothing<<<1, 32, 0, stream>>>(); });
    });
    read("queued.launch.all_sms", COUNT, [&] {
        return queued_ns(COUNT, flag, [] { nothing<<<132, 1024, 0, stream>>>(); });
    });
    read("queued.event", COUNT, [&] {
        return queued_ns(COUNT, flag, [] {
            static cudaEvent_t event;
            if (!event)
                CHECK(cudaEventCreate(&event));
            CHECK(cudaEventRecord(event, stream));
        });
    });
}

int main(int argc, char **argv)
{
    bool is_simulated = argc > 1 && strcmp(argv[1], "simulated") == 0;
    if (is_simulated)
        repetitions = 3;
    CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    CHECK(cudaEventCreate(&first));
    CHECK(cudaEventCreate(&last));
    printf("name,bytes,ns\n");
    read_copies();
    read_calls(is_simulated);
    CHECK(cudaDeviceSynchronize());
    return 0;
}
