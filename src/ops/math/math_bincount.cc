// Counts of small integers.
#include "ops/fn/math_bincount.h"

#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "ops/element_moves.h"

namespace gk {
namespace {

Status NegativeSize(int64_t size) {
  return InvalidArgument("size ({}) must be non-negative", size);
}

Status ReadSize(InferenceContext& c, int64_t* size) {
  PartialTensorShape scalar;
  GK_RETURN_IF_ERROR(c.WithRank(1, 0, &scalar));
  auto value = c.ValueAsInts(1);
  *size = value ? (*value)[0] : kUnknownDim;
  return value && *size < 0 ? NegativeSize(*size) : OkStatus();
}

Status BincountShape(InferenceContext& c) {
  int64_t size = kUnknownDim;
  GK_RETURN_IF_ERROR(ReadSize(c, &size));
  c.set_output(0, {size});
  return OkStatus();
}

Status DenseShape(InferenceContext& c) {
  int64_t size = kUnknownDim;
  GK_RETURN_IF_ERROR(ReadSize(c, &size));
  const PartialTensorShape& x = c.input(0);
  if (x.unknown_rank()) return OkStatus();
  if (x.rank() > 2) {
    return InvalidArgument("Shape must be at most rank 2 but is rank {}",
                           x.rank());
  }
  if (x.rank() == 2) {
    c.set_output(0, {x.dim(0), size});
  } else {
    c.set_output(0, {size});
  }
  return OkStatus();
}

// Rows of values are counted each into its own row of bins. Values beyond the
// bins are dropped.
Status CountRows(KernelContext& c, int64_t rows, const TensorShape& shape,
                 int64_t size, bool binary) {
  const Tensor &x = c.input(0), &weights = c.input(2);
  std::vector<int64_t> values;
  GK_RETURN_IF_ERROR(IntegerValues(x, &values));
  for (int64_t v : values) {
    if (v < 0) return InvalidArgument("Input arr must be non-negative!");
  }
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, weights.dtype(), shape, &out));
  ZeroElements(out);
  const int64_t width = rows == 0 ? 0 : x.num_elements() / rows;
  const bool weighted = weights.num_elements() > 0;
  const bool known = VisitType<int32_t, int64_t, float, double>(
      weights.dtype(), [&](auto tag) {
        using T = decltype(tag);
        T* bins = out->data<T>();
        for (int64_t r = 0; r < rows; ++r) {
          for (int64_t i = r * width; i < (r + 1) * width; ++i) {
            if (values[i] >= size) continue;
            T& bin = bins[r * size + values[i]];
            if (binary) {
              bin = T(1);
            } else if constexpr (std::is_integral_v<T>) {
              using U = std::make_unsigned_t<T>;
              bin = static_cast<T>(U(bin) +
                                   U(weighted ? weights.data<T>()[i] : T(1)));
            } else {
              bin += weighted ? weights.data<T>()[i] : T(1);
            }
          }
        }
      });
  if (known) return OkStatus();
  return c.NoKernel();
}

Status ReadSize(KernelContext& c, int64_t* size) {
  if (c.input(1).rank() != 0) {
    return InvalidArgument("Shape must be rank 0 but is rank {}",
                           c.input(1).rank());
  }
  GK_RETURN_IF_ERROR(IntegerValue(c.input(1), "size", size));
  return *size < 0 ? NegativeSize(*size) : OkStatus();
}

Status ComputeBincount(KernelContext& c) {
  int64_t size = kUnknownDim;
  GK_RETURN_IF_ERROR(ReadSize(c, &size));
  const int64_t weights = c.input(2).num_elements();
  if (weights != 0 && weights != c.input(0).num_elements()) {
    return InvalidArgument(
        "Input indices and weights must have the same size.");
  }
  return CountRows(c, 1, TensorShape({size}), size, false);
}

Status ComputeDense(KernelContext& c) {
  const Tensor &x = c.input(0), &weights = c.input(2);
  int64_t size = kUnknownDim;
  GK_RETURN_IF_ERROR(ReadSize(c, &size));
  if (x.rank() > 2) {
    return InvalidArgument("Shape must be at most rank 2 but is rank {}",
                           x.rank());
  }
  if (!(weights.shape() == x.shape()) && weights.num_elements() != 0) {
    return InvalidArgument(
        "`weights` must be the same shape as `arr` or a length-0 `Tensor`, in "
        "which case it acts as all weights equal to 1. Received {}",
        weights.shape().DebugString());
  }
  const bool binary = c.attr<bool>("binary_output");
  if (x.rank() < 2) return CountRows(c, 1, TensorShape({size}), size, binary);
  GK_ASSIGN_OR_RETURN(TensorShape shape, TensorShape::Make({{x.dim(0), size}}));
  return CountRows(c, x.dim(0), shape, size, binary);
}

const OpRecord kRecords[] = {
    {.name = "Bincount",
     .inputs = "arr: int32; size: int32; weights: T",
     .outputs = "bins: T",
     .attrs = "T: type in [int32, int64, float, double]",
     .shape = BincountShape,
     .kernel = {.compute = ComputeBincount},
     .doc = "How often each of the integers below size appears, or the sums "
            "of their weights."},

    {.name = "DenseBincount",
     .inputs = "input: Tidx; size: Tidx; weights: T",
     .outputs = "output: T",
     .attrs = "Tidx: type in [int32, int64]; T: type in [int32, int64, float, "
              "double]; binary_output: bool = False",
     .shape = DenseShape,
     .kernel = {.compute = ComputeDense},
     .doc = "How often each of the integers below size appears in each row."},
};

}  // namespace

GK_REGISTER_OPS(math_bincount)

}  // namespace gk
