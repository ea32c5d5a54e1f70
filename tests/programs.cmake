# Programs of a user, each linked to the libraries it would be given: wl_program_test(NAME SOURCE
# LIBRARIES...) is one test, which passes when the program says nothing wrong.
function(wl_program_test name source)
  add_executable(program_${name} ${CMAKE_CURRENT_SOURCE_DIR}/programs/${source})
  target_compile_definitions(program_${name} PRIVATE _GNU_SOURCE)
  target_link_libraries(program_${name} PRIVATE ${ARGN})
  set_target_properties(program_${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests/programs
    BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH ${CMAKE_BINARY_DIR}/lib)
  add_test(NAME program.${name} COMMAND program_${name})
  set_tests_properties(program.${name} PROPERTIES LABELS program TIMEOUT ${WL_TEST_TIMEOUT_S}
    ENVIRONMENT "WARPLENS_GPU=h200")
endfunction()

foreach(major 12 13)
  wl_program_test(runtime_calls_${major} runtime_calls.c warplens-cudart-${major})
  wl_program_test(cublas_vector_${major} cublas_vector.c warplens-cublas-${major}
                  warplens-cudart-${major})
  wl_program_test(cublas_dense_${major} cublas_dense.c warplens-cublas-${major}
                  warplens-cudart-${major} m)
  wl_program_test(cublas_complex_${major} cublas_complex.c warplens-cublas-${major}
                  warplens-cudart-${major} m)
  wl_program_test(cublas_complex_batch_${major} cublas_complex_batch.c warplens-cublas-${major}
                  warplens-cudart-${major} m)
  wl_program_test(cublas_complex_structured_${major} cublas_complex_structured.c
                  warplens-cublas-${major} warplens-cudart-${major} m)
  wl_program_test(cublas_edges_${major} cublas_edges.c warplens-cublas-${major}
                  warplens-cudart-${major} m)
  wl_program_test(cublas_scalars_${major} cublas_scalars.c warplens-cublas-${major}
                  warplens-cudart-${major} m)
  wl_program_test(cublas_wide_${major} cublas_wide.c warplens-cublas-${major}
                  warplens-cudart-${major})
  wl_program_test(cublas_xt_${major} cublas_xt.c warplens-cublas-${major}
                  warplens-cudart-${major} m)
  wl_program_test(cublas_packed_${major} cublas_packed.c warplens-cublas-${major}
                  warplens-cudart-${major} m)
  wl_program_test(cublas_vector_ex_${major} cublas_vector_ex.c warplens-cublas-${major}
                  warplens-cudart-${major} m)
  wl_program_test(cublas_legacy_${major} cublas_legacy.c warplens-cublas-${major}
                  warplens-cudart-${major} m)
  wl_program_test(cublas_grouped_${major} cublas_grouped.c warplens-cublas-${major}
                  warplens-cudart-${major} m)
  wl_program_test(cublas_rotation_${major} cublas_rotation.c warplens-cublas-${major}
                  warplens-cudart-${major} m)
  wl_program_test(cublas_structured_${major} cublas_structured.c warplens-cublas-${major}
                  warplens-cudart-${major} m)
  wl_program_test(texture_calls_${major} texture_calls.c warplens-cudart-${major})
  wl_program_test(cublas_mixed_${major} cublas_mixed.c warplens-cublas-${major}
                  warplens-cudart-${major})
  wl_program_test(graph_calls_${major} graph_calls.c warplens-cudart-${major})
  wl_program_test(graph_objects_${major} graph_objects.c warplens-cudart-${major} warplens-cuda)
  wl_program_test(managed_calls_${major} managed_calls.c warplens-cudart-${major} warplens-cuda)
  target_compile_definitions(program_managed_calls_${major} PRIVATE MAJOR=${major})
  wl_program_test(cublas_sgemm_${major} cublas_sgemm.c warplens-cublas-${major}
                  warplens-cudart-${major})
endforeach()
wl_program_test(runtime_11 runtime_11.c warplens-cudart-11)
wl_program_test(cublas_sgemm_11 cublas_sgemm.c warplens-cublas-11 warplens-cudart-11)
wl_program_test(driver_calls driver_calls.c warplens-cuda)
wl_program_test(driver_contexts driver_contexts.c warplens-cuda)
wl_program_test(driver_options driver_options.c warplens-cuda)
wl_program_test(driver_textures driver_textures.c warplens-cuda)
wl_program_test(driver_more driver_more.c warplens-cudart-13 warplens-cuda pthread)
wl_program_test(driver_graphs driver_graphs.c warplens-cuda)
wl_program_test(virtual_calls virtual_calls.c warplens-cuda)
wl_program_test(nvrtc_calls nvrtc_calls.c warplens-nvrtc-13 warplens-cuda)
set_tests_properties(program.nvrtc_calls PROPERTIES SKIP_RETURN_CODE 77)
wl_program_test(devices devices.c warplens-cudart-13 warplens-cuda)

wl_program_test(random_calls random_calls.c warplens-curand-10 warplens-cudart-13 m)
wl_program_test(random_distributions random_distributions.c warplens-curand-10 warplens-cudart-13 m)
wl_program_test(dnn_convolution dnn_convolution.c warplens-cudnn-9 warplens-cudart-13 m)
wl_program_test(dnn_dropout dnn_dropout.c warplens-cudnn-9 warplens-cudart-13 m)
wl_program_test(dnn_folding dnn_folding.c warplens-cudnn-9 warplens-cudart-13 m)
wl_program_test(dnn_normalization dnn_normalization.c warplens-cudnn-9 warplens-cudart-13 m)
wl_program_test(dnn_pointwise dnn_pointwise.c warplens-cudnn-9 warplens-cudart-13 m)
wl_program_test(dnn_reductions dnn_reductions.c warplens-cudnn-9 warplens-cudart-13 m)
wl_program_test(dnn_transformer dnn_transformer.c warplens-cudnn-9 warplens-cudart-13 m)
wl_program_test(dnn_windows dnn_windows.c warplens-cudnn-9 warplens-cudart-13 m)
foreach(major 8 9)
  wl_program_test(dnn_version_${major} dnn_version.c warplens-cudnn-${major} warplens-cudart-13)
  target_compile_definitions(program_dnn_version_${major} PRIVATE MAJOR=${major})
endforeach()
wl_program_test(fft_layouts fft_layouts.c warplens-cufft-12 warplens-cudart-13 m)
wl_program_test(fft_lengths fft_lengths.c warplens-cufft-12 warplens-cudart-13 m)
wl_program_test(solver_calls solver_calls.c warplens-cusolver-12 warplens-cudart-13 m)
wl_program_test(solver_complex solver_complex.c warplens-cusolver-12 warplens-cudart-13 m)
wl_program_test(solver_jacobi solver_jacobi.c warplens-cusolver-12 warplens-cudart-13 m)
wl_program_test(solver_spectrum solver_spectrum.c warplens-cusolver-12 warplens-cudart-13 m)
wl_program_test(solver_generalized solver_generalized.c warplens-cusolver-12 warplens-cudart-13 m)
wl_program_test(solver_general solver_general.c warplens-cusolver-12 warplens-cudart-13 m)
wl_program_test(solver_reductions solver_reductions.c warplens-cusolver-12 warplens-cudart-13 m)
wl_program_test(solver_refine solver_refine.c warplens-cusolver-12 warplens-cudart-13 m)
wl_program_test(solver_scales solver_scales.c warplens-cusolver-12 warplens-cudart-13 m)
wl_program_test(solver_sparse solver_sparse.c warplens-cusolver-12 warplens-cusparse-12 warplens-cudart-13 m)
wl_program_test(host_order host_order.c warplens-cusolver-12 warplens-cusparse-12 warplens-curand-10
                warplens-cudart-13 warplens-cuda pthread)
wl_program_test(sparse_captured sparse_captured.c warplens-cusparse-12 warplens-cudart-13)
wl_program_test(sparse_access sparse_access.c warplens-cusparse-12 warplens-cudart-13 m)
wl_program_test(sparse_blocks sparse_blocks.c warplens-cusparse-12 warplens-cudart-13 m)
wl_program_test(sparse_lines sparse_lines.c warplens-cusparse-12 warplens-cudart-13 m)
wl_program_test(sparse_generic sparse_generic.c warplens-cusparse-12 warplens-cudart-13 m)
wl_program_test(sparse_product sparse_product.c warplens-cusparse-12 warplens-cudart-13)
wl_program_test(cublaslt_products cublaslt_products.c warplens-cublas-13 warplens-cublaslt-13 warplens-cudart-13)
wl_program_test(cublaslt_algorithms cublaslt_algorithms.c warplens-cublaslt-13 warplens-cudart-13)
wl_program_test(cublaslt_doubles cublaslt_doubles.c warplens-cublaslt-13 warplens-cudart-13)
wl_program_test(cublaslt_epilogues cublaslt_epilogues.c warplens-cublaslt-13 warplens-cudart-13 m)
wl_program_test(cublaslt_transforms cublaslt_transforms.c warplens-cublaslt-13 warplens-cudart-13)
wl_program_test(cublaslt_narrow cublaslt_narrow.c warplens-cublaslt-13 warplens-cudart-13 m)
add_test(NAME program.cublaslt_narrow_none COMMAND program_cublaslt_narrow none)
set_tests_properties(program.cublaslt_narrow_none PROPERTIES LABELS program TIMEOUT ${WL_TEST_TIMEOUT_S}
  ENVIRONMENT "WARPLENS_GPU=a100")
wl_program_test(cudnn_backend cudnn_backend.c warplens-cudnn-9 warplens-cudart-13 m)
wl_program_test(cudnn_ctc cudnn_ctc.c warplens-cudnn-9 warplens-cudart-13 m)
wl_program_test(cudnn_norms cudnn_norms.c warplens-cudnn-9 warplens-cudart-13 m)
wl_program_test(cudnn_operations cudnn_operations.c warplens-cudnn-9 warplens-cudart-13 m)
wl_program_test(cudnn_resample cudnn_resample.c warplens-cudnn-9 warplens-cudart-13 m)
wl_program_test(cudnn_rnn cudnn_rnn.c warplens-cudnn-9 warplens-cudart-13 m)
wl_program_test(cudnn_rnn_skip cudnn_rnn_skip.c warplens-cudnn-9 warplens-cudart-13 m)
wl_program_test(nccl_calls nccl_calls.c warplens-nccl-2 warplens-cudart-13 pthread)
wl_program_test(nccl_order nccl_order.c warplens-nccl-2 warplens-cudart-13 warplens-cuda pthread)
wl_program_test(nvml_calls nvml_calls.c warplens-nvml-1 warplens-cudart-13)
set_tests_properties(program.nvml_calls PROPERTIES ENVIRONMENT "WARPLENS_GPU=h200;WARPLENS_DEVICES=2")
wl_program_test(libraries libraries.c warplens-cudart-13 ${CMAKE_DL_LIBS} m)
set_tests_properties(program.libraries PROPERTIES
  ENVIRONMENT "WARPLENS_GPU=h200;WARPLENS_DEVICES=2;LD_LIBRARY_PATH=${CMAKE_BINARY_DIR}/lib")

# The same with programs that nvcc compiles, where there is one: NAME EXPECTED ARGUMENTS...
function(wl_nvcc_test name expected)
  if(NOT WL_NVCC)
    wl_skipped_test(program.nvcc_${name} "there is no nvcc")
    return()
  endif()
  set(arguments ${ARGN})
  list(TRANSFORM arguments PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/programs/ REGEX "\\.cu$")
  wl_nvcc_program(nvcc_${name} ${arguments})
  add_test(NAME program.nvcc_${name}
           COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/programs/nvcc.sh ${WL_COMPILED}/nvcc_${name} ${CMAKE_BINARY_DIR} ${expected})
  set_tests_properties(program.nvcc_${name} PROPERTIES LABELS program TIMEOUT ${WL_TEST_TIMEOUT_S}
    ENVIRONMENT "WARPLENS_GPU=h200")
endfunction()

wl_nvcc_test(plain "ok" features.cu -O2 -arch=sm_75 -lineinfo)
wl_nvcc_test(debug "ok" features.cu -G -arch=sm_90)
wl_nvcc_test(per_thread_stream "ok" features.cu -O3 -arch=sm_90 -default-stream per-thread)
wl_nvcc_test(newer_target "ok" features.cu -O3 -arch=compute_100)
wl_nvcc_test(textures "ok" textures.cu -O2 -arch=sm_90)
wl_nvcc_test(children "ok: 0 inversions" children.cu -O2 -arch=sm_90 -rdc=true -lcudadevrt)
wl_nvcc_test(children_per_thread "ok: 0 inversions" children.cu -O2 -arch=sm_90 -rdc=true -lcudadevrt
             -default-stream per-thread)
wl_nvcc_test(linked "ok" linked_a.cu linked_b.cu -O3 -arch=sm_90 -rdc=true)
wl_nvcc_test(machine_code_only "no kernel image is available for execution on the device"
             features.cu -gencode arch=compute_90,code=sm_90)

if(WL_NVCC)
  wl_nvcc_program(right -O2 -arch=sm_80 -lineinfo ${CMAKE_CURRENT_SOURCE_DIR}/programs/right.cu)
endif()
# Right programs: no false alarm of check-memory, the same in every run.
foreach(compiler nvcc cc)
  if(compiler STREQUAL cc OR WL_NVCC)
    add_test(NAME program.right_${compiler}
             COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/programs/right.sh ${compiler})
    set_tests_properties(program.right_${compiler} PROPERTIES LABELS program TIMEOUT ${WL_TEST_TIMEOUT_S}
      SKIP_RETURN_CODE 77 ENVIRONMENT "WARPLENS=${CMAKE_BINARY_DIR}/warplens;SOURCE=${CMAKE_SOURCE_DIR}")
    wl_takes_compiled(program.right_${compiler})
  endif()
endforeach()

# While they are recorded: calls that take and give floating-point numbers by value, and calls of 23 and 30 arguments.
foreach(name cublas_legacy_13 cublas_mixed_13 dnn_normalization)
  add_test(NAME program.${name}_traced COMMAND warplens trace --force-overwrite
           -o ${CMAKE_BINARY_DIR}/tests/programs/${name} $<TARGET_FILE:program_${name}>)
  set_tests_properties(program.${name}_traced PROPERTIES LABELS program TIMEOUT ${WL_TEST_TIMEOUT_S})
endforeach()
