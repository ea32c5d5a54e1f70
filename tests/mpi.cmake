# MPI programs under `warplens trace` and `profile`, four ranks; skipped where there is no Open MPI.
add_test(NAME mpi.ranks COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/mpi/ranks.sh)
set_tests_properties(mpi.ranks PROPERTIES LABELS program TIMEOUT ${WL_TEST_TIMEOUT_S} SKIP_RETURN_CODE 77
  ENVIRONMENT "WARPLENS=${CMAKE_BINARY_DIR}/warplens;SOURCE=${CMAKE_SOURCE_DIR};WARPLENS_GPU=h200")

# The same library before one of the MPICH family, which has other handles and statuses.
add_library(mock_mpi MODULE ${CMAKE_CURRENT_SOURCE_DIR}/mpi/mock_mpi.c)
target_compile_definitions(mock_mpi PRIVATE _GNU_SOURCE)
target_include_directories(mock_mpi PRIVATE ${CMAKE_SOURCE_DIR}/src)
add_executable(mock_mpi_app ${CMAKE_CURRENT_SOURCE_DIR}/mpi/mock_app.c)
target_link_libraries(mock_mpi_app PRIVATE warplens-mpi)
set_target_properties(mock_mpi mock_mpi_app PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests
                      RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
add_test(NAME mpi.mock COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/mpi/mock.sh $<TARGET_FILE:mock_mpi_app>
                               $<TARGET_FILE:mock_mpi> $<TARGET_FILE:warplens-mpi>
                               ${CMAKE_CURRENT_SOURCE_DIR}/mpi/mock.txt)
set_tests_properties(mpi.mock PROPERTIES LABELS program TIMEOUT ${WL_TEST_TIMEOUT_S})

add_test(NAME mpi.slurm COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/mpi/slurm.sh)
set_tests_properties(mpi.slurm PROPERTIES LABELS program TIMEOUT ${WL_TEST_TIMEOUT_S} SKIP_RETURN_CODE 77
  ENVIRONMENT "WARPLENS=${CMAKE_BINARY_DIR}/warplens;SOURCE=${CMAKE_SOURCE_DIR};WARPLENS_GPU=h200")
add_test(NAME mpi.fortran COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/mpi/fortran.sh)
set_tests_properties(mpi.fortran PROPERTIES LABELS program TIMEOUT ${WL_TEST_TIMEOUT_S} SKIP_RETURN_CODE 77
  ENVIRONMENT "WARPLENS=${CMAKE_BINARY_DIR}/warplens;SOURCE=${CMAKE_SOURCE_DIR};WARPLENS_GPU=h200")
