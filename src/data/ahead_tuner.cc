#include "data/ahead_tuner.h"

#include <algorithm>
#include <cmath>

namespace gk {
namespace {

// Bytes in advance where nobody says.
constexpr int64_t kDefaultBudget = int64_t{1} << 30;

constexpr int64_t kFirst = 2;
// How many elements must come without a wait before one less is made.
constexpr int64_t kCalm = 32;
// What elements that are made in any case may take.
constexpr double kFewBytes = 4 << 20;

void Average(double value, double* average) {
  constexpr double kNew = 1.0 / 16;
  *average = *average == 0 ? value : *average + kNew * (value - *average);
}

}  // namespace

AheadOptions TunedAhead(const std::shared_ptr<PassResources>& resources,
                        int64_t most) {
  AheadOptions options(most);
  options.tuned = resources == nullptr || resources->autotune();
  options.ram_budget = resources != nullptr && resources->ram_budget() > 0
                           ? resources->ram_budget()
                           : kDefaultBudget;
  options.resources = resources;
  return options;
}

AheadTuner::AheadTuner(const AheadOptions& options, bool prefetches)
    : most_(options.limit),
      ram_budget_(options.ram_budget),
      tuned_(options.tuned),
      prefetches_(prefetches),
      limit_(tuned_ ? std::min(kFirst, most_) : most_),
      room_(limit_) {}

void AheadTuner::Asked() {
  waited_ = false;
  if (tuned_ && given_ != Clock::time_point()) Average(Since(given_), &pause_);
}

void AheadTuner::Gives(const TensorVector& element) {
  if (!tuned_) return;
  double bytes = 0;
  for (const Tensor& t : element) bytes += static_cast<double>(t.byte_size());
  Average(bytes, &bytes_);
  Adapt();
  given_ = Clock::now();
}

void AheadTuner::Made(double seconds) { Average(seconds, &cost_); }

void AheadTuner::Adapt() {
  needed_ = std::max(std::ceil(cost_ / std::max(pause_, 1e-9)), 1.0);
  if (waited_) {
    calm_ = 0;
    limit_ = 2 * limit_;
  } else if (++calm_ >= kCalm) {
    calm_ = 0;
    const double needed = std::max(needed_ + 1, static_cast<double>(few_));
    if (static_cast<double>(limit_) > needed) --limit_;
  }
  few_ = Few();
  limit_ = std::min(std::max(limit_, few_), most_);
  room_ = prefetches_ ? limit_ : 2 * limit_;
  if (ram_budget_ > 0 && bytes_ > 0) {
    const double fit = static_cast<double>(ram_budget_) / bytes_;
    if (fit < static_cast<double>(room_)) room_ = static_cast<int64_t>(fit);
  }
  room_ = std::max<int64_t>(room_, 1);
  limit_ = std::min(limit_, room_);
}

int64_t AheadTuner::Few() const {
  if (!prefetches_ || bytes_ == 0) return 0;
  const auto fit = static_cast<int64_t>(kFewBytes / bytes_);
  return std::min({kFew, fit, most_});
}

}  // namespace gk
