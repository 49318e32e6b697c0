#include "saved_model/loaded_objects.h"

#include <utility>

#include "graph/tensor_proto.h"

namespace gk {
namespace {

using ObjectKind = proto::SavedObject::KindCase;

constexpr char kSignatureMap[] = "signatures";

bool IsFunction(const proto::SavedObject& object) {
  return object.kind_case == ObjectKind::kFunction ||
         object.kind_case == ObjectKind::kBareConcreteFunction;
}

// {name, number} of what an object has of its own.
std::vector<std::pair<std::string, int>> OwnChildren(const LoadedModel& model,
                                                     int object) {
  std::vector<std::pair<std::string, int>> own;
  const proto::SavedObject& saved = model.objects()[object];
  if (IsFunction(saved)) return own;
  for (const auto& child : saved.children) {
    if (object == 0 && child.local_name == kSignatureMap) continue;
    own.emplace_back(child.local_name, child.node_id);
  }
  return own;
}

StatusOr<ExportedTrace> TraceOf(LoadedModel* model, const std::string& name) {
  const proto::SavedConcreteFunction* saved = model->FindSaved(name);
  if (saved == nullptr) {
    return DataLoss("The model at {} does not say how '{}' is called",
                    model->folder(), name);
  }
  ExportedTrace trace;
  GK_ASSIGN_OR_RETURN(trace.function, model->Function(name));
  trace.inputs = *saved->canonicalized_input_signature;
  trace.outputs = *saved->output_signature;
  return trace;
}

class LoadedObject final : public ExportedObject {
 public:
  LoadedObject(std::shared_ptr<LoadedModel> model, int number)
      : model_(std::move(model)), number_(number) {}

  const void* identity() const override { return &saved(); }
  std::string Text() const override {
    return Format("<object {} of {}>", number_, model_->folder());
  }
  std::vector<Child> Children() override {
    std::vector<Child> children;
    for (const auto& [name, number] : OwnChildren(*model_, number_)) {
      children.push_back({name, ExportedOf(model_, number)});
    }
    return children;
  }
  std::vector<Value> Values() override { return model_->ValuesOf(number_); }
  TensorVector Save() override { return model_->TensorsOf(number_); }
  std::vector<std::string> SlotNames() override {
    return model_->SlotNames(number_);
  }
  std::shared_ptr<Trackable> Slot(const Trackable& variable,
                                  const std::string& name) override {
    const int slot = model_->Slot(
        number_, static_cast<const LoadedObject&>(variable).number_, name);
    return slot < 0 ? nullptr : ExportedOf(model_, slot);
  }
  ExportedFacts Facts() override {
    ExportedFacts facts;
    facts.message = saved();
    proto::SavedObject& message = facts.message;
    message.children.clear();
    message.slot_variables.clear();
    message.saveable_objects.clear();
    message.dependencies.clear();
    if (message.function.has()) {
      for (const auto& name : saved().function->concrete_functions) {
        facts.traces.push_back(Trace(name));
      }
      message.mutable_function().concrete_functions.clear();
    } else if (message.bare_concrete_function.has()) {
      facts.traces.push_back(
          Trace(saved().bare_concrete_function->concrete_function_name));
    }
    const Tensor& value = model_->value(number_);
    if (value) facts.tensors = {value};
    if (message.asset.has()) facts.asset = value.scalar<std::string>();
    for (const auto& [name, functions] : saved().saveable_objects) {
      facts.saveables.emplace(
          name, std::pair(TraceOfObject(functions.save_function),
                          TraceOfObject(functions.restore_function)));
    }
    return facts;
  }

 private:
  const proto::SavedObject& saved() const { return model_->objects()[number_]; }
  ExportedTrace Trace(const std::string& name) const {
    return ValueOrThrow(TraceOf(model_.get(), name));
  }
  ExportedTrace TraceOfObject(int object) const {
    return Trace(ValueOrThrow(model_->FunctionOf(object)));
  }

  const std::shared_ptr<LoadedModel> model_;
  const int number_;
};

}  // namespace

ExportedObjectRef ExportedOf(std::shared_ptr<LoadedModel> model, int object) {
  return std::make_shared<LoadedObject>(std::move(model), object);
}

std::map<std::string, int> ObjectPaths(const LoadedModel& model) {
  std::map<std::string, int> paths = {{"", 0}};
  std::vector<bool> seen(model.objects().size());
  seen[0] = true;
  std::vector<std::pair<std::string, int>> queue = {{"", 0}};
  for (size_t i = 0; i < queue.size(); ++i) {
    const auto [path, object] = queue[i];
    for (const auto& [name, number] : OwnChildren(model, object)) {
      if (seen[number]) continue;
      seen[number] = true;
      std::string below = path.empty() ? name : path + "." + name;
      paths.emplace(below, number);
      queue.emplace_back(std::move(below), number);
    }
  }
  return paths;
}

std::map<std::string, int> SignatureObjects(const LoadedModel& model) {
  std::map<std::string, int> found;
  const int map = model.Child(0, kSignatureMap);
  if (map < 0) return found;
  for (const auto& child : model.objects()[map].children) {
    if (model.objects()[child.node_id].bare_concrete_function.has()) {
      found.emplace(child.local_name, child.node_id);
    }
  }
  return found;
}

StatusOr<std::map<std::string, Tensor>> SignatureDefaults(
    const LoadedModel& model, const std::string& signature) {
  std::map<std::string, Tensor> defaults;
  const auto& all = model.meta_graph().signature_def;
  const auto def = all.find(signature);
  if (def == all.end()) return defaults;
  for (const auto& [name, value] : def->second.defaults) {
    GK_ASSIGN_OR_RETURN(defaults[name], TensorFromProto(value));
  }
  return defaults;
}

StatusOr<std::vector<ExportedSignature>> SignaturesOf(LoadedModel* model) {
  std::vector<ExportedSignature> signatures;
  for (const auto& [name, object] : SignatureObjects(*model)) {
    ExportedSignature& made = signatures.emplace_back();
    made.name = name;
    GK_ASSIGN_OR_RETURN(const std::string function, model->FunctionOf(object));
    GK_ASSIGN_OR_RETURN(made.trace, TraceOf(model, function));
    GK_ASSIGN_OR_RETURN(made.defaults, SignatureDefaults(*model, name));
  }
  return signatures;
}

}  // namespace gk
