# The HTML page in a headless browser: every tests/html/*.js that uses test() is one test.
add_executable(make_reports ${CMAKE_CURRENT_SOURCE_DIR}/html/make_reports.c)
target_compile_definitions(make_reports PRIVATE _GNU_SOURCE)
target_link_libraries(make_reports PRIVATE warplens_core PkgConfig::CMOCKA)
set_target_properties(make_reports PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)

# What several of them look at is made once.
set(html_environment "WARPLENS=$<TARGET_FILE:warplens>;MAKE_REPORTS=$<TARGET_FILE:make_reports>;REPORTS=${CMAKE_BINARY_DIR}/tests/reports/html")
add_test(NAME html.reports COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/html/reports.sh)
set_tests_properties(html.reports PROPERTIES LABELS html TIMEOUT ${WL_TEST_TIMEOUT_S} FIXTURES_SETUP html_reports
  ENVIRONMENT "${html_environment}")

file(GLOB html_tests CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/html/*.js)
list(FILTER html_tests EXCLUDE REGEX "/browser\\.js$")
foreach(test_file ${html_tests})
  get_filename_component(name ${test_file} NAME_WE)
  add_test(NAME html.${name} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/html/run.sh ${test_file})
  set_tests_properties(html.${name} PROPERTIES LABELS html TIMEOUT ${WL_TEST_TIMEOUT_S} SKIP_RETURN_CODE 77
    ENVIRONMENT "${html_environment}")
  file(STRINGS ${test_file} shared REGEX "(make|makeReport)\\(\"(some|more|long)\"") # what reports.sh makes
  if(shared)
    set_tests_properties(html.${name} PROPERTIES FIXTURES_REQUIRED html_reports)
  endif()
endforeach()
