#include "graphkiln/checkpoint_manager.h"

#include <mutex>
#include <utility>

#include "api/inner.h"
#include "base/wall_time.h"
#include "checkpoint/checkpoint_state.h"
#include "checkpoint/kept_checkpoints.h"
#include "io/path.h"

namespace gk::api {
namespace {

KeptCheckpoints KeptIn(const std::string& folder,
                       const CheckpointManagerOptions& options) {
  if (options.checkpoint_interval && !options.step_counter) {
    ThrowUnlessOk(ValueError(
        "`step_counter` should be passed if `checkpoint_interval` is not "
        "None."));
  }
  const KeptCheckpoints::Limits limits{
      options.max_to_keep, options.keep_checkpoint_every_n_hours,
      options.checkpoint_interval, options.last_checkpoint_step};
  return ValueOrThrow(KeptCheckpoints::Open(
      folder, limits, ValueOrThrow(ReadCheckpointState(folder)), WallTime()));
}

int64_t IntegerOf(const Variable& v) {
  const auto value = Inner(v.value());
  if (value.num_elements() == 1 && value.dtype() == ::gk::DataType::kInt64) {
    return value.scalar<int64_t>();
  }
  if (value.num_elements() == 1 && value.dtype() == ::gk::DataType::kInt32) {
    return value.scalar<int32_t>();
  }
  ThrowUnlessOk(InvalidArgument(
      "The counter '{}' is {}, expected one integer (int32 or int64)", v.name(),
      value.DebugString(1)));
  return 0;
}

}  // namespace

struct CheckpointManager::Rep {
  // What a checkpoint that is being written by another thread holds of this.
  struct Kept {
    explicit Kept(KeptCheckpoints of) : checkpoints(std::move(of)) {}
    std::mutex mutex;
    KeptCheckpoints checkpoints;
  };

  Rep(const Checkpoint& of, const std::string& folder,
      CheckpointManagerOptions given)
      : checkpoint(of),
        directory(folder),
        options(std::move(given)),
        kept(std::make_shared<Kept>(KeptIn(folder, options))) {}

  int64_t Step() const { return IntegerOf(*options.step_counter); }

  const Checkpoint checkpoint;
  const std::string directory;
  const CheckpointManagerOptions options;
  const std::shared_ptr<Kept> kept;
};

CheckpointManager::CheckpointManager(const Checkpoint& checkpoint,
                                     const std::string& directory,
                                     CheckpointManagerOptions options) {
  Guarded([&] {
    EnsureReady();
    rep_ = std::make_shared<Rep>(checkpoint, directory, std::move(options));
  });
}

std::optional<std::string> CheckpointManager::save(
    const ManagedSaveOptions& options) const {
  return Guarded([&]() -> std::optional<std::string> {
    if (rep_->options.checkpoint_interval) {
      const int64_t step = rep_->Step();
      const std::lock_guard lock(rep_->kept->mutex);
      if (!rep_->kept->checkpoints.IsDue(step, options.check_interval))
        return std::nullopt;
    }
    const Variable counter = rep_->checkpoint.save_counter();
    counter.assign_add(1);
    const int64_t number =
        options.checkpoint_number.value_or(IntegerOf(counter));
    CheckpointOptions noted = options.checkpoint;
    noted.written = [kept = rep_->kept,
                     then = noted.written](const std::string& path) {
      {
        const std::lock_guard lock(kept->mutex);
        ThrowUnlessOk(kept->checkpoints.Add(path, WallTime()));
      }
      if (then) then(path);
    };
    const std::string prefix = std::string(::gk::io::ChildPath(
        rep_->directory,
        Format("{}-{}", rep_->options.checkpoint_name, number)));
    return rep_->checkpoint.write(prefix, noted);
  });
}

std::optional<std::string> CheckpointManager::restore_or_initialize() const {
  return Guarded([&] {
    std::optional<std::string> latest = latest_checkpoint();
    if (latest) {
      rep_->checkpoint.restore(*latest);
      if (rep_->options.checkpoint_interval) {
        const int64_t step = rep_->Step();
        const std::lock_guard lock(rep_->kept->mutex);
        rep_->kept->checkpoints.RestoredAt(step);
      }
    } else if (rep_->options.init) {
      rep_->options.init();
    }
    return latest;
  });
}

void CheckpointManager::sync() const { rep_->checkpoint.sync(); }

const std::string& CheckpointManager::directory() const {
  return rep_->directory;
}
const Checkpoint& CheckpointManager::checkpoint() const {
  return rep_->checkpoint;
}
std::optional<int64_t> CheckpointManager::checkpoint_interval() const {
  return rep_->options.checkpoint_interval;
}
std::optional<std::string> CheckpointManager::latest_checkpoint() const {
  const std::lock_guard lock(rep_->kept->mutex);
  return rep_->kept->checkpoints.latest();
}
std::vector<std::string> CheckpointManager::checkpoints() const {
  const std::lock_guard lock(rep_->kept->mutex);
  return rep_->kept->checkpoints.paths();
}

}  // namespace gk::api
