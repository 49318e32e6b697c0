#include "grappler/splice.h"

#include <algorithm>
#include <unordered_set>

#include "base/interrupt.h"
#include "framework/op_registry.h"

namespace gk {
namespace {

// More nodes than these are gathered in a NoOp, so that the edges between many
// that wait and many that are waited for do not multiply.
constexpr size_t kMaxDirect = 16;

void Unite(const std::vector<Node*>& from, std::vector<Node*>* into) {
  std::unordered_set<const Node*> seen(into->begin(), into->end());
  for (Node* n : from) {
    if (seen.insert(n).second) into->push_back(n);
  }
}

// The nearest nodes for which `stops` holds that the inputs of `node` follow
// from; control inputs too if `control` is set.
template <class Stops>
std::vector<Node*> Nearest(const Node& node, bool control, Stops stops) {
  std::vector<Node*> found;
  std::unordered_set<const Node*> seen;
  std::vector<Node*> todo;
  const auto visit = [&](Node* from) {
    if (!seen.insert(from).second) return;
    if (stops(*from)) {
      found.push_back(from);
    } else {
      todo.push_back(from);
    }
  };
  for (const Output& in : node.inputs()) visit(in.node);
  if (control) {
    for (Node* c : node.control_inputs()) visit(c);
  }
  while (!todo.empty()) {
    const Node* from = todo.back();
    todo.pop_back();
    for (const Output& in : from->inputs()) visit(in.node);
    for (Node* c : from->control_inputs()) visit(c);
  }
  return found;
}

}  // namespace

StatusOr<std::vector<Node*>> Splice::Gather(std::vector<Node*> nodes,
                                            const Node& like,
                                            const char* name) {
  if (nodes.size() <= kMaxDirect) return nodes;
  const OpRecord& op = OpRegistry::Get().The(kOnlyOrders);
  GK_ASSIGN_OR_RETURN(Node * gather,
                      f_->graph->AddNode(op, like.name() + name, {}, {}));
  for (Node* n : nodes) gather->AddControlInput(n);
  gather->set_device(like.device());
  gather->set_source(like.source());
  return std::vector<Node*>{gather};
}

StatusOr<std::vector<Node*>> Splice::Before(Node* node) {
  std::vector<Node*> before = node->control_inputs();
  Unite(Nearest(*node, false, [](const Node& n) { return KeepsPlace(n); }),
        &before);
  return Gather(std::move(before), *node, "/begin");
}

void Splice::Replace(Node* node, std::vector<Node*> after, bool after_waits,
                     std::vector<Node*> outputs) {
  replaced_[node] = {std::move(after), std::move(outputs), after_waits};
}

// A node whose place shows waits for the whole of each replaced one that its
// inputs follow from.
Status Splice::AddCarriedOrder() {
  GK_ASSIGN_OR_RETURN(const std::vector<Node*> order,
                      f_->graph->TopologicalOrder());
  std::vector<bool> keeps(order.size()), goes(order.size()),
      carries(order.size());
  for (const Node* node : order) {
    const int id = node->id();
    keeps[id] = KeepsPlace(*node);
    goes[id] = replaced_.count(node) != 0;
    const auto carried = [&](const Node* from) {
      return keeps[from->id()] ? goes[from->id()] : carries[from->id()];
    };
    for (const Output& in : node->inputs()) {
      if (carried(in.node)) carries[id] = true;
    }
    for (const Node* c : node->control_inputs()) {
      if (carried(c)) carries[id] = true;
    }
  }
  for (Node* node : order) {
    PollInterrupt();
    const int id = node->id();
    if (!keeps[id] || goes[id] || !carries[id]) continue;
    const std::vector<Node*> before = Nearest(*node, true, [&](const Node& n) {
      return keeps[n.id()] || !carries[n.id()];
    });
    for (Node* n : before) {
      if (goes[n->id()] && keeps[n->id()]) node->AddControlInput(n);
    }
  }
  return OkStatus();
}

StatusOr<const std::vector<Node*>*> Splice::AfterOf(Node* node) {
  Replaced& replaced = replaced_.at(node);
  if (!replaced.is_expanded) {
    if (!replaced.after_waits) {
      GK_ASSIGN_OR_RETURN(const std::vector<Node*> before, Before(node));
      Unite(before, &replaced.after);
    }
    GK_RETURN_IF_ERROR(Expand(&replaced.after));
    GK_ASSIGN_OR_RETURN(replaced.after,
                        Gather(std::move(replaced.after), *node, "/end"));
    replaced.is_expanded = true;
  }
  return &replaced.after;
}

Status Splice::Expand(std::vector<Node*>* nodes) {
  std::vector<Node*> all;
  for (Node* n : *nodes) {
    if (replaced_.count(n) == 0) {
      Unite({n}, &all);
      continue;
    }
    GK_ASSIGN_OR_RETURN(const std::vector<Node*>* after, AfterOf(n));
    Unite(*after, &all);
  }
  *nodes = std::move(all);
  return OkStatus();
}

void Splice::ExpandOutputs(Node* node, std::vector<Node*>* into) const {
  const auto it = replaced_.find(node);
  if (it == replaced_.end()) {
    into->push_back(node);
    return;
  }
  for (Node* n : it->second.outputs) ExpandOutputs(n, into);
}

Status Splice::Apply() {
  GK_RETURN_IF_ERROR(AddCarriedOrder());
  const auto goes = [&](const Node* n) { return replaced_.count(n) != 0; };
  // Those that gather are made on the way.
  for (int i = 0; i < f_->graph->num_nodes(); ++i) {
    PollInterrupt();
    Node* node = f_->graph->nodes()[i].get();
    std::vector<Node*> control = node->control_inputs();
    if (goes(node) || std::none_of(control.begin(), control.end(), goes)) {
      continue;
    }
    GK_RETURN_IF_ERROR(Expand(&control));
    node->ClearControlInputs();
    for (Node* c : control) node->AddControlInput(c);
  }
  std::vector<Node*> expanded, outputs;
  for (Node* c : f_->control_outputs) ExpandOutputs(c, &expanded);
  Unite(expanded, &outputs);
  f_->control_outputs = std::move(outputs);
  values_.Apply(f_);
  std::vector<bool> keep(f_->graph->num_nodes(), true);
  for (const auto& [node, replaced] : replaced_) keep[node->id()] = false;
  f_->graph->RemoveNodes(keep);
  return OkStatus();
}

}  // namespace gk
