# What pkg-config says of an installed library.
# What the shared libraries that ours needs are called where it is loaded, and in
# which packages of Debian they are.
set(GK_SONAMES "")
foreach(library IN LISTS GK_LIBRARIES)
  execute_process(COMMAND ${CMAKE_READELF} -d ${library}
    OUTPUT_VARIABLE dynamic ERROR_QUIET)
  if(NOT dynamic MATCHES "\\(SONAME\\)[^[]*\\[([^]]+)\\]")
    message(FATAL_ERROR "${library} has no soname: ${CMAKE_READELF} shows none")
  endif()
  list(APPEND GK_SONAMES ${CMAKE_MATCH_1})
endforeach()
list(JOIN GK_SONAMES " " GK_SONAMES_TEXT)
list(JOIN GK_LIBRARY_PACKAGES " " GK_PACKAGES_TEXT)

# What a program links that takes the archive, not the shared library.
set(GK_PC_PRIVATE "")
foreach(library IN LISTS GK_LIBRARIES GK_STATIC_LIBRARIES)
  get_filename_component(file ${library} NAME)
  if(file MATCHES "^lib(.+)\\.(so|a)$")
    string(APPEND GK_PC_PRIVATE "-l${CMAKE_MATCH_1} ")
  endif()
endforeach()
string(APPEND GK_PC_PRIVATE "-pthread -ldl -lstdc++ -lm")

file(RELATIVE_PATH GK_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
function(gk_install_pc name description includes)
  set(GK_PC_INCLUDES ${includes})
  set(GK_PC_NAME ${name})
  set(GK_PC_DESCRIPTION ${description})
  configure_file(${PROJECT_SOURCE_DIR}/cmake/graphkiln.pc.in
    ${PROJECT_BINARY_DIR}/package/${name}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/package/${name}.pc
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)
endfunction()
