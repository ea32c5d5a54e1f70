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
  # CONFIGURE leaves a file alone that says so already: each `make` would link the libraries again, and what needs them
  file(CONFIGURE OUTPUT ${script} CONTENT "${node} {\n  global:${patterns}\n  local: *;\n};\n" @ONLY)
  add_library(${target} SHARED ${ARGN})
  target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include)
  target_compile_definitions(${target} PRIVATE _GNU_SOURCE)
  target_link_libraries(${target} PRIVATE warplens-gpu Threads::Threads ${CMAKE_DL_LIBS})
  target_link_options(${target} PRIVATE -Wl,--version-script=${script} -Wl,--enable-new-dtags)
  set_target_properties(${target} PROPERTIES
    OUTPUT_NAME ${base} SUFFIX .so.${version} LINK_DEPENDS ${script} LINKER_LANGUAGE C
    LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib
    BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "$ORIGIN")
endfunction()

# wl_api_link(TARGET BASE): lib<BASE>.so beside the library, for linkers.
function(wl_api_link target base)
  add_custom_command(TARGET ${target} POST_BUILD VERBATIM
    COMMAND ${CMAKE_COMMAND} -E create_symlink $<TARGET_FILE_NAME:${target}>
            $<TARGET_FILE_DIR:${target}>/lib${base}.so)
endfunction()

# wl_traced_objects(OUT CATEGORY PATTERN ROOM): what to link in place of the room's objects, so that
# calls of the functions whose names match are recorded (src/timeline/calls). The room's objects themselves
# where there is no trampoline for the processor.
function(wl_traced_objects out category pattern room)
  if(NOT CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
    set(${out} $<TARGET_OBJECTS:room_api_${room}> PARENT_SCOPE)
    return()
  endif()
  set(made ${CMAKE_CURRENT_BINARY_DIR}/traced_${room})
  set(folder ${CMAKE_SOURCE_DIR}/src/timeline/calls)
  add_custom_command(OUTPUT ${made}.o ${made}.S VERBATIM COMMAND_EXPAND_LISTS
    COMMAND ${CMAKE_COMMAND} -E env NM=${CMAKE_NM} OBJCOPY=${CMAKE_OBJCOPY} LD=${CMAKE_LINKER}
            ${folder}/make.sh ${category} ${pattern} ${made} $<TARGET_OBJECTS:room_api_${room}>
    DEPENDS ${folder}/make.sh ${folder}/trampoline.S room_api_${room} $<TARGET_OBJECTS:room_api_${room}>
    COMMENT "trampolines of ${room}")
  set_source_files_properties(${made}.o PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
  set_source_files_properties(${made}.S PROPERTIES OBJECT_DEPENDS ${folder}/trampoline.S)
  add_custom_target(traced_${room} DEPENDS ${made}.o ${made}.S)
  set(${out} ${made}.o ${made}.S PARENT_SCOPE)
endfunction()
wl_traced_objects(traced_cudart 1 "^cuda|^__cudaLaunchKernel" cudart)
wl_traced_objects(traced_cuda 2 "^cu" cuda)
wl_traced_objects(traced_cublas 3 "^cublas" cublas)

wl_embed(wl_embedded_cublas ${CMAKE_CURRENT_BINARY_DIR}/embedded_cublas.c
         ${CMAKE_CURRENT_SOURCE_DIR}/api/cublas/complex.ptx
         ${CMAKE_CURRENT_SOURCE_DIR}/api/cublas/complex_batch.ptx
         ${CMAKE_CURRENT_SOURCE_DIR}/api/cublas/complex_structured.ptx
         ${CMAKE_CURRENT_SOURCE_DIR}/api/cublas/dense.ptx
         ${CMAKE_CURRENT_SOURCE_DIR}/api/cublas/mixed.ptx
         ${CMAKE_CURRENT_SOURCE_DIR}/api/cublas/narrow.ptx
         ${CMAKE_CURRENT_SOURCE_DIR}/api/cublas/packed.ptx
         ${CMAKE_CURRENT_SOURCE_DIR}/api/cublas/rotation.ptx
         ${CMAKE_CURRENT_SOURCE_DIR}/api/cublas/sgemm.ptx
         ${CMAKE_CURRENT_SOURCE_DIR}/api/cublas/structured.ptx
         ${CMAKE_CURRENT_SOURCE_DIR}/api/cublas/vector.ptx)

foreach(row "11 11.0 11.2" "12 12 12" "13 13 13") # CUDA's version, those of the runtime's and NVRTC's files
  separate_arguments(row)
  list(GET row 0 major)
  list(GET row 1 version)
  wl_api_library(warplens-cudart-${major} cudart ${version} libcudart.so.${version} "cuda;__cuda"
                 ${traced_cudart}
                 ${CMAKE_CURRENT_SOURCE_DIR}/api/cudart/version/runtime_${major}.c)
  wl_api_library(warplens-cublas-${major} cublas ${major} libcublas.so.${major} "cublas"
                 ${traced_cublas} ${CMAKE_CURRENT_BINARY_DIR}/embedded_cublas.c)
  target_link_libraries(warplens-cublas-${major} PRIVATE m)
  list(GET row 2 version)
  wl_api_library(warplens-nvrtc-${major} nvrtc ${version} libnvrtc.so.${version} "nvrtc"
                 $<TARGET_OBJECTS:room_api_nvrtc>)
endforeach()
wl_api_library(warplens-cuda cuda 1 "" "cu" ${traced_cuda})

# Stand-ins for what is built on those: NAME PREFIX VERSIONS. A name's versions are those of CUDA 11 to 13; NCCL and
# NVML give their names none.
foreach(name epilogue random fft sparse solver)
  string(REGEX REPLACE "epilogue" "cublaslt" room ${name})
  string(REGEX REPLACE "random" "curand" room ${room})
  string(REGEX REPLACE "fft" "cufft" room ${room})
  string(REGEX REPLACE "sparse" "cusparse" room ${room})
  string(REGEX REPLACE "solver" "cusolver" room ${room})
  set(files ${CMAKE_CURRENT_SOURCE_DIR}/api/${room}/${name}.ptx)
  if(room STREQUAL cusparse)
    list(APPEND files ${CMAKE_CURRENT_SOURCE_DIR}/api/cusparse/older.ptx)
  endif()
  if(room STREQUAL cufft)
    list(APPEND files ${CMAKE_CURRENT_SOURCE_DIR}/api/cufft/pass.ptx)
  endif()
  if(room STREQUAL curand)
    list(APPEND files ${CMAKE_CURRENT_SOURCE_DIR}/api/curand/sobol.bin)
  endif()
  if(room STREQUAL cusolver)
    list(PREPEND files ${CMAKE_CURRENT_SOURCE_DIR}/api/cusolver/reduce.ptx)
  endif()
  wl_embed(wl_embedded_${room} ${CMAKE_CURRENT_BINARY_DIR}/embedded_${room}.c ${files})
  target_sources(room_api_${room} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/embedded_${room}.c)
endforeach()
wl_embed(wl_embedded_cudnn ${CMAKE_CURRENT_BINARY_DIR}/embedded_cudnn.c
         ${CMAKE_CURRENT_SOURCE_DIR}/api/cudnn/backend.ptx
         ${CMAKE_CURRENT_SOURCE_DIR}/api/cudnn/ctc.ptx
         ${CMAKE_CURRENT_SOURCE_DIR}/api/cudnn/list.ptx
         ${CMAKE_CURRENT_SOURCE_DIR}/api/cudnn/rnn.ptx
         ${CMAKE_CURRENT_SOURCE_DIR}/api/cudnn/convolve.ptx
         ${CMAKE_CURRENT_SOURCE_DIR}/api/cudnn/normalize.ptx
         ${CMAKE_CURRENT_SOURCE_DIR}/api/cudnn/pointwise.ptx
         ${CMAKE_CURRENT_SOURCE_DIR}/api/cudnn/divisive.ptx
         ${CMAKE_CURRENT_SOURCE_DIR}/api/cudnn/dropout.ptx
         ${CMAKE_CURRENT_SOURCE_DIR}/api/cudnn/fold.ptx
         ${CMAKE_CURRENT_SOURCE_DIR}/api/cudnn/reduce.ptx
         ${CMAKE_CURRENT_SOURCE_DIR}/api/cudnn/transform.ptx
         ${CMAKE_CURRENT_SOURCE_DIR}/api/cudnn/window.ptx)
target_sources(room_api_cudnn PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/embedded_cudnn.c)
foreach(row "cublaslt cublasLt cublasLt 11 12 13" "curand curand curand 10" "cufft cufft cufft 10 11 12"
            "cusparse cusparse cusparse 11 12" "cusolver cusolver cusolver 11 12" "cudnn cudnn cudnn 8 9"
            "nvjitlink nvJitLink nvJitLink,__nvJitLink 12 13" "nvml nvidia-ml nvml 1" "nccl nccl nccl 2")
  string(REPLACE " " ";" words ${row})
  list(POP_FRONT words room base prefixes)
  string(REPLACE "," ";" prefixes ${prefixes})
  foreach(version ${words})
    set(node lib${base}.so.${version})
    if(room MATCHES "^(nvml|nccl)$")
      set(node "")
    endif()
    set(objects $<TARGET_OBJECTS:room_api_${room}>)
    if(room STREQUAL cudnn)
      list(APPEND objects ${CMAKE_CURRENT_SOURCE_DIR}/api/cudnn/version/${version}.c)
    endif()
    if(room STREQUAL cublaslt) # multiplies with cuBLAS's kernels
      list(APPEND objects ${traced_cublas} ${CMAKE_CURRENT_BINARY_DIR}/embedded_cublas.c)
    endif()
    wl_api_library(warplens-${room}-${version} ${base} ${version} "${node}" "${prefixes}" ${objects})
    target_link_libraries(warplens-${room}-${version} PRIVATE m)
    if(room STREQUAL cublaslt AND TARGET traced_cublas)
      add_dependencies(warplens-${room}-${version} traced_cublas)
    endif()
  endforeach()
  list(GET words -1 version)
  wl_api_link(warplens-${room}-${version} ${base})
endforeach()

if(TARGET traced_cudart) # two libraries of it are made at the same time
  foreach(major 11 12 13)
    add_dependencies(warplens-cudart-${major} traced_cudart)
    add_dependencies(warplens-cublas-${major} traced_cublas)
  endforeach()
endif()

wl_api_link(warplens-cudart-13 cudart)
wl_api_link(warplens-cublas-13 cublas)
wl_api_link(warplens-cuda cuda)
