/* Regions of OpenMP, for an OpenMP runtime with OMPT: 4 threads, of which the loop's last one is
 * done long after the others, and a critical section that is left when all have come to it, however
 * busy the machine is. */
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

static atomic_int done, coming;

static void wait_until(atomic_int *count, int least)
{
    while (atomic_load(count) < least)
        usleep(100);
    usleep(20000);
}

int main(void)
{
    double sum = 0;
    int alone = 0;
#pragma omp parallel num_threads(4)
    {
#pragma omp for schedule(static, 1)
        for (int i = 0; i < 4; i++)
            if (i == 3)
                wait_until(&done, 3);
            else
                atomic_fetch_add(&done, 1);
        atomic_fetch_add(&coming, 1);
#pragma omp critical
        wait_until(&coming, 4);
#pragma omp single
        for (int i = 0; i < 8; i++)
#pragma omp task
            usleep(300);
    }
    for (int i = 0; i < 1000; i++) /* nobody else wants it */
#pragma omp critical(alone)
        alone++;
    usleep(50000); /* of no region */
#pragma omp parallel for num_threads(4) reduction(+ : sum)
    for (int i = 0; i < 1000; i++)
        sum += i;
    printf("%g\n", sum + alone - 1000);
}
