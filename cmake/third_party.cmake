# Shared libraries of others that the core loads: one line each, and the package
# of Debian that has it where programs run. scripts/setup.sh installs what
# building needs, licenses/ and tools/bundle_wheel.py go along.
set(GK_LIBRARIES "")          # what is linked
set(GK_LIBRARY_INCLUDES "")   # where their headers are
set(GK_LIBRARY_PACKAGES "")   # Debian's packages, in the order of GK_LIBRARIES

# A runtime (cmake/runtime.cmake) needs those alone whose headers its files read.
# gk_if_read(HEADER...) sets GK_READ.
function(gk_if_read)
  set(read ON)
  if(GK_RUNTIME_ONLY)
    set(read OFF)
    foreach(header IN LISTS ARGN)
      if(header IN_LIST GK_RUNTIME_HEADERS)
        set(read ON)
      endif()
    endforeach()
  endif()
  set(GK_READ ${read} PARENT_SCOPE)
endfunction()

# gk_library(NAME HEADER LIBRARY PACKAGE)
macro(gk_library name header library package)
  gk_if_read(${header})
  if(GK_READ)
    gk_find_library(${name} ${header} ${library} ${package})
  endif()
endmacro()
macro(gk_find_library name header library package)
  find_path(GK_${name}_INCLUDE ${header} REQUIRED)
  find_library(GK_${name}_LIBRARY ${library} REQUIRED)
  mark_as_advanced(GK_${name}_INCLUDE GK_${name}_LIBRARY)
  list(APPEND GK_LIBRARIES ${GK_${name}_LIBRARY})
  list(APPEND GK_LIBRARY_INCLUDES ${GK_${name}_INCLUDE})
  list(APPEND GK_LIBRARY_PACKAGES ${package})
endmacro()

gk_library(DNNL oneapi/dnnl/dnnl.hpp dnnl libdnnl2)
gk_library(JPEG jpeglib.h jpeg libjpeg62-turbo)
gk_library(DEFLATE libdeflate.h deflate libdeflate0)
gk_library(PNG png.h png libpng16-16)
gk_library(WEBP webp/decode.h webp libwebp7)
gk_library(WEBPDEMUX webp/demux.h webpdemux libwebpdemux2)
gk_library(ZLIB zlib.h z zlib1g)

# Linked into ours, where nobody else sees it.
set(GK_STATIC_LIBRARIES "")
gk_if_read(farmhash.h)
if(GK_READ)
  find_path(GK_FARMHASH_INCLUDE farmhash.h REQUIRED)
  find_library(GK_FARMHASH_LIBRARY libfarmhash.a REQUIRED)
  mark_as_advanced(GK_FARMHASH_INCLUDE GK_FARMHASH_LIBRARY)
  set(GK_STATIC_LIBRARIES ${GK_FARMHASH_LIBRARY}
    -Wl,--exclude-libs,libfarmhash.a)
  list(APPEND GK_LIBRARY_INCLUDES ${GK_FARMHASH_INCLUDE})
endif()

# Loaded by src/ops/string/regex.cc when the first regular expression is used,
# from beside ours or where the system has it.
gk_if_read(re2/re2.h)
if(GK_READ)
  find_path(GK_RE2_INCLUDE re2/re2.h REQUIRED)
  find_library(GK_RE2_LIBRARY re2 REQUIRED)
  mark_as_advanced(GK_RE2_INCLUDE GK_RE2_LIBRARY)
  list(APPEND GK_LIBRARY_INCLUDES ${GK_RE2_INCLUDE})
  file(REAL_PATH ${GK_RE2_LIBRARY} GK_RE2_FILE)
endif()

# oneDNN's OpenMP run time, to hold its team at one thread.
if(GK_DNNL_LIBRARY)
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libgomp.so
    OUTPUT_VARIABLE GK_GOMP_LIBRARY OUTPUT_STRIP_TRAILING_WHITESPACE)
  list(APPEND GK_LIBRARIES ${GK_GOMP_LIBRARY})
  list(APPEND GK_LIBRARY_PACKAGES libgomp1)
endif()
if(GK_RE2_LIBRARY)
  list(APPEND GK_LIBRARY_PACKAGES libre2-9)
endif()

# Eigen is headers alone, read by the files that factor matrices
# (docs/decisions/linear_algebra.md): a system's, so that its warnings are not
# ours.
gk_if_read(Eigen/SparseCore Eigen/Core)
if(GK_READ)
  find_path(GK_EIGEN_INCLUDE signature_of_eigen3_matrix_library
    PATH_SUFFIXES eigen3 REQUIRED)
  mark_as_advanced(GK_EIGEN_INCLUDE)
endif()
foreach(file eigen_solvers_v2 eigen_solvers_v3 linalg_ordering)
  set_source_files_properties(
    ${PROJECT_SOURCE_DIR}/src/kernels/${file}.cc
    PROPERTIES COMPILE_OPTIONS "-isystem;${GK_EIGEN_INCLUDE}")
endforeach()

gk_if_read(ducc0/fft/fft.h)
if(GK_READ)
  include(cmake/ducc.cmake)
endif()

list(REMOVE_DUPLICATES GK_LIBRARY_INCLUDES)
