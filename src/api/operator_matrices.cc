#include "api/operator_matrices.h"

#include <algorithm>

#include "graphkiln/index.h"
#include "graphkiln/ops.h"

namespace gk::api::linalg {

Shape Dims(const Shape& shape, int begin, int end) {
  if (!shape.has_rank()) return Shape::UnknownRank();
  const int rank = shape.rank();
  const int from = begin < 0 ? begin + rank : begin;
  const int to = end <= 0 ? end + rank : end;
  if (from < 0 || to < from) BadValue("an operator needs matrices");
  const std::vector<int64_t>& dims = shape.dims();
  return Shape(std::vector<int64_t>(dims.begin() + from, dims.begin() + to));
}

Tensor Dims(const Tensor& shape, int begin, int end) {
  if (end == 0) return shape[api::Slice(begin, {})];
  return shape[api::Slice(begin, end)];
}

Tensor Joined(const std::vector<Tensor>& shapes) {
  return api::concat(shapes, 0);
}

Shape Broadcast(const Shape& a, const Shape& b) {
  if (!a.has_rank() || !b.has_rank()) return Shape::UnknownRank();
  const int rank = std::max(a.rank(), b.rank());
  std::vector<int64_t> dims(rank);
  for (int i = 0; i < rank; ++i) {
    const int at_a = i - (rank - a.rank()), at_b = i - (rank - b.rank());
    const int64_t x = at_a < 0 ? 1 : a.dim(at_a);
    const int64_t y = at_b < 0 ? 1 : b.dim(at_b);
    if (x == 1) {
      dims[i] = y;
    } else if (y == 1 || x == y) {
      dims[i] = x;
    } else if (x == kUnknown || y == kUnknown) {
      dims[i] = std::max(x, y);
    } else {
      BadValue("Incompatible shapes for broadcasting: " + a.to_string() +
               " and " + b.to_string());
    }
  }
  return Shape(dims);
}

Tensor Broadcast(const Tensor& a, const Tensor& b) {
  return api::ops::BroadcastArgs(a, b);
}

Tensor ShapeOf(const Tensor& x) { return api::shape(x); }

std::vector<Tensor> WithOneBatch(std::vector<Tensor> matrices) {
  Shape known = Dims(matrices[0].shape(), 0, -2);
  for (const Tensor& m : matrices) {
    known = Broadcast(known, Dims(m.shape(), 0, -2));
  }
  if (known.is_fully_defined() &&
      std::ranges::all_of(matrices, [&](const Tensor& m) {
        return Dims(m.shape(), 0, -2) == known;
      })) {
    return matrices;
  }
  Tensor batch = Dims(ShapeOf(matrices[0]), 0, -2);
  for (const Tensor& m : matrices) {
    batch = Broadcast(batch, Dims(ShapeOf(m), 0, -2));
  }
  for (Tensor& m : matrices) {
    const Tensor inner = Dims(ShapeOf(m), -2, 0);
    m = api::broadcast_to(m, Joined({batch, inner}));
  }
  return matrices;
}

Tensor SolveBroadcast(const Tensor& matrix, const Tensor& rhs, bool adjoint) {
  const std::vector<Tensor> both = WithOneBatch({matrix, rhs});
  return api::linalg::solve(both[0], both[1], adjoint);
}

void AssertNoZeros(const Tensor& x, const std::string& message) {
  const Tensor size = api::abs(x);
  api::debugging::assert_less(api::zeros_like(size), size, message);
}

void AssertReal(const Tensor& x, const std::string& message) {
  if (!IsComplexType(x.dtype())) return;
  const Tensor imag = api::math::imag(x);
  api::debugging::assert_equal(api::zeros_like(imag), imag, message);
}

namespace {

std::optional<bool> NonSingular(const LinearOperator& a,
                                const LinearOperator& b) {
  const auto x = a.is_non_singular(), y = b.is_non_singular();
  if (x == false || y == false) return false;
  return x == true && y == true ? std::optional(true) : std::nullopt;
}

}  // namespace

OperatorOptions OfCommuting(const LinearOperator& a, const LinearOperator& b) {
  OperatorOptions o{.is_non_singular = NonSingular(a, b), .is_square = true};
  const auto x = a.is_self_adjoint(), y = b.is_self_adjoint();
  if (x == true && y == true) {
    o.is_self_adjoint = true;
    if (a.is_positive_definite() == true && b.is_positive_definite() == true) {
      o.is_positive_definite = true;
    }
  } else if (x && y && *x != *y) {
    o.is_self_adjoint = false;
  }
  return o;
}

OperatorOptions OfProduct(const LinearOperator& a, const LinearOperator& b) {
  const auto x = a.is_square(), y = b.is_square();
  if (x == true && y == true) {
    return {.is_non_singular = NonSingular(a, b), .is_square = true};
  }
  if (!x || !y) return {};
  if (*x == *y) {
    const int64_t rows = a.range_dimension(), columns = b.domain_dimension();
    if (rows == kUnknown || columns == kUnknown) return {};
    if (rows == columns) return {.is_square = true};
  }
  return {.is_non_singular = false,
          .is_self_adjoint = false,
          .is_positive_definite = false,
          .is_square = false};
}

std::optional<bool> MustBe(bool is_true, std::optional<bool> given,
                           const std::string& message) {
  if (!is_true) return given;
  if (given == false) BadValue(message);
  return true;
}

OperatorOptions Promises(const OperatorKind& kind) {
  OperatorOptions o = kind.promised();
  o.is_square = true;
  o.name.clear();
  return o;
}

}  // namespace gk::api::linalg
