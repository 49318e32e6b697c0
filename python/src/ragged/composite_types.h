// Classes of values made of several tensors, and of their specs.
#ifndef GK_PYTHON_COMPOSITE_TYPES_H_
#define GK_PYTHON_COMPOSITE_TYPES_H_

#include <nanobind/nanobind.h>

#include "framework/tensor_shape.h"
#include "framework/types.h"
#include "function/specs/type_spec.h"
#include "python/src/binding/class_attribute.h"
#include "python/src/binding/class_members.h"
#include "python/src/ragged/ragged_arguments.h"

namespace gk::py {

// ShapedTypeSpec, and ragged and sparse values; after CompositeTensor.
void AddCompositeTypes(nanobind::module_& m);
// SparseTensor, IndexedSlices, and their specs.
void AddSparseTypes(nanobind::module_& m);
void AddSlicesTypes(nanobind::module_& m);
void AddRaggedTensor(nanobind::module_& m);
extern PyMethodDef ragged_factories[];
void AddRaggedTensorSpec(nanobind::module_& m);
// DynamicRaggedShape, its spec, and broadcasts of shapes.
void AddRaggedShape(nanobind::module_& m);
// tf.ragged.constant.
void AddRaggedConstant(nanobind::module_& m);
void AddRaggedRows(nanobind::module_& m);
// RowPartition and its spec.
void AddRowPartition(nanobind::module_& m);

// A TensorSpec.
nanobind::object SpecOf(PartialTensorShape shape, DataType dtype);
// Those of the tensors that values of a spec are made of, a list.
nanobind::list SpecsOfParts(const TypeSpec& spec);
nanobind::object Wrapped(const PartialTensorShape& shape);
nanobind::object Wrapped(DataType dtype);
// tf.TensorShape(shape), of None too.
nanobind::object ShapeObject(nanobind::handle shape);
// tf.as_dtype(dtype).
nanobind::object TypeObject(nanobind::handle dtype);

// A tensor that a partition says, of a value with the part `_row_splits`.
template <Tensor (RowPartition::*kPart)() const, Name kScope>
nanobind::object RowPart(nanobind::handle self, nanobind::handle name) {
  const CallScope scope(name, kScope.text);
  const RowPartition rows{
      AsTensor(self.attr("_row_splits")), {}, GivenLengths(self)};
  return Wrapped((rows.*kPart)());
}
template <Tensor (RowPartition::*kPart)() const, Name kScope>
nanobind::object UnnamedRowPart(nanobind::handle self) {
  return RowPart<kPart, kScope>(self, nanobind::none());
}
// The lengths that the rows were made of, else those that the splits say.
inline nanobind::object LengthsOfRows(nanobind::handle self) {
  nanobind::object given = GetPart(self, "_given_lengths");
  if (!given.is_none()) return given;
  return UnnamedRowPart<&RowPartition::lengths, "RaggedRowLengths">(self);
}
// The length of all rows, a part, as a tensor or None.
template <Name kSlot>
nanobind::object UniformLength(nanobind::handle self) {
  const nanobind::object length = self.attr(kSlot.text);
  if (length.is_none()) return length;
  const Tensor splits = AsTensor(self.attr("_row_splits"));
  return Wrapped(ConvertedTo(length, splits.dtype()));
}

}  // namespace gk::py

#endif  // GK_PYTHON_COMPOSITE_TYPES_H_
