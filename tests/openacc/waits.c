/* Waits for queues, by directives and by calls. Prints "ok". */
#include <openacc.h>
#include <stdio.h>

enum { COUNT = 1000, QUEUES = 10 };

int main(void)
{
    static int values[QUEUES][COUNT];
#pragma acc data copy(values)
    {
        for (int queue = 0; queue < QUEUES; queue++) {
#pragma acc parallel loop async(queue) present(values)
            for (int i = 0; i < COUNT; i++)
                values[queue][i] += queue;
        }
#pragma acc wait(0, 1, 2, 3, 4, 5, 6, 7, 8, 9)
        acc_wait(3);
        for (int i = 0; i < 2; i++) {
#pragma acc wait
        }
        acc_wait_all();
    }
    printf(values[QUEUES - 1][COUNT - 1] == QUEUES - 1 ? "ok\n" : "wrong\n");
    return 0;
}
