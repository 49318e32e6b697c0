// If, Case: one of several functions runs, as a value decides.
#include "framework/function_gradients.h"
#include "framework/grad_context.h"
#include "framework/function_runner.h"
#include "framework/graph.h"
#include "framework/op_registry.h"
#include "ops/call_results.h"
#include "ops/control/truth.h"
#include "ops/element_moves.h"

namespace gk {
namespace {

// What all branches agree on.
Status BranchShapes(InferenceContext& c,
                    std::span<const FunctionAttr* const> branches) {
  const auto shapes = c.attr<std::vector<PartialTensorShape>>("output_shapes");
  std::vector<PartialTensorShape> common(c.num_outputs());
  bool first = true;
  for (const FunctionAttr* f : branches) {
    if (f == nullptr || !f->definition) {
      first = true;
      common.assign(c.num_outputs(), PartialTensorShape());
      break;
    }
    const std::vector<PartialTensorShape> mine = f->definition->output_shapes();
    for (size_t i = 0; i < common.size() && i < mine.size(); ++i) {
      common[i] = first ? mine[i] : common[i].CommonSupertype(mine[i]);
    }
    first = false;
  }
  for (int i = 0; i < c.num_outputs(); ++i) {
    if (static_cast<int>(shapes.size()) == c.num_outputs()) {
      // A declared shape and the branches' may each know more.
      StatusOr<PartialTensorShape> merged = common[i].MergeWith(shapes[i]);
      c.set_output(i, merged.ok() ? *std::move(merged) : common[i]);
    } else {
      c.set_output(i, common[i]);
    }
  }
  return OkStatus();
}

Status IfShape(InferenceContext& c) {
  const FunctionAttr a = c.attr<FunctionAttr>("then_branch"),
                     b = c.attr<FunctionAttr>("else_branch");
  const FunctionAttr* both[] = {&a, &b};
  return BranchShapes(c, both);
}

Status CaseShape(InferenceContext& c) {
  const auto branches = c.attr<std::vector<FunctionAttr>>("branches");
  std::vector<const FunctionAttr*> all;
  for (const FunctionAttr& f : branches) all.push_back(&f);
  return BranchShapes(c, all);
}

// Runs `f` with all inputs but the first.
Status RunBranch(KernelContext& c, const FunctionAttr& f) {
  FunctionRunner* runner = FunctionRunner::Get();
  if (!f.definition || runner == nullptr) {
    return NotFound("Function {} is not defined.", f.name);
  }
  TensorVector inputs, outputs;
  inputs.reserve(c.num_inputs());
  for (int i = 1; i < c.num_inputs(); ++i) inputs.push_back(c.input(i));
  GK_RETURN_IF_ERROR(
      runner->Run(*f.definition, inputs, &outputs, c.cancellation()));
  return TakeResults(c, "Branch", f.name, std::move(outputs));
}

Status ComputeIf(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const bool truth, TruthFor(c.attrs())(c.input(0)));
  return RunBranch(
      c, c.attr<FunctionAttr>(truth ? "then_branch" : "else_branch"));
}

Status ComputeCase(KernelContext& c) {
  GK_ASSIGN_OR_RETURN(const int64_t index, BranchIndexOf(c.input(0)));
  const auto& branches = c.attr<std::vector<FunctionAttr>>("branches");
  const int64_t n = branches.size();
  // An index out of range is the last branch.
  return RunBranch(c, branches[index < 0 || index >= n ? n - 1 : index]);
}

// Never read: stands in a branch for what only another branch computes.
Status ComputeFake(KernelContext& c) {
  const DataType dtype = c.attr<DataType>("dtype");
  const PartialTensorShape shape = c.attr<PartialTensorShape>("shape");
  TensorShape made;
  if (!shape.unknown_rank()) {
    for (int64_t d : shape.dims()) made.AddDim(d < 0 ? 0 : d);
  }
  Tensor* out = nullptr;
  return c.Allocate(0, dtype, made, &out);
}

Status FakeShape(InferenceContext& c) {
  c.set_output(0, c.attr<PartialTensorShape>("shape"));
  return OkStatus();
}

#define GK_IF_ATTRS                                                   \
  "Tcond: type; Tin: list(type) >= 0; Tout: list(type) >= 0;"         \
  "then_branch: func; else_branch: func; output_shapes: list(shape) " \
  "= []"
#define GK_CASE_ATTRS                                       \
  "Tin: list(type) >= 0; Tout: list(type) >= 0;"            \
  "branches: list(func) >= 1; output_shapes: list(shape) = []"

const OpRecord kRecords[] = {
    {.name = "If",
     .inputs = "cond: Tcond; input: Tin",
     .outputs = "output: Tout",
     .attrs = GK_IF_ATTRS,
     .traits = kCallsFunction | kStateful,
     .control = Control::kIf,
     .shape = IfShape,
     .kernel = {.compute = ComputeIf},
     .gradient = ControlFlowGradient,
     .doc = "`then_branch(input)` if `cond` holds, else `else_branch(input)`; "
            "the branches may have side effects.",
     .test = {.skip_gradient = true}},

    {.name = "StatelessIf",
     .inputs = "cond: Tcond; input: Tin",
     .outputs = "output: Tout",
     .attrs = GK_IF_ATTRS,
     .traits = kCallsFunction,
     .control = Control::kIf,
     .shape = IfShape,
     .kernel = {.compute = ComputeIf},
     .gradient = ControlFlowGradient,
     .doc = "`then_branch(input)` if `cond` holds, else `else_branch(input)`.",
     .test = {.skip_gradient = true}},

    {.name = "Case",
     .inputs = "branch_index: int32; input: Tin",
     .outputs = "output: Tout",
     .attrs = GK_CASE_ATTRS,
     .traits = kCallsFunction | kStateful,
     .control = Control::kCase,
     .shape = CaseShape,
     .kernel = {.compute = ComputeCase},
     .gradient = ControlFlowGradient,
     .doc = "`branches[branch_index](input)`, the last branch if the index is "
            "out of range; the branches may have side effects.",
     .test = {.skip_gradient = true}},

    {.name = "StatelessCase",
     .inputs = "branch_index: int32; input: Tin",
     .outputs = "output: Tout",
     .attrs = GK_CASE_ATTRS,
     .traits = kCallsFunction,
     .control = Control::kCase,
     .shape = CaseShape,
     .kernel = {.compute = ComputeCase},
     .gradient = ControlFlowGradient,
     .doc = "`branches[branch_index](input)`, the last branch if the index is "
            "out of range.",
     .test = {.skip_gradient = true}},

    {.name = "FakeParam",
     .inputs = "",
     .outputs = "output: dtype",
     .attrs = "dtype: type; shape: shape",
     .traits = kUndefined,
     .shape = FakeShape,
     .kernel = {.compute = ComputeFake},
     .doc = "A value that nobody reads, in place of one that only another "
            "branch computes.",
     .test = {.skip_gradient = true}},
};

}  // namespace

GK_REGISTER_OPS(control_if)

}  // namespace gk
