/* As many teams as the runtime chooses: it must not take gigabytes of the host's memory. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

int main(void)
{
    enum { count = 1 << 14, most_kilobytes = 2 << 20 };
    double *numbers = malloc(count * sizeof *numbers), sum = 0;
    for (int i = 0; i < count; i++)
        numbers[i] = i;
#pragma omp target teams distribute parallel for map(tofrom : numbers [0:count])
    for (int i = 0; i < count; i++)
        numbers[i] = numbers[i] * 2 + 1;
    for (int i = 0; i < count; i++)
        sum += numbers[i];
    struct rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    printf("sum %.0f, %ld MB\n", sum, usage.ru_maxrss >> 10);
    if (sum == (double)count * count && usage.ru_maxrss < most_kilobytes)
        printf("ok\n");
    free(numbers);
}
