# A room is a folder of src/: all its .c files except *_test.c, gathered by name so that adding a file
# needs no edit here. Rooms are listed left to right in the order of docs/architecture.md; a room may
# include only rooms that stand left of it (tests/rooms_test.sh holds this).
function(wl_room name)
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${name}/*.c)
  list(FILTER sources EXCLUDE REGEX "_(test|fuzz)\\.c$")
  if(NOT sources)
    add_library(room_${name} INTERFACE)
    return()
  endif()
  add_library(room_${name} OBJECT ${sources} ${ARGN})
  target_include_directories(room_${name} PUBLIC ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include
                             ${DEPS_REPORT_INCLUDE_DIRS} ${DEPS_BINARY_INCLUDE_DIRS}
                             ${DEPS_DRAW_INCLUDE_DIRS})
  target_compile_definitions(room_${name} PRIVATE _GNU_SOURCE)
endfunction()
