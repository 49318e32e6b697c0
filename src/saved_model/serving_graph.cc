#include "saved_model/serving_graph.h"

#include <map>
#include <set>
#include <utility>

#include "framework/op_registry.h"
#include "function/func_graph.h"
#include "function/user_graph.h"
#include "graph/graph_def.h"
#include "graph/op_def_proto.h"
#include "ops/fn/AssignVariableOp.h"
#include "ops/fn/Identity.h"
#include "ops/fn/NoOp.h"
#include "ops/fn/Placeholder.h"
#include "ops/fn/PlaceholderWithDefault.h"
#include "ops/fn/ReadVariableOp.h"
#include "ops/fn/RestoreV2.h"
#include "ops/fn/SaveV2.h"
#include "ops/fn/VarHandleOp.h"
#include "saved_model/meta_graph_file.h"

namespace gk {
namespace {

bool IsNodeName(const std::string& name) {
  return !name.empty() && name.back() != '/' && CheckScopeName(name, true).ok();
}

Node* NodeOf(const Tensor& t) { return Graph::OutputOf(t).node; }

// Builds the graph; functions throw Error.
class ServingGraph {
 public:
  ServingGraph(const ServingOptions& options, SavedObjects* objects,
               proto::MetaGraphDef* message)
      : options_(options),
        objects_(*objects),
        message_(*message),
        graph_(NewUserGraph()),
        tensors_(objects->size()),
        making_(objects->size()) {}

  SavedObjects::Names Build() {
    const FuncGraph::Building building(graph_.get());
    for (int i = 0; i < objects_.size(); ++i) {
      if (objects_.message(i).variable.has()) AddVariable(i);
      if (objects_.message(i).constant.has()) AddConstant(i);
      if (objects_.message(i).asset.has()) AddAsset(i);
    }
    for (const auto& [name, trace] : options_.signatures) {
      AddSignature(name, trace);
    }
    AddInitializers();
    if (!options_.variables.empty() || !options_.resources.empty()) AddSaver();
    return Write();
  }

 private:
  void AddVariable(int object) {
    const proto::SavedVariable& v = *objects_.message(object).variable;
    const auto dtype = static_cast<DataType>(v.dtype);
    const std::string name =
        graph_->scopes().UniqueName(IsNodeName(v.name) ? v.name : "Variable");
    tensors_[object] =
        Handle(name, dtype, ValueOrThrow(ShapeFromProto(*v.shape)));
    if (!v.device.empty()) NodeOf(tensors_[object])->set_device(v.device);
    Read(tensors_[object], dtype, name + "/Read/ReadVariableOp/");
  }
  static Tensor Handle(const std::string& name, DataType dtype,
                       const PartialTensorShape& shape) {
    return ops::VarHandleOp(OpName(name + "/"), dtype, shape, "", name);
  }
  static Tensor Read(const Tensor& handle, DataType dtype,
                     const std::string& name) {
    return ops::ReadVariableOp(OpName(name), handle, dtype);
  }
  static Tensor Fed(DataType dtype, const PartialTensorShape& shape,
                    const std::string& name) {
    return ops::Placeholder(OpName(name), dtype, shape);
  }
  void AddConstant(int object) {
    tensors_[object] = ValueOrThrow(graph_->Constant(
        objects_.tensor(object), OpRegistry::Get().The(kConstant).name));
    objects_.SetConstantName(object, NodeOf(tensors_[object])->name());
  }
  // A server feeds the path of the file where it is there.
  void AddAsset(int object) {
    const PartialTensorShape scalar{TensorShape()};
    const Tensor path =
        Fed(DataType::kString, scalar, "asset_path_initializer");
    const std::string name = graph_->scopes().UniqueName("Variable");
    const Tensor variable = Handle(name, DataType::kString, scalar);
    ops::AssignVariableOp(OpName(name + "/Assign/"), variable, path);
    Node* const assign = LastNode();
    init_.push_back(assign);
    tensors_[object] =
        Read(variable, DataType::kString, name + "/Read/ReadVariableOp/");
    // What fills resources comes after it.
    graph_->scopes().PushControlInputs(std::vector<Node*>{assign});
    assets_at_start_[object] = Read(variable, DataType::kString, "");
    graph_->scopes().PopControlInputs();
    objects_.SetAssetIndex(object, message_.asset_file_def.size());
    proto::AssetFileDef& file = message_.asset_file_def.emplace_back();
    file.tensor_info.mut().set_name(NodeOf(path)->name() + ":0");
    file.filename = objects_.asset_name(object);
  }

  // The op that was made last, where it has no results.
  Node* LastNode() const { return graph_->graph()->nodes().back().get(); }
  // One that runs after all of these.
  const Node* After(std::vector<Node*> nodes, const char* name) {
    graph_->scopes().PushControlInputs(std::move(nodes));
    ops::NoOp(OpName(name));
    graph_->scopes().PopControlInputs();
    return LastNode();
  }

  // The tensor of an object in the graph; `at_start`: while it is filled.
  Tensor TensorOf(int object, bool at_start) {
    if (at_start) {
      const auto asset = assets_at_start_.find(object);
      if (asset != assets_at_start_.end()) return asset->second;
    }
    if (tensors_[object]) return tensors_[object];
    const ConcreteFunction* create =
        objects_.ChildFunction(object, kCreateResource);
    if (create == nullptr || making_[object]) {
      throw Error(FailedPrecondition(
          "Object {} of the model is captured by a function and has no {} that "
          "makes it anew",
          object, kCreateResource));
    }
    making_[object] = true;
    const TensorVector made = CallOf(*create, {}, at_start);
    if (made.size() != 1) {
      throw Error(ValueError("{} must give one handle, got {} results",
                             kCreateResource, made.size()));
    }
    return tensors_[object] = made[0];
  }

  TensorVector CallOf(const ConcreteFunction& function, TensorVector inputs,
                      bool at_start) {
    for (const int object : objects_.captured(function)) {
      inputs.push_back(TensorOf(object, at_start));
    }
    TensorVector outputs;
    ThrowIfError(
        CallInGraph(graph_.get(), *function.function(), inputs, &outputs));
    return outputs;
  }

  void AddSignature(const std::string& name, const ExportedTrace& trace) {
    TensorVector inputs;
    for (const ArgumentSpec& argument : trace.function->arguments()) {
      inputs.push_back(FedArgument(name, argument));
    }
    const TensorVector outputs = CallOf(*trace.function, inputs, false);
    message_.signature_def[name] = SignatureOf(trace, inputs, outputs);
  }

  Tensor FedArgument(const std::string& signature,
                     const ArgumentSpec& argument) {
    std::string name = signature + "_" + argument.name;
    // Of what is no name of a node, as "a:b".
    for (char& c : name) {
      const bool ok = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                      (c >= '0' && c <= '9') || c == '_' || c == '.' ||
                      c == '-' || c == '/' || c == '\\' || c == '>';
      if (!ok) c = '_';
    }
    const auto defaults = options_.defaults.find(signature);
    if (defaults != options_.defaults.end()) {
      const auto value = defaults->second.find(argument.name);
      if (value != defaults->second.end()) {
        return ops::PlaceholderWithDefault(
            OpName(name),
            ValueOrThrow(graph_->Constant(value->second, name + "/input")),
            argument.shape);
      }
    }
    return Fed(argument.dtype, argument.shape, name);
  }

  void AddInitializers() {
    for (int i = 0; i < objects_.size(); ++i) {
      const ConcreteFunction* fill =
          objects_.ChildFunction(i, kInitializeResource);
      if (fill == nullptr || !objects_.message(i).resource.has()) continue;
      CallOf(*fill, {}, true);
      init_.push_back(LastNode());
    }
    const Node* all = After(init_, "");
    proto::SignatureDef& signature = message_.signature_def[kInitSignature];
    proto::TensorInfo& info = signature.outputs[kInitSignature];
    info.set_name(all->name());
    info.tensor_shape.mut().unknown_rank = true;
    message_.collection_def[kMainOps].mutable_node_list().value = {all->name()};
  }

  void AddSaver() {
    std::vector<std::string> keys;
    TensorVector values;
    std::vector<DataType> dtypes;
    for (const auto& [object, key] : options_.variables) {
      const DataType dtype =
          static_cast<DataType>(objects_.message(object).variable->dtype);
      keys.push_back(key);
      dtypes.push_back(dtype);
      values.push_back(Read(tensors_[object], dtype, "save/ReadVariableOp"));
    }
    for (const ServedValue& value : options_.resources) {
      AddToSave(value, &keys, &values, &dtypes);
    }
    const int64_t n = keys.size();
    const Tensor names = Texts(keys, "save/tensor_names");
    const Tensor slices =
        Texts(std::vector<std::string>(n), "save/shape_and_slices");
    const Tensor file = Fed(
        DataType::kString, PartialTensorShape(TensorShape()), "saver_filename");
    ops::SaveV2(OpName("save/SaveV2"), file, names, slices, values);
    graph_->scopes().PushControlInputs(std::vector<Node*>{LastNode()});
    const Tensor saved = ops::Identity(OpName("save/control_dependency"), file);
    graph_->scopes().PopControlInputs();
    const TensorVector restored =
        ops::RestoreV2(OpName("save/RestoreV2"), file, names, slices, dtypes);
    std::vector<Node*> assigns;
    size_t next = 0;
    for (const auto& [object, key] : options_.variables) {
      ops::AssignVariableOp(OpName("save/AssignVariableOp"), tensors_[object],
                            restored[next++]);
      assigns.push_back(LastNode());
    }
    for (const ServedValue& value : options_.resources) {
      const auto first = restored.begin() + next;
      next += value.keys.size();
      CallOf(*objects_.BareFunction(Saveable(value).restore_function),
             TensorVector(first, restored.begin() + next), false);
      assigns.push_back(LastNode());
    }
    const Node* all = After(std::move(assigns), "save/restore_all");
    proto::SaverDef& saver = message_.saver_def.mut();
    saver.filename_tensor_name = NodeOf(file)->name() + ":0";
    saver.save_tensor_name = NodeOf(saved)->name() + ":0";
    saver.restore_op_name = all->name();
    saver.version = proto::SaverDef::CheckpointFormatVersion::V2;
  }

  const proto::SaveableObject& Saveable(const ServedValue& value) const {
    return objects_.message(value.object).saveable_objects.at(value.name);
  }
  // The tensors that the function of a resource saves.
  void AddToSave(const ServedValue& value, std::vector<std::string>* keys,
                 TensorVector* values, std::vector<DataType>* dtypes) {
    const ConcreteFunction& save =
        *objects_.BareFunction(Saveable(value).save_function);
    const Tensor none =
        ValueOrThrow(graph_->Constant(Tensor::Scalar<std::string>(""), ""));
    const TensorVector parts = CallOf(save, {none}, false);
    if (parts.size() != kPerSavedTensor * value.keys.size()) {
      throw Error(Internal("{} gives {} results for {} tensors", save.name(),
                           parts.size(), value.keys.size()));
    }
    for (size_t i = 0; i < value.keys.size(); ++i) {
      keys->push_back(value.keys[i]);
      values->push_back(parts[(i + 1) * kPerSavedTensor - 1]);
      dtypes->push_back(values->back().dtype());
    }
  }

  Tensor Texts(const std::vector<std::string>& texts, const char* name) {
    const Tensor value = Tensor::Vector(std::span<const std::string>(texts));
    return ValueOrThrow(graph_->Constant(value, name));
  }

  SavedObjects::Names Write() {
    std::vector<const GraphFunction*> functions;
    std::set<const GraphFunction*> seen;
    for (const ExportedTrace& trace : objects_.functions()) {
      const GraphFunction* definition = trace.function->function().get();
      if (seen.insert(definition).second) functions.push_back(definition);
    }
    for (const GraphFunction* f : options_.named_functions) {
      if (seen.insert(f).second) functions.push_back(f);
    }
    GraphDefOptions options;
    options.functions = functions;
    SavedObjects::Names names;
    options.names = &names;
    options.handle_data = true;
    options.add_shapes = true;
    message_.graph_def =
        ValueOrThrow(GraphToGraphDef(*graph_->graph(), options));
    ListOps();
    return names;
  }

  // The signatures of all ops, for readers that know others.
  void ListOps() {
    std::set<std::string> ops;
    for (const auto& node : message_.graph_def->node) ops.insert(node.op);
    for (const auto& f : message_.graph_def->library->function) {
      for (const auto& node : f.node_def) ops.insert(node.op);
    }
    auto& list = message_.meta_info_def.mut().stripped_op_list.mut();
    for (const std::string& op : ops) {
      const OpRecord* record = OpRegistry::Get().Find(op);
      if (record == nullptr) continue;
      list.op.push_back(ValueOrThrow(OpDefToProto(*record->def)));
    }
  }

  const ServingOptions& options_;
  SavedObjects& objects_;
  proto::MetaGraphDef& message_;
  const Ref<FuncGraph> graph_;
  TensorVector tensors_;  // of each object
  std::map<int, Tensor> assets_at_start_;
  std::vector<bool> making_;
  std::vector<Node*> init_;
};

}  // namespace

StatusOr<SavedObjects::Names> BuildServingGraph(const ServingOptions& options,
                                                SavedObjects* objects,
                                                proto::MetaGraphDef* message) {
  try {
    return ServingGraph(options, objects, message).Build();
  } catch (const Error& error) {
    return error.status();
  }
}

}  // namespace gk
