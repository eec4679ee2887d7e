# SPDX-License-Identifier: MIT
# Libraries, headers, pkg-config file, CMake package; manual pages and completions as the binary prints them.
include(CMakePackageConfigHelpers)

install(DIRECTORY include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(FILES LICENSE README.md CHANGELOG.md CITATION.cff DESTINATION ${CMAKE_INSTALL_DOCDIR})

# ---- CMake package: the static library stands in a file of its own, because only it needs LAPACK and threads ----
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/manistat)
foreach(suffix shared static)
  install(TARGETS manistat_${suffix} EXPORT manistat_${suffix}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT manistat_${suffix} FILE manistat-${suffix}.cmake NAMESPACE manistat::
    DESTINATION ${package_dir})
endforeach()
configure_package_config_file(cmake/manistatConfig.cmake.in ${PROJECT_BINARY_DIR}/manistatConfig.cmake
  INSTALL_DESTINATION ${package_dir} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/manistatConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/manistatConfig.cmake ${PROJECT_BINARY_DIR}/manistatConfigVersion.cmake
  DESTINATION ${package_dir})

# ---- pkg-config: paths relative to the file, so that the installed tree can be moved ----
set(pc_dir ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH pc_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" pc_prefix ${pc_prefix})
set(pc_private -llapacke)
foreach(library ${LAPACK_LIBRARIES} ${MST_GEMM_LIBRARY} ${CAIRO_LIBRARY} ${CMAKE_THREAD_LIBS_INIT} m)
  if(library MATCHES "^-")
    list(APPEND pc_private ${library})
  else()
    get_filename_component(library ${library} NAME)
    string(REGEX REPLACE "^lib|\\.(so|a)(\\..*)?$" "" library ${library})
    list(APPEND pc_private -l${library})
  endif()
endforeach()
list(REMOVE_DUPLICATES pc_private)
list(JOIN pc_private " " pc_private)
configure_file(cmake/manistat.pc.in ${PROJECT_BINARY_DIR}/manistat.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/manistat.pc DESTINATION ${pc_dir})

# ---- command line, with its manual pages and completions ----
install(TARGETS manistat_cli DESTINATION ${CMAKE_INSTALL_BINDIR})
if(NOT CMAKE_CROSSCOMPILING AND NOT MST_SANITIZE)
  set(share ${PROJECT_BINARY_DIR}/share)
  add_custom_command(OUTPUT ${share}/stamp
    COMMAND ${CMAKE_COMMAND} -DBINARY=$<TARGET_FILE:manistat_cli> -DOUT=${share}
      -P ${PROJECT_SOURCE_DIR}/cmake/WriteManual.cmake
    DEPENDS manistat_cli cmake/WriteManual.cmake
    COMMENT "Writing manual pages and completions")
  add_custom_target(manual ALL DEPENDS ${share}/stamp)
  install(DIRECTORY ${share}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR})
  install(DIRECTORY man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man5 FILES_MATCHING PATTERN "*.5")
  install(FILES ${share}/completion/manistat.bash RENAME manistat
    DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${share}/completion/_manistat DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${share}/completion/manistat.fish
    DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
endif()
