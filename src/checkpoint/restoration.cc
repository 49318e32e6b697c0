#include "checkpoint/restoration.h"

#include <algorithm>
#include <atomic>
#include <set>

#include "checkpoint/object_graph.h"
#include "framework/long_work.h"

namespace gk {
namespace {

using ObjectNode = proto::TrackableObjectGraph_TrackableObject;

std::atomic<int64_t> next_restoration{1};

std::set<const void*> Identities(const std::map<int, TrackablePtr>& objects) {
  std::set<const void*> identities;
  for (const auto& [node, object] : objects) {
    identities.insert(object->identity());
  }
  return identities;
}

std::string TextOfObjects(const std::vector<TrackablePtr>& objects,
                          size_t most) {
  std::string text = "[";
  for (size_t i = 0; i < std::min(most, objects.size()); ++i) {
    text += Format("{}{}", i == 0 ? "" : ", ", objects[i]->Text());
  }
  return text + "]";
}

// Is an object, or one below it, worth waiting for?
bool HasValues(const ObjectNode& node) {
  if (!node.slot_variables.empty()) return true;
  if (node.has_checkpoint_values) return node.has_checkpoint_values->value;
  return !node.children.empty() || !node.attributes.empty();
}

// The checkpoint's name of a variable's value, where names are all there is.
std::string NameInCheckpoint(const Trackable::Value& value,
                             const std::string& suffix) {
  return value.full_name + suffix;
}

int64_t BytesOf(const BundleReader& reader) {
  int64_t bytes = 0;
  for (const auto& [name, tensor] : reader.tensors()) bytes += tensor.size;
  return bytes;
}

}  // namespace

Restoration::Restoration(std::shared_ptr<BundleReader> reader, bool with_slots)
    : reader_(std::move(reader)),
      number_(next_restoration.fetch_add(1)),
      with_slots_(with_slots) {}

StatusOr<std::shared_ptr<Restoration>> Restoration::Start(
    std::shared_ptr<BundleReader> reader, const TrackablePtr& root,
    bool with_slots) {
  std::shared_ptr<Restoration> made(
      new Restoration(std::move(reader), with_slots));
  GK_ASSIGN_OR_RETURN(auto graph, ReadObjectGraph(*made->reader_));
  LongWork work(WorkUnit::kBytes, "Restoring", "Restored",
                made->reader_->prefix(), BytesOf(*made->reader_));
  made->by_name_ = !graph.has_value();
  if (made->by_name_) {
    GK_RETURN_IF_ERROR(made->RestoreByName(root));
    work.Done();
    return made;
  }
  made->graph_ = *std::move(graph);
  for (size_t i = 0; with_slots && i < made->graph_.nodes.size(); ++i) {
    for (const auto& slot : made->graph_.nodes[i].slot_variables) {
      made->slots_of_variables_[slot.original_variable_node_id].push_back(
          {static_cast<int>(i), slot.slot_variable_node_id, slot.slot_name,
           nullptr});
    }
  }
  GK_RETURN_IF_ERROR(made->Resume(0, root));
  work.Done();
  return made;
}

bool Restoration::Bind(int node, const TrackablePtr& object) {
  // Another way to a node leads to its object, or to one that a program has in
  // place of what was one object; the first keeps the value.
  return objects_.try_emplace(node, object).second;
}

Status Restoration::Resume(int node, const TrackablePtr& object) {
  if (!Bind(node, object)) {
    const TrackablePtr& first = objects_.at(node);
    if (first->identity() != object->identity()) {
      split_objects_.push_back(
          Format("({} and {})", first->Text(), object->Text()));
    }
    return OkStatus();
  }
  return RestoreReachable({{node, object}});
}

Status Restoration::RestoreSlots(int node, const TrackablePtr& object,
                                 Queue* queue) {
  // Making a slot may come back here.
  std::vector<std::pair<TrackablePtr, SlotToRestore>> ready;
  if (auto waiting = slots_of_optimizers_.extract(node)) {
    for (SlotToRestore& slot : waiting.mapped()) {
      ready.emplace_back(object, std::move(slot));
    }
  }
  if (auto waiting = slots_of_variables_.extract(node)) {
    for (SlotToRestore& slot : waiting.mapped()) {
      slot.variable = object;
      const auto optimizer = objects_.find(slot.optimizer);
      if (optimizer != objects_.end()) {
        ready.emplace_back(optimizer->second, std::move(slot));
      } else {
        slots_of_optimizers_[slot.optimizer].push_back(std::move(slot));
      }
    }
  }
  for (const auto& [optimizer, slot] : ready) {
    TrackablePtr made = optimizer->CreateSlot(slot.variable, slot.name,
                                              shared_from_this(), slot.node);
    if (made != nullptr && Bind(slot.node, made)) {
      queue->emplace_back(slot.node, std::move(made));
    }
  }
  return OkStatus();
}

bool Restoration::IsVariable(int node) const {
  const ObjectNode& object = graph_.nodes.at(static_cast<size_t>(node));
  return object.children.empty() && object.attributes.size() == 1 &&
         object.attributes[0].name == kVariableValue;
}

StatusOr<Tensor> Restoration::ValueOf(int node) const {
  const ObjectNode& object = graph_.nodes.at(static_cast<size_t>(node));
  if (!IsVariable(node)) {
    return InvalidArgument("Object {} of the checkpoint {} is no variable",
                           node, reader_->prefix());
  }
  return reader_->Read(object.attributes[0].checkpoint_key);
}

Status Restoration::RestoreReachable(Queue queue) {
  std::vector<PendingValue> pending;
  struct Waiting {
    int parent;
    std::string child;
    int node;
  };
  std::vector<Waiting> waiting;
  for (size_t i = 0; i < queue.size(); ++i) {
    const auto [number, object] = queue[i];
    GK_RETURN_IF_ERROR(RestoreSlots(number, object, &queue));
    const ObjectNode& node = graph_.nodes[number];
    const std::vector<Trackable::Value> values = object->Values();
    const bool newer = object->restored_by() < number_;
    for (const auto& attribute : node.attributes) {
      const auto value =
          std::ranges::find(values, attribute.name, &Trackable::Value::name);
      if (value == values.end()) {
        unused_values_[number].push_back(attribute.name);
        continue;
      }
      if (!newer) continue;
      PendingValue& read = pending.emplace_back();
      read.object = object;
      read.value = attribute.name;
      for (const std::string& suffix : value->suffixes) {
        const std::string key = attribute.checkpoint_key + suffix;
        GK_ASSIGN_OR_RETURN(Tensor tensor, reader_->Read(key));
        if (value->dtype != DataType::kInvalid &&
            value->dtype != tensor.dtype()) {
          return InvalidArgument(
              "tensor_name = {}; expected dtype {} does not equal original "
              "dtype {}",
              key, DataTypeString(value->dtype),
              DataTypeString(tensor.dtype()));
        }
        read.tensors.push_back(std::move(tensor));
      }
    }
    std::map<std::string, TrackablePtr> children;
    if (!node.children.empty()) {
      for (Trackable::Child& child : object->Children()) {
        children.try_emplace(child.name, std::move(child.object));
      }
    }
    for (const auto& child : node.children) {
      const auto found = children.find(child.local_name);
      if (found == children.end()) {
        if (objects_.contains(child.node_id) ||
            !HasValues(graph_.nodes[child.node_id])) {
          continue;
        }
        waiting.push_back({number, child.local_name, child.node_id});
      } else if (Bind(child.node_id, found->second)) {
        queue.emplace_back(child.node_id, found->second);
      }
    }
  }
  Assign(pending);
  for (const Waiting& w : waiting) {
    objects_.at(w.parent)->Await(w.child, shared_from_this(), w.node);
  }
  return OkStatus();
}

Status Restoration::RestoreByName(const TrackablePtr& root) {
  std::vector<PendingValue> pending;
  for (const TrackablePtr& object : ReachableObjects(root)) {
    for (const Trackable::Value& value : object->Values()) {
      TensorVector tensors;
      for (const std::string& suffix : value.suffixes) {
        const std::string name = NameInCheckpoint(value, suffix);
        if (name.empty() || !reader_->Contains(name)) break;
        GK_ASSIGN_OR_RETURN(Tensor tensor, reader_->Read(name));
        tensors.push_back(std::move(tensor));
      }
      if (tensors.size() < value.suffixes.size()) continue;
      pending.push_back({object, value.name, std::move(tensors)});
    }
  }
  Assign(pending);
  return OkStatus();
}

void Restoration::Assign(const std::vector<PendingValue>& pending) const {
  for (size_t i = 0; i < pending.size();) {
    const TrackablePtr& object = pending[i].object;
    Trackable::RestoredValues values;
    for (; i < pending.size() && pending[i].object == object; ++i) {
      values.emplace_back(pending[i].value, pending[i].tensors);
    }
    object->RestoreAll(values);
    object->set_restored_by(number_);
  }
}

void Restoration::AddOptional(const TrackablePtr& object) {
  optional_.push_back(object);
}

std::vector<TrackablePtr> Restoration::Unmatched(
    const TrackablePtr& root) const {
  const std::set<const void*> matched = Identities(objects_);
  std::vector<TrackablePtr> unmatched;
  for (TrackablePtr& object : ReachableObjects(root, with_slots_)) {
    // What only holds others is not missed.
    if (!matched.contains(object->identity()) && !object->Values().empty()) {
      unmatched.push_back(std::move(object));
    }
  }
  return unmatched;
}

std::set<int> Restoration::SkippedSlots() const {
  std::set<int> nodes;
  if (with_slots_) return nodes;
  for (const ObjectNode& node : graph_.nodes) {
    for (const auto& slot : node.slot_variables) {
      nodes.insert(slot.slot_variable_node_id);
    }
  }
  return nodes;
}

Status Restoration::AssertExistingObjectsMatched(
    const TrackablePtr& root) const {
  if (by_name_) return AssertConsumed(root);
  const std::vector<TrackablePtr> unmatched = Unmatched(root);
  if (unmatched.empty()) return OkStatus();
  constexpr size_t kMostShown = 10;
  return FailedPrecondition(
      "Found {} Python objects that were not bound to checkpointed values, "
      "likely due to changes in the Python program. Showing {} of {} unmatched "
      "objects: {}",
      unmatched.size(), std::min(kMostShown, unmatched.size()),
      unmatched.size(), TextOfObjects(unmatched, kMostShown));
}

Status Restoration::AssertConsumed(const TrackablePtr& root) const {
  if (by_name_) {
    for (const TrackablePtr& object : ReachableObjects(root)) {
      if (object->Values().empty() || object->restored_by() >= number_ ||
          std::ranges::count(optional_, object->identity(),
                             &Trackable::identity) > 0) {
        continue;
      }
      return FailedPrecondition("Object not restored: {}", object->Text());
    }
    return OkStatus();
  }
  GK_RETURN_IF_ERROR(AssertExistingObjectsMatched(root));
  const std::vector<std::string> names = NodeNames(graph_);
  const std::set<int> skipped = SkippedSlots();
  for (size_t i = 0; i < graph_.nodes.size(); ++i) {
    if (graph_.nodes[i].attributes.empty() ||
        objects_.contains(static_cast<int>(i)) ||
        skipped.contains(static_cast<int>(i))) {
      continue;
    }
    return FailedPrecondition("Unresolved object in checkpoint {}: {}",
                              names[i], graph_.nodes[i].ToText());
  }
  if (unused_values_.empty()) return OkStatus();
  std::string lines;
  for (const auto& [node, values] : unused_values_) {
    std::string listed;
    for (const std::string& value : values) {
      listed += Format("{}'{}'", listed.empty() ? "" : ", ", value);
    }
    lines += Format("{}{} ({}): [{}]", lines.empty() ? "" : "\n", names[node],
                    objects_.at(node)->Text(), listed);
  }
  return FailedPrecondition(
      "Unused attributes in these objects (the attributes exist in the "
      "checkpoint but were not restored):\n{}",
      lines);
}

Status Restoration::AssertNontrivialMatch(const TrackablePtr& root) const {
  if (by_name_) return AssertConsumed(root);
  if (objects_.size() > 1) return OkStatus();
  const std::vector<TrackablePtr> unmatched = Unmatched(root);
  if (unmatched.empty()) {
    return FailedPrecondition(
        "Nothing to load. No dependencies have been added to {} yet.",
        root->Text());
  }
  return FailedPrecondition(
      "Nothing except the root object matched a checkpointed value. Typically "
      "this means that the checkpoint does not match the Python program. The "
      "following objects have no matching checkpointed value: {}",
      TextOfObjects(unmatched, unmatched.size()));
}

Restoration::Unused Restoration::UnusedValues() const {
  Unused unused;
  if (by_name_) return unused;
  const std::vector<std::string> names = NodeNames(graph_);
  const std::set<int> skipped = SkippedSlots();
  for (size_t i = 0; i < graph_.nodes.size(); ++i) {
    if (!graph_.nodes[i].attributes.empty() &&
        !objects_.contains(static_cast<int>(i)) &&
        !skipped.contains(static_cast<int>(i))) {
      unused.nodes.push_back(names[i]);
    }
  }
  for (const auto& [node, values] : unused_values_) {
    for (const std::string& value : values) {
      unused.values.push_back(
          Format("Object: {}, attribute: {}", names[node], value));
    }
  }
  return unused;
}

}  // namespace gk
