/* Work on two devices, selected by number. Prints "ok" where there are two. */
#include <openacc.h>
#include <stdio.h>

enum { COUNT = 100 };

int main(void)
{
    static int values[COUNT];
    if (acc_get_num_devices(acc_device_nvidia) != 2)
        return 1;
    for (int device = 0; device < 2; device++) {
        acc_set_device_num(device, acc_device_nvidia);
#pragma acc parallel loop copy(values)
        for (int i = 0; i < COUNT; i++)
            values[i] += device + 1;
    }
    printf(values[COUNT - 1] == 3 ? "ok\n" : "wrong: %d\n", values[COUNT - 1]);
    return 0;
}
