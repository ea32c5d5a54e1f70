# The hardware collector. Its interface to CUPTI is compared with the headers of a toolkit, where one
# is installed beside nvcc.
if(WL_NVCC)
  get_filename_component(nvcc_file ${WL_NVCC} REALPATH)
  get_filename_component(nvcc_folder ${nvcc_file} DIRECTORY)
  find_path(WL_CUPTI_HEADERS cupti_range_profiler.h NO_DEFAULT_PATH
            HINTS ${nvcc_folder}/../include ${nvcc_folder}/../extras/CUPTI/include)
endif()
if(WL_NVCC AND WL_CUPTI_HEADERS)
  # one of these headers includes <string> of C++ and needs nothing of it
  file(WRITE ${CMAKE_BINARY_DIR}/tests/cupti/string "")
  add_executable(cupti_abi_test ${CMAKE_CURRENT_SOURCE_DIR}/cupti/abi_test.c)
  target_include_directories(cupti_abi_test PRIVATE ${CMAKE_SOURCE_DIR}/src)
  target_include_directories(cupti_abi_test SYSTEM PRIVATE ${CMAKE_BINARY_DIR}/tests/cupti
                             ${WL_CUPTI_HEADERS} ${nvcc_folder}/../include)
  set_target_properties(cupti_abi_test PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  add_test(NAME cupti.abi COMMAND cupti_abi_test)
else()
  add_test(NAME cupti.abi COMMAND sh -c "echo no headers of CUPTI here; exit 77")
endif()
set_tests_properties(cupti.abi PROPERTIES LABELS unit SKIP_RETURN_CODE 77)
