# One library a layer, lowest first. tools/check_layers proves that includes
# point down only; `ops` may include nothing above `graph`.
set(GK_LAYERS base proto kernels framework io data graph checkpoint ops grappler
    runtime eager function saved_model profiler command_line api)

find_package(Threads REQUIRED)
include(cmake/third_party.cmake)

# Dense products want fused multiply-add, and what measures the machine to compare
# them with; nothing else may have it.
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/kernels/gemm_block.cc
  ${PROJECT_SOURCE_DIR}/src/kernels/machine_peak.cc
  PROPERTIES COMPILE_OPTIONS -ffp-contract=fast)

include(cmake/messages.cmake)
include(cmake/opgen.cmake)

include(cmake/small_parts.cmake)

# Records with loops of their own, in folders whose others have none (and einsum:
# beside others g++ 12 warns of a vector that it grows); what runs a plan, beside
# what makes one.
set(GK_LOOP_OPS math_arithmetic math_bessel math_cast math_compare math_complex
    math_divide math_einsum math_exp math_logic math_select math_special math_sum
    math_trig math_unary math_unary_grad math_xlogy nn_activation
    nn_activation_grad)
set(GK_RUN_SOURCES cluster compiled_function executor frame loop_poll
    nested_function plan_profile row_access run_variable_updates scalar_code
    scalar_registers variable_update)

set(GK_OBJECTS "")
set(GK_RECORD_OBJECTS "")
foreach(part IN LISTS GK_LAYERS ITEMS plain_ops plain_function)
  string(REPLACE plain_ "" layer ${part})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS
       ${PROJECT_SOURCE_DIR}/src/${layer}/*.cc)
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$|/command_line/main\\.cc$|/api/ready_runtime\\.cc$")
  if(part STREQUAL "ops")
    list(FILTER sources EXCLUDE REGEX ${GK_PLAIN_OPS})
  elseif(part STREQUAL "plain_ops")
    list(FILTER sources INCLUDE REGEX ${GK_PLAIN_OPS})
  elseif(part STREQUAL "function")
    list(FILTER sources INCLUDE REGEX ${GK_CALLED_FUNCTION})
  elseif(part STREQUAL "plain_function")
    list(FILTER sources EXCLUDE REGEX ${GK_CALLED_FUNCTION})
  endif()
  if(layer STREQUAL "proto")
    list(APPEND sources ${GK_PROTO_SOURCES})
  endif()
  if(layer STREQUAL "api")
    list(APPEND sources ${GK_OPGEN_API_SOURCES})
  endif()
  if(sources)
    add_library(gk_${part} OBJECT ${sources})
    add_dependencies(gk_${part} gk_protogen gk_opgen)
    target_link_libraries(gk_${part} PUBLIC gk_flags)
    target_include_directories(gk_${part} PRIVATE ${GK_LIBRARY_INCLUDES})
    list(APPEND GK_OBJECTS $<TARGET_OBJECTS:gk_${part}>)
    if(part MATCHES "^(base|proto|kernels|framework|io|data|graph|checkpoint|ops|plain_ops)$")
      list(APPEND GK_RECORD_OBJECTS $<TARGET_OBJECTS:gk_${part}>)
    endif()
    # Nothing here runs in a loop: it is to be small (docs/decisions/size.md).
    if(part MATCHES "^(${GK_SMALL_LAYERS}|plain_.*)$")
      target_compile_options(gk_${part} PRIVATE ${GK_SMALL})
    endif()
    # Files with loops and the executor's are not compiled together: what is made
    # inline depends on the file.
    if(part STREQUAL "ops")
      gk_unity(gk_ops 8 FOLDERS control core image linalg list lookup math nn ops
        quantization queue ragged random set signal sparse string
        ALONE elementwise fused_tiles ${GK_LOOP_OPS})
    elseif(part STREQUAL "runtime")
      gk_unity(gk_runtime 8 ALONE ${GK_RUN_SOURCES})
    elseif(NOT part STREQUAL "kernels")
      # Their names for inner types are those of public types in the others.
      gk_unity(gk_${part} 10 ALONE function_state trace_words)
    endif()
  endif()
endforeach()
# Two sets of common headers, below the tensors and from the framework upwards,
# each for both levels of optimization.
gk_precompile(gk_base)
foreach(layer kernels framework)
  gk_precompile(gk_${layer} REUSE gk_base)
endforeach()
gk_precompile(gk_proto)
gk_precompile(gk_ops ${GK_FRAMEWORK_HEADERS})
foreach(layer runtime eager function)
  gk_precompile(gk_${layer} REUSE gk_ops)
endforeach()
gk_precompile(gk_graph ${GK_FRAMEWORK_HEADERS})
foreach(layer io checkpoint grappler data plain_ops plain_function saved_model
    profiler command_line)
  gk_precompile(gk_${layer} REUSE gk_graph)
endforeach()
gk_precompile(gk_api ${GK_FRAMEWORK_HEADERS})
# The op functions are many small files: a few dozen at a time compile in a
# fifth of the time.
add_library(gk_op_functions OBJECT ${GK_OPGEN_SOURCES})
add_dependencies(gk_op_functions gk_opgen)
target_link_libraries(gk_op_functions PUBLIC gk_flags)
set_target_properties(gk_op_functions PROPERTIES UNITY_BUILD ON
  UNITY_BUILD_BATCH_SIZE 24)
# They only pack arguments for Dispatch.
target_compile_options(gk_op_functions PRIVATE ${GK_SMALL})
list(APPEND GK_OBJECTS $<TARGET_OBJECTS:gk_op_functions>)
gk_public_op_functions(
  "${GK_RECORD_OBJECTS};$<TARGET_OBJECTS:gk_op_functions>")
add_dependencies(gk_api gk_public_ops)
# Here the public names are not inline: see include/graphkiln/export.h.
target_compile_definitions(gk_api PRIVATE GRAPHKILN_BUILDING=1)

# The C++ library. The Python module links the same objects.
add_library(graphkiln SHARED ${GK_OBJECTS})
target_link_libraries(graphkiln PRIVATE gk_flags ${GK_LIBRARIES}
  ${GK_STATIC_LIBRARIES} Threads::Threads ${CMAKE_DL_LIBS})
# Where it is installed nobody has our sources, or wants 20 MB of symbols.
target_link_options(graphkiln PRIVATE $<$<CONFIG:Release>:-s>)
set_target_properties(graphkiln PROPERTIES VERSION ${PROJECT_VERSION}
  SOVERSION 0)
if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
  set(GK_SYMBOLS ${PROJECT_SOURCE_DIR}/cmake/graphkiln.map)
  target_link_options(graphkiln PRIVATE -Wl,--version-script=${GK_SYMBOLS})
  set_target_properties(graphkiln PROPERTIES LINK_DEPENDS ${GK_SYMBOLS})
endif()
# Tests and tools see every symbol through the archive of all objects.
add_library(gk_all STATIC ${GK_OBJECTS})
target_link_libraries(gk_all PUBLIC gk_flags ${GK_LIBRARIES}
  ${GK_STATIC_LIBRARIES} Threads::Threads ${CMAKE_DL_LIBS})

# The program of that name is a library's function, so that the wheel has it in
# the extension; installed, it stands beside ours.
add_executable(graphkiln_program ${PROJECT_SOURCE_DIR}/src/command_line/main.cc)
target_link_libraries(graphkiln_program PRIVATE gk_flags graphkiln)
target_link_options(graphkiln_program PRIVATE $<$<CONFIG:Release>:-s>)
set_target_properties(graphkiln_program PROPERTIES OUTPUT_NAME graphkiln)
