#include "function/dataset_loop.h"

#include "framework/handle_data.h"
#include "function/func_graph.h"
#include "ops/fn/ReduceDataset.h"
#include "ops/fn/ScanDataset.h"
#include "ops/fn/TakeWhileDataset.h"

namespace gk {
namespace {

template <class T>
Tensor Const(T value) {
  return ValueOrThrow(
      OpBuilder::Current()->Constant(Tensor::Scalar<T>(value), {}));
}

// The function of one iteration, in the making.
class Iteration {
 public:
  Iteration() : graph_(MakeRef<FuncGraph>("Dataset_scan_scan_body")) {}
  FuncGraph* graph() const { return graph_.get(); }

  // Placeholders for more of what is carried.
  void Carry(std::span<const Tensor> like,
             std::span<const PartialTensorShape> shapes) {
    for (size_t k = state_.size(); k < like.size(); ++k) {
      state_.push_back(ValueOrThrow(graph_->inputs().AddArgument(
          "args", like[k].dtype(), shapes[k], {}, HandleDataOf(like[k]))));
    }
  }
  void AddElement(const ElementSignature& e) {
    for (size_t i = 0; i < e.types.size(); ++i) {
      const std::string name = Format("args_{}", i);
      element_.push_back(ValueOrThrow(
          graph_->inputs().AddArgument(name, e.types[i], e.shapes[i], name)));
    }
  }
  const TensorVector& state() const { return state_; }
  const TensorVector& element() const { return element_; }

  // The results: the next state and what the scan gives, that state once more
  // and whether the iteration counts.
  TensorVector Return(const TensorVector& next, const Tensor& counts) {
    TensorVector arguments = state_, results;
    arguments.insert(arguments.end(), element_.begin(), element_.end());
    ThrowIfError(graph_->inputs().OrderArguments(arguments));
    for (int twice = 0; twice < 2; ++twice) {
      for (const Tensor& t : next) {
        results.push_back(ValueOrThrow(graph_->MarkReturned(t)));
      }
    }
    results.push_back(ValueOrThrow(graph_->MarkReturned(counts)));
    return results;
  }
  ElementFunction Finish(const TensorVector& results) {
    return AsElementFunction(*ValueOrThrow(ConcreteFunction::FromFuncGraph(
        *graph_, results, {{"_tf_data_function", true}})));
  }

 private:
  const Ref<FuncGraph> graph_;
  TensorVector state_, element_;
};

ElementFunction Choose(const char* name, const ElementSignature& arguments,
                       size_t begin, size_t count) {
  return TraceElementFunction(name, arguments, [&](auto given) {
    const auto part = given.subspan(begin, count);
    return TensorVector(part.begin(), part.end());
  });
}

}  // namespace

void BuildDatasetLoop(DatasetLoop& loop, const TypedDataset& dataset,
                      bool may_end) {
  LoopState& state = loop.Start();
  std::optional<Iteration> iteration;
  Tensor counts;
  for (bool widened = true; widened;) {
    iteration.emplace();
    loop.Begin(iteration->graph());
    FuncGraph::Building building(iteration->graph());
    iteration->Carry(state.tensors(), state.shapes());
    iteration->AddElement(dataset.elements);
    loop.Set(state.Values(iteration->state()));
    counts = loop.Body(iteration->element());
    state.SetAfter(loop.Get());
    widened = state.Widen();
  }
  state.StartLate();
  TensorVector start = state.tensors();
  ElementSignature carried{{}, state.shapes()};
  const std::vector<std::string> needed = state.NeedIteration();
  // A scan has a state, if only a number.
  if (!needed.empty()) {
    start.push_back(Const(false));
  } else if (start.empty()) {
    start.push_back(Const<int32_t>(0));
  }
  carried.shapes.resize(start.size(), TensorShape());
  for (const Tensor& t : start) carried.types.push_back(t.dtype());

  TensorVector results;
  {
    const FuncGraph::Building building(iteration->graph());
    iteration->Carry(start, carried.shapes);
    TensorVector next = state.Next();
    if (!needed.empty()) {
      next.push_back(Const(true));
    } else if (next.empty()) {
      next.push_back(Const<int32_t>(0));
    }
    results = iteration->Return(next, counts);
  }
  const ElementFunction f = iteration->Finish(results);
  loop.End(iteration->graph());

  const ElementSignature scanned =
      Joined(carried, {{DataType::kBool}, {TensorShape()}});
  Tensor variant = ops::ScanDataset(dataset.variant, start, f.captured,
                                    f.function, scanned.types, scanned.shapes,
                                    /*preserve_cardinality=*/true,
                                    /*use_default_device=*/false);
  const size_t n = start.size();
  if (may_end) {
    const ElementFunction counting =
        Choose("Dataset_take_while_take_while_predicate", scanned, n, 1);
    variant = ops::TakeWhileDataset(variant, {}, counting.function,
                                    scanned.types, scanned.shapes);
  }
  const ElementFunction last =
      Choose("reduce_reduce_body", Joined(carried, scanned), n, n);
  TensorVector outputs = ops::ReduceDataset(variant, start, {}, last.function,
                                            carried.types, carried.shapes);
  if (!needed.empty()) {
    const Tensor ran = outputs.back();
    outputs.pop_back();
    outputs = OnlyIfIterated(ran, needed, outputs);
  }
  loop.Set(state.Values(outputs));
}

}  // namespace gk
