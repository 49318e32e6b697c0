// tf.data.experimental: older names of what datasets and iterators have.
#include "data/debug_mode.h"
#include "framework/op_builder.h"
#include "python/src/binding/class_attribute.h"
#include "python/src/binding/imported_once.h"
#include "python/src/binding/text_caster.h"
#include "python/src/data/dataset_methods.h"
#include "python/src/data/dataset_step.h"

namespace gk::py {
namespace {

namespace nb = nanobind;

template <class... Args>
nb::object Later(const char* member, Args&&... args) {
  static constinit ImportedOnce make("operator", "methodcaller");
  return Owned(Py_XNewRef(make.Get()))(member, std::forward<Args>(args)...);
}

nb::object AsTuple(const Arguments& a, size_t from = 0) {
  nb::list all;
  for (size_t i = from; i < a.values().size(); ++i) all.append(a.values()[i]);
  return nb::tuple(all);
}

// What calls the member of a dataset with the same arguments.
template <Name kMember>
nb::object Applied(const Arguments& a) {
  return Later(kMember.text, *AsTuple(a));
}
// A member of the first argument.
template <Name kMember>
nb::object Called(const Arguments& a) {
  return a.values()[0].attr(kMember.text)(*AsTuple(a, 1));
}
template <Name kMember>
nb::object Static(const Arguments& a) {
  return DatasetClass().attr(kMember.text)(*AsTuple(a));
}

nb::object EnableDebugMode(const Arguments&) {
  if (OpBuilder::Current()->builds_graph()) {
    Throw(ValueError(
        "`enable_debug_mode() is only supported in eager mode."));
  }
  EnableDatasetDebugMode();
  return nb::none();
}

nb::object FromList(const Arguments& a) {
  return DatasetClass().attr("_from_list")(a["elements"]);
}

nb::object GetSingleElement(const Arguments& a) {
  if (!IsDataset(a["dataset"])) {
    Throw(TypeError(
        "Invalid `dataset`. Expected a `tf.data.Dataset` object but got {}.",
        TextOf(a["dataset"].type())));
  }
  return Called<"get_single_element">(a);
}

nb::object GetStructure(const Arguments& a) {
  const nb::handle given = a["dataset_or_iterator"];
  if (!nb::hasattr(given, "element_spec")) {
    Throw(TypeError(
        "Invalid `dataset_or_iterator`. `dataset_or_iterator` must be a "
        "`tf.data.Dataset` or tf.data.Iterator object, but got {}.",
        TextOf(given.type())));
  }
  return given.attr("element_spec");
}

nb::object FromVariant(const Arguments& a) {
  return MakeDataset("_VariantDataset", a["variant"], a["structure"]);
}

nb::object MapAndBatch(const Arguments& a) {
  nb::object calls = nb::borrow(a["num_parallel_calls"]);
  const nb::handle batches = a["num_parallel_batches"];
  if (!batches.is_none()) {
    if (!calls.is_none()) {
      Throw(ValueError(
          "`map_and_batch` allows only one of `num_parallel_batches` and "
          "`num_parallel_calls` to be set, but `num_parallel_batches` was set "
          "to {} and `num_parallel_calls` was set to {}.",
          TextOf(batches), TextOf(calls)));
    }
    calls = batches * a["batch_size"];
  }
  return Later("_map_and_batch", a["map_func"], calls, a["batch_size"],
               a["drop_remainder"]);
}

nb::object ParallelInterleave(const Arguments& a) {
  return Later("interleave", a["map_func"], a["cycle_length"],
               a["block_length"], a["cycle_length"], !a.flag("sloppy"));
}

nb::object PrefetchToDevice(const Arguments& a) {
  return Later("prefetch", a["buffer_size"]);
}
nb::object CopyToDevice(const Arguments&) { return Later("_here"); }

constexpr ToldFunction kFunctions[] = {
    {R"(cardinality(dataset)
`Dataset.cardinality`.

>>> int(tf.data.experimental.cardinality(tf.data.Dataset.range(4)))
4)",
     &Called<"cardinality">},
    {R"(get_single_element(dataset)
`Dataset.get_single_element`.

>>> d = tf.data.Dataset.from_tensors(3)
>>> int(tf.data.experimental.get_single_element(d))
3)",
     &GetSingleElement},
    {R"(get_next_as_optional(iterator)
`iterator.get_next_as_optional()`.

>>> it = iter(tf.data.Dataset.range(4))
>>> int(tf.data.experimental.get_next_as_optional(it).get_value())
0)",
     &Called<"get_next_as_optional">},
    {R"(get_structure(dataset_or_iterator)
The `element_spec` of a dataset or an iterator: `Dataset.element_spec`.

>>> tf.data.experimental.get_structure(tf.data.Dataset.range(4))
TensorSpec(shape=(), dtype=tf.int64, name=None))",
     &GetStructure},
    {R"(to_variant(dataset)
The variant tensor of a dataset.

>>> tf.data.experimental.to_variant(tf.data.Dataset.range(4)).dtype
tf.variant)",
     &Called<"_as_input">},
    {R"(from_variant(variant, structure)
The dataset in a variant tensor.

Args:
  variant: what `to_variant` returned.
  structure: the structure of tf.TypeSpecs of an element.

>>> d = tf.data.Dataset.range(2)
>>> variant = tf.data.experimental.to_variant(d)
>>> d = tf.data.experimental.from_variant(variant, d.element_spec)
>>> [int(x) for x in d]
[0, 1])",
     &FromVariant},
    {R"(enumerate_dataset(start=0)
For `apply`: `Dataset.enumerate`.

>>> d = tf.data.Dataset.range(5, 6)
>>> d = d.apply(tf.data.experimental.enumerate_dataset())
>>> [(int(i), int(x)) for i, x in d]
[(0, 5)])",
     &Applied<"enumerate">},
    {R"(unbatch()
For `apply`: `Dataset.unbatch`.

>>> d = tf.data.Dataset.from_tensors([1, 2])
>>> [int(x) for x in d.apply(tf.data.experimental.unbatch())]
[1, 2])",
     &Applied<"unbatch">},
    {R"(scan(initial_state, scan_func)
For `apply`: `Dataset.scan`.

>>> d = tf.data.Dataset.range(1, 4).apply(tf.data.experimental.scan(
...     tf.constant(0, tf.int64), lambda a, x: (a + x, a + x)))
>>> [int(x) for x in d]
[1, 3, 6])",
     &Applied<"scan">},
    {R"(take_while(predicate)
For `apply`: `Dataset.take_while`.

>>> d = tf.data.Dataset.range(9)
>>> d = d.apply(tf.data.experimental.take_while(lambda x: x < 2))
>>> [int(x) for x in d]
[0, 1])",
     &Applied<"take_while">},
    {R"(unique()
For `apply`: `Dataset.unique`.

>>> d = tf.data.Dataset.from_tensor_slices([1, 1, 2])
>>> [int(x) for x in d.apply(tf.data.experimental.unique())]
[1, 2])",
     &Applied<"unique">},
    {R"(Counter(start=0, step=1, dtype=tf.int64)
`Dataset.counter`.

>>> [int(x) for x in tf.data.experimental.Counter(5).take(2)]
[5, 6])",
     &Static<"counter">},
    {R"(assert_cardinality(expected_cardinality)
For `apply`: says how many elements there are. When iterating shows something
else, that is a tf.errors.FailedPreconditionError.

>>> d = tf.data.Dataset.range(4).filter(lambda x: x > 1)
>>> len(d.apply(tf.data.experimental.assert_cardinality(2)))
2)",
     &Applied<"_assert_cardinality">},
    {R"(ignore_errors(log_warning=False)
For `apply`: `Dataset.ignore_errors`.

>>> d = tf.data.Dataset.from_tensor_slices([1, 0]).map(lambda x: 1 // x)
>>> [int(x) for x in d.apply(tf.data.experimental.ignore_errors())]
[1])",
     &Applied<"ignore_errors">},
    {R"(group_by_window(key_func, reduce_func, window_size=None,
                window_size_func=None)
For `apply`: `Dataset.group_by_window`.

>>> d = tf.data.Dataset.range(4)
>>> d = d.apply(tf.data.experimental.group_by_window(
...     lambda x: x % 2, lambda key, group: group.batch(2), 2))
>>> [x.numpy().tolist() for x in d]
[[0, 2], [1, 3]])",
     &Applied<"group_by_window">},
    {R"(bucket_by_sequence_length(element_length_func, bucket_boundaries,
                          bucket_batch_sizes, padded_shapes=None,
                          padding_values=None, pad_to_bucket_boundary=False,
                          no_padding=False, drop_remainder=False)
For `apply`: `Dataset.bucket_by_sequence_length`.

>>> d = tf.data.Dataset.range(1, 3).map(lambda n: tf.fill([n], n))
>>> d = d.apply(tf.data.experimental.bucket_by_sequence_length(
...     lambda row: tf.shape(row)[0], [2], [1, 1]))
>>> [x.numpy().tolist() for x in d]
[[[1]], [[2, 2]]])",
     &Applied<"bucket_by_sequence_length">},
    {R"(dense_to_ragged_batch(batch_size, drop_remainder=False,
                      row_splits_dtype=tf.int64)
For `apply`: `Dataset.ragged_batch`.

>>> d = tf.data.Dataset.range(1, 3).map(lambda n: tf.fill([n], n))
>>> d = d.apply(tf.data.experimental.dense_to_ragged_batch(2))
>>> [x.to_list() for x in d]
[[[1], [2, 2]]])",
     &Applied<"ragged_batch">},
    {R"(dense_to_sparse_batch(batch_size, row_shape)
For `apply`: `Dataset.sparse_batch`.

>>> d = tf.data.Dataset.range(1, 3).map(lambda n: tf.fill([n], n))
>>> d = d.apply(tf.data.experimental.dense_to_sparse_batch(2, [2]))
>>> [x.values.numpy().tolist() for x in d]
[[1, 2, 2]])",
     &Applied<"sparse_batch">},
    {R"(enable_debug_mode()
From now on datasets are made to be debugged. Functions of elements are traced
once, for what they give, and then run as Python whenever an element is made:
breakpoints and `print` work in them. Nothing works in parallel, in advance or
in another order.

Raises:
  ValueError: in a function that is being traced, or a graph.

>>> with tf.Graph().as_default():
...     try:
...         tf.data.experimental.enable_debug_mode()
...     except ValueError:
...         print("only eagerly")
only eagerly)",
     &EnableDebugMode},
    {R"(from_list(elements, name=None)
The elements of a list, one by one; their components may differ in shape.

Args:
  elements: a list, not empty, of elements of one structure.
  name: accepted for compatibility.

Raises:
  ValueError: it is no list, or empty, or structures or types differ.

>>> d = tf.data.experimental.from_list([(1, 'a'), (2, 'b')])
>>> [(int(n), s.numpy()) for n, s in d]
[(1, b'a'), (2, b'b')]
>>> d = tf.data.experimental.from_list([[1], [2, 3]])
>>> [x.numpy().tolist() for x in d]
[[1], [2, 3]])",
     &FromList},
    {R"(snapshot(path, compression='AUTO', reader_func=None, shard_func=None)
For `apply`: `Dataset.snapshot`.

>>> import tempfile
>>> d = tf.data.Dataset.range(3)
>>> d = d.apply(tf.data.experimental.snapshot(tempfile.mkdtemp()))
>>> [int(x) for x in d]
[0, 1, 2])",
     &Applied<"snapshot">},
    {R"(choose_from_datasets(datasets, choice_dataset,
                     stop_on_empty_dataset=False)
`Dataset.choose_from_datasets`.

>>> parts = [tf.data.Dataset.range(2)] * 2
>>> choice = tf.data.Dataset.range(2).repeat()
>>> d = tf.data.experimental.choose_from_datasets(parts, choice)
>>> [int(x) for x in d]
[0, 0, 1, 1])",
     &Static<"choose_from_datasets">},
    {R"(sample_from_datasets(datasets, weights=None, seed=None,
                     stop_on_empty_dataset=False)
`Dataset.sample_from_datasets`.

>>> parts = [tf.data.Dataset.range(2), tf.data.Dataset.range(5, 6)]
>>> d = tf.data.experimental.sample_from_datasets(parts)
>>> sorted(int(x) for x in d)
[0, 1, 5])",
     &Static<"sample_from_datasets">},
    {R"(rejection_resample(class_func, target_dist, initial_dist=None, seed=None)
For `apply`: `Dataset.rejection_resample`.

>>> d = tf.data.Dataset.from_tensor_slices([0, 1]).repeat(9)
>>> d = d.apply(tf.data.experimental.rejection_resample(
...     lambda x: x, [0.5, 0.5], [0.5, 0.5]))
>>> len(list(d))
18)",
     &Applied<"rejection_resample">},
    {R"(map_and_batch(map_func, batch_size, num_parallel_batches=None,
              drop_remainder=False, num_parallel_calls=None)
For `apply`: `Dataset.map`, then `Dataset.batch`.

Raises:
  ValueError: it is said twice how much works at a time.

>>> d = tf.data.Dataset.range(4)
>>> d = d.apply(tf.data.experimental.map_and_batch(lambda x: x * x, 2))
>>> [x.numpy().tolist() for x in d]
[[0, 1], [4, 9]])",
     &MapAndBatch},
    {R"(parallel_interleave(map_func, cycle_length, block_length=1, sloppy=False,
                    buffer_output_elements=None, prefetch_input_elements=None)
For `apply`: `Dataset.interleave` of all of a cycle at a time.

Args:
  map_func: takes an element; returns a dataset.
  cycle_length: how many datasets take turns.
  block_length: how many elements one gives in its turn.
  sloppy: whether what is ready goes first.
  buffer_output_elements: accepted for compatibility.
  prefetch_input_elements: accepted for compatibility.

>>> d = tf.data.Dataset.range(1, 3).apply(
...     tf.data.experimental.parallel_interleave(
...         lambda x: tf.data.Dataset.from_tensors(x).repeat(2), 2))
>>> [int(x) for x in d]
[1, 2, 1, 2])",
     &ParallelInterleave},
    {R"(prefetch_to_device(device, buffer_size=None)
For `apply`: `Dataset.prefetch`; there is no other memory to go to.

>>> d = tf.data.Dataset.range(2)
>>> d = d.apply(tf.data.experimental.prefetch_to_device("/cpu:0"))
>>> [int(x) for x in d]
[0, 1])",
     &PrefetchToDevice},
    {R"(copy_to_device(target_device, source_device='/cpu:0')
For `apply`: the dataset itself; there is no other memory to go to.

>>> d = tf.data.Dataset.range(2)
>>> d = d.apply(tf.data.experimental.copy_to_device("/cpu:0"))
>>> [int(x) for x in d]
[0, 1])",
     &CopyToDevice},
    {R"(group_by_reducer(key_func, reducer)
For `apply`: one element for each key, made of all elements of it, in the order
of the keys.

Args:
  key_func: takes an element; returns its key, an int64 scalar.
  reducer: a tf.data.experimental.Reducer.

>>> count = tf.data.experimental.Reducer(
...     lambda key: 0, lambda n, x: n + 1, lambda n: n)
>>> d = tf.data.Dataset.range(5)
>>> d = d.apply(tf.data.experimental.group_by_reducer(
...     lambda x: x % 2, count))
>>> [int(x) for x in d]
[3, 2])",
     &Applied<"_group_by_reducer">},
};

}  // namespace

void AddDatasetExperimental(nb::module_& m) {
  for (PyMethodDef* f = MethodsOf<kFunctions>(); f->ml_name != nullptr; ++f) {
    // Many are called as an op is: in the module they begin with "data_".
    m.attr((std::string("data_") + f->ml_name).c_str()) =
        Owned(PyCFunction_NewEx(f, nullptr, m.attr("__name__").ptr()));
  }
}

}  // namespace gk::py
