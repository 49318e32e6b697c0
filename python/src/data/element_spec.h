// Specs of elements of datasets: structures of tf.TypeSpecs. What the core
// moves for a value is its components, which stack: of a ragged tensor one
// variant, of a sparse tensor a vector of three, of a batchable extension type
// what its encoder makes of it, else the tensors that the value is made of.
//
// All throw Python's error.
#ifndef GK_PYTHON_ELEMENT_SPEC_H_
#define GK_PYTHON_ELEMENT_SPEC_H_

#include <nanobind/nanobind.h>

#include "function/specs/spec_fields.h"
#include "python/src/binding/bound_values.h"
#include "python/src/data/element_nest.h"

namespace gk::py {

inline nanobind::list ElementLeaves(nanobind::handle element) {
  return nanobind::steal<nanobind::list>(
      Owned(LeavesOfElement(element.ptr())).release());
}
// The parts of `value` where `spec` has leaves.
inline nanobind::list ElementLeavesUpTo(nanobind::handle spec,
                                        nanobind::handle value,
                                        bool gaps = false) {
  return nanobind::steal<nanobind::list>(
      Owned(LeavesUpTo(spec.ptr(), value.ptr(), gaps)).release());
}
inline bool IsElementLeaf(nanobind::handle value) {
  const int leaf = IsLeafOfElement(value.ptr());
  if (leaf < 0) throw nanobind::python_error();
  return leaf == 1;
}
inline nanobind::object PackedElement(nanobind::handle like,
                                      nanobind::handle leaves) {
  return Owned(ElementLike(like.ptr(), leaves.ptr()));
}

// What a dataset, an iterator or an optional says of its elements.
inline nanobind::object OwnElementSpec(nanobind::handle self) {
  return self.attr("_element_spec");
}

// A tf.TypeSpec <-> the core's; extension types' stay Python's.
TypeSpec CoreSpec(nanobind::handle spec);
nanobind::object PythonSpec(const TypeSpec& spec);
// What a spec is serialised to, specs, shapes and plain values that nest.
// (spec_parts.cc)
SpecFields PartsOfSpec(nanobind::handle parts);
nanobind::object PythonParts(const SpecFields& parts);
// The fields of an extension type's spec, by name; and a spec of that class.
SpecFields FieldsOfSpec(nanobind::handle spec);
nanobind::object SpecOfFields(nanobind::handle cls, const SpecFields& fields);
// The tensors that a value is made of, and the reverse; not of extension types
// with an encoder.
TensorVector PartsOf(const TypeSpec& core, nanobind::handle spec,
                     nanobind::handle value);
nanobind::object ValueOfParts(const TypeSpec& core, nanobind::handle spec,
                              const TensorVector& parts);
// Calls `leaf(core, spec, value)` with the value, or with those that encoders
// make of it: if `rows`, such that have its rows.
void TakenApart(
    nanobind::handle spec, nanobind::handle value, bool rows,
    FunctionRef<void(const TypeSpec&, nanobind::handle, nanobind::handle)>
        leaf);
// The value made of what `leaf(core, spec)` gives for these.
nanobind::object PutTogether(
    nanobind::handle spec,
    FunctionRef<nanobind::object(const TypeSpec&, nanobind::handle)> leaf);
// A structure of specs likewise.
ElementSpec CoreElement(nanobind::handle spec);
nanobind::object PythonElement(const ElementSpec& spec);
// Types and shapes of the components.
ElementSignature SignatureOfSpec(nanobind::handle spec);
// The attributes that dataset ops describe elements with: a dict.
nanobind::dict ElementAttributes(nanobind::handle spec);
// The structure with tensors for leaves that are none: values of NumPy and
// Python. Composite tensors and None stay.
nanobind::object NormalizedElement(nanobind::handle value);
// Is it a leaf of another kind than tensors?
bool IsCompositeElement(nanobind::handle value);
// The structure of specs of a value; lists are tensors.
nanobind::object SpecOfElement(nanobind::handle value);
// The components of a value that `spec` describes; or, if `rows`, tensors
// whose rows are the components of its rows.
nanobind::list ComponentsOfElement(nanobind::handle spec,
                                   nanobind::handle value, bool rows = false);
// The value made of a list of components.
nanobind::object ElementOfComponents(nanobind::handle spec,
                                     nanobind::handle tensors);

// The narrowest spec that covers both, or None if forms or types differ.
nanobind::object Common(nanobind::handle first, nanobind::handle second);
// The tf.TensorSpecs of the components.
nanobind::list FlatSpecs(nanobind::handle spec);
// A spec of a state that the state which a function of it returns fits, as
// `returned` tells: shapes that change become unknown.
nanobind::object UntilFixedSpec(
    nanobind::handle spec,
    FunctionRef<nanobind::object(const nanobind::object& spec)> returned);

// The structure of specs of rows; see tf.data.Dataset.from_tensor_slices.
nanobind::object RowsOfSpec(nanobind::handle spec);
// ValueError for elements without components.
void RefuseEmpty(nanobind::handle spec);
// Can values of a leaf's spec be arrays?
bool HasArrays(nanobind::handle leaf);

// --- What stands in element_classes.cc.

// The class of the spec of None.
nanobind::handle NoneSpecClass();
// tf.data.Iterator, and tf.data.NumpyIterator, of a dataset.
nanobind::object NewIterator(nanobind::handle dataset);
nanobind::object NewNumpyIterator(nanobind::handle dataset);
// Is it a tf.data.DatasetSpec? Of which elements, and of a tensor of which
// shape?
bool IsDatasetSpec(nanobind::handle spec);
nanobind::object DatasetSpecOf(nanobind::handle element_spec,
                               const PartialTensorShape& shape);
PartialTensorShape ShapeOfDatasets(nanobind::handle spec);
// Datasets of one spec in a tensor of any rank.
nanobind::object DatasetsInTensor(nanobind::handle variant,
                                  nanobind::handle element_spec,
                                  const PartialTensorShape& shape);

// Adds the module `elements`.
void AddElementSpecs(nanobind::module_& m);
void AddElementClasses(nanobind::module_& m);
void AddNumpyIterator(nanobind::module_& m);  // (numpy_iterator.cc)

}  // namespace gk::py

#endif  // GK_PYTHON_ELEMENT_SPEC_H_
