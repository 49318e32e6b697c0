// What ops cost by the shapes that they run on: for profiles, which tell how
// much of the machine a program uses.
#ifndef GK_OPS_OP_COST_H_
#define GK_OPS_OP_COST_H_

#include <span>

#include "framework/attr_value.h"
#include "framework/op_record.h"
#include "framework/tensor_shape.h"

namespace gk {

// Additions, multiplications and the like of one run, a multiplication with an
// addition being two: 2 m k n of a product of matrices, one an element of an
// elementwise op or a reduction. 0 of ops that move elements, and of those
// whose work depends on values.
double FlopsOf(const OpRecord& record, const AttrMap& attrs,
               std::span<const TensorShape> inputs,
               std::span<const TensorShape> outputs);

}  // namespace gk

#endif  // GK_OPS_OP_COST_H_
