#include "function/sparse_value.h"

#include <utility>

#include "framework/known_values.h"
#include "function/node_scope.h"
#include "function/ragged/checks.h"
#include "function/ragged/integer_arithmetic.h"
#include "ops/composition.h"
#include "ops/fn/BroadcastTo.h"
#include "ops/fn/Cumprod.h"
#include "ops/fn/GatherNd.h"
#include "ops/fn/Greater.h"
#include "ops/fn/NotEqual.h"
#include "ops/fn/Reshape.h"
#include "ops/fn/Shape.h"
#include "ops/fn/Sum.h"
#include "ops/fn/UnsortedSegmentMax.h"
#include "ops/fn/Where.h"

namespace gk {

using namespace integers;  // NOLINT: operators

namespace {

constexpr std::string_view kReorder =
    "Many sparse ops require sorted indices.\n    Use `tf.sparse.reorder` to "
    "create a correctly ordered copy.\n";

// Where the elements are in row-major order.
Tensor FlatIndices(const SparseValue& s) {
  const Tensor strides =
      ops::Cumprod(s.dense_shape, IntegerConstant(0), true, true);
  return ops::Sum(s.indices * strides, IntegerConstant(1));
}

PartialTensorShape OfRank(const Tensor& t, int rank) {
  PartialTensorShape shape = t.partial_shape();
  if (shape.unknown_rank()) return PartialTensorShape::UnknownOfRank(rank);
  if (shape.rank() != rank) {
    throw Error(
        ValueError("Shape {} must have rank {}", shape.PythonString(), rank));
  }
  return shape;
}

void CheckSame(int64_t a, int64_t b) {
  if (a < 0 || b < 0 || a == b) return;
  throw Error(ValueError("Dimensions {} and {} are not compatible", a, b));
}

std::string Listed(std::span<const int64_t> values) {
  std::string text;
  for (int64_t v : values) text += Format("{}{}", text.empty() ? "" : ",", v);
  return text;
}

// Of values: names the index that is wrong.
void CheckNow(const SparseValue& s, bool ordered) {
  const int64_t n = s.indices.dim(0), rank = s.indices.dim(1);
  const std::span<const int64_t> all = s.indices.flat<int64_t>(),
                                 shape = s.dense_shape.flat<int64_t>();
  const auto index = [&](int64_t i) { return all.subspan(i * rank, rank); };
  const auto refuse = [&](int64_t i, std::string_view what) {
    throw Error(
        InvalidArgument("indices[{}] = [{}] is {}", i, Listed(index(i)), what));
  };
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t d = 0; d < rank; ++d) {
      if (index(i)[d] < 0 || index(i)[d] >= shape[d]) {
        refuse(i,
               Format("out of bounds: need 0 <= index < [{}]", Listed(shape)));
      }
    }
  }
  for (int64_t i = 1; ordered && i < n; ++i) {
    const auto before = index(i - 1), now = index(i);
    if (std::equal(before.begin(), before.end(), now.begin())) {
      refuse(i, "repeated");
    }
    if (std::lexicographical_compare(now.begin(), now.end(), before.begin(),
                                     before.end())) {
      refuse(i, Format("out of order. {}", kReorder));
    }
  }
}

}  // namespace

SparseValue SparseValue::Make(Tensor indices, Tensor values,
                              Tensor dense_shape) {
  const PartialTensorShape places = OfRank(indices, 2),
                           elements = OfRank(values, 1),
                           dims = OfRank(dense_shape, 1);
  CheckSame(places.dim(0), elements.dim(0));
  CheckSame(places.dim(1), dims.dim(0));
  // Few elements may have places in a shape that no dense tensor has.
  PartialTensorShape shape = ValueOrThrow(ConstantValueAsShape(dense_shape));
  return {std::move(indices), std::move(values), std::move(dense_shape),
          std::move(shape)};
}

SparseValue SparseValue::FromDense(const Tensor& tensor) {
  const Tensor indices =
      ops::Where(ops::NotEqual(tensor, BlankOf(tensor.dtype())));
  return {indices, ops::GatherNd(tensor, indices),
          ops::Shape(tensor, DataType::kInt64), tensor.partial_shape()};
}

Tensor SparseValue::ToDense(Tensor fill, bool ordered) const {
  if (!fill) fill = BlankOf(values.dtype());
  Tensor flat = FlatIndices(*this);
  if (!OpBuilder::Current()->builds_graph()) {
    CheckNow(*this, ordered);
  } else {
    Checks checks;
    checks.Require((indices >= 0) & (indices < dense_shape),
                   "indices is out of bounds: need 0 <= index <",
                   {dense_shape});
    if (ordered) {
      checks.Require(
          ops::Greater(Part(flat, 1, {}), Part(flat, {}, -1)),
          Format("indices are out of order or repeated. {}", kReorder));
    }
    flat = checks.Then(flat);
  }
  // Numbers of the values, of which the last at a place counts; 0 is what
  // fills up.
  const Tensor count = SizeOf(values, 0, DataType::kInt64);
  const Tensor number =
      Max(ops::UnsortedSegmentMax(Count(count) + 1, flat,
                                  integers::Product(dense_shape)),
          Number(0, count));
  const Tensor choices = Concat(
      {ops::Reshape(fill, IntegerVector(std::vector<int64_t>{1})), values});
  const Tensor made = ops::Reshape(Take(choices, number), dense_shape);
  Refine(made, shape);
  return made;
}

SparseValue SparseValue::Reordered() const {
  const Tensor order = CallComposition(
      "argsort",
      {FlatIndices(*this), int64_t{-1}, std::string("ASCENDING"), true})[0];
  return {Take(indices, order), Take(values, order), dense_shape, shape};
}

Tensor SparseValue::Scaled(Operator which, const Tensor& other) const {
  const Tensor beside =
      other.partial_shape().rank() == 0
          ? other
          : ops::GatherNd(ops::BroadcastTo(other, dense_shape), indices);
  const NodeScope scope(which == Operator::kDivide ? "truediv" : "mul");
  return Apply(which, values, beside, scope.name());
}

}  // namespace gk
