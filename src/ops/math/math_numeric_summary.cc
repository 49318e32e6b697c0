// What numbers a tensor holds, in a few numbers: for those who watch programs.
#include "ops/fn/math_numeric_summary.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>
#include <utility>
#include <vector>

#include "framework/op_registry.h"
#include "ops/int32_attrs.h"

namespace gk {
namespace {

// Modes, as TensorFlow numbers them.
constexpr int64_t kCurtHealth = 2, kConciseHealth = 3, kFullHealth = 4,
                  kShape = 5, kThreeSlots = 8;
// So many of the last dimensions are told.
constexpr int kToldDims = 6;

struct Counts {
  int64_t negative_infinities = 0, infinities = 0, nans = 0;
  int64_t negatives = 0, zeros = 0, positives = 0;
  bool finite() const { return negative_infinities + infinities + nans == 0; }
};

template <class T>
Counts CountsOf(const T* x, int64_t n) {
  Counts c;
  for (int64_t i = 0; i < n; ++i) {
    if constexpr (std::is_integral_v<T>) {
      ++(x[i] == T(0)              ? c.zeros
         : std::cmp_less(+x[i], 0) ? c.negatives
                                   : c.positives);
    } else {
      const double v = static_cast<double>(x[i]);
      ++(std::isnan(v)   ? c.nans
         : std::isinf(v) ? (v < 0 ? c.negative_infinities : c.infinities)
         : v == 0        ? c.zeros
         : v < 0         ? c.negatives
                         : c.positives);
    }
  }
  return c;
}

// The numbers of a mode; none: there is no such mode.
std::vector<double> SummaryOf(const Counts& c, const Tensor& x, int64_t mode,
                              double id) {
  const auto n = static_cast<double>(x.num_elements());
  const double dtype = static_cast<int>(x.dtype()), rank = x.rank();
  const auto of = [](int64_t count) { return static_cast<double>(count); };
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  switch (mode) {
    case kCurtHealth:
      return {id, c.finite() ? 0.0 : 1.0};
    case kConciseHealth:
      return {id, n, of(c.negative_infinities), of(c.infinities), of(c.nans)};
    case kFullHealth:
      return {id,
              -1,
              dtype,
              rank,
              n,
              of(c.negative_infinities),
              of(c.infinities),
              of(c.nans),
              of(c.negatives),
              of(c.zeros),
              of(c.positives)};
    case kShape: {
      std::vector<double> told{id, dtype, rank, n};
      for (int i = std::max(0, x.rank() - kToldDims); i < x.rank(); ++i) {
        told.push_back(of(x.dim(i)));
      }
      told.resize(4 + kToldDims);
      return told;
    }
    case kThreeSlots:
      return {c.negative_infinities > 0 ? -kInfinity : 0,
              c.infinities > 0 ? kInfinity : 0,
              c.nans > 0 ? std::numeric_limits<double>::quiet_NaN() : 0};
    default:
      return {};
  }
}

Status SummaryShape(InferenceContext& c) {
  const int64_t mode = c.attr<int64_t>("tensor_debug_mode");
  for (const auto& [known, size] : {std::pair<int64_t, int64_t>{kCurtHealth, 2},
                                    {kConciseHealth, 5},
                                    {kFullHealth, 11},
                                    {kShape, 4 + kToldDims},
                                    {kThreeSlots, 3}}) {
    if (mode == known) c.set_output(0, {size});
  }
  return OkStatus();
}

Status ComputeSummary(KernelContext& c) {
  GK_RETURN_IF_ERROR(CheckInt32Attrs(c.attrs(), {"tensor_debug_mode"}));
  const Tensor& x = c.input(0);
  const DataType dtype = c.attr<DataType>("output_dtype");
  const int64_t mode = c.attr<int64_t>("tensor_debug_mode");
  const int64_t id = c.attr<int64_t>("tensor_id");
  const int64_t limit = int64_t{1}
                        << (dtype == DataType::kFloat
                                ? std::numeric_limits<float>::digits
                                : std::numeric_limits<double>::digits);
  if (id > limit || id < -limit) {
    return InvalidArgument(
        "tensor_id must be at most {} for an output of {}, which holds no "
        "larger integers exactly, got {}",
        limit, DataTypeName(dtype), id);
  }
  Counts counts;
  Status status = c.NoKernel();
  VisitType<half, bfloat16, float, double, int8_t, int16_t, int32_t, int64_t,
            uint8_t, uint16_t, uint32_t, uint64_t, bool>(
      x.dtype(), [&](auto tag) {
        using T = decltype(tag);
        status = OkStatus();
        if (mode != kShape) {
          counts = CountsOf(x.data<T>(), x.num_elements());
        }
      });
  GK_RETURN_IF_ERROR(status);
  const std::vector<double> numbers =
      SummaryOf(counts, x, mode, static_cast<double>(id));
  if (numbers.empty()) {
    return Unimplemented("tensor_debug_mode must be 2, 3, 4, 5 or 8, got {}",
                         mode);
  }
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(
      0, dtype, TensorShape({static_cast<int64_t>(numbers.size())}), &out));
  VisitType<float, double>(dtype, [&](auto tag) {
    using T = decltype(tag);
    std::transform(numbers.begin(), numbers.end(), out->data<T>(),
                   [](double v) { return static_cast<T>(v); });
  });
  return OkStatus();
}

const OpRecord kRecords[] = {
    {.name = "DebugNumericSummaryV2",
     .inputs = "input: T",
     .outputs = "output: output_dtype",
     .attrs = "output_dtype: type in [float, double] = float; T: type; "
              "tensor_debug_mode: int = -1; tensor_id: int = -1",
     .traits = kNoGradient,
     .shape = SummaryShape,
     .kernel = {.compute = ComputeSummary},
     .doc = "Numbers about the elements of a tensor, by mode. 2: `tensor_id` "
            "and whether there are infinities or NaNs. 3: the id, how many "
            "elements, negative infinities, infinities and NaNs there are. 4: "
            "the id, -1, dtype, rank, the counts of mode 3, then of negative "
            "numbers, zeros and positive numbers. 5: the id, dtype, rank, "
            "number of elements and the last six dimensions. 8: -inf, inf and "
            "NaN where there are such elements, else 0.",
     .test = {.skip_gradient = true}},
};

}  // namespace

GK_REGISTER_OPS(math_numeric_summary)

}  // namespace gk
