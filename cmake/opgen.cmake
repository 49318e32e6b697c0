# Sources derived from the op records, in two steps: what records need of each
# other (tools/opgen.py), and what the compiled registry says of them all
# (tools/opgen_public.py, for the layer above).
file(GLOB GK_RECORD_FILES CONFIGURE_DEPENDS
     ${PROJECT_SOURCE_DIR}/src/ops/*/*.cc)
list(FILTER GK_RECORD_FILES EXCLUDE REGEX "_test\\.cc$")
set(GK_OPGEN_OUT ${PROJECT_BINARY_DIR}/generated)
set(GK_OPGEN_SOURCES ${GK_OPGEN_OUT}/ops/registration.cc)
set(GK_OPGEN_HEADERS ${GK_OPGEN_OUT}/ops/op_functions.h)
foreach(file IN LISTS GK_RECORD_FILES)
  get_filename_component(stem ${file} NAME_WE)
  list(APPEND GK_OPGEN_SOURCES ${GK_OPGEN_OUT}/ops/fn/${stem}.cc)
  list(APPEND GK_OPGEN_HEADERS ${GK_OPGEN_OUT}/ops/fn/${stem}.h)
endforeach()
# A file that is gone makes nothing newer: the list of them does.
list(JOIN GK_RECORD_FILES "\n" record_list)
file(CONFIGURE OUTPUT ${GK_OPGEN_OUT}/ops/record_files.txt
     CONTENT "${record_list}\n" @ONLY)
# Files that did not change keep their time stamps, so that editing a kernel
# rebuilds one file.
add_custom_command(
  OUTPUT ${GK_OPGEN_OUT}/ops/opgen.stamp
  BYPRODUCTS ${GK_OPGEN_SOURCES} ${GK_OPGEN_HEADERS}
  COMMAND ${Python_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/opgen.py
          ${PROJECT_SOURCE_DIR} ${GK_OPGEN_OUT}
  COMMAND ${CMAKE_COMMAND} -E touch ${GK_OPGEN_OUT}/ops/opgen.stamp
  DEPENDS ${GK_RECORD_FILES} ${GK_OPGEN_OUT}/ops/record_files.txt
          ${PROJECT_SOURCE_DIR}/tools/opgen.py
          ${PROJECT_SOURCE_DIR}/tools/op_records.py
  COMMENT "Deriving op functions from the op records")
add_custom_target(gk_opgen DEPENDS ${GK_OPGEN_OUT}/ops/opgen.stamp)

# The public functions. `objects` are those of the layers up to `ops`.
set(GK_OPGEN_API_SOURCES ${GK_OPGEN_OUT}/api/ops.cc)
function(gk_public_op_functions objects)
  add_executable(gk_write_records ${PROJECT_SOURCE_DIR}/tools/write_records.cc
                 ${objects})
  target_link_libraries(gk_write_records PRIVATE gk_flags ${GK_LIBRARIES}
                        ${GK_STATIC_LIBRARIES} Threads::Threads ${CMAKE_DL_LIBS})
  add_dependencies(gk_write_records gk_opgen)
  set(stamp ${GK_OPGEN_OUT}/api/ops.stamp)
  add_custom_command(
    OUTPUT ${stamp}
    BYPRODUCTS ${GK_OPGEN_API_SOURCES} ${GK_OPGEN_OUT}/records.txt
               ${GK_OPGEN_OUT}/graphkiln/ops.h
               ${GK_OPGEN_OUT}/graphkiln/functions.h
    COMMAND gk_write_records ${GK_OPGEN_OUT}/records.txt
    COMMAND ${Python_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/opgen_public.py
            ${GK_OPGEN_OUT}/records.txt ${PROJECT_SOURCE_DIR} ${GK_OPGEN_OUT}
    COMMAND ${CMAKE_COMMAND} -E touch ${stamp}
    DEPENDS gk_write_records ${PROJECT_SOURCE_DIR}/tools/opgen_public.py
            ${PROJECT_SOURCE_DIR}/tools/opgen.py
            ${PROJECT_SOURCE_DIR}/tools/op_records.py
    COMMENT "Deriving the public functions from the compiled records")
  add_custom_target(gk_public_ops DEPENDS ${stamp})
endfunction()
