# Makes Debian's packages of the build tree GK_BUILD, unpacks them and uses them:
# the program runs, and a C program is compiled with what pkg-config says.
#   cmake -DGK_BUILD=build/release -DGK_SOURCE=. -DGK_VERSION=0.1.0 \
#     -P tests/packages/run.cmake
foreach(tool IN ITEMS dpkg-deb dpkg-shlibdeps pkg-config cc)
  find_program(found_${tool} NAMES ${tool})
  if(NOT found_${tool})
    message(STATUS "skipped: there is no ${tool}")
    return()
  endif()
endforeach()
set(work ${GK_BUILD}/packages)
file(REMOVE_RECURSE ${work})
file(MAKE_DIRECTORY ${work})

function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE status OUTPUT_VARIABLE output
    ERROR_VARIABLE errors)
  if(NOT status EQUAL 0)
    list(JOIN ARGV " " command)
    message(FATAL_ERROR "exit status ${status}: ${command}\n${output}${errors}")
  endif()
  set(output "${output}" PARENT_SCOPE)
endfunction()

# expect TEXT PART...: the text has the parts.
function(expect text)
  foreach(part IN LISTS ARGN)
    string(FIND "${text}" "${part}" at)
    if(at EQUAL -1)
      message(FATAL_ERROR "there is no '${part}' in\n${text}")
    endif()
  endforeach()
endfunction()

run(${CMAKE_CPACK_COMMAND} --config ${GK_BUILD}/CPackConfig.cmake -B ${work})
foreach(name IN ITEMS libgraphkiln0 libgraphkiln-dev graphkiln-tools)
  file(GLOB package ${work}/${name}_${GK_VERSION}-1_*.deb)
  if(NOT package)
    message(FATAL_ERROR "no package ${name} was made")
  endif()
  run(dpkg-deb --field ${package})
  set(fields_${name} "${output}")
  run(dpkg-deb --extract ${package} ${work}/unpacked)
  file(SIZE ${package} size)
  math(EXPR size "${size} / 1000")
  message(STATUS "${name}: ${size} kB packed")
endforeach()
expect("${fields_libgraphkiln0}" "Version: ${GK_VERSION}-1" libc6 libstdc++6
       libdnnl libre2-9 "Section: libs")
expect("${fields_libgraphkiln-dev}" "libgraphkiln0 (= ${GK_VERSION}-1)")
expect("${fields_graphkiln-tools}" "libgraphkiln0 (= ${GK_VERSION}-1)")

run(${work}/unpacked/usr/bin/graphkiln --version)
expect("${output}" ${GK_VERSION})
file(WRITE ${work}/use.c "
#include <graphkiln/c_api.h>
#include <stdio.h>
int main(void) {
  const float two[2] = {1, 2};
  const int64_t dims[1] = {2};
  gk_tensor* t = 0;
  if (gk_tensor_copy(GK_FLOAT, 1, dims, two, sizeof two, &t)) return 1;
  printf(\"%g\\n\", ((const float*)gk_tensor_data(t))[1]);
  gk_tensor_delete(t);
  return 0;
}
")
file(GLOB_RECURSE pc ${work}/unpacked/graphkiln.pc)
get_filename_component(folder ${pc} DIRECTORY)
run(${CMAKE_COMMAND} -E env PKG_CONFIG_PATH=${folder} pkg-config --libs
    --cflags-only-I --define-prefix graphkiln)
string(STRIP "${output}" flags)
separate_arguments(flags)
get_filename_component(libraries ${folder} DIRECTORY)
run(cc ${work}/use.c -o ${work}/use ${flags} -Wl,-rpath,${libraries})
run(${work}/use)
expect("${output}" "2\n")
