// tf.debugging: what assertions take that is Python's: conditions, data and
// symbols of any kind; what tracebacks show. The assertions are in the core.
#include "python/src/ops/assertions.h"

#include <nanobind/nanobind.h>

#include <optional>
#include <string>
#include <vector>

#include "framework/check_numerics.h"
#include "ops/composition/assertion.h"
#include "python/src/binding/bound_values.h"
#include "python/src/binding/class_members.h"
#include "python/src/binding/gil.h"
#include "python/src/control_flow/staged_values.h"
#include "python/src/graph/name_scope.h"
#include "python/src/graph/source_location.h"
#include "python/src/host/python_language.h"
#include "python/src/ops/call_op.h"
#include "python/src/ops/op_function.h"
#include "python/src/tensors/convert.h"
#include "python/src/tensors/dtype_type.h"

namespace gk::py {
namespace {

namespace nb = nanobind;

constexpr char kAssert[] = "Assert";

nb::object Assert(nb::handle, nb::handle condition, nb::handle data,
                  nb::handle summarize, nb::handle name) {
  const bool eager = FuncGraph::Current() == nullptr;
  if (eager && Truth(condition)) return nb::none();
  std::optional<WithinScope> within;
  if (!eager) within.emplace(NameOr(name.ptr(), kAssert));
  TensorVector values;
  for (nb::handle value : data) values.push_back(Converted(value));
  if (eager) {
    const int64_t shown =
        summarize.is_none() ? 3 : nb::cast<int64_t>(summarize);
    Throw(FailedAssert(TextOf(condition), values, shown));
  }
  const nb::object shown = Wrapped(values);
  return Owned(CallOp(kAssert, {{"condition", condition.ptr()},
                                {"data", shown.ptr()},
                                {"summarize", summarize.ptr()}}));
}

nb::object IsNumericTensor(nb::handle, nb::handle tensor) {
  if (!IsTensor(tensor.ptr())) return nb::bool_(false);
  const DataType dtype = TensorOf(tensor.ptr()).dtype();
  return nb::bool_(IsInteger(dtype) || IsFloating(dtype) || IsComplex(dtype));
}

nb::object AssertProperIterable(nb::handle, nb::handle given) {
  PyObject* const values = given.ptr();
  const bool improper = IsTensor(values) || PyUnicode_Check(values) ||
                        PyBytes_Check(values) || IsNumpyValue(values);
  if (!improper && nb::hasattr(given, "__iter__")) return nb::none();
  Throw(TypeError("Expected argument \"values\" to be {}.  Found: {}",
                  improper ? "a \"proper\" iterable" : "iterable",
                  TextOf(given.type())));
}

nb::object AssertSameFloatDtype(nb::handle, nb::handle tensors,
                                nb::handle wanted) {
  const auto type_of = [](nb::handle o) {
    const DataType dtype = AsDType(o.ptr());
    if (dtype == DataType::kInvalid) throw nb::python_error();
    return dtype;
  };
  std::vector<nb::object> given;
  std::vector<DataType> dtypes;
  if (!tensors.is_none()) {
    for (nb::handle tensor : tensors) {
      if (tensor.is_none()) continue;
      given.push_back(nb::borrow(tensor));
      dtypes.push_back(type_of(tensor.attr("dtype")));
    }
  }
  return nb::borrow(DTypeObject(SameFloatDtype(
      dtypes, wanted.is_none() ? DataType::kInvalid : type_of(wanted),
      [&](size_t i) { return TextOf(given[i]); })));
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

nb::object AssertShapes(nb::handle, nb::handle shapes, nb::handle data,
                        nb::handle summarize, nb::handle message,
                        nb::handle name) {
  nb::object pairs = nb::borrow(shapes);
  if (nb::hasattr(pairs, "items")) pairs = pairs.attr("items")();
  nb::list tensors;
  nb::dict numbers;
  std::string sizes;
  const WithinScope within(NameOr(name.ptr(), "assert_shapes"));
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
  Owned(CompositionFunction("_assert_shapes"))(
      tensors, nb::str(sizes.c_str()), data, summarize, message,
      nb::arg("name") = "assert_shapes");
  return nb::none();
}

// --- Of every op.

nb::object EnableCheckNumerics(nb::handle, nb::handle, nb::handle) {
  SetChecksNumerics(true);
  return nb::none();
}
nb::object DisableCheckNumerics(nb::handle) {
  SetChecksNumerics(false);
  return nb::none();
}

// --- Tracebacks. Under the GIL.

bool filtering = true;

template <bool kOn>
nb::object SetFiltering(nb::handle) {
  filtering = kOn;
  return nb::none();
}
nb::object IsFiltering(nb::handle) { return nb::bool_(filtering); }

}  // namespace

void WithoutOwnFrames(nb::handle error) {
  if (!filtering) return;
  std::vector<nb::object> kept;
  nb::object trace = error.attr("__traceback__");
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
  error.attr("__traceback__") = made;
}

namespace {

PyMethodDef functions[] = {
    GK_MODULE_FUNCTION(
        "Assert", "condition, data, summarize=None, name=None", Assert,
        "Raises InvalidArgumentError unless `condition` holds when run.\n\n"
        "Args:\n"
        "  condition: a boolean scalar.\n"
        "  data: tensors that are printed if it does not hold.\n"
        "  summarize: how many elements of each are printed; 3 unless given, "
        "-1:\n"
        "    all.\n"
        "  name: of the op.\n\n"
        "Returns None when eager, else the operation that checks.\n\n"
        ">>> tf.debugging.Assert(True, [1])"),
    GK_MODULE_FUNCTION("is_numeric_tensor", "tensor", IsNumericTensor,
                       "Is it a tensor of numbers?\n\n"
                       ">>> tf.debugging.is_numeric_tensor(tf.constant(1))\n"
                       "True"),
    GK_MODULE_FUNCTION(
        "assert_proper_iterable", "values", AssertProperIterable,
        "Checks for a list or another iterable that is no tensor, array or\n"
        "string; TypeError if not.\n\n"
        ">>> tf.debugging.assert_proper_iterable([1, 2])"),
    GK_MODULE_FUNCTION(
        "assert_same_float_dtype", "tensors=None, dtype=None",
        AssertSameFloatDtype,
        "Checks for one floating dtype and returns it; float32 if none.\n\n"
        "Raises ValueError if there are several or another.\n\n"
        ">>> tf.debugging.assert_same_float_dtype([tf.constant(1.0), None])\n"
        "tf.float32"),
    GK_MODULE_FUNCTION(
        "assert_shapes",
        "shapes, data=None, summarize=None, message=None, name=None",
        AssertShapes,
        "Checks shapes that share symbolic sizes.\n\n"
        "Args:\n"
        "  shapes: a mapping or list of pairs: a tensor and its sizes. They "
        "are\n"
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
        ">>> tf.debugging.assert_shapes([(tf.ones([2, 3]), (\"N\", 3))])"),
    GK_MODULE_FUNCTION("enable_traceback_filtering", "", SetFiltering<true>,
                       "Leaves our own frames out of tracebacks.\n\n"
                       ">>> tf.debugging.enable_traceback_filtering()"),
    GK_MODULE_FUNCTION("disable_traceback_filtering", "", SetFiltering<false>,
                       "Shows our own frames in tracebacks.\n\n"
                       ">>> tf.debugging.disable_traceback_filtering()\n"
                       ">>> tf.debugging.is_traceback_filtering_enabled()\n"
                       "False\n"
                       ">>> tf.debugging.enable_traceback_filtering()"),
    GK_MODULE_FUNCTION("is_traceback_filtering_enabled", "", IsFiltering,
                       "Are our own frames left out of tracebacks?\n\n"
                       ">>> tf.debugging.is_traceback_filtering_enabled()\n"
                       "True"),
    GK_MODULE_FUNCTION(
        "enable_check_numerics", "stack_height_limit=30, path_length_limit=50",
        EnableCheckNumerics,
        "Ops that this thread makes fail if they give infinity or NaN.\n\n"
        "That holds for eager ops and for functions that are traced from now "
        "on.\n\n"
        "Args:\n"
        "  stack_height_limit: accepted for compatibility; errors of graphs "
        "tell\n"
        "    the line where the op was made.\n"
        "  path_length_limit: the same.\n\n"
        ">>> tf.debugging.enable_check_numerics()\n"
        ">>> tf.debugging.disable_check_numerics()"),
    GK_MODULE_FUNCTION("disable_check_numerics", "", DisableCheckNumerics,
                       "Ops made from now on are not checked.\n\n"
                       ">>> tf.debugging.disable_check_numerics()"),
    {}};

}  // namespace

// Lines that tell of an op's inputs and the graph that it is made in.
std::string PythonLanguage::NumericsContext(std::span<const Tensor> inputs) {
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

void AddAssertions(nb::module_& m) { AddFunctions(m, functions); }

}  // namespace gk::py
