/* Regions of OpenMP, for an OpenMP runtime with OMPT: 4 threads, the loop's last one longest. */
#include <stdio.h>
#include <unistd.h>

int main(void)
{
    double sum = 0;
#pragma omp parallel num_threads(4)
    {
#pragma omp for schedule(static, 1)
        for (int i = 0; i < 4; i++)
            usleep(3000 * (i + 1));
#pragma omp critical
        usleep(2000);
#pragma omp single
        for (int i = 0; i < 8; i++)
#pragma omp task
            usleep(300);
    }
    usleep(50000); /* of no region */
#pragma omp parallel for num_threads(4) reduction(+ : sum)
    for (int i = 0; i < 1000; i++)
        sum += i;
    printf("%g\n", sum);
}
