#include "python/src/data/dataset_step.h"

#include <string>

#include "ops/composition.h"
#include "ops/fn/Cast.h"
#include "ops/fn/GeneratorDataset.h"
#include "ops/random/random_seeds.h"
#include "python/src/data/dataset_methods.h"
#include "python/src/data/element_spec.h"
#include "python/src/graph/host_function.h"
#include "python/src/tensors/converted.h"

namespace gk::py {

namespace nb = nanobind;

nb::object ElementSpecOf(nb::handle dataset) {
  return dataset.attr("element_spec");
}

nb::object Made(const Tensor& variant, nb::handle spec, nb::object parts) {
  // Classes of datasets are named as ops, without a version.
  std::string kind = "_" + OpOfDataset(variant);
  if (kind[kind.size() - 2] == 'V') kind.resize(kind.size() - 2);
  // TensorFlow's has no underscore.
  if (kind.starts_with("_Cache")) kind.erase(0, 1);
  return MakeDataset(kind, Wrapped(variant), spec, nb::tuple(parts));
}

nb::object Then(const Arguments& a, const TypedDataset& made, nb::handle spec,
                std::initializer_list<nb::object> others) {
  nb::list parts;
  parts.append(a.self());
  for (const nb::object& other : others) parts.append(other);
  return Made(made.variant,
              spec.is_valid() ? nb::borrow(spec) : ElementSpecOf(a.self()),
              parts);
}

Tensor NumberTensor(nb::handle value, DataType dtype, std::string_view name) {
  if (dtype == DataType::kInt64 && IsTensor(value.ptr()) &&
      TensorOf(value.ptr()).dtype() != dtype) {
    return ops::Cast(AsTensor(value), dtype);
  }
  StatusOr<Tensor> t = ToTensor(value.ptr(), dtype, DataType::kInvalid, name);
  if (!t.ok()) Throw(t.status());
  return *std::move(t);
}

std::optional<int64_t> SeedOf(nb::handle seed) {
  if (seed.is_none()) return std::nullopt;
  return nb::cast<int64_t>(nb::int_(seed) % nb::int_(kSeedModulus));
}

steps::Parallel ParallelOf(const Arguments& a) {
  steps::Parallel parallel{NumberIfGiven(a, "num_parallel_calls"), {}};
  if (a.has("deterministic")) parallel.deterministic = a.flag("deterministic");
  return parallel;
}

nb::object BatchedSpec(nb::handle spec, const Tensor& size,
                       const Tensor& drop_remainder) {
  const int64_t n = size ? KnownBatchSize(size, drop_remainder) : -1;
  return PythonElement(Batched(CoreElement(spec), n));
}

nb::object DatasetSpecOfElements(nb::handle element_spec) {
  return DatasetSpecOf(element_spec, TensorShape());
}

nb::object Recoded(const Arguments& a, const char* name, nb::handle spec,
                   OfComponents recode) {
  const nb::object made =
      TracedElements(name, SignatureOfSpec(ElementSpecOf(a.self())), recode);
  ElementFunction f = CoreFunction(made);
  nb::object own = nb::borrow(spec);
  if (own.is_valid()) {
    f.result = SignatureOfSpec(own);
  } else {
    nb::list parts;
    for (size_t i = 0; i < f.result.types.size(); ++i) {
      parts.append(
          Owned(WrapTensorSpec(f.result.shapes[i], f.result.types[i])));
    }
    own = nb::tuple(parts);
  }
  return Then(a, steps::Map(Own(a), f, {}), own, {made});
}

namespace {

// The tensors of a value that is what `e` says at once: one that can become a
// tensor of its type and shape, or in a tuple as many of them; else none.
TensorVector PlainComponents(const ElementSignature& e, bool single,
                             PyObject* value) {
  const size_t n = e.types.size();
  const bool tuple = PyTuple_CheckExact(value);
  if (single == tuple ||
      (tuple && PyTuple_GET_SIZE(value) != static_cast<Py_ssize_t>(n))) {
    return {};
  }
  TensorVector made;
  for (size_t i = 0; i < n; ++i) {
    PyObject* const leaf = tuple ? PyTuple_GET_ITEM(value, i) : value;
    StatusOr<Tensor> t =
        IsTensor(leaf) ? TensorOf(leaf) : ToTensor(leaf, e.types[i]);
    if (!t.ok() || t->is_symbolic() || t->dtype() != e.types[i] ||
        !e.shapes[i].IsCompatibleWith(t->shape())) {
      PyErr_Clear();
      return {};
    }
    made.push_back(*std::move(t));
  }
  return made;
}

// An element of a generator, most of which need nothing but this. `function`:
// a partial of what looks closer: a function of the numbers and iterators of
// generators, of a number, and of what that generator yielded if it was asked.
class GeneratorStep {
 public:
  explicit GeneratorStep(nb::handle spec)
      : signature_(SignatureOfSpec(spec)), single_(IsTensorSpec(spec.ptr())) {
    plain_ = single_ || PyTuple_CheckExact(spec.ptr());
    if (single_ || !plain_) return;
    for (nb::handle s : nb::borrow<nb::tuple>(spec)) {
      plain_ &= IsTensorSpec(s.ptr());
    }
  }
  TensorVector operator()(nb::handle function, const std::string&,
                          const TensorVector& values,
                          const std::vector<DataType>&) const {
    const nb::object number =
        Owned(PyLong_FromLongLong(values[0].scalar<int64_t>()));
    const nb::object given = function.attr("args");
    PyObject* const running =
        PyDict_GetItemWithError(PyTuple_GET_ITEM(given.ptr(), 0), number.ptr());
    if (running == nullptr) {
      if (PyErr_Occurred()) throw nb::python_error();
      return Tensors(function(number));
    }
    const nb::object kept = nb::borrow(running);
    const nb::object value = nb::steal(Py_TYPE(running)->tp_iternext(running));
    if (!value.is_valid()) {
      if (PyErr_Occurred()) throw nb::python_error();
      throw Error(OutOfRange("the generator has ended"));
    }
    if (plain_) {
      TensorVector made = PlainComponents(signature_, single_, value.ptr());
      if (!made.empty()) return made;
    }
    return Tensors(function(number, value));
  }

 private:
  ElementSignature signature_;
  bool single_, plain_;  // a TensorSpec; that or a tuple of some
};

}  // namespace

void AddGeneratedDataset(nb::module_& m) {
  m.def("element_flat_specs", FlatSpecs,
        "The tf.TensorSpecs of the components of elements of `spec`.");
  m.def("element_of_components", ElementOfComponents,
        "The element of `spec` that is made of these tensors.");
  m.def(
      "generator_step",
      [](nb::object look, nb::object running, nb::object spec,
         nb::object number) {
        const nb::object kept =
            nb::module_::import_("functools").attr("partial")(look, running);
        const TensorVector inputs{Converted(number)};
        const GeneratorStep step(spec);
        return Wrapped(AddPythonCall(kept, step, inputs,
                                     SignatureOfSpec(spec).types,
                                     HostCallKind::kPlain, ""));
      },
      "The tensors of the next element, of `spec`, of generator `number` of\n"
      "the dict `running`: a node of the graph being built. `look(running,\n"
      "number)` begins a generator, `look(running, number, value)` is asked\n"
      "for the components of what is no plain tensor.");
  m.def(
      "generated_dataset",
      [](nb::object spec, nb::object init, nb::object next, nb::object end) {
        const nb::object number =
            Owned(WrapTensorSpec(TensorShape(), DataType::kInt64));
        const auto traced = [](nb::handle f, nb::handle of) {
          return UsersFunction(f, "Dataset.from_generator()", of, {},
                               /*convert=*/false);
        };
        const UsersFunction f = traced(init, nb::tuple()),
                            g = traced(next, number), h = traced(end, number);
        const ElementFunction first = f.core(), step = g.core(),
                              last = h.core();
        const ElementSignature e = SignatureOfSpec(spec);
        return Made(
            ops::GeneratorDataset(first.captured, step.captured, last.captured,
                                  first.function, step.function, last.function,
                                  e.types, e.shapes),
            spec, nb::make_tuple(f.function(), g.function(), h.function()));
      },
      "The dataset of elements of `spec` that three functions make: of a\n"
      "generator's number, of its next element, and of its end.");
}

}  // namespace gk::py
