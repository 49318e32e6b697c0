#include "function/graph_scopes.h"

#include <algorithm>
#include <iterator>

#include "base/hash.h"
#include "function/own_gradient_attrs.h"
#include "graph/graph_elements.h"

namespace gk {
Status CheckScopeName(std::string_view name, bool root) {
  const auto is_word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '.';
  };
  bool valid = !root || is_word(name.front());
  for (char c : name) {
    valid = valid && (is_word(c) || std::string_view("_\\/>-").find(c) !=
                                        std::string_view::npos);
  }
  if (valid) return OkStatus();
  if (root) {
    return ValueError(
        "'{}' is not a valid root scope name. A root scope name has to match "
        "the following pattern: ^[A-Za-z0-9.][A-Za-z0-9_.\\\\/>-]*$",
        name);
  }
  return ValueError(
      "'{}' is not a valid scope name. A scope name has to match the "
      "following pattern: ^[A-Za-z0-9_.\\\\/>-]*$",
      name);
}

std::string GraphScopes::UniqueName(std::string_view name) {
  if (!name.empty() && name.back() == '/') {
    name.remove_suffix(1);
    // A scope's own name is reserved already: its op takes it as it is.
    return graph_->FindNode(name) == nullptr ? std::string(name)
                                             : graph_->UniqueName(name);
  }
  if (names_.back().empty()) return graph_->UniqueName(name);
  return graph_->UniqueName(names_.back() + std::string(name));
}

StatusOr<std::string> GraphScopes::PushName(std::string_view name) {
  std::string scope;
  if (!name.empty()) {
    if (name.back() == '/') {
      scope = name;
    } else {
      GK_RETURN_IF_ERROR(CheckScopeName(name, names_.back().empty()));
      scope = UniqueName(name) + "/";
    }
  }
  names_.push_back(scope);
  return scope;
}

const std::string& GraphScopes::user_name(const std::string& node) const {
  const std::string& scope = names_.back();
  const bool marked = op_scope_ == names_.size() && op_scope_ > 1;
  const bool own =
      marked && scope.size() == node.size() + 1 && scope.starts_with(node);
  return own ? names_[op_scope_ - 2] : scope;
}

void GraphScopes::PopName() {
  if (op_scope_ == names_.size()) op_scope_ = 0;
  if (names_.size() > 1) names_.pop_back();
}

void GraphScopes::PushControlInputs(std::optional<std::vector<Node*>> nodes) {
  ControlGroup group;
  group.hides_outer = !nodes;
  if (nodes) {
    for (Node* n : *nodes) {
      if (n == nullptr || graph_->FindNode(n->name()) != n) continue;
      group.nodes.push_back(n);
    }
  }
  control_groups_.push_back(std::move(group));
}

void GraphScopes::PopControlInputs() {
  if (!control_groups_.empty()) control_groups_.pop_back();
}

void GraphScopes::AddControlInputs(Node* node) {
  std::vector<Node*> before;
  for (size_t i = control_groups_.size(); i-- > 0;) {
    ControlGroup& group = control_groups_[i];
    const bool dominated =
        std::any_of(node->inputs().begin(), node->inputs().end(),
                    [&](const Output& o) { return group.made.count(o.node); });
    group.made.insert(node);
    if (!dominated) {
      before.insert(before.end(), group.nodes.begin(), group.nodes.end());
    }
    if (group.hides_outer) break;
  }
  std::sort(before.begin(), before.end(),
            [](const Node* a, const Node* b) { return a->name() < b->name(); });
  for (Node* n : before) {
    if (std::none_of(node->inputs().begin(), node->inputs().end(),
                     [&](const Output& o) { return o.node == n; })) {
      node->AddControlInput(n);
    }
  }
}

void GraphScopes::PushColocation(const Node* node) {
  std::vector<std::string> all;
  if (node != nullptr) {
    if (!colocations_.empty()) all = colocations_.back();
    std::ranges::move(ColocationGroupsOf(*node), std::back_inserter(all));
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
  }
  colocations_.push_back(std::move(all));
}

void GraphScopes::PopColocation() {
  if (!colocations_.empty()) colocations_.pop_back();
}

size_t GraphScopes::ColocationHash() const {
  size_t h = 0;
  if (colocations_.empty()) return h;
  for (const std::string& group : colocations_.back()) {
    h = HashCombine(h, std::hash<std::string>()(group));
  }
  return h;
}

void GraphScopes::AddAttrs(const OpRecord& record, AttrMap* attrs) const {
  if (!colocations_.empty() && !colocations_.back().empty()) {
    attrs->Set("_class", colocations_.back());
  }
  if (!containers_.empty() && record.def->FindAttr("container") != nullptr) {
    const auto* given = attrs->Get<std::string>("container");
    if (given == nullptr || given->empty()) {
      attrs->Set("container", containers_.back());
    }
  }
  for (size_t i = gradient_overrides_.size(); i-- > 0;) {
    const auto found = gradient_overrides_[i].find(std::string(record.name));
    if (found == gradient_overrides_[i].end()) continue;
    attrs->Set(kGradientOpType, found->second);
    break;
  }
}

void GraphScopes::PushContainer(std::string container) {
  containers_.push_back(std::move(container));
}

void GraphScopes::PopContainer() {
  if (!containers_.empty()) containers_.pop_back();
}

void GraphScopes::PushGradientOverrides(
    std::map<std::string, std::string> overrides) {
  gradient_overrides_.push_back(std::move(overrides));
}

void GraphScopes::PopGradientOverrides() {
  if (!gradient_overrides_.empty()) gradient_overrides_.pop_back();
}

void GraphScopes::PushDevice(std::optional<DeviceSpec> spec) {
  Device device;
  if (spec) {
    const Device& outer = devices_.back();
    device.hides_outer = false;
    device.merged = outer.merged.MergedWith(*spec);
    device.own = *std::move(spec);
    device.chosen = outer.chosen;
    if (!device.chosen) device.name = device.merged.ToString();
  }
  devices_.push_back(std::move(device));
}

void GraphScopes::PushDeviceFunction(DeviceFn choose) {
  Device& device = devices_.emplace_back();
  device.hides_outer = false;
  device.choose = std::move(choose);
  device.chosen = true;
}

void GraphScopes::PopDevice() {
  if (devices_.size() > 1) devices_.pop_back();
}

Status GraphScopes::Place(Node* node) {
  if (!devices_.back().chosen) {
    if (!device().empty()) node->set_device(device());
    return OkStatus();
  }
  // Functions may enter scopes.
  for (size_t i = devices_.size(); i-- > 0 && !devices_[i].hides_outer;) {
    if (const DeviceFn choose = devices_[i].choose) {
      GK_ASSIGN_OR_RETURN(std::string name, choose(graph_, node));
      node->set_device(std::move(name));
    } else {
      GK_ASSIGN_OR_RETURN(DeviceSpec inner, DeviceSpec::Parse(node->device()));
      node->set_device(devices_[i].own.MergedWith(inner).ToString());
    }
  }
  return OkStatus();
}

void GraphScopes::Clear() {
  names_.assign(1, "");
  control_groups_.clear();
  colocations_.clear();
  devices_.resize(1);
  containers_.clear();
  gradient_overrides_.clear();
}

}  // namespace gk
