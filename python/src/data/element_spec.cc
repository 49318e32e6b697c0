#include "python/src/data/element_spec.h"

#include <optional>
#include <span>
#include <vector>

#include "framework/nest.h"
#include "python/src/binding/class_attribute.h"
#include "python/src/binding/text_caster.h"
#include "python/src/control_flow/staged_values.h"
#include "python/src/graph/name_scope.h"
#include "python/src/nest/nest_node.h"
#include "python/src/ops/op_function.h"
#include "python/src/ragged/composite_classes.h"
#include "python/src/ragged/ragged_arguments.h"
#include "python/src/tensors/convert.h"
#include "python/src/tensors/dtype_type.h"
#include "python/src/tensors/tensor_spec_type.h"
#include "python/src/types/spec_of_value.h"

namespace gk::py {

namespace nb = nanobind;
using Object = nb::object;
using Handle = nb::handle;

namespace {

struct Deeper {
  Deeper() {
    if (Py_EnterRecursiveCall(" in an element")) throw nb::python_error();
  }
  ~Deeper() { Py_LeaveRecursiveCall(); }
};

bool IsSpecOf(Handle spec, Handle cls) {
  const int is = PyObject_IsInstance(spec.ptr(), cls.ptr());
  if (is < 0) throw nb::python_error();
  return is != 0;
}
Handle RaggedSpec() { return TheCompositeClasses().ragged_spec; }
Handle SparseSpec() { return TheCompositeClasses().sparse_spec; }

PartialTensorShape ShapeOfSpec(Handle spec) {
  return Shape(spec.attr("shape"));
}
DataType TypeOf(Handle spec, const char* name) {
  return AsDType(Object(spec.attr(name)).ptr());
}
Object ShapeObject(PartialTensorShape shape) {
  return Owned(WrapShape(std::move(shape)));
}
Object SizeObject(int64_t size) {
  return size < 0 ? nb::none() : Object(nb::int_(size));
}

// A spec of which the core has no kind: an extension type's, or any other that
// says what tensors its values are made of.
class PyHostSpec final : public HostSpec {
 public:
  explicit PyHostSpec(Handle spec)
      : spec_(nb::borrow(spec).release().ptr()),
        encoder_(
            nb::getattr(spec, "__batch_encoder__",
                        nb::getattr(nb::getattr(spec, "value_type", nb::none()),
                                    "__batch_encoder__", nb::none()))
                .release()
                .ptr()) {}
  ~PyHostSpec() override {
    DeferredDecref(spec_);
    DeferredDecref(encoder_);
  }

  Handle spec() const { return spec_; }
  Handle encoder() const { return encoder_; }
  // How what the encoder makes nests, and the specs of that.
  StructureRef Encoding(std::vector<PyRef>* leaves) const {
    const Object specs = encoder().attr("encoding_specs")(spec());
    StructureRef made = StructureOf(specs.ptr(), NestRules::kNest, leaves);
    if (!made) throw nb::python_error();
    return made;
  }

  bool has_encoder() const override { return !encoder().is_none(); }
  std::vector<TypeSpec> Tensors() const override {
    std::vector<TypeSpec> parts;
    for (Handle part : nb::list(spec().attr("flatten")())) {
      parts.push_back(CoreSpec(part));
    }
    return parts;
  }
  std::vector<TypeSpec> Parts() const override {
    if (!has_encoder()) return Tensors();
    if (stacks_by_field()) return FieldsOfSpec(spec()).Components();
    std::vector<TypeSpec> parts;
    std::vector<PyRef> leaves;
    Encoding(&leaves);
    for (const PyRef& part : leaves) parts.push_back(CoreSpec(part.get()));
    return parts;
  }
  TypeSpec Batched(int64_t size) const override {
    if (stacks_by_field()) return With(FieldsOfSpec(spec()).Batched(size));
    return CoreSpec(Object(encoder().attr("batch")(spec(), SizeObject(size))));
  }
  TypeSpec Row() const override {
    if (stacks_by_field()) return With(FieldsOfSpec(spec()).Row());
    return CoreSpec(Object(encoder().attr("unbatch")(spec())));
  }
  std::optional<TypeSpec> Common(const HostSpec& other) const override {
    nb::list with;
    with.append(SpecOf(other));
    const Object both = spec().attr("most_specific_common_supertype")(with);
    if (both.is_none()) return std::nullopt;
    return CoreSpec(both);
  }
  bool IsCompatibleWith(const HostSpec& other) const override {
    return Stands("is_compatible_with", SpecOf(other));
  }
  bool IsSubtypeOf(const LanguageType& other) const override {
    return Stands("is_subtype_of", SpecOf(other));
  }
  bool Equals(const LanguageValue& other) const override {
    return spec().equal(SpecOf(other));
  }
  std::optional<PartialTensorShape> shape() const override {
    if (!nb::hasattr(spec(), "shape")) return std::nullopt;
    return ShapeOfSpec(spec());
  }
  std::string Text() const override { return TextOf(spec()); }
  std::string TypeName() const override {
    return ReprOf(nb::getattr(spec(), "dtype", spec().type()));
  }

 private:
  // All that Python's program has are of this class.
  static Handle SpecOf(const LanguageValue& other) {
    return static_cast<const PyHostSpec&>(other).spec();
  }
  // Is its encoder the one that the core knows, and not one of the program's?
  bool stacks_by_field() const {
    return encoder().type().is(TheCompositeClasses().batch_encoder);
  }
  TypeSpec With(const SpecFields& fields) const {
    return CoreSpec(SpecOfFields(spec().type(), fields));
  }
  bool Stands(const char* relation, Handle other) const {
    return nb::isinstance(other, spec().type()) &&
           nb::cast<bool>(spec().attr(relation)(other));
  }

  PyObject* spec_;
  PyObject* encoder_;
};
const PyHostSpec& HostOf(const TypeSpec& spec) {
  return static_cast<const PyHostSpec&>(*spec.host);
}

}  // namespace

ElementSpec CoreElement(Handle spec) {
  std::vector<PyRef> leaves;
  ElementSpec made{StructureOf(spec.ptr(), NestRules::kElement, &leaves)};
  if (!made.structure) throw nb::python_error();
  for (const PyRef& leaf : leaves) made.leaves.push_back(CoreSpec(leaf.get()));
  return made;
}
Object PythonElement(const ElementSpec& spec) {
  std::vector<PyRef> leaves;
  for (const TypeSpec& leaf : spec.leaves) {
    leaves.push_back(PyRef::Steal(PythonSpec(leaf).release().ptr()));
  }
  return Owned(PackValue(*spec.structure, leaves));
}

namespace {

// --- Values.

void Encode(Handle spec, Handle value, bool rows, TensorVector* components) {
  TakenApart(spec, value, rows,
             [&](const TypeSpec& core, Handle leaf, Handle part) {
               core.Encode(PartsOf(core, leaf, part), rows, components);
             });
}
Object Decode(Handle spec, const TensorVector& components, size_t* next) {
  return PutTogether(spec, [&](const TypeSpec& core, Handle leaf) {
    return ValueOfParts(core, leaf, core.Decode(components, next));
  });
}

}  // namespace

// --- Leaves of values.

bool IsCompositeElement(Handle value) {
  PyTypeObject* type = Py_TYPE(value.ptr());
  return Attribute<"__tf_flatten__">(type) != nullptr ||
         Attribute<"_type_spec">(type) != nullptr;
}

// The narrowest spec that covers both, or None if forms or types differ.
Object Common(Handle first, Handle second) {
  const auto both = CommonElements(CoreElement(first), CoreElement(second));
  return both ? PythonElement(*both) : nb::none();
}

namespace {

// Lists in lists, which become what `close` makes of their parts.
class ListHost {
 public:
  using Value = PyRef;
  class Node : public RefCounted {};

  explicit ListHost(FunctionRef<Object(std::span<const PyRef>)> close)
      : close_(close) {}
  int Open(const PyRef& value, std::vector<PyRef>* parts, Node*) {
    if (!PyList_Check(value.get())) return 0;
    for (Handle part : nb::list(nb::borrow(Handle(value.get())))) {
      parts->push_back(PyRef::Share(part.ptr()));
    }
    return 1;
  }
  PyRef Close(const Node&, std::span<const PyRef> parts, const PyRef&) {
    return PyRef::Steal(close_(parts).release().ptr());
  }
  bool Enter() { return Py_EnterRecursiveCall(" in an element") == 0; }
  void Leave() { Py_LeaveRecursiveCall(); }

 private:
  FunctionRef<Object(std::span<const PyRef>)> close_;
};
Object WithLists(Handle value,
                 FunctionRef<Object(std::span<const PyRef>)> close) {
  ListHost host(close);
  return Owned(MapNest(host, PyRef::Share(value.ptr()), [](const PyRef& leaf) {
                 return PyRef::Share(leaf.get());
               }).Release());
}

Object OwnSpec(Handle value) {
  return nb::getattr(value, "_type_spec", nb::none());
}

// Lists of datasets, or of such lists, as one tensor. None if one holds
// something else, or datasets whose elements cannot be one's.
Object StackOfDatasets(Handle list) {
  const auto stacked = [](std::span<const PyRef> parts) -> Object {
    nb::list variants;
    Object spec = nb::none();
    for (const PyRef& part : parts) {
      const Handle value = part.get();
      const Object own = OwnSpec(value);
      if (!IsDatasetSpec(own)) return nb::none();
      const Object elements = own.attr("element_spec");
      spec = nb::len(variants) == 0 ? elements : Common(spec, elements);
      if (spec.is_none()) return nb::none();
      variants.append(value.attr("_as_input")());
    }
    if (nb::len(variants) == 0) return nb::none();
    const Object stack = Owned(CompositionFunction("stack"))(variants);
    return DatasetsInTensor(stack, spec, Shape(stack.attr("shape")));
  };
  // The first leaf tells soon that there are numbers.
  bool holds_datasets = false;
  ListHost host(stacked);
  FlattenNest(host, PyRef::Share(list.ptr()), [&](const PyRef& leaf) {
    holds_datasets = IsDatasetSpec(OwnSpec(leaf.get()));
    return false;
  });
  if (PyErr_Occurred()) throw nb::python_error();
  return holds_datasets ? WithLists(list, stacked) : nb::none();
}

Object ListsAsTuples(Handle value) {
  return WithLists(value, [](std::span<const PyRef> parts) -> Object {
    nb::list made;
    for (const PyRef& part : parts) made.append(Handle(part.get()));
    return nb::tuple(made);
  });
}

Object NormalizedLeaf(Handle value, size_t i) {
  if (value.is_none() || IsCompositeElement(value)) return nb::borrow(value);
  if (PyList_Check(value.ptr())) {
    Object stack = StackOfDatasets(value);
    if (!stack.is_none()) return stack;
  }
  if (PyObject_TypeCheck(value.ptr(), TypeSpecType)) {
    Throw(TypeError("a value was expected, got the spec {}", ReprOf(value)));
  }
  return Wrapped(Converted(value, Format("component_{}", i)));
}

// --- Specs.

Object CheckedSpec(Handle spec) {
  for (Handle leaf : ElementLeaves(spec)) {
    if (PyObject_TypeCheck(leaf.ptr(), TypeSpecType)) continue;
    Throw(TypeError(
        "`output_signature` must contain objects that are subclass of "
        "`tf.TypeSpec` but found {} which is not.",
        TextOf(leaf.type())));
  }
  return nb::borrow(spec);
}

}  // namespace

Object UntilFixedSpec(Handle spec,
                      FunctionRef<Object(const Object&)> returned) {
  return Told([&] {
    return PythonElement(
        UntilFixed(CoreElement(spec), [&](const ElementSpec& now) {
          return CoreElement(returned(PythonElement(now)));
        }));
  });
}

namespace {

Object BatchedElement(Handle spec, Handle size) {
  const int64_t n = size.is_none() ? -1 : nb::cast<int64_t>(nb::int_(size));
  return Told([&] { return PythonSpec(CoreSpec(spec).Batched(n)); });
}
Object SlicedElement(Handle spec) {
  return Told([&] { return PythonSpec(CoreSpec(spec).Row()); });
}

}  // namespace

nb::list FlatSpecs(Handle spec) {
  const ElementSignature e = SignatureOfSpec(spec);
  nb::list specs;
  for (size_t i = 0; i < e.types.size(); ++i) {
    specs.append(Owned(WrapTensorSpec(e.shapes[i], e.types[i])));
  }
  return specs;
}

namespace {

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

TensorVector PartsOf(const TypeSpec& core, Handle spec, Handle value) {
  if (!core.host && core.kind == TypeSpec::Kind::kRagged) {
    const RaggedValue ragged = AsRagged(value);
    TensorVector parts = {ragged.flat()};
    for (const RowPartition& p : ragged.partitions()) {
      parts.push_back(p.splits);
    }
    return parts;
  }
  if (core.kind == TypeSpec::Kind::kSparse) {
    const SparseValue sparse = AsSparse(value);
    return {sparse.indices, sparse.values, sparse.dense_shape};
  }
  TensorVector parts;
  for (Handle part : nb::list(spec.attr("to_tensors")(value))) {
    parts.push_back(IsTensor(part.ptr()) ? TensorOf(part.ptr())
                                         : Converted(part));
  }
  return parts;
}

Object ValueOfParts(const TypeSpec& core, Handle spec,
                    const TensorVector& parts) {
  if (core.kind == TypeSpec::Kind::kTensor) return Wrapped(parts[0]);
  const Object given = Wrapped(parts);
  const bool coded = core.kind == TypeSpec::Kind::kRagged ||
                     core.kind == TypeSpec::Kind::kSparse;
  return coded && !core.host ? spec.attr("_from_components")(given)
                             : spec.attr("from_tensors")(nb::iter(given));
}

void TakenApart(Handle spec, Handle value, bool rows,
                FunctionRef<void(const TypeSpec&, Handle, Handle)> leaf) {
  const TypeSpec core = CoreSpec(spec);
  if (!core.has_encoder()) return leaf(core, spec, value);
  const PyHostSpec& host = HostOf(core);
  std::vector<PyRef> specs, parts;
  host.Encoding(&specs);
  const Object encoded =
      host.encoder().attr("encode")(spec, value, rows ? 1 : 0);
  if (!StructureOf(encoded.ptr(), NestRules::kNest, &parts)) {
    throw nb::python_error();
  }
  for (size_t i = 0; i < parts.size() && i < specs.size(); ++i) {
    TakenApart(specs[i].get(), parts[i].get(), rows, leaf);
  }
}

Object PutTogether(Handle spec,
                   FunctionRef<Object(const TypeSpec&, Handle)> leaf) {
  const TypeSpec core = CoreSpec(spec);
  if (!core.has_encoder()) return leaf(core, spec);
  const PyHostSpec& host = HostOf(core);
  std::vector<PyRef> specs, parts;
  const StructureRef structure = host.Encoding(&specs);
  for (const PyRef& part : specs) {
    parts.push_back(
        PyRef::Steal(PutTogether(part.get(), leaf).release().ptr()));
  }
  return host.encoder().attr("decode")(spec,
                                       Owned(PackValue(*structure, parts)));
}

TypeSpec CoreSpec(Handle spec) {
  if (IsTensorSpec(spec.ptr())) {
    const PyTensorSpec& tensor = *TensorSpecOf(spec.ptr());
    return TypeSpec::Tensor(tensor.dtype, tensor.shape,
                            tensor.name == nullptr || tensor.name == Py_None
                                ? std::string()
                                : nb::cast<std::string>(Handle(tensor.name)));
  }
  const Deeper deeper;  // a spec may contain itself
  if (IsDatasetSpec(spec)) {
    return TypeSpec::Of(TypeSpec::Kind::kDataset,
                        std::make_shared<ElementSpec>(
                            CoreElement(Object(spec.attr("element_spec")))),
                        ShapeOfDatasets(spec));
  }
  if (IsSpecOf(spec, NoneSpecClass())) return {TypeSpec::Kind::kNone};
  if (IsSpecOf(spec, SparseSpec())) {
    return TypeSpec::Sparse(TypeOf(spec, "dtype"), ShapeOfSpec(spec));
  }
  if (!IsSpecOf(spec, RaggedSpec())) {
    return TypeSpec::Of(MakeRef<PyHostSpec>(spec));
  }
  TypeSpec ragged = TypeSpec::Ragged(TypeOf(spec, "dtype"), ShapeOfSpec(spec),
                                     nb::cast<int>(spec.attr("ragged_rank")),
                                     TypeOf(spec, "row_splits_dtype"));
  if (!spec.attr("flat_values_spec").is_none()) {
    ragged.host = MakeRef<PyHostSpec>(spec);
  }
  return ragged;
}

Object PythonSpec(const TypeSpec& spec) {
  if (spec.host) return nb::borrow(HostOf(spec).spec());
  switch (spec.kind) {
    case TypeSpec::Kind::kTensor:
      return Owned(WrapTensorSpec(
          spec.shape, spec.dtype,
          spec.name.empty() ? nullptr : nb::str(spec.name.c_str()).ptr()));
    case TypeSpec::Kind::kRagged:
      return RaggedSpec()(ShapeObject(spec.shape),
                          nb::borrow(DTypeObject(spec.dtype)), spec.ragged_rank,
                          nb::borrow(DTypeObject(spec.splits)));
    case TypeSpec::Kind::kSparse:
      return SparseSpec()(ShapeObject(spec.shape),
                          nb::borrow(DTypeObject(spec.dtype)));
    case TypeSpec::Kind::kDataset:
      return DatasetSpecOf(PythonElement(*spec.elements), spec.shape);
    default:
      return NoneSpecClass()();
  }
}

Object RowsOfSpec(Handle spec) {
  return Told([&] { return PythonElement(RowsOf(CoreElement(spec))); });
}

void RefuseEmpty(Handle spec) {
  Told([&] { RefuseEmptyElement(CoreElement(spec)); });
}

bool HasArrays(Handle leaf) {
  return CoreSpec(leaf).kind <= TypeSpec::Kind::kSparse;
}

ElementSignature SignatureOfSpec(Handle spec) {
  if (IsTensorSpec(spec.ptr())) {
    const PyTensorSpec& tensor = *TensorSpecOf(spec.ptr());
    return {{tensor.dtype}, {tensor.shape}};
  }
  return SignatureOf(CoreElement(spec));
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
  for (Handle leaf : ElementLeaves(value)) specs.append(SpecOfValue(leaf));
  return PackedElement(value, specs);
}

nb::list ComponentsOfElement(Handle spec, Handle value, bool rows) {
  const nb::list values = ElementLeavesUpTo(spec, value);
  return Told([&] {
    TensorVector components;
    size_t i = 0;
    for (Handle leaf : ElementLeaves(spec)) {
      Encode(leaf, values[i++], rows, &components);
    }
    return nb::list(Wrapped(components));
  });
}

Object ElementOfComponents(Handle spec, Handle tensors) {
  const TensorVector components = Tensors(nb::list(tensors));
  return Told([&]() -> Object {
    size_t next = 0;
    if (IsTensorSpec(spec.ptr())) return Decode(spec, components, &next);
    nb::list leaves;
    for (Handle leaf : ElementLeaves(spec)) {
      leaves.append(Decode(leaf, components, &next));
    }
    return PackedElement(spec, leaves);
  });
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
  e.def("common", &Common,
        "common(first, second): the narrowest spec that covers both, or None.");
  e.def("lists_as_tuples", &ListsAsTuples, nb::arg("value").none(),
        "Lists, also those in lists, as tuples.");
  e.def("checked", &CheckedSpec,
        "checked(spec): itself; TypeError if a leaf is no tf.TypeSpec.");
  e.def("batched", &BatchedElement, nb::arg("spec"), nb::arg("size").none());
  e.def("sliced", &SlicedElement);
}

}  // namespace gk::py
