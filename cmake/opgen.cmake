# Sources derived from the op records: see tools/opgen.py.
file(GLOB GK_RECORD_FILES CONFIGURE_DEPENDS
     ${PROJECT_SOURCE_DIR}/src/ops/*/*.cc)
list(FILTER GK_RECORD_FILES EXCLUDE REGEX "_test\\.cc$")
set(GK_OPGEN_OUT ${PROJECT_BINARY_DIR}/generated)
set(GK_OPGEN_SOURCES ${GK_OPGEN_OUT}/ops/registration.cc)
set(GK_OPGEN_HEADERS ${GK_OPGEN_OUT}/ops/op_functions.h
    ${GK_OPGEN_OUT}/graphkiln/ops.h ${GK_OPGEN_OUT}/graphkiln/functions.h)
set(GK_OPGEN_API_SOURCES ${GK_OPGEN_OUT}/api/ops.cc)
foreach(file IN LISTS GK_RECORD_FILES)
  get_filename_component(stem ${file} NAME_WE)
  list(APPEND GK_OPGEN_SOURCES ${GK_OPGEN_OUT}/ops/fn/${stem}.cc)
  list(APPEND GK_OPGEN_HEADERS ${GK_OPGEN_OUT}/ops/fn/${stem}.h)
endforeach()
# Files that did not change keep their time stamps, so that editing a kernel
# rebuilds one file.
add_custom_command(
  OUTPUT ${GK_OPGEN_OUT}/ops/opgen.stamp
  BYPRODUCTS ${GK_OPGEN_SOURCES} ${GK_OPGEN_HEADERS} ${GK_OPGEN_API_SOURCES}
  COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/opgen.py
          ${PROJECT_SOURCE_DIR} ${GK_OPGEN_OUT}
  COMMAND ${CMAKE_COMMAND} -E touch ${GK_OPGEN_OUT}/ops/opgen.stamp
  DEPENDS ${GK_RECORD_FILES} ${PROJECT_SOURCE_DIR}/tools/opgen.py
          ${PROJECT_SOURCE_DIR}/tools/opgen_public.py
          ${PROJECT_SOURCE_DIR}/python/graphkiln/_exports.py
  COMMENT "Deriving op functions from the op records")
add_custom_target(gk_opgen DEPENDS ${GK_OPGEN_OUT}/ops/opgen.stamp)
