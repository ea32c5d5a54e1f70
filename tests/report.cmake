# The tests of reports once more, on filesystems that refuse locks and shared mapping.
add_library(refuse_locks MODULE ${CMAKE_CURRENT_SOURCE_DIR}/filesystem/refuse.c)
target_compile_definitions(refuse_locks PRIVATE _GNU_SOURCE)
add_executable(probe_locks ${CMAKE_CURRENT_SOURCE_DIR}/filesystem/probe.c)
target_compile_definitions(probe_locks PRIVATE _GNU_SOURCE)
target_link_libraries(probe_locks PRIVATE PkgConfig::DEPS_REPORT)
set_target_properties(refuse_locks PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
set_target_properties(probe_locks PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
add_dependencies(unit_tests refuse_locks probe_locks)
foreach(program probe_locks unit_report_report_test unit_report_build_test)
  add_test(NAME filesystem.${program} COMMAND ${program})
  set_tests_properties(filesystem.${program} PROPERTIES LABELS unit TIMEOUT ${WL_TEST_TIMEOUT_S} ENVIRONMENT
    "LD_PRELOAD=$<TARGET_FILE:refuse_locks>;ASAN_OPTIONS=verify_asan_link_order=0")
endforeach()
