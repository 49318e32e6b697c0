// Points of Sobol sequences, which fill a cube evenly.
#include "ops/fn/random_sobol.h"

#include <limits>

#include "base/thread_pool.h"
#include "framework/op_registry.h"
#include "kernels/sobol.h"

namespace gk {
namespace {

Status SobolShape(InferenceContext& c) {
  PartialTensorShape scalar;
  for (int i = 0; i < 3; ++i) GK_RETURN_IF_ERROR(c.WithRank(i, 0, &scalar));
  const auto known = [&](int i) {
    const auto value = c.ValueAsInts(i);
    return value ? value->front() : kUnknownDim;
  };
  const int64_t dim = known(0), results = known(1);
  if (dim < kUnknownDim || results < kUnknownDim) {
    return InvalidArgument(
        "Dimension size, given by scalar input, must be non-negative but is {}",
        std::min(dim, results));
  }
  c.set_output(0, {results, dim});
  return OkStatus();
}

Status ComputeSobol(KernelContext& c) {
  const char* const names[] = {"dim", "num_results", "skip"};
  int64_t values[3];
  for (int i = 0; i < 3; ++i) {
    if (!c.input(i).shape().IsScalar()) {
      return InvalidArgument("{} must be a scalar", names[i]);
    }
    values[i] = c.input(i).scalar<int32_t>();
  }
  const auto [dim, results, skip] = values;
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  if (dim < 1) return InvalidArgument("dim must be at least one");
  if (dim > kSobolDimensions) {
    return InvalidArgument("dim must be at most {}", kSobolDimensions);
  }
  if (results < 1) return InvalidArgument("num_results must be at least one");
  if (skip < 0) return InvalidArgument("skip must be non-negative");
  if (results >= kMost - skip) {
    return InvalidArgument("num_results+skip must be less than {}", kMost);
  }
  const DataType dtype = c.attr<DataType>("dtype");
  GK_ASSIGN_OR_RETURN(TensorShape shape,
                      TensorShape::Make(std::array{results, dim}));
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, dtype, shape, &out));
  const int dimensions = static_cast<int>(dim);
  const std::vector<uint32_t> directions = SobolDirections(dimensions);
  // A block finds its first point by all bits, so it should have some more.
  constexpr int64_t kBlock = 256;
  VisitType<float, double>(dtype, [&](auto tag) {
    using T = decltype(tag);
    T* o = out->data<T>();
    ThreadPool::Global().ParallelRange(
        (results + kBlock - 1) / kBlock, kBlock * dim,
        [&](int64_t begin, int64_t end) {
          const int64_t from = begin * kBlock;
          const int64_t to = std::min(end * kBlock, results);
          SobolPoints<T>(directions, dimensions, skip + from, to - from,
                         o + from * dim);
        });
  });
  return OkStatus();
}

const OpRecord kRecords[] = {
    {.name = "SobolSample",
     .inputs = "dim: int32; num_results: int32; skip: int32",
     .outputs = "samples: dtype",
     .attrs = "dtype: type in [float, double] = float",
     .traits = kNoGradient,
     .shape = SobolShape,
     .kernel = {.compute = ComputeSobol},
     .python = {.names = "math.sobol_sample",
                .args = "dim: tensor(int32!); num_results: tensor(int32!); "
                        "skip: tensor(int32!) = 0; dtype: type = float32",
                .scope = "sobol"},
     .doc = "Points [num_results, dim] of a Sobol sequence, in (0, 1).\n\n"
            "Args:\n  dim: of each point, at most 1111.\n  num_results: how "
            "many.\n  skip: how many points to leave out first.",
     .example = ">>> tf.math.sobol_sample(2, 3).numpy().tolist()\n"
                "[[0.5, 0.5], [0.75, 0.25], [0.25, 0.75]]"},
};

}  // namespace

GK_REGISTER_OPS(random_sobol)

}  // namespace gk
