#include "function/retracing_detector.h"

namespace gk {
namespace {

constexpr int64_t kWindow = 10;
constexpr size_t kThreshold = 5;
constexpr int kMostWarnings = 2;

}  // namespace

std::optional<RetracingDetector::Excess> RetracingDetector::NoteTracedCall() {
  std::lock_guard lock(mutex_);
  if (const int64_t cached = cached_.exchange(0, std::memory_order_relaxed)) {
    if (calls_.empty()) calls_.push_back(0);
    calls_.back() += cached;
    total_ += cached;
  }
  calls_.push_back(1);
  ++total_;
  while (total_ - calls_.front() > kWindow) {
    total_ -= calls_.front();
    calls_.pop_front();
  }
  if (calls_.size() < kThreshold || warnings_ >= kMostWarnings) return {};
  ++warnings_;
  return Excess{calls_.size(), total_};
}

}  // namespace gk
