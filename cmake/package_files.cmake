# What Debian's policy asks of an installed tree, done between its installation and its packing: stripped libraries,
# compressed manual pages and changelog, a copyright file, what lintian is told, and which packages it depends on.
set(share "${CPACK_TEMPORARY_DIRECTORY}/usr/share")
if(NOT EXISTS "${share}")
  set(share "${CPACK_TEMPORARY_DIRECTORY}/share")
endif()
file(GLOB libraries "${share}/../lib/warplens/*.so*")
execute_process(COMMAND chmod -R u+w,go=rX "${CPACK_TEMPORARY_DIRECTORY}") # whichever umask is in force
find_program(strip_program strip)
foreach(library ${libraries})
  if(NOT IS_SYMLINK "${library}" AND strip_program)
    execute_process(COMMAND ${strip_program} --strip-unneeded "${library}")
  endif()
endforeach()
if(NOT CPACK_GENERATOR STREQUAL DEB)
  return()
endif()
string(TIMESTAMP day "%a, %d %b %Y %H:%M:%S +0000" UTC) # of SOURCE_DATE_EPOCH where it is set
file(WRITE "${share}/doc/warplens/changelog"
     "warplens (${CPACK_PACKAGE_VERSION}) unstable; urgency=low\n\n  * See CHANGELOG.md beside this file.\n\n"
     " -- ${CPACK_PACKAGE_CONTACT}  ${day}\n")
file(GLOB pages "${share}/man/man1/*.1")
execute_process(COMMAND gzip -9nf ${pages} "${share}/doc/warplens/changelog")
configure_file("${CPACK_PACKAGE_FILES}/copyright" "${share}/doc/warplens/copyright" COPYONLY)
file(MAKE_DIRECTORY "${share}/lintian/overrides")
configure_file("${CPACK_PACKAGE_FILES}/overrides" "${share}/lintian/overrides/warplens" COPYONLY)
execute_process(COMMAND chmod -R go=rX "${share}")

# CPack would ask `file` of each file in turn which of them are programs.
set(folder "${CPACK_TEMPORARY_DIRECTORY}.depends")
file(WRITE "${folder}/debian/control" "Source: warplens\n\nPackage: warplens\nArchitecture: any\n")
execute_process(
  COMMAND dpkg-shlibdeps -O "-l${share}/../lib/warplens" "${share}/../bin/warplens" ${libraries}
  WORKING_DIRECTORY "${folder}" OUTPUT_VARIABLE depends ERROR_VARIABLE messages RESULT_VARIABLE status)
file(REMOVE_RECURSE "${folder}")
if(NOT status EQUAL 0 OR NOT depends MATCHES "shlibs:Depends=([^\n]+)")
  message(FATAL_ERROR "dpkg-shlibdeps: ${status} ${messages}")
endif()
set(CPACK_DEBIAN_PACKAGE_DEPENDS "${CMAKE_MATCH_1}")
