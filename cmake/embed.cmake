# wl_embed(SYMBOL OUTPUT_C FILES...): data files as a C table {name, bytes, size} named SYMBOL. Files of Lua are compiled, too,
# by the Lua that the program is linked with.
function(wl_embed symbol output)
  set(files ${ARGN})
  set(lua ${files})
  list(FILTER lua INCLUDE REGEX "\\.lua$")
  set(compile)
  set(folder)
  if(lua)
    set(folder ${output}.lua)
    file(MAKE_DIRECTORY ${folder})
    set(compile COMMAND compile_lua ${folder} ${lua})
    set(lua compile_lua)
  endif()
  add_custom_command(
    OUTPUT ${output}
    ${compile}
    COMMAND ${CMAKE_COMMAND} -DSYMBOL=${symbol} -DOUTPUT=${output} "-DFILES=${files}" "-DCOMPILED=${folder}"
            -P ${CMAKE_SOURCE_DIR}/cmake/embed_script.cmake
    DEPENDS ${files} ${lua} ${CMAKE_SOURCE_DIR}/cmake/embed_script.cmake
    VERBATIM)
endfunction()

add_executable(compile_lua ${CMAKE_SOURCE_DIR}/cmake/compile_lua.c)
target_link_libraries(compile_lua PRIVATE PkgConfig::DEPS_LUA)
