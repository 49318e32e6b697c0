// A dataset made anew where ops are made now: in the graph of a function that
// is saved, which makes the dataset of a loaded model.
#ifndef GK_FUNCTION_REMADE_DATASET_H_
#define GK_FUNCTION_REMADE_DATASET_H_

#include <functional>

#include "framework/tensor.h"

namespace gk {

// The handle of an equal dataset, by the ops that made this one, and of what
// they captured. InvalidArgument if it is none, Unimplemented if one of the
// datasets it is made of was made by no op. `files` gives what takes the place
// of the names of files that are read (strings), and may keep them.
using NamesOfFiles = std::function<Tensor(const Tensor&)>;
StatusOr<Tensor> RemadeDataset(const Tensor& handle,
                               const NamesOfFiles& files = {});
// The names of the files that a dataset reads, as tensors of strings.
TensorVector FilesOfDataset(const Tensor& handle);

}  // namespace gk

#endif  // GK_FUNCTION_REMADE_DATASET_H_
