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
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/tests/cupti/string CONTENT "")
  add_executable(cupti_abi_test ${CMAKE_CURRENT_SOURCE_DIR}/cupti/abi_test.c)
  target_include_directories(cupti_abi_test PRIVATE ${CMAKE_SOURCE_DIR}/src)
  target_include_directories(cupti_abi_test SYSTEM PRIVATE ${CMAKE_BINARY_DIR}/tests/cupti
                             ${WL_CUPTI_HEADERS} ${nvcc_folder}/../include)
  set_target_properties(cupti_abi_test PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  add_dependencies(unit_tests cupti_abi_test)
  add_test(NAME cupti.abi COMMAND cupti_abi_test)
else()
  add_test(NAME cupti.abi COMMAND sh -c "echo skipped: there are no headers of CUPTI beside an nvcc; exit 77")
endif()
set_tests_properties(cupti.abi PROPERTIES LABELS unit SKIP_RETURN_CODE 77)

# A driver and a CUPTI that measure nothing, for machines without a GPU.
set(mock_folder ${CMAKE_BINARY_DIR}/tests/cupti-mock)
function(wl_mock_library target file)
  add_library(${target} SHARED ${ARGN})
  target_compile_definitions(${target} PRIVATE _GNU_SOURCE)
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR}/src)
  target_link_libraries(${target} PRIVATE Threads::Threads ${CMAKE_DL_LIBS})
  set_target_properties(${target} PROPERTIES PREFIX "" SUFFIX "" OUTPUT_NAME ${file}
    LIBRARY_OUTPUT_DIRECTORY ${mock_folder} BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN")
  target_link_options(${target} PRIVATE -Wl,-soname,${file})
endfunction()
wl_mock_library(mock_cuda libcuda.so.1 ${CMAKE_CURRENT_SOURCE_DIR}/cupti/mock_cuda.c)
wl_mock_library(mock_nvml libnvidia-ml.so.1 ${CMAKE_CURRENT_SOURCE_DIR}/cupti/mock_nvml.c)
target_link_libraries(mock_nvml PRIVATE mock_cuda)
wl_mock_library(mock_cupti libcupti.so.13 ${CMAKE_CURRENT_SOURCE_DIR}/cupti/mock_cupti.c
                ${CMAKE_CURRENT_SOURCE_DIR}/cupti/mock_sampling.c)
target_link_libraries(mock_cupti PRIVATE mock_cuda m)
# Beside the CUPTI of most tests, and not beside that of those that do without.
wl_mock_library(mock_checkpoint libcheckpoint.so ${CMAKE_CURRENT_SOURCE_DIR}/cupti/mock_checkpoint.c)
target_link_libraries(mock_checkpoint PRIVATE mock_cuda)
set_target_properties(mock_checkpoint PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${mock_folder}/whole
  INSTALL_RPATH "$ORIGIN/..")
wl_mock_library(mock_nvperf libnvperf_host.so ${CMAKE_CURRENT_SOURCE_DIR}/cupti/mock_nvperf.c)
target_link_libraries(mock_nvperf PRIVATE mock_cuda)
set_target_properties(mock_nvperf PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${mock_folder}/whole
  INSTALL_RPATH "$ORIGIN/..")
file(MAKE_DIRECTORY ${mock_folder}/whole)
file(CREATE_LINK ../libcupti.so.13 ${mock_folder}/whole/libcupti.so.13 SYMBOLIC)
add_executable(mock_app ${CMAKE_CURRENT_SOURCE_DIR}/cupti/app.c)
target_compile_definitions(mock_app PRIVATE _GNU_SOURCE)
target_link_libraries(mock_app PRIVATE Threads::Threads ${CMAKE_DL_LIBS})
set_target_properties(mock_app PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${mock_folder} OUTPUT_NAME app)

file(GLOB cupti_tests CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/cupti/*.test)
foreach(test_file ${cupti_tests})
  get_filename_component(name ${test_file} NAME_WE)
  add_test(NAME cupti.${name} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/cli/run.sh ${test_file})
  set_tests_properties(cupti.${name} PROPERTIES LABELS cli TIMEOUT ${WL_TEST_TIMEOUT_S} SKIP_RETURN_CODE 77
    ENVIRONMENT "WARPLENS=${CMAKE_BINARY_DIR}/warplens;BUILD=${CMAKE_BINARY_DIR};SOURCE=${CMAKE_SOURCE_DIR};LD_LIBRARY_PATH=${mock_folder};WARPLENS_CUPTI=${mock_folder}/whole/libcupti.so.13;MOCK_LOG=log;XDG_CACHE_HOME=${mock_folder}/cache-${name}")
endforeach()
add_dependencies(unit_tests mock_cuda mock_cupti mock_checkpoint) # of tests of replay modes
