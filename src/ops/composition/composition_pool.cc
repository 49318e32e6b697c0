// Pooling of as many dimensions as its window has, with holes where asked for.
#include <utility>

#include "ops/composition.h"
#include "ops/composition/window_arguments.h"
#include "ops/element_moves.h"
#include "ops/fn/AddV2.h"
#include "ops/fn/ExpandDims.h"
#include "ops/fn/FloorMod.h"
#include "ops/fn/Neg.h"
#include "ops/fn/Pack.h"
#include "ops/fn/Squeeze.h"
#include "ops/fn/ZerosLike.h"
#include "ops/subscript.h"
#include "ops/with_attrs/AvgPool.h"
#include "ops/with_attrs/AvgPool3D.h"
#include "ops/with_attrs/MaxPool.h"
#include "ops/with_attrs/MaxPool3D.h"
#include "ops/with_attrs/MaxPoolWithArgmax.h"

namespace gk {
namespace {

using Ints = std::vector<int64_t>;

constexpr const char* kPoolFormats[] = {"NWC", "NHWC", "NDHWC"};

// A pooling of n dimensions with sizes of all dimensions.
Tensor Pooled(bool max, int n, const Tensor& x, const Ints& window,
              const Ints& strides, const WindowPadding& padding,
              const std::string& format, std::string_view name) {
  if (n == 1) {
    const bool channels_first = format == "NCW";
    const int64_t at = channels_first ? 2 : 1;
    const auto widen = [&](Ints v) {
      v.insert(v.begin() + at, 1);
      return v;
    };
    const Tensor y =
        Pooled(max, 2, ops::ExpandDims(x, Int32Of(at)), widen(window),
               widen(strides), padding, channels_first ? "NCHW" : "NHWC", name);
    return ops::Squeeze(y, Ints{at});
  }
  AttrMap attrs = WindowAttrs(padding, format, max && n == 2);
  attrs.Set("ksize", window);
  attrs.Set("strides", strides);
  OpAttrs named(std::move(attrs), name);
  if (n == 2) {
    return max ? ops::MaxPool(std::move(named), x)
               : ops::AvgPool(std::move(named), x);
  }
  return max ? ops::MaxPool3D(std::move(named), x)
             : ops::AvgPool3D(std::move(named), x);
}

TensorVector Pool(CompositionCall& c) {
  const Tensor& x = c.tensor(0);
  const Ints& window = c.ints(1);
  const std::string& type = c.text(2);
  const int n = static_cast<int>(window.size());
  if (n < 1 || n > 3) {
    throw Error(
        ValueError("`len(window_shape)` must be 1, 2, or 3. Received: "
                   "window_shape of length {}",
                   n));
  }
  const PartialTensorShape shape = x.partial_shape();
  if (!shape.unknown_rank() && shape.rank() != n + 2) {
    throw Error(
        ValueError("Shape {} must have rank {}", shape.PythonString(), n + 2));
  }
  const Ints strides = c.has(3) ? c.ints(3) : Ints(n, 1);
  const Ints rates = c.has(6) ? c.ints(6) : Ints(n, 1);
  for (const auto& [what, values] :
       {std::pair("dilation_rate", &rates), std::pair("strides", &strides)}) {
    if (static_cast<int>(values->size()) != n) {
      throw Error(
          ValueError("`len({0})` should be {1}. Received: {0} of length {2}",
                     what, n, values->size()));
    }
  }
  CheckWindowRates(strides, rates);
  const WindowPadding padding{c.text(4), {}};
  if (padding.kind == "SAME" && AnyAboveOne(rates)) {
    throw Error(ValueError(
        "pooling with 'SAME' padding is not implemented for `dilation_rate` > "
        "1. Received: padding={} and dilation_rate=[{}]",
        padding.kind, JoinText(rates, " ")));
  }
  for (int i = 0; i < n; ++i) {
    if (strides[i] <= window[i]) continue;
    throw Error(ValueError(
        "`strides` > `window_shape` not supported due to inconsistency between "
        "CPU and GPU implementations. Received: strides=[{}] and "
        "window_shape=[{}]",
        JoinText(strides, " "), JoinText(window, ", ")));
  }
  if (type != "MAX" && type != "AVG") {
    throw Error(ValueError("{}-D {} pooling is not supported.", n, type));
  }
  const std::string format = FormatOf(c, 5, kPoolFormats[n - 1]);
  if (n == 1 && format != "NWC" && format != "NCW") {
    throw Error(
        ValueError("data_format must be either 'NWC' or 'NCW'. Received: "
                   "data_format={}",
                   format));
  }
  const Ints ksize = PerDimension(window, n, format, "window_shape");
  const Ints steps = PerDimension(strides, n, format, "strides");
  auto pooled = [&](const Tensor& part) {
    return Pooled(type == "MAX", n, part, ksize, steps, padding, format,
                  c.name());
  };
  if (!AnyAboveOne(rates)) return {pooled(x)};
  if (padding.kind != "VALID") {
    throw Error(
        ValueError("`padding` must be one of 'SAME' or 'VALID'. Received: "
                   "padding={}",
                   padding.kind));
  }
  return {WithSpaceToBatch(x, rates, PaddingPairs(n, {0, 0}),
                           format.starts_with("NC") ? 2 : 1, pooled)};
}

TensorVector MaxPoolWithArgmax(CompositionCall& c) {
  if (c.text(4) != "NHWC") {
    throw Error(ValueError(
        "`data_format` values other  than 'NHWC' are not supported. Received: "
        "data_format={}",
        c.text(4)));
  }
  AttrMap attrs{{"padding", c.text(3)},
                {"ksize", PerDimension(c.ints(1), 2, "NHWC", "ksize")},
                {"strides", PerDimension(c.ints(2), 2, "NHWC", "strides")},
                {"Targmax", c.type(5)},
                {"include_batch_in_index", c.flag(6)}};
  return ops::MaxPoolWithArgmax(OpAttrs(std::move(attrs), c.name()),
                                c.tensor(0));
}

// What makes sizes multiples of blocks, and what of it is cut off again.
TensorVector RequiredPaddings(CompositionCall& c) {
  const Tensor &sizes = c.tensor(0), &block = c.tensor(1);
  const auto known_sizes = KnownInts(sizes), known_block = KnownInts(block);
  const PartialTensorShape bs = block.partial_shape();
  if (bs.rank() != 1 || bs.dim(0) < 0) {
    throw Error(ValueError("Shape {} must have rank 1 and be fully defined",
                           bs.PythonString()));
  }
  const int64_t n = bs.dim(0);
  if (!sizes.partial_shape().IsCompatibleWith(PartialTensorShape(Ints{n}))) {
    throw Error(ValueError("Shapes {} and {} are incompatible",
                           sizes.partial_shape().PythonString(),
                           bs.PythonString()));
  }
  if (c.has(2) && !c.tensor(2).partial_shape().IsCompatibleWith(
                      PartialTensorShape(Ints{n, 2}))) {
    throw Error(ValueError("Shapes {} and ({}, 2) are incompatible",
                           c.tensor(2).partial_shape().PythonString(), n));
  }
  if (known_block) {
    for (const int64_t b : *known_block) {
      if (b > 0) continue;
      throw Error(
          ValueError("`block_shape` must be positive. Received: {}", b));
    }
  }
  Tensor before = ops::ZerosLike(sizes), after = before;
  if (c.has(2)) {
    const auto column = [&](int64_t i) {
      SubscriptEntry one;
      one.kind = SubscriptEntry::Kind::kIndex;
      one.begin = i;
      return Subscript(c.tensor(2), {SubscriptEntry(), one});
    };
    before = column(0);
    after = column(1);
  }
  const Tensor whole = ops::AddV2(ops::AddV2(sizes, before), after);
  const Tensor more = ops::FloorMod(ops::Neg(whole), block);
  return {ops::Pack(OpName(c.name("paddings")),
                    TensorVector{before, ops::AddV2(after, more)}, 1),
          ops::Pack(OpName(c.name("crops")),
                    TensorVector{ops::ZerosLike(more), more}, 1)};
}

const CompositionRecord kRecords[] = {
    {.names = "nn.pool",
     .args =
         "input: tensor; window_shape: ints; pooling_type: string; strides: "
         "ints = None; padding: string = 'VALID'; data_format: string = "
         "None; dilations: ints = None",
     .scope = "pool",
     .build = Pool,
     .doc = "Pooling in 1 to 3 dimensions.\n\nArgs:\n  window_shape: one size "
            "for each spatial dimension.\n  pooling_type: \"MAX\" or \"AVG\"."
            "\n  dilations: distances between the places of the window; more "
            "than 1 needs strides of 1 and padding \"VALID\".\n\nRaises "
            "ValueError for strides above the window's sizes.",
     .example = ">>> tf.nn.pool([[[1.], [3.], [2.]]], [2], \"MAX\").numpy()"
                ".tolist()\n[[[3.0], [3.0]]]"},
    {.names = "nn.max_pool_with_argmax",
     .args = "input: tensor; ksize: ints; strides: ints; padding: string; "
             "data_format: string = 'NHWC'; output_dtype: type? = int64; "
             "include_batch_in_index: bool = False",
     .scope = "MaxPoolWithArgmax",
     .wraps_op = true,
     .build = MaxPoolWithArgmax,
     .result = "MaxPoolWithArgmax: output, argmax",
     .doc = "Largest element of each window and where it is, counted row by "
            "row within its picture or, with `include_batch_in_index`, within "
            "the whole input.",
     .example = ">>> tf.nn.max_pool_with_argmax([[[[1.], [3.]]]], [1, 2], 1, "
                "\"VALID\").argmax.numpy().item()\n1"},
    {.names = "required_space_to_batch_paddings",
     .args = "input_shape: tensor(int32); block_shape: tensor(int32); "
             "base_paddings: tensor(int32) = None",
     .scope = "required_space_to_batch_paddings",
     .build = RequiredPaddings,
     .result = "tuple",
     .doc = "The paddings that make sizes multiples of blocks, at least "
            "`base_paddings`, and the crops that undo what was added to those.",
     .example = ">>> paddings, crops = tf.required_space_to_batch_paddings([5],"
                " [2])\n>>> paddings.numpy().tolist(), crops.numpy().tolist()\n"
                "([[0, 1]], [[0, 1]])"},
};

}  // namespace

GK_REGISTER_COMPOSITIONS(composition_pool)

}  // namespace gk
