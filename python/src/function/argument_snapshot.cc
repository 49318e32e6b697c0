#include "python/src/function/argument_snapshot.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/format.h"
#include "python/src/binding/text_caster.h"
#include "python/src/binding/throw_status.h"
#include "python/src/function/function_trace_type.h"
#include "python/src/nest/nest_node.h"

namespace nb = nanobind;

namespace gk::py {
namespace {

// Equal numbers and strings may be other objects; tensors may not.
bool SameLeaf(PyObject* a, PyObject* b) {
  if (a == b) return true;
  if (Py_TYPE(a) != Py_TYPE(b) ||
      !(PyLong_Check(a) || PyFloat_Check(a) || PyComplex_Check(a) ||
        PyUnicode_Check(a) || PyBytes_Check(a))) {
    return false;
  }
  const int equal = PyObject_RichCompareBool(a, b, Py_EQ);
  if (equal < 0) throw nb::python_error();
  return equal == 1;
}

bool CanChange(const TraceType& type) {
  switch (type.kind()) {
    case TraceType::Kind::kList:
    case TraceType::Kind::kTuple:
    case TraceType::Kind::kNamedTuple:
    case TraceType::Kind::kAttrs:
    case TraceType::Kind::kDict:
      return true;
    default:
      return false;
  }
}

// The parameter of the Python function that took an argument.
std::string ParameterOf(const std::string& name, ParameterKind kind,
                        nb::handle signature) {
  const auto variadic = kind == ParameterKind::kKeywordOnly
                            ? ParameterKind::kVarKeyword
                            : ParameterKind::kVarPositional;
  std::string takes = name;
  for (nb::handle p : signature.attr("parameters").attr("values")()) {
    const nb::object own = p.attr("name"), number = p.attr("kind");
    const auto own_kind = static_cast<ParameterKind>(nb::cast<int>(number));
    if (own_kind == variadic) {
      takes = nb::cast<std::string>(own);
    } else if (own_kind != ParameterKind::kVarPositional &&
               own_kind != ParameterKind::kVarKeyword &&
               nb::cast<std::string>(own) == name) {
      return name;
    }
  }
  return takes;
}

}  // namespace

ArgumentSnapshot::Contents ArgumentSnapshot::ContentsOf(PyObject* value) {
  std::vector<PyRef> children;
  const Ref<NestNode> node = MakeRef<NestNode>();
  const int opened = OpenNest(value, NestRules::kNest, &children, node.get());
  // What cannot be taken apart any more is not what it was.
  if (opened < 0) PyErr_Clear();
  if (opened <= 0) return {PyRef::Share(value)};
  Contents contents{PyRef::Share(reinterpret_cast<PyObject*>(Py_TYPE(value))),
                    true, node->sorted ? node->sorted : node->keys};
  for (const PyRef& child : children) {
    contents.parts.push_back(ContentsOf(child.get()));
  }
  return contents;
}

bool ArgumentSnapshot::Same(const Contents& a, const Contents& b) {
  if (a.is_container != b.is_container || a.parts.size() != b.parts.size()) {
    return false;
  }
  if (!a.is_container) return SameLeaf(a.value.get(), b.value.get());
  if (a.value.get() != b.value.get()) return false;
  if (a.keys && b.keys) {
    const int equal =
        PyObject_RichCompareBool(a.keys.get(), b.keys.get(), Py_EQ);
    if (equal < 0) throw nb::python_error();
    if (equal == 0) return false;
  }
  for (size_t i = 0; i < a.parts.size(); ++i) {
    if (!Same(a.parts[i], b.parts[i])) return false;
  }
  return true;
}

ArgumentSnapshot::ArgumentSnapshot(const FunctionType& type,
                                   std::span<const PyRef> values) {
  size_t i = 0;
  for (const FunctionParameter& p : type.parameters()) {
    const PyRef& value = values[i++];
    if (p.type && CanChange(*p.type)) {
      kept_.push_back({p.name, p.kind, value, ContentsOf(value.get())});
    }
  }
}

void ArgumentSnapshot::Check(nb::handle function) const {
  std::string names;
  nb::object signature;
  std::vector<std::string> told;
  for (const Kept& kept : kept_) {
    if (Same(kept.contents, ContentsOf(kept.value.get()))) continue;
    if (!signature.is_valid()) {
      signature = nb::module_::import_("inspect").attr("signature")(
          function, nb::arg("follow_wrapped") = false);
    }
    std::string name = ParameterOf(kept.name, kept.kind, signature);
    if (std::ranges::find(told, name) != told.end()) continue;
    names += (told.empty() ? "" : ", ") + name;
    told.push_back(std::move(name));
  }
  if (told.empty()) return;
  const nb::object shown =
      nb::getattr(function, "__qualname__", nb::repr(function));
  Throw(ValueError(
      "{}{} should not modify its Python input arguments. Modifying a copy "
      "is allowed. The following parameter(s) were modified: {}",
      TextOf(shown), TextOf(signature), names));
}

}  // namespace gk::py
