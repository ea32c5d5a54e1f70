/* OpenMP target as GCC offloads it: a reduction over teams and threads, whose device library is
 * linked from libgomp's PTX. Prints "ok". */
#include <omp.h>
#include <stdio.h>

enum { COUNT = 1000 };

int main(void)
{
    static float in[COUNT], out[COUNT];
    double sum = 0;
    int on_device = 0;
    for (int i = 0; i < COUNT; i++) {
        in[i] = (float)(i % 100);
        out[i] = 1;
    }
#pragma omp target teams distribute parallel for num_teams(4) map(to : in) map(tofrom : out)
    for (int i = 0; i < COUNT; i++)
        out[i] += 2 * in[i];
#pragma omp target teams distribute parallel for num_teams(4) reduction(+ : sum) map(to : out)
    for (int i = 0; i < COUNT; i++)
        sum += out[i];
#pragma omp target map(from : on_device)
    on_device = !omp_is_initial_device();
    if (sum != COUNT + 2 * 49.5 * COUNT || !on_device)
        printf("sum %g, on device %d\n", sum, on_device);
    else
        printf("ok\n");
    return 0;
}
