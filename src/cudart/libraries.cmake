# The libraries that a user's program loads in place of NVIDIA's: thin ones, each named and versioned
# as the program expects, over libwarplens-gpu.so beside them.

# wl_api_library(TARGET BASE VERSION NODE PREFIXES SOURCES...): lib<BASE>.so.<VERSION>, which exports
# the names that begin with one of PREFIXES. NODE: the symbol version under which programs import them,
# or "" where NVIDIA's library has none.
function(wl_api_library target base version node prefixes)
  set(file lib${base}.so.${version})
  set(script ${CMAKE_CURRENT_BINARY_DIR}/${file}.map)
  set(patterns "")
  foreach(prefix ${prefixes})
    string(APPEND patterns " ${prefix}*;")
  endforeach()
  file(WRITE ${script} "${node} {\n  global:${patterns}\n  local: *;\n};\n")
  add_library(${target} SHARED ${ARGN})
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include)
  target_compile_definitions(${target} PRIVATE _GNU_SOURCE)
  target_link_libraries(${target} PRIVATE warplens-gpu Threads::Threads ${CMAKE_DL_LIBS})
  target_link_options(${target} PRIVATE -Wl,--version-script=${script} -Wl,-Bsymbolic
                                        -Wl,--enable-new-dtags)
  set_target_properties(${target} PROPERTIES
    OUTPUT_NAME ${base} SUFFIX .so.${version} LINK_DEPENDS ${script}
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib
    BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN")
endfunction()

# wl_api_link(TARGET BASE): lib<BASE>.so beside the library, for linkers.
function(wl_api_link target base)
  add_custom_command(TARGET ${target} POST_BUILD VERBATIM
    COMMAND ${CMAKE_COMMAND} -E create_symlink $<TARGET_FILE_NAME:${target}>
            $<TARGET_FILE_DIR:${target}>/lib${base}.so)
endfunction()

wl_embed(wl_embedded_cublas ${CMAKE_CURRENT_BINARY_DIR}/embedded_cublas.c
         ${CMAKE_CURRENT_SOURCE_DIR}/cublas/mixed.ptx
         ${CMAKE_CURRENT_SOURCE_DIR}/cublas/sgemm.ptx
         ${CMAKE_CURRENT_SOURCE_DIR}/cublas/vector.ptx)

foreach(major 12 13)
  wl_api_library(warplens-cudart-${major} cudart ${major} libcudart.so.${major} "cuda;__cuda"
                 $<TARGET_OBJECTS:room_cudart>
                 ${CMAKE_CURRENT_SOURCE_DIR}/cudart/version/runtime_${major}.c)
  wl_api_library(warplens-cublas-${major} cublas ${major} libcublas.so.${major} "cublas"
                 $<TARGET_OBJECTS:room_cublas> ${CMAKE_CURRENT_BINARY_DIR}/embedded_cublas.c)
  wl_api_library(warplens-nvrtc-${major} nvrtc ${major} libnvrtc.so.${major} "nvrtc"
                 $<TARGET_OBJECTS:room_nvrtc>)
endforeach()
wl_api_library(warplens-cuda cuda 1 "" "cu" $<TARGET_OBJECTS:room_cuda>)

wl_api_link(warplens-cudart-13 cudart)
wl_api_link(warplens-cublas-13 cublas)
wl_api_link(warplens-cuda cuda)
