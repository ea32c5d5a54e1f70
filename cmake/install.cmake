# bin/warplens finds the simulated GPU in ../lib/warplens (src/run/injection.c).
install(TARGETS warplens RUNTIME DESTINATION bin)
install(DIRECTORY ${CMAKE_BINARY_DIR}/lib/ DESTINATION lib/warplens FILES_MATCHING PATTERN "*.so*"
        PATTERN include EXCLUDE)
# The headers of `warplens cc` lie beside the libraries, in the build folder, too.
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
file(CREATE_LINK ${CMAKE_SOURCE_DIR}/data/cc/include ${CMAKE_BINARY_DIR}/lib/include SYMBOLIC)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/data/cc/include DESTINATION lib/warplens)

# What is installed, without the tests: `make demo` and `make install` build no more than this.
get_property(product_targets DIRECTORY ${CMAKE_SOURCE_DIR}/src PROPERTY BUILDSYSTEM_TARGETS)
add_custom_target(product)
add_dependencies(product ${product_targets})
