// Functions of the program applied to the values of ragged and sparse tensors:
// what must be alike of several of them, and what becomes of the result, for
// both languages.
//
// All is made with the current builder; functions throw Error.
#ifndef GK_FUNCTION_RAGGED_FLAT_VALUES_H_
#define GK_FUNCTION_RAGGED_FLAT_VALUES_H_

#include <functional>
#include <span>

#include "function/ragged/ragged_value.h"
#include "function/sparse_value.h"

namespace gk {

// The first with the flat values that `f` gives, as many. ValueError if
// lengths, ragged ranks or dtypes of splits differ, InvalidArgument if rows do.
RaggedValue MapFlatValues(std::span<const RaggedValue> arguments,
                          const std::function<Tensor()>& f);
// The first with the values that `f` gives. InvalidArgument if places or shapes
// differ.
SparseValue MapSparseValues(std::span<const SparseValue> arguments,
                            const std::function<Tensor()>& f);

}  // namespace gk

#endif  // GK_FUNCTION_RAGGED_FLAT_VALUES_H_
