# One library a layer, lowest first. tools/check_layers proves that includes
# point down only; `ops` may include nothing above `graph`.
set(GK_LAYERS base proto kernels framework graph ops grappler runtime eager
    function)

find_package(Threads REQUIRED)
find_path(GK_DNNL_INCLUDE oneapi/dnnl/dnnl.hpp REQUIRED)
find_library(GK_DNNL_LIBRARY dnnl REQUIRED)
# oneDNN's OpenMP run time, to hold its team at one thread.
list(APPEND GK_DNNL_LIBRARY gomp)
find_package(Python3 REQUIRED COMPONENTS Interpreter)

# Dense products want fused multiply-add; nothing else may have it.
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/kernels/gemm_block.cc
  PROPERTIES COMPILE_OPTIONS -ffp-contract=fast)

set(GK_OBJECTS "")
foreach(layer IN LISTS GK_LAYERS)
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS
       ${PROJECT_SOURCE_DIR}/src/${layer}/*.cc)
  list(FILTER sources EXCLUDE REGEX "_test\\.cc$")
  if(sources)
    add_library(gk_${layer} OBJECT ${sources})
    target_link_libraries(gk_${layer} PUBLIC gk_flags)
    target_include_directories(gk_${layer} PRIVATE ${GK_DNNL_INCLUDE})
    list(APPEND GK_OBJECTS $<TARGET_OBJECTS:gk_${layer}>)
  endif()
endforeach()

# The C++ library. The Python module links the same objects.
add_library(graphkiln SHARED ${GK_OBJECTS})
target_link_libraries(graphkiln PRIVATE gk_flags ${GK_DNNL_LIBRARY}
  Threads::Threads ${CMAKE_DL_LIBS})
set_target_properties(graphkiln PROPERTIES VERSION ${PROJECT_VERSION}
  SOVERSION 0)
# Tests and tools see every symbol through the archive of all objects.
add_library(gk_all STATIC ${GK_OBJECTS})
target_link_libraries(gk_all PUBLIC gk_flags ${GK_DNNL_LIBRARY}
  Threads::Threads ${CMAKE_DL_LIBS})
