// gk::Optional, gk::Iterator, and for loops over datasets.
#include "api/dataset_parts.h"
#include "framework/op_builder.h"
#include "ops/fn/AnonymousIteratorV3.h"
#include "ops/fn/DeserializeIterator.h"
#include "ops/fn/IteratorGetNext.h"
#include "ops/fn/IteratorGetNextAsOptional.h"
#include "ops/fn/MakeIterator.h"
#include "ops/fn/OptionalFromValue.h"
#include "ops/fn/OptionalGetValue.h"
#include "ops/fn/OptionalHasValue.h"
#include "ops/fn/OptionalNone.h"
#include "ops/fn/SerializeIterator.h"

namespace gk::api {

using detail::ElementResult;

Optional Optional::FromValue(const ElementResult& value) {
  return Guarded([&] {
    const TensorVector parts = Inner(value.parts.tensors);
    return Optional(Outer(::gk::ops::OptionalFromValue(parts)),
                    SpecOf(value, ::gk::SignatureOf(parts)));
  });
}

Optional Optional::empty(const ElementSpec& element_spec) {
  return Guarded([&] {
    EnsureReady();
    return Optional(Outer(::gk::ops::OptionalNone()),
                    std::make_shared<ElementSpec>(element_spec));
  });
}

Tensor Optional::has_value() const {
  return Guarded(
      [&] { return Outer(::gk::ops::OptionalHasValue(Inner(variant_))); });
}

DatasetElement Optional::get_value() const {
  return Guarded([&] {
    const ElementSignature d = SignatureOf(*spec_);
    return DatasetElement(
        {Outer(::gk::ops::OptionalGetValue(Inner(variant_), d.types, d.shapes)),
         spec_});
  });
}

Iterator::Iterator(const Dataset& dataset) : spec_(dataset.spec()) {
  Guarded([&] {
    EnsureReady();
    const ElementSignature d = SignatureOf(*spec_);
    handle_ = Outer(::gk::ops::AnonymousIteratorV3(d.types, d.shapes));
    ::gk::ops::MakeIterator(Inner(dataset.variant()), Inner(handle_));
  });
}

DatasetElement Iterator::get_next() const {
  return Guarded([&] {
    const ElementSignature d = SignatureOf(*spec_);
    return DatasetElement(
        {Outer(::gk::ops::IteratorGetNext(Inner(handle_), d.types, d.shapes)),
         spec_});
  });
}

Optional Iterator::get_next_as_optional() const {
  return Guarded([&] {
    const ElementSignature d = SignatureOf(*spec_);
    return Optional(Outer(::gk::ops::IteratorGetNextAsOptional(
                        Inner(handle_), d.types, d.shapes)),
                    spec_);
  });
}

Tensor Iterator::save() const {
  constexpr int64_t kFail = 2;
  return Guarded([&] {
    return Outer(::gk::ops::SerializeIterator(Inner(handle_), kFail));
  });
}

void Iterator::restore(const Tensor& state) const {
  Guarded(
      [&] { ::gk::ops::DeserializeIterator(Inner(handle_), Inner(state)); });
}

namespace {

const Dataset& Iterable(const Dataset& dataset) {
  EnsureReady();
  if (OpBuilder::Current()->builds_graph()) {
    ThrowPublic(RuntimeError(
        "A Dataset cannot be iterated over in a function that is traced: use "
        "reduce()"));
  }
  return dataset;
}

}  // namespace

DatasetIterator::DatasetIterator(const Dataset& dataset)
    : at_(Iterable(dataset)) {
  ++*this;
}

DatasetIterator& DatasetIterator::operator++() {
  element_.reset();
  try {
    element_.emplace(at_.get_next());
  } catch (const Error& e) {
    if (e.code() != ErrorCode::kOutOfRange) throw;
  }
  return *this;
}

}  // namespace gk::api
