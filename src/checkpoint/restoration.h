// Restoration: one checkpoint that is put back into the objects of a program,
// those that are there and those that come later.
//
// An object is matched to the one of the checkpoint that was reached by the
// same names. All tensors of the objects that are there are read before the
// first value is assigned. Not thread-safe; holds the objects that were
// matched, and is held by those that wait for others.
#ifndef GK_CHECKPOINT_RESTORATION_H_
#define GK_CHECKPOINT_RESTORATION_H_

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "checkpoint/bundle_reader.h"
#include "checkpoint/trackable.h"
#include "proto/checkpoint.gk.h"

namespace gk {

class Restoration : public std::enable_shared_from_this<Restoration> {
 public:
  // Restores `root` and what is in its reach. Of a checkpoint without objects,
  // in which variables have their names (tf.compat.v1.train.Saver), by those.
  // Without slots, those of the program keep their values and are not missed.
  static StatusOr<std::shared_ptr<Restoration>> Start(
      std::shared_ptr<BundleReader> reader, const TrackablePtr& root,
      bool with_slots = true);

  // The object that node was waited for is there.
  Status Resume(int node, const TrackablePtr& object);

  // Of a node of the checkpoint that was waited for: is it a variable and no
  // more? Its value.
  bool IsVariable(int node) const;
  StatusOr<Tensor> ValueOf(int node) const;

  // Of this among all: a later one has a greater one.
  int64_t number() const { return number_; }
  bool by_name() const { return by_name_; }
  const BundleReader& reader() const { return *reader_; }

  // What the status objects assert; FailedPrecondition with TensorFlow's words.
  // `root` is the program's as it is now.
  Status AssertConsumed(const TrackablePtr& root) const;
  Status AssertExistingObjectsMatched(const TrackablePtr& root) const;
  Status AssertNontrivialMatch(const TrackablePtr& root) const;
  // Not asked for by name: their absence is no error.
  void AddOptional(const TrackablePtr& object);

  // What nobody asked for, in words: the names of nodes whose values were not
  // restored, and of values that their object does not have.
  struct Unused {
    std::vector<std::string> nodes;
    std::vector<std::string> values;
  };
  Unused UnusedValues() const;

  // Pairs of objects, in words, that are one in the checkpoint and of which the
  // second came later, since this was asked last.
  std::vector<std::string> TakeSplitObjects() {
    return std::exchange(split_objects_, {});
  }

 private:
  Restoration(std::shared_ptr<BundleReader> reader, bool with_slots);
  using Queue = std::vector<std::pair<int, TrackablePtr>>;
  // False if the node has its object already.
  bool Bind(int node, const TrackablePtr& object);
  Status RestoreReachable(Queue queue);
  // Slots that the object, of that node, has or is to have.
  Status RestoreSlots(int node, const TrackablePtr& object, Queue* queue);
  Status RestoreByName(const TrackablePtr& root);
  // What was read of an object's value. All is read before one is assigned.
  struct PendingValue {
    TrackablePtr object;
    std::string value;
    TensorVector tensors;
  };
  void Assign(const std::vector<PendingValue>& pending) const;
  std::vector<TrackablePtr> Unmatched(const TrackablePtr& root) const;
  // Nodes that nobody is to ask for.
  std::set<int> SkippedSlots() const;

  const std::shared_ptr<BundleReader> reader_;
  const int64_t number_;  // of this among all, from 1
  proto::TrackableObjectGraph graph_;
  bool by_name_ = false;
  const bool with_slots_;
  std::map<int, TrackablePtr> objects_;  // by node
  std::map<int, std::vector<std::string>> unused_values_;
  // Slots that wait for their variable, by its node, and those that wait for
  // their optimizer, by the optimizer's.
  struct SlotToRestore {
    int optimizer = 0, node = 0;
    std::string name;
    TrackablePtr variable;  // once it is there
  };
  std::map<int, std::vector<SlotToRestore>> slots_of_variables_;
  std::map<int, std::vector<SlotToRestore>> slots_of_optimizers_;
  std::vector<TrackablePtr> optional_;
  std::vector<std::string> split_objects_;
};

}  // namespace gk

#endif  // GK_CHECKPOINT_RESTORATION_H_
