#include "python/src/function/python_function.h"

#include <utility>

#include "base/format.h"
#include "python/src/binding/text_caster.h"
#include "python/src/binding/throw_status.h"
#include "python/src/function/gone_object.h"
#include "python/src/nest/nest_node.h"
#include "python/src/tensors/tensor_spec_type.h"
#include "python/src/types/spec_of_value.h"

namespace nb = nanobind;

namespace gk::py {
namespace {

// Is it a method, seen from the number of types given for the other
// parameters?
bool TakesSelf(const FunctionSignature& signature, size_t num_specs) {
  size_t positional = 0;
  for (const auto& p : signature.parameters()) {
    if (p.is_positional() && positional++ == 0 && p.name != "self") {
      return false;
    }
  }
  return positional > 0 && (signature.has_varargs() || num_specs < positional);
}

// What functions that are counted together have in common.
nb::object Place(nb::object function) {
  while (nb::hasattr(function, "__wrapped__")) {
    function = function.attr("__wrapped__");
  }
  function = nb::getattr(function, "__func__", function);
  return nb::getattr(function, "__code__", function);
}

nb::object NewDetector(nb::handle place) {
  std::string text;
  if (nb::hasattr(place, "co_filename")) {
    const nb::object file = place.attr("co_filename");
    const nb::object line = place.attr("co_firstlineno");
    text = Format("File \"{}\", line {}", StringView(file.ptr()),
                  nb::cast<int>(line));
    PyErr_Clear();  // a file's name that is no UTF-8 is shown as nothing
  }
  auto detector = MakeRef<RetracingDetector>(text);
  return nb::capsule(detector.Release(), [](void* p) noexcept {
    static_cast<RetracingDetector*>(p)->Unref();
  });
}

}  // namespace

PythonFunction::PythonFunction(nb::handle function, nb::handle options,
                               nb::handle instance)
    : function_(nb::borrow(function)),
      options_(nb::borrow<nb::dict>(options)),
      is_bound_(!instance.is_none()),
      instance_(nb::borrow(instance)) {
  if (is_bound_) {
    if (PyObject* weak = PyWeakref_NewRef(instance.ptr(), nullptr)) {
      instance_ = nb::steal(weak);
    } else {
      PyErr_Clear();  // it cannot be held weakly
    }
  }
  // Of one that is bound the first parameter is left out, by inspect.
  if (!is_bound_) told_ = ToldFunctionIn(function_);
  if (!is_told()) signature_ = SignatureOf(function_, is_bound_);
  if (IsGiven("input_signature") && !is_bound_) {
    needs_instance_ = TakesSelf(Own(), nb::len(Option("input_signature")));
  }
}

nb::object PythonFunction::Option(const char* name) const {
  PyObject* value = PyDict_GetItemString(options_.ptr(), name);
  return value == nullptr ? nb::none() : nb::borrow(value);
}

nb::object PythonFunction::Instance() const {
  return PyWeakref_Check(instance_.ptr()) ? instance_() : instance_;
}

std::string PythonFunction::Name() const {
  const nb::object name = nb::getattr(function_, "__name__", nb::none());
  if (!PyUnicode_Check(name.ptr())) return "function";
  std::string text(StringView(name.ptr()));
  PyErr_Clear();  // what is no UTF-8 is shown as nothing
  return text;
}

nb::object PythonFunction::Body() const {
  if (!is_bound_) return function_;
  nb::object instance = Instance();
  if (instance.is_none()) instance = GoneObject(Name());
  return nb::steal(PyMethod_New(function_.ptr(), instance.ptr()));
}

FunctionSignature PythonFunction::Own() const {
  FunctionSignature own;
  if (is_told()) {
    own.Take(told_->Parameters(), function_);
  } else {
    own.Read(signature_);
  }
  return own;
}

CallRules PythonFunction::Rules() const {
  const nb::object specs = Option("input_signature");
  const FunctionSignature own = Own();
  const nb::object attributes = Option("attributes");
  CallRules rules(own, !attributes.is_none() &&
                           nb::borrow<nb::dict>(attributes)
                               .contains("_implements"));
  if (specs.is_none()) return rules;
  FunctionSignature checked = own;
  if (needs_instance_) checked.Read(SignatureOf(function_, true));
  rules.Constrain(checked, specs);
  return rules;
}

Ref<RetracingDetector> PythonFunction::Detector() const {
  // It is nowhere in a program.
  if (is_told()) return MakeRef<RetracingDetector>("");
  static constinit MadeOnce once;
  PyObject* const detectors = once.Get([] {
    return nb::module_::import_("weakref")
        .attr("WeakKeyDictionary")()
        .release()
        .ptr();
  });
  const nb::object place = Place(function_);
  nb::object found;
  try {
    const nb::handle known = detectors;
    found = known.attr("get")(place);
    // Of two threads that come here at once, both get the same.
    if (found.is_none()) {
      found = known.attr("setdefault")(place, NewDetector(place));
    }
  } catch (nb::python_error& error) {
    // No weak references, or no hash.
    if (!error.matches(PyExc_TypeError)) throw;
    found = NewDetector(place);
  }
  return Ref<RetracingDetector>(static_cast<RetracingDetector*>(
      nb::borrow<nb::capsule>(found).data()));
}

int PythonFunction::Visit(visitproc visit, void* arg) const {
  Py_VISIT(function_.ptr());
  Py_VISIT(options_.ptr());
  Py_VISIT(instance_.ptr());
  Py_VISIT(signature_.ptr());
  return 0;
}

void CheckInputSignature(nb::handle signature) {
  if (!PyTuple_Check(signature.ptr()) && !PyList_Check(signature.ptr())) {
    Throw(TypeError("input_signature must be either a tuple or a list, got {}.",
                    TextOf(signature.type())));
  }
  nb::list wrong, types;
  bool has_variables = false;
  if (!StructureOf(signature.ptr(), NestRules::kNest, [&](PyObject* leaf) {
        if (!PyObject_TypeCheck(leaf, TypeSpecType)) {
          wrong.append(nb::handle(leaf));
          types.append(nb::handle(leaf).type());
        }
        has_variables |= IsVariableSpec(leaf);
        return true;
      })) {
    throw nb::python_error();
  }
  if (nb::len(wrong) > 0) {
    Throw(TypeError(
        "input_signature must be a possibly nested sequence of TensorSpec "
        "objects, got invalid args {} with types {}.",
        TextOf(wrong),
        TextOf(types)));
  }
  if (has_variables) {
    Throw(TypeError("input_signature doesn't support VariableSpec, got {}",
                    TextOf(signature)));
  }
}

}  // namespace gk::py
