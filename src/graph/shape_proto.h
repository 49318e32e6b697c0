// Shapes as TensorShapeProto.
#ifndef GK_GRAPH_SHAPE_PROTO_H_
#define GK_GRAPH_SHAPE_PROTO_H_

#include "framework/tensor_shape.h"
#include "proto/tensor.gk.h"

namespace gk {

proto::TensorShapeProto ShapeToProto(const PartialTensorShape& shape);
StatusOr<PartialTensorShape> ShapeFromProto(
    const proto::TensorShapeProto& shape);

}  // namespace gk

#endif  // GK_GRAPH_SHAPE_PROTO_H_
