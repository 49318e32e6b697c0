// Module: an object that finds what is kept inside it: variables, modules,
// tables, files, datasets.
//
//   struct Dense : gk::Module {
//     explicit Dense(int units) : gk::Module("dense") {
//       const auto scope = name_scope();  // the variable is "dense/w"
//       w = track("w", gk::Variable(gk::zeros({units}), {.name = "w"}));
//     }
//     std::optional<gk::Variable> w;
//   };
//   struct Net : gk::Module {
//     std::vector<Dense> layers = track("layers", std::vector{Dense(2)});
//   };
//   Net().trainable_variables();  // {layers/0/w}
#ifndef GRAPHKILN_MODULE_H_
#define GRAPHKILN_MODULE_H_

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <graphkiln/asset.h>
#include <graphkiln/dataset.h>
#include <graphkiln/graph.h>
#include <graphkiln/lookup.h>
#include <graphkiln/variable.h>

namespace gk {
GK_API_NAMESPACE {

struct ModuleLeaf;
struct FlattenOptions;

// A handle; copying shares the attributes. Classes derive from it, and keep
// in it what is to be found. Not thread-safe while attributes are added.
class GK_EXPORT Module {
 public:
  // Throws Error (ValueError) unless the name is an identifier.
  explicit Module(const std::string& name = "module");

  // As given; without the scopes around.
  const std::string& name() const;
  // While the result lives, what is made has names below this module's.
  [[nodiscard]] class name_scope name_scope() const;

  // Keeps `value`, and gives it back, as an attribute of that name in place of
  // another one: a module, variable, table, asset or dataset, or vectors, maps
  // from texts, optionals and pointers of such. Do not keep a module inside
  // itself: none of its variables would ever end.
  template <class T>
  T track(const std::string& attribute, T value);

  // Keeps `slot`, and gives it back, as what this module, an optimizer, has for
  // another's variable ("momentum"), in place of another one. Checkpoints hold
  // it as they hold slots of TensorFlow's optimizers, below the way to
  // `variable`; variables() does not tell it.
  Variable track_slot(const Variable& variable, const std::string& name,
                      Variable slot);
  // The slot, nothing if there is none.
  std::optional<Variable> slot(const Variable& variable,
                               const std::string& name) const;

  // What it has itself, by the names of the attributes; then what the modules
  // inside have, breadth first. Each once.
  std::vector<Variable> variables() const;
  std::vector<Variable> trainable_variables() const;
  std::vector<Variable> non_trainable_variables() const;
  std::vector<Module> submodules() const;
  // All that is kept, in that order, with the ways to it.
  std::vector<ModuleLeaf> flatten(const FlattenOptions& options) const;
  std::vector<ModuleLeaf> flatten() const;

  friend bool operator==(const Module& a, const Module& b) {
    return a.rep_ == b.rep_;
  }

  // --- For the library itself.
  struct Rep;
  const std::shared_ptr<Rep>& rep() const { return rep_; }

 private:
  struct Walk;
  void SetAttribute(const std::string& name,
                    std::vector<ModuleLeaf> leaves) const;
  std::shared_ptr<Rep> rep_;
};

// What a walk finds, and how: {"layers", "0", "w"}.
struct ModuleLeaf {
  std::vector<std::string> path;
  std::variant<Module, Variable, lookup::Table, lookup::StaticVocabularyTable,
               saved_model::Asset, Dataset>
      value;
};

// Of Module::flatten.
struct FlattenOptions {
  // Are modules inside entered?
  bool recursive = true;
  // Which are told; by default all.
  std::function<bool(const ModuleLeaf&)> predicate = {};
  // Sorts the attributes of each module; by default their names do.
  std::function<std::string(const std::string&)> attribute_traversal_key = {};
  // Once for each way to it, rather than once.
  bool with_path = false;
};

inline std::vector<ModuleLeaf> Module::flatten() const {
  return flatten(FlattenOptions());
}

namespace detail {

template <class T>
void AddModuleLeaves(const T& value, const std::vector<std::string>& path,
                     std::vector<ModuleLeaf>* leaves) {
  const auto below = [&](const std::string& key, const auto& child) {
    std::vector<std::string> way = path;
    way.push_back(key);
    AddModuleLeaves(child, way, leaves);
  };
  if constexpr (std::is_base_of_v<Module, T>) {
    leaves->push_back({path, static_cast<const Module&>(value)});
  } else if constexpr (std::is_base_of_v<lookup::Table, T>) {
    leaves->push_back({path, static_cast<const lookup::Table&>(value)});
  } else if constexpr (std::is_same_v<T, Variable> ||
                       std::is_same_v<T, lookup::StaticVocabularyTable> ||
                       std::is_same_v<T, saved_model::Asset>) {
    leaves->push_back({path, value});
  } else if constexpr (std::is_base_of_v<Dataset, T>) {
    leaves->push_back({path, static_cast<const Dataset&>(value)});
  } else if constexpr (requires { *value; }) {
    if (value) AddModuleLeaves(*value, path, leaves);
  } else if constexpr (requires { typename T::mapped_type; }) {
    static_assert(std::is_same_v<T, std::map<std::string,
                                             typename T::mapped_type>>,
                  "a std::map from std::string has an order");
    for (const auto& [key, child] : value) below(key, child);
  } else {
    size_t i = 0;
    for (const auto& child : value) below(std::to_string(i++), child);
  }
}

}  // namespace detail

template <class T>
T Module::track(const std::string& attribute, T value) {
  std::vector<ModuleLeaf> leaves;
  detail::AddModuleLeaves(value, {attribute}, &leaves);
  SetAttribute(attribute, std::move(leaves));
  return value;
}

}  // GK_API_NAMESPACE
}  // namespace gk

#endif  // GRAPHKILN_MODULE_H_
