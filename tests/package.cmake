# What `make package` makes. The program is the one of the tests of the command line.
add_test(NAME package.deb COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/package/deb.sh)
set_tests_properties(package.deb PROPERTIES LABELS cli TIMEOUT ${WL_TEST_TIMEOUT_S} SKIP_RETURN_CODE 77
  ENVIRONMENT "BUILD=${CMAKE_BINARY_DIR};PROGRAM=${CMAKE_CURRENT_BINARY_DIR}/cli-programs/app")
