#include "function/forward_accumulator.h"

#include <set>
#include <string>

#include "function/function_gradient.h"
#include "function/jacobian.h"
#include "ops/fn/OnesLike.h"
#include "ops/fn/Pack.h"
#include "ops/fn/Unpack.h"
#include "ops/fn/ZerosLike.h"

namespace gk {
namespace {

Tensor DenseOrNull(const Gradient& g) {
  return g.is_slices() ? Densify(g) : g.dense;
}

TensorVector Dense(std::span<const Gradient> gradients) {
  TensorVector dense;
  for (const Gradient& g : gradients) dense.push_back(DenseOrNull(g));
  return dense;
}

// What a placeholder of a function's graph was captured from; null if it is
// none.
Tensor CapturedFrom(const Tensor& t) {
  const FuncGraph* f =
      t.is_symbolic() ? FuncGraph::Of(Graph::GraphOf(t)) : nullptr;
  if (f == nullptr) return {};
  const Node* node = Graph::OutputOf(t).node;
  for (const FunctionCapture& c : f->inputs().captures()) {
    if (c.placeholder == node) return c.external;
  }
  return {};
}

}  // namespace

int64_t NumDirections(std::span<const Tensor> tangents) {
  std::set<std::string> found;
  int64_t rows = kUnknownDim;
  for (const Tensor& t : tangents) {
    const PartialTensorShape shape = t.partial_shape();
    if (shape.rank() == 0) {
      throw Error(IndexError("a tangent of several directions has an axis"));
    }
    rows = shape.unknown_rank() ? kUnknownDim : shape.dim(0);
    found.insert(rows < 0 ? "None" : Format("{}", rows));
  }
  if (found.size() == 1 && rows >= 0) return rows;
  std::string list;
  for (const std::string& n : found) {
    list += Format("{}'{}'", list.empty() ? "" : ", ", n);
  }
  throw Error(ValueError(
      "The first axis of all tangents must have one known length, got [{}]",
      list));
}

ForwardAccumulator::ForwardAccumulator(std::optional<int64_t> rows)
    : rows_(rows), tape_(true, false, /*forward=*/true) {
  if (const FuncGraph* here = FuncGraph::Current()) home_ = here->graph();
}

void ForwardAccumulator::Watch(const Tensor& primal, const Tensor& tangent) {
  const PartialTensorShape shape = WatchableOf(primal).shape;
  PartialTensorShape along = tangent.partial_shape();
  if (rows_ && !along.unknown_rank() && along.rank() > 0) {
    along = PartialTensorShape(along.dims().subspan(1));
  }
  if (!along.IsCompatibleWith(shape)) {
    throw Error(ValueError(
        "The tangent of a primal of shape {} must have that shape, got {}.",
        shape.PythonString(), along.PythonString()));
  }
  if (!tangents_.emplace(primal.id(), tangent).second) {
    throw Error(ValueError(
        "A tensor of shape {} was specified as a primal multiple times. This "
        "may indicate an error. If it was intended, please sum the "
        "corresponding tangents.",
        shape.PythonString()));
  }
  watched_.primals.push_back(primal);
  watched_.tangents.push_back(tangent);
  tape_.Watch(primal);
}

void ForwardAccumulator::Push() {
  if (recording()) {
    throw Error(ValueError("Accumulator is already recording."));
  }
  around_ = RecordingTapes();
  tape_.Push();
}

void ForwardAccumulator::Pop() {
  if (!recording()) throw Error(ValueError("Accumulator is not recording."));
  tape_.Pop();
}

Tensor ForwardAccumulator::Product(const Tensor& of) {
  if (const auto it = tangents_.find(of.id()); it != tangents_.end()) {
    return it->second;
  }
  if (!IsFloating(of.dtype()) && !IsComplex(of.dtype())) return {};
  if (const auto it = known_.find(of.id()); it != known_.end()) {
    return it->second.second;
  }
  const FuncGraph* here = FuncGraph::Current();
  const Graph* graph = here == nullptr ? nullptr : here->graph().get();
  Tensor product;
  if (of.is_symbolic() && Graph::GraphOf(of) != graph) {
    return Transposed(of);
  } else if (of.is_symbolic() && graph != home_.get()) {
    product = Inside(of, *here);
  } else if (!of.is_symbolic() && graph != nullptr && !home_) {
    // The program is not in this graph, only the question.
    const OpBuilder::Scope eagerly(OpBuilder::Eager());
    product = Transposed(of);
  } else {
    product = Transposed(of);
  }
  known_.insert_or_assign(of.id(), std::pair(of, product));
  return product;
}

Tensor ForwardAccumulator::Zeros(const Tensor& of) const {
  const Tensor zeros = ops::ZerosLike(WatchableOf(of).value());
  if (!rows_) return zeros;
  return ops::Pack(TensorVector(*rows_, zeros));
}

Tensor ForwardAccumulator::Product(
    std::span<const Tensor> gradients, const Directions& directions,
    const std::function<Tensor(const TensorVector& gradients,
                               const std::vector<Gradient>& tangents)>& along)
    const {
  TensorVector from;
  std::vector<std::vector<Gradient>> rows(rows_.value_or(1));
  for (size_t i = 0; i < gradients.size(); ++i) {
    if (!gradients[i]) continue;
    from.push_back(gradients[i]);
    const Tensor& tangent = directions.tangents[i];
    const TensorVector parts =
        rows_ ? ops::Unpack(tangent, *rows_) : TensorVector{tangent};
    for (size_t row = 0; row < rows.size(); ++row) {
      rows[row].push_back({parts[row], {}, {}});
    }
  }
  if (from.empty() || rows.empty()) return {};
  TensorVector products;
  for (const std::vector<Gradient>& row : rows) {
    products.push_back(along(from, row));
    if (!products.back()) return {};
  }
  return rows_ ? ops::Pack(products) : products[0];
}

ForwardAccumulator::Directions ForwardAccumulator::CapturedBy(
    const FuncGraph& graph) const {
  Directions found;
  const auto add = [&](const Tensor& primal, const Tensor& tangent) {
    found.primals.push_back(primal);
    found.tangents.push_back(tangent);
  };
  for (size_t i = 0; i < watched_.primals.size(); ++i) {
    const Tensor& primal = watched_.primals[i];
    if (primal.dtype() == DataType::kResource)
      add(primal, watched_.tangents[i]);
  }
  for (const FunctionCapture& c : graph.inputs().captures()) {
    Tensor outside = c.external;
    while (outside && !IsWatched(outside)) outside = CapturedFrom(outside);
    if (outside && outside.dtype() != DataType::kResource) {
      add(graph.graph()->TensorOf({c.placeholder, 0}),
          tangents_.at(outside.id()));
    }
  }
  return found;
}

Tensor ForwardAccumulator::Inside(const Tensor& of,
                                  const FuncGraph& graph) const {
  const Directions along = CapturedBy(graph);
  if (along.primals.empty()) return {};
  const RecordOnly nothing({});
  const TensorVector start{ops::OnesLike(of)};
  const std::vector<Gradient> ones{{start[0], {}, {}}};
  const TensorVector gradients = Dense(
      ValueOrThrow(SymbolicGradients(TensorVector{of}, ones, along.primals)));
  return Product(
      gradients, along,
      [&](const TensorVector& from, const std::vector<Gradient>& tangents) {
        return DenseOrNull(
            ValueOrThrow(SymbolicGradients(from, tangents, start))[0]);
      });
}

Tensor ForwardAccumulator::Transposed(const Tensor& of) {
  const RecordOnly around(around_);
  GradientTape backward(true, false);
  const TensorVector start{ops::OnesLike(of)};
  backward.Watch(start[0]);
  backward.Push();
  const std::vector<Gradient> ones{{start[0], {}, {}}};
  const TensorVector gradients = Dense(ValueOrThrow(
      tape_.ComputeGradient(TensorVector{of}, watched_.primals, ones)));
  backward.Pop();
  return Product(
      gradients, watched_,
      [&](const TensorVector& from, const std::vector<Gradient>& tangents) {
        return DenseOrNull(
            ValueOrThrow(backward.ComputeGradient(from, start, tangents))[0]);
      });
}

}  // namespace gk
