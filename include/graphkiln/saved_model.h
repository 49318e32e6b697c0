// gk::saved_model: models in folders, which any of TensorFlow's programs writes
// and loads: functions with all that they need, and signatures, functions of
// tensors by name.
//
//   const auto model = gk::saved_model::load("/models/digits");
//   const auto classify = model.signature();  // "serving_default"
//   gk::Tensor scores = classify.CallByName({{"image", image}}).at("scores");
//
// What is loaded are handles; copying shares them. Calls are safe from any
// number of threads.
#ifndef GRAPHKILN_SAVED_MODEL_H_
#define GRAPHKILN_SAVED_MODEL_H_

#include <graphkiln/call_structure.h>
#include <graphkiln/concrete_function.h>
#include <graphkiln/export.h>
#include <graphkiln/run_options.h>
#include <graphkiln/variable.h>
#ifndef GRAPHKILN_RUNTIME_ONLY
#include <graphkiln/function.h>
#include <graphkiln/module.h>
#include <graphkiln/sharding.h>
#endif

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace gk {
GK_API_NAMESPACE {
namespace saved_model {

// The signature that servers call if they are told no other, and the tag of
// graphs that they run.
inline constexpr char DEFAULT_SERVING_SIGNATURE_DEF_KEY[] = "serving_default";
inline constexpr char SERVING[] = "serve";

// Whether it matters where variables are; there is one copy of each.
enum class VariablePolicy {
  NONE,
  SAVE_VARIABLE_DEVICES,
  EXPAND_DISTRIBUTED_VARIABLES,
};

// Of load.
struct LoadOptions {
  // Of the graph that is wanted; by default there is only one.
  std::optional<std::vector<std::string>> tags = {};
  // Values may be missing in the checkpoint: variables stay without one.
  bool allow_partial_checkpoint = false;
  // None are read: all variables stay without values.
  bool experimental_skip_checkpoint = false;
  // But for NONE variables are where the file says, if there is such a device.
  VariablePolicy experimental_variable_policy = VariablePolicy::NONE;
};

// A function of tensors by name that gives tensors by name.
class GK_EXPORT Signature {
 public:
  // "serving_default"; of a graph in a file that file.
  const std::string& name() const;
  // What it takes and gives, sorted by name (of a graph in a file: in the order
  // in which it was named). Sizes of dimensions that may be
  // any are kUnknown.
  const std::vector<TensorSpec>& inputs() const;
  const std::vector<TensorSpec>& outputs() const;
  // The values of inputs that need not be given.
  const std::map<std::string, Tensor>& defaults() const;

  // Takes a tensor for each of inputs(), gives one for each of outputs().
  // Elements are not copied: give a Tensor::FromBlob, read results where they
  // are. Throws Error: InvalidArgument if a type or shape does not match,
  // TypeError for another number, and as RunOptions say.
  std::vector<Tensor> Call(const std::vector<Tensor>& inputs,
                           const RunOptions& options = {}) const;
  // The same by names. TypeError for an input that is missing and has no
  // default, or that there is not.
  std::map<std::string, Tensor> CallByName(
      const std::map<std::string, Tensor>& inputs,
      const RunOptions& options = {}) const;
  // The tensors for each of inputs(), found by name and among the defaults. The
  // same.
  std::vector<Tensor> InputsByName(
      const std::map<std::string, Tensor>& inputs) const;
  // The function itself.
  ConcreteFunction concrete_function() const;

  // --- For the library itself.
  struct Rep;
  explicit Signature(std::shared_ptr<const Rep> rep) : rep_(std::move(rep)) {}

 private:
  std::shared_ptr<const Rep> rep_;
};

// What a function gave: tensors, nested as in the program that was saved.
class GK_EXPORT NestedTensors {
 public:
  // The part of a mapping or struct by its name, of a list or tuple by its
  // number. Throws Error (LookupError, IndexError) if there is none.
  NestedTensors operator[](std::string_view key) const;
  NestedTensors operator[](const char* key) const {
    return (*this)[std::string_view(key)];
  }
  NestedTensors operator[](size_t i) const;
  NestedTensors operator[](int i) const {
    return (*this)[static_cast<size_t>(i)];
  }
  // The only one. Throws Error (ValueError) if there are none or several.
  Tensor tensor() const;
  operator Tensor() const { return tensor(); }
  // All, from left to right; mappings by their sorted keys.
  const std::vector<Tensor>& tensors() const { return tensors_; }
  // How they nest.
  const Structure& structure() const { return structure_; }

  // --- For the library itself.
  NestedTensors(Structure structure, std::vector<Tensor> tensors)
      : structure_(std::move(structure)), tensors_(std::move(tensors)) {}

 private:
  Structure structure_;
  std::vector<Tensor> tensors_;
};

// An argument by its name: f(x, gk::saved_model::named("training", false)).
template <class T>
struct NamedArgument {
  std::string name;
  T value;
};
// Makes one.
template <class T>
NamedArgument<std::decay_t<T>> named(std::string name, T&& value) {
  return {std::move(name), std::forward<T>(value)};
}

// A function of a loaded model: a call runs the trace that was saved for such
// arguments.
class GK_EXPORT RestoredFunction {
 public:
  // Takes what gk::function takes, by position and then by name; defaults are
  // those that were saved. Numbers and texts count by value, as they did when
  // the function was traced; where it was traced with a tensor, a number
  // becomes one. Throws Error (ValueError) that shows the traces if none was
  // saved for such a call.
  template <class... Args>
  NestedTensors operator()(const Args&... args) const {
    detail::CallWords words(nullptr);
    std::vector<std::string> names;
    words.BeginTuple(sizeof...(Args));
    (AddArgument(words, &names, args), ...);
    return Call(words, names);
  }
  // The same function, whose calls are run as `options` say.
  RestoredFunction with(const RunOptions& options) const;
  // The traces that were saved.
  std::vector<ConcreteFunction> concrete_functions() const;

  // --- For the library itself.
  struct Rep;
  explicit RestoredFunction(std::shared_ptr<const Rep> rep)
      : rep_(std::move(rep)) {}

 private:
  template <class T>
  static void AddArgument(detail::CallWords& words,
                          std::vector<std::string>* names,
                          const T& argument) {
    names->emplace_back();
    if constexpr (std::is_array_v<T>) {
      detail::AddTo(words, std::string_view(argument));
    } else {
      detail::AddTo(words, argument);
    }
  }
  template <class T>
  static void AddArgument(detail::CallWords& words,
                          std::vector<std::string>* names,
                          const NamedArgument<T>& argument) {
    AddArgument(words, names, argument.value);
    names->back() = argument.name;
  }
  NestedTensors Call(const detail::CallWords& words,
                     const std::vector<std::string>& names) const;

  std::shared_ptr<const Rep> rep_;
};

// A model that was loaded.
class GK_EXPORT SavedModel {
 public:
  // Where it is, the tags of its graph, and the version of TensorFlow whose
  // formats it is in.
  const std::string& folder() const;
  const std::vector<std::string>& tags() const;
  const std::string& tensorflow_version() const;

  // The names of its signatures, sorted; and one of them. Throws Error
  // (NotFound) that names those that there are.
  std::vector<std::string> signature_names() const;
  Signature signature(
      const std::string& name = DEFAULT_SERVING_SIGNATURE_DEF_KEY) const;

  // The functions of its objects by the ways to them,
  // "encoder.layers.0.call", sorted; and one of them. The same.
  std::vector<std::string> function_names() const;
  RestoredFunction function(const std::string& name) const;

  // Its variables, which may be read, assigned and trained on.
  const std::vector<Variable>& variables() const;
  std::vector<Variable> trainable_variables() const;
  // By the way to it, "encoder.layers.0.w", or by its Variable::name().
  Variable variable(const std::string& name) const;

  // The files that were saved with it, by the ways to their assets,
  // "vocabulary._filename": where the copies are.
  std::map<std::string, std::string> assets() const;

  // --- For the library itself.
  struct Rep;
  explicit SavedModel(std::shared_ptr<const Rep> rep)
      : rep_(std::move(rep)) {}
  const Rep& rep() const { return *rep_; }

 private:
  std::shared_ptr<const Rep> rep_;
};

// Loads the model in a folder. Throws Error: NotFound without one,
// InvalidArgument if there is no graph with the tags, DataLoss of a damaged
// one, FailedPrecondition if a variable has no value in it.
GK_EXPORT SavedModel load(const std::string& folder,
                          const LoadOptions& options = {});

// Of load_graph: tensors by name, "x" or "x:1".
struct GraphOptions {
  // What is given; by default the placeholders that the fetches need.
  std::optional<std::vector<std::string>> feeds = {};
  // What is computed; by default the tensors that no node takes.
  std::optional<std::vector<std::string>> fetches = {};
};

// A graph in a file, a GraphDef or MetaGraphDef, binary or text, as a function
// of the feeds that gives the fetches, in that order and called by these names.
// Such files hold no values: variables in them have none. Throws Error:
// NotFound without the file, DataLoss if it is none, ValueError for a graph
// that cannot be made and a name that is none of its tensors, InvalidArgument
// if a fetch needs a placeholder that is not fed.
//
//   const auto classify = gk::saved_model::load_graph(
//       "frozen.pb", {.feeds = {{"image"}}, .fetches = {{"scores", "top:1"}}});
//   gk::Tensor scores = classify.Call({image})[0];
GK_EXPORT Signature load_graph(const std::string& file,
                               const GraphOptions& options = {});

// Is there a model in the folder?
GK_EXPORT bool contains_saved_model(const std::string& folder);

#ifndef GRAPHKILN_RUNTIME_ONLY

// A function that is saved, with the traces that it has by then.
class GK_EXPORT ExportedFunction {
 public:
  // Of all traces of a function, or of one.
  template <class F>
  ExportedFunction(const Function<F>& function)
      : traces_(function.concrete_functions()) {}
  ExportedFunction(const ConcreteFunction& trace) : traces_{trace} {}

  // What is saved of it.
  const std::vector<ConcreteFunction>& traces() const { return traces_; }

 private:
  std::vector<ConcreteFunction> traces_;
};

// What is saved beside what is in a module.
struct Exports {
  // Functions, as attributes of the module by these names.
  std::map<std::string, ExportedFunction> functions = {};
  // Of one trace each, which takes tensors and gives one, several or a
  // mapping or struct of them. If there are none, the only function that can
  // be one is the DEFAULT_SERVING_SIGNATURE_DEF_KEY.
  std::map<std::string, ExportedFunction> signatures = {};
  // {signature: {input: value}}: values of inputs that need not be given.
  std::map<std::string, std::map<std::string, Tensor>> defaults = {};
};

// Of save.
struct SaveOptions {
  // Of the graph, beside SERVING.
  std::vector<std::string> extra_tags = {};
  // Leaves out the ops by which servers read the variables.
  bool experimental_skip_saver = false;
  // But for NONE the file says where variables are.
  VariablePolicy experimental_variable_policy = VariablePolicy::NONE;
  // Which data files the variables have.
  ShardingCallback experimental_sharding_callback = {};
  // Checks and prints of values are saved as ops that do nothing.
  bool experimental_debug_stripper = false;
  // Of "Addons>Blur" the namespace is "Addons". If given, ops of others are not
  // saved: ValueError.
  std::optional<std::vector<std::string>> namespace_whitelist = {};
};

// Writes a module and what is in it, its variables, tables and assets, and
// functions over these, into a folder. Tables are made and filled again when
// it is loaded: those that change with what is in them now. Throws Error:
// ValueError for a signature that cannot be one, TypeError for a trace that
// takes what has no lasting form, FailedPrecondition if a function uses a
// variable or table that is not in the module, naming both, NotFound if the
// file of an asset is missing.
//
//   gk::saved_model::save(net, folder, {.functions = {{"predict", predict}}});
GK_EXPORT void save(const Module& module, const std::string& folder,
                    const Exports& exports = {},
                    const SaveOptions& options = {});
// Writes a model that was loaded, with the values that its variables have now.
GK_EXPORT void save(const SavedModel& model, const std::string& folder,
                    const SaveOptions& options = {});

#endif  // GRAPHKILN_RUNTIME_ONLY

}  // namespace saved_model
}  // GK_API_NAMESPACE
}  // namespace gk

#endif  // GRAPHKILN_SAVED_MODEL_H_
