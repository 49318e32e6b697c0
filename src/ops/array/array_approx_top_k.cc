// The greatest or least elements along a dimension. TensorFlow looks for most
// of them alone on some devices; on a CPU it finds them all, and so does this.
#include "ops/fn/array_approx_top_k.h"

#include <cmath>
#include <limits>
#include <vector>

#include "base/thread_pool.h"
#include "framework/grad_context.h"
#include "framework/op_registry.h"
#include "kernels/sort.h"
#include "ops/array/put_back.h"
#include "ops/dynamic_axes.h"
#include "ops/element_moves.h"
#include "ops/fn/Transpose.h"

namespace gk {
namespace {

// The dimension in which is looked; -1 where it is not known yet.
Status FindAxis(const AttrMap& attrs, int rank, int* axis) {
  const int64_t* given = attrs.Get<int64_t>("reduction_dimension");
  *axis = given ? NormalAxis(*given, rank) : rank - 1;
  if (*axis >= 0) return OkStatus();
  return InvalidArgument(
      "Invalid reduction dimension: {}. Must be within the range of [{}, {}]",
      *given, -rank, rank - 1);
}

Status ApproxTopKShape(InferenceContext& c) {
  PartialTensorShape s;
  GK_RETURN_IF_ERROR(c.WithRankAtLeast(0, 1, &s));
  if (s.unknown_rank()) return OkStatus();
  int axis;
  GK_RETURN_IF_ERROR(FindAxis(c.attrs(), s.rank(), &axis));
  const int64_t k = c.attr<int64_t>("k");
  if (s.dim(axis) >= 0 && s.dim(axis) < k) {
    return InvalidArgument(
        "input must have last dimension >= k = {} but was {}", k, s.dim(axis));
  }
  s.SetDim(axis, k);
  c.set_output(0, s);
  c.set_output(1, s);
  return OkStatus();
}

// A line of numbers; least elements become greatest ones. NaN comes first of
// these, last of those.
template <class T>
void ReadLine(const T* from, int64_t n, int64_t step, bool greatest,
              float* line) {
  for (int64_t i = 0; i < n; ++i) {
    const float v = static_cast<float>(from[i * step]);
    line[i] = greatest        ? v
              : std::isnan(v) ? -std::numeric_limits<float>::infinity()
                              : -v;
  }
}

Status ComputeApproxTopK(KernelContext& c) {
  const Tensor& x = c.input(0);
  if (x.rank() < 1) {
    return InvalidArgument("input must be >= 1-D, got shape {}",
                           x.shape().DebugString());
  }
  int axis;
  GK_RETURN_IF_ERROR(FindAxis(c.attrs(), x.rank(), &axis));
  const int64_t k = c.attr<int64_t>("k"), n = x.dim(axis);
  if (n < k) {
    return InvalidArgument(
        "input must have at least k columns. Had {}, needed {}", n, k);
  }
  TensorShape shape = x.shape();
  shape.SetDim(axis, k);
  Tensor *values, *indices;
  GK_RETURN_IF_ERROR(c.Allocate(0, x.dtype(), shape, &values));
  GK_RETURN_IF_ERROR(c.Allocate(1, DataType::kInt32, shape, &indices));
  if (shape.num_elements() == 0) return OkStatus();
  if (n > std::numeric_limits<int32_t>::max()) {
    return InvalidArgument("{} elements have no int32 indices", n);
  }
  int64_t inner = 1;
  for (int i = axis + 1; i < x.rank(); ++i) inner *= x.dim(i);
  const bool greatest = c.attr<bool>("is_max_k");
  const bool known = VisitType<half, bfloat16, float>(x.dtype(), [&](auto tag) {
    using T = decltype(tag);
    ThreadPool::Global().ParallelRange(
        x.num_elements() / n, 4 * n, [&](int64_t begin, int64_t end) {
          std::vector<float> line(n), best(k);
          std::vector<int32_t> places(k);
          for (int64_t i = begin; i < end; ++i) {
            const T* from = x.data<T>() + (i / inner) * n * inner + i % inner;
            const int64_t to = (i / inner) * k * inner + i % inner;
            ReadLine(from, n, inner, greatest, line.data());
            TopKRow(line.data(), n, k, best.data(), places.data());
            for (int64_t j = 0; j < k; ++j) {
              values->data<T>()[to + j * inner] = from[places[j] * inner];
              indices->data<int32_t>()[to + j * inner] = places[j];
            }
          }
        });
  });
  return known ? OkStatus() : c.NoKernel();
}

// The gradients go back to where the values came from.
void ApproxTopKGradient(GradContext& g) {
  if (!g.wants(0)) return;
  const Tensor& x = g.x(0);
  const int64_t axis = g.attr<int64_t>("reduction_dimension");
  if (axis == -1 || axis == x.partial_shape().rank() - 1) {
    g.Set(0, PutBack(g.dy(0), g.y(1), x));
    return;
  }
  const Tensor order = SwappedWithLast(x, axis);
  const auto turned = [&](const Tensor& t) { return ops::Transpose(t, order); };
  g.Set(0, turned(PutBack(turned(g.dy(0)), turned(g.y(1)), turned(x))));
}

const OpRecord kRecords[] = {
    {.name = "ApproxTopK",
     .inputs = "input: T",
     .outputs = "values: T; indices: int32",
     .attrs = "k: int >= 0; reduction_dimension: int = -1; recall_target: "
              "float = 0.949999988079071; is_max_k: bool = true; "
              "reduction_input_size_override: int = -1; aggregate_to_topk: "
              "bool = true; T: type in [half, bfloat16, float]",
     .shape = ApproxTopKShape,
     .kernel = {.compute = ComputeApproxTopK},
     .gradient = ApproxTopKGradient,
     .doc = "The k greatest elements along a dimension in order, or the least "
            "ones unless is_max_k, and where they are. All are found: what "
            "says how many may be missed has no effect."},
};

}  // namespace

GK_REGISTER_OPS(array_approx_top_k)

}  // namespace gk
