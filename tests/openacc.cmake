# OpenACC and OpenMP programs that gcc offloads, on the simulated GPU; skipped where gcc cannot.
function(wl_openacc_test name script)
  add_test(NAME openacc.${name} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/openacc/${script} ${ARGN})
  set_tests_properties(openacc.${name} PROPERTIES LABELS program TIMEOUT 300 SKIP_RETURN_CODE 77
    ENVIRONMENT "WARPLENS=${CMAKE_BINARY_DIR}/warplens;SOURCE=${CMAKE_SOURCE_DIR};BUILD=${CMAKE_BINARY_DIR};WARPLENS_GPU=h200")
endfunction()

wl_openacc_test(simple programs.sh simple -fopenacc)
wl_openacc_test(features programs.sh features -fopenacc -foffload-options=nvptx-none=-lm)
wl_openacc_test(target programs.sh target -fopenmp)
wl_openacc_test(teams programs.sh teams -fopenmp)
wl_openacc_test(spmv spmv.sh)
wl_openacc_test(acc_time acc_time.sh)
wl_openacc_test(own_names own_names.sh)
