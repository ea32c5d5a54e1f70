# A room is a folder of src/: all its .c files except *_test.c and *_fuzz.c, gathered by name so that
# adding a file needs no edit here. Which room may include which stands in src/rooms.txt.

# wl_room_target(OUT ROOM): the name of its target, "room_show_page" of the room show/page.
function(wl_room_target out room)
  string(REPLACE "/" "_" name ${room})
  set(${out} room_${name} PARENT_SCOPE)
endfunction()

# wl_room(ROOM SOURCES...): its target, with further sources.
function(wl_room room)
  wl_room_target(target ${room})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${room}/*.c)
  list(FILTER sources EXCLUDE REGEX "_(test|fuzz)\\.c$")
  if(NOT sources)
    add_library(${target} INTERFACE)
    return()
  endif()
  add_library(${target} OBJECT ${sources} ${ARGN})
  target_include_directories(${target} PUBLIC ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include
                             ${DEPS_REPORT_INCLUDE_DIRS} ${DEPS_LUA_INCLUDE_DIRS} ${DEPS_BINARY_INCLUDE_DIRS}
                             ${DEPS_DRAW_INCLUDE_DIRS} ${DEPS_SERVE_INCLUDE_DIRS})
  target_compile_definitions(${target} PRIVATE _GNU_SOURCE)
endfunction()

# wl_room_objects(OUT ROOMS...): the object files of those rooms that have any source.
function(wl_room_objects out)
  set(objects "")
  foreach(room ${ARGN})
    wl_room_target(target ${room})
    get_target_property(type ${target} TYPE)
    if(type STREQUAL "OBJECT_LIBRARY")
      list(APPEND objects $<TARGET_OBJECTS:${target}>)
    endif()
  endforeach()
  set(${out} ${objects} PARENT_SCOPE)
endfunction()
