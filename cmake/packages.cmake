# Packages of Debian's: `cpack -G DEB` in the build folder, after `ninja graphkiln
# graphkiln_program`. What the library links to, dpkg-shlibdeps finds; what it
# loads when it is asked for, stands here.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME graphkiln)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "The graphkiln authors <graphkiln@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_COMPONENTS_ALL library development program)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR})
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)

set(same_library "libgraphkiln0 (= ${PROJECT_VERSION}-1)")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libgraphkiln0)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_DEPENDS libre2-9)
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION
  "trace compiler for tensor programs: the library
Traces, optimises, differentiates and runs tensor programs, and loads and runs
TensorFlow SavedModels.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libgraphkiln-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS ${same_library})
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
  "trace compiler for tensor programs: headers
C++ and C headers, a CMake package and a pkg-config file.")
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME graphkiln-tools)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_DEPENDS ${same_library})
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION
  "trace compiler for tensor programs: the program graphkiln
Shows, runs, measures, verifies, compares and converts SavedModels, checkpoints
and graphs.")
include(CPack)
