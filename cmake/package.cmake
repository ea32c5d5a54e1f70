# `make package`: a Debian package and an archive that runs wherever it is unpacked.
set(CPACK_PACKAGE_NAME warplens)
set(CPACK_PACKAGE_CONTACT "The Warplens maintainers <maintainers@warplens.invalid>")
set(CPACK_PACKAGE_VENDOR Warplens)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "profiler of CUDA kernels, with a GPU and without")
set(CPACK_PACKAGE_DESCRIPTION
    "Warplens tells why a CUDA kernel is slow, on which line, what a fix would
gain, and when to stop. With a GPU it measures; without one it executes the
kernels on the CPU over a model of the GPU that the user names.")
set(CPACK_GENERATOR DEB TGZ)
set(CPACK_STRIP_FILES ON)
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_SOURCE_DIR}/cmake/package_prefix.cmake)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS ${CMAKE_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS})
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "clang, g++")
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_SOURCE_DIR}/cmake/package_files.cmake)
set(CPACK_PACKAGE_FILES ${CMAKE_SOURCE_DIR}/cmake/package)
set(CPACK_VERBATIM_VARIABLES ON)
include(CPack)
