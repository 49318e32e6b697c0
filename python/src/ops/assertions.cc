// tf.debugging: what assertions take that is Python's: conditions, data and
// symbols of any kind; what tracebacks show. The assertions are in the core.
#include "python/src/ops/assertions.h"

#include <nanobind/nanobind.h>

#include <optional>
#include <string>
#include <vector>

#include "framework/check_numerics.h"
#include "ops/composite/assertion.h"
#include "python/src/binding/gil.h"
#include "python/src/binding/guarded.h"
#include "python/src/binding/type_parts.h"
#include "python/src/control_flow/staged_values.h"
#include "python/src/graph/name_scope.h"
#include "python/src/graph/source_location.h"
#include "python/src/tensors/convert.h"
#include "python/src/tensors/dtype_type.h"
#include "python/src/tensors/shape_type.h"

namespace gk::py {
namespace {

namespace nb = nanobind;

nb::object Extension() { return nb::module_::import_("graphkiln._graphkiln"); }

PyObject* Assert(PyObject*, PyObject* args, PyObject* kwargs) {
  PyObject *condition, *data, *summarize = Py_None, *name = Py_None;
  if (!ParseArguments(args, kwargs, "OO|OO:Assert",
                      {"condition", "data", "summarize", "name"}, &condition,
                      &data, &summarize, &name)) {
    return nullptr;
  }
  const bool eager = FuncGraph::Current() == nullptr;
  if (eager && Truth(condition)) Py_RETURN_NONE;
  std::optional<WithinScope> within;
  if (!eager) within.emplace(NameOr(name, "Assert"));
  TensorVector values;
  for (nb::handle value : nb::handle(data)) values.push_back(Converted(value));
  if (eager) {
    const int64_t shown =
        summarize == Py_None ? 3 : nb::cast<int64_t>(nb::handle(summarize));
    Throw(FailedAssert(TextOf(condition), values, shown));
  }
  return Extension()
      .attr("raw_op")("Assert")(nb::arg("condition") = nb::handle(condition),
                                nb::arg("data") = Wrapped(values),
                                nb::arg("summarize") = nb::handle(summarize))
      .release()
      .ptr();
}

PyObject* IsNumericTensor(PyObject*, PyObject* args, PyObject* kwargs) {
  PyObject* tensor;
  if (!ParseArguments(args, kwargs, "O", {"tensor"}, &tensor)) return nullptr;
  if (!IsTensor(tensor)) Py_RETURN_FALSE;
  const DataType dtype = TensorOf(tensor).dtype();
  return PyBool_FromLong(IsInteger(dtype) || IsFloating(dtype) ||
                         IsComplex(dtype));
}

PyObject* AssertProperIterable(PyObject*, PyObject* args, PyObject* kwargs) {
  PyObject* values;
  if (!ParseArguments(args, kwargs, "O", {"values"}, &values)) return nullptr;
  const bool improper = IsTensor(values) || PyUnicode_Check(values) ||
                        PyBytes_Check(values) || IsNumpyValue(values);
  if (!improper && nb::hasattr(values, "__iter__")) Py_RETURN_NONE;
  Throw(TypeError("Expected argument \"values\" to be {}.  Found: {}",
                  improper ? "a \"proper\" iterable" : "iterable",
                  TextOf(nb::handle(values).type())));
}

PyObject* AssertSameFloatDtype(PyObject*, PyObject* args, PyObject* kwargs) {
  PyObject *tensors = Py_None, *wanted = Py_None;
  if (!ParseArguments(args, kwargs, "|OO", {"tensors", "dtype"}, &tensors,
                      &wanted)) {
    return nullptr;
  }
  const auto type_of = [](nb::handle o) {
    const DataType dtype = AsDType(o.ptr());
    if (dtype == DataType::kInvalid) throw nb::python_error();
    return dtype;
  };
  std::vector<nb::object> given;
  std::vector<DataType> dtypes;
  if (tensors != Py_None) {
    for (nb::handle tensor : nb::handle(tensors)) {
      if (tensor.is_none()) continue;
      given.push_back(nb::borrow(tensor));
      dtypes.push_back(type_of(tensor.attr("dtype")));
    }
  }
  const DataType found = SameFloatDtype(
      dtypes, wanted == Py_None ? DataType::kInvalid : type_of(wanted),
      [&](size_t i) { return TextOf(given[i]); });
  return Py_NewRef(DTypeObject(found));
}

// What the core calls a size: its number, "." for any, "*" for any number of
// them, or the number of a symbol.
std::string Symbol(nb::handle symbol, nb::dict& numbers) {
  if (symbol.is_none()) return ".";
  if (symbol.ptr() == Py_Ellipsis) return "*";
  if (PyFloat_Check(symbol.ptr()) &&
      nb::cast<bool>(symbol.attr("is_integer")())) {
    return TextOf(nb::int_(symbol));
  }
  if (PyIndex_Check(symbol.ptr())) return TextOf(nb::int_(symbol));
  if (PyUnicode_Check(symbol.ptr())) {
    const std::string text = TextOf(symbol);
    if (text == "." || text == "*" ||
        (!text.empty() &&
         text.find_first_not_of("0123456789") == std::string::npos)) {
      return text;
    }
  }
  const nb::object key = nb::borrow(symbol);
  if (!numbers.contains(key)) numbers[key] = nb::len(numbers);
  return "#" + TextOf(nb::object(numbers[key]));
}

PyObject* AssertShapes(PyObject*, PyObject* args, PyObject* kwargs) {
  PyObject *shapes, *data = Py_None, *summarize = Py_None, *message = Py_None,
                    *name = Py_None;
  if (!ParseArguments(args, kwargs, "O|OOOO:assert_shapes",
                      {"shapes", "data", "summarize", "message", "name"},
                      &shapes, &data, &summarize, &message, &name)) {
    return nullptr;
  }
  nb::object pairs = nb::borrow(shapes);
  if (nb::hasattr(pairs, "items")) pairs = pairs.attr("items")();
  nb::list tensors;
  nb::dict numbers;
  std::string sizes;
  const WithinScope within(NameOr(name, "assert_shapes"));
  for (nb::handle pair : pairs) {
    if (!nb::hasattr(pair, "__len__") || nb::len(pair) != 2) {
      Throw(ValueError(
          "`shapes` must hold pairs of a tensor and its shape, got {}",
          TextOf(nb::repr(pair))));
    }
    const Tensor tensor = Converted(nb::object(pair[0]));
    nb::object symbols = pair[1];
    if (!nb::hasattr(symbols, "__iter__") &&
        !nb::hasattr(symbols, "__getitem__")) {
      const std::string before =
          Truth(message) ? TextOf(message) + ".  " : std::string();
      Throw(ValueError(
          "{}Tensor {}.  Specified shape must be an iterable.  An iterable has "
          "the attribute `__iter__` or `__getitem__`.  Received specified "
          "shape: {}",
          before, TitleOfTensor(tensor), TextOf(symbols)));
    }
    if (IsTensorShape(symbols.ptr())) symbols = symbols.attr("as_list")();
    if (nb::len(tensors) > 0) sizes += ";";
    std::string separator;
    for (nb::handle symbol : symbols) {
      sizes += separator + Symbol(symbol, numbers);
      separator = " ";
    }
    tensors.append(Wrapped(tensor));
  }
  Extension().attr("composite_function")("_assert_shapes")(
      tensors, nb::str(sizes.c_str()), nb::handle(data), nb::handle(summarize),
      nb::handle(message), nb::arg("name") = "assert_shapes");
  Py_RETURN_NONE;
}

// --- Of every op.

// Lines that tell of an op's inputs and the graph that it is made in.
std::string NumericsContext(std::span<const Tensor> inputs) {
  const ScopedGil gil;
  std::string text;
  const auto shown = [](const Tensor& t) {
    PyRef wrapped = PyRef::Steal(WrapTensor(t));
    PyRef s = PyRef::Steal(wrapped ? PyObject_Str(wrapped.get()) : nullptr);
    if (s) return std::string(StringView(s.get()));
    PyErr_Clear();
    return std::string("?");
  };
  if (inputs.size() == 1) {
    text = "\n  Input tensor: " + shown(inputs[0]) + "\n";
  } else if (!inputs.empty()) {
    text = Format("\n  Input tensors ({}):\n", inputs.size());
    for (size_t i = 0; i < inputs.size(); ++i) {
      text += Format("         {}: {}\n", i, shown(inputs[i]));
    }
  }
  if (FuncGraph* f = FuncGraph::Current()) {
    text += Format("  Graph name: \"{}\"\n", f->name());
  }
  return text + "\n";
}

PyObject* EnableCheckNumerics(PyObject*, PyObject* args, PyObject* kwargs) {
  PyObject *height, *length;
  if (!ParseArguments(args, kwargs, "|OO",
                      {"stack_height_limit", "path_length_limit"}, &height,
                      &length)) {
    return nullptr;
  }
  SetNumericsContext(NumericsContext);
  SetChecksNumerics(true);
  Py_RETURN_NONE;
}
PyObject* DisableCheckNumerics(PyObject*, PyObject*) {
  SetChecksNumerics(false);
  Py_RETURN_NONE;
}

// --- Tracebacks. Under the GIL.

bool filtering = true;

template <bool kOn>
PyObject* SetFiltering(PyObject*, PyObject*) {
  filtering = kOn;
  Py_RETURN_NONE;
}
PyObject* IsFiltering(PyObject*, PyObject*) {
  return PyBool_FromLong(filtering);
}

PyObject* WithoutOwnFrames(PyObject*, PyObject* error) {
  if (!filtering) Py_RETURN_NONE;
  std::vector<nb::object> kept;
  nb::object trace = nb::handle(error).attr("__traceback__");
  for (; !trace.is_none(); trace = trace.attr("tb_next")) {
    const nb::object code = trace.attr("tb_frame").attr("f_code");
    if (!IsOwnCode(reinterpret_cast<PyCodeObject*>(code.ptr()))) {
      kept.push_back(trace);
    }
  }
  nb::object made = nb::none();
  for (; !kept.empty(); kept.pop_back()) {
    const nb::object& at = kept.back();
    made = at.type()(made, at.attr("tb_frame"), at.attr("tb_lasti"),
                     at.attr("tb_lineno"));
  }
  nb::handle(error).attr("__traceback__") = made;
  Py_RETURN_NONE;
}

PyMethodDef functions[] = {
    {"Assert", AsCFunction(Guarded<Assert>), kByName,
     "Assert(condition, data, summarize=None, name=None)\n"
     "--\n\n"
     "Raises InvalidArgumentError unless `condition` holds when run.\n\n"
     "Args:\n"
     "  condition: a boolean scalar.\n"
     "  data: tensors that are printed if it does not hold.\n"
     "  summarize: how many elements of each are printed; 3 unless given, "
     "-1:\n"
     "    all.\n"
     "  name: of the op.\n\n"
     "Returns None when eager, else the operation that checks.\n\n"
     ">>> tf.debugging.Assert(True, [1])"},
    {"is_numeric_tensor", AsCFunction(Guarded<IsNumericTensor>), kByName,
     "is_numeric_tensor(tensor)\n"
     "--\n\n"
     "Is it a tensor of numbers?\n\n"
     ">>> tf.debugging.is_numeric_tensor(tf.constant(1))\n"
     "True"},
    {"assert_proper_iterable", AsCFunction(Guarded<AssertProperIterable>),
     kByName,
     "assert_proper_iterable(values)\n"
     "--\n\n"
     "Checks for a list or another iterable that is no tensor, array or\n"
     "string; TypeError if not.\n\n"
     ">>> tf.debugging.assert_proper_iterable([1, 2])"},
    {"assert_same_float_dtype", AsCFunction(Guarded<AssertSameFloatDtype>),
     kByName,
     "assert_same_float_dtype(tensors=None, dtype=None)\n"
     "--\n\n"
     "Checks for one floating dtype and returns it; float32 if none.\n\n"
     "Raises ValueError if there are several or another.\n\n"
     ">>> tf.debugging.assert_same_float_dtype([tf.constant(1.0), None])\n"
     "tf.float32"},
    {"assert_shapes", AsCFunction(Guarded<AssertShapes>), kByName,
     "assert_shapes(shapes, data=None, summarize=None, message=None, "
     "name=None)\n"
     "--\n\n"
     "Checks shapes that share symbolic sizes.\n\n"
     "Args:\n"
     "  shapes: a mapping or list of pairs: a tensor and its sizes. They are\n"
     "    numbers, symbols that stand for the same number everywhere, None "
     "or\n"
     "    \".\" for any; \"*\" or ... in front stands for any leading "
     "dimensions.\n"
     "  data: printed on failure in place of tensor and shape.\n"
     "  summarize: how many elements of each are printed.\n"
     "  message: put in front of the error's text.\n"
     "  name: of the scope.\n\n"
     "Raises ValueError if a size is known to be another, "
     "InvalidArgumentError\n"
     "when run otherwise.\n\n"
     ">>> tf.debugging.assert_shapes([(tf.ones([2, 3]), (\"N\", 3))])"},
    {"enable_traceback_filtering", Guarded<SetFiltering<true>>, METH_NOARGS,
     "enable_traceback_filtering()\n"
     "--\n\n"
     "Leaves our own frames out of tracebacks.\n\n"
     ">>> tf.debugging.enable_traceback_filtering()"},
    {"disable_traceback_filtering", Guarded<SetFiltering<false>>, METH_NOARGS,
     "disable_traceback_filtering()\n"
     "--\n\n"
     "Shows our own frames in tracebacks.\n\n"
     ">>> tf.debugging.disable_traceback_filtering()\n"
     ">>> tf.debugging.is_traceback_filtering_enabled()\n"
     "False\n"
     ">>> tf.debugging.enable_traceback_filtering()"},
    {"is_traceback_filtering_enabled", Guarded<IsFiltering>, METH_NOARGS,
     "is_traceback_filtering_enabled()\n"
     "--\n\n"
     "Are our own frames left out of tracebacks?\n\n"
     ">>> tf.debugging.is_traceback_filtering_enabled()\n"
     "True"},
    {"enable_check_numerics", AsCFunction(Guarded<EnableCheckNumerics>),
     kByName,
     "enable_check_numerics(stack_height_limit=30, path_length_limit=50)\n"
     "--\n\n"
     "Ops that this thread makes fail if they give infinity or NaN.\n\n"
     "That holds for eager ops and for functions that are traced from now "
     "on.\n\n"
     "Args:\n"
     "  stack_height_limit: accepted for compatibility; errors of graphs "
     "tell\n"
     "    the line where the op was made.\n"
     "  path_length_limit: the same.\n\n"
     ">>> tf.debugging.enable_check_numerics()\n"
     ">>> tf.debugging.disable_check_numerics()"},
    {"disable_check_numerics", Guarded<DisableCheckNumerics>, METH_NOARGS,
     "disable_check_numerics()\n"
     "--\n\n"
     "Ops made from now on are not checked.\n\n"
     ">>> tf.debugging.disable_check_numerics()"},
    {"_without_own_frames", Guarded<WithoutOwnFrames>, METH_O,
     "Takes our own frames out of an error's traceback, if that is wanted."},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

void AddAssertions(nb::module_& m) {
  if (PyModule_AddFunctions(m.ptr(), functions) < 0) throw nb::python_error();
}

}  // namespace gk::py
