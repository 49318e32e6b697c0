// With AVX2. The standard library's templates come first, for every processor:
// the linker may take this file's copies of them for everybody's.
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

#include "kernels/eigen_solvers.h"
#include "kernels/isa.h"

#if defined(GK_ISA_V3) || !defined(GK_ISA_V2)
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

#define GK_EIGEN gk_eigen_v3
#include "kernels/eigen_solvers_body.h"

namespace gk {

EigenSolvers EigenSolversV3() { return gk_eigen_v3::gk_solvers::Solvers(); }

}  // namespace gk

#endif  // GK_ISA_V3
