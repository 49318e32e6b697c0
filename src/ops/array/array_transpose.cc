// Permuting dimensions.
#include "ops/fn/array_transpose.h"

#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "kernels/transpose.h"
#include "ops/element_moves.h"

namespace gk {
namespace {

Status TransposeShape(InferenceContext& c) {
  PartialTensorShape x = c.input(0), perm_shape;
  GK_RETURN_IF_ERROR(c.WithRank(1, 1, &perm_shape));
  auto perm = c.ValueAsInts(1);
  if (x.unknown_rank() && perm_shape.dim(0) >= 0 &&
      perm_shape.dim(0) <= kMaxRank) {
    x = PartialTensorShape::UnknownOfRank(static_cast<int>(perm_shape.dim(0)));
  }
  if (x.unknown_rank()) return OkStatus();
  if (perm_shape.dim(0) >= 0 && perm_shape.dim(0) != x.rank()) {
    return InvalidArgument("Dimension must be {} but is {}", x.rank(),
                           perm_shape.dim(0));
  }
  PartialTensorShape out = PartialTensorShape::UnknownOfRank(x.rank());
  for (int i = 0; perm && i < x.rank(); ++i) {
    const int from = NormalAxis((*perm)[i], x.rank());
    if (from < 0) {
      return InvalidArgument("perm dim {} is out of range of input rank {}",
                             (*perm)[i], x.rank());
    }
    out.SetDim(i, x.dim(from));
  }
  c.set_output(0, std::move(out));
  return OkStatus();
}

Status ReadPermutation(const Tensor& x, const Tensor& perm_in,
                       std::vector<int64_t>* perm) {
  if (perm_in.rank() != 1) {
    return InvalidArgument("perm must be rank 1, got shape {}",
                           perm_in.shape().DebugString());
  }
  GK_RETURN_IF_ERROR(IntegerValues(perm_in, perm));
  const int rank = x.rank();
  if (perm->size() != static_cast<size_t>(rank)) {
    return InvalidArgument(
        "transpose expects a vector of size {}. But input(1) is a vector of "
        "size {}",
        rank, perm->size());
  }
  std::vector<bool> seen(rank);
  for (int64_t& p : *perm) {
    const int at = NormalAxis(p, rank);
    if (at < 0) return InvalidArgument("{} is out of range [0 .. {})", p, rank);
    seen[at] = true;
    p = at;
  }
  for (int i = 0; i < rank; ++i) {
    if (!seen[i]) {
      return InvalidArgument("{} is missing from {{{}}}.", i,
                             JoinText(*perm, ","));
    }
  }
  return OkStatus();
}

Status ComputeTranspose(KernelContext& c) {
  const Tensor& x = c.input(0);
  std::vector<int64_t> perm;
  GK_RETURN_IF_ERROR(ReadPermutation(x, c.input(1), &perm));
  TensorShape shape;
  for (int64_t p : perm) shape.AddDim(x.dim(static_cast<int>(p)));
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, x.dtype(), shape, &out));
  if (x.num_elements() == 0) return OkStatus();
  const int size = DataTypeSize(x.dtype());
  if (!IsObjectType(x.dtype()) && size > 0) {
    Transpose(x.shape().dims(), perm, size, x.raw_data(), out->raw_data());
    return OkStatus();
  }
  const auto from = StridesOf(x.shape()), to = StridesOf(shape);
  StridedBox box;
  for (int i = 0; i < shape.rank(); ++i) {
    box.AddAxis(shape.dim(i), from[static_cast<int>(perm[i])], to[i]);
  }
  return CopyBox(box, x, 0, out, 0);
}

Status ComputeConjugateTranspose(KernelContext& c) {
  GK_RETURN_IF_ERROR(ComputeTranspose(c));
  Tensor& out = c.output(0);
  if (out.dtype() == DataType::kComplex64) {
    Conjugate(out.flat<complex64>());
  } else if (out.dtype() == DataType::kComplex128) {
    Conjugate(out.flat<complex128>());
  }
  return OkStatus();
}

Status InvertShape(InferenceContext& c) {
  PartialTensorShape s;
  GK_RETURN_IF_ERROR(c.WithRank(0, 1, &s));
  c.set_output(0, std::move(s));
  return OkStatus();
}

Status ComputeInvert(KernelContext& c) {
  const Tensor& x = c.input(0);
  if (x.rank() != 1) {
    return InvalidArgument("invert_permutation expects a 1D vector.");
  }
  const int64_t n = x.num_elements();
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, x.dtype(), x.shape(), &out));
  Status status = c.NoKernel();
  VisitType<int32_t, int64_t>(x.dtype(), [&](auto tag) {
    using T = decltype(tag);
    status = OkStatus();
    const T* const perm = x.data<T>();
    T* const inverse = out->data<T>();
    std::fill_n(inverse, n, T(-1));
    for (int64_t i = 0; i < n; ++i) {
      if (perm[i] < 0 || perm[i] >= n) {
        status = InvalidArgument("{} is not between 0 and {}", perm[i], n);
        return;
      }
      if (inverse[perm[i]] != -1) {
        status = InvalidArgument("{} is duplicated in the input.", perm[i]);
        return;
      }
      inverse[perm[i]] = static_cast<T>(i);
    }
  });
  return status;
}

const OpRecord kRecords[] = {
    {.name = "Transpose",
     .inputs = "x: T; perm: Tperm",
     .outputs = "y: T",
     .attrs = "T: type; Tperm: type in [int32, int64] = int32",
     .shape = TransposeShape,
     .kernel = {.compute = ComputeTranspose},
     .gradient =
         [](GradContext& g) {
           g.Set(0, ops::Transpose(g.dy(0), ops::InvertPermutation(g.x(1))));
         },
     .python = {.scope = "transpose"},
     .doc = "Permutes the dimensions of a tensor: dimension i of the result is "
            "dimension perm[i] of x."},

    {.name = "ConjugateTranspose",
     .inputs = "x: T; perm: Tperm",
     .outputs = "y: T",
     .attrs = "T: type; Tperm: type in [int32, int64] = int32",
     .shape = TransposeShape,
     .kernel = {.compute = ComputeConjugateTranspose},
     .gradient =
         [](GradContext& g) {
           g.Set(0, ops::ConjugateTranspose(g.dy(0),
                                            ops::InvertPermutation(g.x(1))));
         },
     .doc = "Permutes the dimensions of a tensor and conjugates its "
            "elements."},

    {.name = "InvertPermutation",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: type in [int32, int64] = int32",
     .traits = kNoGradient,
     .shape = InvertShape,
     .kernel = {.compute = ComputeInvert},
     .python = {.names = "math.invert_permutation"},
     .doc = "The inverse of a permutation: y[x[i]] = i.",
     .example = ">>> tf.math.invert_permutation([2, 0, 1]).numpy().tolist()\n"
                "[1, 2, 0]"},
};

}  // namespace

GK_REGISTER_OPS(array_transpose)

}  // namespace gk
