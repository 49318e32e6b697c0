# Shared libraries of others that the core loads: one line each, and the package
# of Debian that has it where programs run. scripts/setup.sh installs what
# building needs, licenses/ and tools/bundle_wheel.py go along.
set(GK_LIBRARIES "")          # what is linked
set(GK_LIBRARY_INCLUDES "")   # where their headers are
set(GK_LIBRARY_PACKAGES "")   # Debian's packages, in the order of GK_LIBRARIES

# gk_library(NAME HEADER LIBRARY PACKAGE)
macro(gk_library name header library package)
  find_path(GK_${name}_INCLUDE ${header} REQUIRED)
  find_library(GK_${name}_LIBRARY ${library} REQUIRED)
  mark_as_advanced(GK_${name}_INCLUDE GK_${name}_LIBRARY)
  list(APPEND GK_LIBRARIES ${GK_${name}_LIBRARY})
  list(APPEND GK_LIBRARY_INCLUDES ${GK_${name}_INCLUDE})
  list(APPEND GK_LIBRARY_PACKAGES ${package})
endmacro()

gk_library(DNNL oneapi/dnnl/dnnl.hpp dnnl libdnnl2)

# oneDNN's OpenMP run time, to hold its team at one thread.
execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libgomp.so
  OUTPUT_VARIABLE GK_GOMP_LIBRARY OUTPUT_STRIP_TRAILING_WHITESPACE)
list(APPEND GK_LIBRARIES ${GK_GOMP_LIBRARY})
list(APPEND GK_LIBRARY_PACKAGES libgomp1)

list(REMOVE_DUPLICATES GK_LIBRARY_INCLUDES)
