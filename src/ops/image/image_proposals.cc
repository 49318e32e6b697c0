// Boxes where something may be, from scores and shifts of anchors.
#include "ops/fn/image_proposals.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "base/thread_pool.h"
#include "framework/op_registry.h"
#include "kernels/sort.h"

namespace gk {
namespace {

constexpr int kMost = std::numeric_limits<int32_t>::max();

Status ProposalsShape(InferenceContext& c) {
  PartialTensorShape scores, other;
  GK_RETURN_IF_ERROR(c.WithRank(0, 4, &scores));
  GK_RETURN_IF_ERROR(c.WithRank(1, 4, &other));
  GK_RETURN_IF_ERROR(c.WithRank(2, 2, &other));
  int64_t five;
  GK_RETURN_IF_ERROR(InferenceContext::MergeDims(other.dim(1), 5, &five));
  GK_RETURN_IF_ERROR(c.WithRank(3, 3, &other));
  for (int i = 4; i < 7; ++i) GK_RETURN_IF_ERROR(c.WithRank(i, 0, &other));
  const int64_t n = c.attr<int64_t>("post_nms_topn");
  if (n < 0) return InvalidArgument("post_nms_topn can't be 0 or less");
  c.set_output(0, {scores.dim(0), n, 4});
  c.set_output(1, {scores.dim(0), n});
  return OkStatus();
}

struct Box {
  float top, left, bottom, right;
  float area() const { return (bottom - top) * (right - left); }
};

// Over how much of both together both are.
bool Overlap(const Box& a, const Box& b, float threshold) {
  const float height = std::min(a.bottom, b.bottom) - std::max(a.top, b.top);
  const float width = std::min(a.right, b.right) - std::max(a.left, b.left);
  const float both = std::max(height, 0.0f) * std::max(width, 0.0f);
  return both > threshold * (a.area() + b.area() - both);
}

// An anchor moved by parts of its size and grown, within a picture.
Box Moved(const float* anchor, const float* shift, float height, float width) {
  // No box grows beyond what a picture of 1000 is to a step of 16.
  const float most = static_cast<float>(std::log(1000.0 / 16));
  const auto side = [&](float from, float to, float by, float growth, float end,
                        float* first, float* last) {
    const float length = to - from;
    const float center = from + 0.5f * length + length * by;
    const float grown = length * std::exp(std::min(growth, most));
    *first = std::max(std::min(center - 0.5f * grown, end), 0.0f);
    *last = std::max(std::min(center + 0.5f * grown, end), 0.0f);
  };
  Box box;
  side(anchor[0], anchor[2], shift[0], shift[2], height, &box.top, &box.bottom);
  side(anchor[1], anchor[3], shift[1], shift[3], width, &box.left, &box.right);
  return box;
}

struct Limits {
  float overlap, min_size;
  int64_t before, after;
};

// Of one picture with `n` anchors: boxes and scores of the best.
void Propose(const Limits& limits, int64_t n, const float* scores,
             const float* shifts, const float* picture, const float* anchors,
             float* boxes, float* chances) {
  std::vector<int32_t> order(n);
  ArgsortRow(scores, n, true, order.data());
  std::vector<Box> kept;
  for (int64_t i = 0; i < std::min(n, limits.before); ++i) {
    if (static_cast<int64_t>(kept.size()) == limits.after) break;
    const int64_t at = order[i];
    const Box box =
        Moved(anchors + 4 * at, shifts + 4 * at, picture[0], picture[1]);
    const float least = limits.min_size * picture[2];
    if (!(std::min(box.right - box.left, box.bottom - box.top) >= least)) {
      continue;
    }
    if (std::any_of(kept.begin(), kept.end(), [&](const Box& other) {
          return Overlap(box, other, limits.overlap);
        })) {
      continue;
    }
    const size_t number = kept.size();
    const float sides[] = {box.top, box.left, box.bottom, box.right};
    std::copy(sides, sides + 4, boxes + 4 * number);
    chances[number] = scores[at];
    kept.push_back(box);
  }
}

Status CheckProposals(KernelContext& c, Limits* limits) {
  const Tensor &scores = c.input(0), &shifts = c.input(1),
               &pictures = c.input(2), &anchors = c.input(3);
  const int ranks[] = {4, 4, 2, 3, 0, 0, 0};
  for (int i = 0; i < 7; ++i) {
    if (c.input(i).rank() != ranks[i]) {
      return InvalidArgument("Input {} must be of rank {} but has shape {}", i,
                             ranks[i], c.input(i).shape().DebugString());
    }
  }
  const int64_t images = scores.dim(0), height = scores.dim(1),
                width = scores.dim(2), count = scores.dim(3);
  const auto fits = [](const Tensor& t, const TensorShape& shape) {
    return t.shape() == shape;
  };
  if (anchors.dim(2) != 4 * count) {
    return OutOfRange("Box dimensions need to be 4");
  }
  if (!fits(shifts, TensorShape({images, height, width, 4 * count})) ||
      !fits(anchors, TensorShape({height, width, 4 * count})) ||
      !fits(pictures, TensorShape({images, 5}))) {
    return InvalidArgument(
        "bbox_deltas {}, image_info {} and anchors {} do not fit scores {}",
        shifts.shape().DebugString(), pictures.shape().DebugString(),
        anchors.shape().DebugString(), scores.shape().DebugString());
  }
  limits->overlap = c.input(4).scalar<float>();
  if (!(limits->overlap >= 0 && limits->overlap <= 1)) {
    return InvalidArgument("nms_threshold should be between 0 and 1. Got {}",
                           limits->overlap);
  }
  limits->before = c.input(5).scalar<int32_t>();
  if (limits->before <= 0) {
    return InvalidArgument("pre_nms_topn should be greater than 0, got {}",
                           limits->before);
  }
  limits->min_size = c.input(6).scalar<float>();
  limits->after = c.attr<int64_t>("post_nms_topn");
  if (limits->after <= 0) {
    return InvalidArgument("post_nms_topn can't be 0 or less");
  }
  if (height * width * count > kMost) {
    return InvalidArgument("{} anchors are too many", height * width * count);
  }
  return OkStatus();
}

Status ComputeProposals(KernelContext& c) {
  Limits limits;
  GK_RETURN_IF_ERROR(CheckProposals(c, &limits));
  const Tensor& scores = c.input(0);
  const int64_t images = scores.dim(0);
  GK_ASSIGN_OR_RETURN(
      const TensorShape shape,
      TensorShape::Make(std::array{images, limits.after, int64_t{4}}));
  GK_ASSIGN_OR_RETURN(const TensorShape flat,
                      TensorShape::Make(std::array{images, limits.after}));
  Tensor *boxes, *chances;
  GK_RETURN_IF_ERROR(c.Allocate(0, DataType::kFloat, shape, &boxes));
  GK_RETURN_IF_ERROR(c.Allocate(1, DataType::kFloat, flat, &chances));
  std::fill_n(boxes->data<float>(), shape.num_elements(), 0.0f);
  std::fill_n(chances->data<float>(), flat.num_elements(), 0.0f);
  if (images == 0) return OkStatus();
  const int64_t n = scores.num_elements() / images;
  ThreadPool::Global().ParallelRange(
      images, 100 * n + 1, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) {
          Propose(limits, n, scores.data<float>() + i * n,
                  c.input(1).data<float>() + i * 4 * n,
                  c.input(2).data<float>() + i * 5, c.input(3).data<float>(),
                  boxes->data<float>() + i * 4 * limits.after,
                  chances->data<float>() + i * limits.after);
        }
      });
  return OkStatus();
}

const OpRecord kRecords[] = {
    {.name = "GenerateBoundingBoxProposals",
     .inputs = "scores: float; bbox_deltas: float; image_info: float; anchors: "
               "float; nms_threshold: float; pre_nms_topn: int32; min_size: "
               "float",
     .outputs = "rois: float; roi_probabilities: float",
     .attrs = "post_nms_topn: int = 300",
     .traits = kNoGradient,
     .shape = ProposalsShape,
     .kernel = {.compute = ComputeProposals},
     .doc = "Boxes [y1, x1, y2, x2] where something may be, the likeliest "
            "first, and their scores, from scores and shifts of anchors; zeros "
            "fill up."},
};

}  // namespace

GK_REGISTER_OPS(image_proposals)

}  // namespace gk
