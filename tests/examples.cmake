# The four ladders at small sizes, compiled by nvcc where it is, and by `warplens cc` where clang is.
find_program(WL_CUDA_CLANG NAMES clang)
function(wl_example_test compiler program size steps)
  add_test(NAME example.${program}.${compiler}
           COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/examples.sh ${compiler} ${program} ${size} ${steps})
  set_tests_properties(example.${program}.${compiler} PROPERTIES LABELS program TIMEOUT 300
    ENVIRONMENT "WARPLENS=${CMAKE_BINARY_DIR}/warplens;SOURCE=${CMAKE_SOURCE_DIR};NVCC=${WL_NVCC}")
endfunction()
foreach(compiler nvcc cc)
  if((compiler STREQUAL "nvcc" AND WL_NVCC) OR (compiler STREQUAL "cc" AND WL_CUDA_CLANG))
    wl_example_test(${compiler} averaging 8 5)
    wl_example_test(${compiler} gemm 128 5)
    wl_example_test(${compiler} spmv 16 4)
    wl_example_test(${compiler} stencil 132 7)
  endif()
endforeach()
