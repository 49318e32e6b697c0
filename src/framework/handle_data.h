// HandleDataOf: what a resource refers to, where it is at hand; what is in a
// list.
#ifndef GK_FRAMEWORK_HANDLE_DATA_H_
#define GK_FRAMEWORK_HANDLE_DATA_H_

#include "framework/resource.h"
#include "framework/tensor.h"

namespace gk {

// Of a tensor of a graph or a value; empty if it is not known.
HandleData HandleDataOf(const Tensor& t);

}  // namespace gk

#endif  // GK_FRAMEWORK_HANDLE_DATA_H_
