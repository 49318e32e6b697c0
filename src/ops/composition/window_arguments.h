// Arguments of functions that slide windows: sizes as an int or a list,
// padding as a name or as explicit amounts; and what such functions do around
// their ops. Functions throw Error.
#ifndef GK_OPS_COMPOSITION_WINDOW_ARGUMENTS_H_
#define GK_OPS_COMPOSITION_WINDOW_ARGUMENTS_H_

#include <string>
#include <string_view>
#include <vector>

#include "base/function_ref.h"
#include "ops/composition.h"

namespace gk {

// `value` (1, n or n + 2 numbers) for every dimension of an n-dimensional
// window in `format`.
std::vector<int64_t> PerDimension(const std::vector<int64_t>& value, int n,
                                  const std::string& format,
                                  std::string_view what);

struct WindowPadding {
  std::string kind;
  std::vector<int64_t> explicit_amounts;
};
// Of an argument of kind native.
WindowPadding PaddingOf(const CompositionCall& c, int i);

std::string FormatOf(const CompositionCall& c, int i, const char* fallback);

AttrMap WindowAttrs(const WindowPadding& padding, const std::string& format,
                    bool has_explicit = true);

// All ones where argument `i` is None.
std::vector<int64_t> Dilations(const CompositionCall& c, int i, int n,
                               const std::string& format);

bool AnyAboveOne(const std::vector<int64_t>& values);
// ValueError unless all are positive and one of both is all ones.
void CheckWindowRates(const std::vector<int64_t>& strides,
                      const std::vector<int64_t>& rates);

// Before and after each of n spatial dimensions.
using PaddingPairs = std::vector<std::pair<int64_t, int64_t>>;

using TensorFn = FunctionRef<Tensor(const Tensor&)>;

// fn of `x` whose dimensions before the last `inner_rank` have become one, and
// these again in its result.
Tensor OverBatches(const Tensor& x, int inner_rank, TensorFn fn);

// fn of every residue of the places modulo `rates` by itself: what makes fn's
// window one with holes. `first` is the first spatial dimension.
Tensor WithSpaceToBatch(const Tensor& x, const std::vector<int64_t>& rates,
                        const PaddingPairs& base, int first, TensorFn fn);

// The padding of name "SAME" below a window with holes.
PaddingPairs SamePadding(const std::vector<int64_t>& window,
                         const std::vector<int64_t>& rates);

// With strides and dilations of all four dimensions.
Tensor DepthwiseConvolution(const Tensor& x, const Tensor& filter,
                            const std::vector<int64_t>& strides,
                            const WindowPadding& padding,
                            const std::string& format,
                            const std::vector<int64_t>& dilations,
                            std::string_view name);

}  // namespace gk

#endif  // GK_OPS_COMPOSITION_WINDOW_ARGUMENTS_H_
