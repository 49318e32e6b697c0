// Tensors of resource handles as TensorProto: what a program wrote of resources
// of its own, which no other process has.
#ifndef GK_GRAPH_HANDLE_PROTO_H_
#define GK_GRAPH_HANDLE_PROTO_H_

#include "framework/tensor.h"
#include "proto/tensor.gk.h"

namespace gk {

// Handles of AbsentResource; InvalidArgument unless there is one for each
// element.
StatusOr<Tensor> HandlesFromProto(const proto::TensorProto& message,
                                  const TensorShape& shape);
// The same as they were read; Unimplemented of resources that are here.
Status WriteHandles(const Tensor& handles, proto::TensorProto* message);

}  // namespace gk

#endif  // GK_GRAPH_HANDLE_PROTO_H_
