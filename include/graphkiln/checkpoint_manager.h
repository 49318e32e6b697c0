// CheckpointManager: the newest checkpoints of a program in a folder.
//
//   gk::CheckpointManager manager(checkpoint, "/tmp/run", {.max_to_keep = 3});
//   manager.restore_or_initialize();
//   for (...) { train(); manager.save(); }
#ifndef GRAPHKILN_CHECKPOINT_MANAGER_H_
#define GRAPHKILN_CHECKPOINT_MANAGER_H_

#include <graphkiln/checkpoint.h>
#include <graphkiln/variable.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace gk {
GK_API_NAMESPACE {

// How a CheckpointManager chooses.
struct CheckpointManagerOptions {
  // How many stay; the oldest go. All of them if nothing.
  std::optional<int64_t> max_to_keep = 5;
  // One that would go stays for ever if it is so much newer than the last
  // that stayed so; 0: none does.
  double keep_checkpoint_every_n_hours = 0;
  // What the names of the files begin with.
  std::string checkpoint_name = "ckpt";
  // The step of the training, an integer, and how many steps are between two
  // checkpoints at least.
  std::optional<Variable> step_counter = {};
  std::optional<int64_t> checkpoint_interval = {};
  // Called by restore_or_initialize if there is no checkpoint.
  std::function<void()> init = {};
  // The step at which one was saved before.
  std::optional<int64_t> last_checkpoint_step = {};
};

// Of CheckpointManager::save.
struct ManagedSaveOptions {
  // In the name; by default that of Checkpoint::save_counter, which is
  // counted up anyway.
  std::optional<int64_t> checkpoint_number = {};
  // Is nothing saved if the interval is not over? Two are never saved at one
  // step.
  bool check_interval = true;
  CheckpointOptions checkpoint = {};
};

// A handle; copying shares it. Not thread-safe. A manager of a folder that
// has checkpoints goes on with them.
class GK_EXPORT CheckpointManager {
 public:
  // Throws Error: ValueError if `max_to_keep` is not positive or there is an
  // interval and no counter; InvalidArgument of a file "checkpoint" in the
  // folder that says something else.
  CheckpointManager(const Checkpoint& checkpoint,
                    const std::string& directory,
                    CheckpointManagerOptions options = {});

  // Writes a checkpoint and deletes those that are too many. Gives the path,
  // nothing if it was not yet to be saved. Throws Error of the file system.
  std::optional<std::string> save(
      const ManagedSaveOptions& options = {}) const;
  // Restores the newest checkpoint and gives its path, or calls `init` if
  // there is none. Throws as Checkpoint::restore.
  std::optional<std::string> restore_or_initialize() const;
  // Waits for what another thread writes; throws what went wrong there.
  void sync() const;

  // As they were given.
  const std::string& directory() const;
  const Checkpoint& checkpoint() const;
  std::optional<int64_t> checkpoint_interval() const;
  // The newest one, nothing if there is none.
  std::optional<std::string> latest_checkpoint() const;
  // Those that are kept, oldest first; without those that stay for ever.
  std::vector<std::string> checkpoints() const;

 private:
  struct Rep;
  std::shared_ptr<Rep> rep_;
};

}  // GK_API_NAMESPACE
}  // namespace gk

#endif  // GRAPHKILN_CHECKPOINT_MANAGER_H_
