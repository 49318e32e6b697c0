// tf.image: boxes in pictures, and glimpses of them.
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "ops/composition.h"
#include "ops/element_moves.h"
#include "ops/fn/CombinedNonMaxSuppression.h"
#include "ops/fn/DrawBoundingBoxes.h"
#include "ops/fn/DrawBoundingBoxesV2.h"
#include "ops/fn/NonMaxSuppressionV3.h"
#include "ops/fn/NonMaxSuppressionV5.h"
#include "ops/fn/NonMaxSuppressionWithOverlaps.h"
#include "ops/random/random_seeds.h"
#include "ops/with_attrs/ExtractGlimpseV2.h"
#include "ops/with_attrs/SampleDistortedBoundingBoxV2.h"
#include "ops/with_attrs/StatelessSampleDistortedBoundingBox.h"

namespace gk {
namespace {

// A number as float32, a tensor as it is.
Tensor Threshold(const CompositionCall& c, int i) {
  if (const Tensor* t = c.get<Tensor>(i)) return *t;
  return ArgumentAs(c, i, DataType::kFloat, "threshold");
}

TensorVector Suppress(CompositionCall& c) {
  const Tensor overlap = Threshold(c, 3);
  return {ops::NonMaxSuppressionV3(c.tensor(0), c.tensor(1), c.tensor(2),
                                   overlap, Threshold(c, 4))};
}

TensorVector SuppressSoftly(CompositionCall& c) {
  const Tensor overlap = Threshold(c, 3), score = Threshold(c, 4);
  TensorVector made = ops::NonMaxSuppressionV5(
      c.tensor(0), c.tensor(1), c.tensor(2), overlap, score, Threshold(c, 5));
  made.pop_back();
  return made;
}

TensorVector SuppressOverlaps(CompositionCall& c) {
  const Tensor overlap = Threshold(c, 3);
  return {ops::NonMaxSuppressionWithOverlaps(
      c.tensor(0), c.tensor(1), c.tensor(2), overlap, Threshold(c, 4))};
}

TensorVector SuppressCombined(CompositionCall& c) {
  const Tensor overlap = ArgumentAs(c, 4, DataType::kFloat, "iou_threshold");
  const Tensor score = ArgumentAs(c, 5, DataType::kFloat, "score_threshold");
  return ops::CombinedNonMaxSuppression(c.tensor(0), c.tensor(1), c.tensor(2),
                                        c.tensor(3), overlap, score, c.flag(6),
                                        c.flag(7));
}

TensorVector DrawBoxes(CompositionCall& c) {
  const OpName name(c.name());
  if (!c.has(2))
    return {ops::DrawBoundingBoxes(name, c.tensor(0), c.tensor(1))};
  return {
      ops::DrawBoundingBoxesV2(name, c.tensor(0), c.tensor(1), c.tensor(2))};
}

TensorVector Glimpse(CompositionCall& c) {
  AttrMap attrs;
  attrs.Set("centered", c.flag(3));
  attrs.Set("normalized", c.flag(4));
  attrs.Set("noise", c.text(5));
  attrs.Set("uniform_noise", false);
  return {ops::ExtractGlimpseV2(OpAttrs(std::move(attrs), c.name()),
                                c.tensor(0), c.tensor(1), c.tensor(2))};
}

// Ranges, attempts and what to do without boxes are arguments from `first`.
AttrMap SampleAttrs(const CompositionCall& c, int first) {
  AttrMap attrs;
  const auto range = [&](int i, const char* name) {
    if (!c.has(i)) return;
    const Tensor known = c.known(i);
    if (!known || known.dtype() != DataType::kFloat) {
      throw Error(TypeError("{} must be a list of numbers", name));
    }
    attrs.Set(name, std::vector<float>(known.flat<float>().begin(),
                                       known.flat<float>().end()));
  };
  range(first, "aspect_ratio_range");
  range(first + 1, "area_range");
  if (c.has(first + 2)) attrs.Set("max_attempts", c.integer(first + 2));
  if (c.has(first + 3)) {
    attrs.Set("use_image_if_no_bounding_boxes", c.flag(first + 3));
  }
  return attrs;
}

TensorVector SampleBox(CompositionCall& c) {
  AttrMap attrs = SampleAttrs(c, 4);
  const int64_t seed = c.has(2) ? c.integer(2) : 0;
  if (seed != 0) {
    const OpSeeds seeds = SeedsOfOp(seed);
    attrs.Set("seed", seeds.seed);
    attrs.Set("seed2", seeds.seed2);
  } else if (RequiresSeeds()) {
    throw Error(ValueError(
        "tf.image.sample_distorted_bounding_box needs a seed other than 0 "
        "where results must repeat, got seed={}",
        seed));
  }
  return ops::SampleDistortedBoundingBoxV2(
      OpAttrs(std::move(attrs), c.name()), c.tensor(0), c.tensor(1),
      ArgumentAs(c, 3, DataType::kFloat, "min_object_covered"));
}

TensorVector SampleBoxBySeed(CompositionCall& c) {
  return ops::StatelessSampleDistortedBoundingBox(
      OpAttrs(SampleAttrs(c, 4), c.name()), c.tensor(0), c.tensor(1),
      ArgumentAs(c, 3, DataType::kFloat, "min_object_covered"), c.tensor(2));
}

#define SCORED_BOXES \
  "boxes: tensor(T); scores: tensor(T); max_output_size: tensor(int32)"
#define THRESHOLDS                                            \
  "; iou_threshold: native = 0.5; score_threshold: native = " \
  "-1.0e999"
#define SAMPLE_RANGES                                                      \
  "min_object_covered: native = 0.1; aspect_ratio_range: tensor(float32) " \
  "= None; area_range: tensor(float32) = None; max_attempts: int = None; " \
  "use_image_if_no_bounding_boxes: bool = None"
#define SUPPRESSION_ARGS_DOC                                               \
  "\n\nArgs:\n  boxes: [n, 4], two opposite corners y1, x1, y2, x2.\n  "   \
  "scores: [n].\n  max_output_size: how many are kept at most.\n  "        \
  "iou_threshold: what overlaps more, as intersection over union, is too " \
  "much.\n  score_threshold: what has no greater score is left out."
#define SAMPLE_ARGS_DOC                                                       \
  "\n\nArgs:\n  image_size: height, width and channels.\n  bounding_boxes: "  \
  "[batch, n, 4], y1, x1, y2, x2 of [0, 1].\n  min_object_covered: how much " \
  "of one of the boxes it shows at least.\n  aspect_ratio_range, "            \
  "area_range: limits of width / height and of its part of the picture.\n  "  \
  "max_attempts: after so many it is the whole picture.\n\nReturns begin "    \
  "and size, as tf.slice takes them, and the part as a box [1, 1, 4]."

const CompositionRecord kRecords[] = {
    {.names = "image.non_max_suppression",
     .args = SCORED_BOXES THRESHOLDS,
     .scope = "non_max_suppression",
     .build = Suppress,
     .doc = "The numbers of the boxes of the highest scores, without those "
            "that overlap one before too much." SUPPRESSION_ARGS_DOC,
     .example = ">>> boxes = [[0., 0., 1., 1.], [0., 0., 1., 0.9], [0., 2., "
                "1., 3.]]\n>>> tf.image.non_max_suppression(boxes, [0.5, 0.9, "
                "0.7], 3).numpy().tolist()\n[1, 2]"},
    {.names = "image.non_max_suppression_with_scores",
     .args = SCORED_BOXES THRESHOLDS "; soft_nms_sigma: native = 0.0",
     .scope = "non_max_suppression_with_scores",
     .build = SuppressSoftly,
     .result = "tuple",
     .doc = "The numbers of the boxes of the highest scores and their scores; "
            "where `soft_nms_sigma` is positive, boxes that overlap others "
            "lose score instead of being dropped." SUPPRESSION_ARGS_DOC,
     .example = ">>> boxes = [[0., 0., 1., 1.], [0., 2., 1., 3.]]\n>>> i, s = "
                "tf.image.non_max_suppression_with_scores(\n...     boxes, "
                "[0.5, 0.75], 2)\n>>> s.numpy().tolist()\n[0.75, 0.5]"},
    {.names = "image.non_max_suppression_overlaps",
     .args = "overlaps: tensor; scores: tensor; max_output_size: "
             "tensor(int32); overlap_threshold: native = 0.5; score_threshold: "
             "native = -1.0e999",
     .scope = "non_max_suppression_overlaps",
     .build = SuppressOverlaps,
     .doc = "The numbers of the boxes of the highest scores, without those "
            "whose entry of `overlaps` [n, n] with one before is above "
            "`overlap_threshold`.",
     .example = ">>> tf.image.non_max_suppression_overlaps([[1., 0.9], [0.9, "
                "1.]], [0.5, 0.7], 2).numpy().tolist()\n[1]"},
    {.names = "image.combined_non_max_suppression",
     .args = "boxes: tensor; scores: tensor; max_output_size_per_class: "
             "tensor(int32); max_total_size: tensor(int32)" THRESHOLDS
             "; pad_per_class: bool = False; clip_boxes: bool = True",
     .scope = "combined_non_max_suppression",
     .build = SuppressCombined,
     .result = "CombinedNonMaxSuppression: nmsed_boxes, nmsed_scores, "
               "nmsed_classes, valid_detections",
     .doc = "The boxes of the highest scores of all classes, for each picture "
            "of a batch.\n\nArgs:\n  boxes: [batch, n, classes or 1, 4].\n  "
            "scores: [batch, n, classes].\n  max_output_size_per_class: how "
            "many each class keeps at most.\n  max_total_size: how many are "
            "given; what is missing is zero.\n  pad_per_class: gives no more "
            "than all classes can keep.\n  clip_boxes: to [0, 1].",
     .example = ">>> r = tf.image.combined_non_max_suppression(tf.ones([1, 2, "
                "1, 4]), [[[0.5], [0.7]]], 2, 2)\n>>> r.valid_detections"
                ".numpy().tolist()\n[2]"},
    {.names = "image.draw_bounding_boxes",
     .args = "images: tensor; boxes: tensor(float32); colors: "
             "tensor(float32)?",
     .scope = "DrawBoundingBoxesV2",
     .build = DrawBoxes,
     .doc = "Pictures [batch, height, width, channels] with the frames of "
            "boxes.\n\nArgs:\n  boxes: [batch, n, 4], y1, x1, y2, x2 as parts "
            "of the picture.\n  colors: [m, channels], taken one after the "
            "other; None has ten of its own.",
     .example = ">>> tf.image.draw_bounding_boxes(tf.zeros([1, 3, 3, 1]), [[["
                "0., 0., 1., 1.]]],\n...     [[1.]]).numpy().sum().item()\n"
                "8.0"},
    {.names = "image.extract_glimpse",
     .args = "input: tensor(float32); size: tensor(int32); offsets: "
             "tensor(float32); centered: bool = True; normalized: bool = True; "
             "noise: string = 'uniform'",
     .scope = "ExtractGlimpseV2",
     .build = Glimpse,
     .doc = "A window of each picture of a batch.\n\nArgs:\n  size: height and "
            "width.\n  offsets: [batch, 2], y and x, from the middle if "
            "`centered`, in [-1, 1] if `normalized`.\n  noise: what it shows "
            "of the outside: uniform, gaussian or zero.",
     .example = ">>> tf.image.extract_glimpse(tf.ones([1, 4, 4, 1]), [2, 2], "
                "[[0., 0.]]).shape\nTensorShape([1, 2, 2, 1])"},
    {.names = "image.sample_distorted_bounding_box",
     .args = "image_size: tensor(int32); bounding_boxes: tensor(float32); "
             "seed: int = 0; " SAMPLE_RANGES,
     .scope = "sample_distorted_bounding_box",
     .build = SampleBox,
     .result = "SampleDistortedBoundingBoxV2: begin, size, bboxes",
     .doc = "A part of a picture, drawn at random, that shows one of the "
            "boxes." SAMPLE_ARGS_DOC,
     .example = ">>> begin, size, box = "
                "tf.image.sample_distorted_bounding_box(\n...     [8, 8, 3], "
                "[[[0., 0., 1., 1.]]])\n>>> box.shape\nTensorShape([1, 1, 4])"},
    {.names = "image.stateless_sample_distorted_bounding_box",
     .args = "image_size: tensor(int32); bounding_boxes: tensor(float32); "
             "seed: tensor(int32); " SAMPLE_RANGES,
     .scope = "stateless_sample_distorted_bounding_box",
     .build = SampleBoxBySeed,
     .result = "StatelessSampleDistortedBoundingBox: begin, size, bboxes",
     .doc = "A part of a picture that shows one of the boxes, as the two "
            "integers of `seed` determine." SAMPLE_ARGS_DOC,
     .example = ">>> begin, size, box = "
                "tf.image.stateless_sample_distorted_bounding_box(\n...     "
                "[8, 8, 3], [[[0., 0., 1., 1.]]], [1, 2])\n>>> box.shape\n"
                "TensorShape([1, 1, 4])"},
};

}  // namespace

GK_REGISTER_COMPOSITIONS(composition_image_boxes)

}  // namespace gk
