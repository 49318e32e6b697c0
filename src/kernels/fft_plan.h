// A transform of one length, by DUCC (docs/decisions/fft.md), compiled for each
// instruction set. Immutable once made.
#ifndef GK_KERNELS_FFT_PLAN_H_
#define GK_KERNELS_FFT_PLAN_H_

#include <cstdint>
#include <memory>

namespace gk {

// Of complex numbers, or of real ones to and from the half of the result that
// says all: r0, r1, i1, r2, i2 ...
struct FftDesc {
  int64_t n;
  bool real;
  bool operator==(const FftDesc&) const = default;
};

// Lines are transformed alone or lanes() at once: number j of line l is at
// [j * lanes + l], and complex numbers are two numbers of a line.
template <class T>
class FftPlan {
 public:
  static std::shared_ptr<const FftPlan> Of(const FftDesc& desc);

  virtual ~FftPlan() = default;
  const FftDesc& desc() const { return desc_; }
  // Numbers of one line.
  int64_t numbers() const { return desc_.real ? desc_.n : 2 * desc_.n; }
  // How many lines at once; 1 if they are best taken alone.
  virtual int64_t lanes() const = 0;
  // How many numbers Run needs beside the data of so many lines.
  virtual int64_t work(int64_t lanes) const = 0;
  // Transforms `lanes` lines (1 or lanes()), times `scale`. What several
  // lines need is aligned to 64 bytes. The result is where it says: at `data`
  // or in `work`.
  virtual T* Run(T* data, T* work, int64_t lanes, T scale,
                 bool inverse) const = 0;

 protected:
  explicit FftPlan(const FftDesc& desc) : desc_(desc) {}

 private:
  FftDesc desc_;
};

// The plan for one instruction set.
template <class T>
std::shared_ptr<FftPlan<T>> MakeFftPlanV2(const FftDesc& desc);
template <class T>
std::shared_ptr<FftPlan<T>> MakeFftPlanV3(const FftDesc& desc);

}  // namespace gk

#endif  // GK_KERNELS_FFT_PLAN_H_
