# bin/warplens finds the simulated GPU in ../lib/warplens (src/cmd/injection.c).
install(TARGETS warplens RUNTIME DESTINATION bin)
install(DIRECTORY ${CMAKE_BINARY_DIR}/lib/ DESTINATION lib/warplens FILES_MATCHING PATTERN "*.so*")
# The headers of `warplens cc` lie beside the libraries, in the build folder, too.
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
file(CREATE_LINK ${CMAKE_SOURCE_DIR}/data/cc/include ${CMAKE_BINARY_DIR}/lib/include SYMBOLIC)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/data/cc/include DESTINATION lib/warplens)
