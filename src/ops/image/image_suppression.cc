// Which boxes are kept of many that overlap.
#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "framework/op_registry.h"
#include "kernels/boxes.h"
#include "ops/element_moves.h"
#include "ops/image/picture_sizes.h"

namespace gk {
namespace {

constexpr float kLowest = std::numeric_limits<float>::lowest();

StatusOr<float> ScalarOf(const Tensor& t, std::string_view what) {
  if (!t.shape().IsScalar()) {
    return InvalidArgument("{} must be 0-D, got shape {}", what,
                           t.shape().DebugString());
  }
  float v = 0;
  VisitType<float, half>(t.dtype(), [&](auto tag) {
    v = Convert<float>(t.scalar<decltype(tag)>());
  });
  return v;
}

StatusOr<int64_t> CountOf(const Tensor& t) {
  if (!t.shape().IsScalar()) {
    return InvalidArgument("max_output_size must be 0-D, got shape {}",
                           t.shape().DebugString());
  }
  const int32_t n = t.scalar<int32_t>();
  if (n < 0) return InvalidArgument("output size must be non-negative");
  return n;
}

// The elements as floats.
StatusOr<Tensor> FloatsOf(const Tensor& t) {
  if (t.dtype() == DataType::kFloat) return t;
  GK_ASSIGN_OR_RETURN(Tensor out,
                      Tensor::Allocate(DataType::kFloat, t.shape()));
  for (int64_t i = 0; i < t.num_elements(); ++i) {
    out.data<float>()[i] = static_cast<float>(t.data<half>()[i]);
  }
  return out;
}

Status CheckScores(const Tensor& scores, int64_t n) {
  if (scores.rank() != 1) {
    return InvalidArgument("scores must be 1-D{}",
                           scores.shape().DebugString());
  }
  if (scores.dim(0) != n) {
    return InvalidArgument("scores has incompatible shape");
  }
  return OkStatus();
}

Status CheckUnit(float overlap) {
  if (overlap >= 0 && overlap <= 1) return OkStatus();
  return InvalidArgument("iou_threshold must be in [0, 1]");
}

// Indices of what is kept, filled up with zeros to `padded` if that is more.
Status SetIndices(KernelContext& c, const Kept& kept, int64_t padded) {
  const int64_t n = kept.boxes.size(), size = std::max(n, padded);
  Tensor* out;
  GK_RETURN_IF_ERROR(
      c.Allocate(0, DataType::kInt32, TensorShape({size}), &out));
  int32_t* to = out->data<int32_t>();
  std::fill(std::copy(kept.boxes.begin(), kept.boxes.end(), to), to + size, 0);
  return OkStatus();
}

enum class Version { kOne, kTwo, kThree, kFour, kFive };

template <Version kVersion>
Status ComputeSuppression(KernelContext& c) {
  const Tensor &boxes = c.input(0), &scores = c.input(1);
  Suppression rule{.score = kLowest};
  GK_ASSIGN_OR_RETURN(rule.most, CountOf(c.input(2)));
  if (kVersion == Version::kOne) {
    rule.overlap = c.attr<float>("iou_threshold");
  } else {
    GK_ASSIGN_OR_RETURN(rule.overlap, ScalarOf(c.input(3), "iou_threshold"));
  }
  GK_RETURN_IF_ERROR(CheckUnit(rule.overlap));
  rule.drops_nan = kVersion == Version::kThree || kVersion == Version::kFour;
  if (kVersion >= Version::kThree) {
    GK_ASSIGN_OR_RETURN(rule.score, ScalarOf(c.input(4), "score_threshold"));
  }
  if (kVersion == Version::kFive) {
    GK_ASSIGN_OR_RETURN(rule.sigma, ScalarOf(c.input(5), "soft_nms_sigma"));
    if (!(rule.sigma >= 0)) {
      return InvalidArgument("soft_nms_sigma_val must be >= 0");
    }
  }
  if (boxes.rank() != 2) {
    return InvalidArgument("boxes must be 2-D{}", boxes.shape().DebugString());
  }
  if (boxes.dim(1) != 4) return InvalidArgument("boxes must have 4 columns");
  GK_RETURN_IF_ERROR(CheckScores(scores, boxes.dim(0)));
  GK_ASSIGN_OR_RETURN(const Tensor box_floats, FloatsOf(boxes));
  GK_ASSIGN_OR_RETURN(const Tensor score_floats, FloatsOf(scores));
  const std::vector<BoxSides> sides =
      SidesOf(box_floats.data<float>(), scores.num_elements(), 4);
  const Kept kept = KeepBoxes(
      score_floats.data<float>(), scores.num_elements(), rule,
      [&](int64_t i, int64_t j) { return Overlap(sides[i], sides[j]); });
  const bool pads =
      kVersion >= Version::kFour && c.attr<bool>("pad_to_max_output_size");
  GK_RETURN_IF_ERROR(SetIndices(c, kept, pads ? rule.most : 0));
  const int32_t count = kept.boxes.size();
  if (kVersion == Version::kFour) {
    c.set_output(1, Tensor::Scalar<int32_t>(count));
  }
  if (kVersion == Version::kFive) {
    Tensor* out;
    GK_RETURN_IF_ERROR(
        c.Allocate(1, scores.dtype(), c.output(0).shape(), &out));
    VisitType<float, half>(scores.dtype(), [&](auto tag) {
      using T = decltype(tag);
      for (int64_t i = 0; i < out->num_elements(); ++i) {
        out->data<T>()[i] = Convert<T>(i < count ? kept.scores[i] : 0.0f);
      }
    });
    c.set_output(2, Tensor::Scalar<int32_t>(count));
  }
  return OkStatus();
}

Status ComputeByOverlaps(KernelContext& c) {
  const Tensor &overlaps = c.input(0), &scores = c.input(1);
  Suppression rule{.drops_nan = true};
  GK_ASSIGN_OR_RETURN(rule.most, CountOf(c.input(2)));
  GK_ASSIGN_OR_RETURN(rule.overlap, ScalarOf(c.input(3), "overlap_threshold"));
  GK_ASSIGN_OR_RETURN(rule.score, ScalarOf(c.input(4), "score_threshold"));
  if (overlaps.rank() != 2) {
    return InvalidArgument("overlaps must be 2-D{}",
                           overlaps.shape().DebugString());
  }
  const int64_t n = overlaps.dim(0);
  if (overlaps.dim(1) != n) {
    return InvalidArgument("overlaps must be square{}",
                           overlaps.shape().DebugString());
  }
  GK_RETURN_IF_ERROR(CheckScores(scores, n));
  const float* table = overlaps.data<float>();
  const Kept kept =
      KeepBoxes(scores.data<float>(), n, rule,
                [&](int64_t i, int64_t j) { return table[i * n + j]; });
  return SetIndices(c, kept, 0);
}

struct Detection {
  float score;
  int64_t box;  // of its picture
  int64_t type;
};

struct Combined {
  int64_t boxes, box_types, types;
  Suppression rule;
  int64_t most;  // of all types together
};

// The detections of one picture, the best first.
std::vector<Detection> Detect(const Combined& d, const float* corners,
                              const float* scores) {
  std::vector<Detection> found;
  std::vector<float> of_type(d.boxes);
  std::vector<BoxSides> sides;
  for (int64_t type = 0; type < d.types; ++type) {
    for (int64_t i = 0; i < d.boxes; ++i) {
      of_type[i] = scores[i * d.types + type];
    }
    if (type == 0 || d.box_types > 1) {
      sides = SidesOf(corners + type * 4, d.boxes, d.box_types * 4);
    }
    const Kept kept = KeepBoxes(
        of_type.data(), d.boxes, d.rule,
        [&](int64_t i, int64_t j) { return Overlap(sides[i], sides[j]); });
    for (size_t i = 0; i < kept.boxes.size(); ++i) {
      found.push_back({kept.scores[i], kept.boxes[i], type});
    }
  }
  const auto before = [](const Detection& a, const Detection& b) {
    return a.score > b.score;
  };
  std::stable_sort(found.begin(), found.end(), before);
  if (static_cast<int64_t>(found.size()) > d.most) found.resize(d.most);
  return found;
}

Status ReadCombined(const KernelContext& c, Combined* d) {
  const Tensor &boxes = c.input(0), &scores = c.input(1);
  if (boxes.rank() < 1 || scores.rank() < 1 || boxes.dim(0) != scores.dim(0)) {
    return InvalidArgument("boxes and scores must have same batch size");
  }
  if (!c.input(2).shape().IsScalar()) {
    return InvalidArgument("max_size_per_class must be 0-D, got shape {}",
                           c.input(2).shape().DebugString());
  }
  d->rule.most = c.input(2).scalar<int32_t>();
  if (d->rule.most <= 0) {
    return InvalidArgument("max_size_per_class must be positive");
  }
  if (!c.input(3).shape().IsScalar()) {
    return InvalidArgument("max_total_size must be 0-D, got shape {}",
                           c.input(3).shape().DebugString());
  }
  d->most = c.input(3).scalar<int32_t>();
  if (d->most <= 0) return InvalidArgument("max_total_size must be > 0");
  GK_ASSIGN_OR_RETURN(d->rule.overlap, ScalarOf(c.input(4), "iou_threshold"));
  GK_ASSIGN_OR_RETURN(d->rule.score, ScalarOf(c.input(5), "score_threshold"));
  GK_RETURN_IF_ERROR(CheckUnit(d->rule.overlap));
  if (boxes.rank() != 4) {
    return InvalidArgument("boxes must be 4-D{}", boxes.shape().DebugString());
  }
  if (scores.rank() != 3) {
    return InvalidArgument("scores must be 3-D{}",
                           scores.shape().DebugString());
  }
  d->boxes = boxes.dim(1);
  d->box_types = boxes.dim(2);
  d->types = scores.dim(2);
  if (boxes.dim(3) != 4) return InvalidArgument("boxes must have 4 columns");
  if (d->box_types != 1 && d->box_types != d->types) {
    return InvalidArgument(
        "third dimension of boxes must be either 1 or num classes");
  }
  if (scores.dim(1) != d->boxes) {
    return InvalidArgument("scores has incompatible shape");
  }
  return OkStatus();
}

Status ComputeCombined(KernelContext& c) {
  Combined d;
  GK_RETURN_IF_ERROR(ReadCombined(c, &d));
  const int64_t batch = c.input(0).dim(0);
  int64_t size = d.most;
  if (c.attr<bool>("pad_per_class")) {
    size = std::min(size, d.rule.most * d.types);
    d.most = size;
  }
  Tensor *boxes, *scores, *types, *counts;
  GK_ASSIGN_OR_RETURN(
      TensorShape wide,
      TensorShape::Make(std::array<int64_t, 3>{batch, size, 4}));
  const TensorShape flat({batch, size});
  GK_RETURN_IF_ERROR(c.Allocate(0, DataType::kFloat, wide, &boxes));
  GK_RETURN_IF_ERROR(c.Allocate(1, DataType::kFloat, flat, &scores));
  GK_RETURN_IF_ERROR(c.Allocate(2, DataType::kFloat, flat, &types));
  GK_RETURN_IF_ERROR(
      c.Allocate(3, DataType::kInt32, TensorShape({batch}), &counts));
  for (Tensor* t : {boxes, scores, types}) ZeroElements(t);
  const bool clips = c.attr<bool>("clip_boxes");
  const int64_t box_floats = d.boxes * d.box_types * 4;
  const int64_t cost = d.boxes * d.types * 50;
  ThreadPool::Global().ParallelRange(
      batch, cost, [&](int64_t begin, int64_t end) {
        for (int64_t b = begin; b < end; ++b) {
          const float* corners = c.input(0).data<float>() + b * box_floats;
          const std::vector<Detection> found = Detect(
              d, corners, c.input(1).data<float>() + b * d.boxes * d.types);
          counts->data<int32_t>()[b] = found.size();
          for (size_t i = 0; i < found.size(); ++i) {
            const Detection& f = found[i];
            const int64_t at = b * size + static_cast<int64_t>(i);
            const int64_t which = d.box_types > 1 ? f.type : 0;
            const float* box = corners + (f.box * d.box_types + which) * 4;
            for (int k = 0; k < 4; ++k) {
              boxes->data<float>()[at * 4 + k] =
                  clips ? std::max(std::min(box[k], 1.0f), 0.0f) : box[k];
            }
            scores->data<float>()[at] = f.score;
            types->data<float>()[at] = static_cast<float>(f.type);
          }
        }
      });
  return OkStatus();
}

// Boxes and scores of one picture; how many are kept only a run knows, unless
// the result is padded.
Status SuppressionShape(InferenceContext& c) {
  PartialTensorShape boxes, scores, scalar;
  GK_RETURN_IF_ERROR(c.WithRank(0, 2, &boxes));
  GK_RETURN_IF_ERROR(c.WithRank(1, 1, &scores));
  for (int i = 2; i < c.num_inputs(); ++i) {
    GK_RETURN_IF_ERROR(c.WithRank(i, 0, &scalar));
  }
  int64_t n, four;
  GK_RETURN_IF_ERROR(
      InferenceContext::MergeDims(boxes.dim(0), scores.dim(0), &n));
  GK_RETURN_IF_ERROR(InferenceContext::MergeDims(boxes.dim(1), 4, &four));
  int64_t size = kUnknownDim;
  if (c.attr<bool>("pad_to_max_output_size")) {
    const auto most = c.ValueAsInts(2);
    if (most && !most->empty() && (*most)[0] >= 0) size = (*most)[0];
  }
  c.set_output(0, {size});
  const int last = c.num_outputs() - 1;
  if (last == 2) c.set_output(1, {size});
  if (last > 0) c.set_output(last, PartialTensorShape(TensorShape()));
  return OkStatus();
}

Status OverlapsShape(InferenceContext& c) {
  PartialTensorShape overlaps, scores, scalar;
  GK_RETURN_IF_ERROR(c.WithRank(0, 2, &overlaps));
  GK_RETURN_IF_ERROR(c.WithRank(1, 1, &scores));
  for (int i = 2; i < 5; ++i) GK_RETURN_IF_ERROR(c.WithRank(i, 0, &scalar));
  int64_t n;
  GK_RETURN_IF_ERROR(
      InferenceContext::MergeDims(overlaps.dim(0), scores.dim(0), &n));
  GK_RETURN_IF_ERROR(
      InferenceContext::MergeDims(overlaps.dim(0), overlaps.dim(1), &n));
  c.set_output(0, {kUnknownDim});
  return OkStatus();
}

Status CombinedShape(InferenceContext& c) {
  PartialTensorShape boxes, scores, scalar;
  GK_RETURN_IF_ERROR(c.WithRank(0, 4, &boxes));
  GK_RETURN_IF_ERROR(c.WithRank(1, 3, &scores));
  for (int i = 2; i < 6; ++i) GK_RETURN_IF_ERROR(c.WithRank(i, 0, &scalar));
  int64_t n, four, batch;
  GK_RETURN_IF_ERROR(
      InferenceContext::MergeDims(boxes.dim(1), scores.dim(1), &n));
  GK_RETURN_IF_ERROR(InferenceContext::MergeDims(boxes.dim(3), 4, &four));
  GK_RETURN_IF_ERROR(
      InferenceContext::MergeDims(boxes.dim(0), scores.dim(0), &batch));
  int64_t size = kUnknownDim;
  const auto total = c.ValueAsInts(3), each = c.ValueAsInts(2);
  if (total && !total->empty() && (*total)[0] > 0) {
    size = (*total)[0];
    if (c.attr<bool>("pad_per_class")) {
      const bool known =
          each && !each->empty() && (*each)[0] > 0 && scores.dim(2) >= 0;
      size = known ? std::min(size, (*each)[0] * scores.dim(2)) : kUnknownDim;
    }
  }
  c.set_output(0, {batch, size, 4});
  c.set_output(1, {batch, size});
  c.set_output(2, {batch, size});
  c.set_output(3, {batch});
  return OkStatus();
}

#define SCORED "boxes: T; scores: T; max_output_size: int32; "
#define SCORED_TYPE "T: type in [half, float] = float"
#define THRESHOLD_TYPE "; T_threshold: type in [half, float] = float"
#define KEPT "selected_indices: int32"
#define PADS "; pad_to_max_output_size: bool = False"

const OpRecord kRecords[] = {
    {.name = "NonMaxSuppression",
     .inputs = "boxes: float; scores: float; max_output_size: int32",
     .outputs = KEPT,
     .attrs = "iou_threshold: float = 0.5",
     .traits = kNoGradient,
     .shape = SuppressionShape,
     .kernel = {.compute = ComputeSuppression<Version::kOne>},
     .doc = "The boxes of the highest scores, without those that overlap one "
            "of them by more than `iou_threshold`."},

    {.name = "NonMaxSuppressionV2",
     .inputs = SCORED "iou_threshold: T_threshold",
     .outputs = KEPT,
     .attrs = SCORED_TYPE THRESHOLD_TYPE,
     .traits = kNoGradient,
     .shape = SuppressionShape,
     .kernel = {.compute = ComputeSuppression<Version::kTwo>},
     .doc = "The boxes of the highest scores, without those that overlap one "
            "of them by more than `iou_threshold`."},

    {.name = "NonMaxSuppressionV3",
     .inputs = SCORED "iou_threshold: T_threshold; score_threshold: "
                      "T_threshold",
     .outputs = KEPT,
     .attrs = SCORED_TYPE THRESHOLD_TYPE,
     .traits = kNoGradient,
     .shape = SuppressionShape,
     .kernel = {.compute = ComputeSuppression<Version::kThree>},
     .doc = "The boxes of the highest scores above `score_threshold`, without "
            "those that overlap one of them by more than `iou_threshold`."},

    {.name = "NonMaxSuppressionV4",
     .inputs = SCORED "iou_threshold: T_threshold; score_threshold: "
                      "T_threshold",
     .outputs = KEPT "; valid_outputs: int32",
     .attrs = SCORED_TYPE THRESHOLD_TYPE PADS,
     .traits = kNoGradient,
     .shape = SuppressionShape,
     .kernel = {.compute = ComputeSuppression<Version::kFour>},
     .doc = "The boxes that NonMaxSuppressionV3 keeps, and how many they are; "
            "zeros may follow up to `max_output_size`."},

    {.name = "NonMaxSuppressionV5",
     .inputs = SCORED "iou_threshold: T; score_threshold: T; soft_nms_sigma: "
                      "T",
     .outputs = KEPT "; selected_scores: T; valid_outputs: int32",
     .attrs = SCORED_TYPE PADS,
     .traits = kNoGradient,
     .shape = SuppressionShape,
     .kernel = {.compute = ComputeSuppression<Version::kFive>},
     .doc = "The boxes that NonMaxSuppressionV3 keeps, their scores and how "
            "many they are; where `soft_nms_sigma` is positive, boxes lose "
            "score by exp(-overlap^2 / (2 sigma)) instead of being dropped."},

    {.name = "NonMaxSuppressionWithOverlaps",
     .inputs = "overlaps: float; scores: float; max_output_size: int32; "
               "overlap_threshold: float; score_threshold: float",
     .outputs = KEPT,
     .attrs = "",
     .traits = kNoGradient,
     .shape = OverlapsShape,
     .kernel = {.compute = ComputeByOverlaps},
     .doc = "The boxes of the highest scores above `score_threshold`, without "
            "those whose entry of `overlaps` with one of them is above "
            "`overlap_threshold`."},

    {.name = "CombinedNonMaxSuppression",
     .inputs = "boxes: float; scores: float; max_output_size_per_class: int32; "
               "max_total_size: int32; iou_threshold: float; score_threshold: "
               "float",
     .outputs = "nmsed_boxes: float; nmsed_scores: float; nmsed_classes: "
                "float; valid_detections: int32",
     .attrs = "pad_per_class: bool = False; clip_boxes: bool = True",
     .traits = kNoGradient,
     .shape = CombinedShape,
     .kernel = {.compute = ComputeCombined},
     .doc = "Of each picture of a batch the boxes of the highest scores of all "
            "classes, after suppression within each class; then zeros."},
};

}  // namespace

GK_REGISTER_OPS(image_suppression)

}  // namespace gk
