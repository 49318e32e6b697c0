// Assertions about the shapes of several tensors. Those about one or two are
// functions of their own: gk::debugging::assert_equal, assert_rank, ...
#ifndef GRAPHKILN_DEBUGGING_H_
#define GRAPHKILN_DEBUGGING_H_

#include <graphkiln/tensor.h>

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

  }  // namespace debugging
}  // GK_API_NAMESPACE
}  // namespace gk

#endif  // GRAPHKILN_DEBUGGING_H_
