# Two seconds of libFuzzer for each fuzzer beyond its corpus, where clang has it (label: fuzz); tests/fuzz.cmake runs the
# fuzzers over their corpora everywhere. libfuzzer.objects compiles them with sanitizers, so that they cost
# nothing where they are not run; without optimization, which takes longer than two seconds gain by it. To fuzz for longer:
#   tests/libfuzzer.sh clang WORK_FOLDER CORPUS_FOLDER SECONDS SOURCES...
find_program(WL_FUZZ_CLANG NAMES clang)
if(WL_FUZZ_CLANG)
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/has_fuzzer.c @ONLY
       CONTENT "int LLVMFuzzerTestOneInput(const unsigned char *data, unsigned long size);
int LLVMFuzzerTestOneInput(const unsigned char *data, unsigned long size)
{
    return size && *data > 255;
}
")
  execute_process(COMMAND ${WL_FUZZ_CLANG} -fsanitize=fuzzer,address,undefined
                          ${CMAKE_CURRENT_BINARY_DIR}/has_fuzzer.c
                          -o ${CMAKE_CURRENT_BINARY_DIR}/has_fuzzer
                  RESULT_VARIABLE WL_FUZZ_MISSING OUTPUT_QUIET ERROR_QUIET)
endif()

set(WL_FUZZ_OBJECTS ${CMAKE_CURRENT_BINARY_DIR}/fuzz/objects)

# wl_fuzz(ROOM NAME CORPUS ARGUMENTS...): CORPUS is a folder of tests/fuzz; PTX begins with the kernels of
# tests/ptx, too. Arguments are sources below src/ (patterns; tests and other
# fuzzers are left out) and compiler options such as -lzstd.
function(wl_fuzz room name corpus)
  if(NOT WL_FUZZ_CLANG OR NOT WL_FUZZ_MISSING EQUAL 0)
    string(REPLACE "/" "." dotted ${room})
    wl_skipped_test(libfuzzer.${dotted}.${name} "clang has no libFuzzer (Debian packages clang, libclang-rt-14-dev or libclang-rt-dev)")
    return()
  endif()
  set(sources ${CMAKE_SOURCE_DIR}/src/${room}/${name}_fuzz.c)
  set(options -lpthread -liberty)
  foreach(argument base/*.c ${ARGN})
    if(argument MATCHES "^-")
      list(APPEND options ${argument})
      continue()
    endif()
    if(argument MATCHES "^/") # a generated source
      list(APPEND sources ${argument})
      continue()
    endif()
    file(GLOB found CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${argument})
    list(FILTER found EXCLUDE REGEX "_(test|fuzz)\\.c$|/report/(merge|nsys)\\.c$") # these need generated files
    list(APPEND sources ${found})
  endforeach()
  set(folders ${CMAKE_SOURCE_DIR}/tests/fuzz/${corpus})
  if(corpus STREQUAL ptx)
    string(APPEND folders ":${CMAKE_SOURCE_DIR}/tests/ptx")
  endif()
  string(REPLACE "/" "." dotted ${room})
  add_test(NAME libfuzzer.${dotted}.${name}
           COMMAND ${CMAKE_SOURCE_DIR}/tests/libfuzzer.sh ${WL_FUZZ_CLANG}
                   ${CMAKE_CURRENT_BINARY_DIR}/fuzz/${dotted}.${name}
                   ${folders} 2 ${sources} ${options})
  set_tests_properties(libfuzzer.${dotted}.${name} PROPERTIES LABELS fuzz TIMEOUT ${WL_TEST_TIMEOUT_S}
                       FIXTURES_REQUIRED fuzz_objects ENVIRONMENT "OBJECTS=${WL_FUZZ_OBJECTS};LEVEL=0")
  set_property(GLOBAL APPEND PROPERTY WL_FUZZ_SOURCES ${sources})
endfunction()

wl_fuzz(ptx/parse parse ptx ptx/parse/*.c)
wl_fuzz(report report report timeline/categories.c report/*.c record/collectors.c record/stream/*.c -lsqlite3 -lm)
foreach(name fatbin cubin compiler_log)
  wl_fuzz(binary ${name} ${name} binary/*.c -lzstd -llz4 -lelf -ldw)
endforeach()
wl_fuzz(record/stream replay replay record/stream/*.c)
wl_fuzz(ptx/lower lower ptx ptx/parse/*.c
        ptx/lower/*.c timing/machine/*.c warp/*.c -lm)
wl_fuzz(import import import timeline/categories.c report/*.c record/stream/*.c import/*.c record/collectors.c record/facts.c gpu/*.c
        ${CMAKE_BINARY_DIR}/src/embedded_gpus.c -lsqlite3 -ljansson -lz -lm)

get_property(fuzz_sources GLOBAL PROPERTY WL_FUZZ_SOURCES)
if(fuzz_sources)
  list(REMOVE_DUPLICATES fuzz_sources)
  add_test(NAME libfuzzer.objects COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/support/fuzz_objects.sh
           ${WL_FUZZ_CLANG} ${WL_FUZZ_OBJECTS} ${fuzz_sources})
  set_tests_properties(libfuzzer.objects PROPERTIES LABELS fuzz TIMEOUT ${WL_TEST_TIMEOUT_S}
                       FIXTURES_SETUP fuzz_objects PROCESSORS 2 ENVIRONMENT "JOBS=2;LEVEL=0")
endif()
