#include "checkpoint/kept_checkpoints.h"

#include <algorithm>
#include <utility>

#include "checkpoint/bundle_files.h"
#include "checkpoint/checkpoint_state.h"

namespace gk {
namespace {

constexpr double kHour = 3600;

}  // namespace

StatusOr<KeptCheckpoints> KeptCheckpoints::Open(
    std::string folder, const Limits& limits,
    const std::optional<proto::CheckpointState>& state, double now) {
  if (limits.most && *limits.most <= 0) {
    return ValueError(
        "Expected a positive integer or `None` for `max_to_keep`, got {}.",
        *limits.most);
  }
  KeptCheckpoints made;
  made.folder_ = std::move(folder);
  made.limits_ = limits;
  if (!state || state->model_checkpoint_path.empty()) {
    // A manager that is made again at once keeps what this one saves.
    made.preserved_ = now - 1;
    return made;
  }
  made.latest_ = state->model_checkpoint_path;
  made.preserved_ = state->last_preserved_timestamp;
  if (now < made.preserved_) {
    made.behind_ = made.preserved_ - now;
    made.preserved_ = now;
  }
  const auto& times = state->all_model_checkpoint_timestamps;
  const auto& paths = state->all_model_checkpoint_paths;
  for (size_t i = 0; i < paths.size(); ++i) {
    if (!times.empty() && i >= times.size()) break;
    const double saved = times.empty() ? made.preserved_ : times[i];
    if (std::min(saved, now) > made.preserved_) {
      made.kept_.push_back({paths[i], std::min(saved, now)});
    }
  }
  return made;
}

bool KeptCheckpoints::IsDue(int64_t step, bool check_interval) {
  if (!limits_.interval) return true;
  if (const auto& last = limits_.last_step) {
    if (step == *last) return false;
    if (check_interval && step < *last + *limits_.interval) return false;
  }
  limits_.last_step = step;
  return true;
}

Status KeptCheckpoints::Add(const std::string& path, double now) {
  std::erase_if(kept_, [&](const Kept& k) { return k.path == path; });
  kept_.push_back({path, now});
  latest_ = path;
  GK_RETURN_IF_ERROR(Note());
  GK_RETURN_IF_ERROR(Sweep());
  return Note();
}

std::vector<std::string> KeptCheckpoints::paths() const {
  std::vector<std::string> paths;
  for (const Kept& k : kept_) paths.push_back(k.path);
  return paths;
}

Status KeptCheckpoints::Note() const {
  proto::CheckpointState state;
  state.model_checkpoint_path = latest_.value_or("");
  for (const Kept& k : kept_) {
    state.all_model_checkpoint_paths.push_back(k.path);
    state.all_model_checkpoint_timestamps.push_back(k.saved);
  }
  state.last_preserved_timestamp = preserved_;
  return WriteCheckpointState(folder_, std::move(state));
}

Status KeptCheckpoints::Sweep() {
  while (limits_.most && kept_.size() > static_cast<size_t>(*limits_.most)) {
    const Kept oldest = kept_.front();
    kept_.erase(kept_.begin());
    if (limits_.hours > 0 &&
        oldest.saved - limits_.hours * kHour >= preserved_) {
      preserved_ = oldest.saved;
      continue;
    }
    GK_RETURN_IF_ERROR(DeleteBundle(oldest.path));
  }
  return OkStatus();
}

}  // namespace gk
