# The comparison program of `make accuracy`.
add_executable(accuracy_compare ${CMAKE_SOURCE_DIR}/tests/accuracy/compare.c)
target_compile_definitions(accuracy_compare PRIVATE _GNU_SOURCE)
target_link_libraries(accuracy_compare PRIVATE warplens_core)
set_target_properties(accuracy_compare PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
