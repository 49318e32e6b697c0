# Install rules of the C++ side: the components `library`, `development` (headers,
# CMake package, pkg-config file) and `program`, which are packages of Debian's,
# too (packages.cmake). The Python extension is the component `python` and goes
# into the wheel only.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
include(cmake/pkg_config.cmake)
gk_install_pc(graphkiln "Trace compiler for tensor programs"
  ${CMAKE_INSTALL_INCLUDEDIR})

target_include_directories(graphkiln INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
  $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/generated>
  $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
target_compile_features(graphkiln INTERFACE cxx_std_20)

install(TARGETS graphkiln EXPORT graphkiln_targets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library
    NAMELINK_COMPONENT development
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT library)
file(RELATIVE_PATH GK_LIBRARY_FROM_PROGRAM /${CMAKE_INSTALL_BINDIR}
  /${CMAKE_INSTALL_LIBDIR})
set_target_properties(graphkiln_program PROPERTIES
  INSTALL_RPATH $ORIGIN/${GK_LIBRARY_FROM_PROGRAM})
# Who builds the library alone installs it alone.
install(TARGETS graphkiln_program COMPONENT program
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} OPTIONAL)
set(asked_for EXCLUDE_FROM_ALL)
if(GK_STATIC)
  set(asked_for "")
endif()
install(FILES $<TARGET_FILE:gk_all> RENAME libgraphkiln.a
  DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT archive ${asked_for})
if(EXISTS ${PROJECT_SOURCE_DIR}/include/graphkiln)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/graphkiln
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development
    FILES_MATCHING PATTERN "*.h")
endif()
# version.h and the op functions that opgen writes.
install(DIRECTORY ${PROJECT_BINARY_DIR}/generated/graphkiln
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development
  FILES_MATCHING PATTERN "*.h")

set(GK_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/graphkiln)
install(EXPORT graphkiln_targets NAMESPACE graphkiln::
  DESTINATION ${GK_PACKAGE_DIR} COMPONENT development)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/config.cmake.in
  ${PROJECT_BINARY_DIR}/package/graphkilnConfig.cmake
  INSTALL_DESTINATION ${GK_PACKAGE_DIR} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(
  ${PROJECT_BINARY_DIR}/package/graphkilnConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/package/graphkilnConfig.cmake
  ${PROJECT_BINARY_DIR}/package/graphkilnConfigVersion.cmake
  DESTINATION ${GK_PACKAGE_DIR} COMPONENT development)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE
  DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/graphkiln COMPONENT library)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/licenses
  DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/graphkiln COMPONENT library)
include(cmake/packages.cmake)
