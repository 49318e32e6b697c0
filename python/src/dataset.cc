#include "dataset.h"

#include "bound_values.h"
#include "dtype_type.h"
#include "function/dataset_choice.h"
#include "ops/random/random_seeds.h"
#include "staged_values.h"

namespace gk::py {
namespace {

namespace nb = nanobind;

ElementSignature Elements(nb::handle types, nb::handle shapes) {
  ElementSignature e;
  for (nb::handle t : types) {
    e.types.push_back(AsDType(t.ptr()));
    if (e.types.back() == DataType::kInvalid) throw nb::python_error();
  }
  for (nb::handle s : shapes) e.shapes.push_back(Shape(s));
  return e;
}

// Of any size: as ops have it.
std::optional<int64_t> Seed(nb::handle seed) {
  if (seed.is_none()) return std::nullopt;
  return nb::cast<int64_t>(nb::int_(seed) % nb::int_(kSeedModulus));
}

nb::object Sample(nb::handle variants, nb::handle types, nb::handle shapes,
                  nb::handle weights, nb::handle seed, bool stops,
                  bool rerandomizes) {
  const TensorVector datasets = Tensors(variants);
  const ElementSignature elements = Elements(types, shapes);
  const SampleOptions options{Seed(seed), stops, rerandomizes};
  if (PyTuple_Check(weights.ptr())) {
    return Wrapped(
        SampleByDataset(datasets, elements, DatasetOf(weights), options));
  }
  return Wrapped(SampleByWeights(
      datasets, elements, weights.is_none() ? Tensor() : AsTensor(weights),
      options));
}

nb::object Resample(nb::handle classed, nb::handle target, nb::handle initial,
                    nb::handle seed) {
  const Tensor made = RejectionResample(
      DatasetOf(classed), AsTensor(target),
      initial.is_none() ? Tensor() : AsTensor(initial), Seed(seed));
  return made ? Wrapped(made) : nb::none();
}

}  // namespace

TypedDataset DatasetOf(nb::handle dataset) {
  return {AsTensor(dataset[0]), Elements(dataset[1], dataset[2])};
}

void AddDatasets(nb::module_& m) {
  m.def("sample_from_datasets", &Sample,
        "sample_from_datasets(variants, types, shapes, weights, seed, stops, "
        "rerandomizes): `weights` is a vector, None, or (variant, types, "
        "shapes) of a dataset of such.",
        nb::arg("variants"), nb::arg("types"), nb::arg("shapes"),
        nb::arg("weights").none(), nb::arg("seed").none(), nb::arg("stops"),
        nb::arg("rerandomizes"));
  m.def("rejection_resample", &Resample,
        "rejection_resample(classed, target, initial, seed): None if no "
        "element needs to be left out. `classed`: (variant, types, shapes).",
        nb::arg("classed"), nb::arg("target"), nb::arg("initial").none(),
        nb::arg("seed").none());
}

}  // namespace gk::py
