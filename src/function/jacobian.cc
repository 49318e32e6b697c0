#include "function/jacobian.h"

#include <numeric>
#include <utility>

#include "framework/grad_context.h"
#include "framework/handle_data.h"
#include "framework/symbolic_tensor.h"
#include "function/row_loops.h"
#include "ops/composition.h"
#include "ops/element_moves.h"
#include "ops/fn/BroadcastTo.h"
#include "ops/fn/ConcatV2.h"
#include "ops/fn/Fill.h"
#include "ops/fn/OneHot.h"
#include "ops/fn/Pack.h"
#include "ops/fn/Prod.h"
#include "ops/fn/Range.h"
#include "ops/fn/Rank.h"
#include "ops/fn/ReadVariableOp.h"
#include "ops/fn/Reshape.h"
#include "ops/fn/Slice.h"
#include "ops/fn/Transpose.h"
#include "ops/fn/ZerosLike.h"

namespace gk {
namespace {

// More rows than this are made by a loop in a graph.
constexpr int64_t kMostUnrolled = 16;

bool IsTraced() { return OpBuilder::Current()->builds_graph(); }

// Its shape from dimension `begin` on, as far as possible without a node.
Tensor ShapeFrom(const Watchable& d, int begin) {
  if (d.shape.IsFullyDefined()) {
    return IntegerVector(d.shape.dims().subspan(begin));
  }
  const Tensor shape = ShapeTensor(d.value());
  if (begin == 0) return shape;
  const std::vector<int64_t> first{begin}, rest{-1};
  return ops::Slice(shape, IntegerVector(first), IntegerVector(rest));
}

Tensor ZerosLike(const Watchable& d) {
  return ops::ZerosLike(d.value());
}

// The shapes of both together, the source's from dimension `begin` on.
Tensor MatrixShape(const Watchable& target, const Watchable& source,
                   int begin) {
  if (target.shape.IsFullyDefined() && source.shape.IsFullyDefined()) {
    const auto rows = target.shape.dims();
    const auto columns = source.shape.dims().subspan(begin);
    std::vector<int64_t> dims(rows.begin(), rows.end());
    dims.insert(dims.end(), columns.begin(), columns.end());
    return IntegerVector(dims);
  }
  return ops::ConcatV2(
      TensorVector{ShapeFrom(target, 0), ShapeFrom(source, begin)},
      IntegerConstant(0));
}

// `value` in the shapes of both, with what is known of them.
Tensor Shaped(const Tensor& value, const Watchable& target,
              const Watchable& source, int begin) {
  const Tensor made =
      ops::Reshape(value, MatrixShape(target, source, begin));
  if (!made.is_symbolic() || target.shape.unknown_rank() ||
      source.shape.unknown_rank()) {
    return made;
  }
  PartialTensorShape known = target.shape;
  for (int64_t d : source.shape.dims().subspan(begin)) known.AddDim(d);
  const SymbolicTensor* symbol = SymbolicTensor::Of(made);
  symbol->source()->RefineShape(symbol->node(), symbol->index(), known);
  return made;
}

Tensor Zeros(const Watchable& target, const Watchable& source,
             int begin) {
  return ops::Fill(MatrixShape(target, source, begin),
                   NumberOf(0, target.dtype));
}

// The passes that give the rows, and the loop over them.
class RowPasses final : public RowHost {
 public:
  // Row `i` begins with 1 at element `i` of the target, or, if `of_examples`,
  // of each example of it.
  RowPasses(GradientTape* tape, const Watchable& target,
            std::span<const Watchable> sources, bool of_examples)
      : tape_(tape),
        target_(target),
        sources_(sources),
        first_(of_examples ? 1 : 0) {
    for (const Watchable& s : sources) keys_.push_back(s.key);
    if (target.shape.unknown_rank()) return;
    count_ = 1;
    for (int64_t d : target.shape.dims().subspan(first_)) {
      count_ = d < 0 || count_ < 0 ? -1 : count_ * d;
    }
  }

  // Stacked along the first axis, for examples along the second; null where
  // nothing depends on the source.
  TensorVector Stacked() {
    if (count_ >= 0 && (!IsTraced() || count_ <= kMostUnrolled)) {
      return count_ == 0 ? NoRows() : Unrolled();
    }
    return Looped();
  }

  // --- RowHost. Nothing can be said of what the caller never sees.
  StagedValue Step(const StagedValue&, const StagedValue& row) override {
    return StagedValue::Of(Connected(RowAt(row.leaves[0])));
  }
  std::string_view prefix() const override { return ""; }
  std::string Text(DataType dtype) const override {
    return std::string(DataTypeName(dtype));
  }
  std::string Text(const Tensor&) const override { return "a gradient"; }
  std::string Text(const StagedValue&) const override { return "gradients"; }

 private:
  TensorVector Backward(const Tensor& start) {
    const Tensor targets[] = {target_.key};
    const Gradient given[] = {{.dense = start}};
    const std::vector<Gradient> found =
        ValueOrThrow(tape_->ComputeGradient(targets, keys_, given));
    TensorVector row;
    for (const Gradient& g : found) {
      row.push_back(g.is_slices() ? Densify(g) : g.dense);
    }
    return row;
  }

  Tensor Size() const {
    if (count_ >= 0) return IntegerConstant(count_);
    const std::vector<int64_t> all{0};
    return ops::Prod(ShapeFrom(target_, first_), IntegerVector(all));
  }

  TensorVector RowAt(const Tensor& i) {
    Tensor one = ops::OneHot(i, Size(), NumberOf(1, target_.dtype),
                             NumberOf(0, target_.dtype));
    one = ops::Reshape(one, ShapeFrom(target_, first_));
    if (first_ > 0) {
      one = ops::BroadcastTo(one, ShapeFrom(target_, 0));
    }
    return Backward(one);
  }

  TensorVector Unrolled() {
    std::vector<TensorVector> rows;
    for (int64_t i = 0; i < count_; ++i) {
      rows.push_back(RowAt(IntegerConstant(i)));
    }
    TensorVector stacked;
    for (size_t k = 0; k < sources_.size(); ++k) {
      bool connected = false;
      for (const TensorVector& row : rows) connected |= bool(row[k]);
      if (!connected) {
        stacked.push_back(Tensor());
        continue;
      }
      TensorVector parts;
      for (const TensorVector& row : rows) {
        parts.push_back(row[k] ? row[k] : ZerosLike(sources_[k]));
      }
      stacked.push_back(ops::Pack(parts, first_));
    }
    return stacked;
  }

  // Of a target without elements: what matters is which sources it has.
  TensorVector NoRows() {
    TensorVector stacked = Backward(ZerosLike(target_));
    for (size_t k = 0; k < sources_.size(); ++k) {
      if (stacked[k]) stacked[k] = Zeros(target_, sources_[k], first_);
    }
    return stacked;
  }

  // Those that depend on a source, each of its shape.
  TensorVector Connected(const TensorVector& row) {
    TensorVector parts;
    for (size_t k = 0; k < sources_.size(); ++k) {
      if (!connected_[k]) continue;
      parts.push_back(ops::Reshape(row[k], ShapeFrom(sources_[k], 0)));
    }
    return parts;
  }

  TensorVector Looped() {
    // What no row depends on is known from any of them.
    TensorVector start;
    for (const Tensor& t : RowAt(IntegerConstant(0))) {
      connected_.push_back(bool(t));
    }
    for (size_t k = 0; k < sources_.size(); ++k) {
      if (connected_[k]) start.push_back(ZerosLike(sources_[k]));
    }
    TensorVector stacked(sources_.size());
    if (start.empty()) return stacked;
    const Tensor numbers =
        ops::Range(IntegerConstant(0), Size(), IntegerConstant(1));
    const TensorVector found =
        Scan(*this, StagedValue::Of({numbers}),
             StagedValue::Of(std::move(start)), {})
            .tensors();
    auto next = found.begin();
    for (size_t k = 0; k < sources_.size(); ++k) {
      if (connected_[k]) stacked[k] = BehindExamples(*next++);
    }
    return stacked;
  }

  // The first axis as the second, for examples.
  Tensor BehindExamples(const Tensor& rows) const {
    if (first_ == 0) return rows;
    const Tensor rank = ops::Rank(rows);
    const std::vector<int64_t> front{1, 0};
    const Tensor rest =
        ops::Range(IntegerConstant(2), rank, IntegerConstant(1));
    const Tensor order =
        ops::ConcatV2(TensorVector{IntegerVector(front), rest},
                      IntegerConstant(0));
    return ops::Transpose(rows, order);
  }

  GradientTape* tape_;
  const Watchable& target_;
  std::span<const Watchable> sources_;
  const int first_;
  TensorVector keys_;
  int64_t count_ = -1;
  std::vector<bool> connected_;
};

}  // namespace

Watchable WatchableTensor(const Tensor& t) {
  return {t, t.dtype(), t.partial_shape(), [t] { return t; }};
}

Watchable WatchableOf(const Tensor& t) {
  if (t.dtype() != DataType::kResource) return WatchableTensor(t);
  const HandleData held = HandleDataOf(t);
  if (held.empty()) {
    throw Error(TypeError("a resource that is no variable's has no gradient"));
  }
  const DataType dtype = held.front().dtype;
  return {t, dtype, held.front().shape, [t, dtype] {
            return ops::ReadVariableOp(t, dtype);
          }};
}

TensorVector Jacobian(GradientTape* tape, const Watchable& target,
                      std::span<const Watchable> sources,
                      bool zero_if_unconnected) {
  TensorVector made = RowPasses(tape, target, sources, false).Stacked();
  for (size_t k = 0; k < sources.size(); ++k) {
    if (made[k]) {
      made[k] = Shaped(made[k], target, sources[k], 0);
    } else if (zero_if_unconnected) {
      made[k] = Zeros(target, sources[k], 0);
    }
  }
  return made;
}

Tensor BatchJacobian(GradientTape* tape, const Watchable& target,
                     const Watchable& source) {
  for (const Watchable* d : {&target, &source}) {
    if (!d->shape.unknown_rank() && d->shape.rank() < 2) {
      throw Error(ValueError("Shape {} must have rank at least 2",
                             d->shape.PythonString()));
    }
  }
  if (!target.shape.unknown_rank() && !source.shape.unknown_rank() &&
      target.shape.dim(0) >= 0 && source.shape.dim(0) >= 0 &&
      target.shape.dim(0) != source.shape.dim(0)) {
    throw Error(ValueError("Need first dimension of target shape ({}) and "
                           "source shape ({}) to match.",
                           target.shape.PythonString(),
                           source.shape.PythonString()));
  }
  const Tensor rows =
      RowPasses(tape, target, {&source, 1}, true).Stacked()[0];
  if (!rows) return Zeros(target, source, 1);
  return Shaped(rows, target, source, 1);
}

}  // namespace gk
