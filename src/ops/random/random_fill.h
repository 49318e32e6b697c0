// Fills tensors from a generator and reads the inputs that random ops share.
//
// Fills run on the global thread pool; their bits do not depend on it.
#ifndef GK_OPS_RANDOM_RANDOM_FILL_H_
#define GK_OPS_RANDOM_RANDOM_FILL_H_

#include "framework/inference_context.h"
#include "framework/kernel_context.h"
#include "kernels/random.h"

namespace gk {

enum class RandomKind { kUniform, kNormal, kTruncatedNormal };

// `out` is half, bfloat16, float or double.
Status FillRandom(RandomKind kind, const Philox& gen, Tensor* out);
// Between scalars of out's dtype (int32, int64, uint32, uint64).
// InvalidArgument unless low < high.
Status FillRandomInt(const Philox& gen, const Tensor& low, const Tensor& high,
                     Tensor* out);
Status FillRandomFullInt(const Philox& gen, Tensor* out);

// A shape given as a vector of int32 or int64.
StatusOr<TensorShape> ShapeFromInput(const Tensor& shape);

// minval and maxval are scalars, minval is below.
Status CheckIntRange(const Tensor& low, const Tensor& high);

// The generators of stateless ops: of a seed [2], of key [1] and counter [2].
StatusOr<Philox> GeneratorOfSeed(const Tensor& seed);
StatusOr<Philox> GeneratorOfKeyCounter(const Tensor& key, const Tensor& counter,
                                       const Tensor& alg);

// The shape of output 0 is the value of input 0.
Status ShapeOfInput0(InferenceContext& c);
// The same, of an op whose input 1 is a seed [2].
Status SeededShape(InferenceContext& c);

}  // namespace gk

#endif  // GK_OPS_RANDOM_RANDOM_FILL_H_
