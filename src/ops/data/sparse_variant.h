// Sparse tensors as vectors of three variants: what they are as components of
// elements.
#ifndef GK_OPS_DATA_SPARSE_VARIANT_H_
#define GK_OPS_DATA_SPARSE_VARIANT_H_

#include <vector>

#include "framework/tensor.h"
#include "framework/variant.h"

namespace gk {

struct Sparse {
  Tensor indices, values, shape;
};

// Are they three that fit each other? InvalidArgument else.
Status CheckSparse(const Sparse& s);
// The parts along the first dimension, of rank 2 or more; the entries are in
// order. InvalidArgument else.
Status SparseRows(const Sparse& s, std::vector<Sparse>* rows);
// The entries of several sparse tensors of `type`, each with its place in
// `outer` before its indices. The shape is the smallest that has room for all.
Status JoinSparse(const std::vector<Sparse>& parts, const TensorShape& outer,
                  DataType type, Sparse* joined);

// The tensor in a variant of one; null if it holds something else.
const Tensor* TensorInVariant(const Variant& v);
Variant VariantOfTensor(Tensor tensor);

// A vector of the three.
StatusOr<Tensor> SparseInVariants(const Sparse& s);

}  // namespace gk

#endif  // GK_OPS_DATA_SPARSE_VARIANT_H_
