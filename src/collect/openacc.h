/* OpenACC regions as events of a trace, through OpenACC's own profiling interface: the runtime
 * finds acc_register_library in the library that ACC_PROFLIB names. Where the compiler gives it no
 * file and line (GCC), they are those of the call in the program that the region became, by the
 * program's debug information. */
#ifndef WL_COLLECT_OPENACC_H
#define WL_COLLECT_OPENACC_H

#include <stdbool.h>
#include <stdint.h>

/* The first source line of a kernel, for programs without debug information on the host. */
typedef bool wl_openacc_find_kernel(const char *name, const char **file, uint32_t *line);

/* May be NULL. */
void wl_openacc_set_helpers(wl_openacc_find_kernel *find_kernel);

#endif
