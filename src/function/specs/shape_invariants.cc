#include "function/specs/shape_invariants.h"

#include "base/format.h"

namespace gk {
namespace {

using Kind = TypeSpec::Kind;

std::vector<PartialTensorShape> ShapesOfTensors(const TypeSpec& spec) {
  std::vector<PartialTensorShape> shapes;
  for (const TypeSpec& t : spec.Tensors()) shapes.push_back(t.shape);
  return shapes;
}

}  // namespace

std::vector<PartialTensorShape> InvariantShapes(const TypeSpec& value,
                                                const PartialTensorShape& whole,
                                                std::string_view name) {
  if (value.host || value.kind > Kind::kSparse) {
    throw Error(TypeError("The invariant of a {} must be a tf.TypeSpec, got {}",
                          name, whole.PythonString()));
  }
  return ShapesOfTensors(value.OfShape(whole));
}

std::vector<PartialTensorShape> InvariantShapes(const TypeSpec& value,
                                                const TypeSpec& invariant,
                                                std::string_view invariant_text,
                                                std::string_view value_text) {
  if (!invariant.IsCompatibleWith(value)) {
    throw Error(TypeError("TypeSpec {} is not compatible with {}",
                          invariant_text, value_text));
  }
  return ShapesOfTensors(invariant);
}

}  // namespace gk
