// tf.data.Dataset: elements made by functions of elements.
#include "function/dataset_builder.h"
#include "function/user_scopes.h"
#include "python/src/binding/class_attribute.h"
#include "python/src/data/dataset_methods.h"
#include "python/src/data/dataset_ops.h"
#include "python/src/data/dataset_step.h"
#include "python/src/ops/call_op.h"
#include "python/src/tensors/dtype_type.h"
#include "python/src/tensors/tensor_spec_type.h"

namespace gk::py {
namespace {

namespace nb = nanobind;

nb::object OrElse(nb::handle given, int otherwise) {
  return given.is_none() ? nb::object(nb::int_(otherwise)) : nb::borrow(given);
}

nb::object Map(const Arguments& a) {
  const UsersFunction f(a["map_func"], "Dataset.map()",
                        ElementSpecOf(a.self()));
  const nb::object spec = f.output();
  OfElements("not_empty", spec);
  Given given = {{"f", f.function()},
                 {"preserve_cardinality", nb::bool_(true)}};
  if (!a.has("num_parallel_calls")) {
    given.emplace_back("force_synchronous", nb::bool_(a.flag("synchronous")));
    return Then(a, kMapDataset, spec, given);
  }
  given.emplace_back("num_parallel_calls", nb::borrow(a["num_parallel_calls"]));
  given.emplace_back("deterministic", Deterministic(a["deterministic"]));
  given.emplace_back("use_unbounded_threadpool",
                     nb::bool_(a.flag("use_unbounded_threadpool")));
  return Then(a, kParallelMapDatasetV2, spec, given);
}

// Elements by a predicate.
template <const char* kOp, Name kCaller>
nb::object Where(const Arguments& a) {
  const UsersFunction f(a["predicate"], kCaller.text, ElementSpecOf(a.self()));
  const nb::object made = f.output();
  const bool scalar =
      IsTensorSpec(made.ptr()) &&
      TensorSpecOf(made.ptr())->dtype == DataType::kBool &&
      TensorSpecOf(made.ptr())->shape.IsCompatibleWith(TensorShape());
  if (!scalar) {
    Throw(ValueError(
        "Invalid `predicate`. `predicate` must return a `tf.bool` scalar "
        "tensor, but its return type is {}.",
        TextOf(made)));
  }
  return Then(a, kOp, {}, {{"predicate", f.function()}});
}

constexpr std::string_view kNoDataset =
    "The `map_func` argument must return a `Dataset` object. Got";

nb::object FlatMap(const Arguments& a) {
  const UsersFunction f(a["map_func"], "Dataset.flat_map()",
                        ElementSpecOf(a.self()));
  return Then(a, kFlatMapDataset, f.Elements(kNoDataset),
              {{"f", f.function()}});
}

nb::object Interleave(const Arguments& a) {
  const UsersFunction f(a["map_func"], "Dataset.interleave()",
                        ElementSpecOf(a.self()));
  const nb::object spec = f.Elements(kNoDataset);
  Given given = {{"f", f.function()},
                 {"cycle_length", OrElse(a["cycle_length"], -1)},
                 {"block_length", OrElse(a["block_length"], 1)}};
  if (!a.has("num_parallel_calls")) {
    return Then(a, kInterleaveDataset, spec, given);
  }
  given.emplace_back("buffer_output_elements", nb::int_(-1));
  given.emplace_back("prefetch_input_elements", nb::int_(-1));
  given.emplace_back("num_parallel_calls", nb::borrow(a["num_parallel_calls"]));
  given.emplace_back("deterministic", Deterministic(a["deterministic"]));
  return Then(a, kParallelInterleaveDatasetV4, spec, given);
}

// A function of a state and an element, traced until the state's spec settles.
struct Settled {
  nb::object spec;     // of the state
  nb::object initial;  // its components
  UsersFunction f;
};

Settled Settle(const Arguments& a, const char* function, const char* caller,
               nb::object state_of) {
  const nb::object state = [&] {
    const WithinScope scope("initial_state");
    return NormalizedElement(a["initial_state"]);
  }();
  const nb::object f = nb::borrow(a[function]),
                   element = ElementSpecOf(a.self());
  const nb::object trace = nb::cpp_function([=](nb::object spec) {
    return UsersFunction(f, caller, nb::make_tuple(spec, element)).traced();
  });
  const nb::object settled =
      OfElements("until_fixed", SpecOfElement(state), trace, state_of);
  const nb::object spec = settled[1];
  return {spec, ComponentsOfElement(spec, state), UsersFunction(settled[0])};
}

nb::object Scan(const Arguments& a) {
  const nb::object first = nb::cpp_function([](nb::object traced) {
    nb::object made = traced.attr("output_spec");
    if (!nb::isinstance<nb::tuple>(made) || nb::len(made) != 2) {
      Throw(TypeError(
          "Invalid `scan_func`. `scan_func` should return a pair consisting of "
          "new state and the output value but its return type is {}.",
          TextOf(made)));
    }
    return nb::object(made[0]);
  });
  const Settled made = Settle(a, "scan_func", "Dataset.scan()", first);
  return Then(a, kScanDataset, nb::object(made.f.output()[1]),
              {{"f", made.f.function()},
               {"initial_state", made.initial},
               {"preserve_cardinality", nb::bool_(true)},
               {"use_default_device", nb::bool_(false)}});
}

nb::object Reduce(const Arguments& a) {
  const nb::object whole = nb::cpp_function([](nb::object traced) {
    return traced.attr("output_spec").operator nb::object();
  });
  const Settled made = Settle(a, "reduce_func", "reduce()", whole);
  const nb::object input = a.self().attr("_as_input")(), f = made.f.function(),
                   captured = f.attr("captured_inputs"),
                   described = ElementAttributes(made.spec),
                   types = described["output_types"],
                   shapes = described["output_shapes"];
  const nb::object results =
      Owned(CallOp(kReduceDataset, {{"input_dataset", input.ptr()},
                                    {"initial_state", made.initial.ptr()},
                                    {"other_arguments", captured.ptr()},
                                    {"f", f.ptr()},
                                    {"output_types", types.ptr()},
                                    {"output_shapes", shapes.ptr()}}));
  return ElementOfComponents(made.spec, results);
}

nb::object MapAndBatch(const Arguments& a) {
  return a.self()
      .attr("map")(a["map_func"], a["num_parallel_calls"])
      .attr("batch")(a["batch_size"], a["drop_remainder"]);
}

constexpr ToldFunction kMethods[] = {
    {R"(map(self, map_func, num_parallel_calls=None, deterministic=None,
    synchronous=None, use_unbounded_threadpool=False, name=None)
What `map_func` makes of each element.

Args:
  map_func: called with the element, or with its parts if it is a tuple. Traced
    once; what it captured is used as it is then.
  num_parallel_calls: how many elements may be worked on at a time;
    tf.data.AUTOTUNE for as many as there are CPUs. One after the other if not
    given.
  deterministic: accepted; elements always keep their order.
  synchronous: accepted for compatibility.
  use_unbounded_threadpool: accepted for compatibility.
  name: accepted for compatibility.

Raises:
  TypeError: `map_func` returns what cannot be tensors.

>>> [int(x) for x in tf.data.Dataset.range(3).map(lambda x: x * x)]
[0, 1, 4])",
     &Map},
    {R"(filter(self, predicate, name=None)
The elements for which `predicate` holds.

Args:
  predicate: as map_func of `map`; returns a bool scalar.
  name: accepted for compatibility.

Raises:
  ValueError: it returns something else.

>>> [int(x) for x in tf.data.Dataset.range(5).filter(lambda x: x > 2)]
[3, 4])",
     &Where<kFilterDataset, "Dataset.filter()">},
    {R"(take_while(self, predicate, name=None)
The elements before the first for which `predicate` does not hold.

Args:
  predicate: as map_func of `map`; returns a bool scalar.
  name: accepted for compatibility.

Raises:
  ValueError: it returns something else.

>>> [int(x) for x in tf.data.Dataset.range(5).take_while(lambda x: x < 2)]
[0, 1])",
     &Where<kTakeWhileDataset, "Dataset.take_while()">},
    {R"(flat_map(self, map_func, name=None)
The elements of the datasets that `map_func` makes of each element, one after
the other.

Args:
  map_func: as that of `map`; returns a dataset.
  name: accepted for compatibility.

Raises:
  TypeError: it returns something else.

>>> [int(x) for x in tf.data.Dataset.range(4).flat_map(
...     lambda x: tf.data.Dataset.range(x))]
[0, 0, 1, 0, 1, 2])",
     &FlatMap},
    {R"(interleave(self, map_func, cycle_length=None, block_length=None,
           num_parallel_calls=None, deterministic=None, name=None)
The elements of the datasets that `map_func` makes of each element, of several
of them in turn.

Args:
  map_func: as that of `map`; returns a dataset.
  cycle_length: how many datasets take turns; as many as there are CPUs if not
    given.
  block_length: how many elements one gives in its turn; 1 if not given.
  num_parallel_calls: how many of the datasets are worked on at a time;
    tf.data.AUTOTUNE for as many as there are CPUs. One element after the other
    is made if not given.
  deterministic: if False, a dataset that has an element ready goes before one
    that has not.
  name: accepted for compatibility.

Raises:
  TypeError: `map_func` returns something else.

>>> [int(x) for x in tf.data.Dataset.range(2).interleave(
...     lambda x: tf.data.Dataset.from_tensors(x).repeat(2),
...     cycle_length=2)]
[0, 1, 0, 1])",
     &Interleave},
    {R"(scan(self, initial_state, scan_func, name=None)
What `scan_func(state, element)` returns besides the next state.

Args:
  initial_state: a structure of what can be tensors.
  scan_func: returns a pair: the next state, and an element.
  name: accepted for compatibility.

Raises:
  TypeError: it returns no pair, or the next state has another structure or
    other types.

>>> [int(x) for x in tf.data.Dataset.range(4).scan(
...     tf.constant(0, tf.int64), lambda a, x: (a + x, a + x))]
[0, 1, 3, 6])",
     &Scan},
    {R"(reduce(self, initial_state, reduce_func, name=None)
The last of the states `state = reduce_func(state, element)`.

Args:
  initial_state: a structure of what can be tensors.
  reduce_func: takes a state and an element; returns the next state.
  name: accepted for compatibility.

Raises:
  TypeError: the next state has another structure or other types.

>>> int(tf.data.Dataset.range(5).reduce(
...     tf.constant(0, tf.int64), lambda a, x: a + x))
10)",
     &Reduce},
    {R"(_map_and_batch(self, map_func, num_parallel_calls, batch_size,
               drop_remainder)
See tf.data.experimental.map_and_batch.)",
     &MapAndBatch},
};

}  // namespace

PyMethodDef* FunctionalMethods() { return MethodsOf<kMethods, METH_STATIC>(); }

}  // namespace gk::py
