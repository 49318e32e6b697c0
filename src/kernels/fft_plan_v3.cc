// With AVX2. The standard library's templates come first, for every processor:
// the linker may take this file's copies of them for everybody's.
#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <functional>
#include <iostream>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <typeindex>
#include <typeinfo>
#include <utility>
#include <vector>

#include "kernels/fft_plan.h"
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
#endif

#define GK_DUCC gk_ducc_v3
#include "kernels/fft_plan_ducc.h"

namespace gk {

template <class T>
std::shared_ptr<FftPlan<T>> MakeFftPlanV3(const FftDesc& desc) {
  return gk_ducc_v3::Make<T>(desc);
}

template std::shared_ptr<FftPlan<float>> MakeFftPlanV3(const FftDesc&);
template std::shared_ptr<FftPlan<double>> MakeFftPlanV3(const FftDesc&);

}  // namespace gk

#endif  // GK_ISA_V3
