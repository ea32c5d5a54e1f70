# The executor's files are compiled once per instruction-set level, with names that end in it.
set(WL_EXECUTOR_OBJECTS "")
file(GLOB executor_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/sim/exec/*.c)
# Functions begin with a cache line of the host: where they lay by chance, sgemm without counting took 1.0 to 1.2 of its time.
set(executor_flags -O3 -falign-functions=64 -ffp-contract=off -fno-strict-aliasing -fno-math-errno -fno-trapping-math)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(executor_levels "v2:-march=x86-64-v2" "v3:-march=x86-64-v3"
                      "v4:-march=x86-64-v4$<SEMICOLON>-mprefer-vector-width=512")
else()
  set(executor_levels "v1:")
endif()
foreach(level ${executor_levels})
  string(REGEX MATCH "^([^:]*):(.*)$" unused "${level}")
  set(variant ${CMAKE_MATCH_1})
  set(march ${CMAKE_MATCH_2})
  add_library(executor_${variant} OBJECT ${executor_sources})
  target_include_directories(executor_${variant} PRIVATE ${CMAKE_SOURCE_DIR}/src)
  target_compile_definitions(executor_${variant} PRIVATE _GNU_SOURCE WL_VARIANT=${variant})
  target_compile_options(executor_${variant} PRIVATE ${executor_flags} ${march})
  if(WL_SANITIZE)
    target_compile_options(executor_${variant} PRIVATE -O1)
  endif()
  list(APPEND WL_EXECUTOR_OBJECTS $<TARGET_OBJECTS:executor_${variant}>)
endforeach()
# Some twenty constants that gcc would move from registers of the other kind, each as long as an operation; from memory they are free.
set_property(SOURCE ${CMAKE_SOURCE_DIR}/src/sim/exec/approximate.c APPEND PROPERTY COMPILE_OPTIONS
  "$<$<AND:$<C_COMPILER_ID:GNU>,$<STREQUAL:$<TARGET_PROPERTY:NAME>,executor_v4>>:-mtune-ctrl=^inter_unit_moves_to_vec>")
