#include "python/src/data/element_spec.h"

#include <optional>
#include <vector>

#include "function/dataset_builder.h"
#include "ops/fn/DeserializeSparse.h"
#include "ops/fn/RaggedTensorFromVariant.h"
#include "ops/fn/RaggedTensorToVariant.h"
#include "ops/fn/SerializeManySparse.h"
#include "ops/fn/SerializeSparse.h"
#include "python/src/binding/class_attribute.h"
#include "python/src/binding/text_caster.h"
#include "python/src/control_flow/staged_values.h"
#include "python/src/graph/name_scope.h"
#include "python/src/nest/nest_node.h"
#include "python/src/ragged/composite_classes.h"
#include "python/src/ragged/ragged_arguments.h"
#include "python/src/tensors/convert.h"
#include "python/src/tensors/dtype_type.h"
#include "python/src/tensors/tensor_spec_type.h"

namespace gk::py {

namespace nb = nanobind;
using Object = nb::object;
using Handle = nb::handle;

namespace {

// How the value of a spec becomes components.
enum class Kind : uint8_t {
  kTensor,
  kNone,
  kRagged,
  kSparse,
  kDatasets,
  kEncoded,  // by the encoder of a batchable extension type
  kParts,    // the tensors that it is made of
};

bool IsSpecOf(Handle spec, Handle cls) {
  const int is = PyObject_IsInstance(spec.ptr(), cls.ptr());
  if (is < 0) throw nb::python_error();
  return is != 0;
}
Handle RaggedSpec() { return TheCompositeClasses().ragged_spec; }
Handle SparseSpec() { return TheCompositeClasses().sparse_spec; }
Handle NoneSpec() {
  static constinit MadeOnce cls;
  PyObject* const made = cls.Get([] {
    return ImportAttribute("graphkiln._graphkiln", "NoneTensorSpec").Release();
  });
  if (made == nullptr) throw nb::python_error();
  return made;
}

Object EncoderOf(Handle spec) {
  return nb::getattr(nb::getattr(spec, "value_type", nb::none()),
                     "__batch_encoder__", nb::none());
}

Kind KindOf(Handle spec) {
  if (IsTensorSpec(spec.ptr())) return Kind::kTensor;
  if (IsDatasetSpec(spec)) return Kind::kDatasets;
  if (IsSpecOf(spec, NoneSpec())) return Kind::kNone;
  if (IsSpecOf(spec, SparseSpec())) return Kind::kSparse;
  if (IsSpecOf(spec, RaggedSpec())) return Kind::kRagged;
  return EncoderOf(spec).is_none() ? Kind::kParts : Kind::kEncoded;
}
// The same, as values are moved.
Kind CodedKind(Handle spec) {
  const Kind kind = KindOf(spec);
  const bool composite =
      kind == Kind::kRagged && !spec.attr("flat_values_spec").is_none();
  return composite ? Kind::kParts : kind;
}

// The specs of what a batchable extension type becomes, and how they nest.
struct Encoding {
  explicit Encoding(Handle spec) : encoder(EncoderOf(spec)) {
    const Object specs = encoder.attr("encoding_specs")(spec);
    structure = StructureOf(specs.ptr(), NestRules::kNest, &leaves);
    if (!structure) throw nb::python_error();
  }

  Object encoder;
  std::vector<PyRef> leaves;  // before what fills it
  StructureRef structure;
};

PartialTensorShape ShapeOfSpec(Handle spec) {
  return IsTensorSpec(spec.ptr()) ? TensorSpecOf(spec.ptr())->shape
                                  : Shape(spec.attr("shape"));
}
Object ShapeObject(PartialTensorShape shape) {
  return Owned(WrapShape(std::move(shape)));
}
std::string TextOfSpec(Handle spec) {
  return nb::cast<std::string>(nb::str(spec));
}

void AddSignature(Handle spec, ElementSignature* e) {
  const auto add = [&](DataType type, PartialTensorShape shape) {
    e->types.push_back(type);
    e->shapes.push_back(std::move(shape));
  };
  switch (CodedKind(spec)) {
    case Kind::kTensor:
      return add(TensorSpecOf(spec.ptr())->dtype,
                 TensorSpecOf(spec.ptr())->shape);
    case Kind::kRagged:
    case Kind::kSparse:
      return add(DataType::kVariant, PartialTensorShape());
    case Kind::kEncoded: {
      const Encoding encoding(spec);
      for (const PyRef& part : encoding.leaves) AddSignature(part.get(), e);
      return;
    }
    default:
      for (Handle part : nb::list(spec.attr("flatten")())) {
        AddSignature(part, e);
      }
  }
}

void Encode(Handle spec, Handle value, bool rows, nb::list* components) {
  switch (CodedKind(spec)) {
    case Kind::kRagged: {
      if (rows && !IsRagged(value)) return components->append(value);
      const RaggedValue ragged = AsRagged(value);
      TensorVector splits;
      for (const RowPartition& p : ragged.partitions()) {
        splits.push_back(p.splits);
      }
      return components->append(GK_RAW_OP(RaggedTensorToVariant)(
          nb::arg("rt_nested_splits") = Wrapped(splits),
          nb::arg("rt_dense_values") = Wrapped(ragged.flat()),
          nb::arg("batched_input") = rows));
    }
    case Kind::kSparse: {
      const SparseValue sparse = AsSparse(value);
      return components->append((rows ? GK_RAW_OP(SerializeManySparse)
                                      : GK_RAW_OP(SerializeSparse))(
          nb::arg("sparse_indices") = Wrapped(sparse.indices),
          nb::arg("sparse_values") = Wrapped(sparse.values),
          nb::arg("sparse_shape") = Wrapped(sparse.dense_shape),
          nb::arg("out_type") = nb::borrow(DTypeObject(DataType::kVariant))));
    }
    case Kind::kEncoded: {
      const Encoding encoding(spec);
      const Object encoded =
          encoding.encoder.attr("encode")(spec, value, rows ? 1 : 0);
      std::vector<PyRef> parts;
      if (!StructureOf(encoded.ptr(), NestRules::kNest, &parts)) {
        throw nb::python_error();
      }
      for (size_t i = 0; i < parts.size() && i < encoding.leaves.size(); ++i) {
        Encode(encoding.leaves[i].get(), parts[i].get(), rows, components);
      }
      return;
    }
    default:
      components->extend(spec.attr("to_tensors")(value));
  }
}

// Takes the components of a value from the front of those that are left.
class Decoder {
 public:
  explicit Decoder(Handle tensors) : tensors_(nb::iter(tensors)) {}

  Object Decode(Handle spec) {
    switch (CodedKind(spec)) {
      case Kind::kTensor:
        return Next();
      case Kind::kRagged: {
        const auto made = nb::tuple(GK_RAW_OP(RaggedTensorFromVariant)(
            nb::arg("encoded_ragged") = Next(),
            nb::arg("input_ragged_rank") = -1,
            nb::arg("output_ragged_rank") = spec.attr("ragged_rank"),
            nb::arg("Tvalues") = spec.attr("dtype"),
            nb::arg("Tsplits") = spec.attr("row_splits_dtype")));
        nb::list parts;
        parts.append(made[1]);
        parts.extend(made[0]);
        return Composite(spec, parts);
      }
      case Kind::kSparse:
        return Composite(spec, nb::list(GK_RAW_OP(DeserializeSparse)(
                                   nb::arg("serialized_sparse") = Next(),
                                   nb::arg("dtype") = spec.attr("dtype"))));
      case Kind::kEncoded: {
        const Encoding encoding(spec);
        std::vector<PyRef> parts;
        for (const PyRef& part : encoding.leaves) {
          parts.push_back(PyRef::Steal(Decode(part.get()).release().ptr()));
        }
        return encoding.encoder.attr("decode")(
            spec, Owned(PackValue(*encoding.structure, parts)));
      }
      default:
        return spec.attr("from_tensors")(tensors_);
    }
  }

 private:
  Object Next() {
    PyObject* next = PyIter_Next(tensors_.ptr());
    if (next == nullptr && !PyErr_Occurred()) {
      PyErr_SetString(PyExc_ValueError,
                      "An element has fewer components than its spec.");
    }
    return Owned(next);
  }
  // Of tensors that are known to have the shapes of the spec's components.
  static Object Composite(Handle spec, const nb::list& parts) {
    size_t i = 0;
    for (Handle known : Object(spec.attr("_component_specs"))) {
      const Handle part = parts[i++];
      if (IsSymbolicTensor(part.ptr())) {
        part.attr("set_shape")(known.attr("shape"));
      }
    }
    return spec.attr("_from_components")(parts);
  }

  Object tensors_;
};

// --- Leaves of values.

Object TypeSpecOf(Handle value) {
  return Call("graphkiln._src.types.type_spec", "type_spec_from_value", value);
}
bool IsComposite(Handle value) {
  PyTypeObject* type = Py_TYPE(value.ptr());
  return Attribute<"__tf_flatten__">(type) != nullptr ||
         Attribute<"_type_spec">(type) != nullptr;
}

std::optional<Object> Common(Handle first, Handle second);

// A list of datasets, or of such lists, as one tensor. None if it holds
// something else, or datasets whose elements cannot be one's.
Object StackOfDatasets(Handle list) {
  struct Deeper {
    Deeper() {
      if (Py_EnterRecursiveCall(" in an element")) throw nb::python_error();
    }
    ~Deeper() { Py_LeaveRecursiveCall(); }
  } const deeper;
  nb::list variants;
  Object spec = nb::none();
  for (Handle item : list) {
    const Object part =
        PyList_Check(item.ptr()) ? StackOfDatasets(item) : nb::borrow(item);
    const Object own = nb::getattr(part, "_type_spec", nb::none());
    if (!IsDatasetSpec(own)) return nb::none();
    const Object elements = own.attr("element_spec");
    std::optional<Object> both =
        nb::len(variants) == 0 ? elements : Common(spec, elements);
    if (!both) return nb::none();
    spec = *std::move(both);
    variants.append(part.attr("_as_input")());
  }
  if (nb::len(variants) == 0) return nb::none();
  const Object stack = Call("graphkiln._src.ops", "stack", variants);
  return DatasetsInTensor(stack, spec, Shape(stack.attr("shape")));
}

Object NormalizedLeaf(Handle value, size_t i) {
  if (value.is_none() || IsComposite(value)) return nb::borrow(value);
  if (PyList_Check(value.ptr())) {
    Object stack = StackOfDatasets(value);
    if (!stack.is_none()) return stack;
  }
  if (PyObject_TypeCheck(value.ptr(), TypeSpecType)) {
    Throw(TypeError("a value was expected, got the spec {}",
                    nb::cast<std::string>(nb::repr(value))));
  }
  return Wrapped(Converted(value, Format("component_{}", i)));
}

// --- Relations of specs.

// The leaves of `other` where `spec` has some; nothing if it nests otherwise.
std::optional<nb::list> LeavesLike(Handle spec, Handle other) {
  PyObject* leaves = LeavesUpTo(spec.ptr(), other.ptr());
  if (leaves != nullptr) return nb::steal<nb::list>(leaves);
  if (!PyErr_ExceptionMatches(PyExc_TypeError) &&
      !PyErr_ExceptionMatches(PyExc_ValueError)) {
    throw nb::python_error();
  }
  PyErr_Clear();
  return std::nullopt;
}

// The narrowest spec that covers both; nothing if forms or types differ.
std::optional<Object> Common(Handle first, Handle second) {
  const auto others = LeavesLike(first, second);
  if (!others || !LeavesLike(second, first)) return std::nullopt;
  nb::list joined;
  size_t i = 0;
  for (Handle leaf : ElementLeaves(first)) {
    nb::list with;
    with.append((*others)[i++]);
    const Object both = leaf.attr("most_specific_common_supertype")(with);
    if (both.is_none()) return std::nullopt;
    joined.append(both);
  }
  return PackedElement(first, joined);
}
Object CommonOrNone(Handle first, Handle second) {
  return Common(first, second).value_or(nb::none());
}

Object CheckedSpec(Handle spec) {
  for (Handle leaf : ElementLeaves(spec)) {
    if (PyObject_TypeCheck(leaf.ptr(), TypeSpecType)) continue;
    Throw(TypeError(
        "`output_signature` must contain objects that are subclass of "
        "`tf.TypeSpec` but found {} which is not.",
        TextOfSpec(leaf.type())));
  }
  return nb::borrow(spec);
}

[[noreturn]] void OtherState(const char* what, Handle before, Handle after) {
  Throw(
      TypeError("The element {} for the new state must match the initial "
                "state. Expected {} but got {}.",
                what, TextOfSpec(before), TextOfSpec(after)));
}
nb::list TypesOf(const nb::list& specs) {
  nb::list types;
  for (Handle s : specs) types.append(nb::getattr(s, "dtype", s.type()));
  return types;
}

// (what `trace(spec)` made, spec) with a spec of the state that the state it
// returns fits: shapes that change become unknown.
Object UntilFixed(Object spec, Handle trace, Handle state_of) {
  while (true) {
    const Object made = trace(spec);
    const Object after = state_of(made);
    const nb::list before = ElementLeaves(spec), now = ElementLeaves(after);
    if (!LeavesLike(spec, after) || nb::len(before) != nb::len(now)) {
      OtherState("structure", spec, after);
    }
    const nb::list types = TypesOf(before), others = TypesOf(now);
    if (!types.equal(others)) {
      OtherState("types", PackedElement(spec, types),
                 PackedElement(spec, others));
    }
    std::optional<Object> wider = Common(spec, after);
    if (!wider) OtherState("classes", spec, after);
    bool covered = true;
    size_t i = 0;
    for (Handle leaf : ElementLeaves(*wider)) {
      covered =
          covered && nb::cast<bool>(leaf.attr("is_subtype_of")(before[i++]));
    }
    if (covered) return nb::make_tuple(made, spec);
    spec = *std::move(wider);
  }
}

// --- Stacks and rows.

Object WithShape(Handle spec, Kind kind, PartialTensorShape shape, int rank) {
  switch (kind) {
    case Kind::kTensor:
      return Owned(
          WrapTensorSpec(std::move(shape), TensorSpecOf(spec.ptr())->dtype));
    case Kind::kSparse:
      return SparseSpec()(ShapeObject(std::move(shape)), spec.attr("dtype"));
    case Kind::kRagged: {
      const int ragged = nb::cast<int>(spec.attr("ragged_rank")) + rank;
      if (ragged >= 0) {
        return RaggedSpec()(ShapeObject(std::move(shape)), spec.attr("dtype"),
                            ragged, spec.attr("row_splits_dtype"));
      }
      const DataType type = AsDType(spec.attr("dtype").ptr());
      return Owned(WrapTensorSpec(std::move(shape), type));
    }
    default:
      return DatasetSpecOf(spec.attr("element_spec"), shape);
  }
}

// The spec of `size` values stacked; TypeError if they cannot be.
Object Batched(Handle spec, Handle size) {
  const Kind kind = KindOf(spec);
  if (kind == Kind::kNone) return nb::borrow(spec);
  if (kind == Kind::kEncoded) return EncoderOf(spec).attr("batch")(spec, size);
  if (kind == Kind::kParts) {
    Throw(TypeError("Elements of {} cannot be batched", TextOfSpec(spec)));
  }
  PartialTensorShape shape =
      kind == Kind::kDatasets ? ShapeOfDatasets(spec) : ShapeOfSpec(spec);
  if (!shape.unknown_rank()) {
    shape.InsertDim(0, size.is_none() ? -1 : nb::cast<int64_t>(nb::int_(size)));
  }
  return WithShape(spec, kind, std::move(shape), 1);
}

// The spec of a row. TypeError: values have no rows. ValueError: they are
// scalars.
Object Sliced(Handle spec) {
  const Kind kind = KindOf(spec);
  if (kind == Kind::kNone) return nb::borrow(spec);
  if (kind == Kind::kEncoded) return EncoderOf(spec).attr("unbatch")(spec);
  if (kind == Kind::kParts) {
    Throw(TypeError("Elements of {} cannot be sliced", TextOfSpec(spec)));
  }
  const bool datasets = kind == Kind::kDatasets;
  PartialTensorShape shape =
      datasets ? ShapeOfDatasets(spec) : ShapeOfSpec(spec);
  if (shape.rank() == 0) {
    Throw(datasets ? ValueError("Slicing dataset elements is not supported for "
                                "rank 0.")
                   : ValueError("Unbatching a tensor is only supported for "
                                "rank >= 1"));
  }
  if (!shape.unknown_rank()) shape.RemoveDim(0);
  return WithShape(spec, kind, std::move(shape), -1);
}

// The specs inside that are no extension types'.
void AddLeaves(Handle spec, nb::list* leaves) {
  if (KindOf(spec) != Kind::kEncoded) return leaves->append(spec);
  const Encoding encoding(spec);
  for (const PyRef& part : encoding.leaves) AddLeaves(part.get(), leaves);
}
nb::list LeavesInside(Handle spec) {
  nb::list leaves;
  for (Handle leaf : ElementLeaves(spec)) AddLeaves(leaf, &leaves);
  return leaves;
}

nb::list FlatSpecs(Handle spec) {
  const ElementSignature e = SignatureOfSpec(spec);
  nb::list specs;
  for (size_t i = 0; i < e.types.size(); ++i) {
    specs.append(Owned(WrapTensorSpec(e.shapes[i], e.types[i])));
  }
  return specs;
}

// The same tensors, known to have the shapes of the spec.
Object SetShapes(Handle spec, Object tensors) {
  const ElementSignature e = SignatureOfSpec(spec);
  size_t i = 0;
  for (Handle t : tensors) {
    if (i == e.shapes.size()) break;
    if (IsSymbolicTensor(t.ptr())) {
      t.attr("set_shape")(ShapeObject(e.shapes[i]));
    }
    ++i;
  }
  return tensors;
}

}  // namespace

Object RowsOfSpec(Handle spec) {
  nb::list rows;
  for (Handle leaf : ElementLeaves(spec)) rows.append(Sliced(leaf));
  return PackedElement(spec, rows);
}

void CheckSameLength(Handle spec, const nb::str& message) {
  ElementSignature shapes;
  for (Handle leaf : LeavesInside(spec)) {
    if (!nb::hasattr(leaf, "shape")) continue;
    shapes.shapes.push_back(Shape(leaf.attr("shape")));
  }
  if (const auto lengths = UnequalLengths(shapes)) {
    Throw(ValueError("{}", nb::cast<std::string>(message.attr("format")(
                               lengths->first, lengths->second))));
  }
}
void RefuseEmptyElement(Handle spec) {
  if (!SignatureOfSpec(spec).types.empty()) return;
  Throw(ValueError("Invalid `element`. `element` should not be empty."));
}

bool HasArrays(Handle leaf) {
  const Kind kind = KindOf(leaf);
  return kind == Kind::kTensor || kind == Kind::kNone ||
         kind == Kind::kRagged || kind == Kind::kSparse;
}

ElementSignature SignatureOfSpec(Handle spec) {
  ElementSignature e;
  for (Handle leaf : ElementLeaves(spec)) AddSignature(leaf, &e);
  return e;
}

nb::dict ElementAttributes(Handle spec) {
  const ElementSignature e = SignatureOfSpec(spec);
  nb::list types, shapes;
  for (DataType t : e.types) types.append(nb::borrow(DTypeObject(t)));
  for (const PartialTensorShape& s : e.shapes) shapes.append(ShapeObject(s));
  nb::dict attributes;
  attributes["output_types"] = types;
  attributes["output_shapes"] = shapes;
  return attributes;
}

Object NormalizedElement(Handle value) {
  const OpScope scope("normalize_element");
  if (!scope.status().ok()) Throw(scope.status());
  nb::list leaves;
  size_t i = 0;
  for (Handle leaf : ElementLeaves(value)) {
    leaves.append(NormalizedLeaf(leaf, i++));
  }
  return PackedElement(value, leaves);
}

Object SpecOfElement(Handle value) {
  nb::list specs;
  for (Handle leaf : ElementLeaves(value)) specs.append(TypeSpecOf(leaf));
  return PackedElement(value, specs);
}

nb::list ComponentsOfElement(Handle spec, Handle value, bool rows) {
  const nb::list values = ElementLeavesUpTo(spec, value);
  nb::list components;
  size_t i = 0;
  for (Handle leaf : ElementLeaves(spec)) {
    Encode(leaf, values[i++], rows, &components);
  }
  return components;
}

Object ElementOfComponents(Handle spec, Handle tensors) {
  Decoder decoder(tensors);
  if (IsTensorSpec(spec.ptr())) return decoder.Decode(spec);
  nb::list leaves;
  for (Handle leaf : ElementLeaves(spec)) leaves.append(decoder.Decode(leaf));
  return PackedElement(spec, leaves);
}

Object RawOp(const char* name) {
  return nb::module_::import_("graphkiln._graphkiln").attr("raw_op")(name);
}

void AddElementSpecs(nb::module_& m) {
  nb::module_ e = m.def_submodule("elements", "Elements and their specs.");
  e.attr("flatten") = m.attr("element_flatten");
  e.attr("flatten_up_to") = m.attr("element_flatten_up_to");
  e.attr("map") = m.attr("element_map");
  e.attr("pack") = m.attr("element_pack");
  e.def("spec_of", &SpecOfElement, nb::arg("value").none());
  e.def("flat_specs", &FlatSpecs,
        "flat_specs(spec): the tf.TensorSpecs of the components.");
  e.def("to_tensors", &ComponentsOfElement, nb::arg("spec"),
        nb::arg("value").none(), nb::arg("rows") = false);
  e.def("from_tensors", &ElementOfComponents);
  e.def("set_shapes", &SetShapes);
  e.def("common", &CommonOrNone,
        "common(first, second): the narrowest spec that covers both, or None.");
  e.def("checked", &CheckedSpec,
        "checked(spec): itself; TypeError if a leaf is no tf.TypeSpec.");
  e.def("until_fixed", &UntilFixed);
  e.def("batched", &Batched, nb::arg("spec"), nb::arg("size").none());
  e.def("sliced", &Sliced);
  e.def("leaves", &LeavesInside);
  e.def("not_empty", &RefuseEmptyElement);
  e.def("same_length", &CheckSameLength);
}

}  // namespace gk::py
