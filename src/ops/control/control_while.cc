// While: a function runs again and again as long as another one says so.
#include "framework/function_gradients.h"
#include "framework/function_runner.h"
#include "framework/graph.h"
#include "framework/op_registry.h"
#include "framework/variant.h"
#include "ops/control/truth.h"

namespace gk {
namespace {

// Declared, or of the inputs that no iteration changes the shape of.
Status WhileShape(InferenceContext& c) {
  const auto shapes = c.attr<std::vector<PartialTensorShape>>("output_shapes");
  const FunctionAttr body = c.attr<FunctionAttr>("body");
  std::vector<PartialTensorShape> after;
  if (body.definition) after = body.definition->output_shapes();
  for (int i = 0; i < c.num_outputs(); ++i) {
    if (const HandleData* h = c.input_handle(i)) c.set_output_handle(i, *h);
    if (static_cast<int>(shapes.size()) == c.num_outputs()) {
      c.set_output(i, shapes[i]);
    } else if (i < static_cast<int>(after.size())) {
      c.set_output(i, c.input(i).CommonSupertype(after[i]));
    }
  }
  return OkStatus();
}

// The loop's own tensor of input i. A list that dies here moves into it: what
// the loop takes off its end is freed at once.
StatusOr<Tensor> OwnState(KernelContext& c, int i) {
  const Tensor& given = c.input(i);
  if (given.dtype() != DataType::kVariant || !given.shape().IsScalar() ||
      !c.MayOverwrite(i)) {
    return given;
  }
  for (int j = 0; j < c.num_inputs(); ++j) {
    if (j != i && c.input(j).Is(given)) return given;
  }
  GK_ASSIGN_OR_RETURN(Tensor own,
                      Tensor::Allocate(given.dtype(), given.shape()));
  std::swap(*own.data<Variant>(), *const_cast<Tensor&>(given).data<Variant>());
  return own;
}

Status ComputeWhile(KernelContext& c) {
  const auto& cond = c.attr<FunctionAttr>("cond");
  const auto& body = c.attr<FunctionAttr>("body");
  FunctionRunner* runner = FunctionRunner::Get();
  for (const FunctionAttr* f : {&cond, &body}) {
    if (!f->definition || runner == nullptr) {
      return NotFound("Function {} is not defined.", f->name);
    }
  }
  TensorVector state;
  state.reserve(c.num_inputs());
  for (int i = 0; i < c.num_inputs(); ++i) {
    GK_ASSIGN_OR_RETURN(Tensor own, OwnState(c, i));
    state.push_back(std::move(own));
  }
  GK_RETURN_IF_ERROR(runner->RunWhile(*cond.definition, *body.definition,
                                      &state, TruthFor(c.attrs()),
                                      c.cancellation()));
  for (int i = 0; i < c.num_outputs(); ++i) {
    c.set_output(i, std::move(state[i]));
  }
  return OkStatus();
}

#define GK_WHILE_ATTRS                                               \
  "T: list(type) >= 0; cond: func; body: func; output_shapes: "      \
  "list(shape) = []; parallel_iterations: int = 10"

const OpRecord kRecords[] = {
    {.name = "While",
     .inputs = "input: T",
     .outputs = "output: T",
     .attrs = GK_WHILE_ATTRS,
     .traits = kCallsFunction | kStateful,
     .control = Control::kWhile,
     .shape = WhileShape,
     .kernel = {.compute = ComputeWhile},
     .gradient = ControlFlowGradient,
     .doc = "While `cond(values)` holds, values = body(values), beginning with "
            "`input`; both may have side effects.",
     .test = {.skip_gradient = true}},

    {.name = "StatelessWhile",
     .inputs = "input: T",
     .outputs = "output: T",
     .attrs = GK_WHILE_ATTRS,
     .traits = kCallsFunction,
     .control = Control::kWhile,
     .shape = WhileShape,
     .kernel = {.compute = ComputeWhile},
     .gradient = ControlFlowGradient,
     .doc = "While `cond(values)` holds, values = body(values), beginning with "
            "`input`.",
     .test = {.skip_gradient = true}},
};

}  // namespace

GK_REGISTER_OPS(control_while)

}  // namespace gk
