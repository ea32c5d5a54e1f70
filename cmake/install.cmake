# bin/warplens finds the simulated GPU in ../lib/warplens (src/cmd/injection.c).
install(TARGETS warplens RUNTIME DESTINATION bin)
install(DIRECTORY ${CMAKE_BINARY_DIR}/lib/ DESTINATION lib/warplens FILES_MATCHING PATTERN "*.so*")
