// tf.data.Dataset: elements of several datasets, by choice or by chance.
#include "function/dataset_choice.h"

#include "python/src/binding/package_parts.h"
#include "python/src/data/dataset_methods.h"
#include "python/src/data/dataset_step.h"

namespace gk::py {
namespace {

namespace nb = nanobind;

// The argument `datasets`.
nb::list DatasetsOf(const Arguments& a) {
  steps::CheckSome(a.flag("datasets"));
  nb::list all(a["datasets"]);
  steps::CheckSome(nb::len(all) != 0);
  return all;
}

// The spec of the elements of all of them.
nb::object CommonSpec(const nb::list& datasets) {
  nb::object spec = ElementSpecOf(datasets[0]);
  for (size_t i = 1; i < nb::len(datasets); ++i) {
    const nb::object next = ElementSpecOf(datasets[i]);
    spec = Common(spec, next);
    if (spec.is_none()) {
      Throw(TypeError(
          "Invalid `datasets`. `datasets` must have compatible element "
          "specs.\n Dataset 0 element_spec={}.\nDataset {} element_spec={}.",
          TextOf(ElementSpecOf(datasets[0])), i, TextOf(next)));
    }
  }
  return spec;
}

TensorVector Variants(const nb::list& datasets) {
  TensorVector variants;
  for (nb::handle d : datasets) variants.push_back(DatasetOf(d).variant);
  return variants;
}

nb::object WithPart(nb::handle first, const nb::list& datasets) {
  nb::list parts;
  parts.append(first);
  parts.extend(datasets);
  return parts;
}

nb::object Choose(const Arguments& a) {
  const nb::list datasets = DatasetsOf(a);
  const nb::handle selector = a["choice_dataset"];
  if (!IsDataset(selector)) {
    Throw(TypeError(
        "Invalid `choice_dataset`. `choice_dataset` should be a "
        "`tf.data.Dataset` but is {}.",
        TextOf(selector.type())));
  }
  return WithWords(
      ElementSpecOf(selector), [&](const steps::Described& chosen) {
        const nb::object spec = CommonSpec(datasets);
        const TypedDataset made = steps::Choose(
            DatasetOf(selector), chosen, Variants(datasets),
            SignatureOfSpec(spec), a.flag("stop_on_empty_dataset"));
        return Made(made.variant, spec, WithPart(selector, datasets));
      });
}

// Leaves those datasets that are drawn at all; their weights.
Tensor Weights(nb::handle given, nb::list* datasets) {
  if (given.is_none()) return Tensor();
  if (IsTensor(given.ptr())) return Converted(given, "weights");
  if (nb::len(given) != nb::len(*datasets)) {
    Throw(ValueError(
        "Invalid `weights`. `weights` should have the same length as "
        "`datasets` but got `len(weights)={}` vs. `len(datasets)={}`.",
        nb::len(given), nb::len(*datasets)));
  }
  const DataType type = Converted(given, "weights").dtype();
  if (type != DataType::kFloat && type != DataType::kDouble) {
    Throw(TypeError(
        "Invalid `weights`. `weights` type must be either `tf.float32` or "
        "`tf.float64` but is {}.",
        DataTypeName(type)));
  }
  nb::list drawn, weights;
  size_t i = 0;
  for (nb::handle weight : given) {
    const double w = nb::cast<double>(nb::float_(weight));
    if (w > 0) {
      drawn.append((*datasets)[i]);
      weights.append(w);
    }
    ++i;
  }
  if (nb::len(drawn) == 0) {
    drawn.append((*datasets)[0]);
    weights.append(1.0);
  }
  *datasets = drawn;
  return Converted(weights, "weights");
}

nb::object Sample(const Arguments& a) {
  nb::list datasets = DatasetsOf(a);
  const nb::handle weights = a["weights"];
  const bool each_draw = IsDataset(weights);
  const Tensor by = each_draw ? Tensor() : Weights(weights, &datasets);
  if (!each_draw && !weights.is_none() && nb::len(datasets) == 1) {
    return nb::object(datasets[0]);
  }
  const TensorVector variants = Variants(datasets);
  const nb::object spec = CommonSpec(datasets);
  const SampleOptions options{SeedOf(a["seed"]),
                              a.flag("stop_on_empty_dataset"),
                              a.flag("rerandomize_each_iteration")};
  const ElementSignature all = SignatureOfSpec(spec);
  return Made(each_draw
                  ? SampleByDataset(variants, all, DatasetOf(weights), options)
                  : SampleByWeights(variants, all, by, options),
              spec, WithPart(weights, datasets));
}

nb::object Resample(const Arguments& a) {
  const nb::object class_of = package::convert(a["class_func"], nb::none());
  const auto pair = [=](nb::args element) {
    return nb::make_tuple(class_of(*element), nb::len(element) == 1
                                                  ? nb::object(element[0])
                                                  : nb::object(element));
  };
  const nb::object with_class = nb::cpp_function(pair, nb::name("with_class"));
  nb::object classed = a.self().attr("map")(with_class);
  const nb::handle initial = a["initial_dist"];
  const Tensor first = initial.is_none() ? Tensor() : Converted(initial);
  const Tensor made =
      RejectionResample(DatasetOf(classed), Converted(a["target_dist"]), first,
                        SeedOf(a["seed"]));
  if (!made) return classed;
  return Made(made, ElementSpecOf(classed), nb::make_tuple(classed));
}

constexpr ToldFunction kDatasetChoiceMethods[] = {
    {R"(choose_from_datasets(datasets, choice_dataset, stop_on_empty_dataset=True)
The next element of the dataset that `choice_dataset` says, again and again.

Args:
  datasets: a list of datasets of one structure.
  choice_dataset: of int64 scalars, places in the list.
  stop_on_empty_dataset: whether the end comes with the first choice of a
    dataset at its end; else such choices are passed over.

Raises:
  TypeError: structures differ, or choices are no int64 scalars.
  ValueError: there are no datasets.
  tf.errors.InvalidArgumentError: when iterating, there is no such place.

>>> parts = [tf.data.Dataset.range(3), tf.data.Dataset.range(10, 13)]
>>> choice = tf.data.Dataset.range(2).repeat(2)
>>> chosen = tf.data.Dataset.choose_from_datasets(parts, choice)
>>> [int(x) for x in chosen]
[0, 10, 1, 11])",
     &Choose},
    {R"(sample_from_datasets(datasets, weights=None, seed=None,
                     stop_on_empty_dataset=False,
                     rerandomize_each_iteration=None)
The next element of a dataset drawn by chance, again and again.

Args:
  datasets: a list of datasets of one structure.
  weights: how likely each is: a list, a tensor of floats or a dataset of such;
    all the same if not given.
  seed: an int; with the global seed it determines what is drawn.
  stop_on_empty_dataset: whether the end comes when a dataset at its end is
    drawn; else such draws are passed over.
  rerandomize_each_iteration: whether each iteration draws anew.

Raises:
  TypeError: structures differ, or weights are no floats.
  ValueError: there are no datasets, or another number of weights.

>>> parts = [tf.data.Dataset.range(3), tf.data.Dataset.range(10, 13)]
>>> drawn = tf.data.Dataset.sample_from_datasets(parts, [0.5, 0.5])
>>> sorted(int(x) for x in drawn)
[0, 1, 2, 10, 11, 12])",
     &Sample},
    {R"(rejection_resample(self, class_func, target_dist, initial_dist=None,
                   seed=None, name=None)
Pairs of a class and an element, of which some are left out so that classes are
as frequent as wished for.

Args:
  class_func: takes an element; returns its class, an int scalar.
  target_dist: how frequent each class should be: floats.
  initial_dist: how frequent each is; estimated on the way if not given.
  seed: an int; with the global seed it determines what is left out.
  name: accepted for compatibility.

>>> dataset = tf.data.Dataset.from_tensor_slices([0] * 90 + [1] * 10)
>>> even = dataset.shuffle(100).rejection_resample(
...     lambda x: x, [0.5, 0.5], [0.9, 0.1])
>>> even.element_spec[0].dtype
tf.int32)",
     &Resample},
};

}  // namespace

PyMethodDef* ChoiceMethods() {
  return MethodsOf<kDatasetChoiceMethods, METH_STATIC>();
}

}  // namespace gk::py
