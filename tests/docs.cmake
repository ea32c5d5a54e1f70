# The commands of pages of docs/ work, and print what the pages show.
foreach(page openacc mpi)
  add_test(NAME docs.${page} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/docs/run.sh using/${page}.md)
  set_tests_properties(docs.${page} PROPERTIES LABELS program TIMEOUT 300 SKIP_RETURN_CODE 77
    ENVIRONMENT "WARPLENS=${CMAKE_BINARY_DIR}/warplens;SOURCE=${CMAKE_SOURCE_DIR}")
endforeach()
add_test(NAME docs.links COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/docs/links.sh)
set_tests_properties(docs.links PROPERTIES LABELS unit TIMEOUT 60)
