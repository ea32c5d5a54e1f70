# bin/warplens finds the simulated GPU in ../lib/warplens (src/cmd/injection.c), where
# src/cudart/libraries.cmake installs it.
install(TARGETS warplens RUNTIME DESTINATION bin)
