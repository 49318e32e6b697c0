#include "ops/array/put_back.h"

#include "ops/element_moves.h"
#include "ops/fn/AddV2.h"
#include "ops/fn/ExpandDims.h"
#include "ops/fn/Mul.h"
#include "ops/fn/Pack.h"
#include "ops/fn/Prod.h"
#include "ops/fn/Range.h"
#include "ops/fn/Reshape.h"
#include "ops/fn/StridedSlice.h"
#include "ops/fn/UnsortedSegmentSum.h"

namespace gk {

Tensor PutBack(const Tensor& values, const Tensor& places, const Tensor& x) {
  const DataType index = DataType::kInt64;
  auto cell = [&](int64_t v) { return IntegerVector({{v}}); };
  const Tensor shape = ShapeTensor(x, index);
  const Tensor n =
      ops::StridedSlice(shape, cell(-1), cell(0), cell(1), 0, 0, 0, 0, 1);
  const Tensor outer = ops::StridedSlice(shape, cell(0), cell(-1), cell(1));
  const Tensor rows = ops::Prod(outer, IntegerConstant(0), false);
  const Tensor offsets = ops::Mul(
      ops::Range(IntegerConstant(0, index), rows, IntegerConstant(1, index)),
      n);
  const Tensor sizes[] = {rows, IntegerConstant(-1, index)};
  const Tensor by_row = ops::Reshape(CastTo(places, index), ops::Pack(sizes));
  const Tensor ids =
      ops::AddV2(by_row, ops::ExpandDims(offsets, IntegerConstant(1)));
  const Tensor flat =
      ops::UnsortedSegmentSum(ops::Reshape(values, cell(-1)),
                              ops::Reshape(ids, cell(-1)), ops::Mul(rows, n));
  return ops::Reshape(flat, shape);
}

}  // namespace gk
