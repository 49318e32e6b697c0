// Choosing elements: Select, SelectV2 and ClipByValue.
#include "ops/fn/math_select.h"

#include <algorithm>
#include <cstring>

#include "base/thread_pool.h"
#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "framework/resource.h"
#include "framework/text_memory.h"
#include "framework/variant.h"
#include "kernels/gather.h"
#include "ops/broadcast_gradient.h"
#include "ops/broadcast_strings.h"
#include "ops/element_moves.h"
#include "ops/elementwise.h"
#include "ops/fn/Greater.h"
#include "ops/fn/Less.h"
#include "ops/fn/LogicalOr.h"
#include "ops/fn/ZerosLike.h"

namespace gk {
namespace {

// Values are only moved: one loop for each element size.
constexpr auto kChoose = [](auto c, auto t, auto e) {
  using T = decltype(t);
  if constexpr (std::is_integral_v<T> && sizeof(T) > 1) {
    // g++ makes no vectors of choices by bools of another size.
    const T mask = T(0) - T(BitCast<uint8_t>(c));
    return T((t & mask) | (e & ~mask));
  } else {
    return Select(c, t, e);
  }
};

template <class Word>
void SetChoose(TileKernel* kernel) {
  constexpr Isa kMax = sizeof(Word) < 4   ? Isa::kV3
                       : sizeof(Word) > 8 ? Isa::kV2
                                          : Isa::kV4;
  using Fn = std::remove_const_t<decltype(kChoose)>;
  using Body = TileBody<Fn, Word, bool, Word, Word>;
  kernel->fn = internal::TileStamp<Body>::template For<kMax>(CurrentIsa());
  kernel->expression =
      &internal::BodyExpression<Fn, void, Word, bool, Word, Word>::Make;
}

const TileKernel* FindChoose(DataType t, const AttrMap&) {
  static const auto* kernels = [] {
    static TileKernel table[kNumDataTypes];
    for (int i = 0; i < kNumDataTypes; ++i) {
      TileKernel& k = table[i];
      const auto type = static_cast<DataType>(i);
      k.num_inputs = 3;
      k.in[0] = DataType::kBool;
      k.in[1] = k.in[2] = k.out = type;
      switch (DataTypeSize(type)) {
        case 1:
          SetChoose<uint8_t>(&k);
          break;
        case 2:
          SetChoose<uint16_t>(&k);
          break;
        case 4:
          SetChoose<uint32_t>(&k);
          break;
        case 8:
          SetChoose<uint64_t>(&k);
          break;
        case 16:
          SetChoose<complex128>(&k);
          break;
      }
    }
    return &table;
  }();
  const auto i = static_cast<size_t>(t);
  return i < kNumDataTypes && (*kernels)[i].fn ? &(*kernels)[i] : nullptr;
}

// Element i of the output comes from t or e; for objects and for plain bytes.
void CopyElement(const Tensor& from, int64_t at, Tensor* to, int64_t i) {
  switch (from.dtype()) {
    case DataType::kString:
      CountText(from.data<std::string>()[at].size());
      to->data<std::string>()[i] = from.data<std::string>()[at];
      return;
    case DataType::kResource:
      to->data<ResourceHandle>()[i] = from.data<ResourceHandle>()[at];
      return;
    case DataType::kVariant:
      to->data<Variant>()[i] = from.data<Variant>()[at];
      return;
    default: {
      const int size = DataTypeSize(from.dtype());
      std::memcpy(static_cast<char*>(to->raw_data()) + i * size,
                  static_cast<const char*>(from.raw_data()) + at * size, size);
    }
  }
}

Status NotBroadcastable(const TensorShape& c, const TensorShape& t,
                        const TensorShape& e) {
  return InvalidArgument(
      "condition {}, then {}, and else {} must be broadcastable",
      c.DebugString(), t.DebugString(), e.DebugString());
}

Status ComputeSelectV2(KernelContext& ctx) {
  const Tensor &c = ctx.input(0), &t = ctx.input(1), &e = ctx.input(2);
  StatusOr<TensorShape> branches = BroadcastShapes(t.shape(), e.shape());
  if (!branches.ok()) return NotBroadcastable(c.shape(), t.shape(), e.shape());
  StatusOr<TensorShape> shape = BroadcastShapes(c.shape(), *branches);
  if (!shape.ok()) return NotBroadcastable(c.shape(), t.shape(), e.shape());
  if (!IsObjectType(t.dtype())) return ComputeElementwise(ctx);
  Tensor* out = nullptr;
  GK_RETURN_IF_ERROR(ctx.Allocate(0, t.dtype(), *shape, &out));
  const bool* condition = c.data<bool>();
  for (const bool chosen : {true, false}) {
    // Both may be the same tensor.
    const Tensor& branch = chosen ? t : e;
    VisitBroadcast(c.shape(), branch.shape(), *shape,
                   [&](int64_t i, int64_t at_c, int64_t at) {
                     if (condition[at_c] == chosen) {
                       CopyElement(branch, at, out, i);
                     }
                   });
  }
  return OkStatus();
}

void SelectV2Grads(GradContext& g) {
  const Tensor zero = ops::ZerosLike(g.dy(0));
  const Tensor& c = g.x(0);
  for (int i = 1; i <= 2; ++i) {
    if (!g.wants(i)) continue;
    const Tensor part = i == 1 ? ops::SelectV2(c, g.dy(0), zero)
                               : ops::SelectV2(c, zero, g.dy(0));
    g.Set(i, SumToShape(part, g.x(i), g.y(0)));
  }
}

// The condition is a scalar, a vector that chooses rows, or of full shape.
Status SelectShape(InferenceContext& c) {
  GK_ASSIGN_OR_RETURN(PartialTensorShape shape,
                      c.input(1).MergeWith(c.input(2)));
  const PartialTensorShape& condition = c.input(0);
  if (!condition.unknown_rank() && !shape.unknown_rank() &&
      condition.rank() > 0) {
    if (condition.rank() == 1 && shape.rank() > 0) {
      int64_t rows;
      GK_RETURN_IF_ERROR(
          InferenceContext::MergeDims(condition.dim(0), shape.dim(0), &rows));
      shape.SetDim(0, rows);
    } else {
      GK_ASSIGN_OR_RETURN(shape, shape.MergeWith(condition));
    }
  }
  c.set_output(0, std::move(shape));
  return OkStatus();
}

Status ComputeSelect(KernelContext& ctx) {
  const Tensor &c = ctx.input(0), &t = ctx.input(1), &e = ctx.input(2);
  if (!(t.shape() == e.shape())) {
    return InvalidArgument(
        "'then' and 'else' must have the same size.  but received: {} vs. {}",
        t.shape().DebugString(), e.shape().DebugString());
  }
  const bool rows = c.rank() == 1 && t.rank() > 0 && c.dim(0) == t.dim(0);
  if (c.rank() != 0 && !rows && !(c.shape() == t.shape())) {
    return InvalidArgument(
        "'cond' must be a scalar, a vector of the first dimension of 'then', "
        "or of its shape, but received: {} vs. {}",
        c.shape().DebugString(), t.shape().DebugString());
  }
  Tensor* out = nullptr;
  GK_RETURN_IF_ERROR(ctx.Allocate(0, t.dtype(), t.shape(), &out));
  const int64_t total = t.num_elements(), conditions = c.num_elements();
  if (total == 0) return OkStatus();
  const TileKernel* const tile = FindChoose(t.dtype(), ctx.attrs());
  if (conditions == total && tile != nullptr) {
    constexpr int64_t kSome = 8192;
    const int64_t size = DataTypeSize(t.dtype());
    ThreadPool::Global().ParallelRange(
        (total + kSome - 1) / kSome, kSome, [&](int64_t begin, int64_t end) {
          const int64_t first = begin * kSome,
                        n = std::min(total, end * kSome) - first;
          const auto at = [&](const Tensor& x, int64_t bytes) {
            return static_cast<char*>(x.raw_data()) + first * bytes;
          };
          const void* const in[] = {at(c, 1), at(t, size), at(e, size)};
          tile->fn(at(*out, size), in, n, nullptr);
        });
    return OkStatus();
  }
  return VisitMoved(t.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    ChooseRows(std::span(c.data<bool>(), conditions),
               static_cast<const T*>(t.raw_data()),
               static_cast<const T*>(e.raw_data()), total / conditions,
               static_cast<T*>(out->raw_data()));
  });
}

void SelectGrads(GradContext& g) {
  const Tensor zero = ops::ZerosLike(g.dy(0));
  if (g.wants(1)) g.Set(1, ops::Select(g.x(0), g.dy(0), zero));
  if (g.wants(2)) g.Set(2, ops::Select(g.x(0), zero, g.dy(0)));
}

constexpr auto kClip = [](auto x, auto low, auto high) {
  const auto capped = Select(x > high, high, x);
  return Select(capped < low, low, capped);
};
// Complex numbers: each part by itself.
constexpr auto kClipParts = [](auto x, auto low, auto high) {
  return decltype(x)(kClip(x.real(), low.real(), high.real()),
                     kClip(x.imag(), low.imag(), high.imag()));
};

Status ClipShape(InferenceContext& c) {
  // The limits are scalars or of the shape of t.
  PartialTensorShape shape = c.input(0);
  for (int i = 1; i <= 2; ++i) {
    if (c.input(i).unknown_rank() || c.input(i).rank() == 0) continue;
    GK_ASSIGN_OR_RETURN(shape, shape.MergeWith(c.input(i)));
  }
  c.set_output(0, std::move(shape));
  return OkStatus();
}

Status ComputeClip(KernelContext& c) {
  for (int i = 1; i <= 2; ++i) {
    if (!c.input(i).shape().IsScalar() &&
        !(c.input(i).shape() == c.input(0).shape())) {
      return InvalidArgument(
          "clip_value_min and clip_value_max must be either of the same shape "
          "as input, or a scalar. input shape: {} clip_value_min shape: {} "
          "clip_value_max shape: {}",
          c.input(0).shape().DebugString(), c.input(1).shape().DebugString(),
          c.input(2).shape().DebugString());
    }
  }
  return ComputeElementwise(c);
}

void ClipGrads(GradContext& g) {
  const Tensor &x = g.x(0), &low = g.x(1), &high = g.x(2);
  const Tensor zero = ops::ZerosLike(g.dy(0));
  const Tensor below = ops::Less(x, low);
  const Tensor above = ops::Greater(x, high);
  if (g.wants(0)) {
    const Tensor outside = ops::LogicalOr(below, above);
    g.Set(0, ops::SelectV2(outside, zero, g.dy(0)));
  }
  if (g.wants(1)) {
    g.Set(1, SumToShape(ops::SelectV2(below, g.dy(0), zero), low, x));
  }
  if (g.wants(2)) {
    g.Set(2, SumToShape(ops::SelectV2(above, g.dy(0), zero), high, x));
  }
}

using ClipTable = TileOverloads<TernaryFor<kClip, RealTypes>,
                                TernaryFor<kClipParts, ComplexTypes>>;

const OpRecord kRecords[] = {
    {.name = "Select",
     .inputs = "condition: bool; t: T; e: T",
     .outputs = "output: T",
     .attrs = "T: type",
     .traits = kCheap,
     .shape = SelectShape,
     .kernel = {.compute = ComputeSelect},
     .gradient = SelectGrads,
     .python = {.raw_args = "condition, x, y"},
     .doc = "Takes elements or rows from t where condition holds, else from e.",
     .test = {.reference = "where(condition, t, e)"}},

    {.name = "SelectV2",
     .inputs = "condition: bool; t: T; e: T",
     .outputs = "output: T",
     .attrs = "T: type",
     .traits = kElementwise | kCheap,
     .shape = shape_fn::Broadcast,
     .kernel = {.compute = ComputeSelectV2, .tile = FindChoose},
     .gradient = SelectV2Grads,
     .doc = "Takes elements from t where condition holds and from e elsewhere; "
            "supports broadcasting.",
     .test = {.reference = "where(condition, t, e)"}},

    {.name = "ClipByValue",
     .inputs = "t: T; clip_value_min: T; clip_value_max: T",
     .outputs = "output: T",
     .attrs = "T: type in [float, double, int32, uint8, int16, int8, "
              "complex64, int64, qint8, quint8, qint32, bfloat16, qint16, "
              "quint16, uint16, complex128, half, uint32, uint64]",
     .traits = kElementwise,
     .shape = ClipShape,
     .kernel = {.compute = ComputeClip,
                .tile = ClipTable::Find,
                .types = ClipTable::kTypes},
     .gradient = ClipGrads,
     .doc = "Brings each element into [clip_value_min, clip_value_max].",
     .test = {.reference = "clip(t, clip_value_min, clip_value_max)",
              .skip_gradient = true}},
};

}  // namespace

GK_REGISTER_OPS(math_select)

}  // namespace gk
