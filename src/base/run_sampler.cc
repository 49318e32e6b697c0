#include "base/run_sampler.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "base/per_thread.h"

namespace gk {
namespace {

// Of the time of a run recording and counting may take this part; recording
// has a quarter of that at least.
constexpr double kShare = 0.03;
constexpr int64_t kMostRuns = 1000;
// The mean is that of about as many runs.
constexpr double kRunsOfMean = 8;

struct Samplers {
  struct Found {
    const RunTypes* types = nullptr;
    RunSampler* sampler = nullptr;
  };
  static constexpr size_t kFound = 64;
  Found found[kFound];  // by addresses; others are looked for
  // Types are kept while they are recorded; a later one at the same address is
  // of another recording, where samplers begin anew.
  std::unordered_map<const RunTypes*, RunSampler> all;
};

}  // namespace

RunSampler& RunSampler::Here(const RunTypes& types) {
  auto& samplers = PerThread<Samplers, Samplers>::Get();
  constexpr int kAlignment = 6;  // bits
  const size_t place = reinterpret_cast<uintptr_t>(&types) >> kAlignment;
  Samplers::Found& found = samplers.found[place % Samplers::kFound];
  if (found.types != &types) [[unlikely]] {
    found = {&types, &samplers.all[&types]};
  }
  return *found.sampler;
}

RunRecording RunSampler::BeginRecorded(RunRecording outer) {
  if (const uint32_t number = EventLog::Number(); number_ != number) {
    number_ = number;
    every_ = 1;
    mean_ = 0;
  }
  count_ = nullptr;
  left_ = 0;
  if (!EventLog::Samples()) return RunRecording::kAlways;
  if (outer == RunRecording::kAlways) {
    if (every_ == 1) return RunRecording::kAlways;
    left_ = Random() % (2 * every_ - 1);
  }
  count_ = EventLog::NewRunCount();
  return RunRecording::kSampled;
}

void RunSampler::End(int64_t ticks, int64_t cost) {
  const auto own = static_cast<double>(std::max<int64_t>(ticks - cost, 1));
  mean_ += mean_ == 0 ? own : (own - mean_) / kRunsOfMean;
  const double most = kShare * mean_;
  every_ = 1;
  if (static_cast<double>(cost) <= most) return;
  // To count one costs about what a reading of the clock does.
  const double left =
      std::max(most - static_cast<double>(EventLog::ClockCost()), most / 4);
  every_ = static_cast<int64_t>(
      std::clamp(std::ceil(static_cast<double>(cost) / left), 2.0,
                 static_cast<double>(kMostRuns)));
}

uint32_t RunSampler::Random() {
  random_ ^= random_ << 13;
  random_ ^= random_ >> 17;
  random_ ^= random_ << 5;
  return random_;
}

}  // namespace gk
