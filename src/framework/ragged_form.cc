#include "framework/ragged_form.h"

#include <iterator>

namespace gk {

std::string_view RaggedFormName(RaggedForm form) {
  static constexpr std::string_view kNames[] = {"",
                                                "each",
                                                "values",
                                                "flat",
                                                "dropout",
                                                "segments",
                                                "filled",
                                                "reduce_sum",
                                                "reduce_mean",
                                                "reduce_prod",
                                                "reduce_max",
                                                "reduce_min",
                                                "reduce_any",
                                                "reduce_all",
                                                "reduce_logsumexp",
                                                "reduce_join",
                                                "reduce_variance",
                                                "reduce_std",
                                                "add_n",
                                                "broadcast_to",
                                                "concat",
                                                "cumsum",
                                                "dynamic_partition",
                                                "expand_dims",
                                                "fill",
                                                "gather",
                                                "gather_nd",
                                                "matmul",
                                                "rank",
                                                "reshape",
                                                "reverse",
                                                "shape",
                                                "sigmoid_cross_entropy",
                                                "size",
                                                "softmax",
                                                "split",
                                                "squeeze",
                                                "stack",
                                                "string_join",
                                                "tile",
                                                "where",
                                                "one_hot",
                                                "resize_images"};
  static_assert(std::size(kNames) == kNumRaggedForms);
  return kNames[static_cast<int>(form)];
}

}  // namespace gk
