// What a transform of one length needs: factors, tables, and how it is run.
// Immutable once made.
#ifndef GK_KERNELS_FFT_PLAN_H_
#define GK_KERNELS_FFT_PLAN_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "base/thread_pool.h"

namespace gk {

// exp(-2 pi i j / n), rounded once.
template <class T>
void RootOfUnity(int64_t j, int64_t n, T* re, T* im);

// Real and imaginary parts.
template <class T>
struct SplitVector {
  explicit SplitVector(int64_t n = 0) : re(n), im(n) {}
  void SetRoot(int64_t i, int64_t j, int64_t n) {
    RootOfUnity(j, n, &re[i], &im[i]);
  }
  std::vector<T> re, im;
};

template <class T>
struct SplitPointers {
  T *re, *im;
};

template <class T>
class FftPlan {
 public:
  // Transforms worked on together.
  static constexpr int64_t kLanes = 64 / sizeof(T);

  explicit FftPlan(int64_t n, bool whole = true);
  static std::shared_ptr<const FftPlan> Of(int64_t n);

  int64_t desc() const { return n_; }
  // How many numbers Run needs beside the data, for each lane.
  int64_t work() const { return work_; }
  // How many of so many lines, whose elements are adjacent or not to those of
  // the next line, Run may and should be given at once.
  int64_t LanesOf(int64_t lines, bool adjacent) const;
  // Transforms `lanes` lines, of which element j of line l is at
  // [j * lanes + l]. The result is where it says: at `data` or in `work`.
  SplitPointers<T> Run(SplitPointers<T> data, T* work, int64_t lanes,
                       ThreadPool& pool) const;

 private:
  struct Pass {
    int64_t radix, m;
    SplitVector<T> twiddles, roots;
  };

  void MakePasses(std::vector<int64_t> factors);
  void MakeMatrix(int64_t rows);
  void MakeConvolution();
  // Elements of the data are `step` apart; the result is in `work`, which has
  // room for four numbers a lane and element.
  SplitPointers<const T> RunPasses(SplitPointers<const T> data, int64_t step,
                                   T* work, int64_t lanes) const;
  SplitPointers<T> RunMatrix(SplitPointers<T> data, T* work,
                             ThreadPool& pool) const;
  SplitPointers<T> RunMatrices(SplitPointers<T> data, T* work,
                               int64_t lanes) const;
  SplitPointers<T> RunConvolution(SplitPointers<T> data, T* work, int64_t lanes,
                                  ThreadPool& pool) const;

  int64_t n_, work_ = 0;
  std::vector<Pass> passes_;
  // Of a long line: the plans of its columns and rows, and what lies between
  // them, exp(-2 pi i j k / n) for column j and row k, as the product of that
  // for j % kLanes [k, lane] and that for the first column of a block
  // [block, k].
  std::unique_ptr<FftPlan> columns_, rows_;
  SplitVector<T> lane_turns_, block_turns_;
  // The same for several lines at once, [j, k].
  SplitVector<T> turns_;
  // Of a convolution: its transform, exp(-pi i j^2 / n), and the transform of
  // the conjugate of that.
  std::unique_ptr<FftPlan> convolution_;
  SplitVector<T> chirp_, chirp_transform_;
};

}  // namespace gk

#endif  // GK_KERNELS_FFT_PLAN_H_
