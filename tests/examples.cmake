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
    add_test(NAME example.stencil_k40.${compiler}
             COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/stencil_k40.sh ${compiler})
    set_tests_properties(example.stencil_k40.${compiler} PROPERTIES LABELS program TIMEOUT 300
      ENVIRONMENT "WARPLENS=${CMAKE_BINARY_DIR}/warplens;SOURCE=${CMAKE_SOURCE_DIR};NVCC=${WL_NVCC}")
  endif()
endforeach()

# What both compilers make of a ladder is compared, too.
if(WL_NVCC AND WL_CUDA_CLANG)
  foreach(case "averaging 2 5" "gemm 128 5" "spmv 10 4" "stencil 132 7")
    separate_arguments(arguments UNIX_COMMAND "${case}")
    list(GET arguments 0 program)
    add_test(NAME example.alike.${program}
             COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/examples_alike.sh ${arguments})
    set_tests_properties(example.alike.${program} PROPERTIES LABELS program TIMEOUT 300
      ENVIRONMENT "WARPLENS=${CMAKE_BINARY_DIR}/warplens;SOURCE=${CMAKE_SOURCE_DIR};NVCC=${WL_NVCC}")
  endforeach()
endif()
