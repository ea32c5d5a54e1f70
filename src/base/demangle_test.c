#include "base/count.h"
#include "base/demangle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/memory.h"

struct row {
    const char *mangled, *demangled, *function;
};

static const struct row rows[] = {
    /* spelled as Nsight Compute prints these kernels */
    {"_Z8avg_mv_1PKfPfS0_iii", "avg_mv_1(const float *, float *, const float *, int, int, int)",
     "avg_mv_1"},
    {"_Z9gemm_warpILi8EEviPKfS1_Pf",
     "void gemm_warp<8>(int, const float *, const float *, float *)", "gemm_warp"},
    {"_Z11spmv_scalariPKiS0_PKdS2_Pd",
     "spmv_scalar(int, const int *, const int *, const double *, const double *, double *)",
     "spmv_scalar"},
    /* pointers to const pointers, references, arrays, by-value structs */
    {"_Z2ttIdLj7ELb1EEvT_P1SPKPKS1_RA3_S0_",
     "void tt<double, 7u, true>(double, S *, const S *const *, double (&) [3])", "tt"},
    {"_Z1fRKSt6vectorIPKcSaIS1_EE",
     "f(const std::vector<const char *, std::allocator<const char *>> &)", "f"},
    {"_Z1gPVKi", "g(const volatile int *)", "g"},
    {"_Z1hPFvPKfE", "h(void (*)(const float *))", "h"},
    {"_ZN1a1b3varIJifPKcyEEEvDpT_",
     "void a::b::var<int, float, const char *, unsigned long long>(int, float, const char *, "
     "unsigned long long)",
     "var"},
    /* unnamed namespaces as nvcc mangles them, lambdas */
    {"_ZN33_GLOBAL__N__4cbcdbe7_4_a_cu_ckern4anonEPKPKf", "<unnamed>::anon(const float *const *)",
     "anon"},
    {"_Z3lamIZ4mainEUliE_EvT_", "void lam<main::{lambda(int)#1}>(main::{lambda(int)#1})", "lam"},
    /* static functions with -rdc */
    {"__nv_static_22__4cbcdbe7_4_a_cu_ckern__Z5plainPf", "plain(float *)", "plain"},
    {"__nv_static_22__4cbcdbe7_4_a_cu_ckern__Z2kkILi3EEviPKf", "void kk<3>(int, const float *)",
     "kk"},
    /* operators keep their signs */
    {"_ZN1AplERKS_", "A::operator+(const A &)", "operator+"},
    {"_ZNK1AclEi", "A::operator()(int) const", "operator()"},
    {"_Z1fIZN1AclEvEUlvE_EvT_",
     "void f<A::operator()()::{lambda()#1}>(A::operator()()::{lambda()#1})", "f"},
    {"_Z1fIXgtLi3ELi2EEEvv", "void f<((3)>(2))>()", "f"},
    /* not mangled, or damaged: as they are */
    {"ckern", "ckern", "ckern"},
    {"", "", ""},
    {"_Z", "_Z", "_Z"},
    {"_Z999999999999f", "_Z999999999999f", "_Z999999999999f"},
    {"main$_omp_fn$0", "main$_omp_fn$0", "main$_omp_fn$0"},
    {"__nv_static_", "__nv_static_", "__nv_static_"},
    {"__nv_static_99_x_f", "__nv_static_99_x_f", "__nv_static_99_x_f"},
    {"__nv_static_-1_x_f", "__nv_static_-1_x_f", "__nv_static_-1_x_f"},
};

static void names_are_spelled_as_in_nvidias_tools(void **state)
{
    (void)state;
    for (size_t i = 0; i < WL_COUNT(rows); i++) {
        char *demangled = wl_demangle(rows[i].mangled);
        char *function = wl_demangle_function(rows[i].mangled);
        assert_string_equal(demangled, rows[i].demangled);
        assert_string_equal(function, rows[i].function);
        free(demangled);
        free(function);
    }
}

static void hostile_names_are_survived(void **state)
{
    (void)state;
    size_t length = 100000;
    char *long_name = wl_alloc(length + 1);
    memset(long_name, 'P', length);
    memcpy(long_name, "_Z1f", 4);
    long_name[length] = '\0';
    char *demangled = wl_demangle(long_name);
    assert_string_equal(demangled, long_name);
    free(demangled);

    long_name[30000] = '\0'; /* nests deeper than anything sane */
    demangled = wl_demangle(long_name);
    assert_non_null(demangled);
    free(demangled);
    free(long_name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_are_spelled_as_in_nvidias_tools),
        cmocka_unit_test(hostile_names_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
