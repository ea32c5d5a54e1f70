/* Demangles C++ function names, in the spelling of NVIDIA's tools:
 * "void gemm_warp<8>(int, const float *, float *)". */
#ifndef WL_BASE_DEMANGLE_H
#define WL_BASE_DEMANGLE_H

/* The demangled signature: qualifiers in front ("const float *"), a space before '*' and '&',
 * unnamed namespaces as "<unnamed>". The prefix that nvcc gives static functions with -rdc
 * ("__nv_static_...") is taken off. A name that is not mangled is copied unchanged.
 * Never NULL; free() it. */
char *wl_demangle(const char *mangled);

/* The function name alone, without return type, namespaces, template arguments and parameters:
 * "gemm_warp". Never NULL; free() it. */
char *wl_demangle_function(const char *mangled);

#endif
