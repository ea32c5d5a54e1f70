# Every src/ROOM/NAME_fuzz.c runs over its corpus tests/fuzz/NAME/, or tests/fuzz/ of its outer room. To fuzz on, build it with
# clang -fsanitize=fuzzer,address and the sources of its room instead of run_corpus.c.
file(GLOB fuzzers CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/*/*_fuzz.c ${CMAKE_SOURCE_DIR}/src/*/*/*_fuzz.c)
list(FILTER fuzzers EXCLUDE REGEX "/execute_fuzz\\.c$")
foreach(fuzzer ${fuzzers})
  get_filename_component(target ${fuzzer} NAME_WE)
  string(REGEX REPLACE "_fuzz$" "" name ${target})
  file(RELATIVE_PATH room ${CMAKE_SOURCE_DIR}/src ${fuzzer})
  string(REGEX REPLACE "/.*" "" room ${room})
  file(GLOB corpus CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/${name}/*)
  if(NOT corpus)
    file(GLOB corpus CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/${room}/*)
  endif()
  add_executable(${target} ${fuzzer} ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/run_corpus.c)
  target_compile_definitions(${target} PRIVATE _GNU_SOURCE)
  target_link_libraries(${target} PRIVATE warplens_core)
  set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  add_dependencies(unit_tests ${target})
  add_test(NAME fuzz.${name} COMMAND ${target} ${corpus})
  set_tests_properties(fuzz.${name} PROPERTIES LABELS unit TIMEOUT ${WL_TEST_TIMEOUT_S})
endforeach()

# The executor's fuzzer runs what its mutator makes of the cases in tests/ptx, tests/check and tests/fuzz/execute: one
# seed and one count, so that a run is like the last. For longer, in a build with -DWL_SANITIZE=ON:
#   WL_FUZZ_LAST=last.ptx build/tests/execute_fuzz SEED COUNT tests/ptx/*/*.ptx
# With clang, -DWL_SANITIZE=ON and -DWL_LIBFUZZER=ON it is libFuzzer's: build/tests/execute_fuzz CORPUS_FOLDER...
option(WL_LIBFUZZER "build the executor's fuzzer for libFuzzer (clang)" OFF)
file(GLOB corpus CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/ptx/*/*.ptx
     ${CMAKE_CURRENT_SOURCE_DIR}/check/*.ptx ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/execute/*.ptx)
add_executable(execute_fuzz ${CMAKE_SOURCE_DIR}/src/sim/execute_fuzz.c)
target_compile_definitions(execute_fuzz PRIVATE _GNU_SOURCE)
target_link_libraries(execute_fuzz PRIVATE warplens_core)
set_target_properties(execute_fuzz PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
if(WL_LIBFUZZER)
  target_link_options(execute_fuzz PRIVATE -fsanitize=fuzzer)
else()
  target_sources(execute_fuzz PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/fuzz/run_mutated.c)
  add_dependencies(unit_tests execute_fuzz)
  add_test(NAME fuzz.execute COMMAND execute_fuzz 1 4000 ${corpus})
  set_tests_properties(fuzz.execute PROPERTIES LABELS unit TIMEOUT ${WL_TEST_TIMEOUT_S})
endif()
