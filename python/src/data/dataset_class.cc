#include "python/src/data/dataset_class.h"

#include "data/dataset.h"
#include "function/run_order.h"
#include "ops/fn/DatasetFingerprint.h"
#include "ops/fn/ListDataset.h"
#include "python/src/binding/class_members.h"
#include "python/src/binding/package_parts.h"
#include "python/src/binding/text_caster.h"
#include "python/src/control_flow/staged_values.h"
#include "python/src/data/dataset_ops.h"
#include "python/src/data/dataset_step.h"
#include "python/src/data/element_spec.h"
#include "python/src/graph/func_graph_object.h"
#include "python/src/graph/graph_scopes.h"
#include "python/src/ops/call_op.h"
#include "python/src/ops/op_function.h"
#include "python/src/tensors/convert.h"
#include "python/src/tensors/dtype_type.h"
#include "python/src/tensors/tensor_spec_type.h"

namespace gk::py {

namespace nb = nanobind;
using Object = nb::object;
using Handle = nb::handle;

namespace {

Handle base;  // the class, for ever

// The graph that is being built, or None.
Object GraphHere() {
  FuncGraph* f = FuncGraph::Current();
  return f == nullptr ? nb::none() : Owned(WrapGraph(f->graph().get()));
}
// --- What a dataset knows.

Object Init(Handle self, Handle variant) {
  self.attr("_variant_tensor") = variant;
  return nb::none();
}
Object TypeSpecOf(Handle self) {
  Object known = nb::getattr(self, "_own_spec", nb::none());
  if (!known.is_none()) return known;
  known = DatasetSpecOf(self.attr("element_spec"), TensorShape());
  self.attr("_own_spec") = known;
  return known;
}
// The variant tensor for an op. The graph around keeps the Python parts of the
// dataset's functions.
Object AsInput(Handle self) {
  const Object graph = GraphHere();
  if (!graph.is_none()) {
    auto facts = nb::cast<nb::dict>(graph.attr("__dict__"));
    if (!facts.contains("_python_parts")) facts["_python_parts"] = nb::list();
    auto parts = nb::cast<nb::list>(facts["_python_parts"]);
    bool kept = false;
    for (Handle part : parts) kept = kept || part.is(self);
    if (!kept) parts.append(self);
  }
  return self.attr("_variant_tensor");
}
// What classes that derive from datasets give their ops.
Object FlatStructure(Handle self) {
  return ElementAttributes(Object(self.attr("element_spec")));
}
Object FlatShapes(Handle self) {
  return Object(FlatStructure(self)["output_shapes"]);
}
Object FlatTypes(Handle self) {
  return Object(FlatStructure(self)["output_types"]);
}
Object CommonArgs(Handle self) {
  nb::dict all = ElementAttributes(Object(self.attr("element_spec")));
  all["metadata"] = nb::bytes("");
  return all;
}
Object ItsOwn(Handle self) { return nb::borrow(self); }
// The datasets that it reads.
Object Inputs(Handle self) {
  nb::list inputs;
  for (Handle part : nb::getattr(self, "_parts", nb::tuple())) {
    if (IsDataset(part)) inputs.append(part);
  }
  return inputs;
}
Object Text(Handle self) {
  return Owned(PyUnicode_FromFormat("<%U element_spec=%R>",
                                    Object(self.type().attr("__name__")).ptr(),
                                    Object(self.attr("element_spec")).ptr()));
}
Object IsTrue(Handle) { return nb::bool_(true); }
Object Cardinality(Handle self) {
  const Object input = self.attr("_as_input")();
  return Owned(CallOp(kDatasetCardinality, {{"input_dataset", input.ptr()}}));
}
Object Length(Handle self) {
  if (OpBuilder::Current()->builds_graph()) {
    Throw(
        TypeError("`tf.data.Dataset` only supports `len` in eager mode. Use "
                  "`tf.data.Dataset.cardinality()` instead."));
  }
  const Object length = nb::int_(Object(self.attr("cardinality")()));
  const int64_t n = nb::cast<int64_t>(length);
  if (n == kInfiniteCardinality) Throw(TypeError("The dataset is infinite."));
  if (n == kUnknownCardinality) {
    Throw(TypeError("The dataset length is unknown."));
  }
  return length;
}
Object Iterate(Handle self) {
  const Object graph = GraphHere();
  if (!graph.is_none() && !nb::cast<bool>(graph.attr("building_function"))) {
    Throw(RuntimeError(
        "`tf.data.Dataset` only supports Python-style iteration in eager mode "
        "or within tf.function."));
  }
  return NewIterator(self);
}
Object NumpyIterator(Handle self) {
  if (OpBuilder::Current()->builds_graph()) {
    Throw(RuntimeError(
        "`tf.data.Dataset.as_numpy_iterator()` is only supported in eager "
        "mode."));
  }
  for (Handle leaf : ElementLeaves(self.attr("element_spec"))) {
    if (HasArrays(leaf)) continue;
    Throw(TypeError(
        "`tf.data.Dataset.as_numpy_iterator()` is not supported for datasets "
        "that produce values of type {}",
        TextOf(Object(leaf.attr("value_type")))));
  }
  return NewNumpyIterator(self);
}
Object SingleElement(Handle self, Handle) {
  const Object spec = self.attr("element_spec");
  nb::dict call = ElementAttributes(spec);
  call["dataset"] = self.attr("_as_input")();
  return ElementOfComponents(
      spec, Owned(CallOp(kDatasetToSingleElement, call.ptr())));
}

// --- For AutoGraph.

Object LoopOverDataset(Handle self, nb::tuple loop) {
  return package::dataset_loop.Held()(self, *loop);
}
Object StagedLength(Handle self) {
  const Object length = self.attr("cardinality")();
  nb::list data, first;
  data.append(Wrapped(ConvertedTo(
      nb::str("len requires dataset with definitive cardinality, got"),
      DataType::kString)));
  data.append(length);
  const Object known = length.attr("__ge__")(0);
  const Object check = Owned(
      CallOp(kAssert, {{"condition", known.ptr()}, {"data", data.ptr()}}));
  if (!check.is_none()) first.append(check);
  std::vector<Node*> before;
  const Object graph = GraphHere();
  if (!graph.is_none() && !GatesOf(graph.ptr(), first.ptr(), &before)) {
    throw nb::python_error();
  }
  const RunsAfter order(FuncGraph::Current(), before);
  return Owned(CallOp(kIdentity, {{"input", length.ptr()}}));
}
Object Enumerated(Handle self, Handle start) {
  return self.attr("enumerate")(start);
}
Object ZippedOf(Handle, Handle iterables) {
  return base.attr("zip")(nb::tuple(nb::borrow(iterables)));
}
Object Mapped(Handle self, Handle function) {
  return self.attr("map")(function);
}
Object Filtered(Handle self, Handle function) {
  return self.attr("filter")(function);
}

Object FunctionOf(const char* op) {
  return Owned(FunctionOfOp(OpInfo::Find(op)->record()));
}

// Is there an element that `ends` holds for? Then the first one says what
// `joined` makes of it and `value`, else `value` is it.
Object OfBools(Handle self, const char* name, const char* ends, bool value,
               const char* joined) {
  const Object spec = self.attr("element_spec");
  const bool bools =
      IsTensorSpec(spec.ptr()) &&
      TensorSpecOf(spec.ptr())->dtype == DataType::kBool &&
      TensorSpecOf(spec.ptr())->shape.IsCompatibleWith(TensorShape());
  if (!bools) {
    Throw(
        ValueError("in graph mode, the \"{}\" builtin only supports datasets "
                   "that return bool scalars; got: {}",
                   name, TextOf(spec)));
  }
  return self.attr("filter")(FunctionOf(ends))
      .attr("take")(1)
      .attr("reduce")(Wrapped(Converted(nb::bool_(value))), FunctionOf(joined));
}
Object AnyOf(Handle self) {
  return OfBools(self, "any", kIdentity, false, kLogicalOr);
}
Object AllOf(Handle self) {
  return OfBools(self, "all", kLogicalNot, true, kLogicalAnd);
}

// --- Datasets of given values.

// Of single tensors.
Object Source(const TypedDataset& d) {
  return Made(d.variant,
              Owned(WrapTensorSpec(d.elements.shapes[0], d.elements.types[0])),
              nb::tuple());
}

Object Range(Handle, nb::tuple args, nb::dict options) {
  DataType type = DataType::kInt64;
  for (auto [key, value] : options) {
    const auto name = nb::cast<std::string>(key);
    if (name == "output_type") {
      type = AsDType(value.ptr());
      if (type == DataType::kInvalid) throw nb::python_error();
    } else if (name != "name") {
      Throw(TypeError("unexpected argument '{}'", name));
    }
  }
  const size_t n = args.size();
  if (n < 1 || n > 3) {
    Throw(
        ValueError("Invalid `args`. The length of `args` should be between 1 "
                   "and 3 but was {}.",
                   n));
  }
  const auto number = [](Handle value, const char* name) {
    return NumberTensor(value, DataType::kInt64, name);
  };
  const Tensor start = number(n == 1 ? nb::int_(0) : Object(args[0]), "start"),
               stop = number(Object(args[n == 1 ? 0 : 1]), "stop"),
               step = number(n == 3 ? Object(args[2]) : nb::int_(1), "step");
  return Source(steps::Range(start, stop, step, type));
}
Object FromTensors(Handle, Handle tensors, Handle) {
  const Object value = NormalizedElement(tensors);
  const Object spec = SpecOfElement(value);
  RefuseEmpty(spec);
  const TensorVector parts = Tensors(ComponentsOfElement(spec, value));
  return Made(steps::FromTensors(parts, SignatureOfSpec(spec)).variant, spec,
              nb::tuple());
}
Object FromSlices(Handle, Handle tensors, Handle) {
  const Object value = NormalizedElement(tensors);
  const Object batched = SpecOfElement(value);
  RefuseEmpty(batched);
  const Object spec = RowsOfSpec(batched);
  steps::CheckSlices(CoreElement(batched));
  const TensorVector parts =
      Tensors(ComponentsOfElement(batched, value, /*rows=*/true));
  return Made(steps::FromSlices(parts, SignatureOfSpec(spec)).variant, spec,
              nb::tuple());
}
Object FromList(Handle, Handle given) {
  if (PyObject_Not(given.ptr()) == 1) {
    Throw(ValueError(
        "Invalid `elements`. `elements` should not be empty. If you want an "
        "empty dataset, use `tf.data.Dataset.range(0)`."));
  }
  if (!PyList_Check(given.ptr())) {
    Throw(ValueError("Invalid `elements`. `elements` must be a list."));
  }
  nb::list values;
  Object spec;
  for (Handle element : nb::borrow<nb::list>(given)) {
    const Object value = NormalizedElement(element);
    const Object own = SpecOfElement(value);
    const Object both = spec.is_valid() ? Common(spec, own) : own;
    if (both.is_none()) {
      Throw(ValueError(
          "Invalid `elements`. Elements must have one structure and types, but "
          "one is {} and another {}.",
          TextOf(spec), TextOf(own)));
    }
    spec = both;
    values.append(value);
  }
  RefuseEmpty(spec);
  TensorVector parts;
  for (Handle value : values) {
    for (Tensor& t : Tensors(ComponentsOfElement(spec, value))) {
      parts.push_back(std::move(t));
    }
  }
  const ElementSignature e = SignatureOfSpec(spec);
  return Made(ops::ListDataset(parts, e.types, e.shapes), spec, nb::tuple());
}
Object FingerprintOfDataset(Handle self) {
  const Object input = self.attr("_as_input")();
  return Wrapped(ops::DatasetFingerprint(TensorOf(input.ptr())));
}
Object Zip(Handle, nb::tuple args, Handle given, Handle) {
  Object datasets = nb::borrow(given);
  if (args.size() == 0 && datasets.is_none()) {
    Throw(TypeError("Must pass at least one dataset to `zip`."));
  }
  if (args.size() != 0 && !datasets.is_none()) {
    Throw(TypeError("Both `*args` and `datasets` cannot be set."));
  }
  if (args.size() != 0) datasets = args.size() == 1 ? Object(args[0]) : args;
  const nb::list inputs = ElementLeaves(datasets);
  nb::list specs;
  std::vector<TypedDataset> typed;
  for (Handle leaf : inputs) {
    constexpr std::string_view kExpected =
        "Invalid input to `zip`. Inputs are expected to be (nested) structures "
        "of `tf.data.Dataset` objects";
    if (PyList_Check(leaf.ptr())) {
      Throw(
          TypeError("{}. Python `list` is not supported and you should use "
                    "`tuple` instead.",
                    kExpected));
    }
    if (!IsDataset(leaf)) {
      Throw(TypeError("{} but encountered object of type {}.", kExpected,
                      TextOf(leaf.type())));
    }
    specs.append(leaf.attr("element_spec"));
    typed.push_back(DatasetOf(leaf));
  }
  return Made(steps::Zip(typed).variant, PackedElement(datasets, specs),
              inputs);
}
Object Random(Handle, Handle seed, Handle rerandomize, Handle) {
  const bool anew =
      !rerandomize.is_none() && nb::cast<bool>(nb::bool_(rerandomize));
  return Source(steps::Random(SeedOf(seed), anew));
}

Object Counter(Handle, Handle start, Handle step, Handle dtype, Handle) {
  const DataType type = AsDType(dtype.ptr());
  if (type == DataType::kInvalid) throw nb::python_error();
  const Tensor first = NumberTensor(start, type, "start"),
               by = NumberTensor(step, type, "step");
  return Source(steps::Counter(first, by));
}

PyMethodDef methods[] = {
    GK_METHOD("__init__", "variant_tensor", Init, ""),
    GK_METHOD("_as_input", "", AsInput, ""),
    GK_METHOD("__repr__", "", Text, ""),
    GK_METHOD("__bool__", "", IsTrue, ""),
    GK_METHOD("__len__", "", Length, ""),
    GK_METHOD("__iter__", "", Iterate, ""),
    GK_METHOD("as_numpy_iterator", "", NumpyIterator,
              "An iterator over the elements as NumPy arrays.\n\n"
              "Raises:\n"
              "  TypeError: elements hold something that is no array.\n"
              "  RuntimeError: while a graph is built.\n\n"
              ">>> list(tf.data.Dataset.range(3).as_numpy_iterator())\n"
              "[np.int64(0), np.int64(1), np.int64(2)]\n"),
    GK_METHOD(
        "cardinality", "", Cardinality,
        "The number of elements as an int64 scalar, where it is known without\n"
        "iterating; tf.data.INFINITE_CARDINALITY (-1) or\n"
        "tf.data.UNKNOWN_CARDINALITY (-2) else.\n\n"
        ">>> int(tf.data.Dataset.range(7).batch(3).cardinality())\n"
        "3\n"),
    GK_METHOD("fingerprint", "", FingerprintOfDataset,
              "A number for what the dataset is made of, a uint64 scalar, the\n"
              "same in every process. Datasets of the same number give the\n"
              "same elements, unless they draw random numbers or read what\n"
              "changes.\n\n"
              ">>> d, e = (tf.data.Dataset.range(3).batch(2)\n"
              "...         for _ in range(2))\n"
              ">>> bool(d.fingerprint() == e.fingerprint())\n"
              "True\n"),
    GK_METHOD(
        "get_single_element", "name=None", SingleElement,
        "The one element.\n\n"
        "Raises:\n"
        "  tf.errors.InvalidArgumentError: there are none, or several.\n\n"
        ">>> int(tf.data.Dataset.from_tensors(5).get_single_element())\n"
        "5\n"),
    GK_METHOD("_autograph_for", "*args", LoopOverDataset, ""),
    GK_METHOD("_autograph_len", "", StagedLength, ""),
    GK_METHOD("_autograph_enumerate", "start=0", Enumerated, ""),
    GK_STATIC_METHOD("_autograph_zip", "iterables", ZippedOf, ""),
    GK_METHOD("_autograph_map", "function", Mapped, ""),
    GK_METHOD("_autograph_filter", "function", Filtered, ""),
    GK_METHOD("_autograph_any", "", AnyOf, ""),
    GK_METHOD("_autograph_all", "", AllOf, ""),
    GK_STATIC_METHOD(
        "range", "*args, **kwargs", Range,
        "Numbers: `range(stop)`, `range(start, stop)` or\n"
        "`range(start, stop, step)`.\n\n"
        "Args:\n"
        "  *args: int64 scalars.\n"
        "  **kwargs: output_type: of the elements; tf.int64 if not given.\n"
        "    name: accepted for compatibility.\n\n"
        "Raises:\n"
        "  ValueError: there are no numbers, or more than three.\n"
        "  tf.errors.InvalidArgumentError: step is 0.\n\n"
        ">>> [int(x) for x in tf.data.Dataset.range(1, 8, 3)]\n"
        "[1, 4, 7]\n"),
    GK_STATIC_METHOD(
        "from_tensors", "tensors, name=None", FromTensors,
        "One element.\n\n"
        "Args:\n"
        "  tensors: a structure of what can be tensors; lists are tensors.\n"
        "  name: accepted for compatibility.\n\n"
        ">>> [x.numpy().tolist() for x in\n"
        "...  tf.data.Dataset.from_tensors([1, 2])]\n"
        "[[1, 2]]\n"),
    GK_STATIC_METHOD(
        "from_tensor_slices", "tensors, name=None", FromSlices,
        "The rows of tensors: what their first dimension holds.\n\n"
        "Args:\n"
        "  tensors: a structure of what can be tensors of one length.\n"
        "  name: accepted for compatibility.\n\n"
        "Raises:\n"
        "  ValueError: a tensor is a scalar, or lengths differ.\n\n"
        ">>> [(int(a), int(b)) for a, b in\n"
        "...  tf.data.Dataset.from_tensor_slices(([1, 2], [3, 4]))]\n"
        "[(1, 3), (2, 4)]\n"),
    GK_METHOD("_inputs", "", Inputs, ""),
    GK_METHOD("_apply_debug_options", "", ItsOwn, ""),
    GK_STATIC_METHOD("_from_list", "elements", FromList, ""),
    GK_STATIC_METHOD(
        "zip", "*args, datasets=None, name=None", Zip,
        "Elements of several datasets side by side, as many as the shortest\n"
        "has.\n\n"
        "Args:\n"
        "  *args: datasets, or one structure of datasets.\n"
        "  datasets: the structure, if not given as argument.\n"
        "  name: accepted for compatibility.\n\n"
        "Raises:\n"
        "  TypeError: something is no dataset.\n\n"
        ">>> a, b = tf.data.Dataset.range(2), tf.data.Dataset.range(5, 9)\n"
        ">>> [(int(x), int(y)) for x, y in tf.data.Dataset.zip(a, b)]\n"
        "[(0, 5), (1, 6)]\n"),
    GK_STATIC_METHOD(
        "counter", "start=0, step=1, dtype=tf.int64, name=None", Counter,
        "Numbers from `start` on, without end.\n\n"
        "Args:\n"
        "  start: the first number.\n"
        "  step: the difference of two numbers.\n"
        "  dtype: of the numbers.\n"
        "  name: accepted for compatibility.\n\n"
        ">>> [int(x) for x in tf.data.Dataset.counter(3, 2).take(3)]\n"
        "[3, 5, 7]\n"),
    GK_STATIC_METHOD(
        "random", "seed=None, rerandomize_each_iteration=None, name=None",
        Random,
        "Random int64 numbers from 0 to 2**32 - 1, without end.\n\n"
        "Args:\n"
        "  seed: an int; with the global seed it determines the numbers.\n"
        "  rerandomize_each_iteration: whether each iteration has others.\n"
        "  name: accepted for compatibility.\n\n"
        ">>> numbers = tf.data.Dataset.random(seed=1).take(2)\n"
        ">>> all(0 <= x < 2 ** 32 for x in numbers.as_numpy_iterator())\n"
        "True\n"),
    {}};
PyGetSetDef properties[] = {
    GK_PROPERTY("element_spec", OwnElementSpec,
                "The structure of tf.TypeSpecs of an element.\n\n"
                ">>> tf.data.Dataset.from_tensors((1, \"a\")).element_spec\n"
                "(TensorSpec(shape=(), dtype=tf.int32, name=None), "
                "TensorSpec(shape=(), dtype=tf.string, name=None))\n"),
    GK_PROPERTY("_type_spec", TypeSpecOf, nullptr),
    GK_PROPERTY("_flat_structure", FlatStructure, nullptr),
    GK_PROPERTY("_flat_shapes", FlatShapes, nullptr),
    GK_PROPERTY("_flat_types", FlatTypes, nullptr),
    GK_PROPERTY("_common_args", CommonArgs, nullptr),
    {}};

}  // namespace

bool IsDataset(Handle value) {
  return PyObject_TypeCheck(value.ptr(),
                            reinterpret_cast<PyTypeObject*>(base.ptr()));
}

void AddDatasetClass(nb::module_& m) {
  base = AddClass(m, "DatasetBase", m.attr("CompositeTensor"), std::nullopt,
                  "What every tf.data.Dataset knows.", methods, properties,
                  "graphkiln.data");
}

}  // namespace gk::py
