// Matrices from diagonals, diagonals of matrices.
#include "ops/fn/array_diagonal.h"

#include <algorithm>

#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "kernels/diagonal.h"
#include "ops/element_moves.h"
#include "ops/fn/MatrixDiagPart.h"
#include "ops/fn/MatrixSetDiag.h"
#include "ops/fn/ZerosLike.h"

namespace gk {
namespace {

// The three versions of these ops differ in what they let one choose: the
// first knows the main diagonal only, the second has no align.
enum Version { kV1 = 1, kV2 = 2, kV3 = 3 };

void SetAlignment(const std::string& align, Band* band) {
  band->left_above = align != "RIGHT_LEFT" && align != "RIGHT_RIGHT";
  band->left_below = align != "LEFT_RIGHT" && align != "RIGHT_RIGHT";
}

Status BandFromOffsets(std::span<const int64_t> k, Band* band) {
  if (k.empty() || k.size() > 2) {
    return InvalidArgument(
        "diag_index must have only one or two elements, received {} elements.",
        k.size());
  }
  band->lower = k.front();
  band->upper = k.back();
  return OkStatus();
}

Status CheckOrder(const Band& band) {
  if (band.lower <= band.upper) return OkStatus();
  return InvalidArgument(
      "lower_diag_index must not be larger than upper_diag_index: {} > {}",
      band.lower, band.upper);
}

// The value of the input k.
Status ReadOffsets(const Tensor& k, Band* band) {
  if (k.rank() > 1) {
    return InvalidArgument(
        "diag_index must be a scalar or vector, received shape: {}",
        k.shape().DebugString());
  }
  std::vector<int64_t> values;
  GK_RETURN_IF_ERROR(IntegerValues(k, &values));
  return BandFromOffsets(values, band);
}

// The diagonals must be within the matrix, whose size is set in *band.
Status CheckBounds(Band* band) {
  for (const bool is_lower : {true, false}) {
    const int64_t d = is_lower ? band->lower : band->upper;
    if ((d > -band->rows && d < band->cols) || d == 0) continue;
    return InvalidArgument(
        "{}_diag_index is out of bound: {}. It must be between {} and {}",
        is_lower ? "lower" : "upper", d, -band->rows, band->cols);
  }
  GK_RETURN_IF_ERROR(CheckOrder(*band));
  band->max_length = std::min(band->rows + std::min<int64_t>(band->upper, 0),
                              band->cols - std::max<int64_t>(band->lower, 0));
  return OkStatus();
}

// The size of the matrix that holds the band; rows and cols are -1 where
// they are to be derived.
Status FitMatrix(Band* band) {
  const int64_t min_rows = band->max_length - std::min<int64_t>(band->upper, 0);
  const int64_t min_cols = band->max_length + std::max<int64_t>(band->lower, 0);
  if (band->rows == -1 && band->cols == -1) {
    band->rows = band->cols = std::max(min_rows, min_cols);
  } else if (band->rows == -1) {
    band->rows = min_rows;
  } else if (band->cols == -1) {
    band->cols = min_cols;
  }
  if (band->rows < min_rows) {
    return InvalidArgument("The number of rows is too small.");
  }
  if (band->cols < min_cols) {
    return InvalidArgument("The number of columns is too small.");
  }
  if (band->rows != min_rows && band->cols != min_cols) {
    return InvalidArgument(
        "The number of rows or columns is not consistent with the specified "
        "d_lower, d_upper, and diagonal.");
  }
  return OkStatus();
}

constexpr std::string_view kWrongCount =
    "The number of diagonals provided in the input does not match the "
    "lower_diag_index and upper_diag_index range.";

// What the shape functions know of k.
template <Version kVersion>
Status InferOffsets(InferenceContext& c, int at, Band* band, bool* known) {
  *known = true;
  if constexpr (kVersion == kV1) return OkStatus();
  if (c.input(at).rank() > 1) {
    return InvalidArgument(
        "diag_index must be a scalar or vector, received shape: {}",
        c.input(at).DebugString());
  }
  auto k = c.ValueAsInts(at);
  *known = k.has_value();
  if (!*known) return OkStatus();
  GK_RETURN_IF_ERROR(BandFromOffsets(*k, band));
  return CheckOrder(*band);
}

// ---- MatrixDiag ----

template <Version kVersion>
Status DiagShape(InferenceContext& c) {
  PartialTensorShape s;
  GK_RETURN_IF_ERROR(c.WithRankAtLeast(0, 1, &s));
  if (kVersion == kV1) {
    if (!s.unknown_rank()) s.AddDim(s.dim(s.rank() - 1));
    c.set_output(0, std::move(s));
    return OkStatus();
  }
  Band band;
  bool known;
  GK_RETURN_IF_ERROR(InferOffsets<kVersion>(c, 1, &band, &known));
  for (int i = 2; i <= 4; ++i) {
    PartialTensorShape scalar;
    GK_RETURN_IF_ERROR(c.WithRank(i, 0, &scalar));
  }
  if (s.unknown_rank() || !known) return OkStatus();
  const int rank = s.rank();
  const bool one = band.lower == band.upper;
  if (!one && rank < 2) {
    return InvalidArgument("Shape must be at least rank 2 but is rank {}",
                           rank);
  }
  if (!one && s.dim(rank - 2) >= 0 && s.dim(rank - 2) != band.count()) {
    return InvalidArgument("{}", kWrongCount);
  }
  auto rows = c.ValueAsInts(2), cols = c.ValueAsInts(3);
  band.rows = rows ? std::max((*rows)[0], kUnknownDim) : kUnknownDim;
  band.cols = cols ? std::max((*cols)[0], kUnknownDim) : kUnknownDim;
  band.max_length = s.dim(rank - 1);
  if (rows && cols && band.max_length >= 0) {
    GK_RETURN_IF_ERROR(FitMatrix(&band));
  }
  s.SetDim(one ? rank - 1 : rank - 2, band.rows);
  if (one) {
    s.AddDim(band.cols);
  } else {
    s.SetDim(rank - 1, band.cols);
  }
  c.set_output(0, std::move(s));
  return OkStatus();
}

template <Version kVersion>
Status ComputeDiag(KernelContext& c) {
  const Tensor& x = c.input(0);
  Band band;
  band.rows = band.cols = -1;
  if (kVersion != kV1) {
    GK_RETURN_IF_ERROR(ReadOffsets(c.input(1), &band));
    const char* names[] = {"num_rows", "num_cols", "padding_value"};
    for (int i = 0; i < 3; ++i) {
      if (c.input(2 + i).rank() != 0) {
        return InvalidArgument("{} must be a scalar", names[i]);
      }
    }
    GK_RETURN_IF_ERROR(IntegerValue(c.input(2), "num_rows", &band.rows));
    GK_RETURN_IF_ERROR(IntegerValue(c.input(3), "num_cols", &band.cols));
    GK_RETURN_IF_ERROR(CheckOrder(band));
  }
  if (kVersion == kV3) SetAlignment(c.attr<std::string>("align"), &band);
  const int rank = x.rank();
  if (rank < 1) {
    return InvalidArgument(
        "diagonal must be at least 1-dim, received shape: {}",
        x.shape().DebugString());
  }
  const bool one = band.lower == band.upper;
  if (!one && (rank < 2 || x.dim(rank - 2) != band.count())) {
    return InvalidArgument("{}", kWrongCount);
  }
  band.max_length = x.dim(rank - 1);
  GK_RETURN_IF_ERROR(FitMatrix(&band));
  InlinedVector<int64_t, 8> dims;
  for (int i = 0; i < rank - (one ? 1 : 2); ++i) dims.push_back(x.dim(i));
  dims.push_back(band.rows);
  dims.push_back(band.cols);
  GK_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make(dims));
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, x.dtype(), shape, &out));
  if (kVersion == kV1) {
    ZeroElements(out);
  } else {
    GK_RETURN_IF_ERROR(FillElements(c.input(4), out));
  }
  if (shape.num_elements() == 0 || x.num_elements() == 0) return OkStatus();
  const int64_t batch = x.num_elements() / (band.count() * band.max_length);
  return VisitMoved(x.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    UnpackBand(band, batch, static_cast<const T*>(x.raw_data()),
               static_cast<T*>(out->raw_data()), ThreadPool::Global());
  });
}

// ---- MatrixDiagPart ----

template <Version kVersion>
Status DiagPartShape(InferenceContext& c) {
  PartialTensorShape s;
  GK_RETURN_IF_ERROR(c.WithRankAtLeast(0, 2, &s));
  Band band;
  bool known;
  GK_RETURN_IF_ERROR(InferOffsets<kVersion>(c, 1, &band, &known));
  if (kVersion != kV1) {
    PartialTensorShape scalar;
    GK_RETURN_IF_ERROR(c.WithRank(2, 0, &scalar));
  }
  if (s.unknown_rank() || !known) return OkStatus();
  const int rank = s.rank();
  band.rows = s.dim(rank - 2);
  band.cols = s.dim(rank - 1);
  int64_t length = kUnknownDim;
  if (band.rows >= 0 && band.cols >= 0) {
    GK_RETURN_IF_ERROR(CheckBounds(&band));
    length = band.max_length;
  }
  PartialTensorShape out(s.dims().first(rank - 2));
  if (band.lower != band.upper) out.AddDim(band.count());
  out.AddDim(length);
  c.set_output(0, std::move(out));
  return OkStatus();
}

template <Version kVersion>
Status ComputeDiagPart(KernelContext& c) {
  const Tensor& x = c.input(0);
  Band band;
  if (kVersion != kV1) {
    GK_RETURN_IF_ERROR(ReadOffsets(c.input(1), &band));
    if (c.input(2).num_elements() != 1) {
      return InvalidArgument("Padding must be scalar.");
    }
  }
  if (kVersion == kV3) SetAlignment(c.attr<std::string>("align"), &band);
  const int rank = x.rank();
  if (rank < 2) {
    return InvalidArgument("input must be at least 2-dim, received shape: {}",
                           x.shape().DebugString());
  }
  band.rows = x.dim(rank - 2);
  band.cols = x.dim(rank - 1);
  GK_RETURN_IF_ERROR(CheckBounds(&band));
  InlinedVector<int64_t, 8> dims;
  int64_t batch = 1;
  for (int i = 0; i < rank - 2; ++i) {
    dims.push_back(x.dim(i));
    batch = MultiplyWithoutOverflow(batch, x.dim(i));
  }
  if (band.lower != band.upper) dims.push_back(band.count());
  dims.push_back(band.max_length);
  GK_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make(dims));
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, x.dtype(), shape, &out));
  if (kVersion == kV1) {
    ZeroElements(out);
  } else {
    GK_RETURN_IF_ERROR(FillElements(c.input(2), out));
  }
  if (shape.num_elements() == 0 || x.num_elements() == 0) return OkStatus();
  return VisitMoved(x.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    PackBand(band, batch, static_cast<const T*>(x.raw_data()),
             static_cast<T*>(out->raw_data()), ThreadPool::Global());
  });
}

// ---- MatrixSetDiag ----

template <Version kVersion>
Status SetDiagShape(InferenceContext& c) {
  PartialTensorShape x, diagonal;
  GK_RETURN_IF_ERROR(c.WithRankAtLeast(0, 2, &x));
  GK_RETURN_IF_ERROR(c.WithRankAtLeast(1, 1, &diagonal));
  Band band;
  bool known;
  GK_RETURN_IF_ERROR(InferOffsets<kVersion>(c, 2, &band, &known));
  if (known && !x.unknown_rank()) {
    const int rank = x.rank();
    band.rows = x.dim(rank - 2);
    band.cols = x.dim(rank - 1);
    PartialTensorShape want(x.dims().first(rank - 2));
    if (band.lower != band.upper) want.AddDim(band.count());
    want.AddDim(kUnknownDim);
    if (band.rows >= 0 && band.cols >= 0) {
      GK_RETURN_IF_ERROR(CheckBounds(&band));
      want.SetDim(want.rank() - 1, band.max_length);
    }
    GK_ASSIGN_OR_RETURN(diagonal, diagonal.MergeWith(want));
    for (int i = 0; i < rank - 2; ++i) x.SetDim(i, diagonal.dim(i));
  }
  c.set_output(0, std::move(x));
  return OkStatus();
}

template <Version kVersion>
Status ComputeSetDiag(KernelContext& c) {
  const Tensor &x = c.input(0), &diagonal = c.input(1);
  Band band;
  if (kVersion != kV1) GK_RETURN_IF_ERROR(ReadOffsets(c.input(2), &band));
  if (kVersion == kV3) SetAlignment(c.attr<std::string>("align"), &band);
  const int rank = x.rank();
  if (rank < 2) {
    return InvalidArgument("input must be at least 2-dim, received shape: {}",
                           x.shape().DebugString());
  }
  if (diagonal.rank() < 1) {
    return InvalidArgument(
        "diagonal must be at least 1-dim, received shape: {}",
        diagonal.shape().DebugString());
  }
  band.rows = x.dim(rank - 2);
  band.cols = x.dim(rank - 1);
  GK_RETURN_IF_ERROR(CheckBounds(&band));
  const bool one = band.lower == band.upper;
  if (!one && (diagonal.rank() < 2 ||
               diagonal.dim(diagonal.rank() - 2) != band.count())) {
    return InvalidArgument(
        "The number of diagonals provided in `diag` is not consistent with "
        "`lower_diag_index` and `upper_diag_index`");
  }
  TensorShape want;
  int64_t batch = 1;
  for (int i = 0; i < rank - 2; ++i) {
    want.AddDim(x.dim(i));
    batch = MultiplyWithoutOverflow(batch, x.dim(i));
  }
  if (!one) want.AddDim(band.count());
  want.AddDim(band.max_length);
  if (!(want == diagonal.shape())) {
    return InvalidArgument(
        "Either first dimensions of diagonal don't match input.shape[:-2], or "
        "diagonal.shape[:-1] is not equal to the longests diagonal in range "
        "[lower_diag_index:upper_diag_index].\nInput shape: {}\nDiagonal "
        "shape: {}\nExpected diagonal shape: {}",
        x.shape().DebugString(), diagonal.shape().DebugString(),
        want.DebugString());
  }
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Forward(0, 0, x.dtype(), x.shape(), &out));
  if (x.num_elements() == 0) return OkStatus();
  return VisitMoved(x.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* from = static_cast<const T*>(x.raw_data());
    T* to = static_cast<T*>(out->raw_data());
    if (from != to) std::copy_n(from, x.num_elements(), to);
    UnpackBand(band, batch, static_cast<const T*>(diagonal.raw_data()), to,
               ThreadPool::Global());
  });
}

// ---- Gradients ----

Tensor Zero(const Tensor& like) {
  return CastTo(IntegerConstant(0), like.dtype());
}
Tensor Zeros(const Tensor& x) { return ops::ZerosLike(x); }

std::string Align(const GradContext& g) {
  return g.attr<std::string>("align");
}

template <Version kVersion>
Tensor DiagPartOf(GradContext& g, const Tensor& x, int at) {
  if constexpr (kVersion == kV1) {
    return ops::MatrixDiagPart(x);
  } else if constexpr (kVersion == kV2) {
    return ops::MatrixDiagPartV2(x, g.x(at), Zero(x));
  } else {
    return ops::MatrixDiagPartV3(x, g.x(at), Zero(x), Align(g));
  }
}

template <Version kVersion>
Tensor WithDiag(GradContext& g, const Tensor& x, const Tensor& diagonal,
                int at) {
  if constexpr (kVersion == kV1) {
    return ops::MatrixSetDiag(x, diagonal);
  } else if constexpr (kVersion == kV2) {
    return ops::MatrixSetDiagV2(x, diagonal, g.x(at));
  } else {
    return ops::MatrixSetDiagV3(x, diagonal, g.x(at), Align(g));
  }
}

template <Version kVersion>
void DiagGradient(GradContext& g) {
  if (g.wants(0)) g.Set(0, DiagPartOf<kVersion>(g, g.dy(0), 1));
}
template <Version kVersion>
void DiagPartGradient(GradContext& g) {
  if (g.wants(0)) {
    g.Set(0, WithDiag<kVersion>(g, Zeros(g.x(0)), g.dy(0), 1));
  }
}
template <Version kVersion>
void SetDiagGradient(GradContext& g) {
  const Tensor dy = g.dy(0);
  if (g.wants(0)) g.Set(0, WithDiag<kVersion>(g, dy, Zeros(g.x(1)), 2));
  if (g.wants(1)) g.Set(1, DiagPartOf<kVersion>(g, dy, 2));
}

const OpRecord kRecords[] = {
    {.name = "MatrixDiag",
     .inputs = "diagonal: T",
     .outputs = "output: T",
     .attrs = "T: type",
     .shape = DiagShape<kV1>,
     .kernel = {.compute = ComputeDiag<kV1>},
     .gradient = DiagGradient<kV1>,
     .doc = "Square matrices with the given main diagonals."},

    {.name = "MatrixDiagV2",
     .inputs = "diagonal: T; k: int32; num_rows: int32; num_cols: int32; "
               "padding_value: T",
     .outputs = "output: T",
     .attrs = "T: type",
     .shape = DiagShape<kV2>,
     .kernel = {.compute = ComputeDiag<kV2>},
     .gradient = DiagGradient<kV2>,
     .doc = "Matrices with the given diagonals, packed to the left."},

    {.name = "MatrixDiagV3",
     .inputs = "diagonal: T; k: int32; num_rows: int32; num_cols: int32; "
               "padding_value: T",
     .outputs = "output: T",
     .attrs = "T: type; align: string in [LEFT_RIGHT, RIGHT_LEFT, LEFT_LEFT, "
              "RIGHT_RIGHT] = 'RIGHT_LEFT'",
     .shape = DiagShape<kV3>,
     .kernel = {.compute = ComputeDiag<kV3>},
     .gradient = DiagGradient<kV3>,
     .doc = "Matrices with the given diagonals and padding_value elsewhere; "
            "align says at which end short diagonals are padded."},

    {.name = "MatrixDiagPart",
     .inputs = "input: T",
     .outputs = "diagonal: T",
     .attrs = "T: type",
     .shape = DiagPartShape<kV1>,
     .kernel = {.compute = ComputeDiagPart<kV1>},
     .gradient = DiagPartGradient<kV1>,
     .doc = "The main diagonals of matrices."},

    {.name = "MatrixDiagPartV2",
     .inputs = "input: T; k: int32; padding_value: T",
     .outputs = "diagonal: T",
     .attrs = "T: type",
     .shape = DiagPartShape<kV2>,
     .kernel = {.compute = ComputeDiagPart<kV2>},
     .gradient = DiagPartGradient<kV2>,
     .doc = "Diagonals of matrices, packed to the left."},

    {.name = "MatrixDiagPartV3",
     .inputs = "input: T; k: int32; padding_value: T",
     .outputs = "diagonal: T",
     .attrs = "T: type; align: string in [LEFT_RIGHT, RIGHT_LEFT, LEFT_LEFT, "
              "RIGHT_RIGHT] = 'RIGHT_LEFT'",
     .shape = DiagPartShape<kV3>,
     .kernel = {.compute = ComputeDiagPart<kV3>},
     .gradient = DiagPartGradient<kV3>,
     .doc = "Diagonals k[0] to k[1] of matrices, the highest first; align says "
            "at which end short ones get padding_value."},

    {.name = "MatrixSetDiag",
     .inputs = "input: T; diagonal: T",
     .outputs = "output: T",
     .attrs = "T: type",
     .shape = SetDiagShape<kV1>,
     .kernel = {.compute = ComputeSetDiag<kV1>},
     .gradient = SetDiagGradient<kV1>,
     .doc = "Matrices with other main diagonals."},

    {.name = "MatrixSetDiagV2",
     .inputs = "input: T; diagonal: T; k: int32",
     .outputs = "output: T",
     .attrs = "T: type",
     .shape = SetDiagShape<kV2>,
     .kernel = {.compute = ComputeSetDiag<kV2>},
     .gradient = SetDiagGradient<kV2>,
     .doc = "Matrices with other diagonals, given packed to the left."},

    {.name = "MatrixSetDiagV3",
     .inputs = "input: T; diagonal: T; k: int32",
     .outputs = "output: T",
     .attrs = "T: type; align: string in [LEFT_RIGHT, RIGHT_LEFT, LEFT_LEFT, "
              "RIGHT_RIGHT] = 'RIGHT_LEFT'",
     .shape = SetDiagShape<kV3>,
     .kernel = {.compute = ComputeSetDiag<kV3>},
     .gradient = SetDiagGradient<kV3>,
     .doc = "Matrices with other diagonals k[0] to k[1], given the highest "
            "first; align says at which end short ones are padded."},
};

}  // namespace

GK_REGISTER_OPS(array_diagonal)

}  // namespace gk
