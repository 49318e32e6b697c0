// With AVX2.
#include "kernels/fft_plan.h"
#include "kernels/isa.h"

#if defined(GK_ISA_V3) || !defined(GK_ISA_V2)
#include "kernels/compiled_for_v3.h"

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
