// Whether targets are among the k greatest predictions.
#include "ops/fn/nn_in_top_k.h"

#include <cmath>

#include "framework/op_registry.h"
#include "ops/int32_attrs.h"

namespace gk {
namespace {

// Ties count as inside; a row with predictions that are not finite before the
// answer is known, or a target that is no class, is outside.
template <class Index>
bool InTopK(const float* row, int64_t classes, Index target, int64_t k) {
  if (target < 0 || target >= classes || !std::isfinite(row[target])) {
    return false;
  }
  int64_t greater = 0;
  for (int64_t i = 0; i < classes; ++i) {
    if (!std::isfinite(row[i])) return false;
    if (row[i] > row[target] && ++greater > k) break;
  }
  return greater < k;
}

Status ComputeInTopK(KernelContext& c) {
  const Tensor &predictions = c.input(0), &targets = c.input(1);
  if (predictions.rank() != 2) {
    return InvalidArgument("predictions must be 2-dimensional");
  }
  if (targets.rank() != 1) {
    return InvalidArgument("targets must be 1-dimensional");
  }
  if (predictions.dim(0) != targets.dim(0)) {
    return InvalidArgument("First dimension of predictions {} must match "
                           "length of targets {}",
                           predictions.dim(0), targets.dim(0));
  }
  GK_RETURN_IF_ERROR(CheckInt32Attrs(c.attrs(), {"k"}));
  int64_t k = c.attr<int64_t>("k");
  if (c.num_inputs() == 3) {
    const Tensor& value = c.input(2);
    if (!value.shape().IsScalar()) {
      return InvalidArgument("k must be 0-D, got shape {}",
                             value.shape().DebugString());
    }
    k = value.dtype() == DataType::kInt32 ? value.scalar<int32_t>()
                                          : value.scalar<int64_t>();
  }
  Tensor* out;
  GK_RETURN_IF_ERROR(c.Allocate(0, DataType::kBool, targets.shape(), &out));
  const int64_t classes = predictions.dim(1);
  VisitType<int32_t, int64_t>(targets.dtype(), [&](auto tag) {
    const auto* target = targets.data<decltype(tag)>();
    for (int64_t r = 0; r < targets.dim(0); ++r) {
      out->data<bool>()[r] = InTopK(predictions.data<float>() + r * classes,
                                    classes, target[r], k);
    }
  });
  return OkStatus();
}

Status InTopKShape(InferenceContext& c) {
  PartialTensorShape predictions, targets;
  GK_RETURN_IF_ERROR(c.WithRank(0, 2, &predictions));
  GK_RETURN_IF_ERROR(c.WithRank(1, 1, &targets));
  int64_t rows;
  GK_RETURN_IF_ERROR(
      InferenceContext::MergeDims(predictions.dim(0), targets.dim(0), &rows));
  c.set_output(0, {rows});
  return OkStatus();
}

const OpRecord kRecords[] = {
    {.name = "InTopK",
     .inputs = "predictions: float; targets: T",
     .outputs = "precision: bool",
     .attrs = "k: int; T: type in [int32, int64] = int32",
     .traits = kNoGradient,
     .shape = InTopKShape,
     .kernel = {.compute = ComputeInTopK},
     .doc = "Whether each row's target is among its k greatest predictions."},

    {.name = "InTopKV2",
     .inputs = "predictions: float; targets: T; k: T",
     .outputs = "precision: bool",
     .attrs = "T: type in [int32, int64] = int32",
     .traits = kNoGradient,
     .shape = InTopKShape,
     .kernel = {.compute = ComputeInTopK},
     .doc = "Whether each row's target is among its k greatest predictions."},
};

}  // namespace

GK_REGISTER_OPS(nn_in_top_k)

}  // namespace gk
