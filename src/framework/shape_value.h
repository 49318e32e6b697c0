// ShapeValue: what is known, before anything runs, of integers that ops make of
// shapes: one dimension an element, unknown where the element is.
#ifndef GK_FRAMEWORK_SHAPE_VALUE_H_
#define GK_FRAMEWORK_SHAPE_VALUE_H_

#include <cstdint>
#include <optional>

#include "framework/attr_value.h"
#include "framework/tensor.h"

namespace gk {

// What is known of the inputs of one node.
class ShapeValueContext {
 public:
  virtual ~ShapeValueContext() = default;

  virtual int num_inputs() const = 0;
  virtual const AttrMap& attrs() const = 0;
  virtual const PartialTensorShape& shape(int i) const = 0;
  // The elements of vector or scalar i; nullopt: not even how many.
  virtual std::optional<PartialTensorShape> elements(int i) const = 0;
  // The only element of input i, whatever its sign; nullopt if unknown.
  virtual std::optional<int64_t> integer(int i) const = 0;

  // Which output is asked for, and what it is known to look like.
  virtual int output() const = 0;
  virtual const PartialTensorShape& output_shape() const = 0;
};

// The elements of the output that is asked for, a scalar's being one; nullopt
// if nothing is known.
using ShapeValueFn =
    std::optional<PartialTensorShape> (*)(const ShapeValueContext& c);

namespace shape_fn {
// Of ops whose output has the elements of input 0.
inline std::optional<PartialTensorShape> ElementsOfInput(
    const ShapeValueContext& c) {
  return c.elements(0);
}
}  // namespace shape_fn

}  // namespace gk

#endif  // GK_FRAMEWORK_SHAPE_VALUE_H_
