# x_test.cc stands beside x.cc; one test program a layer.
find_package(GTest REQUIRED)
# These compute what they expect, product by product.
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/kernels/matmul_test.cc
  ${PROJECT_SOURCE_DIR}/src/kernels/conv_test.cc PROPERTIES
  COMPILE_OPTIONS -O1 SKIP_PRECOMPILE_HEADERS ON)
foreach(layer IN LISTS GK_LAYERS)
  file(GLOB_RECURSE tests CONFIGURE_DEPENDS
       ${PROJECT_SOURCE_DIR}/src/${layer}/*_test.cc)
  if(tests)
    add_executable(${layer}_test ${tests})
    target_link_libraries(${layer}_test PRIVATE gk_all GTest::gtest
                          GTest::gtest_main)
    # Expectations need no speed, and compile in half the time of -O3.
    target_compile_options(${layer}_test PRIVATE $<$<CONFIG:Release>:-O0>)
    gk_unity(${layer}_test 8)
    if(layer STREQUAL "base")
      gk_precompile(base_test <gtest/gtest.h> ${GK_FRAMEWORK_HEADERS})
    elseif(layer STREQUAL "api")
      # The public names are those of the inner classes.
      gk_precompile(api_test <gtest/gtest.h>
        ${PROJECT_SOURCE_DIR}/include/graphkiln/graphkiln.h)
    else()
      gk_precompile(${layer}_test REUSE base_test)
    endif()
    add_test(NAME ${layer} COMMAND ${layer}_test)
    # Every plan proves what it claims while it runs.
    set_tests_properties(${layer} PROPERTIES ENVIRONMENT GK_CHECK_PLANS=1)
  endif()
endforeach()

# Checks on the tree and on what gets installed.
add_test(NAME check_layers
  COMMAND ${Python_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/check_layers)
add_test(NAME check_layers_test
  COMMAND ${Python_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/check_layers_test.py)
add_test(NAME check_headers
  COMMAND ${Python_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/check_headers)
add_test(NAME check_headers_test
  COMMAND ${Python_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/check_headers_test.py)
add_test(NAME opgen_test
  COMMAND ${Python_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/opgen_test.py)
add_test(NAME runtime_sources_test COMMAND ${Python_EXECUTABLE}
  ${PROJECT_SOURCE_DIR}/tools/runtime_sources_test.py)
add_test(NAME compile_errors
  COMMAND ${Python_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/compile_errors.py
          ${CMAKE_CXX_COMPILER} ${PROJECT_SOURCE_DIR}/include
          ${PROJECT_BINARY_DIR}/generated)
if(NOT GK_SANITIZE AND CMAKE_SYSTEM_NAME STREQUAL "Linux")
  add_test(NAME c_abi
    COMMAND ${Python_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/c_abi/check.py
            $<TARGET_FILE:graphkiln>)
  set_tests_properties(c_abi PROPERTIES SKIP_RETURN_CODE 77)
endif()
if(NOT GK_SANITIZE)
  add_test(NAME consumer COMMAND ${CMAKE_COMMAND}
    -DGK_BUILD=${PROJECT_BINARY_DIR} -DGK_SOURCE=${PROJECT_SOURCE_DIR}
    -DGK_VERSION=${PROJECT_VERSION} -DGK_READELF=${CMAKE_READELF}
    -P ${PROJECT_SOURCE_DIR}/tests/consumer/run.cmake)
  set_tests_properties(consumer PROPERTIES LABELS slow TIMEOUT 600)
  add_test(NAME packages COMMAND ${CMAKE_COMMAND}
    -DGK_BUILD=${PROJECT_BINARY_DIR} -DGK_SOURCE=${PROJECT_SOURCE_DIR}
    -DGK_VERSION=${PROJECT_VERSION} -P ${PROJECT_SOURCE_DIR}/tests/packages/run.cmake)
  set_tests_properties(packages PROPERTIES LABELS slow TIMEOUT 300)
endif()

# Writes models that tests of other languages and TensorFlow load.
add_executable(saved_model_writer
  ${PROJECT_SOURCE_DIR}/tests/consumer/c/write_model.cc)
target_link_libraries(saved_model_writer PRIVATE graphkiln gk_flags)
target_compile_options(saved_model_writer PRIVATE $<$<CONFIG:Release>:-O0>)

# The op that docs/internals/adding-an-op.md adds, compiled from the page.
set(GK_EXAMPLE_RECORD ${PROJECT_BINARY_DIR}/generated/example_cube.cc)
add_custom_command(
  OUTPUT ${GK_EXAMPLE_RECORD}
  COMMAND ${Python_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/code_block.py
          ${PROJECT_SOURCE_DIR}/docs/internals/adding-an-op.md cpp
          ${GK_EXAMPLE_RECORD}
  DEPENDS ${PROJECT_SOURCE_DIR}/docs/internals/adding-an-op.md
          ${PROJECT_SOURCE_DIR}/tools/code_block.py)
add_executable(adding_an_op_test
  ${PROJECT_SOURCE_DIR}/tests/adding_an_op_test.cc ${GK_EXAMPLE_RECORD})
target_link_libraries(adding_an_op_test PRIVATE gk_all GTest::gtest
                      GTest::gtest_main)
add_dependencies(adding_an_op_test gk_opgen)
add_test(NAME adding_an_op COMMAND adding_an_op_test)

# Full vector width, no calls in hot loops, no newer instructions elsewhere.
if(CMAKE_BUILD_TYPE STREQUAL "Release" AND "v4" IN_LIST GK_ISAS AND
   CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  add_test(NAME kernels_disassembly
    COMMAND ${Python_EXECUTABLE}
            ${PROJECT_SOURCE_DIR}/tests/kernels_disassembly.py
            $<TARGET_FILE:gk_all>)
  set_tests_properties(kernels_disassembly PROPERTIES SKIP_RETURN_CODE 77)
endif()

# Programs written in both languages: tests/both_languages.
set(GK_BOTH ${PROJECT_SOURCE_DIR}/tests/both_languages)
file(GLOB tables CONFIGURE_DEPENDS ${GK_BOTH}/*.txt)
set(GK_BOTH_SOURCES ${PROJECT_BINARY_DIR}/generated/both_languages.cc)
add_custom_command(OUTPUT ${GK_BOTH_SOURCES}
  COMMAND ${Python_EXECUTABLE} ${GK_BOTH}/table.py generate ${GK_BOTH_SOURCES}
  DEPENDS ${tables} ${GK_BOTH}/table.py)
foreach(table IN LISTS tables)
  get_filename_component(name ${table} NAME_WE)
  set(source ${PROJECT_BINARY_DIR}/generated/both_languages_${name}.cc)
  add_custom_command(OUTPUT ${source}
    COMMAND ${Python_EXECUTABLE} ${GK_BOTH}/table.py generate ${source} ${table}
    DEPENDS ${table} ${GK_BOTH}/table.py)
  list(APPEND GK_BOTH_SOURCES ${source})
endforeach()
add_executable(both_languages_test ${GK_BOTH}/main.cc ${GK_BOTH_SOURCES})
target_include_directories(both_languages_test PRIVATE ${GK_BOTH})
target_link_libraries(both_languages_test PRIVATE graphkiln gk_flags)
target_compile_options(both_languages_test PRIVATE $<$<CONFIG:Release>:-O0>)
gk_precompile(both_languages_test
  ${PROJECT_SOURCE_DIR}/include/graphkiln/graphkiln.h)
add_test(NAME both_languages_cpp COMMAND both_languages_test)
set_tests_properties(both_languages_cpp PROPERTIES ENVIRONMENT GK_CHECK_PLANS=1)
if(GK_PYTHON AND NOT GK_SANITIZE)
  add_test(NAME both_languages
    COMMAND ${Python_EXECUTABLE} ${GK_BOTH}/table.py compare
            $<TARGET_FILE:both_languages_test>)
  set_tests_properties(both_languages PROPERTIES
    ENVIRONMENT "PYTHONPATH=${PROJECT_BINARY_DIR}/python;GK_CHECK_PLANS=1")
endif()
