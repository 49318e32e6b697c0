// Norms, limits of norms, diagonals and transposes of matrices.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "ops/composition.h"
#include "ops/composition/kept_shape.h"
#include "ops/dynamic_axes.h"
#include "ops/element_moves.h"
#include "ops/fn/Abs.h"
#include "ops/fn/AddV2.h"
#include "ops/fn/Complex.h"
#include "ops/fn/ComplexAbs.h"
#include "ops/fn/Conj.h"
#include "ops/fn/ConjugateTranspose.h"
#include "ops/fn/ExpandDims.h"
#include "ops/fn/Greater.h"
#include "ops/fn/Imag.h"
#include "ops/fn/ListDiff.h"
#include "ops/fn/MatrixDiagPartV3.h"
#include "ops/fn/MatrixDiagV3.h"
#include "ops/fn/MatrixSetDiagV3.h"
#include "ops/fn/Max.h"
#include "ops/fn/Maximum.h"
#include "ops/fn/Minimum.h"
#include "ops/fn/Mul.h"
#include "ops/fn/OnesLike.h"
#include "ops/fn/Pack.h"
#include "ops/fn/Pow.h"
#include "ops/fn/Range.h"
#include "ops/fn/Rank.h"
#include "ops/fn/Real.h"
#include "ops/fn/RealDiv.h"
#include "ops/fn/Reshape.h"
#include "ops/fn/Rsqrt.h"
#include "ops/fn/SelectV2.h"
#include "ops/fn/Shape.h"
#include "ops/fn/Sqrt.h"
#include "ops/fn/Square.h"
#include "ops/fn/Squeeze.h"
#include "ops/fn/Sub.h"
#include "ops/fn/Sum.h"
#include "ops/fn/Svd.h"
#include "ops/fn/Transpose.h"

namespace gk {
namespace {

// The axes of a reduction: an int, ints, a tensor or None for all.
Tensor AxesOf(const CompositionCall& c, int i, const Tensor& x,
              std::string_view node) {
  if (!c.has(i)) return AllAxes(x, c.name(node));
  if (const int64_t* axis = c.get<int64_t>(i)) {
    return IndexOf(*axis, c.name(node));
  }
  if (const auto* axes = c.get<std::vector<int64_t>>(i)) {
    return IndicesOf(*axes, c.name(node));
  }
  return c.tensor(i);
}

Tensor Sum(const Tensor& x, const Tensor& axes, bool keep) {
  return ops::Sum(x, axes, keep);
}

Tensor Max(const Tensor& x, const Tensor& axes, bool keep) {
  return ops::Max(x, axes, keep);
}

Tensor AbsOf(const Tensor& x) {
  if (!IsComplex(x.dtype())) return ops::Abs(x);
  return ops::ComplexAbs(x, RealType(x.dtype()));
}

// |x| squared, in the dtype of x.
Tensor Squares(const Tensor& x) {
  return ops::Mul(x, IsComplex(x.dtype()) ? ops::Conj(x) : x);
}

std::optional<double> OrderOf(const CompositionCall& c, int i) {
  if (const int64_t* n = c.get<int64_t>(i)) return static_cast<double>(*n);
  if (const double* x = c.get<double>(i)) return *x;
  const Tensor* t = c.get<Tensor>(i);  // a number of NumPy's
  const Tensor known = t == nullptr ? Tensor() : t->KnownValue();
  std::optional<double> order;
  if (known && known.num_elements() == 1) {
    VisitType<float, double, int32_t, int64_t>(known.dtype(), [&](auto tag) {
      order = static_cast<double>(*known.data<decltype(tag)>());
    });
  }
  return order;
}

// The largest singular value of the matrices in two axes.
Tensor SpectralNorm(const Tensor& x, const std::vector<int64_t>& pair,
                    bool keep) {
  const Tensor axes = PositiveAxes(x, pair);
  const Tensor others = ops::ListDiff(AllAxes(x), axes)[0];
  const Tensor moved = ops::Transpose(x, Joined({others, axes}));
  const Tensor s = ops::Svd(moved, /*compute_uv=*/false)[0];
  const Tensor size =
      IsComplex(s.dtype()) ? ops::Real(s, RealType(s.dtype())) : s;
  const Tensor most = Max(size, IndicesOf(std::vector<int64_t>{-1}), false);
  if (!keep) return most;
  if (x.partial_shape().unknown_rank()) {
    return ops::Reshape(most, ops::Shape(Max(AbsOf(x), axes, true)));
  }
  std::vector<int64_t> kept;
  for (int64_t a : pair) {
    kept.push_back(PositiveAxis(a, x.partial_shape().rank()));
  }
  std::ranges::sort(kept);
  const Tensor one_more = ops::ExpandDims(most, IndexOf(kept[0]));
  return ops::ExpandDims(one_more, IndexOf(kept[1]));
}

Tensor NormOf(const CompositionCall& c, bool keep) {
  const Tensor& x = c.tensor(0);
  const std::string* name = c.get<std::string>(1);
  const std::optional<double> order = OrderOf(c, 1);
  const auto* pair = c.get<std::vector<int64_t>>(2);
  const bool is_matrix = pair != nullptr && pair->size() == 2;
  const double infinity = std::numeric_limits<double>::infinity();
  const std::string shown = name    ? *name
                            : order ? Format("{}", *order)
                                    : std::string("another value");
  const bool euclidean =
      name && (*name == "euclidean" || (*name == "fro" && is_matrix));
  if (is_matrix && !euclidean &&
      !(order && (*order == 1 || *order == 2 || *order == infinity))) {
    throw Error(
        ValueError("'ord' must be a supported matrix norm in "
                   "['euclidean', 'fro', 1, 2, inf], got {}",
                   shown));
  }
  if (!is_matrix && !euclidean && !order) {
    throw Error(
        ValueError("'ord' must be a supported vector norm, got {}", shown));
  }
  const Tensor axes = AxesOf(c, 2, x, "axis");
  if (euclidean || (*order == 2 && !is_matrix)) {
    return ops::Sqrt(OpName(c.name()), Sum(Squares(x), axes, keep));
  }
  const Tensor size = AbsOf(x);
  if (!is_matrix) {
    if (*order == 1) return Sum(size, axes, keep);
    if (*order == infinity) return Max(size, axes, keep);
    const Tensor powers = ops::Pow(size, NumberOf(*order, size.dtype()));
    const Tensor left = Sum(powers, axes, keep);
    return ops::Pow(left, NumberOf(1 / *order, size.dtype()));
  }
  if (*order == 2) return SpectralNorm(x, *pair, keep);
  const bool of_rows = *order == infinity;
  const Tensor sums = Sum(size, IndexOf((*pair)[of_rows ? 1 : 0]), true);
  const Tensor most = Max(sums, IndexOf((*pair)[of_rows ? 0 : 1]), true);
  if (keep) return most;
  return ops::Squeeze(most, *pair);
}

TensorVector Norm(CompositionCall& c) {
  return {NormOf(c, c.has(3) && c.flag(3))};
}

// What is divided by its norm, and the norm.
TensorVector Normalize(CompositionCall& c) {
  const Tensor& x = c.tensor(0);
  const Tensor norm = CastTo(NormOf(c, true), x.dtype());
  return {ops::RealDiv(x, norm), norm};
}

// Divided by its length, which is at least the root of epsilon.
TensorVector L2Normalize(CompositionCall& c) {
  const Tensor& x = c.tensor(0);
  if (c.has(1) && c.has(4)) {
    throw Error(ValueError("Cannot specify both 'dim' and 'axis'."));
  }
  const Tensor axes = c.has(1)   ? c.tensor(1)
                      : c.has(4) ? c.tensor(4)
                                 : AllAxes(x);
  const bool complex = IsComplex(x.dtype());
  const DataType real = complex ? RealType(x.dtype()) : x.dtype();
  const Tensor re = complex ? ops::Real(x, real) : x;
  const Tensor im = complex ? ops::Imag(x, real) : Tensor();
  Tensor square = ops::Square(OpName(c.name("Square")), re);
  if (complex) square = ops::AddV2(square, ops::Square(im));
  const Tensor sum = ops::Sum(OpName(c.name("Sum")), square, axes, true);
  const Tensor least =
      ops::Maximum(OpName(c.name("Maximum")), sum,
                   NumberOf(c.real(2), real, c.name("Maximum/y")));
  const Tensor inverse = ops::Rsqrt(OpName(c.name("Rsqrt")), least);
  if (!complex) return {ops::Mul(OpName(c.name()), x, inverse)};
  return {ops::Complex(OpName(c.name()), ops::Mul(re, inverse),
                       ops::Mul(im, inverse), x.dtype())};
}

// A number as a tensor of a dtype; a tensor becomes one of it.
Tensor NumberAs(const CompositionCall& c, int i, DataType dtype) {
  if (const int64_t* n = c.get<int64_t>(i)) return IntegerOf(*n, dtype);
  if (const double* x = c.get<double>(i)) return NumberOf(*x, dtype);
  return CastTo(c.tensor(i), dtype);
}

TensorVector ClipByNorm(CompositionCall& c) {
  const Tensor& x = c.tensor(0);
  const Tensor squares = Sum(ops::Mul(x, x), AxesOf(c, 2, x, "axis"), true);
  const Tensor positive = ops::Greater(squares, NumberOf(0, x.dtype()));
  // Zero gets no gradient of infinity.
  const Tensor safe = ops::SelectV2(positive, squares, ops::OnesLike(squares));
  const Tensor length = ops::SelectV2(positive, ops::Sqrt(safe), squares);
  const Tensor limit = NumberAs(c, 1, x.dtype());
  const Tensor left = ops::Mul(x, limit);
  CheckShapeKept(x, left);
  return {ops::RealDiv(left, ops::Maximum(length, limit))};
}

// Of those that are not null.
Tensor GlobalNormOf(const TensorVector& parts) {
  TensorVector squares;
  if (std::ranges::none_of(parts, [](const Tensor& t) { return bool(t); })) {
    return NumberOf(0, DataType::kFloat);
  }
  const Tensor zero = Int32Of(0);
  for (const Tensor& t : parts) {
    if (t) squares.push_back(Sum(ops::Square(t), AllAxes(t), false));
  }
  const Tensor stacked = ops::Pack(squares);
  return ops::Sqrt(Sum(stacked, zero, false));
}

TensorVector GlobalNorm(CompositionCall& c) {
  return {GlobalNormOf(c.tensors(0))};
}

// The tensors, scaled, null where there is none, and the norm.
TensorVector ClipByGlobalNorm(CompositionCall& c) {
  const TensorVector& parts = c.tensors(0);
  const Tensor norm = c.has(2) ? c.tensor(2) : GlobalNormOf(parts);
  const DataType dtype = norm.dtype();
  const Tensor one = NumberOf(1, dtype);
  const Tensor limit = NumberAs(c, 1, dtype);
  const Tensor inverse = ops::RealDiv(one, norm);
  Tensor scale =
      ops::Mul(limit, ops::Minimum(inverse, ops::RealDiv(one, limit)));
  // inf - inf and NaN spread on purpose.
  scale = ops::AddV2(scale, ops::Sub(norm, norm));
  TensorVector clipped;
  for (const Tensor& t : parts) {
    clipped.push_back(t ? ops::Mul(t, CastTo(scale, t.dtype())) : Tensor());
  }
  clipped.push_back(norm);
  return clipped;
}

TensorVector Trace(CompositionCall& c) {
  const Tensor& x = c.tensor(0);
  const Tensor k = Int32Of(0);
  const Tensor diagonal = ops::MatrixDiagPartV3(OpName(c.name("diag_part")), x,
                                                k, NumberOf(0, x.dtype()));
  return {Sum(diagonal, IndicesOf(std::vector<int64_t>{-1}), false)};
}

// The number of a diagonal, or the lowest and the highest.
Tensor Diagonals(const CompositionCall& c, int i) {
  if (const int64_t* k = c.get<int64_t>(i)) return Int32Of(*k, c.name("k"));
  return c.tensor(i);
}

Tensor SizeOf(const CompositionCall& c, int i, std::string_view node) {
  if (const int64_t* n = c.get<int64_t>(i)) return Int32Of(*n, c.name(node));
  return c.tensor(i);
}

TensorVector Diag(CompositionCall& c) {
  const Tensor& x = c.tensor(0);
  const Tensor k = Diagonals(c, 2);
  const Tensor num_rows = SizeOf(c, 3, "num_rows");
  const Tensor num_cols = SizeOf(c, 4, "num_cols");
  return {ops::MatrixDiagV3(OpName(c.name()), x, k, num_rows, num_cols,
                            NumberAs(c, 5, x.dtype()), c.text(6))};
}

TensorVector DiagPart(CompositionCall& c) {
  const Tensor& x = c.tensor(0);
  const Tensor k = Diagonals(c, 2);
  return {ops::MatrixDiagPartV3(OpName(c.name()), x, k,
                                NumberAs(c, 3, x.dtype()), c.text(4))};
}

TensorVector SetDiag(CompositionCall& c) {
  return {ops::MatrixSetDiagV3(OpName(c.name()), c.tensor(0), c.tensor(1),
                               Diagonals(c, 3), c.text(4))};
}

// The axes with the last two swapped.
Tensor SwappedAxes(const CompositionCall& c, const Tensor& x) {
  const PartialTensorShape shape = x.partial_shape();
  if (!shape.unknown_rank()) {
    if (shape.rank() < 2) {
      throw Error(
          ValueError("Argument `a` should be a (batch) matrix with "
                     "rank >= 2. Received `a` with shape: {}",
                     shape.PythonString()));
    }
    std::vector<int64_t> perm(shape.rank());
    std::iota(perm.begin(), perm.end(), 0);
    std::swap(perm[perm.size() - 1], perm[perm.size() - 2]);
    return IntsTensor(perm, DataType::kInt32, c.name("perm"));
  }
  const Tensor rank = ops::Rank(x);
  const Tensor before = ops::Sub(rank, Int32Of(2));
  const Tensor start = Int32Of(0);
  const Tensor outer = ops::Range(start, before, Int32Of(1));
  const Tensor last = ops::AddV2(before, IndicesOf(std::vector<int64_t>{1, 0}));
  return Joined({outer, last});
}

Tensor Transposed(const CompositionCall& c, const Tensor& x, bool conjugate) {
  const Tensor axes = SwappedAxes(c, x);
  const OpName name(c.name());
  return conjugate && IsComplex(x.dtype())
             ? ops::ConjugateTranspose(name, x, axes)
             : ops::Transpose(name, x, axes);
}

TensorVector MatrixTranspose(CompositionCall& c) {
  return {Transposed(c, c.tensor(0), c.flag(2))};
}

TensorVector Adjoint(CompositionCall& c) {
  return {Transposed(c, c.tensor(0), true)};
}

#define DIAGONALS_DOC                                                       \
  "\n\nArgs:\n  k: the diagonal, above the main one if positive; or the "   \
  "lowest and the\n    highest of several.\n  align: where diagonals that " \
  "are shorter stand in their rows: \"RIGHT_LEFT\",\n    \"LEFT_RIGHT\", "  \
  "\"LEFT_LEFT\" or \"RIGHT_RIGHT\"."

const CompositionRecord kRecords[] = {
    {.names = "norm|linalg.norm",
     .args = "tensor: tensor; ord: native = 'euclidean'; axis: native = None; "
             "keepdims: bool = None",
     .scope = "norm",
     .build = Norm,
     .doc = "The norm of vectors or matrices.\n\nArgs:\n  ord: "
            "\"euclidean\", \"fro\", a number or infinity.\n  axis: None: all "
            "elements; an int: vectors; a pair: matrices.\n\nRaises "
            "ValueError for a norm that there is not.",
     .example = ">>> tf.norm([3., 4.]).numpy().item()\n5.0"},
    {.names = "linalg.normalize",
     .args = "tensor: tensor; ord: native = 'euclidean'; axis: native = None",
     .scope = "normalize",
     .build = Normalize,
     .result = "tuple",
     .doc = "`tensor`, divided by its norm, and the norm (tf.norm), which "
            "keeps its axes.",
     .example = ">>> x, norm = tf.linalg.normalize([3., 4.])\n"
                ">>> norm.numpy().tolist()\n[5.0]"},
    {.names = "nn.l2_normalize|math.l2_normalize|linalg.l2_normalize",
     .args = "x: tensor; axis: tensor(int32) as Sum/reduction_indices = None; "
             "epsilon: float = 1e-12; name: name = None; dim: tensor(int32) "
             "as Sum/reduction_indices = None",
     .scope = "l2_normalize",
     .build = L2Normalize,
     .doc = "x / sqrt(max(sum(x ** 2), epsilon)) along axes. `dim` is an older "
            "name of `axis`.",
     .example = ">>> tf.nn.l2_normalize([0., 5.]).numpy().tolist()\n"
                "[0.0, 1.0]"},
    {.names = "clip_by_norm",
     .args = "t: tensor; clip_norm: native; axes: native = None",
     .scope = "clip_by_norm",
     .slices = 1,
     .build = ClipByNorm,
     .doc = "`t`, scaled down where its norm over `axes` exceeds "
            "`clip_norm`.",
     .example = ">>> tf.clip_by_norm([3., 4.], 1.).numpy().round(4).tolist()\n"
                "[0.6000000238418579, 0.800000011920929]"},
    {.names = "linalg.global_norm",
     .args = "t_list: tensors(gradients)",
     .scope = "global_norm",
     .build = GlobalNorm,
     .doc = "sqrt(sum of the squares of all elements of all tensors).\n\n"
            "Slices count with their values, what is missing does not.",
     .example = ">>> tf.linalg.global_norm([tf.constant([3.]), "
                "tf.constant([4.])]).numpy(\n...     ).item()\n5.0"},
    {.names = "clip_by_global_norm",
     .args = "t_list: tensors(gradients); clip_norm: native; use_norm: tensor "
             "= None",
     .scope = "clip_by_global_norm",
     .build = ClipByGlobalNorm,
     .result = "gradients",
     .doc = "The tensors, scaled down if their common norm exceeds "
            "`clip_norm`.\n\nReturns the list (what is missing stays so, "
            "slices stay slices)\nand the norm; infinite norms make NaNs.",
     .example = ">>> clipped, norm = tf.clip_by_global_norm([tf.constant([3., "
                "4.])], 5.)\n>>> clipped[0].numpy().tolist(), norm.numpy()"
                ".item()\n([3.0, 4.0], 5.0)"},
    {.names = "linalg.trace",
     .args = "x: tensor",
     .scope = "Trace",
     .build = Trace,
     .doc = "The sum of the main diagonal of each matrix.",
     .example = ">>> tf.linalg.trace([[1, 2], [3, 4]]).numpy().item()\n5"},
    {.names = "linalg.diag",
     .args = "diagonal: tensor; name: name = 'diag'; k: tensor(int32!) = 0; "
             "num_rows: "
             "tensor(int32!) = -1; num_cols: tensor(int32!) = -1; "
             "padding_value: native = 0; "
             "align: string = 'RIGHT_LEFT'",
     .scope = "diag",
     .build = Diag,
     .doc = "Matrices with the given diagonals." DIAGONALS_DOC,
     .example = ">>> tf.linalg.diag([1, 2]).numpy().tolist()\n"
                "[[1, 0], [0, 2]]"},
    {.names = "linalg.diag_part",
     .args = "input: tensor; name: name = 'diag_part'; k: tensor(int32!) = 0; "
             "padding_value: native = 0; align: string = 'RIGHT_LEFT'",
     .scope = "diag_part",
     .build = DiagPart,
     .doc = "The diagonals of matrices." DIAGONALS_DOC,
     .example = ">>> tf.linalg.diag_part([[1, 2], [3, 4]]).numpy().tolist()\n"
                "[1, 4]"},
    {.names = "linalg.set_diag",
     .args = "input: tensor(T); diagonal: tensor(T); name: name = 'set_diag'; "
             "k: tensor(int32!) = 0; align: string = 'RIGHT_LEFT'",
     .scope = "set_diag",
     .build = SetDiag,
     .doc = "Matrices with their diagonals replaced." DIAGONALS_DOC,
     .example = ">>> tf.linalg.set_diag([[1, 2], [3, 4]], [0, 0]).numpy()"
                ".tolist()\n[[0, 2], [3, 0]]"},
    {.names = "linalg.matrix_transpose",
     .args = "a: tensor; name: name = 'matrix_transpose'; conjugate: bool = "
             "False",
     .scope = "matrix_transpose",
     .build = MatrixTranspose,
     .doc = "Swaps the last two dimensions.",
     .example = ">>> tf.linalg.matrix_transpose([[1, 2], [3, 4]]).numpy()"
                ".tolist()\n[[1, 3], [2, 4]]"},
    {.names = "linalg.adjoint",
     .args = "matrix: tensor",
     .scope = "adjoint",
     .build = Adjoint,
     .doc = "The conjugate transpose of the last two dimensions.",
     .example = ">>> tf.linalg.adjoint([[1j, 2j]]).numpy().tolist()\n"
                "[[-1j], [-2j]]"},
};

}  // namespace

GK_REGISTER_COMPOSITIONS(composition_linalg)

}  // namespace gk
