/* Chooses the executor compiled for the best instruction set of this machine. */
#include "sim/state.h"

extern const struct wl_executor_row wl_exec_table_v2[], wl_exec_table_v3[], wl_exec_table_v4[];

const struct wl_executor_row *wl_executor_table(void)
{
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512cd"))
        return wl_exec_table_v4;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
        __builtin_cpu_supports("bmi2"))
        return wl_exec_table_v3;
    return wl_exec_table_v2;
}
