#include "python/src/function/atomic_function.h"

#include <string>

#include "python/src/binding/gil.h"
#include "python/src/binding/guarded.h"
#include "python/src/binding/text_caster.h"
#include "python/src/binding/throw_error.h"
#include "python/src/function/concrete_function.h"
#include "python/src/graph/source_location.h"
#include "python/src/tensors/convert.h"
#include "python/src/tensors/tensor_type.h"

namespace nb = nanobind;

namespace gk::py {
namespace {

class AtomicFunction {
 public:
  explicit AtomicFunction(nb::handle concrete)
      : concrete_(nb::borrow(concrete)) {}

  nb::object Of(const char* attribute) const {
    return concrete_.attr(attribute);
  }
  nb::object CachedDefinition() {
    if (!definition_.is_valid()) definition_ = Of("function_def");
    return definition_;
  }
  nb::dict Attributes() const {
    nb::dict known;
    for (nb::handle item : Of("function_def").attr("attr").attr("items")()) {
      const nb::object key = item[0];
      if (!StringView(key.ptr()).starts_with('_')) known[key] = item[1];
    }
    return known;
  }

  nb::object Call(const nb::args& args, const nb::kwargs& kwargs) const {
    if (nb::len(nb::object(Of("function_type").attr("captures"))) > 0) {
      Throw(ValueError(
          "The FunctionType defines captured inputs. Use call_with_captures "
          "instead."));
    }
    return CallWithCaptures(args, kwargs, nb::list());
  }
  nb::object CallWithCaptures(nb::handle args, nb::handle kwargs,
                              nb::handle captures) const {
    const nb::object type = Of("function_type");
    const nb::object bound =
        type.attr("bind")(*nb::borrow<nb::args>(nb::tuple(nb::borrow(args))),
                          **nb::borrow<nb::kwargs>(kwargs));
    nb::list inputs(type.attr("unpack_inputs")(bound));
    inputs.extend(captures);
    return CallPreflattened(inputs);
  }
  nb::object CallPreflattened(nb::handle args) const {
    return Of("function_type")
        .attr("pack_output")(CallFlat(nb::borrow<nb::args>(
            nb::tuple(nb::borrow(args)))));
  }
  nb::object CallFlat(const nb::args& args) const {
    const Ref<GraphFunction> f =
        ConcreteFunctionOf(concrete_.ptr())->function->function();
    if (args.size() != f->arguments().size()) {
      const nb::object named =
          Of("function_def").attr("signature").attr("input_arg");
      const nb::list expected(named);
      PyErr_Format(PyExc_ValueError,
                   "Signature specifies %zu arguments, got: %zu. Expected "
                   "inputs: %S. Received inputs: %S. Function Type: %R",
                   f->arguments().size(), args.size(), expected.ptr(),
                   args.ptr(), Of("function_type").ptr());
      throw nb::python_error();
    }
    TensorVector inputs, outputs;
    for (size_t i = 0; i < args.size(); ++i) {
      StatusOr<Tensor> t =
          ToTensor(args[i].ptr(), f->arguments()[i]->output(0).dtype);
      if (!t.ok()) Throw(t.status());
      inputs.push_back(*std::move(t));
    }
    // Of the captures, too, as arguments.
    const auto flat = ConcreteFunction::FromFunction(f);
    const Status status = [&] {
      GilRelease unlocked(!OpBuilder::Current()->builds_graph());
      return flat->Call(inputs, &outputs);
    }();
    PyObject* result = status.ok() ? WrapTensors(outputs)
                                   : RaiseRunError(status, f->name());
    if (result == nullptr) throw nb::python_error();
    return nb::steal(result);
  }

  std::string Text() const {
    return "<AtomicFunction> " + Name() + TextOf(Of("function_type"));
  }
  std::string Repr() const {
    return "AtomicFunction(name=" + ReprOf(Of("name")) +
           ",\nfunction_type=" + ReprOf(Of("function_type")) +
           ",\ncached_graph=" + ReprOf(Of("graph")) + ")";
  }

  int Visit(visitproc visit, void* arg) const {
    Py_VISIT(concrete_.ptr());
    Py_VISIT(definition_.ptr());
    return 0;
  }
  void Clear() {
    concrete_.reset();
    definition_.reset();
  }

 private:
  const std::string& Name() const {
    return ConcreteFunctionOf(concrete_.ptr())->function->name();
  }

  nb::object concrete_, definition_;
};

int TraverseAtomic(PyObject* o, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(o));
  return nb::inst_ready(o) ? nb::inst_ptr<AtomicFunction>(o)->Visit(visit, arg)
                           : 0;
}
int ClearAtomic(PyObject* o) {
  nb::inst_ptr<AtomicFunction>(o)->Clear();
  return 0;
}
PyType_Slot kAtomicFunctionSlots[] = {{Py_tp_traverse, Slot<TraverseAtomic>()},
                       {Py_tp_clear, Slot<ClearAtomic>()},
                       {0, nullptr}};

}  // namespace

PyObject* NewAtomicFunction(PyObject* concrete) {
  return nb::cast(new AtomicFunction(concrete), nb::rv_policy::take_ownership)
      .release()
      .ptr();
}

void AddAtomicFunction(nb::module_& m) {
  using F = AtomicFunction;
  nb::class_<F>(m, "AtomicFunction", nb::type_slots(kAtomicFunctionSlots),
                "A function of tensors as it runs: a definition, and its type.")
      .def_prop_ro(
          "name", [](const F& f) { return f.Of("name"); },
          "Of the definition.")
      .def_prop_ro(
          "definition", [](const F& f) { return f.Of("function_def"); },
          "The FunctionDef.")
      .def_prop_ro("cached_definition", &F::CachedDefinition,
                   "The FunctionDef, the same each time.")
      .def_prop_ro(
          "graph", [](const F& f) { return f.Of("graph"); },
          "What was traced.")
      .def_prop_ro(
          "function_type", [](const F& f) { return f.Of("function_type"); },
          "Parameters, captures and output with their types.")
      .def_prop_ro("attributes", &F::Attributes,
                   "The attributes that tf.function was given, as far as "
                   "readers of the definition know them.")
      .def("__call__", &F::Call,
           "Calls with arguments like those of the Python function.\n\n"
           "Raises:\n"
           "  ValueError: there are captures.")
      .def("call_with_captures", &F::CallWithCaptures, nb::arg("args"),
           nb::arg("kwargs"), nb::arg("captures"),
           "The same with values for the captures.")
      .def("call_preflattened", &F::CallPreflattened, nb::arg("args"),
           "Takes flat tensors; returns what the Python function does.")
      .def("call_flat", &F::CallFlat,
           "Takes and returns flat tensors, the captures last.")
      .def("__str__", &F::Text)
      .def("__repr__", &F::Repr);
}

}  // namespace gk::py
