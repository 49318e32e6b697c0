// What tf.nn.with_space_to_batch does around the function that it calls.
#include <algorithm>

#include "ops/composition.h"
#include "ops/element_moves.h"
#include "ops/fn/ConcatV2.h"
#include "ops/fn/FloorDiv.h"
#include "ops/fn/GatherV2.h"
#include "ops/fn/Mul.h"
#include "ops/fn/Pack.h"
#include "ops/fn/Sub.h"
#include "ops/subscript.h"

namespace gk {
namespace {

using Ints = std::vector<int64_t>;

Tensor FirstRows(const Tensor& x, int64_t begin, int64_t end) {
  SubscriptEntry rows;
  rows.begin = begin;
  rows.end = end;
  return Subscript(x, {rows});
}

bool ChannelsFirst(const CompositionCall& c) {
  return c.has(5) && c.text(5).starts_with("NC");
}

// The numbers of the spatial dimensions, which rise.
Ints SpatialDims(const CompositionCall& c, int64_t count) {
  const int64_t first = ChannelsFirst(c) ? 2 : 1;
  Ints dims;
  if (c.has(4)) {
    dims = c.ints(4);
  } else {
    for (int64_t i = 0; i < count; ++i) dims.push_back(first + i);
  }
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] < 1 || (i > 0 && dims[i] <= dims[i - 1])) {
      throw Error(
          ValueError("`spatial_dims` must be a monotonically increasing "
                     "sequence of positive integers."));
    }
  }
  if (static_cast<int64_t>(dims.size()) != count || dims.empty()) {
    throw Error(ValueError("{} spatial dimensions need as many rates, not {}",
                           dims.size(), count));
  }
  return dims;
}

// [before, after] of each spatial dimension.
Tensor BasePaddings(const CompositionCall& c, int64_t count,
                    const Tensor& rate) {
  const std::string& padding = c.text(2);
  if (padding == "VALID") {
    return ops::Pack(TensorVector(2, IntegerVector(Ints(count, 0))), 1);
  }
  if (padding == "SAME") {
    if (!c.has(3)) {
      throw Error(
          ValueError("`filter_shape` must be specified for `padding='SAME'`. "
                     "Received: filter_shape=None and padding=SAME"));
    }
    const Tensor window = FirstRows(c.tensor(3), 0, count);
    const Tensor whole = ops::Mul(ops::Sub(window, IntegerConstant(1)), rate);
    const Tensor before = ops::FloorDiv(whole, IntegerConstant(2));
    return ops::Pack(TensorVector{before, ops::Sub(whole, before)}, 1);
  }
  if (padding != "EXPLICIT" || !c.has(6)) {
    throw Error(
        ValueError("`padding` must be one of 'SAME' or 'VALID'. Received: "
                   "padding={}",
                   padding));
  }
  const PartialTensorShape shape = c.tensor(6).partial_shape();
  if (!shape.IsCompatibleWith(PartialTensorShape(Ints{count + 2, 2}))) {
    throw Error(
        ValueError("Explicit paddings of {} spatial dimensions have "
                   "shape ({}, 2), not {}",
                   count, count + 2, shape.PythonString()));
  }
  const int64_t first = ChannelsFirst(c) ? 2 : 1;
  return FirstRows(c.tensor(6), first, first + count);
}

// The rows of `values` for each of `dims`; for those between `fill`.
Tensor Spread(const Tensor& values, int64_t fill, bool pairs,
              const Ints& dims) {
  TensorVector parts;
  int64_t last = 0;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (const int64_t between = dims[i] - last - 1; between > 0) {
      const Tensor column = IntegerVector(Ints(between, fill));
      parts.push_back(pairs ? ops::Pack(TensorVector(2, column), 1) : column);
    }
    parts.push_back(FirstRows(values, i, i + 1));
    last = dims[i];
  }
  if (parts.size() == dims.size()) return values;
  return ops::ConcatV2(parts, IntegerConstant(0));
}

TensorVector Parts(CompositionCall& c) {
  const Tensor &input = c.tensor(0), &rate = c.tensor(1);
  const PartialTensorShape rates = rate.partial_shape(),
                           shape = input.partial_shape();
  if (!rates.unknown_rank() && rates.rank() != 1) {
    throw Error(ValueError(
        "`dilation_rate.shape.rank` must be 1. Received: a tensor of rank {}",
        rates.rank()));
  }
  if (rates.unknown_rank() || rates.dim(0) < 0) {
    throw Error(
        ValueError("`dilation_rate.shape` must be fully defined. Received: a "
                   "tensor with shape {}",
                   rates.PythonString()));
  }
  const int64_t count = rates.dim(0);
  const Ints dims = SpatialDims(c, count);
  const int64_t least = dims.back() + (ChannelsFirst(c) ? 0 : 1);
  if (!shape.unknown_rank() && shape.rank() < least) {
    throw Error(ValueError(
        "`input.shape.rank` must be at least {}. Received: input.shape={} with "
        "rank {}",
        least, shape.PythonString(), shape.rank()));
  }
  if (const auto known = KnownInts(rate)) {
    for (const int64_t r : *known) {
      if (r < 1) {
        throw Error(
            ValueError("`dilation_rate` must be positive. Received: {}", r));
      }
    }
    if (std::ranges::all_of(*known, [](int64_t r) { return r == 1; })) {
      return {};
    }
  }
  Ints known;
  for (const int64_t d : dims) {
    if (!shape.unknown_rank() && d < shape.rank() && shape.dim(d) >= 0) {
      known.push_back(shape.dim(d));
    }
  }
  const Tensor sizes =
      known.size() == dims.size()
          ? IntsTensor(known, DataType::kInt32)
          : ops::GatherV2(ShapeTensor(input), IntegerVector(dims),
                          IntegerConstant(0));
  const TensorVector wanted =
      CallComposition("required_space_to_batch_paddings",
                      {sizes, rate, BasePaddings(c, count, rate)});
  return {Spread(rate, 1, false, dims), Spread(wanted[0], 0, true, dims),
          Spread(wanted[1], 0, true, dims)};
}

const CompositionRecord kRecords[] = {
    {.names = "_nn.space_to_batch_parts",
     .args = "input: tensor; dilation_rate: tensor(int32!); padding: string; "
             "filter_shape: tensor(int32) = None; spatial_dims: ints = None; "
             "data_format: string = None; paddings: tensor(int32) = None",
     .build = Parts,
     .result = "list",
     .takes_name = false},
};

}  // namespace

GK_REGISTER_COMPOSITIONS(composition_space_to_batch)

}  // namespace gk
