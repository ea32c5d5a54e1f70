# MPI programs under `warplens trace` and `profile`, four ranks; skipped where there is no Open MPI.
add_test(NAME mpi.ranks COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/mpi/ranks.sh)
set_tests_properties(mpi.ranks PROPERTIES LABELS program TIMEOUT 300 SKIP_RETURN_CODE 77
  ENVIRONMENT "WARPLENS=${CMAKE_BINARY_DIR}/warplens;SOURCE=${CMAKE_SOURCE_DIR};WARPLENS_GPU=h200")
