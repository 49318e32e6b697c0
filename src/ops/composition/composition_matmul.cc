// Products of matrices: tf.matmul, matvec, tensordot.
#include <algorithm>
#include <numeric>

#include "ops/composition.h"
#include "ops/dynamic_axes.h"
#include "ops/element_moves.h"
#include "ops/fn/AddV2.h"
#include "ops/fn/BatchMatMulV2.h"
#include "ops/fn/Cast.h"
#include "ops/fn/Conj.h"
#include "ops/fn/ExpandDims.h"
#include "ops/fn/GatherV2.h"
#include "ops/fn/Less.h"
#include "ops/fn/ListDiff.h"
#include "ops/fn/MatMul.h"
#include "ops/fn/Pack.h"
#include "ops/fn/Prod.h"
#include "ops/fn/Reshape.h"
#include "ops/fn/SelectV2.h"
#include "ops/fn/Shape.h"
#include "ops/fn/Squeeze.h"
#include "ops/fn/SparseMatMul.h"
#include "ops/fn/StridedSlice.h"
#include "ops/fn/Transpose.h"
#include "ops/operators.h"

namespace gk {
namespace {

Tensor Flag(const CompositionCall& c, const Tensor& x, bool* transpose,
            bool adjoint, const char* which) {
  if (adjoint && *transpose) {
    throw Error(
        ValueError("Only one of `transpose_{0}` and `adjoint_{0}` can "
                   "be True. Received `transpose_{0}`=True, "
                   "`adjoint_{0}`=True.",
                   which));
  }
  if (!adjoint) return x;
  *transpose = true;
  return IsComplex(x.dtype()) ? ops::Conj(OpName(c.name("Conj")), x) : x;
}

// a, b, transpose_a, transpose_b, adjoint_a, adjoint_b, and what to call it.
Tensor Product(const CompositionCall& c, Tensor a, Tensor b, bool ta, bool tb,
               bool aa, bool ab, DataType output_type, std::string_view name) {
  const bool batch = IsProductOfStacks(a, b);
  if (output_type != DataType::kInvalid && output_type != a.dtype()) {
    a = ops::Cast(OpName(c.name("Cast")), a, output_type);
    b = ops::Cast(OpName(c.name("Cast_1")), b, output_type);
  }
  if (!batch) {
    a = Flag(c, a, &ta, aa, "a");
    b = Flag(c, b, &tb, ab, "b");
    return ops::MatMul(OpName(name), a, b, ta, tb);
  }
  if ((ta && aa)) Flag(c, a, &ta, aa, "a");
  if ((tb && ab)) Flag(c, b, &tb, ab, "b");
  // The batch op knows adjoints only: undo their conjugation.
  if (ta && IsComplex(a.dtype())) a = ops::Conj(OpName(c.name("Conj")), a);
  if (tb && IsComplex(b.dtype())) b = ops::Conj(OpName(c.name("Conj")), b);
  return ops::BatchMatMulV2(OpName(name), a, b, ta || aa, tb || ab);
}

bool IsFloatOrBfloat16(const Tensor& t) {
  return t.dtype() == DataType::kFloat || t.dtype() == DataType::kBfloat16;
}

// Of matrices that are said to have many zeros.
Tensor SparseProduct(const CompositionCall& c) {
  bool ta = c.flag(2), tb = c.flag(3);
  const Tensor a = Flag(c, c.tensor(0), &ta, c.flag(4), "a");
  const Tensor b = Flag(c, c.tensor(1), &tb, c.flag(5), "b");
  Tensor product =
      ops::SparseMatMul(OpName(c.name()), a, b, ta, tb, c.flag(6), c.flag(7));
  const bool narrow =
      a.dtype() == DataType::kBfloat16 && b.dtype() == a.dtype();
  return narrow ? ops::Cast(OpName(c.name("Cast")), product, a.dtype())
                : product;
}

TensorVector Matmul(CompositionCall& c) {
  if ((c.flag(6) || c.flag(7)) && IsFloatOrBfloat16(c.tensor(0)) &&
      IsFloatOrBfloat16(c.tensor(1))) {
    return {SparseProduct(c)};
  }
  return {Product(c, c.tensor(0), c.tensor(1), c.flag(2), c.flag(3), c.flag(4),
                  c.flag(5), c.has(8) ? c.type(8) : DataType::kInvalid,
                  c.name())};
}

TensorVector Matvec(CompositionCall& c) {
  const Tensor b = ops::ExpandDims(OpName(c.name("ExpandDims")), c.tensor(1),
                                   Int32Of(-1, c.name("ExpandDims/dim")));
  const Tensor product = Product(c, c.tensor(0), b, c.flag(2), false, c.flag(3),
                                 false, DataType::kInvalid, c.name("MatMul"));
  return {ops::Squeeze(OpName(c.name("Squeeze")), product,
                       std::vector<int64_t>{-1})};
}

// One operand of tensordot as a matrix: `axes` last (or first if `flip`).
struct Operand {
  Tensor matrix;
  std::vector<int64_t> free_dims;  // static sizes, -1 unknown
  Tensor free_shape;               // set if any is unknown
};

// Of ascending axes. Made of slices, as partial shapes of those are known.
Tensor SizesOf(const Tensor& shape, const std::vector<int64_t>& axes) {
  const auto bound = [](int64_t i) {
    return IntsTensor(std::vector<int64_t>{i}, DataType::kInt32);
  };
  TensorVector runs;
  for (size_t i = 0; i < axes.size();) {
    const size_t from = i++;
    while (i < axes.size() && axes[i] == axes[i - 1] + 1) ++i;
    runs.push_back(ops::StridedSlice(shape, bound(axes[from]),
                                     bound(axes[i - 1] + 1), bound(1)));
  }
  if (runs.empty()) return IntsTensor(axes, DataType::kInt32);
  return runs.size() == 1 ? runs[0] : Joined(runs);
}

// Of a tensor whose rank or whose axes are known when it runs.
Operand AsMatrixAlong(const Tensor& x, const Tensor& contracted, bool flip) {
  const Tensor free = ops::ListDiff(AllAxes(x), contracted)[0];
  const auto order = [flip](const Tensor& outer, const Tensor& inner) {
    return flip ? Joined({inner, outer}) : Joined({outer, inner});
  };
  const Tensor shape = ops::Shape(x);
  const auto sizes = [&](const Tensor& which) {
    return ops::GatherV2(shape, which, Int32Of(0));
  };
  Operand out;
  out.free_shape = sizes(free);
  const Tensor moved = ops::Transpose(x, order(free, contracted));
  const Tensor rows = ProductOf(out.free_shape);
  out.matrix = ops::Reshape(moved, order(rows, ProductOf(sizes(contracted))));
  return out;
}

Operand AsMatrix(const Tensor& x, const std::vector<int64_t>& axes, bool flip) {
  const PartialTensorShape shape = x.partial_shape();
  if (shape.unknown_rank()) {
    return AsMatrixAlong(x, PositiveAxes(x, axes), flip);
  }
  const int rank = shape.rank();
  std::vector<int64_t> contracted, free, perm;
  for (int64_t a : axes) {
    const int at = NormalAxis(a, rank);
    if (at < 0) {
      throw Error(IndexError("axis {} is not in [{}, {})", a, -rank, rank));
    }
    contracted.push_back(at);
  }
  for (int i = 0; i < rank; ++i) {
    if (std::find(contracted.begin(), contracted.end(), i) ==
        contracted.end()) {
      free.push_back(i);
    }
  }
  if (contracted.size() + free.size() != static_cast<size_t>(rank)) {
    throw Error(ValueError("tensordot axes contain duplicates"));
  }
  const auto append = [&](const std::vector<int64_t>& v) {
    perm.insert(perm.end(), v.begin(), v.end());
  };
  append(flip ? contracted : free);
  append(flip ? free : contracted);
  Operand out;
  bool known = true;
  int64_t free_size = 1, contracted_size = 1;
  for (int64_t i : free) {
    out.free_dims.push_back(shape.dim(i));
    if (shape.dim(i) < 0)
      known = false;
    else
      free_size = MultiplyWithoutOverflow(free_size, shape.dim(i));
  }
  for (int64_t i : contracted) {
    if (shape.dim(i) < 0)
      known = false;
    else
      contracted_size = MultiplyWithoutOverflow(contracted_size, shape.dim(i));
  }
  Tensor t = x;
  if (!std::is_sorted(perm.begin(), perm.end())) {
    t = ops::Transpose(x, IntsTensor(perm, DataType::kInt32));
  }
  Tensor matrix_shape;
  if (known) {
    std::vector<int64_t> dims{free_size, contracted_size};
    if (flip) std::swap(dims[0], dims[1]);
    if (free.size() == 1 && contracted.size() == 1 && t.Is(x)) {
      out.matrix = x;
      return out;
    }
    matrix_shape = IntsTensor(dims, DataType::kInt64);
  } else {
    const Tensor s = ops::Shape(x);
    const auto sizes = [&](const std::vector<int64_t>& which) {
      const Tensor indices = IntsTensor(which, DataType::kInt32);
      return ops::GatherV2(s, indices, Int32Of(0));
    };
    const Tensor zero = IntsTensor(std::vector<int64_t>{0}, DataType::kInt32);
    const Tensor free_shape = SizesOf(s, free);
    const Tensor f = ops::Prod(free_shape, zero);
    const Tensor k = ops::Prod(sizes(contracted), zero);
    matrix_shape =
        flip ? ops::Pack(TensorVector{k, f}) : ops::Pack(TensorVector{f, k});
    out.free_shape = free_shape;
  }
  out.matrix = ops::Reshape(t, matrix_shape);
  return out;
}

std::vector<int64_t> Range(int64_t from, int64_t to) {
  std::vector<int64_t> v(std::max<int64_t>(to - from, 0));
  std::iota(v.begin(), v.end(), from);
  return v;
}

// Which axes of the operands of tensordot go together: lists, or rows of a
// matrix that is known when it runs.
struct AxisPairs {
  std::vector<int64_t> a, b;
  Tensor rows;
};

AxisPairs LastAndFirst(int64_t n, const PartialTensorShape& a,
                       const PartialTensorShape& b) {
  if (n < 0) {
    throw Error(ValueError("`axes` must be at least 0. Received: {}.", n));
  }
  for (const PartialTensorShape& s : {a, b}) {
    if (s.unknown_rank() || n <= s.rank()) continue;
    throw Error(
        ValueError("`axes` must not be larger than the number of "
                   "dimensions of tensor a or b. Received {}, vs "
                   "tensor dimensions {}.",
                   n, s.rank()));
  }
  if (n > kMaxRank) {
    throw Error(ValueError("`axes` = {} is more than any tensor has", n));
  }
  return {Range(-n, 0), Range(0, n), {}};
}

AxisPairs PairsOf(const CompositionCall& c, const PartialTensorShape& a,
                  const PartialTensorShape& b) {
  if (const int64_t* n = c.get<int64_t>(2)) return LastAndFirst(*n, a, b);
  if (const auto* pair = c.get<std::vector<int64_t>>(2)) {
    if (pair->size() != 2) {
      throw Error(
          ValueError("`axes` must be an integer or have length 2. "
                     "Received {} elements.",
                     pair->size()));
    }
    return {{(*pair)[0]}, {(*pair)[1]}, {}};
  }
  const Tensor& axes = c.tensor(2);
  const PartialTensorShape s = axes.partial_shape();
  const auto known = KnownInts(axes);
  if (known && s.rank() == 0) return LastAndFirst((*known)[0], a, b);
  if (s.rank() == 0 || (s.rank() > 0 && s.dim(0) >= 0 && s.dim(0) != 2)) {
    throw Error(
        ValueError("`axes` must be an integer or have length 2. Received a "
                   "tensor of shape {}.",
                   s.DebugString()));
  }
  if (s.num_elements() == 0) return {};
  if (!known) return {{}, {}, CastTo(axes, DataType::kInt32)};
  const auto half = known->begin() + known->size() / 2;
  return {{known->begin(), half}, {half, known->end()}, {}};
}

// Row i of the pairs as axes of x, from 0.
Tensor AxesInRow(const Tensor& x, const Tensor& rows, int64_t i) {
  const Tensor flat = IntsTensor(std::vector<int64_t>{-1}, DataType::kInt32);
  const Tensor row =
      ops::Reshape(ops::GatherV2(rows, Int32Of(i), Int32Of(0)), flat);
  const Tensor is_negative = ops::Less(row, Int32Of(0));
  const Tensor from_end = ops::AddV2(row, RankOf(x));
  return ops::SelectV2(is_negative, from_end, row);
}

TensorVector Tensordot(CompositionCall& c) {
  const Tensor &a = c.tensor(0), &b = c.tensor(1);
  const PartialTensorShape sa = a.partial_shape(), sb = b.partial_shape();
  const AxisPairs axes = PairsOf(c, sa, sb);
  const auto operand = [&](const Tensor& x, bool flip) {
    return axes.rows ? AsMatrixAlong(x, AxesInRow(x, axes.rows, flip), flip)
                     : AsMatrix(x, flip ? axes.b : axes.a, flip);
  };
  const Operand left = operand(a, false);
  const Operand right = operand(b, true);
  std::vector<int64_t> dims = left.free_dims;
  dims.insert(dims.end(), right.free_dims.begin(), right.free_dims.end());
  const bool plain = !sa.unknown_rank() && !sb.unknown_rank() &&
                     left.free_dims.size() == 1 && right.free_dims.size() == 1;
  const Tensor product =
      ops::MatMul(OpName(c.name("MatMul")), left.matrix, right.matrix);
  if (plain) return {product};
  const auto shape_of = [](const Operand& o) {
    return o.free_shape ? o.free_shape
                        : IntsTensor(o.free_dims, DataType::kInt32);
  };
  Tensor shape;
  if (left.free_shape || right.free_shape) {
    shape = Joined({shape_of(left), shape_of(right)});
  } else {
    shape = IntsTensor(dims, DataType::kInt64);
  }
  return {ops::Reshape(OpName(c.name()), product, shape)};
}

const CompositionRecord kRecords[] = {
    {.names = "linalg.matmul|matmul",
     .args = "a: tensor(T); b: tensor(T); transpose_a: bool = False; "
             "transpose_b: bool = False; adjoint_a: bool = False; adjoint_b: "
             "bool = False; a_is_sparse: bool = False; b_is_sparse: bool = "
             "False; output_type: type = None; grad_a: bool = False; grad_b: "
             "bool = False",
     .scope = "MatMul",
     .wraps_op = true,
     .ragged = RaggedForm::kMatMul,
     .build = Matmul,
     .doc =
         "Product of the matrices in the last two dimensions.\n\n"
         "Args:\n  a: [..., n, k], of a floating, complex or integer type.\n"
         "  b: [..., k, m], of the same dtype; leading dimensions broadcast.\n"
         "  transpose_a, transpose_b: use the transposed matrix.\n"
         "  adjoint_a, adjoint_b: use the conjugate transpose.\n"
         "  output_type: int32 for int8 operands.\n\nReturns [..., n, m].\n\n"
         "Raises InvalidArgumentError if the sizes do not match and ValueError "
         "if both transpose and adjoint are asked for.",
     .example = ">>> tf.matmul([[1, 2]], [[3], [4]]).numpy().tolist()\n"
                "[[11]]"},
    {.names = "linalg.matvec",
     .args = "a: tensor(T); b: tensor(T); transpose_a: bool = False; "
             "adjoint_a: bool = False; a_is_sparse: bool = False; "
             "b_is_sparse: bool = False",
     .scope = "MatVec",
     .build = Matvec,
     .doc = "Product of matrices [..., n, k] with vectors [..., k].",
     .example = ">>> tf.linalg.matvec([[1, 2], [3, 4]], [1, 1]).numpy()."
                "tolist()\n[3, 7]"},
    {.names = "tensordot|linalg.tensordot",
     .args = "a: tensor(T); b: tensor(T); axes: native",
     .scope = "Tensordot",
     .build = Tensordot,
     .doc = "Sums products of `a` and `b` over the given axes.\n\nArgs:\n"
            "  axes: n for the last n axes of `a` and the first n of `b`, or a "
            "pair of lists of axes.",
     .example = ">>> tf.tensordot([1, 2], [3, 4], 1).numpy().item()\n11"},
};

}  // namespace

GK_REGISTER_COMPOSITIONS(composition_matmul)

}  // namespace gk
