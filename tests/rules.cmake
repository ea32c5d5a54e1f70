# Each rule: a kernel in which it must find something and one in which it must not.
foreach(compiler nvcc cc)
  if((compiler STREQUAL "nvcc" AND WL_NVCC) OR (compiler STREQUAL "cc" AND WL_CUDA_CLANG))
    add_test(NAME rules.${compiler} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/rules/run.sh ${compiler})
    set_tests_properties(rules.${compiler} PROPERTIES LABELS program TIMEOUT 300
      ENVIRONMENT "WARPLENS=${CMAKE_BINARY_DIR}/warplens;SOURCE=${CMAKE_SOURCE_DIR};NVCC=${WL_NVCC}")
  endif()
endforeach()

# The story that each ladder tells. Without ptxas registers are estimated, and limits by registers are found
# where there are none.
foreach(compiler nvcc cc)
  if(WL_NVCC AND (compiler STREQUAL "nvcc" OR WL_CUDA_CLANG))
    add_test(NAME rules.ladders.${compiler} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/ladders_advice.sh ${compiler})
    set_tests_properties(rules.ladders.${compiler} PROPERTIES LABELS program TIMEOUT 600
      ENVIRONMENT "WARPLENS=${CMAKE_BINARY_DIR}/warplens;SOURCE=${CMAKE_SOURCE_DIR};NVCC=${WL_NVCC}")
  endif()
endforeach()
