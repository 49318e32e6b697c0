// The truth of a condition: what If and While branch on.
#ifndef GK_OPS_CONTROL_TRUTH_H_
#define GK_OPS_CONTROL_TRUTH_H_

#include "framework/attr_value.h"
#include "framework/tensor.h"

namespace gk {

// A bool scalar is its value; a number is true unless zero, a string unless
// empty; a tensor that is no scalar is true if it has elements.
StatusOr<bool> TruthOf(const Tensor& t);
// The same of a tensor with one element; InvalidArgument if it has more, or
// none.
StatusOr<bool> TruthOfOne(const Tensor& t);

// What Case branches on, an int32 scalar.
StatusOr<int64_t> BranchIndexOf(const Tensor& t);

// How a node with these attributes reads its condition: what `cond` and
// `while_loop` make (which stands for Switch and Merge nodes) takes one
// element, an If or While that names functions anything.
using TruthFn = StatusOr<bool> (*)(const Tensor&);
TruthFn TruthFor(const AttrMap& attrs);

}  // namespace gk

#endif  // GK_OPS_CONTROL_TRUTH_H_
