# Programs of what GPUs since the H100 have, in every mode.
foreach(name clusters bulk box rows map wgmma sparse gemm)
  if(WL_NVCC)
    add_test(NAME program.modern_${name} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/modern/run.sh modern_${name})
    set_tests_properties(program.modern_${name} PROPERTIES LABELS program TIMEOUT ${WL_TEST_TIMEOUT_S}
      ENVIRONMENT "WARPLENS_GPU=h100;WARPLENS=${CMAKE_BINARY_DIR}/warplens;BUILD=${CMAKE_BINARY_DIR};COMPILED=${WL_COMPILED}")
    wl_nvcc_program(modern_${name} -std=c++17 -O3 -lineinfo -gencode arch=compute_90a,code=[sm_90a,compute_90a]
                    ${CMAKE_CURRENT_SOURCE_DIR}/modern/modern_${name}.cu)
  else()
    wl_skipped_test(program.modern_${name} "there is no nvcc")
  endif()
endforeach()
if(WL_NVCC)
  add_test(NAME program.modern_older_gpu COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/modern/older_gpu.sh)
  set_tests_properties(program.modern_older_gpu PROPERTIES LABELS program TIMEOUT ${WL_TEST_TIMEOUT_S}
    ENVIRONMENT "WARPLENS=${CMAKE_BINARY_DIR}/warplens;COMPILED=${WL_COMPILED}")
else()
  wl_skipped_test(program.modern_older_gpu "there is no nvcc")
endif()
