// tf.data.Dataset: windows and groups of elements.
#include <limits>

#include "python/src/binding/package_parts.h"
#include "python/src/data/dataset_methods.h"
#include "python/src/data/dataset_padding.h"
#include "python/src/data/dataset_step.h"
#include "python/src/tensors/convert.h"

namespace gk::py {
namespace {

namespace nb = nanobind;

constexpr char kGroups[] = "Dataset.group_by_window()";

nb::object KeySpec() {
  return Owned(WrapTensorSpec(TensorShape(), DataType::kInt64));
}

// The dataset of what `spec` describes, datasets of leaves: made of those of
// their components.
nb::object Zipped(const Arguments& windows, nb::handle spec) {
  std::vector<ElementSignature> leaves;
  for (nb::handle leaf : ElementLeaves(spec)) {
    leaves.push_back(SignatureOfSpec(ElementSpecOf(leaf)));
  }
  return Recoded(
      windows, "Dataset_window_zip", spec, [&](std::span<const Tensor> given) {
        return steps::ZipWindows({given.begin(), given.end()}, leaves);
      });
}

nb::object ZipWindows(const Arguments& a) { return Zipped(a, a["spec"]); }

nb::object Window(const Arguments& a) {
  const nb::object own = ElementSpecOf(a.self());
  const nb::object spec = MappedSpec(own, DatasetSpecOfElements);
  nb::list components;
  for (nb::handle c : FlatSpecs(own))
    components.append(DatasetSpecOfElements(c));
  const Tensor size = Number(a, "size"), shift = NumberIfGiven(a, "shift"),
               stride = Number(a, "stride"),
               drop = Number(a, "drop_remainder", DataType::kBool);
  const nb::object windows =
      Then(a, steps::Window(Own(a), size, shift, stride, drop),
           nb::tuple(components));
  if (nb::len(components) != nb::len(ElementLeaves(spec))) {
    return windows.attr("_zip_windows")(spec);
  }
  windows.attr("_element_spec") = spec;
  return windows;
}

// A function that must return an int64 scalar: what `adjust` makes of what the
// user's returns.
UsersFunction IntegerFunction(nb::handle f, nb::handle spec, const char* name,
                              const UsersFunction::Adjust& adjust) {
  UsersFunction made(f, kGroups, spec, adjust);
  WithWords(made.output(), [&](const steps::Described& returned) {
    steps::CheckInteger(name, returned);
  });
  return made;
}
nb::object AsInteger(nb::handle result) {
  StatusOr<Tensor> t = ToTensor(result.ptr(), DataType::kInt64);
  if (!t.ok()) Throw(t.status());
  return Wrapped(*t);
}

nb::object GroupByWindow(const Arguments& a) {
  const bool sized = a.has("window_size");
  steps::CheckWindowSize(sized, a.has("window_size_func"));
  const nb::object own = ElementSpecOf(a.self());
  const UsersFunction key =
      IntegerFunction(a["key_func"], own, "key_func", AsInteger);
  nb::object size_function = nb::none();
  ElementFunction size;
  if (sized) {
    size = steps::SameSize(Number(a, "window_size"));
  } else {
    const UsersFunction f = IntegerFunction(a["window_size_func"], KeySpec(),
                                            "window_size_func", AsInteger);
    size = f.core();
    size_function = f.function();
  }
  const UsersFunction reduce(
      a["reduce_func"], kGroups,
      nb::make_tuple(KeySpec(), DatasetSpecOfElements(own)));
  const nb::object spec = reduce.Elements(&steps::NoGroups);
  return Then(a,
              steps::GroupByWindow(Own(a), key.core(), size, reduce.core(),
                                   SignatureOfSpec(spec)),
              spec, {key.function(), reduce.function(), size_function});
}

nb::object GroupByReducer(const Arguments& a) {
  const nb::object reducer = nb::borrow(a["reducer"]);
  const nb::object first =
      package::convert(nb::object(reducer.attr("init_func")), nb::none());
  const auto reduced = [=](nb::handle key, nb::handle group) {
    const nb::object state =
        group.attr("reduce")(first(key), reducer.attr("reduce_func"));
    return DatasetClass().attr("from_tensors")(state).attr("map")(
        reducer.attr("finalize_func"));
  };
  // No window is ever full, so each key has one.
  return a.self().attr("group_by_window")(
      a["key_func"], nb::cpp_function(reduced, nb::name("reduced")),
      std::numeric_limits<int64_t>::max());
}

// ---- Batches of elements of similar length ----

std::vector<int64_t> Integers(nb::handle list) {
  std::vector<int64_t> values;
  for (nb::handle value : list) {
    values.push_back(nb::cast<int64_t>(nb::object(nb::int_(value))));
  }
  return values;
}

nb::object BucketBySequenceLength(const Arguments& a) {
  const nb::object own = ElementSpecOf(a.self());
  steps::Buckets buckets{Integers(a["bucket_boundaries"]),
                         Integers(a["bucket_batch_sizes"]),
                         a.flag("no_padding"),
                         a.flag("pad_to_bucket_boundary"),
                         {},
                         Number(a, "drop_remainder", DataType::kBool)};
  buckets.Check();
  if (!buckets.no_padding) {
    steps::CheckPadded(CoreElement(own));
    buckets.padding = PaddingOf(a, own);
  }
  const UsersFunction bucket = IntegerFunction(
      a["element_length_func"], own, "key_func", [&](nb::handle length) {
        return Wrapped(buckets.Of(Converted(length)));
      });
  const TypedDataset made =
      steps::BucketBySequenceLength(Own(a), bucket.core(), buckets);
  return Then(a, made,
              buckets.no_padding
                  ? BatchedSpec(own, Tensor(), buckets.drop_remainder)
                  : SpecOfComponents(own, made.elements),
              {bucket.function()});
}

constexpr ToldFunction kDatasetWindowsMethods[] = {
    {R"(window(self, size, shift=None, stride=1, drop_remainder=False, name=None)
Datasets of `size` elements: of each component one.

Args:
  size: how many elements a window has.
  shift: how far the next window begins behind the one before; `size` if not
    given.
  stride: the distance of the elements of a window.
  drop_remainder: whether last windows of fewer elements are left out.
  name: accepted for compatibility.

Raises:
  tf.errors.InvalidArgumentError: a number is not positive.

>>> windows = tf.data.Dataset.range(5).window(3, shift=2)
>>> [[int(x) for x in w] for w in windows]
[[0, 1, 2], [2, 3, 4], [4]])",
     &Window},
    {R"(_zip_windows(self, spec)
Datasets of leaves, which `spec` describes, made of those of components.)",
     &ZipWindows},
    {R"(group_by_window(self, key_func, reduce_func, window_size=None,
                window_size_func=None, name=None)
The elements of what `reduce_func` makes of windows of consecutive elements of
one key.

Args:
  key_func: takes an element; returns its key, an int64 scalar.
  reduce_func: takes a key and a dataset of the elements of a window; returns a
    dataset.
  window_size: how many elements a window has; the last ones of a key may have
    fewer.
  window_size_func: takes a key; returns how many. One of the two must be given.
  name: accepted for compatibility.

Raises:
  ValueError: neither or both say how large windows are, or a key is no int64
    scalar.
  TypeError: `reduce_func` returns no dataset.

>>> groups = tf.data.Dataset.range(6).group_by_window(
...     lambda x: x % 2, lambda key, group: group.batch(2), 2)
>>> [x.numpy().tolist() for x in groups]
[[0, 2], [1, 3], [4], [5]])",
     &GroupByWindow},
    {R"(_group_by_reducer(self, key_func, reducer)
See tf.data.experimental.group_by_reducer.)",
     &GroupByReducer},
    {R"(bucket_by_sequence_length(self, element_length_func, bucket_boundaries,
                          bucket_batch_sizes, padded_shapes=None,
                          padding_values=None, pad_to_bucket_boundary=False,
                          no_padding=False, drop_remainder=False, name=None)
Batches of elements of similar length.

Args:
  element_length_func: takes an element; returns an int32 scalar.
  bucket_boundaries: a list of lengths, rising; each begins a bucket.
  bucket_batch_sizes: a list of batch sizes, one more.
  padded_shapes: as those of `padded_batch`.
  padding_values: as those of `padded_batch`.
  pad_to_bucket_boundary: whether dimensions that are not known are filled up to
    the longest of the bucket instead of the batch.
  no_padding: whether elements are batched as they are.
  drop_remainder: whether last batches of fewer elements are left out.
  name: accepted for compatibility.

Raises:
  ValueError: there is not one batch size more than boundaries.

>>> rows = tf.data.Dataset.range(1, 5).map(lambda n: tf.fill([n], n))
>>> batches = rows.bucket_by_sequence_length(
...     lambda row: tf.shape(row)[0], [3], [2, 2])
>>> [x.numpy().tolist() for x in batches]
[[[1, 0], [2, 2]], [[3, 3, 3, 0], [4, 4, 4, 4]]])",
     &BucketBySequenceLength},
};

}  // namespace

PyMethodDef* WindowMethods() {
  return MethodsOf<kDatasetWindowsMethods, METH_STATIC>();
}

}  // namespace gk::py
