#include "graph/automatic_control.h"

#include <algorithm>

#include "framework/resource_manager.h"

namespace gk {
namespace {

// Also of what the node has a value of: passes may find that value elsewhere.
void RunAfter(Node* node, Node* before) {
  if (before != nullptr) node->AddControlInput(before);
}

// The name under which others of the process find the resource that a node
// makes; null if it is the node's own.
const std::string* SharedNameOf(const Node& node) {
  if (node.num_inputs() != 0) return nullptr;
  const auto* name = node.attrs().Get<std::string>("shared_name");
  return name == nullptr || *name == kAnonymousName ? nullptr : name;
}

// Whether a node that keeps the program's order may call into the host
// language. Far below nobody looks: what is ordered there may.
bool CallsHost(const Node& node, int depth = 0) {
  if (depth > 8) return EffectsOf(node).ordered;
  if (node.attrs().Get<std::string>("token") != nullptr) return true;
  const auto calls = [depth](const FunctionAttr& f) {
    const auto* body = f.definition.get();
    if (body == nullptr) return true;
    if (!body->effects().ordered) return false;
    const auto& nodes = body->graph().nodes();
    return std::any_of(nodes.begin(), nodes.end(), [depth](const auto& n) {
      return CallsHost(*n, depth + 1);
    });
  };
  for (const auto& [name, value] : node.attrs()) {
    if (const auto* f = std::get_if<FunctionAttr>(&value)) {
      if (calls(*f)) return true;
    } else if (const auto* fs =
                   std::get_if<std::vector<FunctionAttr>>(&value)) {
      if (std::any_of(fs->begin(), fs->end(), calls)) return true;
    }
  }
  return false;
}

bool NamesFunctions(const Node& node) {
  return std::any_of(
      node.attrs().begin(), node.attrs().end(), [](const auto& entry) {
        return std::holds_alternative<FunctionAttr>(entry.second) ||
               std::holds_alternative<std::vector<FunctionAttr>>(entry.second);
      });
}

}  // namespace

void AutomaticControl::Use(History* history, ResourceUse use, Node* node) {
  RunAfter(node, history->last_write);
  if (use == ResourceUse::kRead) {
    history->reads.push_back(node);
    return;
  }
  for (Node* read : history->reads) RunAfter(node, read);
  history->reads.clear();
  history->last_write = node;
}

AutomaticControl::Origin AutomaticControl::OriginOf(
    const Node* resource) const {
  if (arguments_.count(resource) != 0) return Origin::kArgument;
  const bool shared = !shared_.empty() && SharedNameOf(*resource) != nullptr;
  return shared ? Origin::kShared : Origin::kOther;
}

AutomaticControl::Resource AutomaticControl::ResourceOf(const Output& edge) {
  const Output root = ResourceRoot(edge);
  if (const std::string* name = SharedNameOf(*root.node)) {
    const auto& [known, fresh] = shared_.try_emplace(
        {root.node->attr<std::string>("container"), *name}, root.node);
    return {known->second, root.index};
  }
  return {root.node, root.index};
}

void AutomaticControl::UseAliases(const Node* resource, ResourceUse use,
                                  Node* node) {
  const Origin origin = OriginOf(resource);
  for (const auto& [other, history] : resources_) {
    if (OriginOf(other.first) == origin) continue;
    if (history.last_write != node) RunAfter(node, history.last_write);
    if (use != ResourceUse::kWrite) continue;
    for (Node* read : history.reads) {
      if (read != node) RunAfter(node, read);
    }
  }
}

void AutomaticControl::AddDatasetUses(const Node& node, Uses* uses) {
  std::set<const Node*> seen;
  std::vector<const Node*> todo{&node};
  while (!todo.empty()) {
    const Node& from = *todo.back();
    todo.pop_back();
    for (const Output& o : from.inputs()) {
      if (o.node->output(o.index).dtype != DataType::kVariant) continue;
      const Node& maker = *o.node;
      if (!seen.insert(&maker).second) continue;
      todo.push_back(&maker);
      if (!maker.op().Has(kCallsFunction)) continue;
      const FunctionEffects effects = EffectsOf(maker);
      for (int i = 0; i < maker.num_inputs(); ++i) {
        if (effects.arguments[i] == ResourceUse::kNone) continue;
        ResourceUse& use = (*uses)[ResourceOf(maker.input(i))];
        use = std::max(use, effects.arguments[i]);
      }
    }
  }
}

void AutomaticControl::AddMustRun(Node* node) {
  if (std::find(must_run_.begin(), must_run_.end(), node) == must_run_.end()) {
    must_run_.push_back(node);
  }
}

void AutomaticControl::Add(Node* node) {
  const FunctionEffects effects = EffectsOf(*node);
  if (!effects.stateful) return;
  Order(node, effects);
  if (NamesFunctions(*node)) {
    std::vector<int64_t> read_only;
    for (int i = 0; i < node->num_inputs(); ++i) {
      const Output& o = node->input(i);
      if (o.node->output(o.index).dtype == DataType::kResource &&
          effects.arguments[i] != ResourceUse::kWrite) {
        read_only.push_back(i);
      }
    }
    node->mutable_attrs().Set("_read_only_resource_inputs",
                              std::move(read_only));
  }
  if (effects.must_run) must_run_.push_back(node);
}

void AutomaticControl::Order(Node* node) {
  const FunctionEffects effects = EffectsOf(*node);
  if (effects.stateful) Order(node, effects);
}

void AutomaticControl::Order(Node* node, const FunctionEffects& effects) {
  // Functions that are called may use what names stand for, too: they are
  // ordered, so what uses it here takes its place among such calls.
  bool takes_place = false;
  Uses uses;
  for (int i = 0; i < node->num_inputs(); ++i) {
    const Output& o = node->input(i);
    if (o.node->output(o.index).dtype != DataType::kResource) continue;
    const ResourceUse use = effects.arguments[i];
    if (use == ResourceUse::kNone) continue;
    ResourceUse& seen = uses[ResourceOf(o)];
    seen = std::max(seen, use);
    takes_place |= use == ResourceUse::kWrite ||
                   SharedNameOf(*ResourceRoot(o).node) != nullptr;
  }
  Uses of_dataset;
  AddDatasetUses(*node, &of_dataset);
  for (const auto& [resource, use] : Uses(uses)) {
    if (!of_dataset.empty() && node->op().Has(kCallsFunction)) {
      behind_[resource] = of_dataset;
    }
    const auto behind = behind_.find(resource);
    if (behind != behind_.end()) {
      of_dataset.insert(behind->second.begin(), behind->second.end());
    }
  }
  for (const auto& [resource, use] : of_dataset) {
    ResourceUse& seen = uses[resource];
    seen = std::max(seen, use);
  }
  for (const auto& [resource, use] : uses) {
    Use(&resources_[resource], use, node);
    if (!arguments_.empty() || !shared_.empty()) {
      UseAliases(resource.first, use, node);
    }
  }
  if (effects.ordered && CallsHost(*node)) {
    Use(&host_, ResourceUse::kWrite, node);
  } else if (!uses.empty()) {
    Use(&host_, ResourceUse::kRead, node);
  }
  // The program's order is one more resource: prints and checks write it,
  // assignments, which need no order among themselves, read it.
  if (effects.ordered) {
    Use(&order_, ResourceUse::kWrite, node);
  } else if (takes_place) {
    Use(&order_, ResourceUse::kRead, node);
  }
}

}  // namespace gk
