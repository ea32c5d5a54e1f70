# The command line: every tests/cli/*.test is one test, run by tests/cli/run.sh.
add_test(NAME rooms COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/rooms_test.sh ${CMAKE_SOURCE_DIR})
# No product file over 800 lines, no header over 300.
add_test(NAME house COMMAND ${CMAKE_SOURCE_DIR}/scripts/house.sh ${CMAKE_SOURCE_DIR})
add_test(NAME run_tests COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/run_tests_test.sh)
add_test(NAME build_lines COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/build_test.sh)
set_tests_properties(rooms house run_tests build_lines PROPERTIES LABELS unit)
set_tests_properties(run_tests build_lines PROPERTIES ENVIRONMENT "SOURCE=${CMAKE_SOURCE_DIR}")

add_subdirectory(${CMAKE_CURRENT_SOURCE_DIR}/cli/programs ${CMAKE_BINARY_DIR}/tests/cli-programs)

if(WL_NVCC)
  wl_nvcc_program(language -std=c++17 -arch=sm_90 --expt-relaxed-constexpr ${CMAKE_CURRENT_SOURCE_DIR}/cc/language.cu)
endif()
file(GLOB cli_tests CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/cli/*.test)
foreach(test_file ${cli_tests})
  get_filename_component(name ${test_file} NAME_WE)
  add_test(NAME cli.${name} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/cli/run.sh ${test_file})
  set_tests_properties(cli.${name} PROPERTIES LABELS cli TIMEOUT ${WL_TEST_TIMEOUT_S} SKIP_RETURN_CODE 77
    ENVIRONMENT "WARPLENS=${CMAKE_BINARY_DIR}/warplens;BUILD=${CMAKE_BINARY_DIR};SOURCE=${CMAKE_SOURCE_DIR};WARPLENS_COLLECTOR=sim")
endforeach()
