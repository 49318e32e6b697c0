# benchmarks/<layer>/*.cc: one program a layer, built on request
# (ninja <layer>_benchmark), never by default. Time release builds only.
find_package(benchmark QUIET)
# Its own clock: what checkpoints cost a step of training.
add_executable(checkpoint_steps EXCLUDE_FROM_ALL
  ${PROJECT_SOURCE_DIR}/benchmarks/checkpoint_steps.cc)
target_link_libraries(checkpoint_steps PRIVATE graphkiln gk_flags)
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
