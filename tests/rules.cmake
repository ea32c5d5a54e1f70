# Each rule: a kernel in which it must find something and one in which it must not.
foreach(compiler nvcc cc)
  if((compiler STREQUAL "nvcc" AND WL_NVCC) OR (compiler STREQUAL "cc" AND WL_CUDA_CLANG))
    add_test(NAME rules.${compiler} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/rules/run.sh ${compiler})
    set_tests_properties(rules.${compiler} PROPERTIES LABELS program TIMEOUT 300
      ENVIRONMENT "WARPLENS=${CMAKE_BINARY_DIR}/warplens;SOURCE=${CMAKE_SOURCE_DIR};NVCC=${WL_NVCC}")
  endif()
endforeach()
