// RaggedForm: what a public function does with ragged tensors, and with what is
// like them. Its record says so, `function/ragged/composite_calls.cc` does it.
//
// A function that goes element by element needs none: its traits say that, or
// `maps` and `keeps_zero` of a composition.
#ifndef GK_FRAMEWORK_RAGGED_FORM_H_
#define GK_FRAMEWORK_RAGGED_FORM_H_

#include <cstdint>
#include <string_view>

namespace gk {

enum class RaggedForm : uint8_t {
  kNone,
  // --- Of any value made of tensors.
  kEach,    // of each tensor by itself, and the result is such a value
  kValues,  // the values alone count
  // --- Of ragged tensors, whatever the function is.
  kFlat,      // the first argument's flat values alone change
  kDropout,   // the same, of no shape of noise
  kSegments,  // data, segment_ids, num_segments: joins slices of one id
  // --- Of shapes of ragged tensors: the first argument.
  kFilled,
  // --- Reductions along `axis`.
  kReduceSum,
  kReduceMean,
  kReduceProd,
  kReduceMax,
  kReduceMin,
  kReduceAny,
  kReduceAll,
  kReduceLogSumExp,
  kReduceJoin,
  kReduceVariance,
  kReduceStd,
  // --- As the op or function of that name.
  kAddN,
  kBroadcastTo,
  kConcat,
  kCumsum,
  kDynamicPartition,
  kExpandDims,
  kFill,
  kGather,
  kGatherNd,
  kMatMul,
  kRank,
  kReshape,
  kReverse,
  kShape,
  kSigmoidCrossEntropy,
  kSize,
  kSoftmax,
  kSplit,
  kSqueeze,
  kStack,
  kStringJoin,
  kTile,
  kWhere,
  kOneHot,
  kResizeImages,
};
inline constexpr int kNumRaggedForms =
    static_cast<int>(RaggedForm::kResizeImages) + 1;

// "gather"; empty of kNone.
std::string_view RaggedFormName(RaggedForm form);

}  // namespace gk

#endif  // GK_FRAMEWORK_RAGGED_FORM_H_
