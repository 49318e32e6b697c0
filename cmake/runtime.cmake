# libgraphkiln_runtime: loads models and runs them, with the ops of GK_OPS alone.
# tools/runtime_sources.py finds what it is made of, from the files below.
set(GK_RUNTIME_INTERFACE c_models c_tensors call_words data_type inner
    ready_runtime run_limits runtime saved_model shape structure tensor
    trace_structure trace_words variable)
list(TRANSFORM GK_RUNTIME_INTERFACE PREPEND api/)
list(TRANSFORM GK_RUNTIME_INTERFACE APPEND .cc)
set(GK_OPS_GIVEN "${GK_OPS}")
if(GK_OPS AND NOT GK_OPS MATCHES ";")
  file(REAL_PATH "${GK_OPS}" ops_file BASE_DIRECTORY ${PROJECT_SOURCE_DIR})
  if(EXISTS ${ops_file})
    set(GK_OPS_GIVEN ${ops_file})
  endif()
endif()
execute_process(
  COMMAND ${Python_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/runtime_sources.py
          ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR}/generated
          "${GK_OPS_GIVEN}" ${GK_RUNTIME_INTERFACE}
  OUTPUT_VARIABLE chosen ERROR_VARIABLE errors RESULT_VARIABLE failed)
if(failed)
  message(FATAL_ERROR "${errors}")
endif()
cmake_language(EVAL CODE "${chosen}")
message(STATUS "The runtime has ${GK_RUNTIME_NUM_OPS} ops")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS
  ${GK_RUNTIME_INPUTS} ${PROJECT_SOURCE_DIR}/tools/runtime_sources.py)

find_package(Threads REQUIRED)
include(cmake/third_party.cmake)
include(cmake/messages.cmake)
include(cmake/opgen.cmake)
target_compile_definitions(gk_flags INTERFACE GRAPHKILN_BUILDING=1
  GRAPHKILN_RUNTIME_ONLY=1)
target_compile_options(gk_flags INTERFACE
  -ffunction-sections -fdata-sections
  # What only records use that are left out.
  -Wno-unused-function -Wno-unused-variable -Wno-unused-const-variable
  -Wno-unused-but-set-variable -Wno-unused-local-typedefs)
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/kernels/gemm_block.cc
  PROPERTIES COMPILE_OPTIONS -ffp-contract=fast)

# As in the whole library.
include(cmake/small_parts.cmake)
set(small ${GK_RUNTIME_SOURCES})
list(FILTER small INCLUDE REGEX
  "/src/(${GK_SMALL_LAYERS}|function)/|/ops/fn/|/kept/registration")
list(FILTER small EXCLUDE REGEX ${GK_CALLED_FUNCTION})
set(loops ${GK_RUNTIME_SOURCES})
list(REMOVE_ITEM loops ${small})
list(APPEND small ${GK_PROTO_SOURCES})
add_library(gk_runtime_loops OBJECT ${loops})
add_library(gk_runtime_small OBJECT ${small})
target_compile_options(gk_runtime_small PRIVATE -Os)
set(GK_RUNTIME_OBJECTS "")
foreach(part gk_runtime_loops gk_runtime_small)
  add_dependencies(${part} gk_protogen gk_opgen)
  target_link_libraries(${part} PUBLIC gk_flags)
  target_include_directories(${part} PRIVATE ${GK_LIBRARY_INCLUDES})
  gk_precompile(${part} ${GK_FRAMEWORK_HEADERS})
  list(APPEND GK_RUNTIME_OBJECTS $<TARGET_OBJECTS:${part}>)
endforeach()

gk_unity(gk_runtime_small 8 FOLDERS api checkpoint data fn function graph
  grappler io proto saved_model ALONE function_state trace_words)
gk_unity(gk_runtime_loops 8 FOLDERS base eager framework function)

# It shows the interface in C of the whole library but for saving, and of the one
# in C++ what does without op functions.
# (Names as the linker sees them, with their lengths: 6Tensor.)
set(GK_SHOWN
  11saved_model* 6Tensor* 5Shape* 5Error* 17CancellationToken*
  9Structure* 13StructureView* 14StructureMaker* 4half* 8bfloat16* 4name*
  11num_threads* 15set_num_threads* 6detail9CallWords3AddERKNS0_6TensorE
  6detail9CallWords3AddERKNS0_8VariableE 6detail9CallWords10AddLiteral*
  6detail9CallWords10BeginTuple* 6detail9CallWords9BeginList*
  6detail9CallWords8BeginMap* 6detail9CallWords14BeginStructure*
  6detail18MakeStructureFacts* ls* eq* 8VariableC*
  8VariableD* 16ConcreteFunctionD* 8Variable4name* 8Variable5dtype*
  8Variable5shape* 8Variable9trainable* 8Variable5value* 8Variable6assign*
  8Variable10assign_add* 8Variable10assign_sub* 8Variable6handle*
  8Variable9to_string*)
set(shown "    _ZT[ISV]N2gk3api*;\n")
foreach(name IN LISTS GK_SHOWN)
  string(APPEND shown "    _ZN*2gk3api${name};\n")
endforeach()
file(READ ${PROJECT_SOURCE_DIR}/cmake/graphkiln.map symbols)
string(REGEX REPLACE " +(gk_model_save|graphkiln_command_line);\n" "" symbols
  "${symbols}")
string(REPLACE "    *2gk3api*;\n" "${shown}" symbols "${symbols}")
set(GK_SYMBOLS ${PROJECT_BINARY_DIR}/graphkiln_runtime.map)
file(CONFIGURE OUTPUT ${GK_SYMBOLS} CONTENT "${symbols}" @ONLY)
add_library(graphkiln_runtime SHARED ${GK_RUNTIME_OBJECTS})
add_library(graphkiln_runtime_static STATIC ${GK_RUNTIME_OBJECTS})
set_target_properties(graphkiln_runtime_static PROPERTIES
  OUTPUT_NAME graphkiln_runtime)
target_link_options(graphkiln_runtime PRIVATE
  -Wl,--version-script=${GK_SYMBOLS} -Wl,--gc-sections -Wl,--as-needed -Wl,-z,defs
  $<$<CONFIG:Release>:-s>)
set_target_properties(graphkiln_runtime PROPERTIES VERSION ${PROJECT_VERSION}
  SOVERSION 0 LINK_DEPENDS ${GK_SYMBOLS})
foreach(library graphkiln_runtime graphkiln_runtime_static)
  target_link_libraries(${library} PRIVATE ${GK_LIBRARIES}
    ${GK_STATIC_LIBRARIES} Threads::Threads ${CMAKE_DL_LIBS})
endforeach()

include(GNUInstallDirs)
include(cmake/pkg_config.cmake)
# Beside the whole library's, of which they are fewer.
set(GK_RUNTIME_INCLUDE ${CMAKE_INSTALL_INCLUDEDIR}/graphkiln_runtime)
gk_install_pc(graphkiln_runtime "Loads and runs models of chosen ops"
  ${GK_RUNTIME_INCLUDE})
install(TARGETS graphkiln_runtime graphkiln_runtime_static COMPONENT development
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_BINARY_DIR}/generated/runtime_include/graphkiln
  DESTINATION ${GK_RUNTIME_INCLUDE} COMPONENT development)
install(FILES ${PROJECT_BINARY_DIR}/generated/graphkiln/version.h
  DESTINATION ${GK_RUNTIME_INCLUDE}/graphkiln COMPONENT development)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE
  DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/graphkiln COMPONENT development)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/licenses
  DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/graphkiln COMPONENT development)
