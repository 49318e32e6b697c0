#include "function/row_loops.h"

#include <algorithm>
#include <optional>

#include "python/src/binding/guarded.h"
#include "python/src/binding/text_caster.h"
#include "python/src/binding/type_parts.h"
#include "python/src/control_flow/control_flow.h"
#include "python/src/control_flow/staged_values.h"
#include "python/src/graph/name_scope.h"

namespace gk::py {
namespace {

namespace nb = nanobind;

class PyRowHost final : public PythonHost<RowHost> {
 public:
  explicit PyRowHost(nb::handle function) : function_(function) {}
  StagedValue Step(const StagedValue& state, const StagedValue& row) override {
    return ValueOfStructure(function_(PythonValue(state), PythonValue(row)));
  }
  bool lets_dtypes_vary() const override { return true; }
  std::string LeafName(size_t, const Tensor& before) const override {
    return NameOfVariable(before);
  }

 private:
  nb::handle function_;
};

enum FoldKind { kFoldLeft, kFoldRight, kScan };
constexpr const char* kFoldNames[] = {"foldl", "foldr", "scan"};

// `elems` of tensors: a list of none is one itself.
nb::object Elements(nb::handle elems) {
  const std::vector<nb::object> leaves = Leaves(elems, false);
  if (leaves.empty()) {
    Throw(ValueError("elems must hold a tensor, got {}", TextOf(elems)));
  }
  const bool holds_tensors =
      std::any_of(leaves.begin(), leaves.end(),
                  [](nb::handle leaf) { return IsTensorLike(leaf.ptr()); });
  if (!PyList_Check(elems.ptr()) || holds_tensors) return nb::borrow(elems);
  return Wrapped(Converted(elems));
}

template <FoldKind kKind>
PyObject* FoldRows(PyObject*, PyObject* args, PyObject* kwargs) {
  PyObject *function, *elems, *initial = Py_None, *parallel = Py_None,
                              *infer_shape = Py_True, *reverse = Py_False,
                              *name = Py_None, *ignored;
  const bool parsed =
      kKind == kScan
          ? ParseArguments(
                args, kwargs, "OO|OOOOOOO:scan",
                {"fn", "elems", "initializer", "parallel_iterations",
                 "back_prop", "swap_memory", "infer_shape", "reverse", "name"},
                &function, &elems, &initial, &parallel, &ignored, &ignored,
                &infer_shape, &reverse, &name)
          : ParseArguments(
                args, kwargs,
                kKind == kFoldLeft ? "OO|OOOOO:foldl" : "OO|OOOOO:foldr",
                {"fn", "elems", "initializer", "parallel_iterations",
                 "back_prop", "swap_memory", "name"},
                &function, &elems, &initial, &parallel, &ignored, &ignored,
                &name);
  if (!parsed) return nullptr;
  const WithinScope within(NameOr(name, kFoldNames[kKind]));
  if (PyCallable_Check(function) == 0) {
    Throw(TypeError("fn must be callable, got {}",
                    TextOf(nb::repr(nb::handle(function)))));
  }
  FoldOptions options;
  options.parallel_iterations = ParallelIterations(parallel);
  options.reverse = kKind == kFoldRight || Truth(reverse);
  options.infer_shape = Truth(infer_shape);
  PyRowHost host(function);
  return Told([&] {
    const StagedValue rows = ValueOfStructure(Elements(elems));
    std::optional<StagedValue> first;
    if (initial != Py_None) first = ValueOfStructure(initial);
    return PythonValue(
               (kKind == kScan ? Scan : Fold)(host, rows, first, options))
        .release()
        .ptr();
  });
}

PyMethodDef functions[] = {
    {"foldl", AsCFunction(Guarded<FoldRows<kFoldLeft>>), kByName,
     "foldl(fn, elems, initializer=None, parallel_iterations=10, "
     "back_prop=True, swap_memory=False, name=None)\n"
     "--\n\n"
     "Applies `fn(state, row)` to the rows of `elems` from the first on.\n\n"
     "Args:\n"
     "  fn: takes the state and a row; returns the next state.\n"
     "  elems: a structure of tensors of one length.\n"
     "  initializer: the first state; the first row if not given.\n"
     "  parallel_iterations: a positive int, written into the graph.\n"
     "  back_prop: deprecated; tf.stop_gradient does what False did.\n"
     "  swap_memory: accepted for compatibility.\n"
     "  name: of the scope of the ops.\n\n"
     "Returns:\n"
     "  The last state.\n\n"
     "Raises:\n"
     "  TypeError: `fn` is not callable.\n"
     "  ValueError: `elems` has no tensor, or a scalar, or the lengths "
     "differ.\n\n"
     ">>> int(tf.foldl(lambda a, x: a - x, tf.constant([10, 3, 2])))\n"
     "5"},
    {"foldr", AsCFunction(Guarded<FoldRows<kFoldRight>>), kByName,
     "foldr(fn, elems, initializer=None, parallel_iterations=10, "
     "back_prop=True, swap_memory=False, name=None)\n"
     "--\n\n"
     "Applies `fn(state, row)` to the rows of `elems` from the last back.\n\n"
     "Args:\n"
     "  fn: takes the state and a row; returns the next state.\n"
     "  elems: a structure of tensors of one length.\n"
     "  initializer: the first state; the last row if not given.\n"
     "  parallel_iterations: a positive int, written into the graph.\n"
     "  back_prop: deprecated; tf.stop_gradient does what False did.\n"
     "  swap_memory: accepted for compatibility.\n"
     "  name: of the scope of the ops.\n\n"
     "Returns:\n"
     "  The last state.\n\n"
     "Raises:\n"
     "  TypeError: `fn` is not callable.\n"
     "  ValueError: `elems` has no tensor, or a scalar, or the lengths "
     "differ.\n\n"
     ">>> int(tf.foldr(lambda a, x: a - x, tf.constant([10, 3, 2])))\n"
     "-11"},
    {"scan", AsCFunction(Guarded<FoldRows<kScan>>), kByName,
     "scan(fn, elems, initializer=None, parallel_iterations=10, "
     "back_prop=True, swap_memory=False, infer_shape=True, reverse=False, "
     "name=None)\n"
     "--\n\n"
     "All states of `fn(state, row)` over the rows of `elems`, stacked.\n\n"
     "Args:\n"
     "  fn: takes the state and a row; returns the next state.\n"
     "  elems: a structure of tensors of one length.\n"
     "  initializer: the state before the first call; if not given, the "
     "first\n"
     "    row, which is then the first result.\n"
     "  parallel_iterations: a positive int, written into the graph.\n"
     "  back_prop: deprecated; tf.stop_gradient does what False did.\n"
     "  swap_memory: accepted for compatibility.\n"
     "  infer_shape: whether all states must have the same shape.\n"
     "  reverse: begin with the last row; results stay at the rows' places.\n"
     "  name: of the scope of the ops.\n\n"
     "Returns:\n"
     "  The states in their structure, as long as `elems`.\n\n"
     "Raises:\n"
     "  TypeError: `fn` is not callable.\n"
     "  ValueError: `elems` has no tensor, or a scalar, the lengths differ, "
     "or\n"
     "    `fn` returns another structure.\n\n"
     ">>> tf.scan(lambda a, x: a + x, tf.constant([1, 2, "
     "3])).numpy().tolist()\n"
     "[1, 3, 6]"},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

void AddRowLoops(nb::module_& m) {
  if (PyModule_AddFunctions(m.ptr(), functions) < 0) throw nb::python_error();
}

}  // namespace gk::py
