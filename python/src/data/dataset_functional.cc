// tf.data.Dataset: elements made by functions of elements.
#include <optional>

#include "function/user_scopes.h"
#include "python/src/data/dataset_methods.h"
#include "python/src/data/dataset_step.h"
#include "python/src/data/run_freely.h"

namespace gk::py {
namespace {

namespace nb = nanobind;

nb::object Map(const Arguments& a) {
  const UsersFunction f(a["map_func"], "Dataset.map()",
                        ElementSpecOf(a.self()));
  return Then(a,
              steps::Map(Own(a), f.core(),
                         {ParallelOf(a), a.flag("synchronous"),
                          a.flag("use_unbounded_threadpool")}),
              f.output(), {f.function()});
}

// Elements by a predicate.
template <auto kStep, Name kCaller>
nb::object Where(const Arguments& a) {
  const UsersFunction f(a["predicate"], kCaller.text, ElementSpecOf(a.self()));
  return WithWords(f.output(), [&](const steps::Described& returned) {
    return Then(a, kStep(Own(a), f.core(), returned), {}, {f.function()});
  });
}

nb::object FlatMap(const Arguments& a) {
  const UsersFunction f(a["map_func"], "Dataset.flat_map()",
                        ElementSpecOf(a.self()));
  const nb::object spec = f.Elements(&steps::NoDataset);
  return Then(a, steps::FlatMap(Own(a), f.core(), SignatureOfSpec(spec)), spec,
              {f.function()});
}

nb::object Interleave(const Arguments& a) {
  const UsersFunction f(a["map_func"], "Dataset.interleave()",
                        ElementSpecOf(a.self()));
  const nb::object spec = f.Elements(&steps::NoDataset);
  const steps::Turns turns{NumberIfGiven(a, "cycle_length"),
                           NumberIfGiven(a, "block_length"), ParallelOf(a)};
  return Then(a,
              steps::Interleave(Own(a), f.core(), SignatureOfSpec(spec), turns),
              spec, {f.function()});
}

// A function of a state and an element, traced until the state's spec settles.
struct Settled {
  nb::object spec;     // of the state
  nb::object initial;  // its components
  UsersFunction f;
};

Settled Settle(const Arguments& a, const char* function, const char* caller,
               FunctionRef<nb::object(const nb::object& returned)> state_of) {
  const nb::object state = [&] {
    const WithinScope scope("initial_state");
    return NormalizedElement(a["initial_state"]);
  }();
  const nb::object element = ElementSpecOf(a.self());
  std::optional<UsersFunction> f;
  const nb::object spec =
      UntilFixedSpec(SpecOfElement(state), [&](const nb::object& now) {
        f.emplace(a[function], caller, nb::make_tuple(now, element));
        return state_of(f->output());
      });
  return {spec, ComponentsOfElement(spec, state), *std::move(f)};
}

nb::object Scan(const Arguments& a) {
  const auto first = [](const nb::object& made) {
    if (!nb::isinstance<nb::tuple>(made) || nb::len(made) != 2) {
      Throw(TypeError(
          "Invalid `scan_func`. `scan_func` should return a pair consisting of "
          "new state and the output value but its return type is {}.",
          TextOf(made)));
    }
    return nb::object(made[0]);
  };
  const Settled made = Settle(a, "scan_func", "Dataset.scan()", first);
  const nb::object spec = made.f.output()[1];
  return Then(a,
              steps::Scan(Own(a), Tensors(made.initial), made.f.core(),
                          SignatureOfSpec(spec)),
              spec, {made.f.function()});
}

nb::object Reduce(const Arguments& a) {
  const auto whole = [](const nb::object& made) { return made; };
  const Settled made = Settle(a, "reduce_func", "reduce()", whole);
  const TypedDataset own = Own(a);
  const ElementFunction f = made.f.core();
  const TensorVector initial = Tensors(made.initial);
  const ElementSignature settled = SignatureOfSpec(made.spec);
  TensorVector results;
  RunFreely([&] { results = steps::Reduce(own, initial, f, settled); });
  return ElementOfComponents(made.spec, Wrapped(results));
}

nb::object MapThenBatch(const Arguments& a) {
  return a.self()
      .attr("map")(a["map_func"], a["num_parallel_calls"])
      .attr("batch")(a["batch_size"], a["drop_remainder"]);
}

constexpr ToldFunction kDatasetFunctionalMethods[] = {
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
     &Where<steps::Filter, "Dataset.filter()">},
    {R"(take_while(self, predicate, name=None)
The elements before the first for which `predicate` does not hold.

Args:
  predicate: as map_func of `map`; returns a bool scalar.
  name: accepted for compatibility.

Raises:
  ValueError: it returns something else.

>>> [int(x) for x in tf.data.Dataset.range(5).take_while(lambda x: x < 2)]
[0, 1])",
     &Where<steps::TakeWhile, "Dataset.take_while()">},
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
     &MapThenBatch},
};

}  // namespace

PyMethodDef* FunctionalMethods() {
  return MethodsOf<kDatasetFunctionalMethods, METH_STATIC>();
}

}  // namespace gk::py
