# Compiler flags shared by every target.
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

find_program(GK_CCACHE ccache)
if(GK_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # It wants to be told that precompiled headers may be trusted, and need not
  # preprocess: the compiler lists what a file includes.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_DEPEND=1
    CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
    ${GK_CCACHE})
endif()

add_library(gk_flags INTERFACE)
# No fused multiply-add behind our back: scalar folding, eager, tiles and
# every instruction set must agree to the bit.
target_compile_options(gk_flags INTERFACE
  -Wall -Wextra -Werror -Wno-unused-parameter
  -Wno-missing-field-initializers -Wno-psabi
  -fwrapv -ffp-contract=off -fno-math-errno -fno-trapping-math
  # g++ 12 sees overlap in every `"text" + std::string` at -O3 (GCC bug
  # 105651).
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
  # Below 512 MiB it collects no garbage: with the precompiled headers in its
  # heap it did so all the time, a tenth to a fifth of a file's time.
  $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=524288>)
# What is shipped names no folder of the machine that built it.
target_compile_options(gk_flags INTERFACE
  $<$<CONFIG:Release>:-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=>
  $<$<CONFIG:Release>:-ffile-prefix-map=${PROJECT_BINARY_DIR}/=build/>)
target_include_directories(gk_flags INTERFACE
  ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include
  ${PROJECT_BINARY_DIR}/generated)

foreach(isa IN LISTS GK_ISAS)
  string(TOUPPER ${isa} upper)
  target_compile_definitions(gk_flags INTERFACE GK_ISA_${upper}=1)
endforeach()

# What is called rarely, in a release.
set(GK_SMALL $<$<CONFIG:Release>:-Os> $<$<CONFIG:Release>:-ffunction-sections>)

if(GK_SANITIZE)
  target_compile_options(gk_flags INTERFACE
    -fsanitize=${GK_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize-recover=all
    # What the instrumentation adds confuses this warning.
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  target_link_options(gk_flags INTERFACE -fsanitize=${GK_SANITIZE})
endif()

if(GK_FUZZERS)
  # clang has no prefer-vector-width: it compiles the kernels for AVX-512 as
  # those of the base level, and says so.
  target_compile_options(gk_flags INTERFACE -fsanitize=fuzzer-no-link
    -Wno-ignored-attributes)
  target_link_options(gk_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()

# Reading the standard library took two fifths of a build's time: it is read
# once. Files still include what they use; a build with
# -DGK_PRECOMPILED_HEADERS=OFF (the tsan preset) proves it.
option(GK_PRECOMPILED_HEADERS "Read common headers once a build" ON)
set(GK_STANDARD_HEADERS <algorithm> <atomic> <bit> <cmath> <cstdint> <cstring>
  <functional> <limits> <map> <memory> <mutex> <numeric> <optional> <span>
  <string> <string_view> <thread> <tuple> <type_traits> <unordered_map>
  <unordered_set> <utility> <variant> <vector>)
set(GK_FRAMEWORK_HEADERS ${PROJECT_SOURCE_DIR}/src/framework/op_registry.h
  ${PROJECT_SOURCE_DIR}/src/framework/grad_context.h
  ${PROJECT_SOURCE_DIR}/src/framework/op_builder.h)

# gk_precompile(TARGET HEADER...): TARGET's files begin with the standard
# headers and these. gk_precompile(TARGET REUSE OTHER) shares OTHER's, which
# has to have the same flags.
function(gk_precompile target)
  if(NOT GK_PRECOMPILED_HEADERS)
    return()
  endif()
  if("${ARGV1}" STREQUAL "REUSE")
    target_precompile_headers(${target} REUSE_FROM ${ARGV2})
  else()
    target_precompile_headers(${target} PRIVATE ${GK_STANDARD_HEADERS} ${ARGN})
  endif()
endfunction()

# Of what a file costs to compile the most is the same for its neighbours:
# headers read, inline functions and templates made. Several at once take half
# the time, but an edit then compiles all of them: for builds from scratch
# (the release preset). Files still stand alone: the other presets prove it.
option(GK_UNITY "Compile several files at once" OFF)

# gk_unity(TARGET NUMBER [FOLDERS FOLDER...] [ALONE FILE...]): TARGET's files are
# compiled NUMBER at a time, of these folders alone if any are named, none with
# those of another folder; each FILE (a regular expression) by itself: it has
# names that others have, too, or loops, where what is made inline depends on the
# file. Tables of op records have one name in all files.
function(gk_unity target number)
  if(NOT GK_UNITY)
    return()
  endif()
  cmake_parse_arguments(PARSE_ARGV 2 unity "" "" "FOLDERS;ALONE")
  list(JOIN unity_ALONE "|" alone)
  set_target_properties(${target} PROPERTIES
    UNITY_BUILD ON UNITY_BUILD_MODE GROUP
    UNITY_BUILD_UNIQUE_ID GK_RECORDS_OF_THE_FILE
    UNITY_BUILD_CODE_BEFORE_INCLUDE
    "#undef kRecords\n#define kRecords GK_RECORDS_OF_THE_FILE")
  get_target_property(sources ${target} SOURCES)
  set(before "")
  foreach(source IN LISTS sources)
    cmake_path(GET source PARENT_PATH path)
    cmake_path(GET path FILENAME folder)
    cmake_path(GET source STEM name)
    if(NOT path STREQUAL before)
      set(count 0)
      set(before ${path})
    endif()
    if(NOT name MATCHES "^(${alone})$" AND
       (NOT unity_FOLDERS OR folder IN_LIST unity_FOLDERS))
      math(EXPR batch "${count} / ${number}")
      math(EXPR count "${count} + 1")
      set_source_files_properties(${source} PROPERTIES
        UNITY_GROUP ${folder}_${batch})
    endif()
  endforeach()
endfunction()
