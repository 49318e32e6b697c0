# Installs the build tree GK_BUILD into a fresh prefix, then configures, builds
# and tests the consumer project against it, through CMake and pkg-config.
#   cmake -DGK_BUILD=build/release -DGK_SOURCE=. -DGK_READELF=readelf \
#     -P tests/consumer/run.cmake
set(work ${GK_BUILD}/consumer)
file(REMOVE_RECURSE ${work})

function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE status)
  if(NOT status EQUAL 0)
    list(JOIN ARGV " " command)
    message(FATAL_ERROR "exit status ${status}: ${command}")
  endif()
endfunction()

run(${CMAKE_COMMAND} --install ${GK_BUILD} --prefix ${work}/prefix)
# The program finds the library beside it.
run(${work}/prefix/bin/graphkiln --version)
# The package asks for what the library needs, by the names it loads them by.
file(GLOB_RECURSE library ${work}/prefix/libgraphkiln.so)
file(GLOB_RECURSE config ${work}/prefix/graphkilnConfig.cmake)
file(READ "${config}" config)
execute_process(COMMAND ${GK_READELF} -d ${library} OUTPUT_VARIABLE dynamic
  COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "NEEDED[^[]*\\[[^]]+\\]" needed "${dynamic}")
if(NOT needed)
  message(FATAL_ERROR "${GK_READELF} shows nothing that ${library} needs")
endif()
foreach(line IN LISTS needed)
  string(REGEX REPLACE ".*\\[([^]]+)\\]" "\\1" soname "${line}")
  # A compiler's own are there where anything of it runs.
  if(soname MATCHES "^(lib(c|m|stdc\\+\\+|gcc_s|dl|pthread)|ld-.*)\\.so")
    continue()
  endif()
  string(FIND "${config}" " ${soname}" asked)
  if(asked EQUAL -1)
    message(FATAL_ERROR "the library needs ${soname}, its package does not ask "
      "for it: cmake/third_party.cmake")
  endif()
endforeach()
run(${CMAKE_COMMAND} -G Ninja -S ${GK_SOURCE}/tests/consumer -B ${work}/build
    -DCMAKE_PREFIX_PATH=${work}/prefix -DCMAKE_BUILD_TYPE=Release)
run(${CMAKE_COMMAND} --build ${work}/build --parallel 2)
run(${CMAKE_CTEST_COMMAND} --test-dir ${work}/build --output-on-failure
    --no-tests=error)

find_program(pkg_config NAMES pkg-config pkgconf)
if(pkg_config)
  file(GLOB_RECURSE pc ${work}/prefix/graphkiln.pc)
  get_filename_component(pc_dir ${pc} DIRECTORY)
  run(${CMAKE_COMMAND} -E env PKG_CONFIG_PATH=${pc_dir} ${pkg_config}
      --exact-version=${GK_VERSION} graphkiln)
  # A program with the whole library in it.
  find_program(compiler NAMES c++ g++ clang++ REQUIRED)
  run(${CMAKE_COMMAND} --install ${GK_BUILD} --prefix ${work}/prefix
      --component archive)
  execute_process(COMMAND ${CMAKE_COMMAND} -E env PKG_CONFIG_PATH=${pc_dir}
    ${pkg_config} --static --cflags --libs graphkiln
    OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE
    COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(flags)
  list(TRANSFORM flags REPLACE "^-lgraphkiln$" "-l:libgraphkiln.a")
  run(${compiler} ${GK_SOURCE}/tests/consumer/training.cc -o ${work}/alone
      -Wl,--gc-sections ${flags})
  run(${work}/alone)
  execute_process(COMMAND ${GK_READELF} -d ${work}/alone OUTPUT_VARIABLE dynamic
    COMMAND_ERROR_IS_FATAL ANY)
  if(dynamic MATCHES "libgraphkiln")
    message(FATAL_ERROR "the program loads the shared library")
  endif()
endif()
