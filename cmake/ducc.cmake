# DUCC's Fourier transforms (docs/decisions/fft.md): templates, read by
# src/kernels/fft_plan_v2.cc and fft_plan_v3.cc. No package of Debian has them;
# PyPI's source package does. It is fetched once a checkout, or taken from
# build/third_party, where one may put it who has no network.
set(GK_DUCC_NAME ducc0-0.42.0)
set(GK_DUCC_SHA256
    4e11c59b53a43355b053aebb2a62ee16eebeed026575f7d216cf09d437ce52ef)
set(GK_DUCC_FOLDER ${PROJECT_SOURCE_DIR}/build/third_party)
set(GK_DUCC_INCLUDE ${GK_DUCC_FOLDER}/${GK_DUCC_NAME}/src)
set(GK_DUCC_READY ${GK_DUCC_FOLDER}/${GK_DUCC_NAME}/${GK_DUCC_SHA256})

function(gk_fetch_ducc archive)
  # pip builds a package's description before it hands over the sources, so it
  # checks the hash itself.
  file(WRITE ${GK_DUCC_FOLDER}/requirements.txt
    "ducc0==0.42.0 --hash=sha256:${GK_DUCC_SHA256}\n")
  foreach(try RANGE 4)
    if(NOT EXISTS ${archive})
      execute_process(
        COMMAND ${CMAKE_COMMAND} -E sleep ${try}
        COMMAND_ERROR_IS_FATAL ANY)
      message(STATUS "Fetching ${GK_DUCC_NAME} from PyPI")
      execute_process(
        COMMAND ${Python_EXECUTABLE} -m pip download --quiet --no-deps
                --no-binary ducc0 --dest ${GK_DUCC_FOLDER}
                --requirement ${GK_DUCC_FOLDER}/requirements.txt
        OUTPUT_VARIABLE output ERROR_VARIABLE output)
    endif()
  endforeach()
  if(NOT EXISTS ${archive})
    message(FATAL_ERROR "${output}\nNo ${archive}; pip download "
      "--no-deps --no-binary ducc0 ducc0==0.42.0 makes it.")
  endif()
endfunction()

# Several presets may be configured at once.
file(LOCK ${GK_DUCC_FOLDER}/lock GUARD FILE)
if(NOT EXISTS ${GK_DUCC_READY})
  set(archive ${GK_DUCC_FOLDER}/${GK_DUCC_NAME}.tar.gz)
  if(NOT EXISTS ${archive})
    gk_fetch_ducc(${archive})
  endif()
  file(SHA256 ${archive} found)
  if(NOT found STREQUAL GK_DUCC_SHA256)
    message(FATAL_ERROR "${archive} is not the package that was tested.")
  endif()
  file(ARCHIVE_EXTRACT INPUT ${archive} DESTINATION ${GK_DUCC_FOLDER}
    PATTERNS */src/ducc0/fft/* */src/ducc0/infra/* */src/ducc0/math/*)
  file(TOUCH ${GK_DUCC_READY})
endif()
file(LOCK ${GK_DUCC_FOLDER}/lock RELEASE)

# A system's headers, so that its warnings are not ours.
foreach(level v2 v3)
  set_source_files_properties(
    ${PROJECT_SOURCE_DIR}/src/kernels/fft_plan_${level}.cc
    PROPERTIES COMPILE_OPTIONS
    "-isystem;${GK_DUCC_INCLUDE}")
endforeach()
