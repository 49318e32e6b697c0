#include "grappler/constant_folding.h"

#include "base/interrupt.h"
#include "framework/run_kernel.h"
#include "grappler/edges.h"

namespace gk {
namespace {

// Larger results cost more memory than computing them again costs time.
constexpr int64_t kMaxElements = 1 << 16;

// What is declared of an output is true of the value; else the program is
// wrong, and says so when, and if, it runs.
bool Fits(const Tensor& value, const Node::OutputInfo& declared) {
  return value.dtype() == declared.dtype &&
         declared.shape.IsCompatibleWith(value.shape());
}

// Runs a pure node with outputs whose inputs are all constants. False if it
// cannot, or if its kernel refuses: then it fails when, and if, it runs.
bool Evaluate(const Node& node, TensorVector* outputs) {
  const OpRecord& op = node.op();
  if (node.num_inputs() == 0 || !node.control_inputs().empty()) return false;
  int64_t work = 0;
  for (int i = 0; i < node.num_outputs(); ++i) {
    const Node::OutputInfo& out = node.output(i);
    if (IsObjectType(out.dtype) || !out.shape.IsFullyDefined() ||
        out.shape.num_elements() > kMaxElements) {
      return false;
    }
    work += out.shape.num_elements();
  }
  std::vector<const Tensor*> inputs;
  TensorVector stand_ins;  // for inputs whose values do not matter
  stand_ins.reserve(node.num_inputs());
  for (const Output& in : node.inputs()) {
    const Node::OutputInfo& info = in.node->output(in.index);
    if (!KnownValue(in) && op.Has(kShapeOnly) && info.shape.IsFullyDefined() &&
        !IsObjectType(info.dtype)) {
      StatusOr<TensorShape> shape = info.shape.AsTensorShape();
      if (!shape.ok() || shape->num_elements() > kMaxElements) return false;
      StatusOr<Tensor> zeros = Tensor::Zeros(info.dtype, *shape);
      if (!zeros.ok()) return false;
      inputs.push_back(&stand_ins.emplace_back(std::move(*zeros)));
      continue;
    }
    const Tensor& v = KnownValue(in);
    if (!v || IsObjectType(v.dtype())) return false;
    work += v.num_elements();
    inputs.push_back(&v);
  }
  if (op.Has(kExpensive) && work > 4096) return false;
  outputs->assign(node.num_outputs(), Tensor());
  KernelContext context(op, node.attrs(), inputs, *outputs);
  const NoInterrupts whole;  // what fails would count as refused
  if (!RunKernel(context).ok()) return false;
  for (int i = 0; i < node.num_outputs(); ++i) {
    if (!(*outputs)[i] || !Fits((*outputs)[i], node.output(i))) return false;
  }
  return true;
}

}  // namespace

Status FoldConstants(RewriteGraph* function, bool* changed) {
  GK_ASSIGN_OR_RETURN(const std::vector<Node*> order,
                      function->graph->TopologicalOrder());
  // Who is used at all: nobody needs a constant that nobody reads.
  std::vector<bool> used(function->graph->num_nodes());
  for (const Node* n : order) {
    for (const Output& in : n->inputs()) used[in.node->id()] = true;
  }
  for (const Output& r : function->results) used[r.node->id()] = true;

  Replacements replace;
  for (Node* node : order) {
    PollInterrupt();
    if (node->op().Has(kConstant) || !used[node->id()] || !IsPureNode(*node)) {
      continue;
    }
    bool unknown = false;
    for (int i = 0; i < node->num_outputs(); ++i) {
      unknown |= !KnownValue({node, i});
    }
    TensorVector values;
    if (unknown && Evaluate(*node, &values)) {
      for (int i = 0; i < node->num_outputs(); ++i) {
        node->mutable_output(i).shape = values[i].shape();
        node->mutable_output(i).value = std::move(values[i]);
      }
    }
    for (int i = 0; i < node->num_outputs(); ++i) {
      const Tensor value = KnownValue({node, i});
      if (!value || IsObjectType(value.dtype()) ||
          !Fits(value, node->output(i))) {
        continue;
      }
      GK_ASSIGN_OR_RETURN(Node * constant,
                          AddConst(function->graph.get(), value, *node));
      // What the node waits for may not be waited for by its value: a pure
      // value does not depend on when it is computed.
      replace.Add({node, i}, {constant, 0});
      *changed = true;
    }
  }
  replace.Apply(function);
  return OkStatus();
}

}  // namespace gk
