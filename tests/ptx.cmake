# The PTX cases beside src/sim/ptx_test.c, which runs them: generated ones are up to date, every row of
# instructions.def is run by one, and ptxas takes them all where there is one. To write the generated
# ones again: ninja ptx_cases.
file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/ptx/generate/*.c)
add_executable(generate_ptx ${sources})
target_compile_definitions(generate_ptx PRIVATE _GNU_SOURCE)
target_link_libraries(generate_ptx PRIVATE m)
set_target_properties(generate_ptx PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
add_dependencies(unit_tests generate_ptx)
add_custom_target(ptx_cases COMMAND sh -c "rm -f ${CMAKE_CURRENT_SOURCE_DIR}/ptx/generated/*.ptx"
                            COMMAND generate_ptx ${CMAKE_CURRENT_SOURCE_DIR}/ptx/generated)

add_executable(run_ptx_on_gpu ${CMAKE_CURRENT_SOURCE_DIR}/ptx/on_gpu.c
               ${CMAKE_SOURCE_DIR}/src/base/sha256.c ${CMAKE_SOURCE_DIR}/src/base/error.c)
target_compile_definitions(run_ptx_on_gpu PRIVATE _GNU_SOURCE)
target_include_directories(run_ptx_on_gpu PRIVATE ${CMAKE_SOURCE_DIR}/src)
target_link_libraries(run_ptx_on_gpu PRIVATE m ${CMAKE_DL_LIBS})
set_target_properties(run_ptx_on_gpu PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)

add_test(NAME ptx.generated COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/ptx/up_to_date.sh
                                    $<TARGET_FILE:generate_ptx> ${CMAKE_CURRENT_BINARY_DIR}/ptx_generated)
add_test(NAME ptx.coverage COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/ptx/coverage.sh)
set_tests_properties(ptx.generated ptx.coverage PROPERTIES LABELS unit TIMEOUT ${WL_TEST_TIMEOUT_S})
if(NOT WL_NVCC)
  wl_skipped_test(ptx.ptxas "there is no ptxas")
else()
  get_filename_component(folder ${WL_NVCC} DIRECTORY)
  if(EXISTS ${folder}/ptxas)
    add_test(NAME ptx.ptxas COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/ptx/ptxas.sh ${folder}/ptxas)
    set_tests_properties(ptx.ptxas PROPERTIES LABELS program TIMEOUT ${WL_TEST_TIMEOUT_S})
  endif()
endif()
