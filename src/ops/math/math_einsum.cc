// Sums of products of elements, as an equation of labels says.
#include "ops/fn/math_einsum.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "base/thread_pool.h"
#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "framework/part_listener.h"
#include "kernels/matmul.h"
#include "kernels/reduce.h"
#include "kernels/transpose.h"
#include "ops/broadcast_gradient.h"
#include "ops/element_moves.h"
#include "ops/element_type_of.h"
#include "ops/fn/AddV2.h"
#include "ops/fn/BroadcastGradientArgs.h"
#include "ops/fn/ConcatV2.h"
#include "ops/fn/Einsum.h"
#include "ops/fn/Fill.h"
#include "ops/fn/FloorMod.h"
#include "ops/fn/GatherV2.h"
#include "ops/fn/Reshape.h"
#include "ops/fn/Size.h"
#include "ops/fn/Slice.h"
#include "ops/fn/Sub.h"
#include "ops/fn/Sum.h"
#include "ops/math/einsum_operand.h"
#include "ops/op_cost.h"
#include "ops/scalar_constant.h"

namespace gk {
namespace {

using einsum::At;
using einsum::Dense;
using einsum::Has;
using einsum::Joined;
using einsum::Operand;
using einsum::Product;

StatusOr<Operand> OperandOf(const Tensor& t, const DimLabels& labels) {
  const Operand whole = Dense(t, labels);
  Operand x{t, {}, {}, {}};
  for (size_t i = 0; i < labels.size(); ++i) {
    const int at = At(x.labels, labels[i]);
    if (at == static_cast<int>(x.labels.size())) {
      x.labels.push_back(labels[i]);
      x.extents.push_back(whole.extents[i]);
      x.strides.push_back(whole.strides[i]);
      continue;
    }
    if (x.extents[at] != whole.extents[i]) {
      return InvalidArgument(
          "Expected dimension {} at axis {} of the input shaped {} but got "
          "dimension {}",
          x.extents[at], i, t.shape().DebugString(), whole.extents[i]);
    }
    x.strides[at] += whole.strides[i];
  }
  return x;
}

TensorShape ShapeIn(const Operand& x, const DimLabels& order) {
  TensorShape shape;
  for (int label : order) shape.AddDim(x.extent(label));
  return shape;
}

// The elements of `x` in the order of labels, in a tensor of that shape.
Status CopyInOrder(const Operand& x, const DimLabels& order, Tensor* to) {
  if (to->num_elements() == 0) return OkStatus();
  if (x.IsDense() && x.data.num_elements() == to->num_elements()) {
    std::vector<int64_t> perm;
    for (int label : order) perm.push_back(At(x.labels, label));
    Transpose(x.extents, perm, DataTypeSize(x.data.dtype()), x.data.raw_data(),
              to->raw_data());
    return OkStatus();
  }
  const auto strides = StridesOf(to->shape());
  StridedBox box;
  for (size_t i = 0; i < order.size(); ++i) {
    box.AddAxis(x.extent(order[i]), x.strides[At(x.labels, order[i])],
                strides[static_cast<int>(i)]);
  }
  return CopyBox(box, x.data, 0, to, 0);
}

Status Arrange(const DimLabels& order, Operand* x) {
  if (x->labels == order && x->IsDense()) return OkStatus();
  GK_ASSIGN_OR_RETURN(Tensor t,
                      Tensor::Allocate(x->data.dtype(), ShapeIn(*x, order)));
  GK_RETURN_IF_ERROR(CopyInOrder(*x, order, &t));
  *x = Dense(std::move(t), order);
  return OkStatus();
}

// Sums over the labels that `wanted` says no to.
template <class Wanted>
Status SumOthers(Wanted&& wanted, Operand* x) {
  DimLabels kept;
  std::unique_ptr<bool[]> reduced(new bool[x->labels.size() + 1]);
  for (size_t i = 0; i < x->labels.size(); ++i) {
    reduced[i] = !wanted(x->labels[i]);
    if (!reduced[i]) kept.push_back(x->labels[i]);
  }
  if (kept.size() == x->labels.size()) return OkStatus();
  GK_RETURN_IF_ERROR(Arrange(DimLabels(x->labels), x));
  const TensorShape shape = ShapeIn(*x, kept);
  GK_ASSIGN_OR_RETURN(Tensor out, Tensor::Allocate(x->data.dtype(), shape));
  if (out.num_elements() > 0) {
    const ReduceLayout layout = CollapseReduction(
        x->extents, std::span<const bool>(reduced.get(), x->labels.size()));
    VisitType<float, double, half, bfloat16, int8_t, int16_t, int32_t, int64_t,
              uint8_t, uint16_t, uint32_t, uint64_t, complex64, complex128>(
        out.dtype(), [&](auto tag) {
          using T = decltype(tag);
          Reduce<T>(ReduceKind::kSum, layout, x->data.data<T>(), out.data<T>());
        });
  }
  *x = Dense(std::move(out), std::move(kept));
  return OkStatus();
}

// One side of a product of matrices: which labels are rows of the batch, of
// the result and of the sum, and whether its matrices lie transposed.
struct Side {
  DimLabels batch, free;
  bool transposed = false;
};

bool LiesTransposed(const Operand& x, const DimLabels& sum, const Side& side) {
  return x.IsDense() && !sum.empty() &&
         x.labels == Joined({&side.batch, &sum, &side.free});
}

bool LiesAsMatrices(const Operand& x, const DimLabels& sum, const Side& side) {
  return LiesTransposed(x, sum, side) ||
         (x.IsDense() && x.labels == Joined({&side.batch, &side.free, &sum}));
}

// Puts it into the order batch, free, sum unless it lies so, or transposed.
Status ArrangeMatrices(const DimLabels& sum, Operand* x, Side* side) {
  side->transposed = LiesTransposed(*x, sum, *side);
  if (side->transposed) return OkStatus();
  return Arrange(Joined({&side->batch, &side->free, &sum}), x);
}

// Which matrix of `x` belongs to each of the batch; empty: the same number.
std::vector<int64_t> MatrixIndex(const Operand& x, const DimLabels& own,
                                 const DimLabels& batch,
                                 const std::vector<int64_t>& extents,
                                 int64_t count) {
  if (Product(x, own) == count || own.empty()) return {};
  std::vector<int64_t> strides(batch.size(), 0);
  int64_t stride = 1;
  for (size_t i = own.size(); i-- > 0;) {
    const int64_t extent = x.extent(own[i]);
    if (extent != 1) strides[At(batch, own[i])] = stride;
    stride *= extent;
  }
  std::vector<int64_t> index(count);
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i;
    for (size_t d = batch.size(); d-- > 0;) {
      index[i] += rest % extents[d] * strides[d];
      rest /= extents[d];
    }
  }
  return index;
}

Status CheckSameSums(const Operand& a, const Operand& b, const Tensor& second) {
  for (int label : a.labels) {
    if (!Has(b.labels, label)) continue;
    const int64_t x = a.extent(label), y = b.extent(label);
    if (x == y || (label >= kFirstEllipsisLabel && (x == 1 || y == 1))) {
      continue;
    }
    return InvalidArgument(
        "Expected dimension {} at axis {} of the input shaped {} but got "
        "dimension {}",
        x, At(b.labels, label), second.shape().DebugString(), y);
  }
  return OkStatus();
}

// In the order of the output; a label that it has twice is a diagonal there.
Status SetOutput(KernelContext& c, const Operand& x, const DimLabels& order) {
  if (x.labels == order && x.IsDense() && x.data.shape() == ShapeIn(x, order)) {
    c.set_output(0, x.data.Alias());
    return OkStatus();
  }
  const TensorShape shape = ShapeIn(x, order);
  GK_ASSIGN_OR_RETURN(TensorShape checked, TensorShape::Make(shape.dims()));
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, x.data.dtype(), checked, &out));
  if (order.size() == x.labels.size()) return CopyInOrder(x, order, out);
  ZeroElements(out);
  if (out->num_elements() == 0) return OkStatus();
  const auto strides = StridesOf(out->shape());
  StridedBox box;
  for (size_t i = 0; i < x.labels.size(); ++i) {
    int64_t stride = 0;
    for (size_t k = 0; k < order.size(); ++k) {
      if (order[k] == x.labels[i]) stride += strides[static_cast<int>(k)];
    }
    box.AddAxis(x.extents[i], x.strides[i], stride);
  }
  return CopyBox(box, x.data, 0, out, 0);
}

// The product of two, summed over the labels that both have and the output
// has not.
Status SetProduct(KernelContext& c, Operand a, Operand b,
                  const DimLabels& output) {
  Side sa, sb;
  DimLabels sum;
  for (int label : a.labels) {
    if (!Has(b.labels, label)) {
      sa.free.push_back(label);
    } else if (Has(output, label)) {
      sa.batch.push_back(label);
    } else {
      sum.push_back(label);
    }
  }
  for (int label : b.labels) {
    if (!Has(a.labels, label)) sb.free.push_back(label);
  }
  sb.batch = sa.batch;
  // The result as the output has it, where one of the two ways gives that.
  if (output == Joined({&sa.batch, &sb.free, &sa.free}) && !sa.free.empty() &&
      !sb.free.empty()) {
    std::swap(a, b);
    std::swap(sa, sb);
  }
  DimLabels labels = Joined({&sa.batch, &sa.free, &sb.free});
  if (labels != output || !LiesAsMatrices(a, sum, sa) ||
      !LiesAsMatrices(b, sum, sb)) {
    GK_ASSIGN_OR_RETURN(const bool done, einsum::SetScatteredProducts(
                                             c, {&a, sa.free}, {&b, sb.free},
                                             sa.batch, sum, output));
    if (done) return OkStatus();
  }
  GK_RETURN_IF_ERROR(ArrangeMatrices(sum, &a, &sa));
  GK_RETURN_IF_ERROR(ArrangeMatrices(sum, &b, &sb));

  std::vector<int64_t> batch, dims;
  int64_t count = 1;
  for (int label : sa.batch) {
    const int64_t x = a.extent(label), y = b.extent(label);
    batch.push_back(x == 1 ? y : x);
    count *= batch.back();
  }
  dims = batch;
  for (int label : sa.free) dims.push_back(a.extent(label));
  for (int label : sb.free) dims.push_back(b.extent(label));
  GK_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make(dims));
  const DataType dtype = a.data.dtype();
  Tensor elsewhere;
  Tensor* out = &elsewhere;
  const bool in_order = labels == output;
  if (in_order) {
    GK_RETURN_IF_ERROR(c.Allocate(0, dtype, shape, &out));
  } else {
    GK_ASSIGN_OR_RETURN(elsewhere, Tensor::Allocate(dtype, shape));
  }
  if (out->num_elements() > 0) {
    MatMulDesc desc;
    desc.type = *ElementTypeFor(dtype);
    desc.m = Product(a, sa.free);
    desc.k = Product(a, sum);
    desc.n = Product(b, sb.free);
    desc.transpose_a = sa.transposed;
    desc.transpose_b = !sb.transposed;
    desc.batch = count;
    desc.batch_a = Product(a, sa.batch);
    desc.batch_b = Product(b, sb.batch);
    const std::vector<int64_t> ia =
        desc.batch_a == 1 ? std::vector<int64_t>()
                          : MatrixIndex(a, sa.batch, sa.batch, batch, count);
    const std::vector<int64_t> ib =
        desc.batch_b == 1 ? std::vector<int64_t>()
                          : MatrixIndex(b, sb.batch, sa.batch, batch, count);
    GK_ASSIGN_OR_RETURN(std::shared_ptr<MatMul> matmul, GetMatMul(desc));
    GK_RETURN_IF_ERROR(
        matmul->Run({.a = a.data.raw_data(),
                     .b = b.data.raw_data(),
                     .c = out->raw_data(),
                     .a_index = ia.empty() ? nullptr : ia.data(),
                     .b_index = ib.empty() ? nullptr : ib.data()},
                    Parallel(&ThreadPool::Global()),
                    PartListener::Of(out->raw_data(), out->byte_size())));
  }
  if (in_order) return OkStatus();
  return SetOutput(c, Dense(std::move(elsewhere), std::move(labels)), output);
}

Status CheckCount(const EinsumEquation& equation, std::string_view text,
                  int given) {
  const size_t terms = equation.inputs.size();
  if (terms > 2) {
    return InvalidArgument(
        "Expecting 1 or 2 input subscripts in equation '{}' but got: {}", text,
        terms);
  }
  if (static_cast<int>(terms) != given) {
    return InvalidArgument("Expected {} inputs but got: {}", terms, given);
  }
  return OkStatus();
}

Status ComputeEinsum(KernelContext& c) {
  const std::string& text = c.attr<std::string>("equation");
  GK_ASSIGN_OR_RETURN(EinsumEquation equation, ParseEinsum(text));
  GK_RETURN_IF_ERROR(CheckCount(equation, text, c.num_inputs()));
  if (!ElementTypeFor(c.input(0).dtype())) return c.NoKernel();
  std::vector<Operand> operands;
  int broadcast = 0;
  for (int i = 0; i < c.num_inputs(); ++i) {
    const Tensor& t = c.input(i);
    GK_ASSIGN_OR_RETURN(DimLabels labels,
                        LabelsOfOperand(equation, i, t.rank()));
    for (int label : labels) {
      broadcast = std::max(broadcast, label - kFirstEllipsisLabel + 1);
    }
    GK_ASSIGN_OR_RETURN(Operand x, OperandOf(t, labels));
    operands.push_back(std::move(x));
  }
  GK_ASSIGN_OR_RETURN(DimLabels order, LabelsOfOutput(equation, broadcast));
  if (operands.size() == 2) {
    GK_RETURN_IF_ERROR(CheckSameSums(operands[0], operands[1], c.input(1)));
  }
  for (size_t i = 0; i < operands.size(); ++i) {
    GK_RETURN_IF_ERROR(SumOthers(
        [&](int label) {
          return Has(order, label) ||
                 (operands.size() == 2 && Has(operands[1 - i].labels, label));
        },
        &operands[i]));
  }
  if (operands.size() == 1) return SetOutput(c, operands[0], order);
  return SetProduct(c, std::move(operands[0]), std::move(operands[1]), order);
}

// What is known of the dimension of a label.
Status MergeLabel(int label, int64_t dim, int64_t* known) {
  if (label < kFirstEllipsisLabel) {
    return InferenceContext::MergeDims(*known, dim, known);
  }
  if (*known == 1 || dim == 1) {
    *known = *known == 1 ? dim : *known;
    return OkStatus();
  }
  // One of them may turn out to be 1.
  if (*known == kUnknownDim || dim == kUnknownDim) {
    *known = std::max(*known, dim);
    return OkStatus();
  }
  return InferenceContext::MergeDims(*known, dim, known);
}

Status EinsumShape(InferenceContext& c) {
  const std::string text = c.attr<std::string>("equation");
  GK_ASSIGN_OR_RETURN(EinsumEquation equation, ParseEinsum(text));
  GK_RETURN_IF_ERROR(CheckCount(equation, text, c.num_inputs()));
  DimLabels labels;
  std::vector<int64_t> dims;
  bool open = false;  // the rank of "..." is not known
  int broadcast = 0;
  for (int i = 0; i < c.num_inputs(); ++i) {
    const PartialTensorShape& shape = c.input(i);
    if (shape.unknown_rank()) {
      open |= HasLabel(equation.inputs[i], kEllipsis);
      continue;
    }
    GK_ASSIGN_OR_RETURN(DimLabels own,
                        LabelsOfOperand(equation, i, shape.rank()));
    for (size_t d = 0; d < own.size(); ++d) {
      broadcast = std::max(broadcast, own[d] - kFirstEllipsisLabel + 1);
      const size_t at = At(labels, own[d]);
      if (at == labels.size()) {
        labels.push_back(own[d]);
        dims.push_back(shape.dim(static_cast<int>(d)));
        continue;
      }
      GK_RETURN_IF_ERROR(
          MergeLabel(own[d], shape.dim(static_cast<int>(d)), &dims[at]));
    }
  }
  GK_ASSIGN_OR_RETURN(DimLabels order, LabelsOfOutput(equation, broadcast));
  if (open && HasLabel(equation.output, kEllipsis)) return OkStatus();
  PartialTensorShape out =
      PartialTensorShape::UnknownOfRank(static_cast<int>(order.size()));
  for (size_t i = 0; i < order.size(); ++i) {
    const size_t at = At(labels, order[i]);
    if (at < labels.size()) out.SetDim(static_cast<int>(i), dims[at]);
  }
  c.set_output(0, std::move(out));
  return OkStatus();
}

// --- The gradient --------------------------------------------------------

Tensor MakeEinsum(std::vector<std::string> terms, const std::string& output,
                  const TensorVector& inputs) {
  const EinsumEquation equation{std::move(terms), output};
  return ops::Einsum(inputs, equation.Text());
}

// Dimensions [begin, rank - behind) of a shape.
Tensor MiddleOf(const Tensor& shape, int64_t begin, int64_t behind) {
  const Tensor rank = ops::Size(shape);
  const Tensor tensor = ops::Sub(rank, IntegerConstant(begin + behind));
  const Tensor count =
      ops::Reshape(tensor, IntegerVector(std::array<int64_t, 1>{1}));
  return ops::Slice(shape, IntegerVector(std::array<int64_t, 1>{begin}), count);
}

// The sizes of labels of `x`, each with its place before or behind "...".
Tensor SizesOf(const Tensor& x, const std::string& term,
               const std::string& labels) {
  const PartialTensorShape form = x.partial_shape();
  const size_t dots = term.find(kEllipsis);
  std::vector<int64_t> places, known;
  for (char label : labels) {
    const size_t at = term.find(label);
    int64_t place = static_cast<int64_t>(at);
    if (at > dots) place -= static_cast<int64_t>(term.size());
    places.push_back(place);
    if (form.unknown_rank()) continue;
    const int dim = static_cast<int>(place < 0 ? place + form.rank() : place);
    if (form.dim(dim) >= 0) known.push_back(form.dim(dim));
  }
  if (known.size() == labels.size()) return IntegerVector(known);
  const Tensor shape = ShapeTensor(x);
  const Tensor rank = ops::Size(shape);
  const Tensor axes =
      ops::FloorMod(ops::AddV2(IntegerVector(places), rank), rank);
  return ops::GatherV2(shape, axes, IntegerConstant(0));
}

// `grad` [p dims, broadcast dims, s dims] summed where `x` was broadcast.
Tensor SumBroadcast(const Tensor& grad, const Tensor& x,
                    const std::string& term) {
  const size_t dots = term.find(kEllipsis);
  const int64_t before = dots == term.npos ? 0 : static_cast<int64_t>(dots);
  const int64_t behind = dots == term.npos
                             ? static_cast<int64_t>(term.size())
                             : static_cast<int64_t>(term.size() - dots - 1);
  const PartialTensorShape have = grad.partial_shape(),
                           want = x.partial_shape();
  if (want.IsFullyDefined() && have == want) return grad;
  const Tensor shape = ShapeTensor(x);
  const Tensor parts[] = {
      dots == term.npos ? IntegerVector({}) : MiddleOf(shape, before, behind),
      MiddleOf(ShapeTensor(grad), before, behind)};
  const Tensor left = ops::BroadcastGradientArgs(parts[0], parts[1])[0];
  const Tensor axes = ops::AddV2(left, IntegerConstant(before));
  return ops::Reshape(ops::Sum(grad, axes, false), shape);
}

// The gradient of operand `i`: the product of `dy` and the other one, spread
// over what only this one had and the sum left out.
Tensor GradientOfOperand(GradContext& g, const EinsumEquation& equation, int i,
                         const Tensor& dy) {
  const Tensor& x = g.x(i);
  const std::string& own = equation.inputs[i];
  const bool binary = g.num_inputs() == 2;
  const std::string other = binary ? equation.inputs[1 - i] : std::string();
  std::string term = own;
  const bool broadcasts =
      binary && (HasLabel(other, kEllipsis) || HasLabel(own, kEllipsis));
  if (broadcasts && !HasLabel(own, kEllipsis)) {
    term.insert(term.begin(), kEllipsis);
  }
  std::string alone, shared;  // unique labels of `term`
  for (char label : UniqueLabels(term)) {
    const bool known =
        HasLabel(equation.output, label) || HasLabel(other, label);
    (known ? shared : alone) += label;
  }
  TensorVector inputs{dy};
  std::vector<std::string> terms{equation.output};
  if (binary) {
    inputs.push_back(Conjugate(g.x(1 - i)));
    terms.push_back(other);
  }
  Tensor grad;
  if (alone.empty()) {
    grad = MakeEinsum(std::move(terms), term, inputs);
  } else {
    if (binary) inputs = {MakeEinsum(std::move(terms), shared, inputs)};
    // "..." goes last: it stands for any number of sizes.
    const size_t dots = alone.find(kEllipsis);
    if (dots != alone.npos) alone.erase(dots, 1);
    Tensor sizes = SizesOf(x, own, alone);
    if (dots != alone.npos) {
      const auto at = static_cast<int64_t>(own.find(kEllipsis));
      const Tensor middle = MiddleOf(ShapeTensor(x), at,
                                     static_cast<int64_t>(own.size()) - at - 1);
      sizes = ops::ConcatV2(TensorVector{sizes, middle}, IntegerConstant(0));
      alone += kEllipsis;
    }
    const Tensor one = ScalarLike(dy, 1);
    const Tensor ones = ops::Fill(sizes, one);
    grad = MakeEinsum({binary ? shared : equation.output, alone}, term,
                      {inputs[0], ones});
  }
  return broadcasts ? SumBroadcast(grad, x, own) : grad;
}

void EinsumGradient(GradContext& g) {
  const EinsumEquation equation =
      ValueOrThrow(ParseEinsum(g.attr<std::string>("equation")));
  const Tensor dy = g.dy(0);
  for (int i = 0; i < g.num_inputs(); ++i) {
    if (g.wants(i)) g.Set(i, GradientOfOperand(g, equation, i, dy));
  }
}

// The product of the sizes of all labels; twice if something is summed.
double EinsumFlops(const AttrMap& attrs, FlopsShapes in, FlopsShapes out) {
  const auto* equation = attrs.Get<std::string>("equation");
  if (equation == nullptr || out.empty()) return 0;
  std::map<char, double> sizes;
  size_t at = 0;
  for (const TensorShape& shape : in) {
    const size_t end = equation->find_first_of(",-", at);
    const std::string_view labels =
        std::string_view(*equation).substr(at, end - at);
    // Dimensions that an ellipsis stands for are those of the result.
    const size_t dots = labels.find("...");
    const int named = labels.size() - (dots == labels.npos ? 0 : 3);
    for (int i = 0, k = 0; i < named && k < shape.rank(); ++i, ++k) {
      if (static_cast<size_t>(i) == dots) k += shape.rank() - named;
      const size_t label =
          i + (dots != labels.npos && size_t(i) >= dots ? 3 : 0);
      if (k < shape.rank()) sizes[labels[label]] = shape.dim(k);
    }
    if (end == equation->npos) break;
    at = end + 1;
  }
  const size_t arrow = equation->find("->");
  double summed = 1;
  for (const auto& [label, size] : sizes) {
    if (arrow == equation->npos ||
        equation->find(label, arrow + 2) == equation->npos) {
      summed *= size;
    }
  }
  return (in.size() > 1 ? 2 : 1) * ElementsOf(out[0]) * summed;
}

const OpRecord kRecords[] = {
    {.name = "Einsum",
     .inputs = "inputs: N * T",
     .outputs = "output: T",
     .attrs = "equation: string; N: int >= 1; T: type",
     .traits = kExpensive,
     .shape = EinsumShape,
     .kernel = {.compute = ComputeEinsum},
     .gradient = EinsumGradient,
     .flops = EinsumFlops,
     .doc = "The sum of products of the elements of one or two tensors, as an "
            "equation of labels says: \"ij,jk->ik\" is a product of matrices."},
};

}  // namespace

GK_REGISTER_OPS(math_einsum)

}  // namespace gk
