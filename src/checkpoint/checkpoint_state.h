// The text file "checkpoint" beside checkpoints: which ones there are.
#ifndef GK_CHECKPOINT_CHECKPOINT_STATE_H_
#define GK_CHECKPOINT_CHECKPOINT_STATE_H_

#include <optional>
#include <string>

#include "base/status.h"
#include "proto/checkpoint.gk.h"

namespace gk {

inline constexpr char kCheckpointStateFile[] = "checkpoint";

// Its paths become paths in `folder`. Nothing without such a file;
// InvalidArgument for one that is no state.
StatusOr<std::optional<proto::CheckpointState>> ReadCheckpointState(
    const std::string& folder, const std::string& file = kCheckpointStateFile);
// Paths in `folder` are written without it, so that it can be moved.
Status WriteCheckpointState(const std::string& folder,
                            proto::CheckpointState state,
                            const std::string& file = kCheckpointStateFile);

// The newest one, if it is there.
StatusOr<std::optional<std::string>> LatestCheckpoint(
    const std::string& folder);

}  // namespace gk

#endif  // GK_CHECKPOINT_CHECKPOINT_STATE_H_
