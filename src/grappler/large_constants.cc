#include "grappler/large_constants.h"

#include <algorithm>
#include <numeric>

#include "base/interrupt.h"
#include "framework/run_kernel.h"
#include "grappler/edges.h"

namespace gk {
namespace {

// Results up to this size may be larger than what they are computed from.
constexpr int64_t kSmallBytes = 1 << 18;
// Of all values that are held at one time.
constexpr int64_t kMaxBytes = int64_t{1} << 28;

// -1 if it cannot be known, or is no memory of plain elements.
int64_t BytesOf(const Output& o) {
  const Node::OutputInfo& info = o.node->output(o.index);
  if (IsObjectType(info.dtype) || !info.shape.IsFullyDefined()) return -1;
  return MultiplyWithoutOverflow(info.shape.num_elements(),
                                 DataTypeSize(info.dtype));
}

// Nodes that follow from constants alone, producers first, by the rule for
// sizes.
StatusOr<std::vector<Node*>> Find(const RewriteGraph& function) {
  GK_ASSIGN_OR_RETURN(const std::vector<Node*> order,
                      function.graph->TopologicalOrder());
  std::vector<Node*> found;
  std::vector<bool> is_found(order.size());
  for (Node* node : order) {
    if (!IsPureNode(*node) || node->num_inputs() == 0 ||
        !node->control_inputs().empty()) {
      continue;
    }
    int64_t in = 0, out = 0;
    bool known = true;
    for (int i = 0; i < node->num_inputs() && known; ++i) {
      const Output& from = node->input(i);
      const int64_t bytes = BytesOf(from);
      known = bytes >= 0 && (is_found[from.node->id()] || KnownValue(from));
      const auto first = node->inputs().begin();
      if (std::find(first, first + i, from) == first + i) {
        in = std::min(in + bytes, kMaxBytes);
      }
    }
    for (int i = 0; i < node->num_outputs() && known; ++i) {
      const int64_t bytes = BytesOf({node, i});
      known = bytes >= 0 && bytes <= kMaxBytes;
      out += bytes;
    }
    if (!known || out > std::max(in, kSmallBytes) || out > kMaxBytes) continue;
    is_found[node->id()] = true;
    found.push_back(node);
  }
  return found;
}

class Folder {
 public:
  Folder(RewriteGraph* function, std::vector<Node*> nodes)
      : f_(function),
        nodes_(std::move(nodes)),
        values_(function->graph->num_nodes()),
        users_(function->graph->num_nodes()) {
    for (const auto& node : f_->graph->nodes()) {
      for (const Output& in : node->inputs()) ++users_[in.node->id()];
    }
    for (const Output& r : f_->results) ++users_[r.node->id()];
  }

  void Compute(FunctionRef<bool()> go_on) {
    for (Node* node : nodes_) {
      if (users_[node->id()] == 0) continue;
      PollInterrupt();
      if (!go_on()) return;
      if (!Compute(*node)) continue;
      for (const Output& in : node->inputs()) {
        if (--users_[in.node->id()] == 0) Drop(in.node->id());
      }
    }
  }

  // What is left is what others need.
  Status Keep(bool* changed) {
    Replacements replace;
    for (Node* node : nodes_) {
      const TensorVector& values = values_[node->id()];
      for (size_t i = 0; i < values.size(); ++i) {
        GK_ASSIGN_OR_RETURN(Node * constant,
                            AddConst(f_->graph.get(), values[i], *node));
        replace.Add({node, static_cast<int>(i)}, {constant, 0});
        *changed = true;
      }
    }
    replace.Apply(f_);
    return OkStatus();
  }

 private:
  bool Compute(const Node& node) {
    int64_t bytes = 0;
    for (int i = 0; i < node.num_outputs(); ++i) {
      bytes += BytesOf({const_cast<Node*>(&node), i});
    }
    if (held_ + bytes > kMaxBytes) return false;
    std::vector<const Tensor*> inputs;
    for (const Output& in : node.inputs()) {
      const TensorVector& computed = values_[in.node->id()];
      const Tensor& value =
          computed.empty() ? KnownValue(in) : computed[in.index];
      if (!value) return false;
      inputs.push_back(&value);
    }
    TensorVector outputs(node.num_outputs());
    KernelContext context(node.op(), node.attrs(), inputs, outputs);
    // What fails does so when, and if, it runs; an interrupt is no failure.
    const NoInterrupts whole;
    if (!RunKernel(context).ok()) return false;
    for (int i = 0; i < node.num_outputs(); ++i) {
      const Node::OutputInfo& info = node.output(i);
      if (!outputs[i] || outputs[i].dtype() != info.dtype ||
          !info.shape.IsCompatibleWith(outputs[i].shape())) {
        return false;
      }
    }
    values_[node.id()] = std::move(outputs);
    held_ += bytes;
    return true;
  }

  void Drop(int id) {
    for (const Tensor& t : values_[id]) {
      held_ -= t.num_elements() * DataTypeSize(t.dtype());
    }
    values_[id].clear();
  }

  RewriteGraph* const f_;
  const std::vector<Node*> nodes_;
  std::vector<TensorVector> values_;  // by node id; empty: not computed
  std::vector<int> users_;            // that are still to come
  int64_t held_ = 0;
};

}  // namespace

bool HasLargeConstants(const RewriteGraph& function) {
  const StatusOr<std::vector<Node*>> found = Find(function);
  return found.ok() && !found->empty();
}

Status FoldLargeConstants(RewriteGraph* function, FunctionRef<bool()> go_on,
                          bool* changed) {
  GK_ASSIGN_OR_RETURN(std::vector<Node*> nodes, Find(*function));
  Folder folder(function, std::move(nodes));
  folder.Compute(go_on);
  return folder.Keep(changed);
}

}  // namespace gk
