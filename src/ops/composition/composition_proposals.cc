// Boxes where something may be.
#include "ops/composition.h"
#include "ops/with_attrs/GenerateBoundingBoxProposals.h"

namespace gk {
namespace {

TensorVector Proposals(CompositionCall& c) {
  AttrMap attrs{{"post_nms_topn", c.integer(7)}};
  return ops::GenerateBoundingBoxProposals(
      OpAttrs(std::move(attrs), c.name()), c.tensor(0), c.tensor(1),
      c.tensor(2), c.tensor(3),
      ArgumentAs(c, 4, DataType::kFloat, "nms_threshold"),
      ArgumentAs(c, 5, DataType::kInt32, "pre_nms_topn"),
      ArgumentAs(c, 6, DataType::kFloat, "min_size"));
}

const CompositionRecord kRecords[] = {
    {.names = "image.generate_bounding_box_proposals",
     .args = "scores: tensor; bbox_deltas: tensor; image_info: tensor; "
             "anchors: tensor; nms_threshold: native = 0.7; "
             "pre_nms_topn: native = 6000; min_size: native = 16; "
             "post_nms_topn: int = 300",
     .scope = "GenerateBoundingBoxProposals",
     .wraps_op = true,
     .build = Proposals,
     .result = "GenerateBoundingBoxProposals: rois, roi_probabilities",
     .doc = "Boxes [y1, x1, y2, x2] where something may be, the likeliest "
            "first, and their scores; zeros fill up.\n\nArgs:\n  scores: "
            "[images, height, width, anchors].\n  bbox_deltas: [images, "
            "height, width, 4 * anchors]: how each anchor moves, in\n    parts "
            "of its size, and the logarithms of its growth: [dy, dx, dh, dw]."
            "\n  image_info: [images, 5]: height, width and scale of each "
            "picture.\n  anchors: [height, width, 4 * anchors], boxes.\n  "
            "nms_threshold: boxes that overlap a better one by more are "
            "dropped.\n  pre_nms_topn: how many of the best are looked at.\n  "
            "min_size: of a box's sides, times the picture's scale.\n  "
            "post_nms_topn: how many boxes come out.",
     .example = ">>> boxes, _ = tf.image.generate_bounding_box_proposals(\n"
                "...     [[[[0.9]]]], tf.zeros([1, 1, 1, 4]), [[40., 40., 1., "
                "0., 0.]],\n...     [[[4., 4., 24., 24.]]], post_nms_topn=1)\n"
                ">>> boxes.numpy().tolist()\n[[[4.0, 4.0, 24.0, 24.0]]]"},
};

}  // namespace

GK_REGISTER_COMPOSITIONS(composition_proposals)

}  // namespace gk
