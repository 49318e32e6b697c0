// gk::Dataset: elements made by functions of elements.
#include "api/dataset_parts.h"
#include "function/dataset_choice.h"

namespace gk::api {

using detail::ElementBody;
using detail::ElementResult;
using detail::ElementValue;

Dataset Dataset::Map(const ElementBody& body,
                     const ParallelOptions& options) const {
  return Guarded([&] {
    const Traced made = Trace("Dataset_map", {spec()}, body);
    return Made(
        steps::Map(Typed(*this), made.f,
                   {.parallel = {Int64OrNull(options.num_parallel_calls), {}}}),
        made.specs[0]);
  });
}

Dataset Dataset::Where(const ElementBody& body, bool ends) const {
  return Guarded([&] {
    const Traced made =
        Trace(ends ? "Dataset_take_while" : "Dataset_filter", {spec()}, body);
    return WithWords(*made.specs[0], [&](const auto& returned) {
      const auto step = ends ? steps::TakeWhile : steps::Filter;
      return Made(step(Typed(*this), made.f, returned), spec());
    });
  });
}

Dataset Dataset::Flat(const ElementBody& body,
                      const InterleaveOptions* turns) const {
  return Guarded([&] {
    const Traced made = Trace(turns ? "Dataset_interleave" : "Dataset_flat_map",
                              {spec()}, body);
    const Spec nested = NestedSpec(made);
    if (!nested) {
      steps::NoDataset([&] { return made.specs[0]->to_string(); });
    }
    const ElementSignature inner = SignatureOf(*nested);
    if (turns == nullptr) {
      return Made(steps::FlatMap(Typed(*this), made.f, inner), nested);
    }
    steps::Turns how{Int64(turns->cycle_length),
                     Int64(turns->block_length),
                     {Int64OrNull(turns->num_parallel_calls), {}}};
    if (!turns->deterministic) how.parallel.deterministic = false;
    return Made(steps::Interleave(Typed(*this), made.f, inner, how), nested);
  });
}

Dataset Dataset::Scan(const ElementResult& initial,
                      const ElementBody& body) const {
  return Guarded([&] {
    EnsureReady();
    const TensorVector start = Inner(initial.parts.tensors);
    Spec state = SpecOf(initial, ::gk::SignatureOf(start));
    const Traced made = TraceState("Dataset_scan", &state, spec(), body);
    return Made(
        steps::Scan(Typed(*this), start, made.f, SignatureOf(*made.specs[1])),
        made.specs[1]);
  });
}

ElementValue Dataset::Reduce(const ElementResult& initial,
                             const ElementBody& body) const {
  return Guarded([&] {
    EnsureReady();
    const TensorVector start = Inner(initial.parts.tensors);
    Spec state = SpecOf(initial, ::gk::SignatureOf(start));
    const Traced made = TraceState("Dataset_reduce", &state, spec(), body);
    return ElementValue{
        Outer(steps::Reduce(Typed(*this), start, made.f, SignatureOf(*state))),
        state};
  });
}

Dataset Dataset::Grouped(const ElementBody& key, const ElementBody& reduce,
                         const Tensor& size) const {
  return Guarded([&] {
    EnsureReady();
    const Traced keys =
        TraceInteger("key_func", "Dataset_group_by_window_key", spec(), key,
                     [](const InnerTensor& t) { return AsInt64(t); });
    const ElementFunction sizes = steps::SameSize(Int64(size));
    const Spec group = DatasetsOf(*spec());
    const Traced made = Trace("Dataset_group_by_window_reduce",
                              {ScalarSpec(InnerType::kInt64), group}, reduce);
    const Spec nested = NestedSpec(made);
    if (!nested) {
      steps::NoGroups([&] { return made.specs[0]->to_string(); });
    }
    return Made(steps::GroupByWindow(Typed(*this), keys.f, sizes, made.f,
                                     SignatureOf(*nested)),
                nested);
  });
}

Dataset Dataset::Resampled(const ElementBody& class_of, const Tensor& target,
                           const Tensor& initial,
                           std::optional<int64_t> seed) const {
  const Dataset classed = Map(
      [&](const std::vector<ElementValue>& values) {
        std::vector<ElementResult> made = class_of(values);
        const Spec both = TupleOf(std::vector{
            SpecOf(made[0], ::gk::SignatureOf(Inner(made[0].parts.tensors))),
            values[0].spec});
        ElementResult& pair = made[0];
        size_t first = pair.parts.tensors.size();
        pair.parts.tensors.insert(pair.parts.tensors.end(),
                                  values[0].tensors.begin(),
                                  values[0].tensors.end());
        for (const TypeSpec& leaf : values[0].spec->leaves) {
          ElementSignature own;
          Inner(leaf).AddComponents(&own);
          const size_t count = own.types.size();
          if (leaf.kind != TypeSpec::Kind::kTensor) {
            pair.leaves.entries.push_back(
                {first, count, std::make_shared<TypeSpec>(leaf)});
          }
          first += count;
        }
        pair.parts.form = {both->structure, {}, {}};
        return made;
      },
      {});
  return Guarded([&] {
    const InnerTensor made = RejectionResample(Typed(classed), Inner(target),
                                               InnerOrNull(initial), seed);
    return made ? Dataset(Outer(made), classed.spec()) : classed;
  });
}

}  // namespace gk::api
