#include "framework/graph.h"

#include <algorithm>
#include <unordered_set>

#include "base/interrupt.h"
#include "framework/op_builder.h"
#include "framework/unregistered_op.h"

namespace gk {
namespace {

std::string LowerCase(std::string_view s) {
  std::string lower(s);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c += 'a' - 'A';
  }
  return lower;
}

bool IsNameChar(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
         (c >= '0' && c <= '9') || c == '.' || c == '_' || c == '\\' ||
         c == '/' || c == '>' || c == '-' || c == '<';
}

Status CheckName(std::string_view name) {
  bool valid = !name.empty() && (IsNameChar(name[0])) && name[0] != '/' &&
               name[0] != '-' && name[0] != '\\';
  for (char c : name) valid = valid && IsNameChar(c);
  if (!valid) return ValueError("'{}' is not a valid node name", name);
  return OkStatus();
}

}  // namespace

void Node::AddControlInput(Node* n) {
  if (n == nullptr || n == this) return;
  if (std::find(control_inputs_.begin(), control_inputs_.end(), n) ==
      control_inputs_.end()) {
    control_inputs_.push_back(n);
  }
}

Graph::Graph() = default;
Graph::~Graph() = default;

std::string Graph::UniqueName(std::string_view name) {
  std::string key = LowerCase(name);
  const auto [it, fresh] = used_names_.try_emplace(key, 1);
  if (fresh) return std::string(name);
  int& next = it->second;
  const size_t length = key.size();
  do {
    key.resize(length);
    key += '_';
    key += std::to_string(next++);
  } while (!used_names_.try_emplace(key, 1).second);
  return std::string(name) + key.substr(length);
}

std::string Graph::PeekUniqueName(std::string_view name) const {
  const std::string key = LowerCase(name);
  auto it = used_names_.find(key);
  if (it == used_names_.end()) return std::string(name);
  int i = it->second;
  while (used_names_.count(Format("{}_{}", key, i)) != 0) ++i;
  return Format("{}_{}", name, i);
}

StatusOr<Node*> Graph::AddNode(const OpRecord& op, std::string_view name,
                               std::span<const Output> inputs, AttrMap attrs,
                               std::span<Node* const> control_inputs) {
  auto node = std::make_unique<Node>();
  const bool reserved = !name.empty() && name.back() == '/';
  if (reserved) name.remove_suffix(1);
  GK_RETURN_IF_ERROR(CheckName(name));
  node->name_ = reserved ? std::string(name) : UniqueName(name);
  // A name taken as it is counts as used, too.
  if (reserved) used_names_.try_emplace(LowerCase(node->name_), 1);
  if (by_name_.count(node->name_) != 0) {
    return InvalidArgument("Duplicate node name in graph: '{}'", node->name_);
  }
  node->op_ = &op;
  if (op.Has(kUnregistered)) {
    node->own_op_ = Ref<const RefCounted>(&UnregisteredOp::Of(op));
  }
  node->attrs_ = std::move(attrs);
  for (const Output& o : inputs) node->inputs_.push_back(o);
  // AddControlInput looks through those that are there.
  constexpr size_t kFew = 64;
  if (control_inputs.size() <= kFew) {
    for (Node* c : control_inputs) node->AddControlInput(c);
  } else {
    std::unordered_set<const Node*> seen;
    for (Node* c : control_inputs) {
      if (c != nullptr && seen.insert(c).second) {
        node->control_inputs_.push_back(c);
      }
    }
  }
  std::vector<DataType> types;
  GK_RETURN_IF_ERROR(OutputTypes(*op.def, node->attrs_, &types));
  node->outputs_.resize(types.size());
  for (size_t i = 0; i < types.size(); ++i) node->outputs_[i].dtype = types[i];
  GK_RETURN_IF_ERROR(InferShapes(node.get()));
  GK_RETURN_IF_ERROR(InferThroughCallee(node.get()));
  node->id_ = static_cast<int>(nodes_.size());
  by_name_.emplace(node->name_, node.get());
  nodes_.push_back(std::move(node));
  return nodes_.back().get();
}

Node* Graph::FindNode(std::string_view name) const {
  auto it = by_name_.find(std::string(name));
  return it == by_name_.end() ? nullptr : it->second;
}

void Graph::RemoveNodes(const std::vector<bool>& keep) {
  size_t n = 0;
  for (size_t i = 0; i < nodes_.size(); ++i) {
    if (!keep[i]) {
      by_name_.erase(nodes_[i]->name_);
      continue;
    }
    nodes_[i]->id_ = static_cast<int>(n);
    if (n != i) nodes_[n] = std::move(nodes_[i]);
    ++n;
  }
  nodes_.resize(n);
}

Tensor Graph::TensorOf(Output o) {
  SymbolicTensor*& live = o.node->mutable_output(o.index).tensor;
  if (live != nullptr) return Tensor(live);
  live = new SymbolicTensor(Ref<SymbolicTensor::Source>(this), o.node, o.index,
                            o.node->output(o.index).dtype);
  return Tensor::Adopt(live);
}

PartialTensorShape Graph::OutputShape(const Node* node, int index) const {
  return node->output(index).shape;
}

Tensor Graph::OutputValue(const Node* node, int index) const {
  return node->output(index).value;
}

void Graph::RefineShape(Node* node, int index,
                        const PartialTensorShape& shape) {
  PartialTensorShape& known = node->mutable_output(index).shape;
  StatusOr<PartialTensorShape> both = known.MergeWith(shape);
  if (both.ok()) known = *std::move(both);
}

void Graph::ForgetTensor(Node* node, int index) {
  node->mutable_output(index).tensor = nullptr;
}

Ref<Graph> Graph::Clone(std::vector<Node*>* map) const {
  Ref<Graph> copy = MakeRef<Graph>();
  std::vector<Node*> nodes(nodes_.size());
  copy->nodes_.reserve(nodes_.size());
  copy->by_name_.reserve(nodes_.size());
  for (size_t i = 0; i < nodes_.size(); ++i) {
    PollInterrupt();
    auto node = std::make_unique<Node>(*nodes_[i]);
    for (Node::OutputInfo& o : node->outputs_) o.tensor = nullptr;
    nodes[i] = node.get();
    copy->by_name_.emplace(node->name_, node.get());
    copy->nodes_.push_back(std::move(node));
  }
  for (Node* node : nodes) {
    for (Output& o : node->inputs_) o.node = nodes[o.node->id_];
    for (Node*& c : node->control_inputs_) c = nodes[c->id_];
  }
  copy->used_names_ = used_names_;
  if (map != nullptr) *map = std::move(nodes);
  return copy;
}

bool Graph::IsOrdered() const {
  for (const auto& node : nodes_) {
    const int id = node->id();
    for (const Output& o : node->inputs()) {
      if (o.node->id() >= id) return false;
    }
    for (const Node* c : node->control_inputs()) {
      if (c->id() >= id) return false;
    }
  }
  return true;
}

StatusOr<std::vector<Node*>> Graph::TopologicalOrder() const {
  if (IsOrdered()) {
    std::vector<Node*> order;
    order.reserve(nodes_.size());
    for (const auto& node : nodes_) order.push_back(node.get());
    return order;
  }
  const size_t n = nodes_.size();
  std::vector<int> waiting(n, 0);
  std::vector<int> first(n + 1, 0);
  auto each_producer = [](const Node& node, auto&& fn) {
    for (const Output& o : node.inputs()) fn(o.node->id());
    for (const Node* c : node.control_inputs()) fn(c->id());
  };
  for (const auto& node : nodes_) {
    each_producer(*node, [&](int from) {
      ++waiting[node->id()];
      ++first[from + 1];
    });
  }
  for (size_t i = 0; i < n; ++i) first[i + 1] += first[i];
  std::vector<int> consumers(first[n]);
  std::vector<int> fill(first.begin(), first.end() - 1);
  for (const auto& node : nodes_) {
    each_producer(*node,
                  [&](int from) { consumers[fill[from]++] = node->id(); });
  }
  // A min-heap keeps program order wherever edges leave a choice.
  std::vector<int> ready;
  for (size_t i = 0; i < n; ++i) {
    if (waiting[i] == 0) ready.push_back(static_cast<int>(i));
  }
  std::make_heap(ready.begin(), ready.end(), std::greater<>());
  std::vector<Node*> order;
  order.reserve(n);
  while (!ready.empty()) {
    std::pop_heap(ready.begin(), ready.end(), std::greater<>());
    const int id = ready.back();
    ready.pop_back();
    order.push_back(nodes_[id].get());
    for (int k = first[id]; k < first[id + 1]; ++k) {
      if (--waiting[consumers[k]] == 0) {
        ready.push_back(consumers[k]);
        std::push_heap(ready.begin(), ready.end(), std::greater<>());
      }
    }
  }
  if (order.size() != n) {
    for (size_t i = 0; i < n; ++i) {
      if (waiting[i] > 0) {
        return InvalidArgument("Graph had at least one cycle, through node {}",
                               nodes_[i]->name());
      }
    }
  }
  return order;
}

}  // namespace gk
