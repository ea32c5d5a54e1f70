#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/count.h"
#include "base/demangle.h"
#include "base/kernel_name.h"
#include "base/memory.h"

static const struct {
    const char *mangled, *name, *family;
} rows[] = {
    /* templates of libraries say what they do, and to what */
    {"_ZN2at6native29vectorized_elementwise_kernelILi8EZNS0_25bfloat16_copy_kernel_cudaERNS_"
     "18TensorIteratorBaseEEUlfE_St5arrayIPcLm2EEEEviT0_T1_",
     "vectorized_elementwise<bf16 copy>", "ATen"},
    {"_ZN2at6native29vectorized_elementwise_kernelILi8ENS0_11FillFunctorIN3c108BFloat16EEESt5arrayI"
     "PcLm1EEEEviT0_T1_",
     "vectorized_elementwise<bf16 fill>", "ATen"},
    {"_ZN2at6native13reduce_kernelILi512ELi1ENS0_8ReduceOpIdNS0_14func_wrapper_tIdZNS0_11sum_"
     "functorIdddEclERNS_14TensorIteratorEEUlddE_EEjdLi4ELi4EEEEEvT1_",
     "reduce<f64 sum>", "ATen"},
    {"_ZN7cutlass7Kernel2I68cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_256x128_32x3_tn_align8EEvN"
     "T_6ParamsE",
     "cutlass_80_tensorop_bf16_s16816gemm_relu_bf16_256x128_32x3_tn_align8", "CUTLASS"},
    {"_ZN3cub1fIi13int_pair_plusEEvv", "f<i32 int pair>", "CUB"},
    /* names that are plain */
    {"nvjet_sm90_tst_128x64_64x8_1x2_h_bz_NTT", "nvjet_sm90_tst_128x64_64x8_1x2_h_bz_NTT",
     "cuBLAS"},
    {"_Z37ncclDevKernel_AllReduce_Sum_bf16_RINGv", "ncclDevKernel_AllReduce_Sum_bf16_RING", "NCCL"},
    {"triton_poi_fused_add_0", "triton_poi_fused_add_0", "Inductor"},
    {"loop_add_fusion_2", "loop_add_fusion_2", "XLA"},
    /* those of the program */
    {"_Z4gemmILi8EfEvPT0_", "gemm", NULL},
    {"_Z5scalePf", "scale", NULL},
    {"", "", NULL},
};

static void names_are_short(void **state)
{
    (void)state;
    for (size_t i = 0; i < WL_COUNT(rows); i++) {
        char *demangled = wl_demangle(rows[i].mangled);
        char *function = wl_demangle_function(rows[i].mangled);
        char *name = wl_kernel_short_name(demangled, function);
        const char *family = wl_kernel_family(demangled);
        assert_string_equal(name, rows[i].name);
        if (rows[i].family)
            assert_string_equal(family ? family : "", rows[i].family);
        else
            assert_null(family);
        free(name);
        free(function);
        free(demangled);
    }
}

static void arguments_tell_two_apart(void **state)
{
    (void)state;
    char *name = wl_kernel_name_with_arguments("void ns::gemm<8, ns::half>(ns::half *)", "gemm");
    assert_string_equal(name, "gemm<8, half>");
    free(name);
    name = wl_kernel_name_with_arguments("scale(float *)", "scale");
    assert_string_equal(name, "scale");
    free(name);
}

static void hostile_names_are_survived(void **state)
{
    static const char *const names[] = {
        "void at::native::f<",     "at::native::f<<<<(",    "<>", "f<(",
        "void at::native::f<>>>>", "at::native::f<Functor>"};
    (void)state;
    for (size_t i = 0; i < WL_COUNT(names); i++) {
        free(wl_kernel_short_name(names[i], "f"));
        free(wl_kernel_name_with_arguments(names[i], "f"));
        free(wl_kernel_short_name(names[i], ""));
    }
    char *name = wl_kernel_short_name("at::native::f<Functor>", "f");
    assert_string_equal(name, "f<functor>");
    free(name);
}

static void kernels_of_gcc_have_names_of_nvc(void **state)
{
    (void)state;
    char *name = wl_kernel_nvc_name("main$_omp_fn$0", 41);
    assert_string_equal(name, "main_41_gpu");
    free(name);
    name = wl_kernel_nvc_name("solve_step$_omp_fn$12", 7);
    assert_string_equal(name, "solve_step_7_gpu");
    free(name);
    assert_null(wl_kernel_nvc_name("main$_omp_fn$0", 0));
    assert_null(wl_kernel_nvc_name("main", 41));
    assert_null(wl_kernel_nvc_name("$_omp_fn$0", 41));
}

static void functions_of_demangled_names(void **state)
{
    static const struct {
        const char *demangled, *function;
    } names[] = {
        {"scale(float *)", "scale"},
        {"scale", "scale"},
        {"", ""},
        {"void at::native::<unnamed>::layer_norm<float, 32u>(long, const float *)", "layer_norm"},
        {"void (anonymous namespace)::add<int>(int *)", "add"},
        {"<unnamed>::f(int)", "f"},
        {"ns::inner::gemm<8, std::array<char *, 1ul>>(int)", "gemm"},
        {"nvjet_sm90_tst_128x64_64x8_1x2_h_bz_NTT", "nvjet_sm90_tst_128x64_64x8_1x2_h_bz_NTT"},
    };
    (void)state;
    for (size_t i = 0; i < WL_COUNT(names); i++) {
        char *function = wl_kernel_function_of(names[i].demangled);
        assert_string_equal(function, names[i].function);
        free(function);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_of_demangled_names),
        cmocka_unit_test(names_are_short),
        cmocka_unit_test(arguments_tell_two_apart),
        cmocka_unit_test(hostile_names_are_survived),
        cmocka_unit_test(kernels_of_gcc_have_names_of_nvc),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
