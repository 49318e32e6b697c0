// Diagonal tensors and bands of matrices.
#include "ops/fn/array_band.h"

#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "kernels/diagonal.h"
#include "ops/element_moves.h"
#include "ops/fn/Diag.h"
#include "ops/fn/DiagPart.h"
#include "ops/fn/MatrixBandPart.h"

namespace gk {
namespace {

Band MainDiagonal(int64_t n) {
  Band band;
  band.rows = band.cols = band.max_length = n;
  return band;
}

// ---- Diag, DiagPart ----

Status DiagShape(InferenceContext& c) {
  PartialTensorShape s;
  GK_RETURN_IF_ERROR(c.WithRankAtLeast(0, 1, &s));
  if (s.unknown_rank()) return OkStatus();
  if (s.rank() * 2 > kMaxRank) {
    return InvalidArgument("Shape must be at most rank {} but is rank {}",
                           kMaxRank / 2, s.rank());
  }
  for (int i = 0, n = s.rank(); i < n; ++i) s.AddDim(s.dim(i));
  c.set_output(0, std::move(s));
  return OkStatus();
}

Status ComputeDiag(KernelContext& c) {
  const Tensor& x = c.input(0);
  if (x.rank() < 1) {
    return InvalidArgument("Input must be at least rank 1, got 0");
  }
  InlinedVector<int64_t, 8> dims(x.shape().dims());
  for (int64_t d : x.shape().dims()) dims.push_back(d);
  GK_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make(dims));
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, x.dtype(), shape, &out));
  ZeroElements(out);
  if (x.num_elements() == 0) return OkStatus();
  return VisitMoved(x.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    UnpackBand(MainDiagonal(x.num_elements()), 1,
               static_cast<const T*>(x.raw_data()),
               static_cast<T*>(out->raw_data()), ThreadPool::Global());
  });
}

Status DiagPartShape(InferenceContext& c) {
  const PartialTensorShape& s = c.input(0);
  if (s.unknown_rank()) return OkStatus();
  if (s.rank() == 0 || s.rank() % 2 != 0) {
    return InvalidArgument(
        "Input must have even and non-zero rank, input rank is {}", s.rank());
  }
  PartialTensorShape out = PartialTensorShape::UnknownOfRank(s.rank() / 2);
  for (int i = 0; i < out.rank(); ++i) {
    int64_t d;
    GK_RETURN_IF_ERROR(
        InferenceContext::MergeDims(s.dim(i), s.dim(i + out.rank()), &d));
    out.SetDim(i, d);
  }
  c.set_output(0, std::move(out));
  return OkStatus();
}

Status ComputeDiagPart(KernelContext& c) {
  const Tensor& x = c.input(0);
  if (x.rank() == 0) {
    c.set_output(0, x);
    return OkStatus();
  }
  if (x.rank() % 2 != 0) {
    return InvalidArgument(
        "The rank of the tensor should be even and positive, got shape {}",
        x.shape().DebugString());
  }
  const int half = x.rank() / 2;
  TensorShape shape;
  for (int i = 0; i < half; ++i) {
    if (x.dim(i) != x.dim(i + half)) {
      return InvalidArgument(
          "Invalid shape {}: dimensions {} and {} do not match.",
          x.shape().DebugString(), i, i + half);
    }
    shape.AddDim(x.dim(i));
  }
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, x.dtype(), shape, &out));
  if (shape.num_elements() == 0) return OkStatus();
  return VisitMoved(x.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    PackBand(MainDiagonal(shape.num_elements()), 1,
             static_cast<const T*>(x.raw_data()),
             static_cast<T*>(out->raw_data()), ThreadPool::Global());
  });
}

void DiagGradient(GradContext& g) {
  if (g.wants(0)) g.Set(0, ops::DiagPart(g.dy(0)));
}
void DiagPartGradient(GradContext& g) {
  if (g.wants(0)) g.Set(0, ops::Diag(g.dy(0)));
}

// ---- MatrixBandPart ----

Status BandPartShape(InferenceContext& c) {
  PartialTensorShape s;
  GK_RETURN_IF_ERROR(c.WithRankAtLeast(0, 2, &s));
  for (int i = 1; i < 3; ++i) {
    PartialTensorShape scalar;
    GK_RETURN_IF_ERROR(c.WithRank(i, 0, &scalar));
    auto value = c.ValueAsInts(i);
    if (!value || s.unknown_rank()) continue;
    const int64_t size = s.dim(s.rank() - 3 + i);
    if (size >= 0 && (*value)[0] > size) {
      return InvalidArgument(
          "num_{} must be negative or less or equal to number of {} ({}) got: "
          "{}",
          i == 1 ? "lower" : "upper", i == 1 ? "rows" : "columns", size,
          (*value)[0]);
    }
  }
  c.set_output(0, std::move(s));
  return OkStatus();
}

Status ComputeBandPart(KernelContext& c) {
  const Tensor& x = c.input(0);
  if (x.rank() < 2) {
    return InvalidArgument("input must be at least 2-dim, received shape: {}",
                           x.shape().DebugString());
  }
  int64_t keep[2];
  for (int i = 0; i < 2; ++i) {
    const char* name = i == 0 ? "num_lower" : "num_upper";
    if (c.input(i + 1).rank() != 0) {
      return InvalidArgument("{} must be scalar, got shape {}", name,
                             c.input(i + 1).shape().DebugString());
    }
    GK_RETURN_IF_ERROR(IntegerValue(c.input(i + 1), name, &keep[i]));
    const int64_t size = x.dim(x.rank() - 2 + i);
    if (keep[i] > size) {
      return InvalidArgument(
          "{} must be negative or less or equal to number of {} ({}) got: {}",
          name, i == 0 ? "rows" : "columns", size, keep[i]);
    }
    // TensorFlow goes on with the low 32 bits.
    keep[i] = static_cast<int32_t>(keep[i]);
    if (keep[i] < 0) keep[i] = size;
  }
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, x.dtype(), x.shape(), &out));
  if (x.num_elements() == 0) return OkStatus();
  const int64_t rows = x.dim(x.rank() - 2), cols = x.dim(x.rank() - 1);
  return VisitMoved(x.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    KeepBand(static_cast<const T*>(x.raw_data()),
             static_cast<T*>(out->raw_data()), x.num_elements() / rows / cols,
             rows, cols, keep[0], keep[1], ThreadPool::Global());
  });
}

void BandPartGradient(GradContext& g) {
  if (g.wants(0)) {
    g.Set(0, ops::MatrixBandPart(g.dy(0), g.x(1), g.x(2)));
  }
}

const OpRecord kRecords[] = {
    {.name = "Diag",
     .inputs = "diagonal: T",
     .outputs = "output: T",
     .attrs = "T: type in [bfloat16, half, float, double, int32, int64, "
              "complex64, complex128]",
     .shape = DiagShape,
     .kernel = {.compute = ComputeDiag},
     .gradient = DiagGradient,
     .python = {.names = "linalg.tensor_diag"},
     .doc = "A tensor of twice the rank with the elements on its diagonal.",
     .example = ">>> tf.linalg.tensor_diag([1, 2]).numpy().tolist()\n"
                "[[1, 0], [0, 2]]"},

    {.name = "DiagPart",
     .inputs = "input: T",
     .outputs = "diagonal: T",
     .attrs = "T: type in [bfloat16, half, float, double, int32, int64, "
              "complex64, complex128]",
     .shape = DiagPartShape,
     .kernel = {.compute = ComputeDiagPart},
     .gradient = DiagPartGradient,
     .python = {.names = "linalg.tensor_diag_part"},
     .doc = "The elements [i, ..., k, i, ..., k] of a tensor of even rank.",
     .example = ">>> tf.linalg.tensor_diag_part([[1, 2], [3, "
                "4]]).numpy().tolist()\n[1, 4]"},

    {.name = "MatrixBandPart",
     .inputs = "input: T; num_lower: Tindex; num_upper: Tindex",
     .outputs = "band: T",
     .attrs = "T: type; Tindex: type in [int32, int64] = int64",
     .shape = BandPartShape,
     .kernel = {.compute = ComputeBandPart},
     .gradient = BandPartGradient,
     .python = {.names = "linalg.band_part"},
     .doc = "Matrices with everything but num_lower diagonals below and "
            "num_upper above the main one set to zero; negative numbers keep "
            "all.",
     .example = ">>> tf.linalg.band_part([[1, 2], [3, 4]], 0, "
                "-1).numpy().tolist()\n[[1, 2], [0, 4]]"},
};

}  // namespace

GK_REGISTER_OPS(array_band)

}  // namespace gk
