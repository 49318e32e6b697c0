#include "function/trace_history.h"

#include <algorithm>
#include <utility>

namespace gk {
namespace {

// Of many traces only the latest are looked at for the one most alike.
constexpr size_t kMaxCompared = 128;

// How unlike two types are: first by the number of differences, then by the
// number of those that no type covers.
std::pair<size_t, size_t> Distance(
    const std::vector<TypeDifference>& differences) {
  const auto uncovered =
      std::count_if(differences.begin(), differences.end(),
                    [](const TypeDifference& d) { return d.common.empty(); });
  return {differences.size(), static_cast<size_t>(uncovered)};
}

}  // namespace

int TraceHistory::Note(const FunctionType& request, const FunctionType& traced,
                       std::span<const Known> known, CallSite site,
                       double seconds, std::vector<TypeDifference> guards) {
  TraceRecord record;
  record.type = request.Text();
  record.traced = traced.Text();
  record.site = std::move(site);
  record.seconds = seconds;
  if (known.size() > kMaxCompared) known = known.last(kMaxCompared);
  // Compares by code of the host language, so without the lock.
  for (const Known& k : known) {
    std::vector<TypeDifference> differences = Differences(*k.type, request);
    if (record.compared_to == 0 ||
        Distance(differences) <= Distance(record.differences)) {
      record.compared_to = k.number;
      record.differences = std::move(differences);
    }
  }
  const bool guarded = !guards.empty();
  if (guarded) record.differences = std::move(guards);
  std::lock_guard lock(mutex_);
  for (const TraceRecord& r : records_) {
    if (!guarded && r.evicted && !r.dead && r.type == record.type) {
      record.compared_to = r.number;
      record.differences = {
          {"", RetraceCause::kEvicted, r.type, record.type, ""}};
    }
  }
  record.number = ++num_traces_;
  if (records_.size() >= kMaxRecords) records_.pop_front();
  records_.push_back(std::move(record));
  return num_traces_;
}

void TraceHistory::NoteEviction(int number, bool dead) {
  std::lock_guard lock(mutex_);
  for (TraceRecord& r : records_) {
    if (r.number != number) continue;
    r.evicted = true;
    r.dead = dead;
  }
}

std::vector<TraceRecord> TraceHistory::records() const {
  std::lock_guard lock(mutex_);
  return {records_.begin(), records_.end()};
}

int TraceHistory::num_traces() const {
  std::lock_guard lock(mutex_);
  return num_traces_;
}

void TraceHistory::Clear() {
  std::lock_guard lock(mutex_);
  num_traces_ = 0;
  records_.clear();
}

}  // namespace gk
