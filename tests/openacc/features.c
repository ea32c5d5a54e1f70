/* What OpenACC programs are made of, as GCC 12 offloads it: routines, mathematical functions
 * (linked from newlib's PTX), workers and vectors, reductions, atomics, queues, updates. Prints
 * "ok". */
#include <math.h>
#include <openacc.h>
#include <stdio.h>

enum { COUNT = 1000, EDGE = 64 };

static double values[COUNT], grid[EDGE * EDGE];
static int histogram[10];

#pragma acc routine seq
static double curve(double x)
{
    return sqrt(x) + exp(-x);
}

#pragma acc routine vector
static void add_to_all(double *row, int count, double what)
{
#pragma acc loop vector
    for (int i = 0; i < count; i++)
        row[i] += what;
}

static double largest_of_grid(void)
{
    double largest = 0;
#pragma acc parallel loop present(grid) collapse(2) reduction(max                     \
                                                              : largest) num_gangs(8) \
    num_workers(4) vector_length(32)
    for (int y = 0; y < EDGE; y++)
        for (int x = 0; x < EDGE; x++)
            largest = fmax(largest, grid[y * EDGE + x]);
    return largest;
}

static void fill(void)
{
#pragma acc parallel loop present(values) async(1)
    for (int i = 0; i < COUNT; i++)
        values[i] = curve(values[i]);
#pragma acc wait(1)
#pragma acc parallel loop present(grid) gang num_workers(4) vector_length(32)
    for (int y = 0; y < EDGE; y++) {
#pragma acc loop worker vector
        for (int x = 0; x < EDGE; x++)
            grid[y * EDGE + x] = x + y;
    }
#pragma acc parallel loop present(grid) gang vector_length(32)
    for (int y = 0; y < EDGE; y++)
        add_to_all(grid + y * EDGE, EDGE, 1.0);
#pragma acc parallel loop present(histogram)
    for (int i = 0; i < COUNT; i++) {
#pragma acc atomic
        histogram[i % 10]++;
    }
}

static int check(const char *what, double got, double wanted)
{
    if (fabs(got - wanted) <= 1e-12)
        return 0;
    printf("%s: %.17g instead of %.17g\n", what, got, wanted);
    return 1;
}

int main(void)
{
    int wrong = 0;
    for (int i = 0; i < COUNT; i++)
        values[i] = i;
    int on_device = 0;
#pragma acc parallel copyout(on_device)
    on_device = acc_on_device(acc_device_not_host);
    wrong += check("on the device", on_device, 1);

#pragma acc data copy(values) copy(histogram) create(grid)
    {
        fill();
        wrong += check("largest", largest_of_grid(), 2 * (EDGE - 1) + 1);
#pragma acc update host(grid [EDGE:EDGE])
        wrong += check("row 1", grid[EDGE + 5], 1 + 5 + 1);
        grid[3] = 1000;
#pragma acc update device(grid [0:EDGE])
        wrong += check("largest after update", largest_of_grid(), 1000);
    }
    for (int i = 0; i < COUNT; i++)
        wrong += check("value", values[i], sqrt(i) + exp(-i));
    for (int i = 0; i < 10; i++)
        wrong += check("histogram", histogram[i], COUNT / 10);
    if (!wrong)
        printf("ok\n");
    return wrong != 0;
}
