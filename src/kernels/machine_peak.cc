#include "kernels/machine_peak.h"

#include <time.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "base/thread_pool.h"
#include "kernels/isa.h"

namespace gk {
namespace {

double Seconds() {
  timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

// GCC takes no template's argument for the size.
template <int kBytes>
struct Registers;
template <>
struct Registers<16> {
  typedef float V __attribute__((vector_size(16)));
};
template <>
struct Registers<32> {
  typedef float V __attribute__((vector_size(32)));
};
template <>
struct Registers<64> {
  typedef float V __attribute__((vector_size(64)));
};

// Sums in registers, more than a multiplication with addition takes cycles:
// nothing waits for anything. The compiler makes one instruction of the two
// (this file alone is compiled so, beside the dense products).
template <int kBytes>
struct SumsBody {
  static constexpr int kSums = 12;
  using V = typename Registers<kBytes>::V;

  GK_INLINE static float Run(int64_t turns) {
    V sums[kSums], factor, addend;
    for (size_t i = 0; i < sizeof(V) / sizeof(float); ++i) {
      factor[i] = 0.5f;
      addend[i] = 1.0f;
    }
#pragma GCC unroll 12
    for (int k = 0; k < kSums; ++k) sums[k] = addend * float(k);
    for (int64_t t = 0; t < turns; ++t) {
#pragma GCC unroll 12
      for (int k = 0; k < kSums; ++k) sums[k] = sums[k] * factor + addend;
    }
    V all = sums[0];
    for (int k = 1; k < kSums; ++k) all += sums[k];
    return all[0];
  }
  static double Operations(int64_t turns) {
    return 2.0 * kSums * (sizeof(V) / sizeof(float)) *
           static_cast<double>(turns);
  }
};

template <int kBytes>
double FlopsOnAllThreads(float (*run)(int64_t)) {
  ThreadPool& pool = ThreadPool::Global();
  const int threads = pool.num_threads();
  constexpr int64_t kTurns = 100'000;
  double best = 0;
  volatile float sink = 0;
  for (int attempt = 0; attempt < 5; ++attempt) {
    const double start = Seconds();
    pool.ParallelFor(threads, [&](int64_t) { sink = run(kTurns); });
    const double passed = Seconds() - start;
    best = std::max(best, threads * SumsBody<kBytes>::Operations(kTurns) /
                              std::max(passed, 1e-9));
  }
  return best;
}

double Flops() {
  switch (CurrentIsa()) {
    case Isa::kV4:
      return FlopsOnAllThreads<64>(
          Stamp<SumsBody<64>, float(int64_t)>::Only<Isa::kV4>());
    case Isa::kV3:
      return FlopsOnAllThreads<32>(
          Stamp<SumsBody<32>, float(int64_t)>::Only<Isa::kV3>());
    case Isa::kV2:
      break;
  }
  return FlopsOnAllThreads<16>(
      Stamp<SumsBody<16>, float(int64_t)>::Only<Isa::kV2>());
}

// Copies what is larger than caches, by all threads.
double Bandwidth() {
  constexpr int64_t kBytes = int64_t{48} << 20;
  const int64_t threads = ThreadPool::Global().num_threads();
  const std::unique_ptr<char[]> from(new char[kBytes]), to(new char[kBytes]);
  std::memset(from.get(), 1, kBytes);
  std::memset(to.get(), 1, kBytes);
  double best = 0;
  for (int attempt = 0; attempt < 3; ++attempt) {
    const double start = Seconds();
    ThreadPool::Global().ParallelFor(threads, [&](int64_t i) {
      const int64_t begin = kBytes * i / threads;
      const int64_t end = kBytes * (i + 1) / threads;
      std::memcpy(to.get() + begin, from.get() + begin, end - begin);
    });
    best = std::max(best, 2.0 * kBytes / std::max(Seconds() - start, 1e-9));
  }
  return best;
}

}  // namespace

const MachinePeak& MeasuredPeak() {
  static const MachinePeak peak{Flops(), Bandwidth()};
  return peak;
}

}  // namespace gk
