// Sampling from distributions with parameters, shared by the stateful, the
// stateless and the generator ops. All check their inputs.
#ifndef GK_OPS_RANDOM_RANDOM_SAMPLES_H_
#define GK_OPS_RANDOM_RANDOM_SAMPLES_H_

#include "framework/inference_context.h"
#include "framework/kernel_context.h"
#include "kernels/random.h"

namespace gk {

// Output 0 is `value` with its rows permuted; rank at least 1.
Status ShuffleRows(const Philox& gen, const Tensor& value, KernelContext& c);

struct CategoricalSizes {
  int64_t rows = 0, classes = 0, samples = 0;
};
StatusOr<CategoricalSizes> CheckCategorical(const Tensor& logits,
                                            const Tensor& num_samples);
// From the logits in input 0, to output 0 of attr output_dtype.
Status SampleCategorical(const Philox& gen, const CategoricalSizes& sizes,
                         KernelContext& c);
Status CategoricalShape(InferenceContext& c);

// `samples` values for each of several parameters. In the output the samples
// are the outer dimension, except where `shape` was given whole.
struct PerParameter {
  TensorShape shape;
  int64_t samples = 0, parameters = 0;
};
// The output has the dims in `shape` followed by those of `parameter`.
StatusOr<PerParameter> CheckPerParameter(const Tensor& shape,
                                         const Tensor& parameter);
// `shape` is that of the output and ends with the shape of `parameter`.
StatusOr<PerParameter> CheckWholeShape(const Tensor& shape,
                                       const Tensor& parameter);
Status SampleGamma(const PerParameter& sizes, const Philox& gen,
                   const Tensor& alpha, KernelContext& c);
// Of `counts` and `chances`, which broadcast together: output 0 for draws whose
// shape ends with theirs, or why there can be none. Its dtype is attr dtype.
Status AllocateBinomial(const TensorShape& shape, const Tensor& counts,
                        const Tensor& chances, KernelContext& c);
// The draws, into output 0 as allocated.
Status SampleBinomial(const TensorShape& shape, const Philox& gen,
                      const Tensor& counts, const Tensor& chances,
                      KernelContext& c);
// The output's dtype is attr dtype.
Status SamplePoisson(const PerParameter& sizes, const Philox& gen,
                     const Tensor& rate, KernelContext& c);

}  // namespace gk

#endif  // GK_OPS_RANDOM_RANDOM_SAMPLES_H_
