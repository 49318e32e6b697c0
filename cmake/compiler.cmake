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
  set(CMAKE_CXX_COMPILER_LAUNCHER ${GK_CCACHE})
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
  $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
target_include_directories(gk_flags INTERFACE
  ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include
  ${PROJECT_BINARY_DIR}/generated)

foreach(isa IN LISTS GK_ISAS)
  string(TOUPPER ${isa} upper)
  target_compile_definitions(gk_flags INTERFACE GK_ISA_${upper}=1)
endforeach()

if(GK_SANITIZE)
  target_compile_options(gk_flags INTERFACE
    -fsanitize=${GK_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize-recover=all
    # What the instrumentation adds confuses this warning.
    $<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized>)
  target_link_options(gk_flags INTERFACE -fsanitize=${GK_SANITIZE})
endif()
