// GraphScopes: the scopes in which a graph is built: names, what runs before,
// devices, containers, gradients. Each Push is undone by the matching Pop.
#ifndef GK_FUNCTION_GRAPH_SCOPES_H_
#define GK_FUNCTION_GRAPH_SCOPES_H_

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "framework/device_spec.h"
#include "framework/graph.h"

namespace gk {

// ValueError unless a scope may be called so; `root`: one outside of all
// others. Names in files are made of these characters. `name` is not empty.
Status CheckScopeName(std::string_view name, bool root);

class GraphScopes {
 public:
  explicit GraphScopes(Graph* graph) : graph_(graph) {}
  GraphScopes(const GraphScopes&) = delete;

  // Enters "name" made unique below the current scope; a trailing '/' names
  // a scope exactly; empty leaves all scopes. Returns "outer/name/".
  StatusOr<std::string> PushName(std::string_view name);
  void PopName();
  const std::string& name() const { return names_.back(); }
  // The innermost scope is that of one op and its constants, not one that the
  // program entered.
  void MarkOp() { op_scope_ = names_.size(); }
  // The innermost one that is not marked so, or not that of the op `node`.
  const std::string& user_name(const std::string& node) const;
  // A name for a node or scope made here; one that ends in '/' is taken as it
  // is.
  std::string UniqueName(std::string_view name);

  // Every op made runs after these; nullopt clears what holds so far.
  // Ops of other graphs are ignored, as values they are done.
  void PushControlInputs(std::optional<std::vector<Node*>> nodes);
  void PopControlInputs();
  // Every op made gets "loc:@<node>" in its attribute _class; null ends what
  // holds so far.
  void PushColocation(const Node* node);
  void PopColocation();
  size_t ColocationHash() const;  // 0 without any
  // Every op made asks for this device, where the scopes around leave it open
  // or say otherwise; nullopt ends what holds so far. A function sees the op,
  // with the device that inner scopes gave it, and has the last word.
  using DeviceFn =
      std::function<StatusOr<std::string>(Graph* graph, Node* node)>;
  void PushDevice(std::optional<DeviceSpec> spec);
  void PushDeviceFunction(DeviceFn choose);
  void PopDevice();
  // Empty where functions choose it.
  const std::string& device() const { return devices_.back().name; }
  // A part of another graph, such as a branch: its ops ask for the device that
  // is asked for there now.
  void InheritDevices(const GraphScopes& outer) { devices_ = outer.devices_; }
  // Stateful ops made keep their resources in this container unless they name
  // one.
  void PushContainer(std::string container);
  void PopContainer();
  // Ops made of these types get other gradients: (type, gradient's name).
  void PushGradientOverrides(std::map<std::string, std::string> overrides);
  void PopGradientOverrides();

  // What the scopes say of an op that will be made, and of its node.
  void AddAttrs(const OpRecord& record, AttrMap* attrs) const;
  Status Apply(Node* node) {
    if (!control_groups_.empty()) AddControlInputs(node);
    return devices_.size() > 1 ? Place(node) : OkStatus();
  }
  // Leaves all of them.
  void Clear();

 private:
  void AddControlInputs(Node* node);
  Status Place(Node* node);

  Graph* const graph_;
  std::vector<std::string> names_{""};
  size_t op_scope_ = 0;  // the size of names_ with it, or 0
  // What runs before all that is made while this holds, and what was made.
  // An op that uses something made needs no control input of its own.
  struct ControlGroup {
    std::vector<Node*> nodes;
    bool hides_outer = false;
    std::unordered_set<const Node*> made;
  };
  std::vector<ControlGroup> control_groups_;
  std::vector<std::vector<std::string>> colocations_;
  struct Device {
    bool hides_outer = true;
    DeviceSpec own;
    DeviceFn choose;
    // With what is around it, if no function is.
    DeviceSpec merged;
    std::string name;
    bool chosen = false;
  };
  std::vector<Device> devices_{{}};
  std::vector<std::string> containers_;
  std::vector<std::map<std::string, std::string>> gradient_overrides_;
};

}  // namespace gk

#endif  // GK_FUNCTION_GRAPH_SCOPES_H_
