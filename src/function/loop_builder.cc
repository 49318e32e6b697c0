#include "function/loop_builder.h"

#include <limits>

#include "base/format.h"
#include "function/branch_builder.h"
#include "function/part_scope.h"
#include "function/while_builder.h"
#include "ops/composite.h"

namespace gk {
namespace {

std::vector<PartialTensorShape> ShapesOf(std::span<const Tensor> state,
                                         const LoopSource& loop) {
  std::vector<PartialTensorShape> shapes = loop.invariants;
  if (shapes.empty()) {
    for (const Tensor& t : state) shapes.push_back(t.partial_shape());
  }
  if (shapes.size() != state.size()) {
    throw Error(ValueError(
        "{} shape invariants were given for {} loop variables{}",
        shapes.size(), state.size(), LoopPlaces(loop)));
  }
  for (size_t i = 0; i < state.size(); ++i) {
    const PartialTensorShape shape = state[i].partial_shape();
    if (shape.IsCompatibleWith(shapes[i])) continue;
    throw Error(ValueError(
        "The shape invariant specified for loop_vars[{}] is not compatible "
        "with the initial shape of the loop variable. It enters the loop with "
        "shape {}, but the specified shape invariant is {}.{}",
        i, shape.PythonString(), shapes[i].PythonString(), LoopPlaces(loop)));
  }
  return shapes;
}

void CheckIteration(const WhileBuilder& builder, std::span<const Tensor> before,
                    std::span<const Tensor> after, const LoopSource& loop) {
  if (before.size() != after.size()) {
    throw Error(ValueError(
        "The body of a loop was given {} tensors and returned {}{}",
        before.size(), after.size(), LoopPlaces(loop)));
  }
  const auto found = builder.FindDisagreement(after);
  if (!found) return;
  const size_t i = found->variable;
  ThrowIfError(CheckLoopDtype(i, before[i].dtype(), after[i].dtype(), loop));
  ThrowIfError(CheckLoopShape(
      i, before[i].partial_shape(), after[i].partial_shape(),
      loop.invariants.empty() ? nullptr : &loop.invariants[i], loop));
}

}  // namespace

Tensor LateVariables::Add(DataType dtype, const PartialTensorShape& shape,
                          std::function<Tensor()> initial) {
  initial_.push_back(std::move(initial));
  return builder_->AddLate(dtype, shape);
}

std::string LoopPlaces(const LoopSource& loop) {
  if (loop.enters.empty()) return "";
  return Format(" (the loop variables enter at {}, the body is at {})",
                loop.enters, loop.repeats);
}

Status CheckLoopDtype(size_t i, DataType before, DataType after,
                      const LoopSource& loop) {
  if (before == after) return OkStatus();
  return TypeError(
      "Loop var loop_vars[{}] enters the loop with type {} but has type {} "
      "after 1 iteration. loop_vars[{}] type should remain constant.{}",
      i, DataTypeName(before), DataTypeName(after), i, LoopPlaces(loop));
}

Status CheckLoopShape(size_t i, const PartialTensorShape& before,
                      const PartialTensorShape& after,
                      const PartialTensorShape* invariant,
                      const LoopSource& loop) {
  const PartialTensorShape& wanted = invariant ? *invariant : before;
  if (after.IsSubtypeOf(wanted)) return OkStatus();
  std::string given;
  if (invariant != nullptr) {
    given = Format(" Its shape invariant is {}.", invariant->PythonString());
  }
  return ValueError(
      "Input tensor `loop_vars[{}]` enters the loop with shape {}, but has "
      "shape {} after one iteration. To allow the shape to vary across "
      "iterations, use the `shape_invariants` argument of gk::while_loop to "
      "specify a less-specific shape.{}{}",
      i, before.PythonString(), after.PythonString(), given, LoopPlaces(loop));
}

Tensor IterationLimit(const Tensor& limit) {
  const PartialTensorShape shape = limit.partial_shape();
  if (!shape.unknown_rank() && shape.rank() != 0) {
    throw Error(ValueError("maximum_iterations must be a scalar. Got: {}",
                           shape.PythonString()));
  }
  if (limit.dtype() == DataType::kInt32) return limit;
  if (limit.dtype() != DataType::kInt64) {
    throw Error(TypeError("maximum_iterations must be an integer, got {}",
                          DataTypeName(limit.dtype())));
  }
  // Counters are int32: a loop never gets further than that.
  const Tensor most = ValueOrThrow(OpBuilder::Current()->Constant(
      Tensor::Scalar<int64_t>(std::numeric_limits<int32_t>::max()), "Const"));
  return MakeOp1("Cast", {MakeOp1("Minimum", {limit, most})},
                 {{"DstT", DataType::kInt32}});
}

TensorVector BuildLoop(
    std::span<const Tensor> given, const LoopSource& loop,
    const std::function<Tensor(std::span<const Tensor>)>& condition,
    const std::function<TensorVector(std::span<const Tensor>, LateVariables*)>&
        body) {
  WhileBuilder builder(loop.name, loop.maximum_iterations
                                      ? IterationLimit(loop.maximum_iterations)
                                      : Tensor());
  const std::vector<PartialTensorShape> shapes = ShapesOf(given, loop);
  builder.Carry(TensorVector(given.begin(), given.end()), shapes);
  LateVariables late(&builder);
  {
    PartScope inside(builder.Begin(WhileBuilder::kBody), builder.scope());
    // A copy: late variables move what is behind the span.
    const std::span<const Tensor> variables =
        builder.variables(WhileBuilder::kBody);
    const TensorVector before(variables.begin(), variables.end());
    TensorVector after = body(before, &late);
    CheckIteration(builder, given, after, loop);
    if (late.next_.size() != late.initial_.size()) {
      throw Error(Internal("a late loop variable has no next value"));
    }
    after.insert(after.end(), late.next_.begin(), late.next_.end());
    builder.EndBody(after);
  }
  TensorVector initial;
  for (const std::function<Tensor()>& make : late.initial_) {
    initial.push_back(make());
  }
  builder.StartLate(initial);
  {
    PartScope inside(builder.Begin(WhileBuilder::kCondition), builder.scope());
    const Tensor truth = condition(
        builder.variables(WhileBuilder::kCondition).first(given.size()));
    const Status fits = CheckCondition(truth, "The condition of a loop");
    if (!fits.ok()) throw Error(fits.Append(LoopPlaces(loop)));
    builder.EndCondition(truth);
  }
  TensorVector outputs = builder.Finish(loop.parallel_iterations);
  outputs.erase(outputs.begin());
  return outputs;
}

}  // namespace gk
