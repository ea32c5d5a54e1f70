/* What acc-time finds fault with: data that is copied each time a kernel runs, and a loop that the
 * compiler keeps sequential. The lines matter: tests/openacc/copies.log is what a compiler would
 * say. */
#include <stdio.h>

enum { COUNT = 20000, STEPS = 5 };

static float x[COUNT], y[COUNT];

static void step(void)
{
#pragma acc parallel loop copyin(x) copy(y)
    for (int i = 0; i < COUNT; i++)
        y[i] += x[i];
}

static void running_sum(void)
{
#pragma acc kernels copy(y)
    {
        for (int i = 1; i < 100; i++)
            y[i] += y[i - 1];
    }
}

int main(void)
{
    for (int i = 0; i < COUNT; i++)
        x[i] = 1;
    for (int i = 0; i < STEPS; i++)
        step();
    running_sum();
    printf(y[99] == 100 * STEPS ? "ok\n" : "wrong: %g\n", y[99]);
    return 0;
}
