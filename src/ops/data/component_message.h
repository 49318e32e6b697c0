// Components of elements in files: TensorProtos, of ragged and sparse tensors
// with the variants that these are in elements.
#ifndef GK_OPS_DATA_COMPONENT_MESSAGE_H_
#define GK_OPS_DATA_COMPONENT_MESSAGE_H_

#include "framework/tensor.h"
#include "proto/tensor.gk.h"

namespace gk {

// Unimplemented for variants of other kinds, and for resources.
StatusOr<proto::TensorProto> MessageOfComponent(const Tensor& component);
// Of one of variants: as TensorFlow's SerializeTensor has them.
void MoveToContent(proto::TensorProto* message);
// DataLoss and InvalidArgument for what is no such message.
StatusOr<Tensor> ComponentOfMessage(const proto::TensorProto& message);

}  // namespace gk

#endif  // GK_OPS_DATA_COMPONENT_MESSAGE_H_
