# x_test.cc stands beside x.cc; one test program a layer.
find_package(GTest REQUIRED)
foreach(layer IN LISTS GK_LAYERS)
  file(GLOB_RECURSE tests CONFIGURE_DEPENDS
       ${PROJECT_SOURCE_DIR}/src/${layer}/*_test.cc)
  if(tests)
    add_executable(${layer}_test ${tests})
    target_link_libraries(${layer}_test PRIVATE gk_all GTest::gtest
                          GTest::gtest_main)
    add_test(NAME ${layer} COMMAND ${layer}_test)
  endif()
endforeach()
