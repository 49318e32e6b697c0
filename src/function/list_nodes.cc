#include "function/list_nodes.h"

#include "function/node_scope.h"
#include "ops/composition.h"
#include "ops/fn/EmptyTensorList.h"
#include "ops/fn/TensorListConcatV2.h"
#include "ops/fn/TensorListFromTensor.h"
#include "ops/fn/TensorListGather.h"
#include "ops/fn/TensorListGetItem.h"
#include "ops/fn/TensorListScatterIntoExistingList.h"
#include "ops/fn/TensorListSetItem.h"
#include "ops/fn/TensorListSplit.h"
#include "ops/fn/TensorListStack.h"

namespace gk {
namespace {

NodeScope OfNode(std::string_view name, std::string_view op) {
  return NodeScope(name.empty() ? op : name);
}

}  // namespace

Tensor EmptyList(const ArrayOperand& element_shape, DataType dtype,
                 std::string_view name) {
  const NodeScope node = OfNode(name, "EmptyTensorList");
  const Tensor shape = element_shape.Get("element_shape");
  return ops::EmptyTensorList(OpName(node.name()), shape,
                              Int32Of(-1, "max_num_elements"), dtype);
}

Tensor ListOfRows(const Tensor& rows, const ArrayOperand& element_shape,
                  std::string_view name) {
  const NodeScope node = OfNode(name, "TensorListFromTensor");
  return ops::TensorListFromTensor(OpName(node.name()), rows,
                                   element_shape.Get("element_shape"));
}

Tensor ListItem(const Tensor& list, const ArrayOperand& index,
                const ArrayOperand& element_shape, DataType dtype,
                std::string_view name) {
  const NodeScope node = OfNode(name, "TensorListGetItem");
  const Tensor i = index.Get("index");
  return ops::TensorListGetItem(OpName(node.name()), list, i,
                                element_shape.Get("element_shape"), dtype);
}

Tensor ListWithItem(const Tensor& list, const ArrayOperand& index,
                    const Tensor& item, bool grows, std::string_view name) {
  const NodeScope node = OfNode(name, "TensorListSetItem");
  return ops::TensorListSetItem(OpName(node.name()), list, index.Get("index"),
                                item, grows);
}

Tensor ListStacked(const Tensor& list, const ArrayOperand& element_shape,
                   DataType dtype, int64_t length, std::string_view name) {
  const NodeScope node = OfNode(name, "TensorListStack");
  return ops::TensorListStack(OpName(node.name()), list,
                              element_shape.Get("element_shape"), dtype,
                              length);
}

Tensor ListGathered(const Tensor& list, const ArrayOperand& indices,
                    const ArrayOperand& element_shape, DataType dtype,
                    std::string_view name) {
  const NodeScope node = OfNode(name, "TensorListGather");
  const Tensor at = indices.Get("indices");
  return ops::TensorListGather(OpName(node.name()), list, at,
                               element_shape.Get("element_shape"), dtype);
}

Tensor ListScattered(const Tensor& list, const Tensor& rows,
                     const ArrayOperand& indices, std::string_view name) {
  const NodeScope node = OfNode(name, "TensorListScatterIntoExistingList");
  return ops::TensorListScatterIntoExistingList(OpName(node.name()), list, rows,
                                                indices.Get("indices"));
}

Tensor ListJoined(const Tensor& list, const ArrayOperand& element_shape,
                  DataType dtype, std::string_view name) {
  const Tensor leading = IntsTensor({}, DataType::kInt64);
  const NodeScope node = OfNode(name, "TensorListConcatV2");
  return ops::TensorListConcatV2(OpName(node.name()), list,
                                 element_shape.Get("element_shape"), leading,
                                 dtype)[0];
}

Tensor ListOfParts(const Tensor& whole, const ArrayOperand& element_shape,
                   const Tensor& lengths, std::string_view name) {
  const NodeScope node = OfNode(name, "TensorListSplit");
  return ops::TensorListSplit(OpName(node.name()), whole,
                              element_shape.Get("element_shape"), lengths);
}

}  // namespace gk
