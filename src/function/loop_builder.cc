#include "function/loop_builder.h"

#include <limits>

#include "base/format.h"
#include "function/part_scope.h"
#include "function/while_builder.h"
#include "ops/composition.h"
#include "ops/fn/Cast.h"
#include "ops/fn/Greater.h"
#include "ops/fn/Minimum.h"
#include "ops/fn/Squeeze.h"

namespace gk {
namespace {

// The condition of the loop as a bool scalar.
Tensor Truth(const StagedLoop& parts, const Tensor& given) {
  Tensor truth;
  try {
    truth = ConditionOf(parts, given, "The condition of a loop");
  } catch (const Error& e) {
    throw Error(e.status().Append(parts.WhereWritten()));
  }
  const PartialTensorShape shape = truth.partial_shape();
  return shape.unknown_rank() || shape.rank() == 0 ? truth
                                                   : ops::Squeeze(truth);
}

}  // namespace

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
      Tensor::Scalar<int64_t>(std::numeric_limits<int32_t>::max()), {}));
  return ops::Cast(ops::Minimum(limit, most), DataType::kInt32);
}

Status CheckParallelIterations(int64_t parallel_iterations) {
  if (parallel_iterations > 0) return OkStatus();
  return ValueError("'parallel_iterations' must be a positive integer.");
}

void BuildLoop(StagedLoop& loop, const LoopOptions& options) {
  WhileBuilder builder(options.name,
                       options.maximum_iterations
                           ? IterationLimit(options.maximum_iterations)
                           : Tensor());
  LoopState& state = loop.Start();
  builder.Carry(state.tensors(), state.shapes());

  auto trace_condition = [&] {
    FuncGraph* condition = builder.Begin(WhileBuilder::kCondition);
    loop.Begin(condition);
    {
      PartScope inside(condition, builder.scope());
      loop.Set(state.Values(builder.variables(WhileBuilder::kCondition)),
               StagedLoop::Place::kCondition, {});
      builder.EndCondition(Truth(
          loop, loop.Condition(builder.counter(WhileBuilder::kCondition))));
    }
    loop.End(condition);
  };
  if (loop.asks_first()) trace_condition();

  FuncGraph* body = builder.Begin(WhileBuilder::kBody);
  loop.Begin(body);
  {
    PartScope inside(body, builder.scope());
    // A copy: late variables move what is behind the span.
    const std::span<const Tensor> variables =
        builder.variables(WhileBuilder::kBody);
    auto lists = [&](size_t i, std::span<const HandleData> elements) -> auto& {
      return state.PlaceList(i, elements, [&](const HandleData& e) {
        return builder.AddLate(DataType::kVariant, TensorShape(), e);
      });
    };
    loop.Set(state.Values(TensorVector(variables.begin(), variables.end())),
             StagedLoop::Place::kBody, lists);
    loop.Body(builder.counter(WhileBuilder::kBody));
    state.SetAfter(loop.Get());
  }
  loop.End(body);
  state.StartLate();
  const TensorVector tensors = state.tensors();
  const std::vector<PartialTensorShape> shapes = state.shapes();
  const size_t late = builder.variables(WhileBuilder::kBody).size();
  for (size_t k = late; k < tensors.size(); ++k) {
    builder.AddLate(tensors[k].dtype(), shapes[k], HandleDataOf(tensors[k]));
  }
  builder.StartLate(std::span(tensors).subspan(late - state.num_placed()));
  builder.EndBody(state.Next());

  if (!loop.asks_first()) trace_condition();

  TensorVector outputs = builder.Finish(options.parallel_iterations);
  const Tensor count = outputs[0];
  outputs.erase(outputs.begin());
  const std::vector<std::string> needed = state.NeedIteration();
  if (!needed.empty()) {
    const Tensor ran = ops::Greater(count, Int32Of(0, "Greater/y"));
    outputs = OnlyIfIterated(ran, needed, outputs);
  }
  loop.Set(state.Values(outputs), StagedLoop::Place::kBehind, {});
}

}  // namespace gk
