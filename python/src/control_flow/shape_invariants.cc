#include "python/src/control_flow/shape_invariants.h"

#include "function/specs/shape_invariants.h"
#include "python/src/binding/text_caster.h"
#include "python/src/binding/type_parts.h"
#include "python/src/control_flow/staged_values.h"
#include "python/src/control_flow/tensor_array.h"
#include "python/src/data/element_spec.h"
#include "python/src/ragged/ragged_arguments.h"
#include "python/src/tensors/tensor_spec_type.h"

namespace gk::py {
namespace {

namespace nb = nanobind;

// Of a value of its own spec; nothing for what is, or becomes, one tensor.
std::optional<TypeSpec> SpecOfLeaf(nb::handle value) {
  const bool is_whole = IsTensor(value.ptr()) ||
                        ElementTypeOf(value) != DataType::kInvalid ||
                        !nb::hasattr(value.type(), "_type_spec");
  if (is_whole) return std::nullopt;
  return CoreSpec(value.attr("_type_spec"));
}

void AddShapes(nb::handle value, nb::handle given,
               std::vector<PartialTensorShape>* shapes) {
  std::vector<PartialTensorShape> own;
  const std::optional<TypeSpec> spec = SpecOfLeaf(value);
  if (PyObject_TypeCheck(given.ptr(), TypeSpecType)) {
    const nb::object known = spec ? nb::borrow(value) : AsLeaf(value);
    const TypeSpec mine =
        IsTensor(known.ptr())
            ? TypeSpec::Tensor(TensorOf(known.ptr()).dtype(),
                               TensorOf(known.ptr()).partial_shape())
            : CoreSpec(known.attr("_type_spec"));
    own = InvariantShapes(mine, CoreSpec(given), TextOf(given), TextOf(known));
  } else if (spec) {
    own = InvariantShapes(*spec, Shape(given),
                          TextOf(value.type().attr("__name__")));
  } else {
    own = {Shape(given)};
  }
  shapes->insert(shapes->end(), own.begin(), own.end());
}

}  // namespace

std::vector<PartialTensorShape> InvariantShapes(
    const std::vector<nb::object>& leaves, nb::handle given) {
  std::vector<PartialTensorShape> shapes;
  size_t i = 0;
  for (nb::handle invariant : given) {
    AddShapes(leaves.at(i++), invariant, &shapes);
  }
  return shapes;
}

StagedValue OfAnyShape(StagedValue value) {
  bool has_sparse = false;
  const nb::object specs =
      MappedNest(PythonValue(value), [&](nb::handle leaf) -> nb::object {
        if (!IsSparse(leaf)) return nb::borrow(leaf);
        const TypeSpec spec = CoreSpec(leaf.attr("_type_spec"));
        if (spec.shape.unknown_rank()) return nb::borrow(leaf);
        has_sparse = true;
        return PythonSpec(
            spec.OfShape(PartialTensorShape::UnknownOfRank(spec.shape.rank())));
      });
  return has_sparse ? WithHost(std::move(value), specs) : value;
}

}  // namespace gk::py
