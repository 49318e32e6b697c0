// Assertions about several tensors, and checks of every op's numbers.
// Assertions about one or two tensors are functions of their own:
// gk::debugging::assert_equal, assert_rank, ...
#ifndef GRAPHKILN_DEBUGGING_H_
#define GRAPHKILN_DEBUGGING_H_

#include <graphkiln/tensor.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gk {
GK_API_NAMESPACE {
  namespace debugging {

  // Checks shapes that share sizes. A shape is words: numbers, symbols that
  // stand for the same number everywhere, "." for any; "*" in front for any
  // leading dimensions. `message` is put in front of the error's text. Throws
  // Error: ValueError if a size is known to be another; what is not known yet
  // fails with InvalidArgument when the function runs.
  //
  //   gk::debugging::assert_shapes({{images, "batch 28 28 channels"},
  //                                 {labels, "batch"}});
  GK_EXPORT void assert_shapes(
      const std::vector<std::pair<Tensor, std::string>>& shapes,
      const std::string& message = "");

  // Checks that `condition`, a bool scalar, holds. Throws Error
  // (InvalidArgument) that shows the first `summarize` elements of each of
  // `data`, all of them if that is negative; in a function when it runs.
  GK_EXPORT void Assert(const Tensor& condition,
                        const std::vector<Tensor>& data, int summarize = 3);

  // The dtype that all tensors have, and `dtype` if it is given; kFloat where
  // there are none. Throws Error (ValueError) if they differ or are no
  // floating point numbers.
  GK_EXPORT DataType assert_same_float_dtype(
      const std::vector<Tensor>& tensors,
      std::optional<DataType> dtype = std::nullopt);

  // Ops that this thread makes from now on, eagerly or in functions that it
  // traces, fail if they give infinity or NaN.
  GK_EXPORT void enable_check_numerics();
  GK_EXPORT void disable_check_numerics();

  }  // namespace debugging
}  // GK_API_NAMESPACE
}  // namespace gk

#endif  // GRAPHKILN_DEBUGGING_H_
