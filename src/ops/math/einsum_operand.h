// Operands of Einsum, and their products where nothing has to be moved.
#ifndef GK_OPS_MATH_EINSUM_OPERAND_H_
#define GK_OPS_MATH_EINSUM_OPERAND_H_

#include <cstdint>
#include <initializer_list>
#include <vector>

#include "framework/kernel_context.h"
#include "framework/tensor.h"
#include "ops/math/einsum_equation.h"

namespace gk::einsum {

bool Has(const DimLabels& labels, int label);
// Where it is; after the end if it is not there.
int At(const DimLabels& labels, int label);
DimLabels Joined(std::initializer_list<const DimLabels*> parts);

// A tensor whose dimensions have labels, each once. Elements may lie in any
// order: those of a diagonal do.
struct Operand {
  Tensor data;
  DimLabels labels;
  std::vector<int64_t> extents, strides;

  int64_t extent(int label) const { return extents[At(labels, label)]; }
  int64_t stride(int label) const { return strides[At(labels, label)]; }
  bool IsDense() const;
};

Operand Dense(Tensor data, DimLabels labels);
// Of the extents of `labels`.
int64_t Product(const Operand& x, const DimLabels& labels);

// One side of a product: `free` are the labels that it alone has.
struct ProductSide {
  const Operand* x;
  const DimLabels& free;
};

// Computes the product and sets output 0 in the order of `output` if both
// sides and the output can be read and written as they lie: small matrices,
// whose rows are equally far apart, as are their columns. Else says no.
StatusOr<bool> SetScatteredProducts(KernelContext& c, ProductSide a,
                                    ProductSide b, const DimLabels& batch,
                                    const DimLabels& sum,
                                    const DimLabels& output);

}  // namespace gk::einsum

#endif  // GK_OPS_MATH_EINSUM_OPERAND_H_
