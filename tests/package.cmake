# What `make package` makes, what `make install` installs, and which packages are asked for. The program is the one of the
# tests of the command line. Tests that install write the build folder's list of what was installed: one at a time.
function(wl_package_test name)
  add_test(NAME package.${name} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/package/${name}.sh)
  set_tests_properties(package.${name} PROPERTIES LABELS cli TIMEOUT ${WL_TEST_TIMEOUT_S} SKIP_RETURN_CODE 77
    ENVIRONMENT "BUILD=${CMAKE_BINARY_DIR};SOURCE=${CMAKE_SOURCE_DIR};PROGRAM=${CMAKE_CURRENT_BINARY_DIR}/cli-programs/app")
endfunction()
foreach(name deb make_install owned names)
  wl_package_test(${name})
endforeach()
set_tests_properties(package.make_install package.deb cli.install cli.cc PROPERTIES RESOURCE_LOCK install_manifest)
