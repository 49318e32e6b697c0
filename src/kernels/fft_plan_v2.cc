// For every processor; where there is another file for newer ones, one number
// at a time.
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

#ifdef GK_ISA_V2
#ifdef GK_ISA_V3
#define DUCC0_NO_SIMD
#endif
#define GK_DUCC gk_ducc_v2
#include "kernels/fft_plan_ducc.h"

namespace gk {

template <class T>
std::shared_ptr<FftPlan<T>> MakeFftPlanV2(const FftDesc& desc) {
  return gk_ducc_v2::Make<T>(desc);
}

template std::shared_ptr<FftPlan<float>> MakeFftPlanV2(const FftDesc&);
template std::shared_ptr<FftPlan<double>> MakeFftPlanV2(const FftDesc&);

}  // namespace gk

#endif  // GK_ISA_V2
