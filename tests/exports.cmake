# What our libraries export, and programs with functions of their own that are named as ours within: neither
# calls the other's.
set(exports_folder ${CMAKE_CURRENT_SOURCE_DIR}/exports)
add_test(NAME exports.lists COMMAND ${exports_folder}/check.sh ${CMAKE_BINARY_DIR}/lib)
set_tests_properties(exports.lists PROPERTIES LABELS program ENVIRONMENT "NM=${CMAKE_NM}")

get_property(program_rooms GLOBAL PROPERTY WL_PROGRAM_ROOMS)
wl_room_objects(program_objects ${program_rooms})
set(own_objects $<TARGET_FILE:warplens_core> ${program_objects})
set(own_names ${CMAKE_BINARY_DIR}/tests/exports/own_names.c)
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/tests/exports)
file(GLOB export_lists CONFIGURE_DEPENDS ${exports_folder}/*.txt)
add_custom_command(OUTPUT ${own_names} VERBATIM COMMAND_EXPAND_LISTS
  COMMAND ${CMAKE_COMMAND} -E env NM=${CMAKE_NM} ${exports_folder}/own_names.sh ${own_names} ${own_objects}
  DEPENDS ${exports_folder}/own_names.sh ${export_lists} ${own_objects} COMMENT "names of ours")
add_library(own_names OBJECT ${own_names})

# wl_own_names_program(NAME SOURCES...): build/tests/exports/NAME, which exports all of its names.
function(wl_own_names_program name)
  add_executable(own_names_${name} ${ARGN} $<TARGET_OBJECTS:own_names>)
  target_compile_definitions(own_names_${name} PRIVATE _GNU_SOURCE)
  set_target_properties(own_names_${name} PROPERTIES ENABLE_EXPORTS ON SKIP_BUILD_RPATH ON
    OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests/exports)
endfunction()
wl_own_names_program(app cli/programs/app.c $<TARGET_OBJECTS:cli_app_fatbin>)
target_link_libraries(own_names_app PRIVATE warplens-cudart-13)
wl_own_names_program(ends cli/programs/ends.c)
target_link_libraries(own_names_ends PRIVATE warplens-cudart-13 Threads::Threads)
wl_own_names_program(libraries programs/libraries.c)
target_link_libraries(own_names_libraries PRIVATE warplens-cudart-13 ${CMAKE_DL_LIBS} m)
wl_own_names_program(driver cupti/app.c)
target_link_libraries(own_names_driver PRIVATE Threads::Threads ${CMAKE_DL_LIBS})
wl_own_names_program(mpi mpi/mock_app.c)
target_link_libraries(own_names_mpi PRIVATE warplens-mpi)

add_test(NAME mpi.own_names COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/mpi/mock.sh $<TARGET_FILE:own_names_mpi>
  $<TARGET_FILE:mock_mpi> $<TARGET_FILE:warplens-mpi> ${CMAKE_CURRENT_SOURCE_DIR}/mpi/mock.txt)
set_tests_properties(mpi.own_names PROPERTIES LABELS program TIMEOUT ${WL_TEST_TIMEOUT_S})
add_test(NAME cli.own_names COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/cli/run.sh ${exports_folder}/own_names.test)
set_tests_properties(cli.own_names PROPERTIES LABELS cli TIMEOUT ${WL_TEST_TIMEOUT_S}
  ENVIRONMENT "WARPLENS=${CMAKE_BINARY_DIR}/warplens;BUILD=${CMAKE_BINARY_DIR};SOURCE=${CMAKE_SOURCE_DIR};WARPLENS_COLLECTOR=sim")
