// gk::Dataset: elements that code of the program makes one after the other.
#include <map>
#include <mutex>

#include "api/dataset_parts.h"
#include "function/graph_facts.h"
#include "graphkiln/host_function.h"
#include "ops/fn/GeneratorDataset.h"

namespace gk::api {

using detail::ElementResult;
using detail::ElementValue;

namespace {

using Next = std::function<std::optional<ElementResult>()>;

// Begins generators, which the graph knows by numbers.
class Generators {
 public:
  Generators(std::function<Next()> begin, Spec spec)
      : begin_(std::move(begin)), spec_(std::move(spec)) {}

  int64_t Begin() {
    Next next = begin_();
    const std::lock_guard lock(mutex_);
    running_[++last_] = std::move(next);
    return last_;
  }
  // The components of the next element; OutOfRange at the end.
  std::vector<Tensor> ElementOf(int64_t number) {
    const Next next = [&] {
      const std::lock_guard lock(mutex_);
      return running_.at(number);
    }();
    const std::optional<ElementResult> element = [&] {
      try {
        return next();
      } catch (const Error& e) {
        // Of the program's own code it is no end of the elements.
        if (e.code() != ErrorCode::kOutOfRange) throw;
        throw Error(ErrorCode::kUnknown, e.what());
      }
    }();
    if (!element) throw ::gk::Error(OutOfRange("End of sequence"));
    const std::vector<Tensor>& tensors = element->parts.tensors;
    const Spec given = SpecOf(*element, ::gk::SignatureOf(Inner(tensors)));
    bool fits = given->structure == spec_->structure &&
                given->leaves.size() == spec_->leaves.size();
    for (size_t i = 0; fits && i < given->leaves.size(); ++i) {
      fits = spec_->leaves[i].is_compatible_with(given->leaves[i]);
    }
    if (fits) return tensors;
    throw ::gk::Error(TypeError(
        "`generator` yielded an element of {} where an element of {} was "
        "expected.",
        given->to_string(), spec_->to_string()));
  }
  void End(int64_t number) {
    const std::lock_guard lock(mutex_);
    running_.erase(number);
  }

 private:
  const std::function<Next()> begin_;
  const Spec spec_;
  std::mutex mutex_;
  int64_t last_ = 0;
  std::map<int64_t, Next> running_;
};

// A scalar of the graph that `f` gives when it runs.
Tensor NumberOf(std::function<int64_t(const std::vector<Tensor>&)> f,
                const std::vector<Tensor>& inputs) {
  const Tensor made = numpy_function(
      [f = std::move(f)](const std::vector<Tensor>& values) {
        return std::vector<Tensor>{f(values)};
      },
      inputs, {DataType::kInt64})[0];
  made.set_shape({});
  return made;
}

}  // namespace

Dataset Dataset::FromGenerator(std::function<NextElement()> begin,
                               const ElementSpec& output_signature) {
  const Spec spec = std::make_shared<const ElementSpec>(output_signature);
  const auto generators = std::make_shared<Generators>(std::move(begin), spec);
  // A function, so that each iteration begins a generator of its own.
  const auto dataset_of_one = [&](Tensor) {
    const Spec number = ScalarSpec(InnerType::kInt64);
    const ElementSignature signature = SignatureOf(*spec);
    const Traced first = Trace(
        "Dataset_from_generator_begin", {},
        [&](const std::vector<ElementValue>&) {
          return std::vector{detail::ResultOf(NumberOf(
              [generators](const auto&) { return generators->Begin(); }, {}))};
        });
    const Traced step =
        Trace("Dataset_from_generator_next", {number},
              [&](const std::vector<ElementValue>& values) {
                std::vector<DataType> types;
                for (InnerType t : signature.types) types.push_back(Outer(t));
                const std::vector<Tensor> components = numpy_function(
                    [generators](const std::vector<Tensor>& n) {
                      return generators->ElementOf(n[0].item<int64_t>());
                    },
                    values[0].tensors, types);
                for (size_t i = 0; i < components.size(); ++i) {
                  components[i].set_shape(Outer(signature.shapes[i]));
                }
                return std::vector{detail::ResultOf(components)};
              });
    const Traced last = Trace("Dataset_from_generator_end", {number},
                              [&](const std::vector<ElementValue>& values) {
                                return std::vector{detail::ResultOf(NumberOf(
                                    [generators](const std::vector<Tensor>& n) {
                                      generators->End(n[0].item<int64_t>());
                                      return 0;
                                    },
                                    values[0].tensors))};
                              });
    return Dataset(Outer(::gk::ops::GeneratorDataset(
                       first.f.captured, step.f.captured, last.f.captured,
                       first.f.function, step.f.function, last.f.function,
                       signature.types, signature.shapes)),
                   spec);
  };
  return Guarded([&] {
    EnsureReady();
    return from_tensors(Tensor(0)).flat_map(dataset_of_one);
  });
}

}  // namespace gk::api
