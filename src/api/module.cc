// gk::Module over the walk of framework/attribute_walk.h.
#include "graphkiln/module.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "api/dataset_objects.h"
#include "api/inner.h"
#include "api/module_rep.h"
#include "api/table_objects.h"
#include "framework/attribute_walk.h"

namespace gk::api {
namespace {

constexpr auto kIdentity = []<class T>(const T& value) -> const void* {
  if constexpr (std::is_same_v<T, Module>) {
    return value.rep().get();
  } else if constexpr (std::is_same_v<T, Variable>) {
    return &value.facts();
  } else {
    return IdentityOf(value);
  }
};

}  // namespace

// Shows the walk what it meets: values by their places in `found`, attributes
// in `attributes`.
struct Module::Walk final : AttributeWalk::Host {
  Walk(const Module& root, const FlattenOptions& options) : options(options) {
    found.push_back({{}, root});
  }

  std::vector<size_t> Attributes(size_t module) override {
    const Rep& rep = *std::get<Module>(found[module].value).rep_;
    std::vector<std::pair<std::string, const std::string*>> sorted;
    for (const auto& [name, leaves] : rep.attributes) {
      sorted.emplace_back(options.attribute_traversal_key
                              ? options.attribute_traversal_key(name)
                              : name,
                          &name);
    }
    std::ranges::stable_sort(sorted, {}, [](auto& at) { return at.first; });
    std::vector<size_t> numbers;
    for (const auto& [key, name] : sorted) {
      numbers.push_back(attributes.size());
      attributes.push_back(*name);
    }
    return numbers;
  }

  std::vector<AttributeWalk::Leaf> Leaves(size_t module,
                                          size_t attribute) override {
    const ModuleLeaf at = found[module];
    std::vector<AttributeWalk::Leaf> leaves;
    for (const ModuleLeaf& own :
         std::get<Module>(at.value).rep_->attributes[attributes[attribute]]) {
      leaves.push_back({found.size(), std::visit(kIdentity, own.value),
                        std::holds_alternative<Module>(own.value)});
      found.push_back({at.path, own.value});
      found.back().path.insert(found.back().path.end(), own.path.begin(),
                               own.path.end());
    }
    return leaves;
  }

  bool IsWanted(size_t value) override {
    return !options.predicate || options.predicate(found[value]);
  }

  const FlattenOptions& options;
  std::vector<ModuleLeaf> found;
  std::vector<std::string> attributes;
};

namespace {

template <class T>
std::vector<T> Found(const Module& module, bool (*is_wanted)(const T&)) {
  FlattenOptions options;
  options.predicate = [&](const ModuleLeaf& leaf) {
    const T* value = std::get_if<T>(&leaf.value);
    return value != nullptr && is_wanted(*value);
  };
  std::vector<T> found;
  for (ModuleLeaf& leaf : module.flatten(options)) {
    found.push_back(std::get<T>(std::move(leaf.value)));
  }
  return found;
}

}  // namespace

Module::Module(const std::string& name) {
  Guarded([&] {
    if (!IsModuleName(name)) {
      throw ::gk::Error(ValueError(
          "'{}' is not a valid module name. Module names must be valid "
          "identifiers.",
          name));
    }
    rep_ = std::make_shared<Rep>();
    rep_->name = name;
    rep_->scope = gk::api::name_scope(name).full_name();
  });
}

const std::string& Module::name() const { return rep_->name; }
name_scope Module::name_scope() const {
  return gk::api::name_scope(rep_->scope);
}

void Module::SetAttribute(const std::string& name,
                          std::vector<ModuleLeaf> leaves) const {
  rep_->attributes[name] = std::move(leaves);
  // Those who wait may come to wait for more.
  std::vector<Rep::Waiting> waiting = std::move(rep_->waiting);
  rep_->waiting.clear();
  for (Rep::Waiting& waiter : waiting) {
    if (waiter.path.front() != name || !waiter.resume(*this)) {
      rep_->waiting.push_back(std::move(waiter));
    }
  }
}

Variable Module::track_slot(const Variable& variable, const std::string& name,
                            Variable slot) {
  const Rep::SlotKey key{name, &variable.facts()};
  rep_->slots.insert_or_assign(key, Rep::Slot{variable, slot});
  if (auto waiting = rep_->waiting_slots.extract(key)) {
    for (const auto& resume : waiting.mapped()) resume(slot);
  }
  return slot;
}

std::optional<Variable> Module::slot(const Variable& variable,
                                     const std::string& name) const {
  const auto found = rep_->slots.find({name, &variable.facts()});
  if (found == rep_->slots.end()) return std::nullopt;
  return found->second.slot;
}

std::vector<Variable> Module::variables() const {
  return Found<Variable>(*this, [](const Variable&) { return true; });
}
std::vector<Variable> Module::trainable_variables() const {
  return Found<Variable>(*this,
                         [](const Variable& v) { return v.trainable(); });
}
std::vector<Variable> Module::non_trainable_variables() const {
  return Found<Variable>(*this,
                         [](const Variable& v) { return !v.trainable(); });
}
std::vector<Module> Module::submodules() const {
  return Found<Module>(*this, [](const Module&) { return true; });
}

std::vector<ModuleLeaf> Module::flatten(const FlattenOptions& options) const {
  Walk host(*this, options);
  AttributeWalk walk(&host, {0, rep_.get(), true},
                     {options.recursive, options.with_path});
  std::vector<ModuleLeaf> found;
  while (const std::optional<size_t> next = walk.Next()) {
    found.push_back(host.found[*next]);
  }
  return found;
}

}  // namespace gk::api
