# What programs, profiler and disk may do at any moment. The tests are short; for long runs:
#   WARPLENS=build/warplens BUILD=$PWD/build tests/robustness/kill.sh 200
#   WARPLENS=build/warplens BUILD=$PWD/build tests/robustness/limits.sh 100000
function(wl_robustness_test name)
  add_test(NAME robustness.${name} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/robustness/${name}.sh ${ARGN})
  set_tests_properties(robustness.${name} PROPERTIES LABELS program TIMEOUT ${WL_TEST_TIMEOUT_S}
    ENVIRONMENT "WARPLENS=${CMAKE_BINARY_DIR}/warplens;BUILD=${CMAKE_BINARY_DIR}")
endfunction()

wl_robustness_test(kill 10)
wl_robustness_test(full_disk)
wl_robustness_test(limits 3000)
