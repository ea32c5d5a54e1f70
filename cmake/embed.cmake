# wl_embed(SYMBOL OUTPUT_C FILES...): data files as a C table {name, bytes, size} named SYMBOL.
function(wl_embed symbol output)
  set(files ${ARGN})
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DSYMBOL=${symbol} -DOUTPUT=${output} "-DFILES=${files}"
            -P ${CMAKE_SOURCE_DIR}/cmake/embed_script.cmake
    DEPENDS ${files} ${CMAKE_SOURCE_DIR}/cmake/embed_script.cmake
    VERBATIM)
endfunction()
