// What specs are made of, as the core sees it: specs, shapes and plain values.
#include "python/src/binding/text_caster.h"
#include "python/src/data/element_spec.h"
#include "python/src/nest/nest_node.h"
#include "python/src/tensors/tensor_spec_type.h"

namespace gk::py {

namespace nb = nanobind;
using Object = nb::object;
using Handle = nb::handle;

namespace {

// What of a spec is no spec and no shape.
class PlainPart final : public LanguageValue {
 public:
  explicit PlainPart(PyObject* value) : value_(Py_NewRef(value)) {}
  ~PlainPart() override { DeferredDecref(value_); }
  PyObject* get() const { return value_; }
  bool Equals(const LanguageValue& other) const override {
    return ArePartsEqual(value_, static_cast<const PlainPart&>(other).get());
  }
  std::string Text() const override { return ReprOf(Handle(value_)); }

 private:
  PyObject* value_;
};

// Appends the parts of a structure.
StructureRef AddParts(Handle value, SpecFields* all) {
  std::vector<PyRef> leaves;
  StructureRef made = StructureOf(value.ptr(), NestRules::kNest, &leaves);
  if (!made) throw nb::python_error();
  for (const PyRef& leaf : leaves) {
    all->parts.push_back(
        PyObject_TypeCheck(leaf.get(), TypeSpecType)
            ? SpecPart::Of(CoreSpec(leaf.get()))
        : IsTensorShape(leaf.get())
            ? SpecPart::OfShape(ShapeOf(leaf.get()))
            : SpecPart::OfPlain(MakeRef<PlainPart>(leaf.get())));
  }
  return made;
}
PyRef PythonPart(const SpecPart& part) {
  if (part.kind() == SpecPart::Kind::kSpec) {
    return PyRef::Steal(PythonSpec(part.spec()).release().ptr());
  }
  if (part.kind() == SpecPart::Kind::kShape) {
    return PyRef::Steal(WrapShape(part.shape()));
  }
  return PyRef::Share(static_cast<const PlainPart&>(part.plain()).get());
}
// The structure whose parts begin at `next`.
Object Packed(const Structure& structure, const SpecFields& all, size_t* next) {
  std::vector<PyRef> leaves;
  for (size_t i = 0; i < structure.num_leaves(); ++i) {
    leaves.push_back(PythonPart(*all.parts[(*next)++]));
  }
  return Owned(PackValue(structure, leaves));
}

}  // namespace

SpecFields PartsOfSpec(Handle parts) {
  SpecFields made;
  made.structure = AddParts(parts, &made);
  return made;
}
Object PythonParts(const SpecFields& parts) {
  size_t next = 0;
  return Packed(*parts.structure, parts, &next);
}

SpecFields FieldsOfSpec(Handle spec) {
  const Object cls = nb::borrow(spec.type());
  Structure::Facts facts{
      .kind = Structure::Kind::kAttrs,
      .name = nb::cast<std::string>(cls.attr("__qualname__")),
      .identity = reinterpret_cast<uintptr_t>(cls.ptr())};
  SpecFields made;
  std::vector<StructureRef> fields;
  for (Handle field : Object(spec.attr("_serialize")())) {
    const auto name = nb::cast<std::string>(Object(field[0]));
    facts.keys.push_back({"s" + name, name});
    fields.push_back(AddParts(Object(field[1]), &made));
  }
  made.structure = Structure::Of(std::move(facts), std::move(fields));
  return made;
}
Object SpecOfFields(Handle cls, const SpecFields& fields) {
  nb::list parts;
  size_t next = 0;
  const Structure& all = *fields.structure;
  for (size_t i = 0; i < all.children().size(); ++i) {
    parts.append(nb::make_tuple(nb::str(all.keys()[i].text.c_str()),
                                Packed(*all.children()[i], fields, &next)));
  }
  return cls.attr("_deserialize")(parts);
}

}  // namespace gk::py
