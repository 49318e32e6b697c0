// The objects of a program as a checkpoint names them: a graph from a root,
// whose tensors have the way to their object as key.
#ifndef GK_CHECKPOINT_OBJECT_GRAPH_H_
#define GK_CHECKPOINT_OBJECT_GRAPH_H_

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "checkpoint/bundle_reader.h"
#include "checkpoint/sharding.h"
#include "checkpoint/trackable.h"
#include "proto/checkpoint.gk.h"

namespace gk {

// One object of a walk, with the way to it as part of a key, its children,
// {name, place in the walk}, and its slots.
struct WalkedObject {
  TrackablePtr object;
  std::string path;
  std::vector<std::pair<std::string, int>> children;
  std::vector<proto::TrackableObjectGraph_TrackableObject_SlotVariableReference>
      slots;
};
// What is in reach of an object, each once, those nearer to it first, then
// slots. Throws Error, Unimplemented, if a slot is in reach otherwise, too, or
// has more than a value.
std::vector<WalkedObject> WalkObjects(const TrackablePtr& root,
                                      bool with_slots = true);
// The same without how they hang together.
std::vector<TrackablePtr> ReachableObjects(const TrackablePtr& root,
                                           bool with_slots = true);

// Tensors that are to be written: a snapshot that later assignments do not
// change. The graph is written as another one.
struct ObjectSnapshot {
  std::vector<ShardableTensor> tensors;
  proto::TrackableObjectGraph graph;
};
ObjectSnapshot TakeSnapshot(const std::vector<WalkedObject>& objects);
inline ObjectSnapshot TakeSnapshot(const TrackablePtr& root) {
  return TakeSnapshot(WalkObjects(root));
}
// Writes one, as one data file if no policy has another opinion. Safe to do
// from another thread than the one that took it. Throws Error of the policy.
Status WriteSnapshot(const ObjectSnapshot& snapshot, const std::string& prefix,
                     const ShardingPolicy& policy = {});

// "a/b" of a checkpoint in words: "(root).a.b", by node.
std::vector<std::string> NodeNames(const proto::TrackableObjectGraph& graph);

// The graph of a checkpoint, checked; nothing if that has none (names are all
// there is). DataLoss for one that is none.
StatusOr<std::optional<proto::TrackableObjectGraph>> ReadObjectGraph(
    const BundleReader& reader);

// The keys of values by what they were called when they were written: variables
// by their names.
std::map<std::string, std::string> KeysByFullName(
    const proto::TrackableObjectGraph& graph);

// DataLoss for a graph whose numbers name no nodes.
Status CheckObjectGraph(const proto::TrackableObjectGraph& graph);

}  // namespace gk

#endif  // GK_CHECKPOINT_OBJECT_GRAPH_H_
