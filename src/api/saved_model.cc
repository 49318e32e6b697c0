#include "graphkiln/saved_model.h"

#include <algorithm>

#include "api/concrete_rep.h"
#include "api/inner.h"
#include "api/run_limits.h"
#include "api/saved_model_rep.h"
#include "api/structure_rep.h"
#include "api/trace_words.h"
#include "api/variable_facts.h"
#include "saved_model/graph_file.h"
#include "saved_model/loaded_objects.h"
#include "saved_model/loaded_signature.h"
#include "saved_model/meta_graph_file.h"
#include "saved_model/restored_function.h"

namespace gk::api::saved_model {

using InnerFunction = ::gk::ConcreteFunction;
using InnerToken = ::gk::CancellationToken;

struct Signature::Rep {
  std::shared_ptr<const void> model;  // kept alive
  LoadedSignature signature;
  std::vector<TensorSpec> inputs, outputs;
  std::map<std::string, Tensor> defaults;

  // What it computes, called with the current builder.
  void Call(const TensorVector& inputs, TensorVector* outputs,
            const RunOptions& options) const {
    ThrowIfError(
        CallWithLimits(options, signature.name, [&](const InnerToken* token) {
          return signature.function->Call(inputs, outputs, token);
        }));
  }
};

struct RestoredFunction::Rep {
  std::shared_ptr<LoadedModel> model;
  std::string name;
  std::shared_ptr<const ::gk::RestoredFunction> function;
  RunOptions options = {};
};

namespace {

// The names there are, as errors list them.
template <class Names, class NameOf>
std::string Listed(const Names& names, NameOf name_of) {
  std::string text;
  for (const auto& name : names) {
    text += (text.empty() ? "'" : ", '") + name_of(name) + "'";
  }
  return text.empty() ? "none" : text;
}

ConcreteFunction Outer(const Ref<InnerFunction>& function,
                       const TracedSignature& signature,
                       std::shared_ptr<const void> model) {
  Ref<FunctionType> type = signature.type;
  if (!type) type = MakeRef<FunctionType>(std::vector<FunctionParameter>());
  return ConcreteFunction(
      std::make_shared<const ConcreteFunction::Rep>(ConcreteFunction::Rep{
          function, std::move(type), signature.output, std::move(model)}));
}

Signature Made(LoadedSignature signature, std::shared_ptr<const void> model) {
  auto made = std::make_shared<Signature::Rep>();
  made->model = std::move(model);
  const InnerFunction& function = *signature.function;
  for (size_t i = 0; i < function.arguments().size(); ++i) {
    const ArgumentSpec& a = function.arguments()[i];
    made->inputs.push_back(
        {api::Outer(a.shape), api::Outer(a.dtype), signature.inputs[i]});
  }
  for (int i = 0; i < function.num_outputs(); ++i) {
    const Output& r = function.function()->results()[i];
    const Node::OutputInfo& info = r.node->output(r.index);
    made->outputs.push_back(
        {api::Outer(info.shape), api::Outer(info.dtype), signature.outputs[i]});
  }
  for (const auto& [input, value] : signature.defaults) {
    made->defaults.emplace(input, api::Outer(value));
  }
  made->signature = std::move(signature);
  return Signature(std::move(made));
}

bool IsFunction(const proto::SavedObject& object) {
  return object.function.has() || object.bare_concrete_function.has();
}

}  // namespace

// --- Signatures.

const std::string& Signature::name() const { return rep_->signature.name; }
const std::vector<TensorSpec>& Signature::inputs() const {
  return rep_->inputs;
}
const std::vector<TensorSpec>& Signature::outputs() const {
  return rep_->outputs;
}
const std::map<std::string, Tensor>& Signature::defaults() const {
  return rep_->defaults;
}

std::vector<Tensor> Signature::Call(const std::vector<Tensor>& inputs,
                                    const RunOptions& options) const {
  return Guarded([&] {
    TensorVector outputs;
    rep_->Call(Inner(inputs), &outputs, options);
    return api::Outer(outputs);
  });
}

std::vector<Tensor> Signature::InputsByName(
    const std::map<std::string, Tensor>& inputs) const {
  return Guarded([&] {
    const auto listed = [&] {
      return Listed(rep_->signature.inputs, [](auto& n) { return n; });
    };
    std::vector<Tensor> given;
    size_t used = 0;
    for (const std::string& input : rep_->signature.inputs) {
      auto found = inputs.find(input);
      if (found != inputs.end()) {
        ++used;
      } else {
        found = rep_->defaults.find(input);
        if (found == rep_->defaults.end()) {
          throw ::gk::Error(TypeError(
              "The signature '{}' is missing its input '{}'. It takes {}.",
              name(), input, listed()));
        }
      }
      given.push_back(found->second);
    }
    if (used == inputs.size()) return given;
    for (const auto& [own, value] : inputs) {
      if (std::ranges::count(rep_->signature.inputs, own) > 0) continue;
      throw ::gk::Error(
          TypeError("The signature '{}' has no input '{}'. It takes {}.",
                    name(), own, listed()));
    }
    return given;
  });
}

std::map<std::string, Tensor> Signature::CallByName(
    const std::map<std::string, Tensor>& inputs,
    const RunOptions& options) const {
  std::vector<Tensor> results = Call(InputsByName(inputs), options);
  std::map<std::string, Tensor> named;
  for (size_t i = 0; i < results.size(); ++i) {
    named.emplace(rep_->signature.outputs[i], std::move(results[i]));
  }
  return named;
}

ConcreteFunction Signature::concrete_function() const {
  return Outer(rep_->signature.function, rep_->signature.signature,
               rep_->model);
}

// --- Functions.

NestedTensors RestoredFunction::Call(
    const detail::CallWords& words,
    const std::vector<std::string>& names) const {
  return Guarded([&] {
    EnsureReady();
    const Ref<FunctionType> positional =
        detail::TypeOfWords(words.words(), names);
    std::vector<FunctionParameter> parameters = positional->parameters();
    for (size_t i = 0; i < names.size(); ++i) {
      if (!names[i].empty()) parameters[i].kind = ParameterKind::kKeywordOnly;
    }
    const ::gk::RestoredFunction::Served served =
        ValueOrThrow(rep_->function->Serve(FunctionType(std::move(parameters)),
                                           Inner(words.inputs())));
    TensorVector outputs;
    ThrowIfError(
        CallWithLimits(rep_->options, rep_->name, [&](const InnerToken* token) {
          return served.trace->function->CallMatched(served.inputs, &outputs,
                                                     token);
        }));
    return NestedTensors(api::Outer(served.trace->signature.output),
                         api::Outer(outputs));
  });
}

RestoredFunction RestoredFunction::with(const RunOptions& options) const {
  auto rep = std::make_shared<Rep>(*rep_);
  rep->options = options;
  return RestoredFunction(std::move(rep));
}

std::vector<ConcreteFunction> RestoredFunction::concrete_functions() const {
  std::vector<ConcreteFunction> traces;
  for (const auto& trace : rep_->function->traces()) {
    traces.push_back(Outer(trace.function, trace.signature, rep_->model));
  }
  return traces;
}

NestedTensors NestedTensors::operator[](std::string_view key) const {
  return Guarded([&] {
    std::vector<std::string> keys;
    for (size_t i = 0; i < structure_.size(); ++i) {
      keys.push_back(structure_.key(i));
      if (keys.back() == key) return (*this)[i];
    }
    throw ::gk::Error(LookupError("There is no part '{}' in {}. It has {}.",
                                  key, structure_.to_string(),
                                  Listed(keys, [](auto& n) { return n; })));
  });
}

NestedTensors NestedTensors::operator[](size_t i) const {
  const Structure part = structure_.child(i);
  size_t first = 0;
  for (size_t k = 0; k < i; ++k) first += structure_.child(k).num_leaves();
  const auto begin = tensors_.begin() + static_cast<ptrdiff_t>(first);
  return NestedTensors(
      part, std::vector<Tensor>(
                begin, begin + static_cast<ptrdiff_t>(part.num_leaves())));
}

Tensor NestedTensors::tensor() const {
  return Guarded([&] {
    if (tensors_.size() == 1) return tensors_[0];
    throw ::gk::Error(ValueError(
        "One tensor was asked for where there are {}, in {}. Name a part: "
        "result[\"logits\"], result[0].",
        tensors_.size(), structure_.to_string()));
  });
}

// --- Models.

const std::string& SavedModel::folder() const { return rep_->model->folder(); }
const std::vector<std::string>& SavedModel::tags() const {
  return rep_->model->meta_graph().meta_info_def->tags;
}
const std::string& SavedModel::tensorflow_version() const {
  return rep_->model->meta_graph().meta_info_def->tensorflow_version;
}

std::vector<std::string> SavedModel::signature_names() const {
  return SignatureNames(*rep_->model);
}

Signature SavedModel::signature(const std::string& name) const {
  return Guarded([&] {
    return Made(ValueOrThrow(FindSignature(rep_->model.get(), name)),
                rep_->model);
  });
}

std::vector<std::string> SavedModel::function_names() const {
  std::vector<std::string> names;
  for (const auto& [path, object] : rep_->paths) {
    if (IsFunction(rep_->model->objects()[object])) names.push_back(path);
  }
  return names;
}

RestoredFunction SavedModel::function(const std::string& name) const {
  return Guarded([&] {
    const auto found = rep_->paths.find(name);
    if (found == rep_->paths.end() ||
        !IsFunction(rep_->model->objects()[found->second])) {
      throw ::gk::Error(::gk::NotFound(
          "The SavedModel at {} has no function '{}'. It has {}.", folder(),
          name, Listed(function_names(), [](auto& n) { return n; })));
    }
    return RestoredFunction(std::make_shared<RestoredFunction::Rep>(
        RestoredFunction::Rep{rep_->model, name,
                              std::make_shared<const ::gk::RestoredFunction>(
                                  ValueOrThrow(::gk::RestoredFunction::Of(
                                      rep_->model.get(), found->second)))}));
  });
}

const std::vector<Variable>& SavedModel::variables() const {
  return rep_->variables;
}

std::vector<Variable> SavedModel::trainable_variables() const {
  std::vector<Variable> trainable;
  for (const Variable& v : rep_->variables) {
    if (v.trainable()) trainable.push_back(v);
  }
  return trainable;
}

Variable SavedModel::variable(const std::string& name) const {
  return Guarded([&] {
    const auto path = rep_->paths.find(name);
    if (path != rep_->paths.end()) {
      const auto object = rep_->variable_of.find(path->second);
      if (object != rep_->variable_of.end()) {
        return rep_->variables[object->second];
      }
    }
    const auto found =
        std::ranges::find(rep_->variables, name, &Variable::name);
    if (found != rep_->variables.end()) return *found;
    throw ::gk::Error(::gk::NotFound(
        "The SavedModel at {} has no variable '{}'. It has {}.", folder(), name,
        Listed(rep_->variables, [](const Variable& v) { return v.name(); })));
  });
}

std::map<std::string, std::string> SavedModel::assets() const {
  std::map<std::string, std::string> found;
  for (const auto& [path, object] : rep_->paths) {
    if (!rep_->model->objects()[object].asset.has()) continue;
    found.emplace(path, rep_->model->value(object).scalar<std::string>());
  }
  return found;
}

SavedModel load(const std::string& folder, const LoadOptions& options) {
  return Guarded([&] {
    EnsureReady();
    auto rep = std::make_shared<SavedModel::Rep>();
    rep->model =
        ValueOrThrow(LoadedModel::Load(folder, options.tags,
                                       {options.allow_partial_checkpoint,
                                        options.experimental_skip_checkpoint,
                                        options.experimental_variable_policy !=
                                            VariablePolicy::NONE}));
    rep->paths = ObjectPaths(*rep->model);
    const auto& objects = rep->model->objects();
    for (size_t i = 0; i < objects.size(); ++i) {
      if (!objects[i].variable.has()) continue;
      rep->variable_of.emplace(static_cast<int>(i), rep->variables.size());
      rep->variables.push_back(
          VariableOfHandle(rep->model->value(static_cast<int>(i))));
    }
    return SavedModel(std::move(rep));
  });
}

Signature load_graph(const std::string& file, const GraphOptions& options) {
  return Guarded([&] {
    EnsureReady();
    const GraphFile read = ValueOrThrow(ReadGraphFile(file));
    const proto::GraphDef& graph = *read.meta.graph_def;
    GraphSignature made = ValueOrThrow(SignatureOfGraph(
        file, graph, EndsOfGraph(graph, options.feeds, options.fetches)));
    return Made(std::move(made.signature), std::move(made.graph));
  });
}

bool contains_saved_model(const std::string& folder) {
  return Guarded([&] { return ValueOrThrow(ContainsSavedModel(folder)); });
}

}  // namespace gk::api::saved_model
