#include "saved_model/saved_objects.h"

#include <algorithm>
#include <set>
#include <utility>

#include "framework/graph_builder.h"
#include "framework/logical_device.h"
#include "framework/variable.h"
#include "graph/tensor_proto.h"
#include "io/path.h"
#include "ops/static_value.h"
#include "saved_model/value_messages.h"

namespace gk {
namespace {

constexpr char kConstantObject[] = "tf.TrackableConstant";
constexpr char kSignatures[] = "signatures";
constexpr char kGenericObject[] = "_generic_user_object";

proto::SavedObject UserObject(const std::string& identifier) {
  proto::SavedObject message;
  proto::SavedUserObject& user = message.mutable_user_object();
  user.identifier = identifier;
  user.version.mut().producer = 1;
  user.version.mut().min_consumer = 1;
  return message;
}

using References = std::vector<
    proto::TrackableObjectGraph_TrackableObject_ObjectReference>;
void AddReference(int object, const std::string& name, References* references) {
  auto& reference = references->emplace_back();
  reference.node_id = object;
  reference.local_name = name;
}

// One of a graph is described by the face, which made it.
void DescribeVariable(const Tensor& handle, bool with_device,
                      proto::SavedVariable* message) {
  if (with_device) message->device = DeviceName(DeviceOf(handle));
  if (handle.is_symbolic()) return;
  const VariableResource& v = *ValueOrThrow(VariableOf(handle));
  message->dtype = static_cast<proto::DataType>(v.dtype());
  message->shape = ShapeToProto(v.shape());
  message->trainable = v.trainable();
  message->name = v.name();
}

}  // namespace

int SavedObjects::AddObject(proto::SavedObject message) {
  messages_.push_back(std::move(message));
  tensors_.emplace_back();
  assets_.emplace_back();
  traces_.emplace_back();
  return size() - 1;
}

StatusOr<SavedObjects> SavedObjects::Of(
    const std::vector<WalkedObject>& objects, bool variable_devices) {
  SavedObjects made;
  std::vector<ExportedFacts> facts;
  std::unordered_map<const void*, int> numbers;
  for (size_t i = 0; i < objects.size(); ++i) {
    numbers.emplace(objects[i].object->identity(), static_cast<int>(i));
  }
  for (size_t i = 0; i < objects.size(); ++i) {
    facts.push_back(static_cast<ExportedObject&>(*objects[i].object).Facts());
    ExportedFacts& own = facts.back();
    if (own.message.variable.has()) {
      DescribeVariable(own.tensors.at(0), variable_devices,
                       &own.message.mutable_variable());
    }
    for (const auto& [name, child] : objects[i].children) {
      AddReference(child, name, &own.message.children);
    }
    for (const auto& [name, identity] : own.dependencies) {
      const auto number = numbers.find(identity);
      if (number == numbers.end()) {
        return FailedPrecondition(
            "{} needs '{}' before it is loaded, which is not saved",
            objects[i].object->Text(), name);
      }
      AddReference(number->second, name, &own.message.dependencies);
    }
    // TensorFlow fails to load slots of what is no optimizer of Keras: those
    // are in the checkpoint's graph alone.
    if (own.message.user_object.has() &&
        own.message.user_object->identifier != kGenericObject) {
      own.message.slot_variables = objects[i].slots;
    }
    made.AddObject(std::move(own.message));
    made.assets_[i] = std::move(own.asset);
    if (made.messages_[i].asset.has()) made.NameAsset(made.assets_[i]);
    for (const Tensor& t : own.tensors) {
      made.object_of_.emplace(ResourceKey(t), static_cast<int>(i));
      made.tensors_[i] = t;
    }
  }
  for (size_t i = 0; i < objects.size(); ++i) {
    const bool bare = made.messages_[i].bare_concrete_function.has();
    for (size_t k = 0; k < facts[i].traces.size(); ++k) {
      const ExportedTrace& trace = facts[i].traces[k];
      GK_RETURN_IF_ERROR(
          made.AddTrace(i, trace, bare ? "" : Format("trace_{}", k)));
    }
    for (const auto& [value, functions] : facts[i].saveables) {
      const auto& [save, restore] = functions;
      GK_RETURN_IF_ERROR(made.AddFunction(save));
      GK_RETURN_IF_ERROR(made.AddFunction(restore));
      const int save_number = made.AddBare(save);
      const int restore_number = made.AddBare(restore);
      proto::SaveableObject& saveable =
          made.messages_[i].saveable_objects[value];
      saveable.save_function = save_number;
      saveable.restore_function = restore_number;
    }
  }
  return made;
}

void SavedObjects::NameAsset(const std::string& path) {
  if (asset_names_.contains(path)) return;
  const std::string base(io::NameOf(path));
  std::string name = base;
  const auto taken = [&](const auto& known) { return known.second == name; };
  for (int i = 1; std::ranges::any_of(asset_names_, taken); ++i) {
    name = Format("{}_{}", base, i);
  }
  asset_names_.emplace(path, name);
}

std::string SavedObjects::PathTo(int object) const {
  std::vector<std::string> paths(messages_.size());
  std::vector<int> queue = {0};
  std::set<int> seen = {0};
  paths[0] = "root";
  for (size_t i = 0; i < queue.size(); ++i) {
    for (const auto& child : messages_[queue[i]].children) {
      if (!seen.insert(child.node_id).second) continue;
      paths[child.node_id] = paths[queue[i]] + "." + child.local_name;
      queue.push_back(child.node_id);
    }
  }
  return paths[object];
}

StatusOr<int> SavedObjects::ObjectOf(const FunctionCapture& capture,
                                     const ConcreteFunction& function) {
  Tensor t = capture.external;
  const void* const key = t ? ResourceKey(t) : nullptr;
  if (t) {
    const auto known = object_of_.find(key);
    if (known != object_of_.end()) return known->second;
  }
  // A constant of the graph that the function was traced in.
  if (t && t.is_symbolic()) t = StaticValue(t);
  if (!t) {
    return FailedPrecondition(
        "Tried to export the function {}, whose input '{}' is a value that is "
        "asked for at each call. Pass it as an argument, or keep it in a "
        "tf.Variable of the object.",
        function.name(), capture.placeholder->name());
  }
  if (t.dtype() == DataType::kResource || t.dtype() == DataType::kVariant) {
    std::string what = t.DebugString(1);
    const StatusOr<VariableResource*> variable =
        t.dtype() == DataType::kResource
            ? VariableOf(t)
            : StatusOr<VariableResource*>(NotFound("no variable"));
    std::string holder = "unknown";
    if (variable.ok()) {
      what = Format("the variable '{}'", (*variable)->name());
      holder = Format("<tf.Variable '{}:0'>", (*variable)->name());
    } else if (t.dtype() == DataType::kResource && t.num_elements() == 1) {
      const Resource* const resource = t.data<ResourceHandle>()->resource();
      if (resource != nullptr) holder = Format("<{}>", resource->kind());
    }
    return FailedPrecondition(
        "Tried to export a function which references an 'untracked' resource: "
        "it is not reachable from root. TensorFlow objects (e.g. tf.Variable) "
        "captured by functions must be 'tracked' by assigning them to an "
        "attribute of a tracked object or assigned to an attribute of the main "
        "object directly. See the information below:\n\tFunction name = {}\n\t"
        "Captured Tensor = {}\n\tTrackable referencing this tensor = {}\n\t"
        "Internal Tensor = {}",
        function.name(), what, holder, capture.placeholder->name());
  }
  proto::SavedObject message;
  message.mutable_constant();
  message.registered_name = kConstantObject;
  const int object = AddObject(std::move(message));
  tensors_[object] = t;
  object_of_.emplace(key, object);
  return object;
}

Status SavedObjects::AddFunction(const ExportedTrace& trace) {
  const ConcreteFunction& function = *trace.function;
  if (captured_.contains(&function)) return OkStatus();
  std::vector<int> objects;
  for (const FunctionCapture& capture : function.captures()) {
    GK_ASSIGN_OR_RETURN(const int object, ObjectOf(capture, function));
    objects.push_back(object);
  }
  captured_.emplace(&function, std::move(objects));
  functions_.push_back(trace);
  return OkStatus();
}

StatusOr<std::vector<int>> SavedObjects::AddGradient(
    const ExportedTrace& trace, const TensorVector& captures,
    const gk::Graph* graph) {
  const ConcreteFunction& function = *trace.function;
  const std::vector<Node*>& arguments = function.function()->arguments();
  std::vector<int> objects;
  for (size_t i = 0; i < captures.size(); ++i) {
    const Tensor& t = captures[i];
    if (t && t.is_symbolic() && gk::Graph::GraphOf(t) == graph) {
      proto::SavedObject message;
      message.mutable_captured_tensor();
      objects.push_back(AddObject(std::move(message)));
      continue;
    }
    Node* const placeholder = arguments[arguments.size() - captures.size() + i];
    GK_ASSIGN_OR_RETURN(const int object,
                        ObjectOf({t, nullptr, placeholder}, function));
    objects.push_back(object);
  }
  captured_.emplace(&function, objects);
  functions_.push_back(trace);
  return objects;
}

int SavedObjects::AddBare(const ExportedTrace& trace) {
  proto::SavedObject message;
  proto::SavedBareConcreteFunction& bare =
      message.mutable_bare_concrete_function();
  for (const ArgumentSpec& argument : trace.function->arguments()) {
    bare.argument_keywords.push_back(argument.name);
  }
  bare.allowed_positional_arguments = trace.function->arguments().size();
  const int object = AddObject(std::move(message));
  traces_[object].push_back(trace.function.get());
  return object;
}

Status SavedObjects::AddTrace(int object, const ExportedTrace& trace,
                              const std::string& child) {
  const Status added = AddFunction(trace);
  if (!added.ok()) {
    return added.Append(Format("\n\tObject = {}", PathTo(object)));
  }
  traces_[object].push_back(trace.function.get());
  int holder = object;
  if (!child.empty()) {
    holder = AddBare(trace);
    AddReference(holder, child, &messages_[object].children);
  }
  const std::vector<int>& captured = captured_.at(trace.function.get());
  for (size_t i = 0; i < captured.size(); ++i) {
    if (!messages_[captured[i]].constant.has()) continue;
    AddReference(captured[i], Format("capture_{}", i),
                 &messages_[holder].children);
  }
  return OkStatus();
}

Status SavedObjects::AddSignatures(
    const std::vector<std::pair<std::string, ExportedTrace>>& signatures) {
  const int map = AddObject(UserObject("signature_map"));
  AddReference(map, kSignatures, &messages_[0].children);
  for (const auto& [name, trace] : signatures) {
    GK_RETURN_IF_ERROR(AddFunction(trace));
    const int function = AddBare(trace);
    // Only a single argument may be passed without its name.
    auto& allowed = messages_[function]
                        .mutable_bare_concrete_function()
                        .allowed_positional_arguments;
    allowed = trace.function->arguments().size() == 1 ? 1 : 0;
    AddReference(function, name, &messages_[map].children);
  }
  return OkStatus();
}

void SavedObjects::SetAssetIndex(int object, int index) {
  messages_[object].mutable_asset().asset_file_def_index = index;
}

void SavedObjects::SetConstantName(int object, const std::string& node) {
  messages_[object].mutable_constant().operation = node;
}

const ConcreteFunction* SavedObjects::ChildFunction(
    int object, std::string_view name) const {
  for (const auto& child : messages_[object].children) {
    if (child.local_name != name) continue;
    const auto& traces = traces_[child.node_id];
    return traces.empty() ? nullptr : traces[0];
  }
  return nullptr;
}

proto::SavedObjectGraph SavedObjects::Graph(const Names& names) const {
  const auto name_of = [&](const ConcreteFunction* f) {
    return names.at(f->function().get());
  };
  proto::SavedObjectGraph graph;
  graph.nodes = messages_;
  for (int i = 0; i < size(); ++i) {
    for (const ConcreteFunction* f : traces_[i]) {
      if (graph.nodes[i].function.has()) {
        graph.nodes[i].mutable_function().concrete_functions.push_back(
            name_of(f));
      } else {
        graph.nodes[i].mutable_bare_concrete_function().concrete_function_name =
            name_of(f);
      }
    }
  }
  for (const ExportedTrace& trace : functions_) {
    proto::SavedConcreteFunction& saved =
        graph.concrete_functions[name_of(trace.function.get())];
    saved.bound_inputs = captured_.at(trace.function.get());
    saved.canonicalized_input_signature = trace.inputs;
    saved.output_signature = trace.outputs;
    NameTensorSpecs(&saved.output_signature.mut());
  }
  return graph;
}

}  // namespace gk
