// Rewritings of datasets, seen in what they are made of.
#include "ops/data/optimize_dataset.h"

#include "data/dataset_options.h"
#include "eager/op_outcomes_for_test.h"
#include "ops/fn/BatchDatasetV2.h"
#include "ops/fn/OptionsDataset.h"
#include "ops/fn/RangeDataset.h"
#include "ops/fn/RepeatDataset.h"
#include "ops/fn/SkipDataset.h"
#include "ops/fn/TakeDataset.h"
#include "ops/fn/ZipDataset.h"

namespace gk {
namespace {

const std::vector<DataType> kTypes{DataType::kInt64};
const std::vector<PartialTensorShape> kShapes{TensorShape()};

Tensor Number(int64_t n) { return Tensor::Scalar(n); }
Tensor Range() {
  InitEager();
  return ops::RangeDataset(Number(0), Number(5), Number(1), kTypes, kShapes);
}
Tensor Batched(const Tensor& d) {
  return ops::BatchDatasetV2(d, Number(2), Tensor::Scalar(false), kTypes,
                             {PartialTensorShape({-1})});
}

// With one of the rewritings said to be on or off.
std::string Text(const Tensor& d, const char* option, bool on) {
  DatasetOptions options;
  const Option* group =
      DatasetOptions::Whole().Find("experimental_optimization");
  options.Set(*group, std::monostate());
  options.Set(*group->group->Find(option), on);
  const Ref<const Dataset> given = *Dataset::Of(d);
  const ElementSignature& e = given->signature();
  const Tensor told =
      ops::OptionsDataset(d, options.Serialize(), e.types, e.shapes);
  return PipelineText(**Optimized(*Dataset::Of(told)));
}

TEST(OptimizeDatasetTest, WhatChangesNothingIsLeftOut) {
  Tensor d = ops::TakeDataset(Range(), Number(-1), kTypes, kShapes);
  d = ops::SkipDataset(d, Number(0), kTypes, kShapes);
  d = Batched(ops::RepeatDataset(d, Number(1), kTypes, kShapes));
  EXPECT_EQ(Text(d, "noop_elimination", true),
            "RangeDataset BatchDatasetV2 OptionsDataset");
  EXPECT_EQ(Text(d, "noop_elimination", false),
            "RangeDataset TakeDataset SkipDataset RepeatDataset BatchDatasetV2 "
            "OptionsDataset");
}

TEST(OptimizeDatasetTest, WhatDoesSomethingStays) {
  Tensor d = ops::TakeDataset(Range(), Number(3), kTypes, kShapes);
  d = ops::SkipDataset(d, Number(1), kTypes, kShapes);
  EXPECT_EQ(Text(d, "noop_elimination", true),
            "RangeDataset TakeDataset SkipDataset OptionsDataset");
}

TEST(OptimizeDatasetTest, BatchesInParallel) {
  EXPECT_EQ(Text(Batched(Range()), "parallel_batch", true),
            "RangeDataset ParallelBatchDataset OptionsDataset");
  EXPECT_EQ(Text(Batched(Range()), "parallel_batch", false),
            "RangeDataset BatchDatasetV2 OptionsDataset");
}

TEST(OptimizeDatasetTest, ThePrefetchAtTheEnd) {
  EXPECT_EQ(Text(Range(), "inject_prefetch", true),
            "RangeDataset OptionsDataset PrefetchDataset");
  EXPECT_EQ(Text(Range(), "inject_prefetch", false),
            "RangeDataset OptionsDataset");
}

TEST(OptimizeDatasetTest, SeveralInputs) {
  const Tensor noop = ops::TakeDataset(Range(), Number(-1), kTypes, kShapes);
  const TensorVector both{noop, Range()};
  const std::vector<DataType> types(2, DataType::kInt64);
  const std::vector<PartialTensorShape> shapes(2, TensorShape());
  const Tensor zip = ops::ZipDataset(both, types, shapes);
  EXPECT_EQ(Text(zip, "noop_elimination", true),
            "[RangeDataset] [RangeDataset] ZipDataset OptionsDataset");
}

}  // namespace
}  // namespace gk
