/* Chooses the executor compiled for the best instruction set of this machine. */
#include "sim/executor.h"
#include "sim/state.h"

#define EXECUTOR(level)                                                                          \
    extern const struct wl_executor_row wl_exec_table_##level[];                                 \
    void wl_exec_join_##level(struct wl_program *program);                                       \
    void wl_exec_count_accesses_##level(struct wl_warp *warp, const struct wl_counted *counted); \
    void wl_exec_add_kept_##level(const struct wl_kept *kept, size_t count);                     \
    uint32_t wl_exec_find_loud_##level(const uint32_t *, const uint32_t *, uint32_t, uint32_t);  \
    uint32_t wl_exec_find_repeats_##level(const uint32_t *);                                     \
    uint32_t wl_exec_find_beyond_##level(const uint32_t *, uint32_t, uint32_t);                  \
    uint32_t wl_exec_find_offsets_##level(const void *, bool, uint32_t, uint32_t, uint32_t,      \
                                          uint32_t *);                                           \
    uint32_t wl_exec_find_told_##level(const struct wl_shadow_view *, uint32_t, uint32_t,        \
                                       uint32_t *);                                              \
    uint32_t wl_exec_mark_reads_##level(const struct wl_shadow_view *,                           \
                                        const struct wl_shadow_row *, uint32_t);                 \
    uint32_t wl_exec_mark_writes_##level(const struct wl_shadow_view *,                          \
                                         const struct wl_shadow_row *);
#define WATCH(level)                                                                             \
    {                                                                                            \
        wl_exec_find_loud_##level, wl_exec_find_repeats_##level, wl_exec_find_beyond_##level,    \
            wl_exec_find_offsets_##level, wl_exec_find_told_##level, wl_exec_mark_reads_##level, \
            wl_exec_mark_writes_##level                                                          \
    }
EXECUTOR(v2)
EXECUTOR(v3)
EXECUTOR(v4)

static const struct executor {
    const struct wl_executor_row *table;
    void (*join)(struct wl_program *program);
    wl_executor_count count_accesses;
    wl_executor_add_kept add_kept;
    struct wl_executor_watch watch;
} executors[] = {
    {wl_exec_table_v2, wl_exec_join_v2, wl_exec_count_accesses_v2, wl_exec_add_kept_v2, WATCH(v2)},
    {wl_exec_table_v3, wl_exec_join_v3, wl_exec_count_accesses_v3, wl_exec_add_kept_v3, WATCH(v3)},
    {wl_exec_table_v4, wl_exec_join_v4, wl_exec_count_accesses_v4, wl_exec_add_kept_v4, WATCH(v4)}};

static const struct executor *find_executor(void)
{
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
        __builtin_cpu_supports("avx512cd"))
        return &executors[2];
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
        __builtin_cpu_supports("bmi2"))
        return &executors[1];
    return &executors[0];
}

static const struct executor *choose_executor(void)
{
    static const struct executor *chosen;
    const struct executor *executor = __atomic_load_n(&chosen, __ATOMIC_ACQUIRE);
    if (!executor) {
        executor = find_executor();
        __atomic_store_n(&chosen, executor, __ATOMIC_RELEASE);
    }
    return executor;
}

const struct wl_executor_row *wl_executor_table(void)
{
    return choose_executor()->table;
}

uint32_t wl_executor_list(const struct wl_executor_row *tables[WL_EXECUTORS_MOST])
{
    const uint32_t count = (uint32_t)(choose_executor() - executors) + 1;
    for (uint32_t i = 0; i < count; i++)
        tables[i] = executors[i].table;
    return count;
}

void wl_executor_join(struct wl_program *program)
{
    choose_executor()->join(program);
}

wl_executor_count wl_executor_count_accesses(void)
{
    return choose_executor()->count_accesses;
}

wl_executor_add_kept wl_executor_add(void)
{
    return choose_executor()->add_kept;
}

const struct wl_executor_watch *wl_executor_watch(void)
{
    return &choose_executor()->watch;
}
