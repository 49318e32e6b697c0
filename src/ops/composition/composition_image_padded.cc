// tf.image.non_max_suppression_padded: suppression in batches of pictures.
//
// What overlaps as much as the threshold is dropped, too, and boxes without a
// positive coordinate do not count; otherwise as non_max_suppression.
#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "ops/composition/picture.h"
#include "ops/element_moves.h"
#include "ops/fn/AddV2.h"
#include "ops/fn/Any.h"
#include "ops/fn/Cast.h"
#include "ops/fn/ConcatV2.h"
#include "ops/fn/Cumsum.h"
#include "ops/fn/Equal.h"
#include "ops/fn/ExpandDims.h"
#include "ops/fn/Fill.h"
#include "ops/fn/FloorDiv.h"
#include "ops/fn/GatherV2.h"
#include "ops/fn/Greater.h"
#include "ops/fn/Less.h"
#include "ops/fn/LessEqual.h"
#include "ops/fn/Maximum.h"
#include "ops/fn/Minimum.h"
#include "ops/fn/Mul.h"
#include "ops/fn/NextAfter.h"
#include "ops/fn/NonMaxSuppressionWithOverlaps.h"
#include "ops/fn/Pack.h"
#include "ops/fn/Range.h"
#include "ops/fn/RealDiv.h"
#include "ops/fn/Reshape.h"
#include "ops/fn/ScatterNd.h"
#include "ops/fn/SelectV2.h"
#include "ops/fn/Shape.h"
#include "ops/fn/Size.h"
#include "ops/fn/Slice.h"
#include "ops/fn/Split.h"
#include "ops/fn/Sub.h"
#include "ops/fn/UnsortedSegmentSum.h"
#include "ops/fn/Where.h"

namespace gk {
namespace {

using Ints = std::vector<int64_t>;

Tensor Scalar(const Tensor& vector) { return ops::Reshape(vector, Axes({})); }
Tensor AsVector(const Tensor& x) { return ops::Reshape(x, Axes({-1})); }

// Intersection over union of boxes [n, 4], each with each.
Tensor Overlaps(const Tensor& boxes) {
  using namespace ops;  // NOLINT: a formula
  const TensorVector sides = Split(Int32Of(1), boxes, 4);
  const Tensor row = Axes({1, -1});
  const auto across = [&](int i) { return Reshape(sides[i], row); };
  const auto length = [&](int low, int high) {
    return Sub(Minimum(sides[high], across(high)),
               Maximum(sides[low], across(low)));
  };
  const Tensor zero = NumberOf(0, DataType::kFloat);
  const Tensor common =
      Mul(Maximum(length(1, 3), zero), Maximum(length(0, 2), zero));
  const Tensor area = Mul(Sub(sides[2], sides[0]), Sub(sides[3], sides[1]));
  const Tensor both = AddV2(Sub(AddV2(area, Reshape(area, row)), common),
                            NumberOf(1e-8, DataType::kFloat));
  return RealDiv(common, both);
}

struct PaddedResult {
  Tensor places, counts;  // [batch, most], [batch]
};

// Of boxes [batch, n, 4] in the order of their scores: the places of those
// that are kept, then zeros. Boxes of different pictures do not overlap.
PaddedResult KeepPadded(const Tensor& boxes, const Tensor& n,
                        const Tensor& most, const Tensor& below) {
  using namespace ops;  // NOLINT: a formula
  const Tensor flat = Reshape(boxes, Axes({-1, 4}));
  const Tensor batch = Scalar(Slice(Shape(boxes), Axes({0}), Axes({1})));
  const Tensor all = Scalar(Slice(Shape(flat), Axes({0}), Axes({1})));
  Tensor overlaps = Overlaps(flat);
  const Tensor numbers = Range(Int32Of(0), all, Int32Of(1));
  if (boxes.partial_shape().dim(0) != 1) {
    const Tensor owner = FloorDiv(numbers, Maximum(n, Int32Of(1)));
    const Tensor same = Equal(ExpandDims(owner, Int32Of(1)), owner);
    overlaps = Mul(overlaps, Cast(same, DataType::kFloat));
  }
  const Tensor falling = Cast(Sub(all, numbers), DataType::kFloat);
  const Tensor kept = NonMaxSuppressionWithOverlaps(
      overlaps, falling, all, below,
      NumberOf(-std::numeric_limits<double>::infinity(), DataType::kFloat));
  const Tensor seen =
      Any(Greater(flat, NumberOf(0, DataType::kFloat)), Axes({1}));
  const Tensor axis = Int32Of(0);
  const Tensor chosen =
      GatherV2(kept, AsVector(Where(GatherV2(seen, kept, axis))), axis);
  // The number of each within its picture.
  const Tensor owner = FloorDiv(chosen, Maximum(n, Int32Of(1)));
  const Tensor size = Size(chosen);
  const Tensor counts = UnsortedSegmentSum(
      Fill(Reshape(size, Axes({1})), Int32Of(1)), owner, batch);
  const Tensor first = Cumsum(counts, axis, true);
  const Tensor rank =
      Sub(Range(Int32Of(0), size, Int32Of(1)), GatherV2(first, owner, axis));
  const Tensor fits = AsVector(Where(Less(rank, most)));
  const auto fitting = [&](const Tensor& x) { return GatherV2(x, fits, axis); };
  const Tensor places = ScatterNd(
      Pack(TensorVector{fitting(owner), fitting(rank)}, 1),
      fitting(Sub(chosen, Mul(owner, n))), Pack(TensorVector{batch, most}));
  return {places, Minimum(counts, most)};
}

// Corners as the first box of all has them: its smaller ones first.
Tensor Canonical(const Tensor& boxes) {
  using namespace ops;  // NOLINT: a formula
  const TensorVector sides = Split(Int32Of(2), boxes, 4);
  const auto first = [](const Tensor& side) {
    return Scalar(Slice(side, Axes({0, 0, 0}), Axes({1, 1, 1})));
  };
  TensorVector ordered(4);
  for (const int i : {0, 1}) {
    const Tensor holds = LessEqual(first(sides[i]), first(sides[i + 2]));
    ordered[i] = SelectV2(holds, sides[i], sides[i + 2]);
    ordered[i + 2] = SelectV2(holds, sides[i + 2], sides[i]);
  }
  return ConcatV2(ordered, Int32Of(2));
}

TensorVector SuppressPadded(CompositionCall& c) {
  using namespace ops;  // NOLINT: a formula
  Tensor boxes = c.tensor(0), scores = c.tensor(1);
  const PartialTensorShape s = boxes.partial_shape();
  const bool pads = c.flag(5);
  if (!pads && s.rank() > 2) {
    throw Error(ValueError(
        "'pad_to_max_output_size' (value False) must be True for batched "
        "input"));
  }
  const Tensor most = CastTo(c.tensor(2), DataType::kInt32);
  const Tensor overlap = ArgumentAs(c, 3, DataType::kFloat, "iou_threshold");
  const Tensor batch_sizes = FirstSizes(boxes, 2);
  const Tensor n = Scalar(Slice(LastSizes(boxes, 2), Axes({0}), Axes({1})));
  const Tensor dims = Reshape(n, Axes({1}));
  boxes = Reshape(
      boxes, ConcatV2(TensorVector{Axes({-1}), dims, Axes({4})}, Int32Of(0)));
  scores =
      Reshape(scores, ConcatV2(TensorVector{Axes({-1}), dims}, Int32Of(0)));
  const double* lowest = c.get<double>(4);
  if (lowest == nullptr ||
      *lowest != -std::numeric_limits<double>::infinity()) {
    const Tensor threshold =
        ArgumentAs(c, 4, scores.dtype(), "score_threshold");
    const Tensor mask = Cast(Greater(scores, threshold), scores.dtype());
    scores = Mul(scores, mask);
    boxes = Mul(boxes, ExpandDims(CastTo(mask, boxes.dtype()), Int32Of(2)));
  }
  if (!c.flag(8)) boxes = Canonical(boxes);
  Tensor order;
  if (!c.flag(7)) {
    order = CallComposition(
        "argsort", {scores, int64_t{1}, std::string("DESCENDING"), true})[0];
    boxes = GatherV2(boxes, order, Int32Of(1), 1);
  }
  const Tensor below = NextAfter(
      overlap,
      NumberOf(-std::numeric_limits<double>::infinity(), DataType::kFloat));
  const Tensor floats = CastTo(boxes, DataType::kFloat);
  PaddedResult made = KeepPadded(floats, n, most, below);
  Tensor places = made.places;
  if (order) {
    // Zeros behind the last stay zeros.
    const Tensor width = Scalar(Slice(Shape(places), Axes({1}), Axes({1})));
    const Tensor filled = Less(Range(Int32Of(0), width, Int32Of(1)),
                               ExpandDims(made.counts, Int32Of(1)));
    places =
        SelectV2(filled, GatherV2(order, places, Int32Of(1), 1), Int32Of(0));
  }
  const Tensor valid = Reshape(made.counts, batch_sizes);
  if (pads) {
    return {Reshape(places, ConcatV2(TensorVector{batch_sizes,
                                                  Reshape(most, Axes({1}))},
                                     Int32Of(0))),
            valid};
  }
  const Tensor row = Slice(places, Axes({0, 0}), Axes({1, -1}));
  return {Slice(AsVector(row), Axes({0}), Reshape(valid, Axes({1}))), valid};
}

const CompositionRecord kRecords[] = {
    {.names = "image.non_max_suppression_padded",
     .args = "boxes: tensor; scores: tensor; max_output_size: tensor(int32); "
             "iou_threshold: native = 0.5; score_threshold: native = "
             "-1.0e999; pad_to_max_output_size: bool = False; name: name = "
             "None; sorted_input: bool = False; canonicalized_coordinates: "
             "bool = False; tile_size: int = 512",
     .scope = "non_max_suppression_padded",
     .build = SuppressPadded,
     .result = "tuple",
     .doc = "The numbers of the boxes [..., n, 4] of the highest scores [..., "
            "n], without those that overlap one before too much, and how many "
            "they are.\n\nArgs:\n  pad_to_max_output_size: fills up with "
            "zeros, which batches need.\n  sorted_input: scores fall.\n  "
            "canonicalized_coordinates: boxes are y1, x1, y2, x2 with y1 <= "
            "y2 and x1 <= x2.\n  tile_size: changes nothing.",
     .example = ">>> boxes = [[0., 0., 1., 1.], [0., 0., 1., 0.9], [0., 2., "
                "1., 3.]]\n>>> i, n = tf.image.non_max_suppression_padded(\n"
                "...     boxes, [0.5, 0.9, 0.7], 4, "
                "pad_to_max_output_size=True)\n>>> i.numpy().tolist(), "
                "n.numpy().item()\n([1, 2, 0, 0], 2)"},
};

}  // namespace

GK_REGISTER_COMPOSITIONS(composition_image_padded)

}  // namespace gk
