# Command lines of other tools: every tests/foreign/*.test is one test, run by tests/cli/run.sh.
file(GLOB foreign_tests CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/foreign/*.test)
foreach(test_file ${foreign_tests})
  get_filename_component(name ${test_file} NAME_WE)
  add_test(NAME foreign.${name} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/cli/run.sh ${test_file})
  set_tests_properties(foreign.${name} PROPERTIES LABELS cli TIMEOUT ${WL_TEST_TIMEOUT_S} SKIP_RETURN_CODE 77
    ENVIRONMENT "WARPLENS=${CMAKE_BINARY_DIR}/warplens;BUILD=${CMAKE_BINARY_DIR};SOURCE=${CMAKE_SOURCE_DIR};WARPLENS_COLLECTOR=sim")
endforeach()
# Reports of the ladders, out as a raw page and back, find the same.
if(WL_NVCC)
  add_test(NAME foreign.ladders COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/foreign/ladders.py ${CMAKE_BINARY_DIR}/tests/reports/ladders)
  set_tests_properties(foreign.ladders PROPERTIES LABELS cli TIMEOUT ${WL_TEST_TIMEOUT_S}
    ENVIRONMENT "WARPLENS=${CMAKE_BINARY_DIR}/warplens")
  wl_reads(foreign.ladders ladders_profiled)
endif()
