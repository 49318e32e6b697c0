// What the methods of tf.data.Dataset are made of: ops, functions of elements,
// and specs of elements as Python has them.
#ifndef GK_PYTHON_DATASET_STEP_H_
#define GK_PYTHON_DATASET_STEP_H_

#include <nanobind/nanobind.h>

#include <string_view>
#include <utility>
#include <vector>

#include "python/src/binding/told_function.h"
#include "python/src/control_flow/staged_values.h"
#include "python/src/data/element_spec.h"
#include "python/src/data/made_dataset.h"

namespace gk::py {

nanobind::object ElementSpecOf(nanobind::handle dataset);

// The dataset of elements of `spec` that an op makes of what it is given by
// name: datasets and functions, which it keeps, numbers and attributes.
using Given = std::vector<std::pair<std::string_view, nanobind::object>>;
nanobind::object DatasetBy(std::string_view op, nanobind::handle spec,
                           const Given& given);
// The same of the method's own dataset; without a spec, of the same elements.
nanobind::object Then(const Arguments& a, std::string_view op,
                      nanobind::handle spec, Given given);

// tf.convert_to_tensor(value, dtype, name); integers may have been others.
nanobind::object NumberTensor(nanobind::handle value, DataType dtype,
                              std::string_view name);
// The attribute that says whether elements keep their order.
nanobind::object Deterministic(nanobind::handle given);

// A function of the module `elements`, called.
template <class... Args>
nanobind::object OfElements(const char* name, Args&&... args) {
  return nanobind::module_::import_("graphkiln._graphkiln")
      .attr("elements")
      .attr(name)(std::forward<Args>(args)...);
}
// An element's spec that nests as `spec`, of what `f` makes of its leaves.
template <class F>
nanobind::object MappedSpec(nanobind::handle spec, F&& f) {
  nanobind::list leaves;
  for (nanobind::handle leaf : ElementLeaves(spec)) leaves.append(f(leaf));
  return PackedElement(spec, leaves);
}
nanobind::object DatasetSpecOfElements(nanobind::handle element_spec);

// A function that the user gave, of an element of `spec`; "Dataset.map()" is
// who calls it. `adjust`, where given, makes something of its result.
class UsersFunction {
 public:
  UsersFunction(nanobind::handle f, const char* caller, nanobind::handle spec,
                bool convert = true,
                nanobind::object adjust = nanobind::object());
  explicit UsersFunction(nanobind::object traced)
      : traced_(std::move(traced)) {}
  nanobind::object function() const { return traced_.attr("function"); }
  nanobind::object output() const { return traced_.attr("output_spec"); }
  // Of the elements of the dataset that it returns; TypeError("{message}
  // {what it returns}.").
  nanobind::object Elements(std::string_view message) const;
  const nanobind::object& traced() const { return traced_; }

 private:
  nanobind::object traced_;
};

// Numbers that windows and batches are known to have, as specs take them.
struct KnownBatches {
  nanobind::object size, drop_remainder;  // tensors
  nanobind::object known;                 // int or None
};
KnownBatches BatchesOf(const Arguments& a, std::string_view size_name);

// The dataset of what `recode` makes of the lists of components of elements;
// without a spec, elements are tuples of those.
nanobind::object Recoded(const Arguments& a, const char* name,
                         nanobind::handle spec, nanobind::object recode);

}  // namespace gk::py

#endif  // GK_PYTHON_DATASET_STEP_H_
