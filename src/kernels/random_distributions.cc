#include "kernels/random_distributions.h"

#include <math.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace gk {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// Pairs of doubles from one block, handed out last first.
class UniformPairs {
 public:
  explicit UniformPairs(PhiloxStream* stream) : stream_(stream) {}
  double Next() {
    if (left_ == 0) {
      for (double& v : pair_) v = stream_->Double();
      left_ = 2;
    }
    return pair_[--left_];
  }

 private:
  PhiloxStream* stream_;
  double pair_[2] = {0, 0};
  int left_ = 0;
};

class NormalPairs {
 public:
  explicit NormalPairs(PhiloxStream* stream) : stream_(stream) {}
  double Next() {
    // The second of a pair is often not asked for.
    second_ = !second_;
    if (!second_) return std::sin(angle_) * radius_;
    const double u = std::max(stream_->Double(), 1.0e-7);
    angle_ = 2.0 * std::numbers::pi * stream_->Double();
    radius_ = std::sqrt(-2.0 * std::log(u));
    return std::cos(angle_) * radius_;
  }

 private:
  PhiloxStream* stream_;
  double angle_ = 0, radius_ = 0;
  bool second_ = false;
};

// Knuth: the number of uniforms whose product stays above e^-rate.
double PoissonByProducts(UniformPairs* uniform, double rate, double limit) {
  const double floor = std::exp(-rate);
  double product = 1;
  for (double k = 0;; ++k) {
    product *= uniform->Next();
    if (product <= floor && k <= limit) return k;
  }
}

// Hoermann, "The transformed rejection method for generating Poisson random
// variables", Insurance: Mathematics and Economics 12 (1993), algorithm PTRS.
double PoissonByRejection(UniformPairs* uniform, double rate, double limit) {
  const double log_rate = std::log(rate);
  const double b = 0.931 + 2.53 * std::sqrt(rate);
  const double a = -0.059 + 0.02483 * b;
  const double inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
  while (true) {
    const double u = uniform->Next() - 0.5;
    const double v = uniform->Next();
    const double us = 0.5 - std::abs(u);
    const double k = std::floor((2 * a / us + b) * u + rate + 0.43);
    if (k > limit) continue;
    if (us >= 0.07 && v <= 0.9277 - 3.6224 / (b - 2)) return k;
    if (k < 0 || (us < 0.013 && v > us)) continue;
    int sign;
    if (std::log(v * inverse_alpha / (a / (us * us) + b)) <=
        -rate + k * log_rate - lgamma_r(k + 1, &sign)) {
      return k;
    }
  }
}

// How many of n rising numbers are not above x: no branch depends on them.
int64_t CountUpTo(const double* rising, int64_t n, double x) {
  const double* from = rising;
  while (n > 1) {
    const int64_t half = n / 2;
    from += half * static_cast<int64_t>(from[half - 1] <= x);
    n -= half;
  }
  return from - rising + (n == 1 && *from <= x);
}

// How many geometric gaps fit into the trials.
double BinomialByGaps(UniformPairs* uniform, double count, double chance) {
  const double scale = std::log1p(-chance);
  double sum = 0;
  for (double n = 0;; ++n) {
    sum += std::ceil(std::log(uniform->Next()) / scale);
    if (!(sum <= count)) return n;
  }
}

// What Stirling's approximation of ln k! lacks.
double StirlingTail(double k) {
  constexpr double kSmall[] = {0.0810614667953272,  0.0413406959554092,
                               0.0276779256849983,  0.02079067210376509,
                               0.0166446911898211,  0.0138761288230707,
                               0.0118967099458917,  0.0104112652619720,
                               0.00925546218271273, 0.00833056343336287};
  if (k <= 9) return kSmall[static_cast<int>(std::max(k, 0.0))];
  const double s = (k + 1) * (k + 1);
  return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / s) / s) / (k + 1);
}

// Hoermann, "The generation of binomial random variates", Journal of
// Statistical Computation and Simulation 46 (1993), algorithm BTRS.
double BinomialByRejection(UniformPairs* uniform, double count, double chance) {
  const double deviation = std::sqrt(count * chance * (1 - chance));
  const double b = 1.15 + 2.53 * deviation;
  const double a = -0.0873 + 0.0248 * b + 0.01 * chance;
  const double c = count * chance + 0.5;
  const double inner = 0.92 - 4.2 / b;
  const double odds = chance / (1 - chance);
  const double alpha = (2.83 + 5.1 / b) * deviation;
  const double mode = std::floor((count + 1) * chance);
  while (true) {
    const double u = uniform->Next() - 0.5;
    double v = uniform->Next();
    const double us = 0.5 - std::abs(u);
    const double k = std::floor((2 * a / us + b) * u + c);
    if (us >= 0.07 && v <= inner) return k;
    if (k < 0 || k > count) continue;
    v = std::log(v * alpha / (a / (us * us) + b));
    const double most =
        (mode + 0.5) * std::log((mode + 1) / (odds * (count - mode + 1))) +
        (count + 1) * std::log((count - mode + 1) / (count - k + 1)) +
        (k + 0.5) * std::log(odds * (count - k + 1) / (k + 1)) +
        StirlingTail(mode) + StirlingTail(count - mode) - StirlingTail(k) -
        StirlingTail(count - k);
    if (v <= most) return k;
  }
}

}  // namespace

double RandomBinomial(const Philox& gen, uint64_t index, double count,
                      double chance, bool many) {
  if (std::isnan(count) || std::isnan(chance) || std::isinf(count)) {
    return count <= 0 ? 0 : kNan;
  }
  if (count <= 0 || chance <= 0) return 0;
  if (chance >= 1) return count;
  Philox at = gen;
  // TensorFlow sets fewer blocks aside for the values of rare outcomes.
  constexpr uint64_t kBlocksOfGaps = 42;
  if (many) {
    at.SkipValues(index);
  } else {
    at.Skip(kBlocksOfGaps * index);
  }
  PhiloxStream stream(at);
  UniformPairs uniform(&stream);
  const bool rare = chance <= 0.5;
  const double rarer = rare ? chance : 1 - chance;
  const double n = many ? BinomialByRejection(&uniform, count, rarer)
                        : BinomialByGaps(&uniform, count, rarer);
  return rare ? n : count - n;
}

double RandomGamma(const Philox& gen, uint64_t index, double alpha) {
  if (!(alpha > 0) || std::isinf(alpha)) return kNan;
  Philox at = gen;
  at.SkipValues(index);
  PhiloxStream stream(at);
  UniformPairs uniform(&stream);
  if (alpha == 1) return -std::log1p(-uniform.Next());
  NormalPairs normal(&stream);
  // Marsaglia and Tsang, "A simple method for generating gamma variables",
  // ACM Transactions on Mathematical Software 26 (2000).
  const bool below_one = alpha < 1;
  const double d = alpha + (below_one ? 2.0 / 3 : -1.0 / 3);
  const double c = 1.0 / 3 / std::sqrt(d);
  while (true) {
    const double x = normal.Next();
    double v = 1 + c * x;
    if (v <= 0) continue;
    v = v * v * v;
    const double u = uniform.Next();
    if (u < 1 - 0.0331 * (x * x) * (x * x) ||
        std::log(u) < 0.5 * x * x + d * (1 - v + std::log(v))) {
      const double y = d * v;
      return below_one ? y * std::pow(uniform.Next(), 1 / alpha) : y;
    }
  }
}

double RandomPoisson(const Philox& gen, uint64_t index, double rate,
                     double limit) {
  if (!(rate >= 0)) return kNan;
  if (std::isinf(rate)) return rate;
  Philox at = gen;
  at.SkipValues(index);
  PhiloxStream stream(at);
  UniformPairs uniform(&stream);
  // Rejection cannot end where nearly every deviate passes the limit.
  if (rate >= limit) return limit;
  return rate < 10 ? PoissonByProducts(&uniform, rate, limit)
                   : PoissonByRejection(&uniform, rate, limit);
}

template <class T>
void RandomCategorical(const Philox& gen, const T* logits, int64_t rows,
                       int64_t classes, int64_t samples, double* scratch,
                       int64_t* out) {
  PhiloxStream stream(gen);
  for (int64_t row = 0; row < rows; ++row, logits += classes) {
    T top = std::numeric_limits<T>::lowest();
    for (int64_t j = 0; j < classes; ++j) {
      if (std::isfinite(logits[j])) top = std::max(top, logits[j]);
    }
    double total = 0;
    int64_t last = 0;
    for (int64_t j = 0; j < classes; ++j) {
      if (std::isfinite(logits[j])) {
        total += std::exp(static_cast<double>(logits[j]) - double{top});
        last = j;
      }
      scratch[j] = total;
    }
    for (int64_t i = 0; i < samples; ++i) {
      const double target = stream.Double() * total;
      const int64_t found = CountUpTo(scratch, classes, target);
      // Rounding may carry the target to the total itself.
      *out++ = std::min(found, last);
    }
  }
}

template void RandomCategorical<float>(const Philox&, const float*, int64_t,
                                       int64_t, int64_t, double*, int64_t*);
template void RandomCategorical<double>(const Philox&, const double*, int64_t,
                                        int64_t, int64_t, double*, int64_t*);

}  // namespace gk
