# Readable for all, whoever installs with whichever umask.
set(CMAKE_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE
    WORLD_READ WORLD_EXECUTE)

# bin/warplens finds the simulated GPU in ../lib/warplens (src/run/injection.c).
install(TARGETS warplens RUNTIME DESTINATION bin)
install(DIRECTORY ${CMAKE_BINARY_DIR}/lib/ DESTINATION lib/warplens FILES_MATCHING PATTERN "*.so*"
        PATTERN include EXCLUDE)
# The headers of `warplens cc` lie beside the libraries, in the build folder, too.
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
file(CREATE_LINK ${CMAKE_SOURCE_DIR}/data/cc/include ${CMAKE_BINARY_DIR}/lib/include SYMBOLIC)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/data/cc/include DESTINATION lib/warplens)
# What `warplens trace --pytorch` has Python load; files of their own, as Python may write beside them what it compiled.
foreach(file sitecustomize.py warplens_pytorch.py)
  configure_file(${CMAKE_SOURCE_DIR}/data/python/${file} ${CMAKE_BINARY_DIR}/lib/python/${file} COPYONLY)
endforeach()
install(DIRECTORY ${CMAKE_SOURCE_DIR}/data/python DESTINATION lib/warplens FILES_MATCHING PATTERN "*.py")

# An nvcc that gives PTX where programs ask for machine code while they run.
configure_file(${CMAKE_SOURCE_DIR}/data/nvcc/nvcc ${CMAKE_BINARY_DIR}/lib/nvcc/nvcc COPYONLY)
install(PROGRAMS data/nvcc/nvcc DESTINATION lib/warplens/nvcc)

# Completions and man pages are printed by the program that was built, from the tables of its options.
file(STRINGS ${CMAKE_SOURCE_DIR}/src/cmd/verbs.def verb_rows REGEX "^WL_VERB\\(")
set(share ${CMAKE_BINARY_DIR}/share)
set(manual_commands
  COMMAND $<TARGET_FILE:warplens> help --log-file bash-completion/completions/warplens --completions bash
  COMMAND $<TARGET_FILE:warplens> help --log-file zsh/site-functions/_warplens --completions zsh
  COMMAND $<TARGET_FILE:warplens> help --log-file fish/vendor_completions.d/warplens.fish --completions fish
  COMMAND $<TARGET_FILE:warplens> help --log-file man/man1/warplens.1 --man)
foreach(row ${verb_rows})
  string(REGEX REPLACE "^WL_VERB\\(([a-z_]+)\\).*" "\\1" verb ${row})
  string(REPLACE "_" "-" verb ${verb})
  list(APPEND manual_commands
       COMMAND $<TARGET_FILE:warplens> help --log-file man/man1/warplens-${verb}.1 --man ${verb})
endforeach()
file(MAKE_DIRECTORY ${share}/bash-completion/completions ${share}/zsh/site-functions
     ${share}/fish/vendor_completions.d ${share}/man/man1)
add_custom_command(OUTPUT ${share}/made ${manual_commands} COMMAND ${CMAKE_COMMAND} -E touch made
                   DEPENDS warplens WORKING_DIRECTORY ${share} COMMENT "" VERBATIM)
add_custom_target(manual ALL DEPENDS ${share}/made)
install(DIRECTORY ${share}/ DESTINATION share PATTERN made EXCLUDE)
install(FILES README.md CONTRIBUTING.md CHANGELOG.md DESTINATION share/doc/warplens)
install(DIRECTORY docs DESTINATION share/doc/warplens)
install(DIRECTORY examples DESTINATION share/doc/warplens)

# What is installed, without the tests: `make demo` and `make install` build no more than this.
get_property(product_targets DIRECTORY ${CMAKE_SOURCE_DIR}/src PROPERTY BUILDSYSTEM_TARGETS)
add_custom_target(product)
add_dependencies(product ${product_targets})
add_dependencies(product manual)
