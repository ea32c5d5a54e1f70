# What hangs on the order of warps: as on a GPU, and the same in every mode.
if(WL_NVCC)
  add_test(NAME program.behaviour COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/behaviour/run.sh)
  set_tests_properties(program.behaviour PROPERTIES LABELS program TIMEOUT ${WL_TEST_TIMEOUT_S}
    ENVIRONMENT "WARPLENS=${CMAKE_BINARY_DIR}/warplens;BUILD=${CMAKE_BINARY_DIR};COMPILED=${WL_COMPILED}")
  foreach(name behaviour documented)
    wl_nvcc_program(${name} -O3 -arch=sm_90 ${CMAKE_CURRENT_SOURCE_DIR}/behaviour/${name}.cu)
  endforeach()
else()
  wl_skipped_test(program.behaviour "there is no nvcc")
endif()
