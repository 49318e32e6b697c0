// Tensors, shapes and attributes as messages of graph files, and back.
//
// Reading checks everything: files come from anywhere.
#ifndef GK_GRAPH_TENSOR_PROTO_H_
#define GK_GRAPH_TENSOR_PROTO_H_

#include "framework/attr_value.h"
#include "graph/import_budget.h"
#include "graph/shape_proto.h"
#include "proto/graph.gk.h"

namespace gk {

// Strings in string_val, a single number as such, all else in tensor_content.
// Resources and variants have no lasting form: Unimplemented.
StatusOr<proto::TensorProto> TensorToProto(const Tensor& tensor);
// Of a larger message, take what the others leave of its budget; alone, a
// tensor has one of its own.
StatusOr<Tensor> TensorFromProto(const proto::TensorProto& message,
                                 ImportBudget* budget = nullptr);

// Writes the elements one by one, into the field for numbers of their type.
// False for a type that has none.
bool WriteValues(const Tensor& tensor, proto::TensorProto* message);
// How many elements are given one by one.
int64_t NumValues(const proto::TensorProto& message);

StatusOr<proto::AttrValue> AttrToProto(const AttrValue& value);

}  // namespace gk

#endif  // GK_GRAPH_TENSOR_PROTO_H_
