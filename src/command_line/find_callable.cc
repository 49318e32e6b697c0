#include "command_line/find_callable.h"

#include <algorithm>
#include <set>

#include "graph/tensor_proto.h"
#include "saved_model/loaded_model.h"

namespace gk::command {
namespace {

constexpr char kSignatures[] = "signatures";

using Value = proto::StructuredValue;
using ValueKind = proto::StructuredValue::KindCase;
using ObjectKind = proto::SavedObject::KindCase;

// The names of the tensors in a structure of specs, in the order in which it
// is flattened: of the way to each, or the spec's own.
void AddNames(const Value& value, const std::string& way, bool own,
              std::vector<std::string>* names) {
  const auto below = [&](const std::string& key) {
    return way.empty() ? key : way + "." + key;
  };
  const auto add_all = [&](const std::vector<Value>& values) {
    for (size_t i = 0; i < values.size(); ++i) {
      AddNames(values[i], below(std::to_string(i)), own, names);
    }
  };
  switch (value.kind_case) {
    case ValueKind::kTensorSpecValue: {
      const std::string& name = value.tensor_spec_value->name;
      names->push_back(own && !name.empty() ? name : way);
      return;
    }
    case ValueKind::kTypeSpecValue: {
      const int n = value.type_spec_value->num_flat_components;
      for (int i = 0; i < std::min(n, 64); ++i) {
        names->push_back(n == 1 ? way : Format("{}.{}", way, i));
      }
      return;
    }
    case ValueKind::kListValue:
      return add_all(value.list_value->values);
    case ValueKind::kTupleValue:
      return add_all(value.tuple_value->values);
    case ValueKind::kDictValue:
      for (const auto& [key, item] : value.dict_value->fields) {
        AddNames(item, below(key), own, names);
      }
      return;
    case ValueKind::kNamedTupleValue:
      for (const proto::PairValue& pair : value.named_tuple_value->values) {
        AddNames(*pair.value, below(pair.key), own, names);
      }
      return;
    default:
      return;  // a value of the language
  }
}

class FunctionFinder {
 public:
  explicit FunctionFinder(const LoadedModel& model) : model_(model) {}

  // The concrete function that is called; throws Failure.
  std::string Find(const std::string& wanted, bool* is_signature) const {
    const auto& signatures = model_.meta_graph().signature_def;
    const int map = model_.Child(0, kSignatures);
    std::string name = wanted;
    if (name.empty()) name = Default();
    *is_signature = signatures.contains(name) && map >= 0;
    const int object = *is_signature ? model_.Child(map, name) : ObjectAt(name);
    if (object >= 0) {
      const std::vector<std::string> traces = TracesOf(object);
      if (traces.size() == 1) return traces[0];
      if (traces.size() > 1) {
        throw Failure::Make(Exit::kUsage,
                            "{} of {} has {} traces, of which none can be "
                            "chosen here: save one of them as a signature.",
                            Shown(name), model_.folder(), traces.size());
      }
    }
    throw Failure::Make(Exit::kUsage,
                        "{} has no signature or function '{}'. {}",
                        model_.folder(), Shown(name), Choices());
  }

 private:
  std::string Default() const {
    const auto& signatures = model_.meta_graph().signature_def;
    if (signatures.contains(kDefaultSignature)) return kDefaultSignature;
    std::vector<std::string> own = Names();
    if (own.size() == 1) return own[0];
    throw Failure::Make(Exit::kUsage, "say which --signature of {} to call. {}",
                        model_.folder(), Choices());
  }

  // Signatures, then functions with one trace, not far from the root.
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    const int map = model_.Child(0, kSignatures);
    if (map >= 0) {
      for (const auto& child : model_.objects()[map].children) {
        names.push_back(child.local_name);
      }
    }
    if (!names.empty()) return names;
    std::vector<std::pair<int, std::string>> open{{0, ""}};
    std::set<int> seen{0};
    for (size_t i = 0; i < open.size() && names.size() < 20; ++i) {
      const auto [object, way] = open[i];
      if (!way.empty() && TracesOf(object).size() == 1) names.push_back(way);
      for (const auto& child : model_.objects()[object].children) {
        if (!seen.insert(child.node_id).second) continue;
        open.emplace_back(child.node_id, way.empty()
                                             ? child.local_name
                                             : way + "." + child.local_name);
      }
    }
    return names;
  }

  std::string Choices() const {
    const std::vector<std::string> names = Names();
    return names.empty()
               ? "It has none."
               : Format("There {} {}.", names.size() == 1 ? "is" : "are",
                        Shown(JoinText(names, ", ")));
  }

  int ObjectAt(std::string_view way) const {
    int object = 0;
    while (object >= 0 && !way.empty()) {
      const size_t end = std::min(way.find('.'), way.size());
      object = model_.Child(object, way.substr(0, end));
      way.remove_prefix(std::min(end + 1, way.size()));
    }
    return object;
  }

  std::vector<std::string> TracesOf(int object) const {
    const proto::SavedObject& saved = model_.objects()[object];
    if (saved.kind_case == ObjectKind::kFunction) {
      return saved.function->concrete_functions;
    }
    if (saved.kind_case == ObjectKind::kBareConcreteFunction) {
      return {saved.bare_concrete_function->concrete_function_name};
    }
    return {};
  }

  const LoadedModel& model_;
};

Callable OfLoadedModel(const ModelFiles& files, const Arguments& arguments) {
  const std::shared_ptr<LoadedModel> model =
      MustRead(LoadedModel::Load(files.path, TagsOf(arguments)));
  Callable found;
  bool is_signature = false;
  const std::string name =
      FunctionFinder(*model).Find(arguments.Value("signature"), &is_signature);
  StatusOr<Ref<ConcreteFunction>> function = model->Function(name);
  if (!function.ok()) {
    throw Failure(function.status().code() == Code::kUnimplemented
                      ? Exit::kFailed
                      : Exit::kDamaged,
                  function.status().Prepend(files.path + ": "));
  }
  found.name = name;
  found.function = *std::move(function);
  const auto& all = model->meta_graph().object_graph_def->concrete_functions;
  const auto saved = all.find(name);
  std::vector<std::string> inputs, outputs;
  if (saved != all.end()) {
    AddNames(*saved->second.canonicalized_input_signature, "", true, &inputs);
    AddNames(*saved->second.output_signature, "", false, &outputs);
  }
  const auto& arguments_taken = found.function->arguments();
  for (size_t i = 0; i < arguments_taken.size(); ++i) {
    const ArgumentSpec& spec = arguments_taken[i];
    const bool named = inputs.size() == arguments_taken.size();
    found.inputs.push_back(
        {named ? inputs[i] : spec.name, spec.dtype, spec.shape, Tensor()});
  }
  const size_t results = found.function->num_outputs();
  for (size_t i = 0; i < results; ++i) {
    const bool named = outputs.size() == results && !outputs[i].empty();
    found.outputs.push_back(named ? outputs[i] : Format("output_{}", i));
  }
  if (is_signature) {
    const std::string wanted = arguments.Value("signature", kDefaultSignature);
    const auto& signatures = model->meta_graph().signature_def;
    const auto own = signatures.find(wanted);
    for (Callable::Input& input : found.inputs) {
      if (own == signatures.end()) break;
      const auto given = own->second.defaults.find(input.name);
      if (given == own->second.defaults.end()) continue;
      input.fallback = Must(Exit::kDamaged, TensorFromProto(given->second));
    }
  }
  found.keep = model;
  return found;
}

}  // namespace

Callable FindCallable(const std::string& path, const Arguments& arguments) {
  const ModelFiles files = ReadModelFiles(path, TagsOf(arguments));
  if (files.kind == ModelKind::kCheckpoint) {
    throw Failure::Make(Exit::kUsage,
                        "{} is a checkpoint: it holds values and nothing that "
                        "can be run.",
                        path);
  }
  if (files.kind == ModelKind::kSavedModel &&
      !files.meta.object_graph_def->nodes.empty()) {
    Callable found = OfLoadedModel(files, arguments);
    found.model = path;
    return found;
  }
  Callable found = CallableOfGraph(files, arguments);
  found.model = path;
  return found;
}

}  // namespace gk::command
