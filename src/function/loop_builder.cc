#include "function/loop_builder.h"

#include <limits>

#include "base/format.h"
#include "function/branch_builder.h"
#include "function/part_scope.h"
#include "ops/composite.h"

namespace gk {
namespace {

FuncGraph* GraphAround() {
  FuncGraph* graph = FuncGraph::Current();
  if (graph == nullptr) {
    throw Error(Internal("loops are built in functions only"));
  }
  return graph;
}

// "Placeholder" for a variable; the two counters have names.
Tensor Argument(FuncGraph* graph, std::string_view name, const Tensor& like,
                const PartialTensorShape& shape) {
  return ValueOrThrow(graph->AddArgument(name, like.dtype(), shape, {},
                                         FuncGraph::HandleDataOf(like)));
}

TensorVector Arguments(FuncGraph* graph, const Tensor& counter,
                       const Tensor& limit, std::span<const Tensor> state,
                       std::span<const PartialTensorShape> shapes) {
  TensorVector all{
      Argument(graph, "while_loop_counter", counter, TensorShape()),
      Argument(graph, "while_maximum_iterations", limit, TensorShape())};
  for (size_t i = 0; i < state.size(); ++i) {
    all.push_back(Argument(graph, "Placeholder", state[i], shapes[i]));
  }
  return all;
}

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

Tensor TracedCondition(
    std::span<const Tensor> arguments, bool limited, size_t num_state,
    const LoopSource& loop,
    const std::function<Tensor(std::span<const Tensor>)>& condition) {
  Tensor truth = condition(arguments.subspan(2, num_state));
  const Status fits = CheckCondition(truth, "The condition of a loop");
  if (!fits.ok()) throw Error(fits.Append(LoopPlaces(loop)));
  if (!limited) return truth;
  return MakeOp1("LogicalAnd",
                 {MakeOp1("Less", {arguments[0], arguments[1]}), truth});
}

void CheckIteration(std::span<const Tensor> before,
                    std::span<const Tensor> after,
                    std::span<const PartialTensorShape> shapes,
                    const LoopSource& loop) {
  if (before.size() != after.size()) {
    throw Error(ValueError(
        "The body of a loop was given {} tensors and returned {}{}",
        before.size(), after.size(), LoopPlaces(loop)));
  }
  for (size_t i = 0; i < before.size(); ++i) {
    ThrowIfError(
        CheckLoopDtype(i, before[i].dtype(), after[i].dtype(), loop));
    if (after[i].partial_shape().IsSubtypeOf(shapes[i])) continue;
    ThrowIfError(CheckLoopShape(
        i, before[i].partial_shape(), after[i].partial_shape(),
        loop.invariants.empty() ? nullptr : &shapes[i], loop));
  }
}

}  // namespace

Tensor LateVariables::Add(DataType dtype, const PartialTensorShape& shape,
                          std::function<Tensor()> initial) {
  placeholders_.push_back(
      ValueOrThrow(body_->AddArgument("Placeholder", dtype, shape)));
  initial_.push_back(std::move(initial));
  return placeholders_.back();
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
  NameScope scope(GraphAround(), loop.name.empty() ? "while" : loop.name);
  const bool limited = static_cast<bool>(loop.maximum_iterations);
  const Tensor limit = limited ? IterationLimit(loop.maximum_iterations)
                               : Int32Of(-1, "maximum_iterations");
  const Tensor counter = Int32Of(0, "loop_counter");
  TensorVector state(given.begin(), given.end());
  std::vector<PartialTensorShape> shapes = ShapesOf(state, loop);

  FunctionPart repeated{MakeRef<FuncGraph>(PartName(scope.name(), "body")), {}};
  LateVariables late;
  late.body_ = repeated.graph.get();
  {
    PartScope inside(repeated.graph.get(), scope.name());
    const TensorVector arguments =
        Arguments(repeated.graph.get(), counter, limit, state, shapes);
    TensorVector after =
        body(std::span<const Tensor>(arguments).subspan(2), &late);
    CheckIteration(state, after, shapes, loop);
    if (late.next_.size() != late.placeholders_.size()) {
      throw Error(Internal("a late loop variable has no next value"));
    }
    repeated.results = {MakeOp1("AddV2", {arguments[0], Int32Of(1)}),
                        arguments[1]};
    repeated.results.insert(repeated.results.end(), after.begin(),
                            after.end());
    repeated.results.insert(repeated.results.end(), late.next_.begin(),
                            late.next_.end());
  }
  const size_t num_state = state.size();
  for (size_t i = 0; i < late.initial_.size(); ++i) {
    state.push_back(late.initial_[i]());
    shapes.push_back(late.placeholders_[i].partial_shape());
  }

  FunctionPart test{MakeRef<FuncGraph>(PartName(scope.name(), "cond")), {}};
  {
    PartScope inside(test.graph.get(), scope.name());
    const TensorVector arguments =
        Arguments(test.graph.get(), counter, limit, state, shapes);
    test.results = {
        TracedCondition(arguments, limited, num_state, loop, condition)};
  }
  WhileOptions options;
  options.parallel_iterations = loop.parallel_iterations;
  options.shapes = {TensorShape(), TensorShape()};
  options.shapes.insert(options.shapes.end(), shapes.begin(), shapes.end());
  TensorVector inputs{counter, limit};
  inputs.insert(inputs.end(), state.begin(), state.end());
  TensorVector outputs = ValueOrThrow(MakeWhile(
      std::move(test), std::move(repeated), inputs, options, scope.name()));
  outputs.erase(outputs.begin(), outputs.begin() + 2);
  return outputs;
}

}  // namespace gk
