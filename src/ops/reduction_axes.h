// The axes input of reductions: parsing, shapes, and the gradient's shapes.
#ifndef GK_OPS_REDUCTION_AXES_H_
#define GK_OPS_REDUCTION_AXES_H_

#include <vector>

#include "framework/inference_context.h"
#include "framework/kernel_context.h"

namespace gk {

struct Reduction {
  std::vector<uint8_t> is_reduced;  // one flag an input dim
  TensorShape shape;                // of the output
};

// From input 1 of a reduction kernel. InvalidArgument for axes out of
// [-rank, rank) or given twice.
StatusOr<Reduction> ParseReduction(const Tensor& input, const Tensor& axes,
                                   bool keep_dims);

// The shape function of every reduction (attr keep_dims).
Status ReductionShape(InferenceContext& c);

}  // namespace gk

#endif  // GK_OPS_REDUCTION_AXES_H_
