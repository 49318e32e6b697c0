# Toolchain file: builds for aarch64 on Debian, with g++-aarch64-linux-gnu, whose
# programs qemu-user runs (tools/check_aarch64 does all of it).
#
# GK_AARCH64_ROOT is where packages of the arm64 libraries were unpacked:
#   apt-get download libdnnl-dev:arm64 libdnnl2:arm64 libfarmhash-dev:arm64 \
#     ocl-icd-libopencl1:arm64
#   for file in *.deb; do dpkg-deb --extract "$file" ROOT; done
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)

set(GK_AARCH64_ROOT / CACHE PATH "Where arm64 libraries are")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES GK_AARCH64_ROOT)
set(CMAKE_FIND_ROOT_PATH ${GK_AARCH64_ROOT} /usr/aarch64-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
string(APPEND CMAKE_EXE_LINKER_FLAGS_INIT
  " -Wl,-rpath-link,${GK_AARCH64_ROOT}/usr/lib/aarch64-linux-gnu")
string(APPEND CMAKE_SHARED_LINKER_FLAGS_INIT
  " -Wl,-rpath-link,${GK_AARCH64_ROOT}/usr/lib/aarch64-linux-gnu")
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64 -L /usr/aarch64-linux-gnu)

# Levels of instruction sets are x86-64's; here there is one.
set(GK_ISAS "" CACHE STRING "Instruction set levels that kernels are stamped for")
