// Variants in messages, as TensorFlow writes them: tensors, ragged tensors,
// lists, optionals, compressed elements and states of iterators (ours and
// TensorFlow's are not exchanged).
#ifndef GK_OPS_DATA_VARIANT_MESSAGE_H_
#define GK_OPS_DATA_VARIANT_MESSAGE_H_

#include "framework/variant.h"
#include "proto/tensor.gk.h"

namespace gk {

// Unimplemented for variants of other kinds.
StatusOr<proto::VariantTensorDataProto> MessageOfVariant(const Variant& v);
// DataLoss for what is no such message, Unimplemented for other kinds.
StatusOr<Variant> VariantOfMessage(
    const proto::VariantTensorDataProto& message);

}  // namespace gk

#endif  // GK_OPS_DATA_VARIANT_MESSAGE_H_
