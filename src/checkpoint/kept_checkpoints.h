// KeptCheckpoints: which of a folder's checkpoints stay. It is told of each
// that was written, deletes those that are too many, and notes the others in
// the folder's file "checkpoint", where it finds them again.
#ifndef GK_CHECKPOINT_KEPT_CHECKPOINTS_H_
#define GK_CHECKPOINT_KEPT_CHECKPOINTS_H_

#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "proto/checkpoint.gk.h"

namespace gk {

// Times are seconds since 1970. Not thread-safe.
class KeptCheckpoints {
 public:
  struct Limits {
    std::optional<int64_t> most;  // how many stay; all unless given
    // One that would go stays for ever if it is so much newer than the last
    // that stayed so; 0: none does.
    double hours = 0;
    // How many steps are between two at least.
    std::optional<int64_t> interval;
    std::optional<int64_t> last_step;  // at which one was saved before
  };
  // `state` is what the folder's file says, if there is one. ValueError of a
  // limit that is not positive.
  static StatusOr<KeptCheckpoints> Open(
      std::string folder, const Limits& limits,
      const std::optional<proto::CheckpointState>& state, double now);

  // Is one to be saved at that step? Two never are at one step; nothing is
  // while the interval is not over, unless that is not asked. A step for which
  // the answer is yes counts as the last one.
  bool IsDue(int64_t step, bool check_interval);
  // What the program goes on from is of that step.
  void RestoredAt(int64_t step) { limits_.last_step = step; }

  // One was written. The file says so before an old one is deleted: whoever
  // reads in between finds the new one.
  Status Add(const std::string& path, double now);

  // The newest one; nothing if there is none.
  const std::optional<std::string>& latest() const { return latest_; }
  // Oldest first, without those that stay for ever.
  std::vector<std::string> paths() const;
  // By how much the clock was behind what the file says, when it was opened.
  double seconds_behind() const { return behind_; }
  std::optional<int64_t> interval() const { return limits_.interval; }

 private:
  KeptCheckpoints() = default;
  Status Note() const;
  Status Sweep();

  struct Kept {
    std::string path;
    double saved = 0;
  };
  std::string folder_;
  Limits limits_;
  std::vector<Kept> kept_;
  std::optional<std::string> latest_;
  double preserved_ = 0;  // when the last was saved that stays for ever
  double behind_ = 0;
};

}  // namespace gk

#endif  // GK_CHECKPOINT_KEPT_CHECKPOINTS_H_
