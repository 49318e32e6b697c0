// Sums of many tensors, and tensors of zeros and ones like another.
#include "ops/fn/math_sum.h"

#include <algorithm>
#include <cstring>

#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "framework/variant.h"
#include "ops/elementwise.h"
#include "ops/fused_arithmetic.h"
#include "ops/op_cost.h"
#include "ops/scalar_constant.h"

namespace gk {
namespace {

using AddTable = BinaryFor<arithmetic::kAdd, NumberTypes, kWrapAround>;
// Three at once are one pass less; of narrow types each sum is rounded.
constexpr auto kAddThree = [](auto x, auto y, auto z) { return (x + y) + z; };
using AddThreeTable = TernaryFor<kAddThree, TypeList<float, double>>;

Status SumShape(InferenceContext& c) {
  PartialTensorShape shape = c.input(0);
  for (int i = 1; i < c.num_inputs(); ++i) {
    StatusOr<PartialTensorShape> merged = shape.MergeWith(c.input(i));
    if (!merged.ok()) {
      return InvalidArgument("{}\n\tFrom merging shape {} with other shapes.",
                             merged.status().message(), i);
    }
    shape = std::move(*merged);
  }
  c.set_output(0, std::move(shape));
  if (const HandleData* h = c.input_handle(0)) c.set_output_handle(0, *h);
  return OkStatus();
}

// Objects that gradients are made of, such as lists of tensors.
Status SumOfVariants(KernelContext& c) {
  Tensor* out = nullptr;
  const Tensor& first = c.input(0);
  GK_RETURN_IF_ERROR(c.Allocate(0, first.dtype(), first.shape(), &out));
  for (int64_t k = 0; k < first.num_elements(); ++k) {
    Variant sum = first.data<Variant>()[k];
    for (int i = 1; i < c.num_inputs(); ++i) {
      const Variant& x = c.input(i).data<Variant>()[k];
      if (x.get() == nullptr) continue;
      if (sum.get() == nullptr) {
        sum = x;
        continue;
      }
      GK_ASSIGN_OR_RETURN(Ref<VariantObject> both, sum.get()->Add(*x.get()));
      sum = Variant(std::move(both));
    }
    out->data<Variant>()[k] = std::move(sum);
  }
  return OkStatus();
}

Status ComputeSum(KernelContext& c) {
  const Tensor& first = c.input(0);
  for (int i = 1; i < c.num_inputs(); ++i) {
    if (c.input(i).shape() == first.shape()) continue;
    return InvalidArgument(
        "Inputs to operation {} of type {} must have the same size and shape.  "
        "Input 0: {} != input {}: {}",
        c.record().name, c.record().name, first.shape().DebugString(), i,
        c.input(i).shape().DebugString());
  }
  if (first.dtype() == DataType::kVariant) return SumOfVariants(c);
  const TileKernel* add = AddTable::Find(first.dtype(), c.attrs());
  if (!add) {
    return c.NoKernel();
  }
  const TileKernel* add_three = AddThreeTable::Find(first.dtype(), c.attrs());
  Tensor* out = nullptr;
  GK_RETURN_IF_ERROR(c.Forward(0, 0, first.dtype(), first.shape(), &out));
  // Piece by piece, so that the sum stays in the first-level cache.
  constexpr int64_t kPiece = 1024;
  const int64_t size = DataTypeSize(first.dtype());
  char* sum = static_cast<char*>(out->raw_data());
  for (int64_t at = 0; at < first.num_elements(); at += kPiece) {
    const int64_t n = std::min(kPiece, first.num_elements() - at);
    char* to = sum + at * size;
    const char* from = static_cast<const char*>(first.raw_data()) + at * size;
    if (to != from && c.num_inputs() == 1) std::memcpy(to, from, n * size);
    const auto piece = [&](int i) {
      return static_cast<const char*>(c.input(i).raw_data()) + at * size;
    };
    for (int i = 1; i < c.num_inputs();) {
      const void* in[3] = {i == 1 ? from : to, piece(i), nullptr};
      if (add_three && i + 1 < c.num_inputs()) {
        in[2] = piece(i + 1);
        add_three->fn(to, in, n, nullptr);
        i += 2;
      } else {
        add->fn(to, in, n, nullptr);
        i += 1;
      }
    }
  }
  return OkStatus();
}

void SumGrads(GradContext& g) {
  for (int i = 0; i < g.num_inputs(); ++i) {
    if (g.wants(i)) g.Set(i, g.dy(0));
  }
}

Status ComputeZerosLike(KernelContext& c) {
  const Tensor& x = c.input(0);
  if (x.dtype() == DataType::kResource) {
    return InvalidArgument("ZerosLike of a resource");
  }
  Tensor* out = nullptr;
  GK_RETURN_IF_ERROR(c.Allocate(0, x.dtype(), x.shape(), &out));
  if (x.dtype() == DataType::kVariant) {
    for (int64_t i = 0; i < x.num_elements(); ++i) {
      const VariantObject* object = x.data<Variant>()[i].get();
      if (object == nullptr) continue;
      GK_ASSIGN_OR_RETURN(Ref<VariantObject> zeros, object->ZerosLike());
      out->data<Variant>()[i] = Variant(std::move(zeros));
    }
    return OkStatus();
  }
  // Fresh strings are empty already.
  if (!IsObjectType(x.dtype())) {
    std::memset(out->raw_data(), 0, out->byte_size());
  }
  return OkStatus();
}

Status ComputeOnesLike(KernelContext& c) {
  const Tensor& x = c.input(0);
  Tensor* out = nullptr;
  GK_RETURN_IF_ERROR(c.Allocate(0, x.dtype(), x.shape(), &out));
  const bool known = VisitType<float, double, half, bfloat16, int8_t, int16_t,
                               int32_t, int64_t, uint8_t, uint16_t, uint32_t,
                               uint64_t, complex64, complex128, bool>(
      x.dtype(),
      [&]<class T>(T) { std::fill_n(out->data<T>(), x.num_elements(), T(1)); });
  if (known) return OkStatus();
  return c.NoKernel();
}

double AddNFlops(const AttrMap&, FlopsShapes in, FlopsShapes out) {
  return (static_cast<double>(in.size()) - 1) * ElementsOf(out[0]);
}

const OpRecord kRecords[] = {
    {.name = "AddN",
     .inputs = "inputs: N * T",
     .outputs = "sum: T",
     .attrs = "N: int >= 1; T: type in [float, double, int32, uint8, int16, "
              "int8, complex64, int64, qint8, quint8, qint32, bfloat16, "
              "qint16, quint16, uint16, complex128, half, uint32, uint64, "
              "variant]",
     .traits = kCommutative | kAggregate,
     .shape = SumShape,
     .kernel = {.compute = ComputeSum},
     .gradient = SumGrads,
     .flops = AddNFlops,
     .python = {.converts_first = true},
     .doc = "Adds all inputs element-wise; their shapes are equal."},

    {.name = "AccumulateNV2",
     .inputs = "inputs: N * T",
     .outputs = "sum: T",
     .attrs = "N: int >= 1; T: type in [float, double, int32, uint8, int16, "
              "int8, complex64, int64, qint8, quint8, qint32, bfloat16, "
              "qint16, quint16, uint16, complex128, half, uint32, uint64]; "
              "shape: shape",
     .traits = kCommutative | kAggregate,
     .shape = SumShape,
     .kernel = {.compute = ComputeSum},
     .gradient = SumGrads,
     .doc = "Adds all inputs element-wise; their shapes are equal."},

    {.name = "ZerosLike",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: type",
     .traits = kNoGradient | kShapeOnly | kCheap | kElementwise,
     .shape = shape_fn::SameAsInput,
     .kernel = {.compute = ComputeZerosLike},
     .gradient = [](GradContext&) {},
     .doc = "A tensor of zeros (empty strings) of the shape and type of x.",
     .test = {.reference = "zeros_like(x)"}},

    {.name = "OnesLike",
     .inputs = "x: T",
     .outputs = "y: T",
     .attrs = "T: type in [bfloat16, half, float, double, int8, uint8, int16, "
              "uint16, int32, uint32, int64, uint64, complex64, complex128, "
              "bool]",
     .traits = kNoGradient | kShapeOnly | kCheap | kElementwise,
     .shape = shape_fn::SameAsInput,
     .kernel = {.compute = ComputeOnesLike},
     .gradient = [](GradContext&) {},
     .doc = "A tensor of ones of the shape and type of x.",
     .test = {.reference = "ones_like(x)"}},
};

}  // namespace

GK_REGISTER_OPS(math_sum)

}  // namespace gk
