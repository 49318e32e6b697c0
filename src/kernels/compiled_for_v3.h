// What follows this is compiled for AVX2 with FMA. Included once, by a file
// whose body is so compiled, behind all other headers of ours. The standard
// library's templates come first, for every processor: the linker may take that
// file's copies of them for everybody's.
#ifndef GK_KERNELS_COMPILED_FOR_V3_H_
#define GK_KERNELS_COMPILED_FOR_V3_H_

#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>
#include <cerrno>
#include <climits>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <iostream>
#include <limits>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <typeindex>
#include <typeinfo>
#include <utility>
#include <vector>

#if defined(__x86_64__) && !defined(__clang__) && !defined(__AVX2__)
#pragma GCC target("arch=x86-64-v3")
// g++ 12 reads a whole file before it minds that line: what follows would not
// know of the registers.
#define __SSE3__ 1
#define __SSSE3__ 1
#define __SSE4_1__ 1
#define __SSE4_2__ 1
#define __AVX__ 1
#define __AVX2__ 1
#define __FMA__ 1
#endif

#endif  // GK_KERNELS_COMPILED_FOR_V3_H_
