// An op's record as Python objects, for tests, stubs and reference pages.
#include "python/src/ops/op_record.h"

#include <nanobind/nanobind.h>

#include <algorithm>
#include <string>
#include <vector>

#include "framework/op_registry.h"
#include "framework/trait_names.h"
#include "ops/record_text.h"
#include "python/src/binding/errors.h"
#include "python/src/binding/text_caster.h"
#include "python/src/ops/op_function.h"
#include "python/src/tensors/dtype_type.h"

namespace nb = nanobind;

namespace gk::py {
namespace {

nb::str Str(std::string_view s) { return nb::str(s.data(), s.size()); }

nb::object DTypeOrNone(DataType t) {
  return t == DataType::kInvalid ? nb::none() : nb::borrow(DTypeObject(t));
}

nb::list DTypes(DataTypeSet set) {
  nb::list out;
  for (int i = 1; i < kNumDataTypes; ++i) {
    const auto t = static_cast<DataType>(i);
    if (set.Contains(t)) out.append(nb::borrow(DTypeObject(t)));
  }
  return out;
}

nb::list Args(const std::vector<ArgDef>& args) {
  nb::list out;
  for (const ArgDef& a : args) {
    nb::dict d;
    d["name"] = Str(a.name);
    d["type"] = DTypeOrNone(a.type);
    d["type_attr"] = Str(a.type_attr);
    d["type_list_attr"] = Str(a.type_list_attr);
    d["number_attr"] = Str(a.number_attr);
    out.append(d);
  }
  return out;
}

std::string_view TypeName(AttrType t) {
  constexpr std::string_view kNames[] = {"int",  "float", "bool",   "string",
                                         "type", "shape", "tensor", "func"};
  return kNames[static_cast<int>(t)];
}

nb::list Attrs(const std::vector<AttrDef>& attrs) {
  nb::list out;
  for (const AttrDef& a : attrs) {
    nb::dict d;
    d["name"] = Str(a.name);
    const std::string type(TypeName(a.type));
    d["type"] = Str(a.is_list ? "list(" + type + ")" : type);
    d["allowed_types"] = DTypes(a.allowed_types);
    nb::list strings;
    for (const std::string& s : a.allowed_strings) strings.append(Str(s));
    d["allowed_strings"] = strings;
    d["minimum"] = a.has_minimum ? nb::object(nb::int_(a.minimum)) : nb::none();
    d["has_default"] = a.default_value.has_value();
    if (a.default_value.has_value()) {
      PyObject* value = AttrToPython(*a.default_value);
      if (value == nullptr) throw nb::python_error();
      d["default"] = nb::steal(value);
    }
    out.append(d);
  }
  return out;
}

nb::list Traits(const OpRecord& r) {
  nb::list out;
  for (std::string_view name : TraitNames(r.traits)) out.append(Str(name));
  return out;
}

nb::dict Record(const std::string& op) {
  StatusOr<const OpRecord*> found = OpRegistry::Get().LookUp(op);
  if (!found.ok()) {
    Raise(found.status());
    throw nb::python_error();
  }
  const OpRecord& r = **found;
  nb::dict test;
  test["low"] = r.test.low;
  test["high"] = r.test.high;
  test["reference"] = Str(r.test.reference);
  test["tolerance"] = r.test.tolerance;
  test["skip_gradient"] = r.test.skip_gradient;
  test["shapes"] = Str(r.test.shapes);
  nb::dict d;
  d["name"] = Str(r.name);
  d["inputs"] = Args(r.def->inputs);
  d["outputs"] = Args(r.def->outputs);
  d["attrs"] = Attrs(r.def->attrs);
  d["traits"] = Traits(r);
  d["is_stateful"] = r.def->is_stateful;
  d["is_commutative"] = r.def->is_commutative;
  d["has_gradient"] = r.gradient != nullptr;
  d["kernel_types"] = DTypes(r.kernel.types);
  d["has_kernel"] = r.kernel.compute != nullptr || r.kernel.tile != nullptr;
  d["python_names"] = Str(r.python.names);
  d["doc"] = Str(r.doc);
  d["example"] = Str(r.example);
  d["test"] = test;
  return d;
}

bool HasTrait(const std::string& op, const std::string& trait) {
  const OpRecord* r = OpRegistry::Get().Find(op);
  if (r == nullptr) return false;
  const std::vector<std::string_view> names = TraitNames(r->traits);
  return std::find(names.begin(), names.end(), trait) != names.end();
}

}  // namespace

void AddOpRecord(nb::module_& m) {
  m.def("op_record", &Record, nb::arg("op"),
        "An op's record: signature, traits, facts for tests.");
  m.def("has_trait", &HasTrait, nb::arg("op"), nb::arg("trait"),
        "Whether there is such an op and its record has the trait.");
  m.def(
      "records_text", [] { return RecordsText(); },
      "The records of all ops and compositions as text: ops/record_text.h.");
}

}  // namespace gk::py
