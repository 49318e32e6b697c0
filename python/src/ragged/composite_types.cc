#include "python/src/ragged/composite_types.h"

#include "python/src/binding/bound_values.h"
#include "python/src/binding/class_members.h"
#include "python/src/ragged/ragged_arguments.h"
#include "python/src/tensors/dtype_type.h"
#include "python/src/tensors/tensor_spec_type.h"

namespace gk::py {

namespace nb = nanobind;

nb::object Wrapped(const PartialTensorShape& shape) {
  return Owned(WrapShape(shape));
}
nb::object Wrapped(DataType dtype) {
  PyObject* const type = DTypeObject(dtype);
  if (type == nullptr) throw nb::python_error();
  return nb::borrow(type);
}
nb::list SpecsOfParts(const TypeSpec& spec) {
  nb::list specs;
  for (const TypeSpec& part : spec.Parts()) {
    specs.append(SpecOf(part.shape, part.dtype));
  }
  return specs;
}
nb::object SpecOf(PartialTensorShape shape, DataType dtype) {
  return Owned(WrapTensorSpec(std::move(shape), dtype));
}
nb::object ShapeObject(nb::handle shape) { return Wrapped(Shape(shape)); }
nb::object TypeObject(nb::handle dtype) {
  const DataType type = AsDType(dtype.ptr());
  if (type == DataType::kInvalid) throw nb::python_error();
  return Wrapped(type);
}

namespace {

PyGetSetDef shaped_properties[] = {
    GK_PROPERTY("shape", Part<"_shape">,
                "The static shape; None for what is not known or ragged."),
    GK_PROPERTY("dtype", Part<"_dtype">, "Of the values."),
    {}};

}  // namespace

void AddCompositeTypes(nb::module_& m) {
  CompositeClasses& classes = TheCompositeClasses();
  classes.composite = nb::object(m.attr("CompositeTensor")).ptr();
  classes.shaped_spec =
      AddClass(m, "ShapedTypeSpec", reinterpret_cast<PyObject*>(TypeSpecType),
               std::nullopt,
               "A spec of values that have a static shape and one dtype.",
               nullptr, shaped_properties)
          .ptr();
  AddSparseTypes(m);
  AddSlicesTypes(m);
  AddRaggedTensor(m);
  AddRaggedTensorSpec(m);
  AddRaggedConstant(m);
  AddRaggedRows(m);
  AddRowPartition(m);
  AddRaggedShape(m);
}

}  // namespace gk::py
