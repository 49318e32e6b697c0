#include "ops/composition/window_arguments.h"

#include <algorithm>

#include "ops/dynamic_axes.h"
#include "ops/element_moves.h"
#include "ops/fn/AddV2.h"
#include "ops/fn/BatchToSpaceND.h"
#include "ops/fn/ConcatV2.h"
#include "ops/fn/FloorMod.h"
#include "ops/fn/Neg.h"
#include "ops/fn/Pack.h"
#include "ops/fn/Reshape.h"
#include "ops/fn/SpaceToBatchND.h"
#include "ops/subscript.h"
#include "ops/with_attrs/DepthwiseConv2dNative.h"

namespace gk {
namespace {

Tensor PartOf(const Tensor& sizes, std::optional<int64_t> begin,
              std::optional<int64_t> end) {
  SubscriptEntry entry;
  if (begin) entry.begin = *begin;
  if (end) entry.end = *end;
  return Subscript(sizes, {entry});
}

}  // namespace

std::vector<int64_t> PerDimension(const std::vector<int64_t>& value, int n,
                                  const std::string& format,
                                  std::string_view what) {
  if (static_cast<int>(value.size()) == n + 2) return value;
  std::vector<int64_t> spatial;
  if (value.size() == 1) {
    spatial.assign(n, value[0]);
  } else if (static_cast<int>(value.size()) == n) {
    spatial = value;
  } else {
    throw Error(
        ValueError("{} should be of length 1, {} or {}. Received: "
                   "{} of length {}",
                   what, n, n + 2, what, value.size()));
  }
  std::vector<int64_t> out{1};
  if (format.starts_with("NC")) out.push_back(1);
  out.insert(out.end(), spatial.begin(), spatial.end());
  if (!format.starts_with("NC")) out.push_back(1);
  return out;
}

WindowPadding PaddingOf(const CompositionCall& c, int i) {
  if (const std::string* s = c.get<std::string>(i)) {
    WindowPadding p{*s, {}};
    std::transform(p.kind.begin(), p.kind.end(), p.kind.begin(),
                   [](unsigned char ch) { return std::toupper(ch); });
    return p;
  }
  const auto amounts = c.has(i) ? KnownInts(c.tensor(i)) : std::nullopt;
  if (!amounts || amounts->size() != 8) {
    throw Error(ValueError("padding must be a string or a list of 4 pairs"));
  }
  return {"EXPLICIT", *amounts};
}

std::string FormatOf(const CompositionCall& c, int i, const char* fallback) {
  return c.has(i) ? c.text(i) : std::string(fallback);
}

AttrMap WindowAttrs(const WindowPadding& padding, const std::string& format,
                    bool has_explicit) {
  AttrMap attrs{{"padding", padding.kind}, {"data_format", format}};
  if (has_explicit) attrs.Set("explicit_paddings", padding.explicit_amounts);
  return attrs;
}

std::vector<int64_t> Dilations(const CompositionCall& c, int i, int n,
                               const std::string& format) {
  return c.has(i) ? PerDimension(c.ints(i), n, format, "dilations")
                  : std::vector<int64_t>(n + 2, 1);
}

bool AnyAboveOne(const std::vector<int64_t>& values) {
  return std::any_of(values.begin(), values.end(),
                     [](int64_t n) { return n > 1; });
}

void CheckWindowRates(const std::vector<int64_t>& strides,
                      const std::vector<int64_t>& rates) {
  const auto bad = [](const std::vector<int64_t>& values) {
    return std::any_of(values.begin(), values.end(),
                       [](int64_t n) { return n < 1; });
  };
  if (bad(rates)) {
    throw Error(
        ValueError("all values of `dilation_rate` must be positive. Received: "
                   "dilation_rate=[{}]",
                   JoinText(rates, " ")));
  }
  if (bad(strides)) {
    throw Error(
        ValueError("all values of `strides` must be positive. Received: "
                   "strides=[{}]",
                   JoinText(strides, " ")));
  }
  if (AnyAboveOne(strides) && AnyAboveOne(rates)) {
    throw Error(ValueError(
        "`strides > 1` not supported in conjunction with `dilation_rate > 1`. "
        "Received: strides=[{}] and dilation_rate=[{}]",
        JoinText(strides, " "), JoinText(rates, " ")));
  }
}

Tensor OverBatches(const Tensor& x, int inner_rank, TensorFn fn) {
  const Tensor sizes = ShapeTensor(x);
  const Tensor inner = PartOf(sizes, -inner_rank, {});
  const Tensor flat =
      ops::Reshape(x, Joined({IntegerVector(std::vector<int64_t>{-1}), inner}));
  const Tensor made = fn(flat);
  return ops::Reshape(made,
                      Joined({PartOf(sizes, {}, -inner_rank),
                              PartOf(ShapeTensor(made), -inner_rank, {})}));
}

PaddingPairs SamePadding(const std::vector<int64_t>& window,
                         const std::vector<int64_t>& rates) {
  PaddingPairs pairs;
  for (size_t i = 0; i < rates.size(); ++i) {
    const int64_t all = (window[i] - 1) * rates[i];
    pairs.emplace_back(all / 2, all - all / 2);
  }
  return pairs;
}

Tensor WithSpaceToBatch(const Tensor& x, const std::vector<int64_t>& rates,
                        const PaddingPairs& base, int first, TensorFn fn) {
  const int n = static_cast<int>(rates.size());
  const PartialTensorShape shape = x.partial_shape();
  // Dimensions before the first spatial one are blocks of size 1.
  std::vector<int64_t> blocks(first - 1, 1);
  blocks.insert(blocks.end(), rates.begin(), rates.end());
  const Tensor block = IntegerVector(blocks);
  bool known = !shape.unknown_rank();
  for (int i = 0; known && i < n; ++i) known = shape.dim(first + i) >= 0;
  Tensor paddings, crops;
  if (known) {
    std::vector<int64_t> pad(2 * (first - 1), 0), crop = pad;
    for (int i = 0; i < n; ++i) {
      const auto [before, after] = base[i];
      const int64_t whole = shape.dim(first + i) + before + after;
      const int64_t more = (rates[i] - whole % rates[i]) % rates[i];
      pad.insert(pad.end(), {before, after + more});
      crop.insert(crop.end(), {0, more});
    }
    const Tensor pairs = IntegerVector(
        std::vector<int64_t>{static_cast<int64_t>(blocks.size()), 2});
    paddings = ops::Reshape(IntegerVector(pad), pairs);
    crops = ops::Reshape(IntegerVector(crop), pairs);
  } else {
    std::vector<int64_t> before(first - 1, 0), after(first - 1, 0);
    for (const auto& [b, a] : base) {
      before.push_back(b);
      after.push_back(a);
    }
    std::vector<int64_t> both(before);
    for (size_t i = 0; i < both.size(); ++i) both[i] += after[i];
    const int64_t end = first + n;
    const Tensor sizes = PartOf(ShapeTensor(x), 1, end);
    const Tensor whole = ops::AddV2(sizes, IntegerVector(both));
    const Tensor more = ops::FloorMod(ops::Neg(whole), block);
    paddings = ops::Pack(TensorVector{IntegerVector(before),
                                      ops::AddV2(IntegerVector(after), more)},
                         1);
    crops = ops::Pack(
        TensorVector{IntegerVector(std::vector<int64_t>(before.size(), 0)),
                     more},
        1);
  }
  const Tensor made = fn(ops::SpaceToBatchND(x, block, paddings));
  return ops::BatchToSpaceND(made, block, crops);
}

Tensor DepthwiseConvolution(const Tensor& x, const Tensor& filter,
                            const std::vector<int64_t>& strides,
                            const WindowPadding& padding,
                            const std::string& format,
                            const std::vector<int64_t>& dilations,
                            std::string_view name) {
  const int first = format.starts_with("NC") ? 2 : 1;
  AttrMap attrs = WindowAttrs(padding, format);
  attrs.Set("strides", strides);
  if (!AnyAboveOne(dilations) || !AnyAboveOne(strides)) {
    attrs.Set("dilations", dilations);
    return ops::DepthwiseConv2dNative(OpAttrs(std::move(attrs), name), x,
                                      filter);
  }
  const std::vector<int64_t> rates(dilations.begin() + first,
                                   dilations.begin() + first + 2);
  PaddingPairs base(2, {0, 0});
  if (padding.kind == "SAME") {
    const PartialTensorShape window = filter.partial_shape();
    if (window.rank() != 4 || window.dim(0) < 0 || window.dim(1) < 0) {
      throw Error(ValueError(
          "Padding \"SAME\" of a filter with holes that moves by more than one "
          "place needs the filter's size, but its shape is {}",
          window.PythonString()));
    }
    base = SamePadding({window.dim(0), window.dim(1)}, rates);
  } else if (padding.kind == "EXPLICIT") {
    for (int i = 0; i < 2; ++i) {
      base[i] = {padding.explicit_amounts[2 * (first + i)],
                 padding.explicit_amounts[2 * (first + i) + 1]};
    }
  }
  return WithSpaceToBatch(x, rates, base, first, [&](const Tensor& part) {
    AttrMap plain = WindowAttrs({"VALID", {}}, format);
    plain.Set("strides", strides);
    plain.Set("dilations", std::vector<int64_t>(4, 1));
    return ops::DepthwiseConv2dNative(OpAttrs(std::move(plain), name), part,
                                      filter);
  });
}

}  // namespace gk
