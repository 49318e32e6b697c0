#include "ops/dynamic_axes.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "ops/fn/AddV2.h"
#include "ops/fn/ConcatV2.h"
#include "ops/fn/Equal.h"
#include "ops/fn/GatherV2.h"
#include "ops/fn/ListDiff.h"
#include "ops/fn/Mul.h"
#include "ops/fn/Prod.h"
#include "ops/fn/Rank.h"
#include "ops/fn/SelectV2.h"
#include "ops/fn/Shape.h"
#include "ops/fn/Slice.h"
#include "ops/fn/Sub.h"

namespace gk {
namespace {

Tensor Ints(const std::vector<int64_t>& values) {
  return IntsTensor(values, DataType::kInt32);
}

// How many elements the vector has, less one, as a vector.
Tensor LastIndex(const Tensor& sizes) {
  const Tensor left = ops::Shape(sizes);
  return ops::Sub(left, Ints({1}));
}

}  // namespace

Tensor RankOf(const Tensor& x) {
  const PartialTensorShape shape = x.partial_shape();
  return shape.unknown_rank() ? ops::Rank(x) : Int32Of(shape.rank());
}

Tensor PositiveAxes(const Tensor& x, std::span<const int64_t> axes) {
  const PartialTensorShape shape = x.partial_shape();
  std::vector<int64_t> positive(axes.begin(), axes.end());
  if (!shape.unknown_rank()) {
    for (int64_t& axis : positive) axis = PositiveAxis(axis, shape.rank());
    return Ints(positive);
  }
  // Negative ones count from the rank; reading the list of all axes there
  // checks them.
  std::vector<int64_t> negative;
  for (const int64_t axis : axes) negative.push_back(axis < 0);
  const Tensor left = Ints(positive);
  const Tensor counted = Ints(negative);
  const Tensor places = ops::AddV2(left, ops::Mul(counted, RankOf(x)));
  const Tensor params = AllAxes(x);
  return ops::GatherV2(params, places, Int32Of(0));
}

Tensor SwappedWithLast(const Tensor& x, int64_t axis) {
  const PartialTensorShape shape = x.partial_shape();
  if (!shape.unknown_rank()) {
    std::vector<int64_t> order(shape.rank());
    std::iota(order.begin(), order.end(), 0);
    std::swap(order[PositiveAxis(axis, shape.rank())], order.back());
    return Ints(order);
  }
  const Tensor all = AllAxes(x), one = PositiveAxes(x, {{axis}});
  const Tensor left = RankOf(x);
  const Tensor last = ops::Sub(left, Int32Of(1));
  const Tensor condition = ops::Equal(all, one);
  return ops::SelectV2(condition, last,
                       ops::SelectV2(ops::Equal(all, last), one, all));
}

Tensor BroughtToEnd(const Tensor& x, int64_t axis) {
  const PartialTensorShape shape = x.partial_shape();
  if (!shape.unknown_rank()) {
    std::vector<int64_t> order(shape.rank());
    std::iota(order.begin(), order.end(), 0);
    axis = PositiveAxis(axis, shape.rank());
    order.erase(order.begin() + axis);
    order.push_back(axis);
    return Ints(order);
  }
  const Tensor one = PositiveAxes(x, {{axis}});
  return Joined({ops::ListDiff(AllAxes(x), one)[0], one});
}

Tensor AllButLast(const Tensor& sizes) {
  const Tensor begin = Ints({0});
  return ops::Slice(sizes, begin, LastIndex(sizes));
}

Tensor LastOf(const Tensor& sizes) {
  const Tensor indices = LastIndex(sizes);
  return ops::GatherV2(sizes, indices, Int32Of(0));
}

Tensor ProductOf(const Tensor& sizes) {
  return ops::Prod(sizes, Ints({0}), true);
}

Tensor Joined(const TensorVector& vectors) {
  return ops::ConcatV2(vectors, Int32Of(0));
}

}  // namespace gk
