# What pages say of one report must not contradict each other (tests/consistency/).
if(WL_NVCC)
  set(compiler nvcc)
elseif(WL_CUDA_CLANG)
  set(compiler cc)
else()
  set(compiler "")
endif()
foreach(part cases followed fixtures examples)
  if(compiler)
    add_test(NAME consistency.${part} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/consistency/run.sh ${compiler} ${part})
    set_tests_properties(consistency.${part} PROPERTIES LABELS program TIMEOUT ${WL_TEST_TIMEOUT_S}
      SKIP_RETURN_CODE 77
      ENVIRONMENT "WARPLENS=${CMAKE_BINARY_DIR}/warplens;SOURCE=${CMAKE_SOURCE_DIR};NVCC=${WL_NVCC}")
  else()
    wl_skipped_test(consistency.${part} "there is neither nvcc nor clang (Debian packages clang, g++)")
  endif()
endforeach()
