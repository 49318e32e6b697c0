#include "api/module_objects.h"

#include <algorithm>
#include <utility>

#include "api/dataset_objects.h"
#include "api/inner.h"
#include "api/module_rep.h"
#include "api/table_objects.h"
#include "api/variable_facts.h"
#include "checkpoint/restoration.h"
#include "data/iterator_resource.h"

namespace gk::api {
namespace {

using api::Described;
using Way = std::vector<std::string>;

class VariableObject final : public ExportedObject {
 public:
  explicit VariableObject(Variable variable) : variable_(std::move(variable)) {}
  const void* identity() const override { return &variable_.facts(); }
  std::string Text() const override { return variable_.to_string(); }
  std::vector<Value> Values() override {
    const auto* const v =
        ValueOrThrow(VariableOf(Inner(variable_.handle())));
    return {{kVariableValue, variable_.name(), {""}, v->dtype()}};
  }
  TensorVector Save() override {
    return SaveVariable(Inner(variable_.handle()));
  }
  void Restore(const std::string& value, const TensorVector& tensors) override {
    RestoreVariable(Inner(variable_.handle()), tensors.at(0));
  }
  int64_t restored_by() const override { return variable_.facts().restored_by; }
  void set_restored_by(int64_t number) override {
    variable_.facts().restored_by = number;
  }
  ExportedFacts Facts() override {
    ExportedFacts facts;
    facts.message.mutable_variable();
    facts.tensors = {Inner(variable_.handle())};
    return facts;
  }

 private:
  const Variable variable_;
};

class IteratorObject final : public Trackable {
 public:
  explicit IteratorObject(Iterator iterator) : iterator_(std::move(iterator)) {}
  const void* identity() const override {
    return ValueOrThrow(IteratorResource::Of(Handle())).get();
  }
  std::string Text() const override { return "Iterator"; }
  std::vector<Value> Values() override { return {{kIteratorState, ""}}; }
  TensorVector Save() override { return SaveIterator(Handle()); }
  void Restore(const std::string& value, const TensorVector& tensors) override {
    RestoreIterator(Handle(), tensors.at(0));
  }

 private:
  ::gk::Tensor Handle() const { return Inner(iterator_.handle()); }
  const Iterator iterator_;
};

ExportedObjectRef Described(const Variable& variable, bool whole) {
  return std::make_shared<VariableObject>(variable);
}
TrackablePtr Described(const Iterator& iterator, bool whole) {
  return std::make_shared<IteratorObject>(iterator);
}
ExportedObjectRef Described(const Module& module, bool whole);

// The object as a child of that name, if there is something to save of it.
void AddDescribed(const std::string& name, const auto& value, bool whole,
                  std::vector<Trackable::Child>* children) {
  const auto add = [&](const auto& object) {
    if constexpr (requires { IsInCheckpoints(object); }) {
      if (!whole && !IsInCheckpoints(object)) return;
    }
    children->push_back({name, Described(object, whole)});
  };
  std::visit(add, value);
}

// A module, or a vector or map in one of its attributes, by the way to it. Held
// weakly: the module holds what waits for its attributes, and that this.
class ModuleObject final : public ExportedObject {
 public:
  // `whole`: for a saved model, not for a checkpoint.
  ModuleObject(const std::shared_ptr<Module::Rep>& rep, Way way, bool whole,
               std::vector<Child> attached = {})
      : rep_(rep),
        way_(std::move(way)),
        whole_(whole),
        attached_(std::move(attached)),
        address_(AddressOf(*rep, way_)) {}

  const void* identity() const override { return address_; }
  std::string Text() const override {
    const auto rep = rep_.lock();
    std::string text = Format("Module({})", rep ? rep->name : "");
    for (const std::string& part : way_) text += "." + part;
    return text;
  }
  std::vector<Child> Children() override {
    std::vector<Child> children;
    const auto rep = rep_.lock();
    if (rep == nullptr) return children;
    for (const auto& [name, leaves] : rep->attributes) {
      if (!way_.empty() && way_.front() != name) continue;
      for (const ModuleLeaf& leaf : leaves) AddChild(leaf, rep, &children);
    }
    children.insert(children.end(), attached_.begin(), attached_.end());
    return children;
  }
  void Await(const std::string& child,
             const std::shared_ptr<Restoration>& restoration,
             int node) override {
    const auto rep = rep_.lock();
    if (rep == nullptr) return;
    Way path = way_;
    path.push_back(child);
    const auto resume = [path, restoration, node](const Module& module) {
      ModuleObject parent(module.rep(), Way(path.begin(), path.end() - 1),
                          /*whole=*/false);
      for (const Child& found : parent.Children()) {
        if (found.name != path.back()) continue;
        ThrowUnlessOk(restoration->Resume(node, found.object));
        return true;
      }
      return false;
    };
    rep->waiting.push_back({path, resume});
  }
  std::vector<std::string> SlotNames() override {
    std::vector<std::string> names;
    const auto rep = way_.empty() ? rep_.lock() : nullptr;
    if (rep == nullptr) return names;
    for (const auto& [key, slot] : rep->slots) {
      if (names.empty() || names.back() != key.first) {
        names.push_back(key.first);
      }
    }
    return names;
  }
  TrackablePtr Slot(const Trackable& variable,
                    const std::string& name) override {
    const auto rep = way_.empty() ? rep_.lock() : nullptr;
    if (rep == nullptr) return nullptr;
    const auto found = rep->slots.find({name, variable.identity()});
    if (found == rep->slots.end()) return nullptr;
    return std::make_shared<VariableObject>(found->second.slot);
  }
  TrackablePtr CreateSlot(const TrackablePtr& variable, const std::string& name,
                          const std::shared_ptr<Restoration>& restoration,
                          int node) override {
    if (TrackablePtr there = Slot(*variable, name)) return there;
    if (const auto rep = way_.empty() ? rep_.lock() : nullptr) {
      // The variable's object keeps its identity meanwhile.
      rep->waiting_slots[{name, variable->identity()}].push_back(
          [restoration, node, variable](const Variable& slot) {
            ThrowUnlessOk(restoration->Resume(
                node, std::make_shared<VariableObject>(slot)));
          });
    }
    return nullptr;
  }
  bool IsContainer() const { return !way_.empty(); }
  ExportedFacts Facts() override {
    ExportedFacts facts;
    proto::SavedUserObject& user = facts.message.mutable_user_object();
    user.identifier = !IsContainer() ? "_generic_user_object"
                      : IsNumbered() ? "trackable_list_wrapper"
                                     : "trackable_dict_wrapper";
    user.version.mut().producer = 1;
    user.version.mut().min_consumer = 1;
    return facts;
  }

 private:
  static const void* AddressOf(Module::Rep& rep, const Way& way) {
    if (way.empty()) return &rep;
    std::unique_ptr<char>& address = rep.containers[way];
    if (address == nullptr) address = std::make_unique<char>();
    return address.get();
  }
  // Are its parts called "0", "1", ...?
  bool IsNumbered() {
    int i = 0;
    for (const Child& child : Children()) {
      if (child.name != std::to_string(i++)) return false;
    }
    return true;
  }
  void AddChild(const ModuleLeaf& leaf, const std::shared_ptr<Module::Rep>& rep,
                std::vector<Child>* children) const {
    if (leaf.path.size() <= way_.size() ||
        !std::equal(way_.begin(), way_.end(), leaf.path.begin())) {
      return;
    }
    const std::string& name = leaf.path[way_.size()];
    if (leaf.path.size() == way_.size() + 1) {
      AddDescribed(name, leaf.value, whole_, children);
    } else if (std::ranges::find(*children, name, &Child::name) ==
               children->end()) {
      Way inside = way_;
      inside.push_back(name);
      children->push_back({name, std::make_shared<ModuleObject>(
                                     rep, std::move(inside), whole_)});
    }
  }

  const std::weak_ptr<Module::Rep> rep_;
  const Way way_;
  const bool whole_;
  const std::vector<Child> attached_;
  const void* const address_;
};

ExportedObjectRef Described(const Module& module, bool whole) {
  return std::make_shared<ModuleObject>(module.rep(), Way(), whole);
}

}  // namespace

TrackablePtr DescribedModule(const Module& module,
                             const CheckpointedObjects& attached) {
  std::vector<Trackable::Child> children;
  for (const auto& [name, value] : attached) {
    AddDescribed(name, value, /*whole=*/false, &children);
  }
  return std::make_shared<ModuleObject>(module.rep(), Way(), /*whole=*/false,
                                        std::move(children));
}

ExportedObjectRef ExportedModule(
    const Module& module,
    const std::map<std::string, ExportedObjectRef>& functions) {
  std::vector<Trackable::Child> children;
  for (const auto& [name, function] : functions) {
    children.push_back({name, function});
  }
  return std::make_shared<ModuleObject>(module.rep(), Way(), /*whole=*/true,
                                        std::move(children));
}

}  // namespace gk::api
