// SlicesValue: rows of a larger tensor, and where they are: IndexedSlices.
//
// An immutable value of tensors, eager or of a graph. Whatever is computed is
// made with the current builder; functions throw Error.
#ifndef GK_FUNCTION_SLICES_VALUE_H_
#define GK_FUNCTION_SLICES_VALUE_H_

#include <string>
#include <string_view>

#include "base/function_ref.h"
#include "framework/op_builder.h"
#include "function/specs/type_spec.h"

namespace gk {

struct SlicesValue {
  Tensor values;       // values[i] stands at row indices[i]
  Tensor indices;      // rows named twice add up
  Tensor dense_shape;  // of the whole; null if it is not known

  // Of the whole, as far as the dense shape is known.
  PartialTensorShape shape() const;
  // Those that are named by none of `masked`.
  SlicesValue Without(const Tensor& masked) const;
  // With what the values say of the whole. ValueError if the parts do not fit.
  TypeSpec Spec() const;
  SlicesValue WithValues(Tensor others) const {
    return {std::move(others), indices, dense_shape};
  }
  // The whole, made by a node of this name. ValueError without a dense shape,
  // which shows what `text` gives.
  Tensor Whole(FunctionRef<std::string()> text,
               std::string_view name = {}) const;
};

// How slices print, of the texts of their parts; no dense shape if it is empty.
std::string SlicesText(std::string_view indices, std::string_view values,
                       std::string_view dense_shape);

}  // namespace gk

#endif  // GK_FUNCTION_SLICES_VALUE_H_
