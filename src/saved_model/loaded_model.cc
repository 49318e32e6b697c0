#include "saved_model/loaded_model.h"

#include <algorithm>
#include <set>
#include <utility>

#include "checkpoint/bundle_reader.h"
#include "checkpoint/object_graph.h"
#include "checkpoint/restoration.h"
#include "framework/called_functions.h"
#include "framework/logical_device.h"
#include "framework/long_work.h"
#include "framework/op_registry.h"
#include "framework/resource_manager.h"
#include "framework/variable.h"
#include "function/own_gradient_attrs.h"
#include "function/user_scopes.h"
#include "graph/tensor_proto.h"
#include "io/path.h"
#include "saved_model/attached_gradients.h"
#include "saved_model/message_types.h"
#include "saved_model/version_one_model.h"

namespace gk {
namespace {

using ObjectKind = proto::SavedObject::KindCase;

constexpr char kOfFile[] = " of a file";

// Has it one in the checkpoint?
bool HasValue(const proto::SavedObject& object) {
  return object.kind_case == ObjectKind::kVariable ||
         !object.saveable_objects.empty();
}

// Names of gradients are those of the process that wrote the file: another one
// may have such a name here. From now on they name none.
void ForgetGradientNames(const GraphFunction& function,
                         std::set<const GraphFunction*>* seen) {
  if (!seen->insert(&function).second) return;
  for (const auto& node : function.graph().nodes()) {
    if (const auto* name = node->attrs().Get<std::string>(kGradientOpType)) {
      if (*name != kOwnGradientType && !name->ends_with(kOfFile)) {
        node->mutable_attrs().Set(kGradientOpType, *name + kOfFile);
      }
    }
    ForEachCalled(*node, [&](const GraphFunction& called) {
      ForgetGradientNames(called, seen);
    });
  }
}

}  // namespace

Status CheckSavedObjects(const proto::SavedObjectGraph& graph) {
  const auto check = [&](int64_t number, std::string_view what) -> Status {
    const auto size = static_cast<int64_t>(graph.nodes.size());
    if (number >= 0 && number < size) return OkStatus();
    return DataLoss("{} is object {} of {}", what, number, size);
  };
  if (graph.nodes.empty()) return DataLoss("The model has no objects");
  for (const proto::SavedObject& object : graph.nodes) {
    for (const auto& child : object.children) {
      GK_RETURN_IF_ERROR(
          check(child.node_id, Format("Child '{}'", child.local_name)));
    }
    for (const auto& [name, functions] : object.saveable_objects) {
      GK_RETURN_IF_ERROR(check(functions.restore_function, name));
      GK_RETURN_IF_ERROR(check(functions.save_function, name));
    }
    for (const auto& slot : object.slot_variables) {
      GK_RETURN_IF_ERROR(check(slot.slot_variable_node_id, slot.slot_name));
      GK_RETURN_IF_ERROR(check(slot.original_variable_node_id, slot.slot_name));
    }
  }
  for (const auto& [name, function] : graph.concrete_functions) {
    for (const int input : function.bound_inputs) {
      GK_RETURN_IF_ERROR(check(input, Format("What '{}' captures", name)));
    }
  }
  return OkStatus();
}

// What a checkpoint sees of an object. Lives no longer than the model.
class LoadedModel::Object final : public Trackable {
 public:
  Object(LoadedModel* model, int number) : model_(model), number_(number) {}

  const void* identity() const override { return &saved(); }
  std::string Text() const override {
    if (saved().kind_case == ObjectKind::kVariable) {
      return Format("<variable {} of {}>", saved().variable->name,
                    model_->folder());
    }
    return Format("<object {} of {}>", number_, model_->folder());
  }
  std::vector<Child> Children() override {
    std::vector<Child> children;
    for (const auto& child : saved().children) {
      children.push_back(
          {child.local_name, std::make_shared<Object>(model_, child.node_id)});
    }
    return children;
  }
  std::vector<std::string> SlotNames() override {
    return model_->SlotNames(number_);
  }
  std::shared_ptr<Trackable> Slot(const Trackable& variable,
                                  const std::string& name) override {
    const int slot = model_->Slot(
        number_, static_cast<const Object&>(variable).number_, name);
    return slot < 0 ? nullptr : std::make_shared<Object>(model_, slot);
  }
  // All are there.
  std::shared_ptr<Trackable> CreateSlot(
      const std::shared_ptr<Trackable>& variable, const std::string& slot,
      const std::shared_ptr<Restoration>& restoration, int node) override {
    return Slot(*variable, slot);
  }
  std::vector<Value> Values() override { return model_->ValuesOf(number_); }
  void Restore(const std::string& value, const TensorVector& tensors) override {
    model_->restored_[number_] = true;
    if (saved().kind_case == ObjectKind::kVariable) {
      RestoreVariable(model_->value(number_), tensors.at(0));
      return;
    }
    const int restore = saved().saveable_objects.at(value).restore_function;
    ThrowIfError(model_->CallObject(restore, tensors).status());
  }

 private:
  const proto::SavedObject& saved() const { return model_->objects()[number_]; }

  LoadedModel* const model_;
  const int number_;
};

LoadedModel::~LoadedModel() {
  if (!container_.empty()) ResourceManager::Get().Drop(container_);
}

StatusOr<std::shared_ptr<LoadedModel>> LoadedModel::Load(
    const std::string& folder, const std::optional<Tags>& tags,
    const LoadOptions& options) {
  GK_ASSIGN_OR_RETURN(proto::MetaGraphDef graph, ReadMetaGraph(folder, tags));
  AttachGradients(&graph);
  std::shared_ptr<LoadedModel> model(new LoadedModel(folder, std::move(graph)));
  model->scope_ = CurrentNameScope();
  model->variable_devices_ = options.variable_devices;
  Status status;
  // A function may be traced around: what is loaded outlives it.
  InitScope outside;
  try {
    outside.Enter();
    // Also where a graph is built for its own sake: see InGraph.
    const OpBuilder::Scope eager(OpBuilder::Eager());
    LongWork work(WorkUnit::kBytes, "Loading", "Loaded", folder);
    status = model->Init(options);
    if (status.ok()) work.Done();
  } catch (const Error& error) {
    status = error.status();
  }
  if (status.ok()) return model;
  return status.Append(Format(" (loading the SavedModel at {})", folder));
}

Status LoadedModel::InitVersionOne(const LoadOptions& options) {
  GK_ASSIGN_OR_RETURN(
      VersionOneModel made,
      ReadVersionOne(folder_, meta_graph_, options.skip_checkpoint));
  meta_graph_.object_graph_def = std::move(made.objects);
  values_ = std::move(made.values);
  functions_ = std::move(made.functions);
  graph_ = std::move(made.graph);
  container_ = std::move(made.container);
  making_.resize(objects().size());
  NameParameters();
  return Initialize();
}

Status LoadedModel::Init(const LoadOptions& options) {
  if (!meta_graph_.object_graph_def.has()) return InitVersionOne(options);
  GK_RETURN_IF_ERROR(CheckSavedObjects(*meta_graph_.object_graph_def));
  GK_RETURN_IF_ERROR(ReadFunctions());
  GK_RETURN_IF_ERROR(TakeGiven(options));
  GK_RETURN_IF_ERROR(MakeValues());
  GK_RETURN_IF_ERROR(Restore(options));
  return Initialize();
}

Status LoadedModel::ReadFunctions() {
  reader_ = std::make_unique<FunctionReader>(
      *meta_graph_.graph_def->library,
      &*meta_graph_.meta_info_def->stripped_op_list);
  GK_RETURN_IF_ERROR(reader_->Init());
  NameParameters();
  for (const proto::NodeDef& node : meta_graph_.graph_def->node) {
    if (node.op == OpRegistry::Get().The(kConstant).name) {
      constants_.emplace(node.name, &node);
    }
  }
  return OkStatus();
}

int LoadedModel::Child(int object, std::string_view name) const {
  for (const auto& child : objects()[object].children) {
    if (child.local_name == name) return child.node_id;
  }
  return -1;
}

void LoadedModel::NameParameters() {
  for (const proto::SavedObject& object : objects()) {
    if (object.function.has()) {
      const SavedParameters own = ParametersOf(*object.function->function_spec);
      for (const std::string& name : object.function->concrete_functions) {
        parameters_.emplace(name, own.names);
      }
    } else if (object.bare_concrete_function.has()) {
      const proto::SavedBareConcreteFunction& bare =
          *object.bare_concrete_function;
      const SavedParameters own = ParametersOf(*bare.function_spec);
      parameters_.emplace(
          bare.concrete_function_name,
          own.names.empty() ? bare.argument_keywords : own.names);
    }
  }
}

Status LoadedModel::TakeGiven(const LoadOptions& options) {
  const int n = objects().size();
  values_.resize(n);
  for (const auto& [object, value] : options.given) {
    if (object < 0 || object >= n) {
      return InvalidArgument("Object {} is given and is one of {}", object, n);
    }
    const proto::SavedObject& saved = objects()[object];
    if (value.dtype() != DataType::kResource) {
      return InvalidArgument("Object {} is given as {}, not as a resource",
                             object, DataTypeName(value.dtype()));
    }
    if (saved.kind_case == ObjectKind::kVariable) {
      GK_ASSIGN_OR_RETURN(const VariableResource* const v, VariableOf(value));
      if (static_cast<int>(v->dtype()) !=
          static_cast<int>(saved.variable->dtype)) {
        return InvalidArgument(
            "Variable '{}' is given as {} and was saved as another type",
            saved.variable->name, DataTypeName(v->dtype()));
      }
    } else if (saved.kind_case != ObjectKind::kResource) {
      return InvalidArgument(
          "Object {} is given and is neither a variable nor a resource",
          object);
    }
    values_[object] = value;
  }
  return OkStatus();
}

Status LoadedModel::MakeValues() {
  const int n = objects().size();
  making_.resize(n);
  for (int i = 0; i < n; ++i) {
    if (values_[i]) continue;
    GK_ASSIGN_OR_RETURN(values_[i], MakeValue(i));
  }
  return OkStatus();
}

StatusOr<Tensor> LoadedModel::MakeValue(int object) {
  const proto::SavedObject& saved = objects()[object];
  switch (saved.kind_case) {
    case ObjectKind::kVariable: {
      const proto::SavedVariable& v = *saved.variable;
      const int number = static_cast<int>(v.dtype);
      if (!DataTypeIsValid(number)) {
        return DataLoss("Variable '{}' has the invalid type {}", v.name,
                        number);
      }
      GK_ASSIGN_OR_RETURN(const PartialTensorShape shape,
                          ShapeFromProto(*v.shape));
      const int device = variable_devices_ ? FindDevice(v.device) : -1;
      const DeviceGuard there(device < 0 ? CurrentDevice() : device);
      return NewVariableHandle(scope_ + v.name, static_cast<DataType>(number),
                               shape, v.trainable);
    }
    case ObjectKind::kConstant:
      return MakeConstant(saved.constant->operation);
    case ObjectKind::kAsset: {
      const auto& files = meta_graph_.asset_file_def;
      const int index = saved.asset->asset_file_def_index;
      if (index < 0 || index >= static_cast<int>(files.size())) {
        return DataLoss("Asset {} is one of {}", index, files.size());
      }
      const std::string assets = io::ChildPath(folder_, kAssetsFolder);
      return Tensor::Scalar<std::string>(
          io::ChildPath(assets, files[index].filename));
    }
    case ObjectKind::kResource:
      return MakeResource(object);
    default:
      return Tensor();
  }
}

StatusOr<Tensor> LoadedModel::MakeConstant(const std::string& name) {
  const auto node = constants_.find(name);
  if (node == constants_.end()) {
    return DataLoss("The constant '{}' is missing in the graph", name);
  }
  const auto value = node->second->attr.find("value");
  if (value == node->second->attr.end()) {
    return DataLoss("The constant '{}' has no value", name);
  }
  StatusOr<Tensor> made = TensorFromProto(*value->second.tensor);
  if (made.ok()) return made;
  return DataLoss("The constant '{}': {}", name, made.status().message());
}

StatusOr<Tensor> LoadedModel::MakeResource(int object) {
  if (making_[object]) {
    return DataLoss("Resource {} needs itself to be made", object);
  }
  making_[object] = true;
  const int create = Child(object, kCreateResource);
  if (create < 0) return Tensor();
  GK_ASSIGN_OR_RETURN(const TensorVector made, CallObject(create, {}));
  if (made.size() != 1) {
    return DataLoss("'{}' of resource {} gives {} tensors, not one",
                    kCreateResource, object, made.size());
  }
  return made[0];
}

Status LoadedModel::Restore(const LoadOptions& options) {
  if (options.skip_checkpoint) return OkStatus();
  if (std::ranges::none_of(objects(), HasValue)) return OkStatus();
  GK_ASSIGN_OR_RETURN(std::shared_ptr<BundleReader> reader,
                      BundleReader::Open(VariablesPath(folder_)));
  GK_RETURN_IF_ERROR(TakeSlotsOf(*reader));
  restored_.resize(objects().size());
  GK_RETURN_IF_ERROR(
      Restoration::Start(std::move(reader), std::make_shared<Object>(this, 0))
          .status());
  if (options.allow_partial_checkpoint) return OkStatus();
  for (size_t i = 0; i < restored_.size(); ++i) {
    if (restored_[i] || !HasValue(objects()[i])) continue;
    return FailedPrecondition(
        "{} has no value in the checkpoint {}. Pass "
        "allow_partial_checkpoint to leave it without one.",
        Object(this, i).Text(), VariablesPath(folder_));
  }
  return OkStatus();
}

// The checkpoint has the same objects, and may know more of slots.
Status LoadedModel::TakeSlotsOf(const BundleReader& reader) {
  GK_ASSIGN_OR_RETURN(const auto graph, ReadObjectGraph(reader));
  auto& nodes = meta_graph_.object_graph_def.mut().nodes;
  if (!graph || graph->nodes.size() != nodes.size()) return OkStatus();
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (nodes[i].slot_variables.empty()) {
      nodes[i].slot_variables = graph->nodes[i].slot_variables;
    }
  }
  return OkStatus();
}

Status LoadedModel::Initialize(GraphValues* values) {
  for (size_t i = 0; i < objects().size(); ++i) {
    if (objects()[i].kind_case != ObjectKind::kResource) continue;
    const int initialize = Child(i, kInitializeResource);
    if (initialize < 0) continue;
    GK_ASSIGN_OR_RETURN(const TensorVector done, CallObject(initialize, {}));
    if (values != nullptr) values->Initializer(done);
  }
  return OkStatus();
}

StatusOr<std::string> LoadedModel::FunctionOf(int object) const {
  const proto::SavedObject& saved = objects()[object];
  if (saved.function.has() && !saved.function->concrete_functions.empty()) {
    return saved.function->concrete_functions[0];
  }
  if (saved.bare_concrete_function.has()) {
    return saved.bare_concrete_function->concrete_function_name;
  }
  return DataLoss("Object {} is to be called and is no function", object);
}

StatusOr<TensorVector> LoadedModel::CallObject(int object,
                                               const TensorVector& arguments) {
  GK_ASSIGN_OR_RETURN(const std::string name, FunctionOf(object));
  GK_ASSIGN_OR_RETURN(const Ref<ConcreteFunction> function, Function(name));
  TensorVector outputs;
  GK_RETURN_IF_ERROR(function->Call(arguments, &outputs));
  return outputs;
}

TensorVector LoadedModel::SavedParts(int function) {
  TensorVector parts =
      ValueOrThrow(CallObject(function, {Tensor::Scalar<std::string>("")}));
  bool named = parts.size() % kPerSavedTensor == 0;
  for (size_t i = 0; named && i < parts.size(); i += kPerSavedTensor) {
    named =
        parts[i].dtype() == DataType::kString && parts[i].num_elements() == 1;
  }
  if (named) return parts;
  throw Error(
      DataLoss("The function that saves object {} names no tensors", function));
}

namespace {

// The names of functions by what else they are called.
std::map<std::string, std::set<std::string>> NamesByAlias(
    const proto::MetaGraphDef& graph) {
  std::map<std::string, std::set<std::string>> names;
  for (const auto& [name, alias] : graph.meta_info_def->function_aliases) {
    names[alias].insert(name);
  }
  return names;
}

}  // namespace

std::map<std::string, int> LoadedModel::AliasedFunctions() const {
  const auto traces = NamesByAlias(meta_graph_);
  std::map<std::string, int> found;
  for (size_t i = 0; i < objects().size(); ++i) {
    const proto::SavedObject& object = objects()[i];
    if (object.kind_case != proto::SavedObject::KindCase::kFunction) continue;
    const std::vector<std::string>& names = object.function->concrete_functions;
    const std::set<std::string> own(names.begin(), names.end());
    for (const auto& [alias, all] : traces) {
      if (own == all) found.emplace(alias, static_cast<int>(i));
    }
  }
  return found;
}

std::map<std::string, std::vector<std::string>> LoadedModel::AliasedTraces()
    const {
  std::set<std::string_view> all;
  for (const auto& function : meta_graph_.graph_def->library->function) {
    all.insert(function.signature->name);
  }
  const std::map<std::string, int> objects = AliasedFunctions();
  std::map<std::string, std::vector<std::string>> found;
  for (const auto& [alias, names] : NamesByAlias(meta_graph_)) {
    if (objects.contains(alias)) continue;
    for (const std::string& name : names) {
      if (all.contains(name)) found[alias].push_back(name);
    }
  }
  return found;
}

std::vector<std::string> LoadedModel::SlotNames(int object) const {
  std::set<std::string> names;
  for (const auto& slot : objects()[object].slot_variables) {
    names.insert(slot.slot_name);
  }
  return {names.begin(), names.end()};
}

int LoadedModel::Slot(int object, int variable, std::string_view name) const {
  for (const auto& slot : objects()[object].slot_variables) {
    if (slot.slot_name == name && slot.original_variable_node_id == variable) {
      return slot.slot_variable_node_id;
    }
  }
  return -1;
}

std::vector<Trackable::Value> LoadedModel::ValuesOf(int object) {
  const proto::SavedObject& saved = objects()[object];
  if (saved.kind_case == ObjectKind::kVariable) {
    return {{kVariableValue, saved.variable->name}};
  }
  std::vector<Trackable::Value> values;
  for (const auto& [name, functions] : saved.saveable_objects) {
    const TensorVector parts = SavedParts(functions.save_function);
    std::vector<std::string> suffixes;
    for (size_t i = 0; i < parts.size(); i += kPerSavedTensor) {
      suffixes.push_back(parts[i].scalar<std::string>());
    }
    values.push_back({name, "", std::move(suffixes)});
  }
  return values;
}

TensorVector LoadedModel::TensorsOf(int object) {
  const proto::SavedObject& saved = objects()[object];
  if (saved.kind_case == ObjectKind::kVariable) {
    return SaveVariable(value(object));
  }
  TensorVector tensors;
  for (const auto& [name, functions] : saved.saveable_objects) {
    const TensorVector parts = SavedParts(functions.save_function);
    for (size_t i = 0; i < parts.size(); i += kPerSavedTensor) {
      tensors.push_back(parts[i + kPerSavedTensor - 1]);
    }
  }
  return tensors;
}

const proto::SavedConcreteFunction* LoadedModel::FindSaved(
    const std::string& name) const {
  const auto& functions = meta_graph_.object_graph_def->concrete_functions;
  const auto found = functions.find(name);
  return found == functions.end() ? nullptr : &found->second;
}

StatusOr<Ref<ConcreteFunction>> LoadedModel::Function(const std::string& name) {
  const std::lock_guard<std::recursive_mutex> lock(mutex_);
  const auto known = functions_.find(name);
  if (known != functions_.end()) return known->second;
  GK_ASSIGN_OR_RETURN(Ref<ConcreteFunction> made, MakeFunction(name));
  functions_[name] = made;
  return made;
}

StatusOr<Tensor> LoadedModel::Captured(int object,
                                       const std::string& function) {
  Tensor& value = values_[object];
  // Of a resource that is made by a function which needs another one.
  if (!value && objects()[object].kind_case != ObjectKind::kUserObject) {
    GK_ASSIGN_OR_RETURN(value, MakeValue(object));
  }
  if (value) return value;
  return Unimplemented("{} captures object {}, which has no tensor", function,
                       object);
}

StatusOr<TracedSignature> LoadedModel::SignatureOf(const std::string& name) {
  GK_ASSIGN_OR_RETURN(const Ref<ConcreteFunction> function, Function(name));
  const proto::SavedConcreteFunction* saved = FindSaved(name);
  if (saved == nullptr) return TracedSignature();
  const auto names = parameters_.find(name);
  StatusOr<Ref<FunctionType>> type = TypeOfMessage(
      function->arguments(), *saved->canonicalized_input_signature,
      names == parameters_.end() ? std::vector<std::string>() : names->second);
  StatusOr<StructureRef> output =
      StructureOfMessage(*saved->output_signature, function->num_outputs());
  if (!type.ok() || !output.ok()) return TracedSignature();
  return TracedSignature{std::move(*type), std::move(*output)};
}

StatusOr<Ref<ConcreteFunction>> LoadedModel::MakeFunction(
    const std::string& name) {
  if (!reader_) return NotFound("The model has no function '{}'", name);
  GK_ASSIGN_OR_RETURN(Ref<GraphFunction> function, reader_->Read(name));
  ForgetGradientNames(*function, &seen_);
  const proto::SavedConcreteFunction* saved = FindSaved(name);
  if (saved == nullptr) {
    return ConcreteFunction::FromFunction(std::move(function));
  }
  const std::vector<Node*>& inputs = function->arguments();
  const size_t bound = saved->bound_inputs.size();
  if (bound > inputs.size()) {
    return DataLoss("{} takes {} tensors and captures {}", name, inputs.size(),
                    bound);
  }
  std::vector<ArgumentSpec> arguments;
  std::vector<FunctionCapture> captures;
  const size_t n = inputs.size() - bound;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Node::OutputInfo& info = inputs[i]->output(0);
    if (i < n) {
      arguments.push_back({inputs[i]->name(), info.dtype, info.shape});
      continue;
    }
    GK_ASSIGN_OR_RETURN(Tensor value,
                        Captured(saved->bound_inputs[i - n], name));
    if (value.dtype() != info.dtype ||
        !info.shape.IsCompatibleWith(value.partial_shape())) {
      return DataLoss("{} captures {} as '{}', which is {} {}", name,
                      value.DebugString(0), inputs[i]->name(),
                      DataTypeName(info.dtype), info.shape.PythonString());
    }
    captures.push_back({std::move(value), nullptr, inputs[i]});
  }
  return MakeRef<ConcreteFunction>(std::move(function), std::move(arguments),
                                   std::move(captures));
}

}  // namespace gk
