#include "ops/sparse/sparse_parts.h"

namespace gk {

std::string ShownSizes(std::span<const int64_t> sizes) {
  std::string text = "[";
  for (int64_t d : sizes) text += Format("{}{}", text == "[" ? "" : ",", d);
  return text + "]";
}

Status CheckSparseParts(const Tensor& indices, const Tensor& values,
                        const Tensor& shape) {
  if (indices.rank() != 2) {
    return InvalidArgument("Sparse indices must be rank 2 but is rank {}",
                           indices.rank());
  }
  if (values.rank() != 1) {
    return InvalidArgument("Sparse values must be rank 1 but is rank {}",
                           values.rank());
  }
  if (shape.rank() != 1) {
    return InvalidArgument("Sparse shape must be rank 1 but is rank {}",
                           shape.rank());
  }
  if (indices.dim(0) != values.dim(0)) {
    return InvalidArgument(
        "Number of elements in indices ({}) and values ({}) do not match",
        indices.dim(0), values.dim(0));
  }
  if (indices.dim(1) != shape.dim(0)) {
    return InvalidArgument("Index rank ({}) and shape rank ({}) do not match",
                           indices.dim(1), shape.dim(0));
  }
  return OkStatus();
}

Status CheckSparseForms(const Tensor& indices, const Tensor& values,
                        const Tensor& shape, std::string_view operand) {
  if (indices.rank() != 2) {
    return InvalidArgument(
        "Input {}_indices should be a matrix but received shape: {}", operand,
        indices.shape().DebugString());
  }
  if (values.rank() != 1 || shape.rank() != 1) {
    return InvalidArgument(
        "Inputs {0}_values and {0}_shape should be vectors but received "
        "shapes: {1} and {2}",
        operand, values.shape().DebugString(), shape.shape().DebugString());
  }
  return OkStatus();
}

StatusOr<int64_t> ElementsOf(std::span<const int64_t> sizes) {
  int64_t product = 1;
  for (int64_t d : sizes) {
    const int64_t next = MultiplyWithoutOverflow(product, d);
    if (next < 0) {
      return InvalidArgument(
          "Encountered overflow when multiplying {} with {}, result: {}",
          product, d, next);
    }
    product = next;
  }
  return product;
}

namespace {

Status CheckNoneNegative(std::span<const int64_t> sizes) {
  for (int64_t d : sizes) {
    if (d < 0) {
      return InvalidArgument(
          "Expected shape dimensions to be non-negative, "
          "got {}",
          d);
    }
  }
  return OkStatus();
}

}  // namespace

Status CheckSizes(std::span<const int64_t> sizes) {
  GK_RETURN_IF_ERROR(CheckNoneNegative(sizes));
  return ElementsOf(sizes).status();
}

Status CheckPlacesInside(const Places& places, std::span<const int64_t> sizes) {
  GK_RETURN_IF_ERROR(CheckNoneNegative(sizes));
  if (const int64_t bad = FirstOutside(places, sizes); bad >= 0) {
    std::string place = ShownSizes(places[bad]);
    for (size_t at = 0; (at = place.find(',', at)) != std::string::npos;) {
      place.replace(at, 1, ", ");
      at += 2;
    }
    return InvalidArgument(
        "Sparse index tuple indices[{}, :] = {} is out of bounds", bad, place);
  }
  return OkStatus();
}

Status InferSparseParts(InferenceContext& c, int first, SparseShapes* out) {
  GK_RETURN_IF_ERROR(c.WithRank(first, 2, &out->indices));
  GK_RETURN_IF_ERROR(c.WithRank(first + 1, 1, &out->values));
  GK_RETURN_IF_ERROR(c.WithRank(first + 2, 1, &out->shape));
  int64_t d;
  GK_RETURN_IF_ERROR(
      InferenceContext::MergeDims(out->indices.dim(0), out->values.dim(0), &d));
  return InferenceContext::MergeDims(out->indices.dim(1), out->shape.dim(0),
                                     &d);
}

}  // namespace gk
