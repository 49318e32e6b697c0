// A dataset made anew where ops are made now: in the graph of a function that
// is saved, which makes the dataset of a loaded model.
#ifndef GK_FUNCTION_REMADE_DATASET_H_
#define GK_FUNCTION_REMADE_DATASET_H_

#include "framework/tensor.h"

namespace gk {

// The handle of an equal dataset, by the ops that made this one, and of what
// they captured. InvalidArgument if it is none, Unimplemented if one of the
// datasets it is made of was made by no op.
StatusOr<Tensor> RemadeDataset(const Tensor& handle);

}  // namespace gk

#endif  // GK_FUNCTION_REMADE_DATASET_H_
