/* Short kernel names for tables, the same for one kernel everywhere.
 */
#ifndef WL_BASE_KERNEL_NAME_H
#define WL_BASE_KERNEL_NAME_H

/* The function without namespaces and template arguments; kernels that libraries instantiate from a
 * template keep what they do: "vectorized_elementwise<bf16 copy>". demangled is as
 * wl_demangle spells it, function as wl_demangle_function. Never NULL; free() it. */
char *wl_kernel_short_name(const char *demangled, const char *function);

/* The function of a demangled name: "scale" of "void ns::scale<float>(float *)". Never NULL; free()
 * it. */
char *wl_kernel_function_of(const char *demangled);

/* The function with its template arguments, without namespaces: "gemm<8, float>"; tells two kernels
 * of one short name apart. Never NULL; free() it. */
char *wl_kernel_name_with_arguments(const char *demangled, const char *function);

/* The library a kernel belongs to, by its name: "cuBLAS", "ATen", "NCCL", ...; NULL: unknown. */
const char *wl_kernel_family(const char *demangled);

/* What nvc calls the kernel that GCC made of an OpenACC or OpenMP construct, "main_41_gpu" for
 * "main$_omp_fn$0" of a construct in line 41; NULL: it is none of GCC's, or the line is 0. free()
 * it. */
char *wl_kernel_nvc_name(const char *function, unsigned line);

#endif
