/* OpenACC as GCC offloads it, through libcuda.so.1. Prints "ok". */
#include <stdio.h>

enum { COUNT = 1000 };

int main(void)
{
    static float in[COUNT], out[COUNT];
    for (int i = 0; i < COUNT; i++) {
        in[i] = (float)i;
        out[i] = 2;
    }
#pragma acc parallel loop gang vector copyin(in) copy(out)
    for (int i = 0; i < COUNT; i++)
        out[i] += 3 * in[i];
    for (int i = 0; i < COUNT; i++)
        if (out[i] != 2 + 3 * (float)i)
            return 1;
    printf("ok\n");
    return 0;
}
