// tf.data.Dataset: windows and groups of elements.
#include <limits>

#include "ops/composite.h"
#include "ops/fn/Cast.h"
#include "ops/fn/GatherV2.h"
#include "ops/fn/GreaterEqual.h"
#include "ops/fn/Sub.h"
#include "ops/fn/Sum.h"
#include "ops/fn/Unpack.h"
#include "python/src/binding/class_attribute.h"
#include "python/src/data/dataset_methods.h"
#include "python/src/data/dataset_ops.h"
#include "python/src/data/dataset_step.h"
#include "python/src/data/element_spec.h"
#include "python/src/ops/call_op.h"
#include "python/src/tensors/convert.h"
#include "python/src/tensors/dtype_type.h"
#include "python/src/tensors/tensor_spec_type.h"

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
  const nb::object own = nb::borrow(spec);
  const auto zipped = [own](nb::list given) {
    nb::list made;
    size_t next = 0;
    for (nb::handle leaf : ElementLeaves(own)) {
      const nb::dict e = ElementAttributes(ElementSpecOf(leaf));
      const nb::object types = e["output_types"], shapes = e["output_shapes"];
      nb::list parts;
      for (size_t i = 0; i < nb::len(types); ++i) parts.append(given[next++]);
      made.append(
          nb::len(parts) == 1
              ? nb::object(parts[0])
              : Owned(CallOp(kZipDataset, {{"input_datasets", parts.ptr()},
                                           {"output_types", types.ptr()},
                                           {"output_shapes", shapes.ptr()}})));
    }
    return made;
  };
  return Recoded(windows, "Dataset_window_zip", spec, nb::cpp_function(zipped));
}

nb::object ZipWindows(const Arguments& a) { return Zipped(a, a["spec"]); }

nb::object Window(const Arguments& a) {
  const nb::object own = ElementSpecOf(a.self());
  const nb::object spec = MappedSpec(own, DatasetSpecOfElements);
  nb::list components;
  for (nb::handle c : OfElements("flat_specs", own))
    components.append(DatasetSpecOfElements(c));
  const nb::object windows =
      Then(a, kWindowDataset, nb::tuple(components),
           {{"size", nb::borrow(a["size"])},
            {"shift", nb::borrow(a.has("shift") ? a["shift"] : a["size"])},
            {"stride", nb::borrow(a["stride"])},
            {"drop_remainder", nb::borrow(a["drop_remainder"])}});
  if (nb::len(components) != nb::len(ElementLeaves(spec))) {
    return windows.attr("_zip_windows")(spec);
  }
  windows.attr("_element_spec") = spec;
  return windows;
}

// A function that must return an int64 scalar.
UsersFunction IntegerFunction(nb::handle f, nb::handle spec, const char* name,
                              bool convert = true) {
  UsersFunction made(
      f, kGroups, spec, convert, nb::cpp_function([](nb::handle result) {
        StatusOr<Tensor> t = ToTensor(result.ptr(), DataType::kInt64);
        if (!t.ok()) Throw(t.status());
        return Wrapped(*t);
      }));
  const nb::object result = made.output();
  if (!TensorSpecOf(result.ptr())->shape.IsCompatibleWith(TensorShape())) {
    Throw(ValueError(
        "Invalid `{}`. `{}` must return a single `tf.int64` scalar tensor but "
        "its return type is {}.",
        name, name, TextOf(result)));
  }
  return made;
}

nb::object Grouped(const Arguments& a, const UsersFunction& key,
                   nb::handle reduce_func, const UsersFunction& size,
                   bool convert = true) {
  const UsersFunction reduce(
      reduce_func, kGroups,
      nb::make_tuple(KeySpec(), DatasetSpecOfElements(ElementSpecOf(a.self()))),
      convert);
  const nb::object spec = reduce.Elements(
      "Invalid `reduce_func`. `reduce_func` must return a single "
      "`tf.data.Dataset` object but its return type is");
  return Then(a, kGroupByWindowDataset, spec,
              {{"key_func", key.function()},
               {"reduce_func", reduce.function()},
               {"window_size_func", size.function()}});
}

nb::object GroupByWindow(const Arguments& a) {
  const bool sized = a.has("window_size");
  if (sized && a.has("window_size_func")) {
    Throw(ValueError(
        "Must pass either `window_size` or `window_size_func`. The "
        "`window_size` argument and the `window_size_func` argument can not be "
        "specified at the same time."));
  }
  if (!sized && !a.has("window_size_func")) {
    Throw(ValueError(
        "Either the `window_size` argument or the `window_size_func` argument "
        "must be specified."));
  }
  nb::object size_of = nb::borrow(a["window_size_func"]);
  if (sized) {
    const nb::object size =
        NumberTensor(a["window_size"], DataType::kInt64, "window_size");
    size_of = nb::cpp_function([size](nb::handle) { return size; },
                               nb::name("window_size"));
  }
  const UsersFunction key =
      IntegerFunction(a["key_func"], ElementSpecOf(a.self()), "key_func");
  return Grouped(a, key, a["reduce_func"],
                 IntegerFunction(size_of, KeySpec(), "window_size_func"));
}

nb::object GroupByReducer(const Arguments& a) {
  const nb::object reducer = nb::borrow(a["reducer"]);
  const nb::object first = Call("graphkiln._src.function.tracing", "convert",
                                reducer.attr("init_func"), nb::none());
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

TensorVector Unstacked(const Tensor& shape) {
  return ops::Unpack(ops::Cast(shape, DataType::kInt64),
                     shape.partial_shape().dim(0));
}

struct Buckets {
  std::vector<int64_t> boundaries, sizes;
  bool no_padding, pads_to_boundary;
  nb::object spec;  // of elements
  nb::object padded_shapes, padding_values, drop_remainder;

  static Tensor At(const std::vector<int64_t>& values, const Tensor& key) {
    return ops::GatherV2(IntsTensor(values, DataType::kInt64), key, Int32Of(0));
  }
  nb::object Key(nb::handle length) const {
    const Tensor n = ops::Cast(Converted(length), DataType::kInt64);
    const Tensor reached =
        ops::GreaterEqual(n, IntsTensor(boundaries, DataType::kInt64));
    return Wrapped(ops::Sum(ops::Cast(reached, DataType::kInt64), Int32Of(0)));
  }
  nb::object SizeOf(nb::handle key) const {
    return Wrapped(At(sizes, AsTensor(key)));
  }
  nb::object Batches(nb::handle key, nb::handle group) const {
    if (no_padding) return group.attr("batch")(SizeOf(key), drop_remainder);
    const nb::object size = SizeOf(key);
    nb::object shapes = padded_shapes;
    if (shapes.is_none()) {
      shapes = MappedSpec(
          spec, [](nb::handle leaf) { return nb::object(leaf.attr("shape")); });
    }
    if (pads_to_boundary) shapes = UpToBoundary(key, shapes);
    return group.attr("padded_batch")(size, shapes, padding_values,
                                      drop_remainder);
  }

 private:
  // The shapes whose unknown dimensions are those of the longest of a bucket.
  nb::object UpToBoundary(nb::handle key, nb::handle shapes) const {
    const nb::object longest = Longest(key);
    nb::list made;
    for (nb::handle s : ElementLeavesUpTo(spec, shapes)) {
      nb::list dims;
      if (IsTensor(s.ptr())) {
        for (const Tensor& d : Unstacked(AsTensor(s))) dims.append(Wrapped(d));
      } else {
        const PartialTensorShape known = Shape(s);
        for (const int64_t d : known.dims()) {
          dims.append(d < 0 ? longest : nb::object(nb::int_(d)));
        }
      }
      made.append(dims);
    }
    return PackedElement(spec, made);
  }
  nb::object Longest(nb::handle key) const {
    nb::dict named;
    named["message"] =
        "When pad_to_bucket_boundary=True, elements must have length < "
        "max(bucket_boundaries).";
    const nb::object check =
        nb::module_::import_("graphkiln._src.ops")
            .attr("debugging")
            .attr("assert_less")(
                key,
                Wrapped(IntegerOf(static_cast<int64_t>(boundaries.size()),
                                  DataType::kInt64)),
                **named);
    nb::list before;
    if (!check.is_none()) before.append(check);
    const nb::object scope =
        Call("graphkiln._graphkiln", "control_dependencies", before);
    scope.attr("__enter__")();
    const Tensor longest =
        ops::Sub(At(boundaries, AsTensor(key)), IntegerOf(1, DataType::kInt64));
    scope.attr("__exit__")(nb::none(), nb::none(), nb::none());
    return Wrapped(longest);
  }
};

std::vector<int64_t> Integers(nb::handle list) {
  std::vector<int64_t> values;
  for (nb::handle value : list) {
    values.push_back(nb::cast<int64_t>(nb::object(nb::int_(value))));
  }
  return values;
}

nb::object BucketBySequenceLength(const Arguments& a) {
  const size_t sizes = nb::len(a["bucket_batch_sizes"]),
               boundaries = nb::len(a["bucket_boundaries"]);
  if (sizes != boundaries + 1) {
    Throw(ValueError(
        "`len(bucket_batch_sizes)` must equal `len(bucket_boundaries) + 1` but "
        "`len(bucket_batch_sizes)={}` and `len(bucket_boundaries)={}`.",
        sizes, boundaries));
  }
  const nb::object own = ElementSpecOf(a.self());
  const Buckets buckets{Integers(a["bucket_boundaries"]),
                        Integers(a["bucket_batch_sizes"]),
                        a.flag("no_padding"),
                        a.flag("pad_to_bucket_boundary"),
                        own,
                        nb::borrow(a["padded_shapes"]),
                        nb::borrow(a["padding_values"]),
                        nb::borrow(a["drop_remainder"])};
  const nb::object length = Call("graphkiln._src.function.tracing", "convert",
                                 a["element_length_func"], nb::none());
  const auto bucket = [&buckets, &length](nb::args element) {
    return buckets.Key(length(*element));
  };
  const auto size_of = [&buckets](nb::handle key) {
    return buckets.SizeOf(key);
  };
  const auto batches = [&buckets](nb::handle key, nb::handle group) {
    return buckets.Batches(key, group);
  };
  const UsersFunction key =
      IntegerFunction(nb::cpp_function(bucket, nb::name("bucket")), own,
                      "key_func", /*convert=*/false);
  const UsersFunction size =
      IntegerFunction(nb::cpp_function(size_of, nb::name("size_of")), KeySpec(),
                      "window_size_func", /*convert=*/false);
  return Grouped(a, key, nb::cpp_function(batches, nb::name("batches")), size,
                 /*convert=*/false);
}

constexpr ToldFunction kMethods[] = {
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

PyMethodDef* WindowMethods() { return MethodsOf<kMethods, METH_STATIC>(); }

}  // namespace gk::py
