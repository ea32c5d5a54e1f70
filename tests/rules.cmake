# Each rule: a kernel in which it must find something and one in which it must not. As nvcc compiles them, and where
# there is none (`make HIDE_CUDA=1 test`) as `warplens cc` does.
if(WL_NVCC)
  set(compiler nvcc)
elseif(WL_CUDA_CLANG)
  set(compiler cc)
else()
  set(compiler "")
endif()
function(wl_rules_test name)
  add_test(NAME rules.${name} COMMAND ${ARGN})
  set_tests_properties(rules.${name} PROPERTIES LABELS program TIMEOUT ${WL_TEST_TIMEOUT_S}
    ENVIRONMENT "WARPLENS=${CMAKE_BINARY_DIR}/warplens;SOURCE=${CMAKE_SOURCE_DIR};NVCC=${WL_NVCC}")
endfunction()
if(compiler)
  wl_rules_test(${compiler} ${CMAKE_CURRENT_SOURCE_DIR}/rules/run.sh ${compiler})
else()
  wl_skipped_test(rules.compiled "there is neither nvcc nor clang (Debian packages clang, g++)")
endif()

# The story that each ladder tells. Without ptxas registers are estimated, and limits by registers are found
# where there are none.
if(WL_NVCC)
  foreach(program averaging stencil spmv gemm)
    wl_rules_test(ladders.${program} ${CMAKE_CURRENT_SOURCE_DIR}/ladders_advice.sh nvcc small ${program})
  endforeach()
else()
  wl_skipped_test(rules.ladders "there is no nvcc, whose ptxas says how many registers a kernel takes")
endif()
