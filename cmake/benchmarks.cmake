# benchmarks/<layer>/*.cc: one program a layer, built on request
# (ninja <layer>_benchmark), never by default. Time release builds only.
find_package(benchmark QUIET)
if(benchmark_FOUND)
  foreach(layer IN LISTS GK_LAYERS)
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS
         ${PROJECT_SOURCE_DIR}/benchmarks/${layer}/*.cc)
    if(sources)
      add_executable(${layer}_benchmark EXCLUDE_FROM_ALL ${sources})
      target_link_libraries(${layer}_benchmark PRIVATE gk_all
                            benchmark::benchmark benchmark::benchmark_main)
    endif()
  endforeach()
endif()
