#include <utility>

#include "function/ragged/integer_arithmetic.h"
#include "function/ragged/ragged.h"
#include "ops/fn/Fill.h"
#include "ops/fn/Identity.h"
#include "ops/fn/Shape.h"
#include "ops/fn/UnsortedSegmentMax.h"

namespace gk {

using namespace integers;  // NOLINT: operators

namespace {

// For each matrix of a batch its size along 1 or 2; for what is ragged in the
// last dimension, the common length of its rows.
Tensor Lengths(const RaggedValue& value, int axis) {
  if (!value.is_ragged()) {
    const Tensor shape = ops::Shape(value.flat(), DataType::kInt64);
    return ops::Fill(Part(shape, {}, 1), At(shape, axis));
  }
  if (axis == 1) return CastTo(value.rows().lengths(), DataType::kInt64);
  const RaggedValue inner = value.values();
  if (!inner.is_ragged()) {
    return ops::Fill(Row(value.nrows()),
                     SizeOf(inner.flat(), 1, DataType::kInt64));
  }
  const Tensor lengths = CastTo(inner.rows().lengths(), DataType::kInt64);
  const Tensor rowids = value.rows().rowids();
  const Tensor longest =
      Max(ops::UnsortedSegmentMax(lengths, rowids, value.nrows()),
          Number(0, lengths));
  Checks checks;
  checks.Same(lengths, Take(longest, rowids),
              "The matrices in `a` and `b` may not be ragged in their "
              "innermost dimension.");
  return checks.Then(longest);
}

Tensor Box(const RaggedValue& value) {
  return value.is_ragged() ? RaggedToTensor(value) : value.flat();
}

// A matrix whose rows are all of one length, as a tensor.
Tensor Matrix(const RaggedValue& value) {
  if (!value.is_ragged()) return value.flat();
  const RaggedValue one = RaggedExpandDims(value, 0);
  const Tensor lengths = one.values().rows().lengths();
  Checks checks;
  checks.Same(lengths, Take(Lengths(one, 2), lengths * 0),
              "The matrices in `a` and `b` may not be ragged in their "
              "innermost dimension.");
  const Checks::Scope scope(checks);
  return RaggedToTensor(value);
}

Tensor Product(const Tensor& a, const Tensor& b, const ProductOptions& o) {
  return CallComposition("matmul", {a, b, o.transpose_a, o.transpose_b,
                                    o.adjoint_a, o.adjoint_b})[0];
}

RaggedValue OfBatch(const RaggedValue& a, const RaggedValue& b,
                    const ProductOptions& o) {
  if (a.rank() > 3) {
    const RaggedValue given[] = {a, b};
    const std::vector<RaggedValue> pair = AllRagged(given);
    Checks checks;
    checks.Same(pair[0].rows().splits, pair[1].rows().splits,
                "The batches of `a` and `b` must be the same.");
    const Checks::Scope scope(checks);
    return pair[0].WithValues(OfBatch(pair[0].values(), pair[1].values(), o));
  }
  const bool turned_a = o.transpose_a || o.adjoint_a,
             turned_b = o.transpose_b || o.adjoint_b;
  Tensor rows = Lengths(a, 1), inner_a = Lengths(a, 2);
  Tensor inner_b = Lengths(b, 1), columns = Lengths(b, 2);
  if (turned_a) std::swap(rows, inner_a);
  if (turned_b) std::swap(inner_b, columns);
  Checks checks;
  checks.Same(inner_a, inner_b, "The matrices in `a` and `b` must fit.");
  const Checks::Scope scope(checks);
  // What fills the boxes is zero on both sides.
  FromTensorOptions options{.lengths = {rows}};
  if (b.is_ragged() && (turned_b || b.ragged_rank() > 1)) {
    const Tensor each = RowPartition::OfLengths(rows).rowids();
    options.lengths.push_back(Take(columns, each));
  }
  return RaggedFromTensor(Product(Box(a), Box(b), o), options);
}

}  // namespace

RaggedValue RaggedMatmul(const RaggedValue& a, const RaggedValue& b,
                         const ProductOptions& options) {
  if (a.rank() < 0 || a.rank() != b.rank()) {
    throw Error(ValueError("`a` and `b` must have the same rank."));
  }
  if (a.rank() < 2) {
    throw Error(ValueError("`a` and `b` must be matrices or batches of them."));
  }
  if (a.rank() == 2) return Product(Matrix(a), Matrix(b), options);
  return OfBatch(a, b, options);
}

}  // namespace gk
