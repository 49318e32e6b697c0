#include "graphkiln/index.h"

#include <vector>

#include "api/inner.h"
#include "api/inner_index.h"
#include "ops/composition.h"
#include "ops/subscript.h"

namespace gk::api {
namespace {

using Kind = SubscriptEntry::Kind;

SubscriptBound Checked(const Tensor& t) {
  const std::optional<SubscriptBound> bound = SubscriptBound::Of(Inner(t));
  if (!bound) {
    throw ::gk::Error(TypeError(
        "Only integers, gk::Slice, gk::ellipsis, gk::newaxis and scalar "
        "integer tensors are valid indices, got {}; a tensor of booleans "
        "stands alone",
        t.to_string()));
  }
  return *bound;
}

std::optional<SubscriptBound> Inner(const Bound& bound) {
  if (const auto* number = std::get_if<int64_t>(&bound.value())) {
    return SubscriptBound(*number);
  }
  if (const auto* t = std::get_if<Tensor>(&bound.value())) return Checked(*t);
  return {};
}

}  // namespace

SubscriptEntry Inner(const Index& index) {
  SubscriptEntry entry;
  if (const auto* number = std::get_if<int64_t>(&index.value())) {
    entry.kind = Kind::kIndex;
    entry.begin = *number;
  } else if (const auto* t = std::get_if<Tensor>(&index.value())) {
    entry.kind = Kind::kIndex;
    entry.begin = Checked(*t);
  } else if (const auto* slice = std::get_if<Slice>(&index.value())) {
    entry.begin = Inner(slice->begin);
    entry.end = Inner(slice->end);
    entry.stride = Inner(slice->stride);
  } else {
    entry.kind = std::holds_alternative<Ellipsis>(index.value())
                     ? Kind::kEllipsis
                     : Kind::kNewAxis;
  }
  return entry;
}

Tensor Tensor::operator[](const Index& index) const {
  return Guarded([&] {
    const auto* mask = std::get_if<Tensor>(&index.value());
    if (mask != nullptr && mask->dtype() == DataType::kBool) {
      return Outer(CallComposition("boolean_mask",
                                   {api::Inner(*this), api::Inner(*mask)})[0]);
    }
    return Outer(Subscript(api::Inner(*this), {Inner(index)}));
  });
}

Tensor Tensor::operator[](std::initializer_list<Index> indices) const {
  return Guarded([&] {
    std::vector<SubscriptEntry> entries;
    for (const Index& index : indices) entries.push_back(Inner(index));
    return Outer(Subscript(api::Inner(*this), std::move(entries)));
  });
}

}  // namespace gk::api
