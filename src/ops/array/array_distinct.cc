// Distinct slices along an axis, and differences of sets.
#include "ops/fn/array_distinct.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "kernels/gather.h"
#include "kernels/unique.h"
#include "ops/element_moves.h"

namespace gk {
namespace {

// The elements as numbers that are equal when the elements are; a NaN equals
// nothing, so each gets a number of its own. And where each number is first.
template <Zeros kZeros>
Status EqualityIds(const Tensor& t, std::vector<int64_t>* ids,
                   std::vector<int64_t>* firsts) {
  const int64_t n = t.num_elements();
  ids->resize(n);
  firsts->resize(n);
  const auto find = [&](const auto* values) {
    firsts->resize(UniqueIds(values, n, ids->data(), firsts->data()));
  };
  if (t.dtype() == DataType::kString) {
    find(t.data<std::string>());
    return OkStatus();
  }
  if (t.dtype() == DataType::kBool) {
    find(static_cast<const uint8_t*>(t.raw_data()));
    return OkStatus();
  }
  const bool known =
      VisitType<float, double, int8_t, int16_t, int32_t, int64_t, uint8_t,
                uint16_t, uint32_t, uint64_t>(
          t.dtype(), [&](auto tag) { find(t.data<decltype(tag)>()); }) ||
      VisitType<half, bfloat16>(t.dtype(), [&](auto tag) {
        firsts->resize(UniqueIds<kZeros>(t.data<decltype(tag)>(), n,
                                         ids->data(), firsts->data()));
      });
  if (known) return OkStatus();
  return Unimplemented("Elements of type {} cannot be compared",
                       DataTypeString(t.dtype()));
}

// ---- UniqueV2 ----

Status UniqueShape(InferenceContext& c) {
  PartialTensorShape axis_shape;
  GK_RETURN_IF_ERROR(c.WithRank(1, 1, &axis_shape));
  const PartialTensorShape& x = c.input(0);
  auto axes = c.ValueAsInts(1);
  if (c.num_outputs() == 3) c.set_output(2, {kUnknownDim});
  c.set_output(1, {kUnknownDim});
  if (x.unknown_rank() || !axes || axes->size() > 1) return OkStatus();
  if (axes->empty()) {
    GK_RETURN_IF_ERROR(c.WithRank(0, 1, &axis_shape));
    c.set_output(0, {kUnknownDim});
    c.set_output(1, x);
    return OkStatus();
  }
  const int axis = NormalAxis((*axes)[0], x.rank());
  if (axis < 0) {
    return InvalidArgument("axis expects to be in the range [{}, {})",
                           -x.rank(), x.rank());
  }
  PartialTensorShape y = x;
  y.SetDim(axis, kUnknownDim);
  c.set_output(0, std::move(y));
  c.set_output(1, {x.dim(axis)});
  return OkStatus();
}

Status ComputeUnique(KernelContext& c) {
  const Tensor &x = c.input(0), &axis_in = c.input(1);
  if (axis_in.rank() != 1) {
    return InvalidArgument("axis expects a 1D vector.");
  }
  std::vector<int64_t> axes;
  GK_RETURN_IF_ERROR(IntegerValues(axis_in, &axes));
  if (axes.size() > 1) {
    return InvalidArgument(
        "axis does not support input tensors larger than 1 elements");
  }
  if (axes.empty() && x.rank() != 1) {
    return InvalidArgument("unique expects a 1D vector.");
  }
  const int axis = axes.empty() ? 0 : NormalAxis(axes[0], x.rank());
  if (axis < 0) {
    return InvalidArgument("axis has to be between [0, {})", x.rank());
  }
  // Columns [outer, size, inner]: slice s is all (o, s, i).
  const int64_t size = x.dim(axis);
  int64_t outer = 1, inner = 1;
  for (int i = 0; i < axis; ++i) {
    outer = MultiplyWithoutOverflow(outer, x.dim(i));
  }
  for (int i = axis + 1; i < x.rank(); ++i) {
    inner = MultiplyWithoutOverflow(inner, x.dim(i));
  }
  std::vector<int64_t> ids, firsts, counts;
  // Slices are compared as numbers.
  GK_RETURN_IF_ERROR(outer == 1 && inner == 1
                         ? EqualityIds<Zeros::kByType>(x, &ids, &firsts)
                         : EqualityIds<Zeros::kOne>(x, &ids, &firsts));
  if (x.num_elements() == 0) outer = inner = 0;
  if (outer == 1 && inner == 1) {
    if (c.num_outputs() == 3) {
      counts = CountIds(ids, static_cast<int64_t>(firsts.size()));
    }
  } else {
    UniqueSlices slices(ids.data(), outer, size, inner);
    ids = std::move(slices.ids);
    firsts = std::move(slices.firsts);
    counts = std::move(slices.counts);
  }
  const int64_t found = static_cast<int64_t>(firsts.size());
  TensorShape shape = x.shape();
  shape.SetDim(axis, found);
  Tensor* y;
  GK_RETURN_IF_ERROR(c.Allocate(0, x.dtype(), shape, &y));
  GK_RETURN_IF_ERROR(VisitMoved(x.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* from = static_cast<const T*>(x.raw_data());
    TakeSlices(from, firsts, outer, size, inner,
               static_cast<T*>(y->raw_data()));
  }));
  const DataType index = c.attr<DataType>("out_idx");
  GK_ASSIGN_OR_RETURN(Tensor idx,
                      IntegerTensor(index, ids, TensorShape({size})));
  c.set_output(1, std::move(idx));
  if (c.num_outputs() == 3) {
    GK_ASSIGN_OR_RETURN(Tensor count,
                        IntegerTensor(index, counts, TensorShape({found})));
    c.set_output(2, std::move(count));
  }
  return OkStatus();
}

// ---- ListDiff ----

Status ListDiffShape(InferenceContext& c) {
  for (int i = 0; i < 2; ++i) {
    PartialTensorShape s;
    GK_RETURN_IF_ERROR(c.WithRank(i, 1, &s));
  }
  c.set_output(0, {kUnknownDim});
  c.set_output(1, {kUnknownDim});
  return OkStatus();
}

Status ComputeListDiff(KernelContext& c) {
  const Tensor &x = c.input(0), &y = c.input(1);
  if (x.rank() != 1) return InvalidArgument("x should be a 1D vector.");
  if (y.rank() != 1) return InvalidArgument("y should be a 1D vector.");
  std::vector<int64_t> kept;
  const auto compare_as = [&](auto key, auto tag) {
    using T = decltype(tag);
    kept = PlacesOfMissing<decltype(key), T>(x.flat<T>(), y.flat<T>());
  };
  bool known = true;
  if (x.dtype() == DataType::kString) {
    compare_as(std::string_view(), std::string());
  } else if (x.dtype() == DataType::kBool) {
    compare_as(bool(), bool());
  } else if (x.dtype() == DataType::kUint64) {
    compare_as(uint64_t(), uint64_t());
  } else {
    known = VisitType<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t,
                      uint32_t>(
                x.dtype(), [&](auto tag) { compare_as(int64_t(), tag); }) ||
            VisitType<float, double>(
                x.dtype(), [&](auto tag) { compare_as(double(), tag); }) ||
            VisitType<half, bfloat16>(
                x.dtype(), [&](auto tag) { compare_as(uint16_t(), tag); });
  }
  if (!known) {
    return c.NoKernel();
  }
  const TensorShape shape({static_cast<int64_t>(kept.size())});
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, x.dtype(), shape, &out));
  GK_ASSIGN_OR_RETURN(Tensor idx,
                      IntegerTensor(c.attr<DataType>("out_idx"), kept, shape));
  c.set_output(1, std::move(idx));
  return VisitMoved(x.dtype(), [&](auto tag) {
    using T = typename decltype(tag)::type;
    const T* from = static_cast<const T*>(x.raw_data());
    TakeElements(from, kept, static_cast<T*>(out->raw_data()));
  });
}

const OpRecord kRecords[] = {
    {.name = "UniqueV2",
     .inputs = "x: T; axis: Taxis",
     .outputs = "y: T; idx: out_idx",
     .attrs = "T: type; Taxis: type in [int32, int64] = int64; out_idx: type "
              "in [int32, int64] = int32",
     .shape = UniqueShape,
     .kernel = {.compute = ComputeUnique},
     .doc = "The distinct slices of x along an axis in the order of their "
            "first appearance, and which of them each slice is."},

    {.name = "UniqueWithCountsV2",
     .inputs = "x: T; axis: Taxis",
     .outputs = "y: T; idx: out_idx; count: out_idx",
     .attrs = "T: type; Taxis: type in [int32, int64] = int64; out_idx: type "
              "in [int32, int64] = int32",
     .shape = UniqueShape,
     .kernel = {.compute = ComputeUnique},
     .doc = "The distinct slices of x along an axis, which of them each slice "
            "is and how often each appears."},

    {.name = "ListDiff",
     .inputs = "x: T; y: T",
     .outputs = "out: T; idx: out_idx",
     .attrs = "T: type; out_idx: type in [int32, int64] = int32",
     .shape = ListDiffShape,
     .kernel = {.compute = ComputeListDiff},
     .doc = "The elements of x that are not in y, and their positions."},
};

}  // namespace

GK_REGISTER_OPS(array_distinct)

}  // namespace gk
