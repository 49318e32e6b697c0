// What ops cost by the shapes that they run on: for profiles, which tell how
// much of the machine a program uses.
#ifndef GK_OPS_OP_COST_H_
#define GK_OPS_OP_COST_H_

#include <span>

#include "framework/attr_value.h"
#include "framework/op_record.h"
#include "framework/tensor_shape.h"

namespace gk {

using FlopsShapes = std::span<const TensorShape>;

// What the op's record says (FlopsFn), or one an element of an elementwise op
// or a reduction. 0 of ops that move elements, and of those whose work depends
// on values.
double FlopsOf(const OpRecord& record, const AttrMap& attrs, FlopsShapes inputs,
               FlopsShapes outputs);

// For records.
inline double ElementsOf(const TensorShape& shape) {
  return static_cast<double>(shape.num_elements());
}
// So many an element of input 0.
template <int kCount>
double FlopsPerElement(const AttrMap&, FlopsShapes in, FlopsShapes) {
  return kCount * ElementsOf(in[0]);
}

}  // namespace gk

#endif  // GK_OPS_OP_COST_H_
