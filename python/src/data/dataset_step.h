// How the methods of tf.data.Dataset reach the core's steps: arguments become
// tensors, functions are traced, and what was made gets its spec.
#ifndef GK_PYTHON_DATASET_STEP_H_
#define GK_PYTHON_DATASET_STEP_H_

#include <nanobind/nanobind.h>

#include <initializer_list>
#include <string_view>
#include <tuple>
#include <utility>

#include "function/dataset_steps.h"
#include "python/src/binding/class_attribute.h"
#include "python/src/binding/told_function.h"
#include "python/src/control_flow/staged_values.h"
#include "python/src/data/element_spec.h"
#include "python/src/data/made_dataset.h"
#include "python/src/data/users_function.h"
#include "python/src/tensors/tensor_spec_type.h"

namespace gk::py {

nanobind::object ElementSpecOf(nanobind::handle dataset);

// The dataset of elements of `spec` in a variant. It keeps `parts`: datasets
// and functions.
nanobind::object Made(const Tensor& variant, nanobind::handle spec,
                      nanobind::object parts);
// What a step made of the method's own dataset and `others`; without a spec, of
// the same elements.
nanobind::object Then(const Arguments& a, const TypedDataset& made,
                      nanobind::handle spec = {},
                      std::initializer_list<nanobind::object> others = {});
inline TypedDataset Own(const Arguments& a) { return DatasetOf(a.self()); }

// tf.convert_to_tensor(value, dtype, name); integers may have been others.
Tensor NumberTensor(nanobind::handle value, DataType dtype,
                    std::string_view name);
inline Tensor Number(const Arguments& a, std::string_view name,
                     DataType dtype = DataType::kInt64) {
  return NumberTensor(a[name], dtype, name);
}
inline Tensor NumberIfGiven(const Arguments& a, std::string_view name) {
  return a.has(name) ? Number(a, name) : Tensor();
}
// Of any size: as ops have it.
std::optional<int64_t> SeedOf(nanobind::handle seed);
steps::Parallel ParallelOf(const Arguments& a);

// By a step that takes the numbers that the method takes.
template <auto kStep, Name... kNumbers>
nanobind::object Step(const Arguments& a) {
  // Braces: in order.
  const std::tuple given{Own(a), Number(a, kNumbers.text)...};
  return Then(a, std::apply(kStep, given));
}

// An element's spec that nests as `spec`, of what `f` makes of its leaves.
template <class F>
nanobind::object MappedSpec(nanobind::handle spec, F&& f) {
  nanobind::list leaves;
  for (nanobind::handle leaf : ElementLeaves(spec)) leaves.append(f(leaf));
  return PackedElement(spec, leaves);
}
// The specs of `size` elements, null if that is not known, stacked.
nanobind::object BatchedSpec(nanobind::handle spec, const Tensor& size,
                             const Tensor& drop_remainder);
nanobind::object DatasetSpecOfElements(nanobind::handle element_spec);
// `use` gets what the steps ask of elements.
template <class F>
decltype(auto) WithWords(nanobind::handle spec, F&& use) {
  const ElementSignature e = SignatureOfSpec(spec);
  return std::forward<F>(use)(steps::Described{e, IsTensorSpec(spec.ptr()),
                                               [&] { return TextOf(spec); }});
}

// The dataset of what `recode` makes of the components of elements; without a
// spec, elements are tuples of those.
nanobind::object Recoded(const Arguments& a, const char* name,
                         nanobind::handle spec, OfComponents recode);

}  // namespace gk::py

#endif  // GK_PYTHON_DATASET_STEP_H_
