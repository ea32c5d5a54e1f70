# check-memory: wrong programs get exact messages, right ones none.
if(WL_NVCC)
  foreach(name wrong texts calls many races ends objects)
    wl_nvcc_program(check_${name} -arch=sm_90 -gencode arch=compute_90,code=compute_90 -g -lineinfo
                    -L${CMAKE_BINARY_DIR}/lib -lcuda ${CMAKE_CURRENT_SOURCE_DIR}/check/${name}.cu)
    add_dependencies(cuda_program_check_${name} warplens-cuda)
    add_test(NAME check.${name}
             COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/check/run.sh ${WL_COMPILED}/check_${name} ${name})
    set_tests_properties(check.${name} PROPERTIES LABELS program TIMEOUT ${WL_TEST_TIMEOUT_S}
      ENVIRONMENT "WARPLENS=${CMAKE_BINARY_DIR}/warplens")
  endforeach()
  add_test(NAME check.sanitizer COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/check/sanitizer/run.sh)
  set_tests_properties(check.sanitizer PROPERTIES LABELS program TIMEOUT ${WL_TEST_TIMEOUT_S} PROCESSORS 2
    ENVIRONMENT "WARPLENS=${CMAKE_BINARY_DIR}/warplens;NVCC=${WL_NVCC};JOBS=2")
  foreach(name memory api order right)
    wl_nvcc_program(sanitizer_${name} -arch=sm_90 -lineinfo ${CMAKE_CURRENT_SOURCE_DIR}/check/sanitizer/${name}.cu)
  endforeach()
  wl_takes_compiled(check.sanitizer)
  foreach(ladder "averaging 2 5" "gemm 128 5" "spmv 16 4" "stencil 132 7")
    string(REPLACE " " ";" words ${ladder})
    list(GET words 0 program)
    add_test(NAME check.${program}
             COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/check/ladder.sh ${words})
    set_tests_properties(check.${program} PROPERTIES LABELS program TIMEOUT ${WL_TEST_TIMEOUT_S}
      ENVIRONMENT "WARPLENS=${CMAKE_BINARY_DIR}/warplens;SOURCE=${CMAKE_SOURCE_DIR};NVCC=${WL_NVCC}")
    wl_takes_compiled(check.${program})
  endforeach()
else()
  wl_skipped_test(check.wrong "there is no nvcc")
  wl_skipped_test(check.sanitizer "there is no nvcc")
  wl_skipped_test(check.ladders "there is no nvcc")
endif()
