// What ops of checkpoints ask of their inputs, and one tensor of a checkpoint.
#ifndef GK_OPS_CHECKPOINT_NAMED_TENSORS_H_
#define GK_OPS_CHECKPOINT_NAMED_TENSORS_H_

#include <string>
#include <string_view>

#include "checkpoint/bundle_reader.h"

namespace gk {

// InvalidArgument unless an input has one element, and unless it has one for
// each of `count` tensors.
Status OneElement(const Tensor& t, std::string_view input);
Status OneForEach(const Tensor& t, std::string_view input, int64_t count);

// The shape of the part that a `shape_and_slice` says; any if it is empty.
StatusOr<PartialTensorShape> ShapeOfPart(std::string_view shape_and_slice);

// The tensor of a name, or the part of it that `shape_and_slice` says unless
// that is empty. InvalidArgument if it has another type or shape.
StatusOr<Tensor> ReadNamed(const BundleReader& reader, const std::string& name,
                           const std::string& shape_and_slice, DataType dtype);

}  // namespace gk

#endif  // GK_OPS_CHECKPOINT_NAMED_TENSORS_H_
