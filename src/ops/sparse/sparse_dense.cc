// Sparse tensors made dense, and their products with dense ones.
#include "ops/fn/sparse_dense.h"

#include <algorithm>
#include <complex>
#include <string>
#include <vector>

#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "kernels/sparse.h"
#include "ops/element_moves.h"
#include "ops/fn/Conj.h"
#include "ops/fn/GatherNd.h"
#include "ops/fn/GatherV2.h"
#include "ops/fn/Mul.h"
#include "ops/fn/Reshape.h"
#include "ops/fn/Sub.h"
#include "ops/fn/Sum.h"
#include "ops/fn/Transpose.h"
#include "ops/sparse/sparse_parts.h"

namespace gk {
namespace {

// ---- SparseToDense ----

Status ToDenseShape(InferenceContext& c) {
  PartialTensorShape shape;
  GK_RETURN_IF_ERROR(c.WithRank(1, 1, &shape));
  c.set_output(0, c.ValueAsShape(1));
  return OkStatus();
}

// Of an op whose indices may be a scalar, a vector or a matrix.
Status CheckToDense(const Tensor& indices, const Tensor& shape,
                    const Tensor& values, const Tensor& otherwise) {
  if (indices.rank() > 2) {
    return InvalidArgument(
        "sparse_indices should be a scalar, vector, or matrix, got shape {}",
        indices.shape().DebugString());
  }
  const int64_t n = indices.rank() > 0 ? indices.dim(0) : 1;
  const int64_t rank = indices.rank() > 1 ? indices.dim(1) : 1;
  if (shape.rank() != 1) {
    return InvalidArgument("output_shape must be rank 1, got shape {}",
                           shape.shape().DebugString());
  }
  if (shape.num_elements() != rank) {
    return InvalidArgument(
        "output_shape has incorrect number of elements: {} should be: {}",
        shape.num_elements(), rank);
  }
  if (values.rank() != 0 && !(values.rank() == 1 && values.dim(0) == n)) {
    return InvalidArgument(
        "sparse_values has incorrect shape {}, should be [] or [{}]",
        values.shape().DebugString(), n);
  }
  if (otherwise.rank() != 0) {
    return InvalidArgument("default_value should be a scalar.");
  }
  return OkStatus();
}

// Are the places in the array, and, if they are to be, in order and apart?
Status CheckPlaces(const Places& places, std::span<const int64_t> sizes,
                   bool in_order) {
  if (const int64_t bad = FirstOutside(places, sizes); bad >= 0) {
    if (!in_order) {
      return InvalidArgument(
          "Indices are not valid (out of bounds).  Shape: {}",
          ShownSizes(sizes));
    }
    return InvalidArgument(
        "indices[{}] = {} is out of bounds: need 0 <= index < {}", bad,
        ShownSizes(places[bad]), ShownSizes(sizes));
  }
  bool ordered = !in_order;
  if (places.rank == 2 && !ordered) {
    ordered = true;
    const int64_t* at = places.data;
    for (int64_t i = 1; i < places.n; ++i, at += 2) {
      ordered &= at[2] > at[0] || (at[2] == at[0] && at[3] > at[1]);
    }
  }
  for (int64_t i = 1; !ordered && i < places.n; ++i) {
    const int order = ComparePlaces(places[i - 1], places[i]);
    if (order == 0) {
      return InvalidArgument("indices[{}] = {} is repeated", i,
                             ShownSizes(places[i]));
    }
    if (order > 0) {
      return InvalidArgument(
          "indices[{}] = {} is out of order. Many sparse ops require sorted "
          "indices.\n    Use `tf.sparse.reorder` to create a correctly ordered "
          "copy.\n\n",
          i, ShownSizes(places[i]));
    }
  }
  return OkStatus();
}

Status ComputeToDense(KernelContext& c) {
  const Tensor &indices = c.input(0), &shape = c.input(1), &values = c.input(2),
               &otherwise = c.input(3);
  GK_RETURN_IF_ERROR(CheckToDense(indices, shape, values, otherwise));
  std::vector<int64_t> sizes;
  GK_RETURN_IF_ERROR(IntegerValues(shape, &sizes));
  for (int64_t d : sizes) {
    if (d < 0) return InvalidArgument("Dimension {} must be >= 0", d);
  }
  GK_ASSIGN_OR_RETURN(const TensorShape made, TensorShape::Make(sizes));
  const int64_t n = indices.rank() > 0 ? indices.dim(0) : 1;
  const bool in_order = c.attr<bool>("validate_indices");
  const auto visit = [&](auto&& use) {
    bool good = false;
    VisitType<int32_t, int64_t>(indices.dtype(), [&](auto tag) {
      good = VisitFlatPlaces(indices.data<decltype(tag)>(), n, sizes, in_order,
                             use);
    });
    return good;
  };
  const auto refuse = [&]() -> Status {
    std::vector<int64_t> wide;
    GK_RETURN_IF_ERROR(IntegerValues(indices, &wide));
    const Places places{wide.data(), n, std::ssize(sizes)};
    return CheckPlaces(places, sizes, in_order);
  };
  // Before what may be large is made; else while it is filled.
  constexpr int64_t kLarge = 1 << 22;
  if (made.num_elements() > kLarge &&
      !visit([](int64_t, std::span<const int64_t>) {})) {
    GK_RETURN_IF_ERROR(refuse());
  }
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, values.dtype(), made, &out));
  GK_RETURN_IF_ERROR(FillElements(otherwise, out));
  const int64_t step = values.rank() == 0 ? 0 : 1;
  bool good = false;
  GK_RETURN_IF_ERROR(VisitMoved(values.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* const from = static_cast<const T*>(values.raw_data());
    T* const to = static_cast<T*>(out->raw_data());
    good = visit([&](int64_t first, std::span<const int64_t> flat) {
      // The last of equal places counts.
      for (size_t i = 0; i < flat.size(); ++i) {
        to[flat[i]] = from[(first + static_cast<int64_t>(i)) * step];
      }
    });
  }));
  return good ? OkStatus() : refuse();
}

Tensor SumOfAll(const Tensor& x) {
  const Tensor flat = ops::Reshape(x, IntegerVector(std::vector<int64_t>{-1}));
  return ops::Sum(flat, IntegerConstant(0));
}

void ToDenseGradient(GradContext& g) {
  const Tensor all = g.dy(0);
  // A vector of indices is a column of them.
  const std::vector<int64_t> column{-1, 1};
  const bool matrix = g.x(0).partial_shape().rank() == 2;
  const Tensor indices =
      matrix ? g.x(0) : ops::Reshape(g.x(0), IntegerVector(column));
  const Tensor values = ops::GatherNd(all, indices);
  const Tensor sum = SumOfAll(values);
  g.Set(2, g.x(2).partial_shape().rank() == 0 ? sum : values);
  g.Set(3, ops::Sub(SumOfAll(all), sum));
}

// ---- SparseTensorDenseMatMul ----

Status ProductShape(InferenceContext& c) {
  PartialTensorShape indices, values, shape, b;
  GK_RETURN_IF_ERROR(c.WithRank(0, 2, &indices));
  GK_RETURN_IF_ERROR(c.WithRank(1, 1, &values));
  GK_RETURN_IF_ERROR(c.WithRank(2, 1, &shape));
  GK_RETURN_IF_ERROR(c.WithRank(3, 2, &b));
  int64_t two;
  GK_RETURN_IF_ERROR(InferenceContext::MergeDims(shape.dim(0), 2, &two));
  const PartialTensorShape a = c.ValueAsShape(2);
  const bool adjoint_a = c.attr<bool>("adjoint_a");
  const bool adjoint_b = c.attr<bool>("adjoint_b");
  const bool known = !a.unknown_rank();
  int64_t inner;
  GK_RETURN_IF_ERROR(InferenceContext::MergeDims(
      known ? a.dim(adjoint_a ? 0 : 1) : kUnknownDim, b.dim(adjoint_b ? 1 : 0),
      &inner));
  c.set_output(0, {known ? a.dim(adjoint_a ? 1 : 0) : kUnknownDim,
                   b.dim(adjoint_b ? 0 : 1)});
  return OkStatus();
}

Status CheckProduct(const Tensor& indices, const Tensor& values,
                    const Tensor& shape, const Tensor& b) {
  if (b.rank() != 2) return InvalidArgument("Tensor 'b' is not a matrix");
  if (shape.rank() != 1) {
    return InvalidArgument("Tensor 'a_shape' is not a vector");
  }
  if (shape.dim(0) != 2) {
    return InvalidArgument("Tensor 'a_shape' must have 2 elements");
  }
  if (values.rank() != 1) {
    return InvalidArgument("Tensor 'a_values' is not a vector");
  }
  if (indices.rank() != 2) {
    return InvalidArgument("Tensor 'a_indices' is not a matrix");
  }
  if (indices.dim(0) != values.dim(0)) {
    return InvalidArgument(
        "Number of rows of a_indices does not match number of entries in "
        "a_values");
  }
  if (indices.dim(1) != 2) {
    return InvalidArgument(
        "Number of columns of a_indices does not match number of entries in "
        "a_shape");
  }
  for (int64_t d : shape.flat<int64_t>()) {
    if (d < 0) {
      return InvalidArgument("Tensor 'a_shape' has a negative size: {}", d);
    }
  }
  return OkStatus();
}

// What products are summed up as.
template <class T>
struct SumOf {
  using type = T;
};
template <>
struct SumOf<half> {
  using type = float;
};
template <>
struct SumOf<bfloat16> {
  using type = float;
};

template <class T>
T Conjugate(const T& x) {
  return x;
}
template <class T>
std::complex<T> Conjugate(const std::complex<T>& x) {
  return std::conj(x);
}

template <class T>
void Multiply(const Places& a, const T* values, bool adjoint_a, const T* b,
              bool adjoint_b, int64_t inner, const TensorShape& shape, T* out) {
  using Sum = typename SumOf<T>::type;
  const int64_t columns = shape.dim(1);
  std::vector<Sum> sums(shape.num_elements());
  const auto value = [&](int64_t i) {
    const Sum v = static_cast<Sum>(values[i]);
    return adjoint_a ? Conjugate(v) : v;
  };
  ThreadPool& pool = ThreadPool::Global();
  if (adjoint_b) {
    AddSparseTimesDense<Sum>(
        a, adjoint_a, value,
        [&](int64_t k, int64_t j) {
          return Conjugate(static_cast<Sum>(b[j * inner + k]));
        },
        columns, sums.data(), pool);
  } else {
    AddSparseTimesDense<Sum>(
        a, adjoint_a, value,
        [&](int64_t k, int64_t j) {
          return static_cast<Sum>(b[k * columns + j]);
        },
        columns, sums.data(), pool);
  }
  std::transform(sums.begin(), sums.end(), out,
                 [](const Sum& s) { return static_cast<T>(s); });
}

Status ComputeProduct(KernelContext& c) {
  const Tensor &indices = c.input(0), &values = c.input(1),
               &a_shape = c.input(2), &b = c.input(3);
  GK_RETURN_IF_ERROR(CheckProduct(indices, values, a_shape, b));
  const bool adjoint_a = c.attr<bool>("adjoint_a");
  const bool adjoint_b = c.attr<bool>("adjoint_b");
  const std::span<const int64_t> sizes = a_shape.flat<int64_t>();
  const int64_t rows = sizes[adjoint_a ? 1 : 0];
  const int64_t inner = sizes[adjoint_a ? 0 : 1];
  const int64_t columns = b.dim(adjoint_b ? 0 : 1);
  if (inner != b.dim(adjoint_b ? 1 : 0)) {
    return InvalidArgument(
        "Cannot multiply A and B because inner dimension does not match: {} "
        "vs. {}.  Did you forget a transpose?  Dimensions of A: [{}, {}).  "
        "Dimensions of B: {}",
        inner, b.dim(adjoint_b ? 1 : 0), sizes[0], sizes[1],
        b.shape().DebugString());
  }
  std::vector<int64_t> wide;
  const bool is_wide = indices.dtype() == DataType::kInt64;
  if (!is_wide) GK_RETURN_IF_ERROR(IntegerValues(indices, &wide));
  const Places places{is_wide ? indices.data<int64_t>() : wide.data(),
                      indices.dim(0), 2};
  if (const int64_t bad = FirstOutside(places, sizes); bad >= 0) {
    const int d = places[bad][0] < 0 || places[bad][0] >= sizes[0] ? 0 : 1;
    const bool is_row = (d == 0) != adjoint_a;
    return InvalidArgument("{} ({}) from index[{},{}] out of bounds (>={})",
                           is_row ? "m" : "k", places[bad][d], bad, d,
                           sizes[d]);
  }
  GK_ASSIGN_OR_RETURN(const TensorShape shape,
                      TensorShape::Make(std::vector<int64_t>{rows, columns}));
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, values.dtype(), shape, &out));
  const bool known =
      VisitType<float, double, half, bfloat16, int32_t, int64_t, complex64,
                complex128>(values.dtype(), [&](auto tag) {
        using T = decltype(tag);
        Multiply<T>(places, values.data<T>(), adjoint_a, b.data<T>(), adjoint_b,
                    inner, shape, out->data<T>());
      });
  return known ? OkStatus() : c.NoKernel();
}

Tensor Column(const Tensor& matrix, int64_t which) {
  return ops::GatherV2(matrix, IntegerConstant(which), IntegerConstant(1));
}

Tensor Conjugated(const Tensor& x) {
  return IsComplex(x.dtype()) ? ops::Conj(x) : x;
}

// With P the product of op(A) and op(B): of B it is op(A)^H dP, of the values
// of A what dP op(B)^H has in their places; an adjoint is taken back.
void ProductGradient(GradContext& g) {
  const bool adjoint_a = g.attr<bool>("adjoint_a");
  const bool adjoint_b = g.attr<bool>("adjoint_b");
  const Tensor &indices = g.x(0), &values = g.x(1), &shape = g.x(2),
               &b = g.x(3);
  const Tensor dy = g.dy(0);
  const Tensor swap = IntegerVector(std::vector<int64_t>{1, 0});
  if (g.wants(3)) {
    Tensor db =
        ops::SparseTensorDenseMatMul(indices, values, shape, dy, !adjoint_a);
    if (adjoint_b) db = Conjugated(ops::Transpose(db, swap));
    g.Set(3, std::move(db));
  }
  if (g.wants(1)) {
    const Tensor rows = Column(indices, adjoint_a ? 1 : 0);
    const Tensor inner = Column(indices, adjoint_a ? 0 : 1);
    const Tensor conjugate =
        adjoint_b ? ops::Transpose(b, swap) : Conjugated(b);
    const Tensor zero = IntegerConstant(0);
    Tensor da = ops::Sum(ops::Mul(ops::GatherV2(dy, rows, zero),
                                  ops::GatherV2(conjugate, inner, zero)),
                         IntegerConstant(1));
    g.Set(1, adjoint_a ? Conjugated(da) : da);
  }
}

const OpRecord kRecords[] = {
    {.name = "SparseToDense",
     .inputs = "sparse_indices: Tindices; output_shape: Tindices; "
               "sparse_values: T; default_value: T",
     .outputs = "dense: T",
     .attrs = "validate_indices: bool = True; T: type; Tindices: type in "
              "[int32, int64]",
     .shape = ToDenseShape,
     .kernel = {.compute = ComputeToDense},
     .gradient = ToDenseGradient,
     .doc = "A tensor with these values at these places and default_value "
            "elsewhere."},

    {.name = "SparseTensorDenseMatMul",
     .inputs = "a_indices: Tindices; a_values: T; a_shape: int64; b: T",
     .outputs = "product: T",
     .attrs = "T: type; Tindices: type in [int32, int64] = int64; adjoint_a: "
              "bool = False; adjoint_b: bool = False",
     .shape = ProductShape,
     .kernel = {.compute = ComputeProduct},
     .gradient = ProductGradient,
     .doc = "The product of a sparse matrix with a dense one."},
};

}  // namespace

GK_REGISTER_OPS(sparse_dense)

}  // namespace gk
