// What tf.summary makes of values before it writes them: the tensors that
// TensorBoard's pages for numbers, texts, histograms and pictures read.
#include "ops/composition/picture.h"
#include "ops/fn/AddV2.h"
#include "ops/fn/AsString.h"
#include "ops/fn/Cast.h"
#include "ops/fn/ConcatV2.h"
#include "ops/fn/EncodePng.h"
#include "ops/fn/Equal.h"
#include "ops/fn/Fill.h"
#include "ops/fn/Floor.h"
#include "ops/fn/GatherV2.h"
#include "ops/fn/Max.h"
#include "ops/fn/Maximum.h"
#include "ops/fn/Min.h"
#include "ops/fn/Minimum.h"
#include "ops/fn/Pack.h"
#include "ops/fn/Range.h"
#include "ops/fn/RealDiv.h"
#include "ops/fn/Reshape.h"
#include "ops/fn/SelectV2.h"
#include "ops/fn/Shape.h"
#include "ops/fn/Size.h"
#include "ops/fn/StridedSlice.h"
#include "ops/fn/Sub.h"
#include "ops/fn/UnsortedSegmentSum.h"
#include "ops/fn/ZerosLike.h"

namespace gk {
namespace {

Tensor SummaryInts(std::vector<int64_t> values) {
  return IntsTensor(values, DataType::kInt32);
}

TensorVector SummaryNumber(CompositionCall& c) {
  CallComposition("debugging.assert_scalar", {c.tensor(0)});
  return {ops::Cast(c.tensor(0), DataType::kFloat)};
}

TensorVector SummaryText(CompositionCall& c) {
  CallComposition("debugging.assert_type", {c.tensor(0), DataType::kString});
  return {c.tensor(0)};
}

// So many buckets of equal width between the least and the greatest number,
// each [left end, right end, count]. If all numbers are equal the last bucket
// has them, if there are none all is 0. Without branches: what does not hold
// gives numbers that are not chosen.
TensorVector SummaryBuckets(CompositionCall& c) {
  constexpr DataType kDouble = DataType::kDouble;
  CallComposition("debugging.assert_scalar", {c.tensor(1)});
  CallComposition("debugging.assert_type", {c.tensor(1), DataType::kInt32});
  const Tensor one = Int32Of(1), zero = NumberOf(0, kDouble);
  const Tensor count = ops::Maximum(Int32Of(0), c.tensor(1));
  const Tensor last = ops::Sub(count, one);
  const Tensor data =
      ops::Cast(ops::Reshape(c.tensor(0), SummaryInts({-1})), kDouble);
  const Tensor n = ops::Size(data);
  const Tensor least = ops::Min(data, SummaryInts({0}));
  const Tensor greatest = ops::Max(data, SummaryInts({0}));
  const Tensor range = ops::Sub(greatest, least);

  const Tensor width = ops::RealDiv(range, ops::Cast(count, kDouble));
  const Tensor places = ops::Cast(
      ops::Floor(ops::RealDiv(ops::Sub(data, least), width)), DataType::kInt32);
  const Tensor spread =
      ops::UnsortedSegmentSum(ops::Fill(ops::Shape(data), NumberOf(1, kDouble)),
                              ops::Minimum(places, last), count);
  const Tensor at_end =
      ops::SelectV2(ops::Equal(ops::Range(Int32Of(0), count, one), last),
                    ops::Cast(n, kDouble), zero);
  const Tensor counts = ops::SelectV2(ops::Equal(range, zero), at_end, spread);

  const Tensor ends =
      CallComposition("linspace", {least, greatest, ops::AddV2(count, one)})[0];
  const Tensor left = ops::StridedSlice(ends, SummaryInts({0}),
                                        SummaryInts({-1}), SummaryInts({1}), 1);
  const Tensor right = ops::StridedSlice(
      ends, SummaryInts({1}), SummaryInts({0}), SummaryInts({1}), 0, 1);
  const Tensor buckets = ops::Pack(TensorVector{left, right, counts}, 1);
  return {ops::SelectV2(ops::Equal(n, Int32Of(0)), zero, buckets)};
}

// Width and height as text, and the bytes of PNG files.
TensorVector SummaryPictures(CompositionCall& c) {
  const Tensor& data = c.tensor(0);
  const Tensor& most = c.tensor(1);
  CallComposition("debugging.assert_rank", {data, Int32Of(4)});
  CallComposition("debugging.assert_non_negative", {most});
  const Tensor images = ConvertPicture(data, DataType::kUint8, true);
  const Tensor first = ops::StridedSlice(images, SummaryInts({0}),
                                         ops::Reshape(most, SummaryInts({1})),
                                         SummaryInts({1}), 1);
  const Tensor sizes =
      ops::GatherV2(ops::Shape(images), SummaryInts({2, 1}), Int32Of(0));
  return {ops::ConcatV2(
      TensorVector{ops::AsString(sizes), ops::EncodePng(first)}, Int32Of(0))};
}

const CompositionRecord kRecords[] = {
    {.names = "_summary.scalar",
     .args = "data: tensor",
     .build = SummaryNumber,
     .takes_name = false},
    {.names = "_summary.text",
     .args = "data: tensor",
     .build = SummaryText,
     .takes_name = false},
    {.names = "_summary.histogram",
     .args = "data: tensor; buckets: tensor(int32) = 30",
     .build = SummaryBuckets,
     .takes_name = false},
    {.names = "_summary.image",
     .args = "data: tensor; max_outputs: tensor(int32) = 3",
     .build = SummaryPictures,
     .takes_name = false},
};

}  // namespace

GK_REGISTER_COMPOSITIONS(composition_summary)

}  // namespace gk
