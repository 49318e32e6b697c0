// The nodes that make, read and write tensor lists: of TensorArrays and of
// lists that grow.
//
// What an operand is yet to be made of becomes a constant in the scope of the
// node, "TensorListGetItem/index". `name`: of the node; empty: the op's. Made
// with the current builder; throws Error.
#ifndef GK_FUNCTION_LIST_NODES_H_
#define GK_FUNCTION_LIST_NODES_H_

#include <string_view>

#include "function/tensor_array.h"

namespace gk {

Tensor EmptyList(const ArrayOperand& element_shape, DataType dtype,
                 std::string_view name = {});
// The rows of a tensor.
Tensor ListOfRows(const Tensor& rows, const ArrayOperand& element_shape,
                  std::string_view name = {});
Tensor ListItem(const Tensor& list, const ArrayOperand& index,
                const ArrayOperand& element_shape, DataType dtype,
                std::string_view name = {});
Tensor ListWithItem(const Tensor& list, const ArrayOperand& index,
                    const Tensor& item, bool grows, std::string_view name = {});
// All elements along a new axis; `length`: how many, or -1.
Tensor ListStacked(const Tensor& list, const ArrayOperand& element_shape,
                   DataType dtype, int64_t length, std::string_view name = {});
// The elements at `indices` likewise.
Tensor ListGathered(const Tensor& list, const ArrayOperand& indices,
                    const ArrayOperand& element_shape, DataType dtype,
                    std::string_view name = {});
// With the rows of a tensor at `indices`.
Tensor ListScattered(const Tensor& list, const Tensor& rows,
                     const ArrayOperand& indices, std::string_view name = {});
// All elements one after the other; and a list of such parts of a tensor.
Tensor ListJoined(const Tensor& list, const ArrayOperand& element_shape,
                  DataType dtype, std::string_view name = {});
Tensor ListOfParts(const Tensor& whole, const ArrayOperand& element_shape,
                   const Tensor& lengths, std::string_view name = {});

}  // namespace gk

#endif  // GK_FUNCTION_LIST_NODES_H_
