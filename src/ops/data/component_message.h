// Components of elements in files: TensorProtos, those of variants too.
#ifndef GK_OPS_DATA_COMPONENT_MESSAGE_H_
#define GK_OPS_DATA_COMPONENT_MESSAGE_H_

#include "framework/tensor.h"
#include "framework/variant.h"
#include "proto/tensor.gk.h"

namespace gk {

// Variants as TensorFlow writes them: tensors, ragged tensors, lists,
// optionals, compressed elements and states of iterators (ours and TensorFlow's
// are not exchanged). Unimplemented for other kinds; DataLoss for what is no
// such message.
StatusOr<proto::VariantTensorDataProto> MessageOfVariant(const Variant& v);
StatusOr<Variant> VariantOfMessage(
    const proto::VariantTensorDataProto& message);

// Unimplemented for variants of other kinds, and for resources.
StatusOr<proto::TensorProto> MessageOfComponent(const Tensor& component);
// Of one of variants: as TensorFlow's SerializeTensor has them.
void MoveToContent(proto::TensorProto* message);
// DataLoss and InvalidArgument for what is no such message.
StatusOr<Tensor> ComponentOfMessage(const proto::TensorProto& message);

}  // namespace gk

#endif  // GK_OPS_DATA_COMPONENT_MESSAGE_H_
