#include <map>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "function/branch_builder.h"
#include "function/ragged/checks.h"
#include "function/run_order.h"
#include "ops/fn/Identity.h"
#include "python/src/binding/guarded.h"
#include "python/src/binding/text_caster.h"
#include "python/src/binding/type_parts.h"
#include "python/src/control_flow/control_flow.h"
#include "python/src/control_flow/shape_invariants.h"
#include "python/src/control_flow/staged_values.h"
#include "python/src/nest/nest_node.h"
#include "python/src/graph/name_scope.h"
#include "python/src/graph/operation_type.h"
#include "python/src/tensors/tensor_spec_type.h"

namespace gk::py {
namespace {

namespace nb = nanobind;

bool IsEager() { return FuncGraph::Current() == nullptr; }
bool IsSequence(nb::handle o) { return IsListOrTuple(o.ptr()); }
bool IsMapping(nb::handle o) {
  return PyDict_Check(o.ptr()) ||
         nb::isinstance(
             o, nb::module_::import_("collections.abc").attr("Mapping"));
}
bool IsCallable(nb::handle o) { return PyCallable_Check(o.ptr()) != 0; }
std::string Shown(nb::handle o) { return TextOf(nb::repr(o)); }

// --- Branches.

// Functions; each returns a structure.
class ResultsOfBranches final : public PythonHost<BranchHost> {
 public:
  ResultsOfBranches(std::vector<nb::object> branches, bool is_if)
      : branches_(std::move(branches)), is_if_(is_if) {}

  void Run(size_t b) override {
    nb::object made = branches_[b]();
    if (HoldsOperation(made)) {
      made = MappedNest(made, [&](nb::handle x) {
        return nb::isinstance<Operation>(x) ? WhenDone(x) : nb::borrow(x);
      });
    }
    values_.push_back(ValueOfStructure(made));
  }
  StagedValue Value(size_t b, size_t) override { return values_[b]; }
  void SetResult(size_t, const StagedValue& value) override { result_ = value; }
  std::string Label(size_t b) const override {
    if (is_if_) return b == 0 ? "true_fn" : "false_fn";
    return Format("branches[{}]", b);
  }
  nb::object Build(const Tensor& selector, const std::string& name) {
    selector_ = selector;
    return Told([&] {
      BuildBranches(is_if_ ? BranchKind::kIf : BranchKind::kCase, selector,
                    branches_.size(), name, *this);
      return PythonValue(result_);
    });
  }

 private:
  static bool HoldsOperation(nb::handle value) {
    if (IsTensor(value.ptr()) || value.is_none()) return false;
    if (nb::isinstance<Operation>(value)) return true;
    const nb::object leaves =
        Owned(FlatList(value.ptr(), NestRules::kNest).Release());
    for (nb::handle leaf : leaves) {
      if (nb::isinstance<Operation>(leaf)) return true;
    }
    return false;
  }
  // An op that a branch gives is the choice itself, known when the op has run.
  nb::object WhenDone(nb::handle op) const {
    const RunsAfter after(FuncGraph::Current(),
                          {nb::cast<const Operation&>(op).node});
    return Wrapped(ops::Identity(selector_));
  }

  std::vector<nb::object> branches_;
  bool is_if_;
  Tensor selector_;
  std::vector<StagedValue> values_;
  StagedValue result_;
};

}  // namespace

nb::object CondOf(nb::handle pred, nb::handle true_fn, nb::handle false_fn,
                  nb::handle name) {
  const std::string scope = NameOr(name.ptr(), "cond");
  if (IsEager()) {
    const nb::object truth =
        IsSequence(pred) ? Wrapped(Converted(pred)) : nb::borrow(pred);
    const WithinScope within(scope);
    nb::object result = (Truth(truth) ? true_fn : false_fn)();
    if (IsTensor(result.ptr())) return result;
    return MappedNest(result, [](nb::handle x) {
      return nb::isinstance<Operation>(x) ? nb::none() : nb::borrow(x);
    });
  }
  if (PyBool_Check(pred.ptr())) {
    PyErr_SetObject(
        PyExc_TypeError,
        nb::make_tuple("pred must not be a Python bool", pred).ptr());
    throw nb::python_error();
  }
  ResultsOfBranches branches({nb::borrow(true_fn), nb::borrow(false_fn)}, true);
  return branches.Build(Converted(pred), scope);
}

namespace {

PyObject* Cond(PyObject*, PyObject* args, PyObject* kwargs) {
  PyObject *pred, *true_fn = Py_None, *false_fn = Py_None, *name = Py_None;
  if (!ParseArguments(args, kwargs, "O|OOO:cond",
                      {"pred", "true_fn", "false_fn", "name"}, &pred, &true_fn,
                      &false_fn, &name)) {
    return nullptr;
  }
  if (!IsCallable(true_fn)) Throw(TypeError("'true_fn' must be callable."));
  if (false_fn == Py_None) {
    Throw(TypeError("cond(): 'false_fn' argument required"));
  }
  if (!IsCallable(false_fn)) Throw(TypeError("'false_fn' must be callable."));
  return CondOf(pred, true_fn, false_fn, nb::handle(name)).release().ptr();
}

// Functions by their indices: 0, 1, ...
std::vector<nb::object> Indexed(nb::handle branches) {
  nb::list pairs;
  if (IsMapping(branches)) {
    pairs = nb::list(branches.attr("items")());
  } else if (IsSequence(branches)) {
    for (nb::handle f : branches) {
      pairs.append(PyTuple_Check(f.ptr()) ? nb::tuple(nb::borrow(f))
                                          : nb::make_tuple(nb::len(pairs), f));
    }
  } else {
    Throw(TypeError("branch_fns must be a list, tuple or dict, got {}",
                    Shown(branches)));
  }
  if (nb::len(pairs) == 0) {
    Throw(ValueError("Must provide at least one item in branch_fns"));
  }
  std::map<long, nb::object> by_index;
  std::string found;
  for (nb::handle pair : pairs) {
    if (nb::len(pair) != 2) {
      Throw(ValueError("branch_fns must hold pairs (index, callable), got {}",
                       Shown(pair)));
    }
    const nb::object key = pair[0], function = pair[1];
    if (!PyLong_Check(key.ptr())) {
      Throw(TypeError("key must be a Python `int`, got {}", TextOf(key)));
    }
    if (!IsCallable(function)) {
      Throw(TypeError("fn for key {} must be callable, got {}", TextOf(key),
                      TextOf(function)));
    }
    int overflow = 0;
    const long index = PyLong_AsLongAndOverflow(key.ptr(), &overflow);
    if (!by_index.emplace(overflow ? -1 : index, function).second) {
      Throw(
          ValueError("branch indices (keys) must form contiguous range of [0 "
                     "to {}) but found {} twice",
                     nb::len(pairs), TextOf(key)));
    }
    found += (found.empty() ? "" : ",") + TextOf(key);
  }
  std::vector<nb::object> functions;
  for (const auto& [index, function] : by_index) {
    if (index != static_cast<long>(functions.size())) {
      Throw(
          ValueError("branch indices (keys) must form contiguous range of [0 "
                     "to {}) but found {{{}}}",
                     by_index.size(), found));
    }
    functions.push_back(function);
  }
  return functions;
}

void CheckDefault(nb::handle function) {
  if (function.is_none() || IsCallable(function)) return;
  Throw(TypeError("default must be callable, got {}", TextOf(function)));
}

PyObject* SwitchCase(PyObject*, PyObject* args, PyObject* kwargs) {
  PyObject *index, *branches, *otherwise = Py_None, *name = Py_None;
  if (!ParseArguments(args, kwargs, "OO|OO:switch_case",
                      {"branch_index", "branch_fns", "default", "name"}, &index,
                      &branches, &otherwise, &name)) {
    return nullptr;
  }
  std::vector<nb::object> functions = Indexed(branches);
  CheckDefault(otherwise);
  if (!IsTensor(index)) {
    Throw(TypeError("'branch_index' must be a Tensor, got {}",
                    TextOf(nb::handle(index).type())));
  }
  if (const Status status = CheckBranchIndex(TensorOf(index)); !status.ok()) {
    Throw(status);
  }
  if (otherwise != Py_None) functions.push_back(nb::borrow(otherwise));
  const std::string scope = NameOr(name, "switch_case");
  if (!IsEager() || IsSymbolicTensor(index)) {
    return ResultsOfBranches(std::move(functions), false)
        .Build(TensorOf(index), scope)
        .release()
        .ptr();
  }
  // As when it runs in a graph: any other index is the last's.
  const auto number = nb::cast<int64_t>(nb::int_(nb::handle(index)));
  const auto last = static_cast<int64_t>(functions.size()) - 1;
  const WithinScope within(scope);
  return functions[number < 0 || number > last ? last : number]()
      .release()
      .ptr();
}

// Pairs (condition, function) of a case.
nb::list CheckedPairs(nb::handle given) {
  nb::list pairs;
  if (IsMapping(given)) {
    for (nb::handle item : given.attr("items")()) {
      nb::object key = item[0];
      if (nb::hasattr(key, "deref")) key = key.attr("deref")();
      pairs.append(nb::make_tuple(key, nb::object(item[1])));
    }
  } else if (IsSequence(given)) {
    pairs = nb::list(given);
  } else {
    Throw(TypeError("pred_fn_pairs must be a list, tuple, or dict."));
  }
  for (nb::handle pair : pairs) {
    if (!PyTuple_Check(pair.ptr()) || nb::len(pair) != 2) {
      Throw(
          TypeError("Each entry in pred_fn_pairs must be a 2-tuple. Received "
                    "{}.",
                    TextOf(pair)));
    }
    const nb::object condition = pair[0];
    if (!IsTensor(condition.ptr())) {
      if (!PyBool_Check(condition.ptr())) {
        Throw(TypeError("pred must be Tensor, got: {}",
                        TextOf(condition.type())));
      }
    } else if (TensorOf(condition.ptr()).dtype() != DataType::kBool) {
      Throw(TypeError("pred must be of type bool: {}",
                      TextOf(condition.attr("name"))));
    }
    if (!IsCallable(nb::object(pair[1]))) {
      Throw(TypeError("fn for pred {} must be callable.", TextOf(condition)));
    }
  }
  return pairs;
}

PyObject* Case(PyObject*, PyObject* args, PyObject* kwargs) {
  PyObject *given, *otherwise = Py_None, *exclusive = Py_False, *strict,
                   *name = Py_None;
  if (!ParseArguments(
          args, kwargs, "O|OOOO:case",
          {"pred_fn_pairs", "default", "exclusive", "strict", "name"}, &given,
          &otherwise, &exclusive, &strict, &name)) {
    return nullptr;
  }
  const nb::list pairs = CheckedPairs(given);
  CheckDefault(otherwise);
  size_t count = nb::len(pairs);
  if (count == 0) {
    if (otherwise == Py_None) {
      Throw(ValueError("pred_fn_pairs must not be empty"));
    }
    return nb::handle(otherwise)().release().ptr();
  }
  TensorVector conditions;
  for (nb::handle pair : pairs) {
    conditions.push_back(Converted(nb::object(pair[0])));
  }
  const WithinScope within(NameOr(name, "case"));
  Checks checks;
  nb::object function = nb::borrow(otherwise);
  if (otherwise == Py_None) {
    checks.AnyCase(conditions);
    function = pairs[--count][1];
  }
  if (Truth(exclusive)) checks.OneCase(conditions);
  const Checks::Scope after(checks);
  while (count-- > 0) {
    const nb::object condition = pairs[count][0], branch = pairs[count][1];
    if (!PyBool_Check(condition.ptr())) {
      function = nb::cpp_function([condition, branch, function] {
        return CondOf(condition, branch, function, Py_None);
      });
    } else if (condition.ptr() == Py_True) {
      function = branch;
    }
  }
  return function().release().ptr();
}

// --- Loops.

// A list or tuple, which is passed item by item.
bool IsSpread(nb::handle variables) { return IsSequence(variables); }
nb::object CallSpread(nb::handle function, nb::handle variables) {
  return IsSpread(variables) ? function(*nb::tuple(nb::borrow(variables)))
                             : function(variables);
}
// What a body returned, in the class of the loop variables.
nb::object LikeVariables(nb::object result, nb::handle variables) {
  if (!IsSpread(variables)) return result;
  if (!IsSpread(result)) {
    nb::list one;
    one.append(result);
    result = one;
  }
  return nb::hasattr(variables, "_fields")
             ? variables.type()(*nb::tuple(result))
             : variables.type()(result);
}

// tf.while_loop: `condition` and `body` take and return all loop variables.
class VariablesOfLoop final : public PythonHost<StagedLoop> {
 public:
  VariablesOfLoop(nb::handle condition, nb::handle body, nb::object variables)
      : condition_(condition), body_(body), now_(std::move(variables)) {}

  // The invariants, if there are any, of all tensors.
  void SetShapes(std::vector<PartialTensorShape> shapes) {
    shapes_ = std::move(shapes);
  }
  LoopState& Start() override {
    StagedValue before = ValueOfStructure(now_);
    if (shapes_) before = OfAnyShape(std::move(before));
    state_.emplace(this, std::vector{std::move(before)});
    if (shapes_) state_->SetInvariant(0, *shapes_);
    return *state_;
  }
  void Set(std::vector<StagedValue> values, StagedLoop::Place,
           const ListsFn&) override {
    now_ = PythonValue(values[0]);
  }
  Tensor Condition(const Tensor&) override {
    return Converted(CallSpread(condition_, now_));
  }
  void Body(const Tensor&) override {
    now_ = LikeVariables(CallSpread(body_, now_), now_);
  }
  std::vector<StagedValue> Get() override { return {ValueOfStructure(now_)}; }

  std::string LeafName(size_t, const Tensor& before) const override {
    return NameOfVariable(before);
  }
  const nb::object& now() const { return now_; }

 private:
  nb::handle condition_, body_;
  nb::object now_;
  std::optional<std::vector<PartialTensorShape>> shapes_;
  std::optional<LoopState> state_;
};

// The shapes of the tensors of loop variables; those of composite tensors
// follow from the invariant for the whole.
std::vector<PartialTensorShape> FlatShapes(nb::handle values,
                                           nb::handle invariants) {
  CheckNests(values, invariants, /*check_types=*/false);
  const std::vector<nb::object> leaves = Leaves(values, false),
                                given = Leaves(invariants, false);
  nb::list all;
  for (const nb::object& invariant : given) {
    if (!IsTensorShape(invariant.ptr()) &&
        !PyObject_TypeCheck(invariant.ptr(), TypeSpecType)) {
      Throw(TypeError("shape_invariants must hold tf.TensorShape, got {}",
                      Shown(invariant)));
    }
    all.append(invariant);
  }
  return InvariantShapes(leaves, all);
}

nb::object EagerLoop(nb::handle condition, nb::handle body,
                     nb::object variables, nb::handle limit) {
  int64_t left = -1;
  if (!limit.is_none()) {
    left = std::max<int64_t>(nb::cast<int64_t>(nb::int_(limit)), 0);
  }
  while ((left < 0 || left-- > 0) && Truth(CallSpread(condition, variables))) {
    nb::object after = CallSpread(body, variables);
    nb::object before = variables;
    if (IsSpread(variables)) {
      if (!IsSpread(after) && nb::len(variables) == 1) {
        after = LikeVariables(after, variables);
      }
      before = nb::list(before);
      CheckNests(before, nb::list(after));
    } else {
      CheckNests(before, after);
    }
    variables = after;
  }
  return WithTensorLeaves(variables);
}

// Constants are made outside of the loop's scope.
nb::object WithConstant(nb::handle x) {
  PyObject* const o = x.ptr();
  const bool plain = PyLong_Check(o) || PyFloat_Check(o) ||
                     PyComplex_Check(o) || PyUnicode_Check(o) ||
                     PyBytes_Check(o) || IsNumpyValue(o);
  return plain ? Wrapped(Converted(x)) : nb::borrow(x);
}

StructureRef NestOf(PyObject* values) {
  std::vector<PyRef> leaves;
  StructureRef nest = StructureOf(values, NestRules::kExpanded, &leaves);
  if (!nest) throw nb::python_error();
  return nest;
}

PyObject* WhileLoop(PyObject*, PyObject* args, PyObject* kwargs) {
  PyObject *condition, *body, *given, *invariants = Py_None,
                                      *parallel = Py_None, *limit = Py_None,
                                      *name = Py_None, *ignored;
  if (!ParseArguments(args, kwargs, "OOO|OOOOOO:while_loop",
                      {"cond", "body", "loop_vars", "shape_invariants",
                       "parallel_iterations", "back_prop", "swap_memory",
                       "maximum_iterations", "name"},
                      &condition, &body, &given, &invariants, &parallel,
                      &ignored, &ignored, &limit, &name)) {
    return nullptr;
  }
  if (!IsCallable(condition)) Throw(TypeError("'cond' must be callable."));
  if (!IsCallable(body)) Throw(TypeError("'body' must be callable."));
  if (given == Py_None || (IsSequence(given) && nb::len(given) == 0)) {
    Throw(ValueError("'loop_vars' must be provided."));
  }
  const int64_t at_once = ParallelIterations(parallel);
  if (IsEager()) {
    return EagerLoop(condition, body, nb::borrow(given), limit).release().ptr();
  }
  const auto build = [&] {
    const nb::object variables =
        MappedNest(given, [](nb::handle leaf) { return WithConstant(leaf); });
    std::optional<std::vector<PartialTensorShape>> shapes;
    if (invariants != Py_None) shapes = FlatShapes(variables, invariants);
    VariablesOfLoop loop(condition, body, variables);
    if (shapes) loop.SetShapes(*std::move(shapes));
    BuildLoop(loop, LoopOptionsOf(limit, at_once, NameOr(name, "while")));
    return nb::object(loop.now()).release().ptr();
  };
  return Told([&] {
    // A body may say only then of what an empty optional is (Keras' does):
    // with that the loop is made anew.
    const StructureRef before = NestOf(given);
    try {
      return build();
    } catch (...) {
      if (NestOf(given)->Equals(*before)) throw;
    }
    return build();
  });
}

PyMethodDef kControlFlowFunctions[] = {
    {"cond", AsCFunction(Guarded<Cond>), kByName,
     "cond(pred, true_fn=None, false_fn=None, name=None)\n"
     "--\n\n"
     "Returns `true_fn()` if `pred` holds, else `false_fn()`.\n\n"
     "In a graph both functions are traced, and one of them runs.\n\n"
     "Args:\n"
     "  pred: a bool scalar.\n"
     "  true_fn: called without arguments.\n"
     "  false_fn: called without arguments.\n"
     "  name: of the op; \"cond\" if not given.\n\n"
     "Returns:\n"
     "  What the function returns: tensors or a structure of them. Both must\n"
     "  return the same structure and dtypes; shapes may differ, the result "
     "has\n"
     "  what they have in common.\n\n"
     "Raises:\n"
     "  TypeError: a function is not callable; in a graph, `pred` is a "
     "Python\n"
     "    bool, or the branches' structures or dtypes differ.\n"
     "  ValueError: one branch returns None where the other does not.\n\n"
     ">>> x = tf.constant(2.0)\n"
     ">>> float(tf.cond(x > 1.0, lambda: x * 10.0, lambda: x))\n"
     "20.0"},
    {"switch_case", AsCFunction(Guarded<SwitchCase>), kByName,
     "switch_case(branch_index, branch_fns, default=None, "
     "name='switch_case')\n"
     "--\n\n"
     "Calls the function that an index chooses.\n\n"
     "Args:\n"
     "  branch_index: an integer scalar.\n"
     "  branch_fns: a list of callables, or a dict or pairs with int keys.\n"
     "  default: called for an index without function; if None, the last (by\n"
     "    index) of `branch_fns` is.\n"
     "  name: of the op.\n\n"
     "Returns:\n"
     "  What that function returns. All must return the same structure and\n"
     "  dtypes.\n\n"
     "Raises:\n"
     "  TypeError: the index is no tensor of integers, a key is no int, a "
     "value is not\n"
     "    callable, or structures differ.\n"
     "  ValueError: there are no functions.\n"
     "  tf.errors.InvalidArgumentError: the index is no scalar.\n\n"
     ">>> int(tf.switch_case(tf.constant(1), [lambda: 10, lambda: 20]))\n"
     "20"},
    {"case", AsCFunction(Guarded<Case>), kByName,
     "case(pred_fn_pairs, default=None, exclusive=False, strict=False, "
     "name='case')\n"
     "--\n\n"
     "Calls the function of the first condition that holds.\n\n"
     "Args:\n"
     "  pred_fn_pairs: a list of (bool scalar tensor, callable).\n"
     "  default: called if no condition holds.\n"
     "  exclusive: it is an error if more than one condition holds.\n"
     "  strict: accepted for compatibility.\n"
     "  name: of the ops.\n\n"
     "Returns:\n"
     "  What that function returns.\n\n"
     "Raises:\n"
     "  TypeError: the pairs are not pairs, a condition is no bool tensor, or "
     "a\n"
     "    function is not callable.\n"
     "  tf.errors.InvalidArgumentError: no condition holds and there is no\n"
     "    default, or `exclusive` and more than one holds.\n\n"
     ">>> x = tf.constant(3)\n"
     ">>> int(tf.case([(x < 2, lambda: 1), (x < 5, lambda: 2)], lambda: 3))\n"
     "2"},
    {"while_loop", AsCFunction(Guarded<WhileLoop>), kByName,
     "while_loop(cond, body, loop_vars, shape_invariants=None, "
     "parallel_iterations=10, back_prop=True, swap_memory=False, "
     "maximum_iterations=None, name=None)\n"
     "--\n\n"
     "Repeats `body` while `cond` holds.\n\n"
     "Args:\n"
     "  cond: called with the loop variables; returns a bool scalar.\n"
     "  body: called with the loop variables; returns the next ones in the "
     "same\n"
     "    structure.\n"
     "  loop_vars: a (nested) list or tuple of tensors, composite tensors or\n"
     "    TensorArrays.\n"
     "  shape_invariants: a structure like `loop_vars` of shapes; a variable "
     "may\n"
     "    change its shape only as far as its invariant allows.\n"
     "  parallel_iterations: a positive int, written into the graph.\n"
     "  back_prop: deprecated; tf.stop_gradient does what False did.\n"
     "  swap_memory: accepted for compatibility.\n"
     "  maximum_iterations: the loop stops after so many iterations.\n"
     "  name: of the op; \"while\" if not given.\n\n"
     "Returns:\n"
     "  The loop variables at the end.\n\n"
     "Raises:\n"
     "  TypeError: `cond` or `body` is not callable; a variable changes "
     "dtype.\n"
     "  ValueError: there are no loop variables; a variable changes its shape "
     "or\n"
     "    structure.\n\n"
     ">>> i, s = tf.while_loop(\n"
     "...     lambda i, s: i < 4, lambda i, s: (i + 1, s + i), [0, 0])\n"
     ">>> int(s)\n"
     "6"},
    {nullptr, nullptr, 0, nullptr}};

}  // namespace

void AddControlFlowFunctions(nb::module_& m) {
  if (PyModule_AddFunctions(m.ptr(), kControlFlowFunctions) < 0)
    throw nb::python_error();
  m.def("_as_leaf", &AsLeaf, nb::arg().none(),
        "A tensor for anything that converts; composite values and None as "
        "they are, None for an operation.");
}

}  // namespace gk::py
