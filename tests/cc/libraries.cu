// CUB in a kernel and Thrust on the host, whose kernels are CUB's: each result is computed by other means, too.
#include <cstdio>
#include <cub/cub.cuh>
#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <thrust/host_vector.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sequence.h>
#include <thrust/sort.h>
#include <thrust/transform.h>

__global__ void sum_block(const int *values, int *sum)
{
    typedef cub::BlockReduce<int, 128> reduce;
    __shared__ typename reduce::TempStorage storage;
    int total = reduce(storage).Sum(values[threadIdx.x]);
    if (threadIdx.x == 0)
        *sum = total;
}

int main()
{
    const int count = 5000, prime = 5003;
    thrust::device_vector<int> values(count), sum(1);
    thrust::sequence(values.begin(), values.end());
    sum_block<<<1, 128>>>(thrust::raw_pointer_cast(values.data()), thrust::raw_pointer_cast(sum.data()));
    bool is_right = sum[0] == 127 * 128 / 2;
    thrust::transform(values.begin(), values.end(), values.begin(),
                      [] __host__ __device__(int i) { return i * 7919 % prime; });
    thrust::sort(values.begin(), values.end());
    thrust::host_vector<int> sorted = values;
    long total = 0, expected = 0;
    for (int i = 0; i < count; i++) {
        is_right = is_right && (i == 0 || sorted[i] >= sorted[i - 1]);
        total += sorted[i];
        expected += i * 7919L % prime;
    }
    thrust::inclusive_scan(values.begin(), values.end(), values.begin());
    is_right = is_right && total == expected && values[count - 1] == expected;
    printf("result: %s\n", is_right ? "right" : "wrong");
    return !is_right;
}
