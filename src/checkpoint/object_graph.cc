#include "checkpoint/object_graph.h"

#include <deque>
#include <unordered_map>

#include "checkpoint/bundle_writer.h"
#include "framework/long_work.h"

namespace gk {
namespace {

using ObjectGraph = proto::TrackableObjectGraph;
using ObjectNode = proto::TrackableObjectGraph_TrackableObject;

// Names are parts of a path: its "/" and the dots of its marks are escaped.
std::string EscapedName(const std::string& name) {
  std::string out;
  for (const char c : name) {
    if (c == '.') {
      out += "..";
    } else if (c == '/') {
      out += ".S";
    } else {
      out += c;
    }
  }
  return out;
}

// The slots of all that were found, behind these, with the optimizer's way
// below the variable's.
void WalkSlots(std::unordered_map<const void*, int>* numbers,
               std::vector<WalkedObject>* found) {
  const size_t count = found->size();
  for (size_t i = 0; i < count; ++i) {
    for (const std::string& name : (*found)[i].object->SlotNames()) {
      for (size_t k = 0; k < count; ++k) {
        TrackablePtr slot = (*found)[i].object->Slot(*(*found)[k].object, name);
        if (slot == nullptr) continue;
        const auto number = static_cast<int>(found->size());
        if (!numbers->emplace(slot->identity(), number).second) {
          throw Error(Unimplemented(
              "A slot variable was re-used as a dependency of a Trackable "
              "object: {} is the slot '{}' of {}. Keep it in one place.",
              slot->Text(), name, (*found)[k].path));
        }
        if (!slot->Children().empty()) {
          throw Error(Unimplemented(
              "Currently only variables with no dependencies can be saved as "
              "slot variables: {} has some.",
              slot->Text()));
        }
        auto& reference = (*found)[i].slots.emplace_back();
        reference.slot_name = name;
        reference.original_variable_node_id = static_cast<int>(k);
        reference.slot_variable_node_id = number;
        found->push_back({std::move(slot),
                          Format("{}/.OPTIMIZER_SLOT/{}/{}", (*found)[k].path,
                                 (*found)[i].path, EscapedName(name)),
                          {},
                          {}});
      }
    }
  }
}

// Whether a node or one below it has values.
void MarkValues(ObjectGraph* graph) {
  std::vector<std::vector<int>> parents(graph->nodes.size());
  std::deque<int> valued;
  std::vector<bool> marked(graph->nodes.size());
  for (size_t i = 0; i < graph->nodes.size(); ++i) {
    for (const auto& child : graph->nodes[i].children) {
      parents[child.node_id].push_back(static_cast<int>(i));
    }
    if (graph->nodes[i].attributes.empty()) continue;
    marked[i] = true;
    valued.push_back(static_cast<int>(i));
  }
  for (; !valued.empty(); valued.pop_front()) {
    for (const int parent : parents[valued.front()]) {
      if (marked[parent]) continue;
      marked[parent] = true;
      valued.push_back(parent);
    }
  }
  for (size_t i = 0; i < graph->nodes.size(); ++i) {
    graph->nodes[i].has_checkpoint_values.mut().value = marked[i];
  }
}

}  // namespace

std::vector<WalkedObject> WalkObjects(const TrackablePtr& root,
                                      bool with_slots) {
  std::vector<WalkedObject> found = {{root, "", {}, {}}};
  std::unordered_map<const void*, int> numbers = {{root->identity(), 0}};
  for (size_t i = 0; i < found.size(); ++i) {
    const TrackablePtr object = found[i].object;
    for (Trackable::Child& child : object->Children()) {
      const auto [at, is_new] = numbers.try_emplace(
          child.object->identity(), static_cast<int>(found.size()));
      found[i].children.emplace_back(child.name, at->second);
      if (!is_new) continue;
      std::string path = found[i].path;
      if (!path.empty()) path += '/';
      path += EscapedName(child.name);
      found.push_back({std::move(child.object), std::move(path), {}, {}});
    }
  }
  if (with_slots) WalkSlots(&numbers, &found);
  return found;
}

std::vector<TrackablePtr> ReachableObjects(const TrackablePtr& root,
                                           bool with_slots) {
  std::vector<TrackablePtr> objects;
  for (WalkedObject& found : WalkObjects(root, with_slots)) {
    objects.push_back(std::move(found.object));
  }
  return objects;
}

ObjectSnapshot TakeSnapshot(const std::vector<WalkedObject>& objects) {
  ObjectSnapshot snapshot;
  ObjectGraph& graph = snapshot.graph;
  for (const WalkedObject& found : objects) {
    ObjectNode& node = graph.nodes.emplace_back();
    for (const auto& [name, number] : found.children) {
      auto& child = node.children.emplace_back();
      child.node_id = number;
      child.local_name = name;
    }
    node.slot_variables = found.slots;
    const std::vector<Trackable::Value> values = found.object->Values();
    if (values.empty()) continue;
    const TensorVector tensors = found.object->Save();
    size_t next = 0;
    for (const Trackable::Value& value : values) {
      const std::string key =
          found.path + "/.ATTRIBUTES/" + EscapedName(value.name);
      auto& attribute = node.attributes.emplace_back();
      attribute.name = value.name;
      attribute.full_name = value.full_name;
      attribute.checkpoint_key = key;
      for (const std::string& suffix : value.suffixes) {
        snapshot.tensors.push_back(
            {key + suffix, tensors.at(next++), found.object});
      }
    }
  }
  MarkValues(&graph);
  return snapshot;
}

Status WriteSnapshot(const ObjectSnapshot& snapshot, const std::string& prefix,
                     const ShardingPolicy& policy) {
  std::vector<ShardableTensor> tensors = snapshot.tensors;
  tensors.push_back(
      {kObjectGraphKey,
       Tensor::Scalar<std::string>(snapshot.graph.Serialize()), nullptr});
  int64_t bytes = 0;
  for (const ShardableTensor& tensor : tensors) {
    bytes += tensor.tensor.byte_size();
  }
  LongWork work(WorkUnit::kBytes, "Saving", "Saved", prefix, bytes);
  if (policy.decide) {
    GK_RETURN_IF_ERROR(WriteShards(tensors, policy, prefix));
  } else {
    GK_ASSIGN_OR_RETURN(BundleWriter writer, BundleWriter::Create(prefix));
    for (const ShardableTensor& tensor : tensors) {
      GK_RETURN_IF_ERROR(writer.Add(tensor.key, tensor.tensor));
    }
    GK_RETURN_IF_ERROR(writer.Finish());
  }
  work.Done();
  return OkStatus();
}

StatusOr<std::optional<ObjectGraph>> ReadObjectGraph(
    const BundleReader& reader) {
  if (!reader.Contains(kObjectGraphKey)) return std::optional<ObjectGraph>();
  GK_ASSIGN_OR_RETURN(const Tensor value, reader.Read(kObjectGraphKey));
  if (value.dtype() != DataType::kString || value.num_elements() != 1) {
    return DataLoss("{}: expected one string, got {}", kObjectGraphKey,
                    value.DebugString(0));
  }
  ObjectGraph graph;
  if (Status s = graph.Parse(value.scalar<std::string>()); !s.ok()) {
    return s.Prepend(
        Format("{}: tensor \"{}\": ", reader.prefix(), kObjectGraphKey));
  }
  GK_RETURN_IF_ERROR(CheckObjectGraph(graph));
  return std::optional(std::move(graph));
}

std::map<std::string, std::string> KeysByFullName(const ObjectGraph& graph) {
  std::map<std::string, std::string> keys;
  for (const ObjectNode& node : graph.nodes) {
    for (const auto& value : node.attributes) {
      keys[value.full_name] = value.checkpoint_key;
    }
  }
  return keys;
}

std::vector<std::string> NodeNames(const ObjectGraph& graph) {
  std::vector<std::string> names(graph.nodes.size());
  if (names.empty()) return names;
  names[0] = "(root)";
  std::deque<int> next = {0};
  for (; !next.empty(); next.pop_front()) {
    const int node = next.front();
    for (const auto& child : graph.nodes[node].children) {
      std::string& name = names[child.node_id];
      if (!name.empty()) continue;
      name = names[node] + "." + child.local_name;
      next.push_back(child.node_id);
    }
  }
  for (size_t i = 0; i < names.size(); ++i) {
    for (const auto& slot : graph.nodes[i].slot_variables) {
      names[slot.slot_variable_node_id] =
          Format("{}'s state '{}' for {}", names[i], slot.slot_name,
                 names[slot.original_variable_node_id]);
    }
  }
  return names;
}

Status CheckObjectGraph(const ObjectGraph& graph) {
  const auto size = static_cast<int64_t>(graph.nodes.size());
  const auto known = [&](int64_t node) { return node >= 0 && node < size; };
  if (size == 0) return DataLoss("{}: there are no objects", kObjectGraphKey);
  for (const ObjectNode& node : graph.nodes) {
    for (const auto& child : node.children) {
      if (known(child.node_id)) continue;
      return DataLoss("{}: child \"{}\" is object {} of {}", kObjectGraphKey,
                      child.local_name, child.node_id, size);
    }
    for (const auto& slot : node.slot_variables) {
      if (known(slot.original_variable_node_id) &&
          known(slot.slot_variable_node_id)) {
        continue;
      }
      return DataLoss("{}: slot \"{}\" is object {} of {}", kObjectGraphKey,
                      slot.slot_name, slot.slot_variable_node_id, size);
    }
  }
  return OkStatus();
}

}  // namespace gk
