// Matrix products: MatMul and the batched forms with broadcasting.
#include "ops/fn/math_matmul.h"

#include "base/thread_pool.h"
#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "framework/part_listener.h"
#include "kernels/matmul.h"
#include "ops/broadcast_gradient.h"
#include "ops/element_type_of.h"
#include "ops/fn/BroadcastGradientArgs.h"
#include "ops/fn/Reshape.h"
#include "ops/fn/Shape.h"
#include "ops/fn/StridedSlice.h"
#include "ops/fn/Sum.h"
#include "ops/op_cost.h"

namespace gk {
namespace {

// The product of the last call at this place, and of which shapes it was.
class MatMulState : public KernelState {
 public:
  // Null unless it was a product of matrices like these.
  MatMul* SameAsLast(const Tensor& a, const Tensor& b) const {
    return matmul_ && a.dtype() == dtype_ && a.shape() == a_shape_ &&
                   b.dtype() == dtype_ && b.shape() == b_shape_
               ? matmul_.get()
               : nullptr;
  }
  void Remember(const Tensor& a, const Tensor& b, const TensorShape& out) {
    dtype_ = a.dtype();
    a_shape_ = a.shape();
    b_shape_ = b.shape();
    out_shape_ = out;
  }
  const TensorShape& out_shape() const { return out_shape_; }

  StatusOr<MatMul*> For(const MatMulDesc& desc) {
    if (!matmul_ || !(matmul_->desc() == desc)) {
      GK_ASSIGN_OR_RETURN(matmul_, GetMatMul(desc));
    }
    return matmul_.get();
  }

 private:
  std::shared_ptr<MatMul> matmul_;
  DataType dtype_ = DataType::kInvalid;
  TensorShape a_shape_, b_shape_, out_shape_;
};

MatMulState& StateOf(KernelContext& c) {
  return c.state<MatMulState>([] { return std::make_unique<MatMulState>(); });
}

// Into the output.
Status RunTo(KernelContext& c, MatMul* matmul, const MatMulArgs& args) {
  return matmul->Run(args, Parallel(&ThreadPool::Global()),
                     PartListener::Of(args.c, c.output(0).byte_size()));
}

Status RunMatMul(KernelContext& c, const MatMulDesc& desc,
                 const MatMulArgs& args) {
  GK_ASSIGN_OR_RETURN(MatMul * matmul, StateOf(c).For(desc));
  return RunTo(c, matmul, args);
}

Status ComputeMatMul(KernelContext& c) {
  const Tensor &a = c.input(0), &b = c.input(1);
  Tensor* out;
  MatMulState& state = StateOf(c);
  if (MatMul* matmul = state.SameAsLast(a, b)) {
    GK_RETURN_IF_ERROR(c.Allocate(0, a.dtype(), state.out_shape(), &out));
    return RunTo(c, matmul,
                 {.a = a.raw_data(), .b = b.raw_data(), .c = out->raw_data()});
  }
  if (a.rank() != 2 || b.rank() != 2) {
    const int which = a.rank() != 2 ? 0 : 1;
    if (c.input(which).rank() < 2) {
      return InvalidArgument("In[{}] ndims must be >= 2", which);
    }
    return InvalidArgument("In[{}] and In[{}] has different ndims: {} vs. {}",
                           0, 1, a.shape().DebugString(),
                           b.shape().DebugString())
        .Prepend(Format("In[{}] is not a matrix. ", which));
  }
  const bool ta = c.attr<bool>("transpose_a"), tb = c.attr<bool>("transpose_b");
  MatMulDesc desc;
  desc.m = a.dim(ta ? 1 : 0);
  desc.k = a.dim(ta ? 0 : 1);
  desc.n = b.dim(tb ? 0 : 1);
  if (b.dim(tb ? 1 : 0) != desc.k) {
    return InvalidArgument("Matrix size-incompatible: In[0]: {}, In[1]: {}",
                           a.shape().DebugString(), b.shape().DebugString());
  }
  auto type = ElementTypeFor(a.dtype());
  if (!type) return c.NoKernel();
  desc.type = *type;
  desc.transpose_a = ta;
  desc.transpose_b = tb;
  GK_ASSIGN_OR_RETURN(TensorShape shape,
                      TensorShape::Make(std::array{desc.m, desc.n}));
  GK_RETURN_IF_ERROR(c.Allocate(0, a.dtype(), shape, &out));
  GK_RETURN_IF_ERROR(RunMatMul(
      c, desc, {.a = a.raw_data(), .b = b.raw_data(), .c = out->raw_data()}));
  state.Remember(a, b, shape);
  return OkStatus();
}

Status MatMulShape(InferenceContext& c) {
  PartialTensorShape a, b;
  GK_RETURN_IF_ERROR(c.WithRank(0, 2, &a));
  GK_RETURN_IF_ERROR(c.WithRank(1, 2, &b));
  const bool ta = c.attr<bool>("transpose_a"), tb = c.attr<bool>("transpose_b");
  int64_t k;
  GK_RETURN_IF_ERROR(
      InferenceContext::MergeDims(a.dim(ta ? 0 : 1), b.dim(tb ? 1 : 0), &k));
  c.set_output(0, {a.dim(ta ? 1 : 0), b.dim(tb ? 0 : 1)});
  return OkStatus();
}

void MatMulGradient(GradContext& g) {
  const bool ta = g.attr<bool>("transpose_a"), tb = g.attr<bool>("transpose_b");
  const Tensor a = Conjugate(g.x(0)), b = Conjugate(g.x(1)), dy = g.dy(0);
  if (g.wants(0)) {
    g.Set(0,
          ta ? ops::MatMul(b, dy, tb, true) : ops::MatMul(dy, b, false, !tb));
  }
  if (g.wants(1)) {
    g.Set(1,
          tb ? ops::MatMul(dy, a, true, ta) : ops::MatMul(a, dy, !ta, false));
  }
}

struct BatchDims {
  TensorShape shape;  // of the output's batch dims
  std::vector<int64_t> a_index, b_index;
};

TensorShape LeadingDims(const Tensor& t) {
  return TensorShape(t.shape().dims().first(t.rank() - 2));
}

// Which matrix of `t` each matrix of the broadcast `batch` uses.
std::vector<int64_t> IndexOf(const TensorShape& part,
                             const TensorShape& batch) {
  std::vector<int64_t> index(batch.num_elements());
  const int shift = batch.rank() - part.rank();
  for (int64_t i = 0; i < batch.num_elements(); ++i) {
    int64_t rest = i, at = 0, stride = 1;
    for (int d = batch.rank() - 1; d >= 0; --d) {
      const int64_t k = rest % batch.dim(d);
      rest /= batch.dim(d);
      if (d < shift) continue;
      if (part.dim(d - shift) != 1) at += k * stride;
      stride *= part.dim(d - shift);
    }
    index[i] = at;
  }
  return index;
}

Status CheckSameBatch(const TensorShape& a, const TensorShape& b) {
  if (a.rank() != b.rank()) {
    return InvalidArgument("In[0] and In[1] has different ndims: {} vs. {}",
                           a.DebugString(), b.DebugString());
  }
  for (int i = 0; i < a.rank() - 2; ++i) {
    if (a.dim(i) == b.dim(i)) continue;
    return InvalidArgument(
        "In[0].dim({0}) and In[1].dim({0}) must be the same: {1} vs {2}", i,
        a.DebugString(), b.DebugString());
  }
  return OkStatus();
}

Status MultiplyBatches(KernelContext& c, const Tensor& a, const Tensor& b) {
  if (a.rank() < 2 || b.rank() < 2) {
    return InvalidArgument("In[{}] ndims must be >= 2: {}",
                           a.rank() < 2 ? 0 : 1,
                           a.rank() < 2 ? a.rank() : b.rank());
  }
  const bool ta = c.attr<bool>("adj_x"), tb = c.attr<bool>("adj_y");
  const int ra = a.rank(), rb = b.rank();
  MatMulDesc desc;
  desc.m = a.dim(ta ? ra - 1 : ra - 2);
  desc.k = a.dim(ta ? ra - 2 : ra - 1);
  desc.n = b.dim(tb ? rb - 2 : rb - 1);
  if (b.dim(tb ? rb - 1 : rb - 2) != desc.k) {
    return InvalidArgument("Matrix size-incompatible: In[0]: {}, In[1]: {}",
                           a.shape().DebugString(), b.shape().DebugString());
  }
  const TensorShape pa = LeadingDims(a), pb = LeadingDims(b);
  StatusOr<TensorShape> batch = BroadcastShapes(pa, pb);
  if (!batch.ok()) {
    return InvalidArgument(
        "In[0] and In[1] must have compatible batch dimensions: {} vs. {}",
        a.shape().DebugString(), b.shape().DebugString());
  }
  auto type = ElementTypeFor(a.dtype());
  if (!type || a.dtype() != b.dtype()) {
    return c.NoKernel();
  }
  desc.type = *type;
  desc.transpose_a = ta;
  desc.transpose_b = tb;
  desc.conjugate_a = ta && IsComplex(a.dtype());
  desc.conjugate_b = tb && IsComplex(a.dtype());
  desc.batch = batch->num_elements();
  desc.batch_a = pa.num_elements();
  desc.batch_b = pb.num_elements();
  InlinedVector<int64_t, 8> dims(batch->dims());
  dims.push_back(desc.m);
  dims.push_back(desc.n);
  GK_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make(dims));
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, a.dtype(), shape, &out));
  if (shape.num_elements() == 0) return OkStatus();
  // One matrix for the whole batch: a product of all rows at once.
  if (desc.batch_b == 1 && !ta) {
    desc.m *= desc.batch;
    desc.batch = desc.batch_a = 1;
  }
  std::vector<int64_t> ia, ib;
  MatMulArgs args{.a = a.raw_data(), .b = b.raw_data(), .c = out->raw_data()};
  if (desc.batch_a != desc.batch && desc.batch_a != 1) {
    ia = IndexOf(pa, *batch);
    args.a_index = ia.data();
  }
  if (desc.batch_b != desc.batch && desc.batch_b != 1) {
    ib = IndexOf(pb, *batch);
    args.b_index = ib.data();
  }
  return RunMatMul(c, desc, args);
}

template <bool kBroadcast>
Status ComputeBatchMatMul(KernelContext& c) {
  const Tensor &a = c.input(0), &b = c.input(1);
  if (!kBroadcast) GK_RETURN_IF_ERROR(CheckSameBatch(a.shape(), b.shape()));
  return MultiplyBatches(c, a, b);
}

// Bytes as elements of another type.
StatusOr<Tensor> Widened(const Tensor& x, DataType dtype) {
  if (x.dtype() == dtype) return x;
  GK_ASSIGN_OR_RETURN(Tensor out, Tensor::Allocate(dtype, x.shape()));
  VisitType<int8_t, uint8_t>(x.dtype(), [&](auto from_tag) {
    using From = decltype(from_tag);
    const From* from = x.data<From>();
    VisitType<int32_t, bfloat16>(dtype, [&](auto to_tag) {
      using To = decltype(to_tag);
      std::transform(from, from + x.num_elements(), out.data<To>(),
                     [](From v) { return To(static_cast<int32_t>(v)); });
    });
  });
  return out;
}

bool IsByte(DataType t) {
  return t == DataType::kInt8 || t == DataType::kUint8;
}

// Of one dtype, or of bytes with results of int32, or with bfloat16.
Status ComputeMixedBatchMatMul(KernelContext& c) {
  const DataType a = c.input(0).dtype(), b = c.input(1).dtype();
  const DataType out = c.attr<DataType>("Tout");
  const bool one = a == b && a == out && !IsByte(a);
  const bool bytes = IsByte(a) && IsByte(b) && out == DataType::kInt32;
  const bool brain = out == DataType::kBfloat16 &&
                     ((IsByte(a) && b == out) || (IsByte(b) && a == out));
  if (!one && !bytes && !brain) return c.NoKernel();
  GK_ASSIGN_OR_RETURN(const Tensor x, Widened(c.input(0), out));
  GK_ASSIGN_OR_RETURN(const Tensor y, Widened(c.input(1), out));
  return MultiplyBatches(c, x, y);
}

Status BatchMatMulShape(InferenceContext& c) {
  PartialTensorShape a, b;
  GK_RETURN_IF_ERROR(c.WithRankAtLeast(0, 2, &a));
  GK_RETURN_IF_ERROR(c.WithRankAtLeast(1, 2, &b));
  if (a.unknown_rank() || b.unknown_rank()) return OkStatus();
  const bool ta = c.attr<bool>("adj_x"), tb = c.attr<bool>("adj_y");
  const int ra = a.rank(), rb = b.rank();
  int64_t k;
  GK_RETURN_IF_ERROR(InferenceContext::MergeDims(
      a.dim(ta ? ra - 2 : ra - 1), b.dim(tb ? rb - 1 : rb - 2), &k));
  const PartialTensorShape pa(a.dims().first(ra - 2)),
      pb(b.dims().first(rb - 2));
  GK_ASSIGN_OR_RETURN(PartialTensorShape out, BroadcastPartialShapes(pa, pb));
  out.AddDim(a.dim(ta ? ra - 1 : ra - 2));
  out.AddDim(b.dim(tb ? rb - 2 : rb - 1));
  c.set_output(0, out);
  return OkStatus();
}

// Whether the batch dims `other` leave `own` as they are.
bool KeepsBatch(const PartialTensorShape& own,
                const PartialTensorShape& other) {
  const int shift = own.rank() - other.rank();
  if (shift < 0) return false;
  for (int i = 0; i < other.rank(); ++i) {
    const int64_t dim = other.dim(i);
    if (dim != 1 && (dim < 0 || dim != own.dim(i + shift))) return false;
  }
  return true;
}

// Sums a gradient over the batch dims in which `x` was broadcast.
Tensor SumBatch(const Tensor& grad, const Tensor& x, const Tensor& other) {
  const PartialTensorShape sx = x.partial_shape(), so = other.partial_shape();
  if (!sx.unknown_rank() && !so.unknown_rank()) {
    const PartialTensorShape px(sx.dims().first(sx.rank() - 2)),
        po(so.dims().first(so.rank() - 2));
    if (KeepsBatch(px, po)) return grad;
  }
  auto batch_shape = [](const Tensor& t) {
    Tensor zero = Tensor::Vector<int32_t>(std::array<int32_t, 1>{0});
    Tensor minus2 = Tensor::Vector<int32_t>(std::array<int32_t, 1>{-2});
    Tensor one = Tensor::Vector<int32_t>(std::array<int32_t, 1>{1});
    auto constant = [](const Tensor& v) {
      return ValueOrThrow(OpBuilder::Current()->Constant(v, "Const"));
    };
    Tensor shape = ops::Shape(t, DataType::kInt32);
    const Tensor begin = constant(zero);
    const Tensor end = constant(minus2);
    return ops::StridedSlice(shape, begin, end, constant(one));
  };
  const Tensor own = batch_shape(x);
  Tensor axes = ops::BroadcastGradientArgs(own, batch_shape(other))[0];
  Tensor sum = ops::Sum(grad, axes, false);
  return ops::Reshape(sum, ops::Shape(x, DataType::kInt32));
}

// The gradient of one matrix that all of a batch was multiplied by: a product
// over all rows at once, in the place of one for each of the batch and their
// sum. Null where shapes do not say that it is.
Tensor GradientOfShared(const Tensor& a, const Tensor& b, const Tensor& dy,
                        bool adjoint_b) {
  const PartialTensorShape sa = a.partial_shape(), sb = b.partial_shape();
  if (sa.unknown_rank() || sb.unknown_rank() || sa.rank() < 3 ||
      sb.rank() > sa.rank() || a.dtype() != dy.dtype()) {
    return {};
  }
  const int last = sb.rank() - 1;
  for (int i = 0; i < last - 1; ++i) {
    if (sb.dim(i) != 1) return {};
  }
  if (sb.dim(last - 1) < 1 || sb.dim(last) < 1) return {};
  const auto rows = [](const Tensor& t, int64_t columns) {
    const Tensor shape =
        Tensor::Vector<int64_t>(std::array{int64_t{-1}, columns});
    return ops::Reshape(
        t, ValueOrThrow(OpBuilder::Current()->Constant(shape, "Const")));
  };
  const Tensor x = rows(a, sb.dim(adjoint_b ? last : last - 1));
  const Tensor d = rows(dy, sb.dim(adjoint_b ? last - 1 : last));
  const Tensor sum = adjoint_b ? ops::MatMul(Conjugate(d), x, true, false)
                               : ops::MatMul(Conjugate(x), d, true, false);
  if (last == 1) return sum;
  return ops::Reshape(sum, ops::Shape(b, DataType::kInt32));
}

void BatchMatMulGradient(GradContext& g) {
  const bool ta = g.attr<bool>("adj_x"), tb = g.attr<bool>("adj_y");
  const Tensor &a = g.x(0), &b = g.x(1), dy = g.dy(0);
  if (g.wants(0)) {
    Tensor d = ta ? ops::BatchMatMulV2(b, dy, tb, true)
                  : ops::BatchMatMulV2(dy, b, false, !tb);
    g.Set(0, SumBatch(d, a, b));
  }
  if (g.wants(1)) {
    if (const Tensor d = ta ? Tensor() : GradientOfShared(a, b, dy, tb)) {
      return g.Set(1, d);
    }
    Tensor d = tb ? ops::BatchMatMulV2(dy, a, true, ta)
                  : ops::BatchMatMulV2(a, dy, !ta, false);
    g.Set(1, SumBatch(d, b, a));
  }
}

// [..., m, k] (or [..., k, m]) by [..., k, n]: each element of the result is
// a sum of k products.
double MatMulFlops(const AttrMap&, FlopsShapes in, FlopsShapes out) {
  const TensorShape& c = out[0];
  const int rank = in[0].rank();
  if (rank < 2 || c.rank() < 2) return 0;
  double batch = 1;
  for (int i = 0; i + 2 < rank; ++i) batch *= in[0].dim(i);
  const double rows = batch * c.dim(c.rank() - 2);
  return rows == 0 ? 0 : 2 * ElementsOf(c) * ElementsOf(in[0]) / rows;
}

const OpRecord kRecords[] = {
    {.name = "MatMul",
     .inputs = "a: T; b: T",
     .outputs = "product: T",
     .attrs = "transpose_a: bool = False; transpose_b: bool = False; T: type "
              "in [bfloat16, half, float, double, int32, int64, uint8, "
              "uint16, uint32, uint64, complex64, complex128]; grad_a: bool = "
              "False; grad_b: bool = False",
     .traits = kExpensive,
     .shape = MatMulShape,
     .kernel = {.compute = ComputeMatMul},
     .gradient = MatMulGradient,
     .flops = MatMulFlops,
     .python = {.converts_first = true},
     .doc = "The product of two matrices, each transposed on request.",
     .test = {.reference = "a @ b", .shapes = "a: [3, 4]; b: [4, 5]"}},

    {.name = "BatchMatMul",
     .inputs = "x: T; y: T",
     .outputs = "output: T",
     .attrs = "T: type in [bfloat16, half, float, double, int32, int64, "
              "complex64, complex128]; adj_x: bool = False; adj_y: bool = "
              "False; grad_x: bool = False; grad_y: bool = False",
     .traits = kExpensive,
     .shape = BatchMatMulShape,
     .kernel = {.compute = ComputeBatchMatMul<false>},
     .gradient = BatchMatMulGradient,
     .flops = MatMulFlops,
     .doc = "Products of the matrices in the last two dimensions.",
     .test = {.reference = "x @ y", .shapes = "x: [2, 3, 4]; y: [2, 4, 5]"}},

    {.name = "BatchMatMulV2",
     .inputs = "x: T; y: T",
     .outputs = "output: T",
     .attrs = "T: type in [bfloat16, half, float, double, int16, int32, "
              "int64, uint8, uint16, uint32, uint64, complex64, complex128]; "
              "adj_x: bool = False; adj_y: bool = False; grad_x: bool = "
              "False; grad_y: bool = False",
     .traits = kExpensive,
     .shape = BatchMatMulShape,
     .kernel = {.compute = ComputeBatchMatMul<true>},
     .gradient = BatchMatMulGradient,
     .flops = MatMulFlops,
     .python = {.converts_first = true},
     .doc = "Products of the matrices in the last two dimensions; the others "
            "broadcast.",
     .test = {.reference = "x @ y", .shapes = "x: [2, 3, 4]; y: [4, 5]"}},

    {.name = "BatchMatMulV3",
     .inputs = "x: Ta; y: Tb",
     .outputs = "output: Tout",
     .attrs = "Ta: type in [bfloat16, half, float, double, uint8, int8, int16, "
              "int32, int64, complex64, complex128]; Tb: type in [bfloat16, "
              "half, float, double, uint8, int8, int16, int32, int64, "
              "complex64, complex128]; Tout: type in [bfloat16, half, float, "
              "double, int16, int32, int64, complex64, complex128]; adj_x: "
              "bool = False; adj_y: bool = False; grad_x: bool = False; "
              "grad_y: bool = False",
     .traits = kExpensive,
     .shape = BatchMatMulShape,
     .kernel = {.compute = ComputeMixedBatchMatMul},
     .gradient = BatchMatMulGradient,
     .flops = MatMulFlops,
     .doc = "BatchMatMulV2 of operands of two dtypes: bytes make int32, or "
            "bfloat16 with that.",
     .test = {.shapes = "x: [2, 3, 4]; y: [4, 5]"}},
};

}  // namespace

GK_REGISTER_OPS(math_matmul)

}  // namespace gk
