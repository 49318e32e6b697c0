// The body of fft_plan_v2.cc and fft_plan_v3.cc: DUCC's templates, compiled for
// the instruction set that is in force where this is included, in a namespace
// of its own, GK_DUCC.
#define DUCC0_NAMESPACE GK_DUCC
// Lines are cut over our pool.
#define DUCC0_NO_LOWLEVEL_THREADING

#include "ducc0/infra/simd.h"

namespace GK_DUCC::detail_simd {
#ifndef DUCC0_NO_SIMD
// Nothing here uses them; they would be a quarter of what is compiled.
template <>
constexpr inline bool simd_exists<double, 2> = false;
#endif
}  // namespace GK_DUCC::detail_simd

#include "ducc0/fft/fft.h"
#include "ducc0/fft/fft1d_impl.h"
#include "ducc0/infra/threading.cc"

namespace GK_DUCC {
namespace {

// Of the second cache, what lines together may take.
constexpr int64_t kTogether = 1 << 20;

template <class T>
struct Lanes {
#ifdef DUCC0_NO_SIMD
  static constexpr int64_t kCount = 1;
#else
  static constexpr int64_t kCount = native_simd<T>::size();
#endif
};

template <class T>
struct ComplexKind {
  using Plan = detail_fft::pocketfft_c<T>;
  using Line = Cmplx<T>;
#ifndef DUCC0_NO_SIMD
  using Lines = Cmplx<native_simd<T>>;
#endif
};

template <class T>
struct RealKind {
  using Plan = detail_fft::pocketfft_r<T>;
  using Line = T;
#ifndef DUCC0_NO_SIMD
  using Lines = native_simd<T>;
#endif
};

template <class T, class Kind>
class Plan final : public gk::FftPlan<T> {
 public:
  explicit Plan(const gk::FftDesc& desc)
      : gk::FftPlan<T>(desc), alone_(desc.n, true) {
    constexpr int64_t kLanes = Lanes<T>::kCount;
    if (kLanes == 1 || kLanes * sizeof(T) * 2 * this->numbers() > kTogether) {
      return;
    }
    lanes_ = kLanes;
    together_.emplace(desc.n, false);
  }

  int64_t lanes() const override { return lanes_; }
  int64_t work(int64_t lanes) const override {
    const int64_t parts = sizeof(typename Kind::Line) / sizeof(T);
    return lanes * parts *
           (lanes == 1 ? alone_.bufsize() : together_->bufsize());
  }
  T* Run(T* data, T* work, int64_t lanes, T scale,
         bool inverse) const override {
    using Line = typename Kind::Line;
    if (lanes == 1) {
      return reinterpret_cast<T*>(alone_.exec(reinterpret_cast<Line*>(data),
                                              reinterpret_cast<Line*>(work),
                                              scale, !inverse));
    }
#ifndef DUCC0_NO_SIMD
    using Lines = typename Kind::Lines;
    return reinterpret_cast<T*>(together_->exec(reinterpret_cast<Lines*>(data),
                                                reinterpret_cast<Lines*>(work),
                                                scale, !inverse));
#else
    return nullptr;
#endif
  }

 private:
  int64_t lanes_ = 1;
  typename Kind::Plan alone_;
  std::optional<typename Kind::Plan> together_;
};

template <class T>
std::shared_ptr<gk::FftPlan<T>> Make(const gk::FftDesc& desc) {
  if (desc.real) return std::make_shared<Plan<T, RealKind<T>>>(desc);
  return std::make_shared<Plan<T, ComplexKind<T>>>(desc);
}

}  // namespace
}  // namespace GK_DUCC
